/** \file io/input/input_name.h
 * Names of inputs: the path by which a file is listed, the folder that several inputs have in
 * common, and the URL of a page that is a file of its own. Nothing is opened. Invariant: two paths
 * that are not the same have no URL in common under one name and folder.
 */
#ifndef ND_IO_INPUT_INPUT_NAME_H
#define ND_IO_INPUT_INPUT_NAME_H

#include "src/base/buffer.h"

/** Texts that are kept together, few allocations for many; none moves until all are freed. */
typedef struct nd_texts {
    char **blocks;
    size_t count, capacity;
    char *end;    /**< of the texts in the last block */
    size_t left;  /**< bytes after that */
    size_t bytes; /**< of all blocks */
} nd_texts;

/** Keep the first `size` bytes of a text, and a NUL. \param[out] out  borrowed from `texts` */
nd_status nd_texts_keep(nd_texts *texts, const char *text, size_t size, char **out);

/** Keep memory of so many bytes from malloc() that holds texts.
 * \param[in] block  theirs afterwards, but on failure */
nd_status nd_texts_take(nd_texts *texts, char *block, size_t bytes);

void nd_texts_free(nd_texts *texts);

/** Last name of a folder's path; that of "." and ".." and "/" is looked up.
 * \param[out] out  borrowed from `texts` */
nd_status nd_input_folder_name(nd_texts *texts, const char *path, char **out);

/** Append file://NAME/RELATIVE and a NUL. Blanks and control characters, which would break a URL's
 * line, are written as %XX, and so is a % that else would be read as one of these. */
void nd_input_append_url(nd_buffer *url, const char *name, const char *relative);

/** Give a path its one spelling, as far as the words themselves show it: "./a//b/./c" becomes
 * "a/b/c". */
void nd_input_tidy_path(char *path);

/** The same of a folder, without a slash at its end: "" is the folder that one is in. */
void nd_input_tidy_folder(char *path);

/** Shorten a tidy path of a file to its folder. */
void nd_input_cut_to_folder(char *path);

/** Shorten a tidy folder to the deepest that holds it and another tidy one, by their names. */
void nd_input_cut_to_common(char *folder, const char *other);

/** What follows of a tidy path after a tidy folder that holds it. */
const char *nd_input_after_folder(const char *path, const char *folder);

#endif
