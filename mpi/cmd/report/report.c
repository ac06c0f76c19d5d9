/* neardup report OUT.h5 -o REPORT.html : a whole run on one page for a browser. */
#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/html/html_page.h"
#include "mpi/cmd/look/set_census.h"
#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/cmd/report/refused_pairs.h"
#include "mpi/cmd/review/pair_sample.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/measure/agreement.h"
#include "src/text/address.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== what is counted, in one walk over all pages: memory is of the number of sites and
 * collections */

enum {
    BINS = 51, /* of similarities of .02 each, and one of 1 itself */
    SETS_SHOWN = 10,
    MEMBERS_SHOWN = 8,
    PAIRS_SHOWN = 10
};

typedef struct named_count {
    uint64_t pages;
    uint64_t more; /* of them not the representative of their set */
} named_count;

/* All zero is valid and empty; owned. */
typedef struct report {
    FILE *to; /* borrowed, as the next */
    const nd_result *result;
    uint64_t similarities[BINS]; /* of pages to a representative, not themselves */
    uint64_t thin;               /* pages with hardly any text */
    uint64_t exact;              /* exact copies that are not the representative of their set */
    uint64_t revisits, alone;    /* revisits; of these, those whose page is not there */
    nd_name_table hosts;         /* of URLs, in the order in which they were met */
    named_count *sites;          /* by number of `hosts` */
    size_t site_capacity;
    named_count without_site; /* pages of no site */
    named_count *collections;

    /* what texts are shown of */
    nd_set_census census; /* the largest sets */
    nd_pair_sample least; /* accepted pairs */
    nd_refused_pair refused[PAIRS_SHOWN];
    uint64_t refused_count, all_refused;
    nd_page_batch batch; /* representatives of the sets, then both pages of each pair */
} report;

static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 15;

static void add(named_count *count, bool more) {
    count->pages++;
    count->more += more;
}

static void count_page(report *c, const nd_page_rows *rows, uint64_t i) {
    uint8_t room[ND_SITE_HOST_SIZE];
    uint64_t site = 0;
    const bool more = rows->link[i] != rows->begin + i;
    const nd_span host = nd_site_host(nd_page_rows_url(rows, i), room);
    if (more) {
        c->similarities[(int)((double)rows->similarity[i] * (BINS - 1))]++;
    }
    c->thin += rows->thin[i] != 0;
    c->revisits += rows->revisit_of[i] != ND_NO_REVISIT;
    c->alone += rows->revisit_of[i] == rows->begin + i;
    c->exact += more && rows->exact_of[i] != rows->begin + i;
    add(&c->collections[rows->collection[i]], more);
    if (host.size == 0) {
        add(&c->without_site, more);
        return;
    }
    nd_grow(&c->sites, &c->site_capacity, c->hosts.count + 1, sizeof *c->sites);
    bool is_new = false;
    nd_name_table_add(&c->hosts, host, &site, &is_new);
    if (is_new) {
        c->sites[site] = (named_count){0};
    }
    add(&c->sites[site], more);
}

static nd_status count_pages(report *r) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    const nd_result_shape *shape = &r->result->shape;
    nd_new(&r->collections, shape->collections, sizeof *r->collections);
    for (uint64_t begin = 0; begin < shape->pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(r->result, begin, nd_min(shape->pages - begin, PAGES_AT_ONCE),
                                 &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            count_page(r, &rows, i);
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* ==== pairs that were refused */

nd_status nd_refused_pairs_find(const nd_result *result, uint64_t most, nd_refused_pair *pairs,
                                uint64_t *kept, uint64_t *count) {
    nd_status st = ND_OK;
    nd_pair_rows rows = {0};
    uint64_t *sets = NULL;
    const uint64_t pages = result->shape.pages;
    *kept = *count = 0;
    ND_TRY(nd_pair_rows_open(&rows, result, &nd_verified_columns));
    nd_new_room(&sets, pages, sizeof *sets);
    ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, 0, pages, sets));
    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            if (sets[rows.a[i]] == sets[rows.b[i]]) {
                continue;
            }
            uint64_t at = *kept;
            (*count)++;
            while (at > 0 && pairs[at - 1].similarity < rows.similarity[i]) {
                at--;
            }
            if (at == most) {
                continue;
            }
            for (uint64_t k = *kept < most ? (*kept)++ : most - 1; k > at; k--) {
                pairs[k] = pairs[k - 1];
            }
            pairs[at] = (nd_refused_pair){rows.a[i], rows.b[i], rows.similarity[i]};
        }
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    free(sets);
    return st;
}

