/* Units cover the sources whatever the number of ranks; false record starts are mended. */
#include "mpi/job/inputs.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX /* usable in tables */

/* ---- the cut */

typedef struct sources {
    nd_input_list list;
    nd_source_shape *shapes;
} sources;

static sources draw_sources(nd_random *random, uint64_t count, uint64_t most_bytes) {
    sources s = {.list = {.count = count, .inputs = nd_mpi_test_new(count, sizeof(nd_input))},
                 .shapes = nd_mpi_test_new(count, sizeof(nd_source_shape))};
    for (uint64_t i = 0; i < count; i++) {
        s.list.inputs[i].is.bytes = nd_random_below(random, most_bytes);
        s.shapes[i] =
            (nd_source_shape){.bytes = s.list.inputs[i].is.bytes,
                              .splittable = nd_random_below(random, 3) > 0,
                              .format = nd_random_below(random, 8) > 0 ? "warc.gz" : NULL};
    }
    return s;
}

static void free_sources(sources *s) {
    free(s->list.inputs);
    free(s->shapes);
}

/* Every source that can be used is covered, in order, without gap or overlap; one that cannot be
 * split is one unit. */
static bool covers(const sources *s, const nd_units *units, uint64_t unit_bytes) {
    size_t next = 0;
    for (uint32_t i = 0; i < s->list.count; i++) {
        uint64_t place = 0;
        const size_t from = next;
        for (; next < units->count && units->units[next].source == i; next++) {
            const nd_unit *unit = &units->units[next];
            const bool too_long = s->shapes[i].splittable && unit->end - unit->begin > unit_bytes;
            if (unit->begin != place || unit->end <= unit->begin || too_long) {
                return false;
            }
            place = unit->end;
        }
        if (place != (s->shapes[i].format == NULL ? 0 : s->shapes[i].bytes) ||
            (!s->shapes[i].splittable && next - from > 1)) {
            return false;
        }
    }
    return next == units->count;
}

/* The ranks' own units follow one another and leave none out; no rank has more than its share and
 * the longest unit. A file counts for 16 KiB more than its bytes. */
static bool deals(const sources *s, uint64_t unit_bytes, int size) {
    size_t next = 0;
    uint64_t total = 0;
    uint64_t longest = 0;
    uint64_t most = 0;
    bool right = true;
    for (int rank = 0; rank < size && right; rank++) {
        nd_units units;
        uint64_t own = 0;
        right = nd_units_cut(&units, &s->list, s->shapes, unit_bytes, rank, size) == ND_OK &&
                covers(s, &units, unit_bytes) && units.own_end >= units.own_begin &&
                (units.own_begin == next || units.own_begin == units.own_end) &&
                (rank + 1 < size || units.own_end == units.count);
        next = units.own_begin == units.own_end ? next : units.own_end;
        right = right && (rank + 1 < size || next == units.count);
        for (size_t i = 0; i < units.count; i++) {
            const uint64_t cost = units.units[i].end - units.units[i].begin + (16 << 10);
            total += rank == 0 ? cost : 0;
            longest = cost > longest ? cost : longest;
            own += i >= units.own_begin && i < units.own_end ? cost : 0;
        }
        most = own > most ? own : most;
        nd_units_free(&units);
    }
    return right && (double)most <= (double)total / size + (double)longest + 1;
}

static void test_cut(void) {
    static const uint64_t unit_sizes[] = {1, 1000, 65536, 1 << 20};
    nd_random random = nd_mpi_test_random("cut");
    for (int trial = 0; trial < nd_test_rounds(60); trial++) {
        const uint64_t unit_bytes = unit_sizes[trial % 4];
        sources s = draw_sources(&random, nd_random_below(&random, 30), 1 + 40 * unit_bytes);
        for (int size = 1; size <= 9; size++) {
            CU_ASSERT(deals(&s, unit_bytes, size));
        }
        free_sources(&s);
    }
}

