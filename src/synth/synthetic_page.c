#include "src/synth/synthetic_page.h"

#include "src/synth/corpus_plan.h"
#include "src/synth/markup.h"
#include "src/synth/story.h"

/* ==== The template of a synthetic site: what stands before and after the main text of each of its
 * pages. Scripts and styles, header, navigation, a side bar with popular headlines and promotions,
 * related links, a footer; about as many bytes of it as the site's template share asks for. What
 * changes from page to page (time, counter, related links) is drawn from the page's number. Where
 * the page has a site's markup (prose.markup, src/synth/markup.h), that takes the place of its
 * scripts and styles. */

typedef struct nd_site_template {
    const nd_site_traits *site;
    nd_prose prose;
    uint64_t seed;
    uint64_t page;   /**< what changes from page to page is drawn from this */
    bool redesigned; /**< the site's other design: other blocks in another order */
    uint64_t bytes;  /**< about as long is the template */
    nd_span title;   /**< the page's title, as text; borrowed */
} nd_site_template;

/* Percent of the template's bytes that go into each part. */
enum { SCRIPT_PART = 30, NAVIGATION_PART = 20, SIDE_PART = 25, FOOTER_PART = 15, PERCENT = 100 };

/* The blocks of a template, each with random numbers of its own. */
enum block { BLOCK_NAME, BLOCK_SCRIPT, BLOCK_NAVIGATION, BLOCK_SIDE, BLOCK_FOOTER, BLOCK_RELATED };

static nd_random block_random(const nd_site_template *t, enum block block) {
    const uint64_t number = t->site->site * 16 + (uint64_t)block * 2 + (t->redesigned ? 1 : 0);
    return nd_draw_stream(t->seed, ND_DRAW_BLOCK, number);
}

/* Parts are as long as they are without the site's markup. */
static size_t plain_size(const nd_site_template *t, const nd_buffer *out) {
    return out->size - nd_page_markup_size(t->prose.markup);
}

static size_t part_end(const nd_site_template *t, const nd_buffer *out, uint64_t percent) {
    return plain_size(t, out) + (size_t)(t->bytes * percent / PERCENT);
}

static bool goes_on(const nd_site_template *t, const nd_buffer *out, size_t end) {
    return plain_size(t, out) < end;
}

/* The same in both designs. */
static nd_random name_random(uint64_t seed, uint64_t site) {
    return nd_draw_stream(seed, ND_DRAW_BLOCK, site * 16 + (uint64_t)BLOCK_NAME * 2);
}

/* Write the host name of a site. */
static void site_template_host(nd_buffer *out, const nd_vocabulary *vocabulary, uint64_t seed,
                               uint64_t site) {
    nd_random random = name_random(seed, site);
    nd_buffer_append_text(out, "www.");
    nd_text_span(out, nd_vocabulary_word(vocabulary, ND_LANGUAGE_SPACED,
                                         nd_vocabulary_draw(vocabulary, &random)));
    nd_text_number(out, site, 1);
    nd_buffer_append_text(out, ".example");
}

static void put_link(const nd_site_template *t, nd_buffer *out, nd_random *random, uint64_t words) {
    nd_buffer_append_text(out, "<li");
    nd_page_markup_attributes(t->prose.markup, "li", out);
    nd_buffer_append_text(out, "><a");
    nd_page_markup_attributes(t->prose.markup, "a", out);
    nd_buffer_append_text(out, " href=\"/");
    nd_text_span(out, nd_vocabulary_word(t->prose.vocabulary, ND_LANGUAGE_SPACED,
                                         nd_vocabulary_draw(t->prose.vocabulary, random)));
    nd_buffer_append_text(out, "/");
    nd_text_number(out, nd_random_below(random, 100000), 5);
    nd_buffer_append_text(out, ".html\">");
    nd_prose_draw(out, &t->prose, random, words);
    nd_buffer_append_text(out, "</a></li>\n");
}