/* ==== what texts are shown of */

static nd_status find_examples(report *r, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_result *result = r->result;
    const nd_pair_sample_choice choice = {.count = PAIRS_SHOWN, .least_similar = true, .to = 1};
    uint64_t numbers[SETS_SHOWN + 4 * PAIRS_SHOWN];
    uint64_t count = 0;
    ND_TRY(nd_set_census_take(result, SETS_SHOWN, &r->census));
    ND_TRY(nd_pair_sample_draw(result, &choice, &r->least));
    if (nd_result_keeps_pairs(result)) {
        ND_TRY(nd_refused_pairs_find(result, PAIRS_SHOWN, r->refused, &r->refused_count,
                                     &r->all_refused));
    }
    for (uint64_t i = 0; i < r->census.largest.count; i++) {
        uint64_t range[2] = {0, 0};
        ND_TRY(nd_result_set_offsets(result, r->census.largest.records[i].value, 1, range));
        ND_TRY(nd_result_member_rows(result, range[0], 1, &numbers[count++]));
    }
    for (uint64_t i = 0; i < r->least.count; i++) {
        numbers[count++] = r->least.pages[i];
        ND_TRY(nd_result_representative(result, r->least.pages[i], &numbers[count++]));
    }
    for (uint64_t i = 0; i < r->refused_count; i++) {
        numbers[count++] = r->refused[i].a;
        numbers[count++] = r->refused[i].b;
    }
    ND_TRY(nd_page_batch_read(&r->batch, run, numbers, count));
out:
    return st;
}

/* ==== Bars beside each other as SVG, for a page for a browser. Numbers and labels are the
 * program's own. */

typedef struct bar {
    char label[32];
    uint64_t value;
} bar;

/* What a chart says of itself; static texts. */
typedef struct chart_words {
    const char *title;
    const char *across, *up; /* of the axes */
} chart_words;

enum { WIDTH = 900, HEIGHT = 180, BELOW = 40, ABOVE = 18, LEFT = 70, RIGHT = 24 };

static double height_of(double value, bool by_powers) {
    return by_powers ? log1p(value) : value;
}

/* A line across at a round number, with the number beside it. */
static void print_tick(FILE *to, double value, double highest, bool by_powers) {
    const double y = ABOVE + HEIGHT - (double)HEIGHT * height_of(value, by_powers) / highest;
    (void)fprintf(to,
                  "<path class=\"axis\" d=\"M0 %.1fH%d\"/><text class=\"tick\" x=\"-6\" "
                  "y=\"%.1f\">%.0f</text>\n",
                  y, WIDTH, y + 4, value);
}

/* 0 and each power of ten, or 0 and some multiples of 1, 2 or 5 times one. */
static void print_ticks(FILE *to, double most, bool by_powers) {
    const double highest = height_of(most, by_powers);
    print_tick(to, 0, highest > 0 ? highest : 1, by_powers);
    if (by_powers) {
        for (double value = 1; value <= most; value *= 10) {
            print_tick(to, value, highest, true);
        }
        return;
    }
    double step = pow(10, floor(log10(fmax(most, 1))));
    step = most / step >= 5 ? step * 2 : most / step >= 2 ? step : step / 2;
    for (double value = step; value <= most && step >= 1; value += step) {
        print_tick(to, value, highest, false);
    }
}

/* Print `count` > 0 bars. \param[in] each  labels are shown under each so many of them
 * \param[in] by_powers  heights are logarithms, so that few can be seen beside many */
