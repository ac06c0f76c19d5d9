#include "io/store/work_folder.h"

#include "io/store/own_file.h"

#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

const char nd_work_manifest_name[] = "manifest.json";
const char nd_work_input_name[] = "standard-input-copy";

static const char LOCK_NAME[] = "lock";
static const char PART_PREFIX[] = "checkpoint-";
static const char SPILL_PREFIX[] = "spill-";

enum { MOST_ARRAY_NAME = 64 };

/* Between opening the lock's file and locking it, its last holder may remove it: then again. */
enum { MOST_LOCK_TRIES = 100 };

nd_status nd_work_folder_open(nd_work_folder *folder, const char *path) {
    *folder = (nd_work_folder){.lock = -1};
    const size_t length = strlen(path);
    if (length == 0 || length >= PATH_MAX) {
        return nd_fail(ND_ERR_USAGE, "work folder: a path of %zu bytes, allowed are 1 to %d",
                       length, PATH_MAX - 1);
    }
    folder->path = nd_text_copy(path);
    return ND_OK;
}

void nd_work_folder_join(const nd_work_folder *folder, const char *name, char *path) {
    const int length = snprintf(path, ND_WORK_PATH_SIZE, "%s/%s", folder->path, name);
    ND_ASSERT(length > 0 && length < ND_WORK_PATH_SIZE, length);
}

void nd_work_folder_close(nd_work_folder *folder) {
    if (folder->path != NULL && folder->lock >= 0) {
        (void)close(folder->lock); /* which unlocks */
    }
    free(folder->path);
    *folder = (nd_work_folder){.lock = -1};
}

/* ---- the lock */

/* The page texts in it are not everybody's to read. */
static nd_status make_folder(const char *path, bool *made) {
    struct stat info;
    if (mkdir(path, 0700) == 0) { /* what is promised to be in it needs its name */
        nd_status st = nd_fault(ND_FAULT_SYNC);
        st = st != ND_OK ? st : nd_own_file_sync_names(path);
        if (st != ND_OK) { /* whoever tries again makes it anew */
            (void)rmdir(path);
        }
        *made = st == ND_OK;
        return st;
    }
    const int reason = errno;
    if (reason == ENOENT) {
        return nd_fail(ND_ERR_IO, "%s: cannot make the work folder: its parent does not exist",
                       path);
    }
    if (reason != EEXIST) {
        return nd_fail(ND_ERR_IO, "%s: cannot make the work folder: %s", path, strerror(reason));
    }
    const bool linked = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    /* one's own link to another disk is fine */
    if (linked && info.st_uid != geteuid() && info.st_uid != 0) {
        return nd_fail(ND_ERR_IO,
                       "%s: is a symbolic link of another user: name another work folder", path);
    }
    if (stat(path, &info) == 0) {
        return S_ISDIR(info.st_mode)
                   ? ND_OK
                   : nd_fail(ND_ERR_IO, "%s: is not a folder: name another work folder", path);
    }
    if (linked) {
        return nd_fail(ND_ERR_IO,
                       "%s: is a symbolic link that leads to no folder: make that folder, or name "
                       "another work folder",
                       path);
    }
    return ND_OK; /* a folder that is gone again: the next try's matter */
}

static nd_lock_place lock_of(const nd_work_folder *folder, char path[ND_WORK_PATH_SIZE]) {
    nd_work_folder_join(folder, LOCK_NAME, path);
    return (nd_lock_place){
        .path = path, .what = folder->path, .other = "another work folder", .needed = true};
}

nd_status nd_work_folder_lock(nd_work_folder *folder) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    const nd_lock_place place = lock_of(folder, path);
    for (int i = 0; i < MOST_LOCK_TRIES && folder->lock < 0; i++) {
        ND_TRY(make_folder(folder->path, &folder->made));
        ND_TRY(nd_lock_file_try(&place, &folder->lock, folder->owner));
    }
    if (folder->lock < 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot lock: it goes away time and again", path);
    }
out:
    return st;
}

nd_status nd_work_folder_verify(const nd_work_folder *folder, const char *owner) {
    char path[ND_WORK_PATH_SIZE];
    const nd_lock_place place = lock_of(folder, path);
    return nd_lock_file_is_of(&place, owner)
               ? ND_OK
               : nd_fail(ND_ERR_IO,
                         "%s: not the folder that rank 0 sees: the work folder must lie on a file "
                         "system that all nodes share",
                         folder->path);
}

/* ---- names */

bool nd_work_folder_is_array(const char *array) {
    const size_t length = strlen(array);
    bool plain = length > 0 && length <= MOST_ARRAY_NAME;
    for (size_t i = 0; i < length; i++) {
        plain = plain && (isalnum((unsigned char)array[i]) || strchr("_.", array[i]) != NULL);
    }
    return plain;
}

void nd_work_folder_part(uint64_t generation, const char *array, int rank, uint64_t number,
                         char *name) {
    ND_ASSERT(nd_work_folder_is_array(array), strlen(array));
    (void)snprintf(name, NAME_MAX + 1, "%s%" PRIu64 "-%s-%d-%" PRIu64, PART_PREFIX, generation,
                   array, rank, number);
}

