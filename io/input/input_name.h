/** \file io/input/input_name.h
 * Names of inputs: the path by which a file is listed, and the URL of a page that is a file of its
 * own. Nothing is opened.
 */
#ifndef ND_IO_INPUT_INPUT_NAME_H
#define ND_IO_INPUT_INPUT_NAME_H

#include "src/base/status.h"

#include <stddef.h>

/** A copy of the first `size` bytes, NUL-terminated. \param[out] out  the caller's to free() */
nd_status nd_input_copy_text(const char *text, size_t size, char **out);

/** Last name of a folder's path, of which `size` bytes count; that of "." and ".." and "/" is
 * looked up. \param[out] out  the caller's to free() */
nd_status nd_input_folder_name(const char *path, size_t size, char **out);

/** file://NAME/RELATIVE, with blanks and control characters as %XX: they would break a URL's line.
 * \param[out] out  the caller's to free() */
nd_status nd_input_url(const char *name, const char *relative, char **out);

/** Give a path its one spelling, as far as the words themselves show it: "./a//b/./c" becomes
 * "a/b/c". */
void nd_input_tidy_path(char *path);

#endif
