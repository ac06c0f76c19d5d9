#include "io/input/input_list.h"

#include "io/input/file_window.h"
#include "io/input/input_name.h"
#include "io/store/foreign_file.h"
#include "io/store/wacz.h"
#include "src/base/fault.h"
#include "src/base/order.h"
#include "src/base/sort.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Lists may name lists, but one that names itself must end. */
enum { LIST_DEPTH = 16 };

static nd_status resolve_word(nd_input_list *list, const char *word, const char *collection,
                              int depth);

/* ---- names */

static nd_status find_collection(nd_input_list *list, const char *name, uint32_t *index) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < list->collection_count; i++) {
        if (strcmp(list->collections[i], name) == 0) {
            *index = (uint32_t)i;
            return ND_OK;
        }
    }
    ND_TRY(nd_grow(&list->collections, &list->collection_capacity, list->collection_count + 1,
                   sizeof *list->collections));
    ND_TRY(nd_input_copy_text(name, strlen(name), &list->collections[list->collection_count]));
    *index = (uint32_t)list->collection_count++;
out:
    return st;
}

/* ---- adding files */

/* \param[in] root  bytes of `path` that name the folder to which the URL is relative
 * \param[in] part  of the file, which is a WACZ; NULL: the file is the input */
static nd_status add_input(nd_input_list *list, const char *path, size_t root,
                           const struct stat *info, const nd_wacz_part *part,
                           const char *collection) {
    nd_status st = ND_OK;
    nd_input input = {.bytes = part != NULL ? part->bytes : (uint64_t)info->st_size,
                      .device = (uint64_t)info->st_dev,
                      .inode = (uint64_t)info->st_ino,
                      .begin = part != NULL ? part->begin : 0};
    char *folder = NULL;
    nd_buffer name = {0};
    const char *relative = path + root;
    while (*relative == '/') {
        relative++;
    }
    ND_TRY(find_collection(list, collection, &input.collection));
    if (collection[0] == '\0') {
        ND_TRY(nd_input_folder_name(path, root, &folder));
    }
    ND_TRY(nd_input_url(folder != NULL ? folder : collection, relative, &input.url));
    ND_TRY(nd_input_copy_text(path, strlen(path), &input.path));
    nd_input_tidy_path(input.path);
    if (part != NULL) {
        ND_TRY(nd_buffer_append_text(&name, input.path));
        ND_TRY(nd_buffer_append_text(&name, "#"));
        ND_TRY(nd_buffer_append(&name, part->name, strlen(part->name) + 1));
        free(input.path);
        input.path = (char *)name.data;
        name = (nd_buffer){0};
    }
    ND_TRY(nd_grow(&list->inputs, &list->capacity, list->count + 1, sizeof *list->inputs));
    list->inputs[list->count++] = input;
    input = (nd_input){0};
out:
    nd_buffer_free(&name);
    free(folder);
    free(input.path);
    free(input.url);
    return st;
}

/* A file, or the WARCs in it. A WACZ that cannot be used is one input, which whoever opens it finds
 * to be damaged. */
static nd_status add_file(nd_input_list *list, const char *path, size_t root,
                          const struct stat *info, const char *collection) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat opened;
    nd_wacz wacz = {0};
    if (!nd_wacz_is(path)) {
        return add_input(list, path, root, info, NULL, collection);
    }
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    st = nd_foreign_file_open(path, &descriptor, &opened);
    st = st != ND_OK ? st : nd_wacz_read(path, descriptor, (uint64_t)opened.st_size, &wacz);
    if (st == ND_ERR_INPUT) {
        char folder[] = "archive/";
        const nd_wacz_part any = {.name = folder};
        st = add_input(list, path, root, info, &any, collection);
        goto out;
    }
    for (size_t i = 0; st == ND_OK && i < wacz.count; i++) {
        st = add_input(list, path, root, &opened, &wacz.parts[i], collection);
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    nd_wacz_free(&wacz);
    return st;
}

static bool ends_with(const char *name, size_t size, const char *ending) {
    const size_t length = strlen(ending);
    return size > length && strncasecmp(name + size - length, ending, length) == 0;
}

static bool ends_with_any(const char *name, size_t size, const char *const *endings, size_t count) {
    size_t i = 0;
    while (i < count && !ends_with(name, size, endings[i])) {
        i++;
    }
    return i < count;
}

/* What a walk takes: a folder of a site or a package holds images, styles and archives beside its
 * pages, and a crawl's folder holds logs. Page files are taken plain, crawls in any packing. */
