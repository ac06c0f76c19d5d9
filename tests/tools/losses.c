/* Why a result separates pages that belong together: of every true pair in two sets, the first of
 * these that applies, by the library's own functions and the options of the run.
 *   no shared key   the pages have no fingerprint in common and never met
 *   not paired      they share one, but are not neighbours in its large group
 *   bound           an exact bound of the similarity is below the threshold
 *   score           the similarity itself is
 *   names           each says again and again what the other never does
 *   one list        an index page and a page of its site that show parts of one list
 *   splitting       they are similar, and the way in which sets are formed separates them
 * usage: losses OUT.h5 PAGES CLUSTERS LOOSE, where OUT.h5 is the result of PAGES alone. */
#include "io/result/labels.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/text/address.h"
#include "tests/support/brief.h"
#include "tests/support/mpi_rerun.h"
#include "tests/support/pages.h"
#include "tests/support/slow.h"

typedef enum cause {
    CAUSE_NO_KEY,
    CAUSE_NOT_PAIRED,
    CAUSE_BOUND,
    CAUSE_SCORE,
    CAUSE_NAMES,
    CAUSE_ONE_LIST,
    CAUSE_SPLITTING,
    CAUSES
} cause;

static const char *const cause_names[CAUSES] = {"no shared key", "not paired", "bound",    "score",
                                                "names",         "one list",   "splitting"};

typedef enum meeting { MEET_AS_PAIR, MEET_BY_BOUNDS, MEET_BY_KEYS } meeting;

typedef struct losses {
    nd_rerun run;
    const nd_method *method; /* and its options: the run's own */
    const nd_method_options *options;
    const nd_page_store *documents; /* what the pages were compared by */
    meeting meeting;
    nd_labels labels;
    nd_key_value *postings; /* key, posting value; sorted */
    size_t posting_count, posting_capacity;
    nd_key_value *pairs; /* candidate pairs, the smaller page first; sorted */
    size_t pair_count, pair_capacity;
    uint64_t *component; /* union-find of pages that meet in a chain */
    nd_method_work work;
    uint64_t counts[CAUSES];
    uint64_t true_pairs;
} losses;

/* ---- keys and candidates */

static void sign_pages(losses *l) {
    ND_FREED uint64_t *keys = NULL;
    nd_new(&keys, l->method->sizes(l->options, 0).keys, sizeof *keys);
    for (size_t i = 0; i < l->documents->count; i++) {
        const nd_document document = nd_test_document(l->documents, i);
        size_t count = 0;
        if (l->run.rows.exact_of[i] != i || document.token_count == 0) {
            continue;
        }
        l->method->sign(l->options, &l->work, &document, keys, &count);
        nd_grow(&l->postings, &l->posting_capacity, l->posting_count + count, sizeof *l->postings);
        for (size_t k = 0; k < count; k++) {
            l->postings[l->posting_count++] =
                (nd_key_value){keys[k], nd_posting_value(i, document.token_count)};
        }
    }
    nd_radix_sort(l->postings, l->posting_count);
}

static void pair_group(losses *l, const nd_key_value *group, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = nd_posting_page(group[i].value);
        (void)nd_union_find_join(l->component, x, nd_posting_page(group[0].value));
        for (uint64_t j = i + 1;
             j < nd_group_partner_end(l->run.job.options.group_pairs, count, count, i); j++) {
            const uint64_t y = nd_posting_page(group[j].value);
            nd_grow(&l->pairs, &l->pair_capacity, l->pair_count + 1, sizeof *l->pairs);
            l->pairs[l->pair_count++] = (nd_key_value){x < y ? x : y, x < y ? y : x};
        }
    }
}

static double threshold_of(const losses *l, uint64_t x, uint64_t y) {
    const nd_stored_page *a = &l->documents->pages[x];
    const nd_stored_page *b = &l->documents->pages[y];
    return nd_method_threshold(
        l->options, nd_method_relation(nd_stored_page_origin(a), nd_stored_page_origin(b)));
}

