#include "io/store/external_sort.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

static nd_status sort_held(nd_external_sort *sort) {
    nd_status st = ND_OK;
    if (!sort->by_places) {
        return nd_record_sort(sort->records, sort->held, sort->record_size, sort->order);
    }
    free(sort->places);
    sort->places = NULL;
    ND_TRY(nd_new_room(&sort->places, sort->held, sizeof *sort->places));
    for (size_t i = 0; i < sort->held; i++) {
        sort->places[i] =
            (nd_key_value){nd_record_word(held_record(sort, i), sort->order->words[0]), i};
    }
    st = nd_radix_sort(sort->places, sort->held);
out:
    return st;
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
    ND_TRY(nd_buffer_reserve(packed, room));
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
        ND_TRY(nd_buffer_append(&chunk, held_record(sort, number), sort->record_size));
        if (i + 1 == sort->held || chunk.size >= sort->chunk_records * sort->record_size) {
            ND_TRY(write_chunk(sort, zstd, &chunk, &packed));
            chunk.size = 0;
        }
    }
    ND_TRY(nd_grow(&sort->packed, &sort->packed_capacity, sort->packed_count + 1,
                   sizeof *sort->packed));
    sort->packed[sort->packed_count++] = (nd_key_value){begin, sort->spool.size};
out:
    (void)ZSTD_freeCCtx(zstd);
    nd_buffer_free(&chunk);
    nd_buffer_free(&packed);
    return st;
}

static nd_status write_run(nd_external_sort *sort) {
    nd_status st = ND_OK;
    ND_TRY(sort_held(sort));
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

static nd_status drop_repeats(nd_external_sort *sort) {
    nd_status st = ND_OK;
    size_t kept = 0;
    ND_TRY(sort_held(sort));
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
out:
    return st;
}

/* Room for `need` records, one after the other or in blocks that stay where they are. */
static nd_status make_room(nd_external_sort *sort, size_t need) {
    nd_status st = ND_OK;
    if (!sort->by_places) {
        return nd_grow_within(&sort->records, &sort->capacity, need, sort->run_records,
                              sort->record_size);
    }
    while (sort->capacity < need) {
        const size_t records =
            (size_t)nd_min(sort->run_records - sort->capacity, sort->block_records);
        ND_TRY(nd_grow(&sort->blocks, &sort->block_capacity, sort->block_count + 1,
                       sizeof *sort->blocks));
        ND_TRY(nd_new_room(&sort->blocks[sort->block_count], records, sort->record_size));
        sort->block_count++;
        sort->capacity += records;
    }
out:
    return st;
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
            ND_TRY(drop_repeats(sort));
        }
        if (sort->held == sort->run_records) {
            ND_TRY(write_run(sort));
            sort->sifted = false;
        }

        size_t fit = (size_t)nd_min(count, sort->run_records - sort->held);
        if (sort->by_places) { /* what lies in one block */
            fit = (size_t)nd_min(fit, sort->block_records - sort->held % sort->block_records);
        }
        ND_TRY(make_room(sort, sort->held + fit));
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
    ND_TRY(nd_buffer_reserve(&run->chunk, head.size));
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
        st = sort_held(sort);
        ND_ASSERT(st != ND_OK || held_is_sorted(sort), sort->held, sort->record_size);
        return st;
    }
    ND_TRY(write_run(sort));
    free_held(sort);
    sort->run_count = (size_t)((sort->count - 1) / sort->run_records + 1);
    ND_ASSERT(sort->chunk_records > 0 ? sort->packed_count == sort->run_count
                                      : sort->spool.size == sort->count * sort->record_size,
              sort->spool.size, sort->count, sort->packed_count);
    ND_TRY(nd_new(&sort->runs, sort->run_count, sizeof *sort->runs));
    ND_TRY(nd_new(&sort->losers, sort->run_count, sizeof *sort->losers));
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
