/* neardup explain : why two pages are, or are not, similar, by every measure. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/explain/explanation.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/job/job.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/compare/trustable.h"
#include "src/method/method.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (nd_links_may_return(e, side)) {
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
        (void)printf("   %s\n", nd_run_reason(e, reason, sizeof reason));
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
                 !nd_explained_is_compared(e, 0) || !nd_explained_is_compared(e, 1)
                     ? "a thin page is compared with no other"
                 : v->similar && v->shared_keys > 0 ? "they meet and are similar"
                 : v->similar                       ? "they are similar, but would not meet"
                 : v->shared_keys > 0               ? "they meet, but are not similar"
                                                    : "they would not meet, and are not similar");
    (void)printf("  similarity %.4f %s %.4f, %s\n", v->similarity,
                 v->similarity >= v->threshold ? ">=" : "<", v->threshold,
                 nd_threshold_reason(used, reason, sizeof reason));
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
    /* not longer than SHOWN_BYTES, and cut between characters */
    size_t shown = nd_min(text.size, SHOWN_BYTES);
    while (shown < text.size && shown > 0 && (text.data[shown] & 0xC0) == 0x80) {
        shown--;
    }
    (void)printf("  %-6s %-11s ",
                 !of_a                      ? "only B"
                 : row->b != ND_NO_SENTENCE ? "both"
                                            : "only A",
                 row->dropped ? nd_drop_reason(page, sentence) : "");
    nd_print_text(stdout, ND_PRINTABLE_MESSAGE, (nd_span){text.data, shown});
    (void)puts(shown < text.size ? " ..." : "");
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

