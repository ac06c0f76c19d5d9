/* neardup inspect OUT.h5 : a look at a result, for people. */
#include "mpi/cmd/command.h"

#include "mpi/cmd/command_line.h"
#include "mpi/cmd/look/inspect_run.h"
#include "mpi/cmd/look/inspect_set.h"
#include "mpi/cmd/page/page_name.h"
#include "mpi/cmd/partition/partition_options.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MEMBERS_SHOWN = 20 };

typedef struct request {
    nd_shown_run run;
    const char *page, *url; /* NULL: not asked for */
    uint64_t set, largest, members;
    bool by_set, by_size; /* these were given */
    bool sources, skipped;
    bool text, json;
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"page", "NAME", ND_OPTION_TEXT, AT(page),
     .help = "everything about one page, by number, id or URL, in this order (page:N, id:ID and "
             "url:URL say which)"},
    {"url", "NAME", ND_OPTION_TEXT, AT(url), .help = "the set with this page, named likewise"},
    {"set", "N", ND_OPTION_NUMBER, AT(set), .help = "the pages in set N", .given = AT(by_set)},
    {"largest", "N", ND_OPTION_NUMBER, AT(largest), .help = "the N largest sets",
     .given = AT(by_size)},
    {"members", "N", ND_OPTION_NUMBER, AT(members), .help = "most pages shown from a set; 0: all",
     .rare = true},
    {"text", NULL, ND_OPTION_FLAG, AT(text),
     .help = "also show what the run compared, a line for each sentence. Inputs are found under "
             "their path, or from the result's folder"},
    {"sources", NULL, ND_OPTION_FLAG, AT(sources),
     .help = "a row for each input file: bytes records pages other skipped path"},
    {"skipped", NULL, ND_OPTION_FLAG, AT(skipped),
     .help = "a row for each record that could not be used: path byte reason"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json),
     .help = "print text, or a JSON object on each line"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.members = MEMBERS_SHOWN};
    nd_partition_defaults(&asked.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.run.options.reader};
}

/* A page, or the sets of all pages of a name that are listed. */
static nd_status inspect_name(const nd_inspection *in, const char *name, bool sets) {
    nd_status st = ND_OK;
    nd_named_pages named;
    nd_page_rows rows = {0};
    ND_TRY(nd_page_name_find(in->result, name, &named));
    ND_TRY(nd_page_name_warn(in->result, name, &named));
    for (uint64_t i = 0; i < named.count && i < ND_NAMESAKES_LISTED && sets; i++) {
        ND_TRY(nd_page_rows_read(in->result, named.pages[i], 1, &rows));
        ND_TRY(nd_inspect_set(in, rows.set[0]));
    }
    ND_TRY(sets ? ND_OK : nd_inspect_page(in, named.pages[0]));
out:
    nd_page_rows_free(&rows);
    return st;
}

static int inspect(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result result = {.file = H5I_INVALID_HID};
    nd_set_census c = {0};
    const char *path = NULL;
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    if (asked.text && !asked.by_set && !asked.by_size && asked.page == NULL && asked.url == NULL) {
        st =
            nd_fail(ND_ERR_USAGE, "--text: of which pages? --page, --url, --set or --largest says");
        goto out;
    }
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(asked.text ? nd_shown_run_read(&asked.run, &result) : ND_OK);
    const nd_inspection in = {&result, asked.text ? &asked.run : NULL, asked.members, asked.json};
    if (asked.by_set && asked.set >= result.shape.sets) {
        st = nd_fail(ND_ERR_USAGE, "%s: no set %" PRIu64 ": there are %" PRIu64 ", from 0",
                     result.path, asked.set, result.shape.sets);
    } else if (asked.by_set) {
        st = nd_inspect_set(&in, asked.set);
    } else if (asked.page != NULL || asked.url != NULL) {
        st = inspect_name(&in, asked.page != NULL ? asked.page : asked.url, asked.page == NULL);
    } else if (asked.by_size) {
        c.wanted = asked.largest;
        ND_TRY(nd_set_census_take(&result, &c));
        for (uint64_t i = 0; i < c.kept; i++) {
            ND_TRY(nd_inspect_set(&in, c.largest[i].set));
        }
    } else if (asked.sources) {
        st = nd_inspect_sources(&result, asked.json);
    } else {
        st = asked.skipped ? nd_inspect_skipped(&result, asked.json)
                           : nd_inspect_summary(&result, asked.json);
    }
    ND_TRY(st);
    ND_TRY(nd_flush_stdout());
out:
    nd_set_census_free(&c);
    nd_shown_run_close(&asked.run);
    (void)nd_result_close(&result);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_inspect, st);
}

const nd_command nd_command_inspect = {
    .name = "inspect",
    .summary = "look at a result: the run, the sizes, one set or page, the largest sets, texts",
    .usage = "OUT.h5 [--page NAME | --url NAME | --set N | --largest N]\n"
             "OUT.h5 --sources | --skipped",
    .about = "Without an option: what was run, pages, sets, sizes, and why records are no pages. A "
             "page is found by number in milliseconds; an id or URL means a search, about a second "
             "for 500 MB.",
    .examples = "neardup inspect out.h5\n"
                "neardup inspect out.h5 --largest 10\n"
                "neardup inspect out.h5 --url http://example.org/ --text",
    .open = open_options,
    .run = inspect,
};
