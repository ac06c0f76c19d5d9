/* What everything stands on: buffers, faults and contracts, numbers, options, text for people. */
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/option.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "tests/support/check.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Memory and nd_buffer: growth keeps contents, room is made, and where there is none the
 * process ends with one line. */

ND_TEST("append keeps bytes") {
    nd_buffer buffer = {0};
    for (int i = 0; i < 1000; i++) {
        nd_buffer_append(&buffer, &(uint8_t){(uint8_t)i}, 1);
    }
    nd_buffer_append_text(&buffer, "end");
    CU_ASSERT_EQUAL(buffer.size, 1003);
    for (size_t i = 0; i < 1000; i++) {
        CU_ASSERT_EQUAL(buffer.data[i], (uint8_t)i);
    }
    CU_ASSERT_EQUAL(memcmp(buffer.data + 1000, "end", 3), 0);
    nd_buffer_free(&buffer);
    CU_ASSERT_PTR_NULL(buffer.data);
}

/* What a child says that asks for memory where there is none, and its exit code. */
static int said_by_child(void (*ask)(void), char *line, size_t size) {
    int ends[2];
    int status = 0;
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        ask();
        _exit(0);
    }
    (void)close(ends[1]);
    size_t got = 0;
    for (ssize_t more = 1; more > 0 && got < size - 1; got += (size_t)more) {
        more = read(ends[0], line + got, size - 1 - got);
        more = more > 0 ? more : 0;
    }
    line[got] = '\0';
    (void)close(ends[0]);
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void grow_absurdly(void) {
    uint64_t *items = NULL;
    size_t capacity = 0;
    nd_grow(&items, &capacity, SIZE_MAX / 4, sizeof *items);
}

static void ask_absurdly(void) {
    free(nd_alloc(SIZE_MAX / 4, sizeof(uint64_t)));
}

static void ask_for_zeros(void) {
    free(nd_alloc_zero(SIZE_MAX / 4, 8));
}

static void reserve_absurdly(void) {
    nd_buffer buffer = {0};
    nd_buffer_append(&buffer, "x", 1);
    nd_buffer_reserve(&buffer, SIZE_MAX);
}

static void fail_on_purpose(void) {
    nd_fault_set_rank(0);
    (void)nd_fault_arm("memory:0:2");
    free(nd_alloc(1, 1));
    free(nd_alloc(3, 2));
}

/* One line with the function's name, and no way back. */
ND_TEST("none is left") {
    const struct {
        void (*ask)(void);
        const char *line;
    } cases[] = {
        {grow_absurdly, "items of 8 bytes in grow_absurdly\n"},
        {ask_absurdly, "items of 8 bytes in ask_absurdly\n"},
        {ask_for_zeros, "items of 8 bytes in ask_for_zeros\n"},
        {reserve_absurdly, "items of 1 bytes in a buffer\n"},
        {fail_on_purpose, "neardup: out of memory: 3 items of 2 bytes in fail_on_purpose\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char said[4096]; /* a sanitizer warns before it */
        CU_ASSERT_EQUAL(said_by_child(cases[i].ask, said, sizeof said), 1);
        const char *const line = strstr(said, "neardup: out of memory: ");
        CU_ASSERT_PTR_NOT_NULL_FATAL(line);
        CU_ASSERT_PTR_NOT_NULL(strstr(line, cases[i].line));
    }
}

/* Room is not zeroed, but it is there; none at all is not NULL. */
ND_TEST("room") {
    uint64_t *items = NULL;
    nd_new_room(&items, 1000, sizeof *items);
    memset(items, 0xff, 1000 * sizeof *items);
    free(items);
    nd_new_room(&items, 0, sizeof *items);
    CU_ASSERT_PTR_NOT_NULL(items);
    free(items);
}

/* ---- Faults on demand: where they strike, what they say, what is counted. */

/* Passes `count` times, and says at which of them it failed; 0 if at none. */
static int failing_pass(nd_fault_point point, int count) {
    for (int i = 1; i <= count; i++) {
        if (nd_fault(point) != ND_OK) {
            return i;
        }
    }
    return 0;
}

/* Before all others: nothing is armed yet. */
ND_TEST("unarmed") {
    const char *last = NULL;
    const uint64_t counted = nd_fault_count(ND_FAULT_READ); /* 0 but after suites that armed one */
    const uint64_t before = nd_fault_passings(&last);
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_READ, 10), 0);
    nd_fault_pass();
    CU_ASSERT_EQUAL(nd_fault_passings(&last), before + 11);
    CU_ASSERT_STRING_EQUAL(last, "");
    ND_TEST_OK(nd_fault(ND_FAULT_LOCK));
    (void)nd_fault_passings(&last);
    CU_ASSERT_STRING_EQUAL(last, "lock");
    CU_ASSERT(counted > 0 || nd_fault_count(ND_FAULT_READ) == 0);
}

