/* neardup inspect OUT.h5 : a look at a result, for people. */
#include "mpi/cmd/command.h"

#include "io/result/result_pages.h"
#include "io/result/result_pairs.h"
#include "mpi/cmd/command_line.h"
#include "src/base/order.h"
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

static nd_status print_set(const nd_result *result, uint64_t set) {
    nd_status st = ND_OK;
    uint64_t *members = NULL;
    uint64_t count = 0;
    nd_page_rows rows = {0};
    ND_TRY(nd_result_members(result, set, &members, &count));
    (void)printf("set %" PRIu64 ": %" PRIu64
                 " pages\n        page  similar  certain   tokens        "
                 "url\n",
                 set, count);
    for (uint64_t i = 0; i < count && i < MEMBERS_SHOWN; i++) {
        ND_TRY(nd_page_rows_read(result, members[i], 1, &rows));
        if (rows.set[0] != set) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: page %" PRIu64 " is a member of set %" PRIu64 " and of set %" PRIu64
                         ": damaged, or not written by neardup",
                         result->path, members[i], set, rows.set[0]);
            goto out;
        }
        nd_span name = nd_page_rows_url(&rows, 0);
        name = name.size > 0 ? name : nd_page_rows_id(&rows, 0);
        (void)printf("  %10" PRIu64 "  %.4f   %.4f  %8" PRIu32 "  %s  ", members[i],
                     (double)rows.similarity[0], (double)rows.certainty[0], rows.tokens[0],
                     rows.thin[0] != 0                ? "thin"
                     : rows.exact_of[0] != members[i] ? "copy"
                                                      : "    ");
        nd_print_text(stdout, ND_PRINTABLE_FIELD, name);
        (void)puts("");
    }
    if (count > MEMBERS_SHOWN) {
        (void)printf("  ... and %" PRIu64 " more\n", count - MEMBERS_SHOWN);
    }
out:
    free(members);
    nd_page_rows_free(&rows);
    return st;
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
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, at_once), &rows));
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
    c->kept = nd_min(c->kept, c->wanted);
}

static nd_status take_census(const nd_result *result, census *c) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    const uint64_t sets = result->shape.sets;
    c->wanted = nd_min(c->wanted, sets);
    c->room = 2 * c->wanted + 1;
    ND_TRY(nd_new(&c->largest, c->room, sizeof *c->largest));
    ND_TRY(nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets));
    for (uint64_t begin = 0; begin < sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(sets - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t s = 0; s < count; s++) {
            const uint64_t pages = offsets[s + 1] - offsets[s];
            int size = pages > 1;
            for (uint64_t bound = 10; size < SIZE_CLASSES - 1 && pages >= bound; bound *= 10) {
                size++;
            }
            c->sets[size]++;
            c->pages[size] += pages;
            if (c->kept == c->room) {
                leave_out_smaller(c);
            }
            c->largest[c->kept++] = (sized_set){pages, begin + s};
        }
    }
    leave_out_smaller(c);
out:
    free(offsets);
    return st;
}

/* ---- inputs */

/* The columns of /sources that are printed, in this order. */
static const char *const source_columns[] = {"bytes", "records", "pages", "other", "skipped"};
enum { COLUMNS = sizeof source_columns / sizeof source_columns[0] };

typedef struct sources {
    uint64_t *columns[COLUMNS];
    uint64_t count;
} sources;

static void sources_free(sources *s) {
    for (int c = 0; c < COLUMNS; c++) {
        free(s->columns[c]);
    }
}

/* A whole column of numbers; the caller's to free(). */
static nd_status read_column(const nd_result *result, const char *name, uint64_t **values,
                             uint64_t *rows) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_rows(result, name, ND_COLUMN_U64, rows));
    ND_TRY(nd_new(values, *rows, sizeof **values));
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, *rows, *values));
out:
    return st;
}

static nd_status read_sources(const nd_result *result, sources *s) {
    nd_status st = ND_OK;
    for (int c = 0; c < COLUMNS; c++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/sources/%s", source_columns[c]);
        ND_TRY(read_column(result, path, &s->columns[c], &s->count));
    }
out:
    return st;
}

