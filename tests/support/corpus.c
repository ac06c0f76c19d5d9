#include "tests/support/corpus.h"
#include "io/input/input_list.h"
#include "io/input/page_maker.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/compare/score.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/sketch/histogram.h"
#include "tests/support/brief.h"
#include "tests/support/pages.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- corpus */

static void count_skipped(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)reason;
    ((nd_corpus *)context)->skipped++;
}

static nd_status read_source(nd_corpus *corpus, nd_page_maker *maker, const nd_input_list *list,
                             uint32_t source) {
    nd_status st = ND_OK;
    const nd_input *input = &list->inputs[source];
    ND_OWNED(nd_buffer_free) nd_buffer url = {0};
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    const nd_reader_options options = {.skip = count_skipped, .skip_context = corpus};
    ND_TRY(nd_source_look(input->path, NULL, &shape));
    nd_input_url(list, input, &url);
    ND_TRY(nd_reader_open(input->path, (const char *)url.data, 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(nd_page_maker_add(maker, &record, source, 0, &corpus->pages));
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_reader_close(&reader);
    if (st == ND_ERR_INPUT) { /* the program goes on after it, too */
        corpus->skipped++;
        st = ND_OK;
    }
    return st;
}

typedef struct text_record {
    nd_text_hash hash;
    uint32_t page;
} text_record;

static int by_hash_then_page(const void *a, const void *b) {
    const text_record *x = a;
    const text_record *y = b;
    if (x->hash.high != y->hash.high) {
        return x->hash.high < y->hash.high ? -1 : 1;
    }
    if (x->hash.low != y->hash.low) {
        return x->hash.low < y->hash.low ? -1 : 1;
    }
    return (x->page > y->page) - (x->page < y->page);
}

/* By page: the first page with the same text, kept in text_of until the texts have numbers. */
static void mark_first_pages(nd_corpus *corpus, text_record *records, size_t count) {
    uint32_t first = 0;
    nd_sort(records, count, sizeof *records, by_hash_then_page);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || records[i].hash.high != records[i - 1].hash.high ||
            records[i].hash.low != records[i - 1].hash.low) {
            first = records[i].page;
        }
        corpus->text_of[records[i].page] = first;
    }
}

static void number_texts(nd_corpus *corpus) {
    const size_t pages = corpus->pages.count;
    size_t count = 0;
    ND_FREED text_record *records = NULL;
    nd_new(&records, pages, sizeof *records);
    nd_new(&corpus->text_of, pages, sizeof *corpus->text_of);
    nd_new(&corpus->first_page, pages, sizeof *corpus->first_page);
    for (uint32_t page = 0; page < pages; page++) {
        corpus->text_of[page] = ND_NO_TEXT;
        if (corpus->pages.pages[page].token_count > 0) {
            records[count++] = (text_record){corpus->pages.pages[page].text_hash, page};
        }
    }
    corpus->without_text = pages - count;
    mark_first_pages(corpus, records, count);
    for (uint32_t page = 0; page < pages; page++) {
        const uint32_t first = corpus->text_of[page];
        if (first == page) {
            corpus->first_page[corpus->text_count] = page;
            corpus->text_of[page] = corpus->text_count++;
        } else if (first != ND_NO_TEXT) {
            corpus->text_of[page] = corpus->text_of[first];
        }
    }
}

nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {.hash_seed = ND_CORPUS_HASH_SEED};
    *corpus = (nd_corpus){0};
    ND_TRY(nd_input_list_resolve(&list, words, count));
    for (size_t i = 0; i < list.count; i++) {
        ND_TRY(read_source(corpus, &maker, &list, (uint32_t)i));
        if (corpus->pages.count >= ND_NO_TEXT) {
            st = nd_fail(ND_ERR_LIMIT, "more pages than one process can number");
            goto out;
        }
    }
    number_texts(corpus);
out:
    if (st != ND_OK) {
        nd_corpus_free(corpus);
    }
    return st;
}

void nd_corpus_free(nd_corpus *corpus) {
    nd_page_store_free(&corpus->pages);
    free(corpus->text_of);
    free(corpus->first_page);
    *corpus = (nd_corpus){0};
}

/* ---- read file */

enum { CHUNK = 1 << 16 };

nd_status nd_test_read_file(nd_buffer *buffer, const char *path) {
    nd_status st = ND_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    for (size_t got = 1; got > 0;) {
        nd_buffer_reserve(buffer, CHUNK);
        got = fread(buffer->data + buffer->size, 1, CHUNK, file);
        buffer->size += got;
    }
    if (ferror(file)) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read", path);
    }
    (void)fclose(file);
    return st;
}

static bool is_html(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0) {
        return errno == ENOTDIR ? visit(context, path)
                                : nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    nd_status st = ND_OK;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        bool is_folder = entries[i]->d_type == DT_DIR;
        if (st == ND_OK && (is_folder || is_html(entries[i]->d_name))) {
            (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
            st = is_folder ? nd_test_walk_html(inner, visit, context) : visit(context, inner);
        }
        free(entries[i]);
    }
    free(entries);
    return st;
}

