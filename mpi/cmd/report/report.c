/* neardup report OUT.h5 -o REPORT.html : a whole run on one page for a browser. */
#include "mpi/cmd/command.h"

#include "mpi/cmd/html/diff_view.h"
#include "mpi/cmd/html/html_page.h"
#include "mpi/cmd/html/page_command.h"
#include "mpi/cmd/look/inspect_run.h"
#include "mpi/cmd/page/page_batch.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/cmd/report/refused_pairs.h"
#include "mpi/cmd/report/report_tables.h"
#include "mpi/cmd/review/pair_sample.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SETS_SHOWN = 10, MEMBERS_SHOWN = 8, PAIRS_SHOWN = 10 };
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

/* ---- what texts are shown of */

typedef struct examples {
    nd_set_census census; /* the largest sets */
    nd_pair_sample least; /* accepted pairs */
    nd_refused_pair refused[PAIRS_SHOWN];
    uint64_t refused_count, all_refused;
    uint64_t numbers[SETS_SHOWN + 4 * PAIRS_SHOWN];
    nd_page_batch batch; /* representatives of the sets, then both pages of each pair */
} examples;

static nd_status find_examples(examples *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    const nd_result *result = run->result;
    const nd_pair_sample_choice choice = {.count = PAIRS_SHOWN, .least_similar = true, .to = 1};
    uint64_t count = 0;
    e->census.wanted = SETS_SHOWN;
    ND_TRY(nd_set_census_take(result, &e->census));
    ND_TRY(nd_pair_sample_draw(result, &choice, &e->least));
    if (nd_result_keeps_pairs(result)) {
        ND_TRY(nd_refused_pairs_find(result, PAIRS_SHOWN, e->refused, &e->refused_count,
                                     &e->all_refused));
    }
    for (uint64_t i = 0; i < e->census.kept; i++) {
        uint64_t range[2] = {0, 0};
        ND_TRY(nd_result_set_offsets(result, e->census.largest[i].set, 1, range));
        ND_TRY(nd_result_member_rows(result, range[0], 1, &e->numbers[count++]));
    }
    for (uint64_t i = 0; i < e->least.count; i++) {
        const uint64_t page = e->least.pages[i].page;
        e->numbers[count++] = page;
        ND_TRY(nd_result_representative(result, page, &e->numbers[count++]));
    }
    for (uint64_t i = 0; i < e->refused_count; i++) {
        e->numbers[count++] = e->refused[i].a;
        e->numbers[count++] = e->refused[i].b;
    }
    ND_TRY(nd_page_batch_read(&e->batch, run, e->numbers, count));
out:
    return st;
}

