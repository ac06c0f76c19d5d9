#include "io/store/output_file.h"

#include "io/store/foreign_file.h"
#include "io/store/own_file.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== names that a user gives */

/* Room for what is put after a name; and between opening a lock's file and locking it, its last
 * holder may remove it: then again. */
enum { LONGEST = PATH_MAX - 64, MOST_LOCK_TRIES = 100 };

static const char LOCK_SUFFIX[] = ".lock";

static nd_status cannot_write(const nd_output *o, int reason) {
    return nd_fail(ND_ERR_IO, "%s %s: cannot be written: %s: name another file", o->option, o->path,
                   strerror(reason));
}

static nd_status check_present(const nd_output *o, const struct stat *info) {
    char folder[LONGEST];
    struct stat parent;
    if (S_ISLNK(info->st_mode)) {
        return nd_fail(ND_ERR_USAGE,
                       "%s %s: is a symbolic link: give the name of the file that it leads to",
                       o->option, o->path);
    }
    if (!S_ISREG(info->st_mode)) {
        return nd_fail(ND_ERR_USAGE, "%s %s: is %s: name a file%s", o->option, o->path,
                       nd_file_kind(info->st_mode), S_ISDIR(info->st_mode) ? " in it" : "");
    }
    if (!o->force && !o->replaces(o->path)) {
        return nd_fail(ND_ERR_USAGE,
                       "%s %s: is there already, and is not %s: name another file, or give --force",
                       o->option, o->path, o->what);
    }
    /* in a folder like /tmp only the owner of a file may have another in its place */
    nd_own_file_folder(o->path, folder, sizeof folder);
    if (stat(folder, &parent) == 0 && (parent.st_mode & S_ISVTX) != 0 && geteuid() != 0 &&
        geteuid() != info->st_uid && geteuid() != parent.st_uid) {
        return cannot_write(o, EPERM);
    }
    return ND_OK;
}

/* The unfinished file is made and taken away again; one that is there already, left by a run that
 * was killed, stays until it is known not to be an input. */
