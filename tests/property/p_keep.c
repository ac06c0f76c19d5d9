/* Which pages of a set are kept, against a plain second way: every page is compared with every
 * other by facts written out as a list of numbers. And what wishes are refused. */
#include "src/base/buffer.h"
#include "src/sets/keep.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

enum { COLLECTIONS = 4, LARGEST = 12, ROUNDS = 60000, MOST_RULES = 4 };

static const char *const names[COLLECTIONS] = {"", "a", "b-c", "d"};
static const nd_span spans[COLLECTIONS] = {{(const uint8_t *)"", 0},
                                           {(const uint8_t *)"a", 1},
                                           {(const uint8_t *)"b-c", 3},
                                           {(const uint8_t *)"d", 1}};

static const char *const rules[] = {"representative", "first",  "longest",      "earliest",
                                    "latest",         "https",  "shortest-url", "surt",
                                    "field:a.b",      "field:c"};
enum { RULES = sizeof rules / sizeof rules[0], SURT = RULES - 3 };

/* How good a page is by a rule: more is better. Rules from RULES on are collections. */
static double worth(size_t rule, const nd_keep_page *p) {
    const double worths[RULES] = {p->representative ? 1 : 0,
                                  -(double)p->page,
                                  p->tokens,
                                  p->date == 0 ? -1e300 : -(double)p->date,
                                  (double)p->date,
                                  p->https ? 1 : 0,
                                  p->url_bytes == 0 ? -1e300 : -(double)p->url_bytes,
                                  -(double)p->order[0],
                                  -(double)p->order[1],
                                  -(double)p->order[2]};
    return rule < RULES ? worths[rule] : p->collection == rule - RULES;
}

/* Is a strictly better than b? */
static bool beats(const size_t *list, size_t count, const nd_keep_page *a, const nd_keep_page *b) {
    for (size_t i = 0; i < count; i++) {
        if (worth(list[i], a) > worth(list[i], b)) {
            return true;
        }
        if (worth(list[i], a) < worth(list[i], b)) {
            return false;
        }
    }
    return a->page < b->page;
}

static bool is_protected(unsigned protect, const nd_keep_page *page) {
    return (protect >> page->collection & 1) != 0;
}

/* The page that stands for page i, by asking of each whether any other is to be had sooner. */
static uint64_t slow_kept(const size_t *list, size_t count, bool each, unsigned protect,
                          const nd_keep_page *pages, size_t page_count, size_t i) {
    bool any_protected = false;
    for (size_t j = 0; j < page_count; j++) {
        any_protected = any_protected || is_protected(protect, &pages[j]);
    }
    if (is_protected(protect, &pages[i])) {
        return pages[i].page;
    }
    for (size_t j = 0; j < page_count; j++) {
        bool best = each ? pages[j].collection == pages[i].collection
                         : !any_protected || is_protected(protect, &pages[j]);
        for (size_t k = 0; k < page_count && best; k++) {
            const bool rival = each ? pages[k].collection == pages[i].collection
                                    : !any_protected || is_protected(protect, &pages[k]);
            best = k == j || !rival || beats(list, count, &pages[j], &pages[k]);
        }
        if (best) {
            return pages[j].page;
        }
    }
    return UINT64_MAX;
}

/* Orders go by the rules that ask for them, one after the other. */
static void put_orders(const size_t *list, size_t count, nd_keep_page *pages, size_t page_count) {
    for (size_t p = 0; p < page_count; p++) {
        const nd_keep_page had = pages[p];
        size_t order = 0;
        memset(pages[p].order, 0, sizeof pages[p].order);
        for (size_t i = 0; i < count; i++) {
            if (list[i] >= SURT && list[i] < RULES) {
                pages[p].order[order++] = had.order[list[i] - SURT];
            }
        }
    }
}

