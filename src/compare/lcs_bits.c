#include "src/compare/lcs_internal.h"

#include <string.h>
#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

/* After the first i tokens of the longer sequence (its "rows"), the zeros among the bits [0, j] of
 * V are the LCS of those rows and the columns [0, j] of the shorter sequence. A row with matches M
 * turns V into (V + (V & M)) | (V & ~M) (Crochemore et al. 2001, Hyyro 2004).
 *
 * An LCS of at_least tokens leaves out at most n - at_least columns and m - at_least rows, so its
 * matches lie in a band around the diagonal. Entries left or right of the band are ignored: what
 * comes out is the LCS of the matches in the band, exact if it reaches the limit and too small only
 * if the true one misses the limit as well. */
enum {
    WORD_BITS = 64,
    PRUNE_INTERVAL =
        64,        /* rows between two looks at what the left end of the band can still reach */
    MAX_GROUP = 8, /* words that a variant takes at a time, at most */
    ALL_MASKS_LIMIT = 1 << 15, /* words: 256 KiB, a fraction of the L2 cache */
    FREQUENT_SHARE = 16
};

/* Columns from which on an id gets an M of its own: all ids if these are few words, else those that
 * stand in a good share of V; at most 64 * FREQUENT_SHARE can. Reading an M that has just been put
 * together from entries makes the processor wait, which a wide V hides. */
static size_t frequent_from(const nd_lcs_rows *k, size_t ids) {
    size_t share = k->words / FREQUENT_SHARE;
    return ids * k->stride <= ALL_MASKS_LIMIT || share == 0 ? 1 : share;
}

/* Count the columns of each id (kept in `end`). \return how many ids are frequent */
static size_t count_columns(nd_lcs_rows *k, size_t ids, size_t threshold) {
    size_t frequent = 0;
    memset(k->ids, 0, ids * sizeof *k->ids);
    for (size_t j = 0; j < k->column_count; j++) {
        frequent += ++k->ids[k->columns[j]].end == threshold;
    }
    return frequent;
}

static nd_status rows_new(nd_lcs_rows *k, size_t ids, nd_lcs_work *work) {
    nd_status st = ND_OK;
    k->words = (k->column_count + WORD_BITS - 1) / WORD_BITS;
    k->stride = k->words + MAX_GROUP;
    ND_TRY(nd_lcs_room(work, ND_LCS_IDS, ids * sizeof *k->ids, &k->ids));
    ND_TRY(nd_lcs_room(work, ND_LCS_ENTRIES, k->column_count * sizeof *k->entries, &k->entries));
    size_t zero_words = (1 + count_columns(k, ids, frequent_from(k, ids))) * k->stride;
    ND_TRY(nd_lcs_room(work, ND_LCS_ROWS, (k->stride + zero_words) * sizeof *k->v, &k->v));
    k->scratch = k->v + k->stride;
    memset(k->v, 0xff, k->stride * sizeof *k->v);
    memset(k->scratch, 0, zero_words * sizeof *k->v);
out:
    return st;
}

static void add_entry(nd_lcs_rows *k, nd_lcs_id_columns *of, size_t word, uint64_t bit) {
    if (of->end == of->begin || k->entries[of->end - 1].word != word) {
        k->entries[of->end++] = (nd_lcs_entry){0, word};
    }
    k->entries[of->end - 1].mask |= bit;
}

/* A rare id gets room for as many entries as it has columns; columns of one word share an entry. */
static void list_columns(nd_lcs_rows *k, size_t ids) {
    size_t threshold = frequent_from(k, ids);
    size_t place = 0;
    uint64_t *mask = k->scratch + k->stride;
    for (size_t id = 0; id < ids; id++) {
        size_t columns = k->ids[id].end;
        k->ids[id] = (nd_lcs_id_columns){columns >= threshold ? mask : NULL, place, place};
        mask += columns >= threshold ? k->stride : 0;
        place += columns >= threshold ? 0 : columns;
    }
    for (size_t j = 0; j < k->column_count; j++) {
        nd_lcs_id_columns *of = &k->ids[k->columns[j]];
        uint64_t bit = UINT64_C(1) << j % WORD_BITS;
        if (of->mask != NULL) {
            of->mask[j / WORD_BITS] |= bit;
        } else {
            add_entry(k, of, j / WORD_BITS, bit);
        }
    }
}