static void bar_chart_print(FILE *to, const chart_words *words, const bar *bars, size_t count,
                            size_t each, bool by_powers) {
    const double step = (double)WIDTH / (double)count;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, (double)bars[i].value);
    }
    const double highest = height_of(most, by_powers);
    (void)fprintf(to,
                  "<figure><figcaption>%s%s</figcaption>\n<svg viewBox=\"%d 0 %d %d\" role=\"img\" "
                  "aria-label=\"%s\">\n",
                  words->title, by_powers ? " (heights are logarithms)" : "", -LEFT,
                  LEFT + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW, words->title);
    print_ticks(to, most, by_powers);
    for (size_t i = 0; i < count; i++) {
        const double height =
            highest > 0 ? (double)HEIGHT * height_of((double)bars[i].value, by_powers) / highest
                        : 0;
        (void)fprintf(to,
                      "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
                      "<title>%s: %" PRIu64 "</title></rect>\n",
                      (double)i * step + step * .1, ABOVE + HEIGHT - height, step * .8, height,
                      bars[i].label, bars[i].value);
        if (count <= 24 && bars[i].value > 0) {
            (void)fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu64 "</text>\n",
                          ((double)i + .5) * step, ABOVE + HEIGHT - height - 4, bars[i].value);
        }
        if (i % each == 0) {
            (void)fprintf(to, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", ((double)i + .5) * step,
                          ABOVE + HEIGHT + 16, bars[i].label);
        }
    }
    (void)fprintf(to,
                  "<text class=\"of\" x=\"%d\" y=\"%d\">%s</text>\n<text class=\"of\" "
                  "transform=\"translate(%d %d) "
                  "rotate(-90)\">%s</text></svg></figure>\n",
                  WIDTH / 2, ABOVE + HEIGHT + 34, words->across, 14 - LEFT, ABOVE + HEIGHT / 2,
                  words->up);
}

/* ==== The parts of a report that need no text of a page: what was run, sizes of sets,
 * similarities, duplicates by collection and site, the stages' time and memory, and records that
 * could not be used. Tables are bounded, and say of how many rows they show the first. */

enum { NAMES_SHOWN = 50, SKIPPED_SHOWN = 20, STAGES_SHOWN = 100 };

/* ---- what was run */

static void print_parameters(FILE *to, const char *text) {
    json_object *parameters = json_tokener_parse(text);
    (void)fputs("<details><summary>parameters</summary><div class=\"scroll\"><table>\n", to);
    if (json_object_is_type(parameters, json_type_object)) {
        json_object_object_foreach(parameters, name, value) {
            (void)fputs("<tr><th>", to);
            nd_html_words(to, name);
            (void)fputs("<td>", to);
            nd_html_words(to, json_object_get_string(value));
            (void)fputs("</tr>\n", to);
        }
    }
    (void)fputs("</table></div></details>\n", to);
    (void)json_object_put(parameters);
}

static double percent(uint64_t part, uint64_t of) {
    return of > 0 ? 100 * (double)part / (double)of : 0;
}

/* For who did not run it. */
static void print_glossary(FILE *to) {
    (void)fputs(
        "<details open><summary>Six words</summary><dl>\n"
        "<dt>set<dd>Pages whose texts were compared and found to be near-duplicates. A page that "
        "resembles no other is a set alone.\n"
        "<dt>representative<dd>The page that stands for its set. Without other rules it is the one "
        "that is kept.\n"
        "<dt>similarity<dd>How much text two pages share, in order: 0 nothing, 1 everything. "
        "Navigation and site templates are not compared.\n"
        "<dt>exact copy<dd>A page with the same text as another.\n"
        "<dt>certainty<dd>The estimated probability that a page belongs to its set.\n"
        "<dt>thin<dd>A page with hardly any text, such as a frame that says \"Loading\".\n"
        "</dl></details>\n",
        to);
}

