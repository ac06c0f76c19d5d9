/* Templates of sites: see template.h. A site is opened, its pages are put into classes, by common
 * sentences and by edits of each other, and what stands in several classes is counted. */
#include "src/sets/template.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/sets/forest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ==== A site as template.c works on it: its pages as lists of distinct sentences, which are
 * ranked, rarest first, so that a page's first sentences are those that few others have. Opening a
 * site is all that is done here; nobody else needs it. */

/** A distinct sentence. */
typedef struct nd_template_ranked {
    uint64_t hash;
    uint32_t tokens;
    uint32_t minima[ND_TEMPLATE_MINIMA];
    uint32_t first_posting; /**< its postings: room for as many as it has pages */
    uint32_t posting_begin; /**< those before are of pages too light for all that are to come */
    uint32_t posting_end;
    uint32_t classes;      /**< in which it stands */
    uint32_t latest_class; /**< the latest of these; UINT32_MAX: none */
    bool is_template;
} nd_template_ranked;

/** A sentence of a page. */
typedef struct nd_template_item {
    uint32_t rank;
    uint64_t weight; /**< tokens of this sentence and of those after it on the page */
} nd_template_item;

/** A page among the first sentences of which is the posting's. */
typedef struct nd_template_posting {
    uint32_t page;
    uint32_t place; /**< of the sentence among the page's items */
    uint32_t next;  /**< the posting after this one, but for some that are of the same class */
} nd_template_posting;

typedef struct nd_template_items {
    nd_template_item *items; /**< by rank */
    size_t count;
    size_t tried; /**< number + 1 of the latest page that met this one */
} nd_template_items;

typedef struct nd_template_site {
    nd_template_items *pages;
    size_t page_count;
    nd_template_ranked *sentences; /**< by rank */
    size_t sentence_count;
    nd_template_item *items;
    nd_template_posting *postings;
    nd_key_value *order; /**< the pages by weight, or by class: (key, number) */
    uint64_t *parents;   /**< union-find over the pages */
} nd_template_site;

/* A distinct sentence before it has a rank; by its id. */
typedef struct found {
    uint32_t tokens;
    uint32_t minima[ND_TEMPLATE_MINIMA];
    uint32_t pages;  /* on which it stands */
    uint32_t latest; /* number + 1 of the latest of these; then, where the next goes in `holders` */
    uint32_t rank;
} found;

/* What is needed while a site is laid out. */
typedef struct layout {
    nd_number_ids ids;
    found *sentences;
    uint32_t *occurrences; /* ids, page after page, each once on a page */
    uint32_t *holders;     /* pages, sentence after sentence by rank */
    size_t *of_count;      /* [n] the next rank of the sentences on n pages */
} layout;

/* Sentences of all pages. \return ND_OK; ND_ERR_LIMIT if there are too many of them, or of pages
 */
static nd_status nd_template_count(const nd_template_page *pages, size_t count, size_t *sentences) {
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

/* Distinguish the sentences of the pages. \return occurrences, without repeats within pages */
static size_t find_sentences(layout *l, const nd_template_page *pages, size_t count,
                             nd_template_items *items) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = n;
        for (size_t j = 0; j < pages[i].count; j++) {
            const nd_template_sentence *sentence = &pages[i].sentences[j];
            const size_t known = l->ids.count;
            const uint32_t id = nd_number_ids_of(&l->ids, sentence->hash);
            found *f = &l->sentences[id];
            if (id == known) {
                *f = (found){.tokens = 1};
                memset(f->minima, 0xff, sizeof f->minima);
            }
            for (size_t m = 0; m < ND_TEMPLATE_MINIMA; m++) {
                f->minima[m] = (uint32_t)nd_min(sentence->minima[m], f->minima[m]);
            }
            const bool repeated = f->latest == i + 1;
            f->tokens = (uint32_t)nd_max(sentence->tokens, f->tokens);
            f->latest = (uint32_t)(i + 1);
            f->pages += !repeated;
            l->occurrences[n] = id;
            n += !repeated;
        }
        items[i].count = n - begin;
    }
    return n;
}

/* Rank the sentences by the number of their pages, counted, for these are no more than all; each
 * gets room for as many postings as it has pages. Then the pages get their items, rank by rank, by
 * way of the pages of each sentence. */