/* The size that is chosen where none is asked for: 1 to 64 MiB, so that sources are covered too. */
static void test_chosen_size(void) {
    nd_input inputs[2] = {{.is = {.bytes = UINT64_C(10) << 30}}, {.is = {.bytes = 100}}};
    nd_source_shape shapes[2] = {
        {.bytes = UINT64_C(10) << 30, .splittable = true, .format = "warc"},
        {.bytes = 100, .splittable = true, .format = "jsonl"}};
    const nd_input_list list = {.inputs = inputs, .count = 2};
    const sources s = {list, shapes};
    static const int sizes[] = {1, 64, 100000};
    static const uint64_t most[] = {UINT64_C(64) << 20, UINT64_C(40) << 20, UINT64_C(1) << 20};
    for (int i = 0; i < 3; i++) {
        nd_units units;
        CU_ASSERT_EQUAL(
            nd_units_cut(&units, &list, shapes, nd_units_bytes(&list, 0, sizes[i]), 0, sizes[i]),
            ND_OK);
        CU_ASSERT(covers(&s, &units, most[i]));
        CU_ASSERT(units.units[0].end - units.units[0].begin == most[i]);
        nd_units_free(&units);
    }
}

/* Units of which some were read: the others are dealt so that no rank has more than its share of
 * them and the longest one, and every unit is somebody's. */
static void check_deal(nd_units *units, int size) {
    size_t next = 0;
    uint64_t total = 0;
    uint64_t longest = 0;
    for (size_t i = 0; i < units->count; i++) {
        const nd_unit *unit = &units->units[i];
        const uint64_t cost = unit->done ? 0 : unit->end - unit->begin + (16 << 10);
        total += cost;
        longest = cost > longest ? cost : longest;
    }
    for (int rank = 0; rank < size; rank++) {
        uint64_t own = 0;
        nd_units_deal(units, rank, size);
        CU_ASSERT(units->own_begin == units->own_end || units->own_begin == next);
        for (size_t i = units->own_begin; i < units->own_end; i++, next++) {
            const nd_unit *unit = &units->units[i];
            own += unit->done ? 0 : unit->end - unit->begin + (16 << 10);
        }
        CU_ASSERT((double)own <= (double)total / size + (double)longest + 1);
    }
    CU_ASSERT_EQUAL(next, units->count);
}

static void test_deal_what_is_left(void) {
    nd_random random = nd_mpi_test_random("what is left");
    for (uint64_t trial = 0; trial < 50; trial++) {
        sources s = draw_sources(&random, nd_random_below(&random, 30), 1 << 21);
        nd_units units;
        CU_ASSERT_EQUAL(nd_units_cut(&units, &s.list, s.shapes, 65536, 0, 1), ND_OK);
        for (size_t i = 0; i < units.count; i++) {
            units.units[i].done = nd_random_below(&random, 5) < trial % 6; /* none to all */
        }
        for (int size = 1; size <= 9; size++) {
            check_deal(&units, size);
        }
        nd_units_free(&units);
        free_sources(&s);
    }
}

/* ---- what the owners know */

/* Everything that reading says, distinguished by unit and field. */
static nd_unit read_as(uint64_t source, uint64_t begin, uint64_t end, size_t i) {
    const uint64_t said = 100 * (uint64_t)i;
    nd_unit unit = {.source = source,
                    .begin = begin,
                    .end = end,
                    .first = i % 3 == 0 ? NONE : said,
                    .next = i % 3 == 0 ? NONE : said + 1,
                    .done = i % 2,
                    .reads = said + 2,
                    .records = said + 3,
                    .pages = said + 4,
                    .skipped = said + 6,
                    .page_bytes = said + 7,
                    .place = said + 8,
                    .failed = i % 5 == 0,
                    .checksum = said + 9};
    for (size_t reason = 0; reason < ND_OTHERS; reason++) {
        unit.others[reason] = said + 10 + reason;
    }
    return unit;
}

