#include "mpi/cmd/rethreshold/strict_sets.h"

#include "mpi/stage/set_members.h"
#include "src/base/numbers.h"
#include "src/base/order.h"
#include "src/base/radix_sort.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "src/sets/middles.h"
#include "src/sets/tree.h"
#include "src/text/site.h"

#include <stdlib.h>
#include <string.h>

/* Of pages that are read at a time, each as often as it has pairs: some 64 MiB at the most, unless
 * a component has more. */
static const uint64_t BATCH_TOKENS = UINT64_C(1) << 24;

/* A page of a component that is made again, as the method compares it. */
typedef struct read_page {
    nd_buffer payload;
    uint64_t tokens;
    nd_origin origin;
    bool index_page;
} read_page;

/* A pair and the component that it is of, by the smallest page of that. */
typedef struct grouped_link {
    uint64_t component;
    nd_link link;
} grouped_link;

typedef struct maker {
    nd_shown_run *shown;
    const nd_job_options *options;
    const nd_kept_run *kept;
    nd_strict_sets *sets;
    nd_method_work work;
    uint64_t *parent; /* of a page in its component; see root_of() */

    /* read at a time, of several components: in the order of the inputs */
    uint64_t *batch_pages; /* ascending */
    read_page *batch;
    uint64_t batch_count;

    /* of the component that is being made */
    uint64_t *pages; /* ascending */
    uint64_t *tokens;
    const read_page **read;             /* in the batch */
    nd_link *tree, *verified, *joining; /* verified: by (a, b) */
    size_t *leaders;
    double *similarities;
    nd_parent *parents;
    uint64_t *set_pages;
    uint64_t count, verified_count;
    size_t tree_count;
} maker;

/* ---- components */

static uint64_t root_of(uint64_t *parent, uint64_t page) {
    while (parent[page] != page) {
        parent[page] = parent[parent[page]];
        page = parent[page];
    }
    return page;
}

/* The smallest page of a component is its root. */
static void join(uint64_t *parent, uint64_t a, uint64_t b) {
    const uint64_t x = root_of(parent, a);
    const uint64_t y = root_of(parent, b);
    parent[nd_max(x, y)] = nd_min(x, y);
}

static double threshold_of(const nd_job_options *options, nd_origin a, nd_origin b) {
    return nd_method_threshold(&options->method_options, nd_method_relation(a, b));
}

/* Of a page and its set's leader: mpi/stage/guard.c. */
static double leader_threshold(const nd_job_options *options, nd_origin a, nd_origin b) {
    return nd_method_leader_threshold(&options->method_options, nd_method_relation(a, b)) -
           options->guard;
}

/* ---- pages are read and compared */

static nd_status read_one(maker *m, uint64_t number, read_page *page) {
    nd_status st = ND_OK;
    nd_shown_page shown = {0};
    nd_buffer scratch = {0};
    nd_span payload = {0};
    ND_TRY(nd_shown_page_read_number(&shown, m->shown, number));
    ND_TRY(nd_method_payload(m->options->method, &m->options->method_options, &m->work,
                             &shown.content, &scratch, &payload));
    page->payload.size = 0;
    ND_TRY(nd_buffer_append(&page->payload, payload.data, payload.size));
    page->tokens = shown.content.token_count;
    page->origin = shown.content.origin;
    page->index_page = (shown.chosen.flags & ND_PAGE_INDEX) != 0;
    m->sets->read++;
out:
    nd_buffer_free(&scratch);
    nd_shown_page_free(&shown);
    return st;
}

static uint32_t relation_of(const read_page *a, const read_page *b) {
    return nd_method_relation(a->origin, b->origin) |
           (a->index_page || b->index_page ? (uint32_t)ND_PAIR_INDEX : 0);
}