static void rank_sentences(nd_template_site *site, layout *l) {
    uint32_t first_posting = 0;
    nd_template_item *items = site->items;
    const uint32_t *holder = l->holders;
    for (size_t id = 0; id < l->ids.count; id++) {
        l->of_count[l->sentences[id].pages + 1]++;
    }
    for (size_t n = 1; n <= site->page_count; n++) {
        l->of_count[n + 1] += l->of_count[n];
    }
    for (size_t id = 0; id < l->ids.count; id++) {
        found *f = &l->sentences[id];
        f->rank = (uint32_t)l->of_count[f->pages]++;
        site->sentences[f->rank] = (nd_template_ranked){
            .hash = l->ids.numbers[id], .tokens = f->tokens, .posting_end = f->pages};
        memcpy(site->sentences[f->rank].minima, f->minima, sizeof f->minima);
    }
    for (size_t rank = 0; rank < site->sentence_count; rank++) {
        nd_template_ranked *s = &site->sentences[rank];
        s->first_posting = first_posting;
        first_posting += s->posting_end;
    }

    for (size_t id = 0; id < l->ids.count; id++) {
        l->sentences[id].latest = site->sentences[l->sentences[id].rank].first_posting;
    }
    for (size_t i = 0, n = 0; i < site->page_count; i++) {
        nd_template_items *page = &site->pages[i];
        for (size_t j = 0; j < page->count; j++, n++) {
            l->holders[l->sentences[l->occurrences[n]].latest++] = (uint32_t)i;
        }
        page->items = items;
        items += page->count;
        page->count = 0;
    }
    for (size_t rank = 0; rank < site->sentence_count; rank++) {
        for (size_t i = 0; i < site->sentences[rank].posting_end; i++) {
            nd_template_items *page = &site->pages[*holder++];
            page->items[page->count++].rank = (uint32_t)rank;
        }
    }
}

/* Lay out the pages of a site, of which nothing is template yet; weights, postings, order and
 * classes are to be filled in.
 * \param[out] site  to be closed on failure too
 * \return ND_OK or ND_ERR_LIMIT */
static nd_status template_site_open(nd_template_site *site, const nd_template_page *pages,
                                    size_t count) {
    nd_status st = ND_OK;
    layout l = {0};
    size_t n = 0;
    *site = (nd_template_site){.page_count = count};
    ND_TRY(nd_template_count(pages, count, &n));
    nd_number_ids_open(&l.ids, n);
    nd_new_room(&l.sentences, n, sizeof *l.sentences);
    nd_new_room(&l.occurrences, n, sizeof *l.occurrences);
    nd_new_room(&l.holders, n, sizeof *l.holders);
    nd_new(&l.of_count, count + 2, sizeof *l.of_count);
    nd_new(&site->pages, count, sizeof *site->pages);
    n = find_sentences(&l, pages, count, site->pages);
    site->sentence_count = l.ids.count;
    nd_new_room(&site->sentences, site->sentence_count, sizeof *site->sentences);
    nd_new_room(&site->items, n, sizeof *site->items);
    nd_new_room(&site->postings, n, sizeof *site->postings);
    nd_new_room(&site->order, count, sizeof *site->order);
    nd_new_room(&site->parents, count, sizeof *site->parents);
    rank_sentences(site, &l);
out:
    nd_number_ids_free(&l.ids);
    free(l.sentences);
    free(l.occurrences);
    free(l.holders);
    free(l.of_count);
    return st;
}

static void template_site_close(nd_template_site *site) {
    free(site->pages);
    free(site->sentences);
    free(site->items);
    free(site->postings);
    free(site->order);
    free(site->parents);
}

/* ==== Which pages of a site are edits of one another, for template.c's classes. Pages in one
 * template share sentences word for word and differ in the others; copies that were edited
 * throughout share hardly a sentence, but most of their sentences are edits of the other's. So what
 * two pages share word for word is set aside, and what is left of them is compared by the minima of
 * sentences. The answer does not depend on the order of the pages. Nobody else needs it. */

/* The sentences that have one minimum. */
typedef struct group {
    size_t begin; /* of its sentences */
    size_t end;
    uint32_t tokens; /* of the longest */
    uint32_t page;   /* number + 1 of the latest page that was asked for it */
    uint32_t count;  /* of its sentences on that page, until it has met others by them */
} group;

enum { NO_GROUP = UINT32_MAX }; /* no other sentence has the minimum */

