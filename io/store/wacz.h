/** \file io/store/wacz.h
 * WACZ, a zip archive of a web crawl: which of its parts are WARCs, and where they lie. WACZ stores
 * these as they are, so each is a range of the file's bytes, to be read like any WARC; nothing is
 * unpacked here, and the archive's own indexes are not read. Invariant: the ranges that are given
 * lie in the file and overlap nowhere, and no two have one name, whatever the directory says.
 *
 * A part is named FILE.wacz#archive/NAME: nd_foreign_file_open() opens it by that.
 */
#ifndef ND_IO_STORE_WACZ_H
#define ND_IO_STORE_WACZ_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_wacz_part {
    char *name; /**< in the archive: archive/NAME */
    uint64_t begin, bytes;
    bool packed; /**< not stored as it is: cannot be read in place, and has no range */
} nd_wacz_part;

typedef struct nd_wacz {
    nd_wacz_part *parts; /**< by name */
    size_t count, capacity;
} nd_wacz;

/** Is it one by its name, FILE.wacz? */
bool nd_wacz_is(const char *path);

/** Bytes of FILE.wacz in FILE.wacz#PART; 0: the name is no part's. */
size_t nd_wacz_file(const char *path);

/** Read the directory.
 * \param[in] path        for what is said
 * \param[in] descriptor  of the file of `bytes`, the caller's
 * \param[out] wacz       at least one part; to be freed on failure too
 * \return ND_OK, ND_ERR_MEMORY, or naming the path ND_ERR_INPUT: damaged, or without a WARC */
nd_status nd_wacz_read(const char *path, int descriptor, uint64_t bytes, nd_wacz *wacz);

void nd_wacz_free(nd_wacz *wacz);

#endif
