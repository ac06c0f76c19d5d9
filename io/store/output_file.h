/** \file io/store/output_file.h
 * Names that a user gives for results: what is looked at before any work, so that hours of it are
 * not lost at the end, nor anything that the user has. Nothing is written but a file that goes at
 * once. Writing itself is io/store/own_file.h.
 */
#ifndef ND_STORE_OUTPUT_FILE_H
#define ND_STORE_OUTPUT_FILE_H

#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nd_output {
    const char *option; /**< that names it, for the text of a refusal */
    const char *path;
    bool force;                         /**< a file that is there may be replaced, whatever it is */
    bool (*replaces)(const char *path); /**< may this file be replaced all the same? */
    const char *what;                   /**< such files, as "a result of neardup partition" */
} nd_output;

/** Can the output be written, is nothing lost by it, and does no other process work on it? What is
 * no file is never replaced. \return ND_OK; ND_ERR_USAGE where another name is needed; ND_ERR_IO
 * where the file cannot be made. The text is one line, with the cure */
nd_status nd_output_check(const nd_output *output);

/** A name that this process works on: while it is locked, by a file `NAME.lock` beside it, no other
 * does. All zero: none is. */
typedef struct nd_output_lock {
    char *path; /**< owned */
    int descriptor;
} nd_output_lock;

/** Lock a name until nd_output_release() or the end of the process; what a killed one leaves locks
 * nothing. Two processes on two machines keep each other out as well, if the file system has locks
 * that hold between them; where it has none, nothing is locked.
 * \return ND_OK; ND_ERR_IO, naming who has it; ND_ERR_MEMORY */
nd_status nd_output_take(const char *option, const char *path, nd_output_lock *lock);

/** Give it back, if it is locked. */
void nd_output_release(nd_output_lock *lock);

/** Where all processes of a job are about to be ended: remove what the output and its lock leave,
 * from any of them. \param[in] partial  the unfinished file \return true for the first that does so
 */
bool nd_output_abandon(const char *partial);

/** Make a folder for results, or take one that is empty, and lock its name.
 * \return ND_OK; ND_ERR_USAGE if it is not empty; as nd_output_take() */
nd_status nd_output_folder(const char *option, const char *folder, nd_output_lock *lock);

/** The files that writing an output would take away, by device and inode: the one of that name, the
 * one under its unfinished name, and its lock. */
typedef struct nd_output_files {
    uint64_t device[3], inode[3];
    int count;
} nd_output_files;

nd_output_files nd_output_look(const char *path);

bool nd_output_takes(const nd_output_files *files, uint64_t device, uint64_t inode);

/* ---- Under which names the files of a result's sources are written into a folder: in a folder of
 * their collection, if it has a name, by their paths below the folder that all of the collection's
 * files have in common. Where a folder has the name of a file, the slash after it is written as
 * %2F. Pure; nothing is looked at. Invariant: no name leads out of the folder, no two are one, and
 * none is the folder of another. */

/** Name the files.
 * \param[in] paths        of the sources
 * \param[in] collections  of each source its number
 * \param[in] names        of the collections
 * \param[out] to          a name for each, without a slash in front; the caller's to give to
 *                         nd_output_names_free(), also on failure
 * \return ND_OK; ND_ERR_USAGE if two would be one; ND_ERR_MEMORY */
nd_status nd_output_names(const nd_span *paths, const uint64_t *collections, size_t count,
                          const nd_span *names, size_t name_count, char ***to);

void nd_output_names_free(char ***to, size_t count);

#endif