static bool walk_takes(const char *name) {
    static const char *const packings[] = {".gz", ".zst"};
    static const char *const pages[] = {".html", ".htm", ".xhtml", ".txt"};
    static const char *const crawls[] = {".warc", ".arc", ".wet", ".jsonl", ".json", ".ndjson"};
    size_t size = strlen(name);
    if (nd_wacz_is(name) || ends_with_any(name, size, pages, sizeof pages / sizeof pages[0])) {
        return true;
    }
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        size -= ends_with(name, size, packings[i]) ? strlen(packings[i]) : 0;
    }
    return ends_with_any(name, size, crawls, sizeof crawls / sizeof crawls[0]);
}

static nd_status walk_folder(nd_input_list *list, const char *path, const char *collection) {
    nd_status st = ND_OK;
    char *roots[2] = {NULL, NULL};
    FTS *walk = NULL;
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    ND_TRY(nd_input_copy_text(path, strlen(path), &roots[0]));
    walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (walk == NULL) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
        goto out;
    }
    FTSENT *entry = NULL;
    while ((errno = 0, entry = fts_read(walk)) != NULL) {
        ND_TRY(nd_fault(ND_FAULT_INPUT_READ));
        if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
            (void)fts_set(walk, entry, FTS_SKIP);
            continue;
        }
        switch (entry->fts_info) {
        case FTS_F:
        case FTS_SLNONE: /* a link to nothing is an input that will be missed when it is opened */
            if (walk_takes(entry->fts_name)) {
                ND_TRY(add_file(list, entry->fts_path, strlen(path), entry->fts_statp, collection));
            } else {
                list->left_out++;
            }
            break;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", entry->fts_path,
                         strerror(entry->fts_errno));
            goto out;
        default: /* folders, and what is neither file nor folder */
            break;
        }
    }
    if (errno != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
out:
    if (walk != NULL) {
        (void)fts_close(walk);
    }
    free(roots[0]);
    return st;
}

