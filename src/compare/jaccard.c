#include "src/compare/jaccard.h"

#include "src/base/status.h"
#include "src/base/util.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"

#include <stdbool.h>
#include <string.h>

/* ==== runs in one order */

/* Each run looks so far back for the one before it: most often it is the last one. Between runs
 * so many tokens are looked at from either end. */
enum { LOOK_BACK = 32, SPAN = 64 };

/* How many tokens between two runs stand at the same place, counted from the one run or from the
 * other. */
static uint32_t between(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    const size_t count = nd_min(nd_min(n, m), SPAN);
    uint32_t from_begin = 0, from_end = 0;
    for (size_t i = 0; i < count; i++) {
        from_begin += a[i] == b[i];
    }
    for (size_t i = 1; i <= count && n != m; i++) {
        from_end += a[n - i] == b[m - i];
    }
    return (uint32_t)nd_max(from_begin, from_end);
}

uint64_t nd_shared_runs_chain(nd_shared_run *runs, size_t count, const uint32_t *a, size_t n,
                              const uint32_t *b, size_t m) {
    uint32_t longest = 0; /* chain up to here */
    uint64_t most = 0;    /* with what follows its last run */
    for (size_t r = 0; r < count; r++) {
        nd_shared_run *run = &runs[r];
        ND_ASSERT(run->tokens > 0 && run->a <= n && run->tokens <= n - run->a && run->b <= m &&
                      run->tokens <= m - run->b,
                  run->a, run->b, run->tokens);
        ND_ASSERT(r == 0 || runs[r - 1].b <= run->b, r, run->b);
        run->chain = run->tokens + between(a, run->a, b, run->b);
        for (size_t back = r; back-- > 0 && r - back <= LOOK_BACK;) {
            const nd_shared_run *before = &runs[back];
            const uint64_t end_a = (uint64_t)before->a + before->tokens;
            const uint64_t end_b = (uint64_t)before->b + before->tokens;
            /* the part of this run that stands after that one in both sequences */
            const uint64_t overlap_a = end_a > run->a ? end_a - run->a : 0;
            const uint64_t overlap_b = end_b > run->b ? end_b - run->b : 0;
            const uint64_t overlap = nd_max(overlap_a, overlap_b);
            if (overlap >= run->tokens) {
                continue;
            }
            uint32_t chain = before->chain + run->tokens - (uint32_t)overlap;
            if (overlap == 0 && chain + SPAN > run->chain) {
                chain += between(a + end_a, run->a - end_a, b + end_b, run->b - end_b);
            }
            run->chain = (uint32_t)nd_max(chain, run->chain);
            if (before->chain == longest) {
                break; /* no other one is better */
            }
        }
        longest = (uint32_t)nd_max(run->chain, longest);
        const size_t after_a = run->a + run->tokens, after_b = run->b + run->tokens;
        most =
            nd_max(run->chain + between(a + after_a, n - after_a, b + after_b, m - after_b), most);
    }
    return most;
}

/* ==== shingles as often as they occur */

/* Shared shingles come in pairs of places, no place in two pairs. The first tokens of these pairs
 * are as many shared tokens, and one pair alone makes five; hence the bound. */
uint64_t nd_shingle_bound(uint64_t common, uint64_t n, uint64_t m) {
    const uint64_t shorter = nd_min(n, m);
    const uint64_t tokens = nd_min(shorter, ND_SHINGLE_TOKENS); /* of the shortest shingle */
    if (common < tokens || (tokens < ND_SHINGLE_TOKENS && n != m)) {
        return 0; /* shingles of different lengths differ */
    }
    return nd_min(common, nd_shingle_count(shorter));
}

/* ---- the shingles of one sequence, kept from pair to pair: pairs come by their first page */

enum {
    WIDTH = ND_SHINGLE_TOKENS,
    FILL = 128, /* shingles of the table that are hashed at a time */
    AHEAD = 16, /* and of the other sequence: fewer, for the first that is there ends the search */
    MOST_RUNS = 512 /* that are chained; without the rest a chain is shorter */
};

/* The last is 2^64 over the golden ratio, made odd: its product moves what differs into the high
 * bits. The others are its products with powers of the multiplier of Knuth's MMIX generator,
 * 6364136223846793005; they are written out so that the terms do not wait for one another. */
