#include "src/sets/template.h"

#include "src/base/buffer.h"
#include "src/base/radix_sort.h"
#include "src/base/sort.h"
#include "src/sets/union_find.h"

#include <stdbool.h>
#include <stdlib.h>

/* A distinct sentence. They are ranked by the number of pages they stand on, rarest first, so that
 * a page's first sentences are the ones that tell it from others. */
typedef struct sentence {
    uint64_t hash;
    uint32_t tokens;
    bool is_template;
    size_t first_posting; /* its postings: room for as many as it has pages */
    size_t posting_begin; /* those before are of pages too light for all that are to come */
    size_t posting_end;
    uint64_t classes;      /* in which it stands */
    uint64_t latest_class; /* the latest of these */
} sentence;

/* A sentence of a page. */
typedef struct item {
    uint32_t rank;
    uint64_t weight; /* tokens of this sentence and of those after it on the page */
} item;

/* A page among the first sentences of which is the posting's. */
typedef struct posting {
    uint32_t page;
    uint32_t place; /* of the sentence among the page's items */
    size_t next;    /* the posting behind this one, but for some that are of the same class */
} posting;

typedef struct page {
    item *items; /* by rank */
    size_t count;
    size_t tried; /* number + 1 of the latest page that met this one */
} page;

typedef struct site {
    page *pages;
    size_t page_count;
    sentence *sentences; /* by rank */
    size_t sentence_count;
    item *items;
    posting *postings;
    nd_key_value *order; /* the pages by weight, or by class: (key, number) */
    uint64_t *parents;   /* union-find over the pages */
} site;

/* ---- from the caller's pages to ranked sentences */

static nd_status count_sentences(const nd_template_page *pages, size_t count, size_t *sentences) {
    *sentences = 0;
    for (size_t i = 0; i < count; i++) {
        *sentences += pages[i].count;
    }
    if (count >= UINT32_MAX || *sentences >= UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "a site with %zu pages and %zu sentences; the limit is %u",
                       count, *sentences, UINT32_MAX - 1);
    }
    return ND_OK;
}

/* One record per sentence of a page: (hash, page above tokens), sorted. */
static nd_status sort_records(const nd_template_page *pages, size_t count, nd_key_value *records) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < pages[i].count; j++) {
            const nd_template_sentence *s = &pages[i].sentences[j];
            records[n++] = (nd_key_value){s->hash, (uint64_t)i << 32 | s->tokens};
        }
    }
    return nd_radix_sort(records, n);
}

/* Drop repeats within a page. \return records left */
static size_t drop_repeats(nd_key_value *records, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool repeated = kept > 0 && records[kept - 1].key == records[i].key &&
                        records[kept - 1].value >> 32 == records[i].value >> 32;
        kept -= repeated; /* the later one has no fewer tokens */
        records[kept++] = records[i];
    }
    return kept;
}

/* Rank the sentences: ranks[r] = (pages, first record) of the sentence of rank r. */
static nd_status rank_sentences(const nd_key_value *records, size_t count, nd_key_value *ranks,
                                size_t *rank_count) {
    size_t n = 0;
    for (size_t i = 0; i < count;) {
        size_t end = nd_key_end(records, count, i, records[i].key);
        ranks[n++] = (nd_key_value){end - i, i};
        i = end;
    }
    *rank_count = n;
    return nd_radix_sort(ranks, n);
}

static sentence make_sentence(const nd_key_value *records, size_t count, size_t first_posting) {
    sentence s = {.hash = records[0].key, .tokens = 1, .first_posting = first_posting};
    for (size_t i = 0; i < count; i++) {
        uint32_t tokens = (uint32_t)records[i].value;
        s.tokens = tokens > s.tokens ? tokens : s.tokens;
    }
    return s;
}

/* Give the pages their items, rank by rank. */
static void fill_pages(site *s, const nd_key_value *records, size_t record_count,
                       const nd_key_value *ranks) {
    for (size_t i = 0; i < record_count; i++) {
        s->pages[records[i].value >> 32].count++;
    }
    item *items = s->items;
    for (size_t i = 0; i < s->page_count; i++) {
        s->pages[i].items = items;
        items += s->pages[i].count;
        s->pages[i].count = 0;
    }
    size_t first_posting = 0;
    for (size_t rank = 0; rank < s->sentence_count; rank++) {
        const nd_key_value *of_rank = records + ranks[rank].value;
        size_t count = (size_t)ranks[rank].key;
        s->sentences[rank] = make_sentence(of_rank, count, first_posting);
        first_posting += count;
        for (size_t i = 0; i < count; i++) {
            page *p = &s->pages[of_rank[i].value >> 32];
            p->items[p->count++].rank = (uint32_t)rank;
        }
    }
}

