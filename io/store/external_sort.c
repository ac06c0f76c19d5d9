#include "io/store/external_sort.h"

#include "io/store/spool.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <zstd.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== records */

enum {
    LEAST_MEMORY = 256 << 10,
    SPOOL_MEMORY = 64 << 10, /* runs are longer as a rule and go to the file as they are */
    SORT_MEMORY = 48 << 10,  /* small change */
    RUN_MEMORY = 32,         /* what an allocator adds to the window of a run */
    /* windows beyond this no longer make the reading faster */
    MOST_WINDOW = 4 << 20,
    LARGE_RECORD = 64, /* bytes from which moving a record costs more than finding it later */
    MOST_BLOCK = 4 << 20
};

#define NO_RUN SIZE_MAX

void nd_external_sort_open(nd_external_sort *sort, nd_spool_folder *folder, size_t record_size,
                           const nd_record_order *order, uint64_t memory) {
    ND_ASSERT(record_size > 0, record_size, memory);
    memory = nd_max(memory, LEAST_MEMORY);
    const bool by_places =
        record_size >= LARGE_RECORD && order->word_count == 1 && order->compare == NULL;
    /* beside each record as much again for sorting, of what is moved then, and what an allocator
     * may add to blocks */
    const uint64_t taken =
        by_places ? record_size + record_size / 64 + 2 * sizeof(nd_key_value) : 2 * record_size;
    const uint64_t run =
        nd_min((memory - SPOOL_MEMORY - SORT_MEMORY) / taken, SIZE_MAX / record_size);
    const size_t run_records = (size_t)nd_max(run, 1);
    *sort = (nd_external_sort){.record_size = record_size,
                               .order = order,
                               .memory = memory,
                               .by_places = by_places,
                               .block_records =
                                   (size_t)nd_min(nd_max(MOST_BLOCK / record_size, 1), run_records),
                               .run_records = run_records};
    nd_spool_open(&sort->spool, folder, SPOOL_MEMORY);
}

void nd_external_sort_drop_repeats(nd_external_sort *sort, nd_repeats *repeats) {
    sort->repeats = sort->by_places ? NULL : repeats; /* those records stay where they are */
}

void nd_external_sort_pack(nd_external_sort *sort) {
    enum { CHUNK = 128 << 10, TAKEN = 1 << 20 }; /* larger chunks hardly gain */
    if (sort->memory < ND_SORT_PACKS) {
        return; /* no room for what packs them */
    }
    const double share = 1 - (double)TAKEN / (double)sort->memory;
    sort->run_records = (size_t)nd_max((uint64_t)((double)sort->run_records * share), 1);
    sort->block_records = (size_t)nd_min(sort->block_records, sort->run_records);
    sort->chunk_records = (size_t)nd_max(CHUNK / sort->record_size, 1);
}

/* ---- runs */

static uint8_t *held_record(const nd_external_sort *sort, size_t number) {
    return sort->by_places ? sort->blocks[number / sort->block_records] +
                                 number % sort->block_records * sort->record_size
                           : sort->records + number * sort->record_size;
}

static void sort_held(nd_external_sort *sort) {
    if (!sort->by_places) {
        nd_record_sort(sort->records, sort->held, sort->record_size, sort->order);
        return;
    }
    free(sort->places);
    sort->places = NULL;
    nd_new_room(&sort->places, sort->held, sizeof *sort->places);
    for (size_t i = 0; i < sort->held; i++) {
        sort->places[i] =
            (nd_key_value){nd_record_word(held_record(sort, i), sort->order->words[0]), i};
    }
    nd_radix_sort(sort->places, sort->held);
}

/* What stands before a chunk in the spool. */
typedef struct chunk_head {
    uint32_t size, packed;
} chunk_head;

