/* contained_truth OUT.h5 INPUT...: are the contained pages of a result those that are found if
 * every page is compared with every other? Reads the pages as the run did, by its own first stages
 * and parameters. Prints those that the result lacks, and in one line the true pairs of two sets
 * (or of two collections), those of the result, those it has wrongly, and how many pairs there
 * would be if a stretch of a long page did not have to do. Exit code 0; 1 if a row of the result is
 * no true pair or has another share; 2 if it cannot be looked at. */
#include "io/result/result_read.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "src/base/util.h"
#include "src/compare/score.h"
#include "src/lcs/lcs.h"
#include "src/sketch/shingle.h"
#include "tests/support/brief.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct truth {
    nd_result result;
    nd_page_rows rows;
    nd_job_options options;
    nd_job job;
    uint32_t **tokens; /* by page, owned */
    nd_lcs_work work;
    uint64_t pairs, found, wrong, plain;
} truth;

static const uint64_t MEMORY = UINT64_C(4) << 30;

static nd_status read_result(truth *t, const char *path) {
    nd_status st = ND_OK;
    ND_FREED char *parameters = NULL;
    ND_TRY(nd_result_open(&t->result, path));
    ND_TRY(nd_page_rows_read(&t->result, 0, t->result.shape.pages, &t->rows));
    ND_TRY(nd_result_get_text(&t->result, "parameters", &parameters));
    ND_TRY(nd_read_parameters(path, parameters, &t->options));
    t->options.memory = nd_memory_shares(MEMORY);
    t->options.reader.memory = MEMORY;
    t->options.progress = ND_PROGRESS_NONE;
out:
    return st;
}

static nd_status read_pages(truth *t, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    nd_job *job = &t->job;
    ND_TRY(nd_inputs_share(&job->comm, words, count, false, &job->inputs));
    ND_TRY(nd_stage_ingest.run(job));
    ND_TRY(nd_stage_content.run(job));
    if (job->pages.count != t->rows.count) {
        st = nd_fail(ND_ERR_INPUT, "%s: of other inputs", t->result.path);
        goto out;
    }
    nd_new(&t->tokens, job->pages.count, sizeof *t->tokens);
    for (size_t i = 0; i < job->pages.count; i++) {
        nd_document document;
        ND_TRY(nd_page_store_tokens(&job->pages, i, &document));
        nd_new(&t->tokens[i], document.token_count, sizeof **t->tokens);
        memcpy(t->tokens[i], document.tokens, document.token_count * sizeof **t->tokens);
    }
out:
    return st;
}

/* Copies of an earlier page of their collection stand with that. */
static bool stands(const truth *t, uint64_t page) {
    const uint64_t first = t->rows.exact_of[page];
    return first == page || t->rows.collection[first] != t->rows.collection[page];
}

static nd_status compare(truth *t, uint64_t a, uint64_t b) {
    nd_status st = ND_OK;
    const nd_stored_page *pages = t->job.pages.pages;
    const size_t n = pages[a].token_count;
    const size_t m = pages[b].token_count;
    const double threshold = t->options.contained;
    double share = 0;
    float kept = 0;
    bool found = false;
    if (t->rows.set[a] != t->rows.set[b] || t->rows.collection[a] != t->rows.collection[b]) {
        uint64_t common = 0;
        nd_containment(t->tokens[a], n, t->tokens[b], m, threshold, &t->work, &share);
        nd_lcs_length(t->tokens[a], n, t->tokens[b], m, (uint64_t)(threshold * (double)n), &t->work,
                      &common);
        t->plain += (double)common >= threshold * (double)n;
    }
    ND_TRY(nd_pair_find(&t->result, &nd_contained_columns, a, b, &found, &kept));
    t->pairs += share > 0;
    t->found += found;
    if (!found && share > 0) {
        (void)printf("missed: page %" PRIu64 ", of %zu tokens, in page %" PRIu64 ", of %zu: %g\n",
                     a, n, b, m, share);
    }
    if (found && kept != (float)share) {
        (void)printf("pages %" PRIu64 " and %" PRIu64 ": share %g, in the result %g\n", a, b, share,
                     (double)kept);
        t->wrong++;
    }
out:
    return st;
}

int main(int argc, char **argv) {
    nd_status st = ND_OK;
    truth t = {.result = {.file = H5I_INVALID_HID}};
    bool opened = false;
    ND_MPI(MPI_Init(&argc, &argv));
    if (argc < 3) {
        (void)fprintf(stderr, "usage: contained_truth OUT.h5 INPUT...\n");
        ND_MPI(MPI_Finalize());
        return 2;
    }
    ND_TRY(read_result(&t, argv[1]));
    nd_run_open(&t.job, MPI_COMM_WORLD, &t.options);
    opened = true;
    ND_TRY(read_pages(&t, (const char *const *)argv + 2, (size_t)argc - 2));
    for (uint64_t a = 0; a < t.job.pages.count; a++) {
        for (uint64_t b = 0; b < t.job.pages.count; b++) {
            if (a != b && stands(&t, a) && stands(&t, b) &&
                t.job.pages.pages[a].token_count >= ND_SYNCMER_RUN) {
                ND_TRY(compare(&t, a, b));
            }
        }
    }
    (void)printf("%" PRIu64 " true, %" PRIu64 " found, %" PRIu64 " wrong, %" PRIu64
                 " true in whole pages\n",
                 t.pairs, t.found, t.wrong + (t.result.shape.contained - t.found), t.plain);
    t.wrong += t.result.shape.contained - t.found;
out:
    if (st != ND_OK) {
        (void)fprintf(stderr, "contained_truth: %s\n", nd_fail_text());
    }
    for (size_t i = 0; t.tokens != NULL && i < t.job.pages.count; i++) {
        free(t.tokens[i]);
    }
    free(t.tokens);
    nd_lcs_work_free(&t.work);
    nd_page_rows_free(&t.rows);
    (void)nd_result_close(&t.result);
    if (opened) {
        nd_run_close(&t.job);
    }
    ND_MPI(MPI_Finalize());
    return st != ND_OK ? 2 : t.wrong > 0;
}
