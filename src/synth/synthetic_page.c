#include "src/synth/synthetic_page.h"

#include "src/synth/family.h"
#include "src/synth/site_template.h"
#include "src/synth/story_edit.h"

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

static nd_status make_article(nd_page_factory *f, nd_language language, nd_synthetic_page *out) {
    const nd_page_plan *p = &out->plan;
    nd_story *original = &f->original;
    nd_story_source own = story_source(f, language, ND_DRAW_STORY, p->story, p->story);
    nd_story_source edits = story_source(f, language, ND_DRAW_EDIT, p->page, p->story);
    nd_story_clear(original, language);
    nd_story_draw_head(original, &own);
    nd_story_draw_body(original, &own, p->words);
    if (original->status != ND_OK) {
        return original->status;
    }
    const uint64_t common = nd_story_edit(&f->story, original, p->class, &edits);
    if (f->story.status != ND_OK) {
        return f->story.status;
    }
    out->tokens = nd_story_tokens(&f->story, f->vocabulary, 0, f->story.words.count);
    out->similarity = similarity(
        common, out->tokens, nd_story_tokens(original, f->vocabulary, 0, original->words.count));
    return ND_OK;
}

/* The main text, the name of its cluster, and what is known of both. */
static nd_status make_story(nd_page_factory *f, const nd_site_traits *site,
                            nd_synthetic_page *out) {
    nd_status st = ND_OK;
    const nd_page_plan *p = &out->plan;
    nd_text_writer *name = &out->cluster;
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
        ND_TRY(make_article(f, site->language, out));
    } else {
        const uint64_t common = nd_family_story(&family, &f->story);
        ND_TRY(f->story.status);
        out->tokens = nd_story_tokens(&f->story, f->vocabulary, 0, f->story.words.count);
        out->similarity = similarity(common, out->tokens, out->tokens);
    }
    nd_text_clear(name);
    switch (nd_page_class_get(p->class)->truth) {
    case ND_TRUTH_COPY:
        nd_text_put(name, "s");
        nd_text_number(name, p->story, 1);
        break;
    case ND_TRUTH_UNDECIDED:
        nd_text_put(name, "u");
        nd_text_number(name, p->page, 1);
        break;
    case ND_TRUTH_ALONE:
        nd_text_put(name, "n");
        nd_text_number(name, p->page, 1);
        break;
    case ND_TRUTH_SITE:
        nd_text_put(name, "e");
        nd_text_number(name, p->site, 1);
        nd_text_put(name, "-");
        nd_text_number(name, nd_family_error_wording(&family), 1);
        break;
    }
    ND_TRY(name->status);
out:
    return st;
}

/* ---- HTML */

static void put_url(const nd_page_factory *f, nd_synthetic_page *out) {
    static const char *const sections[] = {"news", "archive", "article", "story", "forum"};
    nd_text_writer *url = &out->url;
    nd_random random = nd_draw_stream(seed_of(f), ND_DRAW_PAGE, ~out->plan.page);
    nd_text_clear(url);
    nd_text_put(url, "http://");
    nd_site_template_host(url, f->vocabulary, seed_of(f), out->plan.site);
    nd_text_put(url, "/");
    nd_text_put(url, sections[nd_random_below(&random, sizeof sections / sizeof sections[0])]);
    nd_text_put(url, "/");
    nd_text_number(url, nd_draw_between(&random, 2001, 2020), 4);
    nd_text_number(url, nd_draw_between(&random, 1, 12), 2);
    nd_text_put(url, "/");
    nd_text_number(url, out->plan.page, 1);
    nd_text_put(url, out->plan.class == ND_PAGE_STAMPED ? ".html?session=" : ".html");
    if (out->plan.class == ND_PAGE_STAMPED) {
        nd_text_number(url, nd_random_below(&random, 100000000), 8);
    }
}

/* What a paragraph is on the page: element by element, so that forms look like forms. As much
 * markup as text: on most pages of crawls there is more. Where the site has markup of its own, less
 * of this is other on each page. */
static void put_paragraph(const nd_site_template *t, const nd_story *story, size_t number,
                          nd_page_class class, nd_text_writer *html) {
    enum { FIGURE_EVERY = 4, NUMBERS = 8, NUMBERS_IN_MARKUP = 1 };
    if (class == ND_PAGE_INDEX) {
        const size_t first = nd_story_first_word(story, nd_story_first_sentence(story, number));
        nd_text_put(html, "<li><a href=\"/story/");
        nd_text_number(html, story->words.items[first] & ND_WORD_VALUE, 6);
        nd_text_put(html, ".html\">");
        nd_prose_paragraph(html, &t->prose, story, number);
        nd_text_put(html, "</a></li>\n");
        return;
    }
    if (t->prose.noisy) {
        nd_text_put(html, "<br><br>\n");
        nd_prose_paragraph(html, &t->prose, story, number);
        nd_text_put(html, "\n");
        return;
    }
    const int numbers = nd_page_markup_is_put(t->prose.markup) ? NUMBERS_IN_MARKUP : NUMBERS;
    nd_random random = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page << 16 ^ number);
    nd_text_put(html, "<div class=\"block block-text block-wide\" id=\"block-");
    nd_text_number(html, number, 3);
    nd_text_put(html, "\" data-track=\"");
    for (int i = 0; i < numbers; i++) {
        nd_text_number(html, nd_random_below(&random, 100000000), 8);
        nd_text_put(html, "-");
    }
    nd_text_put(html,
                "\">\n<!-- begin of the article's text; do not edit by hand -->\n<p class=\"text\" "
                "style=\"margin: 0 0 1em 0; padding: 0; font-family: Georgia, serif; "
                "line-height: 1.6; text-align: justify\">");
    nd_prose_paragraph(html, &t->prose, story, number);
    nd_text_put(html, "</p></div>\n");
    if (number % FIGURE_EVERY == 1) {
        nd_text_put(html, "<div class=\"figure\"><img src=\"/images/photo-");
        nd_text_number(html, story->paragraphs.items[number], 4);
        nd_text_put(html, ".jpg\" width=\"640\" height=\"480\" border=\"0\" alt=\"\"></div>\n");
    }
}