/* Append records, one after the other, as one packed chunk. */
static nd_status write_chunk(nd_external_sort *sort, ZSTD_CCtx *zstd, const nd_buffer *chunk,
                             nd_buffer *packed) {
    enum { LEVEL = -1 }; /* from level 1 on it takes twice as long, and gains a hundredth */
    nd_status st = ND_OK;
    const size_t room = ZSTD_compressBound(chunk->size);
    packed->size = 0;
    nd_buffer_reserve(packed, room);
    const size_t size =
        ZSTD_compressCCtx(zstd, packed->data, room, chunk->data, chunk->size, LEVEL);
    if (ZSTD_isError(size)) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a zstd encoder");
        goto out;
    }
    const chunk_head head = {(uint32_t)chunk->size, (uint32_t)size};
    ND_TRY(nd_spool_append(&sort->spool, &head, sizeof head));
    ND_TRY(nd_spool_append(&sort->spool, packed->data, size));
out:
    return st;
}

static nd_status write_packed_run(nd_external_sort *sort) {
    nd_status st = ND_OK;
    nd_buffer chunk = {0};
    nd_buffer packed = {0};
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    const uint64_t begin = sort->spool.size;
    if (zstd == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a zstd encoder");
        goto out;
    }
    for (size_t i = 0; i < sort->held; i++) {
        const size_t number = sort->by_places ? (size_t)sort->places[i].value : i;
        nd_buffer_append(&chunk, held_record(sort, number), sort->record_size);
        if (i + 1 == sort->held || chunk.size >= sort->chunk_records * sort->record_size) {
            ND_TRY(write_chunk(sort, zstd, &chunk, &packed));
            chunk.size = 0;
        }
    }
    nd_grow(&sort->packed, &sort->packed_capacity, sort->packed_count + 1, sizeof *sort->packed);
    sort->packed[sort->packed_count++] = (nd_key_value){begin, sort->spool.size};
out:
    (void)ZSTD_freeCCtx(zstd);
    nd_buffer_free(&chunk);
    nd_buffer_free(&packed);
    return st;
}

static nd_status write_run(nd_external_sort *sort) {
    nd_status st = ND_OK;
    sort_held(sort);
    if (sort->chunk_records > 0) {
        ND_TRY(write_packed_run(sort));
    } else if (!sort->by_places) {
        ND_TRY(nd_spool_append(&sort->spool, sort->records, sort->held * sort->record_size));
    }
    for (size_t i = 0; sort->chunk_records == 0 && sort->by_places && i < sort->held; i++) {
        ND_TRY(nd_spool_append(&sort->spool, held_record(sort, (size_t)sort->places[i].value),
                               sort->record_size));
    }
    sort->held = 0;
out:
    free(sort->places);
    sort->places = NULL;
    return st;
}

static void drop_repeats(nd_external_sort *sort) {
    size_t kept = 0;
    sort_held(sort);
    for (size_t i = 0; i < sort->held; i++) {
        const uint8_t *record = held_record(sort, i);
        if (kept > 0 && sort->repeats(record, held_record(sort, kept - 1))) {
            continue;
        }
        if (kept < i) {
            memcpy(held_record(sort, kept), record, sort->record_size);
        }
        kept++;
    }
    ND_ASSERT(kept <= sort->held && sort->held <= sort->count, kept, sort->held, sort->count);
    sort->count -= sort->held - kept;
    sort->held = kept;
    sort->sifted = kept > sort->run_records / 4 * 3;
}

/* Room for `need` records, one after the other or in blocks that stay where they are. */
static void make_room(nd_external_sort *sort, size_t need) {
    if (!sort->by_places) {
        nd_grow_within(&sort->records, &sort->capacity, need, sort->run_records, sort->record_size);
        return;
    }
    while (sort->capacity < need) {
        const size_t records =
            (size_t)nd_min(sort->run_records - sort->capacity, sort->block_records);
        nd_grow(&sort->blocks, &sort->block_capacity, sort->block_count + 1, sizeof *sort->blocks);
        nd_new_room(&sort->blocks[sort->block_count], records, sort->record_size);
        sort->block_count++;
        sort->capacity += records;
    }
}

