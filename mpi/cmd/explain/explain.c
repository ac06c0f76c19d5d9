/* What a run found of two pages, read out of its result: whether they share a set, the links that
 * join them in it, whether it kept them as a pair that is similar, and whether it found one to be
 * contained in the other. Nothing is compared here. */
#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/job/job.h"
#include "mpi/job/page_content.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/compare/trustable.h"
#include "src/method/method.h"
#include "src/method/pair_measures.h"
#include "src/sets/candidates.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Two pages, one of which is the other's /pages/link. */
typedef struct nd_link_step {
    uint64_t from, to;
    float similarity;
} nd_link_step;

/** All zero is a valid start; owned. */
typedef struct nd_run_finding {
    bool one_set;
    nd_link_step *steps; /**< from the first page to the second, where they share a set */
    uint64_t step_count;
    bool keeps_pairs;      /**< the result has its pairs, so that it is known of these two: */
    bool pair_found;       /**< they are one */
    float pair_similarity; /**< of it */
    bool contained[2];     /**< the first page in the second, the second in the first */
    float share[2];        /**< of it that is */
} nd_run_finding;

/* ---- All that `neardup explain` has to say of two pages, as one value, and its two ways of saying
 * it. */

enum { ND_EXPLAINED_METHODS = 16 };

typedef struct nd_compared_method {
    const nd_method *method;
    nd_method_options options;
    nd_method_decision decision;
} nd_compared_method;

/** How many sentences and tokens of both pages are shared (in one order), of one alone. */
typedef struct nd_sentence_tally {
    uint64_t sentences;
    uint64_t tokens;
} nd_sentence_tally;
typedef struct nd_alignment_tally {
    nd_sentence_tally shared;
    nd_sentence_tally only[2];
} nd_alignment_tally;

/** How a page compares with a set's representative. */
typedef struct nd_leader_answer {
    bool asked;
    uint64_t representative;
    double similarity;
    double least; /**< of a member of the set: the threshold less the guard */
} nd_leader_answer;

/** All zero is a valid start; the pages and all arrays are owned. */
typedef struct nd_explanation {
    const char *names[2]; /**< as the user gave them; borrowed */
    const char *result;   /**< path; NULL: files were given. Borrowed */
    nd_job_options options;
    nd_pair_options pair;
    uint64_t lines; /**< of sentences to print at most; 0: all */
    nd_shown_page pages[2];
    bool as_run; /**< contents are chosen and compared as in the run, with all that it knew */
    nd_run_finding finding;      /**< of a result */
    nd_leader_answer leaders[2]; /**< where the run kept similar pages apart: either page with the
                                      representative of the other's set */
    nd_pair_measures measures;
    nd_compared_method methods[ND_EXPLAINED_METHODS]; /**< the one used first, then the others */
    size_t method_count;
    nd_aligned_sentence *rows;
    size_t row_count;
    nd_alignment_tally tally;
} nd_explanation;

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

/* Read it.
 * \param[in] pages     two pages, whose sets and links are asked
 * \param[in] compared  the pages that the run compared in their place
 * \return ND_OK; ND_ERR_FORMAT if links lead nowhere; ND_ERR_IO or ND_ERR_MEMORY */