ND_TEST("strikes once on its rank") {
    nd_fault_set_rank(4);
    ND_TEST_OK(nd_fault_arm("write:3:2"));
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 5), 0);
    ND_TEST_OK(nd_fault_arm("write:4:7"));
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_SYNC, 10), 0);
    errno = 0;
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 10), 7);
    CU_ASSERT_EQUAL(errno, ENOSPC);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "injected"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "write, call 7"));
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 10), 0);
}

ND_TEST("every point has a name") {
    for (int p = 0; p < ND_FAULT_POINTS; p++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%s:4:1", nd_fault_name((nd_fault_point)p));
        ND_TEST_OK(nd_fault_arm(text));
        CU_ASSERT_EQUAL(nd_fault((nd_fault_point)p),
                        p == ND_FAULT_MEMORY                                   ? ND_ERR_MEMORY
                        : p == ND_FAULT_INPUT_OPEN || p == ND_FAULT_INPUT_READ ? ND_ERR_INPUT
                                                                               : ND_ERR_IO);
    }
}

ND_TEST("count") {
    CU_ASSERT_FALSE(nd_fault_counts());
    ND_TEST_OK(nd_fault_arm("count"));
    CU_ASSERT_TRUE(nd_fault_counts());
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_RENAME, 3), 0);
    CU_ASSERT_EQUAL(nd_fault_count(ND_FAULT_RENAME), 3);
}

/* The signal that ends a child which arms `what` for its third passing and passes twice, then once
 * more; 0 if none does. */
static int signal_of_child(const char *what) {
    const pid_t child = fork();
    if (child == 0) {
        char text[64];
        (void)snprintf(text, sizeof text, "%s:4:3", what);
        (void)nd_fault_arm(text);
        (void)nd_fault(ND_FAULT_READ);
        nd_fault_pass();
        (void)alarm(1);
        (void)signal(SIGALRM, SIG_DFL);
        nd_fault_pass();
        _exit(0);
    }
    int status = 0;
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

ND_TEST("kill and hang") {
    CU_ASSERT_EQUAL(signal_of_child("kill"), SIGKILL);
    CU_ASSERT_EQUAL(signal_of_child("hang"), SIGALRM);
    CU_ASSERT_EQUAL(signal_of_child("rename"), 0);
}

ND_TEST("wrong text") {
    static const char *const wrong[] = {"",          "write",       "write:1",
                                        "write:1:0", "write:-1:1",  "write:1:1x",
                                        "writ:1:1",  "write:1:",    "write::1",
                                        "write:a:1", "write:1:1:1", "counts",
                                        "kill:0",    "kill: 0:1",   "write:99999999999:1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CU_ASSERT_EQUAL(nd_fault_arm(wrong[i]), ND_ERR_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--fault"));
    }
}

/* ---- Contracts: one that holds costs nothing and says nothing; one that is broken says its place,
 * its condition and its values in one line, to who ends the job, and ends the process at any rate.
 */

static jmp_buf back;
static char said_contract[2048];

static void leave(const char *line) {
    (void)snprintf(said_contract, sizeof said_contract, "%s", line);
    longjmp(back, 1);
}

/* What is said of a place. */
static const char *broken(const char *file, const char *condition, const char *names,
                          const uint64_t *values, size_t count) {
    said_contract[0] = '\0';
    nd_contract_on_break(leave);
    if (setjmp(back) == 0) {
        nd_contract_broken(file, 7, condition, names, values, count);
    }
    nd_contract_on_break(NULL);
    return said_contract;
}

