/* neardup explain : why two pages are, or are not, similar, by every measure. */
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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    nd_job_options job;   /* the run's, or the default's, as changed by options */
    nd_pair_options pair; /* of the measures that no run has */
    uint64_t lines;       /* of sentences to print at most; 0: all */
    bool json;
    bool own_threshold, own_shingle_tokens; /* these were given */
} request;

static request asked;

/* ==== All that there is to say of two pages, as one value. */

enum { METHODS = 16 };

typedef struct compared_method {
    const nd_method *method;
    nd_method_options options;
    nd_method_decision decision;
} compared_method;

typedef struct tally {
    uint64_t sentences, tokens;
} tally;

/* Two pages, one of which is the other's /pages/link. */
typedef struct link_step {
    uint64_t from, to;
    float similarity;
} link_step;

/* How a page compares with the representative of the other's set. */
typedef struct leader_answer {
    bool asked;
    uint64_t representative;
    double similarity;
    double least; /* of a member of the set: the threshold less the guard */
} leader_answer;

/* All zero is a valid start; the pages and all arrays are owned. */
typedef struct explanation {
    const char *names[2];    /* as the user gave them; borrowed */
    const nd_result *result; /* NULL: files were given. Borrowed */
    nd_shown_page pages[2];
    bool as_run; /* contents are chosen and compared as in the run, with all that it knew */

    /* what the run found: nothing is compared for it */
    bool one_set;
    link_step *steps; /* from the first page to the second, where they share a set */
    uint64_t step_count;
    bool pair_found;       /* it kept them as a pair, as far as it kept pairs */
    float pair_similarity; /* of it */
    bool contained[2];     /* the first page in the second, the second in the first */
    float share[2];        /* of it that is */

    leader_answer leaders[2]; /* where the run kept similar pages apart */
    nd_pair_measures measures;
    compared_method methods[METHODS]; /* the one used first, then the others */
    size_t method_count;
    nd_aligned_sentence *rows;
    size_t row_count;
    tally tallies[4]; /* by kind_of() of what is not dropped */
} explanation;

/* ---- what the run found */

/* The way of a page to its representative, link by link. */
typedef struct way {
    link_step *steps;
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
            st = nd_result_damaged(
                result, "/pages/link: the links of page %" PRIu64 " lead to no representative",
                page);
            goto out;
        }
        nd_grow(&w->steps, &w->capacity, w->count + 1, sizeof *w->steps);
        w->steps[w->count++] = (link_step){rows.begin, rows.link[0], rows.link_similarity[0]};
        ND_TRY(nd_page_rows_read(result, rows.link[0], 1, &rows));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* Both ways without what they have in common: from the first page up, and down to the second. */
static void join_ways(way *up, way *down, explanation *e) {
    while (up->count > 0 && down->count > 0 &&
           up->steps[up->count - 1].from == down->steps[down->count - 1].from) {
        up->count--;
        down->count--;
    }
    nd_grow(&up->steps, &up->capacity, up->count + down->count, sizeof *up->steps);
    while (down->count > 0) {
        const link_step *step = &down->steps[--down->count];
        up->steps[up->count++] = (link_step){step->to, step->from, step->similarity};
    }
    e->steps = up->steps;
    e->step_count = up->count;
    up->steps = NULL;
}

/* Which of the two is contained in the other, as far as the run found it: of copies in a collection
 * the first page stands for all. */
static nd_status find_contained(explanation *e) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t stands[2];
    for (int side = 0; side < 2; side++) {
        const uint64_t page = e->pages[side].place.page;
        ND_TRY(nd_page_rows_read(e->result, page, 1, &rows));
        const uint64_t first = rows.exact_of[0];
        const uint16_t collection = rows.collection[0];
        ND_TRY(nd_page_rows_read(e->result, first, 1, &rows));
        stands[side] = rows.collection[0] == collection ? first : page;
    }
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_pair_find(e->result, &nd_contained_columns, stands[side], stands[1 - side],
                            &e->contained[side], &e->share[side]));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