static int by_pages(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* As mpi/stage/guard.c compares a leader and a page of its component; without the guard as
 * mpi/stage/stage_join.c has them compared. */
static nd_status compare(void *context, size_t leader, size_t member, double *similarity) {
    maker *m = context;
    const nd_job_options *o = m->options;
    const size_t first = leader < member ? leader : member;
    const size_t second = leader < member ? member : leader;
    const read_page *a = m->read[first];
    const read_page *b = m->read[second];
    const nd_link wanted = {m->pages[first], m->pages[second], 0};
    const nd_link *known =
        bsearch(&wanted, m->verified, m->verified_count, sizeof wanted, by_pages);
    if (known != NULL) {
        *similarity = known->similarity;
        return ND_OK;
    }
    const bool guarded = o->guard > 0;
    const double threshold = guarded ? leader_threshold(o, a->origin, b->origin) : 0;
    *similarity = 0;
    if (nd_method_length_bound(o->method, &o->method_options, a->tokens, b->tokens) < threshold) {
        return ND_OK;
    }
    m->sets->compared++;
    return nd_method_compare_member(o->method, &o->method_options, &m->work,
                                    nd_buffer_span(&a->payload), nd_buffer_span(&b->payload),
                                    guarded ? relation_of(a, b) : 0, threshold, similarity);
}

/* ---- what changes */

/* Which pairs of the run are similar by the stricter threshold. */
static nd_status find_similar(maker *m) {
    nd_status st = ND_OK;
    const nd_kept_run *k = m->kept;
    const nd_job_options *o = m->options;
    read_page a = {.tokens = 0}, b = {.tokens = 0};
    for (uint64_t i = 0; i < k->pair_count; i++) {
        const nd_link *pair = &k->pairs[i];
        const double threshold = threshold_of(o, k->origin[pair->a], k->origin[pair->b]);
        const double before =
            threshold_of(&m->shown->options, k->origin[pair->a], k->origin[pair->b]);
        m->sets->similar[i] = threshold == before || pair->similarity > (double)(float)threshold;
        if (!m->sets->similar[i] && pair->similarity == (double)(float)threshold) {
            double similarity = 0;
            ND_TRY(read_one(m, pair->a, &a));
            ND_TRY(read_one(m, pair->b, &b));
            ND_TRY(nd_method_compare(o->method, &o->method_options, &m->work,
                                     nd_buffer_span(&a.payload), nd_buffer_span(&b.payload),
                                     relation_of(&a, &b), threshold, &similarity));
            m->sets->similar[i] = similarity > 0;
            m->sets->compared++;
        }
    }
out:
    nd_buffer_free(&a.payload);
    nd_buffer_free(&b.payload);
    return st;
}

/* Components of the run that lose a pair, or a page of a set; and those that hold a form, since how
 * similar its pages are to the leader that they had the result does not say.
 * \param[out] changed  [root] */
static void find_changed(maker *m, bool *changed) {
    const nd_kept_run *k = m->kept;
    const bool looser = m->options->method_options.threshold - m->options->guard <
                        m->shown->options.method_options.threshold - m->shown->options.guard;
    for (uint64_t page = 0; page < k->pages; page++) {
        m->parent[page] = page;
    }
    for (uint64_t i = 0; i < k->pair_count; i++) {
        join(m->parent, k->pairs[i].a, k->pairs[i].b);
    }
    for (uint64_t i = 0; i < k->pair_count; i++) {
        const uint64_t root = root_of(m->parent, k->pairs[i].a);
        changed[root] = changed[root] || looser || !m->sets->similar[i];
    }
    for (uint64_t page = 0; page < k->pages; page++) {
        const uint64_t leader = k->representative[page];
        const double least = leader_threshold(m->options, k->origin[page], k->origin[leader]);
        const uint64_t root = root_of(m->parent, page);
        if (k->in_pair[page] && (k->form[page] || k->similarity[page] <= (float)least)) {
            changed[root] = true;
        }
        m->sets->components += k->in_pair[page] && root == page;
        m->sets->changed += k->in_pair[page] && root == page && changed[root];
    }
}

/* ---- a component becomes sets */

static size_t place_of(const maker *m, uint64_t page) {
    return (size_t)nd_numbers_place(m->pages, m->count, page);
}

/* A set, which links of the component's tree hold together.
 * \param[in] of_pages, of_links  (place of the leader, which of the pages, or of the tree) */
static nd_status make_set(maker *m, const nd_key_value *of_pages, uint64_t pages,
                          const nd_key_value *of_links, uint64_t links) {
    nd_status st = ND_OK;
    const size_t leader = (size_t)of_pages[0].key;
    for (uint64_t i = 0; i < pages; i++) { /* places ascend, and so do pages */
        m->set_pages[i] = m->pages[of_pages[i].value];
    }
    for (uint64_t i = 0; i < links; i++) {
        m->joining[i] = m->tree[of_links[i].value];
    }
    ND_TRY(nd_tree_orient(m->set_pages, pages, m->joining, m->pages[leader], m->parents));
    for (uint64_t i = 0; i < pages; i++) {
        const nd_membership membership = {m->set_pages[i],
                                          {m->set_pages[0], m->pages[leader], m->parents[i].page,
                                           (float)m->parents[i].similarity,
                                           (float)m->similarities[of_pages[i].value]}};
        ND_TRY(nd_spool_append(&m->sets->memberships, &membership, sizeof membership));
    }
out:
    return st;
}

/* Pages have their leaders: set after set. */
static nd_status make_sets(maker *m) {
    nd_status st = ND_OK;
    nd_key_value *pages = NULL, *links = NULL;
    uint64_t link_count = 0;
    ND_TRY(nd_new_room(&pages, m->count, sizeof *pages));
    ND_TRY(nd_new_room(&links, m->tree_count, sizeof *links));
    for (size_t i = 0; i < m->count; i++) {
        pages[i] = (nd_key_value){m->leaders[i], i};
    }
    for (size_t i = 0; i < m->tree_count; i++) {
        const size_t leader = m->leaders[place_of(m, m->tree[i].a)];
        if (m->leaders[place_of(m, m->tree[i].b)] == leader) {
            links[link_count++] = (nd_key_value){leader, i};
        }
    }
    ND_TRY(nd_radix_sort(pages, m->count));
    ND_TRY(nd_radix_sort(links, link_count));
    for (uint64_t i = 0, end = 0, link = 0, link_end = 0; i < m->count; i = end, link = link_end) {
        end = nd_key_end(pages, m->count, i, pages[i].key);
        link_end = nd_key_end(links, link_count, link, pages[i].key);
        ND_TRY(make_set(m, pages + i, end - i, links + link, link_end - link));
    }
out:
    free(pages);
    free(links);
    return st;
}

/* \param[in] links  all surviving pairs of a component */
static nd_status make_component(maker *m, const grouped_link *links, uint64_t count) {
    nd_status st = ND_OK;
    const size_t most = (size_t)count + 1;
    ND_TRY(nd_new(&m->pages, 2 * count, sizeof *m->pages));
    ND_TRY(nd_new(&m->tokens, most, sizeof *m->tokens));
    ND_TRY(nd_new(&m->tree, count, sizeof *m->tree));
    ND_TRY(nd_new(&m->verified, count, sizeof *m->verified));
    ND_TRY(nd_new(&m->joining, most, sizeof *m->joining));
    ND_TRY(nd_new(&m->leaders, most, sizeof *m->leaders));
    ND_TRY(nd_new(&m->similarities, most, sizeof *m->similarities));
    ND_TRY(nd_new(&m->parents, most, sizeof *m->parents));
    ND_TRY(nd_new(&m->set_pages, most, sizeof *m->set_pages));
    ND_TRY(nd_new(&m->read, most, sizeof *m->read));
    for (uint64_t i = 0; i < count; i++) {
        m->tree[i] = m->verified[i] = links[i].link;
        m->pages[2 * i] = links[i].link.a;
        m->pages[2 * i + 1] = links[i].link.b;
    }
    m->verified_count = count;
    m->count = nd_numbers_distinct(m->pages, 2 * count);
    for (uint64_t i = 0; i < m->count; i++) {
        m->read[i] = &m->batch[nd_numbers_place(m->batch_pages, m->batch_count, m->pages[i])];
        m->tokens[i] = m->read[i]->tokens;
    }
    nd_sort(m->verified, count, sizeof *m->verified, by_pages);
    ND_TRY(nd_forest(m->pages, m->count, m->tree, count, &m->tree_count));
    if (m->options->guard > 0) {
        ND_TRY(nd_middles(m->pages, m->tokens, m->count, m->tree, compare, m, m->leaders,
                          m->similarities));
    } else { /* a component is a set, led by its longest page */
        size_t longest = 0;
        for (size_t i = 1; i < m->count; i++) {
            longest = m->tokens[i] > m->tokens[longest] ? i : longest;
        }
        for (size_t i = 0; i < m->count; i++) {
            m->leaders[i] = longest;
            m->similarities[i] = 1;
            ND_TRY(i != longest ? compare(m, longest, i, &m->similarities[i]) : ND_OK);
        }
    }
    ND_TRY(make_sets(m));
out:
    free(m->pages);
    free(m->tokens);
    free(m->tree);
    free(m->verified);
    free(m->joining);
    free(m->leaders);
    free(m->similarities);
    free(m->parents);
    free(m->set_pages);
    free((void *)m->read);
    m->pages = NULL;
    m->tokens = NULL;
    m->tree = m->verified = m->joining = NULL;
    m->leaders = NULL;
    m->similarities = NULL;
    m->parents = NULL;
    m->set_pages = NULL;
    m->read = NULL;
    m->count = 0;
    return st;
}

/* ---- all of them */

static int by_component(const void *a, const void *b) {
    const grouped_link *x = a;
    const grouped_link *y = b;
    return x->component != y->component
               ? (x->component > y->component) - (x->component < y->component)
               : by_pages(&x->link, &y->link);
}

static void free_batch(maker *m) {
    for (uint64_t i = 0; m->batch != NULL && i < m->batch_count; i++) {
        nd_buffer_free(&m->batch[i].payload);
    }
    free(m->batch);
    free(m->batch_pages);
    m->batch = NULL;
    m->batch_pages = NULL;
    m->batch_count = 0;
}

/* As many components, from the first of the links on, as have so many tokens; one at least. Their
 * pages are read in the order of the inputs, and they are made.
 * \param[out] taken  links of them */
static nd_status make_batch(maker *m, const grouped_link *links, uint64_t count, uint64_t *taken) {
    nd_status st = ND_OK;
    uint64_t tokens = 0;
    uint64_t end = 0;
    while (end < count &&
           (tokens < BATCH_TOKENS || links[end].component == links[end - 1].component)) {
        tokens += (uint64_t)m->kept->tokens[links[end].link.a] + m->kept->tokens[links[end].link.b];
        end++;
    }
    ND_TRY(nd_new_room(&m->batch_pages, 2 * end, sizeof *m->batch_pages));
    for (uint64_t i = 0; i < end; i++) {
        m->batch_pages[2 * i] = links[i].link.a;
        m->batch_pages[2 * i + 1] = links[i].link.b;
    }
    const uint64_t pages = nd_numbers_distinct(m->batch_pages, 2 * end);
    ND_TRY(nd_new(&m->batch, pages, sizeof *m->batch));
    m->batch_count = pages;
    for (uint64_t i = 0; i < pages; i++) {
        ND_TRY(read_one(m, m->batch_pages[i], &m->batch[i]));
    }
    for (uint64_t i = 0, next = 0; i < end; i = next) {
        for (next = i; next < end && links[next].component == links[i].component;) {
            next++;
        }
        ND_TRY(make_component(m, links + i, next - i));
    }
    *taken = end;
out:
    free_batch(m);
    return st;
}

/* Surviving pairs of changed components, by what they are components of then. */
static nd_status make_changed(maker *m, const bool *changed) {
    nd_status st = ND_OK;
    const nd_kept_run *k = m->kept;
    grouped_link *links = NULL;
    uint64_t *parent = NULL;
    uint64_t count = 0;
    ND_TRY(nd_new_room(&links, k->pair_count, sizeof *links));
    ND_TRY(nd_new_room(&parent, k->pages, sizeof *parent));
    for (uint64_t page = 0; page < k->pages; page++) {
        parent[page] = page;
    }
    for (uint64_t i = 0; i < k->pair_count; i++) {
        const nd_link *pair = &k->pairs[i];
        if (changed[root_of(m->parent, pair->a)] && m->sets->similar[i]) {
            join(parent, pair->a, pair->b);
            links[count++].link = *pair;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        links[i].component = root_of(parent, links[i].link.a);
    }
    nd_sort(links, count, sizeof *links, by_component);
    for (uint64_t i = 0, taken = 0; i < count; i += taken) {
        ND_TRY(make_batch(m, links + i, count - i, &taken));
    }
out:
    free(links);
    free(parent);
    return st;
}

/* Pages of components that did not change are where they were. */
static nd_status keep_others(maker *m, const bool *changed) {
    nd_status st = ND_OK;
    const nd_kept_run *k = m->kept;
    uint64_t *smallest = NULL; /* by representative: of the set's pages that are of a pair */
    ND_TRY(nd_new(&smallest, k->pages, sizeof *smallest));
    for (uint64_t page = k->pages; page-- > 0;) {
        if (k->in_pair[page]) {
            smallest[k->representative[page]] = page;
        }
    }
    for (uint64_t page = 0; page < k->pages; page++) {
        if (k->in_pair[page] && !changed[root_of(m->parent, page)]) {
            const uint64_t leader = k->representative[page];
            const nd_membership membership = {page,
                                              {smallest[leader], leader, k->link[page],
                                               k->link_similarity[page], k->similarity[page]}};
            ND_TRY(nd_spool_append(&m->sets->memberships, &membership, sizeof membership));
        }
    }
out:
    free(smallest);
    return st;
}

nd_status nd_strict_sets_make(nd_shown_run *shown, const nd_job_options *options,
                              const nd_kept_run *k, nd_strict_sets *sets) {
    nd_status st = ND_OK;
    maker m = {.shown = shown, .options = options, .kept = k, .sets = sets};
    bool *changed = NULL;
    *sets = (nd_strict_sets){.components = 0};
    nd_spool_open(&sets->memberships, NULL, 0);
    ND_TRY(nd_new(&sets->similar, k->pair_count, sizeof *sets->similar));
    ND_TRY(nd_new(&m.parent, k->pages, sizeof *m.parent));
    ND_TRY(nd_new(&changed, k->pages, sizeof *changed));
    ND_TRY(find_similar(&m));
    find_changed(&m, changed);
    ND_TRY(keep_others(&m, changed));
    ND_TRY(make_changed(&m, changed));
out:
    nd_method_work_free(&m.work);
    free(m.parent);
    free(changed);
    return st;
}

void nd_strict_sets_free(nd_strict_sets *sets) {
    nd_spool_close(&sets->memberships);
    free(sets->similar);
    *sets = (nd_strict_sets){0};
}