static double bound_of(const losses *l, uint64_t x, uint64_t y) {
    const nd_document a = nd_test_document(l->documents, x);
    const nd_document b = nd_test_document(l->documents, y);
    const double by_length =
        nd_method_length_bound(l->method, l->options, a.token_count, b.token_count);
    const double by_digest = nd_test_bound(l->method, l->options, &a, &b);
    return by_length < by_digest ? by_length : by_digest;
}

/* Chains of pairs that pass the bounds, in place of those of shared keys. */
static void chain_by_bounds(losses *l) {
    nd_union_find_init(l->component, l->documents->count);
    for (size_t i = 0; i < l->pair_count; i++) {
        if (bound_of(l, l->pairs[i].key, l->pairs[i].value) >=
            threshold_of(l, l->pairs[i].key, l->pairs[i].value)) {
            (void)nd_union_find_join(l->component, l->pairs[i].key, l->pairs[i].value);
        }
    }
}

static void meet(losses *l) {
    size_t end = 0;
    nd_new(&l->component, l->documents->count, sizeof *l->component);
    nd_union_find_init(l->component, l->documents->count);
    for (size_t begin = 0; begin < l->posting_count; begin = end) {
        for (end = begin; end < l->posting_count && l->postings[end].key == l->postings[begin].key;
             end++) {
        }
        pair_group(l, l->postings + begin, end - begin);
    }
    nd_radix_sort(l->pairs, l->pair_count);
    if (l->meeting == MEET_BY_BOUNDS) {
        chain_by_bounds(l);
    }
}

/* ---- causes */

static bool are_paired(const losses *l, uint64_t x, uint64_t y) {
    const nd_key_value pair = {x < y ? x : y, x < y ? y : x};
    return l->pair_count > 0 &&
           bsearch(&pair, l->pairs, l->pair_count, sizeof pair, nd_test_by_key_value) != NULL;
}

static bool have_met(losses *l, uint64_t x, uint64_t y) {
    if (l->meeting != MEET_AS_PAIR &&
        nd_union_find_root(l->component, x) == nd_union_find_root(l->component, y)) {
        return true;
    }
    return l->meeting != MEET_BY_KEYS && are_paired(l, x, y);
}

static bool share_key(const losses *l, uint64_t x, uint64_t y) {
    const nd_key_value *p = l->postings;
    for (size_t begin = 0, end = 0; begin < l->posting_count; begin = end) {
        bool has_x = false;
        bool has_y = false;
        for (end = begin; end < l->posting_count && p[end].key == p[begin].key; end++) {
            has_x = has_x || nd_posting_page(p[end].value) == x;
            has_y = has_y || nd_posting_page(p[end].value) == y;
        }
        if (has_x && has_y) {
            return true;
        }
    }
    return false;
}

static bool on_one_list(losses *l, uint64_t x, uint64_t y) {
    const nd_stored_page *a = &l->documents->pages[x];
    const nd_stored_page *b = &l->documents->pages[y];
    const nd_document of_a = nd_test_document(l->documents, x);
    const nd_document of_b = nd_test_document(l->documents, y);
    const uint32_t pair = nd_method_relation(nd_stored_page_origin(a), nd_stored_page_origin(b)) |
                          (((a->flags | b->flags) & ND_PAGE_INDEX) != 0 ? ND_PAIR_INDEX : 0U);
    bool one_list = false;
    nd_method_is_pagination(
        l->method, l->options, &l->work,
        (nd_span){(const uint8_t *)of_a.tokens, of_a.token_count * sizeof *of_a.tokens},
        (nd_span){(const uint8_t *)of_b.tokens, of_b.token_count * sizeof *of_b.tokens}, pair,
        &one_list);
    return one_list;
}

