#include "mpi/comm/groups.h"

#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT_BITS = 64 - ND_POSTING_PAGE_BITS };
static const uint64_t MOST_COUNTED = (UINT64_C(1) << COUNT_BITS) - 1;

/* place, piece, value */
static const nd_record_order by_piece_then_value = {.word_count = 3, .words = {0, 1, 2}};

void nd_groups_open(nd_groups *groups, nd_spool_folder *folder, uint64_t sort_bytes) {
    *groups = (nd_groups){.folder = folder, .all_pairs = ND_GROUP_ALL_PAIRS};
    nd_external_sort_open(&groups->postings, folder, sizeof(nd_key_value), &nd_by_key_then_value,
                          sort_bytes);
    nd_external_sort_open(&groups->members, folder, sizeof(nd_group_member), &by_piece_then_value,
                          sort_bytes);
}

/* ---- postings to the rank of their key */

/* The ranks' keys as they are sorted: mixed, so that they also name their rank evenly. */
typedef struct mixed_source {
    nd_record_source source;
    void *context;
} mixed_source;

static nd_status next_mixed(void *context, void *records, uint64_t room, uint64_t *count) {
    const mixed_source *from = context;
    nd_key_value *postings = records;
    const nd_status st = from->source(from->context, records, room, count);
    for (uint64_t i = 0; st == ND_OK && i < *count; i++) {
        postings[i].key = nd_mix64(postings[i].key);
    }
    return st;
}

nd_status nd_groups_collect(nd_comm *comm, nd_groups *groups, nd_record_source postings,
                            void *context) {
    mixed_source source = {postings, context};
    const uint64_t before = nd_external_sort_count(&groups->postings);
    ND_ASSERT(before == 0 && groups->all_pairs <= ND_GROUP_RUN, before, groups->all_pairs);
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(nd_key_value),
                                      .owner = nd_shuffle_owner_of_hash,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &groups->postings};
    return nd_shuffle_run(&stream, next_mixed, &source);
}

/* ---- groups, and runs of big ones, to the rank of one of their pages */

static void add_value(nd_group_piece *piece, uint64_t value) {
    nd_grow(&piece->values, &piece->capacity, piece->count + 1, sizeof *piece->values);
    piece->values[piece->count++] = value;
}

/* A group of more than one run. */
typedef struct big_group {
    uint64_t key;
    uint64_t count;
} big_group;

/* This rank's groups as pieces, member by member. */
typedef struct piece_source {
    nd_external_sort *postings;
    nd_key_value ahead; /* the next posting */
    bool has_ahead;
    const big_group *big; /* ascending; of them the first is the next */
    uint64_t big_count;
    uint64_t key; /* of the present group */
    uint64_t run;
    nd_group_piece *piece;
    uint64_t given; /* of the piece's members */
    uint64_t all_pairs;
    uint64_t passed; /* pairs of groups that are no candidates */
} piece_source;

static nd_status read_ahead(piece_source *from) {
    return nd_external_sort_take(from->postings, &from->ahead, &from->has_ahead);
}

/* Read on in the present group until the piece has `most` members. A page that got one key twice is
 * one member. */
static nd_status read_members(piece_source *from, uint64_t most) {
    nd_status st = ND_OK;
    nd_group_piece *piece = from->piece;
    while (from->has_ahead && from->ahead.key == from->key) {
        const uint64_t value = from->ahead.value;
        if (piece->count == 0 || value != piece->values[piece->count - 1]) {
            if (piece->count == most) {
                break;
            }
            add_value(piece, value);
        }
        ND_TRY(read_ahead(from));
    }
out:
    return st;
}

