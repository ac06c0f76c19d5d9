#include "mpi/cmd/overlap/strong_query.h"

#include "mpi/cmd/run_pages.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

typedef struct query {
    uint64_t page, set;
    uint64_t words_begin, words_end; /* of the page, in `words` */
    uint32_t x, drawn;               /* the drawn-th page of collection x */
    uint32_t word[ND_QUERY_WORDS];   /* ids */
    bool asked;
    uint32_t met;    /* words of it that the page `met_by` has */
    uint64_t met_by; /* page number + 1 */
} query;

typedef struct asking {
    nd_strong_queries *result;
    nd_shown_run *run;
    const nd_chosen_collections *chosen;
    const nd_overlap_sample *sample;
    query *queries;
    size_t count;
    uint64_t *words; /* of the drawn pages, as hashes */
    size_t word_count, word_capacity;
    nd_number_ids ids; /* of these words */
    uint64_t *df;      /* by id: pages that have it */
    uint64_t *seen;    /* by id: the last page that has it, its number + 1 */
    uint64_t *begin;   /* by id: queries with it are asks[begin[id] .. begin[id + 1] - 1] */
    uint32_t *asks;
} asking;

static int by_page(const void *a, const void *b) {
    const query *x = a;
    const query *y = b;
    return (x->page > y->page) - (x->page < y->page);
}

/* ---- the drawn pages */

static nd_status list_queries(asking *a, size_t most) {
    nd_status st = ND_OK;
    size_t count = 0;
    for (size_t x = 0; x < a->sample->collections; x++) {
        count += nd_min(most, a->sample->of[x].count);
    }
    nd_new(&a->queries, count, sizeof *a->queries);
    for (size_t x = 0; x < a->sample->collections; x++) {
        for (size_t i = 0; i < nd_min(most, a->sample->of[x].count); i++) {
            query *q = &a->queries[a->count++];
            q->page = nd_overlap_drawn_at(a->sample, x, i)[ND_SAMPLE_PAGE];
            q->x = (uint32_t)x;
            q->drawn = (uint32_t)i;
            ND_TRY(
                nd_result_read(a->run->result, "/pages/set", ND_COLUMN_U64, q->page, 1, &q->set));
        }
    }
    nd_sort(a->queries, a->count, sizeof *a->queries, by_page);
out:
    return st;
}

/* Their words, in the order of the inputs. */
static nd_status read_words(asking *a) {
    nd_status st = ND_OK;
    nd_shown_page page = {0};
    for (size_t i = 0; i < a->count; i++) {
        query *q = &a->queries[i];
        ND_TRY(nd_shown_page_read_number(&page, a->run, q->page));
        const nd_page *text = &page.maker.page;
        q->words_begin = a->word_count;
        nd_grow(&a->words, &a->word_capacity, a->word_count + text->token_count, sizeof *a->words);
        if (text->token_count > 0) {
            memcpy(a->words + a->word_count, text->tokens, text->token_count * sizeof *a->words);
            a->word_count += nd_numbers_distinct(a->words + a->word_count, text->token_count);
        }
        q->words_end = a->word_count;
        q->asked = q->words_end - q->words_begin >= ND_QUERY_WORDS;
        a->result->poor[q->x] += !q->asked;
        nd_shown_page_free(&page);
    }
    ND_TRY(nd_number_ids_open(&a->ids, a->word_count + 1));
    for (size_t i = 0; i < a->word_count; i++) {
        (void)nd_number_ids_of(&a->ids, a->words[i]);
    }
    nd_new(&a->df, a->ids.count, sizeof *a->df);
    nd_new(&a->seen, a->ids.count, sizeof *a->seen);
out:
    nd_shown_page_free(&page);
    return st;
}

/* ---- all pages */

typedef void (*take_word)(asking *a, uint32_t id, const nd_run_pages *pages);

