/* Content of pages, by samples of their sites. */
#include "io/input/page_maker.h"
#include "mpi/job/page_content.h"
#include "mpi/run/run.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/signing.h"
#include "mpi/stage/site_sample.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/text/address.h"
#include "src/text/page.h"
#include "tests/support/mpi_check.h"
#include "tests/support/pages.h"

#include <stdarg.h>
#include <xxhash.h>

/* ---- What is left of each page after content selection against one process that holds all pages,
 * on sites made for it: templates, navigation, blocks of links, archives of one story, pages that
 * are left with nothing, short pages that get links back. */

enum { MOST_HTML = 1 << 15, MOST_PAGES = 400 };

/* ---- pages */

typedef struct writer {
    nd_page_store all;
    nd_page_maker maker;
    char html[MOST_HTML];
    size_t size;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    w->size += (size_t)vsnprintf(w->html + w->size, sizeof w->html - w->size, format, arguments);
    va_end(arguments);
    CU_ASSERT_FATAL(w->size < sizeof w->html);
}

static void put_word(writer *w, nd_random *random) {
    for (int i = 0; i < 4; i++) {
        put(w, "%c", (int)('a' + nd_random_below(random, 26)));
    }
    put(w, " ");
}

/* `count` sentences of 7 to 13 words; equal names, equal sentences. */
static void put_text(writer *w, const char *name, uint64_t number, uint64_t count) {
    nd_random random = {XXH3_64bits_withSeed(name, strlen(name), number)};
    for (uint64_t s = 0; s < count; s++) {
        put(w, "<p>");
        for (uint64_t i = 6 + nd_random_below(&random, 7); i > 0; i--) {
            put_word(w, &random);
        }
        put(w, "ends.</p>");
    }
}

static void end_page(writer *w, const char *site, uint64_t number) {
    char url[128] = "";
    const int size = *site == '\0' ? 0
                                   : snprintf(url, sizeof url, "http://%s/%llu", site,
                                              (unsigned long long)number);
    const nd_record record = {.content = ND_CONTENT_HTML,
                              .text = {(const uint8_t *)w->html, w->size},
                              .url = {(const uint8_t *)url, (size_t)size}};
    ND_TEST_OK(nd_page_maker_add(&w->maker, &record, 0, 0, &w->all));
    w->size = 0;
}

/* A page of a site with navigation, a template with a counter, a story, links and a footer. */
static void add_story(writer *w, const char *site, uint64_t number, const char *story,
                      uint64_t which, uint64_t sentences) {
    put(w, "<title>Page of %s</title><nav>Home News Sport</nav>", site);
    put_text(w, site, 0, 3);
    put(w, "<p>Visitor number %llu of this very page today</p>", (unsigned long long)number * 7919);
    put_text(w, story, which, sentences);
    put(w, "<ul><li><a href=x>About the site</a></li><li><a href=x>Read about %s ", story);
    nd_random name = {which};
    put_word(w, &name);
    put(w, "</a></li></ul>");
    put(w, "<footer>All rights reserved</footer>");
    end_page(w, site, number);
}

/* Several sites of every kind, their pages in a random order, so that ranks hold some of each. */
static void write_sites(writer *w, nd_random *random) {
    uint64_t kinds[MOST_PAGES];
    for (uint64_t i = 0; i < MOST_PAGES; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        kinds[i] = kinds[at];
        kinds[at] = i;
    }
    for (uint64_t i = 0; i < MOST_PAGES; i++) {
        const uint64_t number = kinds[i];
        if (number < 130) { /* a third of all pages */
            add_story(w, "news.example", number, "story", number % 100, 12);
        } else if (number < 190) { /* 60 copies of one story, 3 other pages */
            add_story(w, "archive.example", number, "archived", 0, 12);
        } else if (number < 193) {
            add_story(w, "archive.example", number, "other", number, 12);
        } else if (number < 230) { /* nothing but template: emptied, one page after the other */
            add_story(w, "empty.example", number, "empty", number, number < 200 ? 5 : 0);
        } else if (number < 260) { /* short: what is left is below the tokens of --link-tokens */
            add_story(w, "short.example", number, "short", number, 1);
        } else if (number < 262) { /* two pages only */
            add_story(w, "tiny.example", number, "tiny", number, 4);
        } else if (number < 270) { /* a small site */
            add_story(w, "small.example", number, "small", number % 3, 4);
        } else if (number < 275) { /* no text at all */
            end_page(w, "news.example", number);
        } else if (number < 305) { /* of no site: what they share is no template */
            add_story(w, "", number, "any", number, 2);
        } else if (number < 320) { /* nothing but links, and navigation */
            const char *site = number < 308 ? "links.example" : number < 312 ? "" : "more.example";
            put(w, "<title>Links</title><nav>Home</nav><p><a href=x>Entry %llu of %s</a></p>",
                (unsigned long long)number, site);
            put(w, "<p><a href=x>About it</a></p>");
            end_page(w, site, number);
        } else { /* many sites of a few pages */
            char site[32];
            (void)snprintf(site, sizeof site, "site%llu.example",
                           (unsigned long long)nd_random_below(random, 20));
            add_story(w, site, number, "any", nd_random_below(random, 60),
                      nd_random_below(random, 20));
        }
    }
}