/* The next piece of two members and more; one without members after the last. */
static nd_status next_run(piece_source *from) {
    nd_status st = ND_OK;
    nd_group_piece *piece = from->piece;
    if (from->run + 1 < nd_group_runs(piece->group_count)) { /* runs overlap */
        const nd_group_run run = nd_group_run_at(piece->group_count, ++from->run);
        ND_ASSERT(piece->count > ND_GROUP_RUN, piece->count, from->run, piece->group_count);
        piece->count -= ND_GROUP_RUN;
        memmove(piece->values, piece->values + ND_GROUP_RUN, piece->count * sizeof *piece->values);
        ND_TRY(read_members(from, run.end - run.begin));
        ND_ASSERT(piece->count == run.end - run.begin, piece->count, run.begin, run.end);
    } else {
        piece->count = 0;
        while (piece->count < 2 && from->has_ahead) {
            const bool big = from->big_count > 0 && from->big->key == from->ahead.key;
            from->key = from->ahead.key;
            from->run = 0;
            piece->count = 0;
            ND_TRY(
                read_members(from, big ? nd_group_run_at(from->big->count, 0).end : ND_GROUP_RUN));
            piece->group_count = piece->count;
            if (big) {
                piece->group_count = from->big->count;
                from->big++;
                from->big_count--;
            }
        }
        if (piece->count < 2) { /* the last group was of one page */
            piece->count = piece->group_count = 0;
        }
        from->passed += nd_group_passed(from->all_pairs, piece->group_count);
    }
    /* the page of the smallest hash: of groups that share most of their pages mostly the same */
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < piece->count; i++) {
        const uint64_t page = nd_posting_page(piece->values[i]);
        const uint64_t hash = nd_mix64(page);
        if (hash < least) {
            least = hash;
            piece->item = page;
        }
    }
    from->given = 0;
out:
    return st;
}

/* Some members of the present piece. */
static nd_status next_members(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    piece_source *from = context;
    nd_group_member *members = records;
    const nd_group_piece *piece = from->piece;
    for (*count = 0; *count < room; (*count)++) {
        if (from->given == piece->count) {
            ND_TRY(next_run(from));
            if (piece->count == 0) {
                break;
            }
        }
        members[*count] =
            (nd_group_member){piece->item << COUNT_BITS | nd_min(piece->group_count, MOST_COUNTED),
                              from->key + from->run, piece->values[from->given++]};
    }
out:
    return st;
}

static int piece_owner(const void *record, int size, const void *context) {
    const nd_group_member *member = record;
    return nd_comm_range_owner(context, size, member->place >> COUNT_BITS);
}

/* Groups of more than one run, in the order of their keys. */
static nd_status list_big_groups(piece_source *from, big_group **big, uint64_t *big_count) {
    nd_status st = ND_OK;
    size_t capacity = 0;
    while (from->has_ahead) {
        const nd_key_value first = from->ahead;
        uint64_t count = 0;
        for (uint64_t last = 0; from->has_ahead && from->ahead.key == first.key;) {
            count += count == 0 || from->ahead.value != last;
            last = from->ahead.value;
            ND_TRY(read_ahead(from));
        }
        ND_ASSERT(!from->has_ahead || from->ahead.key > first.key, first.key, from->ahead.key);
        if (nd_group_runs(count) > 1) {
            nd_grow(big, &capacity, *big_count + 1, sizeof **big);
            (*big)[(*big_count)++] = (big_group){first.key, count};
        }
    }
    ND_TRY(nd_external_sort_rewind(from->postings));
    ND_TRY(read_ahead(from));
out:
    return st;
}

nd_status nd_groups_cut(nd_comm *comm, nd_groups *groups, const uint64_t *first) {
    nd_status st = ND_OK;
    big_group *big = NULL;
    piece_source source = {
        .postings = &groups->postings, .piece = &groups->piece, .all_pairs = groups->all_pairs};
    nd_key_value *postings = nd_external_sort_records(&groups->postings);
    uint64_t count = nd_external_sort_count(&groups->postings);
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(nd_group_member),
                                      .owner = piece_owner,
                                      .owner_context = first,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &groups->members};
    /* Keys that one page alone has need not be sorted. Where there are so many postings that they
     * do not lie in memory, it is the runs that take long. */
    if (postings != NULL) {
        nd_repeated_keys(postings, &count);
        nd_external_sort_cut(&groups->postings, count);
    }
    st = nd_external_sort_finish(&groups->postings);
    st = st != ND_OK ? st : read_ahead(&source);
    st = st != ND_OK ? st : list_big_groups(&source, &big, &source.big_count);
    source.big = big;
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_shuffle_run(&stream, next_members, &source));
    ND_ASSERT(source.big_count == 0, source.big_count, source.key);
    nd_external_sort_close(&groups->postings);
    groups->passed = source.passed;
    groups->piece.count = groups->piece.lead = 0; /* it serves the reading now */
    st = nd_external_sort_finish(&groups->members);
    st = st != ND_OK ? st
                     : nd_external_sort_take(&groups->members, &groups->ahead, &groups->has_ahead);
    ND_TRY(nd_comm_agree(comm, st));