static nd_status run_finding_read(nd_run_finding *finding, const nd_result *result,
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

/* The similarity of the weakest step. */
static float run_finding_weakest(const nd_run_finding *finding) {
    float weakest = 1;
    for (uint64_t i = 0; i < finding->step_count; i++) {
        weakest = finding->steps[i].similarity < weakest ? finding->steps[i].similarity : weakest;
    }
    return weakest;
}

static void run_finding_free(nd_run_finding *finding) {
    free(finding->steps);
    *finding = (nd_run_finding){0};
}

/* ==== what is found again */

static void count_sentence(nd_sentence_tally *tally, const nd_shown_page *page, uint32_t sentence) {
    tally->sentences++;
    tally->tokens += page->whole.sentences[sentence].token_count;
}

/* Compare the pages once they are read, by everything. */
static nd_status explain_pages(nd_explanation *e) {
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

/* Is this page compared at all, by the rules of the method that is used? */
static bool explained_is_compared(const nd_explanation *e, int side) {
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

/* Read what the run found of them, once they are compared. */
static nd_status explain_run(nd_explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    const nd_method_decision *used = &e->methods[0].decision;
    const uint64_t pages[2] = {a->place.page, b->place.page};
    const uint64_t compared[2] = {a->compared, b->compared};
    ND_TRY(run_finding_read(&e->finding, run->result, pages, compared));
    const bool forms = a->place.form && b->place.form;
    const bool cut = e->as_run && !forms && !e->finding.one_set && used->similar &&
                     used->shared_keys > 0 && explained_is_compared(e, 0) &&
                     explained_is_compared(e, 1);
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

/* Why the run put the pages together, or did not, as a clause. Of what it compared as it did. */
static const char *run_reason(const nd_explanation *e, char *text, size_t size) {
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
                       (unsigned long long)f->step_count, (double)run_finding_weakest(f));
    } else if (!explained_is_compared(e, 0) || !explained_is_compared(e, 1)) {
        const bool of_a = !explained_is_compared(e, 0);
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

/* Why the threshold is what it is, as a clause. */
static const char *threshold_reason(const nd_compared_method *compared, char *text, size_t size) {
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

/* Whether a run gives this page some of its links back, which ones only the site shows. */
static bool links_may_return(const nd_explanation *e, int side) {
    const nd_content_choice *content = &e->options.content;
    return !e->as_run && content->sample > 0 && content->links &&
           e->pages[side].content.token_count < content->link_tokens &&
           e->pages[side].own_sentences > e->pages[side].content.sentence_count;
}

static void explanation_free(nd_explanation *e) {
    for (size_t i = 0; i < e->method_count; i++) {
        nd_method_decision_free(&e->methods[i].decision);
    }
    nd_shown_page_free(&e->pages[0]);
    nd_shown_page_free(&e->pages[1]);
    run_finding_free(&e->finding);
    free(e->rows);
    *e = (nd_explanation){0};
}

/* ---- neardup explain : why two pages are, or are not, similar, by every measure. */

/* ==== An explanation for people. */

enum {
    SHOWN_BYTES = 100, /* of a sentence */
    RUN_SHOWN = 3,     /* of many rows of one kind: so many, then how many more */
    RUN_LEAST = 6,
    STEPS_SHOWN = 8,
    KEYS_SHOWN = 4
};

static const char side_name[2] = {'A', 'B'};

/* ---- pages */

static void print_page(const nd_explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    nd_print_line(stdout, "%c  %s", side_name[side], e->names[side]);
    if (page->placed) {
        const nd_page_place *p = &page->place;
        (void)printf("   URL ");
        nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_buffer_span(&page->url));
        (void)printf("\n   page %" PRIu64 " of ", p->page);
        nd_print_words(stdout, ND_PRINTABLE_FIELD, (const char *)page->source.data);
        (void)printf(", byte %" PRIu64 "\n", p->offset);
        (void)printf("   set %" PRIu64 " of %" PRIu64 " pages: representative %" PRIu64
                     "%s (similarity %.4f), link %" PRIu64 " (%.4f)\n",
                     p->set, p->set_pages, p->representative,
                     p->representative == p->page ? ", itself" : "", (double)p->similarity, p->link,
                     (double)p->link_similarity);
        if (p->revisit_of == p->page) {
            (void)puts("   a revisit of a record that is not among the pages: it has no text");
        } else if (p->revisit_of != ND_NO_REVISIT) {
            (void)printf("   a revisit of page %" PRIu64 ", whose text it has\n", p->revisit_of);
        }
        if (p->exact_of != p->page) {
            (void)printf("   the same text as page %" PRIu64 "\n", p->exact_of);
        }
        if (page->compared != p->exact_of) {
            (void)printf("   what is compared of it is the same as of page %" PRIu64 "\n",
                         page->compared);
        }
        if (p->namesakes > 1) {
            (void)printf("   one of %" PRIu64 " pages of this name\n", p->namesakes);
        }
    }
    (void)printf("   %" PRIu32 " tokens in %" PRIu32 " sentences; compared: %" PRIu32
                 " tokens in %" PRIu32 "; dropped: %" PRIu32 " tokens in %" PRIu32 "%s\n",
                 page->own_tokens, page->own_sentences, page->content.token_count,
                 page->content.sentence_count, page->own_tokens - page->content.token_count,
                 page->own_sentences - page->content.sentence_count,
                 (page->chosen.flags & ND_PAGE_THIN) != 0    ? "; a thin page"
                 : (page->chosen.flags & ND_PAGE_INDEX) != 0 ? "; an index page"
                                                             : "");
    if (links_may_return(e, side)) {
        (void)printf("   fewer than %" PRIu64
                     " tokens are left: a run gives the page back those of "
                     "its links that its site does not repeat\n",
                     e->options.content.link_tokens);
    }
}

/* ---- the run */

static void print_run(const nd_explanation *e) {
    const nd_run_finding *f = &e->finding;
    char reason[256];
    nd_print_line(stdout, "%s: %s", e->result,
                  f->one_set ? "both pages are in one set" : "the pages are in different sets");
    if (e->as_run) {
        (void)printf("   %s\n", run_reason(e, reason, sizeof reason));
    }
    for (uint64_t i = 0; i < f->step_count && i < STEPS_SHOWN; i++) {
        (void)printf("   page %" PRIu64 " and page %" PRIu64 ": a link of similarity %.4f\n",
                     f->steps[i].from, f->steps[i].to, (double)f->steps[i].similarity);
    }
    if (f->step_count > STEPS_SHOWN) {
        (void)printf("   ... and %" PRIu64 " links more\n", f->step_count - STEPS_SHOWN);
    }
    for (int side = 0; side < 2; side++) {
        const nd_leader_answer *leader = &e->leaders[side];
        if (leader->asked) {
            (void)printf("   %c and page %" PRIu64 ", the representative of %c's set: similarity "
                         "%.4f, of a member at least %.4f\n",
                         side_name[side], leader->representative, side_name[1 - side],
                         leader->similarity, leader->least);
        }
    }
    if (f->keeps_pairs && f->pair_found) {
        (void)printf("   the run kept them as a pair of similarity %.4f\n",
                     (double)f->pair_similarity);
    }
    for (int side = 0; side < 2; side++) {
        if (f->contained[side]) {
            (void)printf("   %c is contained in %c: %.4f of its tokens\n", side_name[side],
                         side_name[1 - side], (double)f->share[side]);
        }
    }
}

/* ---- measures */

static void print_ratio(const char *name, const nd_pair_ratio *ratio, const char *what) {
    (void)printf("  %-16s %.4f  %" PRIu64 " / %" PRIu64 " %s\n", name, ratio->value, ratio->common,
                 ratio->of, what);
}

static void print_measures(const nd_explanation *e) {
    const nd_pair_measures *m = &e->measures;
    const uint32_t least = nd_trustable_defaults.least_tokens;
    char what[64];
    (void)printf("measures\n");
    if (!m->any) {
        (void)printf("  none: a page without tokens is similar to no page\n");
        return;
    }
    (void)snprintf(what, sizeof what, "distinct shingles of %u tokens", e->pair.shingle_tokens);
    print_ratio("resemblance", &m->resemblance, what);
    (void)printf("  %-16s %.4f  in [%.4f, %.4f] with 95 %% confidence: %" PRIu64
                 " of %u minima are equal\n",
                 "sketch estimate", m->estimate.resemblance, m->estimate.low, m->estimate.high,
                 m->equal_minima, e->pair.minima);
    (void)printf("  %-16s %6u  of %d agree (%d minima each, shingles of %u tokens)\n",
                 "supershingles", m->supershingles_agree, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA,
                 e->pair.supershingle_tokens);
    (void)printf("  %-16s %6u  of %d bits differ\n", "simhash", m->simhash_distance,
                 ND_SIMHASH_BITS);
    (void)printf("  %-16s %6u  of %d bits agree, %u differ\n", "charikar", m->charikar_agree,
                 ND_CHARIKAR_BITS, ND_CHARIKAR_BITS - m->charikar_agree);
    (void)printf("  %-16s %.4f  of token frequencies\n", "cosine", m->cosine);
    print_ratio("r", &m->r, "tokens in the longest common subsequence");
    (void)printf("  %-16s %.4f  %s\n", "trustable", m->trustable,
                 e->pages[0].content.token_count < least || e->pages[1].content.token_count < least
                     ? "r itself: a page is too short to have a centre"
                     : "r of the coherent part in the centre of both pages");
    print_ratio("jaccard", &m->jaccard, "5-token shingles, each as often as it occurs");
}

/* ---- methods */

static void print_methods(const nd_explanation *e) {
    const nd_compared_method *used = &e->methods[0];
    const nd_method_decision *v = &used->decision;
    char reason[256];
    (void)printf("\nmethods      keys A  keys B  shared  meet  similarity  threshold  similar\n");
    for (size_t i = 0; i < e->method_count; i++) {
        const nd_method_decision *d = &e->methods[i].decision;
        (void)printf("%c %-10s %6zu  %6zu  %6zu  %-4s      %.4f     %.4f  %s\n", i == 0 ? '*' : ' ',
                     e->methods[i].method->name, d->a_keys, d->b_keys, d->shared_keys,
                     d->shared_keys > 0 ? "yes" : "no", d->similarity, d->threshold,
                     d->similar ? "yes" : "no");
    }
    (void)printf("\n* %s%s: %s\n", e->result != NULL ? "the run's method, " : "",
                 used->method->name,
                 !explained_is_compared(e, 0) || !explained_is_compared(e, 1)
                     ? "a thin page is compared with no other"
                 : v->similar && v->shared_keys > 0 ? "they meet and are similar"
                 : v->similar                       ? "they are similar, but would not meet"
                 : v->shared_keys > 0               ? "they meet, but are not similar"
                                                    : "they would not meet, and are not similar");
    (void)printf("  similarity %.4f %s %.4f, %s\n", v->similarity,
                 v->similarity >= v->threshold ? ">=" : "<", v->threshold,
                 threshold_reason(used, reason, sizeof reason));
    if (v->off.repeats > 0) {
        (void)printf("  %.4f of it taken off: one repeats a word of its beginning %" PRIu64
                     " times that the other never says (--title-penalty)\n",
                     v->off.names, v->off.repeats);
    }
    if (v->off.rewritten > 0) {
        (void)printf("  %.4f of it taken off: whole passages differ, and of a page without a URL "
                     "nobody knows the site (--site-extra)\n",
                     v->off.rewritten);
    }
    (void)printf("  %s; shared keys %zu",
                 v->same_site          ? "one site"
                 : v->may_be_same_site ? "may be one site: a page has no URL"
                                       : "different sites",
                 v->shared_keys);
    for (size_t i = 0; i < v->shared_keys && i < KEYS_SHOWN; i++) {
        (void)printf("%s %016" PRIx64, i == 0 ? ":" : ",", v->shared[i]);
    }
    (void)printf("%s\n", v->shared_keys > KEYS_SHOWN ? ", ..." : "");
    (void)printf("  (pages that meet are compared if at most %" PRIu64
                 " pages share the key, else with the %d next by length)\n",
                 e->options.group_pairs, ND_GROUP_NEIGHBOURS);
}

/* ---- sentences */

static int kind_of(const nd_aligned_sentence *row) {
    return (row->a != ND_NO_SENTENCE ? 1 : 0) + (row->b != ND_NO_SENTENCE ? 2 : 0) +
           (row->dropped ? 4 : 0);
}

static void print_row(const nd_explanation *e, const nd_aligned_sentence *row) {
    const bool of_a = row->a != ND_NO_SENTENCE;
    const nd_shown_page *page = &e->pages[of_a ? 0 : 1];
    const uint32_t sentence = of_a ? row->a : row->b;
    const nd_span text = nd_shown_sentence(page, sentence);
    const nd_span shown = nd_utf8_cut(text, SHOWN_BYTES);
    (void)printf("  %-6s %-11s ",
                 !of_a                      ? "only B"
                 : row->b != ND_NO_SENTENCE ? "both"
                                            : "only A",
                 row->dropped ? nd_drop_reason(page, sentence) : "");
    nd_print_text(stdout, ND_PRINTABLE_MESSAGE, shown);
    (void)puts(shown.size < text.size ? " ..." : "");
}

static void print_sentences(const nd_explanation *e) {
    const nd_alignment_tally *t = &e->tally;
    const uint64_t most = e->lines > 0 ? e->lines : UINT64_MAX;
    uint64_t printed = 0;
    size_t i = 0;
    (void)printf("\nsentences    shared, in one order: %" PRIu64 " (%" PRIu64
                 " tokens); only A: %" PRIu64 " (%" PRIu64 "); only B: %" PRIu64 " (%" PRIu64 ")\n",
                 t->shared.sentences, t->shared.tokens, t->only[0].sentences, t->only[0].tokens,
                 t->only[1].sentences, t->only[1].tokens);
    while (i < e->row_count && printed < most) {
        size_t end = i + 1; /* of the rows of one kind */
        while (end < e->row_count && kind_of(&e->rows[end]) == kind_of(&e->rows[i])) {
            end++;
        }
        const size_t length = end - i;
        const size_t shown = e->lines > 0 && length >= RUN_LEAST ? RUN_SHOWN : length;
        for (size_t k = 0; k < shown && printed < most; k++, printed++) {
            print_row(e, &e->rows[i + k]);
        }
        if (shown < length) {
            (void)printf("                     ... %zu more such\n", length - shown);
        }
        i = end;
    }
    if (i < e->row_count) {
        (void)printf("                     ... %zu sentences more (--lines N, 0: all)\n",
                     e->row_count - i);
    }
}

/* Print for people, or as one JSON object. */
static void explanation_text(const nd_explanation *e) {
    print_page(e, 0);
    print_page(e, 1);
    if (e->result != NULL) {
        print_run(e);
    }
    (void)printf("content %s\n\n", e->as_run ? "as in the run"
                                   : e->pages[0].placed
                                       ? "by these options, or without what the run knew of "
                                         "their sites: its decision may be another"
                                   : e->options.content.sample > 0
                                       ? "by the page alone: what a run drops as a site's "
                                         "template cannot be known without the site's other "
                                         "pages"
                                       : "by the page alone");
    print_measures(e);
    print_methods(e);
    print_sentences(e);
}

/* ==== An explanation as one JSON object. */

static json_object *real(double number) {
    return nd_json_real(number, 6);
}

static json_object *tally(uint64_t sentences, uint64_t tokens) {
    return ND_JSON({"sentences", nd_json_number(sentences)}, {"tokens", nd_json_number(tokens)});
}

static json_object *page_object(const nd_explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    const nd_page_place *p = &page->place;
    json_object *object =
        ND_JSON({"name", nd_json_words(e->names[side])},
                {"whole", tally(page->own_sentences, page->own_tokens)},
                {"compared", tally(page->content.sentence_count, page->content.token_count)},
                {"dropped", tally(page->own_sentences - page->content.sentence_count,
                                  page->own_tokens - page->content.token_count)},
                {"links_may_return", nd_json_flag(links_may_return(e, side))},
                {"index_page", nd_json_flag((page->chosen.flags & ND_PAGE_INDEX) != 0)},
                {"thin", nd_json_flag((page->chosen.flags & ND_PAGE_THIN) != 0)});
    if (!page->placed) {
        return object;
    }
    json_object *place = nd_json_add_object(object, "result");
    ND_JSON_PUT(place, {"page", nd_json_number(p->page)},
                {"url", nd_json_text(nd_buffer_span(&page->url))},
                {"source", nd_json_words((const char *)page->source.data)},
                {"offset", nd_json_number(p->offset)}, {"set", nd_json_number(p->set)},
                {"set_pages", nd_json_number(p->set_pages)},
                {"representative", nd_json_number(p->representative)},
                {"similarity", real((double)p->similarity)}, {"link", nd_json_number(p->link)},
                {"link_similarity", real((double)p->link_similarity)},
                {"exact_of", nd_json_number(p->exact_of)});
    if (p->revisit_of != ND_NO_REVISIT) {
        ND_JSON_PUT(place, {"revisit_of", nd_json_number(p->revisit_of)});
    }
    ND_JSON_PUT(place, {"compared", nd_json_number(page->compared)},
                {"namesakes", nd_json_number(p->namesakes)});
    return object;
}

/* What the run found; null where files were given. */
static json_object *run_object(const nd_explanation *e) {
    const nd_run_finding *f = &e->finding;
    char reason[256];
    if (e->result == NULL) {
        return NULL;
    }
    json_object *object = ND_JSON({"one_set", nd_json_flag(f->one_set)});
    if (e->as_run) {
        ND_JSON_PUT(object, {"reason", nd_json_words(run_reason(e, reason, sizeof reason))});
    }
    json_object *links = nd_json_add_array(object, "links");
    for (uint64_t i = 0; i < f->step_count; i++) {
        const nd_link_step *s = &f->steps[i];
        ND_JSON_PUT(links,
                    {NULL, ND_JSON({"from", nd_json_number(s->from)}, {"to", nd_json_number(s->to)},
                                   {"similarity", real((double)s->similarity)})});
    }
    if (f->keeps_pairs) {
        ND_JSON_PUT(object, {"pair", nd_json_flag(f->pair_found)});
    }
    if (f->pair_found) {
        ND_JSON_PUT(object, {"pair_similarity", real((double)f->pair_similarity)});
    }
    for (int side = 0; side < 2; side++) {
        if (f->contained[side]) {
            ND_JSON_PUT(object,
                        {side == 0 ? "a_contained" : "b_contained", real((double)f->share[side])});
        }
    }
    json_object *leaders = nd_json_add_array(object, "representatives");
    for (int side = 0; side < 2 && e->leaders[side].asked; side++) {
        const nd_leader_answer *l = &e->leaders[side];
        ND_JSON_PUT(leaders, {NULL, ND_JSON({"of", nd_json_words(side == 0 ? "a" : "b")},
                                            {"representative", nd_json_number(l->representative)},
                                            {"similarity", real(l->similarity)},
                                            {"least", real(l->least)})});
    }
    return object;
}

static json_object *ratio(const nd_pair_ratio *r) {
    return ND_JSON({"value", real(r->value)}, {"common", nd_json_number(r->common)},
                   {"of", nd_json_number(r->of)});
}

static json_object *measures_object(const nd_explanation *e) {
    const nd_pair_measures *m = &e->measures;
    return !m->any
               ? NULL
               : ND_JSON({"shingle_tokens", nd_json_number(e->pair.shingle_tokens)},
                         {"resemblance", ratio(&m->resemblance)},
                         {"sketch_estimate",
                          ND_JSON({"value", real(m->estimate.resemblance)},
                                  {"low", real(m->estimate.low)}, {"high", real(m->estimate.high)},
                                  {"equal_minima", nd_json_number(m->equal_minima)},
                                  {"minima", nd_json_number(e->pair.minima)})},
                         {"supershingles_agree", nd_json_number(m->supershingles_agree)},
                         {"simhash_distance", nd_json_number(m->simhash_distance)},
                         {"charikar_agree", nd_json_number(m->charikar_agree)},
                         {"cosine", real(m->cosine)}, {"r", ratio(&m->r)},
                         {"trustable", real(m->trustable)}, {"jaccard", ratio(&m->jaccard)});
}

/* One of the array; the first is the one used. */
static json_object *method_object(const nd_compared_method *compared, bool used) {
    const nd_method_decision *v = &compared->decision;
    char text[256];
    json_object *object =
        ND_JSON({"method", nd_json_words(compared->method->name)}, {"used", nd_json_flag(used)},
                {"keys_a", nd_json_number(v->a_keys)}, {"keys_b", nd_json_number(v->b_keys)},
                {"shared", nd_json_number(v->shared_keys)});
    json_object *keys = nd_json_add_array(object, "shared_keys");
    for (size_t i = 0; i < v->shared_keys; i++) {
        (void)snprintf(text, sizeof text, "%016" PRIx64, v->shared[i]);
        ND_JSON_PUT(keys, {NULL, nd_json_words(text)});
    }
    ND_JSON_PUT(object, {"meet", nd_json_flag(v->shared_keys > 0)},
                {"same_site", nd_json_flag(v->same_site)},
                {"may_be_same_site", nd_json_flag(v->may_be_same_site)},
                {"similarity", real(v->similarity)}, {"threshold", real(v->threshold)},
                {"rule", nd_json_words(threshold_reason(compared, text, sizeof text))});
    if (v->off.asks_names) {
        ND_JSON_PUT(object, {"names", nd_json_number(v->off.repeats)},
                    {"names_discount", real(v->off.names)});
    }
    if (v->off.rewritten > 0) {
        ND_JSON_PUT(object, {"rewritten_discount", real(v->off.rewritten)});
    }
    return ND_JSON_PUT(object, {"similar", nd_json_flag(v->similar)});
}

static void explanation_json(const nd_explanation *e) {
    const nd_alignment_tally *t = &e->tally;
    json_object *root =
        ND_JSON({"content", nd_json_words(e->as_run ? "as in the run" : "by the page alone")},
                {"site_templates", nd_json_words(e->as_run ? "known" : "not known")},
                {"a", page_object(e, 0)}, {"b", page_object(e, 1)}, {"run", run_object(e)},
                {"measures", measures_object(e)});
    json_object *methods = nd_json_add_array(root, "methods");
    for (size_t i = 0; i < e->method_count; i++) {
        ND_JSON_PUT(methods, {NULL, method_object(&e->methods[i], i == 0)});
    }
    json_object *sentences = nd_json_add_object(root, "sentences");
    ND_JSON_PUT(sentences, {"shared", tally(t->shared.sentences, t->shared.tokens)},
                {"only_a", tally(t->only[0].sentences, t->only[0].tokens)},
                {"only_b", tally(t->only[1].sentences, t->only[1].tokens)},
                {"row_count", nd_json_number(e->row_count)});
    json_object *rows = nd_json_add_array(sentences, "rows");
    for (size_t i = 0; i < e->row_count && (e->lines == 0 || i < e->lines); i++) {
        const bool of_a = e->rows[i].a != ND_NO_SENTENCE, of_b = e->rows[i].b != ND_NO_SENTENCE;
        const nd_shown_page *page = &e->pages[of_a ? 0 : 1];
        const uint32_t sentence = of_a ? e->rows[i].a : e->rows[i].b;
        json_object *row = nd_json_add_object(rows, NULL);
        ND_JSON_PUT(row, {"in", nd_json_words(of_a && of_b ? "both" : of_a ? "A" : "B")});
        if (e->rows[i].dropped) {
            ND_JSON_PUT(row, {"dropped", nd_json_words(nd_drop_reason(page, sentence))});
        }
        ND_JSON_PUT(row, {"text", nd_json_text(nd_shown_sentence(page, sentence))});
    }
    nd_json_print(stdout, &root);
}

/* ==== the command */

static const uint64_t DEFAULT_LINES = 40;

typedef struct request {
    nd_job_options job;   /* the run's, or the default's, as changed by options */
    nd_pair_options pair; /* of the measures that no run has */
    uint64_t lines;
    bool json;
    bool own_threshold, own_shingle_tokens; /* these were given */
} request;

static request asked;

/* A method other than the run's brings its own options. */
static nd_status set_method(void *options, const char *text) {
    nd_job_options *job = &((request *)options)->job;
    const nd_method *method = nd_method_find(text);
    if (method == NULL) {
        return nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", text);
    }
    if (method == job->method) {
        return ND_OK;
    }
    job->method = method;
    return nd_method_own_options(method, &job->method_options);
}

#define AT(field) offsetof(request, field)

/* What the result's parameters say comes before these. */
static const nd_option options[] = {
    {"method", "NAME", ND_OPTION_OWN, 0, .help = "compare by this method (the run's; lcs)",
     .turn = 1, .set = set_method},
    {"threshold", "T", ND_OPTION_REAL, AT(job.method_options.threshold),
     .help = "similar from this score on (the run's; the method's)", .given = AT(own_threshold)},
    {"shingle-tokens", "K", ND_OPTION_COUNT, AT(pair.shingle_tokens),
     .help = "tokens in a shingle, for resemblance, sketch and supershingles (5, 5 and 8)",
     .given = AT(own_shingle_tokens)},
    {"minima", "P", ND_OPTION_COUNT, AT(pair.minima),
     .help = "minima in the sketch that estimates the resemblance"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(job.content.navigation),
     .help = "drop navigation before comparing, or keep it (as the run did)"},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(job.content.links),
     .help = "drop blocks that are mostly links, or keep them (as the run did)"},
    {"lines", "N", ND_OPTION_NUMBER, AT(lines),
     .help = "most sentences shown, many alike in a row are cut short; 0: all"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "print text, or one JSON object"},
    {0},
};

static nd_status allow(const nd_option *option, const char *text) {
    const bool threshold = strcmp(option->name, "threshold") == 0;
    return !threshold || nd_method_uses(asked.job.method,
                                        nd_option_find(nd_method_option_table, "threshold"))
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--threshold %s: the method %s does not use it", text,
                         asked.job.method->name);
}

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.pair = ND_PAIR_DEFAULTS, .lines = DEFAULT_LINES};
    nd_partition_defaults(&asked.job);
    sets[0] = (nd_command_table){.table = options, .options = &asked, .allow = allow};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table, .options = &asked.job.reader};
}

