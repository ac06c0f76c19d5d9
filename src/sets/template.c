#include "src/sets/template.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/order.h"
#include "src/base/random.h"
#include "src/sets/template_edits.h"
#include "src/sets/template_site.h"
#include "src/sets/union_find.h"

#include <stdlib.h>
#include <string.h>

typedef nd_template_ranked sentence;
typedef nd_template_item item;
typedef nd_template_posting posting;
typedef nd_template_items page;
typedef nd_template_site site;

void nd_template_minima(const uint32_t *tokens, size_t count, uint32_t minima[ND_TEMPLATE_MINIMA]) {
    uint64_t high = UINT32_MAX, low = UINT32_MAX; /* halves of one hash: two functions */
    for (size_t i = 0; i < count && (i + 1 < count || count == 1); i++) {
        const uint64_t pair = (uint64_t)tokens[i] << 32 | (count == 1 ? 0 : tokens[i + 1]);
        const uint64_t hash = nd_mix64(pair);
        high = nd_min(high, hash >> 32);
        low = nd_min(low, hash & UINT32_MAX);
    }
    minima[0] = (uint32_t)high;
    minima[1] = (uint32_t)low;
}

/* ---- classes */

/* Whether two pages of these weights (tokens), `common` of them in sentences of both, are of one
 * class. All bounds below are this test with the most that the pair can have in common; it is
 * monotonic in `common`, so they lose nothing, not even by rounding. */
static bool similar(uint64_t common, uint64_t a, uint64_t b, double similarity) {
    return (double)common >= similarity * (double)(a + b - common);
}

static uint64_t page_weight(const page *p) {
    return p->count == 0 ? 0 : p->items[0].weight;
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
        } else if (!similar(common + nd_min(x->weight, y->weight), weight_a, weight_b,
                            similarity)) {
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
    uint64_t most = nd_min(a->items[place].weight, b->items[other->place].weight);
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

/* Let page x meet the lighter pages with which it shares one of its first sentences: as many as
 * similar pages must share one of. \return whether an equal page was met */
static bool meet_lighter(site *s, size_t x, double similarity) {
    const page *p = &s->pages[x];
    const uint64_t weight = page_weight(p);
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t most = p->items[i].weight;
        sentence *shared = &s->sentences[p->items[i].rank];
        if (!similar(most, weight, most, similarity)) {
            break;
        }
        /* pass over the pages that are too light for this one, and so for all that are to come */
        for (; shared->posting_begin < shared->posting_end; shared->posting_begin++) {
            const uint64_t light = page_weight(&s->pages[s->postings[shared->posting_begin].page]);
            if (similar(light, weight, light, similarity)) {
                break;
            }
        }
        for (uint32_t j = shared->posting_begin; j < shared->posting_end;) {
            const uint32_t first = j;
            while (j < shared->posting_end && nd_union_find_root(s->parents, s->postings[j].page) ==
                                                  nd_union_find_root(s->parents, x)) {
                j = s->postings[j].next;
            }
            if (j > first) {
                s->postings[first].next = j; /* for the next walk: classes never come apart */
            } else if (meet(s, x, i, &s->postings[j++], similarity)) {
                return true;
            }
        }
    }
    return false;
}

/* Put the pages into classes: s->parents. */
static nd_status join_pages(site *s, double similarity) {
    nd_status st = ND_OK;
    nd_union_find_init(s->parents, s->page_count);
    for (size_t i = 0; i < s->page_count; i++) {
        page *p = &s->pages[i];
        uint64_t weight = 0;
        for (size_t k = p->count; k-- > 0;) {
            weight += s->sentences[p->items[k].rank].tokens;
            p->items[k].weight = weight;
        }
        p->tried = 0;
        s->order[i] = (nd_key_value){weight, i};
    }
    for (size_t i = 0; i < s->sentence_count; i++) {
        s->sentences[i].posting_begin = s->sentences[i].first_posting;
        s->sentences[i].posting_end = s->sentences[i].first_posting;
    }
    ND_TRY(nd_radix_sort(s->order, s->page_count));
    for (size_t i = 0; i < s->page_count; i++) {
        const size_t x = (size_t)s->order[i].value;
        const page *p = &s->pages[x];
        const uint64_t weight = page_weight(p);
        if (meet_lighter(s, x, similarity)) {
            continue; /* the equal page stands for it */
        }
        /* let heavier pages find it by its first sentences */
        for (size_t k = 0; k < p->count && similar(p->items[k].weight, weight, weight, similarity);
             k++) {
            const uint32_t end = s->sentences[p->items[k].rank].posting_end++;
            s->postings[end] = (posting){(uint32_t)x, (uint32_t)k, end + 1};
        }
    }
out:
    return st;
}

/* Put what the templates found so far leave of the pages into classes: s->parents. Pages are alike
 * by the minima of their sentences, each of which weighs as much as the sentence, or, if `edited`
 * is above 0, edits of one another. */