out:
    free(big);
    return st;
}

uint64_t nd_groups_total(const nd_groups *groups) {
    return nd_external_sort_count(&groups->postings) + nd_external_sort_count(&groups->members);
}

/* ---- pieces, one after the other */

/* The next piece; one without members after the last. */
static nd_status next_piece(nd_groups *g) {
    nd_status st = ND_OK;
    nd_group_piece *piece = &g->piece;
    const nd_group_member of = g->ahead;
    *piece = (nd_group_piece){.item = of.place >> COUNT_BITS,
                              .group_count = of.place & MOST_COUNTED,
                              .values = piece->values,
                              .capacity = piece->capacity};
    while (g->has_ahead && g->ahead.place == of.place && g->ahead.piece == of.piece) {
        add_value(piece, g->ahead.value);
        ND_TRY(nd_external_sort_take(&g->members, &g->ahead, &g->has_ahead));
    }
    g->read += piece->count;
    ND_ASSERT(piece->count <= ND_GROUP_RUN + ND_GROUP_NEIGHBOURS &&
                  piece->count <= piece->group_count,
              piece->count, piece->group_count);
    ND_ASSERT(nd_numbers_ascend(piece->values, piece->count), piece->count, piece->group_count);
out:
    return st;
}

nd_status nd_groups_next(nd_groups *groups, nd_candidate *candidates, uint64_t room,
                         uint64_t *count) {
    nd_status st = ND_OK;
    nd_group_piece *piece = &groups->piece;
    ND_ASSERT(room >= ND_GROUP_ALL_PAIRS && room >= groups->all_pairs, room, groups->all_pairs);
    *count = 0;
    while (true) {
        const bool common = piece->group_count > ND_GROUP_NEIGHBOURS;
        const uint64_t item = piece->item | (common ? ND_CANDIDATE_COMMON : 0);
        for (; piece->lead < nd_min(piece->count, ND_GROUP_RUN); piece->lead++) {
            const uint64_t end = nd_group_partner_end(groups->all_pairs, piece->group_count,
                                                      piece->count, piece->lead);
            if (*count + (end - piece->lead) > room) {
                return ND_OK;
            }
            for (uint64_t i = piece->lead + 1; i < end; i++) {
                candidates[(*count)++] =
                    (nd_candidate){item, piece->values[piece->lead], piece->values[i]};
            }
        }
        ND_TRY(next_piece(groups));
        if (piece->count == 0) {
            break;
        }
    }
out:
    return st;
}

nd_status nd_groups_chain(nd_groups *groups, nd_spool *links, uint64_t *count) {
    nd_status st = ND_OK;
    const nd_group_piece *piece = &groups->piece;
    *count = 0;
    ND_TRY(next_piece(groups));
    while (piece->count > 0) { /* runs overlap, so the chain holds across them */
        for (uint64_t i = 1; i < piece->count; i++) {
            const uint64_t x = nd_posting_page(piece->values[i - 1]);
            const uint64_t y = nd_posting_page(piece->values[i]);
            ND_ASSERT(x != y, x, i, piece->count); /* a page is in a group once */
            const nd_link link = {nd_min(x, y), nd_max(x, y), 1 / (double)piece->group_count};
            ND_TRY(nd_spool_append(links, &link, sizeof link));
            (*count)++;
        }
        ND_TRY(next_piece(groups));
    }
out:
    return st;
}

void nd_groups_close(nd_groups *groups) {
    nd_external_sort_close(&groups->postings);
    nd_external_sort_close(&groups->members);
    free(groups->piece.values);
    *groups = (nd_groups){.folder = groups->folder, .all_pairs = groups->all_pairs};
}
