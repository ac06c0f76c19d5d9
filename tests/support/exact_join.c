#include "tests/support/exact_join.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/compare/score.h"

#include <stdbool.h>
#include <stdlib.h>

/* The k-th occurrence of a token in a text is an element of its own (token << 32 | k, k from 1), so
 * that multisets of tokens become sets of elements. */
typedef struct element {
    uint64_t name;  /* 0: a free slot of the table */
    uint32_t texts; /* texts that hold it */
    uint32_t rank;  /* its place in the order of rarity */
} element;

typedef struct posting_list {
    uint64_t begin; /* in join.postings */
    uint32_t first; /* texts before this one are too short for every text still to come */
    uint32_t size;
} posting_list;

typedef struct join {
    const nd_join_text *texts;
    size_t count;
    double threshold;
    const nd_score *score;
    nd_join_result *result;
    nd_lcs_work work;

    element *table; /* open addressing */
    size_t slots, used;
    uint32_t *ranks; /* of each text's elements, rarest first */
    uint64_t *begin; /* text i owns ranks [begin[i], begin[i + 1]) */
    nd_key_value *scratch;

    uint32_t *order;     /* texts by length */
    posting_list *lists; /* by rank: texts that hold it in their indexed prefix */
    uint32_t *postings;  /* texts, shorter ones first */
    uint32_t *seen_by;   /* the latest text for which a text was looked at, plus 1 */
} join;

/* ---- texts as sets of elements in the order of rarity */

static element *find_element(element *table, size_t slots, uint64_t name) {
    size_t place = nd_mix64(name) & (slots - 1);
    while (table[place].name != 0 && table[place].name != name) {
        place = (place + 1) & (slots - 1);
    }
    return &table[place];
}

static void grow_table(join *j) {
    const size_t slots = j->slots == 0 ? 1024 : 2 * j->slots;
    element *table = NULL;
    nd_new(&table, slots, sizeof *table);
    for (size_t i = 0; i < j->slots; i++) {
        if (j->table[i].name != 0) {
            *find_element(table, slots, j->table[i].name) = j->table[i];
        }
    }
    free(j->table);
    j->table = table;
    j->slots = slots;
}

/* The text's elements, by token and occurrence, as keys in j->scratch. */
static nd_status list_elements(join *j, const nd_join_text *text) {
    nd_status st = ND_OK;
    for (uint32_t i = 0; i < text->count; i++) {
        j->scratch[i] = (nd_key_value){text->tokens[i], 0};
    }
    ND_TRY(nd_radix_sort(j->scratch, text->count));
    uint64_t token = UINT64_MAX;
    uint64_t occurrence = 0;
    for (uint32_t i = 0; i < text->count; i++) {
        occurrence = j->scratch[i].key == token ? occurrence + 1 : 1;
        token = j->scratch[i].key;
        j->scratch[i].key = token << 32 | occurrence;
    }
out:
    return st;
}

static nd_status count_elements(join *j) {
    nd_status st = ND_OK;
    for (size_t t = 0; t < j->count; t++) {
        ND_TRY(list_elements(j, &j->texts[t]));
        for (uint32_t i = 0; i < j->texts[t].count; i++) {
            if (2 * (j->used + 1) > j->slots) {
                grow_table(j);
            }
            element *found = find_element(j->table, j->slots, j->scratch[i].key);
            j->used += found->name == 0;
            found->name = j->scratch[i].key;
            found->texts++;
        }
    }
out:
    return st;
}

/* Rank 0 is the rarest element. */
static nd_status rank_elements(join *j) {
    nd_status st = ND_OK;
    nd_key_value *by_texts = NULL;
    size_t listed = 0;
    nd_new(&by_texts, j->used, sizeof *by_texts);
    for (size_t i = 0; i < j->slots; i++) {
        if (j->table[i].name != 0) {
            by_texts[listed++] = (nd_key_value){j->table[i].texts, i};
        }
    }
    ND_TRY(nd_radix_sort(by_texts, listed));
    for (size_t i = 0; i < listed; i++) {
        j->table[by_texts[i].value].rank = (uint32_t)i;
    }
out:
    free(by_texts);
    return st;
}

