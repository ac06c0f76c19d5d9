#include "src/compare/lcs_internal.h"

#include <string.h>

/* After the first i tokens of the longer sequence (its "rows"), the zeros among the bits [0, j] of
 * V are the LCS of those rows and the columns [0, j] of the shorter sequence. A row with matches M
 * turns V into (V + (V & M)) | (V & ~M) (Crochemore et al. 2001, Hyyro 2004).
 *
 * Where a word of M is zero and no carry comes in, the word of V stays as it is. So only the words
 * that hold the row's token (its "entries") are touched, and those that a carry runs through.
 *
 * An LCS of at_least tokens leaves out at most n - at_least columns and m - at_least rows, so its
 * matches lie in a band around the diagonal. Entries left or right of the band are ignored: what
 * comes out is the LCS of the matches in the band, exact if it reaches the limit and too small only
 * if the true one misses the limit as well. */
enum {
    WORD_BITS = 64,
    PRUNE_INTERVAL =
        64 /* rows between two looks at what the left end of the band can still reach */
};

typedef struct entry {
    uint64_t mask;
    size_t word;
} entry;

typedef struct kernel {
    const uint32_t *columns;
    const uint32_t *rows;
    size_t column_count;
    size_t row_count;
    uint64_t at_least;
    uint64_t *v;
    size_t words;       /* of v */
    size_t first_word;  /* left end of the band, in words of v */
    uint64_t left;      /* zeros of v left of the band, where nothing changes any more */
    size_t *next_entry; /* by id: its first entry that the band has not left behind */
    size_t *end_entry;  /* by id */
    entry *entries;
} kernel;

static nd_status kernel_new(kernel *k, size_t ids, nd_lcs_work *work) {
    nd_status st = ND_OK;
    k->words = (k->column_count + WORD_BITS - 1) / WORD_BITS;
    ND_TRY(nd_lcs_room(work, ND_LCS_ROW, k->words * sizeof *k->v, &k->v));
    ND_TRY(nd_lcs_room(work, ND_LCS_CLASSES, 2 * ids * sizeof *k->next_entry, &k->next_entry));
    ND_TRY(nd_lcs_room(work, ND_LCS_ENTRIES, k->column_count * sizeof *k->entries, &k->entries));
    memset(k->v, 0xff, k->words * sizeof *k->v);
    k->end_entry = k->next_entry + ids;
out:
    return st;
}

/* An id gets room for as many entries as it has columns; columns of one word share an entry. */
static void list_entries(kernel *k, size_t ids) {
    memset(k->end_entry, 0, ids * sizeof *k->end_entry);
    for (size_t j = 0; j < k->column_count; j++) {
        k->end_entry[k->columns[j]]++;
    }
    size_t place = 0;
    for (size_t id = 0; id < ids; id++) {
        k->next_entry[id] = place;
        place += k->end_entry[id];
        k->end_entry[id] = k->next_entry[id];
    }
    for (size_t j = 0; j < k->column_count; j++) {
        uint32_t id = k->columns[j];
        size_t word = j / WORD_BITS;
        size_t *end = &k->end_entry[id];
        if (*end == k->next_entry[id] || k->entries[*end - 1].word != word) {
            k->entries[(*end)++] = (entry){0, word};
        }
        k->entries[*end - 1].mask |= UINT64_C(1) << j % WORD_BITS;
    }
}

/* Let a carry out of word - 1 run on, at most to `end`. \return whether it gets out there */
static bool run_carry(uint64_t *v, size_t word, size_t end) {
    for (; word < end; word++) {
        uint64_t sum = v[word] + 1;
        v[word] |= sum;
        if (sum != 0) {
            return false;
        }
    }
    return true;
}

/* One row; the band ends before end_word. Words from there on are still all ones: a carry out of
 * the band would change nothing. */
static void add_row(kernel *k, uint32_t id, size_t end_word) {
    size_t at = k->next_entry[id];
    size_t end = k->end_entry[id];
    while (at < end && k->entries[at].word < k->first_word) {
        at++;
    }
    k->next_entry[id] = at;
    bool carry = false;
    size_t next_word = 0;
    for (; at < end && k->entries[at].word < end_word; at++) {
        size_t word = k->entries[at].word;
        carry = carry && run_carry(k->v, next_word, word);
        uint64_t old = k->v[word];
        uint64_t matches = old & k->entries[at].mask;
        uint64_t sum = old + matches;
        uint64_t with_carry = sum + carry;
        carry = sum < old || with_carry < sum;
        k->v[word] = with_carry | (old ^ matches);
        next_word = word + 1;
    }
    if (carry) {
        (void)run_carry(k->v, next_word, end_word);
    }
}

static uint64_t zeros(uint64_t word) {
    return (uint64_t)__builtin_popcountll(~word);
}

/* Move the left end of the band past words from which the limit cannot be reached, even if all of
 * the rows or columns left were matches. */
static void prune(kernel *k, size_t rows_left, size_t end_word) {
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
static bool add_rows(kernel *k) {
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
        add_row(k, k->rows[i], end_word);
    }
    return true;
}

nd_status nd_lcs_bits_reduced(const nd_lcs_pair *pair, size_t ids, nd_lcs_work *work,
                              uint64_t *length) {
    bool a_shorter = pair->n <= pair->m;
    kernel k = {.columns = a_shorter ? pair->a : pair->b,
                .rows = a_shorter ? pair->b : pair->a,
                .column_count = a_shorter ? pair->n : pair->m,
                .row_count = a_shorter ? pair->m : pair->n,
                .at_least = pair->at_least};
    if (nd_lcs_hopeless(pair) || k.column_count == 0) {
        *length = 0;
        return ND_OK;
    }
    nd_status st = kernel_new(&k, ids, work);
    if (st != ND_OK) {
        return st;
    }
    list_entries(&k, ids);
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

nd_status nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                      nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    size_t ids = 0;
    nd_status st = nd_lcs_reduce(&pair, work, &ids);
    if (st == ND_OK) {
        st = nd_lcs_bits_reduced(&pair, ids, work, length);
    }
    return st;
}
