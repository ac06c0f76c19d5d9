#include "src/sets/keep.h"

#include "src/base/buffer.h"

#include <stdlib.h>
#include <string.h>

static const char *const rule_names[ND_KEEP_RULES] = {
    "representative", "first",        "longest", "earliest",        "latest",
    "https",          "shortest-url", "surt",    "collection:NAME", "field:NAME"};
static const char COLLECTION[] = "collection:";
static const char FIELD[] = "field:";

const char *nd_keep_rule_name(size_t i) {
    return i < ND_KEEP_RULES ? rule_names[i] : NULL;
}

/* A rule of the list. */
typedef struct listed_rule {
    nd_keep_rule rule;
    uint32_t collection; /* of ND_KEEP_COLLECTION */
    size_t order;        /* of ND_KEEP_SURT and ND_KEEP_FIELD */
} listed_rule;

struct nd_keep {
    listed_rule *rules;
    size_t rule_count, rule_capacity;
    char *fields[ND_KEEP_ORDERS]; /* NULL: SURT */
    size_t order_count;
    bool each_collection;
    bool *protected; /* by collection */
    size_t *best;    /* scratch: by collection, or one for all, place + 1 of the best page; 0 */
};

/* ---- reading a wish */

/* The next word of a list, as a text. \return false after the last */
static bool next_word(const char **list, nd_buffer *word) {
    word->size = 0;
    if (*list == NULL) {
        return false;
    }
    const size_t size = strcspn(*list, ",");
    nd_buffer_append(word, *list, size);
    nd_buffer_append(word, "", 1);
    *list = (*list)[size] == ',' ? *list + size + 1 : NULL;
    return true;
}

static nd_status find_collection(const char *option, const char *name, const nd_span *collections,
                                 size_t count, uint32_t *found) {
    char known[ND_FAIL_TEXT_SIZE / 2] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const nd_span *is = &collections[i];
        if (is->size == strlen(name) && (is->size == 0 || memcmp(is->data, name, is->size) == 0)) {
            *found = (uint32_t)i;
            return ND_OK;
        }
        if (is->size + sizeof ", " < sizeof known - used) {
            memcpy(known + used, i == 0 ? "  " : ", ", 2);
            memcpy(known + used + 2, is->data, is->size);
            used += is->size + 2;
            known[used] = '\0';
        }
    }
    return nd_fail(ND_ERR_USAGE, "--%s: the result has no collection %s; it has:%s", option, name,
                   known);
}

static nd_status add_rule(nd_keep *keep, const char *name, const nd_span *collections,
                          size_t count) {
    nd_status st = ND_OK;
    listed_rule rule = {.rule = ND_KEEP_REPRESENTATIVE, .order = keep->order_count};
    if (strncmp(name, COLLECTION, sizeof COLLECTION - 1) == 0) {
        rule.rule = ND_KEEP_COLLECTION;
        ND_TRY(find_collection("keep", name + sizeof COLLECTION - 1, collections, count,
                               &rule.collection));
    } else if (strncmp(name, FIELD, sizeof FIELD - 1) == 0 && name[sizeof FIELD - 1] != '\0') {
        rule.rule = ND_KEEP_FIELD;
    } else {
        while (rule.rule < ND_KEEP_COLLECTION && strcmp(name, rule_names[rule.rule]) != 0) {
            rule.rule++;
        }
        rule.rule = rule.rule < ND_KEEP_COLLECTION ? rule.rule : ND_KEEP_RULES;
    }
    if (rule.rule == ND_KEEP_SURT || rule.rule == ND_KEEP_FIELD) {
        if (keep->order_count == ND_KEEP_ORDERS) {
            st = nd_fail(ND_ERR_USAGE, "--keep: more than %d rules of surt and field:NAME",
                         (int)ND_KEEP_ORDERS);
            goto out;
        }
        if (rule.rule == ND_KEEP_FIELD) {
            const char *field = name + sizeof FIELD - 1;
            char *copy = NULL;
            nd_new(&copy, strlen(field) + 1, 1);
            keep->fields[keep->order_count] = strcpy(copy, field);
        }
        keep->order_count++;
    }
    if (rule.rule == ND_KEEP_RULES) {
        char known[ND_FAIL_TEXT_SIZE / 2] = "";
        for (size_t i = 0; i < ND_KEEP_RULES; i++) {
            strcat(known, i == 0 ? "" : ", ");
            strcat(known, rule_names[i]);
        }
        st = nd_fail(ND_ERR_USAGE, "--keep: there is no rule '%s'; there are: %s", name, known);
        goto out;
    }
    nd_grow(&keep->rules, &keep->rule_capacity, keep->rule_count + 1, sizeof *keep->rules);
    keep->rules[keep->rule_count++] = rule;
out:
    return st;
}

