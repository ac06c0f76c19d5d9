/* neardup review OUT.h5 -o REVIEW.html : pairs drawn from a result, for people to look at. */
#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/html/html_page.h"
#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/cmd/review/pair_sample.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== pairs drawn */

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static const char *const band_names[ND_SAMPLE_BANDS] = {
    "below .5", ".5 to .6", ".6 to .7", ".7 to .8", ".8 to .9", ".9 to 1", "1"};

static int band_of(float similarity) {
    static const float ends[ND_SAMPLE_BANDS - 1] = {.5F, .6F, .7F, .8F, .9F, 1.F};
    int band = 0;
    while (band < ND_SAMPLE_BANDS - 1 && similarity >= ends[band]) {
        band++;
    }
    return band;
}

/* A float that is not negative is in the order of its bits. */
static uint64_t bits_of(float similarity) {
    uint32_t bits = 0;
    memcpy(&bits, &similarity, sizeof bits);
    return bits;
}

static float similarity_of(uint64_t key) {
    const uint32_t bits = (uint32_t)key;
    float similarity = 0;
    memcpy(&similarity, &bits, sizeof similarity);
    return similarity;
}

/* Every page that is not its set's representative, with its order: those of least order are kept,
 * in each band, or in the first of all. */
static nd_status walk(const nd_result *result, const nd_pair_sample_choice *choice,
                      nd_pair_sample *sample, nd_least *bands) {
    nd_status st = ND_OK;
    uint64_t *links = NULL;
    float *similarities = NULL;
    nd_new_room(&links, ROWS_AT_ONCE, sizeof *links);
    nd_new_room(&similarities, ROWS_AT_ONCE, sizeof *similarities);
    for (uint64_t begin = 0; begin < result->shape.pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, "/pages/link", ND_COLUMN_U64, begin, count, links));
        ND_TRY(
            nd_result_read(result, "/pages/similarity", ND_COLUMN_F32, begin, count, similarities));
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t page = begin + i;
            const double similarity = (double)similarities[i];
            if (links[i] == page || similarity < choice->from || similarity > choice->to) {
                continue;
            }
            if (!nd_is_share(similarities[i])) {
                st = nd_result_damaged(result, "/pages/similarity: page %" PRIu64 ": no similarity",
                                       page);
                goto out;
            }
            const int band = band_of(similarities[i]);
            sample->bands[band].pairs++;
            nd_least_offer(&bands[choice->least_similar ? 0 : band],
                           choice->least_similar
                               ? bits_of(similarities[i])
                               : XXH3_64bits_withSeed(&page, sizeof page, choice->seed),
                           page);
        }
    }
out:
    free(links);
    free(similarities);
    return st;
}

/* From each band as many, as far as it has them; what one lacks goes to the others. */
static void share_out(uint64_t count, const nd_least *bands, uint64_t *shares) {
    uint64_t before = UINT64_MAX;
    while (count > 0 && before != count) {
        before = count;
        for (int b = 0; b < ND_SAMPLE_BANDS && count > 0; b++) {
            if (shares[b] < bands[b].count) {
                shares[b]++;
                count--;
            }
        }
    }
}

nd_status nd_pair_sample_draw(const nd_result *result, const nd_pair_sample_choice *choice,
                              nd_pair_sample *sample) {
    nd_status st = ND_OK;
    nd_least bands[ND_SAMPLE_BANDS];
    nd_least all;
    uint64_t shares[ND_SAMPLE_BANDS] = {0};
    const uint64_t wanted = nd_min(choice->count, result->shape.pages);
    *sample = (nd_pair_sample){.count = 0};
    nd_least_open(&all, wanted);
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        nd_least_open(&bands[b], wanted);
    }
    ND_TRY(walk(result, choice, sample, bands));
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        nd_least_finish(&bands[b]);
        sample->pairs += sample->bands[b].pairs;
    }
    share_out(choice->count, bands, shares);
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        for (uint64_t i = 0; i < shares[b]; i++) {
            const nd_key_value *page = &bands[b].records[i];
            sample->bands[choice->least_similar ? band_of(similarity_of(page->key)) : b].drawn++;
            nd_least_offer(&all, page->key, page->value);
        }
    }
    nd_least_finish(&all);
    sample->count = all.count;
    nd_new(&sample->pages, all.count, sizeof *sample->pages);
    for (uint64_t i = 0; i < all.count; i++) {
        sample->pages[i] = all.records[i].value;
    }
