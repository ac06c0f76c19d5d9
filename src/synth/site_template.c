#include "src/synth/site_template.h"

/* Percent of the template's bytes that go into each part. */
enum { SCRIPT_PART = 30, NAVIGATION_PART = 20, SIDE_PART = 25, FOOTER_PART = 15, PERCENT = 100 };

/* The blocks of a template, each with random numbers of its own. */
enum block { BLOCK_NAME, BLOCK_SCRIPT, BLOCK_NAVIGATION, BLOCK_SIDE, BLOCK_FOOTER, BLOCK_RELATED };

static nd_random block_random(const nd_site_template *t, enum block block) {
    const uint64_t number = t->site->site * 16 + (uint64_t)block * 2 + (t->redesigned ? 1 : 0);
    return nd_draw_stream(t->seed, ND_DRAW_BLOCK, number);
}

/* Parts are as long as they are without the site's markup. */
static size_t plain_size(const nd_site_template *t, const nd_text_writer *out) {
    return out->text.size - nd_page_markup_size(t->prose.markup);
}

static size_t part_end(const nd_site_template *t, const nd_text_writer *out, uint64_t percent) {
    return plain_size(t, out) + (size_t)(t->bytes * percent / PERCENT);
}

static bool goes_on(const nd_site_template *t, const nd_text_writer *out, size_t end) {
    return out->status == ND_OK && plain_size(t, out) < end;
}

/* The same in both designs. */
static nd_random name_random(uint64_t seed, uint64_t site) {
    return nd_draw_stream(seed, ND_DRAW_BLOCK, site * 16 + (uint64_t)BLOCK_NAME * 2);
}

void nd_site_template_host(nd_text_writer *out, const nd_vocabulary *vocabulary, uint64_t seed,
                           uint64_t site) {
    nd_random random = name_random(seed, site);
    nd_text_put(out, "www.");
    nd_text_span(out, nd_vocabulary_word(vocabulary, ND_LANGUAGE_SPACED,
                                         nd_vocabulary_draw(vocabulary, &random)));
    nd_text_number(out, site, 1);
    nd_text_put(out, ".example");
}

static void put_link(const nd_site_template *t, nd_text_writer *out, nd_random *random,
                     uint64_t words) {
    nd_text_put(out, "<li");
    nd_page_markup_attributes(t->prose.markup, "li", out);
    nd_text_put(out, "><a");
    nd_page_markup_attributes(t->prose.markup, "a", out);
    nd_text_put(out, " href=\"/");
    nd_text_span(out, nd_vocabulary_word(t->prose.vocabulary, ND_LANGUAGE_SPACED,
                                         nd_vocabulary_draw(t->prose.vocabulary, random)));
    nd_text_put(out, "/");
    nd_text_number(out, nd_random_below(random, 100000), 5);
    nd_text_put(out, ".html\">");
    nd_prose_draw(out, &t->prose, random, words);
    nd_text_put(out, "</a></li>\n");
}

static void put_links(const nd_site_template *t, nd_text_writer *out, nd_random *random, size_t end,
                      uint64_t least, uint64_t most) {
    nd_text_put(out, "<ul>\n");
    while (goes_on(t, out, end)) {
        put_link(t, out, random, nd_draw_between(random, least, most));
    }
    nd_text_put(out, "</ul>\n");
}

static void put_sentence(const nd_site_template *t, nd_text_writer *out, nd_random *random) {
    nd_prose_draw(out, &t->prose, random, nd_draw_between(random, 6, 20));
    nd_prose_stop(out, &t->prose, 0);
    nd_prose_gap(out, &t->prose);
}

static void open_part(const nd_site_template *t, nd_text_writer *out, const char *element,
                      const char *name) {
    nd_text_put(out, "<");
    nd_text_put(out, t->site->semantic ? element : "div");
    nd_text_put(out, " class=\"");
    nd_text_put(out, name);
    nd_text_put(out, "\">\n");
}

static void close_part(const nd_site_template *t, nd_text_writer *out, const char *element) {
    nd_text_put(out, "</");
    nd_text_put(out, t->site->semantic ? element : "div");
    nd_text_put(out, ">\n");
}

static void put_site_name(const nd_site_template *t, nd_text_writer *out) {
    nd_random random = name_random(t->seed, t->site->site);
    (void)nd_random_next(&random); /* that is in the host name */
    nd_prose_draw(out, &t->prose, &random, 3);
}

