/** \file mpi/job/checkpoint.h
 * The checkpoints of a job in its work folder: named arrays of fixed-size records in pieces (files,
 * written by the ranks, each with a checksum), named numbers and texts, and the manifest that makes
 * them one consistent state: written last, under a temporary name, synced and renamed. A later run
 * of any number of ranks reads the manifest and, of the arrays, the ranges it wants, and compares
 * what it reads with the files' checksums. What the arrays mean is the stages' business. Without a
 * work folder everything here does nothing.
 */
#ifndef ND_JOB_CHECKPOINT_H
#define ND_JOB_CHECKPOINT_H

#include "io/store/manifest.h"
#include "io/store/packing.h"
#include "io/store/spool.h"
#include "io/store/work_folder.h"
#include "mpi/comm/comm.h"

/** All zero is a valid checkpoint without a work folder, which may be closed. */
typedef struct nd_checkpoint {
    nd_comm *comm;
    nd_work_folder folder;  /**< locked on rank 0 */
    nd_manifest manifest;   /**< as last committed or read: the same on all ranks */
    nd_manifest changes;    /**< this rank's additions since */
    nd_spool_folder spools; /**< where pieces are written before they get their names */
    uint64_t next;          /**< number of this rank's next file */
    uint64_t earlier;       /**< files up to this generation are of an earlier run: what is read of
                                 them is checked */
    nd_status saved;        /**< ND_OK, or how a save since the last commit failed */
    bool enabled;           /**< there is a work folder that keeps checkpoints */
    bool sealed;            /**< it is an index, complete and only read */
} nd_checkpoint;

/** Collective. Open (make, lock) the work folder. With `resume`, read its manifest, if there is
 * one; without, a folder that holds one is refused (ND_ERR_USAGE, the text says: --resume or remove
 * it). Files that no manifest names (of a killed run) are removed, spill files among them: no spool
 * may have one yet. A folder that another running job has locked is refused (ND_ERR_IO, naming
 * host, process and, under Slurm, the job), and so is one that not all ranks see. \param[in] path
 * NULL: no checkpoints \return ND_OK on all ranks, or a failure on all: the checkpoint is then
 * closed */
nd_status nd_checkpoint_open(nd_checkpoint *checkpoint, nd_comm *comm, const char *path,
                             bool resume);

/** Collective. Open what a folder holds for reading alone: it is neither locked nor changed, and
 * nothing may be saved. A folder that holds nothing is refused (ND_ERR_USAGE). \return ND_OK on all
 * ranks, or a failure on all: the checkpoint is then closed */
nd_status nd_checkpoint_read(nd_checkpoint *checkpoint, nd_comm *comm, const char *path);

/** Not collective. The last complete stage that was read or committed; NULL: none, start from the
 * beginning. */
const char *nd_checkpoint_stage(const nd_checkpoint *checkpoint);

/* ---- writing; local, until the commit. A save that failed makes the next commit fail on all
 * ranks, so that the caller need not agree on each. Without a work folder these do nothing. */

/** Keep records [first, first + count) of a global array as a file of the work folder; none without
 * records. Ranges of one array must not overlap.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_checkpoint_save(nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t first, const void *records, uint64_t count);

/** The same for a spool, which is kept (nd_spool_keep) under a name of the work folder; an empty
 * one is left as it is. */
nd_status nd_checkpoint_keep(nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t first, nd_spool *spool);

/** Not collective; the pieces are dealt to the ranks. Keep an array of another folder, with its
 * first record as record `first` of the array here: its files are taken over as they are
 * (nd_own_file_take()). \return ND_OK; ND_ERR_IO; ND_ERR_FORMAT if one is damaged */
nd_status nd_checkpoint_take(nd_checkpoint *checkpoint, const nd_checkpoint *from,
                             const char *array, uint64_t first);

/** Numbers and texts of the state; those of rank 0 count. They last until they are set anew. */
void nd_checkpoint_set_number(nd_checkpoint *checkpoint, const char *name, uint64_t value);
void nd_checkpoint_set_text(nd_checkpoint *checkpoint, const char *name, const char *text);

/** Collective. Forget an array of an earlier commit: its files go once the next is in place, and
 * can be loaded until then. The array may be saved anew for that next commit. */
void nd_checkpoint_drop(nd_checkpoint *checkpoint, const char *array);

/** Collective. Make everything saved, with what earlier commits hold and was not dropped, the state
 * of the work folder after `stage`; then remove the files that it no longer names.
 * \return ND_OK on all ranks, or a failure on all: the state before is then still in place, here
 *         and in the folder */
nd_status nd_checkpoint_commit(nd_checkpoint *checkpoint, const char *stage);

/* ---- reading; local. What was read or committed, without what was saved since. */

/** Fail with what is wrong with an array, number or text: "FOLDER: damaged: ARRAY: WHAT: CURE".
 * \return ND_ERR_FORMAT */
