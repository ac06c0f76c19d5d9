/* An explanation as one JSON object. */
#include "mpi/cmd/explain/explanation.h"
#include "mpi/cmd/json_fields.h"

#include <inttypes.h>
#include <stdio.h>

static void add_real(json_object *to, const char *name, double number) {
    nd_json_add_real(to, name, number, 6);
}

static void add_tally(json_object *to, const char *name, uint64_t sentences, uint64_t tokens) {
    json_object *counts = nd_json_add_object(to, name);
    nd_json_add_number(counts, "sentences", sentences);
    nd_json_add_number(counts, "tokens", tokens);
}

static nd_status add_page(json_object *to, const char *name, const nd_explanation *e, int side) {
    nd_status st = ND_OK;
    const nd_shown_page *page = &e->pages[side];
    const nd_page_place *p = &page->place;
    json_object *object = nd_json_add_object(to, name);
    ND_TRY(nd_json_add_words(object, "name", e->names[side]));
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
    ND_TRY(nd_json_add_text(place, "url", nd_buffer_span(&page->url)));
    ND_TRY(nd_json_add_words(place, "source", (const char *)page->source.data));
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
    return st;
}

/* What the run found; null where files were given. */
static nd_status add_run(json_object *to, const nd_explanation *e) {
    nd_status st = ND_OK;
    const nd_run_finding *f = &e->finding;
    char reason[256];
    if (e->result == NULL) {
        nd_json_add_null(to, "run");
        return ND_OK;
    }
    json_object *object = nd_json_add_object(to, "run");
    nd_json_add_flag(object, "one_set", f->one_set);
    if (e->as_run) {
        ND_TRY(nd_json_add_words(object, "reason", nd_run_reason(e, reason, sizeof reason)));
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
        ND_TRY(nd_json_add_words(leader, "of", side == 0 ? "a" : "b"));
        nd_json_add_number(leader, "representative", e->leaders[side].representative);
        add_real(leader, "similarity", e->leaders[side].similarity);
        add_real(leader, "least", e->leaders[side].least);
    }
out:
    return st;
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
static nd_status add_method(json_object *to, const nd_compared_method *compared, bool used) {
    nd_status st = ND_OK;
    const nd_method_decision *v = &compared->decision;
    char text[256];
    json_object *object = nd_json_add_object(to, NULL);
    ND_TRY(nd_json_add_words(object, "method", compared->method->name));
    nd_json_add_flag(object, "used", used);
    nd_json_add_number(object, "keys_a", v->a_keys);
    nd_json_add_number(object, "keys_b", v->b_keys);
    nd_json_add_number(object, "shared", v->shared_keys);
    json_object *keys = nd_json_add_array(object, "shared_keys");
    for (size_t i = 0; i < v->shared_keys; i++) {
        (void)snprintf(text, sizeof text, "%016" PRIx64, v->shared[i]);
        ND_TRY(nd_json_add_words(keys, NULL, text));
    }
    nd_json_add_flag(object, "meet", v->shared_keys > 0);
    nd_json_add_flag(object, "same_site", v->same_site);
    nd_json_add_flag(object, "may_be_same_site", v->may_be_same_site);
    add_real(object, "similarity", v->similarity);
    add_real(object, "threshold", v->threshold);
    ND_TRY(nd_json_add_words(object, "rule", nd_threshold_reason(compared, text, sizeof text)));
    if (v->off.asks_names) {
        nd_json_add_number(object, "names", v->off.repeats);
        add_real(object, "names_discount", v->off.names);
    }
    if (v->off.rewritten > 0) {
        add_real(object, "rewritten_discount", v->off.rewritten);
    }
    nd_json_add_flag(object, "similar", v->similar);
out:
    return st;
}

nd_status nd_explanation_json(const nd_explanation *e) {
    nd_status st = ND_OK;
    const nd_alignment_tally *t = &e->tally;
    json_object *root = json_object_new_object();
    ND_TRY(nd_json_add_words(root, "content", e->as_run ? "as in the run" : "by the page alone"));
    ND_TRY(nd_json_add_words(root, "site_templates", e->as_run ? "known" : "not known"));
    ND_TRY(add_page(root, "a", e, 0));
    ND_TRY(add_page(root, "b", e, 1));
    ND_TRY(add_run(root, e));
    add_measures(root, e);
    json_object *methods = nd_json_add_array(root, "methods");
    for (size_t i = 0; i < e->method_count; i++) {
        ND_TRY(add_method(methods, &e->methods[i], i == 0));
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
        ND_TRY(nd_json_add_words(row, "in", of_a && of_b ? "both" : of_a ? "A" : "B"));
        if (e->rows[i].dropped) {
            ND_TRY(nd_json_add_words(row, "dropped", nd_drop_reason(page, sentence)));
        }
        ND_TRY(nd_json_add_text(row, "text", nd_shown_sentence(page, sentence)));
    }
    ND_TRY(nd_json_print(stdout, root));
out:
    (void)json_object_put(root);
    return st;
}