static nd_status add_path(nd_input_list *list, const char *path, const char *collection) {
    struct stat info;
    const nd_status st = nd_fault(ND_FAULT_INPUT_OPEN);
    if (st != ND_OK) {
        return st;
    }
    if (stat(path, &info) != 0) {
        return nd_fail(ND_ERR_IO, "%s: no such input: %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return walk_folder(list, path, collection);
    }
    if (!S_ISREG(info.st_mode)) {
        return nd_fail(ND_ERR_IO, "%s: is %s, neither a file nor a folder", path,
                       nd_file_kind(info.st_mode));
    }
    const char *slash = strrchr(path, '/');
    const size_t root = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    return add_file(list, path, root, &info, collection);
}

/* ---- standard input */

/* It can be read only once, and a person at a terminal has not meant to type a crawl. */
static nd_status take_stdin(nd_input_list *list) {
    if (list->takes_stdin) {
        return nd_fail(ND_ERR_USAGE, "-: standard input can be read only once");
    }
    if (isatty(STDIN_FILENO)) {
        return nd_fail(ND_ERR_USAGE, "-: standard input is a terminal: send the pages through a "
                                     "pipe, as in zcat FILE.jsonl.gz | neardup ...");
    }
    list->takes_stdin = true;
    return ND_OK;
}

static nd_status add_stdin(nd_input_list *list, const char *collection) {
    nd_status st = ND_OK;
    nd_input input = {.standard_input = true};
    ND_TRY(take_stdin(list));
    ND_TRY(find_collection(list, collection, &input.collection));
    ND_TRY(nd_input_url(collection[0] != '\0' ? collection : "-", "-", &input.url));
    ND_TRY(nd_input_copy_text("-", 1, &input.path));
    ND_TRY(nd_grow(&list->inputs, &list->capacity, list->count + 1, sizeof *list->inputs));
    list->inputs[list->count++] = input;
    input = (nd_input){0};
out:
    free(input.path);
    free(input.url);
    return st;
}

const char *nd_input_file(const nd_input *input) {
    return input->copy != NULL ? input->copy : input->path;
}

nd_status nd_input_set_copy(nd_input *input, const char *path, uint64_t bytes) {
    free(input->copy);
    input->bytes = bytes;
    return nd_input_copy_text(path, strlen(path), &input->copy);
}

/* ---- words */

static nd_status add_glob(nd_input_list *list, const char *pattern, const char *collection) {
    nd_status st = ND_OK;
    glob_t matches = {0};
    const int result = glob(pattern, 0, NULL, &matches);
    if (result != 0) {
        st = nd_fail(result == GLOB_NOSPACE ? ND_ERR_MEMORY : ND_ERR_IO,
                     "%s: no such input: no file or folder of that name", pattern);
        goto out;
    }
    for (size_t i = 0; i < matches.gl_pathc; i++) {
        ND_TRY(add_path(list, matches.gl_pathv[i], collection));
    }
out:
    globfree(&matches);
    return st;
}

static char *trim_line(char *line) {
    size_t size = strlen(line);
    while (size > 0 && isspace((unsigned char)line[size - 1])) {
        line[--size] = '\0';
    }
    while (isspace((unsigned char)*line)) {
        line++;
    }
    return line;
}

static nd_status add_list(nd_input_list *list, const char *path, const char *collection,
                          int depth) {
    nd_status st = ND_OK;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = NULL;
    int descriptor = -1;
    struct stat info;
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    if (strcmp(path, "-") == 0) {
        ND_TRY(take_stdin(list));
        file = stdin;
    } else {
        ND_TRY(nd_foreign_file_open(path, &descriptor, &info));
        file = fdopen(descriptor, "r");
    }
    if (file == NULL) {
        (void)close(descriptor);
        st = nd_fail(ND_ERR_MEMORY, "out of memory: the list of inputs %s", path);
        goto out;
    }
    if (depth >= LIST_DEPTH) {
        st = nd_fail(ND_ERR_USAGE, "%s: lists of inputs that name each other in a circle", path);
        goto out;
    }
    ND_TRY(nd_fault(ND_FAULT_INPUT_READ));
    while (getline(&line, &capacity, file) >= 0) {
        const char *word = trim_line(line);
        if (*word != '\0' && *word != '#') {
            ND_TRY(resolve_word(list, word, collection, depth + 1));
        }
    }
    if (ferror(file)) {
        st = nd_fail(ND_ERR_IO, "%s: the list of inputs cannot be read", path);
    }
out:
    free(line);
    if (file != NULL && file != stdin) {
        (void)fclose(file);
    }
    return st;
}

static nd_status resolve_word(nd_input_list *list, const char *word, const char *collection,
                              int depth) {
    nd_status st = ND_OK;
    struct stat info;
    char *name = NULL;
    const size_t before = list->count;
    const char *input = word;
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.-");
    if (length > 0 && word[length] == '=' && stat(word, &info) != 0) { /* NAME=INPUT, and no path */
        ND_TRY(nd_input_copy_text(word, length, &name));
        collection = name;
        input = word + length + 1;
    }
    if (input[0] == '@') {
        ND_TRY(add_list(list, input + 1, collection, depth));
    } else if (strcmp(input, "-") == 0) {
        ND_TRY(add_stdin(list, collection));
    } else if (stat(input, &info) == 0) {
        ND_TRY(add_path(list, input, collection));
    } else {
        ND_TRY(add_glob(list, input, collection));
    }
    if (list->count == before) {
        st = nd_fail(
            ND_ERR_IO,
            "%s: holds no input files (in a folder: .html, .htm, .xhtml, .txt, .wacz, and .warc, "
            ".arc, .wet, .jsonl, .ndjson, .json, plain or with .gz or .zst)",
            word);
    }
out:
    free(name);
    return st;
}

/* ---- the whole list */

static int compare_inputs(const void *a, const void *b) {
    const nd_input *left = a;
    const nd_input *right = b;
    const int by_path = strcmp(left->path, right->path);
    if (by_path != 0) {
        return by_path;
    }
    if (left->collection != right->collection) {
        return left->collection < right->collection ? -1 : 1;
    }
    return strcmp(left->url, right->url); /* so that which one stays does not depend on chance */
}

static void free_input(nd_input *input) {
    free(input->path);
    free(input->copy);
    free(input->url);
}

/* Leave out those with a mark. */
static void drop_marked(nd_input_list *list, const bool *marks) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (marks[i]) {
            free_input(&list->inputs[i]);
        } else {
            list->inputs[kept++] = list->inputs[i];
        }
    }
    list->repeated += list->count - kept;
    list->count = kept;
}

/* What an input is known by, and where it stands. */
typedef struct identity {
    uint64_t high, low, begin;
    uint64_t collection, place;
} identity;

static int compare_identities(const void *a, const void *b) {
    const identity *x = a;
    const identity *y = b;
    const uint64_t of_x[] = {x->high, x->low, x->begin, x->collection, x->place};
    const uint64_t of_y[] = {y->high, y->low, y->begin, y->collection, y->place};
    int order = 0;
    for (int i = 0; i < 5 && order == 0; i++) {
        order = (of_x[i] > of_y[i]) - (of_x[i] < of_y[i]);
    }
    return order;
}

static size_t equal_from(const identity *all, size_t begin, size_t count) {
    size_t end = begin + 1;
    while (end < count && all[end].high == all[begin].high && all[end].low == all[begin].low &&
           all[end].begin == all[begin].begin) {
        end++;
    }
    return end;
}

/* Of equal identities, in order, those in the collection of an earlier one. */
static void mark_repeats(const identity *equal, size_t count, bool *repeats) {
    for (size_t i = 1; i < count; i++) {
        repeats[equal[i].place] = equal[i].collection == equal[i - 1].collection;
    }
}

