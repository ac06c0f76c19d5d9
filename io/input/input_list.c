#include "io/input/input_list.h"

#include "io/input/file_window.h"
#include "io/input/sniff.h"
#include "io/store/foreign_file.h"
#include "src/base/fault.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <xxhash.h>

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
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== names */

/* ---- texts */

enum { BLOCK_BYTES = 64 << 10 };

void nd_texts_take(nd_texts *texts, char *block, size_t bytes) {
    nd_grow(&texts->blocks, &texts->capacity, texts->count + 1, sizeof *texts->blocks);
    texts->blocks[texts->count++] = block;
    texts->left = 0;
    texts->bytes += bytes;
}

nd_status nd_texts_keep(nd_texts *texts, const char *text, size_t size, char **out) {
    nd_status st = ND_OK;
    char *block = NULL;
    ND_TRY(nd_fault_if_tight(ND_FAULT_MEMORY));
    if (size >= texts->left) {
        const size_t room = size >= BLOCK_BYTES ? size + 1 : BLOCK_BYTES;
        nd_new_room(&block, room, 1);
        nd_texts_take(texts, block, room);
        texts->end = block;
        texts->left = room;
        block = NULL;
    }
    *out = texts->end;
    memcpy(texts->end, text, size);
    texts->end[size] = '\0';
    texts->end += size + 1;
    texts->left -= size + 1;
out:
    free(block);
    return st;
}

void nd_texts_free(nd_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->blocks[i]);
    }
    free(texts->blocks);
    *texts = (nd_texts){0};
}

/* ---- paths */

