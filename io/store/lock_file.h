/** \file io/store/lock_file.h
 * A file that says which process is at work in its place, locked while that lives: fcntl's lock,
 * which works between the nodes of a cluster and ends with the process, however that ends, so what
 * a killed one leaves is nobody's. The lock belongs to the process: its holder must not open the
 * file again. What the file stands for, and removing it, is the owner's business.
 */
#ifndef ND_IO_STORE_LOCK_FILE_H
#define ND_IO_STORE_LOCK_FILE_H

#include "src/base/status.h"

#include <stdbool.h>

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
