/* How alike the pages are that a result puts together: for every pair of pages in one set, the
 * Jaccard coefficient of their distinct 4-token shingles, over what was compared of the pages
 * (after content selection) and over their whole text. It is a score of another kind than the
 * program's scores: sets of shingles, not counted, of another length, and no threshold. usage:
 * shingle_jaccard OUT.h5 INPUT..., with the INPUTs of the run and its default readers. Prints a
 * line per pair: page page tokens tokens J-of-content J-of-text URL URL, tab-separated. */
#include "io/result/result_read.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "src/lcs/lcs_matches.h"
#include "tests/support/brief.h"
#include "tests/support/pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHINGLE_TOKENS = 4 };
/* Memory of the stages' exchanges and batches: small collections need little. */
static const uint64_t MEMORY = UINT64_C(4) << 30;

/* The tokens of all pages, as they lie in a store. */
typedef struct token_table {
    uint32_t *tokens;
    uint64_t *end;
} token_table;

typedef struct tool {
    nd_result result;
    nd_page_rows rows;
    nd_job job;
    token_table text;
    nd_lcs_work work;
} tool;

/* ---- the pages */

static void copy_text(const nd_page_store *store, token_table *text) {
    uint64_t count = 0;
    for (size_t i = 0; i < store->count; i++) {
        count += store->pages[i].token_count;
    }
    nd_new(&text->tokens, count, sizeof *text->tokens);
    nd_new(&text->end, store->count, sizeof *text->end);
    count = 0;
    for (size_t i = 0; i < store->count; i++) {
        const nd_document page = nd_test_document(store, i);
        if (page.token_count > 0) {
            memcpy(text->tokens + count, page.tokens, page.token_count * sizeof *text->tokens);
        }
        count += page.token_count;
        text->end[i] = count;
    }
}

static nd_status read_pages(tool *t, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    ND_TRY(nd_inputs_share(&t->job.comm, words, count, false, &t->job.inputs));
    ND_TRY(nd_stage_ingest.run(&t->job));
    copy_text(&t->job.pages, &t->text);
    ND_TRY(nd_stage_content.run(&t->job));
out:
    return st;
}

/* Figures of other pages than those of the run would be wrong. */
static nd_status check_pages(const tool *t) {
    const nd_page_store *pages = &t->job.pages;
    if (t->rows.count != pages->count) {
        return nd_fail(ND_ERR_FORMAT, "%s has %" PRIu64 " pages, the INPUTs have %zu",
                       t->result.path, t->rows.count, pages->count);
    }
    for (size_t i = 0; i < pages->count; i++) {
        if (t->rows.tokens[i] != pages->pages[i].text_tokens) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: page %zu has %" PRIu32 " tokens, %" PRIu32 " in the INPUTs",
                           t->result.path, i, t->rows.tokens[i], pages->pages[i].text_tokens);
        }
    }
    return ND_OK;
}

/* ---- pairs */

static uint64_t distinct_shingles(const uint32_t *a, size_t n, size_t q, nd_lcs_work *work) {
    nd_grams grams = {0};
    nd_grams_number(a, n, a, n, q, work, &grams);
    return grams.distinct;
}

/* A shingle of both pages is counted at its first place in a. */
static uint64_t count_shared(const nd_grams *grams) {
    uint64_t shared = 0;
    for (size_t i = 0; i < grams->a_count; i++) {
        if (grams->a[i] != ND_NO_GRAM && grams->count[grams->a[i]] > 0) {
            grams->count[grams->a[i]] = 0;
            shared++;
        }
    }
    return shared;
}

/* Shingles are no longer than the shorter page; two pages without tokens are alike. */
static void jaccard(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                    double *coefficient) {
    nd_grams grams = {0};
    const size_t shorter = n < m ? n : m;
    const size_t q = shorter < SHINGLE_TOKENS ? shorter : SHINGLE_TOKENS;
    if (q == 0) {
        *coefficient = n == m ? 1 : 0;
        return;
    }
    const uint64_t of_a = distinct_shingles(a, n, q, work);
    const uint64_t of_b = distinct_shingles(b, m, q, work);
    nd_grams_number(a, n, b, m, q, work, &grams);
    const uint64_t shared = count_shared(&grams);
    *coefficient = (double)shared / (double)(of_a + of_b - shared);
}

