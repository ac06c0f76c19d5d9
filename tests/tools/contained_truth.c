/* contained_truth OUT.h5 INPUT...: are the contained pages of a result those that are found if
 * every page is compared with every other? Reads the pages as the run did, by its own first stages
 * and parameters. Prints those that the result lacks, and in one line the true pairs of two sets
 * (or of two collections), those of the result, those it has wrongly, and how many pairs there
 * would be if a stretch of a long page did not have to do. Exit code 0; 1 if a row of the result is
 * no true pair or has another share; 2 if it cannot be looked at. */
#include "mpi/stage/state.h"
#include "src/base/util.h"
#include "src/compare/score.h"
#include "src/lcs/lcs.h"
#include "src/sketch/shingle.h"
#include "tests/support/brief.h"
#include "tests/support/mpi_rerun.h"

typedef struct truth {
    nd_rerun run;
    uint32_t **tokens; /* by page, owned */
    nd_lcs_work work;
    uint64_t pairs, found, wrong, plain;
} truth;

static nd_status keep_tokens(truth *t) {
    nd_status st = ND_OK;
    nd_page_store *pages = &t->run.job.state->pages;
    nd_new(&t->tokens, pages->count, sizeof *t->tokens);
    for (size_t i = 0; i < pages->count; i++) {
        nd_document document;
        ND_TRY(nd_page_store_tokens(pages, i, &document));
        nd_new(&t->tokens[i], document.token_count, sizeof **t->tokens);
        memcpy(t->tokens[i], document.tokens, document.token_count * sizeof **t->tokens);
    }
out:
    return st;
}

/* Copies of an earlier page of their collection stand with that. */
static bool stands(const truth *t, uint64_t page) {
    const uint64_t first = t->run.rows.exact_of[page];
    return first == page || t->run.rows.collection[first] != t->run.rows.collection[page];
}

static nd_status compare(truth *t, uint64_t a, uint64_t b) {
    nd_status st = ND_OK;
    const nd_stored_page *pages = t->run.job.state->pages.pages;
    const size_t n = pages[a].token_count;
    const size_t m = pages[b].token_count;
    const double threshold = t->run.job.options.contained;
    double share = 0;
    float kept = 0;
    bool found = false;
    if (t->run.rows.set[a] != t->run.rows.set[b] ||
        t->run.rows.collection[a] != t->run.rows.collection[b]) {
        uint64_t common = 0;
        nd_containment(t->tokens[a], n, t->tokens[b], m, threshold, &t->work, &share);
        nd_lcs_length(t->tokens[a], n, t->tokens[b], m, (uint64_t)(threshold * (double)n), &t->work,
                      &common);
        t->plain += (double)common >= threshold * (double)n;
    }
    ND_TRY(nd_pair_find(&t->run.result, &nd_contained_columns, a, b, &found, &kept));
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

static nd_status look(truth *t, char **words, int count) {
    nd_status st = ND_OK;
    ND_TRY(nd_rerun_open(&t->run, words[0], (const char *const *)words + 1, (size_t)count - 1));
    ND_TRY(nd_stage_content.run(&t->run.job));
    ND_TRY(keep_tokens(t));
    const nd_page_store *pages = &t->run.job.state->pages;
    for (uint64_t a = 0; a < pages->count; a++) {
        for (uint64_t b = 0; b < pages->count; b++) {
            if (a != b && stands(t, a) && stands(t, b) &&
                pages->pages[a].token_count >= ND_SYNCMER_RUN) {
                ND_TRY(compare(t, a, b));
            }
        }
    }
    t->wrong += t->run.result.shape.contained - t->found;
    (void)printf("%" PRIu64 " true, %" PRIu64 " found, %" PRIu64 " wrong, %" PRIu64
                 " true in whole pages\n",
                 t->pairs, t->found, t->wrong, t->plain);
out:
    return st;
}

int main(int argc, char **argv) {
    static truth t;
    if (argc < 3) {
        (void)fprintf(stderr, "usage: contained_truth OUT.h5 INPUT...\n");
        return 2;
    }
    ND_MPI(MPI_Init(&argc, &argv));
    const nd_status st = look(&t, argv + 1, argc - 1);
    for (size_t i = 0; t.tokens != NULL && i < t.run.job.state->pages.count; i++) {
        free(t.tokens[i]);
    }
    free(t.tokens);
    nd_lcs_work_free(&t.work);
    return nd_rerun_end(&t.run, "contained_truth", st, t.wrong > 0);
}