static nd_status read_finding(explanation *e) {
    nd_status st = ND_OK;
    way ways[2] = {{0}, {0}};
    const uint64_t compared[2] = {e->pages[0].compared, e->pages[1].compared};
    ND_TRY(read_way(e->result, e->pages[0].place.page, &ways[0]));
    ND_TRY(read_way(e->result, e->pages[1].place.page, &ways[1]));
    e->one_set = ways[0].set == ways[1].set;
    if (e->one_set) {
        join_ways(&ways[0], &ways[1], e);
    }
    if (e->result->shape.has_pairs) {
        ND_TRY(nd_pair_find(e->result, &nd_verified_columns, nd_min(compared[0], compared[1]),
                            nd_max(compared[0], compared[1]), &e->pair_found, &e->pair_similarity));
    }
    ND_TRY(e->result->shape.has_contained ? find_contained(e) : ND_OK);
out:
    free(ways[0].steps);
    free(ways[1].steps);
    return st;
}

/* ---- what is found again */

enum { ONLY_A = 1, ONLY_B = 2, BOTH = 3, DROPPED = 4 };

static int kind_of(const nd_aligned_sentence *row) {
    return (row->a != ND_NO_SENTENCE ? ONLY_A : 0) + (row->b != ND_NO_SENTENCE ? ONLY_B : 0) +
           (row->dropped ? DROPPED : 0);
}

/* A sentence of a row, and the page that has it: the first, if both have one. */
static uint32_t sentence_of(const explanation *e, const nd_aligned_sentence *row,
                            const nd_shown_page **page) {
    const bool of_a = row->a != ND_NO_SENTENCE;
    *page = &e->pages[of_a ? 0 : 1];
    return of_a ? row->a : row->b;
}

static bool any_is_index(const nd_shown_page *a, const nd_shown_page *b) {
    return ((a->chosen.flags | b->chosen.flags) & ND_PAGE_INDEX) != 0;
}

/* Compare the pages once they are read, by everything. */
static nd_status explain_pages(explanation *e) {
    nd_status st = ND_OK;
    const nd_method *method = asked.job.method;
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    ND_TRY(nd_pair_measure(&asked.pair, &a->content, &b->content, &e->measures));

    /* the method that is used, then all others by what each has by default */
    for (size_t i = 0; method != NULL && e->method_count < METHODS; method = nd_method_row(i++)) {
        if (e->method_count > 0 && method == asked.job.method) {
            continue;
        }
        compared_method *compared = &e->methods[e->method_count++];
        *compared = (compared_method){.method = method, .options = asked.job.method_options};
        if (method != asked.job.method) {
            ND_TRY(nd_method_own_options(method, &compared->options));
        }
        nd_method_decide(method, &compared->options, &a->content, &b->content, any_is_index(a, b),
                         &compared->decision);
    }

    nd_sentences_align(&a->whole, a->chosen.keep, &b->whole, b->chosen.keep, &e->rows,
                       &e->row_count);
    for (size_t i = 0; i < e->row_count; i++) {
        const nd_shown_page *page = NULL;
        const uint32_t sentence = sentence_of(e, &e->rows[i], &page);
        if (!e->rows[i].dropped) {
            tally *t = &e->tallies[kind_of(&e->rows[i])];
            t->sentences++;
            t->tokens += page->whole.sentences[sentence].token_count;
        }
    }
out:
    return st;
}

/* Is this page compared at all, by the rules of the method that is used? */
static bool is_compared(const explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    return nd_page_is_compared(&asked.job, page->content.token_count, page->chosen.flags);
}

/* Either page with the representative of the other's set. */
static nd_status ask_leader(explanation *e, int side, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_method_options *o = &asked.job.method_options;
    const nd_shown_page *page = &e->pages[side];
    nd_shown_page leader = {0};
    nd_method_decision decision = {0};
    leader_answer *answer = &e->leaders[side];
    answer->representative = e->pages[1 - side].place.representative;
    ND_TRY(nd_shown_page_read_number(&leader, run, answer->representative));
    nd_method_decide(asked.job.method, o, &page->content, &leader.content,
                     any_is_index(page, &leader), &decision);
    answer->asked = true;
    answer->similarity = decision.score;
    answer->least = nd_method_leader_threshold(
                        o, nd_method_relation(page->content.origin, leader.content.origin)) -
                    asked.job.slack;
out:
    nd_method_decision_free(&decision);
    nd_shown_page_free(&leader);
    return st;
}

