#include "mpi/cmd/explain/explanation.h"

#include "io/result/result_read.h"
#include "mpi/job/page_content.h"
#include "src/base/util.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== what the run found */

/* The way of a page to its representative, link by link. */
typedef struct way {
    nd_link_step *steps;
    size_t capacity;
    uint64_t count, set;
} way;

static nd_status read_way(const nd_result *result, uint64_t page, way *w) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    ND_TRY(nd_page_rows_read(result, page, 1, &rows));
    w->set = rows.set[0];
    while (rows.link[0] != rows.begin) {
        if (w->count == result->shape.pages) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /pages/link: the links of page %" PRIu64
                         " lead to no representative: damaged, or not written by neardup",
                         result->path, page);
            goto out;
        }
        nd_grow(&w->steps, &w->capacity, w->count + 1, sizeof *w->steps);
        w->steps[w->count++] = (nd_link_step){rows.begin, rows.link[0], rows.link_similarity[0]};
        ND_TRY(nd_page_rows_read(result, rows.link[0], 1, &rows));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* Both ways without what they have in common: from the first page up, and down to the second. */
static void join_ways(way *up, way *down, nd_run_finding *finding) {
    while (up->count > 0 && down->count > 0 &&
           up->steps[up->count - 1].from == down->steps[down->count - 1].from) {
        up->count--;
        down->count--;
    }
    nd_grow(&up->steps, &up->capacity, up->count + down->count, sizeof *up->steps);
    while (down->count > 0) {
        const nd_link_step *step = &down->steps[--down->count];
        up->steps[up->count++] = (nd_link_step){step->to, step->from, step->similarity};
    }
    finding->steps = up->steps;
    finding->step_count = up->count;
    up->steps = NULL;
}

/* Which of the two is contained in the other, as far as the run found it: of copies in a collection
 * the first page stands for all. */
static nd_status find_contained(const nd_result *result, const uint64_t pages[2],
                                nd_run_finding *finding) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t stands[2];
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_page_rows_read(result, pages[side], 1, &rows));
        const uint64_t first = rows.exact_of[0];
        const uint16_t collection = rows.collection[0];
        ND_TRY(nd_page_rows_read(result, first, 1, &rows));
        stands[side] = rows.collection[0] == collection ? first : pages[side];
    }
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_pair_find(result, &nd_contained_columns, stands[side], stands[1 - side],
                            &finding->contained[side], &finding->share[side]));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

nd_status nd_run_finding_read(nd_run_finding *finding, const nd_result *result,
                              const uint64_t pages[2], const uint64_t compared[2]) {
    nd_status st = ND_OK;
    way ways[2] = {{0}, {0}};
    ND_TRY(read_way(result, pages[0], &ways[0]));
    ND_TRY(read_way(result, pages[1], &ways[1]));
    finding->one_set = ways[0].set == ways[1].set;
    if (finding->one_set) {
        join_ways(&ways[0], &ways[1], finding);
    }
    finding->keeps_pairs = result->shape.has_pairs;
    if (finding->keeps_pairs) {
        ND_TRY(nd_pair_find(result, &nd_verified_columns, nd_min(compared[0], compared[1]),
                            nd_max(compared[0], compared[1]), &finding->pair_found,
                            &finding->pair_similarity));
    }
    if (result->shape.has_contained) {
        ND_TRY(find_contained(result, pages, finding));
    }
out:
    free(ways[0].steps);
    free(ways[1].steps);
    return st;
}

float nd_run_finding_weakest(const nd_run_finding *finding) {
    float weakest = 1;
    for (uint64_t i = 0; i < finding->step_count; i++) {
        weakest = finding->steps[i].similarity < weakest ? finding->steps[i].similarity : weakest;
    }
    return weakest;
}

void nd_run_finding_free(nd_run_finding *finding) {
    free(finding->steps);
    *finding = (nd_run_finding){0};
}

/* ==== what is found again */

static void count_sentence(nd_sentence_tally *tally, const nd_shown_page *page, uint32_t sentence) {
    tally->sentences++;
    tally->tokens += page->whole.sentences[sentence].token_count;
}