ND_TEST("lines") {
    const uint64_t values[] = {1, 0, UINT64_MAX};
    CU_ASSERT_STRING_EQUAL(
        broken("/any/where/src/base/x.c", "a < b", "a, b, c", values, 3),
        "src/base/x.c:7: a mistake of the program, please report it: not a < b (a, b, c = 1, 0, "
        "18446744073709551615)");
    CU_ASSERT_STRING_EQUAL(
        broken("../io/store/x.c", "a", "a", values, 1),
        "io/store/x.c:7: a mistake of the program, please report it: not a (a = 1)");
    CU_ASSERT_STRING_EQUAL(
        broken("mpi/cmd/x.c", "a", "a", values, 1),
        "mpi/cmd/x.c:7: a mistake of the program, please report it: not a (a = 1)");
    CU_ASSERT_STRING_EQUAL(broken("x.c", "a", "a", values, 1),
                           "x.c:7: a mistake of the program, please report it: not a (a = 1)");
}

ND_TEST("a long text") {
    char condition[3000];
    const uint64_t values[] = {1, 2, 3};
    memset(condition, 'c', sizeof condition - 1);
    condition[sizeof condition - 1] = '\0';
    const char *line = broken("src/x.c", condition, "a, b, c", values, 3);
    CU_ASSERT_EQUAL(strlen(line), 1023);
    CU_ASSERT_EQUAL(memcmp(line, "src/x.c:7: a mistake", 20), 0);
}

ND_TEST("asserted") {
    int asked = 0;
    said_contract[0] = '\0';
    nd_contract_on_break(leave);
    ND_ASSERT(++asked == 1, asked);
    if (setjmp(back) == 0) {
        ND_ASSERT(asked == 2, asked, 17U);
        CU_FAIL("it goes on");
    }
    nd_contract_on_break(NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(said_contract, "tests/unit/t_base.c:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(said_contract, "not asked == 2 (asked, 17U = 1, 17)"));
}

static void pass(const char *line) {
    (void)line;
}

/* Alone, and where who is asked to end the job comes back. */
ND_TEST("the process ends") {
    for (int i = 0; i < 2; i++) {
        int ends[2], status = 0;
        char line[1100] = "";
        size_t size = 0;
        ssize_t got = 0;
        CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL);
            (void)dup2(ends[1], STDERR_FILENO);
            nd_contract_on_break(i == 0 ? NULL : pass);
            ND_ASSERT(i > 1, i);
            _exit(0);
        }
        (void)close(ends[1]);
        while ((got = read(ends[0], line + size, sizeof line - 1 - size)) > 0) {
            size += (size_t)got;
        }
        (void)close(ends[0]);
        CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
        CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(line, i == 0 ? "not i > 1 (i = 0)\n" : "not i > 1 (i = 1)\n"));
    }
}

/* ---- Sorted numbers without repeats, and places among them. */

ND_TEST("distinct") {
    uint64_t numbers[] = {7, 3, UINT64_MAX, 3, 0, 7, 7};
    static const uint64_t expected[] = {0, 3, 7, UINT64_MAX};
    CU_ASSERT_EQUAL_FATAL(nd_numbers_distinct(numbers, 7), 4);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(numbers[i], expected[i]);
    }
    CU_ASSERT_EQUAL(nd_numbers_distinct(NULL, 0), 0);
}

/* Of many offered in any order, and of fewer than are wanted, the least. */
ND_TEST("least") {
    nd_least least;
    for (uint64_t wanted = 0; wanted <= 101; wanted += wanted < 4 ? 1 : 97) {
        nd_least_open(&least, wanted);
        for (uint64_t i = 0; i < 100; i++) {
            nd_least_offer(&least, i * 37 % 100 / 2, 200 - i); /* each key twice */
        }
        nd_least_finish(&least);
        CU_ASSERT_EQUAL_FATAL(least.count, wanted < 100 ? wanted : 100);
        for (uint64_t i = 0; i < least.count; i++) {
            CU_ASSERT_EQUAL(least.records[i].key, i / 2);
            CU_ASSERT(i % 2 == 0 || least.records[i - 1].value < least.records[i].value);
        }
        free(least.records);
    }
}