static void free_writer(writer *w) {
    nd_page_store_free(&w->all);
    nd_page_maker_free(&w->maker);
}

/* ---- the reference: one site after the other, everything by going over all pages */

typedef struct site_pages {
    size_t index[MOST_PAGES]; /* the sample */
    nd_template_page kept[MOST_PAGES];
    nd_template_page links[MOST_PAGES];
    size_t count;
} site_pages;

static bool has_link(const nd_sentence_digest *s) {
    return (s->flags & ND_SENTENCE_LINKS) != 0 &&
           (s->flags & (ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE)) == 0;
}

static bool is_listed(const uint64_t *hashes, size_t count, uint64_t hash) {
    for (size_t i = 0; i < count; i++) {
        if (hashes[i] == hash) {
            return true;
        }
    }
    return false;
}

static bool is_earlier(const nd_page_store *all, size_t x, size_t y) {
    const uint64_t a = nd_mix64(all->pages[x].text_hash.low);
    const uint64_t b = nd_mix64(all->pages[y].text_hash.low);
    return a != b ? a < b : x < y;
}

/* The pages of a site with the smallest orders, one of each text. */
static void pick_sample(const nd_page_store *all, uint64_t site, uint64_t most, site_pages *s) {
    s->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        bool copied = all->pages[i].site != site || all->pages[i].token_count == 0;
        for (size_t k = 0; k < i && !copied; k++) {
            copied = all->pages[k].site == site &&
                     all->pages[k].text_hash.low == all->pages[i].text_hash.low;
        }
        size_t at = copied ? 0 : s->count++;
        for (; !copied && at > 0 && is_earlier(all, i, s->index[at - 1]); at--) {
            s->index[at] = s->index[at - 1];
        }
        s->index[at] = copied ? s->index[at] : i;
    }
    s->count = s->count < most ? s->count : (size_t)most;
}

/* Sentences of the sample, without those listed: the kept ones, and links that are not kept. */
static nd_template_sentence *lay_out(const nd_page_store *all, const bool *keep, site_pages *s,
                                     const uint64_t *without, size_t without_count) {
    nd_template_sentence *sentences =
        nd_mpi_test_new(nd_test_first_sentence(all, all->count), sizeof *sentences);
    nd_template_sentence *next = sentences;
    for (size_t i = 0; i < s->count; i++) {
        const nd_document page = nd_test_document(all, s->index[i]);
        const bool *kept = keep + nd_test_first_sentence(all, s->index[i]);
        for (int links = 0; links < 2; links++) {
            nd_template_page *out = links == 0 ? &s->kept[i] : &s->links[i];
            const uint32_t *tokens = page.tokens;
            *out = (nd_template_page){next, 0};
            for (uint32_t k = 0; k < page.sentence_count; k++) {
                const nd_sentence_digest *from = &page.sentences[k];
                if ((links == 0 ? kept[k] : !kept[k] && has_link(from)) &&
                    !is_listed(without, without_count, from->masked)) {
                    *next =
                        (nd_template_sentence){.hash = from->masked, .tokens = from->token_count};
                    nd_template_minima(tokens, from->token_count, next->minima);
                    next++;
                    out->count++;
                }
                tokens += from->token_count;
            }
        }
    }
    return sentences;
}

/* Do links that the site does not repeat outweigh the page's own text? */
static bool is_index(const nd_document *page, const bool *kept, const uint64_t *found,
                     size_t found_count, const uint64_t *repeated, size_t repeated_count) {
    uint64_t own = 0;
    uint64_t linked = 0;
    for (uint32_t k = 0; k < page->sentence_count; k++) {
        const nd_sentence_digest *s = &page->sentences[k];
        const bool links = (s->flags & (ND_SENTENCE_LINKS | ND_SENTENCE_LONG_LINKS)) != 0;
        own += kept[k] && !links ? s->token_count : 0;
        linked += links && (s->flags & (ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE)) == 0 &&
                          !is_listed(found, found_count, s->masked) &&
                          !is_listed(repeated, repeated_count, s->masked)
                      ? s->token_count
                      : 0;
    }
    return (double)own < 0.6 * (double)(own + linked);
}