static const uint64_t FACTORS[WIDTH] = {UINT64_C(0x55b3b458f763d365), UINT64_C(0x18ce18283eb50819),
                                        UINT64_C(0x9077873b9560201d), UINT64_C(0x18e572a2c7df3ab1),
                                        UINT64_C(0x9e3779b97f4a7c15)};

void nd_shingle_hashes(const uint32_t *tokens, size_t count, uint64_t *hashes) {
    for (size_t i = 0; i < count; i++) {
        hashes[i] = tokens[i] * FACTORS[0] + tokens[i + 1] * FACTORS[1] +
                    tokens[i + 2] * FACTORS[2] + tokens[i + 3] * FACTORS[3] +
                    tokens[i + 4] * FACTORS[4];
    }
}

static const uint32_t NONE = UINT32_MAX;

typedef struct shingle_table {
    uint32_t *tokens; /* a copy: it alone shows what the table is of */
    size_t token_count;
    size_t places;
    uint64_t *alone;    /* bit [place]: the shingle stands nowhere else, as most do */
    uint64_t *free;     /* likewise, and it is not shared yet with the other sequence */
    uint32_t *repeated; /* how many other shingles there are, then the first places of each */
    uint32_t *first;    /* [place] of such a shingle: its first place, which stands for it */
    uint32_t *count;    /* [first place] of it: how often it stands there */
    uint32_t *left;     /* [first place] of it: of these, not yet shared */
    uint32_t *next;     /* [first place] the next one in the same bucket, or NONE */
    uint32_t *bucket;   /* [highest bits of the hash] a first place, or NONE */
    uint8_t *filter;    /* of each bucket: bits for the three bits of the hash that follow. Most
                           shingles that are not there find none set, which the processor foresees */
    uint32_t shift;
} shingle_table;

static inline size_t bucket_of(const shingle_table *t, uint64_t hash) {
    return hash >> t->shift;
}

static inline uint8_t filter_bit(const shingle_table *t, uint64_t hash) {
    return (uint8_t)(1U << (hash >> (t->shift - 3) & 7));
}

/* The first place of a shingle, or NONE. Exact, for the tokens decide. */
static inline uint32_t find(const shingle_table *t, const uint32_t *shingle, uint64_t hash) {
    const size_t bucket = bucket_of(t, hash);
    if ((t->filter[bucket] & filter_bit(t, hash)) == 0) {
        return NONE;
    }
    uint32_t place = t->bucket[bucket];
    for (; place != NONE; place = t->next[place]) {
        const uint32_t *known = t->tokens + place;
        uint32_t differing = 0; /* so that the comparisons do not wait for one another */
        for (size_t i = 0; i < WIDTH; i++) {
            differing |= known[i] ^ shingle[i];
        }
        if (differing == 0) {
            break;
        }
    }
    return place;
}

static size_t bit_words(const shingle_table *t) {
    return (t->places + 63) / 64;
}

/* Where the table of n tokens lies in work memory; what is there stays. */
static void lay_out(size_t n, nd_lcs_work *work, shingle_table *t) {
    uint32_t bits = 5;
    *t = (shingle_table){.token_count = n, .places = n - WIDTH + 1};
    while ((size_t)1 << bits < t->places) {
        bits++;
    }
    t->shift = 64 - bits;
    nd_lcs_room(work, ND_LCS_SHINGLE_BUCKETS,
                2 * bit_words(t) * sizeof *t->alone +
                    ((size_t)1 << bits) * (sizeof *t->bucket + sizeof *t->filter),
                &t->alone);
    nd_lcs_room(work, ND_LCS_SHINGLES, (6 * n + 1) * sizeof *t->tokens, &t->tokens);
    t->free = t->alone + bit_words(t);
    t->bucket = (uint32_t *)(void *)(t->free + bit_words(t));
    t->filter = (uint8_t *)(t->bucket + ((size_t)1 << bits));
    t->first = t->tokens + n;
    t->count = t->first + n;
    t->left = t->count + n;
    t->next = t->left + n;
    t->repeated = t->next + n;
}

/* The shingle at `place` is the one that first stood at `first`. */
static void add_repeat(shingle_table *t, uint32_t first, size_t place) {
    if ((t->alone[first / 64] >> first % 64 & 1) != 0) {
        t->alone[first / 64] &= ~(UINT64_C(1) << first % 64);
        t->first[first] = first;
        t->count[first] = 1;
        t->repeated[++t->repeated[0]] = first;
    }
    t->alone[place / 64] &= ~(UINT64_C(1) << place % 64);
    t->first[place] = first;
    t->count[first]++;
}