ND_TEST("place") {
    static const uint64_t numbers[] = {2, 4, 9};
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 0), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 2), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 5), 2);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 10), 3);
    CU_ASSERT_EQUAL(nd_numbers_place(NULL, 0, 1), 0);
    CU_ASSERT_TRUE(nd_numbers_hold(numbers, 3, 9));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 5));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 10));
    CU_ASSERT_FALSE(nd_numbers_hold(NULL, 0, 1));
}

/* Each record's value still says whose number it was. */
ND_TEST("places") {
    static const uint64_t numbers[] = {7, 3, UINT64_MAX, 3, 0, 7, 7};
    static const uint64_t expected[] = {2, 1, 3, 1, 0, 2, 2};
    nd_key_value records[7];
    uint64_t distinct[7];
    uint64_t count = 0;
    uint64_t seen = 0;
    for (uint64_t i = 0; i < 7; i++) {
        records[i] = (nd_key_value){numbers[i], i};
    }
    nd_numbers_places(records, 7, distinct, &count);
    CU_ASSERT_EQUAL_FATAL(count, 4);
    for (int i = 0; i < 7; i++) {
        CU_ASSERT_EQUAL(records[i].key, expected[records[i].value]);
        CU_ASSERT_EQUAL(distinct[records[i].key], numbers[records[i].value]);
        seen |= UINT64_C(1) << records[i].value;
    }
    CU_ASSERT_EQUAL(seen, 127);
    nd_numbers_places(records, 0, distinct, &count);
    CU_ASSERT_EQUAL(count, 0);
}

/* Ids are 0, 1, ... by first meeting, for any numbers, as many as there is room for. */
ND_TEST("ids") {
    enum { NUMBERS = 500, MEETINGS = 5000 };
    nd_random random = nd_test_random("number ids");
    for (uint64_t distinct = 1; distinct <= NUMBERS; distinct += 83) {
        nd_number_ids ids = {0};
        uint64_t met[NUMBERS];
        size_t count = 0;
        size_t wrong = 0;
        nd_number_ids_open(&ids, distinct);
        for (int i = 0; i < MEETINGS; i++) {
            const uint64_t drawn = nd_random_below(&random, distinct);
            const uint64_t number = drawn % 3 == 0   ? drawn
                                    : drawn % 3 == 1 ? UINT64_MAX - drawn
                                                     : nd_mix64(drawn);
            size_t id = 0;
            while (id < count && met[id] != number) {
                id++;
            }
            met[id] = number;
            count += id == count;
            uint32_t found = 0;
            wrong += nd_number_ids_find(&ids, number, &found) != (ids.count == count);
            wrong += ids.count == count && found != id;
            wrong += nd_number_ids_of(&ids, number) != id || ids.count != count;
        }
        for (size_t id = 0; id < count; id++) {
            wrong += ids.numbers[id] != met[id];
        }
        CU_ASSERT_EQUAL(wrong, 0);
        nd_number_ids_free(&ids);
        nd_number_ids_free(&ids);
    }
}

ND_TEST("set") {
    enum { NUMBERS = 300 };
    static const uint64_t ends[] = {0, UINT64_MAX};
    uint64_t numbers[NUMBERS];
    ND_OWNED(nd_number_set_free) nd_number_set set = {0};
    CU_ASSERT_FALSE(nd_number_set_holds(&set, 0));
    CU_ASSERT_FALSE(nd_number_set_holds(&set, UINT64_MAX));
    for (uint64_t count = 0; count <= NUMBERS; count += 60) { /* the set before is forgotten */
        for (uint64_t i = 0; i < count; i++) {
            numbers[i] = nd_mix64(1000 * count + i / 2); /* each twice */
        }
        nd_number_set_fill(&set, numbers, count);
        for (uint64_t i = 0; i < 2 * NUMBERS; i++) {
            CU_ASSERT_EQUAL(nd_number_set_holds(&set, nd_mix64(1000 * count + i)), i < count / 2);
        }
        CU_ASSERT_FALSE(nd_number_set_holds(&set, UINT64_MAX));
    }
    nd_number_set_fill(&set, ends, 2);
    CU_ASSERT_TRUE(nd_number_set_holds(&set, 0));
    CU_ASSERT_TRUE(nd_number_set_holds(&set, UINT64_MAX));
    CU_ASSERT_FALSE(nd_number_set_holds(&set, 1));
}