static bool is_wanted(const nd_content_choice *choice, uint32_t flags) {
    const uint32_t navigation = ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE;
    return !(choice->navigation && (flags & navigation) != 0) &&
           !(choice->links && (flags & ND_SENTENCE_LINKS) != 0);
}

/* Of a page that has links alone, all are kept but those of the template, if none was so far. */
static void keep_links(const nd_page_store *all, size_t index, const nd_content_choice *choice,
                       const uint64_t *found, size_t found_count, bool *keep) {
    const nd_document page = nd_test_document(all, index);
    bool *kept = keep + nd_test_first_sentence(all, index);
    bool empty = true;
    for (uint32_t k = 0; k < page.sentence_count; k++) {
        const uint32_t flags = page.sentences[k].flags;
        empty =
            empty && ((flags & ND_SENTENCE_TITLE) != 0 || (!kept[k] && !is_wanted(choice, flags)));
    }
    for (uint32_t k = 0; k < page.sentence_count && empty; k++) {
        kept[k] = kept[k] || (has_link(&page.sentences[k]) &&
                              !is_listed(found, found_count, page.sentences[k].masked));
    }
}

static void select_page(const nd_page_store *all, size_t index, uint64_t link_tokens,
                        const uint64_t *found, size_t found_count, const uint64_t *repeated,
                        size_t repeated_count, bool *keep) {
    const nd_document page = nd_test_document(all, index);
    bool *kept = keep + nd_test_first_sentence(all, index);
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < page.sentence_count; k++) {
        const bool template = is_listed(found, found_count, page.sentences[k].masked);
        kept[k] = kept[k] && !template;
        tokens += kept[k] ? page.sentences[k].token_count : 0;
    }
    const bool with_links =
        tokens < link_tokens ||
        (link_tokens > 0 && is_index(&page, kept, found, found_count, repeated, repeated_count));
    for (uint32_t k = 0; k < page.sentence_count && with_links; k++) {
        const uint64_t masked = page.sentences[k].masked;
        kept[k] =
            kept[k] || (has_link(&page.sentences[k]) && !is_listed(found, found_count, masked) &&
                        !is_listed(repeated, repeated_count, masked));
    }
}

static void select_site(const nd_page_store *all, const nd_content_choice *choice, uint64_t site,
                        bool *keep) {
    static site_pages s;
    ND_FREED uint64_t *found = NULL;
    size_t found_count = 0;
    nd_template_options none = choice->templates;
    ND_OWNED(nd_template_lists_free) nd_template_lists lists = {0};
    pick_sample(all, site, choice->sample, &s);
    nd_template_sentence *whole = lay_out(all, keep, &s, NULL, 0);
    ND_TEST_OK(nd_template_find(s.kept, s.count, &choice->templates, &found, &found_count));
    nd_template_sentence *left = lay_out(all, keep, &s, found, found_count);
    none.least_site = UINT64_MAX; /* the template is out of the pages already */
    ND_TEST_OK(nd_template_lists_find(s.kept, s.links, s.count, &none, &ND_TEMPLATE_REPEAT_DEFAULTS,
                                      &lists));
    for (size_t i = 0; i < all->count; i++) {
        if (all->pages[i].site == site) {
            select_page(all, i, choice->link_tokens, found, found_count, lists.repeated,
                        lists.repeated_count, keep);
            keep_links(all, i, choice, found, found_count, keep);
        }
    }
    free(whole);
    free(left);
}

/* Which sentences are left, of all pages. */
static bool *reference_content(const nd_page_store *all, const nd_content_choice *choice) {
    bool *keep = nd_mpi_test_new(nd_test_first_sentence(all, all->count), sizeof *keep);
    uint64_t sentence = 0;
    for (size_t i = 0; i < all->count; i++) {
        const nd_document page = nd_test_document(all, i);
        for (uint32_t k = 0; k < page.sentence_count; k++) {
            keep[sentence++] = is_wanted(choice, page.sentences[k].flags);
        }
    }
    for (size_t i = 0; i < all->count && choice->sample > 0; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++) {
            seen = seen || all->pages[k].site == all->pages[i].site;
        }
        seen = seen || all->pages[i].site == 0; /* nothing but what the page alone shows */
        if (!seen) {
            select_site(all, choice, all->pages[i].site, keep);
        }
    }
    for (size_t i = 0; i < all->count; i++) {
        if (choice->sample == 0 || all->pages[i].site == 0) {
            keep_links(all, i, choice, NULL, 0, keep);
        }
    }
    return keep;
}

/* ---- the comparison */

