#include "src/synth/corpus_plan.h"

#include "src/base/util.h"
#include "src/synth/markup.h"
#include "src/synth/story.h"

#include <stdlib.h>

/* ==== sites */

static const double SPACED_SHARE = .6;

nd_site_traits nd_site_traits_get(uint64_t seed, uint64_t site) {
    nd_random random = nd_draw_stream(seed, ND_DRAW_SITE, site);
    nd_site_traits t = {.site = site};
    const bool spaced = nd_draw_chance(&random, SPACED_SHARE);
    t.language = spaced || site == 0 ? ND_LANGUAGE_SPACED : ND_LANGUAGE_CHINESE;
    t.template_share =
        ND_TEMPLATE_LEAST + (ND_TEMPLATE_MOST - ND_TEMPLATE_LEAST) * nd_draw_share(&random);
    t.semantic = nd_draw_chance(&random, .5);
    t.stamped = nd_draw_chance(&random, .5);
    t.related = nd_draw_chance(&random, .5);
    t.teasers = nd_draw_chance(&random, .5);
    return t;
}

/* ==== pages */

/* Clusters have k pages with probability proportional to k^-2.1 from two pages on: as many near
 * copies as Henzinger (SIGIR 2006) and Fetterly, Manasse and Najork (2003) found. How many have one
 * page follows from the mean. */
static const uint64_t LARGEST_CLUSTER = 100000;
static const uint64_t LARGEST_CLUSTER_SHARE = 100; /* and one in so many pages */
static const double CLUSTER_MEAN[] = {[ND_PROFILE_ARCHIVE] = 6, [ND_PROFILE_CRAWL] = 1.4};

static const double LARGE_TEMPLATE = .55;
static const uint64_t PAGES_PER_SITE = 100;
static const uint64_t LEAST_WORDS = 60;
/* Of the stories, so many stand in the later design of their site. */
static const double REDESIGNED_SHARE = .5;
/* Bytes of HTML that a word of a story takes, as measured. */
static const double WORD_BYTES[] = {[ND_LANGUAGE_SPACED] = 12.5, [ND_LANGUAGE_CHINESE] = 12.3};

enum { FEISTEL_ROUNDS = 4, PER_MILLE = 1000 };

/* Of 1000 copies, so many are of each class. */
static const uint64_t copy_weights[ND_PAGE_CLASSES] = {
    [ND_PAGE_SAME] = 200,     [ND_PAGE_STAMPED] = 250,  [ND_PAGE_INSERTED] = 120,
    [ND_PAGE_REVISED] = 130,  [ND_PAGE_EXTENDED] = 80,  [ND_PAGE_NOISY] = 80,
    [ND_PAGE_REORDERED] = 40, [ND_PAGE_REWRITTEN] = 50, [ND_PAGE_PARTIAL] = 50,
};

/* Pages that look alike: their share of 1000 pages, and how many are of a family. */
typedef struct family_kind {
    nd_page_class class;
    uint64_t share;
    uint64_t members;
} family_kind;

static const family_kind family_kinds[] = {
    {ND_PAGE_TEMPLATE, 20, 10}, {ND_PAGE_FORM, 30, 100},    {ND_PAGE_SERIES, 20, 3},
    {ND_PAGE_QUOTING, 30, 8},   {ND_PAGE_HEADLINES, 20, 8}, {ND_PAGE_TOPIC, 20, 5},
    {ND_PAGE_ERROR, 20, 1},
};
enum { FAMILY_KINDS = sizeof family_kinds / sizeof family_kinds[0] };

/* Neighbouring slots of stories or families of one size. */
typedef struct plan_row {
    uint64_t first_slot;
    uint64_t first_story;
    uint64_t size;
    nd_page_class class; /* of the first page of each */
} plan_row;

struct nd_corpus_plan {
    nd_corpus_options options;
    plan_row *rows;
    size_t row_count, row_capacity;
    uint64_t slots, stories; /* in the rows so far */
    unsigned half_bits;      /* of a half of the Feistel network's block */
    uint64_t keys[FEISTEL_ROUNDS];
};

/* ---- cluster sizes */

/* size^-2.1, its tenth root by Newton's method: pow() may differ in its last bit from machine to
 * machine. */
static double size_weight(uint64_t size) {
    const double k = (double)size;
    double root = k < 2 ? 1 : 2;
    for (int i = 0; i < 60; i++) {
        double ninth = 1;
        for (int j = 0; j < 9; j++) {
            ninth *= root;
        }
        root -= (ninth * root - k) / (10 * ninth);
    }
    return 1 / (k * k * root);
}

static void add_row(nd_corpus_plan *plan, nd_page_class class, uint64_t size, uint64_t stories) {
    if (stories == 0) {
        return;
    }
    nd_grow(&plan->rows, &plan->row_capacity, plan->row_count + 1, sizeof *plan->rows);
    plan->rows[plan->row_count++] = (plan_row){plan->slots, plan->stories, size, class};
    plan->slots += size * stories;
    plan->stories += stories;
}