nd_status nd_checkpoint_refuse(const nd_checkpoint *checkpoint, const char *array,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Records of a whole array; 0 if there is none. */
uint64_t nd_checkpoint_count(const nd_checkpoint *checkpoint, const char *array);

/** Records of an array that begins with its first, as all do but those that go on from an index's.
 * \return ND_OK; ND_ERR_FORMAT if it does not, so that `count` says nothing of what there is */
nd_status nd_checkpoint_records(const nd_checkpoint *checkpoint, const char *array,
                                uint64_t *count);

/** Do records [first, first + count) lie in one piece of an array, so that one file has them? Of no
 * records, is their place in it or at its end? */
bool nd_checkpoint_is_one_piece(const nd_checkpoint *checkpoint, const char *array, uint64_t first,
                                uint64_t count);

/** The file of a piece, to be opened; what an earlier run has written is compared.
 * \param[out] path  of it; lasts as long as the file is used */
nd_kept_file nd_checkpoint_file(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece,
                                char path[ND_WORK_PATH_SIZE]);

/** Read records [begin, end) of an array, out of whichever pieces hold them.
 * \return ND_OK; ND_ERR_FORMAT (no such records, records of another size, or a file of another
 *         size or other checksums than the manifest says) or ND_ERR_IO */
nd_status nd_checkpoint_load(const nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t begin, uint64_t end, void *records);

/** Number or text by name; a name that is not there is ND_ERR_FORMAT. The text is borrowed. */
nd_status nd_checkpoint_number(const nd_checkpoint *checkpoint, const char *name, uint64_t *value);
nd_status nd_checkpoint_text(const nd_checkpoint *checkpoint, const char *name, const char **text);

/** Collective. Compare every file of the state with its size and checksum, dealt to the ranks.
 * \return ND_OK on all, or a failure on all: ND_ERR_FORMAT, naming the file, if one is damaged */
nd_status nd_checkpoint_check(const nd_checkpoint *checkpoint);

/** The same of sizes alone, which opens nothing: nd_checkpoint_count() can then be believed, so
 * that there is room for what it counts. */
nd_status nd_checkpoint_check_sizes(const nd_checkpoint *checkpoint);

/** Collective. The job is done: remove everything that is ours in the folder, and the folder if it
 * is then empty; then close. Spools that have spill files in it must be closed. */
void nd_checkpoint_discard(nd_checkpoint *checkpoint);

/** Collective. What was committed is complete: close, and leave no lock. */
void nd_checkpoint_seal(nd_checkpoint *checkpoint);

/** Collective. Unlock and free; what is in the folder stays. Closing again is fine. */
void nd_checkpoint_close(nd_checkpoint *checkpoint);

/* ---- A long array of bytes kept packed in a folder of checkpoints: in blocks
 * (io/store/packing.h), with a table that says where each begins, so that any of its bytes are read
 * without those before. Ranks write it one after the other, and what one folder has can be taken
 * over by the next, which goes on with it. What the bytes are is the stages' business.
 *
 * Arrays of the folder, of a name N: N.packed (bytes) and N.blocks (nd_packed_block). */

/** Where a block lies. No padding: it is kept as bytes. */
typedef struct nd_packed_block {
    uint64_t first, size;         /**< bytes of the array */
    uint64_t place, packed_bytes; /**< bytes of N.packed */
} nd_packed_block;

/** What of an array a folder has. */
typedef struct nd_packed_extent {
    uint64_t bytes, packed, blocks;
} nd_packed_extent;

/** Not collective. \return ND_OK, or as nd_checkpoint_load() */
nd_status nd_packed_extent_of(const nd_checkpoint *from, const char *array,
                              nd_packed_extent *extent);

/** This rank's part of an array that is being written. nd_packer_open() first. */
typedef struct nd_packer {
    nd_packing packing;
    uint64_t size; /**< bytes added */
    nd_buffer block, made;
    nd_spool packed, blocks;
} nd_packer;

/** Not collective. Nothing is opened yet, so that this cannot fail. */
void nd_packer_open(nd_packer *packer, nd_packing packing, nd_spool_folder *folder,
                    uint64_t memory);

/** Not collective. Add whole values. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_packer_add(nd_packer *packer, const void *bytes, size_t size);

/** Collective. Keep the ranks' parts one after the other, after what `before` says.
 * \param[in] st      this rank's failure so far: it then takes part, and keeps nothing
 * \param[out] first  number of this rank's first byte \return this rank's status */
nd_status nd_packer_keep(nd_packer *packer, nd_status st, nd_checkpoint *to, const char *array,
                         const nd_packed_extent *before, uint64_t *first);

void nd_packer_close(nd_packer *packer);

/** Reading an array; ascending costs least. All zero may only be closed. */
typedef struct nd_packed_reader {
    const nd_checkpoint *from;
    nd_packing packing;
    char packed_name[32], blocks_name[32];
    nd_packed_extent extent;
    nd_packed_block block; /* the one that is unpacked, as bytes */
    uint64_t block_number;
    nd_buffer packed, bytes;
} nd_packed_reader;

/** Not collective. \param[in] from  borrowed until it is closed */
nd_status nd_packed_reader_open(nd_packed_reader *reader, nd_packing packing,
                                const nd_checkpoint *from, const char *array);

/** Not collective. Bytes [begin, begin + size). \return ND_OK; ND_ERR_FORMAT if they are not all
 * there, or damaged; or as nd_checkpoint_load() */
nd_status nd_packed_read(nd_packed_reader *reader, uint64_t begin, size_t size, void *to);

void nd_packed_reader_close(nd_packed_reader *reader);

#endif
