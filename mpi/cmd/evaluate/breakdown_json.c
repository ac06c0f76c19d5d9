/* A breakdown as members of a JSON object. */
#include "mpi/cmd/evaluate/breakdown.h"
#include "mpi/cmd/json_fields.h"

static void add_pairs(json_object *to, const char *name, nd_pair_counts p) {
    json_object *object = nd_json_add_object(to, name);
    const nd_measure m = nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs);
    nd_json_add_number(object, "true_pairs", p.true_pairs);
    nd_json_add_number(object, "predicted_pairs", p.predicted_pairs);
    nd_json_add_number(object, "common_pairs", p.common_pairs);
    nd_json_add_number(object, "skipped_pairs", p.skipped_pairs);
    nd_json_add_share(object, "precision", m.precision);
    nd_json_add_share(object, "recall", m.recall);
    nd_json_add_share(object, "f1", m.f1);
}

static void add_sites(json_object *to, nd_pair_counts all, nd_pair_counts same_site) {
    add_pairs(to, "same_site", same_site);
    add_pairs(to, "different_sites", nd_pair_counts_without(all, same_site));
}

static nd_status add_classes(json_object *to, const nd_breakdown *b) {
    nd_status st = ND_OK;
    json_object *list = nd_json_add_array(to, "classes");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_class_agreement *c = &b->classes[i];
        json_object *row = nd_json_append_object(list);
        ND_TRY(nd_json_add_text(row, "class", c->name));
        nd_json_add_number(row, "pages", c->all.pages);
        nd_json_add_number(row, "mixed_pages", c->all.mixed_pages);
        nd_json_add_number(row, "partnered_pages", c->all.partnered_pages);
        nd_json_add_share(row, "page_recall", c->all.page_recall);
        add_pairs(row, "pairs", c->all.pairs);
        add_sites(row, c->all.pairs, c->same_site);
    }
out:
    return st;
}

/* The names under which pairs with a leader that agree are told, as a number and as a share. */
typedef struct names {
    const char *agreeing, *share;
} names;

static void add_leader_pairs(json_object *to, const names *n, nd_leader_pairs p) {
    nd_json_add_number(to, "pairs", p.pairs);
    nd_json_add_number(to, n->agreeing, p.agreeing);
    nd_json_add_share(to, n->share, p.pairs == 0 ? 1 : (double)p.agreeing / (double)p.pairs);
}

static void add_deciles(json_object *to, const char *name, const names *n,
                        const nd_leader_tally *tallies) {
    json_object *list = nd_json_add_array(to, name);
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        json_object *row = nd_json_append_object(list);
        nd_json_add_share(row, "from", i / 10.);
        nd_json_add_share(row, "to", i < 10 ? (i + 1) / 10. : 1);
        add_leader_pairs(row, n, t->all);
        add_leader_pairs(nd_json_add_object(row, "same_site"), n, t->same_site);
        add_leader_pairs(nd_json_add_object(row, "different_sites"), n,
                         nd_leader_tally_elsewhere(t));
    }
}

nd_status nd_breakdown_add_json(const nd_breakdown *b, json_object *to) {
    static const names precision = {"correct", "precision"};
    static const names recall = {"found", "recall"};
    nd_json_add_number(to, "pages_without_site", b->siteless);
    add_sites(to, b->pairs, b->same_site);
    if (!b->by_pairs) {
        add_deciles(to, "representative_deciles", &precision, b->representatives);
    }
    if (!b->by_class) {
        return ND_OK;
    }
    nd_json_add_number(to, "pages_without_class", b->classless);
    add_deciles(to, "original_deciles", &recall, b->originals);
    return add_classes(to, b);
}