static nd_status report_run(const report *r) {
    static const char *const notes[] = {"program_version", "created", "method", "command_line"};
    nd_status st = ND_OK;
    char *text = NULL;
    uint64_t others[ND_OTHERS];
    char revisits[512];
    FILE *to = r->to;
    const nd_result *result = r->result;
    const nd_result_shape *shape = &result->shape;
    (void)fputs("<header><h1>", to);
    nd_html_words(to, result->path);
    const uint64_t repeats = shape->pages - shape->sets;
    const uint64_t near = repeats - nd_min(r->exact, repeats);
    (void)fprintf(to,
                  "</h1>\n<p class=\"headline\"><b>%" PRIu64 "</b> of <b>%" PRIu64
                  "</b> pages (<b>%.1f %%</b>) repeat another; <b>%" PRIu64
                  "</b> would be kept.</p>\n<p>%" PRIu64
                  " (%.1f %%) are exact copies in their set, %" PRIu64
                  " (%.1f %%) near-duplicates. %" PRIu64 " sets have more than one page.</p>\n",
                  repeats, shape->pages, percent(repeats, shape->pages), shape->sets, r->exact,
                  percent(r->exact, shape->pages), near, percent(near, shape->pages),
                  shape->sets - r->census.powers[0]);
    (void)fprintf(to,
                  "<p>Inputs: %" PRIu64 "; thin pages: %" PRIu64
                  "; records that could not be used: %" PRIu64,
                  shape->sources, r->thin, shape->skipped);
    ND_TRY(nd_result_others(result, others));
    if (r->revisits + others[ND_OTHER_REVISIT] > 0) {
        (void)fprintf(to, "; revisits: %s",
                      nd_revisits_text(r->revisits, r->alone, others[ND_OTHER_REVISIT], revisits,
                                       sizeof revisits));
    }
    if (shape->has_pairs) {
        (void)fprintf(to, "; %" PRIu64 " verified pairs", shape->pairs);
    }
    (void)fputs(".</p>\n<div class=\"scroll\"><table>\n", to);
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        ND_TRY(nd_result_get_text(result, notes[i], &text));
        (void)fprintf(to, "<tr><th>%s<td class=\"text\">", notes[i]);
        nd_html_words(to, text);
        (void)fputs("</tr>\n", to);
        free(text);
        text = NULL;
    }
    (void)fputs("</table></div>\n", to);
    ND_TRY(nd_result_get_text(result, "parameters", &text));
    print_parameters(to, text);
    print_glossary(to);
    (void)fputs("</header>\n", to);
out:
    free(text);
    return st;
}

/* ---- sizes and similarities */

static void report_sizes(const report *r) {
    bar bars[ND_SIZE_POWERS] = {{"", 0}};
    size_t count = 0;
    for (size_t i = 0; i < ND_SIZE_POWERS; i++) {
        const uint64_t from = UINT64_C(1) << i;
        bars[i].value = r->census.powers[i];
        (void)snprintf(bars[i].label, sizeof bars[i].label,
                       i < 1 ? "%" PRIu64 : "%" PRIu64 "-%" PRIu64, from, 2 * from - 1);
        count = r->census.powers[i] > 0 ? i + 1 : count;
    }
    (void)fputs("<h2>Sets by size</h2>\n", r->to);
    if (count > 0) {
        static const chart_words words = {"how many sets have how many pages", "pages in a set",
                                          "sets"};
        bar_chart_print(r->to, &words, bars, count, 1 + count / 16, true);
    }
}

static void report_similarities(const report *r) {
    bar bars[BINS] = {{"", 0}};
    for (size_t i = 0; i < BINS; i++) {
        bars[i].value = r->similarities[i];
        (void)snprintf(bars[i].label, sizeof bars[i].label, "%.2f", (double)i / (BINS - 1));
    }
    (void)fputs("<h2>Similarities</h2>\n", r->to);
    static const chart_words words = {
        "how similar pages are to the representative of their set, itself left out",
        "similarity to the representative", "pages"};
    bar_chart_print(r->to, &words, bars, BINS, 5, true);
}

/* ---- by collection and site */

static void print_name_row(FILE *to, nd_span name, const char *none, const named_count *count) {
    (void)fputs("<tr><td class=\"text\">", to);
    if (name.size > 0) {
        nd_html_text(to, name);
    } else {
        (void)fprintf(to, "<i>%s</i>", none);
    }
    (void)fprintf(to, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%.1f</tr>\n", count->pages, count->more,
                  percent(count->more, count->pages));
}