static void put_side(const nd_site_template *t, nd_text_writer *out) {
    nd_random random = block_random(t, BLOCK_SIDE);
    const size_t end = part_end(t, out, SIDE_PART);
    open_part(t, out, "aside", "side");
    put_links(t, out, &random, (plain_size(t, out) + end) / 2, 3, 9);
    while (goes_on(t, out, end)) {
        nd_text_put(out, "<p>");
        put_sentence(t, out, &random);
        put_sentence(t, out, &random);
        nd_text_put(out, "</p>\n");
    }
    close_part(t, out, "aside");
}

void nd_site_template_before(const nd_site_template *t, nd_text_writer *out) {
    nd_random random = block_random(t, BLOCK_NAVIGATION);
    nd_text_put(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n<title>");
    nd_text_span(out, t->title);
    nd_text_put(out, " - ");
    put_site_name(t, out);
    nd_text_put(out, "</title>\n");
    if (nd_page_markup_is_put(t->prose.markup)) {
        nd_page_markup_head(t->prose.markup, out);
    } else { /* style sheets and scripts: bytes that are no text */
        nd_random script = block_random(t, BLOCK_SCRIPT);
        const size_t end = part_end(t, out, SCRIPT_PART);
        const size_t middle = (plain_size(t, out) + end) / 2;
        nd_text_put(out, "<style type=\"text/css\">\n");
        while (goes_on(t, out, middle)) {
            nd_text_put(out, ".b");
            nd_text_number(out, nd_random_below(&script, 1000), 3);
            nd_text_put(out, " { margin: 0 auto; width: ");
            nd_text_number(out, nd_random_below(&script, 1000), 1);
            nd_text_put(out, "px; color: #444 }\n");
        }
        nd_text_put(out, "</style>\n<script type=\"text/javascript\">\n");
        while (goes_on(t, out, end)) {
            nd_text_put(out, "track.push(['event', ");
            nd_text_number(out, nd_random_below(&script, 1000000), 6);
            nd_text_put(out, ", document.title]);\n");
        }
        nd_text_put(out, "</script>\n");
    }
    nd_text_put(out, "</head><body>\n<div class=\"head\"><a href=\"/\">");
    put_site_name(t, out);
    nd_text_put(out, "</a></div>\n");
    open_part(t, out, "nav", "menu");
    put_links(t, out, &random, part_end(t, out, NAVIGATION_PART), 1, 3);
    close_part(t, out, "nav");
    if (t->redesigned) {
        put_side(t, out);
    }
}

void nd_site_template_after(const nd_site_template *t, nd_text_writer *out) {
    enum { LINKS = 6, POOL = 60 };
    nd_random random = block_random(t, BLOCK_FOOTER);
    nd_random page = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page);

    /* the same few dozen stories of the site, others on each page */
    nd_page_markup_begin(t->prose.markup, out);
    nd_text_put(out, "<div class=\"related\"><ul>\n");
    for (uint64_t i = 0; i < LINKS; i++) {
        nd_random link = block_random(t, BLOCK_RELATED);
        const uint64_t chosen = t->site->related ? nd_random_below(&page, POOL) : i;
        link.state += chosen * UINT64_C(0xd1342543de82ef95);
        put_link(t, out, &link, nd_draw_between(&link, 4, 9));
    }
    nd_text_put(out, "</ul></div>\n");

    nd_page_markup_begin(t->prose.markup, out);
    if (!t->redesigned) {
        put_side(t, out);
    }
    const size_t end = part_end(t, out, FOOTER_PART);
    open_part(t, out, "footer", "foot");
    nd_text_put(out, "<p>");
    do {
        put_sentence(t, out, &random);
    } while (goes_on(t, out, end));
    nd_text_put(out, "</p>\n");
    if (t->site->stamped) { /* visits and the time */
        page = nd_draw_stream(t->seed, ND_DRAW_PAGE, t->page);
        (void)nd_random_next(&page);
        nd_text_put(out, "<p>");
        nd_text_number(out, nd_random_below(&page, 1000000), 1);
        nd_text_put(out, " / ");
        nd_text_number(out, nd_random_below(&page, 24), 2);
        nd_text_put(out, ":");
        nd_text_number(out, nd_random_below(&page, 60), 2);
        nd_text_put(out, "</p>\n");
    }
    close_part(t, out, "footer");
    nd_page_markup_end(t->prose.markup, out);
    nd_text_put(out, "</body></html>\n");
}
