/** \file tests/support/hostile_folder.h
 * What a stranger may make of a folder with a manifest, an index or a work folder: other values in
 * its arrays, other places and sizes of them, other numbers and texts; as a rule with checksums
 * that fit. And of any file: other bytes, or another end.
 */
#ifndef ND_TESTS_SUPPORT_HOSTILE_FOLDER_H
#define ND_TESTS_SUPPORT_HOSTILE_FOLDER_H

#include "src/base/buffer.h"
#include "src/base/util.h"

/** Change the folder. */
void nd_hostile_folder(const char *path, nd_random *random);

/** Change some bytes, or where they end. */
void nd_hostile_bytes(nd_buffer *bytes, nd_random *random);

/** A number that is likely to be wrong in place of one. */
uint64_t nd_hostile_number(nd_random *random, uint64_t number);

/** Replace a file, or make it. */
void nd_hostile_write(const char *path, nd_span bytes);

/** Copy a file, or the files of a folder into a new one. */
void nd_hostile_copy_file(const char *from, const char *to);
void nd_hostile_copy_folder(const char *from, const char *to);

#endif