out:
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        free(bands[b].records);
    }
    free(all.records);
    return st;
}

void nd_pair_sample_free(nd_pair_sample *sample) {
    free(sample->pages);
    *sample = (nd_pair_sample){0};
}

/* ==== Whole sets drawn at random from a result, as Huang, Wang and Li drew them (CIKM 2008): every
 * set of two or more pages has the same chance, and with each come the pages that a baseline puts
 * with its representative. Both results are of the same inputs, so that a page has one number in
 * both. Which sets are drawn depends on the seed and their numbers alone. */

/** Sets, one after the other, each its representative and then the pages that either result has
 * with it, ascending. All zero is valid and empty; owned. */
typedef struct nd_whole_sets {
    uint64_t *pages;
    uint64_t *begin; /**< of each set in `pages`, and the end */
    uint64_t *sets;  /**< their numbers in the result */
    uint64_t count;
    uint64_t population; /**< sets of two or more pages */
} nd_whole_sets;

enum { MOST_PAGES = 20000 };

/* The sets of least order. */
static nd_status draw(const nd_result *result, uint64_t seed, nd_least *sets,
                      uint64_t *population) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_new_room(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < result->shape.sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.sets - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t set = begin + i;
            if (offsets[i + 1] - offsets[i] > 1) {
                nd_least_offer(sets, XXH3_64bits_withSeed(&set, sizeof set, seed), set);
                ++*population;
            }
        }
    }
    nd_least_finish(sets);
out:
    free(offsets);
    return st;
}

/* Has the baseline the page under its number? */
static nd_status check_page(const nd_result *result, const nd_result *baseline, uint64_t page) {
    nd_status st = ND_OK;
    nd_page_rows here = {0};
    nd_page_rows there = {0};
    ND_TRY(nd_page_rows_read(result, page, 1, &here));
    ND_TRY(nd_page_rows_read(baseline, page, 1, &there));
    if (!nd_span_is_equal(nd_page_rows_id(&here, 0), nd_page_rows_id(&there, 0)) ||
        !nd_span_is_equal(nd_page_rows_url(&here, 0), nd_page_rows_url(&there, 0))) {
        st = nd_fail(ND_ERR_USAGE,
                     "--baseline %s: page %" PRIu64 " is another there than in %s: run both over "
                     "the same inputs",
                     baseline->path, page, result->path);
    }
out:
    nd_page_rows_free(&here);
    nd_page_rows_free(&there);
    return st;
}

static nd_status add_pages(nd_whole_sets *drawn, size_t *room, uint64_t used, const uint64_t *pages,
                           uint64_t count, uint64_t *end) {
    if (used + count > MOST_PAGES) {
        return nd_fail(
            ND_ERR_USAGE,
            "--sample: the sets have more than %d pages, which nobody judges: draw fewer",
            (int)MOST_PAGES);
    }
    nd_grow(&drawn->pages, room, used + count, sizeof *drawn->pages);
    memcpy(drawn->pages + used, pages, count * sizeof *pages);
    *end = used + count;
    return ND_OK;
}