static nd_status open_site(site *s, const nd_template_page *pages, size_t count) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL, *ranks = NULL;
    size_t n = 0;
    ND_TRY(count_sentences(pages, count, &n));
    ND_TRY(nd_new(&records, n, sizeof *records));
    ND_TRY(nd_new(&ranks, n, sizeof *ranks));
    ND_TRY(sort_records(pages, count, records));
    n = drop_repeats(records, n);
    ND_TRY(rank_sentences(records, n, ranks, &s->sentence_count));
    s->page_count = count;
    ND_TRY(nd_new(&s->pages, count, sizeof *s->pages));
    ND_TRY(nd_new(&s->sentences, s->sentence_count, sizeof *s->sentences));
    ND_TRY(nd_new(&s->items, n, sizeof *s->items));
    ND_TRY(nd_new(&s->postings, n, sizeof *s->postings));
    ND_TRY(nd_new(&s->order, count, sizeof *s->order));
    ND_TRY(nd_new(&s->parents, count, sizeof *s->parents));
    fill_pages(s, records, n, ranks);
out:
    free(records);
    free(ranks);
    return st;
}

static void close_site(site *s) {
    free(s->pages);
    free(s->sentences);
    free(s->items);
    free(s->postings);
    free(s->order);
    free(s->parents);
}

/* ---- classes */

/* Whether two pages of these weights (tokens), `common` of them in sentences of both, are of one
 * class. All bounds below are this test with the most that the pair can have in common; it is
 * monotonic in `common`, so they lose nothing, not even by rounding. */
static bool similar(uint64_t common, uint64_t a, uint64_t b, double similarity) {
    return (double)common >= similarity * (double)(a + b - common);
}

static uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t page_weight(const page *p) {
    return p->count == 0 ? 0 : p->items[0].weight;
}

/* Take the templates found so far from a page and weigh what is left. */
static void weigh_page(const site *s, page *p) {
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!s->sentences[p->items[i].rank].is_template) {
            p->items[kept++].rank = p->items[i].rank;
        }
    }
    p->count = kept;
    uint64_t weight = 0;
    for (size_t i = kept; i > 0; i--) {
        weight += s->sentences[p->items[i - 1].rank].tokens;
        p->items[i - 1].weight = weight;
    }
}

/* Tokens of the sentences that stand among both runs of items; 0 as soon as they are too few. */
static uint64_t common_tokens(const page *a, size_t i, const page *b, size_t j, double similarity) {
    uint64_t common = 0;
    uint64_t weight_a = page_weight(a), weight_b = page_weight(b);
    while (i < a->count && j < b->count) {
        const item *x = &a->items[i], *y = &b->items[j];
        if (x->rank == y->rank) {
            common += x->weight - (i + 1 < a->count ? x[1].weight : 0);
            i++;
            j++;
        } else if (!similar(common + min(x->weight, y->weight), weight_a, weight_b, similarity)) {
            return 0;
        } else {
            i += x->rank < y->rank;
            j += x->rank > y->rank;
        }
    }
    return common;
}

/* Compare page x with the lighter page of a posting, whose sentence is the first that both have,
 * and join their classes if they are similar. \return whether they are equal */
static bool meet(site *s, size_t x, size_t place, const posting *other, double similarity) {
    const page *a = &s->pages[x];
    page *b = &s->pages[other->page];
    uint64_t weight_a = page_weight(a), weight_b = page_weight(b);
    uint64_t most = min(a->items[place].weight, b->items[other->place].weight);
    if (b->tried == x + 1) {
        return false;
    }
    b->tried = x + 1;
    if (!similar(most, weight_a, weight_b, similarity)) {
        return false;
    }
    uint64_t common = common_tokens(a, place, b, other->place, similarity);
    if (common > 0 && similar(common, weight_a, weight_b, similarity)) {
        (void)nd_union_find_join(s->parents, x, other->page);
    }
    return common == weight_a && common == weight_b;
}

static bool same_class(site *s, size_t a, size_t b) {
    return nd_union_find_root(s->parents, a) == nd_union_find_root(s->parents, b);
}

/* Behind a run of postings whose pages are of x's class. The run is kept for the next walk: classes
 * never come apart. */
static size_t skip_class(site *s, size_t x, size_t first, size_t end) {
    size_t i = first;
    while (i < end && same_class(s, x, s->postings[i].page)) {
        i = s->postings[i].next;
    }
    s->postings[first].next = i;
    return i;
}

/* Pass over the pages that are too light for one of this weight, and so for all that are to come.
 */