static const uint32_t *text_at(const token_table *text, uint64_t page, size_t *count) {
    const uint64_t begin = page == 0 ? 0 : text->end[page - 1];
    *count = (size_t)(text->end[page] - begin);
    return text->tokens + begin;
}

static void print_pair(tool *t, uint64_t x, uint64_t y) {
    const nd_page_store *pages = &t->job.pages;
    const size_t n = pages->pages[x].token_count;
    const size_t m = pages->pages[y].token_count;
    size_t text_n = 0;
    size_t text_m = 0;
    double of_content = 0;
    double of_text = 0;
    const uint32_t *text_x = text_at(&t->text, x, &text_n);
    const uint32_t *text_y = text_at(&t->text, y, &text_m);
    jaccard(nd_test_document(pages, x).tokens, n, nd_test_document(pages, y).tokens, m, &t->work,
            &of_content);
    jaccard(text_x, text_n, text_y, text_m, &t->work, &of_text);
    const nd_span a = nd_page_rows_url(&t->rows, x);
    const nd_span b = nd_page_rows_url(&t->rows, y);
    (void)printf("%" PRIu64 "\t%" PRIu64 "\t%zu\t%zu\t%.4f\t%.4f\t%.*s\t%.*s\n", x, y, n, m,
                 of_content, of_text, (int)a.size, (const char *)a.data, (int)b.size,
                 (const char *)b.data);
}

static nd_status print_set(tool *t, uint64_t set) {
    nd_status st = ND_OK;
    ND_FREED uint64_t *members = NULL;
    uint64_t count = 0;
    ND_TRY(nd_result_members(&t->result, set, &members, &count));
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t j = i + 1; j < count; j++) {
            print_pair(t, members[i], members[j]);
        }
    }
out:
    return st;
}

static nd_status print_sets(tool *t) {
    nd_status st = ND_OK;
    uint64_t sets = 0;
    ND_TRY(nd_result_get_number(&t->result, "sets", &sets));
    for (uint64_t set = 0; set < sets; set++) {
        ND_TRY(print_set(t, set));
    }
out:
    return st;
}

static nd_status run(const char *path, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    uint64_t pages = 0;
    ND_FREED char *parameters = NULL;
    tool t = {.result = {.file = H5I_INVALID_HID}};
    const nd_job_options options = {.memory = nd_memory_shares(MEMORY),
                                    .progress = ND_PROGRESS_NONE};
    nd_run_open(&t.job, MPI_COMM_SELF, &options);
    ND_TRY(nd_result_open(&t.result, path));
    ND_TRY(nd_result_get_text(&t.result, "parameters", &parameters));
    ND_TRY(nd_read_parameters(path, parameters, &t.job.options));
    ND_TRY(nd_result_get_number(&t.result, "pages", &pages));
    ND_TRY(nd_page_rows_read(&t.result, 0, pages, &t.rows));
    ND_TRY(read_pages(&t, words, count));
    ND_TRY(check_pages(&t));
    ND_TRY(print_sets(&t));
out:
    (void)nd_result_close(&t.result);
    nd_page_rows_free(&t.rows);
    nd_lcs_work_free(&t.work);
    free(t.text.tokens);
    free(t.text.end);
    nd_run_close(&t.job);
    return st;
}

int main(int argc, char **argv) {
    int code = 1;
    if (argc < 3) {
        (void)fprintf(stderr, "usage: shingle_jaccard OUT.h5 INPUT...\n");
        return 2;
    }
    ND_MPI(MPI_Init(&argc, &argv));
    if (run(argv[1], (const char *const *)(argv + 2), (size_t)(argc - 2)) == ND_OK) {
        code = 0;
    } else {
        (void)fprintf(stderr, "shingle_jaccard: %s\n", nd_fail_text());
    }
    ND_MPI(MPI_Finalize());
    return code;
}