/* Its representative, then those of both results once each. */
static nd_status take_set(const nd_result *result, const nd_result *baseline, uint64_t set,
                          nd_whole_sets *drawn, size_t *room, uint64_t *end) {
    nd_status st = ND_OK;
    uint64_t *members = NULL;
    uint64_t count = 0;
    uint64_t other = 0;
    const uint64_t begin = *end;
    ND_TRY(nd_result_members(result, set, &members, &count));
    const uint64_t first = members[0];
    ND_TRY(add_pages(drawn, room, begin, members, count, end));
    if (baseline != NULL) {
        free(members);
        members = NULL;
        ND_TRY(check_page(result, baseline, first));
        ND_TRY(nd_result_read(baseline, "/pages/set", ND_COLUMN_U64, first, 1, &other));
        ND_TRY(nd_result_members(baseline, other, &members, &count));
        ND_TRY(add_pages(drawn, room, *end, members, count, end));
    }
    uint64_t *pages = drawn->pages + begin;
    const uint64_t distinct = nd_numbers_distinct(pages, *end - begin);
    memmove(pages + 1, pages, nd_numbers_place(pages, distinct, first) * sizeof *pages);
    pages[0] = first;
    *end = begin + distinct;
out:
    free(members);
    return st;
}

/* Draw. \param[in] baseline  NULL: none
 * \param[out] drawn  to be freed in any case
 * \return ND_OK, also where there is no set; ND_ERR_USAGE if the baseline is of other inputs, or
 *         there are more pages than anybody judges; ND_ERR_FORMAT or ND_ERR_IO */
static nd_status whole_sets_draw(const nd_result *result, const nd_result *baseline, uint64_t count,
                                 uint64_t seed, nd_whole_sets *drawn) {
    nd_status st = ND_OK;
    nd_least sets = {0};
    size_t room = 0;
    uint64_t end = 0;
    *drawn = (nd_whole_sets){.count = 0};
    if (baseline != NULL && baseline->shape.pages != result->shape.pages) {
        return nd_fail(ND_ERR_USAGE,
                       "--baseline %s: has %" PRIu64 " pages, and %s %" PRIu64
                       ": run both over the same inputs",
                       baseline->path, baseline->shape.pages, result->path, result->shape.pages);
    }
    nd_least_open(&sets, nd_min(count, result->shape.sets));
    ND_TRY(draw(result, seed, &sets, &drawn->population));
    drawn->count = sets.count;
    nd_new(&drawn->begin, drawn->count + 1, sizeof *drawn->begin);
    nd_new(&drawn->sets, drawn->count, sizeof *drawn->sets);
    for (uint64_t i = 0; i < drawn->count; i++) {
        drawn->sets[i] = sets.records[i].value;
        drawn->begin[i] = end;
        ND_TRY(take_set(result, baseline, sets.records[i].value, drawn, &room, &end));
    }
    drawn->begin[drawn->count] = end;
out:
    free(sets.records);
    return st;
}

/* ==== the command */

/* Bytes of text shown of a pair. */

static const size_t SHOWN_BYTES = 256 * 1024;

typedef struct request {
    nd_page_request page;
    nd_pair_sample_choice choice;
    bool whole; /* sets are drawn, not pairs */
    const char *baseline;
} request;

static request asked;

static nd_status set_between(void *options, const char *text) {
    nd_pair_sample_choice *choice = &((request *)options)->choice;
    char *end = NULL;
    choice->from = strtod(text, &end);
    const bool second = *end == ',';
    choice->to = second ? strtod(end + 1, &end) : NAN;
    return end != text && *end == '\0' && choice->from >= 0 && choice->from <= choice->to &&
                   choice->to <= 1
               ? ND_OK
               : nd_fail(ND_ERR_USAGE,
                         "--between %s: two similarities with a comma between, such as .5,.7",
                         text);
}

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"output", "FILE", ND_OPTION_TEXT, AT(page.output), .help = "the page", .letter = 'o'},
    {"force", NULL, ND_OPTION_FLAG, AT(page.force),
     .help = "replace any file with this name, not only a page made by neardup", .rare = true},
    {"sample", "N", ND_OPTION_NUMBER, AT(choice.count), .help = "pairs, or sets, drawn",
     .bounded = true, .least = 1, .most = 10000},
    {"seed", "N", ND_OPTION_NUMBER, AT(choice.seed), .help = "for the drawing"},
    {"least-similar", NULL, ND_OPTION_FLAG, AT(choice.least_similar),
     .help = "show the least similar pairs instead; nothing follows for the others"},
    {"between", "A,B", ND_OPTION_OWN, 0,
     .help = "draw only pairs with similarity A to B; figures hold for these", .set = set_between},
    {"protocol", "pku|pairs", ND_OPTION_SWITCH, AT(whole),
     .help =
         "pku: draw whole sets at random, and judge each page beside its representative, as "
         "Huang, Wang and Li did (CIKM 2008). neardup evaluate --protocol pku reads the answers"},
    {"baseline", "H5", ND_OPTION_TEXT, AT(baseline),
     .help = "pku: a result of the same inputs. Pages that it has with a representative are judged "
             "too, unmarked: recall is relative to it"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.choice = {.count = 100, .seed = 1, .to = 1}};
    nd_partition_defaults(&asked.page.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.page.run.options.reader};
}

