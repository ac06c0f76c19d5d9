#include "mpi/comm/groups.h"

#include "src/base/contract.h"
#include "src/base/numbers.h"
#include "src/base/order.h"
#include "src/base/random.h"
#include "src/sets/candidates.h"
#include "src/sets/link.h"
#include "src/sets/repeated_keys.h"

#include <stdlib.h>

/* item, value */
static const nd_record_order by_item_then_value = {.word_count = 2, .words = {0, 1}};

void nd_groups_open(nd_groups *groups, nd_spool_folder *folder, uint64_t sort_bytes) {
    *groups = (nd_groups){.folder = folder, .all_pairs = ND_GROUP_ALL_PAIRS};
    nd_external_sort_open(&groups->postings, folder, sizeof(nd_key_value), &nd_by_key_then_value,
                          sort_bytes);
    nd_external_sort_open(&groups->members, folder, sizeof(nd_group_member), &by_item_then_value,
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

/* ---- reading groups */

static nd_status read_ahead(nd_groups *g) {
    const nd_status st = nd_external_sort_take(&g->postings, &g->ahead, &g->has_ahead);
    g->read += g->has_ahead;
    return st;
}

static nd_status add_value(nd_group_piece *piece, uint64_t value) {
    const nd_status st =
        nd_grow(&piece->values, &piece->capacity, piece->count + 1, sizeof *piece->values);
    if (st == ND_OK) {
        piece->values[piece->count++] = value;
    }
    return st;
}

/* The next group: its first ND_GROUP_RUN members in the piece, all of a larger one in `overflow`
 * too, where that is given. A page that got one key twice is one member. */
static nd_status read_group(nd_groups *g, nd_spool *overflow) {
    nd_status st = ND_OK;
    nd_group_piece *piece = &g->piece;
    const uint64_t key = g->ahead.key;
    uint64_t last = 0;
    *piece = (nd_group_piece){.item = key, .values = piece->values, .capacity = piece->capacity};
    while (g->has_ahead && g->ahead.key == key) {
        const uint64_t value = g->ahead.value;
        if (piece->group_count == 0 || value != last) {
            if (piece->group_count < ND_GROUP_RUN) {
                ND_TRY(add_value(piece, value));
            } else if (overflow != NULL) {
                if (piece->group_count == ND_GROUP_RUN) {
                    ND_TRY(nd_spool_append(overflow, piece->values,
                                           ND_GROUP_RUN * sizeof *piece->values));
                }
                ND_TRY(nd_spool_append(overflow, &value, sizeof value));
            }
            piece->group_count++;
            last = value;
        }
        ND_TRY(read_ahead(g));
    }
    piece->leads = piece->count;
    ND_ASSERT(piece->count <= ND_GROUP_RUN && piece->count <= piece->group_count, piece->count,
              piece->group_count);
    ND_ASSERT(!g->has_ahead || g->ahead.key > key, key, g->ahead.key); /* they come in order */
out:
    return st;
}

/* ---- runs of big groups */

/* A group with more than one run; its values lie in the spool. */
typedef struct big_group {
    uint64_t key;
    uint64_t first; /* value in the spool */
    uint64_t count;
} big_group;

typedef struct big_groups {
    nd_spool values;
    big_group *groups;
    size_t capacity;
    uint64_t count;
    uint64_t group, run, member; /* where the source has come to */
    nd_buffer scratch;
} big_groups;

/* Some members of the present run. */
static nd_status next_members(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    big_groups *big = context;
    nd_group_member *members = records;
    const uint8_t *bytes = NULL;
    *count = 0;
    for (; big->group < big->count; big->group++, big->run = 0) {
        if (big->run < nd_group_runs(big->groups[big->group].count)) {
            break;
        }
    }
    if (big->group == big->count) {
        goto out;
    }
    const big_group *group = &big->groups[big->group];
    const nd_group_run run = nd_group_run_at(group->count, big->run);
    ND_ASSERT(run.begin + big->member < run.end && run.end <= group->count, big->member, run.end,
              group->count);
    const uint64_t left = run.end - run.begin - big->member;
    const uint64_t now = nd_min(left, room);
    ND_TRY(nd_spool_read(&big->values, (group->first + run.begin + big->member) * sizeof(uint64_t),
                         now * sizeof(uint64_t), &big->scratch, &bytes));
    const uint64_t *values = (const uint64_t *)(const void *)bytes;
    for (uint64_t i = 0; i < now; i++) {
        members[i] = (nd_group_member){nd_mix64(group->key + 1 + big->run), values[i], group->count,
                                       big->member + i < run.leads};
    }
    big->member += now;
    if (now == left) {
        big->member = 0;
        big->run++;
    }
    *count = now;
out:
    return st;
}

nd_status nd_groups_cut(nd_comm *comm, nd_groups *groups) {
    enum { VALUES_IN_MEMORY = 1 << 20 };
    nd_status st = ND_OK;
    big_groups big = {0};
    const nd_group_piece *piece = &groups->piece;
    nd_key_value *postings = nd_external_sort_records(&groups->postings);
    uint64_t count = nd_external_sort_count(&groups->postings);
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(nd_group_member),
                                      .owner = nd_shuffle_owner_of_hash,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &groups->members};
    nd_spool_open(&big.values, groups->folder, VALUES_IN_MEMORY);
    /* Keys that one page alone has need not be sorted. Where there are so many postings that they
     * do not lie in memory, it is the runs that take long. */
    if (postings != NULL) {
        st = nd_repeated_keys(postings, &count);
        if (st == ND_OK) {
            nd_external_sort_cut(&groups->postings, count);
        }
    }
    st = st != ND_OK ? st : nd_external_sort_finish(&groups->postings);
    st = st != ND_OK ? st : read_ahead(groups);
    while (st == ND_OK && groups->has_ahead) { /* list the big groups */
        const uint64_t before = big.values.size / sizeof(uint64_t);
        st = nd_grow(&big.groups, &big.capacity, big.count + 1, sizeof *big.groups);
        st = st != ND_OK ? st : read_group(groups, &big.values);
        if (st == ND_OK && nd_group_runs(piece->group_count) > 1) {
            ND_ASSERT(big.values.size == (before + piece->group_count) * sizeof(uint64_t),
                      big.values.size, before, piece->group_count);
            big.groups[big.count++] = (big_group){piece->item, before, piece->group_count};
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_shuffle_run(&stream, next_members, &big));
    groups->piece.lead = groups->piece.leads = 0; /* reading starts anew */
    groups->read = 0;
    st = nd_external_sort_finish(&groups->members);
    st = st != ND_OK ? st : nd_external_sort_rewind(&groups->postings);
    st = st != ND_OK ? st : read_ahead(groups);
    ND_TRY(nd_comm_agree(comm, st));
out:
    nd_spool_close(&big.values);
    nd_buffer_free(&big.scratch);
    free(big.groups);
    return st;
}

uint64_t nd_groups_total(const nd_groups *groups) {
    return nd_external_sort_count(&groups->postings) + nd_external_sort_count(&groups->members);
}

/* ---- pieces, one after the other */

static nd_status read_ahead_member(nd_groups *g) {
    const nd_status st = nd_external_sort_take(&g->members, &g->ahead_member, &g->has_ahead_member);
    g->read += g->has_ahead_member;
    return st;
}

/* The next piece; one without members after the last. */
static nd_status next_piece(nd_groups *g) {
    nd_status st = ND_OK;
    nd_group_piece *piece = &g->piece;
    if (!g->in_members) { /* a group of one run is a piece as it is */
        while (g->has_ahead) {
            ND_TRY(read_group(g, NULL));
            if (piece->count >= 2 && nd_group_runs(piece->group_count) <= 1) {
                goto out;
            }
        }
        g->in_members = true;
        ND_TRY(read_ahead_member(g));
    }
    /* the others come as members, from whichever rank */
    *piece = (nd_group_piece){.item = g->ahead_member.item,
                              .group_count = g->ahead_member.group_count,
                              .values = piece->values,
                              .capacity = piece->capacity};
    while (g->has_ahead_member && g->ahead_member.item == piece->item) {
        ND_TRY(add_value(piece, g->ahead_member.value));
        piece->leads += g->ahead_member.leads;
        ND_TRY(read_ahead_member(g));
    }
    ND_ASSERT(piece->leads <= piece->count && piece->count <= ND_GROUP_RUN + ND_GROUP_NEIGHBOURS,
              piece->leads, piece->count);
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
        for (; piece->lead < piece->leads; piece->lead++) {
            const uint64_t end = nd_group_partner_end(groups->all_pairs, piece->group_count,
                                                      piece->count, piece->lead);
            if (*count + (end - piece->lead) > room) {
                return ND_OK;
            }
            for (uint64_t i = piece->lead + 1; i < end; i++) {
                ND_ASSERT(piece->values[piece->lead] < piece->values[i], piece->lead, i,
                          piece->values[i]);
                candidates[(*count)++] =
                    (nd_candidate){groups->item, piece->values[piece->lead], piece->values[i]};
            }
        }
        ND_TRY(next_piece(groups));
        if (piece->count == 0) {
            break;
        }
        groups->item = UINT64_MAX;
        for (uint64_t i = 0; i < piece->count; i++) {
            groups->item = nd_min(groups->item, nd_posting_page(piece->values[i]));
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
