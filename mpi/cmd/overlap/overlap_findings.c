#include "mpi/cmd/overlap/overlap_findings.h"

#include "io/store/external_sort.h"
#include "mpi/cmd/run_pages.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== what is shared */

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;
enum { PAGE_BITS = 48 };
static const uint64_t PAGE_MASK = (UINT64_C(1) << PAGE_BITS) - 1;

/* ---- collections */

enum { COLLECTIONS_MOST = 512 /* that are compared at once */ };

static nd_status choose(nd_overlap_findings *f, uint64_t row, const char *name) {
    if (f->place[row] != UINT32_MAX) {
        return nd_fail(ND_ERR_USAGE, "--collections: '%s' is named twice", name);
    }
    if (f->count == COLLECTIONS_MOST) {
        return nd_fail(ND_ERR_USAGE,
                       "%" PRIu64 " collections, and at most %d are compared at once: choose some "
                       "by --collections A,B,...",
                       f->names.count, (int)COLLECTIONS_MOST);
    }
    f->place[row] = (uint32_t)f->count;
    f->row[f->count++] = row;
    return ND_OK;
}

static nd_status choose_collections(nd_overlap_findings *f) {
    nd_status st = ND_OK;
    const char *names = f->wish->collections;
    ND_TRY(nd_collection_names_read(f->result, &f->names));
    const uint64_t all = f->names.count;
    nd_new(&f->row, nd_min(all, COLLECTIONS_MOST), sizeof *f->row);
    nd_new_room(&f->place, all, sizeof *f->place);
    memset(f->place, 0xff, all * sizeof *f->place);
    for (uint64_t row = 0; row < all && names == NULL; row++) {
        ND_TRY(choose(f, row, ""));
    }
    for (const char *name = names; name != NULL;) {
        const nd_span wanted = {(const uint8_t *)name, strcspn(name, ",")};
        uint64_t row = 0;
        while (row < all && !nd_span_is_equal(nd_text_column_at(&f->names, row), wanted)) {
            row++;
        }
        if (row == all) {
            return nd_fail(ND_ERR_USAGE,
                           "--collections: %s has no collection '%.*s' (neardup inspect --sources "
                           "lists them)",
                           f->result->path, (int)nd_min(wanted.size, 200), name);
        }
        ND_TRY(choose(f, row, name));
        name = name[wanted.size] == ',' ? name + wanted.size + 1 : NULL;
    }
    if (f->count < 2) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: one collection: there is nothing to compare (neardup partition "
                       "NAME=INPUT NAME=INPUT ... names collections)",
                       f->result->path);
    }
    const char *fixed = f->wish->fixed;
    while (fixed != NULL && f->fixed < f->count &&
           !nd_span_is_equal(nd_overlap_name(f, f->fixed, ""), nd_span_of(fixed))) {
        f->fixed++;
    }
    if (f->fixed == f->count) {
        st = nd_fail(ND_ERR_USAGE, "--fixed: '%s' is none of the collections that are compared",
                     fixed);
    }
out:
    return st;
}

nd_span nd_overlap_name(const nd_overlap_findings *findings, size_t x, const char *none) {
    const nd_span name = nd_text_column_at(&findings->names, findings->row[x]);
    return name.size > 0 ? name : nd_span_of(none);
}

/* ---- pages by thing */

/* A block of the columns that say of what thing a page is. */
typedef struct block {
    uint16_t *collection;
    uint64_t *thing; /* or offsets of URLs: one more */
    nd_buffer urls;
    nd_key_value *records;
} block;

/* The hashes of URLs in place of their offsets; 0: there is none. */
static nd_status read_urls(const nd_result *result, uint64_t begin, uint64_t count, block *b) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_texts_read(result, "/pages/url_offset", "/pages/url_bytes", begin, count,
                                b->thing, &b->urls));
    const uint64_t first = b->thing[0];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size = b->thing[i + 1] - b->thing[i];
        b->thing[i] =
            size == 0 ? 0 : nd_max(1, XXH3_64bits(b->urls.data + (b->thing[i] - first), size));
    }
out:
    return st;
}

static nd_status sort_pages(nd_overlap_findings *f, nd_thing thing, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    const nd_result *result = f->result;
    block b = {.collection = NULL};
    const uint64_t pages = result->shape.pages;
    const uint64_t most = nd_min(pages, ROWS_AT_ONCE);
    nd_new_room(&b.collection, most, sizeof *b.collection);
    nd_new_room(&b.thing, most + 1, sizeof *b.thing);
    nd_new_room(&b.records, most, sizeof *b.records);
    if (pages > PAGE_MASK) {
        st = nd_fail(ND_ERR_LIMIT, "%s: too many pages", result->path);
        goto out;
    }
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        uint64_t kept = 0;
        ND_TRY(
            nd_result_read(result, "/pages/collection", ND_COLUMN_U16, begin, count, b.collection));
        ND_TRY(thing == ND_THING_URL
                   ? read_urls(result, begin, count, &b)
                   : nd_result_read(result,
                                    thing == ND_THING_SET ? "/pages/set" : "/pages/exact_of",
                                    ND_COLUMN_U64, begin, count, b.thing));
        for (uint64_t i = 0; i < count; i++) {
            if (b.collection[i] >= f->names.count) {
                st = nd_result_damaged(
                    result, "/pages/collection: page %" PRIu64 ": no such collection", begin + i);
                goto out;
            }
            const uint64_t place = f->place[b.collection[i]];
            if (place == UINT32_MAX) {
                continue;
            }
            if (thing == ND_THING_URL && b.thing[i] == 0) {
                f->without_url++;
                continue;
            }
            b.records[kept++] = (nd_key_value){b.thing[i], place << PAGE_BITS | (begin + i)};
        }
        ND_TRY(nd_external_sort_add(sorted, b.records, kept));
    }