/* ---- sample */

void nd_shuffle_pages(const nd_corpus *corpus, uint64_t seed, uint32_t **pages) {
    nd_random random = {seed};
    const size_t count = corpus->pages.count;
    nd_new(pages, count, sizeof **pages);
    for (size_t i = 0; i < count; i++) {
        const size_t other = nd_random_below(&random, i + 1);
        (*pages)[i] = (*pages)[other];
        (*pages)[other] = (uint32_t)i;
    }
}

void nd_sample_draw(const nd_corpus *corpus, const uint32_t *shuffled, uint64_t count,
                    nd_sample *sample) {
    ND_FREED bool *taken = NULL;
    *sample = (nd_sample){.page_count = count};
    nd_new(&taken, corpus->pages.count, sizeof *taken);
    nd_new(&sample->pages, corpus->text_count, sizeof *sample->pages);
    nd_new(&sample->copies, corpus->text_count, sizeof *sample->copies);
    for (uint64_t i = 0; i < count; i++) {
        taken[shuffled[i]] = true;
    }
    for (uint32_t page = 0; page < corpus->pages.count; page++) {
        const uint32_t text = corpus->text_of[page];
        if (taken[page] && text != ND_NO_TEXT && sample->copies[text]++ == 0) {
            sample->pages[sample->text_count++] = page;
        }
    }
}

void nd_sample_free(nd_sample *sample) {
    free(sample->pages);
    free(sample->copies);
    *sample = (nd_sample){0};
}

/* ---- exact join */

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
static void list_elements(join *j, const nd_join_text *text) {
    for (uint32_t i = 0; i < text->count; i++) {
        j->scratch[i] = (nd_key_value){text->tokens[i], 0};
    }
    nd_radix_sort(j->scratch, text->count);
    uint64_t token = UINT64_MAX;
    uint64_t occurrence = 0;
    for (uint32_t i = 0; i < text->count; i++) {
        occurrence = j->scratch[i].key == token ? occurrence + 1 : 1;
        token = j->scratch[i].key;
        j->scratch[i].key = token << 32 | occurrence;
    }
}

static void count_elements(join *j) {
    for (size_t t = 0; t < j->count; t++) {
        list_elements(j, &j->texts[t]);
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
}

/* Rank 0 is the rarest element. */
static void rank_elements(join *j) {
    ND_FREED nd_key_value *by_texts = NULL;
    size_t listed = 0;
    nd_new(&by_texts, j->used, sizeof *by_texts);
    for (size_t i = 0; i < j->slots; i++) {
        if (j->table[i].name != 0) {
            by_texts[listed++] = (nd_key_value){j->table[i].texts, i};
        }
    }
    nd_radix_sort(by_texts, listed);
    for (size_t i = 0; i < listed; i++) {
        j->table[by_texts[i].value].rank = (uint32_t)i;
    }
}

static void rank_texts(join *j) {
    nd_new(&j->ranks, j->begin[j->count], sizeof *j->ranks);
    for (size_t t = 0; t < j->count; t++) {
        list_elements(j, &j->texts[t]);
        for (uint32_t i = 0; i < j->texts[t].count; i++) {
            const uint64_t name = j->scratch[i].key;
            j->scratch[i] = (nd_key_value){find_element(j->table, j->slots, name)->rank, 0};
        }
        nd_radix_sort(j->scratch, j->texts[t].count);
        for (uint32_t i = 0; i < j->texts[t].count; i++) {
            j->ranks[j->begin[t] + i] = (uint32_t)j->scratch[i].key;
        }
    }
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

static void compare(join *j, uint32_t x, uint32_t y) {
    const nd_join_text *a = &j->texts[x];
    const nd_join_text *b = &j->texts[y];
    double similarity = 0;
    j->result->prefix_pairs++;
    if (!overlaps(j, x, y, nd_score_least_common(j->score, a->count, b->count, j->threshold))) {
        return;
    }
    j->result->compared_pairs++;
    j->score->similarity(a->tokens, a->count, b->tokens, b->count, j->threshold, &j->work,
                         &similarity);
    if (similarity >= j->threshold) {
        nd_join_result *r = j->result;
        nd_grow(&r->pairs, &r->capacity, r->count + 1, sizeof *r->pairs);
        r->pairs[r->count++] = (nd_join_pair){x < y ? x : y, x < y ? y : x, similarity};
    }
}

static void look_up(join *j, uint32_t x) {
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
                compare(j, x, y);
            }
        }
    }
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
static void prepare(join *j) {
    uint32_t longest = 0;
    ND_FREED nd_key_value *lengths = NULL;
    nd_new(&j->begin, j->count + 1, sizeof *j->begin);
    nd_new(&j->order, j->count, sizeof *j->order);
    nd_new(&lengths, j->count, sizeof *lengths);
    for (size_t t = 0; t < j->count; t++) {
        j->begin[t + 1] = j->begin[t] + j->texts[t].count;
        longest = longest > j->texts[t].count ? longest : j->texts[t].count;
        lengths[t] = (nd_key_value){j->texts[t].count, t};
    }
    nd_radix_sort(lengths, j->count);
    for (size_t t = 0; t < j->count; t++) {
        j->order[t] = (uint32_t)lengths[t].value;
    }
    nd_new(&j->scratch, longest, sizeof *j->scratch);
}