/* Read what the run found of them, once they are compared. */
static nd_status explain_run(explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_method_decision *used = &e->methods[0].decision;
    ND_TRY(read_finding(e));
    const bool forms = e->pages[0].place.form && e->pages[1].place.form;
    const bool cut = e->as_run && !forms && !e->one_set && used->similar && used->shared_keys > 0 &&
                     is_compared(e, 0) && is_compared(e, 1);
    for (int side = 0; side < 2 && cut; side++) {
        ND_TRY(ask_leader(e, side, run));
    }
out:
    return st;
}

/* Would the set of the other page take this one? */
static bool is_similar_to_leader(const explanation *e, int side) {
    return e->leaders[side].asked && e->leaders[side].similarity >= e->leaders[side].least;
}

/* Are they less similar than what is asked of short pages of two sites if many pages have their
 * keys? How many have them a result does not say. */
static bool asks_more_of_common(const explanation *e) {
    const nd_document *a = &e->pages[0].content, *b = &e->pages[1].content;
    const uint32_t pair = nd_pair_of_keys(&asked.job, nd_method_relation(a->origin, b->origin),
                                          nd_max(a->token_count, b->token_count), true);
    return (pair & ND_PAIR_COMMON) != 0 &&
           e->methods[0].decision.similarity < nd_method_threshold(&e->methods[0].options, pair);
}

/* A clause, in a text that is used up by the next one. */
static const char *clause(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *clause(const char *format, ...) {
    static char text[256];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return text;
}

/* Why the run put the pages together, or did not, as a clause. Of what it compared as it did. */
static const char *run_reason(const explanation *e) {
    const nd_shown_page *a = &e->pages[0], *b = &e->pages[1];
    const nd_method_decision *used = &e->methods[0].decision;
    const bool keeps_pairs = e->result->shape.has_pairs;
    float weakest = 1;
    for (uint64_t i = 0; i < e->step_count; i++) {
        weakest = e->steps[i].similarity < weakest ? e->steps[i].similarity : weakest;
    }
    if (a->place.exact_of == b->place.exact_of) {
        return "their texts are equal";
    }
    if (e->one_set && a->compared == b->compared) {
        return "what is compared of them is equal";
    }
    if (e->one_set && e->step_count == 1) {
        return clause("one joined by its link to the other, of similarity %.4f", (double)weakest);
    }
    if (e->one_set) {
        return clause("a chain of %" PRIu64
                      " links joins them, the weakest of similarity %.4f, and "
                      "each is similar enough to the representative",
                      e->step_count, (double)weakest);
    }
    for (int side = 0; side < 2; side++) {
        if (!is_compared(e, side)) {
            return clause("%s is thin, %" PRIu32
                          " tokens of its own: it shares a set with pages of "
                          "the same text alone",
                          side == 0 ? "A" : "B", e->pages[side].content.token_count);
        }
    }
    if (used->similarity < used->threshold) {
        return clause("they are not similar: %.4f, and %.4f is asked for", used->similarity,
                      used->threshold);
    }
    if (used->shared_keys == 0) {
        return "they are similar, but share no key, and so did not meet";
    }
    if (keeps_pairs && !e->pair_found) {
        return "they are similar, but were not compared: too many pages share their keys "
               "(--group-pairs)";
    }
    if (asks_more_of_common(e)) {
        return clause("they are similar, but short pages of two sites, and of such %g is asked "
                      "for if more than %d pages share each of their keys (--site-extra)",
                      nd_method_threshold(&e->methods[0].options, ND_PAIR_COMMON),
                      ND_GROUP_NEIGHBOURS);
    }
    if (a->place.form && b->place.form) {
        return "they are similar, but forms filled with other data: of a set of many texts "
               "of one site hardly any two were all but the same (--record-pages)";
    }
    if (asked.job.min_confidence > 0) {
        return clause("they are similar, but a set keeps pages that are similar to its "
                      "representative and belong with a probability of %g or more "
                      "(--min-confidence)",
                      asked.job.min_confidence);
    }
    if (is_similar_to_leader(e, 0) && is_similar_to_leader(e, 1)) {
        return clause("they are similar, and so is each to the other's representative: %s",
                      keeps_pairs
                          ? "they hang together with it over pages alone that are not"
                          : "they were not compared, too many pages sharing their keys "
                            "(--group-pairs), or hang together with it over pages alone that are "
                            "not; with --pairs keep a result says which");
    }
    return clause("they are similar, but a set takes pages that are similar to its "
                  "representative, at the threshold less %g (--slack)",
                  asked.job.slack);
}

/* ---- what both forms of output say */

/* Why the threshold is what it is, as a clause. */
static const char *threshold_reason(const compared_method *compared) {
    const nd_method_options *o = &compared->options;
    const nd_method_decision *d = &compared->decision;
    switch (d->rule) {
    case ND_RULE_SITE:
        return o->site_extra > 0
                   ? clause("%s: %g + %g (--site-extra)",
                            d->same_site ? "both are of one site" : "they may be of one site",
                            o->threshold, o->site_extra)
                   : clause("the threshold of %s for pages of one site", compared->method->name);
    case ND_RULE_SUBJECT:
        return clause("their addresses name different things: %g + %g (%s, --site-extra)",
                      o->threshold, d->threshold - o->threshold,
                      d->same_site ? "three times, of one site" : "once, of two sites");
    case ND_RULE_PAGINATION:
        return "an index page and a page of its site show parts of one list (--index-pages)";
    default:
        return "the threshold of all pages; no rule raises it";
    }
}

/* Whether a run gives this page some of its links back, which ones only the site shows. */
static bool links_may_return(const explanation *e, int side) {
    const nd_content_choice *content = &asked.job.content;
    return !e->as_run && content->sample > 0 && content->links &&
           e->pages[side].content.token_count < content->link_tokens &&
           e->pages[side].own_sentences > e->pages[side].content.sentence_count;
}

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

static void print_page(const explanation *e, int side) {
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
                     asked.job.content.link_tokens);
    }
}