static nd_text_hash hash_of(const nd_document *page) {
    ND_FREED uint8_t *bytes = nd_mpi_test_new(page->sentence_count, sizeof(nd_md5));
    for (uint32_t k = 0; k < page->sentence_count; k++) {
        memcpy(bytes + k * sizeof(nd_md5), &page->sentences[k].digest, sizeof(nd_md5));
    }
    const XXH128_hash_t hash = XXH3_128bits(bytes, page->sentence_count * sizeof(nd_md5));
    return (nd_text_hash){hash.high64, hash.low64};
}

/* Page `index` of the job is page `number` of all, of which the sentences to keep are left. */
static bool same_page(const nd_job *job, size_t index, const nd_page_store *all, size_t number,
                      const bool *keep) {
    const nd_document found = nd_test_document(&job->state->pages, index);
    const nd_document whole = nd_test_document(all, number);
    const nd_text_hash hash = hash_of(&found);
    const bool *kept = keep + nd_test_first_sentence(all, number);
    uint32_t sentences = 0;
    uint32_t tokens = 0;
    uint32_t token = 0;
    bool same = true;
    for (uint32_t k = 0; k < whole.sentence_count && same; k++) {
        const nd_sentence_digest *sentence = &whole.sentences[k];
        if (kept[k]) {
            same = sentences < found.sentence_count &&
                   memcmp(&found.sentences[sentences], sentence, sizeof *sentence) == 0 &&
                   memcmp(found.tokens + tokens, whole.tokens + token,
                          sentence->token_count * sizeof *whole.tokens) == 0;
            sentences++;
            tokens += sentence->token_count;
        }
        token += sentence->token_count;
    }
    const nd_stored_page *page = &job->state->pages.pages[index];
    same = same && ((page->flags & ND_PAGE_THIN) != 0) ==
                       (tokens < job->options.method_options.sentence_tokens);
    return same && sentences == found.sentence_count && tokens == found.token_count &&
           page->content_hash.high == hash.high && page->content_hash.low == hash.low &&
           page->text_hash.low == all->pages[number].text_hash.low &&
           page->text_tokens == all->pages[number].text_tokens;
}

static bool is_signed(const nd_job *job, size_t i) {
    const nd_stored_page *page = &job->state->pages.pages[i];
    return job->state->exact_of[i] == nd_job_own_first(job) + i &&
           nd_page_is_compared(&job->options, page->token_count, page->flags);
}

/* The digests are those of what is left of the pages. */
static bool same_digests(nd_job *job) {
    bool same = true;
    const nd_method *method = job->options.method;
    const nd_method_options *own = &job->options.method_options;
    const size_t size = method->sizes(own, 0).digest;
    ND_FREED uint8_t *digest = nd_mpi_test_new(size, 1);
    for (size_t i = 0; i < job->state->pages.count && same; i++) {
        nd_span record;
        const nd_document content = nd_test_document(&job->state->pages, i);
        method->digest(own, &job->state->method_work, &content, digest);
        same = !is_signed(job, i) ||
               (nd_digest_record(job, nd_job_own_first(job) + i, &record) == ND_OK &&
                memcmp(nd_digest_record_digest(record.data), digest, size) == 0);
    }
    return same;
}

/* Collective. Of each page that may have to be compared keys wait, and its digest: those of what is
 * left. Without digests they are made when they are asked for. */
static bool same_signing(nd_job *job, const nd_page_store *all) {
    enum { MOST = 64 };
    const nd_method *method = job->options.method;
    const nd_method_options *own = &job->options.method_options;
    const nd_method_sizes sizes = method->sizes(own, 0);
    nd_waiting_keys waiting;
    bool same = job->state->digest_count == job->state->pages.count && sizes.keys <= MOST;
    if (nd_comm_sum(&job->comm, job->state->pages.packed.count) == 0) {
        return job->state->digest_count == 0 &&
               job->state->exact_of == NULL; /* these are read again */
    }
    nd_waiting_keys_open(&waiting, job);
    for (size_t i = 0; i < job->state->pages.count && same; i++) {
        const nd_stored_page *page = &job->state->pages.pages[i];
        const uint64_t number = nd_job_own_first(job) + i;
        uint64_t right[MOST];
        uint64_t found[MOST];
        size_t count = 0;
        size_t length = 0;
        same = all->pages[job->state->exact_of[i]].text_hash.low == page->text_hash.low;
        if (!is_signed(job, i)) {
            continue;
        }
        const nd_document content = nd_test_document(&job->state->pages, i);
        method->sign(own, &job->state->method_work, &content, right, &count);
        same = same && nd_waiting_keys_read(&waiting, number, found, MOST, &length) == ND_OK &&
               length == count && memcmp(found, right, count * sizeof *found) == 0;
    }
    nd_waiting_keys_close(&waiting);
    same = same && same_digests(job);
    nd_digests_drop(job);
    return same && same_digests(job);
}