nd_status nd_keep_open(const nd_keep_wish *wish, const nd_span *collections, size_t count,
                       nd_keep **out) {
    nd_status st = ND_OK;
    nd_keep *keep = NULL;
    nd_buffer word = {0};
    const char *list = wish->rules != NULL ? wish->rules : rule_names[ND_KEEP_REPRESENTATIVE];
    *out = NULL;
    nd_new(&keep, 1, sizeof *keep);
    keep->each_collection = wish->each_collection;
    nd_new(&keep->protected, count + 1, sizeof *keep->protected);
    nd_new(&keep->best, count + 1, sizeof *keep->best);
    while (next_word(&list, &word)) {
        ND_TRY(add_rule(keep, (const char *)word.data, collections, count));
    }
    ND_TRY(st);
    list = wish->protect;
    while (next_word(&list, &word)) {
        uint32_t collection = 0;
        ND_TRY(
            find_collection("protect", (const char *)word.data, collections, count, &collection));
        keep->protected[collection] = true;
    }
    ND_TRY(st);
    *out = keep;
    keep = NULL;
out:
    nd_buffer_free(&word);
    nd_keep_close(&keep);
    return st;
}

void nd_keep_close(nd_keep **keep) {
    if (*keep != NULL) {
        free((*keep)->rules);
        free((*keep)->protected);
        free((*keep)->best);
        for (size_t i = 0; i < ND_KEEP_ORDERS; i++) {
            free((*keep)->fields[i]);
        }
    }
    free(*keep);
    *keep = NULL;
}

bool nd_keep_asks(const nd_keep *keep, nd_keep_rule rule) {
    bool asks = false;
    for (size_t i = 0; i < keep->rule_count; i++) {
        asks = asks || keep->rules[i].rule == rule;
    }
    return asks;
}

bool nd_keep_order(const nd_keep *keep, size_t i, const char **field) {
    *field = i < keep->order_count ? keep->fields[i] : NULL;
    return i < keep->order_count;
}

/* ---- choosing */

/* What a rule says of a page: the smaller, the sooner it is kept. */
static uint64_t rank_of(const listed_rule *rule, const nd_keep_page *page) {
    switch (rule->rule) {
    case ND_KEEP_REPRESENTATIVE:
        return !page->representative;
    case ND_KEEP_FIRST:
        return page->page;
    case ND_KEEP_LONGEST:
        return UINT32_MAX - page->tokens;
    case ND_KEEP_EARLIEST:
        return page->date - 1; /* unknown: the last of all */
    case ND_KEEP_LATEST:
        return UINT64_MAX - page->date;
    case ND_KEEP_HTTPS:
        return !page->https;
    case ND_KEEP_SHORTEST_URL:
        return page->url_bytes - UINT64_C(1);
    case ND_KEEP_COLLECTION:
        return page->collection != rule->collection;
    case ND_KEEP_SURT:
    case ND_KEEP_FIELD:
        return page->order[rule->order];
    case ND_KEEP_RULES:
        break;
    }
    return 0;
}

static bool is_sooner(const nd_keep *keep, const nd_keep_page *a, const nd_keep_page *b) {
    if (a->addition != b->addition) {
        return a->addition < b->addition;
    }
    if (a->revisit != b->revisit) {
        return b->revisit;
    }
    for (size_t i = 0; i < keep->rule_count; i++) {
        const uint64_t x = rank_of(&keep->rules[i], a);
        const uint64_t y = rank_of(&keep->rules[i], b);
        if (x != y) {
            return x < y;
        }
    }
    return a->page < b->page;
}

static void take_better(const nd_keep *keep, const nd_keep_page *pages, size_t i, size_t *best) {
    if (*best == 0 || is_sooner(keep, &pages[i], &pages[*best - 1])) {
        *best = i + 1;
    }
}

void nd_keep_choose(nd_keep *keep, const nd_keep_page *pages, size_t count, uint64_t *kept) {
    size_t best_protected = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t group = keep->each_collection ? pages[i].collection : 0;
        take_better(keep, pages, i, &keep->best[group]);
        if (keep->protected[pages[i].collection] && !keep->each_collection) {
            take_better(keep, pages, i, &best_protected);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t group = keep->each_collection ? pages[i].collection : 0;
        const size_t best = best_protected > 0 ? best_protected : keep->best[group];
        kept[i] = keep->protected[pages[i].collection] ? pages[i].page : pages[best - 1].page;
    }
    for (size_t i = 0; i < count; i++) {
        keep->best[keep->each_collection ? pages[i].collection : 0] = 0;
    }
}
