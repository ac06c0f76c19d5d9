#include "mpi/groups.h"

#include "mpi/exchange.h"
#include "src/base/buffer.h"
#include "src/base/random.h"
#include "src/base/sort.h"
#include "src/sets/candidates.h"

#include <stdlib.h>

static int posting_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(((const nd_key_value *)record)->key), size);
}

static int member_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(((const nd_group_member *)record)->item, size);
}

/* Small groups keep the rank of their key: its item is the same mix that chose the rank. */
static uint64_t item_of(uint64_t key, uint64_t run) {
    return nd_mix64(run == 0 ? key : nd_mix64(key) + run);
}

static nd_status add_run(nd_groups *pieces, size_t *capacity, const nd_key_value *group,
                         uint64_t group_count, uint64_t run) {
    const nd_group_run at = nd_group_run_at(group_count, run);
    const uint64_t length = at.end - at.begin;
    nd_status st =
        nd_grow(&pieces->members, capacity, pieces->count + length, sizeof *pieces->members);
    for (uint64_t i = 0; st == ND_OK && i < length; i++) {
        pieces->members[pieces->count++] = (nd_group_member){
            item_of(group->key, run), group[at.begin + i].value, group_count, i < at.leads};
    }
    return st;
}

/* Cut the sorted postings into groups, the groups into runs. A page that got one key twice is one
 * member; a group of one page is nothing. */
static nd_status cut_groups(nd_key_value *postings, uint64_t count, nd_groups *pieces) {
    nd_status st = ND_OK;
    size_t capacity = 0;
    uint64_t begin = 0;
    while (begin < count && st == ND_OK) {
        uint64_t kept = 1;
        uint64_t end = begin + 1;
        for (; end < count && postings[end].key == postings[begin].key; end++) {
            if (postings[end].value != postings[begin + kept - 1].value) {
                postings[begin + kept++] = postings[end];
            }
        }
        const uint64_t runs = kept < 2 ? 0 : nd_group_runs(kept);
        for (uint64_t run = 0; run < runs && st == ND_OK; run++) {
            st = add_run(pieces, &capacity, postings + begin, kept, run);
        }
        begin = end;
    }
    return st;
}

static int by_item_then_value(const void *a, const void *b) {
    const nd_group_member *x = a;
    const nd_group_member *y = b;
    if (x->item != y->item) {
        return x->item < y->item ? -1 : 1;
    }
    return (x->value > y->value) - (x->value < y->value);
}

nd_status nd_groups_build(nd_comm *comm, nd_key_value **postings, uint64_t *count,
                          nd_groups *groups) {
    nd_status st = ND_OK;
    *groups = (nd_groups){0};
    ND_TRY(nd_shuffle(comm, postings, count, sizeof **postings, posting_owner, NULL));
    st = nd_radix_sort(*postings, *count);
    st = st != ND_OK ? st : cut_groups(*postings, *count, groups);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_shuffle(comm, &groups->members, &groups->count, sizeof *groups->members, member_owner,
                      NULL));
    nd_sort(groups->members, groups->count, sizeof *groups->members, by_item_then_value);
out:
    free(*postings);
    *postings = NULL;
    *count = 0;
    if (st != ND_OK) {
        nd_groups_free(groups);
    }
    return st;
}

static uint64_t piece_end(const nd_groups *groups, uint64_t begin) {
    uint64_t end = begin;
    while (end < groups->count && groups->members[end].item == groups->members[begin].item) {
        end++;
    }
    return end;
}

uint64_t nd_groups_next(nd_groups *groups, nd_candidate *candidates, uint64_t room) {
    uint64_t written = 0;
    while (groups->piece < groups->count) {
        const nd_group_member *piece = &groups->members[groups->piece];
        const uint64_t length = piece_end(groups, groups->piece) - groups->piece;
        for (; groups->lead < length && piece[groups->lead].leads == 1; groups->lead++) {
            const uint64_t end = nd_group_partner_end(piece->group_count, length, groups->lead);
            if (written + (end - groups->lead) > room) {
                return written;
            }
            for (uint64_t i = groups->lead + 1; i < end; i++) {
                candidates[written++] =
                    (nd_candidate){piece->item, piece[groups->lead].value, piece[i].value};
            }
        }
        groups->piece += length;
        groups->lead = 0;
    }
    return written;
}

nd_status nd_groups_chain(const nd_groups *groups, nd_link **links, uint64_t *count) {
    nd_status st = nd_new(links, groups->count, sizeof **links);
    *count = 0;
    for (uint64_t i = 1; st == ND_OK && i < groups->count; i++) {
        const nd_group_member *before = &groups->members[i - 1];
        const nd_group_member *here = &groups->members[i];
        if (before->item == here->item) { /* runs overlap, so the chain holds across them */
            const uint64_t x = nd_posting_page(before->value);
            const uint64_t y = nd_posting_page(here->value);
            (*links)[(*count)++] = (nd_link){x < y ? x : y, x < y ? y : x, 0};
        }
    }
    return st;
}

void nd_groups_free(nd_groups *groups) {
    free(groups->members);
    *groups = (nd_groups){0};
}
