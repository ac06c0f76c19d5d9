/* What a stage shows on stderr: nothing before its line where lines are wanted, and a moving line
 * on a terminal. */
#include "mpi/job/progress.h"
#include "tests/support/mpi_check.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What rank 0 shows of a stage of one page a rank; the caller's to free. */
static nd_buffer shown(nd_progress *progress) {
    nd_comm *comm = nd_mpi_test_comm();
    const char *path = nd_mpi_test_path("stderr");
    char own[4096];
    (void)snprintf(own, sizeof own, "%s.%d", path, comm->rank);
    turn_stderr(open(own, O_CREAT | O_TRUNC | O_WRONLY, 0600));
    nd_progress_begin(progress, comm, "sign", "pages");
    (void)fflush(stderr);
    nd_buffer first = nd_test_read(own);
    CU_ASSERT_EQUAL(first.size > 0, comm->rank == 0 && progress->mode == ND_PROGRESS_BAR);
    nd_buffer_free(&first);
    nd_progress_update(progress, comm, 1, 2, 1); /* too early to be shown */
    nd_progress_end(progress, comm, 1);
    put_stderr_back();
    nd_buffer all = nd_test_read(own);
    nd_test_pack(&all, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    return all;
}

static void test_shown(void) {
    const nd_comm *comm = nd_mpi_test_comm();
    static const nd_progress_mode modes[] = {ND_PROGRESS_NONE, ND_PROGRESS_LINES, ND_PROGRESS_BAR};
    (void)setenv("COLUMNS", "200", 1);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        nd_progress progress = {.mode = modes[i], .stages = 3};
        nd_buffer all = shown(&progress);
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
        nd_buffer_free(&all);
    }
    (void)unsetenv("COLUMNS");
}

static void test_choose(void) {
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

static const nd_test tests[] = {{"what is shown", test_shown}, {"what is chosen", test_choose}};

ND_MPI_TEST_MAIN("progress", tests)
