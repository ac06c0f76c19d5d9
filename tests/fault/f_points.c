#include "mpi/job/job.h"
#include "mpi/run/run.h"
#include "src/base/fault.h"
#include "tests/support/mpi_check.h"
#include "tests/support/sources.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FAMILIES = 12, COPIES = 5, PARAGRAPHS = 240, ARCHIVED = 4, PATH_SIZE = 4096 };
enum { PAGES = FAMILIES * COPIES + ARCHIVED };
enum { DEFAULT_SAMPLE = 12 };
static char input[PATH_SIZE];
static char output[PATH_SIZE]; /* the result */
static nd_transitivity transitivity;

/* ---- the corpus: families of pages that differ in one paragraph, below one navigation */

/* Words of letters: what differs in numbers alone counts as the same on a site. */
static void append_paragraph(nd_buffer *page, nd_random *random) {
    nd_test_print(page, "<p>Paragraph");
    for (uint64_t words = 8 + nd_random_below(random, 12); words > 0; words--) {
        const uint64_t drawn = nd_random_next(random);
        nd_test_print(page, " %c%c%c", 'a' + (int)(drawn % 26), 'a' + (int)(drawn / 26 % 26),
                      'a' + (int)(drawn / 676 % 26));
    }
    nd_test_print(page, ".</p>");
}

static void append_page(nd_buffer *file, int family, int copy) {
    nd_buffer page = {0};
    nd_random same = {(uint64_t)family};
    nd_random other = {(uint64_t)(family * COPIES + copy)};
    nd_test_print(&page, "<nav><a href=x>Home</a></nav><p>This site prints one and the same line "
                         "at the top of all of its pages.</p>");
    for (int i = 0; i < PARAGRAPHS; i++) {
        append_paragraph(&page, i == copy ? &other : &same);
    }
    nd_test_print(file, "{\"url\": \"http://site%d.test/%d/%d\", \"html\": \"", copy % 3, family,
                  copy);
    nd_buffer_append(file, page.data, page.size);
    nd_test_print(file, "\"}\n");
    nd_buffer_free(&page);
}

static void write_inputs(void) {
    nd_buffer lines = {0};
    nd_buffer archive = {0};
    for (int i = 0; i < FAMILIES * COPIES; i++) {
        append_page(&lines, i / COPIES, i % COPIES);
    }
    for (int i = 0; i < ARCHIVED; i++) {
        nd_buffer record = {0};
        nd_buffer block = {0};
        nd_test_http(&block, 200, "text/html", "", nd_test_span("<p>An archived page, four times"));
        nd_test_warc_record(&record, "response", "http://a.test/", "<urn:1>",
                            "application/http; msgtype=response", nd_buffer_span(&block));
        nd_test_pack(&archive, ND_TEST_GZIP, nd_buffer_span(&record));
        nd_buffer_free(&record);
        nd_buffer_free(&block);
    }
    (void)snprintf(input, sizeof input, "%s/in", nd_test_folder());
    (void)mkdir(input, 0777);
    (void)nd_test_write("in/lines.jsonl", nd_buffer_span(&lines));
    (void)nd_test_write("in/archive.warc.gz", nd_buffer_span(&archive));
    (void)snprintf(output, sizeof output, "%s/out", nd_test_folder());
    nd_buffer_free(&lines);
    nd_buffer_free(&archive);
}

static void prepare(void) {
    const nd_comm *comm = nd_mpi_test_comm();
    if (comm->rank == 0) {
        write_inputs();
    }
    ND_MPI(MPI_Bcast(input, PATH_SIZE, MPI_CHAR, 0, comm->handle));
    ND_MPI(MPI_Bcast(output, PATH_SIZE, MPI_CHAR, 0, comm->handle));
    nd_fault_set_rank(comm->rank);
}

/* ---- one run */

typedef struct outcome {
    nd_status status;
    uint64_t skipped, failed, pages, links;
    uint64_t spilled; /* bytes that the reading of the inputs wrote */
    char text[ND_FAIL_TEXT_SIZE];
} outcome;

static void run_job(const char *fault, outcome *out) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    const char *const inputs[] = {input};
    options.memory.batch = 1 << 16;
    options.memory.round = 1 << 16;
    options.split_size = 8192;
    options.transitivity = transitivity;
    options.output = output;
    options.command_line = "f_points";
    *out = (outcome){0};
    CU_ASSERT_EQUAL(nd_fault_arm(fault), ND_OK);
    nd_run_open(&job, MPI_COMM_WORLD, &options);
    (void)nd_fail(ND_OK, "nothing");
    out->status = nd_run(&job, inputs, 1);
    out->skipped = job.totals.skipped;
    out->failed = job.totals.sources_unused;
    out->spilled = job.progress.count > 0 ? job.progress.rows[0].bytes_written : 0;
    out->pages = job.totals.pages;
    out->links = job.totals.links;
    (void)snprintf(out->text, sizeof out->text, "%s", nd_fail_text());
    nd_run_close(&job);
}