static bool check_content(const nd_page_store *all, const nd_job_options *options, const bool *keep,
                          nd_random *random) {
    nd_job job;
    bool same = true;
    nd_mpi_test_job_open(&job, options, all, random);
    nd_digests_drop(&job); /* they are of what is to be selected */
    free(job.state->exact_of);
    job.state->exact_of = NULL;
    bool right = ND_CHECK_ALL(&job.comm, nd_stage_content.run(&job) == ND_OK);
    for (size_t i = 0; i < job.state->pages.count && right && same; i++) {
        same = same_page(&job, i, all, (size_t)nd_job_own_first(&job) + i, keep);
    }
    right = right && same_signing(&job, all) && same;
    right = ND_CHECK_ALL(&job.comm, right);
    nd_run_close(&job);
    return right;
}

/* ---- the tests */

ND_TEST("every choice") {
    static const uint64_t samples[] = {1000, 0, 7, 30};
    nd_random random = nd_mpi_test_random("content");
    static writer w;
    bool right = true;
    write_sites(&w, &random);
    for (int r = 0; r < nd_test_rounds(32) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 32);
        nd_job_options options = nd_mpi_test_job_options();
        options.content.navigation = i % 2 == 0;
        options.content.links = i / 2 % 2 == 0;
        options.content.link_tokens = i / 4 % 2 == 0 ? 200 : 0;
        options.content.sample = samples[i / 8];
        options.content.templates.small_site = i % 3 == 0 ? 0 : 8;
        options.memory = nd_mpi_test_memory(i % 5 == 0 ? 1 : 100000);
        ND_FREED bool *keep = reference_content(&w.all, &options.content);
        right = check_content(&w.all, &options, keep, &random);
    }
    free_writer(&w);
}

/* Switched off, all is left. */
ND_TEST("nothing is dropped") {
    nd_random random = nd_mpi_test_random("nothing dropped");
    nd_job_options options = nd_mpi_test_job_options();
    static writer w;
    w = (writer){.size = 0};
    write_sites(&w, &random);
    ND_FREED bool *keep =
        nd_mpi_test_new(nd_test_first_sentence(&w.all, w.all.count), sizeof *keep);
    memset(keep, true, nd_test_first_sentence(&w.all, w.all.count));
    options.content = (nd_content_choice){.templates = ND_TEMPLATE_DEFAULTS, .link_tokens = 200};
    (void)check_content(&w.all, &options, keep, &random);
    free_writer(&w);
}

static void expect(writer *w, bool *keep, const char *letters) {
    const size_t page = w->all.count - 1;
    const uint64_t first = nd_test_first_sentence(&w->all, page);
    CU_ASSERT_EQUAL(w->all.pages[page].sentence_count, strlen(letters));
    for (uint64_t k = 0; k < w->all.pages[page].sentence_count; k++) {
        keep[first + k] = letters[k] == '#';
    }
}

/* By hand, sentence by sentence: # is left. Title, navigation, three sentences of the
 * template, the one with a counter, the story, two links, the footer. */
ND_TEST("by hand") {
    nd_random random = nd_mpi_test_random("by hand");
    nd_job_options options = nd_mpi_test_job_options();
    static writer w;
    static bool keep[MOST_PAGES * 16];
    w = (writer){.size = 0};
    options.content.link_tokens = 30;
    for (uint64_t i = 0; i < 30; i++) {
        add_story(&w, "news.example", i, "story", i, 5);
        expect(&w, keep, "......#####...");
        add_story(&w, "archive.example", i, "archived", 0, 5); /* copies make no template */
        expect(&w, keep, "#.#########...");
        add_story(&w, "short.example", i, "short", i, 2); /* its own link comes back */
        expect(&w, keep, "......##.#.");
        const bool is_long = i < 15; /* the others are emptied: their link is on many pages */
        add_story(&w, "empty.example", i, "none", is_long ? 1 + i : 0, is_long ? 5 : 0);
        expect(&w, keep, is_long ? "......#####..." : ".........");
        add_story(&w, "", i, "homeless", i,
                  1); /* of no site: no template, and no link is its own */
        expect(&w, keep, "#.#####...");
    }
    (void)check_content(&w.all, &options, keep, &random);
    free_writer(&w);
}

ND_TEST("no pages") {
    nd_random random = nd_mpi_test_random("no pages");
    const nd_job_options options = nd_mpi_test_job_options();
    nd_page_store none = {0};
    bool keep = false;
    (void)check_content(&none, &options, &keep, &random);
}

