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
    nd_buffer first = nd_test_read(kept);
    CU_ASSERT_EQUAL(first.size > 0, comm->rank == 0 && progress->mode == ND_PROGRESS_BAR);
    nd_buffer_free(&first);
    nd_progress_update(progress, comm, 1, 2, 1); /* too early to be shown */
    nd_progress_end(progress, comm, 1);
    return end_keeping();
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
static void test_left(void) {
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
static void test_row(void) {
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
static void test_narrow(void) {
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
        nd_buffer all = shown_after(&progress, 5000, 1, 2, 8);
        const char *last = strrchr((const char *)all.data, '\r');
        CU_ASSERT_STRING_EQUAL(last != NULL ? last : "", comm->rank == 0 ? cases[i].wanted : "");
        nd_buffer_free(&all);
    }
    (void)unsetenv("COLUMNS");
}

static void test_cleared(void) {
    nd_progress progress = {.mode = ND_PROGRESS_BAR, .bar_width = 3};
    keep_stderr();
    nd_progress_clear(&progress);
    nd_progress_clear(&progress); /* nothing stands there any more */
    nd_buffer all = end_keeping();
    CU_ASSERT_EQUAL(all.size, 6);
    CU_ASSERT_STRING_EQUAL((const char *)all.data, "\r   \r");
    nd_buffer_free(&all);
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

static const nd_test tests[] = {
    {"what is shown", test_shown},     {"how long the rest takes", test_left},
    {"narrow terminals", test_narrow}, {"the moving line is taken away", test_cleared},
    {"what is measured", test_row},    {"what is chosen", test_choose}};

ND_SUITE(m_progress, tests)
