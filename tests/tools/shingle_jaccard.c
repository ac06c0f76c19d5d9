/* How alike the pages are that a result puts together: for every pair of pages in one set, the
 * Jaccard coefficient of their distinct 4-token shingles, over what was compared of the pages
 * (after content selection) and over their whole text. It is a score of another kind than the
 * program's scores: sets of shingles, not counted, of another length, and no threshold. usage:
 * shingle_jaccard OUT.h5 INPUT..., with the INPUTs of the run and its default readers. Prints a
 * line per pair: page page tokens tokens J-of-content J-of-text URL URL, tab-separated. */
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/compare/jaccard.h"
#include "src/sketch/shingle.h"
#include "tests/support/brief.h"
#include "tests/support/mpi_rerun.h"
#include "tests/support/pages.h"

enum { SHINGLE_TOKENS = 4 };

/* The distinct shingles of a page, ascending; of pages that have no such, of fewer tokens. */
typedef struct shingles {
    uint64_t *values; /* owned */
    size_t count;
} shingles;

static shingles shingles_of(const nd_page_store *pages, size_t page, size_t tokens) {
    const nd_document document = nd_test_document(pages, page);
    const nd_shingle_options options = {.tokens = (uint32_t)tokens, .modulus = 1, .distinct = true};
    shingles s = {0};
    nd_new(&s.values, document.token_count + 1, sizeof *s.values);
    s.count = nd_shingle_values(&options, document.tokens, document.token_count, s.values);
    return s;
}

/* Shingles are no longer than the shorter page; two pages without tokens are alike. */
static double jaccard(const nd_page_store *pages, uint64_t x, uint64_t y) {
    const size_t n = pages->pages[x].token_count, m = pages->pages[y].token_count;
    const size_t shorter = n < m ? n : m;
    const size_t tokens = shorter < SHINGLE_TOKENS ? shorter : SHINGLE_TOKENS;
    if (tokens == 0) {
        return n == m ? 1 : 0;
    }
    shingles a = shingles_of(pages, x, tokens), b = shingles_of(pages, y, tokens);
    const double coefficient = nd_resemblance(a.values, a.count, b.values, b.count, 0);
    free(a.values);
    free(b.values);
    return coefficient;
}

/* What is done with a pair: first of whole texts, then of the content, in the same order. */
typedef struct pair {
    uint64_t x, y;
    double of_text;
} pair;

static nd_status list_pairs(nd_rerun *r, pair **pairs, size_t *count) {
    nd_status st = ND_OK;
    size_t capacity = 0;
    uint64_t sets = 0;
    ND_TRY(nd_result_get_number(&r->result, "sets", &sets));
    for (uint64_t set = 0; set < sets; set++) {
        ND_FREED uint64_t *members = NULL;
        uint64_t size = 0;
        ND_TRY(nd_result_members(&r->result, set, &members, &size));
        for (uint64_t i = 0; i < size; i++) {
            nd_grow(pairs, &capacity, *count + size, sizeof **pairs);
            for (uint64_t j = i + 1; j < size; j++) {
                (*pairs)[(*count)++] = (pair){
                    members[i], members[j], jaccard(&r->job.state->pages, members[i], members[j])};
            }
        }
    }
out:
    return st;
}

static nd_status run(nd_rerun *r, char **words, int count) {
    nd_status st = ND_OK;
    ND_FREED pair *pairs = NULL;
    size_t pair_count = 0;
    ND_TRY(nd_rerun_open(r, words[0], (const char *const *)words + 1, (size_t)count - 1));
    ND_TRY(list_pairs(r, &pairs, &pair_count));
    ND_TRY(nd_stage_content.run(&r->job));
    for (size_t i = 0; i < pair_count; i++) {
        const nd_stored_page *pages = r->job.state->pages.pages;
        const uint64_t x = pairs[i].x, y = pairs[i].y;
        const nd_span a = nd_page_rows_url(&r->rows, x), b = nd_page_rows_url(&r->rows, y);
        (void)printf("%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%.4f\t%.4f\t%.*s\t%.*s\n", x, y,
                     pages[x].token_count, pages[y].token_count,
                     jaccard(&r->job.state->pages, x, y), pairs[i].of_text, (int)a.size,
                     (const char *)a.data, (int)b.size, (const char *)b.data);
    }
out:
    return st;
}

int main(int argc, char **argv) {
    static nd_rerun r;
    if (argc < 3) {
        (void)fprintf(stderr, "usage: shingle_jaccard OUT.h5 INPUT...\n");
        return 2;
    }
    ND_MPI(MPI_Init(&argc, &argv));
    return nd_rerun_end(&r, "shingle_jaccard", run(&r, argv + 1, argc - 1), false);
}