static nd_status rank_texts(join *j) {
    nd_status st = ND_OK;
    nd_new(&j->ranks, j->begin[j->count], sizeof *j->ranks);
    for (size_t t = 0; t < j->count; t++) {
        ND_TRY(list_elements(j, &j->texts[t]));
        for (uint32_t i = 0; i < j->texts[t].count; i++) {
            const uint64_t name = j->scratch[i].key;
            j->scratch[i] = (nd_key_value){find_element(j->table, j->slots, name)->rank, 0};
        }
        ND_TRY(nd_radix_sort(j->scratch, j->texts[t].count));
        for (uint32_t i = 0; i < j->texts[t].count; i++) {
            j->ranks[j->begin[t] + i] = (uint32_t)j->scratch[i].key;
        }
    }
out:
    return st;
}

/* ---- how much two texts must share */

/* The length of the shortest text that could reach the threshold with one of n tokens. */
static uint64_t shortest_partner(const join *j, uint64_t n) {
    uint64_t low = 1;
    uint64_t high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (j->score->ratio(middle, n, middle) >= j->threshold) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Of sets that share at least s elements, the first n - s + 1 of one and the first m - s + 1 of the
 * other, in one order, share one. Partners of a text that is looked up are no longer than it, so
 * s is at least the shortest partner's length; those of an indexed text are no shorter. */
static uint64_t lookup_prefix(const join *j, uint64_t n) {
    return n - shortest_partner(j, n) + 1;
}

static uint64_t index_prefix(const join *j, uint64_t n) {
    return n - nd_score_least_common(j->score, n, n, j->threshold) + 1;
}

/* Whether the two sets share at least `least` elements. */
static bool overlaps(const join *j, uint32_t x, uint32_t y, uint64_t least) {
    const uint32_t *a = j->ranks + j->begin[x];
    const uint32_t *b = j->ranks + j->begin[y];
    const uint64_t n = j->texts[x].count;
    const uint64_t m = j->texts[y].count;
    uint64_t common = 0;
    uint64_t i = 0;
    uint64_t k = 0;
    while (i < n && k < m && common < least) {
        if (common + (n - i < m - k ? n - i : m - k) < least) {
            return false;
        }
        const uint32_t rank_a = a[i];
        const uint32_t rank_b = b[k];
        common += rank_a == rank_b;
        i += rank_a <= rank_b;
        k += rank_b <= rank_a;
    }
    return common >= least;
}

/* ---- the join: texts by length, each looked up among the shorter ones */

static void make_index(join *j) {
    uint64_t total = 0;
    nd_new(&j->lists, j->used, sizeof *j->lists);
    for (size_t t = 0; t < j->count; t++) {
        const uint64_t n = j->texts[t].count;
        for (uint64_t i = 0; n > 0 && i < index_prefix(j, n); i++) {
            j->lists[j->ranks[j->begin[t] + i]].begin++;
        }
    }
    for (size_t i = 0; i < j->used; i++) {
        const uint64_t size = j->lists[i].begin;
        j->lists[i].begin = total;
        total += size;
    }
    nd_new(&j->postings, total, sizeof *j->postings);
    nd_new(&j->seen_by, j->count, sizeof *j->seen_by);
}

static void add_to_index(join *j, uint32_t x) {
    const uint64_t prefix = index_prefix(j, j->texts[x].count);
    for (uint64_t i = 0; i < prefix; i++) {
        posting_list *list = &j->lists[j->ranks[j->begin[x] + i]];
        j->postings[list->begin + list->size++] = x;
    }
}

static nd_status compare(join *j, uint32_t x, uint32_t y) {
    nd_status st = ND_OK;
    const nd_join_text *a = &j->texts[x];
    const nd_join_text *b = &j->texts[y];
    double similarity = 0;
    j->result->prefix_pairs++;
    if (!overlaps(j, x, y, nd_score_least_common(j->score, a->count, b->count, j->threshold))) {
        return ND_OK;
    }
    j->result->compared_pairs++;
    ND_TRY(j->score->similarity(a->tokens, a->count, b->tokens, b->count, j->threshold, &j->work,
                                &similarity));
    if (similarity >= j->threshold) {
        nd_join_result *r = j->result;
        nd_grow(&r->pairs, &r->capacity, r->count + 1, sizeof *r->pairs);
        r->pairs[r->count++] = (nd_join_pair){x < y ? x : y, x < y ? y : x, similarity};
    }
out:
    return st;
}

static nd_status look_up(join *j, uint32_t x) {
    nd_status st = ND_OK;
    const uint64_t n = j->texts[x].count;
    const uint64_t shortest = shortest_partner(j, n);
    const uint64_t prefix = lookup_prefix(j, n);
    for (uint64_t i = 0; i < prefix; i++) {
        posting_list *list = &j->lists[j->ranks[j->begin[x] + i]];
        while (list->first < list->size &&
               j->texts[j->postings[list->begin + list->first]].count < shortest) {
            list->first++;
        }
        for (uint32_t k = list->first; k < list->size; k++) {
            const uint32_t y = j->postings[list->begin + k];
            if (j->seen_by[y] != x + 1) {
                j->seen_by[y] = x + 1;
                ND_TRY(compare(j, x, y));
            }
        }
    }
out:
    return st;
}

static int by_pages(const void *a, const void *b) {
    const nd_join_pair *x = a;
    const nd_join_pair *y = b;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* Places of the texts, how long the longest is, and their order by length. */
static nd_status prepare(join *j) {
    nd_status st = ND_OK;
    uint32_t longest = 0;
    nd_key_value *lengths = NULL;
    nd_new(&j->begin, j->count + 1, sizeof *j->begin);
    nd_new(&j->order, j->count, sizeof *j->order);
    nd_new(&lengths, j->count, sizeof *lengths);
    for (size_t t = 0; t < j->count; t++) {
        j->begin[t + 1] = j->begin[t] + j->texts[t].count;
        longest = longest > j->texts[t].count ? longest : j->texts[t].count;
        lengths[t] = (nd_key_value){j->texts[t].count, t};
    }
    ND_TRY(nd_radix_sort(lengths, j->count));
    for (size_t t = 0; t < j->count; t++) {
        j->order[t] = (uint32_t)lengths[t].value;
    }
    nd_new(&j->scratch, longest, sizeof *j->scratch);
out:
    free(lengths);
    return st;
}

nd_status nd_exact_join(const nd_join_text *texts, size_t count, double threshold,
                        nd_join_result *result) {
    nd_status st = ND_OK;
    join j = {.texts = texts, .count = count, .threshold = threshold, .result = result};
    *result = (nd_join_result){0};
    j.score = nd_score_find("r");
    ND_TRY(prepare(&j));
    grow_table(&j);
    ND_TRY(count_elements(&j));
    ND_TRY(rank_elements(&j));
    ND_TRY(rank_texts(&j));
    make_index(&j);
    for (size_t i = 0; i < count; i++) {
        if (texts[j.order[i]].count > 0) {
            ND_TRY(look_up(&j, j.order[i]));
            add_to_index(&j, j.order[i]);
        }
    }
    if (result->count > 0) {
        nd_sort(result->pairs, result->count, sizeof *result->pairs, by_pages);
    }
out:
    nd_lcs_work_free(&j.work);
    free(j.table);
    free(j.ranks);
    free(j.begin);
    free(j.scratch);
    free(j.order);
    free(j.lists);
    free(j.postings);
    free(j.seen_by);
    if (st != ND_OK) {
        free(result->pairs);
        *result = (nd_join_result){0};
    }
    return st;
}