/* ---- The sample of each site against a choice from all pages in one process. */

/* ---- pages */

enum { MOST_SENTENCES = 40 };
typedef struct draft {
    uint64_t site;
    uint64_t text; /* 0: a page without text */
} draft;

/* Equal texts have as many sentences, unlike texts from 1 to MOST_SENTENCES. */
static uint32_t count_sentences(const draft *d) {
    return d->text == 0 ? 0 : 1 + (uint32_t)(nd_mix64(d->text) % MOST_SENTENCES);
}

static nd_page_store make_pages(const draft *drafts, uint64_t count) {
    nd_page_store all = {0};
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t length = count_sentences(&drafts[i]);
        uint32_t tokens[MOST_SENTENCES];
        nd_sentence_digest sentences[MOST_SENTENCES];
        for (uint32_t k = 0; k < length; k++) {
            tokens[k] = (uint32_t)drafts[i].text;
            sentences[k] = (nd_sentence_digest){.masked = drafts[i].text, .token_count = 1};
        }
        const nd_stored_page page = {
            .text_hash = {drafts[i].text, nd_mix64(drafts[i].text)},
            .site = drafts[i].site,
            .text_tokens = length,
            .token_count = length,
            .sentence_count = length,
        };
        ND_TEST_OK(nd_page_store_append(&all, &page, tokens, sentences, (nd_span){NULL, 0},
                                        (nd_span){NULL, 0}));
    }
    return all;
}

/* ---- the reference: for each site as many rounds as it may have pages, each takes the page with
 * the smallest order that is above the latest one */
static bool is_better(const nd_page_store *all, uint64_t candidate, const nd_site_page *best) {
    const uint64_t order = nd_mix64(all->pages[candidate].text_hash.low);
    return best->order > order || (best->order == order && best->page > candidate);
}

static bool take_next(const nd_page_store *all, uint64_t site, const nd_site_page *latest,
                      nd_site_page *next) {
    bool found = false;
    for (uint64_t i = 0; i < all->count; i++) {
        const nd_stored_page *page = &all->pages[i];
        const uint64_t order = nd_mix64(page->text_hash.low);
        if (page->site == site && page->token_count > 0 &&
            (latest == NULL || order > latest->order) && (!found || is_better(all, i, next))) {
            *next = (nd_site_page){site, order, i, 0, page->sentence_count};
            found = true;
        }
    }
    return found;
}

static uint64_t reference_site_sample(const nd_page_store *all, const uint64_t *sites,
                                      uint64_t site_count, uint64_t most, nd_site_page *sample) {
    uint64_t count = 0;
    for (uint64_t s = 0; s < site_count; s++) {
        const uint64_t begin = count;
        while (
            count - begin < most &&
            take_next(all, sites[s], count > begin ? &sample[count - 1] : NULL, &sample[count])) {
            count++;
        }
    }
    return count;
}

/* ---- the comparison */

ND_TEST_ORDER_OF(by_site_then_order, nd_site_page, site, order, order)

static bool is_sorted(const nd_site_page *pages, uint64_t count) {
    bool sorted = true;
    for (uint64_t i = 1; i < count; i++) {
        sorted = sorted && by_site_then_order(&pages[i - 1], &pages[i]) < 0;
    }
    return sorted;
}

/* Same pages in the same order, each said to be on the rank that holds it. */
static bool same_sample(const nd_job *job, const nd_site_page *found, uint64_t count,
                        const nd_site_page *expected, uint64_t expected_count) {
    bool same = count == expected_count;
    for (uint64_t i = 0; i < count && same; i++) {
        same = found[i].site == expected[i].site && found[i].order == expected[i].order &&
               found[i].page == expected[i].page && found[i].sentences == expected[i].sentences &&
               found[i].rank ==
                   (uint32_t)nd_comm_range_owner(job->first, job->comm.size, found[i].page);
    }
    return same;
}

/* Has the sample as many pages of the site as it may have? Then there may be others. */
static bool is_full(const nd_site_page *sample, uint64_t count, uint64_t site, uint64_t most) {
    uint64_t pages = 0;
    for (uint64_t i = 0; i < count; i++) {
        pages += sample[i].site == site;
    }
    return pages == most;
}

