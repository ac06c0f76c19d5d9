/* A job's inputs, their units, and how far it is. */
#include "mpi/job/inputs.h"
#include "mpi/job/progress.h"
#include "src/base/util.h"
#include "tests/support/mpi_check.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The list of inputs on all ranks: what rank 0 resolved, in no more memory than a record of
 * fixed size and its own texts take an input. */

enum { FILES = 300 };

/* Rank 0 makes files in `folder`; each third has a second name before its first. */
static void make_files(const char *folder) {
    char path[4200];
    char other[4200];
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "m%03d.txt", i);
        (void)nd_test_write(path, nd_test_span("text"));
        (void)snprintf(path, sizeof path, "%s/m%03d.txt", folder, i);
        (void)snprintf(other, sizeof other, "%s/a%03d.txt", folder, i);
        CU_ASSERT(i % 3 > 0 || link(path, other) == 0);
    }
}

static bool same_list(const nd_input_list *is, const nd_input_list *was) {
    bool same = is->count == was->count && is->collection_count == was->collection_count &&
                is->root_count == was->root_count;
    for (size_t i = 0; same && i < is->count; i++) {
        const nd_input *a = &is->inputs[i];
        const nd_input *b = &was->inputs[i];
        same = strcmp(a->path, b->path) == 0 && strcmp(a->named, b->named) == 0 &&
               memcmp(&a->is, &b->is, sizeof a->is) == 0 && a->device == b->device &&
               a->collection == b->collection && a->root == b->root;
    }
    for (size_t i = 0; same && i < is->collection_count; i++) {
        same = strcmp(is->collections[i], was->collections[i]) == 0;
    }
    for (size_t i = 0; same && i < is->root_count; i++) {
        same = strcmp(is->roots[i].name, was->roots[i].name) == 0 &&
               strcmp(is->roots[i].folder, was->roots[i].folder) == 0 &&
               is->roots[i].collection == was->roots[i].collection;
    }
    return same;
}

ND_TEST("share") {
    nd_comm *comm = nd_mpi_test_comm();
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    ND_OWNED(nd_input_list_free) nd_input_list expected = {0};
    char folder[4096] = "";
    char named[4200];
    char file[4200];
    if (comm->rank == 0) {
        (void)snprintf(folder, sizeof folder, "%s", nd_test_folder());
        make_files(folder);
    }
    ND_MPI(MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, comm->handle));
    (void)snprintf(named, sizeof named, "all=%s", folder);
    (void)snprintf(file, sizeof file, "some=%s/m000.txt", folder); /* it has another name, too */
    const char *const words[] = {named, file};
    CU_ASSERT(nd_inputs_share(comm, words, 2, false, &list) == ND_OK);
    CU_ASSERT(nd_input_list_resolve(&expected, words, 2) == ND_OK);
    (void)ND_CHECK_ALL(comm, list.count == FILES + 1 && same_list(&list, &expected));

    uint64_t texts = 0;
    for (size_t i = 0; i < list.count; i++) {
        const nd_input *input = &list.inputs[i];
        texts += strlen(input->path) + 1;
        texts += strcmp(input->named, input->path) != 0 ? strlen(input->named) + 1 : 0;
    }
    const uint64_t rest = 4 * strlen(folder) + 100; /* collections and roots */
    (void)ND_CHECK_ALL(comm, nd_input_list_bytes(&list) <=
                                 list.count * sizeof *list.inputs + texts + rest);
}

