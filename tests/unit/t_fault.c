/* Faults on demand: where they strike, what they say, what is counted. */
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "tests/support/check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
static void test_unarmed(void) {
    const char *last = NULL;
    const uint64_t counted = nd_fault_count(ND_FAULT_READ); /* 0 but after suites that armed one */
    const uint64_t before = nd_fault_passings(&last);
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_READ, 10), 0);
    nd_fault_pass();
    CU_ASSERT_EQUAL(nd_fault_passings(&last), before + 11);
    CU_ASSERT_STRING_EQUAL(last, "");
    CU_ASSERT_EQUAL(nd_fault(ND_FAULT_LOCK), ND_OK);
    (void)nd_fault_passings(&last);
    CU_ASSERT_STRING_EQUAL(last, "lock");
    CU_ASSERT(counted > 0 || nd_fault_count(ND_FAULT_READ) == 0);
}

static void test_strikes_once_on_its_rank(void) {
    nd_fault_set_rank(4);
    CU_ASSERT_EQUAL(nd_fault_arm("write:3:2"), ND_OK);
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 5), 0);
    CU_ASSERT_EQUAL(nd_fault_arm("write:4:7"), ND_OK);
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_SYNC, 10), 0);
    errno = 0;
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 10), 7);
    CU_ASSERT_EQUAL(errno, ENOSPC);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "injected"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "write, call 7"));
    CU_ASSERT_EQUAL(failing_pass(ND_FAULT_WRITE, 10), 0);
}

static void test_every_point_has_a_name(void) {
    for (int p = 0; p < ND_FAULT_POINTS; p++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%s:4:1", nd_fault_name((nd_fault_point)p));
        CU_ASSERT_EQUAL(nd_fault_arm(text), ND_OK);
        CU_ASSERT_EQUAL(nd_fault((nd_fault_point)p),
                        p == ND_FAULT_MEMORY                                   ? ND_ERR_MEMORY
                        : p == ND_FAULT_INPUT_OPEN || p == ND_FAULT_INPUT_READ ? ND_ERR_INPUT
                                                                               : ND_ERR_IO);
    }
}

static void test_count(void) {
    CU_ASSERT_FALSE(nd_fault_counts());
    CU_ASSERT_EQUAL(nd_fault_arm("count"), ND_OK);
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

static void test_kill_and_hang(void) {
    CU_ASSERT_EQUAL(signal_of_child("kill"), SIGKILL);
    CU_ASSERT_EQUAL(signal_of_child("hang"), SIGALRM);
    CU_ASSERT_EQUAL(signal_of_child("rename"), 0);
}

static void test_wrong_text(void) {
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

static const nd_test tests[] = {
    {"unarmed", test_unarmed},
    {"strikes once on its rank", test_strikes_once_on_its_rank},
    {"every point has a name", test_every_point_has_a_name},
    {"count", test_count},
    {"kill and hang", test_kill_and_hang},
    {"wrong text", test_wrong_text},
};
ND_SUITE(t_fault, tests)
