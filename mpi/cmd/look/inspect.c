/* neardup inspect OUT.h5 : a look at a result, for people. */
#include "mpi/cmd/command.h"

#include "io/result/result_pages.h"
#include "io/result/result_pairs.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/look/inspect_inputs.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of a set printed at most, and rows read at once while something is searched. */
enum { MEMBERS_SHOWN = 20 };
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 20;
/* Decimal powers by which the sizes of sets are counted in the summary. */
enum { SIZE_CLASSES = 5 };

/* ---- one set */

static nd_status print_member(const nd_result *result, uint64_t set, uint64_t page,
                              nd_page_rows *rows) {
    nd_status st = nd_page_rows_read(result, page, 1, rows);
    if (st == ND_OK && rows->set[0] != set) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: page %" PRIu64 " is a member of set %" PRIu64 " and of set %" PRIu64
                     ": damaged, or not written by neardup",
                     result->path, page, set, rows->set[0]);
    }
    if (st == ND_OK) {
        nd_span name = nd_page_rows_url(rows, 0);
        name = name.size > 0 ? name : nd_page_rows_id(rows, 0);
        (void)printf("  %10" PRIu64 "  %.4f  %8" PRIu32 "  %s  ", page, (double)rows->similarity[0],
                     rows->tokens[0], rows->exact_of[0] != page ? "copy" : "    ");
        nd_print_text(stdout, ND_PRINTABLE_FIELD, name);
        (void)puts("");
    }
    return st;
}

static nd_status print_set(const nd_result *result, uint64_t set) {
    nd_status st = ND_OK;
    uint64_t *members = NULL;
    uint64_t count = 0;
    nd_page_rows rows = {0};
    ND_TRY(nd_result_members(result, set, &members, &count));
    (void)printf("set %" PRIu64 ": %" PRIu64 " pages\n        page  similar   tokens        "
                 "url\n",
                 set, count);
    for (uint64_t i = 0; i < count && i < MEMBERS_SHOWN; i++) {
        ND_TRY(print_member(result, set, members[i], &rows));
    }
    if (count > MEMBERS_SHOWN) {
        (void)printf("  ... and %" PRIu64 " more\n", count - MEMBERS_SHOWN);
    }
out:
    free(members);
    nd_page_rows_free(&rows);
    return st;
}

static nd_status print_set_checked(const nd_result *result, uint64_t set) {
    const uint64_t sets = result->shape.sets;
    if (set >= sets) {
        return nd_fail(ND_ERR_USAGE, "%s: no set %" PRIu64 ": there are %" PRIu64 ", from 0",
                       result->path, set, sets);
    }
    return print_set(result, set);
}

/* ---- by URL */

static bool equals(nd_span text, const char *wanted) {
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

static nd_status print_url(const nd_result *result, const char *url) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    const uint64_t pages = result->shape.pages;
    uint64_t found = 0;
    const uint64_t at_once = ROWS_AT_ONCE / 16; /* rows with their texts are wide */
    for (uint64_t begin = 0; begin < pages; begin += at_once) {
        const uint64_t left = pages - begin;
        ND_TRY(nd_page_rows_read(result, begin, left < at_once ? left : at_once, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            if (equals(nd_page_rows_url(&rows, i), url) || equals(nd_page_rows_id(&rows, i), url)) {
                found++;
                ND_TRY(print_set(result, rows.set[i]));
            }
        }
    }
    if (found == 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: no page has the URL or id %s", result->path, url);
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* ---- by size */

typedef struct sized_set {
    uint64_t pages;
    uint64_t set;
} sized_set;

/* What a walk over all sets finds. */
typedef struct census {
    sized_set *largest; /* descending, ties by number, after the walk */
    uint64_t wanted;
    uint64_t kept;
    uint64_t room;                /* those that are too many are left out when it is full */
    uint64_t sets[SIZE_CLASSES];  /* of 1, 2-9, 10-99, 100-999, 1000- pages */
    uint64_t pages[SIZE_CLASSES]; /* in them */
} census;

static int by_size(const void *a, const void *b) {
    const sized_set *x = a;
    const sized_set *y = b;
    return x->pages != y->pages ? (x->pages < y->pages) - (x->pages > y->pages)
                                : (x->set > y->set) - (x->set < y->set);
}

static void leave_out_smaller(census *c) {
    qsort(c->largest, c->kept, sizeof *c->largest, by_size);
    c->kept = c->kept < c->wanted ? c->kept : c->wanted;
}

static void count_set(census *c, uint64_t set, uint64_t pages) {
    int size = 0;
    if (pages > 1) {
        size = 1;
        for (uint64_t bound = 10; size < SIZE_CLASSES - 1 && pages >= bound; bound *= 10) {
            size++;
        }
    }
    c->sets[size]++;
    c->pages[size] += pages;
    if (c->kept == c->room) {
        leave_out_smaller(c);
    }
    c->largest[c->kept++] = (sized_set){pages, set};
}

static nd_status take_census(const nd_result *result, census *c) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    const uint64_t sets = result->shape.sets;
    c->wanted = c->wanted < sets ? c->wanted : sets;
    c->room = 2 * c->wanted + 1;
    ND_TRY(nd_new(&c->largest, c->room, sizeof *c->largest));
    ND_TRY(nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets));
    for (uint64_t begin = 0; begin < sets; begin += ROWS_AT_ONCE) {
        const uint64_t left = sets - begin;
        const uint64_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t s = 0; s < count; s++) {
            count_set(c, begin + s, offsets[s + 1] - offsets[s]);
        }
    }
    leave_out_smaller(c);
out:
    free(offsets);
    return st;
}