static void drop_light(site *s, sentence *shared, uint64_t weight, double similarity) {
    while (shared->posting_begin < shared->posting_end) {
        uint64_t light = page_weight(&s->pages[s->postings[shared->posting_begin].page]);
        if (similar(light, weight, light, similarity)) {
            break;
        }
        shared->posting_begin++;
    }
}

/* Let page x meet the lighter pages with which it shares one of its first sentences: as many as
 * similar pages must share one of. \return whether an equal page was met */
static bool meet_lighter(site *s, size_t x, double similarity) {
    const page *p = &s->pages[x];
    uint64_t weight = page_weight(p);
    for (size_t i = 0; i < p->count; i++) {
        uint64_t most = p->items[i].weight;
        sentence *shared = &s->sentences[p->items[i].rank];
        if (!similar(most, weight, most, similarity)) {
            break;
        }
        drop_light(s, shared, weight, similarity);
        for (size_t j = shared->posting_begin; j < shared->posting_end;) {
            if (same_class(s, x, s->postings[j].page)) {
                j = skip_class(s, x, j, shared->posting_end);
            } else if (meet(s, x, i, &s->postings[j++], similarity)) {
                return true;
            }
        }
    }
    return false;
}

/* Let heavier pages find page x. */
static void post(site *s, size_t x, double similarity) {
    const page *p = &s->pages[x];
    uint64_t weight = page_weight(p);
    for (size_t i = 0; i < p->count && similar(p->items[i].weight, weight, weight, similarity);
         i++) {
        sentence *first = &s->sentences[p->items[i].rank];
        size_t end = first->posting_end++;
        s->postings[end] = (posting){(uint32_t)x, (uint32_t)i, end + 1};
    }
}

/* Put the pages into classes: s->parents. */
static nd_status join_similar(site *s, double similarity) {
    nd_status st = ND_OK;
    nd_union_find_init(s->parents, s->page_count);
    for (size_t i = 0; i < s->page_count; i++) {
        weigh_page(s, &s->pages[i]);
        s->pages[i].tried = 0;
        s->order[i] = (nd_key_value){page_weight(&s->pages[i]), i};
    }
    for (size_t i = 0; i < s->sentence_count; i++) {
        s->sentences[i].posting_begin = s->sentences[i].first_posting;
        s->sentences[i].posting_end = s->sentences[i].first_posting;
    }
    ND_TRY(nd_radix_sort(s->order, s->page_count));
    for (size_t i = 0; i < s->page_count; i++) {
        size_t x = (size_t)s->order[i].value;
        if (!meet_lighter(s, x, similarity)) {
            post(s, x, similarity); /* an equal page stands for it otherwise */
        }
    }
out:
    return st;
}

/* ---- templates */

static uint64_t count_classes(site *s) {
    uint64_t classes = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        classes += s->pages[i].count > 0 && nd_union_find_root(s->parents, i) == i;
    }
    return classes;
}

/* Count the classes in which each sentence stands, class after class. */
static nd_status count_sentence_classes(site *s) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < s->page_count; i++) {
        s->order[i] = (nd_key_value){nd_union_find_root(s->parents, i), i};
    }
    ND_TRY(nd_radix_sort(s->order, s->page_count));
    for (size_t i = 0; i < s->sentence_count; i++) {
        s->sentences[i].classes = 0;
        s->sentences[i].latest_class = UINT64_MAX;
    }
    for (size_t i = 0; i < s->page_count; i++) {
        const page *p = &s->pages[s->order[i].value];
        for (size_t j = 0; j < p->count; j++) {
            sentence *of_page = &s->sentences[p->items[j].rank];
            of_page->classes += of_page->latest_class != s->order[i].key;
            of_page->latest_class = s->order[i].key;
        }
    }
out:
    return st;
}

/* Classes in which a template sentence of this site stands, at least. */
static uint64_t least_classes(const site *s, const nd_template_options *options) {
    uint64_t pages = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        pages += s->pages[i].count > 0;
    }
    return pages <= options->small_site ? options->small_least : options->least_classes;
}

static nd_status run_round(site *s, const nd_template_options *options,
                           const nd_template_round *round) {
    uint64_t least = least_classes(s, options);
    nd_status st = ND_OK;
    ND_TRY(join_similar(s, round->similarity));
    uint64_t classes = count_classes(s);
    if (classes < options->least_site) {
        goto out;
    }
    ND_TRY(count_sentence_classes(s));
    for (size_t i = 0; i < s->sentence_count; i++) {
        sentence *candidate = &s->sentences[i];
        if (candidate->classes >= least &&
            (double)candidate->classes >= round->share * (double)classes) {
            candidate->is_template = true;
        }
    }
out:
    return st;
}