/* ---- the run */

static void print_run(const explanation *e) {
    nd_print_line(stdout, "%s: %s", e->result->path,
                  e->one_set ? "both pages are in one set" : "the pages are in different sets");
    if (e->as_run) {
        (void)printf("   %s\n", run_reason(e));
    }
    for (uint64_t i = 0; i < e->step_count && i < STEPS_SHOWN; i++) {
        (void)printf("   page %" PRIu64 " and page %" PRIu64 ": a link of similarity %.4f\n",
                     e->steps[i].from, e->steps[i].to, (double)e->steps[i].similarity);
    }
    if (e->step_count > STEPS_SHOWN) {
        (void)printf("   ... and %" PRIu64 " links more\n", e->step_count - STEPS_SHOWN);
    }
    for (int side = 0; side < 2; side++) {
        const leader_answer *leader = &e->leaders[side];
        if (leader->asked) {
            (void)printf("   %c and page %" PRIu64 ", the representative of %c's set: similarity "
                         "%.4f, of a member at least %.4f\n",
                         side_name[side], leader->representative, side_name[1 - side],
                         leader->similarity, leader->least);
        }
    }
    if (e->pair_found) {
        (void)printf("   the run kept them as a pair of similarity %.4f\n",
                     (double)e->pair_similarity);
    }
    for (int side = 0; side < 2; side++) {
        if (e->contained[side]) {
            (void)printf("   %c is contained in %c: %.4f of its tokens\n", side_name[side],
                         side_name[1 - side], (double)e->share[side]);
        }
    }
}

/* ---- measures */

static void print_ratio(const char *name, const nd_pair_ratio *ratio, const char *what) {
    (void)printf("  %-16s %.4f  %" PRIu64 " / %" PRIu64 " %s\n", name, ratio->value, ratio->common,
                 ratio->of, what);
}

