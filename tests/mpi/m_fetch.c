/* Fetching from other ranks: every item's answer can be worked out from its number. */
#include "mpi/comm/fetch.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 60, FIXED_BYTES = 12 };

static uint8_t byte_of(uint64_t item, size_t place) {
    return (uint8_t)nd_mix64(item * MOST_BYTES + place);
}

/* A third of the items have no bytes. */
static size_t size_of(uint64_t item) {
    return item % 3 == 0 ? 0 : (size_t)(nd_mix64(item) % MOST_BYTES);
}

/* What a provider needs: a place for the present answer, and the items that may be asked. */
typedef struct shelf {
    uint8_t *bytes; /* of all own items, MOST_BYTES each */
    uint8_t *answer;
    uint64_t first, end;
    uint64_t strangers; /* items asked that are not this rank's */
    bool fails;         /* to give the last one */
} shelf;

static bool is_own(shelf *s, uint64_t item) {
    const bool own = item >= s->first && item < s->end;
    s->strangers += !own;
    return own;
}

static uint64_t give_size(const void *context, uint64_t item) {
    (void)context;
    return size_of(item);
}

/* The same buffer for each answer: it is borrowed until the next call only. */
static nd_status give(void *context, uint64_t item, nd_span *bytes) {
    shelf *s = context;
    *bytes = (nd_span){s->answer, size_of(item)};
    if (is_own(s, item)) {
        memcpy(s->answer, s->bytes + (item - s->first) * MOST_BYTES, size_of(item));
    }
    return s->fails && item == s->end - 1 ? nd_fail(ND_ERR_IO, "the last item is gone") : ND_OK;
}

static nd_status give_fixed(void *context, uint64_t item, nd_span *bytes) {
    shelf *s = context;
    (void)is_own(s, item);
    for (size_t i = 0; i < FIXED_BYTES; i++) {
        s->answer[i] = byte_of(item, i);
    }
    *bytes = (nd_span){s->answer, FIXED_BYTES};
    return ND_OK;
}

/* Items of this trial by rank, some ranks without any; the same on all ranks. */
static void draw_ranges(nd_random *random, int size, uint64_t *first) {
    static const uint64_t mosts[] = {1, 2, 3, 400};
    first[0] = 0;
    for (int r = 0; r < size; r++) {
        const uint64_t most = mosts[nd_random_below(random, 4)];
        first[r + 1] = first[r] + nd_random_below(random, most);
    }
}

static void open_shelf(shelf *s, const nd_comm *comm, const uint64_t *first) {
    *s = (shelf){.first = first[comm->rank], .end = first[comm->rank + 1]};
    s->bytes = nd_mpi_test_new(s->end - s->first, MOST_BYTES);
    s->answer = nd_mpi_test_new(1, MOST_BYTES);
    for (uint64_t item = s->first; item < s->end; item++) {
        for (size_t i = 0; i < MOST_BYTES; i++) {
            s->bytes[(item - s->first) * MOST_BYTES + i] = byte_of(item, i);
        }
    }
}

static void close_shelf(shelf *s) {
    free(s->bytes);
    free(s->answer);
}

/* Up to `most` items of `total`, ascending and distinct; each rank its own. */
static uint64_t *draw_items(nd_random *random, uint64_t total, uint64_t most, uint64_t *count) {
    *count = total == 0 ? 0 : nd_random_below(random, most + 1);
    uint64_t *items = nd_mpi_test_new(*count, sizeof *items);
    for (uint64_t i = 0; i < *count; i++) {
        items[i] = nd_random_below(random, total);
    }
    *count = nd_numbers_distinct(items, *count);
    return items;
}

static bool fetched_right(const nd_fetched *fetched, const uint64_t *items, uint64_t count) {
    bool right = fetched->begin[0] == 0;
    for (uint64_t i = 0; i < count && right; i++) {
        const uint8_t *bytes = fetched->bytes + fetched->begin[i];
        right = fetched->begin[i + 1] - fetched->begin[i] == size_of(items[i]);
        for (size_t k = 0; right && k < size_of(items[i]); k++) {
            right = bytes[k] == byte_of(items[i], k);
        }
    }
    return right;
}