static int compare_hashes(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static nd_status collect(const site *s, uint64_t **hashes, size_t *hash_count) {
    nd_status st = nd_new(hashes, s->sentence_count, sizeof **hashes);
    if (st != ND_OK) {
        return st;
    }
    for (size_t i = 0; i < s->sentence_count; i++) {
        if (s->sentences[i].is_template) {
            (*hashes)[(*hash_count)++] = s->sentences[i].hash;
        }
    }
    nd_sort(*hashes, *hash_count, sizeof **hashes, compare_hashes);
    return st;
}

static nd_status run_rounds(site *s, const nd_template_options *options, uint64_t **hashes,
                            size_t *hash_count) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < ND_TEMPLATE_ROUNDS; i++) {
        ND_TRY(run_round(s, options, &options->rounds[i]));
    }
    ND_TRY(collect(s, hashes, hash_count));
out:
    return st;
}

nd_status nd_template_find(const nd_template_page *pages, size_t count,
                           const nd_template_options *options, uint64_t **hashes,
                           size_t *hash_count) {
    nd_status st = ND_OK;
    site s = {0};
    *hashes = NULL;
    *hash_count = 0;
    ND_TRY(open_site(&s, pages, count));
    ND_TRY(run_rounds(&s, options, hashes, hash_count));
out:
    close_site(&s);
    return st;
}

/* ---- repeated sentences */

/* One record per sentence of `others`: (hash, class of its page), sorted. */
static nd_status sort_by_class(site *s, const nd_template_page *others, nd_key_value *records) {
    size_t n = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        uint64_t class = nd_union_find_root(s->parents, i);
        for (size_t j = 0; j < others[i].count; j++) {
            records[n++] = (nd_key_value){others[i].sentences[j].hash, class};
        }
    }
    return nd_radix_sort(records, n);
}

static uint64_t count_roots(site *s) {
    uint64_t roots = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        roots += nd_union_find_root(s->parents, i) == i;
    }
    return roots;
}

static uint64_t count_values(const nd_key_value *sorted, size_t count) {
    uint64_t values = 0;
    for (size_t i = 0; i < count; i++) {
        values += i == 0 || sorted[i].value != sorted[i - 1].value;
    }
    return values;
}

/* Of a site that is open: what its templates have left of the pages makes the classes. Sentences
 * of `without` (ascending) are left out. */
static nd_status find_repeated(site *s, const nd_template_page *others,
                               const nd_template_repeat *options, const uint64_t *without,
                               size_t without_count, uint64_t **hashes, size_t *hash_count) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    size_t n = 0;
    ND_TRY(count_sentences(others, s->page_count, &n));
    ND_TRY(join_similar(s, options->similarity));
    uint64_t least = count_roots(s) < options->least_site ? 1 : options->least_classes;
    ND_TRY(nd_new(&records, n, sizeof *records));
    ND_TRY(sort_by_class(s, others, records));
    ND_TRY(nd_new(hashes, n, sizeof **hashes));
    for (size_t i = 0, w = 0; i < n;) {
        size_t end = nd_key_end(records, n, i, records[i].key);
        while (w < without_count && without[w] < records[i].key) {
            w++;
        }
        if (!(w < without_count && without[w] == records[i].key) &&
            count_values(records + i, end - i) >= least) {
            (*hashes)[(*hash_count)++] = records[i].key;
        }
        i = end;
    }
out:
    free(records);
    return st;
}

nd_status nd_template_repeated(const nd_template_page *pages, const nd_template_page *others,
                               size_t count, const nd_template_repeat *options, uint64_t **hashes,
                               size_t *hash_count) {
    nd_status st = ND_OK;
    site s = {0};
    *hashes = NULL;
    *hash_count = 0;
    ND_TRY(open_site(&s, pages, count));
    ND_TRY(find_repeated(&s, others, options, NULL, 0, hashes, hash_count));
out:
    close_site(&s);
    return st;
}

void nd_template_lists_free(nd_template_lists *lists) {
    free(lists->templates);
    free(lists->repeated);
    *lists = (nd_template_lists){0};
}

nd_status nd_template_lists_find(const nd_template_page *pages, const nd_template_page *others,
                                 size_t count, const nd_template_options *options,
                                 const nd_template_repeat *repeat, nd_template_lists *lists) {
    nd_status st = ND_OK;
    site s = {0};
    *lists = (nd_template_lists){0};
    ND_TRY(open_site(&s, pages, count));
    ND_TRY(run_rounds(&s, options, &lists->templates, &lists->template_count));
    ND_TRY(find_repeated(&s, others, repeat, lists->templates, lists->template_count,
                         &lists->repeated, &lists->repeated_count));
out:
    close_site(&s);
    if (st != ND_OK) {
        nd_template_lists_free(lists);
    }
    return st;
}
