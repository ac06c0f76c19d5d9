#include "mpi/fetch.h"

#include "mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

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
    st = nd_new(&r->asked, (size_t)comm->size, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&r->answered, (size_t)comm->size, sizeof(uint64_t));
    ND_TRY(nd_comm_agree(comm, st));
    for (uint64_t i = 0; i < count; i++) {
        r->asked[nd_comm_range_owner(first, comm->size, items[i])]++;
    }
    ND_TRY(nd_exchange(comm, items, r->asked, sizeof *items, &r->items, r->answered, &r->total));
out:
    if (st != ND_OK) {
        requests_free(r);
        *r = (requests){0};
    }
    return st;
}

/* Copy the answers one after the other; sizes[i] and per-rank byte counts on the way. */
static nd_status collect_answers(const nd_comm *comm, const requests *r, nd_fetch_provider provider,
                                 const void *context, nd_buffer *bytes, uint64_t *sizes,
                                 uint64_t *bytes_to) {
    nd_status st = ND_OK;
    uint64_t next = 0;
    for (int rank = 0; rank < comm->size; rank++) {
        for (uint64_t i = 0; i < r->answered[rank]; i++, next++) {
            const nd_span answer = provider(context, r->items[next]);
            ND_TRY(nd_buffer_append(bytes, answer.data, answer.size));
            sizes[next] = answer.size;
            bytes_to[rank] += answer.size;
        }
    }
out:
    return st;
}

nd_status nd_fetch_fixed(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                         uint64_t count, nd_fetch_provider provider, const void *context,
                         size_t size, void *bytes) {
    nd_status st = ND_OK;
    requests r = {0};
    uint8_t *answers = NULL;
    uint8_t *received = NULL;
    uint64_t total = 0;
    ND_TRY(send_requests(comm, first, items, count, &r));
    ND_TRY(nd_comm_agree(comm, nd_new(&answers, r.total, size)));
    for (uint64_t i = 0; i < r.total; i++) {
        memcpy(answers + i * size, provider(context, r.items[i]).data, size);
    }
    ND_TRY(nd_exchange(comm, answers, r.answered, size, &received, r.asked, &total));
out:
    free(answers);
    requests_free(&r);
    memcpy(bytes, &received, sizeof received);
    return st;
}

/* From sizes to running totals, in place: begin[0..count]. */
static void totals(uint64_t *begin, uint64_t count) {
    uint64_t total = 0;
    for (uint64_t i = 0; i <= count; i++) {
        const uint64_t size = i < count ? begin[i] : 0;
        begin[i] = total;
        total += size;
    }
}

nd_status nd_fetch(nd_comm *comm, const uint64_t *first, const uint64_t *items, uint64_t count,
                   nd_fetch_provider provider, const void *context, nd_fetched *out) {
    nd_status st = ND_OK;
    requests r = {0};
    nd_buffer answers = {0};
    uint64_t *sizes = NULL;
    uint64_t *bytes_to = NULL;
    uint64_t *received = NULL;
    uint64_t total = 0;
    *out = (nd_fetched){0};
    ND_TRY(send_requests(comm, first, items, count, &r));
    st = nd_new(&sizes, r.total, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&bytes_to, 2 * (size_t)comm->size, sizeof(uint64_t));
    st = st != ND_OK ? st : collect_answers(comm, &r, provider, context, &answers, sizes, bytes_to);
    st = st != ND_OK ? st : nd_new(&out->begin, count + 1, sizeof(uint64_t));
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_exchange(comm, sizes, r.answered, sizeof *sizes, &received, r.asked, &total));
    if (count > 0) {
        memcpy(out->begin, received, count * sizeof *received);
    }
    totals(out->begin, count);
    ND_TRY(
        nd_exchange(comm, answers.data, bytes_to, 1, &out->bytes, bytes_to + comm->size, &total));
out:
    if (st != ND_OK) {
        nd_fetched_free(out);
    }
    requests_free(&r);
    nd_buffer_free(&answers);
    free(sizes);
    free(bytes_to);
    free(received);
    return st;
}

void nd_fetched_free(nd_fetched *fetched) {
    free(fetched->bytes);
    free(fetched->begin);
    *fetched = (nd_fetched){0};
}

typedef struct own_table {
    const uint64_t *table;
    uint64_t first; /* item of table[0] */
} own_table;

static nd_span table_entry(const void *context, uint64_t item) {
    const own_table *own = context;
    return (nd_span){(const uint8_t *)&own->table[item - own->first], sizeof(uint64_t)};
}

nd_status nd_lookup(nd_comm *comm, const uint64_t *first, const uint64_t *table,
                    const uint64_t *items, uint64_t count, uint64_t *values) {
    nd_status st = ND_OK;
    uint64_t *distinct = NULL;
    uint64_t *found = NULL;
    const own_table own = {table, first[comm->rank]};
    ND_TRY(nd_comm_agree(comm, nd_new(&distinct, count, sizeof(uint64_t))));
    if (count > 0) {
        memcpy(distinct, items, count * sizeof *items);
    }
    const uint64_t asked = nd_numbers_distinct(distinct, count);
    ND_TRY(
        nd_fetch_fixed(comm, first, distinct, asked, table_entry, &own, sizeof(uint64_t), &found));
    for (uint64_t i = 0; i < count; i++) {
        values[i] = found[nd_numbers_place(distinct, asked, items[i])];
    }
out:
    free(distinct);
    free(found);
    return st;
}
