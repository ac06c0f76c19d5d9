#include "tests/support/mpi_rerun.h"
#include "mpi/job/inputs.h"
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "tests/support/brief.h"

static const uint64_t MEMORY = UINT64_C(4) << 30;

static nd_status check_pages(const nd_rerun *r) {
    const nd_page_store *pages = &r->job.state->pages;
    if (r->rows.count != pages->count) {
        return nd_fail(ND_ERR_FORMAT, "%s has %" PRIu64 " pages, the INPUTs have %zu",
                       r->result.path, r->rows.count, pages->count);
    }
    for (size_t i = 0; i < pages->count; i++) {
        if (r->rows.tokens[i] != pages->pages[i].text_tokens) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: page %zu has %" PRIu32 " tokens, %" PRIu32 " in the INPUTs",
                           r->result.path, i, r->rows.tokens[i], pages->pages[i].text_tokens);
        }
    }
    return ND_OK;
}

nd_status nd_rerun_open(nd_rerun *r, const char *path, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    ND_FREED char *parameters = NULL;
    nd_job_options options = {.memory = nd_memory_shares(MEMORY),
                              .progress = ND_PROGRESS_NONE,
                              .reader = {.memory = MEMORY}};
    ND_TRY(nd_result_open(&r->result, path));
    ND_TRY(nd_result_get_text(&r->result, "parameters", &parameters));
    ND_TRY(nd_read_parameters(path, parameters, &options));
    ND_TRY(nd_page_rows_read(&r->result, 0, r->result.shape.pages, &r->rows));
    nd_run_open(&r->job, MPI_COMM_SELF, &options);
    r->opened = true;
    ND_TRY(nd_inputs_share(&r->job.comm, words, count, false, &r->job.inputs));
    ND_TRY(nd_stage_ingest.run(&r->job));
    ND_TRY(check_pages(r));
out:
    return st;
}

int nd_rerun_end(nd_rerun *r, const char *tool, nd_status st, bool wrong) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "%s: %s\n", tool, nd_fail_text());
    }
    nd_page_rows_free(&r->rows);
    if (r->opened) {
        nd_run_close(&r->job);
    }
    (void)nd_result_close(&r->result);
    ND_MPI(MPI_Finalize());
    return st != ND_OK ? 2 : wrong;
}