out:
    free(b.collection);
    free(b.thing);
    free(b.records);
    nd_buffer_free(&b.urls);
    return st;
}

/* Count a thing, and offer the pages of a set to the samples: each, and of each collection the
 * first, by which the set is drawn.
 * \param[in] parts  by collection, ascending \param[in] pages  those of the first part, ascending,
 *                   then those of the next ... */
static void take_thing(nd_overlap_findings *f, nd_thing thing, const nd_overlap_part *parts,
                       size_t count, const uint64_t *pages) {
    uint64_t in[COLLECTIONS_MOST / 64] = {0};
    nd_overlap_counts_add(&f->counts[thing], parts, count);
    for (size_t i = 0; i < count; i++) {
        in[parts[i].collection / 64] |= UINT64_C(1) << parts[i].collection % 64;
    }
    for (size_t i = 0; i < count && thing == ND_THING_SET && f->wish->sample > 0; i++) {
        const size_t x = parts[i].collection;
        for (uint64_t p = 0; p < parts[i].pages; p++) {
            const uint64_t order = XXH3_64bits_withSeed(&pages[p], sizeof pages[p], f->wish->seed);
            if (p == 0) {
                nd_overlap_sample_offer(&f->by_set, x, order, pages[p], in);
            }
            nd_overlap_sample_offer(&f->by_page, x, order, pages[p], in);
        }
        pages += parts[i].pages;
    }
}

/* All things of the collections. Takes 8 bytes a page of the largest thing besides the memory for
 * sorting, and sorts in `folder` beyond that. */
static nd_status walk_things(nd_overlap_findings *f, nd_thing thing, nd_spool_folder *folder) {
    nd_status st = ND_OK;
    nd_external_sort sorted = {0};
    nd_overlap_part *parts = NULL;
    uint64_t *pages = NULL;
    size_t capacity = 0;
    nd_key_value record = {0};
    bool any = false;
    nd_overlap_counts_open(&f->counts[thing], f->count);
    nd_external_sort_open(&sorted, folder, sizeof record, &nd_by_key_then_value, f->wish->memory);
    nd_new_room(&parts, f->count, sizeof *parts);
    ND_TRY(sort_pages(f, thing, &sorted));
    ND_TRY(nd_external_sort_finish(&sorted));
    ND_TRY(nd_external_sort_take(&sorted, &record, &any));
    while (any) {
        const uint64_t key = record.key;
        size_t part_count = 0;
        size_t count = 0;
        while (any && record.key == key) {
            const uint32_t place = (uint32_t)(record.value >> PAGE_BITS);
            if (part_count == 0 || parts[part_count - 1].collection != place) {
                parts[part_count++] = (nd_overlap_part){.collection = place};
            }
            parts[part_count - 1].pages++;
            nd_grow(&pages, &capacity, count + 1, sizeof *pages);
            pages[count++] = record.value & PAGE_MASK;
            ND_TRY(nd_external_sort_take(&sorted, &record, &any));
        }
        take_thing(f, thing, parts, part_count, pages);
    }
out:
    nd_external_sort_close(&sorted);
    free(parts);
    free(pages);
    return st;
}

/* ==== How well one can find out by questions alone whether a collection has a page, as Bharat and
 * Broder had to: the strong query of a page is the conjunction of its ND_QUERY_WORDS words that the
 * fewest pages have, and a collection has the page if something answers it. Here every page of a
 * result answers, so that what a query misses, and what else it finds, can be counted. Words are
 * compared by 64-bit hashes; of a text without spaces a word is a character. */

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
    nd_overlap_findings *f; /* of each collection the pages drawn first are asked */
    nd_shown_run *run;
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

static nd_status list_queries(asking *a) {
    nd_status st = ND_OK;
    const nd_overlap_sample *drawn = &a->f->by_set;
    size_t capacity = 0;
    for (size_t x = 0; x < drawn->collections; x++) {
        for (size_t i = 0; i < nd_min(a->f->wish->queries, drawn->of[x].count); i++) {
            nd_grow(&a->queries, &capacity, a->count + 1, sizeof *a->queries);
            query *q = &a->queries[a->count++];
            *q = (query){.page = nd_overlap_drawn_at(drawn, x, i)[ND_SAMPLE_PAGE]};
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
        a->f->poor[q->x] += !q->asked;
        nd_shown_page_free(&page);
    }
    nd_number_ids_open(&a->ids, a->word_count + 1);
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
        if (a->f->place[pages.rows.collection[pages.place]] == UINT32_MAX) {
            continue;
        }
        ND_TRY(nd_run_pages_make(&pages, &maker));
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
            const size_t y = a->f->place[pages->rows.collection[pages->place]];
            set_bit(&a->f->any, q, y);
            if (pages->rows.set[pages->place] == q->set) {
                set_bit(&a->f->own, q, y);
            }
        }
    }
}

