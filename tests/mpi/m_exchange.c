/* Exchanges against one process that holds all records. */
#include "mpi/comm/exchange.h"
#include "src/base/sort.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

/* How the records of a trial lie and go. */
typedef struct trial {
    uint64_t most; /* records of a rank: 0 .. most */
    size_t record_size;
    uint64_t round_bytes;
    int target; /* all go to this rank; -1: to the rank of their hash */
    int source; /* only this rank has any; -1: all */
} trial;

static uint64_t hash_bytes(const uint8_t *bytes, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) {
        hash = nd_mix64(hash + bytes[i] + 1);
    }
    return hash;
}

static int owner_of(const void *record, int size, const void *context) {
    const trial *t = context;
    return t->target >= 0 ? t->target % size
                          : nd_comm_hash_owner(hash_bytes(record, t->record_size), size);
}

/* Does not change when records move: the sum of their hashes over all ranks. */
static uint64_t multiset_checksum(const nd_comm *comm, const uint8_t *records, uint64_t count,
                                  size_t size) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += hash_bytes(records + i * size, size);
    }
    return nd_comm_sum(comm, sum);
}

static uint8_t *random_records(nd_random *random, uint64_t count, size_t size) {
    uint8_t *records = nd_mpi_test_new(count, size);
    for (uint64_t i = 0; i < count * size; i++) {
        records[i] = (uint8_t)nd_random_next(random);
    }
    return records;
}

static int compare_size;

static int by_bytes(const void *a, const void *b) {
    return memcmp(a, b, (size_t)compare_size);
}

/* What this rank should get: of all records, rank by rank, those that belong to it, in order. */
static uint64_t expected_records(const nd_comm *comm, const trial *t, const uint8_t *all,
                                 uint64_t total, uint8_t *expected) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < total; i++) {
        const uint8_t *record = all + i * t->record_size;
        if (owner_of(record, comm->size, t) == comm->rank) {
            memcpy(expected + count++ * t->record_size, record, t->record_size);
        }
    }
    return count;
}

/* The sorted whole before and after the move. */
static bool same_when_sorted(const nd_comm *comm, const trial *t, uint8_t *all, uint64_t total,
                             const uint8_t *mine, uint64_t count) {
    uint64_t moved_total = 0;
    uint8_t *moved = nd_mpi_test_gather(comm, mine, count, t->record_size, &moved_total);
    compare_size = (int)t->record_size;
    nd_sort(all, total, t->record_size, by_bytes);
    nd_sort(moved, moved_total, t->record_size, by_bytes);
    const bool same = total == moved_total && memcmp(all, moved, total * t->record_size) == 0;
    free(moved);
    return same;
}

static uint64_t own_count(const nd_comm *comm, nd_random *random, const trial *t) {
    const uint64_t drawn = nd_random_below(random, t->most + 1);
    return t->source >= 0 && t->source % comm->size != comm->rank ? 0 : drawn;
}

static bool run_trial(nd_comm *comm, nd_random *random, const trial *t) {
    nd_random own = {nd_random_next(random) + (uint64_t)comm->rank};
    uint64_t count = own_count(comm, &own, t);
    uint8_t *records = random_records(&own, count, t->record_size);
    const uint64_t checksum = multiset_checksum(comm, records, count, t->record_size);
    uint64_t total = 0;
    uint8_t *all = nd_mpi_test_gather(comm, records, count, t->record_size, &total);
    uint8_t *expected = nd_mpi_test_new(total, t->record_size);
    const uint64_t expected_count = expected_records(comm, t, all, total, expected);
    uint64_t leaving = 0;
    for (uint64_t i = 0; i < count; i++) {
        leaving += owner_of(records + i * t->record_size, comm->size, t) != comm->rank;
    }
    const uint64_t sent = comm->bytes_sent;
    comm->round_bytes = t->round_bytes;
    bool right = ND_CHECK_ALL(
        comm, nd_shuffle(comm, &records, &count, t->record_size, owner_of, t) == ND_OK);
    if (right) {
        right = ND_CHECK_ALL(comm, count == expected_count &&
                                       memcmp(records, expected, count * t->record_size) == 0);
        right = ND_CHECK_ALL(comm, comm->bytes_sent - sent == leaving * t->record_size) && right;
        right = ND_CHECK_ALL(comm,
                             multiset_checksum(comm, records, count, t->record_size) == checksum) &&
                right;
        right = ND_CHECK_ALL(comm, same_when_sorted(comm, t, all, total, records, count)) && right;
    }
    free(records);
    free(all);
    free(expected);
    return right;
}

static void run_all(const trial *base) {
    static const uint64_t mosts[] = {0, 1, 2, 3, 800};
    static const size_t sizes[] = {1, 7, 16, 40};
    static const uint64_t rounds[] = {1, 100, 4096, UINT64_C(64) << 20};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("shuffle");
    bool right = true;
    for (size_t i = 0; right && i < 5 * 4 * 4; i++) {
        trial t = *base;
        t.most = mosts[i % 5];
        t.record_size = sizes[i / 5 % 4];
        t.round_bytes = rounds[i / 20];
        right = run_trial(comm, &random, &t);
    }
    comm->round_bytes = round_bytes;
}

static void test_shuffle_by_hash(void) {
    run_all(&(trial){.target = -1, .source = -1});
}