/* More units than are said at once. */
static void test_share(void) {
    enum { UNITS = 20000 };
    nd_comm *comm = nd_mpi_test_comm();
    nd_input input = {.is = {.bytes = UNITS}};
    nd_source_shape shape = {.bytes = UNITS, .splittable = true, .format = "warc"};
    const nd_input_list list = {.inputs = &input, .count = 1};
    nd_units units;
    ND_CHECK_ALL(comm, nd_units_cut(&units, &list, &shape, 1, comm->rank, comm->size) == ND_OK);
    CU_ASSERT_EQUAL(units.count, UNITS);
    for (size_t i = units.own_begin; i < units.own_end; i++) {
        units.units[i] = read_as(0, i, i + 1, i);
    }
    nd_units_share(&units, comm);
    bool right = true;
    for (size_t i = 0; i < units.count; i++) {
        const nd_unit expected = read_as(0, i, i + 1, i);
        right = right && memcmp(&units.units[i], &expected, sizeof expected) == 0;
    }
    ND_CHECK_ALL(comm, right);
    nd_units_free(&units);
}

/* ---- the mending */

/* Units of 100 bytes; where records truly start, and where a search would think that they do. */
typedef struct tape {
    uint64_t bytes;
    const uint64_t *starts; /* ascending, NONE at the end */
    const uint64_t *false_starts;
} tape;

enum { UNIT = 100 };

/* Begin of the units whose reading fails after their first record. */
static uint64_t failing = NONE;

static uint64_t first_from(const uint64_t *starts, uint64_t place) {
    while (*starts < place) {
        starts++;
    }
    return *starts;
}

/* What reading a unit says. A false start is believed only where the record start is searched:
 * not at the beginning of the tape, nor where the unit's begin was mended to a true one. */
static void read_unit(const tape *t, nd_unit *unit) {
    const uint64_t truth = first_from(t->starts, unit->begin);
    const uint64_t guess = first_from(t->false_starts, unit->begin);
    const bool fooled = unit->begin % UNIT == 0 && unit->begin > 0 && guess < truth;
    const uint64_t first = fooled ? guess : truth;
    unit->first = first < unit->end ? first : NONE;
    unit->next = unit->first == NONE ? NONE : first_from(t->starts, unit->end);
    unit->failed = unit->begin == failing;
    unit->next = unit->failed ? 0 : unit->next; /* not known, and so nothing to go by */
}

/* All ranks know it of all units. */
static size_t undone(const nd_units *units) {
    size_t count = 0;
    for (size_t i = 0; i < units->count; i++) {
        count += !units->units[i].done;
    }
    return count;
}

/* Read and mend until nothing is left to mend, as the ingest does; what is left to read may be
 * dealt anew each time, as it is when a job goes on. Returns the rounds, 0 if it does not end. */
static int read_until_sound(const nd_comm *comm, const tape *tapes, nd_units *units, bool goes_on) {
    enum { MOST_ROUNDS = 50 };
    size_t mended = 1;
    for (int round = 1; round <= MOST_ROUNDS; round++) {
        if (goes_on) {
            nd_units_deal(units, comm->rank, comm->size);
        }
        for (size_t i = units->own_begin; i < units->own_end && mended > 0; i++) {
            nd_unit *unit = &units->units[i];
            if (unit->done) {
                continue;
            }
            unit->first = NONE;
            unit->next = NONE;
            if (unit->begin < unit->end) {
                read_unit(&tapes[unit->source], unit);
            }
            unit->done = 1;
            unit->reads++;
        }
        mended = (size_t)nd_comm_sum(comm, nd_units_mend(units, comm));
        if (mended == 0) {
            return round;
        }
        if (!ND_CHECK_ALL(comm, undone(units) == mended)) { /* what was mended is read again */
            return 0;
        }
    }
    return 0;
}

/* After mending, each unit starts where its first true record lies, or holds none. */
static bool sound(const tape *tapes, const nd_units *units) {
    bool right = true;
    for (size_t i = 0; i < units->count; i++) {
        const nd_unit *unit = &units->units[i];
        const uint64_t truth = first_from(tapes[unit->source].starts, unit->end - UNIT);
        right = right && unit->begin <= unit->end &&
                (unit->failed || unit->first == (truth < unit->end ? truth : NONE));
        right = right && unit->done == 1 && unit->reads >= 1;
    }
    return right;
}

