/* Streams of records: every record arrives once, whole and at its owner, however the records fall;
 * what arrives at once is bounded; and a failure on one rank is one on all. */
#include "mpi/comm/exchange.h"
#include "src/base/util.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIZE = 100 };

/* ---- records: a number, then bytes that follow from it */

static void write_record(uint8_t *record, size_t size, uint64_t number) {
    memcpy(record, &number, sizeof number);
    for (size_t i = sizeof number; i < size; i++) {
        record[i] = (uint8_t)nd_mix64(number * MOST_SIZE + i);
    }
}

static uint64_t number_of(const uint8_t *record) {
    uint64_t number = 0;
    memcpy(&number, record, sizeof number);
    return number;
}

static bool is_whole(const uint8_t *record, size_t size) {
    uint8_t expected[MOST_SIZE];
    write_record(expected, size, number_of(record));
    return memcmp(expected, record, size) == 0;
}

/* ---- where they go */

static int to_any(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(number_of(record)), size);
}

static int to_one(const void *record, int size, const void *context) {
    (void)record;
    return *(const int *)context % size;
}

/* Nine of ten to one rank. */
static int to_one_mostly(const void *record, int size, const void *context) {
    return number_of(record) % 10 == 0 ? to_any(record, size, context)
                                       : to_one(record, size, context);
}

/* ---- one rank's part of a trial */

typedef struct trial {
    const nd_comm *comm;
    size_t size; /* of a record */
    nd_owner owner;
    int favourite;
    uint64_t first; /* number of this rank's first record */
    uint64_t count;
    uint64_t given; /* by the source */
    bool ended;     /* the source has said so */
    bool asked_again;
    uint64_t *arrived; /* numbers */
    uint64_t arrived_count;
    uint64_t most;    /* records of one call */
    bool wrong;       /* damaged, or another rank's */
    uint64_t fail_at; /* the sink, or the source, fails at this record; 0: never */
} trial;

static nd_status take(void *context, const void *records, uint64_t count) {
    trial *t = context;
    const uint8_t *record = records;
    t->most = count > t->most ? count : t->most;
    for (uint64_t i = 0; i < count; i++, record += t->size) {
        t->wrong = t->wrong || !is_whole(record, t->size) ||
                   t->owner(record, t->comm->size, &t->favourite) != t->comm->rank;
        t->arrived[t->arrived_count++] = number_of(record);
    }
    return t->fail_at > 0 && t->arrived_count >= t->fail_at ? nd_fail(ND_ERR_IO, "the sink is full")
                                                            : ND_OK;
}

/* Gives fewer than there is room for, now and then. */
static nd_status give(void *context, void *records, uint64_t room, uint64_t *count) {
    trial *t = context;
    uint8_t *record = records;
    const uint64_t left = t->count - t->given;
    const uint64_t most = t->given % 3 == 0 ? room : (room + 1) / 2;
    t->asked_again = t->asked_again || t->ended;
    *count = left < most ? left : most;
    for (uint64_t i = 0; i < *count; i++, record += t->size) {
        write_record(record, t->size, t->first + t->given++);
    }
    t->ended = *count == 0;
    return t->fail_at > 0 && t->given >= t->fail_at ? nd_fail(ND_ERR_IO, "the source is dry")
                                                    : ND_OK;
}

static nd_shuffle_stream open_trial(trial *t, nd_comm *comm, uint64_t count, uint64_t *total) {
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_comm_ranges(comm, count, first);
    *total = first[comm->size];
    t->comm = comm;
    t->count = count;
    t->first = first[comm->rank];
    t->arrived = nd_mpi_test_new(*total, sizeof *t->arrived);
    free(first);
    return (nd_shuffle_stream){.comm = comm,
                               .record_size = t->size,
                               .owner = t->owner,
                               .owner_context = &t->favourite,
                               .sink = take,
                               .sink_context = t};
}

static uint8_t *all_records(const trial *t) {
    uint8_t *records = nd_mpi_test_new(t->count, t->size);
    for (uint64_t i = 0; i < t->count; i++) {
        write_record(records + i * t->size, t->size, t->first + i);
    }
    return records;
}

/* ---- what must hold */

/* Every number arrived once, on whatever rank. */
static bool all_arrived(const trial *t, uint64_t total) {
    uint64_t gathered = 0;
    uint64_t *numbers =
        nd_mpi_test_gather(t->comm, t->arrived, t->arrived_count, sizeof *numbers, &gathered);
    uint8_t *times = nd_mpi_test_new(total, 1);
    bool once = gathered == total;
    for (uint64_t i = 0; i < gathered && once; i++) {
        once = numbers[i] < total && times[numbers[i]]++ == 0;
    }
    free(numbers);
    free(times);
    return once;
}

/* Twice what a rank sends at once, however many send to it: and one record of each rank at least.
 */
static bool is_bounded(const trial *t) {
    const uint64_t room = t->comm->round_bytes / t->size;
    return t->most <= 2 * (room < 2 ? 2 : room) + (uint64_t)t->comm->size;
}

static bool check_trial(const trial *t, uint64_t total) {
    bool right = ND_CHECK_ALL(t->comm, !t->wrong && !t->asked_again);
    return ND_CHECK_ALL(t->comm, all_arrived(t, total)) && right;
}

static nd_spool spool_of(const trial *t, nd_spool_folder *folder) {
    nd_spool spool;
    uint8_t *records = all_records(t);
    nd_spool_open(&spool, folder, 1);
    CU_ASSERT_EQUAL(nd_spool_append(&spool, records, t->count * t->size), ND_OK);
    free(records);
    return spool;
}

