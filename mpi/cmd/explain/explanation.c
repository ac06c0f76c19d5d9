#include "mpi/cmd/explain/explanation.h"

#include "mpi/job/page_content.h"
#include "src/method/methods.h"

#include <stdio.h>
#include <stdlib.h>

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
        ND_TRY(nd_method_decide(method, &compared->options, &a->content, &b->content,
                                ((a->chosen.flags | b->chosen.flags) & ND_PAGE_INDEX) != 0,
                                &compared->decision));
    }

    ND_TRY(nd_sentences_align(&a->whole, a->chosen.keep, &b->whole, b->chosen.keep, &e->rows,
                              &e->row_count));
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
    ND_TRY(nd_method_decide(o->method, &o->method_options, &page->content, &leader.content,
                            ((page->chosen.flags | leader.chosen.flags) & ND_PAGE_INDEX) != 0,
                            &decision));
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
