/** \file io/store/foreign_file.h
 * Opening what strangers made: inputs, lists, labels, results. What a name stands for
 * is looked at before it is opened, and again afterwards: a FIFO would block until someone writes
 * to it, a device may do anything. Only regular files are read, by whatever links they are named,
 * and the WARCs in a WACZ by names of their own (io/store/wacz.h), where no file has such a name.
 * Files of our own are io/store/own_file.h.
 */
#ifndef ND_IO_STORE_FOREIGN_FILE_H
#define ND_IO_STORE_FOREIGN_FILE_H

#include "src/base/status.h"

#include <stdbool.h>
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

#endif