/* Those with the most pages that are no representative, ties by their number.
 * \param[in] names  of collections; NULL: hosts */
static void print_names(const report *r, const char *what, const named_count *counts,
                        uint64_t count, const nd_text_column *names) {
    nd_least first;
    nd_least_open(&first, NAMES_SHOWN);
    for (uint64_t i = 0; i < count; i++) {
        nd_least_offer(&first, UINT64_MAX - counts[i].more, i);
    }
    nd_least_finish(&first);
    (void)fprintf(r->to, "<h2>Duplicates by %s</h2>\n", what);
    if (first.count < count) {
        (void)fprintf(r->to, "<p class=\"note\">The first %" PRIu64 " of %" PRIu64 ".</p>\n",
                      first.count, count);
    }
    (void)fprintf(
        r->to, "<div class=\"scroll\"><table><tr><th>%s<th>pages<th>duplicates<th>%%</tr>\n", what);
    for (uint64_t i = 0; i < first.count; i++) {
        const uint64_t row = first.records[i].value;
        print_name_row(
            r->to, names != NULL ? nd_text_column_at(names, row) : nd_name_table_at(&r->hosts, row),
            "without a name", &counts[row]);
    }
    if (names == NULL && r->without_site.pages > 0) {
        print_name_row(r->to, (nd_span){0}, "no site", &r->without_site);
    }
    (void)fputs("</table></div>\n", r->to);
    free(first.records);
}

static nd_status report_names(const report *r) {
    nd_status st = ND_OK;
    nd_text_column names = {0};
    ND_TRY(nd_collection_names_read(r->result, &names));
    print_names(r, "collection", r->collections, r->result->shape.collections, &names);
    print_names(r, "site", r->sites, r->hosts.count, NULL);
out:
    nd_text_column_free(&names);
    return st;
}

/* ---- stages */

/* A column of /stages. */
static nd_status read_stages(const nd_result *result, const char *name, bool reals, uint64_t count,
                             double *values) {
    nd_status st = ND_OK;
    uint64_t numbers[STAGES_SHOWN] = {0};
    if (reals) {
        st = nd_result_read(result, name, ND_COLUMN_F64, 0, count, values);
    } else {
        st = nd_result_read(result, name, ND_COLUMN_U64, 0, count, numbers);
        for (uint64_t i = 0; i < count; i++) {
            values[i] = (double)numbers[i];
        }
    }
    return st;
}