static nd_status print_largest(const nd_result *result, uint64_t wanted) {
    nd_status st = ND_OK;
    census c = {.wanted = wanted};
    ND_TRY(take_census(result, &c));
    for (uint64_t i = 0; i < c.kept; i++) {
        ND_TRY(print_set(result, c.largest[i].set));
    }
out:
    free(c.largest);
    return st;
}

/* ---- the summary */

static nd_status print_run(const nd_result *result) {
    static const char *const names[] = {"program_version", "created", "command_line", "parameters"};
    nd_status st = ND_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = NULL;
        ND_TRY(nd_result_get_text(result, names[i], &text));
        (void)printf("%-16s ", names[i]);
        nd_print_words(stdout, ND_PRINTABLE_MESSAGE, text);
        (void)puts("");
        free(text);
    }
out:
    return st;
}

static void print_pairs(const nd_result *result) {
    if (nd_result_keeps_pairs(result)) {
        (void)printf("%-16s %" PRIu64 " verified, kept\n", "pairs", result->shape.pairs);
    }
}

static nd_status print_summary(const nd_result *result) {
    static const char *const classes[] = {"1", "2-9", "10-99", "100-999", "1000-"};
    nd_status st = ND_OK;
    census c = {.wanted = 1};
    const uint64_t sets = result->shape.sets;
    ND_TRY(print_run(result));
    ND_TRY(nd_print_input_totals(result));
    print_pairs(result);
    ND_TRY(take_census(result, &c));
    (void)printf("%-16s %" PRIu64 "\n%-16s %" PRIu64 " pages\n", "sets", sets, "largest set",
                 c.kept == 0 ? 0 : c.largest[0].pages);
    (void)printf("sets by size     pages a set         sets        pages\n");
    for (int i = 0; i < SIZE_CLASSES; i++) {
        (void)printf("%28s %12" PRIu64 " %12" PRIu64 "\n", classes[i], c.sets[i], c.pages[i]);
    }
out:
    free(c.largest);
    return st;
}

/* ---- the command */

typedef struct request {
    const char *url; /* NULL: not asked for */
    uint64_t set, largest;
    bool by_set, by_size; /* these were given */
    bool sources;
    bool skipped;
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"set", "N", ND_OPTION_NUMBER, AT(set), .help = "the pages of set N", .rare = true,
     .given = AT(by_set)},
    {"url", "URL", ND_OPTION_TEXT, AT(url), .help = "the set of the page with this URL (or id)"},
    {"largest", "N", ND_OPTION_NUMBER, AT(largest), .help = "the N largest sets",
     .given = AT(by_size)},
    {"sources", NULL, ND_OPTION_FLAG, AT(sources),
     .help = "a row per input file: bytes records pages other skipped path"},
    {"skipped", NULL, ND_OPTION_FLAG, AT(skipped),
     .help = "a row per record that could not be used: path byte reason"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.url = NULL};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static int inspect(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result result = {.file = H5I_INVALID_HID};
    const char *path = NULL;
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    ND_TRY(nd_result_open(&result, path));
    if (asked.by_set) {
        ND_TRY(print_set_checked(&result, asked.set));
    } else if (asked.by_size) {
        ND_TRY(print_largest(&result, asked.largest));
    } else if (asked.sources || asked.skipped) {
        ND_TRY(asked.sources ? nd_print_sources(&result) : nd_print_skipped(&result));
    } else {
        ND_TRY(asked.url != NULL ? print_url(&result, asked.url) : print_summary(&result));
    }
out:
    (void)nd_result_close(&result);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_inspect, st);
}

const nd_command nd_command_inspect = {
    .name = "inspect",
    .summary = "look at a result: the run, the sizes, one set, the largest sets",
    .usage = "OUT.h5 [--set N | --url URL | --largest N]\nOUT.h5 --sources | --skipped",
    .about = "Without an option: what was run, pages, sets, sizes, sources that were skipped.",
    .examples = "neardup inspect out.h5\n"
                "neardup inspect out.h5 --largest 10\n"
                "neardup inspect out.h5 --url http://example.org/",
    .open = open_options,
    .run = inspect,
};