static void put_links(const nd_site_template *t, nd_buffer *out, nd_random *random, size_t end,
                      uint64_t least, uint64_t most) {
    nd_buffer_append_text(out, "<ul>\n");
    while (goes_on(t, out, end)) {
        put_link(t, out, random, nd_draw_between(random, least, most));
    }
    nd_buffer_append_text(out, "</ul>\n");
}

static void put_sentence(const nd_site_template *t, nd_buffer *out, nd_random *random) {
    nd_prose_draw(out, &t->prose, random, nd_draw_between(random, 6, 20));
    nd_prose_stop(out, &t->prose, 0);
    nd_prose_gap(out, &t->prose);
}

static void open_part(const nd_site_template *t, nd_buffer *out, const char *element,
                      const char *name) {
    nd_buffer_append_text(out, "<");
    nd_buffer_append_text(out, t->site->semantic ? element : "div");
    nd_buffer_append_text(out, " class=\"");
    nd_buffer_append_text(out, name);
    nd_buffer_append_text(out, "\">\n");
}

static void close_part(const nd_site_template *t, nd_buffer *out, const char *element) {
    nd_buffer_append_text(out, "</");
    nd_buffer_append_text(out, t->site->semantic ? element : "div");
    nd_buffer_append_text(out, ">\n");
}

static void put_site_name(const nd_site_template *t, nd_buffer *out) {
    nd_random random = name_random(t->seed, t->site->site);
    (void)nd_random_next(&random); /* that is in the host name */
    nd_prose_draw(out, &t->prose, &random, 3);
}

static void put_side(const nd_site_template *t, nd_buffer *out) {
    nd_random random = block_random(t, BLOCK_SIDE);
    const size_t end = part_end(t, out, SIDE_PART);
    open_part(t, out, "aside", "side");
    put_links(t, out, &random, (plain_size(t, out) + end) / 2, 3, 9);
    while (goes_on(t, out, end)) {
        nd_buffer_append_text(out, "<p>");
        put_sentence(t, out, &random);
        put_sentence(t, out, &random);
        nd_buffer_append_text(out, "</p>\n");
    }
    close_part(t, out, "aside");
}