static nd_status report_stages(const report *r) {
    FILE *to = r->to;
    const nd_result *result = r->result;
    static const struct {
        const char *column, *head;
        bool reals;
        double unit;
    } columns[] = {{"/stages/items", "items", false, 1},
                   {"/stages/seconds_min", "s, least", true, 1},
                   {"/stages/seconds_mean", "s, mean", true, 1},
                   {"/stages/seconds_max", "s, most", true, 1},
                   {"/stages/waiting_mean", "s waiting, mean", true, 1},
                   {"/stages/bytes_exchanged", "MB exchanged", false, 1e6},
                   {"/stages/bytes_written", "MB written", false, 1e6},
                   {"/stages/bytes_read", "MB read", false, 1e6},
                   {"/stages/peak_memory", "MB memory, most of a process", false, 1e6}};
    enum { COLUMNS = sizeof columns / sizeof columns[0], MEAN = 2 };
    nd_status st = ND_OK;
    nd_text_column names = {0};
    double values[COLUMNS][STAGES_SHOWN];
    bar bars[STAGES_SHOWN] = {{"", 0}};
    uint64_t ranks = 0;
    const uint64_t count = nd_min(result->shape.stages, STAGES_SHOWN);
    ND_TRY(nd_result_get_number(result, "ranks", &ranks));
    ND_TRY(nd_text_column_read(result, "/stages/name_offset", "/stages/name_bytes", &names));
    (void)fprintf(to,
                  "<h2>Time and memory</h2>\n<p>%" PRIu64
                  " processes; least, mean and most are over "
                  "these.</p>\n<div class=\"scroll\"><table><tr><th>stage",
                  ranks);
    for (int c = 0; c < COLUMNS; c++) {
        (void)fprintf(to, "<th>%s", columns[c].head);
        ND_TRY(read_stages(result, columns[c].column, columns[c].reals, count, values[c]));
    }
    (void)fputs("</tr>\n", to);
    for (uint64_t i = 0; i < count; i++) {
        (void)fputs("<tr><td class=\"text\">", to);
        nd_html_text(to, nd_text_column_at(&names, i));
        for (int c = 0; c < COLUMNS; c++) {
            (void)fprintf(to, columns[c].reals || columns[c].unit > 1 ? "<td>%.2f" : "<td>%.0f",
                          values[c][i] / columns[c].unit);
        }
        (void)fputs("</tr>\n", to);
        const double mean = values[MEAN][i] >= 0 && values[MEAN][i] < 1e12 ? values[MEAN][i] : 0;
        bars[i].value = (uint64_t)(1000 * mean);
        (void)snprintf(bars[i].label, sizeof bars[i].label, "stage %" PRIu64, i + 1);
    }
    (void)fputs("</table></div>\n", to);
    if (count > 0) {
        static const chart_words words = {"how long each stage took, mean of all processes",
                                          "stage", "milliseconds"};
        bar_chart_print(to, &words, bars, (size_t)count, 1, false);
    }
out:
    nd_text_column_free(&names);
    return st;
}

/* ---- what could not be used */

static nd_status report_others(const report *r) {
    FILE *to = r->to;
    const nd_result *result = r->result;
    nd_status st = ND_OK;
    uint64_t others[ND_OTHERS];
    ND_TRY(nd_result_others(result, others));
    if (nd_others_sum(others) == 0) {
        return ND_OK;
    }
    (void)fputs("<h2>Records that are no pages</h2>\n<div class=\"scroll\"><table>"
                "<tr><th>reason<th>records</tr>\n",
                to);
    for (int i = 0; i < ND_OTHERS; i++) {
        if (others[i] > 0) {
            (void)fprintf(to, "<tr><td class=\"text\">%s<td>%" PRIu64 "</tr>\n",
                          nd_other_reason_text((nd_other_reason)i), others[i]);
        }
    }
    (void)fputs("</table></div>\n", to);
out:
    return st;
}

static nd_status report_skipped(const report *r) {
    FILE *to = r->to;
    const nd_result *result = r->result;
    nd_status st = ND_OK;
    nd_buffer text = {0};
    const uint64_t count = result->shape.skipped;
    const uint64_t shown = nd_min(count, SKIPPED_SHOWN);
    if (count == 0) {
        return ND_OK;
    }
    (void)fprintf(to,
                  "<h2>Records that could not be used</h2>\n<p class=\"note\">The first %" PRIu64
                  " of %" PRIu64
                  ".</p>\n<div class=\"scroll\"><table><tr><th>source<th>byte<th>reason</tr>\n",
                  shown, count);
    for (uint64_t i = 0; i < shown; i++) {
        uint64_t source = 0, offset = 0;
        ND_TRY(nd_result_read(result, "/skipped/source", ND_COLUMN_U64, i, 1, &source));
        ND_TRY(nd_result_read(result, "/skipped/offset", ND_COLUMN_U64, i, 1, &offset));
        (void)fputs("<tr><td class=\"text\">", to);
        if (source < result->shape.sources) {
            ND_TRY(nd_result_source_name(result, source, &text));
            nd_html_text(to, (nd_span){text.data, text.size - 1});
        }
        (void)fprintf(to, "<td>%" PRIu64 "<td class=\"text\">", offset);
        ND_TRY(nd_result_text_read(result, "/skipped/reason_offset", "/skipped/reason_bytes", i,
                                   &text));
        nd_html_text(to, (nd_span){text.data, text.size - 1});
        (void)fputs("</tr>\n", to);
    }
    (void)fputs("</table></div>\n", to);
out:
    nd_buffer_free(&text);
    return st;
}