/* Give inputs that are one file the first of their paths. */
static nd_status share_path(nd_input_list *list, const identity *equal, size_t count) {
    nd_status st = ND_OK;
    uint64_t first = equal[0].place;
    for (size_t i = 1; i < count; i++) {
        first = nd_min(first, equal[i].place);
    }
    for (size_t i = 0; i < count; i++) {
        nd_input *input = &list->inputs[equal[i].place];
        if (equal[i].place != first) {
            free(input->path);
            input->path = NULL;
            ND_TRY(nd_input_copy_text(list->inputs[first].path, strlen(list->inputs[first].path),
                                      &input->path));
        }
    }
out:
    return st;
}

/* Sort, and give a file that is there twice one path; in one collection one place, too. */
static nd_status sort_inputs(nd_input_list *list) {
    nd_status st = ND_OK;
    identity *all = NULL;
    bool *repeats = NULL;
    if (list->count == 0) {
        return ND_OK;
    }
    nd_sort(list->inputs, list->count, sizeof *list->inputs, compare_inputs);
    ND_TRY(nd_new(&all, list->count, sizeof *all));
    ND_TRY(nd_new(&repeats, list->count, sizeof *repeats));
    for (size_t i = 0; i < list->count; i++) {
        const nd_input *input = &list->inputs[i];
        all[i] = (identity){input->device, input->inode, input->begin, input->collection, i};
    }
    nd_sort(all, list->count, sizeof *all, compare_identities);
    for (size_t begin = 0, end = 0; begin < list->count; begin = end) {
        end = equal_from(all, begin, list->count);
        mark_repeats(all + begin, end - begin, repeats);
        ND_TRY(share_path(list, all + begin, end - begin));
    }
    drop_marked(list, repeats);
    nd_sort(list->inputs, list->count, sizeof *list->inputs, compare_inputs);
out:
    free(all);
    free(repeats);
    return st;
}

/* ---- copies */

static nd_status hash_file(const char *path, XXH128_hash_t *hash) {
    nd_status st = ND_OK;
    nd_file_window file = {.descriptor = -1};
    nd_span bytes = {0};
    XXH3_state_t *state = XXH3_createState();
    ND_TRY(state == NULL ? nd_fail(ND_ERR_MEMORY, "out of memory: the checksum of %s", path)
                         : ND_OK);
    (void)XXH3_128bits_reset(state);
    ND_TRY(nd_file_window_open(&file, path));
    for (uint64_t offset = 0; offset < file.file_bytes; offset += bytes.size) {
        ND_TRY(nd_file_window_at(&file, offset, 1 << 20, &bytes));
        if (bytes.size == 0) {
            break; /* it has become shorter */
        }
        (void)XXH3_128bits_update(state, bytes.data, bytes.size);
    }
    *hash = XXH3_128bits_digest(state);
out:
    nd_file_window_close(&file);
    (void)XXH3_freeState(state);
    return st;
}

nd_status nd_input_list_skip_copies(nd_input_list *list) {
    nd_status st = ND_OK;
    identity *all = NULL;
    bool *repeats = NULL;
    ND_TRY(nd_new(&all, list->count, sizeof *all));
    ND_TRY(nd_new(&repeats, list->count, sizeof *repeats));
    for (size_t i = 0; i < list->count; i++) {
        all[i] = (identity){list->inputs[i].bytes, 0, 0, list->inputs[i].collection, i};
    }
    nd_sort(all, list->count, sizeof *all, compare_identities);
    for (size_t begin = 0, end = 0; begin < list->count; begin = end) {
        end = equal_from(all, begin, list->count);
        if (end - begin == 1 || all[begin].high == 0) {
            continue;
        }
        for (size_t i = begin; i < end; i++) { /* those of one size, now by their bytes */
            XXH128_hash_t hash;
            ND_TRY(hash_file(list->inputs[all[i].place].path, &hash));
            all[i].high = hash.high64;
            all[i].low = hash.low64;
        }
        nd_sort(all + begin, end - begin, sizeof *all, compare_identities);
        for (size_t first = begin, next = begin; first < end; first = next) {
            next = equal_from(all, first, end);
            mark_repeats(all + first, next - first, repeats);
        }
    }
    drop_marked(list, repeats);
out:
    free(all);
    free(repeats);
    return st;
}

/* ---- all of it */

nd_status nd_input_list_resolve(nd_input_list *list, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    *list = (nd_input_list){0};
    for (size_t i = 0; i < count; i++) {
        ND_TRY(resolve_word(list, words[i], "", 0));
    }
    ND_TRY(sort_inputs(list));
out:
    if (st != ND_OK) {
        nd_input_list_free(list);
    }
    return st;
}

void nd_input_list_free(nd_input_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free_input(&list->inputs[i]);
    }
    for (size_t i = 0; i < list->collection_count; i++) {
        free(list->collections[i]);
    }
    free(list->inputs);
    free(list->collections);
    *list = (nd_input_list){0};
}