static void read_tapes(const tape *tapes, size_t count, bool mends, bool goes_on) {
    nd_comm *comm = nd_mpi_test_comm();
    nd_input inputs[4] = {{0}};
    nd_source_shape shapes[4];
    const nd_input_list list = {.inputs = inputs, .count = count};
    nd_units units;
    for (size_t i = 0; i < count; i++) {
        inputs[i].is.bytes = tapes[i].bytes;
        shapes[i] =
            (nd_source_shape){.bytes = tapes[i].bytes, .splittable = true, .format = "tape"};
    }
    const nd_status st = nd_units_cut(&units, &list, shapes, UNIT, comm->rank, comm->size);
    if (ND_CHECK_ALL(comm, st == ND_OK)) {
        const int rounds = read_until_sound(comm, tapes, &units, goes_on);
        ND_CHECK_ALL(comm, rounds > 0 && (rounds > 1) == mends);
        ND_CHECK_ALL(comm, sound(tapes, &units));
    }
    nd_units_free(&units);
}

static void check_tapes(const tape *tapes, size_t count, bool mends) {
    read_tapes(tapes, count, mends, false);
    read_tapes(tapes, count, mends, true);
}

static const uint64_t no_starts[] = {NONE};

static void test_nothing_to_mend(void) {
    static const uint64_t starts[] = {0, 30, 99, 120, 200, 310, 399, NONE};
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    check_tapes(&(tape){400, no_starts, no_starts}, 1, false);
    static const uint64_t late[] = {250, NONE}; /* nothing known before */
    check_tapes(&(tape){400, late, no_starts}, 1, false);
}

static void test_false_start(void) {
    static const uint64_t starts[] = {0, 50, 130, 180, 210, 330, 370, NONE};
    static const uint64_t wrong[] = {110, NONE}; /* inside the record at 50 */
    check_tapes(&(tape){400, starts, wrong}, 1, true);
}

/* Wrong in several units of several sources: one is mended after the other. */
static void test_many_false_starts(void) {
    static const uint64_t starts[] = {0, 130, 260, 390, 460, NONE};
    static const uint64_t wrong[] = {101, 205, 301, 401, NONE};
    const tape tapes[] = {
        {500, starts, wrong}, {300, starts, no_starts}, {500, starts, wrong}, {200, starts, wrong}};
    check_tapes(tapes, 4, true);
}

/* A record over several units: those in its middle hold no start, whatever they found. */
static void test_long_record(void) {
    static const uint64_t starts[] = {0, 50, 420, NONE};
    static const uint64_t wrong[] = {110, 230, 390, NONE};
    check_tapes(&(tape){500, starts, wrong}, 1, true);
    check_tapes(&(tape){500, starts, no_starts}, 1, false);
}

/* The last record reaches to the end of the source: nothing starts after it. */
static void test_source_ends_early(void) {
    static const uint64_t starts[] = {0, 50, NONE};
    static const uint64_t wrong[] = {150, 310, NONE};
    check_tapes(&(tape){400, starts, wrong}, 1, true);
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
}

/* A unit that fails says nothing of the next one, which must not be read from elsewhere: its pages
 * would come twice. */
static void test_source_fails(void) {
    static const uint64_t starts[] = {0, 30, 99, 120, 200, 310, 399, NONE};
    failing = 100;
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    failing = 0;
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    failing = NONE;
}

static const nd_test tests[] = {
    {"the cut covers the sources", test_cut},
    {"the size that is chosen", test_chosen_size},
    {"what is left is dealt", test_deal_what_is_left},
    {"all know what was read", test_share},
    {"nothing to mend", test_nothing_to_mend},
    {"a false start", test_false_start},
    {"many false starts", test_many_false_starts},
    {"a record over several units", test_long_record},
    {"a source that ends early", test_source_ends_early},
    {"a source that fails", test_source_fails},
};

ND_SUITE(m_units, tests)