/* Rank 0: nothing but the inputs lies in the folder; if not, it does from now on. */
static bool nothing_left(void) {
    bool clean = true;
    if (nd_mpi_test_comm()->rank == 0) {
        static const char *const endings[] = {"", ".partial", ".work", ".spill"};
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
            char path[PATH_SIZE + 16];
            (void)snprintf(path, sizeof path, "%s%s", output, endings[i]);
            if (nd_test_remove(path)) {
                (void)fprintf(stderr, "left: %s\n", path);
                clean = false;
            }
        }
    }
    return clean;
}

static void take_result(void) {
    ND_CHECK_ALL(nd_mpi_test_comm(), nd_mpi_test_comm()->rank != 0 || nd_test_remove(output));
}

static bool is_input(nd_fault_point point) {
    return point == ND_FAULT_INPUT_OPEN || point == ND_FAULT_INPUT_READ;
}

/* An unreadable input may also be said and skipped, or be read at a second try: then the job ends
 * well. Nothing else may: what fails of our own is never said as an input that was skipped. */
static bool is_right(nd_fault_point point, int on_rank, const outcome *out) {
    char begin[32];
    (void)snprintf(begin, sizeof begin, "rank %d: ", on_rank);
    if (out->status == ND_OK) {
        return is_input(point) && (out->pages == PAGES || (out->failed > 0 && out->pages < PAGES));
    }
    return out->skipped == 0 && strncmp(out->text, begin, strlen(begin)) == 0 &&
           strstr(out->text, "injected") != NULL;
}

static void try_fault(nd_fault_point point, int on_rank, uint64_t at) {
    const nd_comm *comm = nd_mpi_test_comm();
    outcome out;
    char fault[64];
    (void)snprintf(fault, sizeof fault, "%s:%d:%llu", nd_fault_name(point), on_rank,
                   (unsigned long long)at);
    run_job(fault, &out);
    const bool struck = comm->rank != on_rank || nd_fault_count(point) >= at;
    bool right = is_right(point, on_rank, &out) && struck;
    if (out.status == ND_OK && right) {
        take_result();
    }
    right = nothing_left() && right;
    if (!right) {
        (void)fprintf(stderr, "rank %d of %d: --fault %s: status %d, %s\n", comm->rank, comm->size,
                      fault, (int)out.status, out.text);
    }
    ND_CHECK_ALL(comm, right);
}

/* ---- the loop */

static uint64_t sample_size(void) {
    const char *text = getenv("ND_TEST_FAULTS");
    return text != NULL ? strtoull(text, NULL, 10) : DEFAULT_SAMPLE;
}

/* The counts of all ranks after a run without a fault: [rank][point]. */
static uint64_t *count_passings(void) {
    const nd_comm *comm = nd_mpi_test_comm();
    uint64_t *counts = nd_mpi_test_new((uint64_t)comm->size * ND_FAULT_POINTS, sizeof *counts);
    uint64_t mine[ND_FAULT_POINTS];
    outcome out;
    run_job("count", &out);
    if (out.status != ND_OK) {
        (void)fprintf(stderr, "without a fault: %s\n", out.text);
    }
    ND_CHECK_ALL(comm, out.status == ND_OK);
    ND_CHECK_ALL(comm, out.pages == PAGES && out.links > 0 && out.spilled > 0);
    take_result();
    for (int p = 0; p < ND_FAULT_POINTS; p++) {
        mine[p] = nd_fault_count((nd_fault_point)p);
    }
    ND_MPI(MPI_Allgather(mine, ND_FAULT_POINTS, MPI_UINT64_T, counts, ND_FAULT_POINTS, MPI_UINT64_T,
                         comm->handle));
    return counts;
}

/* The n-th of `sample` passings of `count`: the first, the last, any between; all if few. */
static uint64_t choose(uint64_t n, uint64_t sample, uint64_t count, nd_random *random) {
    if (count <= sample || n == 0) {
        return n + 1;
    }
    return n + 1 == sample ? count : 1 + nd_random_below(random, count);
}

static void try_points(nd_transitivity form, nd_random random) {
    const nd_comm *comm = nd_mpi_test_comm();
    uint64_t tried = 0;
    transitivity = form;
    prepare();
    uint64_t *counts = count_passings();
    for (int p = ND_FAULT_MEMORY + 1; p < ND_FAULT_RESULT; p++) {
        const uint64_t sample = sample_size();
        for (uint64_t n = 0; n < sample; n++) {
            const int on_rank = (int)nd_random_below(&random, (uint64_t)comm->size);
            const uint64_t count = counts[on_rank * ND_FAULT_POINTS + p];
            const uint64_t at = choose(n, sample, count, &random);
            if (at <= count) {
                try_fault((nd_fault_point)p, on_rank, at);
                tried++;
            }
        }
    }
    (void)printf("%llu faults\n", (unsigned long long)tried);
    ND_CHECK_ALL(comm, tried > 0);
    free(counts);
    free(count_passings()); /* the last job of all runs as the first */
}

ND_TEST("verified pairs") {
    try_points(ND_TRANSITIVITY_VERIFIED, nd_mpi_test_random("verified"));
}

ND_TEST("the paper's form") {
    try_points(ND_TRANSITIVITY_FULL, nd_mpi_test_random("full"));
}
