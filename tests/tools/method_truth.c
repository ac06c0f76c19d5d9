/* Is a result what the method says, if every page is compared with every other? Reads the pages as
 * the run did, by its own first stages and parameters, compares all that were signed, and holds the
 * sets of the result against it:
 *   every similarity said is that of the two pages;
 *   without a guard, sets are the components of similar pairs (or parts of them, where keys lose
 *   some); with one, or with leaders, each page is similar enough to its representative;
 *   pairs that it keeps are similar pairs, in their order, with their similarity.
 * usage: method_truth [--exact] OUT.h5 INPUT...; prints the pairs, and how many of them share a
 * set. Exit code 0; 1 if the result breaks a promise, with --exact also if a pair without a guard
 * does not share a set, or is not among those that are kept; 2 if it cannot be looked at. */
#include "mpi/job/page_content.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/sets/forest.h"
#include "src/text/address.h"
#include "tests/support/brief.h"
#include "tests/support/mpi_rerun.h"

typedef struct truth {
    nd_rerun run;
    uint64_t *signed_pages; /* those that were compared, ascending */
    uint64_t signed_count;
    uint8_t **digests;        /* by page; NULL of those that were not signed */
    nd_span *payloads;        /* likewise, owned */
    uint64_t *component;      /* of similar pairs and copies */
    uint64_t *representative; /* by set: the page that is its own link */
    nd_pair_rows kept;        /* the block of kept pairs that has come up */
    uint64_t at;              /* the first of them that is not passed */
    uint64_t pairs, together, kept_pairs;
    uint64_t broken;
} truth;

static const double ROUNDING = 1e-6; /* similarities are kept as floats */

static nd_status keep_page(truth *t, size_t page) {
    nd_status st = ND_OK;
    const nd_method *method = t->run.job.options.method;
    nd_document document;
    nd_span payload = {NULL, 0};
    uint8_t *copy = NULL;
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    ND_TRY(nd_page_store_document(&t->run.job.state->pages, page, &document));
    nd_new(&t->digests[page], method->sizes(&t->run.job.options.method_options, 0).digest, 1);
    method->digest(&t->run.job.options.method_options, &t->run.job.state->method_work, &document,
                   t->digests[page]);
    nd_method_payload(method, &t->run.job.options.method_options, &t->run.job.state->method_work,
                      &document, &scratch, &payload);
    if (payload.size !=
        nd_method_payload_size(method, &t->run.job.options.method_options, document.token_count)) {
        (void)printf("page %zu: its payload has not the size that was said\n", page);
        t->broken++;
    }
    nd_new(&copy, payload.size, 1);
    memcpy(copy, payload.data, payload.size);
    t->payloads[page] = (nd_span){copy, payload.size};
    t->signed_pages[t->signed_count++] = page;
out:
    return st;
}

static nd_status keep_pages(truth *t) {
    nd_status st = ND_OK;
    const size_t count = t->run.job.state->pages.count;
    nd_new(&t->signed_pages, count, sizeof *t->signed_pages);
    nd_new(&t->digests, count, sizeof *t->digests);
    nd_new(&t->payloads, count, sizeof *t->payloads);
    nd_new(&t->component, count, sizeof *t->component);
    nd_new(&t->representative, count, sizeof *t->representative);
    for (size_t i = 0; i < count; i++) {
        if (t->run.rows.link[i] == i) {
            t->representative[t->run.rows.set[i]] = i;
        }
    }
    nd_union_find_init(t->component, count);
    for (size_t i = 0; i < count; i++) {
        (void)nd_union_find_join(t->component, i, t->run.job.state->content_of[i]);
        const nd_stored_page *page = &t->run.job.state->pages.pages[i];
        if (t->run.job.state->content_of[i] == i &&
            nd_page_is_compared(&t->run.job.options, page->token_count, page->flags)) {
            ND_TRY(keep_page(t, i));
        }
    }
out:
    return st;
}