static void count_pair(losses *l, uint64_t x, uint64_t y) {
    cause why = CAUSE_SPLITTING;
    if (!have_met(l, x, y)) {
        why = share_key(l, x, y) ? CAUSE_NOT_PAIRED : CAUSE_NO_KEY;
    } else if (bound_of(l, x, y) < threshold_of(l, x, y)) {
        why = CAUSE_BOUND;
    } else {
        const nd_document a = nd_test_document(l->documents, x);
        const nd_document b = nd_test_document(l->documents, y);
        const double similarity =
            nd_test_similarity(l->method, l->options, &a, &b, threshold_of(l, x, y));
        const double left = nd_slow_names_left(l->method, l->options, &a, &b, similarity);
        why = similarity < threshold_of(l, x, y) ? CAUSE_SCORE
              : left < threshold_of(l, x, y)     ? CAUSE_NAMES
              : on_one_list(l, x, y)             ? CAUSE_ONE_LIST
                                                 : CAUSE_SPLITTING;
    }
    l->counts[why]++;
}

/* The labelled pages that are not loose, as (cluster, page). */
static void list_members(const losses *l, nd_key_value **members, size_t *count) {
    nd_new(members, l->documents->count, sizeof **members);
    for (size_t i = 0; i < l->documents->count; i++) {
        const nd_span id = nd_test_id(l->documents, i);
        const uint64_t row = nd_name_table_find(&l->labels.ids, id);
        if (row != ND_NO_NAME && nd_name_table_find(&l->labels.loose, id) == ND_NO_NAME) {
            (*members)[(*count)++] = (nd_key_value){l->labels.cluster[row], i};
        }
    }
    nd_radix_sort(*members, *count);
}

static void score_clusters(losses *l) {
    ND_FREED nd_key_value *m = NULL;
    size_t count = 0;
    list_members(l, &m, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && m[j].key == m[i].key; j++) {
            const uint64_t x = m[i].value;
            const uint64_t y = m[j].value;
            l->true_pairs++;
            if (l->run.rows.set[x] != l->run.rows.set[y]) {
                count_pair(l, l->run.rows.exact_of[x], l->run.rows.exact_of[y]);
            }
        }
    }
}

/* ---- the program */

static nd_status tell_losses(losses *l, char **paths) {
    nd_status st = ND_OK;
    const char *input = paths[1];
    ND_TRY(nd_rerun_open(&l->run, paths[0], &input, 1));
    ND_TRY(nd_stage_content.run(&l->run.job));
    const nd_job_options *o = &l->run.job.options;
    l->method = o->method;
    l->options = &o->method_options;
    l->documents = &l->run.job.state->pages;
    l->meeting = o->transitivity == ND_TRANSITIVITY_FULL      ? MEET_BY_KEYS
                 : o->transitivity == ND_TRANSITIVITY_BOUNDED ? MEET_BY_BOUNDS
                                                              : MEET_AS_PAIR;
    ND_TRY(nd_labels_read_clusters(&l->labels, paths[2], 2));
    ND_TRY(nd_labels_read_loose(&l->labels, paths[3]));
    sign_pages(l);
    meet(l);
    score_clusters(l);
out:
    return st;
}

static void print_losses(const losses *l) {
    uint64_t separated = 0;
    for (int i = 0; i < CAUSES; i++) {
        separated += l->counts[i];
    }
    (void)printf("true pairs\t%" PRIu64 "\nseparated\t%" PRIu64 "\n", l->true_pairs, separated);
    for (int i = 0; i < CAUSES; i++) {
        (void)printf("%s\t%" PRIu64 "\n", cause_names[i], l->counts[i]);
    }
}

int main(int argc, char **argv) {
    static losses l;
    if (argc != 5) {
        (void)fprintf(stderr, "usage: losses OUT.h5 PAGES CLUSTERS LOOSE\n");
        return 2;
    }
    ND_MPI(MPI_Init(&argc, &argv));
    const nd_status st = tell_losses(&l, argv + 1);
    if (st == ND_OK) {
        print_losses(&l);
    }
    nd_labels_free(&l.labels);
    nd_method_work_free(&l.work);
    free(l.postings);
    free(l.pairs);
    free(l.component);
    return nd_rerun_end(&l.run, "losses", st, false);
}
