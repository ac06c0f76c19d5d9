#include "mpi/cmd/report/report_tables.h"

#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/html/bar_chart.h"
#include "mpi/cmd/html/html_page.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

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

nd_status nd_report_run(FILE *to, const nd_result *result, const nd_page_counts *c) {
    static const char *const notes[] = {"program_version", "created", "method", "command_line"};
    nd_status st = ND_OK;
    char *text = NULL;
    uint64_t others[ND_OTHERS];
    char revisits[512];
    const nd_result_shape *shape = &result->shape;
    (void)fputs("<header><h1>", to);
    nd_html_words(to, result->path);
    const uint64_t repeats = shape->pages - shape->sets;
    (void)fprintf(
        to,
        "</h1>\n<p class=\"headline\"><b>%" PRIu64 "</b> of <b>%" PRIu64
        "</b> pages (<b>%.1f %%</b>) repeat another; <b>%" PRIu64
        "</b> would be kept.</p>\n<p>%" PRIu64 " (%.1f %%) are exact copies in their set, %" PRIu64
        " (%.1f %%) near-duplicates. %" PRIu64 " sets have more than one page.</p>\n",
        repeats, shape->pages, percent(repeats, shape->pages), shape->sets, c->exact,
        percent(c->exact, shape->pages), repeats - nd_min(c->exact, repeats),
        percent(repeats - nd_min(c->exact, repeats), shape->pages), shape->sets - c->sizes[0]);
    (void)fprintf(to,
                  "<p>Inputs: %" PRIu64 "; thin pages: %" PRIu64
                  "; records that could not be used: %" PRIu64,
                  shape->sources, c->thin, shape->skipped);
    ND_TRY(nd_result_others(result, others));
    if (c->revisits + others[ND_OTHER_REVISIT] > 0) {
        (void)fprintf(to, "; revisits: %s",
                      nd_revisits_text(c->revisits, c->alone, others[ND_OTHER_REVISIT], revisits,
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

void nd_report_sizes(FILE *to, const nd_page_counts *c) {
    nd_bar bars[ND_SIZE_POWERS] = {{"", 0}};
    size_t count = 0;
    for (size_t i = 0; i < ND_SIZE_POWERS; i++) {
        const uint64_t from = UINT64_C(1) << i;
        bars[i].value = c->sizes[i];
        (void)snprintf(bars[i].label, sizeof bars[i].label,
                       i < 1 ? "%" PRIu64 : "%" PRIu64 "-%" PRIu64, from, 2 * from - 1);
        count = c->sizes[i] > 0 ? i + 1 : count;
    }
    (void)fputs("<h2>Sets by size</h2>\n", to);
    if (count > 0) {
        static const nd_chart_words words = {"how many sets have how many pages", "pages in a set",
                                             "sets"};
        nd_bar_chart_print(to, &words, bars, count, 1 + count / 16, true);
    }
}

void nd_report_similarities(FILE *to, const nd_page_counts *c) {
    nd_bar bars[ND_SIMILARITY_BINS] = {{"", 0}};
    for (size_t i = 0; i < ND_SIMILARITY_BINS; i++) {
        bars[i].value = c->similarities[i];
        (void)snprintf(bars[i].label, sizeof bars[i].label, "%.2f",
                       (double)i / (ND_SIMILARITY_BINS - 1));
    }
    (void)fputs("<h2>Similarities</h2>\n", to);
    static const nd_chart_words words = {
        "how similar pages are to the representative of their set, itself left out",
        "similarity to the representative", "pages"};
    nd_bar_chart_print(to, &words, bars, ND_SIMILARITY_BINS, 5, true);
}

/* ---- by collection and site */

static void print_name_row(FILE *to, nd_span name, const char *none, const nd_named_count *count) {
    (void)fputs("<tr><td class=\"text\">", to);
    if (name.size > 0) {
        nd_html_text(to, name);
    } else {
        (void)fprintf(to, "<i>%s</i>", none);
    }
    (void)fprintf(to, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%.1f</tr>\n", count->pages, count->more,
                  count->pages > 0 ? 100 * (double)count->more / (double)count->pages : 0);
}

static void begin_names(FILE *to, const char *what, uint64_t shown, uint64_t count) {
    (void)fprintf(to, "<h2>Duplicates by %s</h2>\n", what);
    if (shown < count) {
        (void)fprintf(to, "<p class=\"note\">The first %" PRIu64 " of %" PRIu64 ".</p>\n", shown,
                      count);
    }
    (void)fprintf(to, "<div class=\"scroll\"><table><tr><th>%s<th>pages<th>duplicates<th>%%</tr>\n",
                  what);
}

nd_status nd_report_names(FILE *to, const nd_result *result, const nd_page_counts *c) {
    nd_status st = ND_OK;
    nd_text_column names = {0};
    uint64_t rows[NAMES_SHOWN];
    ND_TRY(nd_collection_names_read(result, &names));
    uint64_t shown = nd_named_counts_first(c->collections, c->collection_count, NAMES_SHOWN, rows);
    begin_names(to, "collection", shown, c->collection_count);
    for (uint64_t i = 0; i < shown; i++) {
        print_name_row(to, nd_text_column_at(&names, rows[i]), "without a name",
                       &c->collections[rows[i]]);
    }
    shown = nd_named_counts_first(c->sites, c->hosts.count, NAMES_SHOWN, rows);
    (void)fputs("</table></div>\n", to);
    begin_names(to, "site", shown, c->hosts.count);
    for (uint64_t i = 0; i < shown; i++) {
        print_name_row(to, nd_name_table_at(&c->hosts, rows[i]), "", &c->sites[rows[i]]);
    }
    if (c->without_site.pages > 0) {
        print_name_row(to, (nd_span){0}, "no site", &c->without_site);
    }
    (void)fputs("</table></div>\n", to);
out:
    nd_text_column_free(&names);
    return st;
}

/* ---- stages */

/* A column of /stages; zeros where the result lacks it. */
static nd_status read_stages(const nd_result *result, const char *name, bool reals, uint64_t count,
                             double *values) {
    nd_status st = ND_OK;
    uint64_t numbers[STAGES_SHOWN] = {0};
    if (!nd_result_has(result, name)) {
        for (uint64_t i = 0; i < count; i++) {
            values[i] = 0;
        }
    } else if (reals) {
        st = nd_result_read(result, name, ND_COLUMN_F64, 0, count, values);
    } else {
        st = nd_result_read(result, name, ND_COLUMN_U64, 0, count, numbers);
        for (uint64_t i = 0; i < count; i++) {
            values[i] = (double)numbers[i];
        }
    }
    return st;
}

nd_status nd_report_stages(FILE *to, const nd_result *result) {
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
    nd_bar bars[STAGES_SHOWN] = {{"", 0}};
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
        static const nd_chart_words words = {"how long each stage took, mean of all processes",
                                             "stage", "milliseconds"};
        nd_bar_chart_print(to, &words, bars, (size_t)count, 1, false);
    }
out:
    nd_text_column_free(&names);
    return st;
}

/* ---- what could not be used */

nd_status nd_report_others(FILE *to, const nd_result *result) {
    nd_status st = ND_OK;
    uint64_t others[ND_OTHERS];
    ND_TRY(nd_result_others(result, others));
    if (nd_others_sum(others) == 0) {
        return ND_OK;
    }
    (void)fputs("<h2>Records that are no pages</h2>\n<div class=\"scroll\"><table>"
                "<tr><th>reason<th>records</tr>\n",
                to);
    for (int r = 0; r < ND_OTHERS; r++) {
        if (others[r] > 0) {
            (void)fprintf(to, "<tr><td class=\"text\">%s<td>%" PRIu64 "</tr>\n",
                          nd_other_reason_text((nd_other_reason)r), others[r]);
        }
    }
    (void)fputs("</table></div>\n", to);
out:
    return st;
}

nd_status nd_report_skipped(FILE *to, const nd_result *result) {
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