/* The seed is that of the bytes alone: the names, their order, and the ranks mean nothing. */
ND_TEST("seed") {
    enum { TEXTS = 7 };
    static const char *const words[2][1] = {{"ahead"}, {"behind"}};
    nd_comm *comm = nd_mpi_test_comm();
    nd_input_list lists[2] = {{0}};
    uint64_t seeds[3] = {0};
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    uint64_t sum = 0;
    char path[64];
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0); /* each rank has its own */
    for (int k = 0; k < 2; k++) {
        (void)mkdir(words[k][0], 0700);
        for (uint32_t i = 0; i < TEXTS; i++) {
            const char text[] = {'t', 'e', 'x', 't', (char)('a' + i), '\0'};
            (void)snprintf(path, sizeof path, "%s/%u.txt", words[k][0], k == 0 ? i : TEXTS - i);
            (void)nd_test_write(path, nd_test_span(text));
        }
        ND_TEST_MUST(nd_input_list_resolve(&lists[k], words[k], 1));
        CU_ASSERT_EQUAL_FATAL(lists[k].count, TEXTS);
        ND_TEST_OK(nd_inputs_seed(comm, &lists[k], &seeds[k]));
    }
    for (size_t i = 0; i < TEXTS; i++) {
        uint64_t number = 0;
        ND_TEST_OK(nd_input_number(lists[0].inputs[i].path, &scratch, &number));
        sum += number;
    }
    (void)ND_CHECK_ALL(comm, seeds[0] == seeds[1] && seeds[0] > 0 && seeds[0] >> 53 == 0);
    (void)ND_CHECK_ALL(comm, seeds[0] == nd_mix64(sum) >> 11);
    lists[1].count--; /* it depends on each of them */
    ND_TEST_OK(nd_inputs_seed(comm, &lists[1], &seeds[2]));
    (void)ND_CHECK_ALL(comm, seeds[2] != seeds[1]);
    nd_input_list_free(&lists[0]);
    nd_input_list_free(&lists[1]);
}

/* The bytes of a list, which may come out of a file that anyone has made: cut anywhere, or with
 * another number in them, they are no list, and nothing beyond them is read. */
ND_TEST("damaged") {
    enum { NUMBERS_OF_COUNTS = 3, COLLECTION = 4, ROOT = 5 };
    const char *const words[] = {nd_test_write("one.txt", nd_test_span("text"))};
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    nd_input_list again = {0};
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    ND_TEST_OK(nd_input_list_resolve(&list, words, 1));
    nd_inputs_pack(&list, &packed);
    for (size_t cut = 0; cut <= packed.size; cut++) {
        ND_FREED char *bytes = nd_mpi_test_new(cut, 1);
        memcpy(bytes, packed.data, cut);
        CU_ASSERT_EQUAL(nd_inputs_unpack(&bytes, cut, &again),
                        cut < packed.size ? ND_ERR_FORMAT : ND_OK);
        nd_input_list_free(&again);
    }
    for (size_t i = 0; i <= NUMBERS_OF_COUNTS + ROOT; i++) {
        const bool counts = i < NUMBERS_OF_COUNTS;
        const bool checked = counts || i - NUMBERS_OF_COUNTS >= COLLECTION;
        const uint64_t other = UINT64_C(1) << 61;
        ND_FREED char *bytes = nd_mpi_test_new(packed.size, 1);
        memcpy(bytes, packed.data, packed.size);
        memcpy(bytes + i * sizeof other, &other, sizeof other);
        CU_ASSERT_EQUAL(nd_inputs_unpack(&bytes, packed.size, &again),
                        checked ? ND_ERR_FORMAT : ND_OK);
        nd_input_list_free(&again);
    }
}

/* ---- Units cover the sources whatever the number of ranks; false record starts are mended. */

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
        ND_OWNED(nd_units_free) nd_units units;
        uint64_t own = 0;
        nd_units_cut(&units, &s->list, s->shapes, unit_bytes, rank, size);
        right = covers(s, &units, unit_bytes) && units.own_end >= units.own_begin &&
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
    }
    return right && (double)most <= (double)total / size + (double)longest + 1;
}

