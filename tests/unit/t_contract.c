/* Contracts: one that holds costs nothing and says nothing; one that is broken says its place, its
 * condition and its values in one line, to who ends the job, and ends the process at any rate. */
#include "src/base/status.h"
#include "tests/support/check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static char said[2048];

static void leave(const char *line) {
    (void)snprintf(said, sizeof said, "%s", line);
    longjmp(back, 1);
}

/* What is said of a place. */
static const char *broken(const char *file, const char *condition, const char *names,
                          const uint64_t *values, size_t count) {
    said[0] = '\0';
    nd_contract_on_break(leave);
    if (setjmp(back) == 0) {
        nd_contract_broken(file, 7, condition, names, values, count);
    }
    nd_contract_on_break(NULL);
    return said;
}

static void test_lines(void) {
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

static void test_long_text(void) {
    char condition[3000];
    const uint64_t values[] = {1, 2, 3};
    memset(condition, 'c', sizeof condition - 1);
    condition[sizeof condition - 1] = '\0';
    const char *line = broken("src/x.c", condition, "a, b, c", values, 3);
    CU_ASSERT_EQUAL(strlen(line), 1023);
    CU_ASSERT_EQUAL(memcmp(line, "src/x.c:7: a mistake", 20), 0);
}

static void test_asserted(void) {
    int asked = 0;
    said[0] = '\0';
    nd_contract_on_break(leave);
    ND_ASSERT(++asked == 1, asked);
    if (setjmp(back) == 0) {
        ND_ASSERT(asked == 2, asked, 17U);
        CU_FAIL("it goes on");
    }
    nd_contract_on_break(NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(said, "tests/unit/t_contract.c:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(said, "not asked == 2 (asked, 17U = 1, 17)"));
}

static void pass(const char *line) {
    (void)line;
}

/* Alone, and where who is asked to end the job comes back. */
static void test_process_ends(void) {
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

static const nd_test tests[] = {{"lines", test_lines},
                                {"a long text", test_long_text},
                                {"asserted", test_asserted},
                                {"the process ends", test_process_ends}};
ND_SUITE(t_contract, tests)