static void fill(const uint32_t *tokens, shingle_table *t) {
    const size_t buckets = (size_t)1 << (64 - t->shift);
    memcpy(t->tokens, tokens, t->token_count * sizeof *tokens);
    memset(t->bucket, 0xff, buckets * sizeof *t->bucket); /* NONE */
    memset(t->filter, 0, buckets * sizeof *t->filter);
    memset(t->alone, 0xff, bit_words(t) * sizeof *t->alone);
    t->repeated[0] = 0;
    const shingle_table own = *t; /* no store changes it, as the compiler sees */
    for (size_t begin = 0; begin < t->places; begin += FILL) {
        uint64_t hashes[FILL];
        const size_t count = nd_min(FILL, t->places - begin);
        nd_shingle_hashes(own.tokens + begin, count, hashes);
        for (size_t i = 0; i < count; i++) {
            const uint32_t place = find(&own, own.tokens + begin + i, hashes[i]);
            if (place == NONE) {
                const size_t bucket = bucket_of(&own, hashes[i]);
                own.next[begin + i] = own.bucket[bucket];
                own.bucket[bucket] = (uint32_t)(begin + i);
                own.filter[bucket] |= filter_bit(&own, hashes[i]);
            } else {
                add_repeat(t, place, begin + i);
            }
        }
    }
}

/* Is the table that is kept in the work that of these tokens? */
static bool is_kept(const nd_lcs_work *work, const uint32_t *tokens, size_t n) {
    return work->shingle_tokens == n &&
           memcmp(work->memory[ND_LCS_SHINGLES].data, tokens, n * sizeof *tokens) == 0;
}

static void table_of(const uint32_t *tokens, size_t n, nd_lcs_work *work, shingle_table *t) {
    const bool kept = is_kept(work, tokens, n);
    work->shingle_tokens = 0; /* until it is complete */
    lay_out(n, work, t);
    if (!kept) {
        fill(tokens, t);
    }
    work->shingle_tokens = n;
}

/* ---- counting: each shingle of the other sequence takes one occurrence of itself */

/* Take the shingles at the places of a word that the mask names. \return how many were free */
static uint64_t take_masked(const shingle_table *t, size_t word, uint64_t mask) {
    const uint64_t found = t->free[word] & mask;
    uint64_t taken = (uint64_t)__builtin_popcountll(found);
    t->free[word] ^= found;
    for (uint64_t rest = mask & ~t->alone[word]; rest != 0; rest &= rest - 1) {
        uint32_t *left = &t->left[t->first[word * 64 + (size_t)__builtin_ctzll(rest)]];
        taken += *left > 0;
        *left -= *left > 0;
    }
    return taken;
}

/* Look the shingles of the other sequence up from `begin` on, as far as they are not there.
 * \param[out] place  in the table, of the first that is; NONE: none of all
 * \return where that one stands in the other sequence */
static size_t find_first(const shingle_table *t, const uint32_t *other, size_t begin, size_t end,
                         uint32_t *place) {
    const shingle_table own = *t;
    uint32_t found = NONE;
    for (; begin < end; begin += AHEAD) {
        uint64_t hashes[AHEAD];
        const size_t count = nd_min(AHEAD, end - begin);
        nd_shingle_hashes(other + begin, count, hashes);
        for (size_t i = 0; i < count; i++) {
            found = find(&own, other + begin + i, hashes[i]);
            if (found != NONE) {
                *place = found;
                return begin + i;
            }
        }
    }
    *place = NONE;
    return end;
}

/* The shingles after one that was found are most often those after it in the table's sequence too,
 * over long runs: then one token is enough to recognise each.
 * \param[out] runs  the first MOST_RUNS of them */
