/** \file io/store/own_file.h
 * Files that the program writes for itself: making them, reads and writes at an offset that are
 * whole or fail, whatever signals and short transfers the system makes of them, and giving a
 * complete file its name so that it outlives a crash. A file of ours is always a new one, a regular
 * one, and lies where its name says: a link that someone has put there is never followed, and what
 * is no regular file is never replaced. Which files there are, and what is in them, is the owner's
 * business.
 */
#ifndef ND_STORE_OWN_FILE_H
#define ND_STORE_OWN_FILE_H

#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What a file's name ends in until it is complete. */
#define ND_PARTIAL_SUFFIX ".partial"

/** Let this process have as many files open as the system lets it, if that is more than now. */
void nd_own_file_allow_many(void);

/** The folder of a path, with a slash at its end, or "." without one. \param[out] folder  at least
 * `room` bytes; cut off where the path is longer */
void nd_own_file_folder(const char *path, char *folder, size_t room);

/** A path with a suffix: the caller's to free(). */
char *nd_own_file_join(const char *path, const char *suffix);

/** Make a file, to be read and written. \param[out] descriptor  the caller's to close; -1 on
 * failure \return ND_OK; ND_END if there is something of that name; ND_ERR_IO */
nd_status nd_own_file_create(const char *path, int *descriptor);

/** The same, in place of one that a killed run of this user has left. Anything else of that name is
 * refused. \return ND_OK or ND_ERR_IO */
nd_status nd_own_file_remake(const char *path, int *descriptor);

/** Open a file for reading. \param[out] size  bytes
 * \return ND_OK; ND_END if there is nothing of that name; ND_ERR_IO */
nd_status nd_own_file_open(const char *path, int *descriptor, uint64_t *size);

/* ---- complete files that outlive the run: their bytes, and after these a checksum for each
 * ND_KEPT_CHUNK of them, so that any part is compared when it is read, and nothing before. */

/** Bytes of a chunk: as many as the system reads at once. */
enum { ND_KEPT_CHUNK = 4 << 10 };

/** Checksums (XXH3 64) of the chunks of a file that is being written. All zero is one of nothing.
 */
typedef struct nd_kept_sums {
    nd_buffer made; /**< uint64_t each */
    nd_buffer rest; /**< bytes after the last whole chunk */
} nd_kept_sums;

void nd_kept_sums_add(nd_kept_sums *sums, const void *bytes, size_t size);

/** That was all: `made` is what has to follow the file's bytes. \return its own checksum */
uint64_t nd_kept_sums_end(nd_kept_sums *sums);

void nd_kept_sums_free(nd_kept_sums *sums);

typedef struct nd_kept_file {
    const char *path;
    uint64_t size;     /**< bytes, without the checksums after them */
    uint64_t checksum; /**< XXH3 64 of those */
    uint64_t *sums;    /**< them, once they were compared with it; NULL: not yet; the holder's to
                            free() */
    bool own;          /**< this run has written it: nothing is compared */
    const char *cure;  /**< what to do about a damaged one */
} nd_kept_file;

/** Open one for reading, and have its checksums.
 * \param[in,out] file  its sums are read where they are not there
 * \return ND_OK; ND_ERR_FORMAT if it has another size or other checksums; ND_ERR_IO, also if it is
 *         gone; the descriptor is then -1 */
nd_status nd_kept_file_open(nd_kept_file *file, int *descriptor);

/** Read bytes [offset, offset + size), and compare the chunks that they are in.
 * \return ND_OK; ND_ERR_FORMAT, naming the file, if they are not those of the checksums; ND_ERR_IO;
 *         bytes are then undefined */
nd_status nd_kept_file_read(const nd_kept_file *file, int descriptor, uint64_t offset, void *bytes,
                            size_t size);

/** Read all of it, whoever has written it. \return as above */
nd_status nd_kept_file_check(const nd_kept_file *file);

/** Has it its size? Nothing is opened. \return as nd_kept_file_open() */
nd_status nd_kept_file_look(const nd_kept_file *file);

/** Read `size` bytes at `offset`. \param[in] path  for the text of a failure
 * \return ND_OK or ND_ERR_IO (also if the file ends before); bytes are then undefined */
nd_status nd_own_file_read(int descriptor, const char *path, uint64_t offset, void *bytes,
                           size_t size);

/** Write `size` bytes at `offset`. \param[in] path  for the text of a failure
 * \return ND_OK or ND_ERR_IO; some of the bytes may then be in the file */
nd_status nd_own_file_write(int descriptor, const char *path, uint64_t offset, const void *bytes,
                            size_t size);

/** Have the system begin to bring bytes of a file to the disk, which a sync would wait for
 * otherwise. Nothing is promised: where it cannot, the sync does it all. */
void nd_own_file_begin_sync(int descriptor, uint64_t offset, uint64_t size);

