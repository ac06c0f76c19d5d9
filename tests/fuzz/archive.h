/** \file tests/fuzz/archive.h
 * What holds for any source of records, for the targets of its formats.
 */
#ifndef ND_TESTS_FUZZ_ARCHIVE_H
#define ND_TESTS_FUZZ_ARCHIVE_H

#include "src/base/buffer.h"

/** Read a source as it is, and in units cut anywhere: the same pages, text that is UTF-8, counts
 * that add up, memory within bounds; a walk over all records meets each page. The first byte of the
 * input says how the rest is packed (plain, gzip, zstd; each record by itself, or as a whole), the
 * next two where it is cut.
 *
 * The rest is cut into members where `border` stands, which ends a record and begins the next one,
 * after `before` bytes of it. Of these no walk is made: where a record spans members, and a page
 * follows it in the same one, a walk refuses the source. */
void nd_fuzz_archive(nd_span input, const char *border, size_t before);

#endif
