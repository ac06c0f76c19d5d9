/* neardup export OUT.h5 : a result as text. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/look/page_table.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Pages read at once: some 10 MB of columns. */
static const uint64_t SETS_AT_ONCE = UINT64_C(1) << 16;

/* In the order of the words of --what and --format. */
typedef enum what { WHAT_PAGES, WHAT_SETS, WHAT_KEEP, WHAT_DROP, WHAT_PAIRS, WHAT_CONTAINED } what;

typedef enum format { FORMAT_TSV, FORMAT_JSONL, FORMAT_CDXJ } format;

typedef struct request {
    what what;
    format format;
    nd_keep_wish wish;
} request;

static request asked;

static const nd_option options[] = {
    {"what", "pages|sets|keep|drop|pairs|contained", ND_OPTION_WORD, offsetof(request, what),
     .help =
         "pages: a row for each page: page id url collection set similarity representative link "
         "link_similarity exact_of source offset. keep: only rows that are kept, one page from "
         "each set. drop: only the other rows: what a deletion would remove. A page with a kept "
         "page's id (without id: its source and offset) is kept too; stderr says how many. Rows "
         "from drop, and with the options below also from pages and keep, end in kept kept_id "
         "kept_url reason. These name the page that stands for this one, and why: exact (same "
         "text), equal-content (what is compared is the same), revisit or near. sets: a row for "
         "each set: set pages representative members (page numbers, the representative first). "
         "pairs, after partition --pairs keep: a row for each verified pair: a b (page numbers, a "
         "< b) similarity id_a url_a id_b url_b. Equal pages are compared once: the first stands "
         "for them. All ids and URLs are held in memory. contained, after partition --contained: a "
         "row for each page and its container: page container share id url collection container_id "
         "container_url container_collection. Each of several equal pages has its row"},
    {"format", "tsv|jsonl|cdxj", ND_OPTION_WORD, offsetof(request, format),
     .help =
         "tsv: tab-separated, with a header. In fields, tabs, line breaks and backslashes become "
         "\\t \\n \\r \\\\. Control bytes and invalid UTF-8 become \\x1b; characters without width "
         "or with a direction become \\u202e (\\U000e0001). jsonl: a JSON object on each line, "
         "with the same characters as \\u202e and invalid UTF-8 as U+FFFD. cdxj: a web archive "
         "index: SURT, date and JSON (url mime status digest filename offset page set similarity "
         "kept kept_id kept_url reason length), sorted by bytes. A page without a date gets 1970. "
         "mime, status, digest and length come from the records, which are read again"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.what = WHAT_PAGES};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_keep_option_table, .options = &asked.wish};
}

/* Which of two kinds of pages is printed, and how many are kept for their ids alone. */
typedef struct parting {
    bool kept;
    nd_kept_ids ids;
    uint64_t shared;
} parting;

/* Whoever deletes by id must not delete what is kept. */
static bool is_wanted(const nd_page_table *table, uint64_t i, void *context) {
    parting *p = context;
    if (table->kept[table->rows.begin + i] == table->rows.begin + i) {
        return p->kept;
    }
    const bool shared = nd_kept_ids_has(&p->ids, table, i);
    p->shared += shared;
    return p->kept == shared;
}

/* \param[out] unread  archives that could not be read again */
static nd_status export_pages(nd_page_table *table, what kind, uint64_t *unread) {
    nd_status st = ND_OK;
    const bool wished = nd_keep_wish_is_given(&asked.wish);
    const bool indexed = asked.format == FORMAT_CDXJ;
    parting p = {.kept = kind == WHAT_KEEP};
    const nd_page_filter filter = kind == WHAT_PAGES ? NULL : is_wanted;
    ND_TRY(nd_page_table_load_representatives(table));
    if (wished || kind != WHAT_PAGES || indexed) {
        ND_TRY(nd_page_table_choose(table, &asked.wish, wished || kind == WHAT_DROP || indexed));
    }
    ND_TRY(kind != WHAT_PAGES ? nd_kept_ids_read(table, &p.ids) : ND_OK);
    ND_TRY(indexed ? nd_cdxj_print(table, filter, &p, asked.wish.memory, unread)
                   : nd_page_table_print(table, filter, &p));
    if (p.shared > 0) {
        (void)fprintf(stderr,
                      "neardup export: %" PRIu64
                      " more pages are kept: a page that is kept has the "
                      "same id (or, without id, source and offset)\n",
                      p.shared);
    }
out:
    nd_kept_ids_free(&p.ids);
    return st;
}

