/* Coefficients in a file and back; files that hold none. Results are read in cli/plan.sh. */
#include "io/result/plan_file.h"
#include "tests/support/check.h"
#include "tests/support/small_result.h"
#include "tests/support/warc_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", nd_test_folder(), name);
    return path;
}

static const char *file_with(const char *text) {
    const char *path = path_of("file.json");
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static void test_round_trip(void) {
    nd_plan_rates written = nd_plan_default_rates();
    nd_plan_rates read = nd_plan_default_rates();
    const nd_plan_run run = {.pages = 1000, .ranks = 2};
    const char *const results[] = {"sets.h5"}; /* with or without its folder */
    for (int i = 0; i < ND_RATES; i++) {
        written.value[i] = 1.5 * (i + 1);
        written.per_doubling[i] = -0.25 * i;
    }
    const char *path = path_of("rates.json");
    CU_ASSERT_FATAL(nd_plan_rates_write(path, &written, results, &run, 1) == ND_OK);
    CU_ASSERT_FATAL(nd_plan_rates_read(path, &read) == ND_OK);
    for (int i = 0; i < ND_RATES; i++) {
        CU_ASSERT(read.value[i] == written.value[i]);
        CU_ASSERT(read.per_doubling[i] == written.per_doubling[i]);
    }
}

static void test_some_only(void) {
    nd_plan_rates rates = nd_plan_default_rates();
    const nd_plan_rates before = rates;
    CU_ASSERT(/* written by an editor that begins a file with a byte order mark */
              nd_plan_rates_read(
                  file_with("\xEF\xBB\xBF{\"format\":\"neardup-coefficients\",\"coefficients\":\r\n"
                            "{\"names\":{\"value\":99,\"per_doubling\":0},\"else\":1}}"),
                  &rates) == ND_OK);
    CU_ASSERT(rates.value[ND_RATE_NAMES] == 99);
    CU_ASSERT(rates.value[ND_RATE_TEXT] == before.value[ND_RATE_TEXT]);
}

static void refused(const char *text, nd_status status, const char *says) {
    nd_plan_rates rates = nd_plan_default_rates();
    CU_ASSERT(nd_plan_rates_read(file_with(text), &rates) == status);
    if (strstr(nd_fail_text(), says) == NULL || strstr(nd_fail_text(), "file.json") == NULL) {
        printf("'%s' does not name '%s' and the file\n", nd_fail_text(), says);
        CU_FAIL("text");
    }
}

static void test_refused(void) {
    nd_plan_rates rates = nd_plan_default_rates();
    refused("not json", ND_ERR_FORMAT, "JSON");
    refused("[]", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":1,\"coefficients\":{}}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":null,\"coefficients\":{}}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":[],\"coefficients\":{}}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":\"neardup-coefficients\",\"coefficients\":null}", ND_ERR_FORMAT,
            "--calibrate");
    refused("{\"format\":\"neardup-coefficients\",\"coefficients\":{\"names\":null}}",
            ND_ERR_FORMAT, "names");
    refused("{\"format\":\"neardup-coefficients\",\"format_version\":2,\"coefficients\":{}}",
            ND_ERR_FORMAT, "version 2");
    refused("{\"format\":\"neardup-coefficients\",\"format_version\":{},\"coefficients\":{}}",
            ND_ERR_FORMAT, "version");
    refused("{\"format\":\"neardup-coefficients\"}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":\"neardup-coefficients\",\"coefficients\":{\"names\":7}}", ND_ERR_FORMAT,
            "names");
    refused("{\"format\":\"neardup-coefficients\",\"coefficients\":{\"names\":{\"value\":\"x\","
            "\"per_doubling\":0}}}",
            ND_ERR_FORMAT, "names");
    refused("{\"coefficients\":{}}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":\"neardup-plan\",\"coefficients\":{}}", ND_ERR_FORMAT, "--calibrate");
    refused("{\"format\":\"neardup-coefficients\",\"coefficients\":{\"names\":{\"value\":1,"
            "\"per_doubling\":\"x\"}}}",
            ND_ERR_FORMAT, "names");
    const char *large = file_with("{}"); /* larger than any, without its bytes */
    CU_ASSERT_EQUAL_FATAL(truncate(large, (1 << 24) + 1), 0);
    CU_ASSERT_EQUAL(nd_plan_rates_read(large, &rates), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "cannot be read as JSON: too large"));
    CU_ASSERT(nd_plan_rates_read(path_of("none.json"), &rates) == ND_ERR_INPUT);
    nd_plan_run run;
    CU_ASSERT(nd_plan_run_read(path_of("none.h5"), &run) == ND_ERR_INPUT);
    CU_ASSERT(nd_plan_run_read(file_with("no result"), &run) != ND_OK);
}