/* Both pages of each pair, in the order of the pairs; looked up in that of the pages. */
static nd_status list_pages(const nd_result *result, const nd_pair_sample *sample,
                            uint64_t *numbers) {
    nd_status st = ND_OK;
    nd_key_value *pages = NULL; /* and the pair that each is of */
    nd_new_room(&pages, sample->count, sizeof *pages);
    for (uint64_t i = 0; i < sample->count; i++) {
        pages[i] = (nd_key_value){sample->pages[i], i};
    }
    nd_radix_sort(pages, sample->count);
    for (uint64_t i = 0; i < sample->count; i++) {
        const uint64_t pair = pages[i].value;
        numbers[2 * pair] = pages[i].key;
        ND_TRY(nd_result_representative(result, pages[i].key, &numbers[2 * pair + 1]));
    }
out:
    free(pages);
    return st;
}

/* ---- the page */

static nd_span name_of(const nd_shown_page *page) {
    return nd_buffer_span(page->id.size > 0 ? &page->id : &page->url);
}

static void print_head(FILE *to, const nd_batch_page *p, int side) {
    const nd_shown_page *page = &p->page;
    (void)fprintf(to, "<div class=\"%c\"><b>%c</b> <span class=\"name\">", "ab"[side], "AB"[side]);
    nd_html_text(to, nd_buffer_span(page->url.size > 0 ? &page->url : &page->id));
    (void)fprintf(to, "</span> <small>page %" PRIu64, p->number);
    if (p->reason[0] == '\0') {
        (void)fprintf(to, ", %" PRIu32 " tokens compared of %" PRIu32, page->content.token_count,
                      page->whole.token_count);
    }
    (void)fputs("</small></div>\n", to);
}

/* Two pages beside each other, once the article has been opened with its attributes.
 * \param[in] heading  of the article: of numbers and plain words alone */
static void print_article(FILE *to, const nd_batch_page *of_a, const nd_batch_page *of_b,
                          const char *heading) {
    const nd_batch_page *const pages[2] = {of_a, of_b};
    /* labels are saved by id or URL: a pair whose names cannot be written is answered for the page
     * alone */
    const nd_span names[2] = {name_of(&of_a->page), name_of(&of_b->page)};
    const bool twins = names[0].size > 0 && nd_span_is_equal(names[0], names[1]);
    if (!twins && nd_html_exactly(to, "data-a", names[0])) {
        (void)nd_html_exactly(to, "data-b", names[1]);
    }
    (void)fprintf(to,
                  ">\n<h2>%s <span class=\"answer\"></span></small></h2>\n<div "
                  "class=\"heads\">\n",
                  heading);
    print_head(to, of_a, 0);
    print_head(to, of_b, 1);
    (void)fputs("</div>\n", to);
    if (of_a->reason[0] == '\0' && of_b->reason[0] == '\0') {
        nd_diff_view_print(to, &of_a->page, &of_b->page, SHOWN_BYTES);
    }
    for (int side = 0; side < 2; side++) {
        if (pages[side]->reason[0] != '\0') {
            (void)fprintf(to, "<p class=\"note\">The text of %c cannot be read: ", "AB"[side]);
            nd_html_words(to, pages[side]->reason);
            (void)fputs("</p>\n", to);
        }
    }
    (void)fputs("</article>\n", to);
}

enum { HEADING_SIZE = 160 };