/* Of the sites whose sample is full, all ranks with pages with text are listed, and no others. */
static bool ranks_are_right(const nd_job *job, const nd_page_store *all, const uint64_t *sites,
                            uint64_t site_count, const bool *full, const nd_key_value *ranks,
                            uint64_t count) {
    const uint64_t size = (uint64_t)job->comm.size;
    ND_FREED bool *holds = nd_mpi_test_new(site_count * size, sizeof *holds);
    uint64_t expected = 0;
    bool right = true;
    for (uint64_t i = 0; i < all->count; i++) {
        for (uint64_t s = 0; s < site_count; s++) {
            bool *cell =
                &holds[s * size + (uint64_t)nd_comm_range_owner(job->first, job->comm.size, i)];
            if (full[s] && all->pages[i].site == sites[s] && all->pages[i].token_count > 0 &&
                !*cell) {
                *cell = true;
                expected++;
            }
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        bool listed = false;
        for (uint64_t s = 0; s < site_count; s++) {
            listed = listed || (sites[s] == ranks[i].key && ranks[i].value < size &&
                                holds[s * size + ranks[i].value]);
        }
        right = right && listed;
    }
    return right && count == expected;
}

static bool is_sorted_distinct(const nd_key_value *ranks, uint64_t count) {
    bool sorted = true;
    for (uint64_t i = 1; i < count; i++) {
        sorted =
            sorted && (ranks[i - 1].key < ranks[i].key ||
                       (ranks[i - 1].key == ranks[i].key && ranks[i - 1].value < ranks[i].value));
    }
    return sorted;
}

/* A site lies on one rank: the sample and the ranks of it both. */
static bool sites_are_together(const nd_site_page *pages, uint64_t count, uint64_t most,
                               const nd_key_value *ranks, uint64_t rank_count) {
    bool together = true;
    for (uint64_t i = 0; i < count; i++) {
        bool listed = !is_full(pages, count, pages[i].site, most);
        for (uint64_t r = 0; r < rank_count; r++) {
            listed = listed || (ranks[r].key == pages[i].site && ranks[r].value == pages[i].rank);
        }
        together = together && listed;
    }
    return together;
}

/* No rank has more than an equal share and the dearest site beside it. */
static bool is_balanced(const nd_comm *comm, const nd_site_page *pages, uint64_t count) {
    uint64_t mine = 0;
    uint64_t here = 0;
    uint64_t dearest = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t cost = nd_site_page_cost(&pages[i]);
        here = cost + (i > 0 && pages[i].site == pages[i - 1].site ? here : 0);
        dearest = here > dearest ? here : dearest;
        mine += cost;
    }
    dearest = nd_comm_max(comm, dearest);
    return (double)mine <= (double)nd_comm_sum(comm, mine) / comm->size + (double)dearest + 1e-6;
}

static bool check_sample(const nd_page_store *all, const uint64_t *sites, uint64_t site_count,
                         uint64_t most, nd_random *random) {
    const nd_job_options options = nd_mpi_test_job_options();
    nd_job job;
    ND_FREED nd_site_page *pages = NULL;
    ND_FREED nd_key_value *ranks = NULL;
    uint64_t count = 0;
    uint64_t rank_count = 0;
    uint64_t total = 0;
    uint64_t rank_total = 0;
    ND_FREED nd_site_page *expected =
        nd_mpi_test_new(all->count + site_count + 1, sizeof *expected);
    const uint64_t expected_count = reference_site_sample(all, sites, site_count, most, expected);
    ND_FREED bool *full = nd_mpi_test_new(site_count, sizeof *full);
    for (uint64_t s = 0; s < site_count; s++) {
        full[s] = is_full(expected, expected_count, sites[s], most);
    }
    nd_mpi_test_job_open(&job, &options, all, random);
    bool right = ND_CHECK_ALL(
        &job.comm, nd_site_sample(&job, most, &pages, &count, &ranks, &rank_count) == ND_OK);
    right =
        ND_CHECK_ALL(&job.comm, is_sorted(pages, count) && is_sorted_distinct(ranks, rank_count)) &&
        right;
    right =
        ND_CHECK_ALL(&job.comm, sites_are_together(pages, count, most, ranks, rank_count)) && right;
    right = ND_CHECK_ALL(&job.comm, is_balanced(&job.comm, pages, count)) && right;
    ND_FREED nd_site_page *found =
        nd_mpi_test_gather(&job.comm, pages, count, sizeof *pages, &total);
    ND_FREED nd_key_value *found_ranks =
        nd_mpi_test_gather(&job.comm, ranks, rank_count, sizeof *ranks, &rank_total);
    nd_sort(found, total, sizeof *found, by_site_then_order);
    nd_sort(expected, expected_count, sizeof *expected, by_site_then_order);
    right =
        ND_CHECK_ALL(&job.comm, same_sample(&job, found, total, expected, expected_count)) && right;
    right = ND_CHECK_ALL(&job.comm, ranks_are_right(&job, all, sites, site_count, full, found_ranks,
                                                    rank_total)) &&
            right;
    nd_run_close(&job);
    return right;
}

