#include "mpi/cmd/explain/explanation.h"
#include "src/method/methods.h"

#include <stdio.h>
#include <stdlib.h>

static void count_sentence(nd_sentence_tally *tally, const nd_explained_page *page,
                           uint32_t sentence) {
    tally->sentences++;
    tally->tokens += page->whole.sentences[sentence].token_count;
}

nd_status nd_explain_pages(nd_explanation *e) {
    nd_status st = ND_OK;
    const nd_method *method = e->options.method;
    const nd_explained_page *a = &e->pages[0], *b = &e->pages[1];
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
                                &compared->decision));
    }

    ND_TRY(nd_sentences_align(&a->whole, &b->whole, nd_job_dropped_flags(&e->options.content),
                              &e->rows, &e->row_count));
    for (size_t i = 0; i < e->row_count; i++) {
        const nd_aligned_sentence *row = &e->rows[i];
        const uint32_t places[2] = {row->a, row->b};
        if (row->a != ND_NO_SENTENCE && row->b != ND_NO_SENTENCE && !row->dropped) {
            count_sentence(&e->tally.shared, a, row->a);
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (places[side] != ND_NO_SENTENCE) {
                count_sentence(row->dropped ? &e->tally.dropped[side] : &e->tally.only[side],
                               &e->pages[side], places[side]);
            }
        }
    }
out:
    return st;
}

/* ---- what both forms of output say */

nd_span nd_explained_sentence(const nd_explained_page *page, uint32_t sentence) {
    const nd_sentence *s = &page->maker.page.sentences[sentence];
    return (nd_span){page->maker.page.normalised.data + s->begin, s->end - s->begin};
}

const char *nd_drop_reason(const nd_explained_page *page, uint32_t sentence) {
    const uint32_t flags = page->whole.sentences[sentence].flags;
    return (flags & ND_SENTENCE_NAVIGATION) != 0 ? "navigation"
           : (flags & ND_SENTENCE_BESIDE) != 0   ? "beside"
                                                 : "links";
}

const char *nd_threshold_reason(const nd_compared_method *compared, char *text, size_t size) {
    const nd_method_options *o = &compared->options;
    switch (compared->decision.rule) {
    case ND_RULE_SHORT:
        (void)snprintf(text, size,
                       "the short-page rule: %g + %g, a page has fewer than %u tokens "
                       "(--short-tokens)",
                       o->threshold, o->short_extra, o->short_tokens);
        break;
    case ND_RULE_SITE_SHORT:
        (void)snprintf(text, size,
                       "the same-site rule: %g + %g, both are of one site and one has fewer than "
                       "%u tokens (--site-tokens)",
                       o->threshold, o->short_extra, o->site_tokens);
        break;
    case ND_RULE_NOTICE:
        (void)snprintf(text, size,
                       "the notice rule: %g + %g, they are of different sites and one has fewer "
                       "than %u tokens (--notice-tokens)",
                       o->threshold, o->notice_extra, o->notice_tokens);
        break;
    case ND_RULE_ONE_LIST:
        (void)snprintf(text, size,
                       "the index rule: %g, an index page and a page of its site show parts of one "
                       "list (--index-share, --index-shift)",
                       o->index_threshold);
        break;
    case ND_RULE_SITE:
        (void)snprintf(text, size, "the threshold of %s for pages of one site",
                       compared->method->name);
        break;
    default:
        (void)snprintf(text, size, "the threshold of all pages; no rule raises it");
        break;
    }
    return text;
}

bool nd_links_may_return(const nd_explanation *e, int side) {
    const nd_content_choice *content = &e->options.content;
    return content->sample > 0 && content->links &&
           e->pages[side].content.token_count < content->link_tokens &&
           e->tally.dropped[side].sentences > 0;
}

void nd_explanation_free(nd_explanation *e) {
    for (size_t i = 0; i < e->method_count; i++) {
        nd_method_decision_free(&e->methods[i].decision);
    }
    nd_explained_page_free(&e->pages[0]);
    nd_explained_page_free(&e->pages[1]);
    free(e->rows);
    *e = (nd_explanation){0};
}