nd_status nd_external_sort_add(nd_external_sort *sort, const void *records, uint64_t count) {
    nd_status st = ND_OK;
    const uint8_t *from = records;
    ND_ASSERT(sort->runs == NULL && sort->places == NULL && sort->next == 0, sort->run_count,
              sort->next); /* it is not finished */
    while (count > 0) {
        /* a full run is rid of its repeats first; if there were few it is filled up again and goes
         * to the spool */
        if (sort->held == sort->run_records && sort->repeats != NULL && !sort->sifted) {
            drop_repeats(sort);
        }
        if (sort->held == sort->run_records) {
            ND_TRY(write_run(sort));
            sort->sifted = false;
        }

        size_t fit = (size_t)nd_min(count, sort->run_records - sort->held);
        if (sort->by_places) { /* what lies in one block */
            fit = (size_t)nd_min(fit, sort->block_records - sort->held % sort->block_records);
        }
        make_room(sort, sort->held + fit);
        ND_ASSERT(fit > 0 && sort->held + fit <= sort->capacity, fit, sort->held, sort->capacity);
        memcpy(held_record(sort, sort->held), from, fit * sort->record_size);
        sort->held += fit;
        sort->count += fit;
        from += fit * sort->record_size;
        count -= fit;
    }
out:
    return st;
}

uint64_t nd_external_sort_count(const nd_external_sort *sort) {
    return sort->count;
}

/* ---- the merge: a tree of losers (Knuth, TAOCP 3, 5.4.1) */

/* The next chunk of a packed run. */
static nd_status read_chunk(const nd_external_sort *sort, nd_sorted_run *run) {
    nd_status st = ND_OK;
    const uint8_t *bytes = NULL;
    chunk_head head;
    run->record = run->end = NULL;
    if (run->place == run->last) {
        goto out;
    }
    ND_TRY(nd_spool_read(&sort->spool, run->place, sizeof head, &run->packed, &bytes));
    memcpy(&head, bytes, sizeof head);
    ND_TRY(
        nd_spool_read(&sort->spool, run->place + sizeof head, head.packed, &run->packed, &bytes));
    run->chunk.size = 0;
    nd_buffer_reserve(&run->chunk, head.size);
    if (ZSTD_decompress(run->chunk.data, head.size, bytes, head.packed) != head.size) {
        st = nd_fail(ND_ERR_IO, "%s: what was written there is damaged", sort->spool.path);
        goto out;
    }
    run->place += sizeof head + head.packed;
    run->record = run->chunk.data;
    run->end = run->record + head.size;
out:
    return st;
}

static nd_status read_window(const nd_external_sort *sort, nd_sorted_run *run) {
    const void *records = NULL;
    uint64_t count = 0;
    if (sort->packed != NULL) {
        return read_chunk(sort, run);
    }
    const nd_status st = nd_spool_reader_next(&run->reader, &records, &count);
    if (st == ND_OK) {
        run->record = count > 0 ? records : NULL;
        run->end = count > 0 ? run->record + count * run->reader.record_size : NULL;
    }
    return st;
}

/* Let a run play from its leaf up: losers stay, the winner goes on. While the tree is being filled,
 * the first to reach a node waits there for the second. */
static void play(nd_external_sort *sort, size_t run) {
    size_t winner = run;
    for (size_t node = (sort->run_count + run) / 2; node > 0; node /= 2) {
        const size_t other = sort->losers[node];
        if (other == NO_RUN) {
            sort->losers[node] = winner;
            return;
        }
        const void *left = sort->runs[other].record;
        const void *right = sort->runs[winner].record;
        /* a run without records comes last */
        if (left != NULL && (right == NULL || nd_record_precedes(sort->order, left, right))) {
            sort->losers[node] = winner;
            winner = other;
        }
    }
    sort->losers[0] = winner;
}

