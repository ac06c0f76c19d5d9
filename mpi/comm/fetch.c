#include "mpi/comm/fetch.h"

#include "mpi/comm/exchange.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Fewest bytes that are answered to one rank in one round. */
static const uint64_t SMALLEST_ANSWER = 4096;

/* What travels in a round is cut between words, whatever words are. */
enum { WORD = sizeof(uint64_t) };

/* Bytes that are made ready between two looks at what travels. */
static const uint64_t MOVED_BYTES = 65536;

/* The items asked of this rank, by asking rank, and the counts both ways. */
typedef struct requests {
    uint64_t *items;
    uint64_t total;
    uint64_t *asked;    /* [rank]: items this rank asked of it */
    uint64_t *answered; /* [rank]: items it asks of this rank */
} requests;

static void requests_free(requests *r) {
    free(r->items);
    free(r->asked);
    free(r->answered);
}

static nd_status send_requests(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                               uint64_t count, requests *r) {
    nd_status st = ND_OK;
    *r = (requests){0};
    nd_new(&r->asked, (size_t)comm->size, sizeof(uint64_t));
    nd_new(&r->answered, (size_t)comm->size, sizeof(uint64_t));
    ND_ASSERT(nd_numbers_ascend(items, count), count); /* so the ranks' answers are in order too */
    for (uint64_t i = 0; i < count; i++) {
        r->asked[nd_comm_range_owner(first, comm->size, items[i])]++;
    }
    ND_TRY(nd_exchange(comm, items, r->asked, sizeof *items, &r->items, r->answered, &r->total));
    for (uint64_t i = 0; i < r->total; i++) {
        ND_ASSERT(r->items[i] >= first[comm->rank] && r->items[i] < first[comm->rank + 1],
                  r->items[i], first[comm->rank], first[comm->rank + 1]);
    }
out:
    if (st != ND_OK) {
        requests_free(r);
        *r = (requests){0};
    }
    return st;
}

/* ---- answering in rounds: while one travels, what goes in the next is read */

/* What still has to go to one rank: from byte `offset` of its request `item` on. */
typedef struct answer {
    uint64_t item, offset;
    uint64_t left; /* bytes */
} answer;

/* What goes to the ranks in one round: bytes [begin[r], begin[r] + count[r]) to rank r. */
typedef struct answer_round {
    uint8_t *bytes;
    uint64_t *begin, *count;
} answer_round;

typedef struct answering {
    nd_comm *comm;
    const nd_provider *provider;
    const requests *requests;
    const uint64_t *sizes; /* of the requests; NULL: all are `fixed` */
    uint64_t fixed;
    answer *answers;        /* [rank] */
    answer_round rounds[2]; /* while one travels the next is filled */
    nd_flight flight;
    uint64_t unmoved;   /* bytes since what travels was moved on */
    uint64_t *received; /* [rank] */
    uint64_t share;     /* most bytes to one rank in a round */
    uint64_t *place;    /* [rank]: where its next bytes go in the result, */
    uint64_t *end;      /* and where its last ones end */
    uint8_t *result;
    nd_buffer packed; /* for one rank */
} answering;

static void answering_new(answering *a) {
    const size_t size = (size_t)a->comm->size;
    uint64_t next = 0;
    a->share = nd_max(SMALLEST_ANSWER, a->comm->round_bytes / size / WORD * WORD);
    nd_new(&a->answers, size, sizeof *a->answers);
    nd_new(&a->received, size, sizeof(uint64_t));
    nd_new(&a->place, size, sizeof(uint64_t));
    nd_new(&a->end, size, sizeof(uint64_t));
    for (size_t i = 0; i < 2; i++) {
        nd_new(&a->rounds[i].begin, size, sizeof(uint64_t));
        nd_new(&a->rounds[i].count, size, sizeof(uint64_t));
    }
    for (size_t r = 0; r < size; r++) {
        a->answers[r].item = next;
        for (uint64_t i = 0; i < a->requests->answered[r]; i++, next++) {
            a->answers[r].left += a->sizes == NULL ? a->fixed : a->sizes[next];
        }
    }
    ND_ASSERT(next == a->requests->total, next, a->requests->total);
}