void nd_explanation_text(const nd_explanation *e) {
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

static void add_real(json_object *to, const char *name, double number) {
    nd_json_add_real(to, name, number, 6);
}

static void add_tally(json_object *to, const char *name, uint64_t sentences, uint64_t tokens) {
    json_object *counts = nd_json_add_object(to, name);
    nd_json_add_number(counts, "sentences", sentences);
    nd_json_add_number(counts, "tokens", tokens);
}

static void add_page(json_object *to, const char *name, const nd_explanation *e, int side) {
    const nd_shown_page *page = &e->pages[side];
    const nd_page_place *p = &page->place;
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_words(object, "name", e->names[side]);
    add_tally(object, "whole", page->own_sentences, page->own_tokens);
    add_tally(object, "compared", page->content.sentence_count, page->content.token_count);
    add_tally(object, "dropped", page->own_sentences - page->content.sentence_count,
              page->own_tokens - page->content.token_count);
    nd_json_add_flag(object, "links_may_return", nd_links_may_return(e, side));
    nd_json_add_flag(object, "index_page", (page->chosen.flags & ND_PAGE_INDEX) != 0);
    nd_json_add_flag(object, "thin", (page->chosen.flags & ND_PAGE_THIN) != 0);
    if (!page->placed) {
        goto out;
    }
    json_object *place = nd_json_add_object(object, "result");
    nd_json_add_number(place, "page", p->page);
    nd_json_add_text(place, "url", nd_buffer_span(&page->url));
    nd_json_add_words(place, "source", (const char *)page->source.data);
    nd_json_add_number(place, "offset", p->offset);
    nd_json_add_number(place, "set", p->set);
    nd_json_add_number(place, "set_pages", p->set_pages);
    nd_json_add_number(place, "representative", p->representative);
    add_real(place, "similarity", (double)p->similarity);
    nd_json_add_number(place, "link", p->link);
    add_real(place, "link_similarity", (double)p->link_similarity);
    nd_json_add_number(place, "exact_of", p->exact_of);
    if (p->revisit_of != ND_NO_REVISIT) {
        nd_json_add_number(place, "revisit_of", p->revisit_of);
    }
    nd_json_add_number(place, "compared", page->compared);
    nd_json_add_number(place, "namesakes", p->namesakes);
out:
}

/* What the run found; null where files were given. */
static void add_run(json_object *to, const nd_explanation *e) {
    const nd_run_finding *f = &e->finding;
    char reason[256];
    if (e->result == NULL) {
        nd_json_add_null(to, "run");
        return;
    }
    json_object *object = nd_json_add_object(to, "run");
    nd_json_add_flag(object, "one_set", f->one_set);
    if (e->as_run) {
        nd_json_add_words(object, "reason", nd_run_reason(e, reason, sizeof reason));
    }
    json_object *links = nd_json_add_array(object, "links");
    for (uint64_t i = 0; i < f->step_count; i++) {
        json_object *step = nd_json_add_object(links, NULL);
        nd_json_add_number(step, "from", f->steps[i].from);
        nd_json_add_number(step, "to", f->steps[i].to);
        add_real(step, "similarity", (double)f->steps[i].similarity);
    }
    if (f->keeps_pairs) {
        nd_json_add_flag(object, "pair", f->pair_found);
    }
    if (f->pair_found) {
        add_real(object, "pair_similarity", (double)f->pair_similarity);
    }
    for (int side = 0; side < 2; side++) {
        if (f->contained[side]) {
            add_real(object, side == 0 ? "a_contained" : "b_contained", (double)f->share[side]);
        }
    }
    json_object *leaders = nd_json_add_array(object, "representatives");
    for (int side = 0; side < 2 && e->leaders[side].asked; side++) {
        json_object *leader = nd_json_add_object(leaders, NULL);
        nd_json_add_words(leader, "of", side == 0 ? "a" : "b");
        nd_json_add_number(leader, "representative", e->leaders[side].representative);
        add_real(leader, "similarity", e->leaders[side].similarity);
        add_real(leader, "least", e->leaders[side].least);
    }
}

static void add_ratio(json_object *to, const char *name, const nd_pair_ratio *ratio) {
    json_object *object = nd_json_add_object(to, name);
    add_real(object, "value", ratio->value);
    nd_json_add_number(object, "common", ratio->common);
    nd_json_add_number(object, "of", ratio->of);
}

static void add_measures(json_object *to, const nd_explanation *e) {
    const nd_pair_measures *m = &e->measures;
    if (!m->any) {
        nd_json_add_null(to, "measures");
        return;
    }
    json_object *object = nd_json_add_object(to, "measures");
    nd_json_add_number(object, "shingle_tokens", e->pair.shingle_tokens);
    add_ratio(object, "resemblance", &m->resemblance);
    json_object *estimate = nd_json_add_object(object, "sketch_estimate");
    add_real(estimate, "value", m->estimate.resemblance);
    add_real(estimate, "low", m->estimate.low);
    add_real(estimate, "high", m->estimate.high);
    nd_json_add_number(estimate, "equal_minima", m->equal_minima);
    nd_json_add_number(estimate, "minima", e->pair.minima);
    nd_json_add_number(object, "supershingles_agree", m->supershingles_agree);
    nd_json_add_number(object, "simhash_distance", m->simhash_distance);
    nd_json_add_number(object, "charikar_agree", m->charikar_agree);
    add_real(object, "cosine", m->cosine);
    add_ratio(object, "r", &m->r);
    add_real(object, "trustable", m->trustable);
    add_ratio(object, "jaccard", &m->jaccard);
}

/* One of the array; the first is the one used. */
static void add_method(json_object *to, const nd_compared_method *compared, bool used) {
    const nd_method_decision *v = &compared->decision;
    char text[256];
    json_object *object = nd_json_add_object(to, NULL);
    nd_json_add_words(object, "method", compared->method->name);
    nd_json_add_flag(object, "used", used);
    nd_json_add_number(object, "keys_a", v->a_keys);
    nd_json_add_number(object, "keys_b", v->b_keys);
    nd_json_add_number(object, "shared", v->shared_keys);
    json_object *keys = nd_json_add_array(object, "shared_keys");
    for (size_t i = 0; i < v->shared_keys; i++) {
        (void)snprintf(text, sizeof text, "%016" PRIx64, v->shared[i]);
        nd_json_add_words(keys, NULL, text);
    }
    nd_json_add_flag(object, "meet", v->shared_keys > 0);
    nd_json_add_flag(object, "same_site", v->same_site);
    nd_json_add_flag(object, "may_be_same_site", v->may_be_same_site);
    add_real(object, "similarity", v->similarity);
    add_real(object, "threshold", v->threshold);
    nd_json_add_words(object, "rule", nd_threshold_reason(compared, text, sizeof text));
    if (v->off.asks_names) {
        nd_json_add_number(object, "names", v->off.repeats);
        add_real(object, "names_discount", v->off.names);
    }
    if (v->off.rewritten > 0) {
        add_real(object, "rewritten_discount", v->off.rewritten);
    }
    nd_json_add_flag(object, "similar", v->similar);
}

void nd_explanation_json(const nd_explanation *e) {
    const nd_alignment_tally *t = &e->tally;
    json_object *root = nd_json_new();
    nd_json_add_words(root, "content", e->as_run ? "as in the run" : "by the page alone");
    nd_json_add_words(root, "site_templates", e->as_run ? "known" : "not known");
    add_page(root, "a", e, 0);
    add_page(root, "b", e, 1);
    add_run(root, e);
    add_measures(root, e);
    json_object *methods = nd_json_add_array(root, "methods");
    for (size_t i = 0; i < e->method_count; i++) {
        add_method(methods, &e->methods[i], i == 0);
    }
    json_object *sentences = nd_json_add_object(root, "sentences");
    add_tally(sentences, "shared", t->shared.sentences, t->shared.tokens);
    add_tally(sentences, "only_a", t->only[0].sentences, t->only[0].tokens);
    add_tally(sentences, "only_b", t->only[1].sentences, t->only[1].tokens);
    nd_json_add_number(sentences, "row_count", e->row_count);
    json_object *rows = nd_json_add_array(sentences, "rows");
    for (size_t i = 0; i < e->row_count && (e->lines == 0 || i < e->lines); i++) {
        const bool of_a = e->rows[i].a != ND_NO_SENTENCE, of_b = e->rows[i].b != ND_NO_SENTENCE;
        const nd_shown_page *page = &e->pages[of_a ? 0 : 1];
        const uint32_t sentence = of_a ? e->rows[i].a : e->rows[i].b;
        json_object *row = nd_json_add_object(rows, NULL);
        nd_json_add_words(row, "in", of_a && of_b ? "both" : of_a ? "A" : "B");
        if (e->rows[i].dropped) {
            nd_json_add_words(row, "dropped", nd_drop_reason(page, sentence));
        }
        nd_json_add_text(row, "text", nd_shown_sentence(page, sentence));
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
static nd_status explain_pair(int argc, char **argv, nd_explanation *e) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_words words;
    char used[ND_PARAMETERS_SIZE], changed[ND_PARAMETERS_SIZE];
    nd_result result = {.file = H5I_INVALID_HID};
    nd_shown_run run = {.result = NULL};
    open_options(sets);
    ND_TRY(nd_command_line_read(sets, argc, argv, 2, &words));
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
    ND_TRY(nd_command_line_read(sets, argc, argv, 1, NULL));
    asked.pair.seed = asked.job.method_options.seed;
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, NULL));
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
    ND_TRY(nd_explain_pages(e));
    if (words.count == 3) {
        ND_TRY(nd_explain_run(e, &run));
    }
    if (asked.json) {
        nd_explanation_json(e);
    } else {
        nd_explanation_text(e);
    }
    ND_TRY(nd_flush_stdout());
out:
    nd_shown_run_close(&run);
    (void)nd_result_close(&result);
    return st;
}

static int explain(int argc, char **argv) {
    nd_explanation e = {0};
    const nd_status st = explain_pair(argc, argv, &e);
    nd_explanation_free(&e);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_explain, st);
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