static void similarity_of(truth *t, uint64_t x, uint64_t y, double threshold, double *similarity) {
    const nd_method *method = t->run.job.options.method;
    const nd_method_options *o = &t->run.job.options.method_options;
    const nd_stored_page *pages = t->run.job.state->pages.pages;
    const double bound = method->bound(o, t->digests[x], t->digests[y]);
    const double by_length =
        nd_method_length_bound(method, o, pages[x].token_count, pages[y].token_count);
    const uint32_t pair =
        nd_method_relation(nd_stored_page_origin(&pages[x]), nd_stored_page_origin(&pages[y])) |
        (((pages[x].flags | pages[y].flags) & ND_PAGE_INDEX) != 0 ? ND_PAIR_INDEX : 0U);
    nd_method_compare(method, o, &t->run.job.state->method_work, t->payloads[x], t->payloads[y],
                      pair, threshold, similarity);
    if ((*similarity > bound || *similarity > by_length)) {
        (void)printf("pages %" PRIu64 " and %" PRIu64 ": similarity %g above bound %g or %g\n", x,
                     y, *similarity, bound, by_length);
        t->broken++;
    }
}

static double threshold_of(const truth *t, uint64_t x, uint64_t y) {
    const nd_stored_page *pages = t->run.job.state->pages.pages;
    return nd_method_threshold(
        &t->run.job.options.method_options,
        nd_method_relation(nd_stored_page_origin(&pages[x]), nd_stored_page_origin(&pages[y])));
}

static int order_of_kept(const truth *t, uint64_t x, uint64_t y) {
    const uint64_t a = t->kept.a[t->at];
    const uint64_t b = t->kept.b[t->at];
    return a != x ? (a > x) - (a < x) : (b > y) - (b < y);
}

/* The next kept pair is at t->at, or the block is empty: there is none. */
static nd_status next_kept(truth *t) {
    nd_status st = ND_OK;
    t->at++;
    if (t->at >= t->kept.count && t->kept.count > 0) {
        t->at = 0;
        ND_TRY(nd_pair_rows_next(&t->kept));
    }
out:
    return st;
}

static nd_status open_kept(truth *t) {
    nd_status st = ND_OK;
    if (nd_result_keeps_pairs(&t->run.result)) {
        ND_TRY(nd_pair_rows_open(&t->kept, &t->run.result, &nd_verified_columns));
        ND_TRY(nd_pair_rows_next(&t->kept));
    }
out:
    return st;
}

/* Pairs come in the order in which the kept ones must be. \param[in] similarity  0: not similar */
static nd_status check_kept(truth *t, uint64_t x, uint64_t y, double similarity) {
    nd_status st = ND_OK;
    while (t->kept.count > 0 && order_of_kept(t, x, y) <= 0) {
        const double said = t->kept.similarity[t->at];
        const bool same = order_of_kept(t, x, y) == 0;
        t->kept_pairs += same;
        if (!same || similarity == 0 || said > similarity + ROUNDING ||
            said < similarity - ROUNDING) {
            (void)printf("kept pair %" PRIu64 " and %" PRIu64 ", %g: %" PRIu64 " and %" PRIu64
                         " have %g\n",
                         t->kept.a[t->at], t->kept.b[t->at], said, x, y, similarity);
            t->broken++;
        }
        ND_TRY(next_kept(t));
    }
out:
    return st;
}

static nd_status compare_all(truth *t) {
    nd_status st = ND_OK;
    for (uint64_t i = 0; i < t->signed_count; i++) {
        for (uint64_t k = i + 1; k < t->signed_count; k++) {
            const uint64_t x = t->signed_pages[i];
            const uint64_t y = t->signed_pages[k];
            const double threshold = threshold_of(t, x, y);
            double similarity = 0;
            similarity_of(t, x, y, threshold, &similarity);
            ND_TRY(check_kept(t, x, y, similarity >= threshold ? similarity : 0));
            if (similarity >= threshold) {
                t->pairs++;
                t->together += t->run.rows.set[x] == t->run.rows.set[y];
                (void)nd_union_find_join(t->component, x, y);
            }
        }
    }
out:
    return st;
}