static nd_status start_merge(nd_external_sort *sort) {
    nd_status st = ND_OK;
    /* each run reads so many bytes at a time that all windows fit in the memory */
    const size_t fixed = sizeof *sort->runs + sizeof *sort->losers + RUN_MEMORY;
    const uint64_t share = (sort->memory - SPOOL_MEMORY) / sort->run_count;
    const size_t window = (size_t)nd_min(share > fixed ? share - fixed : 0, MOST_WINDOW);
    for (size_t i = 0; i < sort->run_count; i++) {
        const uint64_t begin = (uint64_t)i * sort->run_records;
        ND_ASSERT(begin < sort->count, begin, sort->count);
        const uint64_t end = begin + nd_min(sort->count - begin, sort->run_records);
        nd_spool_reader_close(&sort->runs[i].reader);
        if (sort->packed != NULL) {
            sort->runs[i].place = sort->packed[i].key;
            sort->runs[i].last = sort->packed[i].value;
        } else {
            nd_spool_reader_open(&sort->runs[i].reader, &sort->spool, sort->record_size, begin, end,
                                 window);
        }
        ND_TRY(read_window(sort, &sort->runs[i]));
        sort->losers[i] = NO_RUN;
    }
    for (size_t i = 0; i < sort->run_count; i++) {
        play(sort, i);
    }
out:
    return st;
}

void *nd_external_sort_records(const nd_external_sort *sort) {
    return sort->spool.size == 0 && !sort->by_places ? sort->records : NULL;
}

void nd_external_sort_cut(nd_external_sort *sort, uint64_t count) {
    ND_ASSERT(sort->spool.size == 0 && count <= sort->held, count, sort->held, sort->spool.size);
    sort->count = count;
    sort->held = (size_t)count;
}

static void free_held(nd_external_sort *sort) {
    for (size_t i = 0; i < sort->block_count; i++) {
        free(sort->blocks[i]);
    }
    free(sort->blocks);
    free(sort->places);
    free(sort->records);
    sort->blocks = NULL;
    sort->places = NULL;
    sort->records = NULL;
    sort->block_count = sort->block_capacity = sort->capacity = 0;
}

/* Is each of the records in memory one that may follow the one before? */
static bool held_is_sorted(const nd_external_sort *sort) {
    size_t i = 1;
    while (i < sort->held &&
           (sort->by_places ? sort->places[i - 1].key <= sort->places[i].key
                            : !nd_record_precedes(sort->order, held_record(sort, i),
                                                  held_record(sort, i - 1)))) {
        i++;
    }
    return i >= sort->held;
}

nd_status nd_external_sort_finish(nd_external_sort *sort) {
    nd_status st = ND_OK;
    ND_ASSERT(sort->runs == NULL && sort->next == 0, sort->run_count, sort->next);
    if (sort->spool.size == 0) {
        ND_ASSERT(sort->held == sort->count, sort->held, sort->count);
        sort_held(sort);
        ND_ASSERT(held_is_sorted(sort), sort->held, sort->record_size);
        return ND_OK;
    }
    ND_TRY(write_run(sort));
    free_held(sort);
    sort->run_count = (size_t)((sort->count - 1) / sort->run_records + 1);
    ND_ASSERT(sort->chunk_records > 0 ? sort->packed_count == sort->run_count
                                      : sort->spool.size == sort->count * sort->record_size,
              sort->spool.size, sort->count, sort->packed_count);
    nd_new(&sort->runs, sort->run_count, sizeof *sort->runs);
    nd_new(&sort->losers, sort->run_count, sizeof *sort->losers);
    ND_TRY(start_merge(sort));
out:
    return st;
}

/* The next record in memory. Where they were not moved, those that follow are asked for. */
static const void *next_held(const nd_external_sort *sort) {
    enum { AHEAD = 4 };
    if (!sort->by_places) {
        return held_record(sort, sort->next);
    }
    if (sort->next + AHEAD < sort->held) {
        __builtin_prefetch(held_record(sort, (size_t)sort->places[sort->next + AHEAD].value));
    }
    return held_record(sort, (size_t)sort->places[sort->next].value);
}