static bool skip_text(const char **at, const char *text) {
    const size_t length = strlen(text);
    const bool found = strncmp(*at, text, length) == 0;
    *at += found ? length : 0;
    return found;
}

static bool skip_digits(const char **at) {
    const size_t length = strspn(*at, "0123456789");
    *at += length;
    return length > 0;
}

/* The end of a name, or the suffix that it has while it is written. */
static bool is_end(const char *at) {
    return *at == '\0' || *at == '.';
}

static bool is_spill(const char *name) {
    return skip_text(&name, SPILL_PREFIX) && skip_digits(&name) && skip_text(&name, "-") &&
           skip_digits(&name) && is_end(name);
}

static bool is_input(const char *name) {
    return strcmp(name, nd_work_input_name) == 0;
}

/* Does a file of this name belong to us, other than the lock and the manifest? */
static bool is_ours(const char *name) {
    const char *at = name;
    if (is_input(name) || is_spill(name)) {
        return true;
    }
    if (skip_text(&at, nd_work_manifest_name)) { /* only half-written */
        return *at == '.';
    }
    if (!skip_text(&at, PART_PREFIX) || !skip_digits(&at) || !skip_text(&at, "-")) {
        return false;
    }
    at += strcspn(at, "-"); /* the array */
    return skip_text(&at, "-") && skip_digits(&at) && skip_text(&at, "-") && skip_digits(&at) &&
           is_end(at);
}

bool nd_work_folder_holds(const char *folder, const char *path) {
    struct stat own;
    struct stat other;
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    nd_own_file_folder(path, parent, sizeof parent);
    return (is_ours(name) || strcmp(name, LOCK_NAME) == 0 ||
            strcmp(name, nd_work_manifest_name) == 0) &&
           stat(folder, &own) == 0 && stat(parent, &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
}

/* ---- removing */

nd_status nd_work_folder_remove_file(const nd_work_folder *folder, const char *name) {
    char path[ND_WORK_PATH_SIZE];
    nd_work_folder_join(folder, name, path);
    if (unlink(path) != 0 && errno != ENOENT) {
        return nd_fail(ND_ERR_IO, "%s: cannot remove: %s", path, strerror(errno));
    }
    return ND_OK;
}

nd_status nd_work_folder_remove(const nd_work_folder *folder, const char *const *names,
                                uint64_t count, bool spills) {
    nd_status st = ND_OK;
    for (uint64_t i = 1; i < count; i++) { /* or a file that is named would not be found in it */
        ND_ASSERT(strcmp(names[i - 1], names[i]) <= 0, i, count);
    }
    DIR *listing = opendir(folder->path);
    if (listing == NULL) {
        return nd_fail(ND_ERR_IO, "%s: cannot list: %s", folder->path, strerror(errno));
    }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        const char *name = entry->d_name;
        uint64_t place = 0;
        ND_FIND_FIRST(place, 0, count, strcmp(names[place], name) >= 0);
        const bool named = place < count && strcmp(names[place], name) == 0;
        if (is_ours(name) && (spills || !is_spill(name)) &&
            (!is_input(name) || (spills && count == 0)) && !named) {
            const nd_status removed = nd_work_folder_remove_file(folder, name);
            st = st != ND_OK ? st : removed;
        }
    }
    (void)closedir(listing);
    return st;
}

nd_status nd_work_folder_remove_manifest(nd_work_folder *folder) {
    nd_status st = ND_OK;
    char manifest[ND_WORK_PATH_SIZE];
    if (!folder->bare) {
        nd_work_folder_join(folder, nd_work_manifest_name, manifest);
        st = nd_work_folder_remove_file(folder, nd_work_manifest_name);
        (void)nd_own_file_sync_names(manifest);
        folder->bare = st == ND_OK;
    }
    return st;
}

void nd_work_folder_discard(nd_work_folder *folder) {
    if (folder->path != NULL && folder->lock >= 0) {
        if (nd_work_folder_remove_manifest(folder) == ND_OK &&
            nd_work_folder_remove(folder, NULL, 0, true) == ND_OK) {
            (void)nd_work_folder_remove_file(folder, LOCK_NAME);
            (void)rmdir(folder->path); /* not if the user has files in it */
        }
    }
    nd_work_folder_close(folder);
}

void nd_work_folder_unlock(nd_work_folder *folder) {
    if (folder->path != NULL && folder->lock >= 0) {
        (void)nd_work_folder_remove_file(folder, LOCK_NAME);
    }
    nd_work_folder_close(folder);
}

nd_status nd_work_folder_free_bytes(const nd_work_folder *folder, uint64_t *bytes) {
    struct statvfs info;
    *bytes = 0;
    if (statvfs(folder->path, &info) != 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot find the free space: %s", folder->path,
                       strerror(errno));
    }
    *bytes = (uint64_t)info.f_bavail * info.f_frsize;
    return ND_OK;
}