static uint64_t count_shared(const shingle_table *t, const uint32_t *other, size_t places,
                             uint64_t at_least, nd_shared_run *runs, size_t *run_count) {
    uint64_t shared = 0;
    size_t i = 0;
    *run_count = 0;
    memcpy(t->free, t->alone, bit_words(t) * sizeof *t->free);
    for (uint32_t r = 1; r <= t->repeated[0]; r++) {
        t->left[t->repeated[r]] = t->count[t->repeated[r]];
    }
    while (shared + (places - i) >= at_least) {
        /* after `end` too few would be left */
        const size_t end = nd_min(places, places - at_least + shared + 1);
        uint32_t place = NONE;
        i = find_first(t, other, i, end, &place);
        if (place == NONE) {
            break;
        }
        const size_t after = nd_min(t->places - place, places - i) - 1;
        const size_t run = 1 + nd_equal_prefix(t->tokens + place + WIDTH, other + i + WIDTH, after);
        if (*run_count < MOST_RUNS) {
            runs[(*run_count)++] =
                (nd_shared_run){.a = place, .b = (uint32_t)i, .tokens = (uint32_t)run + WIDTH - 1};
        }
        /* Take the shingles at these places: whole words of them, and parts at both ends. */
        const size_t last = (place + run - 1) / 64;
        const uint64_t last_mask = ~UINT64_C(0) >> (63 - (place + run - 1) % 64);
        uint64_t mask = ~UINT64_C(0) << place % 64;
        for (size_t word = place / 64; word < last; word++, mask = ~UINT64_C(0)) {
            shared += take_masked(t, word, mask);
        }
        shared += take_masked(t, last, mask & last_mask);
        i += run;
    }
    return shared >= at_least ? shared : 0;
}

void nd_shingles_shared(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *work, uint64_t *shared, uint64_t *in_order) {
    const uint64_t most = nd_shingle_bound(nd_min(n, m), n, m);
    nd_shared_run *runs = NULL;
    size_t run_count = 0;
    uint64_t found = 0;
    uint64_t chain = 0;
    if (most > 0 && most >= at_least && n < WIDTH) { /* they are of one length: one shingle each */
        found = memcmp(a, b, n * sizeof *a) == 0;
        chain = found * n;
    } else if (most > 0 && most >= at_least) {
        const bool by_b = !is_kept(work, a, n) && is_kept(work, b, m);
        const uint32_t *const other = by_b ? a : b;
        const size_t count = by_b ? n : m;
        shingle_table table;
        if (by_b) {
            table_of(b, m, work, &table);
        } else {
            table_of(a, n, work, &table);
        }
        nd_lcs_room(work, ND_LCS_SHARED_RUNS, MOST_RUNS * sizeof *runs, &runs);
        found = count_shared(&table, other, count - WIDTH + 1, at_least, runs, &run_count);
        if (in_order != NULL && found > 0) {
            chain = nd_shared_runs_chain(runs, run_count, table.tokens, table.token_count, other,
                                         count);
        }
    }
    *shared = found;
    if (in_order != NULL) {
        *in_order = chain;
    }
}

/* ==== sets of shingles */

/* Steps between two looks at the bound: the merge itself has no branch that depends on the values,
 * and a look costs about as much as a few steps. */
enum { STEPS = 32 };

uint64_t nd_set_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                       uint64_t at_least) {
    uint64_t shared = 0;
    size_t i = 0, j = 0;
    while (i < n && j < m && shared + nd_min(n - i, m - j) >= at_least) {
        const uint64_t steps = nd_min(STEPS, nd_min(n - i, m - j));
        for (uint64_t step = 0; step < steps; step++) { /* each moves i and j by at most one */
            const uint64_t x = a[i], y = b[j];
            shared += x == y;
            i += x <= y;
            j += y <= x;
        }
    }
    return shared >= at_least ? shared : 0;
}

double nd_resemblance_ratio(uint64_t shared, uint64_t n, uint64_t m) {
    return n + m == 0 ? 0 : (double)shared / (double)(n + m - shared);
}

double nd_resemblance(const uint64_t *a, size_t n, const uint64_t *b, size_t m, double threshold) {
    /* The fewest shared values that make the threshold, one more than there can be if none do. From
     * s / (n + m - s) >= t follows s >= t (n + m) / (1 + t), which is where the search begins; the
     * very ratio that is compared with the threshold ends it, so that no rounding of the formula
     * decides. */
    const uint64_t most = nd_min(n, m);
    uint64_t least = (uint64_t)(threshold * (double)(n + m) / (1 + threshold));
    while (least <= most && nd_resemblance_ratio(least, n, m) < threshold) {
        least++;
    }
    if (least > most) {
        return 0;
    }
    return nd_resemblance_ratio(nd_set_shared(a, n, b, m, least), n, m);
}
