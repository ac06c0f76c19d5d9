#include "tests/support/blocking.h"
#include "tests/support/in_memory.h"
#include "tests/support/method_use.h"

#include "src/method/method.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>

typedef struct postings {
    nd_key_value *records;
    size_t count, capacity;
} postings;

static nd_status sign(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                      const nd_method_options *options, postings *p) {
    nd_status st = ND_OK;
    uint64_t *keys = NULL;
    nd_new(&keys, nd_method_find("lcs")->sizes(options, 0).keys, sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        const nd_document document = nd_test_document(&corpus->pages, pages[i]);
        const size_t key_count = nd_test_sign(nd_method_find("lcs"), options, &document, keys);
        nd_grow(&p->records, &p->capacity, p->count + key_count, sizeof *p->records);
        for (size_t k = 0; k < key_count; k++) {
            p->records[p->count++] =
                (nd_key_value){keys[k], nd_posting_value(pages[i], document.token_count)};
        }
    }
    ND_TRY(nd_radix_sort(p->records, p->count));
out:
    free(keys);
    return st;
}

static uint32_t text_at(const nd_corpus *corpus, const nd_key_value *posting) {
    return corpus->text_of[nd_posting_page(posting->value)];
}

typedef struct pair_list {
    nd_key_value *records; /* the pair is the key */
    size_t count, capacity;
} pair_list;

static void pair_group(const nd_corpus *corpus, const nd_key_value *group, uint64_t count,
                       nd_blocking *b, pair_list *list) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t end = nd_group_partner_end(ND_GROUP_ALL_PAIRS, count, count, i);
        nd_grow(&list->records, &list->capacity, list->count + end - i, sizeof *list->records);
        for (uint64_t k = i + 1; k < end; k++) {
            const uint64_t pair =
                nd_text_pair(text_at(corpus, &group[i]), text_at(corpus, &group[k]));
            list->records[list->count++] = (nd_key_value){pair, 0};
        }
        (void)nd_union_find_join(b->key_parent, text_at(corpus, group), text_at(corpus, &group[i]));
    }
    b->candidates = list->count;
}

/* Groups of sorted postings; a page that got a key twice is in its group once. */
static void pair_groups(const nd_corpus *corpus, postings *p, nd_blocking *b, pair_list *list) {
    size_t end = 0;
    for (size_t begin = 0; begin < p->count; begin = end) {
        uint64_t kept = 1;
        for (end = begin + 1; end < p->count && p->records[end].key == p->records[begin].key;
             end++) {
            if (p->records[end].value != p->records[begin + kept - 1].value) {
                p->records[begin + kept++] = p->records[end];
            }
        }
        pair_group(corpus, p->records + begin, kept, b, list);
    }
}

static nd_status keep_distinct(pair_list *list, nd_blocking *b) {
    nd_status st = ND_OK;
    ND_TRY(nd_radix_sort(list->records, list->count));
    nd_new(&b->pairs, list->count, sizeof *b->pairs);
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || list->records[i].key != list->records[i - 1].key) {
            b->pairs[b->pair_count++] = list->records[i].key;
        }
    }
out:
    return st;
}

static void fill_histograms(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                            nd_histogram **histograms) {
    nd_new(histograms, corpus->text_count, sizeof **histograms);
    for (size_t i = 0; i < count; i++) {
        const nd_document document = nd_test_document(&corpus->pages, pages[i]);
        nd_histogram_fill(document.tokens, document.token_count,
                          &(*histograms)[corpus->text_of[pages[i]]]);
    }
}

static void bound_pairs(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                        const nd_method_options *options, nd_blocking *b) {
    nd_histogram *histograms = NULL;
    fill_histograms(corpus, pages, count, &histograms);
    nd_new(&b->within_bounds, b->pair_count, sizeof *b->within_bounds);
    for (size_t i = 0; i < b->pair_count; i++) {
        const nd_histogram *x = &histograms[b->pairs[i] >> 32];
        const nd_histogram *y = &histograms[(uint32_t)b->pairs[i]];
        if (nd_method_find("lcs")->length_bound(options, x->tokens, y->tokens) >=
                options->threshold &&
            nd_method_find("lcs")->bound(options, x, y) >= options->threshold) {
            b->within_bounds[b->within_count++] = b->pairs[i];
        }
    }
    free(histograms);
}

nd_status nd_blocking_run(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                          const nd_method_options *options, nd_blocking *blocking) {
    nd_status st = ND_OK;
    postings p = {0};
    pair_list list = {0};
    *blocking = (nd_blocking){0};
    nd_new(&blocking->key_parent, corpus->text_count, sizeof *blocking->key_parent);
    nd_union_find_init(blocking->key_parent, corpus->text_count);
    ND_TRY(sign(corpus, pages, count, options, &p));
    pair_groups(corpus, &p, blocking, &list);
    ND_TRY(keep_distinct(&list, blocking));
    bound_pairs(corpus, pages, count, options, blocking);
out:
    free(p.records);
    free(list.records);
    if (st != ND_OK) {
        nd_blocking_free(blocking);
    }
    return st;
}

void nd_blocking_free(nd_blocking *blocking) {
    free(blocking->pairs);
    free(blocking->within_bounds);
    free(blocking->key_parent);
    *blocking = (nd_blocking){0};
}