/* Write all up to the main text. */
static void site_template_before(const nd_site_template *t, nd_buffer *out) {
    nd_random random = block_random(t, BLOCK_NAVIGATION);
    nd_buffer_append_text(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n<title>");
    nd_text_span(out, t->title);
    nd_buffer_append_text(out, " - ");
    put_site_name(t, out);
    nd_buffer_append_text(out, "</title>\n");
    if (nd_page_markup_is_put(t->prose.markup)) {
        nd_page_markup_head(t->prose.markup, out);
    } else { /* style sheets and scripts: bytes that are no text */
        nd_random script = block_random(t, BLOCK_SCRIPT);
        const size_t end = part_end(t, out, SCRIPT_PART);
        const size_t middle = (plain_size(t, out) + end) / 2;
        nd_buffer_append_text(out, "<style type=\"text/css\">\n");
        while (goes_on(t, out, middle)) {
            nd_buffer_append_text(out, ".b");
            nd_text_number(out, nd_random_below(&script, 1000), 3);
            nd_buffer_append_text(out, " { margin: 0 auto; width: ");
            nd_text_number(out, nd_random_below(&script, 1000), 1);
            nd_buffer_append_text(out, "px; color: #444 }\n");
        }
        nd_buffer_append_text(out, "</style>\n<script type=\"text/javascript\">\n");
        while (goes_on(t, out, end)) {
            nd_buffer_append_text(out, "track.push(['event', ");
            nd_text_number(out, nd_random_below(&script, 1000000), 6);
            nd_buffer_append_text(out, ", document.title]);\n");
        }
        nd_buffer_append_text(out, "</script>\n");
    }
    nd_buffer_append_text(out, "</head><body>\n<div class=\"head\"><a href=\"/\">");
    put_site_name(t, out);
    nd_buffer_append_text(out, "</a></div>\n");
    open_part(t, out, "nav", "menu");
    put_links(t, out, &random, part_end(t, out, NAVIGATION_PART), 1, 3);
    close_part(t, out, "nav");
    if (t->redesigned) {
        put_side(t, out);
    }
}

/* Write all that follows the main text. */
static void site_template_after(const nd_site_template *t, nd_buffer *out) {
    enum { LINKS = 6, POOL = 60 };
    nd_random random = block_random(t, BLOCK_FOOTER);
    nd_random page = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page);

    /* the same few dozen stories of the site, others on each page */
    nd_page_markup_begin(t->prose.markup, out);
    nd_buffer_append_text(out, "<div class=\"related\"><ul>\n");
    for (uint64_t i = 0; i < LINKS; i++) {
        nd_random link = block_random(t, BLOCK_RELATED);
        const uint64_t chosen = t->site->related ? nd_random_below(&page, POOL) : i;
        link.state += chosen * UINT64_C(0xd1342543de82ef95);
        put_link(t, out, &link, nd_draw_between(&link, 4, 9));
    }
    nd_buffer_append_text(out, "</ul></div>\n");

    nd_page_markup_begin(t->prose.markup, out);
    if (!t->redesigned) {
        put_side(t, out);
    }
    const size_t end = part_end(t, out, FOOTER_PART);
    open_part(t, out, "footer", "foot");
    nd_buffer_append_text(out, "<p>");
    do {
        put_sentence(t, out, &random);
    } while (goes_on(t, out, end));
    nd_buffer_append_text(out, "</p>\n");
    if (t->site->stamped) { /* visits and the time */
        page = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page);
        (void)nd_random_next(&page);
        nd_buffer_append_text(out, "<p>");
        nd_text_number(out, nd_random_below(&page, 1000000), 1);
        nd_buffer_append_text(out, " / ");
        nd_text_number(out, nd_random_below(&page, 24), 2);
        nd_buffer_append_text(out, ":");
        nd_text_number(out, nd_random_below(&page, 60), 2);
        nd_buffer_append_text(out, "</p>\n");
    }
    close_part(t, out, "footer");
    nd_page_markup_end(t->prose.markup, out);
    nd_buffer_append_text(out, "</body></html>\n");
}

/* ==== pages */

static const double TOPIC_SHARE = .1;

/* ---- the main text and its truth */

static uint64_t seed_of(const nd_page_factory *f) {
    return nd_corpus_plan_options(f->plan)->seed;
}

static nd_story_source story_source(const nd_page_factory *f, nd_language language,
                                    nd_draw_purpose purpose, uint64_t number, uint64_t topic) {
    return (nd_story_source){.vocabulary = f->vocabulary,
                             .language = language,
                             .topic = nd_draw_stream(seed_of(f), ND_DRAW_TOPIC, topic),
                             .topic_share = TOPIC_SHARE,
                             .random = nd_draw_stream(seed_of(f), purpose, number)};
}

static double similarity(uint64_t common, uint64_t a, uint64_t b) {
    const uint64_t all = a + b - common;
    return all == 0 ? 1 : (double)common / (double)all;
}

static void make_article(nd_page_factory *f, nd_language language, nd_synthetic_page *out) {
    const nd_page_plan *p = &out->plan;
    nd_story *original = &f->original;
    nd_story_source own = story_source(f, language, ND_DRAW_STORY, p->story, p->story);
    nd_story_source edits = story_source(f, language, ND_DRAW_EDIT, p->page, p->story);
    nd_story_clear(original, language);
    nd_story_draw_head(original, &own);
    nd_story_draw_body(original, &own, p->words);
    const uint64_t common = nd_story_edit(&f->story, original, p->class, &edits);
    out->tokens = nd_story_tokens(&f->story, f->vocabulary, 0, f->story.words.count);
    out->similarity = similarity(
        common, out->tokens, nd_story_tokens(original, f->vocabulary, 0, original->words.count));
}