/* ---- The binary search: every place in lists of every small size, and numbers near the ends of
 * their types. */

ND_TEST("every place") {
    for (int size = 0; size < 20; size++) {
        for (int first = 0; first <= size; first++) {
            int i = -1;
            ND_FIND_FIRST(i, 0, size, i >= first);
            CU_ASSERT_EQUAL(i, first);
        }
    }
}

ND_TEST("the ends of a type") {
    uint64_t i = 0;
    uint8_t small = 0;
    ND_FIND_FIRST(i, UINT64_MAX - 3, UINT64_MAX, i >= UINT64_MAX - 1);
    CU_ASSERT_EQUAL(i, UINT64_MAX - 1);
    ND_FIND_FIRST(small, 200, UINT8_MAX, small >= 254);
    CU_ASSERT_EQUAL(small, 254);
    CU_ASSERT_EQUAL(nd_min(3, UINT64_MAX), 3);
    CU_ASSERT_EQUAL(nd_max(3, UINT64_MAX), UINT64_MAX);
}

/* ---- Options as rows of a table: every kind is set and printed back; bounds, words, and what was
 * given. */

typedef struct values_option {
    double real;
    uint64_t number, size;
    const char *text;
    uint32_t count;
    enum { FIRST, SECOND, THIRD } word;
    bool flag, on, given;
} values_option;

static nd_status set_own(void *options, const char *text) {
    ((values_option *)options)->real = (double)strlen(text);
    return ND_OK;
}

#define AT(field) offsetof(values_option, field)
static const nd_option table[] = {
    {.help = "a heading"},
    {"flag", NULL, ND_OPTION_FLAG, AT(flag), .help = "x"},
    {"a-switch", "on|off", ND_OPTION_SWITCH, AT(on), .help = "x"},
    {"word", "first|second|third", ND_OPTION_WORD, AT(word), .help = "x", .given = AT(given)},
    {"count", "N", ND_OPTION_COUNT, AT(count), .help = "x"},
    {"number", "N", ND_OPTION_NUMBER, AT(number), .help = "x", .bounded = true, .least = 2,
     .most = 9},
    {"size", "SIZE", ND_OPTION_SIZE, AT(size), .help = "x", .bounded = true, .least = 2 << 20},
    {"real", "X", ND_OPTION_REAL, AT(real), .help = "x"},
    {"text", "T", ND_OPTION_TEXT, AT(text), .help = "x"},
    {"own", "T", ND_OPTION_OWN, 0, .help = "x", .set = set_own},
    {0},
};

static const nd_option *row(const char *parameter) {
    const nd_option *found = nd_option_of_parameter(table, parameter);
    CU_ASSERT_FATAL(found != NULL);
    return found;
}

/* Rows of which the others have none: what an own option prints, and refuses. */
static nd_status refuse_own(void *options, const char *text) {
    (void)options;
    return nd_fail(ND_ERR_USAGE, "--refused %s", text);
}

static const char *print_own(const void *options) {
    return ((const values_option *)options)->real > 0 ? "some" : "none";
}

ND_TEST("own") {
    static const nd_option own[] = {
        {"refused", "T", ND_OPTION_OWN, 0, .help = "x", .set = refuse_own, .given = AT(given)},
        {"printed", "T", ND_OPTION_OWN, 0, .help = "x", .set = set_own, .print = print_own},
        {"most", "N", ND_OPTION_NUMBER, AT(number), .help = "x", .bounded = true, .least = 2},
        {0},
    };
    values_option v = {0};
    char room[ND_OPTION_TEXT_SIZE];
    CU_ASSERT_EQUAL(nd_option_set(&own[0], "x", &v), ND_ERR_USAGE);
    CU_ASSERT_FALSE(v.given);
    CU_ASSERT_STRING_EQUAL(nd_option_print(&own[1], &v, room), "none");
    ND_TEST_OK(nd_option_set(&own[1], "x", &v));
    CU_ASSERT_STRING_EQUAL(nd_option_print(&own[1], &v, room), "some");
    CU_ASSERT_PTR_NULL(nd_option_print(&own[0], &v, room));
    CU_ASSERT_EQUAL(nd_option_set(&own[2], "1", &v), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "must be at least 2"));
    ND_TEST_OK(nd_option_set(&own[2], "18446744073709551615", &v));
    CU_ASSERT_PTR_EQUAL(nd_option_find(own, "most"), &own[2]);
    CU_ASSERT_PTR_NULL(nd_option_find(own, "none"));
    CU_ASSERT_PTR_NULL(nd_option_find(table, "heading"));
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "99999999999999G", &v),
                    ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "-4M", &v), ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "0", &v), ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "M", &v), ND_ERR_USAGE);
    v.size = (UINT64_C(3) << 20) + 1;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3145729");
    v.size = UINT64_C(3) << 10;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3K");
    v.size = UINT64_C(3) << 40;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3T");
}