static void print_pair(FILE *to, const nd_batch_page *pages, uint64_t number, uint64_t count) {
    char heading[HEADING_SIZE];
    const nd_page_place *place = &pages[0].page.place;
    (void)snprintf(heading, sizeof heading,
                   "Pair %" PRIu64 " of %" PRIu64 " <small>similarity %.4f, set %" PRIu64
                   " of %" PRIu64 " pages",
                   number, count, (double)place->similarity, place->set, place->set_pages);
    (void)fprintf(to, "<article class=\"pair\" data-band=\"%d\"", band_of(place->similarity));
    print_article(to, &pages[0], &pages[1], heading);
}

/* Each page of a set beside its representative. Which result has it there, and how similar it is to
 * that, would tell people what to answer. */
static void print_set(FILE *to, const nd_whole_sets *drawn, uint64_t number,
                      const nd_batch_page *pages) {
    const uint64_t others = drawn->begin[number + 1] - drawn->begin[number] - 1;
    for (uint64_t i = 1; i <= others; i++) {
        char heading[HEADING_SIZE];
        (void)snprintf(heading, sizeof heading,
                       "Set %" PRIu64 " of %" PRIu64 " <small>page %" PRIu64 " of %" PRIu64
                       ": is A the same as B?",
                       number + 1, drawn->count, i, others);
        (void)fprintf(
            to, "<article class=\"pair\" data-set=\"set %" PRIu64 "\" data-pages=\"%" PRIu64 "\"",
            drawn->sets[number], others);
        print_article(to, &pages[i], &pages[0], heading);
    }
}

static void print_bands(FILE *to, const nd_pair_sample *sample, bool at_random) {
    (void)fputs("<details><summary id=\"sum\">Answers</summary>\n<div class=\"scroll\"><table>"
                "<thead><tr><th>similarity<th>pairs<th>drawn<th>same<th>not<th>unsure",
                to);
    (void)fputs(at_random ? "<th>precision<th>95 %</tr></thead><tbody id=\"bands\">\n"
                          : "</tr></thead><tbody id=\"bands\">\n",
                to);
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        const nd_sample_band *band = &sample->bands[b];
        if (band->pairs > 0) {
            (void)fprintf(to,
                          "<tr data-band=\"%d\" data-pairs=\"%" PRIu64 "\"><th>%s<td>%" PRIu64
                          "<td>%" PRIu64 "<td><td><td>%s</tr>\n",
                          b, band->pairs, band_names[b], band->pairs, band->drawn,
                          at_random ? "<td><td>" : "");
        }
    }
    (void)fputs("</tbody></table></div>\n", to);
    if (!at_random) {
        (void)fputs("<p class=\"note\">These are the least similar pairs, not drawn at random: "
                    "nothing follows of the others.</p>\n",
                    to);
    }
    (void)fputs("</details>\n", to);
}

static const char NO_SCRIPT[] =
    "<noscript><p class=\"note\">Without scripts all pairs stand below each other, and answers are "
    "not taken.</p></noscript>\n"
    "<p class=\"legend\"><del>only A</del> <ins>only B</ins> "
    "<span class=\"gone\"><i>why</i> dropped, not compared</span></p>\n"
    "<p class=\"keys\">Keys: <kbd>y</kbd> same, <kbd>n</kbd> not same, <kbd>?</kbd> unsure, "
    "<kbd>&#8592;</kbd> <kbd>&#8594;</kbd> back and on, <kbd>s</kbd> save the labels. Answers stay "
    "in "
    "this browser.</p>\n";
static const char FOOTER[] = "</main>\n<footer hidden>\n"
                             "<button data-move=\"-1\" title=\"left arrow\">&#8592;</button>\n"
                             "<button data-answer=\"y\">same <kbd>y</kbd></button>\n"
                             "<button data-answer=\"n\">not same <kbd>n</kbd></button>\n"
                             "<button data-answer=\"?\">unsure <kbd>?</kbd></button>\n"
                             "<button data-move=\"1\" title=\"right arrow\">&#8594;</button>\n"
                             "<button id=\"save\">save labels <kbd>s</kbd></button>\n"
                             "<span id=\"note\" role=\"status\"></span>\n</footer>\n";

