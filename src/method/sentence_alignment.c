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

static int compare(const occurrence *x, const occurrence *y) {
    const int order = memcmp(&x->digest, &y->digest, sizeof x->digest);
    return order != 0 ? order : (int)x->dropped - (int)y->dropped;
}

static int compare_occurrences(const void *x, const void *y) {
    return compare(x, y);
}

static bool is_dropped(const nd_sentence_digest *sentence, uint32_t dropped_flags) {
    return (sentence->flags & dropped_flags) != 0;
}

/* Equal numbers for equal sentences that are both kept or both dropped.
 * \param[out] numbers  of a's sentences, then b's */
static nd_status number(const nd_document *a, const nd_document *b, uint32_t dropped_flags,
                        uint32_t *numbers) {
    const size_t n = a->sentence_count;
    const size_t count = n + b->sentence_count;
    occurrence *all = NULL;
    const nd_status st = nd_new(&all, count, sizeof *all);
    for (size_t i = 0; st == ND_OK && i < count; i++) {
        const nd_sentence_digest *from = i < n ? &a->sentences[i] : &b->sentences[i - n];
        all[i] = (occurrence){from->digest, is_dropped(from, dropped_flags), i};
    }
    if (st == ND_OK) {
        qsort(all, count, sizeof *all, compare_occurrences);
    }
    for (size_t i = 0, next = 0; st == ND_OK && i < count; i++) {
        next += i > 0 && compare(&all[i - 1], &all[i]) != 0;
        numbers[all[i].place] = (uint32_t)next;
    }
    free(all);
    return st;
}

/* The rows from the matches: before each what stands alone, then the match. */
static size_t lay_out(const nd_document *a, const nd_document *b, uint32_t dropped_flags,
                      const nd_lcs_match *matches, size_t match_count, nd_aligned_sentence *rows) {
    size_t count = 0;
    uint32_t i = 0, k = 0;
    for (size_t match = 0; match <= match_count; match++) {
        const bool last = match == match_count;
        const uint32_t to_a = last ? a->sentence_count : matches[match].a;
        const uint32_t to_b = last ? b->sentence_count : matches[match].b;
        for (; i < to_a; i++) {
            rows[count++] = (nd_aligned_sentence){i, ND_NO_SENTENCE,
                                                  is_dropped(&a->sentences[i], dropped_flags)};
        }
        for (; k < to_b; k++) {
            rows[count++] = (nd_aligned_sentence){ND_NO_SENTENCE, k,
                                                  is_dropped(&b->sentences[k], dropped_flags)};
        }
        if (!last) {
            rows[count++] =
                (nd_aligned_sentence){i, k, is_dropped(&a->sentences[i], dropped_flags)};
            i++;
            k++;
        }
    }
    return count;
}

nd_status nd_sentences_align(const nd_document *a, const nd_document *b, uint32_t dropped_flags,
                             nd_aligned_sentence **rows, size_t *count) {
    nd_status st = ND_OK;
    nd_lcs_work work = {0};
    uint32_t *numbers = NULL;
    nd_lcs_match *matches = NULL;
    size_t match_count = 0;
    const size_t n = a->sentence_count, m = b->sentence_count;
    *rows = NULL;
    *count = 0;
    ND_TRY(nd_new(&numbers, n + m, sizeof *numbers));
    ND_TRY(number(a, b, dropped_flags, numbers));
    ND_TRY(nd_lcs_matches(numbers, n, numbers + n, m, 0, &work, &matches, &match_count));
    ND_TRY(nd_new(rows, n + m, sizeof **rows));
    *count = lay_out(a, b, dropped_flags, matches, match_count, *rows);
out:
    nd_lcs_work_free(&work);
    free(numbers);
    return st;
}