/* The pages that two names mean: of one name twice, its first two. */
static nd_status read_pages(nd_explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    nd_named_pages named[2];
    const bool twins = strcmp(e->names[0], e->names[1]) == 0;
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_page_name_find(run->result, e->names[side], &named[side]));
        if (!twins) {
            ND_TRY(nd_page_name_warn(run->result, e->names[side], &named[side]));
        } else if (named[side].count == 1) {
            st = nd_fail(ND_ERR_USAGE, "%s: only one page has the %s %s: name two pages",
                         run->result->path, named[side].as, e->names[side]);
            goto out;
        }
        ND_TRY(
            nd_shown_page_read_compared(&e->pages[side], run, named[side].pages[twins ? side : 0]));
        e->pages[side].place.namesakes = named[side].count;
    }
out:
    return st;
}

/* Two files are hashed with a seed of their bytes, as a run over both. */
static nd_status read_files(nd_explanation *e) {
    nd_status st = ND_OK;
    nd_buffer scratch = {0};
    uint64_t seed = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t number = 0;
        ND_TRY(nd_input_number(e->names[side], &scratch, &number));
        seed += number;
    }
    e->options.hash_seed = nd_input_seed(seed);
    ND_TRY(nd_shown_page_read_file(&e->pages[0], e->names[0], &e->options));
    ND_TRY(nd_shown_page_read_file(&e->pages[1], e->names[1], &e->options));