static void test_shuffle_all_to_one(void) {
    run_all(&(trial){.target = 1, .source = -1});
}

static void test_shuffle_all_from_one(void) {
    run_all(&(trial){.target = -1, .source = 2});
}

/* nd_exchange() in its two halves, between which ranks work, and work together. */
static nd_status exchange_in_halves(nd_comm *comm, const uint64_t *send,
                                    const uint64_t *send_counts, uint64_t **received,
                                    uint64_t *receive_counts, uint64_t *total) {
    uint64_t *begin = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *begin);
    uint64_t *nothing = NULL;
    uint64_t none = 1;
    nd_flight flight = {0};
    nd_exchange_move(&flight); /* nothing travels yet */
    for (int r = 0; r < comm->size; r++) {
        begin[r + 1] = begin[r] + send_counts[r];
    }
    const nd_status st =
        nd_exchange_start(comm, send, begin, send_counts, sizeof *send, receive_counts, &flight);
    for (int i = 0; i < 10 * comm->rank; i++) {
        nd_exchange_move(&flight);
    }
    ND_CHECK_ALL(comm, nd_comm_sum(comm, 1) == (uint64_t)comm->size);
    nd_exchange_move(&flight);
    nd_exchange_finish(&flight, received, total);
    nd_exchange_finish(&flight, &nothing, &none);
    ND_CHECK_ALL(comm, nothing == NULL && none == 0);
    free(begin);
    return st;
}

/* Rank r sends (r + to) % 3 records to each rank, numbered by (from, to, place). */
static void check_exchange_counts(bool halves) {
    nd_comm *comm = nd_mpi_test_comm();
    uint64_t *send_counts = nd_mpi_test_new(2 * (uint64_t)comm->size, sizeof *send_counts);
    uint64_t *receive_counts = send_counts + comm->size;
    uint64_t *send = nd_mpi_test_new(3 * (uint64_t)comm->size, sizeof *send);
    uint64_t *received = NULL;
    uint64_t total = 0;
    uint64_t count = 0;
    for (int to = 0; to < comm->size; to++) {
        send_counts[to] = (uint64_t)(comm->rank + to) % 3;
        for (uint64_t i = 0; i < send_counts[to]; i++) {
            send[count++] = (uint64_t)comm->rank << 32 | (uint64_t)to << 16 | i;
        }
    }
    const nd_status st =
        halves
            ? exchange_in_halves(comm, send, send_counts, &received, receive_counts, &total)
            : nd_exchange(comm, send, send_counts, sizeof *send, &received, receive_counts, &total);
    if (ND_CHECK_ALL(comm, st == ND_OK)) {
        uint64_t next = 0;
        for (int from = 0; from < comm->size; from++) {
            CU_ASSERT_EQUAL(receive_counts[from], (uint64_t)(from + comm->rank) % 3);
            for (uint64_t i = 0; i < receive_counts[from]; i++) {
                CU_ASSERT_EQUAL(received[next++],
                                (uint64_t)from << 32 | (uint64_t)comm->rank << 16 | i);
            }
        }
        CU_ASSERT_EQUAL(next, total);
    }
    free(received);
    free(send_counts);
    free(send);
}

static void test_exchange_counts(void) {
    check_exchange_counts(false);
}

static void test_exchange_in_halves(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    check_exchange_counts(true);
    comm->round_bytes = 1; /* a record a round */
    check_exchange_counts(true);
    comm->round_bytes = round_bytes;
}

/* Owners named one by one, and an array that was never allocated. */
static void test_shuffle_to_and_null(void) {
    nd_comm *comm = nd_mpi_test_comm();
    uint64_t count = 2;
    uint64_t *records = nd_mpi_test_new(count, sizeof *records);
    const int owners[2] = {(comm->rank + 1) % comm->size, comm->rank};
    records[0] = (uint64_t)comm->rank;
    records[1] = 100 + (uint64_t)comm->rank;
    if (ND_CHECK_ALL(comm,
                     nd_shuffle_to(comm, &records, &count, sizeof *records, owners) == ND_OK)) {
        const uint64_t before = (uint64_t)((comm->rank + comm->size - 1) % comm->size);
        const bool before_first = before < (uint64_t)comm->rank || comm->size == 1;
        CU_ASSERT_EQUAL(count, 2);
        CU_ASSERT_EQUAL(records[before_first ? 0 : 1], before);
        CU_ASSERT_EQUAL(records[before_first ? 1 : 0], 100 + (uint64_t)comm->rank);
    }
    free(records);
    records = NULL;
    count = 0;
    ND_CHECK_ALL(comm, nd_shuffle_to(comm, &records, &count, sizeof *records, owners) == ND_OK);
    CU_ASSERT_EQUAL(count, 0);
    free(records);
}

static const nd_test tests[] = {
    {"shuffle by hash", test_shuffle_by_hash},
    {"shuffle all to one rank", test_shuffle_all_to_one},
    {"shuffle all from one rank", test_shuffle_all_from_one},
    {"exchange: counts and order", test_exchange_counts},
    {"exchange in two halves", test_exchange_in_halves},
    {"shuffle to named ranks; nothing at all", test_shuffle_to_and_null},
};

ND_SUITE(m_exchange, tests)