/* The main text, the name of its cluster, and what is known of both. */
static void make_story(nd_page_factory *f, const nd_site_traits *site, nd_synthetic_page *out) {
    const nd_page_plan *p = &out->plan;
    nd_buffer *name = &out->cluster;
    const nd_family_page family = {.vocabulary = f->vocabulary,
                                   .seed = seed_of(f),
                                   .language = site->language,
                                   .class = p->class,
                                   .family = p->story,
                                   .member = p->member,
                                   .page = p->page,
                                   .words = p->words,
                                   .teasers = site->teasers};
    if (p->class <= ND_PAGE_PARTIAL) {
        make_article(f, site->language, out);
    } else {
        const uint64_t common = nd_family_story(&family, &f->story);
        out->tokens = nd_story_tokens(&f->story, f->vocabulary, 0, f->story.words.count);
        out->similarity = similarity(common, out->tokens, out->tokens);
    }
    name->size = 0;
    switch (nd_page_class_get(p->class)->truth) {
    case ND_TRUTH_COPY:
        nd_buffer_append_text(name, "s");
        nd_text_number(name, p->story, 1);
        break;
    case ND_TRUTH_UNDECIDED:
        nd_buffer_append_text(name, "u");
        nd_text_number(name, p->page, 1);
        break;
    case ND_TRUTH_ALONE:
        nd_buffer_append_text(name, "n");
        nd_text_number(name, p->page, 1);
        break;
    case ND_TRUTH_SITE:
        nd_buffer_append_text(name, "e");
        nd_text_number(name, p->site, 1);
        nd_buffer_append_text(name, "-");
        nd_text_number(name, nd_family_error_wording(&family), 1);
        break;
    }
}

/* ---- HTML */

static void put_url(const nd_page_factory *f, nd_synthetic_page *out) {
    static const char *const sections[] = {"news", "archive", "article", "story", "forum"};
    nd_buffer *url = &out->url;
    nd_random random = nd_draw_stream(seed_of(f), ND_DRAW_PAGE, ~out->plan.page);
    url->size = 0;
    nd_buffer_append_text(url, "http://");
    site_template_host(url, f->vocabulary, seed_of(f), out->plan.site);
    nd_buffer_append_text(url, "/");
    nd_buffer_append_text(url,
                          sections[nd_random_below(&random, sizeof sections / sizeof sections[0])]);
    nd_buffer_append_text(url, "/");
    nd_text_number(url, nd_draw_between(&random, 2001, 2020), 4);
    nd_text_number(url, nd_draw_between(&random, 1, 12), 2);
    nd_buffer_append_text(url, "/");
    nd_text_number(url, out->plan.page, 1);
    nd_buffer_append_text(url, out->plan.class == ND_PAGE_STAMPED ? ".html?session=" : ".html");
    if (out->plan.class == ND_PAGE_STAMPED) {
        nd_text_number(url, nd_random_below(&random, 100000000), 8);
    }
}

/* What a paragraph is on the page: element by element, so that forms look like forms. As much
 * markup as text: on most pages of crawls there is more. Where the site has markup of its own, less
 * of this is other on each page. */