/* ---- results */

static nd_status read_run(const char *totals, const nd_test_change *changes, size_t count,
                          nd_plan_run *run) {
    nd_result result;
    const nd_test_made made = {.totals = totals, .changes = changes, .change_count = count};
    nd_test_must(nd_test_result_write(&result, path_of("run.h5"), &made));
    nd_test_result_finish(&result);
    return nd_plan_run_read(path_of("run.h5"), run);
}

#define TOTALS                                                                                     \
    "\"page_bytes\":2,\"text_bytes\":3,\"content_bytes\":4,\"name_bytes\":5,\"tokens\":6,"         \
    "\"content_tokens\":7,\"signed_pages\":8,\"postings\":9,\"candidates\":10,\"pair_finds\":11,"  \
    "\"batch_bytes\":14,"

static void test_run(void) {
    static const nd_test_change stage[] = {{"/stages/name_offset", 1, 1, NULL},
                                           {"/stages/bytes_read", 0, 1000, NULL}};
    nd_plan_run run;
    CU_ASSERT_EQUAL_FATAL(
        read_run("{" TOTALS "\"input_bytes\":1,\"pairs\":12,\"links\":13}", stage, 2, &run), ND_OK);
    CU_ASSERT(run.pages == (double)ND_TEST_PAGES && run.ranks == 1 && run.input_bytes == 1 &&
              run.pairs == 12 && run.batch_bytes == 14 && run.contained_pairs == 0);
    CU_ASSERT_EQUAL(run.file_bytes, 1005);
    CU_ASSERT(run.columns > 0 && run.name_columns > 0);
}

/* Read a result of so many stages, of which the last one has this name and the others have none. */
static nd_status read_stage(const char *name, uint64_t stages, nd_plan_run *run) {
    nd_result result;
    uint64_t offsets[100] = {0};
    double seconds[100];
    uint64_t numbers[100];
    const nd_test_made made = {.totals = "{" TOTALS "\"input_bytes\":1,\"pairs\":12,\"links\":13}",
                               .left_out = "/stages/"};
    const nd_slab bytes = {.total = strlen(name), .count = strlen(name)};
    const nd_slab ends = {.total = stages + 1, .count = stages + 1};
    const nd_slab rows = {.total = stages, .count = stages};
    for (uint64_t i = 0; i < stages; i++) {
        offsets[i + 1] = strlen(name) * (i + 1 == stages);
        seconds[i] = 2.5;
        numbers[i] = 70;
    }
    nd_test_must(nd_test_result_write(&result, path_of("run.h5"), &made));
    nd_test_must(nd_result_write(&result, "/stages/name_offset", ND_COLUMN_U64, &ends, offsets));
    nd_test_must(nd_result_write(&result, "/stages/name_bytes", ND_COLUMN_U8, &bytes, name));
    static const char *const times[] = {"/stages/seconds_min", "/stages/seconds_mean",
                                        "/stages/seconds_max"};
    static const char *const counts[] = {"/stages/items", "/stages/bytes_exchanged",
                                         "/stages/bytes_written", "/stages/bytes_read"};
    for (size_t i = 0; i < 3; i++) {
        nd_test_must(nd_result_write(&result, times[i], ND_COLUMN_F64, &rows, seconds));
    }
    for (size_t i = 0; i < 4; i++) {
        nd_test_must(nd_result_write(&result, counts[i], ND_COLUMN_U64, &rows, numbers));
    }
    nd_test_result_finish(&result);
    return nd_plan_run_read(path_of("run.h5"), run);
}