typedef struct edits {
    nd_template_site *site;
    group *groups;
    nd_key_value *sentences; /* (minimum, rank), group after group */
    uint32_t *group_of;      /* [rank * ND_TEMPLATE_MINIMA + which]; or NO_GROUP */
    uint64_t *tokens;        /* of each page */
    uint64_t *common; /* tokens of the minima that other sentences of a page have in common with the
                         present one */
    uint64_t *latest; /* minimum for which a page was met, counted from 1 */
    uint32_t *met;    /* the pages that have any */
    size_t met_count;
    uint64_t minimum; /* the present one */
} edits;

/* Group the sentences by their minima. */
static void find_groups(edits *e) {
    nd_template_site *s = e->site;
    size_t count = 0, groups = 0;
    for (size_t rank = 0; rank < s->sentence_count; rank++) {
        s->sentences[rank].posting_end = s->sentences[rank].first_posting;
        for (uint64_t which = 0; which < ND_TEMPLATE_MINIMA; which++) {
            e->group_of[rank * ND_TEMPLATE_MINIMA + which] = NO_GROUP;
            if (!s->sentences[rank].is_template) {
                e->sentences[count++] =
                    (nd_key_value){which << 32 | s->sentences[rank].minima[which], rank};
            }
        }
    }
    nd_radix_sort(e->sentences, count);
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        const uint64_t minimum = e->sentences[begin].key;
        group g = {.begin = begin};
        end = nd_key_end(e->sentences, count, begin, minimum);
        g.end = end;
        for (size_t i = begin; end - begin > 1 && i < end; i++) {
            const uint64_t rank = e->sentences[i].value;
            e->group_of[rank * ND_TEMPLATE_MINIMA + (minimum >> 32)] = (uint32_t)groups;
            g.tokens = (uint32_t)nd_max(g.tokens, s->sentences[rank].tokens);
        }
        e->groups[groups] = g;
        groups += end - begin > 1;
    }
}

/* Count the sentences that a page has of each group. */
static void ask_groups(edits *e, size_t number) {
    const nd_template_items *p = &e->site->pages[number];
    for (size_t i = 0; i < p->count * ND_TEMPLATE_MINIMA; i++) {
        const size_t rank = p->items[i / ND_TEMPLATE_MINIMA].rank;
        const uint32_t of = e->group_of[rank * ND_TEMPLATE_MINIMA + i % ND_TEMPLATE_MINIMA];
        if (of != NO_GROUP) {
            group *asked = &e->groups[of];
            asked->count = asked->page == number + 1 ? asked->count + 1 : 1;
            asked->page = (uint32_t)(number + 1);
        }
    }
}

/* A minimum of the present page, of its sentence `rank`: all pages before it that have the minimum
 * by another sentence than one of the present page have it in common. */
static void meet_group(edits *e, group *of_minimum, uint32_t rank) {
    const nd_template_site *s = e->site;
    e->minimum++;
    for (size_t j = of_minimum->begin; j < of_minimum->end; j++) {
        const nd_template_ranked *other = &s->sentences[e->sentences[j].value];
        if (e->sentences[j].value == rank && of_minimum->count == 1) {
            continue;
        }
        for (uint32_t k = other->first_posting; k < other->posting_end; k++) {
            const uint32_t page = s->postings[k].page;
            if (e->latest[page] != e->minimum) {
                e->latest[page] = e->minimum;
                if (e->common[page] == 0) {
                    e->met[e->met_count++] = page;
                }
                e->common[page] += of_minimum->tokens;
            }
        }
    }
    of_minimum->count = 0;
}

/* Add up, for each page before this one, what edits of sentences both have in common. */
static void meet_edits(edits *e, size_t number) {
    nd_template_site *s = e->site;
    const nd_template_items *p = &s->pages[number];
    ask_groups(e, number);
    for (size_t i = 0; i < p->count * ND_TEMPLATE_MINIMA; i++) {
        const uint32_t rank = p->items[i / ND_TEMPLATE_MINIMA].rank;
        const uint32_t of = e->group_of[(size_t)rank * ND_TEMPLATE_MINIMA + i % ND_TEMPLATE_MINIMA];
        if (of != NO_GROUP && e->groups[of].count > 0) {
            meet_group(e, &e->groups[of], rank);
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        nd_template_ranked *own = &s->sentences[p->items[i].rank];
        s->postings[own->posting_end++].page = (uint32_t)number;
    }
}

static uint64_t shared_tokens(const nd_template_site *s, size_t x, size_t y) {
    const nd_template_items *a = &s->pages[x], *b = &s->pages[y];
    uint64_t shared = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const uint32_t left = a->items[i].rank, right = b->items[j].rank;
        shared += left == right ? s->sentences[left].tokens : 0;
        i += left <= right;
        j += right <= left;
    }
    return shared;
}