static void check_kept(const char *parameter, const char *text, const char *printed) {
    values_option v = {0};
    char room[ND_OPTION_TEXT_SIZE];
    ND_TEST_OK(nd_option_set(row(parameter), text, &v));
    const char *value = nd_option_print(row(parameter), &v, room);
    CU_ASSERT_FATAL(value != NULL);
    CU_ASSERT_STRING_EQUAL(value, printed);
}

ND_TEST("values") {
    values_option v = {.on = true};
    check_kept("a_switch", "on", "on");
    check_kept("a_switch", "off", "off");
    check_kept("word", "third", "third");
    check_kept("count", "4294967295", "4294967295");
    check_kept("number", "9", "9");
    check_kept("size", "3M", "3M");
    check_kept("size", "3145729", "3145729");
    check_kept("real", "60", "60");
    check_kept("real", "0.1", "0.1");
    check_kept("text", "", "");
    ND_TEST_OK(nd_option_set(row("flag"), NULL, &v));
    CU_ASSERT(v.flag && v.on && !v.given);
    ND_TEST_OK(nd_option_set(row("word"), "second", &v));
    CU_ASSERT(v.word == SECOND && v.given);
    ND_TEST_OK(nd_option_set(row("own"), "four", &v));
    CU_ASSERT_EQUAL(v.real, 4);
}

/* Units and fractions, of numbers and of bytes; what is neither is refused. */
ND_TEST("units") {
    static const struct {
        const char *text;
        uint64_t number, bytes; /* 0: none */
    } rows[] = {{"65536", 65536, 65536},
                {"400M", 400000000, UINT64_C(400) << 20},
                {"400m", 400000000, UINT64_C(400) << 20},
                {"1.5K", 1500, 1536},
                {"2.5G", 2500000000, UINT64_C(5) << 29},
                {"0.1K", 100, 102},
                {"1.000001M", 1000001, 1048577},
                {"2GB", 0, 2000000000},
                {"2.5gb", 0, 2500000000},
                {"2GiB", 0, UINT64_C(2) << 30},
                {"1T", UINT64_C(1000000000000), UINT64_C(1) << 40},
                {"18446744073709551615", UINT64_MAX, UINT64_MAX},
                {"16777215T", UINT64_C(16777215000000000000), UINT64_C(16777215) << 40},
                {"1.2345K", 0, 1264},
                {"", 0, 0},
                {"M", 0, 0},
                {"1.5", 0, 0},
                {".5M", 0, 0},
                {"1.M", 1000000, 1048576},
                {"1e6", 1000000, 1000000},
                {"4E8", 400000000, 400000000},
                {"1.5e6", 1500000, 1500000},
                {"1.5e0", 0, 0},
                {"1e-3", 0, 0},
                {"1e+3", 0, 0},
                {"1e", 0, 0},
                {"1e3K", 0, 0},
                {"1e16", 0, 0},
                {"0x1e2", 0, 0},
                {"0x10", 0, 0},
                {"+5", 0, 0},
                {" 5", 0, 0},
                {"5 M", 0, 0},
                {"5MM", 0, 0},
                {"5B", 0, 0},
                {"5iB", 0, 0},
                {"-1K", 0, 0},
                {"18446744073709551616", 0, 0},
                {"18446744073709552K", 0, 0},
                {"99999999T", 0, 0},
                {"nan", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 0;
        uint64_t bytes = 0;
        const bool is_number = nd_parse_number("x", rows[i].text, &number) == ND_OK;
        const bool is_size = nd_parse_size("x", rows[i].text, &bytes) == ND_OK;
        if (is_number != (rows[i].number > 0) || is_size != (rows[i].bytes > 0) ||
            (is_number && number != rows[i].number) || (is_size && bytes != rows[i].bytes)) {
            printf("'%s': %d %llu, %d %llu\n", rows[i].text, is_number, (unsigned long long)number,
                   is_size, (unsigned long long)bytes);
            CU_FAIL("unit");
        }
    }
}

static void refuse(const char *parameter, const char *text, const char *message) {
    values_option v = {0};
    CU_ASSERT_EQUAL(nd_option_set(row(parameter), text, &v), ND_ERR_USAGE);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), message);
    CU_ASSERT(!v.given);
}

