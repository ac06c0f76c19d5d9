/** \file io/store/spool.h
 * A sequence of bytes that is appended to and read back: its first bytes, as many as its share of
 * memory holds, stay in memory, and those after them lie in a file of the work folder, so that its
 * owner need not care where a byte lies. A spool can be kept: as a complete, synced file under a
 * name of its own, with a checksum, which later runs open again. What the bytes mean is the
 * owner's business; nothing is shared between ranks here.
 */
#ifndef ND_STORE_SPOOL_H
#define ND_STORE_SPOOL_H

#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the part in memory: a growing owned buffer for very many bytes. From some MiB on its
 * memory is a mapping of its own: it grows without being copied, is asked of the system
 * ahead of its use, and goes back to the system when it is no longer needed. For short
 * buffers there is nd_buffer, which costs no system call. Not thread-safe. */

/** An anonymous mapping, or one that is longer, with zeros after what there was.
 * \param[in]  from  NULL, and size 0: there is none yet
 * \param[in]  what  it is, for the message
 * \param[out] to    it may lie elsewhere now; the caller's to munmap()
 * \return ND_OK or ND_ERR_MEMORY; then `from` is as it was, and `to` is not set */
nd_status nd_mapping_grow(void *from, size_t size, size_t wanted, const char *what, void **to);

/** Bytes of capacity from which on the memory is a mapping. */
enum { ND_LONG_BUFFER_MAPPED = 4 << 20 };

/** Owned bytes; all zero is a valid empty buffer. */
typedef struct nd_long_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    size_t present; /**< bytes of a mapping that the system has given memory to, as far as asked */
} nd_long_buffer;

/** Append `size` bytes, which must not lie in the buffer itself.
 * \param[in] most  bytes that room may be taken for, at least those there will be then
 * \return ND_OK or ND_ERR_MEMORY; the buffer is as it was then */
nd_status nd_long_buffer_append(nd_long_buffer *buffer, const void *bytes, size_t size,
                                size_t most);

/** Keep the first `size` bytes, no more than there are, and give back the room after them. */
void nd_long_buffer_cut(nd_long_buffer *buffer, size_t size);

/** Free the bytes and make the buffer empty; an empty buffer is fine. */
void nd_long_buffer_free(nd_long_buffer *buffer);

/* ---- spools */

/** Where the spools of one rank are written. Plain value; shared by all spools of the rank. */
typedef struct nd_spool_folder {
    const char *path; /**< borrowed; it is made (with its file) when the first spool needs it; NULL:
                           everything stays in memory */
    bool unnamed;     /**< the user has not named it: it must be one of this run's own */
    bool keeps;    /**< most of its spools will be kept: as they are written, checksums are made and
                        bytes begin their way to the disk */
    int rank;      /**< part of the files' names: spill-RANK-NUMBER */
    uint64_t next; /**< number of the next file */
    uint64_t written; /**< bytes written by all spools of the folder so far */
} nd_spool_folder;

/** Make the folder unless it is there, for this user alone.
 * \return ND_OK; ND_ERR_IO if it cannot be made, or if an unnamed one is not of this run */
nd_status nd_spool_folder_make(const nd_spool_folder *folder);

/** nd_spool_open() or nd_spool_open_kept() first; all zero may only be closed. */
typedef struct nd_spool {
    nd_spool_folder *folder;
    uint64_t size;       /**< bytes appended */
    uint64_t memory;     /**< most bytes in memory */
    nd_long_buffer held; /**< the first bytes, which stay in memory until the spool is kept */
    uint64_t in_file;    /**< bytes after the held ones that are written to the file */
    uint64_t begun;      /**< of those in the file, that are on their way to the disk */
    nd_buffer tail;      /**< the last bytes, which are not yet written */
    char *path;          /**< of the file; owned; NULL: there is none */
    int descriptor;      /**< of the file, if there is one */
    bool kept;           /**< the file outlives the spool */
    nd_kept_file file;   /**< the kept one; its path is that above */
    nd_kept_sums sums;   /**< of the held bytes and the file, where the folder wants them */
} nd_spool;

/** An empty spool. Nothing is allocated or opened yet, so that this cannot fail.
 * \param[in] folder  borrowed until nd_spool_close(); NULL: everything stays in memory
 * \param[in] memory  bytes it may have in memory (below 64 KiB it is taken as 64 KiB): the held
 * ones and, of at most 1 MiB and half of it, those that wait to be written */
void nd_spool_open(nd_spool *spool, nd_spool_folder *folder, uint64_t memory);

/** Another bound on its memory from now on, as for nd_spool_open(). What is held already stays so;
 * of a spool that has a file, nothing changes. */
void nd_spool_allow(nd_spool *spool, uint64_t memory);

/** A kept file of an earlier time, for reading only. It is not looked at before nd_spool_resume().
 * \param[in] file  its path is copied, its cure borrowed */
void nd_spool_open_kept(nd_spool *spool, nd_spool_folder *folder, const nd_kept_file *file);

/** Close the file of a kept spool for the time being: nothing can be read meanwhile. */
void nd_spool_rest(nd_spool *spool);

/** Open it again. \return as nd_kept_file_open() */
nd_status nd_spool_resume(nd_spool *spool);

/** Append bytes. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO (a full disk: the text names the file);
 * on failure the spool can only be closed */
nd_status nd_spool_append(nd_spool *spool, const void *bytes, size_t size);

/** Bytes [offset, offset + size) of what was appended.
 * \param[in,out] scratch  where they are put if they have to be read (replaced, not appended to)
 * \param[out] bytes       into the spool's memory, or into scratch; until the next append or the
 *                         next use of scratch */
nd_status nd_spool_read(const nd_spool *spool, uint64_t offset, size_t size, nd_buffer *scratch,
                        const uint8_t **bytes);

/** Write everything to `path` (through the temporary name PATH.tmp), and sync the file; its name is
 * the caller's to sync (nd_own_file_sync_names()). The spool reads from there afterwards and
 * closing it leaves the file; nothing may be appended any more.
 * \param[out] checksum  as of nd_kept_file
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO; on failure the spool can only be closed, which removes
 * what was written */
nd_status nd_spool_keep(nd_spool *spool, const char *path, uint64_t *checksum);

/** Free the memory, close the file, remove it unless it is kept. The spool is empty and may be
 * closed again. */
void nd_spool_close(nd_spool *spool);

/** Forget the bytes from byte `size` on, where no more than that are held: what is left stays in
 * memory, and there is no file any more. */
void nd_spool_cut(nd_spool *spool, uint64_t size);

/** Reading a spool of fixed-size records from front to end. */
typedef struct nd_spool_reader {
    const nd_spool *spool;
    size_t record_size;
    uint64_t offset, end; /**< bytes */
    size_t window;        /**< bytes read at a time */
    nd_buffer scratch;
} nd_spool_reader;

/** Read records [begin, end) of the spool, at most about `window` bytes at a time. */
void nd_spool_reader_open(nd_spool_reader *reader, const nd_spool *spool, size_t record_size,
                          uint64_t begin, uint64_t end, size_t window);

/** The next records: at least one, until the end.
 * \param[out] records  borrowed until the next call
 * \param[out] count    how many; 0 after the last */
nd_status nd_spool_reader_next(nd_spool_reader *reader, const void **records, uint64_t *count);

/** Copy the next records, at most `room`. \param[out] count  0 after the last */
nd_status nd_spool_reader_take(nd_spool_reader *reader, void *records, uint64_t room,
                               uint64_t *count);

/** Free the window; a reader that is all zero is fine. */
void nd_spool_reader_close(nd_spool_reader *reader);

#endif