static nd_status try_partial(const nd_output *o) {
    struct stat info;
    char folder[LONGEST];
    char name[PATH_MAX];
    int descriptor = -1;
    (void)snprintf(name, sizeof name, "%s%s", o->path, ND_PARTIAL_SUFFIX);
    const nd_status st = nd_own_file_create(name, &descriptor);
    if (st == ND_OK) {
        (void)close(descriptor);
        (void)unlink(name);
        return ND_OK;
    }
    if (st != ND_END) {
        return st;
    }
    nd_own_file_folder(o->path, folder, sizeof folder);
    if (lstat(name, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
        return nd_fail(ND_ERR_USAGE,
                       "%s %s: %s is there already, and is not a file of this user: remove it, or "
                       "name another file",
                       o->option, o->path, name);
    }
    return access(folder, W_OK | X_OK) == 0 ? ND_OK : cannot_write(o, errno);
}

/* ---- locks */

/* \param[in] size  bytes of the path that count */
static void name_lock(const char *path, size_t size, char lock[PATH_MAX]) {
    while (size > 1 && path[size - 1] == '/') { /* of a folder */
        size--;
    }
    (void)snprintf(lock, PATH_MAX, "%.*s%s", (int)size, path, LOCK_SUFFIX);
}

/* \param[in] lock  a path of PATH_MAX bytes, to be filled in \param[in] what  likewise */
static nd_lock_place lock_of(const char *option, const char *path, char *lock, char *what) {
    name_lock(path, strlen(path), lock);
    (void)snprintf(what, PATH_MAX, "%s %s", option, path);
    return (nd_lock_place){.path = lock, .what = what, .other = "another output"};
}

nd_status nd_output_take(const char *option, const char *path, nd_output_lock *lock) {
    nd_status st = ND_OK;
    char name[PATH_MAX], what[PATH_MAX], owner[ND_LOCK_OWNER_SIZE] = "";
    const nd_lock_place place = lock_of(option, path, name, what);
    *lock = (nd_output_lock){.descriptor = -1};
    lock->path = nd_text_copy(name);
    for (int i = 0; i < MOST_LOCK_TRIES && lock->descriptor < 0; i++) {
        ND_TRY(nd_lock_file_try(&place, &lock->descriptor, owner));
    }
out:
    if (st != ND_OK) {
        free(lock->path);
        *lock = (nd_output_lock){.descriptor = -1};
    }
    return st;
}

void nd_output_release(nd_output_lock *lock) {
    if (lock->path != NULL) {
        (void)unlink(lock->path); /* before others can have it */
        if (lock->descriptor >= 0) {
            (void)close(lock->descriptor);
        }
        free(lock->path);
    }
    *lock = (nd_output_lock){.descriptor = -1};
}

bool nd_output_abandon(const char *partial) {
    char lock[PATH_MAX];
    const size_t size = strlen(partial), suffix = strlen(ND_PARTIAL_SUFFIX);
    const bool first = unlink(partial) == 0;
    if (size > suffix && strcmp(partial + size - suffix, ND_PARTIAL_SUFFIX) == 0) {
        name_lock(partial, size - suffix, lock);
        (void)unlink(lock);
    }
    return first;
}

/* ---- before any work */

nd_status nd_output_check(const nd_output *output) {
    nd_status st = ND_OK;
    char lock[PATH_MAX], what[PATH_MAX];
    struct stat info;
    const size_t length = strlen(output->path);
    if (length == 0) {
        return nd_fail(ND_ERR_USAGE, "%s: is empty: give the name of a file", output->option);
    }
    if (length >= LONGEST) {
        return nd_fail(ND_ERR_USAGE, "%s: a name of %zu bytes: at most %d are allowed",
                       output->option, length, LONGEST - 1);
    }
    if (lstat(output->path, &info) == 0) {
        ND_TRY(check_present(output, &info));
    } else if (errno != ENOENT) {
        return cannot_write(output, errno);
    }
    const nd_lock_place place = lock_of(output->option, output->path, lock, what);
    ND_TRY(nd_lock_file_look(&place));
    ND_TRY(try_partial(output));
out:
    return st;
}

static nd_status make_folder(const char *option, const char *folder) {
    nd_status st = ND_OK;
    if (mkdir(folder, 0777) == 0) {
        return nd_own_file_sync_names(folder);
    }
    if (errno != EEXIST) {
        return nd_fail(ND_ERR_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
    }
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return nd_fail(ND_ERR_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
    }
    const struct dirent *entry = NULL;
    while (st == ND_OK && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            st = nd_fail(ND_ERR_USAGE,
                         "%s %s: the folder is not empty (it holds %s): name another one", option,
                         folder, entry->d_name);
        }
    }
    (void)closedir(entries);
    return st;
}

nd_status nd_output_folder(const char *option, const char *folder, nd_output_lock *lock) {
    nd_status st = nd_output_take(option, folder, lock);
    if (st == ND_OK) {
        st = make_folder(option, folder);
        if (st != ND_OK) {
            nd_output_release(lock);
        }
    }
    return st;
}

nd_output_files nd_output_look(const char *path) {
    nd_output_files files = {.count = 0};
    struct stat info;
    char partial[PATH_MAX], lock[PATH_MAX];
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    name_lock(path, strlen(path), lock);
    const char *const names[] = {path, partial, lock};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (stat(names[i], &info) == 0) {
            files.device[files.count] = (uint64_t)info.st_dev;
            files.inode[files.count++] = (uint64_t)info.st_ino;
        }
    }
    return files;
}

bool nd_output_takes(const nd_output_files *files, uint64_t device, uint64_t inode) {
    bool found = false;
    for (int i = 0; i < files->count; i++) {
        found = found || (files->device[i] == device && files->inode[i] == inode);
    }
    return found;
}

/* ==== names in a folder */

/* A part of a path; what would lead elsewhere is written as it would be in a URL. */
static void append_part(nd_buffer *out, nd_span part) {
    const bool up = part.size <= 2 && strncmp((const char *)part.data, "..", part.size) == 0;
    for (size_t i = 0; i < part.size; i++) {
        const uint8_t byte = part.data[i];
        if (up || byte == '/') {
            nd_buffer_append_text(out, up ? "%2E" : "%2F");
        } else {
            nd_buffer_append(out, &byte, 1);
        }
    }
}

/* The parts of a path with one slash before each; "." is none. */
static void clean(nd_span path, nd_buffer *out) {
    out->size = 0;
    for (size_t begin = 0; begin < path.size;) {
        const uint8_t *slash = memchr(path.data + begin, '/', path.size - begin);
        const size_t end = slash != NULL ? (size_t)(slash - path.data) : path.size;
        const nd_span part = nd_span_part(path, begin, end);
        if (part.size > 1 || (part.size == 1 && part.data[0] != '.')) {
            nd_buffer_append_text(out, "/");
            append_part(out, part);
        }
        begin = end + 1;
    }
}

/* Shorten a folder to what it has in common with that of a path; both begin with a slash, or are
 * empty. */
static size_t common_folder(const char *folder, size_t size, nd_span path) {
    size_t same = 0;
    size_t end = 0; /* of the last part that both have whole */
    while (same < size && same < path.size && (uint8_t)folder[same] == path.data[same]) {
        same++;
        end = same < path.size && path.data[same] == '/' && (same == size || folder[same] == '/')
                  ? same
                  : end;
    }
    return end;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_name(const char *text, size_t size, char **sorted, size_t count) {
    char copy[PATH_MAX];
    const char *const key = copy;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)nd_min(size, PATH_MAX - 1), text);
    return bsearch(&key, sorted, count, sizeof *sorted, by_text) != NULL;
}