/* Pages of a set hang together by similar pairs, at least where no looser similarity joins them. */
static void check_components(truth *t) {
    for (uint64_t page = 0; page < t->run.rows.count; page++) {
        const uint64_t representative = t->representative[t->run.rows.set[page]];
        if (t->run.job.options.transitivity == ND_TRANSITIVITY_VERIFIED &&
            t->run.job.options.slack == 0 &&
            nd_union_find_root(t->component, page) !=
                nd_union_find_root(t->component, representative)) {
            (void)printf("page %" PRIu64 ": no similar pairs join it to its set\n", page);
            t->broken++;
        }
    }
}

/* Its own similarity to the representative, or that of the page whose content it has. */
static void check_representative(truth *t, uint64_t page) {
    const uint64_t x = t->run.job.state->content_of[page];
    const uint64_t y = t->run.job.state->content_of[t->representative[t->run.rows.set[page]]];
    double similarity = 1;
    if (x == y || t->digests[x] == NULL || t->digests[y] == NULL) {
        return;
    }
    similarity_of(t, x, y, 0, &similarity);
    const double said = t->run.rows.similarity[page];
    const double slack =
        t->run.job.options.transitivity == ND_TRANSITIVITY_VERIFIED ? t->run.job.options.slack : 0;
    const bool free_of_it = t->run.job.options.transitivity == ND_TRANSITIVITY_VERIFIED &&
                            t->run.job.options.slack == 0;
    if (said > similarity + ROUNDING || said < similarity - ROUNDING ||
        (!free_of_it && similarity < threshold_of(t, x, y) - slack - ROUNDING)) {
        (void)printf("page %" PRIu64 ": similarity %g to its representative, said as %g\n", page,
                     similarity, said);
        t->broken++;
    }
}

static void check_sets(truth *t) {
    check_components(t);
    for (uint64_t page = 0; page < t->run.rows.count; page++) {
        check_representative(t, page);
    }
}

static nd_status look(truth *t, char **words, int count) {
    nd_status st = ND_OK;
    ND_TRY(nd_rerun_open(&t->run, words[0], (const char *const *)words + 1, (size_t)count - 1));
    ND_TRY(nd_stage_content.run(&t->run.job));
    ND_TRY(nd_stage_sign.run(&t->run.job));
    ND_TRY(keep_pages(t));
    ND_TRY(open_kept(t));
    ND_TRY(compare_all(t));
    ND_TRY(check_kept(t, t->run.rows.count, t->run.rows.count, 0)); /* none may be left */
    check_sets(t);
    (void)printf("%" PRIu64 " signed pages, %" PRIu64 " similar pairs, %" PRIu64
                 " share a set, %" PRIu64 " are kept, %" PRIu64 " promises broken\n",
                 t->signed_count, t->pairs, t->together, t->kept_pairs, t->broken);
out:
    return st;
}

int main(int argc, char **argv) {
    static truth t;
    const bool exact = argc > 1 && strcmp(argv[1], "--exact") == 0;
    const int first = exact ? 2 : 1;
    if (argc < first + 2) {
        (void)fprintf(stderr, "usage: method_truth [--exact] OUT.h5 INPUT...\n");
        return 2;
    }
    ND_MPI(MPI_Init(&argc, &argv));
    const nd_status st = look(&t, argv + first, argc - first);
    const bool lost =
        t.together < t.pairs || (t.run.job.options.keep_pairs && t.kept_pairs < t.pairs);
    for (size_t i = 0; t.digests != NULL && t.payloads != NULL && i < t.run.job.state->pages.count;
         i++) {
        free(t.digests[i]);
        free((void *)(uintptr_t)t.payloads[i].data);
    }
    free(t.signed_pages);
    free(t.digests);
    free(t.payloads);
    free(t.component);
    free(t.representative);
    nd_pair_rows_free(&t.kept);
    return nd_rerun_end(&t.run, "method_truth", st, t.broken > 0 || (exact && lost));
}