nd_status nd_explain_pages(nd_explanation *e) {
    nd_status st = ND_OK;
    const nd_method *method = e->options.method;
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    ND_TRY(nd_pair_measure(&e->pair, &a->content, &b->content, &e->measures));

    /* the method that is used, then all others by what each has by default */
    for (size_t i = 0; method != NULL && e->method_count < ND_EXPLAINED_METHODS;
         method = nd_method_row(i++)) {
        if (e->method_count > 0 && method == e->options.method) {
            continue;
        }
        nd_compared_method *compared = &e->methods[e->method_count++];
        *compared = (nd_compared_method){.method = method, .options = e->options.method_options};
        if (method != e->options.method) {
            ND_TRY(nd_method_own_options(method, &compared->options));
        }
        nd_method_decide(method, &compared->options, &a->content, &b->content,
                         ((a->chosen.flags | b->chosen.flags) & ND_PAGE_INDEX) != 0,
                         &compared->decision);
    }

    nd_sentences_align(&a->whole, a->chosen.keep, &b->whole, b->chosen.keep, &e->rows,
                       &e->row_count);
    for (size_t i = 0; i < e->row_count; i++) {
        const nd_aligned_sentence *row = &e->rows[i];
        const uint32_t places[2] = {row->a, row->b};
        if (row->a != ND_NO_SENTENCE && row->b != ND_NO_SENTENCE && !row->dropped) {
            count_sentence(&e->tally.shared, a, row->a);
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (places[side] != ND_NO_SENTENCE && !row->dropped) {
                count_sentence(&e->tally.only[side], &e->pages[side], places[side]);
            }
        }
    }
out:
    return st;
}

/* ---- the run */

bool nd_explained_is_compared(const nd_explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    return nd_page_is_compared(&e->options, page->content.token_count, page->chosen.flags);
}

/* Either page with the representative of the other's set. */
static nd_status ask_leader(nd_explanation *e, int side, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_job_options *o = &e->options;
    const nd_shown_page *page = &e->pages[side];
    nd_shown_page leader = {0};
    nd_method_decision decision = {0};
    nd_leader_answer *answer = &e->leaders[side];
    answer->representative = e->pages[1 - side].place.representative;
    ND_TRY(nd_shown_page_read_number(&leader, run, answer->representative));
    nd_method_decide(o->method, &o->method_options, &page->content, &leader.content,
                     ((page->chosen.flags | leader.chosen.flags) & ND_PAGE_INDEX) != 0, &decision);
    answer->asked = true;
    answer->similarity = decision.score;
    answer->least =
        nd_method_leader_threshold(
            &o->method_options, nd_method_relation(page->content.origin, leader.content.origin)) -
        o->guard;
out:
    nd_method_decision_free(&decision);
    nd_shown_page_free(&leader);
    return st;
}

nd_status nd_explain_run(nd_explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    const nd_method_decision *used = &e->methods[0].decision;
    const uint64_t pages[2] = {a->place.page, b->place.page};
    const uint64_t compared[2] = {a->compared, b->compared};
    ND_TRY(nd_run_finding_read(&e->finding, run->result, pages, compared));
    const bool forms = a->place.form && b->place.form;
    const bool cut = e->as_run && !forms && !e->finding.one_set && used->similar &&
                     used->shared_keys > 0 && nd_explained_is_compared(e, 0) &&
                     nd_explained_is_compared(e, 1);
    for (int side = 0; side < 2 && cut; side++) {
        ND_TRY(ask_leader(e, side, run));
    }
out:
    return st;
}

/* Would the set of the other page take this one? */
static bool is_similar_to_leader(const nd_explanation *e, int side) {
    return e->leaders[side].asked && e->leaders[side].similarity >= e->leaders[side].least;
}

/* Are they less similar than what is asked of short pages of two sites if many pages have their
 * keys? How many have them a result does not say. */
static bool asks_more_of_common(const nd_explanation *e) {
    const nd_document *a = &e->pages[0].content, *b = &e->pages[1].content;
    const uint32_t pair = nd_pair_of_keys(&e->options, nd_method_relation(a->origin, b->origin),
                                          nd_max(a->token_count, b->token_count), true);
    return (pair & ND_PAIR_COMMON) != 0 &&
           e->methods[0].decision.similarity < nd_method_threshold(&e->methods[0].options, pair);
}

