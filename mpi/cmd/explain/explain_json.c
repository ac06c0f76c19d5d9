/* An explanation as one JSON object. */
#include "io/input/utf8_repair.h"
#include "mpi/cmd/explain/explanation.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

static void add(json_object *to, const char *name, json_object *value) {
    (void)json_object_object_add(to, name, value);
}

static void add_number(json_object *to, const char *name, uint64_t number) {
    add(to, name, json_object_new_uint64(number));
}

static void add_real(json_object *to, const char *name, double number) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", number);
    add(to, name, json_object_new_double_s(number, text));
}

/* JSON is UTF-8: bytes that are not are repaired. */
static json_object *text_of(nd_span bytes) {
    nd_buffer repaired = {0};
    uint64_t replaced = 0;
    json_object *text = NULL;
    if (nd_utf8_repair(bytes, &repaired, &replaced) == ND_OK) {
        text = json_object_new_string_len((const char *)repaired.data, (int)repaired.size);
    }
    nd_buffer_free(&repaired);
    return text;
}

static void add_words(json_object *to, const char *name, const char *words) {
    size_t size = 0;
    while (words[size] != '\0') {
        size++;
    }
    add(to, name, text_of((nd_span){(const uint8_t *)words, size}));
}

/* ---- pages */

static json_object *place_of(const nd_explained_page *page) {
    const nd_page_place *p = &page->place;
    json_object *place = json_object_new_object();
    add_number(place, "page", p->page);
    add(place, "url", text_of(nd_buffer_span(&page->url)));
    add_words(place, "source", (const char *)page->source.data);
    add_number(place, "offset", p->offset);
    add_number(place, "set", p->set);
    add_number(place, "set_pages", p->set_pages);
    add_number(place, "representative", p->representative);
    add_real(place, "similarity", (double)p->similarity);
    add_number(place, "link", p->link);
    add_real(place, "link_similarity", (double)p->link_similarity);
    add_number(place, "exact_of", p->exact_of);
    add_number(place, "namesakes", p->namesakes);
    return place;
}

static void add_tally(json_object *to, const char *name, const nd_sentence_tally *tally) {
    json_object *counts = json_object_new_object();
    add_number(counts, "sentences", tally->sentences);
    add_number(counts, "tokens", tally->tokens);
    add(to, name, counts);
}

static json_object *page_of(const nd_explanation *e, int side) {
    const nd_explained_page *page = &e->pages[side];
    json_object *object = json_object_new_object();
    add_words(object, "name", e->names[side]);
    add_tally(object, "whole",
              &(nd_sentence_tally){page->whole.sentence_count, page->whole.token_count});
    add_tally(object, "compared",
              &(nd_sentence_tally){page->content.sentence_count, page->content.token_count});
    add_tally(object, "dropped", &e->tally.dropped[side]);
    add(object, "links_may_return", json_object_new_boolean(nd_links_may_return(e, side)));
    if (page->placed) {
        add(object, "result", place_of(page));
    }
    return object;
}

/* ---- measures and methods */

static void add_ratio(json_object *to, const char *name, const nd_pair_ratio *ratio) {
    json_object *object = json_object_new_object();
    add_real(object, "value", ratio->value);
    add_number(object, "common", ratio->common);
    add_number(object, "of", ratio->of);
    add(to, name, object);
}

static json_object *measures_of(const nd_explanation *e) {
    const nd_pair_measures *m = &e->measures;
    json_object *object = json_object_new_object();
    json_object *estimate = json_object_new_object();
    add_number(object, "shingle_tokens", e->pair.shingle_tokens);
    add_ratio(object, "resemblance", &m->resemblance);
    add_real(estimate, "value", m->estimate.resemblance);
    add_real(estimate, "low", m->estimate.low);
    add_real(estimate, "high", m->estimate.high);
    add_number(estimate, "equal_minima", m->equal_minima);
    add_number(estimate, "minima", e->pair.minima);
    add(object, "sketch_estimate", estimate);
    add_number(object, "supershingles_agree", m->supershingles_agree);
    add_number(object, "simhash_distance", m->simhash_distance);
    add_number(object, "charikar_agree", m->charikar_agree);
    add_real(object, "cosine", m->cosine);
    add_ratio(object, "r", &m->r);
    add_ratio(object, "runs", &m->runs);
    add_real(object, "trustable", m->trustable);
    add_ratio(object, "jaccard", &m->jaccard);
    return object;
}

