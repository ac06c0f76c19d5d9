/** \file io/own_file.h
 * Files that the program writes for itself: reads and writes at an offset that are whole or fail,
 * whatever signals and short transfers the system makes of them, and giving a complete file its
 * name so that it outlives a crash. Which files there are, and what is in them, is the owner's
 * business.
 */
#ifndef ND_IO_OWN_FILE_H
#define ND_IO_OWN_FILE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Read `size` bytes at `offset`. \param[in] path  for the text of a failure
 * \return ND_OK or ND_ERR_IO (also if the file ends before); bytes are then undefined */
nd_status nd_own_file_read(int descriptor, const char *path, uint64_t offset, void *bytes,
                           size_t size);

/** Write `size` bytes at `offset`. \param[in] path  for the text of a failure
 * \return ND_OK or ND_ERR_IO; some of the bytes may then be in the file */
nd_status nd_own_file_write(int descriptor, const char *path, uint64_t offset, const void *bytes,
                            size_t size);

/** Bytes that this process has read from and written to such files. */
typedef struct nd_own_file_traffic {
    uint64_t read, written;
} nd_own_file_traffic;
nd_own_file_traffic nd_own_file_so_far(void);

/** Bring a complete file to the disk, rename it from `temporary` to `path` (an older file of that
 * name is replaced; both lie in one folder) and bring the folder to the disk.
 * \return ND_OK, or ND_ERR_IO, naming the file: it may then have either name */
nd_status nd_own_file_publish(const char *temporary, const char *path);

#endif
