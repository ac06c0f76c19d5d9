/** \file io/input/file_window.h
 * A window on a regular file, moved by large preads: what lies under the window is given as a
 * view, the rest of the file is never loaded. Offsets are 64-bit. Nothing is decoded here. The
 * file is somebody else's: what it was when it was opened, and a checksum of what was read of it,
 * are kept so that a change can be noticed.
 */
#ifndef ND_INPUT_FILE_WINDOW_H
#define ND_INPUT_FILE_WINDOW_H

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <sys/stat.h>

/* ---- steps: how much is read, unpacked or copied at once. Reading a source must not depend on
 * it: what does is a bug. Hence programs that are made for fuzzing (which say so by the
 * name that fuzzers have for it) take steps that are small beside their inputs, so that
 * these meet every step's border, and are read far sooner. */

/** A step of so many bytes, a power of two of at least 64 KiB. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ND_STEP(bytes) ((bytes) >> 7)
#else
#define ND_STEP(bytes) (bytes)
#endif

/* ---- A checksum of a file that is taken in parts: the sum, modulo 2^64, of the XXH3 (64 bits) of
 * each of its blocks of 64 KiB, with the number of the block as seed. Who looks after bytes [begin,
 * end) sums up the blocks that begin there, the last one to its end. No file is opened here. The
 * invariant: ranges that cover a file once have, added up, the sum of the whole, however it was
 * cut. */

enum { ND_SUMMED_BLOCK = 64 << 10 };

/** All zero: of nothing. */
typedef struct nd_block_sum {
    uint64_t next; /**< byte of the file that is to come next; `end` once the sum is complete */
    uint64_t end;
    uint64_t sum;               /**< of the blocks before `next` */
    struct XXH3_state_s *state; /**< of the block that `next` lies in, if it was begun */
} nd_block_sum;

/* ---- the window */

/** By what a file is known again. Not the device: it has another number on each node that mounts
 * it, and after each mount. No padding: it is kept as bytes. */
typedef struct nd_file_identity {
    uint64_t inode;
    uint64_t bytes;
    uint64_t modified; /**< ns since 1970; may be set by anyone */
    uint64_t altered;  /**< ns since 1970, of bytes or inode; may not be set */
} nd_file_identity;

/** Of what stat(2) gives. */
nd_file_identity nd_file_identity_of(const struct stat *info);

/** Look at a file without opening it, if its name is no part's of a WACZ.
 * \return as nd_foreign_file_open() */
nd_status nd_file_identity_now(const char *path, nd_file_identity *now);

typedef struct nd_file_window {
    const char *path; /**< borrowed until the window is closed */
    int descriptor;
    uint64_t begin; /**< byte of the file at which it begins: 0 but for a part of a WACZ, of which
                         all other numbers are */
    uint64_t file_bytes;
    nd_file_identity identity; /**< when it was opened */
    uint64_t checksum; /**< of all bytes read so far, in the order of reading: XXH3 64, each read's
                            with that of the reads before as its seed */
    nd_block_sum blocks; /**< where nd_file_window_sum_blocks() asked for it */
    uint64_t offset;     /**< place in the file of the window's first byte */
    nd_buffer window;
} nd_file_window;

/** Open a regular file.
 * \return as nd_foreign_file_open(); after a failure closing is allowed but not needed */
nd_status nd_file_window_open(nd_file_window *file, const char *path);

/** Look at the file from `offset` on.
 * \param[in]  want   bytes needed
 * \param[out] bytes  at least `want` bytes, fewer only at the end of the file (none beyond it);
 *                    borrowed until the next call
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_MEMORY, or ND_ERR_CHANGED: the file has become shorter */
nd_status nd_file_window_at(nd_file_window *file, uint64_t offset, size_t want, nd_span *bytes);

/** Append up to `want` bytes from `offset` on, fewer only at the end of the file, and leave window,
 * checksum and sums as they are. \return as nd_file_window_at() */
nd_status nd_file_window_look(const nd_file_window *file, uint64_t offset, size_t want,
                              nd_buffer *to);

/** Sum up the blocks that begin in bytes [begin, end) of the file too, as they are read.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_file_window_sum_blocks(nd_file_window *file, uint64_t begin, uint64_t end);

/** Their sum: what was passed over is read. \return as nd_file_window_at() */
nd_status nd_file_window_block_sum(nd_file_window *file, uint64_t *sum);

/** Let the system know that bytes [begin, end) will not be read again soon: its cache need not keep
 * them. A hint; what it cannot do it does not. */
void nd_file_window_uncache(const nd_file_window *file, uint64_t begin, uint64_t end);

/** Close and free; a window that is all zero or already closed is fine. */
void nd_file_window_close(nd_file_window *file);

#endif