/* ==== the command */

/* Of one text, and of a pair side by side. */
static const size_t TEXT_BYTES = 1500;
static const size_t PAIR_BYTES = 24 * 1024;

static nd_page_request asked;

#define AT(field) offsetof(nd_page_request, field)

static const nd_option options[] = {
    {"output", "FILE", ND_OPTION_TEXT, AT(output), .help = "the page", .letter = 'o'},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file with this name, not only a page made by neardup", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (nd_page_request){.output = NULL};
    nd_partition_defaults(&asked.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.run.options.reader};
}

/* ---- how they are shown */

static void print_unread(FILE *to, const nd_batch_page *page) {
    (void)fprintf(to,
                  "<p class=\"note\">The text of page %" PRIu64 " cannot be read: ", page->number);
    nd_html_words(to, page->reason);
    (void)fputs("</p>\n", to);
}

/* The beginning of what is compared of a page. */
static void print_text(FILE *to, const nd_batch_page *page) {
    size_t bytes = 0;
    uint32_t i = 0;
    if (page->reason[0] != '\0') {
        print_unread(to, page);
        return;
    }
    (void)fputs("<p class=\"gone\">", to);
    for (; i < page->page.whole.sentence_count && bytes < TEXT_BYTES; i++) {
        if (page->page.chosen.keep[i]) {
            const nd_span text = nd_shown_sentence_text(&page->page, i);
            nd_html_text(to, nd_span_part(text, 0, nd_min(text.size, TEXT_BYTES)));
            (void)fputs(" ", to);
            bytes += text.size;
        }
    }
    (void)fputs(i < page->page.whole.sentence_count ? "...</p>\n" : "</p>\n", to);
}

static nd_status print_set(FILE *to, const nd_result *result, uint64_t set,
                           const nd_batch_page *representative) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t members[MEMBERS_SHOWN];
    uint64_t range[2] = {0, 0};
    ND_TRY(nd_result_set_offsets(result, set, 1, range));
    const uint64_t shown = nd_min(range[1] - range[0], MEMBERS_SHOWN);
    ND_TRY(nd_result_member_rows(result, range[0], shown, members));
    (void)fprintf(to,
                  "<h3>set %" PRIu64 ": %" PRIu64 " pages</h3>\n<div class=\"scroll\"><table>"
                  "<tr><th>URL<th>page<th>similarity<th>certainty<th>tokens</tr>\n",
                  set, range[1] - range[0]);
    for (uint64_t i = 0; i < shown; i++) {
        ND_TRY(nd_page_rows_read(result, members[i], 1, &rows));
        const nd_span url = nd_page_rows_url(&rows, 0);
        (void)fputs("<tr><td class=\"text\">", to);
        nd_html_text(to, url.size > 0 ? url : nd_page_rows_id(&rows, 0));
        (void)fprintf(to, "<td>%" PRIu64 "<td>%.4f<td>%.4f<td>%" PRIu32 "</tr>\n", members[i],
                      (double)rows.similarity[0], (double)rows.certainty[0], rows.tokens[0]);
    }
    (void)fputs("</table></div>\n", to);
    print_text(to, representative);
out:
    nd_page_rows_free(&rows);
    return st;
}

static void print_pair(FILE *to, const nd_batch_page *pages, float similarity) {
    (void)fprintf(to, "<details><summary>similarity %.4f, ", (double)similarity);
    for (int side = 0; side < 2; side++) {
        const nd_shown_page *page = &pages[side].page;
        (void)fprintf(to, "%s<b>%c</b> page %" PRIu64 " ", side == 1 ? " and " : "", "AB"[side],
                      pages[side].number);
        nd_html_text(to, nd_buffer_span(page->url.size > 0 ? &page->url : &page->id));
    }
    (void)fputs("</summary>\n", to);
    if (pages[0].reason[0] == '\0' && pages[1].reason[0] == '\0') {
        nd_diff_view_print(to, &pages[0].page, &pages[1].page, PAIR_BYTES);
    }
    for (int side = 0; side < 2; side++) {
        if (pages[side].reason[0] != '\0') {
            print_unread(to, &pages[side]);
        }
    }
    (void)fputs("</details>\n", to);
}