out:
    nd_buffer_free(&scratch);
    return st;
}

/* Options in their turns, those of the run between; then both pages.
 * \param[out] e  to be freed in any case */
static nd_status explain_pair(nd_command_call *call, nd_explanation *e) {
    nd_status st = ND_OK;
    nd_words words;
    char used[ND_PARAMETERS_SIZE], changed[ND_PARAMETERS_SIZE];
    nd_result result = {.file = H5I_INVALID_HID};
    nd_shown_run run = {.result = NULL};
    ND_TRY(nd_command_line_read(call, 2, &words));
    if (words.count != 2 && words.count != 3) {
        st = nd_fail(ND_ERR_USAGE, "needs OUT.h5 PAGE_A PAGE_B, or FILE_A FILE_B, got %zu words",
                     words.count);
        goto out;
    }
    e->names[0] = words.words[words.count - 2];
    e->names[1] = words.words[words.count - 1];
    run.options = asked.job;
    if (words.count == 3) {
        e->result = words.words[0];
        ND_TRY(nd_result_open(&result, e->result));
        ND_TRY(nd_shown_run_know(&run, &result));
        asked.job = run.options;
    }
    nd_print_parameters(&asked.job, used, sizeof used);
    ND_TRY(nd_command_line_read(call, 1, NULL));
    asked.pair.seed = asked.job.method_options.seed;
    ND_TRY(nd_command_line_read(call, 0, NULL));
    if (asked.own_threshold) {
        ND_TRY(nd_method_derive(asked.job.method, &asked.job.method_options));
    }
    if (asked.own_shingle_tokens) {
        asked.pair.supershingle_tokens = asked.pair.shingle_tokens;
    }
    e->options = run.options = asked.job;
    e->pair = asked.pair;
    e->lines = asked.lines;
    if (words.count == 3) {
        ND_TRY(nd_shown_run_begin(&run));
        nd_print_parameters(&asked.job, changed, sizeof changed);
        e->as_run =
            strcmp(used, changed) == 0 && (run.knows_sites || asked.job.content.sample == 0);
        ND_TRY(read_pages(e, &run));
    } else {
        ND_TRY(read_files(e));
    }
    ND_TRY(explain_pages(e));
    if (words.count == 3) {
        ND_TRY(explain_run(e, &run));
    }
    if (asked.json) {
        explanation_json(e);
    } else {
        explanation_text(e);
    }
out:
    nd_shown_run_close(&run);
    (void)nd_result_close(&result);
    return st;
}

static nd_status explain(nd_command_call *call) {
    nd_explanation e = {0};
    const nd_status st = explain_pair(call, &e);
    explanation_free(&e);
    return st;
}

const nd_command nd_command_explain = {
    .name = "explain",
    .summary = "why two pages are, or are not, similar: by every measure and method",
    .usage = "[options] OUT.h5 PAGE_A PAGE_B\n[options] FILE_A FILE_B",
    .about = "Compares two pages by every measure and every method, sentence by sentence. In a "
             "result, a page is named by number, id or URL, in this order; page:N, id:ID and "
             "url:URL say which. The same name twice means the first two pages with that name. "
             "Pages are read again from the inputs and compared with the run's options and site "
             "templates, so the answer is the run's decision. Other options show what those would "
             "decide. Files are HTML or text by their content, and are compared by the page alone.",
    .examples = "neardup explain out.h5 http://a.example/1 http://b.example/1\n"
                "neardup explain old.html new.html --method simhash\n"
                "neardup explain out.h5 id-1 id-2 --format json --lines 0",
    .open = open_options,
    .run = explain,
};
