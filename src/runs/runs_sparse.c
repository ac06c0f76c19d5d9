#include "src/runs/runs_internal.h"

#include "src/base/order.h"
#include "src/lcs/lcs_work.h"

#include <stdbool.h>
#include <string.h>

/* LCSk++ over the pairs of places (i, j) at which equal q-grams begin, row by row. The value of a
 * pair is the most matches of a common sequence that ends with its q-gram: q more than the best one
 * that ends before it, or one more than the pair (i - 1, j - 1).
 *
 * The best one that ends before column j is kept the other way round, as Hunt and Szymanski do:
 * finish[v] is the first column of b by which a sequence of v matches can end in the rows so far. A
 * new pair of value v lowers at most q entries, since finish[v - q] or, of a longer run, the entry
 * v - 1 was low enough before; so a pair takes a binary search at most. */
enum { RING = ND_RUN_TOKENS + 1 };

/* A row: the places in b of its q-gram that lie in the band, ascending, and the pairs' values. */
typedef struct row {
    const uint32_t *places;
    uint32_t *values;
    size_t count;
} row;

typedef struct sparse {
    const nd_runs_pair *pair;
    uint32_t *begin;  /* by number of a q-gram: where its places begin in `places` */
    uint32_t *places; /* places in b by q-gram, ascending */
    uint32_t *finish; /* UINT32_MAX: no sequence is that long yet */
    row rows[RING];
    uint32_t best;
    uint32_t highest; /* the largest v with finish[v] != UINT32_MAX */
} sparse;

static nd_status sparse_new(sparse *s, nd_lcs_work *work) {
    nd_status st = ND_OK;
    const nd_grams *grams = &s->pair->grams;
    const size_t shorter = nd_min(s->pair->n, s->pair->m);
    size_t widest = 0;
    for (size_t number = 0; number < grams->distinct; number++) {
        widest = nd_max(grams->count[number], widest);
    }
    uint32_t *values = NULL;
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_LISTS,
                       (grams->distinct + 1 + grams->b_count) * sizeof *s->begin, &s->begin));
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_FINISH, (shorter + 2) * sizeof *s->finish, &s->finish));
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_RING, RING * widest * sizeof *values, &values));
    s->places = s->begin + grams->distinct + 1;
    memset(s->finish, 0xff, (shorter + 2) * sizeof *s->finish);
    s->finish[0] = 0;
    for (size_t i = 0; i < RING; i++) {
        s->rows[i] = (row){.values = values + i * widest};
    }
    /* Counting sort of the places by q-gram: filled from the end, so that begin[] ends up right. */
    uint32_t sum = 0;
    for (size_t number = 0; number < grams->distinct; number++) {
        sum += grams->count[number];
        s->begin[number] = sum;
    }
    s->begin[grams->distinct] = sum;
    for (size_t j = grams->b_count; j-- > 0;) {
        s->places[--s->begin[grams->b[j]]] = (uint32_t)j;
    }
out:
    return st;
}

/* A common sequence of at_least tokens leaves out at most n - at_least tokens of a and m - at_least
 * of b, so its matches lie that near the diagonal. */
static row row_of(const sparse *s, size_t i, uint32_t *values) {
    const nd_runs_pair *pair = s->pair;
    const uint32_t number = pair->grams.a[i];
    if (number == ND_NO_GRAM) {
        return (row){.values = values};
    }
    const uint32_t *places = s->places + s->begin[number];
    size_t count = pair->grams.count[number];
    const uint64_t left = pair->n - pair->at_least;
    const uint64_t right = pair->m - pair->at_least;
    if (i > left && places[0] < i - left) {
        size_t skipped = 0;
        ND_FIND_FIRST(skipped, 0, count, places[skipped] >= i - left);
        places += skipped;
        count -= skipped;
    }
    if (count > 0 && places[count - 1] > i + right) {
        const size_t all = count;
        ND_FIND_FIRST(count, 0, all, places[count] > i + right);
    }
    return (row){places, values, count};
}

/* The largest v from `low` on with finish[v] <= place; finish[low] is. It is near `low` where a row
 * has many places, so the steps start small. */
static uint32_t most_before(const sparse *s, uint32_t low, uint32_t place) {
    uint32_t step = 1;
    while (low + step <= s->highest && s->finish[low + step] <= place) {
        low += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (low + step <= s->highest && s->finish[low + step] <= place) {
            low += step;
        }
    }
    return low;
}

/* Values of a row, from the row before it and what has ended by now. */
static void value_row(sparse *s, const row *before, row *now) {
    const uint32_t run = (uint32_t)s->pair->run;
    uint32_t ended = 0; /* the most that end before the place: grows along the row */
    size_t k = 0;
    for (size_t x = 0; x < now->count; x++) {
        const uint32_t place = now->places[x];
        while (k < before->count && before->places[k] + 1 < place) {
            k++;
        }
        uint32_t value = 0;
        if (k < before->count && before->places[k] + 1 == place) {
            value = before->values[k] + 1;
        }
        if (value == 0 || s->finish[value - run + 1] <= place) {
            ended = most_before(s, ended, place);
            value = ended + run > value ? ended + run : value;
        }
        now->values[x] = value;
        s->best = value > s->best ? value : s->best;
    }
}

/* \return false once the limit cannot be reached any more */
static bool value_rows(sparse *s) {
    const nd_runs_pair *pair = s->pair;
    for (size_t i = 0; i < pair->grams.a_count; i++) {
        if (s->best + (pair->n - i) < pair->at_least) {
            return false;
        }
        if (i >= pair->run) {
            /* The q-grams of that row end here: later ones may follow them. */
            const row *ended = &s->rows[(i - pair->run) % RING];
            for (size_t x = 0; x < ended->count; x++) {
                const uint32_t end = ended->places[x] + (uint32_t)pair->run;
                const uint32_t value = ended->values[x];
                s->highest = value > s->highest ? value : s->highest;
                for (uint32_t v = value; s->finish[v] > end; v--) {
                    s->finish[v] = end;
                }
            }
        }
        row *now = &s->rows[i % RING];
        *now = row_of(s, i, now->values);
        value_row(s, &s->rows[(i + RING - 1) % RING], now);
    }
    return true;
}

nd_status nd_runs_sparse(const nd_runs_pair *pair, nd_lcs_work *work, uint64_t *length) {
    sparse s = {.pair = pair};
    nd_status st = sparse_new(&s, work);
    if (st == ND_OK) {
        *length = value_rows(&s) && s.best >= pair->at_least ? s.best : 0;
    }
    return st;
}
