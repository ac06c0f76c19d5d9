#include "tests/support/recall.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"

#include <stdbool.h>
#include <stdlib.h>

/* True pairs of each text, and how many of them are there. */
typedef struct tally {
    uint32_t *all;
    uint32_t *found;
} tally;

static void tally_new(tally *t, size_t text_count) {
    nd_new(&t->all, text_count, sizeof *t->all);
    nd_new(&t->found, text_count, sizeof *t->found);
}

static void tally_free(tally *t) {
    free(t->all);
    free(t->found);
}

static void tally_add(tally *t, uint64_t pair, bool found, nd_recall *recall) {
    const uint32_t texts[] = {(uint32_t)(pair >> 32), (uint32_t)pair};
    for (int side = 0; side < 2; side++) {
        t->all[texts[side]]++;
        t->found[texts[side]] += found;
    }
    recall->found += found;
}

static void finish(const tally *t, size_t true_pairs, size_t text_count, nd_recall *recall) {
    double sum = 0;
    uint64_t texts = 0;
    for (size_t i = 0; i < text_count; i++) {
        if (t->all[i] > 0) {
            sum += (double)t->found[i] / t->all[i];
            texts++;
        }
    }
    recall->of_pairs = true_pairs == 0 ? 1 : (double)recall->found / (double)true_pairs;
    recall->per_text = texts == 0 ? 1 : sum / (double)texts;
}

void nd_recall_of_pairs(nd_pair_set truth, nd_pair_set there, size_t text_count,
                        nd_recall *recall) {
    tally t = {0};
    size_t k = 0;
    *recall = (nd_recall){0};
    tally_new(&t, text_count);
    for (size_t i = 0; i < truth.count; i++) {
        while (k < there.count && there.pairs[k] < truth.pairs[i]) {
            k++;
        }
        tally_add(&t, truth.pairs[i], k < there.count && there.pairs[k] == truth.pairs[i], recall);
    }
    finish(&t, truth.count, text_count, recall);
    recall->strange = there.count - recall->found;
    tally_free(&t);
}

static nd_status count_pairs_inside(const uint64_t *set_of, size_t text_count, uint64_t *inside) {
    nd_status st = ND_OK;
    nd_key_value *by_set = NULL;
    size_t begin = 0;
    nd_new(&by_set, text_count, sizeof *by_set);
    for (size_t i = 0; i < text_count; i++) {
        by_set[i] = (nd_key_value){set_of[i], i};
    }
    ND_TRY(nd_radix_sort(by_set, text_count));
    for (size_t i = 0; i < text_count; i++) {
        begin = by_set[i].key == by_set[begin].key ? begin : i;
        *inside += i - begin;
    }
out:
    free(by_set);
    return st;
}

nd_status nd_recall_of_sets(nd_pair_set truth, const uint64_t *set_of, size_t text_count,
                            nd_recall *recall) {
    nd_status st = ND_OK;
    tally t = {0};
    uint64_t inside = 0;
    *recall = (nd_recall){0};
    tally_new(&t, text_count);
    ND_TRY(count_pairs_inside(set_of, text_count, &inside));
    for (size_t i = 0; i < truth.count; i++) {
        const uint64_t pair = truth.pairs[i];
        tally_add(&t, pair, set_of[pair >> 32] == set_of[(uint32_t)pair], recall);
    }
    finish(&t, truth.count, text_count, recall);
    recall->strange = inside - recall->found;
out:
    tally_free(&t);
    return st;
}

void nd_pairs_in_both(nd_pair_set a, nd_pair_set b, uint64_t **both, size_t *count) {
    nd_new(both, a.count < b.count ? a.count : b.count, sizeof **both);
    size_t i = 0;
    size_t k = 0;
    *count = 0;
    while (i < a.count && k < b.count) {
        const uint64_t x = a.pairs[i];
        const uint64_t y = b.pairs[k];
        if (x == y) {
            (*both)[(*count)++] = x;
        }
        i += x <= y;
        k += y <= x;
    }
}

nd_status nd_pairs_missing(nd_pair_set a, nd_pair_set b, uint64_t **missing, size_t *count) {
    nd_new(missing, a.count, sizeof **missing);
    size_t k = 0;
    *count = 0;
    for (size_t i = 0; i < a.count; i++) {
        while (k < b.count && b.pairs[k] < a.pairs[i]) {
            k++;
        }
        if (k == b.count || b.pairs[k] != a.pairs[i]) {
            (*missing)[(*count)++] = a.pairs[i];
        }
    }
    return ND_OK;
}

void nd_join_pairs(nd_pair_set pairs, uint64_t *parent) {
    for (size_t i = 0; i < pairs.count; i++) {
        (void)nd_union_find_join(parent, pairs.pairs[i] >> 32, (uint32_t)pairs.pairs[i]);
    }
}

void nd_largest_set(uint64_t *parent, const uint32_t *copies, size_t text_count, uint64_t *pages) {
    uint64_t *size = NULL;
    nd_new(&size, text_count, sizeof *size);
    *pages = 0;
    for (size_t i = 0; i < text_count; i++) {
        uint64_t *of_root = &size[nd_union_find_root(parent, i)];
        *of_root += copies[i];
        *pages = *pages > *of_root ? *pages : *of_root;
    }
    free(size);
}