static bool fixed_right(const uint8_t *bytes, const uint64_t *items, uint64_t count) {
    bool right = true;
    for (uint64_t i = 0; i < count * FIXED_BYTES && right; i++) {
        right = bytes[i] == byte_of(items[i / FIXED_BYTES], i % FIXED_BYTES);
    }
    return right;
}

static bool fetch_trial(nd_comm *comm, const uint64_t *first, nd_random *own, uint64_t most) {
    shelf s;
    uint64_t count = 0;
    uint64_t *items = draw_items(own, first[comm->size], most, &count);
    nd_fetched fetched = {0};
    uint8_t *fixed = NULL;
    open_shelf(&s, comm, first);
    const nd_provider any = {.context = &s, .size = give_size, .give = give};
    const nd_provider one_size = {.context = &s, .give = give_fixed};
    bool right = true;
    for (uint64_t part = 0; part < 3 && right;
         part++) { /* none, some, and all in the same memory */
        const uint64_t some = count * part / 2;
        right = ND_CHECK_ALL(comm, nd_fetch(comm, first, items, some, &any, &fetched) == ND_OK);
        right = right && ND_CHECK_ALL(comm, fetched_right(&fetched, items, some));
    }
    right = right && ND_CHECK_ALL(comm, nd_fetch_fixed(comm, first, items, count, &one_size,
                                                       FIXED_BYTES, &fixed) == ND_OK);
    right = right && ND_CHECK_ALL(comm, fixed_right(fixed, items, count));
    right = ND_CHECK_ALL(comm, s.strangers == 0) && right;
    nd_fetched_free(&fetched);
    free(fixed);
    free(items);
    close_shelf(&s);
    return right;
}

static void test_fetch(void) {
    static const uint64_t mosts[] = {0, 1, 2, 50, 2000};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("fetch");
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(60) && right; trial++) {
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        comm->round_bytes = trial % 2 == 0 ? 64 : round_bytes;
        draw_ranges(&random, comm->size, first);
        right = fetch_trial(comm, first, &own, mosts[trial % 5]);
    }
    comm->round_bytes = round_bytes;
    free(first);
}

/* Only one rank asks, the others have nothing to ask for and still take part. */
static void test_one_rank_asks(void) {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("one asks");
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + 10;
    }
    nd_random own = {nd_random_next(&random)};
    (void)fetch_trial(comm, first, &own, comm->rank == comm->size - 1 ? 1000 : 0);
    free(first);
}

/* An answer of one byte. */
static void test_one_byte(void) {
    nd_comm *comm = nd_mpi_test_comm();
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    uint64_t item = 0;
    shelf s;
    nd_fetched fetched = {0};
    while (size_of(item) != 1) {
        item++;
    }
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + item + 1;
    }
    open_shelf(&s, comm, first);
    const nd_provider any = {.context = &s, .size = give_size, .give = give};
    ND_CHECK_ALL(comm, nd_fetch(comm, first, &item, 1, &any, &fetched) == ND_OK);
    ND_CHECK_ALL(comm, fetched_right(&fetched, &item, 1));
    nd_fetched_free(&fetched);
    close_shelf(&s);
    free(first);
}

static uint64_t entry_of(uint64_t item) {
    return nd_mix64(item + 17);
}