static void examples_free(examples *e) {
    nd_set_census_free(&e->census);
    nd_pair_sample_free(&e->least);
    nd_page_batch_free(&e->batch);
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

static nd_status print_set(FILE *to, const nd_result *result, const nd_sized_set *set,
                           const nd_batch_page *representative) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t members[MEMBERS_SHOWN];
    uint64_t range[2] = {0, 0};
    const uint64_t shown = nd_min(set->pages, MEMBERS_SHOWN);
    ND_TRY(nd_result_set_offsets(result, set->set, 1, range));
    ND_TRY(nd_result_member_rows(result, range[0], nd_min(shown, range[1] - range[0]), members));
    (void)fprintf(to,
                  "<h3>set %" PRIu64 ": %" PRIu64 " pages</h3>\n<div class=\"scroll\"><table>"
                  "<tr><th>URL<th>page<th>similarity<th>certainty<th>tokens</tr>\n",
                  set->set, set->pages);
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

static nd_status print_pair(FILE *to, const nd_batch_page *pages, float similarity) {
    nd_status st = ND_OK;
    (void)fprintf(to, "<details><summary>similarity %.4f, ", (double)similarity);
    for (int side = 0; side < 2; side++) {
        const nd_shown_page *page = &pages[side].page;
        (void)fprintf(to, "%s<b>%c</b> page %" PRIu64 " ", side == 1 ? " and " : "", "AB"[side],
                      pages[side].number);
        nd_html_text(to, nd_buffer_span(page->url.size > 0 ? &page->url : &page->id));
    }
    (void)fputs("</summary>\n", to);
    if (pages[0].reason[0] == '\0' && pages[1].reason[0] == '\0') {
        ND_TRY(nd_diff_view_print(to, &pages[0].page, &pages[1].page, PAIR_BYTES));
    }
    for (int side = 0; side < 2; side++) {
        if (pages[side].reason[0] != '\0') {
            print_unread(to, &pages[side]);
        }
    }
    (void)fputs("</details>\n", to);
out:
    return st;
}

static nd_status print_examples(FILE *to, const nd_result *result, const examples *e) {
    nd_status st = ND_OK;
    const nd_batch_page *page = e->batch.pages;
    (void)fputs("<h2>The largest sets</h2>\n", to);
    for (uint64_t i = 0; i < e->census.kept; i++) {
        ND_TRY(print_set(to, result, &e->census.largest[i], page++));
    }
    (void)fputs("<h2>The least similar pages that share a set with their representative</h2>\n"
                "<p class=\"legend\"><del>only A</del> <ins>only B</ins></p>\n",
                to);
    for (uint64_t i = 0; i < e->least.count; i++, page += 2) {
        ND_TRY(print_pair(to, page, e->least.pages[i].similarity));
    }
    if (nd_result_keeps_pairs(result)) {
        (void)fprintf(
            to,
            "<h2>The most similar pairs that were kept apart</h2>\n<p>%" PRIu64
            " verified pairs are of pages in two sets: a set takes pages that are similar "
            "to its representative, too.</p>\n",
            e->all_refused);
        for (uint64_t i = 0; i < e->refused_count; i++, page += 2) {
            ND_TRY(print_pair(to, page, e->refused[i].similarity));
        }
    } else {
        (void)fputs(
            "<p class=\"note\">Pairs that were kept apart are known of results of partition "
            "--pairs keep.</p>\n",
            to);
    }
out:
    return st;
}

/* ---- the command */

static nd_status make_report(nd_page_request *r) {
    nd_status st = ND_OK;
    const nd_result *result = r->run.result;
    examples e = {.refused_count = 0};
    nd_page_counts counts = {0};
    nd_html_page page = {0};
    ND_TRY(nd_page_counts_take(result, &counts));
    ND_TRY(find_examples(&e, &r->run));
    ND_TRY(nd_html_page_open(&page, "report", result->path, NULL));
    ND_TRY(nd_report_run(page.to, result, &counts));
    nd_report_sizes(page.to, &counts);
    nd_report_similarities(page.to, &counts);
    ND_TRY(print_examples(page.to, result, &e));
    ND_TRY(nd_report_names(page.to, result, &counts));
    ND_TRY(nd_report_stages(page.to, result));
    ND_TRY(nd_report_others(page.to, result));
    ND_TRY(nd_report_skipped(page.to, result));
    ND_TRY(nd_html_page_save(&page, NULL, r->output));
    if (e.batch.count > 0 && e.batch.unread == e.batch.count) {
        st = nd_fail(ND_ERR_INPUT, "%s is without texts: none can be read again; the first: %s",
                     r->output, e.batch.pages[0].reason);
    } else if (e.batch.unread > 0) {
        nd_print_line(stderr, "neardup report: %" PRIu64 " of %" PRIu64 " texts cannot be read",
                      e.batch.unread, e.batch.count);
    }
out:
    examples_free(&e);
    nd_page_counts_free(&counts);
    nd_html_page_close(&page);
    return st;
}

static int report(int argc, char **argv) {
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    open_options(sets);
    return nd_page_command_run(&nd_command_report, argc, argv, sets, &asked, make_report);
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
    .run = report,
};