static size_t make_set(nd_random *random, nd_keep_page *pages) {
    const size_t count = 1 + nd_random_below(random, LARGEST);
    const size_t leads = nd_random_below(random, count);
    uint64_t page = nd_random_below(random, 5);
    for (size_t i = 0; i < count; i++) { /* few values, so that many are equal */
        page += 1 + nd_random_below(random, 3);
        pages[i] =
            (nd_keep_page){.page = page,
                           .date = nd_random_below(random, 4) * 1000000007,
                           .tokens = (uint32_t)nd_random_below(random, 4) * UINT32_C(1000000),
                           .url_bytes = (uint32_t)nd_random_below(random, 4),
                           .collection = (uint32_t)nd_random_below(random, COLLECTIONS),
                           .order = {nd_random_below(random, 3), nd_random_below(random, 3),
                                     nd_random_below(random, 3)},
                           .https = nd_random_below(random, 2) == 0,
                           .representative = i == leads};
    }
    for (size_t i = count; i > 1; i--) {
        const size_t j = nd_random_below(random, i);
        const nd_keep_page other = pages[j];
        pages[j] = pages[i - 1];
        pages[i - 1] = other;
    }
    return count;
}

static void test_choice(void) {
    nd_random random = nd_test_random("keep");
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        char text[256] = "";
        char protected[64] = "";
        size_t list[MOST_RULES];
        const size_t count = 1 + nd_random_below(&random, MOST_RULES);
        for (size_t i = 0; i < count; i++) {
            list[i] = nd_random_below(&random, RULES + COLLECTIONS);
            strcat(text, i == 0 ? "" : ",");
            strcat(text, list[i] < RULES ? rules[list[i]] : "collection:");
            strcat(text, list[i] < RULES ? "" : names[list[i] - RULES]);
        }
        const unsigned protect = (unsigned)nd_random_below(&random, 2) *
                                 (unsigned)nd_random_below(&random, 1 << COLLECTIONS);
        for (unsigned c = 0, first = 1; c < COLLECTIONS; c++) {
            if ((protect >> c & 1) != 0) {
                strcat(protected, first ? "" : ",");
                strcat(protected, names[c]);
                first = 0;
            }
        }
        const nd_keep_wish wish = {.rules = text,
                                   .each_collection = nd_random_below(&random, 2) == 0,
                                   .protect = protect == 0 ? NULL : protected};
        nd_keep *keep = NULL;
        CU_ASSERT_EQUAL_FATAL(nd_keep_open(&wish, spans, COLLECTIONS, &keep), ND_OK);
        const char *field = NULL;
        for (size_t i = 0, order = 0; i < count; i++) {
            if (list[i] >= SURT && list[i] < RULES) {
                CU_ASSERT(nd_keep_order(keep, order++, &field));
                CU_ASSERT(list[i] == SURT
                              ? field == NULL
                              : field != NULL && strcmp(field, rules[list[i]] + 6) == 0);
            }
        }
        for (int set = 0; set < 3; set++) {
            nd_keep_page pages[LARGEST];
            nd_keep_page asked[LARGEST];
            uint64_t kept[LARGEST];
            const size_t pages_in = make_set(&random, pages);
            memcpy(asked, pages, sizeof asked);
            put_orders(list, count, asked, pages_in);
            nd_keep_choose(keep, asked, pages_in, kept);
            for (size_t i = 0; i < pages_in; i++) {
                CU_ASSERT_EQUAL(kept[i], slow_kept(list, count, wish.each_collection, protect,
                                                   pages, pages_in, i));
                for (size_t j = 0; j < pages_in; j++) { /* who stands for another is kept */
                    CU_ASSERT(pages[j].page != kept[i] || kept[j] == kept[i]);
                }
            }
        }
        nd_keep_close(&keep);
    }
}

static void check_refused(const char *text, const char *protect, const char *says) {
    nd_keep *keep = NULL;
    const nd_keep_wish wish = {.rules = text, .protect = protect};
    CU_ASSERT_EQUAL(nd_keep_open(&wish, spans, COLLECTIONS, &keep), ND_ERR_USAGE);
    CU_ASSERT_PTR_NULL(keep);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), says));
}

static void test_refused(void) {
    check_refused("", NULL, "no rule ''");
    check_refused("longest,", NULL, "no rule ''");
    check_refused("longest,newest", NULL, "no rule 'newest'; there are: representative, first");
    check_refused("field:", NULL, "no rule 'field:'");
    check_refused("surt,surt,surt,surt,field:x", NULL, "more than 4 rules");
    check_refused("collection", NULL, "no rule 'collection'");
    check_refused("collection:b,c", NULL, "no collection b; it has:  , a, b-c, d");
    check_refused(NULL, "a,x", "--protect: the result has no collection x");
}

static const nd_test tests[] = {{"the choice in a set", test_choice},
                                {"what is refused", test_refused}};

ND_SUITE(p_keep, tests)