/* All ways to send the same records. */
static bool send_all_ways(nd_comm *comm, trial t, uint64_t count) {
    uint64_t total = 0;
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    const nd_shuffle_stream stream = open_trial(&t, comm, count, &total);
    bool right = ND_CHECK_ALL(comm, nd_shuffle_run(&stream, give, &t) == ND_OK);
    right = ND_CHECK_ALL(comm, is_bounded(&t)) && check_trial(&t, total) && right;

    uint8_t *records = all_records(&t);
    t.arrived_count = t.most = 0;
    right = ND_CHECK_ALL(comm, nd_shuffle_send(&stream, records, count) == ND_OK) && right;
    right = ND_CHECK_ALL(comm, comm->size == 1 || is_bounded(&t)) && right;
    right = check_trial(&t, total) && right;

    int *owners = nd_mpi_test_new(count, sizeof *owners);
    for (uint64_t i = 0; i < count; i++) {
        owners[i] = t.owner(records + i * t.size, comm->size, &t.favourite);
    }
    t.arrived_count = t.most = 0;
    right =
        ND_CHECK_ALL(comm, nd_shuffle_send_to(&stream, records, count, owners) == ND_OK) && right;
    right = ND_CHECK_ALL(comm, comm->size == 1 || is_bounded(&t)) && right;
    right = check_trial(&t, total) && right;
    free(owners);
    free(records);

    nd_spool_reader reader;
    nd_spool spool = spool_of(&t, &folder);
    nd_spool_reader_open(&reader, &spool, t.size, 0, count, 0);
    t.arrived_count = t.most = 0;
    right = ND_CHECK_ALL(comm, nd_shuffle_run(&stream, nd_shuffle_from_spool, &reader) == ND_OK) &&
            right;
    right = ND_CHECK_ALL(comm, is_bounded(&t)) && check_trial(&t, total) && right;
    nd_spool_reader_close(&reader);
    nd_spool_close(&spool);
    free(t.arrived);
    return right;
}

/* ---- the tests */

static const nd_owner owners[] = {to_any, to_one, to_one_mostly};

/* Rounds of less than a record to rounds of everything; ranks with many records and with none. */
static void test_everything_arrives(void) {
    static const size_t sizes[] = {8, 12, 24, MOST_SIZE};
    static const uint64_t rounds[] = {1, 100, 1000, 8000};
    static const uint64_t mosts[] = {0, 1, 30, 700};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("stream");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(48) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 48);
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        const trial t = {.size = sizes[i % 4],
                         .owner = owners[i % 3],
                         .favourite = (int)nd_random_below(&random, 100)};
        uint64_t most = mosts[nd_random_below(&own, 4)];
        comm->round_bytes = rounds[(i + i / 4) % 4];
        most =
            comm->round_bytes == 1 ? nd_min(most, 30) : most; /* a round of one record takes long */
        right =
            send_all_ways(comm, t, nd_random_below(&own, (uint64_t)nd_test_rounds((int)most) + 1));
    }
    comm->round_bytes = round_bytes;
}

/* Many more records than a round holds, all to one rank: it gets them piece by piece. */
static void test_all_to_one(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    comm->round_bytes = 4096;
    for (int rank = 0; rank < comm->size; rank++) {
        const trial t = {.size = 16, .owner = to_one, .favourite = rank};
        (void)send_all_ways(comm, t, (uint64_t)nd_test_rounds(20000) / (uint64_t)comm->size);
    }
    comm->round_bytes = round_bytes;
}

/* Only one rank has records. */
static void test_one_sender(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    comm->round_bytes = 1000;
    for (int rank = 0; rank < comm->size; rank++) {
        const trial t = {.size = 24, .owner = to_any};
        (void)send_all_ways(comm, t, rank == comm->rank ? (uint64_t)nd_test_rounds(3000) : 0);
    }
    comm->round_bytes = round_bytes;
}

/* The sink of the last rank fails in the middle: all ranks learn of it and why, and none hangs. */
static void test_failing_sink(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    const bool fails = comm->rank == comm->size - 1;
    uint64_t total = 0;
    comm->round_bytes = 1000;
    trial t = {.size = 24, .owner = to_any};
    const nd_shuffle_stream stream = open_trial(&t, comm, 2000, &total);
    trial source = t; /* which does not fail */
    t.fail_at = fails ? 500 : 0;
    ND_CHECK_ALL(comm, nd_shuffle_run(&stream, give, &source) == (fails ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the sink is full") != NULL);
    ND_CHECK_ALL(comm, source.given < source.count); /* the others did not go on */
    free(t.arrived);
    comm->round_bytes = round_bytes;
}

static void test_failing_source(void) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    const bool fails = comm->rank == 0;
    uint64_t total = 0;
    comm->round_bytes = 1000;
    trial t = {.size = 24, .owner = to_any};
    const nd_shuffle_stream stream = open_trial(&t, comm, fails ? 2000 : 10, &total);
    trial source = t; /* which fails, where the sink does not */
    source.fail_at = fails ? 700 : 0;
    ND_CHECK_ALL(comm, nd_shuffle_run(&stream, give, &source) == (fails ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the source is dry") != NULL);
    free(t.arrived);
    comm->round_bytes = round_bytes;
}

static const nd_test tests[] = {
    {"everything arrives", test_everything_arrives},
    {"all records to one rank", test_all_to_one},
    {"one sender", test_one_sender},
    {"a sink that fails", test_failing_sink},
    {"a source that fails", test_failing_source},
};

ND_SUITE(m_shuffle_stream, tests)