/* Room for the answers to what was drawn first: as drawn, with no collection but the page's own. */
static void copy_drawn(const nd_overlap_sample *drawn, size_t most, nd_overlap_sample *copy) {
    uint64_t none[COLLECTIONS_MOST / 64] = {0};
    nd_overlap_sample_open(copy, drawn->collections, most);
    for (size_t x = 0; x < drawn->collections; x++) {
        none[x / 64] = UINT64_C(1) << x % 64;
        for (size_t i = 0; i < nd_min(most, drawn->of[x].count); i++) {
            const uint64_t *record = nd_overlap_drawn_at(drawn, x, i);
            nd_overlap_sample_offer(copy, x, record[ND_SAMPLE_ORDER], record[ND_SAMPLE_PAGE], none);
        }
        none[x / 64] = 0;
    }
    nd_overlap_sample_finish(copy);
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

/* All pages are read twice. */
static nd_status ask_queries(nd_overlap_findings *f, nd_shown_run *run) {
    nd_status st = ND_OK;
    asking a = {.f = f, .run = run};
    nd_new(&f->poor, f->count, sizeof *f->poor);
    nd_new(&f->tally, f->count * f->count, sizeof *f->tally);
    copy_drawn(&f->by_set, f->wish->queries, &f->own);
    copy_drawn(&f->by_set, f->wish->queries, &f->any);
    ND_TRY(list_queries(&a));
    ND_TRY(read_words(&a));
    ND_TRY(walk(&a, count_page));
    choose_words(&a);
    ND_TRY(walk(&a, answer));
    for (size_t i = 0; i < a.count; i++) {
        const query *q = &a.queries[i];
        for (size_t y = 0; q->asked && y < f->count; y++) {
            nd_query_tally *t = &f->tally[q->x * f->count + y];
            t->has += has_bit(&f->by_set, q, y);
            t->found += has_bit(&f->own, q, y);
            t->other += has_bit(&f->any, q, y) && !has_bit(&f->own, q, y);
        }
    }
    leave_out(&f->own, &a);
    leave_out(&f->any, &a);
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

/* ==== all */

static void estimate(nd_overlap_findings *f, const nd_overlap_sample *sample,
                     nd_size_estimates *sizes) {
    nd_size_estimates_make(sizes, sample, f->fixed, f->wish->resamples, f->wish->seed);
}

nd_status nd_overlap_find(nd_overlap_findings *findings, nd_shown_run *run,
                          const nd_overlap_wish *wish) {
    nd_status st = ND_OK;
    char path[sizeof run->result->path + 16];
    nd_overlap_findings *f = findings;
    *f = (nd_overlap_findings){.result = run->result, .wish = wish};
    (void)snprintf(path, sizeof path, "%s.spill", run->result->path);
    nd_spool_folder folder = {.path = path, .unnamed = true};
    ND_TRY(choose_collections(f));
    if (wish->sample > 0) {
        nd_overlap_sample_open(&f->by_set, f->count, wish->sample);
        nd_overlap_sample_open(&f->by_page, f->count, wish->sample);
    }
    for (int thing = 0; thing < ND_THINGS; thing++) {
        ND_TRY(walk_things(f, (nd_thing)thing, &folder));
    }
    if (wish->sample > 0) {
        nd_overlap_sample_finish(&f->by_set);
        nd_overlap_sample_finish(&f->by_page);
        estimate(f, &f->by_set, &f->set_sizes);
        estimate(f, &f->by_page, &f->page_sizes);
    }
    if (wish->queries > 0) {
        ND_TRY(ask_queries(f, run));
        estimate(f, &f->own, &f->own_sizes);
        estimate(f, &f->any, &f->any_sizes);
    }
out:
    if (folder.next > 0) {
        (void)rmdir(path);
    }
    return st;
}

void nd_overlap_findings_free(nd_overlap_findings *findings) {
    nd_overlap_findings *f = findings;
    nd_text_column_free(&f->names);
    free(f->row);
    free(f->place);
    for (int thing = 0; thing < ND_THINGS; thing++) {
        nd_overlap_counts_free(&f->counts[thing]);
    }
    nd_overlap_sample *const samples[] = {&f->by_set, &f->by_page, &f->own, &f->any};
    nd_size_estimates *const sizes[] = {&f->set_sizes, &f->page_sizes, &f->own_sizes,
                                        &f->any_sizes};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        nd_overlap_sample_free(samples[i]);
        nd_size_estimates_free(sizes[i]);
    }
    free(f->poor);
    free(f->tally);
}
