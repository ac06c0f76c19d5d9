/* An explanation for people. */
#include "mpi/cmd/explain/explanation.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/compare/trustable.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"

#include <inttypes.h>
#include <stdio.h>

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