/* ---- the tests */

enum { MOST_SITES = 12 };

static uint64_t site_named(uint64_t number) {
    char host[32];
    const int size = snprintf(host, sizeof host, "host%llu.example", (unsigned long long)number);
    return nd_site_hash((nd_span){(const uint8_t *)host, (size_t)size}, 0);
}

/* Every third page is of site 0; `texts` different texts over all sites, some pages without. */
static void draw_drafts(nd_random *random, draft *drafts, uint64_t count, const uint64_t *sites,
                        uint64_t site_count, uint64_t texts) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t site = i % 3 == 0 ? 0 : nd_random_below(random, site_count);
        const uint64_t text = nd_random_below(random, texts + 1);
        drafts[i] = (draft){sites[site], nd_random_below(random, 9) == 0 ? 0 : text};
    }
}

ND_TEST("random sites") {
    static const uint64_t mosts[] = {1, 2, 7, 50, 1000};
    nd_random random = nd_mpi_test_random("site sample");
    uint64_t sites[MOST_SITES];
    for (uint64_t s = 0; s < MOST_SITES; s++) {
        sites[s] = site_named(s);
    }
    bool right = true;
    for (uint64_t trial = 0; trial < 30 && right; trial++) {
        const uint64_t count = nd_random_below(&random, 400);
        const uint64_t site_count = 1 + nd_random_below(&random, MOST_SITES);
        ND_FREED draft *drafts = nd_mpi_test_new(count, sizeof *drafts);
        draw_drafts(&random, drafts, count, sites, site_count,
                    1 + nd_random_below(&random, trial % 2 == 0 ? 20 : 2000));
        ND_OWNED(nd_page_store_free) nd_page_store all = make_pages(drafts, count);
        right = check_sample(&all, sites, site_count, mosts[trial % 5], &random);
    }
}

/* Site i of n has i + 1 parts of the pages: their hashes fall where they will, but no rank has more
 * than the largest beside an equal share. */
ND_TEST("few unlike sites") {
    enum { PAGES = 700, SITES = 6 };
    nd_random random = nd_mpi_test_random("unlike sites");
    bool right = true;
    for (uint64_t trial = 0; trial < 10 && right; trial++) {
        uint64_t sites[SITES];
        draft drafts[PAGES];
        for (uint64_t s = 0; s < SITES; s++) {
            sites[s] = site_named(SITES * trial + s);
        }
        for (uint64_t i = 0; i < PAGES; i++) {
            const uint64_t part = nd_random_below(&random, SITES * (SITES + 1) / 2);
            uint64_t site = 0;
            while ((site + 1) * (site + 2) / 2 <= part) {
                site++;
            }
            drafts[i] = (draft){sites[site], i + 1};
        }
        ND_OWNED(nd_page_store_free) nd_page_store all = make_pages(drafts, PAGES);
        right = check_sample(&all, sites, SITES, PAGES, &random);
    }
}

/* Copies of one text are one page of the sample, the first; pages without text are none. */
ND_TEST("copies and empty pages") {
    nd_random random = nd_mpi_test_random("copies");
    const uint64_t site = site_named(1);
    const draft drafts[] = {{site, 0}, {site, 5}, {site, 0}, {site, 5}, {site, 5}};
    const nd_job_options options = nd_mpi_test_job_options();
    ND_OWNED(nd_page_store_free) nd_page_store all = make_pages(drafts, 5);
    nd_job job;
    ND_FREED nd_site_page *pages = NULL;
    ND_FREED nd_key_value *ranks = NULL;
    uint64_t count = 0;
    uint64_t rank_count = 0;
    uint64_t total = 0;
    (void)check_sample(&all, &site, 1, 10, &random);
    nd_mpi_test_job_open(&job, &options, &all, &random);
    ND_CHECK_ALL(&job.comm, nd_site_sample(&job, 10, &pages, &count, &ranks, &rank_count) == ND_OK);
    ND_FREED nd_site_page *found =
        nd_mpi_test_gather(&job.comm, pages, count, sizeof *pages, &total);
    ND_CHECK_ALL(&job.comm, total == 1 && found[0].page == 1);
    nd_run_close(&job);
}

ND_TEST("site sample: no pages") {
    nd_random random = nd_mpi_test_random("no pages");
    const uint64_t site = site_named(1);
    const draft empty[] = {{site, 0}, {site, 0}};
    nd_page_store none = {0};
    ND_OWNED(nd_page_store_free) nd_page_store without_text = make_pages(empty, 2);
    (void)check_sample(&none, &site, 1, 3, &random);
    (void)check_sample(&without_text, &site, 1, 3, &random);
}
