/** \file io/store/foreign_file.h
 * Opening what strangers made: inputs, lists, labels, results. What a name stands for
 * is looked at before it is opened, and again afterwards: a FIFO would block until someone writes
 * to it, a device may do anything. Only regular files are read, by whatever links they are named,
 * and the WARCs in a WACZ by names of their own (io/store/foreign_file.h), where no file has such a
 * name. Files of our own are io/store/own_file.h.
 */
#ifndef ND_STORE_FOREIGN_FILE_H
#define ND_STORE_FOREIGN_FILE_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/** What a file is, by the mode that stat(2) gives, as "a folder" or "a FIFO". */
const char *nd_file_kind(mode_t mode);

/** Open a regular file for reading; never blocks, whatever is there.
 * \param[out] descriptor  the caller's to close; -1 on failure. It stands at the first byte: of a
 *                         part of a WACZ where that begins in the file
 * \param[out] info        of the open file; of a part `st_size` is the part's
 * \return ND_OK, or naming the path: ND_ERR_INPUT; ND_ERR_IO where this process or the system has
 *         no descriptors or memory left */
nd_status nd_foreign_file_open(const char *path, int *descriptor, struct stat *info);

/** The same, for libraries that open a file by its name: can it be opened, and is it a file? */
nd_status nd_foreign_file_check(const char *path);

/** Does a file begin with this line, of at most 128 bytes? So the program knows again what it has
 * written. False where there is no such file. */
bool nd_foreign_file_begins(const char *path, const char *line);

/* ---- WACZ, a zip archive of a web crawl: which of its parts are WARCs, and where they lie. WACZ
 * stores these as they are, so each is a range of the file's bytes, to be read like any WARC;
 * nothing is unpacked here, and the archive's own indexes are not read. Invariant: the ranges that
 * are given lie in the file and overlap nowhere, and no two have one name, whatever the directory
 * says.
 *
 * A part is named FILE.wacz#archive/NAME: nd_foreign_file_open() opens it by that. */

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