/* What is drawn, and its pages: of each pair both, of each set the representative and then the
 * others. */
typedef struct drawn {
    nd_pair_sample pairs;
    nd_whole_sets sets;
    uint64_t *numbers; /* of the pages; owned where these are pairs */
    uint64_t count;
    nd_page_batch batch;
} drawn;

static nd_status print_header(FILE *to, const request *r, const drawn *d) {
    nd_status st = ND_OK;
    char *created = NULL;
    const nd_result *result = r->page.run.result;
    ND_TRY(nd_result_get_text(result, "created", &created));
    (void)fprintf(
        to, "<header><h1>Same content?</h1>\n<p>%" PRIu64 " of %" PRIu64 " %s in <b>",
        r->whole ? d->sets.count : d->pairs.count, r->whole ? d->sets.population : d->pairs.pairs,
        r->whole ? "sets of two or more pages" : "pairs of a page and its set's representative");
    nd_html_words(to, result->path);
    (void)fputs("</b>, a run of ", to);
    nd_html_words(to, created);
    if (r->whole) {
        (void)fprintf(to,
                      ", drawn with seed %" PRIu64
                      ", each whole: A is a page of the set, B its representative.",
                      r->choice.seed);
        if (r->baseline != NULL) {
            (void)fputs(" Pages that ", to);
            nd_html_words(to, r->baseline);
            (void)fputs(" has with B are among them.", to);
        }
        (void)fprintf(to,
                      "</p>\n%s<p id=\"sum\"></p>\n<p class=\"note\">Sets count once all of their "
                      "pages are answered.</p>\n",
                      NO_SCRIPT);
        goto out;
    }
    if (!r->choice.least_similar) {
        (void)fprintf(to, ", drawn by similarity with seed %" PRIu64, r->choice.seed);
    }
    if (r->choice.from > 0 || r->choice.to < 1) {
        (void)fprintf(to, ", of those from %g to %g", r->choice.from, r->choice.to);
    }
    (void)fprintf(to, ".</p>\n%s", NO_SCRIPT);
    print_bands(to, &d->pairs, !r->choice.least_similar);
out:
    free(created);
    return st;
}

static nd_status print_page(FILE *to, const request *r, const drawn *d) {
    nd_status st = ND_OK;
    const char *path = r->page.run.result->path;
    ND_TRY(print_header(to, r, d));
    /* what the answers belong to: they are kept in the browser under this key */
    (void)fprintf(to, "</header>\n<main id=\"pairs\" data-key=\"%016" PRIx64 "\">\n",
                  (uint64_t)XXH3_64bits_withSeed(d->numbers, d->count * sizeof *d->numbers,
                                                 XXH3_64bits(path, strlen(path))));
    for (uint64_t i = 0; i < d->pairs.count; i++) {
        print_pair(to, &d->batch.pages[2 * i], i + 1, d->pairs.count);
    }
    for (uint64_t i = 0; i < d->sets.count; i++) {
        print_set(to, &d->sets, i, &d->batch.pages[d->sets.begin[i]]);
    }
    (void)fputs(FOOTER, to);
out:
    return st;
}

/* ---- the command */

static nd_status check_protocol(const request *r) {
    if (!r->whole && r->baseline != NULL) {
        return nd_fail(ND_ERR_USAGE, "--baseline %s: is of use only with --protocol pku",
                       r->baseline);
    }
    if (r->whole && (r->choice.least_similar || r->choice.from > 0 || r->choice.to < 1)) {
        return nd_fail(ND_ERR_USAGE, "--protocol pku: draws sets at random: leave out --%s",
                       r->choice.least_similar ? "least-similar" : "between");
    }
    return ND_OK;
}

static nd_status draw_pairs(const request *r, const nd_result *result, drawn *d) {
    nd_status st = ND_OK;
    ND_TRY(nd_pair_sample_draw(result, &r->choice, &d->pairs));
    if (d->pairs.count == 0) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: there is no pair to look at: no page of such a similarity "
                       "is in a set with another",
                       result->path);
    }
    d->count = 2 * d->pairs.count;
    nd_new(&d->numbers, d->count, sizeof *d->numbers);
    ND_TRY(list_pages(result, &d->pairs, d->numbers));