/* Each page of the chosen collections, and each word of it that a drawn page has too, once. */
static nd_status walk(asking *a, take_word take) {
    nd_status st = ND_OK;
    nd_run_pages pages = {0};
    const nd_job_options *o = &a->run->options;
    const nd_record_limits limits =
        nd_record_limits_of(o->reader.max_page_bytes, o->reader.max_expansion, o->reader.memory);
    nd_page_maker maker = nd_job_page_maker(o, &limits);
    memset(a->seen, 0, a->ids.count * sizeof *a->seen);
    ND_TRY(nd_run_pages_open(&pages, a->run->result, &o->reader, NULL));
    while ((st = nd_run_pages_next(&pages)) == ND_OK) {
        if (a->chosen->place[pages.rows.collection[pages.place]] == UINT32_MAX) {
            continue;
        }
        st = nd_page_maker_read(&maker, pages.record);
        ND_TRY(st == ND_ERR_LIMIT ? nd_run_pages_refuse(&pages) : st);
        ND_TRY(nd_run_pages_check_tokens(&pages, maker.page.token_count));
        for (size_t i = 0; i < maker.page.token_count; i++) {
            uint32_t id = 0;
            if (nd_number_ids_find(&a->ids, maker.page.tokens[i], &id) &&
                a->seen[id] != pages.next) { /* which is the page's number + 1 */
                a->seen[id] = pages.next;
                take(a, id, &pages);
            }
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_run_pages_close(&pages);
    nd_page_maker_free(&maker);
    return st;
}

static void count_page(asking *a, uint32_t id, const nd_run_pages *pages) {
    (void)pages;
    a->df[id]++;
}

/* Of each query the words that the fewest pages have, of equally many those of the least hash. */
static void choose_words(asking *a) {
    nd_new(&a->begin, a->ids.count + 1, sizeof *a->begin);
    nd_new_room(&a->asks, ND_QUERY_WORDS * a->count, sizeof *a->asks);
    for (size_t i = 0; i < a->count; i++) {
        query *q = &a->queries[i];
        size_t kept = 0;
        for (uint64_t w = q->words_begin; q->asked && w < q->words_end; w++) {
            const uint32_t id = nd_number_ids_of(&a->ids, a->words[w]);
            size_t at = kept;
            while (at > 0 && a->df[q->word[at - 1]] > a->df[id]) {
                at--;
            }
            for (size_t k = kept < ND_QUERY_WORDS ? kept++ : ND_QUERY_WORDS - 1; k > at; k--) {
                q->word[k] = q->word[k - 1];
            }
            if (at < ND_QUERY_WORDS) {
                q->word[at] = id;
            }
        }
        for (size_t k = 0; k < kept; k++) {
            a->begin[q->word[k]]++;
        }
    }
    for (size_t id = 1; id <= a->ids.count; id++) {
        a->begin[id] += a->begin[id - 1]; /* the end of those of id, which goes down to the first */
    }
    for (size_t i = a->count; i-- > 0;) {
        for (size_t k = 0; a->queries[i].asked && k < ND_QUERY_WORDS; k++) {
            a->asks[--a->begin[a->queries[i].word[k]]] = (uint32_t)i;
        }
    }
}

/* ---- answers */

static void set_bit(const nd_overlap_sample *sample, const query *q, size_t y) {
    nd_overlap_drawn_at(sample, q->x, q->drawn)[ND_SAMPLE_BITS + y / 64] |= UINT64_C(1) << y % 64;
}

static bool has_bit(const nd_overlap_sample *sample, const query *q, size_t y) {
    return nd_overlap_drawn_at(sample, q->x, q->drawn)[ND_SAMPLE_BITS + y / 64] >> y % 64 & 1;
}

static void answer(asking *a, uint32_t id, const nd_run_pages *pages) {
    for (uint64_t i = a->begin[id]; i < a->begin[id + 1]; i++) {
        query *q = &a->queries[a->asks[i]];
        q->met = q->met_by == pages->next ? q->met + 1 : 1;
        q->met_by = pages->next;
        if (q->met == ND_QUERY_WORDS) {
            const size_t y = a->chosen->place[pages->rows.collection[pages->place]];
            set_bit(&a->result->any, q, y);
            if (pages->rows.set[pages->place] == q->set) {
                set_bit(&a->result->own, q, y);
            }
        }
    }
}

/* Room for the answers to what was drawn first: as drawn, with no collection but the page's own. */
static nd_status copy_drawn(const nd_overlap_sample *drawn, size_t most, nd_overlap_sample *copy) {
    nd_status st = ND_OK;
    uint64_t none[ND_COLLECTIONS_MOST / 64] = {0};
    ND_TRY(nd_overlap_sample_open(copy, drawn->collections, most));
    for (size_t x = 0; x < drawn->collections; x++) {
        none[x / 64] = UINT64_C(1) << x % 64;
        for (size_t i = 0; i < nd_min(most, drawn->of[x].count); i++) {
            const uint64_t *record = nd_overlap_drawn_at(drawn, x, i);
            ND_TRY(nd_overlap_sample_offer(copy, x, record[ND_SAMPLE_ORDER], record[ND_SAMPLE_PAGE],
                                           none));
        }
        none[x / 64] = 0;
    }
    ND_TRY(nd_overlap_sample_finish(copy));
out:
    return st;
}

/* Pages that were not asked are of no sample. */
static void leave_out(nd_overlap_sample *sample, const asking *a) {
    for (size_t i = 0; i < a->count; i++) {
        if (!a->queries[i].asked) {
            nd_overlap_drawn_at(sample, a->queries[i].x, a->queries[i].drawn)[ND_SAMPLE_ORDER] =
                UINT64_MAX;
        }
    }
    for (size_t x = 0; x < sample->collections; x++) {
        size_t kept = 0;
        for (size_t d = 0; d < sample->of[x].count; d++) {
            const uint64_t *record = nd_overlap_drawn_at(sample, x, d);
            if (record[ND_SAMPLE_ORDER] != UINT64_MAX) {
                memmove(nd_overlap_drawn_at(sample, x, kept++), record,
                        sample->words * sizeof *record);
            }
        }
        sample->of[x].count = kept;
    }
}

nd_status nd_strong_queries_ask(nd_strong_queries *queries, nd_shown_run *run,
                                const nd_chosen_collections *chosen, const nd_overlap_sample *drawn,
                                size_t most) {
    nd_status st = ND_OK;
    nd_strong_queries *s = queries;
    asking a = {.result = s, .run = run, .chosen = chosen, .sample = drawn};
    *s = (nd_strong_queries){.collections = drawn->collections};
    nd_new(&s->poor, s->collections, sizeof *s->poor);
    nd_new(&s->tally, s->collections * s->collections, sizeof *s->tally);
    ND_TRY(copy_drawn(drawn, most, &s->own));
    ND_TRY(copy_drawn(drawn, most, &s->any));
    ND_TRY(list_queries(&a, most));
    ND_TRY(read_words(&a));
    ND_TRY(walk(&a, count_page));
    choose_words(&a);
    ND_TRY(walk(&a, answer));
    for (size_t i = 0; i < a.count; i++) {
        const query *q = &a.queries[i];
        for (size_t y = 0; q->asked && y < s->collections; y++) {
            nd_query_tally *t = &s->tally[q->x * s->collections + y];
            t->has += has_bit(drawn, q, y);
            t->found += has_bit(&s->own, q, y);
            t->other += has_bit(&s->any, q, y) && !has_bit(&s->own, q, y);
        }
    }
    leave_out(&s->own, &a);
    leave_out(&s->any, &a);
out:
    free(a.queries);
    free(a.words);
    free(a.df);
    free(a.seen);
    free(a.begin);
    free(a.asks);
    nd_number_ids_free(&a.ids);
    return st;
}

void nd_strong_queries_free(nd_strong_queries *queries) {
    free(queries->poor);
    free(queries->tally);
    nd_overlap_sample_free(&queries->own);
    nd_overlap_sample_free(&queries->any);
    *queries = (nd_strong_queries){0};
}