static json_object *method_of(const nd_compared_method *compared, bool used) {
    const nd_method_decision *v = &compared->decision;
    json_object *object = json_object_new_object();
    json_object *keys = json_object_new_array();
    char text[256];
    add_words(object, "method", compared->method->name);
    add(object, "used", json_object_new_boolean(used));
    add_number(object, "keys_a", v->a_keys);
    add_number(object, "keys_b", v->b_keys);
    for (size_t i = 0; i < v->shared_keys; i++) {
        (void)snprintf(text, sizeof text, "%016" PRIx64, v->shared[i]);
        (void)json_object_array_add(keys, json_object_new_string(text));
    }
    add_number(object, "shared", v->shared_keys);
    add(object, "shared_keys", keys);
    add(object, "meet", json_object_new_boolean(v->shared_keys > 0));
    add(object, "same_site", json_object_new_boolean(v->same_site));
    add_real(object, "similarity", v->similarity);
    add_real(object, "threshold", v->threshold);
    add_words(object, "rule", nd_threshold_reason(compared, text, sizeof text));
    add(object, "similar", json_object_new_boolean(v->similar));
    return object;
}

static json_object *methods_of(const nd_explanation *e) {
    json_object *methods = json_object_new_array();
    for (size_t i = 0; i < e->method_count; i++) {
        (void)json_object_array_add(methods, method_of(&e->methods[i], i == 0));
    }
    return methods;
}

/* ---- sentences */

static json_object *row_of(const nd_explanation *e, const nd_aligned_sentence *row) {
    const bool of_a = row->a != ND_NO_SENTENCE, of_b = row->b != ND_NO_SENTENCE;
    const nd_explained_page *page = &e->pages[of_a ? 0 : 1];
    const uint32_t sentence = of_a ? row->a : row->b;
    json_object *object = json_object_new_object();
    add_words(object, "in", of_a && of_b ? "both" : of_a ? "A" : "B");
    if (row->dropped) {
        add_words(object, "dropped", nd_drop_reason(page, sentence));
    }
    add(object, "text", text_of(nd_explained_sentence(page, sentence)));
    return object;
}

static json_object *sentences_of(const nd_explanation *e) {
    json_object *object = json_object_new_object();
    json_object *rows = json_object_new_array();
    add_tally(object, "shared", &e->tally.shared);
    add_tally(object, "only_a", &e->tally.only[0]);
    add_tally(object, "only_b", &e->tally.only[1]);
    add_number(object, "row_count", e->row_count);
    for (size_t i = 0; i < e->row_count && (e->lines == 0 || i < e->lines); i++) {
        (void)json_object_array_add(rows, row_of(e, &e->rows[i]));
    }
    add(object, "rows", rows);
    return object;
}

nd_status nd_explanation_json(const nd_explanation *e) {
    json_object *object = json_object_new_object();
    add_words(object, "content", "by the page alone");
    add(object, "site_templates", json_object_new_string("not known"));
    add(object, "a", page_of(e, 0));
    add(object, "b", page_of(e, 1));
    add(object, "measures", e->measures.any ? measures_of(e) : NULL);
    add(object, "methods", methods_of(e));
    add(object, "sentences", sentences_of(e));
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    const nd_status st =
        text != NULL ? ND_OK : nd_fail(ND_ERR_MEMORY, "out of memory: the explanation as JSON");
    if (st == ND_OK) {
        nd_print_words(stdout, ND_PRINTABLE_JSON, text);
        (void)puts("");
    }
    (void)json_object_put(object);
    return st;
}