/* Is a file written under the name of this folder, or will it be until it is complete? */
static bool is_taken(const char *folder, size_t size, char **sorted, size_t count) {
    const size_t suffix = strlen(ND_PARTIAL_SUFFIX);
    return is_name(folder, size, sorted, count) ||
           (size > suffix && memcmp(folder + size - suffix, ND_PARTIAL_SUFFIX, suffix) == 0 &&
            is_name(folder, size - suffix, sorted, count));
}

/* A folder and a file of one name, as parts of a WACZ or of crawls that were added may have: the
 * slash after such a folder is written as it would be in a URL. */
static void part_folders(char **to, size_t count) {
    char **sorted = NULL;
    char **changed = NULL; /* NULL: stays */
    nd_buffer name = {0};
    nd_new(&sorted, count, sizeof *sorted);
    nd_new(&changed, count, sizeof *changed);
    memcpy(sorted, to, count * sizeof *sorted);
    nd_sort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        bool taken = false;
        name.size = 0;
        for (const char *at = to[i]; *at != '\0'; at++) {
            const bool here = *at == '/' && is_taken(to[i], (size_t)(at - to[i]), sorted, count);
            nd_buffer_append(&name, here ? "%2F" : at, here ? 3 : 1);
            taken = taken || here;
        }
        nd_buffer_append(&name, "", 1);
        changed[i] = taken ? nd_text_copy((const char *)name.data) : NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (changed[i] != NULL) {
            free(to[i]);
            to[i] = changed[i];
            changed[i] = NULL;
        }
    }
    nd_output_names_free(&changed, count);
    free(sorted);
    nd_buffer_free(&name);
}

/* No two may be one, nor one what another is called until it is complete. */
static nd_status check_different(char *const *to, size_t count) {
    nd_status st = ND_OK;
    char **sorted = NULL;
    char *partial = NULL;
    nd_new(&sorted, count, sizeof *sorted);
    memcpy(sorted, to, count * sizeof *sorted);
    nd_sort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        partial = nd_own_file_join(sorted[i], ND_PARTIAL_SUFFIX);
        const bool clashes = bsearch(&partial, sorted, count, sizeof *sorted, by_text) != NULL ||
                             (i > 0 && strcmp(sorted[i - 1], sorted[i]) == 0);
        free(partial);
        partial = NULL;
        if (clashes) {
            st = nd_fail(ND_ERR_USAGE,
                         "two inputs would be written as %s: partition them under names of their "
                         "own (NAME=INPUT)",
                         sorted[i]);
            goto out;
        }
    }
out:
    free(sorted);
    return st;
}

nd_status nd_output_names(const nd_span *paths, const uint64_t *collections, size_t count,
                          const nd_span *names, size_t name_count, char ***to) {
    nd_status st = ND_OK;
    char **folders = NULL; /* of collections; NULL: none of its paths was met */
    size_t *sizes = NULL;
    nd_buffer path = {0};
    nd_buffer name = {0};
    nd_new(to, count, sizeof **to);
    nd_new(&folders, name_count, sizeof *folders);
    nd_new(&sizes, name_count, sizeof *sizes);
    for (size_t i = 0; i < count; i++) {
        const uint64_t c = collections[i];
        clean(paths[i], &path);
        nd_buffer_append(&path, "", 1);
        const nd_span text = nd_span_part(nd_buffer_span(&path), 0, path.size - 1);
        if (folders[c] == NULL) {
            folders[c] = nd_text_copy((const char *)path.data);
            sizes[c] = text.size;
        }
        sizes[c] = common_folder(folders[c], sizes[c], text);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t c = collections[i];
        clean(paths[i], &path);
        name.size = 0;
        append_part(&name, names[c]);
        nd_buffer_append_text(&name, names[c].size > 0 ? "/" : "");
        const size_t begin = nd_min(sizes[c] + 1, path.size);
        nd_buffer_append(&name, path.data + begin, path.size - begin);
        nd_buffer_append(&name, "", 1);
        (*to)[i] = nd_text_copy((const char *)name.data);
    }
    part_folders(*to, count);
    ND_TRY(check_different(*to, count));
out:
    for (size_t c = 0; folders != NULL && c < name_count; c++) {
        free(folders[c]);
    }
    free(folders);
    free(sizes);
    nd_buffer_free(&path);
    nd_buffer_free(&name);
    return st;
}

void nd_output_names_free(char ***to, size_t count) {
    for (size_t i = 0; *to != NULL && i < count; i++) {
        free((*to)[i]);
    }
    free(*to);
    *to = NULL;
}
