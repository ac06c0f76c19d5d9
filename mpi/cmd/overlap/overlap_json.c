#include "mpi/cmd/overlap/overlap_json.h"

#include "mpi/cmd/json_fields.h"
#include "src/measure/collections.h"

#include <math.h>

enum { DIGITS = 9 };

static void add_real(json_object *to, const char *name, double value) {
    if (isfinite(value)) {
        nd_json_add_real(to, name, value, DIGITS);
    } else {
        nd_json_add_null(to, name);
    }
}

static void add_list(json_object *to, const char *name, const uint64_t *numbers, size_t count) {
    json_object *list = nd_json_add_array(to, name);
    for (size_t i = 0; i < count; i++) {
        nd_json_add_number(list, NULL, numbers[i]);
    }
}

static void add_matrix(json_object *to, const char *name, const uint64_t *cells, size_t count) {
    json_object *rows = nd_json_add_array(to, name);
    for (size_t x = 0; x < count; x++) {
        add_list(rows, NULL, cells + x * count, count);
    }
}

static void add_counts(json_object *to, const char *name, const nd_overlap_counts *c) {
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_number(object, "all", c->all);
    add_matrix(object, "both", c->things, c->collections);
    add_matrix(object, "pages_in", c->pages_in, c->collections);
    add_list(object, "pages", c->pages, c->collections);
    add_list(object, "alone", c->alone, c->collections);
    add_list(object, "in_exactly", c->in_exactly, c->collections + 1);
    if (c->collections <= ND_VENN_MOST) {
        add_list(object, "venn", c->venn, (size_t)1 << c->collections);
    }
}

static void add_captures(json_object *to, const nd_overlap_counts *c) {
    json_object *list = nd_json_add_array(to, "capture_recapture");
    for (size_t x = 0; x < c->collections; x++) {
        for (size_t y = x + 1; y < c->collections; y++) {
            const uint64_t both = nd_overlap_both(c, x, y);
            const nd_capture n =
                nd_capture_recapture(nd_overlap_both(c, x, x), nd_overlap_both(c, y, y), both);
            json_object *row = nd_json_add_object(list, NULL);
            nd_json_add_number(row, "a", x);
            nd_json_add_number(row, "b", y);
            nd_json_add_number(row, "both", both);
            add_real(row, "lincoln_petersen", n.known ? n.lincoln_petersen : (double)NAN);
            add_real(row, "chapman", n.known ? n.chapman : (double)NAN);
            add_real(row, "lower", n.known ? n.lower : (double)NAN);
            add_real(row, "upper", n.known ? n.upper : (double)NAN);
        }
    }
}

static void add_estimate(json_object *to, const char *name, const nd_estimate *estimate) {
    json_object *object = nd_json_add_object(to, name);
    add_real(object, "estimate", estimate->mean);
    add_real(object, "lower", estimate->lower);
    add_real(object, "upper", estimate->upper);
}

static void add_sizes(json_object *to, const char *name, const nd_size_estimates *e) {
    static const char *const forms[ND_SIZE_FORMS] = {"least_squares", "logarithms"};
    const nd_drawn_pages *c = &e->of;
    json_object *object = nd_json_add_object(to, name);
    add_list(object, "asked", c->asked, c->collections);
    add_matrix(object, "found", c->found, c->collections);
    json_object *groups = nd_json_add_array(object, "group");
    for (size_t x = 0; x < c->collections; x++) {
        nd_json_add_number(groups, NULL, c->group[x]);
    }
    nd_json_add_number(object, "groups", c->groups);
    nd_json_add_number(object, "resamples_apart", e->apart);
    json_object *ratios = nd_json_add_array(object, "ratios");
    for (size_t x = 0; x < c->collections; x++) {
        for (size_t y = x + 1; y < c->collections; y++) {
            nd_estimate ratio = {(double)NAN, (double)NAN, (double)NAN};
            json_object *row = nd_json_add_object(ratios, NULL);
            (void)nd_size_ratio(c, x, y, &ratio);
            nd_json_add_number(row, "a", x);
            nd_json_add_number(row, "b", y);
            add_estimate(row, "ratio", &ratio);
        }
    }
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        json_object *list = nd_json_add_array(object, forms[form]);
        for (size_t x = 0; x < c->collections; x++) {
            json_object *row = nd_json_add_object(list, NULL);
            add_estimate(row, "size", &e->by[form][x].size);
            add_estimate(row, "share", &e->by[form][x].share);
        }
    }
}

static void add_queries(json_object *to, const nd_overlap_findings *f) {
    const nd_strong_queries *q = &f->queries;
    json_object *object = nd_json_add_object(to, "strong_queries");
    nd_json_add_number(object, "words", ND_QUERY_WORDS);
    add_list(object, "too_few_words", q->poor, q->collections);
    json_object *list = nd_json_add_array(object, "pairs");
    for (size_t x = 0; x < q->collections; x++) {
        for (size_t y = 0; y < q->collections; y++) {
            const nd_query_tally *t = &q->tally[x * q->collections + y];
            if (x != y) {
                json_object *row = nd_json_add_object(list, NULL);
                nd_json_add_number(row, "of", x);
                nd_json_add_number(row, "in", y);
                nd_json_add_number(row, "asked", q->tally[x * q->collections + x].has);
                nd_json_add_number(row, "has", t->has);
                nd_json_add_number(row, "found", t->found);
                nd_json_add_number(row, "only_others", t->other);
            }
        }
    }
    add_sizes(object, "own_set_answers", &f->own_sizes);
    add_sizes(object, "any_page_answers", &f->any_sizes);
}

nd_status nd_overlap_json_print(const nd_overlap_findings *findings) {
    nd_status st = ND_OK;
    const nd_overlap_findings *f = findings;
    json_object *root = json_object_new_object();
    ND_TRY(nd_json_add_words(root, "result", f->result->path));
    json_object *names = nd_json_add_array(root, "collections");
    for (size_t x = 0; x < f->chosen.count; x++) {
        ND_TRY(nd_json_add_text(names, NULL, nd_chosen_name(&f->chosen, x)));
    }
    nd_json_add_number(root, "fixed", f->fixed);
    nd_json_add_number(root, "without_url", f->without_url);
    add_counts(root, "urls", &f->counts[ND_THING_URL]);
    add_counts(root, "texts", &f->counts[ND_THING_TEXT]);
    add_counts(root, "sets", &f->counts[ND_THING_SET]);
    add_captures(root, &f->counts[ND_THING_SET]);
    if (f->wish->sample > 0) {
        json_object *samples = nd_json_add_object(root, "samples");
        nd_json_add_number(samples, "wanted", f->wish->sample);
        nd_json_add_number(samples, "resamples", f->wish->resamples);
        nd_json_add_number(samples, "seed", f->wish->seed);
        add_sizes(samples, "by_set", &f->set_sizes);
        add_sizes(samples, "by_page", &f->page_sizes);
    }
    if (f->wish->queries > 0) {
        add_queries(root, f);
    }
    ND_TRY(nd_json_print(stdout, root));
out:
    (void)json_object_put(root);
    return st;
}