/** Bytes that this process has read from and written to such files. */
typedef struct nd_own_file_traffic {
    uint64_t read, written;
} nd_own_file_traffic;
nd_own_file_traffic nd_own_file_so_far(void);

/** Bring a file's bytes to the disk, as far as this machine has them: of a file that processes of
 * several machines have written, each of these has to. \return ND_OK or ND_ERR_IO */
nd_status nd_own_file_sync(const char *path);

/** Bring to the disk which names there are beside that of a file or folder, and this one.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_own_file_sync_names(const char *path);

/** Bring a complete file, which is open, to the disk and rename it; an older one of that name is
 * replaced. Its new name is the caller's to bring there. \return as below */
nd_status nd_own_file_name(int descriptor, const char *temporary, const char *path);

/** The same of one that is not open, with its name.
 * \return ND_OK, or ND_ERR_IO, naming the file: it may then have either name */
nd_status nd_own_file_publish(const char *temporary, const char *path);

/** Complete files that wait for their names under their unfinished ones, so that many small ones
 * are brought to the disk together. All zero is valid and empty. */
typedef struct nd_own_batch {
    char **paths; /**< the names that they will have */
    size_t count, capacity;
    uint64_t bytes;
} nd_own_batch;

/** Add a file of `bytes` bytes, which is `path` with ND_PARTIAL_SUFFIX so far. Where that makes the
 * batch a large one, it is published.
 * \return ND_OK; or as below, and ND_ERR_MEMORY: the file is then dropped too */
nd_status nd_own_batch_add(nd_own_batch *batch, const char *path, uint64_t bytes);

/** Bring the files to the disk, rename each, and bring their folders to the disk; the batch is
 * empty then. \return ND_OK; ND_ERR_IO: some may have their names, no unfinished one is left */
nd_status nd_own_batch_publish(nd_own_batch *batch);

/** Remove the files, which have no names yet. */
void nd_own_batch_drop(nd_own_batch *batch);

/** Give a folder, whose files are on the disk already, its name, so that it outlives a crash;
 * nothing of that name is replaced. */
nd_status nd_own_folder_publish(const char *temporary, const char *path);

/** Have a complete file that never changes under a second name too: a link, or where the file
 * system has none, or it is another one, a copy. \return ND_OK; ND_ERR_IO (also if there is
 * something of that name) or ND_ERR_MEMORY, with nothing under the new name */
nd_status nd_own_file_take(const char *path, const char *copy);

/** Make a file of these bytes and publish it. \return ND_OK; or ND_ERR_IO or ND_ERR_MEMORY, with
 * nothing under that name that was not there before */
nd_status nd_own_file_save(const char *path, const void *bytes, size_t size);

/** A file that is written by stdio, and has its name when it is complete. All zero: none. */
typedef struct nd_own_stream {
    FILE *to;
    char *partial;    /* its name until then; owned */
    const char *path; /* borrowed */
} nd_own_stream;

/** Begin one. \return ND_OK; ND_ERR_IO or ND_ERR_MEMORY, with `to` NULL and nothing left */
nd_status nd_own_stream_open(nd_own_stream *stream, const char *path);

/** End it, if it was begun: publish it if `st` is ND_OK and all was written, else remove it.
 * \return `st`, or ND_ERR_IO */
nd_status nd_own_stream_close(nd_own_stream *stream, nd_status st);

/* ---- A file that says which process is at work in its place, locked while that lives: fcntl's
 * lock, which works between the nodes of a cluster and ends with the process, however that ends, so
 * what a killed one leaves is nobody's. The lock belongs to the process: its holder must not open
 * the file again. What the file stands for, and removing it, is the owner's business. */

enum { ND_LOCK_OWNER_SIZE = 256 /**< bytes of the owner's text: host, process and Slurm's job */ };

typedef struct nd_lock_place {
    const char *path;  /**< of the file */
    const char *what;  /**< it stands for, as a refusal names it */
    const char *other; /**< what its user can name in its place, as "another file" */
    bool needed; /**< refuse a file system without locks, and a folder where no file may be made */
} nd_lock_place;

/** One try to make the file and lock it; anything but a file of ours of that name is refused.
 * \param[out] descriptor  locked, the caller's to close; -1, with ND_OK: file or folder went away
 *                         meanwhile, or, if it is not needed, no lock can be had here
 * \param[out] owner       what the file says now
 * \return ND_OK or ND_ERR_IO; the text names another holder */
nd_status nd_lock_file_try(const nd_lock_place *place, int *descriptor,
                           char owner[ND_LOCK_OWNER_SIZE]);

/** Does another process hold the lock? What is no lock of ours, or cannot be read, nobody holds.
 * \return ND_OK, or ND_ERR_IO, naming the holder */
nd_status nd_lock_file_look(const nd_lock_place *place);

/** Does the file say this? Not for its holder. */
bool nd_lock_file_is_of(const nd_lock_place *place, const char *owner);

#endif