static void print_measures(const explanation *e) {
    const nd_pair_measures *m = &e->measures;
    const uint32_t least = nd_trustable_defaults.least_tokens;
    char what[64];
    (void)printf("measures\n");
    if (!m->any) {
        (void)printf("  none: a page without tokens is similar to no page\n");
        return;
    }
    (void)snprintf(what, sizeof what, "distinct shingles of %u tokens", asked.pair.shingle_tokens);
    print_ratio("resemblance", &m->resemblance, what);
    (void)printf("  %-16s %.4f  in [%.4f, %.4f] with 95 %% confidence: %" PRIu64
                 " of %u minima are equal\n",
                 "sketch estimate", m->estimate.resemblance, m->estimate.low, m->estimate.high,
                 m->equal_minima, asked.pair.minima);
    (void)printf("  %-16s %6u  of %d agree (%d minima each, shingles of %u tokens)\n",
                 "supershingles", m->supershingles_agree, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA,
                 asked.pair.supershingle_tokens);
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

static void print_methods(const explanation *e) {
    const compared_method *used = &e->methods[0];
    const nd_method_decision *v = &used->decision;
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
                 !is_compared(e, 0) || !is_compared(e, 1) ? "a thin page is compared with no other"
                 : v->similar && v->shared_keys > 0       ? "they meet and are similar"
                 : v->similar                             ? "they are similar, but would not meet"
                 : v->shared_keys > 0                     ? "they meet, but are not similar"
                                      : "they would not meet, and are not similar");
    (void)printf("  similarity %.4f %s %.4f, %s\n", v->similarity,
                 v->similarity >= v->threshold ? ">=" : "<", v->threshold, threshold_reason(used));
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
                 asked.job.group_pairs, ND_GROUP_NEIGHBOURS);
}

/* ---- sentences */

static void print_row(const explanation *e, const nd_aligned_sentence *row) {
    static const char *const kinds[] = {[ONLY_A] = "only A", [ONLY_B] = "only B", [BOTH] = "both"};
    const nd_shown_page *page = NULL;
    const uint32_t sentence = sentence_of(e, row, &page);
    const nd_span text = nd_shown_sentence(page, sentence);
    const nd_span shown = nd_utf8_cut(text, SHOWN_BYTES);
    (void)printf("  %-6s %-11s ", kinds[kind_of(row) % DROPPED],
                 row->dropped ? nd_drop_reason(page, sentence) : "");
    nd_print_text(stdout, ND_PRINTABLE_MESSAGE, shown);
    (void)puts(shown.size < text.size ? " ..." : "");
}