static nd_status print_examples(const report *r) {
    nd_status st = ND_OK;
    const nd_batch_page *page = r->batch.pages;
    (void)fputs("<h2>The largest sets</h2>\n", r->to);
    for (uint64_t i = 0; i < r->census.largest.count; i++) {
        ND_TRY(print_set(r->to, r->result, r->census.largest.records[i].value, page++));
    }
    (void)fputs("<h2>The least similar pages that share a set with their representative</h2>\n"
                "<p class=\"legend\"><del>only A</del> <ins>only B</ins></p>\n",
                r->to);
    for (uint64_t i = 0; i < r->least.count; i++, page += 2) {
        print_pair(r->to, page, page->page.place.similarity);
    }
    if (!nd_result_keeps_pairs(r->result)) {
        (void)fputs(
            "<p class=\"note\">Pairs that were kept apart are known of results of partition "
            "--pairs keep.</p>\n",
            r->to);
        return ND_OK;
    }
    (void)fprintf(r->to,
                  "<h2>The most similar pairs that were kept apart</h2>\n<p>%" PRIu64
                  " verified pairs are of pages in two sets: a set takes pages that are similar "
                  "to its representative, too.</p>\n",
                  r->all_refused);
    for (uint64_t i = 0; i < r->refused_count; i++, page += 2) {
        print_pair(r->to, page, r->refused[i].similarity);
    }
out:
    return st;
}

/* ---- the command */

static nd_status make_report(nd_page_request *request) {
    nd_status st = ND_OK;
    report r = {.result = request->run.result};
    nd_html_page page = {0};
    ND_TRY(count_pages(&r));
    ND_TRY(find_examples(&r, &request->run));
    ND_TRY(nd_html_page_open(&page, "report", r.result->path, NULL));
    r.to = page.to;
    ND_TRY(report_run(&r));
    report_sizes(&r);
    report_similarities(&r);
    ND_TRY(print_examples(&r));
    ND_TRY(report_names(&r));
    ND_TRY(report_stages(&r));
    ND_TRY(report_others(&r));
    ND_TRY(report_skipped(&r));
    ND_TRY(nd_html_page_save(&page, request->output));
    if (r.batch.count > 0 && r.batch.unread == r.batch.count) {
        st = nd_fail(ND_ERR_INPUT, "%s is without texts: none can be read again; the first: %s",
                     request->output, r.batch.pages[0].reason);
    } else if (r.batch.unread > 0) {
        nd_print_line(stderr, "neardup report: %" PRIu64 " of %" PRIu64 " texts cannot be read",
                      r.batch.unread, r.batch.count);
    }
out:
    nd_name_table_free(&r.hosts);
    free(r.sites);
    free(r.collections);
    nd_set_census_free(&r.census);
    nd_pair_sample_free(&r.least);
    nd_page_batch_free(&r.batch);
    nd_html_page_close(&page);
    return st;
}

static nd_status report_command(nd_command_call *call) {
    return nd_page_command_run(call, &asked, make_report);
}

const nd_command nd_command_report = {
    .name = "report",
    .summary = "show a whole run on one page for a browser",
    .usage = "OUT.h5 -o REPORT.html",
    .about = "Writes one page for a browser, for readers who did not run the job. It shows the "
             "shares, six words explained, set sizes and similarities, example pairs and sets, "
             "duplicates by collection and site, time and memory, and records that were not used. "
             "After partition --pairs keep it also shows the most similar pages kept apart. The "
             "file stands alone: it fetches nothing and has no script.",
    .examples = "neardup report out.h5 -o report.html\n"
                "neardup report ../run/out.h5 -o report.html\n"
                "neardup report out.h5 -o notes.html --force",
    .notes = "Texts are read again from the inputs, under their path or from the result's folder. "
             "The page says where one is missing. If all are missing, the exit code is 1.",
    .open = open_options,
    .run = report_command,
};