nd_status nd_external_sort_next(nd_external_sort *sort, const void **record) {
    nd_status st = ND_OK;
    if (sort->next == sort->count) {
        return ND_END;
    }
    if (sort->runs == NULL) {
        ND_ASSERT(sort->next < sort->held && (!sort->by_places || sort->places != NULL), sort->next,
                  sort->held); /* it is finished */
        *record = next_held(sort);
    } else {
        if (sort->next > 0) { /* only now, for the caller had the record until now */
            const size_t number = sort->losers[0];
            nd_sorted_run *run = &sort->runs[number];
            run->record += sort->record_size;
            if (run->record == run->end) {
                ND_TRY(read_window(sort, run));
            }
            play(sort, number);
        }
        *record = sort->runs[sort->losers[0]].record;
        ND_ASSERT(*record != NULL, sort->next, sort->count); /* the runs hold them all */
    }
    sort->next++;
out:
    return st;
}

nd_status nd_external_sort_take(nd_external_sort *sort, void *record, bool *any) {
    const void *next = NULL;
    const nd_status st = nd_external_sort_next(sort, &next);
    *any = st == ND_OK;
    if (*any) {
        memcpy(record, next, sort->record_size);
    }
    return st == ND_END ? ND_OK : st;
}

nd_status nd_external_sort_rewind(nd_external_sort *sort) {
    sort->next = 0;
    return sort->runs == NULL ? ND_OK : start_merge(sort);
}

void nd_external_sort_close(nd_external_sort *sort) {
    for (size_t i = 0; sort->runs != NULL && i < sort->run_count; i++) {
        nd_spool_reader_close(&sort->runs[i].reader);
        nd_buffer_free(&sort->runs[i].chunk);
        nd_buffer_free(&sort->runs[i].packed);
    }
    free(sort->runs);
    free(sort->packed);
    free(sort->losers);
    free_held(sort);
    nd_spool_close(&sort->spool);
    *sort = (nd_external_sort){.record_size = sort->record_size,
                               .order = sort->order,
                               .memory = sort->memory,
                               .by_places = sort->by_places,
                               .block_records = sort->block_records,
                               .run_records = sort->run_records,
                               .spool = sort->spool};
}

/* ==== texts */

enum {
    USUAL_MEMORY = 512 << 20,
    /* windows beyond this no longer make the reading faster */
    MOST_LINE_WINDOW = 1 << 20,
    LEAST_LINE_WINDOW = 4 << 10
};

/* Before the bytes of each text. */
typedef struct head {
    uint64_t number;
    uint32_t size;
} head;

enum { HEAD_BYTES = sizeof(uint64_t) + sizeof(uint32_t) };

/* A run that is being merged: a window of it, at its next record. */
typedef struct run {
    uint64_t begin, end; /* in the spool, of what is not in the window or was not taken yet */
    nd_buffer window;
    const uint8_t *bytes;
    size_t at, size;
} run;

struct nd_line_sort {
    uint64_t memory;
    char path[PATH_MAX];
    nd_spool_folder folder;
    nd_spool spool;
    bool hidden; /* its file has no name any more */
    nd_buffer text;
    uint64_t *places; /* of the records in `text`, which moves as it grows */
    size_t count, capacity;
    const uint8_t **sorted; /* the records in order; NULL: not sorted yet */
    size_t next;
    uint64_t *ends; /* of the runs in the spool */
    size_t run_count, run_capacity;
    run *runs;    /* while merging */
    size_t *heap; /* of runs that have a record: the first has the smallest */
    size_t heap_size;
    bool begun;
};

void nd_line_sort_open(uint64_t memory, nd_line_sort **out) {
    nd_line_sort *sort = NULL;
    const char *place = getenv("TMPDIR");
    *out = NULL;
    nd_new(&sort, 1, sizeof *sort);
    sort->memory = nd_max(memory > 0 ? memory : USUAL_MEMORY, LEAST_MEMORY);
    (void)snprintf(sort->path, sizeof sort->path, "%s/neardup-sort-%ld",
                   place != NULL && place[0] != '\0' ? place : "/tmp", (long)getpid());
    sort->folder = (nd_spool_folder){.path = sort->path, .unnamed = true};
    nd_spool_open(&sort->spool, &sort->folder, SPOOL_MEMORY);
    *out = sort;
}