static void put_paragraph(const nd_site_template *t, const nd_story *story, size_t number,
                          nd_page_class class, nd_buffer *html) {
    enum { FIGURE_EVERY = 4, NUMBERS = 8, NUMBERS_IN_MARKUP = 1 };
    if (class == ND_PAGE_HEADLINES) {
        const size_t first = nd_story_first_word(story, nd_story_first_sentence(story, number));
        nd_buffer_append_text(html, "<li><a href=\"/story/");
        nd_text_number(html, story->words.items[first] & ND_WORD_VALUE, 6);
        nd_buffer_append_text(html, ".html\">");
        nd_prose_paragraph(html, &t->prose, story, number);
        nd_buffer_append_text(html, "</a></li>\n");
        return;
    }
    if (t->prose.noisy) {
        nd_buffer_append_text(html, "<br><br>\n");
        nd_prose_paragraph(html, &t->prose, story, number);
        nd_buffer_append_text(html, "\n");
        return;
    }
    const int numbers = nd_page_markup_is_put(t->prose.markup) ? NUMBERS_IN_MARKUP : NUMBERS;
    nd_random random = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page << 16 ^ number);
    nd_buffer_append_text(html, "<div class=\"block block-text block-wide\" id=\"block-");
    nd_text_number(html, number, 3);
    nd_buffer_append_text(html, "\" data-track=\"");
    for (int i = 0; i < numbers; i++) {
        nd_text_number(html, nd_random_below(&random, 100000000), 8);
        nd_buffer_append_text(html, "-");
    }
    nd_buffer_append_text(
        html, "\">\n<!-- begin of the article's text; do not edit by hand -->\n<p class=\"text\" "
              "style=\"margin: 0 0 1em 0; padding: 0; font-family: Georgia, serif; "
              "line-height: 1.6; text-align: justify\">");
    nd_prose_paragraph(html, &t->prose, story, number);
    nd_buffer_append_text(html, "</p></div>\n");
    if (number % FIGURE_EVERY == 1) {
        nd_buffer_append_text(html, "<div class=\"figure\"><img src=\"/images/photo-");
        nd_text_number(html, story->paragraphs.items[number], 4);
        nd_buffer_append_text(html,
                              ".jpg\" width=\"640\" height=\"480\" border=\"0\" alt=\"\"></div>\n");
    }
}

/* Sentences that many pages carry, as many as fill all the buckets of a page's fingerprints. */
static void put_licence(const nd_page_factory *f, nd_story *scratch, nd_buffer *html) {
    enum { SENTENCES = 32, PER_PARAGRAPH = 8 };
    const nd_prose prose = {.vocabulary = f->vocabulary, .language = ND_LANGUAGE_SPACED};
    nd_story_source source = story_source(f, ND_LANGUAGE_SPACED, ND_DRAW_LICENCE, 0, 0);
    nd_story_clear(scratch, ND_LANGUAGE_SPACED);
    for (uint64_t i = 0; i < SENTENCES; i++) {
        nd_story_draw_sentence(scratch, &source, nd_draw_between(&source.random, 9, 14));
        if ((i + 1) % PER_PARAGRAPH == 0) {
            nd_story_end_paragraph(scratch);
        }
    }
    nd_buffer_append_text(html, "<div class=\"licence\">\n");
    for (size_t i = 0; i < scratch->paragraphs.count; i++) {
        nd_buffer_append_text(html, "<p>");
        nd_prose_paragraph(html, &prose, scratch, i);
        nd_buffer_append_text(html, "</p>\n");
    }
    nd_buffer_append_text(html, "</div>\n");
}