const char *nd_run_reason(const nd_explanation *e, char *text, size_t size) {
    const nd_run_finding *f = &e->finding;
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    const nd_method_decision *used = &e->methods[0].decision;
    if (a->place.exact_of == b->place.exact_of) {
        (void)snprintf(text, size, "their texts are equal");
    } else if (f->one_set && a->compared == b->compared) {
        (void)snprintf(text, size, "what is compared of them is equal");
    } else if (f->one_set && f->step_count == 1) {
        (void)snprintf(text, size, "one joined by its link to the other, of similarity %.4f",
                       (double)f->steps[0].similarity);
    } else if (f->one_set) {
        (void)snprintf(text, size,
                       "a chain of %llu links joins them, the weakest of similarity %.4f, and each "
                       "is similar enough to the representative",
                       (unsigned long long)f->step_count, (double)nd_run_finding_weakest(f));
    } else if (!nd_explained_is_compared(e, 0) || !nd_explained_is_compared(e, 1)) {
        const bool of_a = !nd_explained_is_compared(e, 0);
        const uint32_t tokens = of_a ? a->content.token_count : b->content.token_count;
        (void)snprintf(text, size,
                       "%s is thin, %u tokens of its own: it shares a set with pages of the same "
                       "text alone",
                       of_a ? "A" : "B", tokens);
    } else if (used->similarity < used->threshold) {
        (void)snprintf(text, size, "they are not similar: %.4f, and %.4f is asked for",
                       used->similarity, used->threshold);
    } else if (used->shared_keys == 0) {
        (void)snprintf(text, size, "they are similar, but share no key, and so did not meet");
    } else if (f->keeps_pairs && !f->pair_found) {
        (void)snprintf(text, size,
                       "they are similar, but were not compared: too many pages share "
                       "their keys (--group-pairs)");
    } else if (asks_more_of_common(e)) {
        (void)snprintf(text, size,
                       "they are similar, but short pages of two sites, and of such %g is asked "
                       "for if more than %d pages share each of their keys (--site-extra)",
                       nd_method_threshold(&e->methods[0].options, ND_PAIR_COMMON),
                       ND_GROUP_NEIGHBOURS);
    } else if (a->place.form && b->place.form) {
        (void)snprintf(text, size,
                       "they are similar, but forms filled with other data: of a set of many texts "
                       "of one site hardly any two were all but the same (--record-pages)");
    } else if (e->options.certain > 0) {
        (void)snprintf(
            text, size,
            "they are similar, but a set keeps pages that are similar to its "
            "representative and belong with a probability of %g or more (--min-confidence)",
            e->options.certain);
    } else if (is_similar_to_leader(e, 0) && is_similar_to_leader(e, 1)) {
        (void)snprintf(
            text, size, "they are similar, and so is each to the other's representative: %s",
            f->keeps_pairs ? "they hang together with it over pages alone that are not"
                           : "they were not compared, too many pages sharing their keys "
                             "(--group-pairs), or hang together with it over pages alone that are "
                             "not; with --pairs keep a result says which");
    } else {
        (void)snprintf(text, size,
                       "they are similar, but a set takes pages that are similar to its "
                       "representative, at the threshold less %g (--slack)",
                       e->options.guard);
    }
    return text;
}

/* ---- what both forms of output say */

const char *nd_threshold_reason(const nd_compared_method *compared, char *text, size_t size) {
    const nd_method_options *o = &compared->options;
    switch (compared->decision.rule) {
    case ND_RULE_SITE:
        if (o->site_extra > 0) {
            (void)snprintf(text, size, "%s: %g + %g (--site-extra)",
                           compared->decision.same_site ? "both are of one site"
                                                        : "they may be of one site",
                           o->threshold, o->site_extra);
        } else {
            (void)snprintf(text, size, "the threshold of %s for pages of one site",
                           compared->method->name);
        }
        break;
    case ND_RULE_SUBJECT:
        (void)snprintf(
            text, size, "their addresses name different things: %g + %g (%s, --site-extra)",
            o->threshold, compared->decision.threshold - o->threshold,
            compared->decision.same_site ? "three times, of one site" : "once, of two sites");
        break;
    case ND_RULE_ONE_LIST:
        (void)snprintf(text, size,
                       "an index page and a page of its site show parts of one list "
                       "(--index-pages)");
        break;
    default:
        (void)snprintf(text, size, "the threshold of all pages; no rule raises it");
        break;
    }
    return text;
}

bool nd_links_may_return(const nd_explanation *e, int side) {
    const nd_content_choice *content = &e->options.content;
    return !e->as_run && content->sample > 0 && content->links &&
           e->pages[side].content.token_count < content->link_tokens &&
           e->pages[side].own_sentences > e->pages[side].content.sentence_count;
}

void nd_explanation_free(nd_explanation *e) {
    for (size_t i = 0; i < e->method_count; i++) {
        nd_method_decision_free(&e->methods[i].decision);
    }
    nd_shown_page_free(&e->pages[0]);
    nd_shown_page_free(&e->pages[1]);
    nd_run_finding_free(&e->finding);
    free(e->rows);
    *e = (nd_explanation){0};
}