/* Clusters of `pages` pages, large ones first; of the expected number of clusters of a size or
 * larger, the whole part is taken. */
static void add_stories(nd_corpus_plan *plan, uint64_t pages) {
    const double mean = CLUSTER_MEAN[plan->options.profile];
    const uint64_t largest = nd_max(2, nd_min(pages / LARGEST_CLUSTER_SHARE, LARGEST_CLUSTER));
    double weights = 0;
    double weighted_sizes = 0;
    for (uint64_t k = largest; k >= 2; k--) {
        weights += size_weight(k);
        weighted_sizes += size_weight(k) * (double)k;
    }
    const double mean_of_many = weighted_sizes / weights;
    const double one = mean < mean_of_many ? (mean_of_many - mean) / (mean_of_many - 1) : 0;
    const double stories = (double)pages / (one + (1 - one) * mean_of_many);
    const uint64_t end = plan->slots + pages;
    double expected = 0;
    uint64_t taken = 0;
    for (uint64_t k = largest; k >= 2; k--) {
        expected += stories * (1 - one) * size_weight(k) / weights;
        const uint64_t room = (end - plan->slots) / k;
        const uint64_t count = nd_min((uint64_t)expected - taken, room);
        taken += count;
        add_row(plan, ND_PAGE_ORIGINAL, k, count);
    }
    add_row(plan, ND_PAGE_ORIGINAL, 1, end - plan->slots);
}

/* ---- the order of the pages */

static uint64_t slot_of(const nd_corpus_plan *plan, uint64_t page) {
    const uint64_t mask = (UINT64_C(1) << plan->half_bits) - 1;
    uint64_t slot = page;
    do { /* the block is less than four times as large as the corpus */
        uint64_t left = slot >> plan->half_bits;
        uint64_t right = slot & mask;
        for (int i = 0; i < FEISTEL_ROUNDS; i++) {
            const uint64_t mixed = left ^ (nd_mix64(right ^ plan->keys[i]) & mask);
            left = right;
            right = mixed;
        }
        slot = left << plan->half_bits | right;
    } while (slot >= plan->options.pages);
    return slot;
}

/* ==== sites */

/* Some sites are large: the density falls with the square root of the site's number. */
static uint64_t draw_site(const nd_corpus_plan *plan, nd_random *random) {
    const nd_corpus_options *o = &plan->options;
    const bool first = o->skew > 0 && nd_draw_chance(random, o->skew);
    const uint64_t reserved = o->skew > 0 && o->sites > 1; /* site 0 has its share */
    const double share = nd_draw_share(random);
    const double others = (double)(o->sites - reserved);
    return first ? 0 : reserved + (uint64_t)(share * share * others);
}

/* ---- a page */

/* What all pages of a story or family have in common. \return share of its copies at home */
static double plan_story(const nd_corpus_plan *plan, nd_page_plan *p) {
    enum { TRIES = 64, FACTORS = 4 };
    const uint64_t seed = plan->options.seed;
    nd_random random = nd_draw_stream(seed, ND_DRAW_PLAN, p->story);
    const double at_home = .7 + .2 * nd_draw_share(&random);
    p->licence = nd_draw_chance(&random, plan->options.hot_key);
    p->redesigned = nd_draw_chance(&random, REDESIGNED_SHARE);
    p->home = draw_site(plan, &random);
    for (int i = 0; i < TRIES && p->class == ND_PAGE_TEMPLATE &&
                    nd_site_traits_get(seed, p->home).template_share < LARGE_TEMPLATE;
         i++) { /* a large one, if one is found */
        p->home = draw_site(plan, &random);
    }
    /* the product of a few factors of mean 1 has about the shape of a logarithmic normal
     * distribution */
    double words = nd_corpus_story_bytes(&plan->options) /
                   WORD_BYTES[nd_site_traits_get(seed, p->home).language];
    for (int i = 0; i < FACTORS; i++) {
        words *= .3 + 1.4 * nd_draw_share(&random);
    }
    p->words = words < (double)LEAST_WORDS ? LEAST_WORDS : (uint64_t)words;
    return at_home;
}

void nd_corpus_plan_page(const nd_corpus_plan *plan, uint64_t page, nd_page_plan *p) {
    enum { TRIES = 32 };
    const uint64_t slot = slot_of(plan, page);
    size_t next = 0; /* the row after the slot's */
    ND_FIND_FIRST(next, 1, plan->row_count, plan->rows[next].first_slot > slot);
    const plan_row *row = &plan->rows[next - 1];
    nd_random random = nd_draw_stream(plan->options.seed, ND_DRAW_COPY, slot);
    *p = (nd_page_plan){.page = page, .class = row->class};
    p->story = row->first_story + (slot - row->first_slot) / row->size;
    p->member = (slot - row->first_slot) % row->size;
    double at_home = plan_story(plan, p);
    if (p->class == ND_PAGE_ORIGINAL) {
        at_home = p->member == 0 ? 1 : at_home;
        uint64_t draw = p->member == 0 ? 0 : nd_random_below(&random, PER_MILLE);
        while (p->member > 0 && draw >= copy_weights[p->class]) {
            draw -= copy_weights[p->class ++];
        }
    } else {
        p->licence = nd_draw_chance(&random, plan->options.hot_key);
        at_home = p->class == ND_PAGE_QUOTING || p->class == ND_PAGE_TOPIC ? 0 : 1;
    }
    p->site = p->home;
    if (!nd_draw_chance(&random, at_home)) {
        /* a site of the same language; home if there seems to be no other */
        const nd_language language = nd_site_traits_get(plan->options.seed, p->home).language;
        bool found = false;
        for (int i = 0; i < TRIES && !found; i++) {
            const uint64_t site = draw_site(plan, &random);
            found = nd_site_traits_get(plan->options.seed, site).language == language;
            p->site = found ? site : p->home;
        }
    }
    p->redesigned = p->redesigned != (p->class == ND_PAGE_SAME); /* in another template */
}