/* Sentences that many pages carry, as many as fill all the buckets of a page's fingerprints. */
static void put_licence(const nd_page_factory *f, nd_story *scratch, nd_text_writer *html) {
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
    nd_text_put(html, "<div class=\"licence\">\n");
    for (size_t i = 0; i < scratch->paragraphs.count; i++) {
        nd_text_put(html, "<p>");
        nd_prose_paragraph(html, &prose, scratch, i);
        nd_text_put(html, "</p>\n");
    }
    nd_text_put(html, "</div>\n");
}

static void put_main(nd_page_factory *f, const nd_site_template *t, nd_synthetic_page *page) {
    nd_text_writer *html = &page->html;
    const nd_page_class class = page->plan.class;
    nd_text_put(html, "<div class=\"main\">\n");
    if (f->story.title.count > 0) {
        nd_random date = nd_draw_stream(t->seed, ND_DRAW_FAMILY, ~page->plan.story);
        nd_text_put(html, "<h1>");
        nd_text_span(html, t->title);
        nd_text_put(html, "</h1>\n<p class=\"byline\">");
        nd_prose_words(html, &t->prose, f->story.byline.items, f->story.byline.count);
        nd_text_put(html, ", ");
        nd_text_number(html, nd_draw_between(&date, 2001, 2020), 4);
        nd_text_put(html, "-");
        nd_text_number(html, nd_draw_between(&date, 1, 12), 2);
        nd_text_put(html, "-");
        nd_text_number(html, nd_draw_between(&date, 1, 28), 2);
        nd_text_put(html, "</p>\n");
    }
    if (class == ND_PAGE_ERROR && f->story.words.count > 0) {
        nd_text_put(html, "<p>");
        nd_text_span(html, nd_buffer_span(&page->url.text));
        nd_text_put(html, "</p>\n");
    }
    for (size_t i = 0; i < f->story.paragraphs.count; i++) {
        const bool wrapped = nd_page_markup_open(t->prose.markup, i, html);
        put_paragraph(t, &f->story, i, class, html);
        nd_page_markup_close(t->prose.markup, i, wrapped, html);
    }
    /* half of the pages of this class differ from the original in their URL alone */
    nd_random random = nd_draw_stream(t->seed, ND_DRAW_COPY, ~t->page);
    if (class == ND_PAGE_STAMPED && nd_random_below(&random, 2) != 0) {
        nd_text_put(html, "<p class=\"stamp\">");
        nd_text_number(html, nd_draw_between(&random, 2001, 2020), 4);
        nd_text_put(html, "-");
        nd_text_number(html, nd_draw_between(&random, 1, 12), 2);
        nd_text_put(html, " ");
        nd_text_number(html, nd_random_below(&random, 24), 2);
        nd_text_put(html, ":");
        nd_text_number(html, nd_random_below(&random, 60), 2);
        nd_text_put(html, " | ");
        nd_text_number(html, nd_random_below(&random, 1000000), 1);
        nd_text_put(html, " | 0.");
        nd_text_number(html, nd_random_below(&random, 1000), 3);
        nd_text_put(html, " s</p>\n");
    }
    if (page->plan.licence) {
        put_licence(f, &f->original, html);
    }
    nd_text_put(html, "</div>\n");
}

nd_status nd_synthetic_page_make(nd_page_factory *f, uint64_t page, nd_synthetic_page *out) {
    nd_status st = ND_OK;
    const nd_corpus_options *o = nd_corpus_plan_options(f->plan);
    const nd_page_plan *p = &out->plan;
    nd_corpus_plan_page(f->plan, page, &out->plan);
    const nd_site_traits site = nd_site_traits_get(o->seed, p->site);
    ND_TRY(make_story(f, &site, out));
    nd_text_clear(&out->id);
    nd_text_put(&out->id, "urn:neardup:");
    nd_text_number(&out->id, o->seed, 1);
    nd_text_put(&out->id, ":");
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
    nd_text_clear(&f->title);
    nd_prose_words(&f->title, &t.prose, f->story.title.items, f->story.title.count);
    t.title = nd_buffer_span(&f->title.text);
    nd_text_clear(&out->html);
    nd_site_template_before(&t, &out->html);
    t.prose.noisy = p->class == ND_PAGE_NOISY; /* the template and the title stay as they are */
    t.prose.links = true;
    put_main(f, &t, out);
    t.prose.noisy = false;
    nd_site_template_after(&t, &out->html);
    ND_TRY(f->original.status); /* in which the licence was drawn */
    ND_TRY(f->title.status);
    ND_TRY(out->id.status);
    ND_TRY(out->url.status);
    ND_TRY(out->html.status);
out:
    return st;
}

void nd_synthetic_page_free(nd_synthetic_page *page) {
    nd_text_free(&page->id);
    nd_text_free(&page->url);
    nd_text_free(&page->html);
    nd_text_free(&page->cluster);
    *page = (nd_synthetic_page){0};
}

void nd_page_factory_free(nd_page_factory *f) {
    nd_story_free(&f->original);
    nd_story_free(&f->story);
    nd_text_free(&f->title);
}