static void put_main(nd_page_factory *f, const nd_site_template *t, nd_synthetic_page *page) {
    nd_buffer *html = &page->html;
    const nd_page_class class = page->plan.class;
    nd_buffer_append_text(html, "<div class=\"main\">\n");
    if (f->story.title.count > 0) {
        nd_random date = nd_draw_stream(t->seed, ND_DRAW_FAMILY, ~page->plan.story);
        nd_buffer_append_text(html, "<h1>");
        nd_text_span(html, t->title);
        nd_buffer_append_text(html, "</h1>\n<p class=\"byline\">");
        nd_prose_words(html, &t->prose, f->story.byline.items, f->story.byline.count);
        nd_buffer_append_text(html, ", ");
        nd_text_number(html, nd_draw_between(&date, 2001, 2020), 4);
        nd_buffer_append_text(html, "-");
        nd_text_number(html, nd_draw_between(&date, 1, 12), 2);
        nd_buffer_append_text(html, "-");
        nd_text_number(html, nd_draw_between(&date, 1, 28), 2);
        nd_buffer_append_text(html, "</p>\n");
    }
    if (class == ND_PAGE_ERROR && f->story.words.count > 0) {
        nd_buffer_append_text(html, "<p>");
        nd_text_span(html, nd_buffer_span(&page->url));
        nd_buffer_append_text(html, "</p>\n");
    }
    for (size_t i = 0; i < f->story.paragraphs.count; i++) {
        const bool wrapped = nd_page_markup_open(t->prose.markup, i, html);
        put_paragraph(t, &f->story, i, class, html);
        nd_page_markup_close(t->prose.markup, i, wrapped, html);
    }
    /* half of the pages of this class differ from the original in their URL alone */
    nd_random random = nd_draw_stream(t->seed, ND_DRAW_COPY, ~t->page);
    if (class == ND_PAGE_STAMPED && nd_random_below(&random, 2) != 0) {
        nd_buffer_append_text(html, "<p class=\"stamp\">");
        nd_text_number(html, nd_draw_between(&random, 2001, 2020), 4);
        nd_buffer_append_text(html, "-");
        nd_text_number(html, nd_draw_between(&random, 1, 12), 2);
        nd_buffer_append_text(html, " ");
        nd_text_number(html, nd_random_below(&random, 24), 2);
        nd_buffer_append_text(html, ":");
        nd_text_number(html, nd_random_below(&random, 60), 2);
        nd_buffer_append_text(html, " | ");
        nd_text_number(html, nd_random_below(&random, 1000000), 1);
        nd_buffer_append_text(html, " | 0.");
        nd_text_number(html, nd_random_below(&random, 1000), 3);
        nd_buffer_append_text(html, " s</p>\n");
    }
    if (page->plan.licence) {
        put_licence(f, &f->original, html);
    }
    nd_buffer_append_text(html, "</div>\n");
}

void nd_synthetic_page_make(nd_page_factory *f, uint64_t page, nd_synthetic_page *out) {
    const nd_corpus_options *o = nd_corpus_plan_options(f->plan);
    const nd_page_plan *p = &out->plan;
    nd_corpus_plan_page(f->plan, page, &out->plan);
    const nd_site_traits site = nd_site_traits_get(o->seed, p->site);
    make_story(f, &site, out);
    out->id.size = 0;
    nd_buffer_append_text(&out->id, "urn:neardup:");
    nd_text_number(&out->id, o->seed, 1);
    nd_buffer_append_text(&out->id, ":");
    nd_text_number(&out->id, p->page, 1);
    put_url(f, out);

    nd_page_markup markup = {.share = nd_markup_share_of(o->page_bytes, o->text),
                             .seed = o->seed,
                             .page = p->page,
                             .design = p->site * 2 + (p->redesigned ? 1 : 0)};
    const double share = site.template_share;
    nd_site_template t = {
        .site = &site,
        .prose = {.vocabulary = f->vocabulary, .language = site.language, .markup = &markup},
        .seed = o->seed,
        .page = p->page,
        .redesigned = p->redesigned,
        .bytes = (uint64_t)(nd_corpus_story_bytes(o) * share / (1 - share))};
    f->title.size = 0;
    nd_prose_words(&f->title, &t.prose, f->story.title.items, f->story.title.count);
    t.title = nd_buffer_span(&f->title);
    out->html.size = 0;
    site_template_before(&t, &out->html);
    t.prose.noisy = p->class == ND_PAGE_NOISY; /* the template and the title stay as they are */
    t.prose.links = true;
    put_main(f, &t, out);
    t.prose.noisy = false;
    site_template_after(&t, &out->html);
}

void nd_synthetic_page_free(nd_synthetic_page *page) {
    nd_buffer_free(&page->id);
    nd_buffer_free(&page->url);
    nd_buffer_free(&page->html);
    nd_buffer_free(&page->cluster);
    *page = (nd_synthetic_page){0};
}

void nd_page_factory_free(nd_page_factory *f) {
    nd_story_free(&f->original);
    nd_story_free(&f->story);
    nd_buffer_free(&f->title);
}