nd_status nd_lcs_rows_start(nd_lcs_rows *k, size_t ids, nd_lcs_work *work) {
    nd_status st = rows_new(k, ids, work);
    if (st == ND_OK) {
        list_columns(k, ids);
    }
    return st;
}

static int always(void) {
    return 1;
}

static void add_words_plain(uint64_t *v, const uint64_t *mask, size_t words) {
    uint64_t carry = 0;
    for (size_t word = 0; word < words; word++) {
        uint64_t old = v[word];
        uint64_t matches = old & mask[word];
        uint64_t sum = old + matches;
        uint64_t with_carry = sum + carry;
        v[word] = with_carry | (old ^ matches);
        carry = (uint64_t)(sum < old) | (uint64_t)(with_carry < sum);
    }
}

#if defined(__x86_64__) && ND_SIMD

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

/* Eight sums at once. A lane makes a carry if it overflows, and passes one on if it is all ones;
 * adding these two sets of lanes as numbers lets the carries run through, and the lanes that
 * differ from the passing ones then are those that a carry comes into. */
__attribute__((target("avx512f"))) static void add_words_avx512(uint64_t *v, const uint64_t *mask,
                                                                size_t words) {
    const __m512i ones = _mm512_set1_epi64(-1);
    unsigned carry = 0;
    for (size_t word = 0; word < words; word += 8) {
        __m512i old = _mm512_loadu_si512(v + word);
        __m512i match = _mm512_loadu_si512(mask + word);
        __m512i sum = _mm512_add_epi64(old, _mm512_and_si512(old, match));
        unsigned made = _mm512_cmplt_epu64_mask(sum, old);
        unsigned passed = _mm512_cmpeq_epi64_mask(sum, ones);
        unsigned run = (made << 1 | carry) + passed;
        sum = _mm512_mask_sub_epi64(sum, (__mmask8)(run ^ passed), sum, ones);
        carry = run >> 8;
        /* sum | (old & ~match) */
        _mm512_storeu_si512(v + word, _mm512_ternarylogic_epi64(sum, old, match, 0xf4));
    }
}

#endif

const nd_lcs_bits_variant nd_lcs_bits_variants[] = {
    {"plain", 1, always, add_words_plain},
#if defined(__x86_64__) && ND_SIMD
    {"AVX-512", 8, has_avx512, add_words_avx512},
#endif
};
const size_t nd_lcs_bits_variant_count =
    sizeof nd_lcs_bits_variants / sizeof nd_lcs_bits_variants[0];

const nd_lcs_bits_variant *nd_lcs_bits_best(void) {
    size_t best = nd_lcs_bits_variant_count - 1;
    while (!nd_lcs_bits_variants[best].supported()) {
        best--; /* [0] is always supported */
    }
    return &nd_lcs_bits_variants[best];
}

/* One row, up to end_word or to what earlier rows have touched, in whole groups. Words from there
 * on are all ones, so that a carry into them changes nothing. The last group may reach past the
 * columns, where M is zero and V stays all ones; these words are not counted as touched, or the
 * left end of the band would push them along, a group ahead of it, past the stride. */
static void add_mask(nd_lcs_rows *k, const uint64_t *mask, size_t end_word) {
    size_t end = end_word > k->touched ? end_word : k->touched;
    size_t group = k->variant->group;
    size_t words = (end - k->first_word + group - 1) / group * group;
    size_t reached = k->first_word + words; /* < k->words + group, as end <= k->words */
    k->touched = reached < k->words ? reached : k->words;
    k->variant->add_words(k->v + k->first_word, mask + k->first_word, words);
}