/* "./a//b/./c" is "a/b/c": one file has one spelling, as far as the words themselves show. */
void nd_input_tidy_path(char *path) {
    char *to = path;
    for (const char *from = path; *from != '\0';) {
        const bool at_name = from == path || from[-1] == '/';
        if (at_name && from[0] == '.' && from[1] == '/' && (from[2] != '\0' || from != path)) {
            from += 2;
        } else if (at_name && from[0] == '/' && from != path) {
            from++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

void nd_input_tidy_folder(char *path) {
    nd_input_tidy_path(path);
    size_t size = strlen(path);
    if (size > 1 && path[size - 1] == '.' && path[size - 2] == '/') { /* "a/." */
        path[--size] = '\0';
    }
    if (size > 1 && path[size - 1] == '/') {
        path[--size] = '\0';
    }
    if (strcmp(path, ".") == 0) {
        path[0] = '\0';
    }
}

void nd_input_cut_to_folder(char *path) {
    char *slash = strrchr(path, '/');
    path[slash == NULL ? 0 : slash == path ? 1 : slash - path] = '\0';
}

void nd_input_cut_to_common(char *folder, const char *other) {
    size_t common = 0;
    for (size_t i = 0; folder[0] != '\0' && other[0] != '\0'; i++) {
        const bool ends = folder[i] == '\0' || folder[i] == '/';
        if (ends && (other[i] == '\0' || other[i] == '/')) {
            common = i;
        }
        if (folder[i] != other[i] || folder[i] == '\0') {
            break;
        }
    }
    folder[common == 0 && folder[0] == '/' && other[0] == '/' ? 1 : common] = '\0';
}

const char *nd_input_after_folder(const char *path, const char *folder) {
    path += strlen(folder);
    return path + (folder[0] != '\0' && *path == '/');
}

/* ---- names */

nd_status nd_input_folder_name(nd_texts *texts, const char *path, char **out) {
    char *real = realpath(path[0] == '\0' ? "." : path, NULL);
    const char *slash = real != NULL ? strrchr(real, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    const nd_status st = nd_texts_keep(texts, name, strlen(name), out);
    free(real);
    return st;
}

void nd_input_append_url(nd_buffer *url, const char *name, const char *relative) {
    const char *const parts[] = {name, "/", relative};
    nd_buffer_append_text(url, "file://");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *at = parts[i]; *at != '\0'; at++) {
            /* %00 to %20, and %25 */
            const bool code = at[0] == '%' && (((at[1] == '0' || at[1] == '1') && at[2] != '\0') ||
                                               (at[1] == '2' && (at[2] == '0' || at[2] == '5')));
            char text[4];
            (void)snprintf(text, sizeof text, "%%%02X", (unsigned char)*at);
            if ((unsigned char)*at <= ' ' || code) {
                nd_buffer_append_text(url, text);
            } else {
                nd_buffer_append(url, at, 1);
            }
        }
    }
    nd_buffer_append(url, "", 1);
}

/* ==== files of one content */

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
    /* so that which one stays does not depend on the order of the words */
    const int by_name = strcmp(left->named, right->named);
    return by_name != 0 ? by_name : (left->root > right->root) - (left->root < right->root);
}

/* Leave out those with a mark. */
static void drop_marked(nd_input_list *list, const bool *marks) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!marks[i]) {
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
static void share_path(nd_input_list *list, const identity *equal, size_t count) {
    uint64_t first = equal[0].place;
    for (size_t i = 1; i < count; i++) {
        first = nd_min(first, equal[i].place);
    }
    for (size_t i = 0; i < count; i++) {
        list->inputs[equal[i].place].path = list->inputs[first].path;
    }
}

/* The last step of resolving: sort, and give a file that is there twice one path, and in one
 * collection one place. */
static void input_list_sort(nd_input_list *list) {
    identity *all = NULL;
    bool *repeats = NULL;
    if (list->count == 0) {
        return;
    }
    nd_sort(list->inputs, list->count, sizeof *list->inputs, compare_inputs);
    nd_new(&all, list->count, sizeof *all);
    nd_new(&repeats, list->count, sizeof *repeats);
    for (size_t i = 0; i < list->count; i++) {
        const nd_input *input = &list->inputs[i];
        all[i] = (identity){input->device, input->is.inode, input->begin, input->collection, i};
    }
    nd_sort(all, list->count, sizeof *all, compare_identities);
    for (size_t begin = 0, end = 0; begin < list->count; begin = end) {
        end = equal_from(all, begin, list->count);
        mark_repeats(all + begin, end - begin, repeats);
        share_path(list, all + begin, end - begin);
    }
    drop_marked(list, repeats);
    nd_sort(list->inputs, list->count, sizeof *list->inputs, compare_inputs);
    free(all);
    free(repeats);
}

/* ---- copies */

static nd_status hash_file(const char *path, uint64_t seed, XXH128_hash_t *hash) {
    nd_status st = ND_OK;
    nd_file_window file = {.descriptor = -1};
    nd_span bytes = {0};
    XXH3_state_t *state = XXH3_createState();
    ND_TRY(state == NULL ? nd_fail(ND_ERR_MEMORY, "out of memory: the checksum of %s", path)
                         : ND_OK);
    (void)XXH3_128bits_reset_withSeed(state, seed);
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
    uint64_t seed = 0; /* that nobody knows: else a file might be made that another counts as */
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        seed = (uint64_t)(uintptr_t)&seed; /* still unlike at each run */
    }
    nd_new(&all, list->count, sizeof *all);
    nd_new(&repeats, list->count, sizeof *repeats);
    for (size_t i = 0; i < list->count; i++) {
        all[i] = (identity){list->inputs[i].is.bytes, 0, 0, list->inputs[i].collection, i};
    }
    nd_sort(all, list->count, sizeof *all, compare_identities);
    for (size_t begin = 0, end = 0; begin < list->count; begin = end) {
        end = equal_from(all, begin, list->count);
        if (end - begin == 1 || all[begin].high == 0) {
            continue;
        }
        for (size_t i = begin; i < end; i++) { /* those of one size, now by their bytes */
            XXH128_hash_t hash;
            ND_TRY(hash_file(list->inputs[all[i].place].path, seed, &hash));
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

/* ---- a number of its bytes */

enum { BLOCKS = 16 };

/* \return bytes read; fewer than wanted where the file ends, or cannot be read */
static size_t read_block(int descriptor, off_t begin, uint8_t *to, size_t want) {
    size_t size = 0;
    ssize_t got = 1;
    while (size < want && got > 0) {
        got = pread(descriptor, to + size, want - size, begin + (off_t)size);
        size += got > 0 ? (size_t)got : 0;
    }
    return size;
}

nd_status nd_input_number(const char *path, nd_buffer *scratch, uint64_t *number) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat info;
    *number = 0;
    st = nd_foreign_file_open(path, &descriptor, &info);
    if (st == ND_ERR_INPUT) { /* whoever reads it will say so */
        return ND_OK;
    }
    ND_TRY(st);
    scratch->size = 0;
    nd_buffer_reserve(scratch, BLOCK_BYTES);
    const uint64_t bytes = (uint64_t)info.st_size;
    const off_t begin = lseek(descriptor, 0, SEEK_CUR); /* of a part of a WACZ */
    const uint64_t beyond = bytes - nd_min(bytes, (uint64_t)BLOCKS * BLOCK_BYTES);
    uint64_t hash = nd_mix64(bytes);
    for (uint64_t i = 0, at = 0; i < BLOCKS && at < bytes; i++) {
        const size_t want = (size_t)nd_min(BLOCK_BYTES, bytes - at);
        const size_t got = read_block(descriptor, begin + (off_t)at, scratch->data, want);
        hash = nd_xxh3_64((nd_span){scratch->data, got}, hash);
        at = (i + 1) * BLOCK_BYTES + beyond * (i + 1) / (BLOCKS - 1);
    }
    *number = nd_mix64(hash);
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

uint64_t nd_input_seed(uint64_t sum) {
    enum { DROPPED_BITS = 64 - 53 };
    return nd_max(1, nd_mix64(sum) >> DROPPED_BITS);
}

/* ==== the list */

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
    nd_grow(&list->collections, &list->collection_capacity, list->collection_count + 1,
            sizeof *list->collections);
    ND_TRY(nd_texts_keep(&list->texts, name, strlen(name),
                         &list->collections[list->collection_count]));
    *index = (uint32_t)list->collection_count++;
out:
    return st;
}

/* \param[in] name    NULL: the folder's own, once it is known which that is
 * \param[in] folder  tidy */
static nd_status add_root(nd_input_list *list, uint32_t collection, const char *name,
                          const char *folder, uint32_t *index) {
    nd_status st = ND_OK;
    nd_input_root root = {.collection = collection};
    ND_TRY(nd_texts_keep(&list->texts, folder, strlen(folder), &root.folder));
    if (name != NULL) {
        ND_TRY(nd_texts_keep(&list->texts, name, strlen(name), &root.name));
    }
    nd_grow(&list->roots, &list->root_capacity, list->root_count + 1, sizeof *list->roots);
    *index = (uint32_t)list->root_count;
    list->roots[list->root_count++] = root;
out:
    return st;
}

/* To what the URLs of an INPUT's page files are relative: the inputs of a NAME have one folder, and
 * so have the files that are named without one; a folder without a NAME is one of its own.
 * \param[in] path  of the INPUT, as it was given */
static nd_status find_root(nd_input_list *list, const char *path, bool is_folder,
                           const char *collection, uint32_t *index) {
    nd_status st = ND_OK;
    nd_buffer folder = {0};
    uint32_t of = 0;
    ND_TRY(find_collection(list, collection, &of));
    nd_buffer_append(&folder, path, strlen(path) + 1);
    char *text = (char *)folder.data;
    if (is_folder) {
        nd_input_tidy_folder(text);
    } else {
        nd_input_tidy_path(text);
        nd_input_cut_to_folder(text);
    }
    const bool named = collection[0] != '\0';
    size_t i = is_folder && !named ? list->root_count : 0;
    while (i < list->root_count &&
           (list->roots[i].collection != of || (list->roots[i].name != NULL) != named)) {
        i++;
    }
    if (i < list->root_count) {
        nd_input_cut_to_common(list->roots[i].folder, text);
        *index = (uint32_t)i;
        goto out;
    }
    ND_TRY(add_root(list, of, named ? collection : NULL, text, index));
    if (is_folder && !named) {
        ND_TRY(nd_input_folder_name(&list->texts, text, &list->roots[*index].name));
    }
out:
    nd_buffer_free(&folder);
    return st;
}

static int compare_roots(const void *a, const void *b) {
    const nd_input_root *const *left = a;
    const nd_input_root *const *right = b;
    if ((*left)->collection != (*right)->collection) {
        return (*left)->collection < (*right)->collection ? -1 : 1;
    }
    return strcmp((*left)->name, (*right)->name);
}

/* All roots have names; those of one name in a collection become one, and their order is that of
 * the names. */
static nd_status join_roots(nd_input_list *list) {
    nd_status st = ND_OK;
    nd_input_root **sorted = NULL;
    nd_input_root *joined = NULL;
    uint32_t *numbers = NULL; /* of each root, what it becomes */
    uint32_t count = 0;
    nd_new(&sorted, list->root_count, sizeof *sorted);
    nd_new(&joined, list->root_count, sizeof *joined);
    nd_new(&numbers, list->root_count, sizeof *numbers);
    for (size_t i = 0; i < list->root_count; i++) {
        nd_input_root *root = &list->roots[i];
        sorted[i] = root;
        if (root->name == NULL) {
            ND_TRY(nd_input_folder_name(&list->texts, root->folder, &root->name));
        }
    }
    nd_sort(sorted, list->root_count, sizeof *sorted, compare_roots);
    for (size_t i = 0; i < list->root_count; i++) {
        if (i > 0 && compare_roots(&sorted[i - 1], &sorted[i]) == 0) {
            nd_input_cut_to_common(joined[count - 1].folder, sorted[i]->folder);
        } else {
            joined[count++] = *sorted[i];
        }
        numbers[sorted[i] - list->roots] = count - 1;
    }
    for (size_t i = 0; i < list->count; i++) {
        list->inputs[i].root = numbers[list->inputs[i].root];
    }
    free(list->roots);
    list->roots = joined;
    list->root_count = list->root_capacity = count;
    joined = NULL;
out:
    free(sorted);
    free(joined);
    free(numbers);
    return st;
}

void nd_input_url(const nd_input_list *list, const nd_input *input, nd_buffer *url) {
    const nd_input_root *root = &list->roots[input->root];
    url->size = 0;
    nd_input_append_url(url, root->name, nd_input_after_folder(input->named, root->folder));
}

/* ---- adding files */

static void keep_input(nd_input_list *list, const nd_input *input) {
    nd_grow(&list->inputs, &list->capacity, list->count + 1, sizeof *list->inputs);
    list->inputs[list->count++] = *input;
}

/* \param[in] part  of the file, which is a WACZ; NULL: the file is the input */
static nd_status add_input(nd_input_list *list, const char *path, const struct stat *info,
                           const nd_wacz_part *part, uint32_t root) {
    nd_status st = ND_OK;
    nd_buffer name = {0};
    nd_input input = {.is = nd_file_identity_of(info),
                      .device = (uint64_t)info->st_dev,
                      .begin = part != NULL ? part->begin : 0,
                      .collection = list->roots[root].collection,
                      .root = root};
    if (part != NULL) {
        input.is.bytes = part->bytes;
        nd_buffer_append(&name, path, strlen(path) + 1);
        nd_input_tidy_path((char *)name.data);
        name.size = strlen((char *)name.data);
        nd_buffer_append_text(&name, "#");
        nd_buffer_append(&name, part->name, strlen(part->name) + 1);
        path = (const char *)name.data;
    }
    ND_TRY(nd_texts_keep(&list->texts, path, strlen(path), &input.path));
    if (part == NULL) {
        nd_input_tidy_path(input.path);
    }
    input.named = input.path;
    keep_input(list, &input);
out:
    nd_buffer_free(&name);
    return st;
}

/* A file, or the WARCs in it. A WACZ that cannot be used is one input, which whoever opens it finds
 * to be damaged. */
static nd_status add_file(nd_input_list *list, const char *path, const struct stat *info,
                          uint32_t root) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat opened;
    nd_wacz wacz = {0};
    if (!nd_wacz_is(path)) {
        return add_input(list, path, info, NULL, root);
    }
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    st = nd_foreign_file_open(path, &descriptor, &opened);
    st = st != ND_OK ? st : nd_wacz_read(path, descriptor, (uint64_t)opened.st_size, &wacz);
    if (st == ND_ERR_INPUT) {
        char folder[] = "archive/";
        const nd_wacz_part any = {.name = folder};
        st = add_input(list, path, info, &any, root);
        goto out;
    }
    for (size_t i = 0; st == ND_OK && i < wacz.count; i++) {
        st = add_input(list, path, &opened, &wacz.parts[i], root);
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
    nd_buffer name = {0};
    FTS *walk = NULL;
    uint32_t root = 0;
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    ND_TRY(find_root(list, path, true, collection, &root));
    nd_buffer_append(&name, path, strlen(path) + 1);
    char *const folders[] = {(char *)name.data, NULL};
    walk = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
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
        case FTS_SLNONE: /* a link to nothing is an input that will be missed when it is opened */
            entry->fts_statp->st_size = 0;
            /* fall through */
        case FTS_F:
            if (walk_takes(entry->fts_name)) {
                ND_TRY(add_file(list, entry->fts_path, entry->fts_statp, root));
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
    nd_buffer_free(&name);
    return st;
}

static nd_status add_path(nd_input_list *list, const char *path, const struct stat *info,
                          const char *collection) {
    nd_status st = nd_fault(ND_FAULT_INPUT_OPEN);
    uint32_t root = 0;
    if (st != ND_OK) {
        return st;
    }
    if (S_ISDIR(info->st_mode)) {
        return walk_folder(list, path, collection);
    }
    if (!S_ISREG(info->st_mode)) {
        return nd_fail(ND_ERR_IO, "%s: is %s, neither a file nor a folder", path,
                       nd_file_kind(info->st_mode));
    }
    ND_TRY(find_root(list, path, false, collection, &root));
    ND_TRY(add_file(list, path, info, root));
out:
    return st;
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
    ND_TRY(add_root(list, input.collection, collection[0] != '\0' ? collection : "-", "",
                    &input.root));
    ND_TRY(nd_texts_keep(&list->texts, "-", 1, &input.path));
    input.named = input.path;
    keep_input(list, &input);
out:
    return st;
}

const char *nd_input_file(const nd_input *input) {
    return input->copy != NULL ? input->copy : input->path;
}

nd_status nd_input_set_copy(nd_input_list *list, nd_input *input, const char *path,
                            const nd_file_identity *is) {
    input->is = *is;
    return nd_texts_keep(&list->texts, path, strlen(path), &input->copy);
}

/* ---- words */

static nd_status add_glob(nd_input_list *list, const char *pattern, const char *collection) {
    nd_status st = ND_OK;
    glob_t matches = {0};
    const int result = glob(pattern, 0, NULL, &matches);
    if (result != 0) {
        const bool named = pattern[strcspn(pattern, "=/")] == '='; /* but by no NAME */
        st = nd_fail(result == GLOB_NOSPACE ? ND_ERR_MEMORY : ND_ERR_IO,
                     "%s: no such input: no file or folder of that name%s", pattern,
                     named ? " (NAME of NAME=INPUT has letters, digits and . _ - alone)" : "");
        goto out;
    }
    for (size_t i = 0; i < matches.gl_pathc; i++) {
        struct stat info;
        const char *path = matches.gl_pathv[i];
        ND_TRY(stat(path, &info) == 0
                   ? ND_OK
                   : nd_fail(ND_ERR_IO, "%s: no such input: %s", path, strerror(errno)));
        ND_TRY(add_path(list, path, &info, collection));
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
    for (bool first = true; getline(&line, &capacity, file) >= 0; first = false) {
        const nd_span text = {(const uint8_t *)line, strlen(line)};
        const size_t mark = first ? text.size - nd_sniff_after_mark(text).size : 0;
        const char *word = trim_line(line + mark);
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
        nd_new(&name, length + 1, 1);
        memcpy(name, word, length);
        collection = name;
        input = word + length + 1;
    }
    if (input[0] == '@') {
        ND_TRY(add_list(list, input + 1, collection, depth));
    } else if (strcmp(input, "-") == 0) {
        ND_TRY(add_stdin(list, collection));
    } else if (stat(input, &info) == 0) {
        ND_TRY(add_path(list, input, &info, collection));
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

/* ---- all of it */

nd_status nd_input_list_resolve(nd_input_list *list, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    *list = (nd_input_list){0};
    for (size_t i = 0; i < count; i++) {
        ND_TRY(resolve_word(list, words[i], "", 0));
    }
    ND_TRY(join_roots(list));
    input_list_sort(list);
out:
    if (st != ND_OK) {
        nd_input_list_free(list);
    }
    return st;
}

uint64_t nd_input_list_bytes(const nd_input_list *list) {
    return list->count * sizeof *list->inputs + list->texts.bytes;
}

void nd_input_list_free(nd_input_list *list) {
    nd_texts_free(&list->texts);
    free(list->roots);
    free(list->inputs);
    free(list->collections);
    *list = (nd_input_list){0};
}