/* What is planned of a run is known by its stages' names; others take their time unplanned. */
static void test_stages(void) {
    enum { MOST_STAGES = 64, MOST_NAMES = 4096 };
    static const char *const others[] = {"s", "signs", "sigh"};
    char name[MOST_NAMES + 2];
    nd_plan_run run;
    CU_ASSERT_EQUAL_FATAL(read_stage("sign", 1, &run), ND_OK);
    CU_ASSERT(run.seconds[ND_PLAN_SIGN] == 2.5 && run.sent[ND_PLAN_SIGN] == 70);
    CU_ASSERT(run.seconds[ND_PLAN_INGEST] == 0 && run.file_bytes == 140);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_EQUAL_FATAL(read_stage(others[i], 1, &run), ND_OK);
        for (int stage = 0; stage < ND_PLAN_STAGES; stage++) {
            CU_ASSERT(run.seconds[stage] == 0 && run.sent[stage] == 0);
        }
    }
    CU_ASSERT_EQUAL_FATAL(read_stage("write", MOST_STAGES, &run), ND_OK);
    CU_ASSERT(run.seconds[ND_PLAN_WRITE] == 2.5 && run.file_bytes == 140 * MOST_STAGES);
    CU_ASSERT_EQUAL(read_stage("write", MOST_STAGES + 1, &run), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "run.h5: too many stages"));
    memset(name, 'x', sizeof name);
    name[MOST_NAMES] = '\0';
    CU_ASSERT_EQUAL(read_stage(name, 1, &run), ND_OK);
    name[MOST_NAMES] = 'x';
    name[MOST_NAMES + 1] = '\0';
    CU_ASSERT_EQUAL(read_stage(name, 1, &run), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "run.h5: too many stages"));
}

static void check_run_refused(const char *totals, const nd_test_change *change, const char *says) {
    nd_plan_run run;
    CU_ASSERT_EQUAL(read_run(totals, change, change != NULL, &run), ND_ERR_FORMAT);
    if (strstr(nd_fail_text(), says) == NULL) {
        printf("'%s' does not name '%s'\n", nd_fail_text(), says);
        CU_FAIL("text");
    }
}

static void test_runs_refused(void) {
    static const char good[] = "{" TOTALS "\"input_bytes\":1,\"pairs\":12,\"links\":13}";
    static const nd_test_change no_time = {"/stages/seconds_mean", 0, NAN, NULL};
    static const nd_test_change before = {"/stages/seconds_mean", 0, -1, NULL};
    static const nd_test_change order = {"/stages/name_offset", 0, 2, NULL};
    check_run_refused("{}", NULL, "lack input_bytes");
    check_run_refused("no JSON", NULL, "no JSON");
    check_run_refused("[1]", NULL, "lack input_bytes");
    check_run_refused("{" TOTALS "\"input_bytes\":-1,\"pairs\":12,\"links\":13}", NULL,
                      "lack input_bytes");
    check_run_refused("{" TOTALS "\"input_bytes\":\"1\",\"pairs\":12,\"links\":13}", NULL,
                      "lack input_bytes");
    check_run_refused("{" TOTALS "\"input_bytes\":1,\"pairs\":0,\"links\":13}", NULL,
                      "says too little");
    check_run_refused("{" TOTALS "\"input_bytes\":1,\"pairs\":12,\"links\":0}", NULL,
                      "says too little");
    check_run_refused("{" TOTALS "\"input_bytes\":1e999,\"pairs\":12,\"links\":13}", NULL,
                      "lack input_bytes");
    check_run_refused(good, &no_time, "no time of a stage");
    check_run_refused(good, &before, "no time of a stage");
    check_run_refused(good, &order, "/stages/name_offset");
}

static const nd_test tests[] = {
    {"a run", test_run},
    {"stages of runs", test_stages},
    {"runs that are refused", test_runs_refused},
    {"there and back", test_round_trip},
    {"some coefficients only", test_some_only},
    {"what is refused", test_refused},
};
ND_SUITE(t_plan_file, tests)