uint64_t nd_line_sort_runs(const nd_line_sort *sort) {
    return sort->run_count;
}

void nd_line_sort_close(nd_line_sort **out) {
    nd_line_sort *sort = *out;
    if (sort == NULL) {
        return;
    }
    for (size_t r = 0; sort->runs != NULL && r < sort->run_count; r++) {
        nd_buffer_free(&sort->runs[r].window);
    }
    nd_spool_close(&sort->spool);
    nd_buffer_free(&sort->text);
    free(sort->places);
    free(sort->sorted);
    free(sort->ends);
    free(sort->runs);
    free(sort->heap);
    free(sort);
    *out = NULL;
}

/* ---- records */

static head head_of(const uint8_t *record) {
    head h;
    memcpy(&h.number, record, sizeof h.number);
    memcpy(&h.size, record + sizeof h.number, sizeof h.size);
    return h;
}

static int compare(const uint8_t *a, const uint8_t *b) {
    const head x = head_of(a);
    const head y = head_of(b);
    const int order = memcmp(a + HEAD_BYTES, b + HEAD_BYTES, (size_t)nd_min(x.size, y.size));
    return order != 0         ? order
           : x.size != y.size ? (x.size > y.size) - (x.size < y.size)
                              : (x.number > y.number) - (x.number < y.number);
}

static int by_record(const void *a, const void *b) {
    return compare(*(const uint8_t *const *)a, *(const uint8_t *const *)b);
}

static void sort_texts(nd_line_sort *sort) {
    free(sort->sorted);
    sort->sorted = NULL;
    nd_new(&sort->sorted, sort->count, sizeof *sort->sorted);
    for (size_t i = 0; i < sort->count; i++) {
        sort->sorted[i] = sort->text.data + sort->places[i];
    }
    nd_sort(sort->sorted, sort->count, sizeof *sort->sorted, by_record);
}

/* What is held becomes a run of the file. */
static nd_status write_texts(nd_line_sort *sort) {
    nd_status st = ND_OK;
    sort_texts(sort);
    for (size_t i = 0; i < sort->count; i++) {
        const uint8_t *record = sort->sorted[i];
        ND_TRY(nd_spool_append(&sort->spool, record, HEAD_BYTES + head_of(record).size));
        if (!sort->hidden && sort->spool.path != NULL) {
            (void)unlink(sort->spool.path);
            (void)rmdir(sort->path);
            sort->hidden = true;
        }
    }
    nd_grow(&sort->ends, &sort->run_capacity, sort->run_count + 1, sizeof *sort->ends);
    sort->ends[sort->run_count++] = sort->spool.size;
    sort->count = 0;
    sort->text.size = 0;
out:
    return st;
}

nd_status nd_line_sort_add(nd_line_sort *sort, nd_span text, uint64_t number) {
    nd_status st = ND_OK;
    const head h = {.number = number, .size = (uint32_t)text.size};
    if (text.size > UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "a text of %zu bytes is too long to be sorted", text.size);
    }
    /* arrays have twice the room that they need while they grow, and are sorted through pointers */
    const uint64_t taken = sort->text.size + text.size + sort->count * 3 * sizeof(uint64_t);
    ND_TRY(sort->count > 0 && 2 * taken > sort->memory ? write_texts(sort) : ND_OK);
    nd_grow(&sort->places, &sort->capacity, sort->count + 1, sizeof *sort->places);
    sort->places[sort->count++] = sort->text.size;
    nd_buffer_append(&sort->text, &h.number, sizeof h.number);
    nd_buffer_append(&sort->text, &h.size, sizeof h.size);
    nd_buffer_append(&sort->text, text.data, text.size);
out:
    return st;
}

/* ---- merging */

