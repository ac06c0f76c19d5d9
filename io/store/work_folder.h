/** \file io/store/work_folder.h
 * The folder in which a job keeps its checkpoints and what does not fit in memory: making it,
 * locking it against a second job, the names of its files, and removing those that are ours. Its
 * own files are `lock`, `manifest.json`, `checkpoint-GENERATION-ARRAY-RANK-NUMBER` and
 * `spill-RANK-NUMBER`, `standard-input-copy`, and these names with a suffix after a dot while they
 * are written; nothing else in the folder is ever touched. What the files hold is not known here.
 */
#ifndef ND_IO_STORE_WORK_FOLDER_H
#define ND_IO_STORE_WORK_FOLDER_H

#include "io/store/own_file.h"
#include "src/base/buffer.h"

#include <limits.h>
#include <stdbool.h>

enum {
    ND_WORK_PATH_SIZE = PATH_MAX + NAME_MAX + 2 /**< bytes of a path of a file of the folder */
};

extern const char nd_work_manifest_name[]; /**< "manifest.json" */
extern const char nd_work_input_name[];    /**< "standard-input-copy": what was read from there */

/** All zero is a valid closed folder. */
typedef struct nd_work_folder {
    char *path; /**< owned; NULL: closed */
    int lock;   /**< descriptor of the locked file; -1: not locked by this one */
    bool made;  /**< by this one, when it was locked: nobody's checkpoints are in it */
    bool bare;  /**< its manifest is removed */
    char owner[ND_LOCK_OWNER_SIZE]; /**< of the lock */
} nd_work_folder;

/** Name a folder; nothing is looked at yet.
 * \return ND_OK; ND_ERR_USAGE (empty or too long) or ND_ERR_MEMORY: the folder is then closed */
nd_status nd_work_folder_open(nd_work_folder *folder, const char *path);

/** Make the folder, closed to others, unless it is there (its parent has to be) and lock it until
 * nd_work_folder_close() or the end of the process, however it ends: a stale folder has no lock.
 * \return ND_OK; ND_ERR_IO if it cannot be made or locked; the text names another holder */
nd_status nd_work_folder_lock(nd_work_folder *folder);

/** Is this the folder that the holder of the lock has locked? For the other processes of a job: on
 * another node the same path may be another folder.
 * \param[in] owner  as the holder's folder.owner gives it
 * \return ND_OK, or ND_ERR_IO if it is another folder or none */
nd_status nd_work_folder_verify(const nd_work_folder *folder, const char *owner);

/** The path of a file of the folder. \param[out] path  ND_WORK_PATH_SIZE bytes */
void nd_work_folder_join(const nd_work_folder *folder, const char *name, char *path);

/** Is it a name for an array of a checkpoint: letters, digits, _ and . only, at most 64? */
bool nd_work_folder_is_array(const char *array);

/** The name of a checkpoint's file: unique if every run counts its generations on and every rank
 * its files.
 * \param[in]  array  nd_work_folder_is_array()
 * \param[out] name   NAME_MAX + 1 bytes */
void nd_work_folder_part(uint64_t generation, const char *array, int rank, uint64_t number,
                         char *name);

/** Is a path that of a file which could be ours in a work folder, the lock and the manifest among
 * them? By the folder itself, however it is spelled; false if there is no such folder. */
bool nd_work_folder_holds(const char *folder, const char *path);

/** Remove files of checkpoints, and others half-written, that are not in a list.
 * \param[in] names   to be kept; ascending by strcmp. The copy of standard input goes where there
 *                    are none, with the spill files: without checkpoints nobody can use it
 * \param[in] spills  remove spill files too: no rank may have any
 * \return ND_OK, or ND_ERR_IO for the first file that cannot be removed; the others are */
nd_status nd_work_folder_remove(const nd_work_folder *folder, const char *const *names,
                                uint64_t count, bool spills);

/** Remove one file, which may be gone. \return ND_OK or ND_ERR_IO */
nd_status nd_work_folder_remove_file(const nd_work_folder *folder, const char *name);

/** Remove the manifest, from the disk too: without its files it would be reported as damage, so it
 * goes before them. Once is enough. \return as above */
nd_status nd_work_folder_remove_manifest(nd_work_folder *folder);

/** Bytes that may still be written to the folder's file system. \return ND_OK or ND_ERR_IO */
nd_status nd_work_folder_free_bytes(const nd_work_folder *folder, uint64_t *bytes);

/** Remove all files that are ours, the manifest first and the lock last, and the folder if nothing
 * is left in it; then close. What cannot be removed stays. */
void nd_work_folder_discard(nd_work_folder *folder);

/** The folder is complete, and no work folder any more: remove the lock and close. */
void nd_work_folder_unlock(nd_work_folder *folder);

/** Unlock and free; closing again is fine. */
void nd_work_folder_close(nd_work_folder *folder);

#endif