static void print_sentences(const explanation *e) {
    const tally *t = e->tallies;
    const uint64_t most = asked.lines > 0 ? asked.lines : UINT64_MAX;
    uint64_t printed = 0;
    size_t i = 0;
    (void)printf("\nsentences    shared, in one order: %" PRIu64 " (%" PRIu64
                 " tokens); only A: %" PRIu64 " (%" PRIu64 "); only B: %" PRIu64 " (%" PRIu64 ")\n",
                 t[BOTH].sentences, t[BOTH].tokens, t[ONLY_A].sentences, t[ONLY_A].tokens,
                 t[ONLY_B].sentences, t[ONLY_B].tokens);
    while (i < e->row_count && printed < most) {
        size_t end = i + 1; /* of the rows of one kind */
        while (end < e->row_count && kind_of(&e->rows[end]) == kind_of(&e->rows[i])) {
            end++;
        }
        const size_t length = end - i;
        const size_t shown = asked.lines > 0 && length >= RUN_LEAST ? RUN_SHOWN : length;
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
static void explanation_text(const explanation *e) {
    print_page(e, 0);
    print_page(e, 1);
    if (e->result != NULL) {
        print_run(e);
    }
    (void)printf("content %s\n\n", e->as_run ? "as in the run"
                                   : e->pages[0].placed
                                       ? "by these options, or without what the run knew of "
                                         "their sites: its decision may be another"
                                   : asked.job.content.sample > 0
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

static json_object *counts(tally t) {
    return ND_JSON({"sentences", nd_json_number(t.sentences)},
                   {"tokens", nd_json_number(t.tokens)});
}

static json_object *page_object(const explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    const nd_page_place *p = &page->place;
    json_object *object = ND_JSON(
        {"name", nd_json_words(e->names[side])},
        {"whole", counts((tally){page->own_sentences, page->own_tokens})},
        {"compared", counts((tally){page->content.sentence_count, page->content.token_count})},
        {"dropped", counts((tally){page->own_sentences - page->content.sentence_count,
                                   page->own_tokens - page->content.token_count})},
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
static json_object *run_object(const explanation *e) {
    if (e->result == NULL) {
        return NULL;
    }
    json_object *object = ND_JSON({"one_set", nd_json_flag(e->one_set)});
    if (e->as_run) {
        ND_JSON_PUT(object, {"reason", nd_json_words(run_reason(e))});
    }
    json_object *links = nd_json_add_array(object, "links");
    for (uint64_t i = 0; i < e->step_count; i++) {
        const link_step *s = &e->steps[i];
        ND_JSON_PUT(links,
                    {NULL, ND_JSON({"from", nd_json_number(s->from)}, {"to", nd_json_number(s->to)},
                                   {"similarity", real((double)s->similarity)})});
    }
    if (e->result->shape.has_pairs) {
        ND_JSON_PUT(object, {"pair", nd_json_flag(e->pair_found)});
    }
    if (e->pair_found) {
        ND_JSON_PUT(object, {"pair_similarity", real((double)e->pair_similarity)});
    }
    for (int side = 0; side < 2; side++) {
        if (e->contained[side]) {
            ND_JSON_PUT(object,
                        {side == 0 ? "a_contained" : "b_contained", real((double)e->share[side])});
        }
    }
    json_object *leaders = nd_json_add_array(object, "representatives");
    for (int side = 0; side < 2 && e->leaders[side].asked; side++) {
        const leader_answer *l = &e->leaders[side];
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

static json_object *measures_object(const explanation *e) {
    const nd_pair_measures *m = &e->measures;
    return !m->any
               ? NULL
               : ND_JSON({"shingle_tokens", nd_json_number(asked.pair.shingle_tokens)},
                         {"resemblance", ratio(&m->resemblance)},
                         {"sketch_estimate",
                          ND_JSON({"value", real(m->estimate.resemblance)},
                                  {"low", real(m->estimate.low)}, {"high", real(m->estimate.high)},
                                  {"equal_minima", nd_json_number(m->equal_minima)},
                                  {"minima", nd_json_number(asked.pair.minima)})},
                         {"supershingles_agree", nd_json_number(m->supershingles_agree)},
                         {"simhash_distance", nd_json_number(m->simhash_distance)},
                         {"charikar_agree", nd_json_number(m->charikar_agree)},
                         {"cosine", real(m->cosine)}, {"r", ratio(&m->r)},
                         {"trustable", real(m->trustable)}, {"jaccard", ratio(&m->jaccard)});
}

/* One of the array; the first is the one used. */
static json_object *method_object(const compared_method *compared, bool used) {
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
                {"rule", nd_json_words(threshold_reason(compared))});
    if (v->off.asks_names) {
        ND_JSON_PUT(object, {"names", nd_json_number(v->off.repeats)},
                    {"names_discount", real(v->off.names)});
    }
    if (v->off.rewritten > 0) {
        ND_JSON_PUT(object, {"rewritten_discount", real(v->off.rewritten)});
    }
    return ND_JSON_PUT(object, {"similar", nd_json_flag(v->similar)});
}

static void explanation_json(const explanation *e) {
    const tally *t = e->tallies;
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
    ND_JSON_PUT(sentences, {"shared", counts(t[BOTH])}, {"only_a", counts(t[ONLY_A])},
                {"only_b", counts(t[ONLY_B])}, {"row_count", nd_json_number(e->row_count)});
    json_object *rows = nd_json_add_array(sentences, "rows");
    for (size_t i = 0; i < e->row_count && (asked.lines == 0 || i < asked.lines); i++) {
        static const char *const in[] = {[ONLY_A] = "A", [ONLY_B] = "B", [BOTH] = "both"};
        const nd_shown_page *page = NULL;
        const uint32_t sentence = sentence_of(e, &e->rows[i], &page);
        json_object *row = nd_json_add_object(rows, NULL);
        ND_JSON_PUT(row, {"in", nd_json_words(in[kind_of(&e->rows[i]) % DROPPED])});
        if (e->rows[i].dropped) {
            ND_JSON_PUT(row, {"dropped", nd_json_words(nd_drop_reason(page, sentence))});
        }
        ND_JSON_PUT(row, {"text", nd_json_text(nd_shown_sentence(page, sentence))});
    }
    nd_json_print(stdout, &root);
}

/* ==== the command */

static const uint64_t DEFAULT_LINES = 40;

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
static nd_status read_pages(explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    nd_named_pages named[2];
    const bool twins = strcmp(e->names[0], e->names[1]) == 0;
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_page_name_find(run->result, e->names[side], &named[side]));
        if (!twins) {
            ND_TRY(nd_page_name_warn(run->result, e->names[side], &named[side]));
        } else if (named[side].count == 1) {
            return nd_fail(ND_ERR_USAGE, "%s: only one page has the %s %s: name two pages",
                           run->result->path, named[side].as, e->names[side]);
        }
        ND_TRY(
            nd_shown_page_read_compared(&e->pages[side], run, named[side].pages[twins ? side : 0]));
        e->pages[side].place.namesakes = named[side].count;
    }
out:
    return st;
}

/* Two files are hashed with a seed of their bytes, as a run over both. */
static nd_status read_files(explanation *e) {
    nd_status st = ND_OK;
    nd_buffer scratch = {0};
    uint64_t seed = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t number = 0;
        ND_TRY(nd_input_number(e->names[side], &scratch, &number));
        seed += number;
    }
    asked.job.hash_seed = nd_input_seed(seed);
    ND_TRY(nd_shown_page_read_file(&e->pages[0], e->names[0], &asked.job));
    ND_TRY(nd_shown_page_read_file(&e->pages[1], e->names[1], &asked.job));
out:
    nd_buffer_free(&scratch);
    return st;
}

/* Options in their turns, those of the run between; then both pages. */
static nd_status explain(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_words words;
    char used[ND_PARAMETERS_SIZE], changed[ND_PARAMETERS_SIZE];
    nd_result result = {.file = H5I_INVALID_HID};
    nd_shown_run run = {.result = NULL};
    explanation e = {.as_run = false};
    ND_TRY(nd_command_line_read(call, 2, &words));
    if (words.count != 2 && words.count != 3) {
        st = nd_fail(ND_ERR_USAGE, "needs OUT.h5 PAGE_A PAGE_B, or FILE_A FILE_B, got %zu words",
                     words.count);
        goto out;
    }
    e.names[0] = words.words[words.count - 2];
    e.names[1] = words.words[words.count - 1];
    run.options = asked.job;
    if (words.count == 3) {
        ND_TRY(nd_result_open(&result, words.words[0]));
        ND_TRY(nd_shown_run_know(&run, &result));
        e.result = &result;
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
    run.options = asked.job;
    if (e.result != NULL) {
        ND_TRY(nd_shown_run_begin(&run));
        nd_print_parameters(&asked.job, changed, sizeof changed);
        e.as_run = strcmp(used, changed) == 0;
    }
    ND_TRY(e.result != NULL ? read_pages(&e, &run) : read_files(&e));
    ND_TRY(explain_pages(&e));
    ND_TRY(e.result != NULL ? explain_run(&e, &run) : ND_OK);
    if (asked.json) {
        explanation_json(&e);
    } else {
        explanation_text(&e);
    }
out:
    for (size_t i = 0; i < e.method_count; i++) {
        nd_method_decision_free(&e.methods[i].decision);
    }
    nd_shown_page_free(&e.pages[0]);
    nd_shown_page_free(&e.pages[1]);
    free(e.steps);
    free(e.rows);
    nd_shown_run_close(&run);
    (void)nd_result_close(&result);
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
