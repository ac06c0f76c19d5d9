/* Which inputs are one file, or have the same bytes; each is kept once in a collection. What their
 * bytes come to as a number. */
#include "io/input/file_window.h"
#include "io/input/input_list.h"
#include "io/store/foreign_file.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <xxhash.h>

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

void nd_input_list_sort(nd_input_list *list) {
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

enum { BLOCKS = 16, BLOCK_BYTES = 64 << 10 };

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