static void answering_free(answering *a) {
    nd_buffer_free(&a->packed);
    free(a->place);
    free(a->end);
    free(a->answers);
    for (size_t i = 0; i < 2; i++) {
        free(a->rounds[i].bytes);
        free(a->rounds[i].begin);
        free(a->rounds[i].count);
    }
    free(a->received);
}

/* The next `bytes` bytes for one rank. */
static nd_status fill_answer(answering *a, answer *to, uint64_t bytes, uint8_t *out) {
    nd_status st = ND_OK;
    ND_ASSERT(bytes <= to->left, bytes, to->left);
    while (bytes > 0) {
        nd_span span;
        ND_ASSERT(to->item < a->requests->total, to->item, a->requests->total);
        ND_TRY(a->provider->give(a->provider->context, a->requests->items[to->item], &span));
        const uint64_t promised = a->sizes == NULL ? a->fixed : a->sizes[to->item];
        ND_ASSERT(span.size == promised, span.size, promised, a->requests->items[to->item]);
        const uint64_t rest = span.size - to->offset;
        const uint64_t now = nd_min(rest, bytes);
        if (now > 0) {
            memcpy(out, span.data + to->offset, now);
        }
        out += now;
        bytes -= now;
        to->left -= now;
        to->offset = now == rest ? 0 : to->offset + now;
        to->item += now == rest;
        a->unmoved += now;
        if (a->unmoved >= MOVED_BYTES) {
            nd_exchange_move(&a->flight);
            a->unmoved = 0;
        }
    }
out:
    return st;
}

/* What this rank asked of itself goes to its place at once. */
static nd_status fill_own(answering *a) {
    const int own = a->comm->rank;
    const uint64_t mine = a->answers[own].left;
    const uint64_t place = a->place[own];
    a->place[own] += mine;
    return fill_answer(a, &a->answers[own], mine, a->result + place);
}

/* ---- packed, where that is worth while */

static const nd_wire *wire_to(const answering *a, int rank) {
    const nd_wire *wire = a->provider->wire;
    return wire != NULL && wire->packs[rank] ? wire : NULL;
}

/* In place. \return how many bytes they are now */
static uint64_t pack(answering *a, const nd_wire *wire, uint8_t *bytes, uint64_t count) {
    a->packed.size = 0;
    nd_buffer_reserve(&a->packed, wire->most(count));
    const size_t size = wire->pack(wire->context, bytes, count, a->packed.data);
    if (size >= count) {
        return count;
    }
    memcpy(bytes, a->packed.data, size);
    return size;
}

/* What came from a rank goes to its place in the result. */
static void take_answer(answering *a, int rank, const uint8_t *from, uint64_t count) {
    uint64_t *place = &a->place[rank];
    const uint64_t whole = nd_min(a->end[rank] - *place, a->share);
    ND_ASSERT(count <= whole, count, whole, (uint64_t)rank);
    if (count < whole) {
        const nd_wire *wire = wire_to(a, rank);
        const bool all = wire != NULL && wire->unpack(wire->context, (nd_span){from, count},
                                                      a->result + *place, whole);
        ND_ASSERT(all, count, whole, (uint64_t)rank);
    } else if (count > 0) {
        memcpy(a->result + *place, from, count);
    }
    *place += whole;
}