static void add_rare(nd_lcs_rows *k, const nd_lcs_id_columns *of, size_t end_word) {
    const nd_lcs_entry *entries = k->entries + of->begin;
    size_t count = of->end - of->begin;
    if (entries[count - 1].word < k->first_word || entries[0].word >= end_word) {
        return; /* no match in the band */
    }
    for (size_t i = 0; i < count; i++) {
        k->scratch[entries[i].word] = entries[i].mask;
    }
    add_mask(k, k->scratch, end_word);
    for (size_t i = 0; i < count; i++) {
        k->scratch[entries[i].word] = 0;
    }
}

void nd_lcs_rows_add(nd_lcs_rows *k, uint32_t id, size_t end_word) {
    const nd_lcs_id_columns *of = &k->ids[id];
    if (of->mask != NULL) {
        add_mask(k, of->mask, end_word);
    } else if (of->end > of->begin) { /* else the columns lack the id */
        add_rare(k, of, end_word);
    }
}

static uint64_t zeros(uint64_t word) {
    return (uint64_t)__builtin_popcountll(~word);
}

/* Move the left end of the band past words from which the limit cannot be reached, even if all of
 * the rows or columns left were matches. */
static void prune(nd_lcs_rows *k, size_t rows_left, size_t end_word) {
    while (k->first_word < end_word) {
        uint64_t here = zeros(k->v[k->first_word]);
        size_t columns_left = k->column_count - k->first_word * WORD_BITS;
        uint64_t most = rows_left < columns_left ? rows_left : columns_left;
        if (k->left + here + most >= k->at_least) {
            return;
        }
        k->left += here;
        k->first_word++;
    }
}

/* \return false once the limit cannot be reached any more */
static bool add_rows(nd_lcs_rows *k) {
    uint64_t skipped_columns = k->column_count - k->at_least; /* at most */
    for (size_t i = 0; i < k->row_count; i++) {
        size_t end_word = (i + skipped_columns) / WORD_BITS + 1;
        end_word = end_word < k->words ? end_word : k->words;
        if (i % PRUNE_INTERVAL == 0) {
            prune(k, k->row_count - i, end_word);
            if (k->first_word == end_word) {
                return false;
            }
        }
        nd_lcs_rows_add(k, k->rows[i], end_word);
    }
    return true;
}

nd_status nd_lcs_bits_reduced(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                              size_t ids, nd_lcs_work *work, uint64_t *length) {
    bool a_shorter = pair->n <= pair->m;
    nd_lcs_rows k = {.variant = variant,
                     .columns = a_shorter ? pair->a : pair->b,
                     .rows = a_shorter ? pair->b : pair->a,
                     .column_count = a_shorter ? pair->n : pair->m,
                     .row_count = a_shorter ? pair->m : pair->n,
                     .at_least = pair->at_least};
    if (nd_lcs_hopeless(pair) || k.column_count == 0) {
        *length = 0;
        return ND_OK;
    }
    nd_status st = nd_lcs_rows_start(&k, ids, work);
    if (st != ND_OK) {
        return st;
    }
    uint64_t found = 0;
    if (add_rows(&k)) {
        found = k.left;
        for (size_t word = k.first_word; word < k.words; word++) {
            found += zeros(k.v[word]);
        }
    }
    *length = found >= k.at_least ? found : 0;
    return ND_OK;
}

nd_status nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                         uint64_t *length) {
    size_t ids = 0;
    nd_status st = nd_lcs_reduce(&pair, work, &ids);
    if (st == ND_OK) {
        st = nd_lcs_bits_reduced(variant, &pair, ids, work, length);
    }
    return st;
}

nd_status nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                      nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    return nd_lcs_bits_by(nd_lcs_bits_best(), pair, work, length);
}