/* Whether so much is in common of the minima of pages which beside what they share have `rest`
 * tokens. `common` may be more than these, as minima weigh as much as their longest sentence.
 * Monotonic in `rest`, by rounding too. */
static bool edits_of(uint64_t common, uint64_t rest, double least) {
    return (double)common >= least * ((double)(ND_TEMPLATE_MINIMA * rest) - (double)common);
}

/* Join the page with those that it met and that are edits of it. */
static void join_met(edits *e, size_t number, double least) {
    nd_template_site *s = e->site;
    for (size_t i = 0; i < e->met_count; i++) {
        const uint32_t other = e->met[i];
        const uint64_t light = nd_min(e->tokens[number], e->tokens[other]);
        const uint64_t heavy = nd_max(e->tokens[number], e->tokens[other]);
        const uint64_t common = e->common[other];
        e->common[other] = 0;
        /* what they share is at most half of the lighter page: most pairs need no look at it */
        if (!edits_of(common, heavy, least) ||
            nd_union_find_root(s->parents, number) == nd_union_find_root(s->parents, other)) {
            continue;
        }
        const uint64_t shared = shared_tokens(s, number, other);
        if (2 * shared <= light && edits_of(common, light + heavy - 2 * shared, least)) {
            (void)nd_union_find_join(s->parents, number, other);
        }
    }
    e->met_count = 0;
}

/* Join the classes (s->parents) of pages that are edits of one another: at least half of the
 * lighter page is not on the other, and of the minima of what each has alone at least `least` (a
 * Jaccard coefficient; minima weigh as much as the longest sentence that has them) are minima that
 * a sentence of the one and another sentence of the other have. \param[in,out] s  as
 * template.c says; of the pages' items only those that are no template */
static void template_join_edits(nd_template_site *s, double least) {
    edits e = {.site = s};
    const size_t minima = s->sentence_count * ND_TEMPLATE_MINIMA;
    nd_new_room(&e.groups, minima / 2 + 1, sizeof *e.groups);
    nd_new_room(&e.sentences, minima, sizeof *e.sentences);
    nd_new_room(&e.group_of, minima, sizeof *e.group_of);
    nd_new(&e.tokens, s->page_count, sizeof *e.tokens);
    nd_new(&e.common, s->page_count, sizeof *e.common);
    nd_new(&e.latest, s->page_count, sizeof *e.latest);
    nd_new_room(&e.met, s->page_count, sizeof *e.met);
    find_groups(&e);
    for (size_t i = 0; i < s->page_count; i++) {
        for (size_t k = 0; k < s->pages[i].count; k++) {
            e.tokens[i] += s->sentences[s->pages[i].items[k].rank].tokens;
        }
        meet_edits(&e, i);
        join_met(&e, i, least);
    }
    free(e.groups);
    free(e.sentences);
    free(e.group_of);
    free(e.tokens);
    free(e.common);
    free(e.latest);
    free(e.met);
}

/* ==== templates */

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
static void join_pages(site *s, double similarity) {
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
    nd_radix_sort(s->order, s->page_count);
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
    ND_TRY(template_site_open(&by_minima, pages, s->page_count));
    join_pages(&by_minima, similarity);
    memcpy(s->parents, by_minima.parents, s->page_count * sizeof *s->parents);
    if (edited > 0) {
        template_join_edits(s, edited);
    }
out:
    template_site_close(&by_minima);
    free(pages);
    free(minima);
    return st;
}

/* ---- templates */

/* The pages class after class: s->order. */
static void order_by_class(site *s) {
    for (size_t i = 0; i < s->page_count; i++) {
        s->order[i] = (nd_key_value){nd_union_find_root(s->parents, i), i};
    }
    nd_radix_sort(s->order, s->page_count);
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
    order_by_class(s);
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
    ND_TRY(template_site_open(&s, pages, count));
    ND_TRY(run_rounds(&s, options, hashes, hash_count));
out:
    template_site_close(&s);
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
    nd_number_ids_open(&ids, n);
    nd_new(&counts, n, sizeof *counts);
    order_by_class(s);
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
    ND_TRY(template_site_open(&s, pages, count));
    ND_TRY(run_rounds(&s, options, &lists->templates, &lists->template_count));
    ND_TRY(find_repeated(&s, others, repeat, lists));
out:
    template_site_close(&s);
    if (st != ND_OK) {
        nd_template_lists_free(lists);
    }
    return st;
}
