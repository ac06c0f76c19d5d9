/* Memory and nd_buffer: growth keeps contents, room is made, and where there is none the process
 * ends with one line. */
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_append_keeps_bytes(void) {
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
static void test_none_left(void) {
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
static void test_room(void) {
    uint64_t *items = NULL;
    nd_new_room(&items, 1000, sizeof *items);
    memset(items, 0xff, 1000 * sizeof *items);
    free(items);
    nd_new_room(&items, 0, sizeof *items);
    CU_ASSERT_PTR_NOT_NULL(items);
    free(items);
}

static const nd_test tests[] = {
    {"room", test_room},
    {"append keeps bytes", test_append_keeps_bytes},
    {"none is left", test_none_left},
};
ND_SUITE(t_buffer, tests)