out:
    return st;
}

static nd_status draw_sets(const request *r, const nd_result *result, drawn *d) {
    nd_status st = ND_OK;
    nd_result baseline = {.file = H5I_INVALID_HID};
    ND_TRY(r->baseline != NULL ? nd_result_open(&baseline, r->baseline) : ND_OK);
    ND_TRY(whole_sets_draw(result, r->baseline != NULL ? &baseline : NULL, r->choice.count,
                           r->choice.seed, &d->sets));
    if (d->sets.count == 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: there is no set of two or more pages", result->path);
        goto out;
    }
    d->numbers = d->sets.pages;
    d->count = d->sets.begin[d->sets.count];
out:
    (void)nd_result_close(&baseline);
    return st;
}

static nd_status make_review(nd_page_request *page_request) {
    nd_status st = ND_OK;
    const request *r = &asked;
    const nd_result *result = page_request->run.result;
    drawn d = {.count = 0};
    nd_html_page page = {0};
    ND_TRY(check_protocol(r));
    ND_TRY(r->whole ? draw_sets(r, result, &d) : draw_pairs(r, result, &d));
    ND_TRY(nd_page_batch_read(&d.batch, &page_request->run, d.numbers, d.count));
    if (d.batch.unread == d.count) {
        st = nd_fail(ND_ERR_INPUT, "no text can be read again; the first: %s",
                     d.batch.pages[0].reason);
        goto out;
    }
    ND_TRY(nd_html_page_open(&page, "review", result->path, &nd_built_in_review_js));
    ND_TRY(print_page(page.to, r, &d));
    ND_TRY(nd_html_page_save(&page, page_request->output));
    if (r->whole) {
        nd_print_line(stderr,
                      "neardup review: %s: %" PRIu64 " of %" PRIu64 " sets, seed %" PRIu64
                      ": %" PRIu64 " pages to judge; %" PRIu64 " texts could not be read",
                      page_request->output, d.sets.count, d.sets.population, r->choice.seed,
                      d.count - d.sets.count, d.batch.unread);
    } else {
        nd_print_line(stderr,
                      "neardup review: %s: %" PRIu64 " of %" PRIu64 " pairs, seed %" PRIu64
                      "; %" PRIu64 " texts could not be read",
                      page_request->output, d.pairs.count, d.pairs.pairs, r->choice.seed,
                      d.batch.unread);
    }
out:
    nd_page_batch_free(&d.batch);
    free(r->whole ? NULL : d.numbers);
    nd_pair_sample_free(&d.pairs);
    free(d.sets.pages);
    free(d.sets.begin);
    free(d.sets.sets);
    nd_html_page_close(&page);
    return st;
}

static nd_status review(nd_command_call *call) {
    return nd_page_command_run(call, &asked.page, make_review);
}

const nd_command nd_command_review = {
    .name = "review",
    .summary = "judge pairs drawn from a result on a page for a browser",
    .usage = "OUT.h5 [--sample N] [--seed N] -o REVIEW.html\n"
             "OUT.h5 --protocol pku [--baseline B.h5] -o SHEET.html",
    .about = "Draws random pages in each band of similarity to their representative, and shows "
             "each beside it: shared text, differences, and what was dropped before comparing. "
             "Keys y, n and ? answer. The page estimates the result's precision, keeps the "
             "answers, and saves them as labels for neardup evaluate --truth LABELS.tsv --bands. "
             "It is one file and fetches nothing.",
    .examples = "neardup review out.h5 -o review.html\n"
                "neardup review out.h5 --least-similar --sample 30 -o doubtful.html\n"
                "neardup review out.h5 --protocol pku --baseline simhash.h5 -o sheet.html",
    .notes = "Texts are read again from the inputs, under their path or from the result's folder. "
             "Copies are shown as the run compared them.",
    .open = open_options,
    .run = review,
};