static bool lookup_trial(nd_comm *comm, const uint64_t *first, nd_random *own, bool in_place) {
    const uint64_t total = first[comm->size];
    const uint64_t count = total == 0 ? 0 : nd_random_below(own, 500);
    uint64_t *items = nd_mpi_test_new(count, sizeof *items);
    uint64_t *asked = nd_mpi_test_new(count, sizeof *asked);
    uint64_t *values = nd_mpi_test_new(count, sizeof *values);
    const uint64_t begin = first[comm->rank];
    const uint64_t held = first[comm->rank + 1] - begin;
    uint64_t *table = nd_mpi_test_new(held, sizeof *table);
    for (uint64_t i = 0; i < held; i++) {
        table[i] = entry_of(begin + i);
    }
    for (uint64_t i = 0; i < count; i++) { /* any order; repeats where there are few items */
        items[i] = nd_random_below(own, total);
        asked[i] = items[i];
    }
    bool right = ND_CHECK_ALL(
        comm, nd_lookup(comm, first, table, items, count, in_place ? items : values) == ND_OK);
    bool same = true;
    for (uint64_t i = 0; i < count; i++) {
        same = same && (in_place ? items[i] : values[i]) == entry_of(asked[i]);
        same = same && (in_place || items[i] == asked[i]);
    }
    right = ND_CHECK_ALL(comm, same) && right;
    free(items);
    free(asked);
    free(values);
    free(table);
    return right;
}

static void test_lookup(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("lookup");
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(60) && right; trial++) {
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        comm->round_bytes = trial % 3 == 0 ? 1 + (uint64_t)trial : round_bytes; /* in pieces */
        draw_ranges(&random, comm->size, first);
        right = lookup_trial(comm, first, &own, trial % 2 == 0);
    }
    comm->round_bytes = round_bytes;
    free(first);
}

/* One rank cannot give one item, at once or while earlier answers travel: nobody gets anything. */
static void test_failing_provider(void) {
    enum { ITEMS = 600 }; /* some 12,000 bytes; rounds have 4,096 at least */
    nd_comm *comm = nd_mpi_test_comm();
    const bool fails = comm->rank == comm->size - 1;
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    uint64_t items[ITEMS];
    shelf s;
    nd_fetched fetched = {0};
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + ITEMS;
    }
    for (uint64_t i = 0; i < ITEMS; i++) { /* of the failing rank; the last one has bytes */
        items[i] = first[comm->size] - ITEMS + i;
    }
    while (size_of(first[comm->size] - 1) == 0) {
        first[comm->size]++;
        items[ITEMS - 1]++;
    }
    open_shelf(&s, comm, first);
    s.fails = fails;
    const nd_provider provider = {.context = &s, .size = give_size, .give = give};
    const uint64_t round_bytes = comm->round_bytes;
    for (int rounds = 0; rounds < 2; rounds++) {
        comm->round_bytes = rounds == 0 ? round_bytes : 64;
        const nd_status st =
            nd_fetch(comm, first, items, comm->rank == 0 ? ITEMS : 0, &provider, &fetched);
        ND_CHECK_ALL(comm, st == (fails ? ND_ERR_IO : ND_ERR_PEER));
        ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the last item is gone") != NULL);
        ND_CHECK_ALL(comm, fetched.bytes == NULL && fetched.begin == NULL);
    }
    comm->round_bytes = round_bytes;
    close_shelf(&s);
    free(first);
}

static void test_distinct_and_place(void) {
    uint64_t numbers[] = {9, 2, UINT64_MAX, 2, 0, 9, 9};
    CU_ASSERT_EQUAL(nd_numbers_distinct(numbers, 7), 4);
    CU_ASSERT_EQUAL(numbers[0], 0);
    CU_ASSERT_EQUAL(numbers[1], 2);
    CU_ASSERT_EQUAL(numbers[2], 9);
    CU_ASSERT_EQUAL(numbers[3], UINT64_MAX);
    for (uint64_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(nd_numbers_place(numbers, 4, numbers[i]), i);
    }
    CU_ASSERT_EQUAL(nd_numbers_distinct(numbers, 0), 0);
}

static const nd_test tests[] = {
    {"fetch, variable and fixed sizes", test_fetch},
    {"only one rank asks", test_one_rank_asks},
    {"an answer of one byte", test_one_byte},
    {"lookup", test_lookup},
    {"an item that cannot be given", test_failing_provider},
    {"distinct numbers and their places", test_distinct_and_place},
};

ND_SUITE(m_fetch, tests)