/* The next round to the others. */
static nd_status fill_round(answering *a, answer_round *round) {
    nd_status st = ND_OK;
    uint64_t total = 0;
    for (int r = 0; r < a->comm->size; r++) {
        round->begin[r] = total;
        round->count[r] = r == a->comm->rank ? 0 : nd_min(a->answers[r].left, a->share);
        total += round->count[r];
    }
    free(round->bytes);
    round->bytes = NULL;
    nd_new_room(&round->bytes, total, 1);
    for (int r = 0; st == ND_OK && r < a->comm->size; r++) {
        uint8_t *to = round->bytes + round->begin[r];
        const nd_wire *wire = wire_to(a, r);
        st = fill_answer(a, &a->answers[r], round->count[r], to);
        if (st == ND_OK && wire != NULL) {
            round->count[r] = pack(a, wire, to, round->count[r]);
        }
    }
    return st;
}

static nd_status run_rounds(answering *a) {
    nd_status st = ND_OK;
    nd_comm *comm = a->comm;
    uint64_t rounds = 0;
    for (int r = 0; r < comm->size; r++) {
        if (r != comm->rank) {
            rounds = nd_max(rounds, (a->answers[r].left + a->share - 1) / a->share);
        }
    }
    rounds = nd_comm_max(comm, rounds);
    st = rounds > 0 ? fill_round(a, &a->rounds[0]) : fill_own(a);
    for (uint64_t i = 0; i < rounds; i++) {
        const answer_round *round = &a->rounds[i % 2];
        uint8_t *received = NULL;
        uint64_t total = 0;
        ND_TRY(nd_comm_agree(comm, st));
        ND_TRY(nd_exchange_start(comm, round->bytes, round->begin, round->count, 1, a->received,
                                 &a->flight));
        st = i + 1 < rounds ? fill_round(a, &a->rounds[(i + 1) % 2]) : fill_own(a);
        nd_exchange_finish(&a->flight, &received, &total);
        const uint8_t *from = received;
        for (int r = 0; r < comm->size; r++) {
            if (r != comm->rank) {
                take_answer(a, r, from, a->received[r]);
                from += a->received[r];
            }
        }
        free(received);
    }
    ND_TRY(nd_comm_agree(comm, st));
out:
    return st;
}

/* ---- items of one size */

nd_status nd_fetch_fixed(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                         uint64_t count, const nd_provider *provider, size_t size, void *bytes) {
    nd_status st = ND_OK;
    requests r = {0};
    answering a = {.comm = comm, .provider = provider, .requests = &r, .fixed = size};
    ND_TRY(send_requests(comm, first, items, count, &r));
    nd_new_room(&a.result, count, size);
    answering_new(&a);
    for (uint64_t rank = 0, item = 0; rank < (uint64_t)comm->size; rank++) {
        a.place[rank] = item * size;
        item += r.asked[rank];
        a.end[rank] = item * size;
    }
    ND_TRY(run_rounds(&a));
    ND_ASSERT(a.place[comm->size - 1] == count * size, a.place[comm->size - 1], count, size);
out:
    if (st != ND_OK) {
        free(a.result);
        a.result = NULL;
    }
    memcpy(bytes, &a.result, sizeof a.result);
    answering_free(&a);
    requests_free(&r);
    return st;
}

/* ---- items of any size */

/* No more than is needed, and some for the next time. */
static void make_room(void *items, size_t *capacity, size_t need, size_t size) {
    (nd_grow_within)(items, capacity, need, need + need / 8, size, __func__);
}