/* ---- the plan */

static nd_status check(const nd_corpus_options *o) {
    if (o->pages == 0 || o->pages > ND_CORPUS_MOST_PAGES) {
        return nd_fail(ND_ERR_USAGE, "--pages %llu: must be from 1 to %llu",
                       (unsigned long long)o->pages, (unsigned long long)ND_CORPUS_MOST_PAGES);
    }
    if (o->page_bytes < ND_CORPUS_LEAST_BYTES || o->page_bytes > UINT64_C(1) << 24) {
        return nd_fail(ND_ERR_USAGE, "--page-bytes %llu: must be from %llu to 16M",
                       (unsigned long long)o->page_bytes,
                       (unsigned long long)ND_CORPUS_LEAST_BYTES);
    }
    if (o->sites > o->pages) {
        return nd_fail(ND_ERR_USAGE, "--sites %llu: there are only %llu pages",
                       (unsigned long long)o->sites, (unsigned long long)o->pages);
    }
    if (!(o->skew >= 0 && o->skew <= 1)) {
        return nd_fail(ND_ERR_USAGE, "--skew %g: must be a share from 0 to 1", o->skew);
    }
    if (!(o->hot_key >= 0 && o->hot_key <= 1)) {
        return nd_fail(ND_ERR_USAGE, "--hot-key %g: must be a share from 0 to 1", o->hot_key);
    }
    if (o->text != 0 && nd_markup_share_check(o->text) != ND_OK) {
        return ND_ERR_USAGE;
    }
    if (nd_markup_share_of(o->page_bytes, o->text).plain_bytes < ND_CORPUS_LEAST_BYTES) {
        return nd_fail(ND_ERR_USAGE,
                       "--text %g: of pages of %llu bytes that leaves too little for a template "
                       "and a story: give more --page-bytes or a higher percentage",
                       o->text, (unsigned long long)o->page_bytes);
    }
    return ND_OK;
}

nd_status nd_corpus_plan_new(const nd_corpus_options *options, nd_corpus_plan **out) {
    nd_status st = ND_OK;
    nd_random random = nd_draw_stream(options->seed, ND_DRAW_ORDER, 0);
    const uint64_t pages = options->pages;
    uint64_t families[FAMILY_KINDS];
    uint64_t alike = 0;
    *out = NULL;
    ND_TRY(check(options));
    nd_new(out, 1, sizeof **out);
    nd_corpus_plan *plan = *out;
    plan->options = *options;
    if (options->sites == 0) {
        plan->options.sites = (pages + PAGES_PER_SITE - 1) / PAGES_PER_SITE;
    }
    for (size_t i = 0; i < FAMILY_KINDS; i++) {
        families[i] = pages * family_kinds[i].share / PER_MILLE / family_kinds[i].members;
        families[i] += families[i] == 0 && pages >= PER_MILLE; /* each kind is in any real corpus */
        alike += families[i] * family_kinds[i].members;
    }
    add_stories(plan, pages - alike);
    for (size_t i = 0; i < FAMILY_KINDS; i++) {
        add_row(plan, family_kinds[i].class, family_kinds[i].members, families[i]);
    }
    plan->half_bits = 1;
    while ((UINT64_C(1) << (2 * plan->half_bits)) < pages) {
        plan->half_bits++;
    }
    for (int i = 0; i < FEISTEL_ROUNDS; i++) {
        plan->keys[i] = nd_random_next(&random);
    }
out:
    if (st != ND_OK) {
        nd_corpus_plan_free(out);
    }
    return st;
}

void nd_corpus_plan_free(nd_corpus_plan **plan) {
    if (*plan != NULL) {
        free((*plan)->rows);
    }
    free(*plan);
    *plan = NULL;
}

const nd_corpus_options *nd_corpus_plan_options(const nd_corpus_plan *plan) {
    return &plan->options;
}

double nd_corpus_story_bytes(const nd_corpus_options *options) {
    /* The template has s / (1 - s) times as many bytes as the mean story; the mean of that for s
     * uniform in [a, b] is ln((1 - a) / (1 - b)) / (b - a) - 1, here .6676. */
    return (double)nd_markup_share_of(options->page_bytes, options->text).plain_bytes / 1.6676;
}