static bool is_sooner(const nd_line_sort *sort, size_t a, size_t b) {
    const run *x = &sort->runs[sort->heap[a]];
    const run *y = &sort->runs[sort->heap[b]];
    return compare(x->bytes + x->at, y->bytes + y->at) < 0;
}

static void sift(nd_line_sort *sort, size_t place) {
    while (true) {
        size_t least = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++) {
            least = child < sort->heap_size && is_sooner(sort, child, least) ? child : least;
        }
        if (least == place) {
            break;
        }
        const size_t other = sort->heap[least];
        sort->heap[least] = sort->heap[place];
        sort->heap[place] = other;
        place = least;
    }
}

/* Have the next record of a run whole in its window. \param[out] any  false: there is none */
static nd_status show(const nd_line_sort *sort, run *r, bool *any) {
    nd_status st = ND_OK;
    const uint64_t share = sort->memory / 2 / sort->run_count;
    uint64_t want = nd_min(nd_max(share, LEAST_LINE_WINDOW), MOST_LINE_WINDOW);
    *any = r->begin < r->end;
    while (*any && (r->size - r->at < HEAD_BYTES ||
                    r->size - r->at < HEAD_BYTES + (size_t)head_of(r->bytes + r->at).size)) {
        if (r->size - r->at >= HEAD_BYTES) {
            want = nd_max(want, HEAD_BYTES + (uint64_t)head_of(r->bytes + r->at).size);
        }
        r->size = (size_t)nd_min(r->end - r->begin, want);
        r->at = 0;
        ND_TRY(nd_spool_read(&sort->spool, r->begin, r->size, &r->window, &r->bytes));
    }
out:
    return st;
}

static nd_status begin(nd_line_sort *sort) {
    nd_status st = ND_OK;
    sort->begun = true;
    if (sort->run_count == 0) {
        sort_texts(sort);
        return ND_OK;
    }
    ND_TRY(sort->count > 0 ? write_texts(sort) : ND_OK);
    nd_buffer_free(&sort->text);
    free(sort->places);
    free(sort->sorted);
    sort->places = NULL;
    sort->sorted = NULL;
    nd_new(&sort->runs, sort->run_count, sizeof *sort->runs);
    nd_new(&sort->heap, sort->run_count, sizeof *sort->heap);
    for (size_t r = 0; r < sort->run_count; r++) {
        bool any = false;
        sort->runs[r] = (run){.begin = r == 0 ? 0 : sort->ends[r - 1], .end = sort->ends[r]};
        ND_TRY(show(sort, &sort->runs[r], &any));
        sort->heap[r] = r;
    }
    sort->heap_size = sort->run_count;
    for (size_t place = sort->heap_size; place-- > 0;) {
        sift(sort, place);
    }
out:
    return st;
}

/* Pass over the record that was given last. */
static nd_status advance(nd_line_sort *sort) {
    nd_status st = ND_OK;
    run *r = &sort->runs[sort->heap[0]];
    const size_t passed = HEAD_BYTES + head_of(r->bytes + r->at).size;
    bool any = false;
    r->at += passed;
    r->begin += passed;
    ND_TRY(show(sort, r, &any));
    if (!any) {
        nd_buffer_free(&r->window);
        sort->heap[0] = sort->heap[--sort->heap_size];
    }
    sift(sort, 0);
out:
    return st;
}

nd_status nd_line_sort_next(nd_line_sort *sort, nd_span *text, uint64_t *number) {
    nd_status st = ND_OK;
    const uint8_t *record = NULL;
    ND_TRY(!sort->begun ? begin(sort) : sort->heap_size > 0 ? advance(sort) : ND_OK);
    if (sort->run_count > 0 ? sort->heap_size == 0 : sort->next == sort->count) {
        return ND_END;
    }
    record = sort->run_count == 0 ? sort->sorted[sort->next]
                                  : sort->runs[sort->heap[0]].bytes + sort->runs[sort->heap[0]].at;
    sort->next++;
    *number = head_of(record).number;
    *text = (nd_span){record + HEAD_BYTES, head_of(record).size};
out:
    return st;
}