ND_TEST("refused") {
    refuse("word", "fir", "--word fir: must be first, second or third");
    refuse("word", "first|second", "--word first|second: must be first, second or third");
    refuse("a_switch", "", "--a-switch : must be on or off");
    refuse("count", "4294967296", "--count 4294967296: too large");
    refuse("number", "1", "--number 1: must be 2 to 9");
    refuse("number", "10", "--number 10: must be 2 to 9");
    refuse("number", "-3", "--number -3: must be a whole number, as 20000, 1.5M or 4e8");
    refuse("size", "1M", "--size 1M: must be at least 2M");
    refuse("size", "2X", "--size 2X: must be a size such as 65536, 512M or 2.5G");
    refuse("real", "x", "--real x: must be a number");
    CU_ASSERT_PTR_NULL(nd_option_of_parameter(table, "nothing"));
    CU_ASSERT_PTR_NULL(nd_option_of_parameter(table, ""));
}

/* ---- What is printed of texts that strangers wrote, for messages, fields and JSON. */

typedef struct example {
    const char *text, *message, *field, *json;
} example;

/* A text is the same where NULL. */
static const example examples[] = {
    {"", NULL, NULL, NULL},
    {"http://a.example/?q=1&r=%20", NULL, NULL, NULL},
    {"gr\xC3\xBC\xC3\x9F \xE6\xB1\x89 \xF0\x9F\x98\x80 \xEF\xBF\xBD", NULL, NULL, NULL},
    {"a\tb\nc\rd\\e", "a\\tb\\nc\\rd\\e", "a\\tb\\nc\\rd\\\\e", "a\tb\nc\rd\\e"},
    {"\x1B[31m\x07\x7F", "\\x1b[31m\\x07\\x7f", "\\x1b[31m\\x07\\x7f", "\x1B[31m\x07\\u007f"},
    {"\xC2\x9B"
     "2J\xC2\x85\xC2\xA0",
     "\\u009b2J\\u0085\xC2\xA0", "\\u009b2J\\u0085\xC2\xA0", "\\u009b2J\\u0085\xC2\xA0"},
    {"\xE2\x80\xAE"
     "fdp\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C",
     "\\u202efdp\\u2066\\u200f\\u061c", "\\u202efdp\\u2066\\u200f\\u061c",
     "\\u202efdp\\u2066\\u200f\\u061c"},
    {"\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\xE2\x80\x8B", "\\u2028\\u2029\\ufeff\\u200b",
     "\\u2028\\u2029\\ufeff\\u200b", "\\u2028\\u2029\\ufeff\\u200b"},
    {"\xF3\xA0\x80\x81", "\\U000e0001", "\\U000e0001", "\\udb40\\udc01"},
    {"x\x9By\xE2\x80", "x\\x9by\\xe2\\x80", "x\\x9by\\xe2\\x80", "x\\ufffdy\\ufffd"},
    {"\xED\xA0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd"},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

/* In the room that is always enough, and in all smaller ones, of which none is written beyond. */
static void check_one(nd_printable kind, const char *text, const char *expected) {
    char got[256];
    const nd_span span = nd_test_span(text);
    expected = expected != NULL ? expected : text;
    CU_ASSERT_FATAL(span.size * ND_PRINTABLE_GROWTH < sizeof got);
    for (size_t room = span.size * ND_PRINTABLE_GROWTH + 1; room > 0; room--) {
        const size_t fits = strlen(expected) < room ? strlen(expected) : room - 1;
        memset(got, '#', sizeof got);
        CU_ASSERT_EQUAL(nd_printable_put(kind, span, got, room), fits);
        CU_ASSERT(memcmp(got, expected, fits) == 0 && got[fits] == '\0' && got[fits + 1] == '#');
    }
    CU_ASSERT_EQUAL(nd_printable_put(kind, span, got, sizeof got), strlen(expected));
}

ND_TEST("examples") {
    for (size_t i = 0; i < EXAMPLES; i++) {
        const example *e = &examples[i];
        check_one(ND_PRINTABLE_MESSAGE, e->text, e->message);
        check_one(ND_PRINTABLE_FIELD, e->text, e->field);
        check_one(ND_PRINTABLE_JSON, e->text, e->json);
        if (e->message != NULL) {
            check_one(ND_PRINTABLE_MESSAGE, e->message, NULL); /* once more changes nothing */
        }
    }
}

ND_TEST("NUL") {
    static const uint8_t bytes[] = {'a', 0, 'b'};
    char got[32];
    (void)nd_printable_put(ND_PRINTABLE_FIELD, (nd_span){bytes, 3}, got, sizeof got);
    CU_ASSERT_STRING_EQUAL(got, "a\\x00b");
}

/* Every byte, alone and after a byte that begins a character: nothing is left that is not text. */
ND_TEST("all bytes") {
    for (unsigned value = 0; value < 0x10000; value++) {
        const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};
        uint8_t got[32];
        const size_t size =
            nd_printable_put(ND_PRINTABLE_FIELD, (nd_span){bytes, 2}, (char *)got, sizeof got);
        for (size_t i = 0; i < size; i++) {
            CU_ASSERT(got[i] >= 0x20 && got[i] != 0x7F);
        }
        const bool two = size == 2 && got[0] >= 0x80;
        CU_ASSERT(!two || (bytes[0] >= 0xC2 && bytes[0] < 0xE0 && bytes[1] >= 0x80));
    }
}