/* Tab-separated, as the next one. */
static nd_status print_sources(const nd_result *result) {
    nd_status st = ND_OK;
    sources s = {0};
    nd_text_column paths = {0};
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &paths));
    (void)puts("bytes\trecords\tpages\tother\tskipped\tpath");
    for (uint64_t i = 0; i < s.count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            (void)printf("%" PRIu64 "\t", s.columns[c][i]);
        }
        nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_text_column_at(&paths, i));
        (void)puts("");
    }
out:
    sources_free(&s);
    nd_text_column_free(&paths);
    return st;
}

static nd_status print_skipped(const nd_result *result) {
    nd_status st = ND_OK;
    uint64_t *source = NULL;
    uint64_t *offset = NULL;
    uint64_t count = 0;
    nd_text_column paths = {0};
    nd_text_column reasons = {0};
    ND_TRY(read_column(result, "/skipped/source", &source, &count));
    ND_TRY(read_column(result, "/skipped/offset", &offset, &count));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &paths));
    ND_TRY(
        nd_text_column_read(result, "/skipped/reason_offset", "/skipped/reason_bytes", &reasons));
    (void)puts("path\tbyte\treason");
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= paths.count) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /skipped/source: there is no source %" PRIu64
                         ": damaged, or not written by neardup",
                         result->path, source[i]);
            goto out;
        }
        nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_text_column_at(&paths, source[i]));
        (void)printf("\t%" PRIu64 "\t", offset[i]);
        nd_print_text(stdout, ND_PRINTABLE_MESSAGE, nd_text_column_at(&reasons, i));
        (void)puts("");
    }
out:
    free(source);
    free(offset);
    nd_text_column_free(&paths);
    nd_text_column_free(&reasons);
    return st;
}

/* ---- the summary */

static nd_status print_summary(const nd_result *result) {
    static const char *const notes[] = {"program_version", "created", "command_line", "parameters"};
    static const char *const classes[] = {"1", "2-9", "10-99", "100-999", "1000-"};
    nd_status st = ND_OK;
    census c = {.wanted = 1};
    sources s = {0};
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char *text = NULL;
        ND_TRY(nd_result_get_text(result, notes[i], &text));
        (void)printf("%-16s ", notes[i]);
        nd_print_words(stdout, ND_PRINTABLE_MESSAGE, text);
        (void)puts("");
        free(text);
    }
    ND_TRY(read_sources(result, &s));
    (void)printf("%-16s %" PRIu64 "\n", "sources", s.count);
    for (int column = 0; column < COLUMNS; column++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < s.count; i++) {
            sum += s.columns[column][i];
        }
        (void)printf("%-16s %" PRIu64 "\n", source_columns[column], sum);
    }
    if (nd_result_keeps_pairs(result)) {
        (void)printf("%-16s %" PRIu64 " verified, kept\n", "pairs", result->shape.pairs);
    }
    ND_TRY(take_census(result, &c));
    (void)printf("%-16s %" PRIu64 "\n%-16s %" PRIu64 " pages\n", "sets", result->shape.sets,
                 "largest set", c.kept == 0 ? 0 : c.largest[0].pages);
    (void)printf("sets by size     pages a set         sets        pages\n");
    for (int i = 0; i < SIZE_CLASSES; i++) {
        (void)printf("%28s %12" PRIu64 " %12" PRIu64 "\n", classes[i], c.sets[i], c.pages[i]);
    }
out:
    sources_free(&s);
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
    census c = {0};
    const char *path = NULL;
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    ND_TRY(nd_result_open(&result, path));
    if (asked.by_set && asked.set >= result.shape.sets) {
        st = nd_fail(ND_ERR_USAGE, "%s: no set %" PRIu64 ": there are %" PRIu64 ", from 0",
                     result.path, asked.set, result.shape.sets);
    } else if (asked.by_set) {
        st = print_set(&result, asked.set);
    } else if (asked.by_size) {
        c.wanted = asked.largest;
        ND_TRY(take_census(&result, &c));
        for (uint64_t i = 0; i < c.kept; i++) {
            ND_TRY(print_set(&result, c.largest[i].set));
        }
    } else if (asked.sources || asked.skipped) {
        ND_TRY(asked.sources ? print_sources(&result) : print_skipped(&result));
    } else {
        ND_TRY(asked.url != NULL ? print_url(&result, asked.url) : print_summary(&result));
    }
out:
    free(c.largest);
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