void nd_exact_join(const nd_join_text *texts, size_t count, double threshold,
                   nd_join_result *result) {
    join j = {.texts = texts, .count = count, .threshold = threshold, .result = result};
    *result = (nd_join_result){0};
    j.score = nd_score_find("r");
    prepare(&j);
    grow_table(&j);
    count_elements(&j);
    rank_elements(&j);
    rank_texts(&j);
    make_index(&j);
    for (size_t i = 0; i < count; i++) {
        if (texts[j.order[i]].count > 0) {
            look_up(&j, j.order[i]);
            add_to_index(&j, j.order[i]);
        }
    }
    if (result->count > 0) {
        nd_sort(result->pairs, result->count, sizeof *result->pairs, by_pages);
    }
    nd_lcs_work_free(&j.work);
    free(j.table);
    free(j.ranks);
    free(j.begin);
    free(j.scratch);
    free(j.order);
    free(j.lists);
    free(j.postings);
    free(j.seen_by);
}

/* ---- recall */

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

static void count_pairs_inside(const uint64_t *set_of, size_t text_count, uint64_t *inside) {
    ND_FREED nd_key_value *by_set = NULL;
    size_t begin = 0;
    nd_new(&by_set, text_count, sizeof *by_set);
    for (size_t i = 0; i < text_count; i++) {
        by_set[i] = (nd_key_value){set_of[i], i};
    }
    nd_radix_sort(by_set, text_count);
    for (size_t i = 0; i < text_count; i++) {
        begin = by_set[i].key == by_set[begin].key ? begin : i;
        *inside += i - begin;
    }
}

void nd_recall_of_sets(nd_pair_set truth, const uint64_t *set_of, size_t text_count,
                       nd_recall *recall) {
    tally t = {0};
    uint64_t inside = 0;
    *recall = (nd_recall){0};
    tally_new(&t, text_count);
    count_pairs_inside(set_of, text_count, &inside);
    for (size_t i = 0; i < truth.count; i++) {
        const uint64_t pair = truth.pairs[i];
        tally_add(&t, pair, set_of[pair >> 32] == set_of[(uint32_t)pair], recall);
    }
    finish(&t, truth.count, text_count, recall);
    recall->strange = inside - recall->found;
    tally_free(&t);
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

void nd_pairs_missing(nd_pair_set a, nd_pair_set b, uint64_t **missing, size_t *count) {
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
}

void nd_join_pairs(nd_pair_set pairs, uint64_t *parent) {
    for (size_t i = 0; i < pairs.count; i++) {
        (void)nd_union_find_join(parent, pairs.pairs[i] >> 32, (uint32_t)pairs.pairs[i]);
    }
}

void nd_largest_set(uint64_t *parent, const uint32_t *copies, size_t text_count, uint64_t *pages) {
    ND_FREED uint64_t *size = NULL;
    nd_new(&size, text_count, sizeof *size);
    *pages = 0;
    for (size_t i = 0; i < text_count; i++) {
        uint64_t *of_root = &size[nd_union_find_root(parent, i)];
        *of_root += copies[i];
        *pages = *pages > *of_root ? *pages : *of_root;
    }
}

/* ---- blocking */

typedef struct postings_blocking {
    nd_key_value *records;
    size_t count, capacity;
} postings_blocking;

static void sign(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                 const nd_method_options *options, postings_blocking *p) {
    ND_FREED uint64_t *keys = NULL;
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
    nd_radix_sort(p->records, p->count);
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
static void pair_groups(const nd_corpus *corpus, postings_blocking *p, nd_blocking *b,
                        pair_list *list) {
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

static void keep_distinct(pair_list *list, nd_blocking *b) {
    nd_radix_sort(list->records, list->count);
    nd_new(&b->pairs, list->count, sizeof *b->pairs);
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || list->records[i].key != list->records[i - 1].key) {
            b->pairs[b->pair_count++] = list->records[i].key;
        }
    }
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
    ND_FREED nd_histogram *histograms = NULL;
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
}

void nd_blocking_run(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                     const nd_method_options *options, nd_blocking *blocking) {
    postings_blocking p = {0};
    pair_list list = {0};
    *blocking = (nd_blocking){0};
    nd_new(&blocking->key_parent, corpus->text_count, sizeof *blocking->key_parent);
    nd_union_find_init(blocking->key_parent, corpus->text_count);
    sign(corpus, pages, count, options, &p);
    pair_groups(corpus, &p, blocking, &list);
    keep_distinct(&list, blocking);
    bound_pairs(corpus, pages, count, options, blocking);
    free(p.records);
    free(list.records);
}

void nd_blocking_free(nd_blocking *blocking) {
    free(blocking->pairs);
    free(blocking->within_bounds);
    free(blocking->key_parent);
    *blocking = (nd_blocking){0};
}