static void print_set(bool jsonl, uint64_t set, const uint64_t *members, uint64_t count) {
    if (!jsonl) {
        (void)printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", set, count, members[0]);
        for (uint64_t i = 0; i < count; i++) {
            (void)printf("%s%" PRIu64, i == 0 ? "" : " ", members[i]);
        }
        (void)puts("");
        return;
    }
    json_object *row = nd_json_new();
    ND_JSON_PUT(row, {"set", nd_json_number(set)}, {"pages", nd_json_number(count)},
                {"representative", nd_json_number(members[0])});
    json_object *list = nd_json_add_array(row, "members");
    for (uint64_t i = 0; i < count; i++) {
        ND_JSON_PUT(list, {NULL, nd_json_number(members[i])});
    }
    nd_json_print(stdout, &row);
    (void)json_object_put(row);
}

static nd_status export_sets(nd_page_table *table) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *members = NULL;
    ND_TRY(nd_result_check_partition(&table->result));
    nd_new(&offsets, SETS_AT_ONCE + 1, sizeof *offsets);
    if (!table->jsonl) {
        (void)puts("set\tpages\trepresentative\tmembers");
    }
    for (uint64_t begin = 0; begin < table->sets; begin += SETS_AT_ONCE) {
        const uint64_t count = nd_min(table->sets - begin, SETS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(&table->result, begin, count, offsets));
        const uint64_t span = offsets[count] - offsets[0];
        nd_new(&members, span, sizeof *members);
        ND_TRY(nd_result_member_rows(&table->result, offsets[0], span, members));
        for (uint64_t s = 0; s < count; s++) {
            print_set(table->jsonl, begin + s, members + (offsets[s] - offsets[0]),
                      offsets[s + 1] - offsets[s]);
        }
        free(members);
        members = NULL;
    }
out:
    free(offsets);
    free(members);
    return st;
}

static nd_status export_command(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_page_table table;
    bool opened = false;
    uint64_t unread = 0;
    const char *path = NULL;
    ND_TRY(nd_command_line_result(call, &path));
    if ((nd_keep_wish_is_given(&asked.wish) || asked.format == FORMAT_CDXJ) &&
        (asked.what == WHAT_SETS || asked.what == WHAT_PAIRS || asked.what == WHAT_CONTAINED)) {
        st = nd_fail(ND_ERR_USAGE, "--keep, --keep-each, --protect and --format cdxj are of --what "
                                   "pages, keep and drop");
        goto out;
    }
    opened = true;
    ND_TRY(nd_page_table_open(&table, path, asked.format == FORMAT_JSONL));
    ND_TRY(asked.what == WHAT_SETS        ? export_sets(&table)
           : asked.what == WHAT_PAIRS     ? nd_pair_table_print(&table)
           : asked.what == WHAT_CONTAINED ? nd_contained_table_print(&table)
                                          : export_pages(&table, asked.what, &unread));
out:
    if (opened) {
        nd_page_table_close(&table);
    }
    call->code = unread > 0 ? ND_EXIT_SKIPPED : ND_EXIT_DONE;
    return st;
}

const nd_command nd_command_export = {
    .name = "export",
    .summary = "print a result as tab-separated text, JSON lines or an index",
    .usage = "OUT.h5 [--what WHAT] [--keep RULES] [--format FORMAT]",
    .about = "Prints a result on stdout.",
    .notes = "Exit code 3: all rows are there, but for --format cdxj an archive could not be read "
             "again.",
    .examples = "neardup export out.h5 --what sets --format jsonl\n"
                "neardup export out.h5 --what drop | cut -f 2 > delete-these-ids\n"
                "neardup export out.h5 --what drop --keep collection:2024,longest > drop.tsv",
    .open = open_options,
    .run = export_command,
};