ND_TEST("the cut covers the sources") {
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
ND_TEST("the size that is chosen") {
    nd_input inputs[2] = {{.is = {.bytes = UINT64_C(10) << 30}}, {.is = {.bytes = 100}}};
    nd_source_shape shapes[2] = {
        {.bytes = UINT64_C(10) << 30, .splittable = true, .format = "warc"},
        {.bytes = 100, .splittable = true, .format = "jsonl"}};
    const nd_input_list list = {.inputs = inputs, .count = 2};
    const sources s = {list, shapes};
    static const int sizes[] = {1, 16, 100000};
    static const uint64_t most[] = {UINT64_C(64) << 20, UINT64_C(40) << 20, UINT64_C(1) << 20};
    for (int i = 0; i < 3; i++) {
        ND_OWNED(nd_units_free) nd_units units;
        nd_units_cut(&units, &list, shapes, nd_units_bytes(&list, 0, sizes[i]), 0, sizes[i]);
        CU_ASSERT(covers(&s, &units, most[i]));
        CU_ASSERT(units.units[0].end - units.units[0].begin == most[i]);
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

ND_TEST("what is left is dealt") {
    nd_random random = nd_mpi_test_random("what is left");
    for (uint64_t trial = 0; trial < 50; trial++) {
        sources s = draw_sources(&random, nd_random_below(&random, 30), 1 << 21);
        nd_units units;
        nd_units_cut(&units, &s.list, s.shapes, 65536, 0, 1);
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
                    .done = 1,
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

/* More units than are said at once, read by any rank. */
ND_TEST("all know what was read") {
    enum { UNITS = 20000 };
    nd_comm *comm = nd_mpi_test_comm();
    nd_input input = {.is = {.bytes = UNITS}};
    nd_source_shape shape = {.bytes = UNITS, .splittable = true, .format = "warc"};
    const nd_input_list list = {.inputs = &input, .count = 1};
    ND_OWNED(nd_units_free) nd_units units;
    nd_units_cut(&units, &list, &shape, 1, comm->rank, comm->size);
    CU_ASSERT_EQUAL(units.count, UNITS);
    for (size_t i = (size_t)comm->rank; i < units.count; i += (size_t)comm->size) {
        if (i % 7 != 0) { /* and some by none */
            units.units[i] = read_as(0, i, i + 1, i);
            units.fresh[i] = true;
        }
    }
    nd_units_share(&units, comm);
    bool right = true;
    for (size_t i = 0; i < units.count; i++) {
        const nd_unit expected =
            i % 7 != 0 ? read_as(0, i, i + 1, i)
                       : (nd_unit){.begin = i, .end = i + 1, .first = NONE, .next = NONE};
        right = right && memcmp(&units.units[i], &expected, sizeof expected) == 0;
        right = right && !units.fresh[i];
    }
    ND_CHECK_ALL(comm, right);
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
            units->fresh[i] = true;
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
    ND_OWNED(nd_units_free) nd_units units;
    for (size_t i = 0; i < count; i++) {
        inputs[i].is.bytes = tapes[i].bytes;
        shapes[i] =
            (nd_source_shape){.bytes = tapes[i].bytes, .splittable = true, .format = "tape"};
    }
    nd_units_cut(&units, &list, shapes, UNIT, comm->rank, comm->size);
    const int rounds = read_until_sound(comm, tapes, &units, goes_on);
    ND_CHECK_ALL(comm, rounds > 0 && (rounds > 1) == mends);
    ND_CHECK_ALL(comm, sound(tapes, &units));
}

static void check_tapes(const tape *tapes, size_t count, bool mends) {
    read_tapes(tapes, count, mends, false);
    read_tapes(tapes, count, mends, true);
}

static const uint64_t no_starts[] = {NONE};

ND_TEST("nothing to mend") {
    static const uint64_t starts[] = {0, 30, 99, 120, 200, 310, 399, NONE};
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    check_tapes(&(tape){400, no_starts, no_starts}, 1, false);
    static const uint64_t late[] = {250, NONE}; /* nothing known before */
    check_tapes(&(tape){400, late, no_starts}, 1, false);
}

ND_TEST("a false start") {
    static const uint64_t starts[] = {0, 50, 130, 180, 210, 330, 370, NONE};
    static const uint64_t wrong[] = {110, NONE}; /* inside the record at 50 */
    check_tapes(&(tape){400, starts, wrong}, 1, true);
}

/* Wrong in several units of several sources: one is mended after the other. */
ND_TEST("many false starts") {
    static const uint64_t starts[] = {0, 130, 260, 390, 460, NONE};
    static const uint64_t wrong[] = {101, 205, 301, 401, NONE};
    const tape tapes[] = {
        {500, starts, wrong}, {300, starts, no_starts}, {500, starts, wrong}, {200, starts, wrong}};
    check_tapes(tapes, 4, true);
}

/* A record over several units: those in its middle hold no start, whatever they found. */
ND_TEST("a record over several units") {
    static const uint64_t starts[] = {0, 50, 420, NONE};
    static const uint64_t wrong[] = {110, 230, 390, NONE};
    check_tapes(&(tape){500, starts, wrong}, 1, true);
    check_tapes(&(tape){500, starts, no_starts}, 1, false);
}

/* The last record reaches to the end of the source: nothing starts after it. */
ND_TEST("a source that ends early") {
    static const uint64_t starts[] = {0, 50, NONE};
    static const uint64_t wrong[] = {150, 310, NONE};
    check_tapes(&(tape){400, starts, wrong}, 1, true);
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
}

/* A unit that fails says nothing of the next one, which must not be read from elsewhere: its pages
 * would come twice. */
ND_TEST("a source that fails") {
    static const uint64_t starts[] = {0, 30, 99, 120, 200, 310, 399, NONE};
    failing = 100;
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    failing = 0;
    check_tapes(&(tape){400, starts, no_starts}, 1, false);
    failing = NONE;
}

/* ---- What a stage shows on stderr: nothing before its line where lines are wanted, and a moving
 * line on a terminal. */

static int stderr_before;

static void turn_stderr(int to) {
    (void)fflush(stderr);
    stderr_before = dup(STDERR_FILENO);
    CU_ASSERT(dup2(to, STDERR_FILENO) == STDERR_FILENO);
    (void)close(to);
}

static void put_stderr_back(void) {
    (void)fflush(stderr);
    CU_ASSERT(dup2(stderr_before, STDERR_FILENO) == STDERR_FILENO);
    (void)close(stderr_before);
}

static char kept[4096]; /* this rank's file, between the next two */

/* Collective. From here on stderr is kept. */
static void keep_stderr(void) {
    const char *path = nd_mpi_test_path("stderr");
    (void)snprintf(kept, sizeof kept, "%s.%d", path, nd_mpi_test_comm()->rank);
    turn_stderr(open(kept, O_CREAT | O_TRUNC | O_WRONLY, 0600));
}

/* As it was. \return what was kept, as a string; the caller's to free */
static nd_buffer end_keeping(void) {
    put_stderr_back();
    nd_buffer all = nd_test_read(kept);
    nd_test_pack(&all, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    return all;
}

/* What rank 0 shows of a stage of one page a rank; the caller's to free. */
static nd_buffer shown(nd_progress *progress) {
    nd_comm *comm = nd_mpi_test_comm();
    keep_stderr();
    nd_progress_begin(progress, comm, "sign", "pages");
    (void)fflush(stderr);
    ND_OWNED(nd_buffer_free) nd_buffer first = nd_test_read(kept);
    CU_ASSERT_EQUAL(first.size > 0, comm->rank == 0 && progress->mode == ND_PROGRESS_BAR);
    nd_progress_update(progress, comm, 1, 2, 1); /* too early to be shown */
    nd_progress_end(progress, comm, 1);
    return end_keeping();
}

ND_TEST("what is shown") {
    const nd_comm *comm = nd_mpi_test_comm();
    static const nd_progress_mode modes[] = {ND_PROGRESS_NONE, ND_PROGRESS_LINES, ND_PROGRESS_BAR};
    (void)setenv("COLUMNS", "200", 1);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        nd_progress progress = {.mode = modes[i], .stages = 3};
        ND_OWNED(nd_buffer_free) nd_buffer all = shown(&progress);
        const char *text = (const char *)all.data;
        char items[64];
        (void)snprintf(items, sizeof items, "  stage 1 of 3, %d pages, ", comm->size);
        CU_ASSERT_EQUAL(progress.count, 1);
        CU_ASSERT_EQUAL(progress.rows[0].items, (uint64_t)comm->size);
        if (comm->rank != 0 || modes[i] == ND_PROGRESS_NONE) {
            CU_ASSERT_EQUAL(text[0], '\0');
        } else {
            CU_ASSERT_PTR_NOT_NULL(strstr(text, "sign     100.0 %"));
            CU_ASSERT_PTR_NOT_NULL(strstr(text, items));
            CU_ASSERT_PTR_NOT_NULL(strstr(text, " MB peak"));
            CU_ASSERT_EQUAL(strchr(text, '\r') != NULL, modes[i] == ND_PROGRESS_BAR);
        }
    }
    (void)unsetenv("COLUMNS");
}

/* The line of a stage that began so long ago, of which a part is done; the caller's to free. */
static nd_buffer shown_after(nd_progress *progress, double seconds, uint64_t done, uint64_t total,
                             uint64_t items) {
    nd_comm *comm = nd_mpi_test_comm();
    keep_stderr();
    nd_progress_begin(progress, comm, "sign", "pages");
    progress->started -= seconds;
    progress->last_shown = progress->started;
    nd_progress_update(progress, comm, done, total, items);
    nd_progress_update(progress, comm, total, total, items); /* too early for another line */
    return end_keeping();
}

/* How long the rest takes, if it goes on as it went. The clock goes on meanwhile: no time here is
 * near one of another text. */
ND_TEST("how long the rest takes") {
    static const struct {
        double seconds;
        uint64_t done, total, items;
        const char *wanted;
    } cases[] = {
        {20000, 1, 4, 4, "sign      25.0 %  stage 2 of 3, 16.7 h left, 4 pages on rank 0, 0/s\n"},
        {10000, 2, 3, 9, "sign      66.7 %  stage 2 of 3, 83 min left, 9 pages on rank 0, 0/s\n"},
        {9011, 9, 9, 9, "sign      99.9 %  stage 2 of 3, 9 pages on rank 0, 0/s\n"},
        {9011, 10, 9, 9, "sign      99.9 %  stage 2 of 3, 9 pages on rank 0, 0/s\n"},
        {9011, 0, 0, 9, "sign      99.9 %  stage 2 of 3, 9 pages on rank 0, 0/s\n"},
        {9011, 0, 9, 9, "sign       0.0 %  stage 2 of 3, 9 pages on rank 0, 0/s\n"},
        {3600, 9, 10, 36000,
         "sign      90.0 %  stage 2 of 3, 7 min left, 36000 pages on rank 0, 10/s\n"},
        {9011, 99999, 100000, 9, "sign      99.9 %  stage 2 of 3, 9 pages on rank 0, 0/s\n"},
        {9, 9, 10, 9, ""},
    };
    const nd_comm *comm = nd_mpi_test_comm();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nd_progress progress = {.mode = ND_PROGRESS_LINES, .stages = 3, .count = 1};
        nd_buffer all =
            shown_after(&progress, cases[i].seconds, cases[i].done, cases[i].total, cases[i].items);
        CU_ASSERT_STRING_EQUAL((const char *)all.data, comm->rank == 0 ? cases[i].wanted : "");
        nd_buffer_free(&all);
    }
    nd_progress progress = {.mode = ND_PROGRESS_NONE};
    nd_buffer all = shown_after(&progress, 9011, 1, 2, 1);
    CU_ASSERT_STRING_EQUAL((const char *)all.data, "");
    nd_buffer_free(&all);
    progress = (nd_progress){.mode = ND_PROGRESS_LINES, .stages = 1};
    all = shown_after(&progress, 9011, 9, 9, 9);
    CU_ASSERT_EQUAL(strstr((const char *)all.data, "  stage 1 of 1, ") != NULL, comm->rank == 0);
    nd_buffer_free(&all);
    (void)setenv("COLUMNS", "200", 1);
    progress = (nd_progress){.mode = ND_PROGRESS_BAR};
    all = shown_after(&progress, 1, 1, 2, 1); /* a moving line moves every half a second */
    CU_ASSERT_EQUAL(strstr((const char *)all.data, "sign      50.0 %  1 s left, ") != NULL,
                    comm->rank == 0);
    nd_buffer_free(&all);
    (void)unsetenv("COLUMNS");
}

/* Rank r began 10,000 r seconds ago, and sent r + 1 bytes. */
ND_TEST("what is measured") {
    static const double EACH = 10000, NEAR = 1000;
    nd_comm *comm = nd_mpi_test_comm();
    nd_progress progress = {.mode = ND_PROGRESS_NONE, .in_stages = 5};
    const double most = EACH * (comm->size - 1);
    const uint64_t sent = comm->bytes_sent;
    const nd_own_file_traffic before = nd_own_file_so_far();
    progress.files_before =
        (nd_own_file_traffic){.written = before.written - 3, .read = before.read - 4};
    nd_progress_begin(&progress, comm, "sign", "pages");
    progress.started -= EACH * comm->rank;
    comm->bytes_sent += (uint64_t)comm->rank + 1;
    nd_progress_end(&progress, comm, 7);
    comm->bytes_sent = sent;
    const nd_stage_row *row = &progress.rows[0];
    const uint64_t size = (uint64_t)comm->size;
    CU_ASSERT_STRING_EQUAL(row->name, "sign");
    CU_ASSERT_STRING_EQUAL(row->unit, "pages");
    CU_ASSERT_EQUAL(row->items, 7 * size);
    CU_ASSERT_DOUBLE_EQUAL(row->seconds_min, 0, NEAR);
    CU_ASSERT_DOUBLE_EQUAL(row->seconds_mean, most / 2, NEAR);
    CU_ASSERT_DOUBLE_EQUAL(row->seconds_max, most, NEAR);
    CU_ASSERT_DOUBLE_EQUAL(row->waiting_mean, most / 2, NEAR);
    CU_ASSERT_DOUBLE_EQUAL(row->waiting_max, most, NEAR);
    CU_ASSERT(row->seconds_min >= 0 && row->waiting_mean >= 0);
    CU_ASSERT_EQUAL(row->bytes_exchanged, size * (size + 1) / 2);
    CU_ASSERT_EQUAL(row->bytes_written, 3 * size);
    CU_ASSERT_EQUAL(row->bytes_read, 4 * size);
    CU_ASSERT(row->peak_memory > 1000000 && row->peak_memory < UINT64_C(10000000000));
    CU_ASSERT_DOUBLE_EQUAL(progress.in_stages, 5 + EACH * comm->rank, NEAR);
    CU_ASSERT_EQUAL(progress.files_before.written, before.written);
}

/* On a terminal of so many columns: the longest form that fits, what stood there is covered, and
 * nothing reaches the last column. */
ND_TEST("narrow terminals") {
    static const struct {
        const char *columns;
        const char *wanted;
    } cases[] = {
        {"200", "\rsign      50.0 %  stage 1 of 3, 83 min left, 8 pages on rank 0, 0/s"},
        {"68", "\rsign      50.0 %  stage 1 of 3, 83 min left, 8 pages on rank 0, 0/s"},
        {"67", "\rsign      50.0 %  stage 1 of 3, 83 min left, 8 pages on rank 0"},
        {"45", "\rsign      50.0 %  stage 1 of 3, 83 min left"},
        {"38", "\rsign 50 %  stage 1 of 3, 83 min left"},
        {"31", "\rsign 50 %                     "}, /* over "sign       0.0 %  stage 1 of 3" */
        {"20", "\rsign 50 %"},
        {"5", "\rsign"},
    };
    const nd_comm *comm = nd_mpi_test_comm();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)setenv("COLUMNS", cases[i].columns, 1);
        nd_progress progress = {.mode = ND_PROGRESS_BAR, .stages = 3};
        ND_OWNED(nd_buffer_free) nd_buffer all = shown_after(&progress, 5000, 1, 2, 8);
        const char *last = strrchr((const char *)all.data, '\r');
        CU_ASSERT_STRING_EQUAL(last != NULL ? last : "", comm->rank == 0 ? cases[i].wanted : "");
    }
    (void)unsetenv("COLUMNS");
}

ND_TEST("the moving line is taken away") {
    nd_progress progress = {.mode = ND_PROGRESS_BAR, .bar_width = 3};
    keep_stderr();
    nd_progress_clear(&progress);
    nd_progress_clear(&progress); /* nothing stands there any more */
    ND_OWNED(nd_buffer_free) nd_buffer all = end_keeping();
    CU_ASSERT_EQUAL(all.size, 6);
    CU_ASSERT_STRING_EQUAL((const char *)all.data, "\r   \r");
}

ND_TEST("what is chosen") {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    CU_ASSERT(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    turn_stderr(open("/dev/null", O_WRONLY));
    CU_ASSERT_EQUAL(nd_progress_choose(ND_PROGRESS_AUTO), ND_PROGRESS_LINES);
    CU_ASSERT_EQUAL(nd_progress_choose(ND_PROGRESS_BAR), ND_PROGRESS_BAR);
    put_stderr_back();
    turn_stderr(open(ptsname(terminal), O_WRONLY | O_NOCTTY));
    CU_ASSERT_EQUAL(nd_progress_choose(ND_PROGRESS_AUTO), ND_PROGRESS_BAR);
    CU_ASSERT_EQUAL(nd_progress_choose(ND_PROGRESS_NONE), ND_PROGRESS_NONE);
    put_stderr_back();
    (void)close(terminal);
}