nd_status nd_fetch(nd_comm *comm, const uint64_t *first, const uint64_t *items, uint64_t count,
                   const nd_provider *provider, nd_fetched *out) {
    nd_status st = ND_OK;
    requests r = {0};
    uint64_t *sizes = NULL;    /* of what this rank will have to send */
    uint64_t *received = NULL; /* sizes of what it asked for */
    uint64_t *counts = NULL;
    uint64_t total = 0;
    answering a = {.comm = comm, .provider = provider, .requests = &r};
    ND_TRY(send_requests(comm, first, items, count, &r));

    /* the sizes first: begin[0..count] of the result */
    nd_new_room(&sizes, r.total, sizeof *sizes);
    nd_new(&counts, (size_t)comm->size, sizeof *counts);
    make_room(&out->begin, &out->begin_capacity, count + 1, sizeof(uint64_t));
    for (uint64_t i = 0; i < r.total; i++) {
        sizes[i] = provider->size(provider->context, r.items[i]);
    }
    ND_TRY(nd_exchange(comm, sizes, r.answered, sizeof *sizes, &received, counts, &total));
    ND_ASSERT(total == count, total, count); /* one size for each item */
    out->begin[0] = 0;
    for (uint64_t i = 0; i < count; i++) {
        out->begin[i + 1] = out->begin[i] + received[i];
    }
    a.sizes = sizes;
    make_room(&out->bytes, &out->bytes_capacity, out->begin[count] + 1, 1);
    answering_new(&a);
    for (uint64_t rank = 0, item = 0; rank < (uint64_t)comm->size; rank++) {
        a.place[rank] = out->begin[item];
        item += r.asked[rank];
        a.end[rank] = out->begin[item];
    }
    a.result = out->bytes;
    ND_TRY(run_rounds(&a));
    ND_ASSERT(a.place[comm->size - 1] == out->begin[count], a.place[comm->size - 1],
              out->begin[count]);
out:
    if (st != ND_OK) {
        nd_fetched_free(out);
    }
    free(sizes);
    free(received);
    free(counts);
    answering_free(&a);
    requests_free(&r);
    return st;
}

void nd_fetched_free(nd_fetched *fetched) {
    free(fetched->bytes);
    free(fetched->begin);
    *fetched = (nd_fetched){0};
}

/* ---- records out of an array */

typedef struct own_records {
    const uint8_t *records;
    size_t size;
    uint64_t first; /* item of the first */
} own_records;

static nd_status record_of(void *context, uint64_t item, nd_span *bytes) {
    const own_records *own = context;
    *bytes = (nd_span){own->records + (item - own->first) * own->size, own->size};
    return ND_OK;
}

nd_status nd_fetch_records(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                           uint64_t count, const void *own, size_t size, void *records) {
    own_records context = {own, size, first[comm->rank]};
    const nd_provider provider = {.context = &context, .give = record_of};
    return nd_fetch_fixed(comm, first, items, count, &provider, size, records);
}

nd_status nd_lookup(nd_comm *comm, const uint64_t *first, const uint64_t *table,
                    const uint64_t *items, uint64_t count, uint64_t *values) {
    nd_status st = ND_OK;
    const uint64_t own = first[comm->rank];
    const uint64_t end = first[comm->rank + 1];
    const uint64_t room = comm->round_bytes / sizeof(uint64_t) + 1;
    nd_key_value *others = NULL; /* items of other ranks: (item, its place) */
    uint64_t *distinct = NULL;
    uint64_t *found = NULL;
    nd_new_room(&others, nd_min(count, room), sizeof *others);
    nd_new_room(&distinct, nd_min(count, room), sizeof *distinct);
    ND_ASSERT(own <= end && end <= first[comm->size], own, end, first[comm->size]);
    for (uint64_t done = 0; nd_comm_max(comm, count - done) > 0;) {
        const uint64_t until = done + nd_min(count - done, room);
        uint64_t other_count = 0;
        uint64_t asked = 0;
        for (uint64_t i = done; i < until; i++) {
            if (items[i] >= own && items[i] < end) {
                values[i] = table[items[i] - own];
            } else {
                others[other_count++] = (nd_key_value){items[i], i};
            }
        }
        nd_numbers_places(others, other_count, distinct, &asked);
        ND_TRY(nd_fetch_records(comm, first, distinct, asked, table, sizeof *table, &found));
        for (uint64_t i = 0; i < other_count; i++) {
            ND_ASSERT(others[i].key < asked && others[i].value < until, others[i].key, asked);
            values[others[i].value] = found[others[i].key];
        }
        free(found);
        found = NULL;
        done = until;
    }
out:
    free(others);
    free(distinct);
    free(found);
    return st;
}
