#include "src/method/sentence_alignment.h"

#include "src/base/buffer.h"
#include "src/lcs/lcs_matches.h"

#include <stdlib.h>
#include <string.h>

/* A sentence on its way to a number. */
typedef struct occurrence {
    nd_md5 digest;
    bool dropped;
    size_t place; /* of a's, then b's */
} occurrence;

static int compare(const void *a, const void *b) {
    const occurrence *x = a;
    const occurrence *y = b;
    const int order = memcmp(&x->digest, &y->digest, sizeof x->digest);
    return order != 0 ? order : (int)x->dropped - (int)y->dropped;
}

/* Equal numbers for equal sentences that are both kept or both dropped.
 * \param[out] numbers  of a's sentences, then b's */
static void number(const nd_document *a, const bool *keep_a, const nd_document *b,
                   const bool *keep_b, uint32_t *numbers) {
    const size_t n = a->sentence_count;
    const size_t count = n + b->sentence_count;
    occurrence *all = NULL;
    nd_new(&all, count, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        const nd_sentence_digest *from = i < n ? &a->sentences[i] : &b->sentences[i - n];
        all[i] = (occurrence){from->digest, !(i < n ? keep_a[i] : keep_b[i - n]), i};
    }
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0, next = 0; i < count; i++) {
        next += i > 0 && compare(&all[i - 1], &all[i]) != 0;
        numbers[all[i].place] = (uint32_t)next;
    }
    free(all);
}

nd_status nd_sentences_align(const nd_document *a, const bool *keep_a, const nd_document *b,
                             const bool *keep_b, nd_aligned_sentence **rows, size_t *count) {
    nd_lcs_work work = {0};
    uint32_t *numbers = NULL;
    nd_lcs_match *matches = NULL;
    size_t match_count = 0;
    const uint32_t n = a->sentence_count, m = b->sentence_count;
    *rows = NULL;
    *count = 0;
    nd_new(&numbers, (size_t)n + m, sizeof *numbers);
    number(a, keep_a, b, keep_b, numbers);
    nd_lcs_matches(numbers, n, numbers + n, m, 0, &work, &matches, &match_count);
    nd_new(rows, (size_t)n + m, sizeof **rows);
    for (uint32_t i = 0, k = 0, match = 0; i < n || k < m;) {
        /* before each match what stands alone, first in a */
        const bool last = match == match_count;
        const bool alone_in_a = i < (last ? n : matches[match].a);
        const bool alone_in_b = !alone_in_a && k < (last ? m : matches[match].b);
        (*rows)[(*count)++] =
            (nd_aligned_sentence){alone_in_b ? ND_NO_SENTENCE : i, alone_in_a ? ND_NO_SENTENCE : k,
                                  !(alone_in_b ? keep_b[k] : keep_a[i])};
        match += !alone_in_a && !alone_in_b;
        i += !alone_in_b;
        k += !alone_in_a;
    }
    nd_lcs_work_free(&work);
    free(numbers);
    return ND_OK;
}