ND_TEST("printable: room") {
    char room[8];
    nd_printable_message("abc\x1B", 4, room, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "abc\\x1b");
    nd_printable_message("abcd\x1Bx", 6, room, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "abcd\\x1");
    nd_printable_message("abc", 3, room, 1);
    CU_ASSERT_STRING_EQUAL(room, "");
}

ND_TEST("failures") {
    CU_ASSERT_EQUAL(nd_fail(ND_ERR_IO, "%s: cannot be opened", "a\n\x1B[2Jneardup: done"),
                    ND_ERR_IO);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "a\\n\\x1b[2Jneardup: done: cannot be opened");
    CU_ASSERT_EQUAL(nd_fail(ND_ERR_IO, "rank 1: %s", nd_fail_text()), ND_ERR_IO);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "rank 1: a\\n\\x1b[2Jneardup: done: cannot be opened");
}

ND_TEST("streams") {
    char got[64] = "";
    FILE *file = fmemopen(got, sizeof got, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    nd_print_line(file, "%s|%d", "a\nb", 7);
    nd_print_padded(file, nd_test_span("\x07"), 6);
    nd_print_words(file, ND_PRINTABLE_FIELD, "\\");
    nd_print_text(file, ND_PRINTABLE_MESSAGE, (nd_span){NULL, 0});
    CU_ASSERT_EQUAL(fclose(file), 0);
    CU_ASSERT_STRING_EQUAL(got, "a\\nb|7\n\\x07  \\\\");
}

/* Of an HTML page, where blanks are blanks and five characters mean something. */
ND_TEST("html") {
    check_one(ND_PRINTABLE_HTML, "<a href=\"x\" id='y'>&amp;</a>",
              "&#60;a href=&#34;x&#34; id=&#39;y&#39;&#62;&#38;amp;&#60;/a&#62;");
    check_one(ND_PRINTABLE_HTML, "a\tb\r\nc\\d", "a b  c\\d");
    check_one(ND_PRINTABLE_HTML, "\x1b[1m\xE2\x80\xAE<\x9B", "\\x1b[1m\\u202e&#60;\\x9b");
    check_one(ND_PRINTABLE_HTML, "gr\xC3\xBC\xC3\x9F", NULL);
}