static nd_status join_similar(site *s, double similarity, double edited) {
    nd_status st = ND_OK;
    nd_template_page *pages = NULL;
    nd_template_sentence *minima = NULL;
    site by_minima = {0};
    size_t count = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        page *p = &s->pages[i];
        size_t kept = 0;
        for (size_t k = 0; k < p->count; k++) {
            if (!s->sentences[p->items[k].rank].is_template) {
                p->items[kept++].rank = p->items[k].rank;
            }
        }
        p->count = kept;
        count += kept * ND_TEMPLATE_MINIMA;
    }
    nd_new_room(&pages, s->page_count, sizeof *pages);
    nd_new_room(&minima, count, sizeof *minima);
    count = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        const page *p = &s->pages[i];
        pages[i] = (nd_template_page){minima + count, p->count * ND_TEMPLATE_MINIMA};
        for (size_t k = 0; k < pages[i].count; k++) {
            const sentence *of = &s->sentences[p->items[k / ND_TEMPLATE_MINIMA].rank];
            const uint64_t which = k % ND_TEMPLATE_MINIMA;
            minima[count++] = (nd_template_sentence){.hash = which << 32 | of->minima[which],
                                                     .tokens = of->tokens};
        }
    }
    ND_TRY(nd_template_site_open(&by_minima, pages, s->page_count));
    ND_TRY(join_pages(&by_minima, similarity));
    memcpy(s->parents, by_minima.parents, s->page_count * sizeof *s->parents);
    ND_TRY(edited > 0 ? nd_template_join_edits(s, edited) : ND_OK);
out:
    nd_template_site_close(&by_minima);
    free(pages);
    free(minima);
    return st;
}

/* ---- templates */

/* The pages class after class: s->order. */
static nd_status order_by_class(site *s) {
    for (size_t i = 0; i < s->page_count; i++) {
        s->order[i] = (nd_key_value){nd_union_find_root(s->parents, i), i};
    }
    return nd_radix_sort(s->order, s->page_count);
}

static nd_status run_round(site *s, const nd_template_options *options,
                           const nd_template_round *round) {
    nd_status st = ND_OK;
    uint64_t pages = 0;
    uint64_t classes = 0;
    for (size_t i = 0; i < s->page_count; i++) {
        pages += s->pages[i].count > 0;
    }
    const uint64_t least =
        pages <= options->small_site ? options->small_least : options->least_classes;
    ND_TRY(join_similar(s, round->similarity, round->edited));
    for (size_t i = 0; i < s->page_count; i++) {
        classes += s->pages[i].count > 0 && nd_union_find_root(s->parents, i) == i;
    }
    if (classes < options->least_site) {
        goto out;
    }
    ND_TRY(order_by_class(s));
    for (size_t i = 0; i < s->sentence_count; i++) {
        s->sentences[i].classes = 0;
        s->sentences[i].latest_class = UINT32_MAX;
    }
    for (size_t i = 0; i < s->page_count; i++) {
        const page *p = &s->pages[s->order[i].value];
        for (size_t j = 0; j < p->count; j++) {
            sentence *of_page = &s->sentences[p->items[j].rank];
            of_page->classes += of_page->latest_class != s->order[i].key;
            of_page->latest_class = (uint32_t)s->order[i].key;
        }
    }
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

static nd_status run_rounds(site *s, const nd_template_options *options, uint64_t **hashes,
                            size_t *hash_count) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < ND_TEMPLATE_ROUNDS; i++) {
        ND_TRY(run_round(s, options, &options->rounds[i]));
    }
    nd_new_room(hashes, s->sentence_count, sizeof **hashes);
    for (size_t i = 0; i < s->sentence_count; i++) {
        if (s->sentences[i].is_template) {
            (*hashes)[(*hash_count)++] = s->sentences[i].hash;
        }
    }
    (void)nd_numbers_distinct(*hashes, *hash_count); /* they are: sorted */
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
    ND_TRY(nd_template_site_open(&s, pages, count));
    ND_TRY(run_rounds(&s, options, hashes, hash_count));
out:
    nd_template_site_close(&s);
    return st;
}

/* ---- repeated sentences */

/* A sentence of `others`. */
typedef struct other {
    uint32_t classes; /* in which it stands */
    uint32_t latest;  /* the latest of these, counted from 1 */
} other;

/* What is repeated in `others`, of a site that is open: what its templates, of lists, have left of
 * the pages makes the classes. */
static nd_status find_repeated(site *s, const nd_template_page *others,
                               const nd_template_repeat *options, nd_template_lists *lists) {
    nd_status st = ND_OK;
    nd_number_ids ids = {0};
    other *counts = NULL;
    size_t n = 0;
    uint32_t classes = 0;
    ND_TRY(nd_template_count(others, s->page_count, &n));
    ND_TRY(join_similar(s, options->similarity, 0));
    ND_TRY(nd_number_ids_open(&ids, n));
    nd_new(&counts, n, sizeof *counts);
    ND_TRY(order_by_class(s));
    for (size_t i = 0; i < s->page_count; i++) {
        const nd_template_page *of_page = &others[s->order[i].value];
        classes += i == 0 || s->order[i].key != s->order[i - 1].key;
        for (size_t j = 0; j < of_page->count; j++) {
            other *met = &counts[nd_number_ids_of(&ids, of_page->sentences[j].hash)];
            met->classes += met->latest != classes;
            met->latest = classes;
        }
    }
    const bool all = classes < options->least_site;
    nd_new_room(&lists->repeated, ids.count, sizeof *lists->repeated);
    for (size_t i = 0; i < ids.count; i++) {
        const bool repeated = all || (counts[i].classes >= options->least_classes &&
                                      (double)counts[i].classes >= options->share * classes);
        if (repeated && !nd_numbers_hold(lists->templates, lists->template_count, ids.numbers[i])) {
            lists->repeated[lists->repeated_count++] = ids.numbers[i];
        }
    }
    (void)nd_numbers_distinct(lists->repeated, lists->repeated_count);
out:
    nd_number_ids_free(&ids);
    free(counts);
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
    ND_TRY(nd_template_site_open(&s, pages, count));
    ND_TRY(run_rounds(&s, options, &lists->templates, &lists->template_count));
    ND_TRY(find_repeated(&s, others, repeat, lists));
out:
    nd_template_site_close(&s);
    if (st != ND_OK) {
        nd_template_lists_free(lists);
    }
    return st;
}
