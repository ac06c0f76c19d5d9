/* neardup export OUT.h5 : a result as text. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/look/page_table.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Pages, or sets, read at once: some 10 MB of columns. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

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

/* ---- By what pages are deleted: their ids, or, where they have none, their place (source file and
 * offset). A list of pages to be dropped must not hold what a page that is kept has too. Held as
 * hashes of 64 bits: two that are equal by chance leave a page out that could have been dropped,
 * never the other way round. */

/* Which of two kinds of pages is printed, and how many are kept for their ids alone. */
typedef struct parting {
    bool kept;
    uint64_t
        *hashes; /* of the kept pages' ids or places, ascending; NULL: none is also another's */
    uint64_t count;
    uint64_t shared;
} parting;

/* Ids and places are of two kinds: the offset of a page with an id is no part of what it is. */
static uint64_t hash_of(const nd_page_table *table, uint64_t i) {
    const nd_span id = nd_page_rows_id(&table->rows, i);
    if (id.size > 0) {
        return XXH3_64bits(id.data, id.size);
    }
    const nd_span path = nd_text_column_at(&table->sources, table->rows.source[i]);
    return XXH3_64bits_withSeed(path.data, path.size, table->rows.offset[i] * 2 + 1);
}

/* Does some source, by its path, stand in the table twice? In two collections it may. */
static bool has_repeated_source(const nd_page_table *table) {
    uint64_t *hashes = NULL;
    const uint64_t count = table->sources.count;
    nd_new(&hashes, count, sizeof *hashes);
    for (uint64_t i = 0; i < count; i++) {
        const nd_span path = nd_text_column_at(&table->sources, i);
        hashes[i] = XXH3_64bits(path.data, path.size);
    }
    const bool repeated = nd_numbers_distinct(hashes, count) < count;
    free(hashes);
    return repeated;
}

static bool is_kept(const nd_page_table *table, uint64_t i) {
    return table->kept[table->rows.begin + i] == table->rows.begin + i;
}

/* Read the ids of all pages that are kept, 8 bytes each, unless the result says that no two pages
 * share theirs. */
static nd_status read_kept_ids(nd_page_table *table, parting *p) {
    nd_status st = ND_OK;
    uint64_t shared = 0;
    uint64_t count = 0;
    ND_TRY(nd_result_get_number(&table->result, "shared_ids", &shared));
    if (shared == 0 && !has_repeated_source(table)) {
        return ND_OK;
    }
    for (uint64_t page = 0; page < table->pages; page++) {
        count += table->kept[page] == page;
    }
    nd_new(&p->hashes, count, sizeof *p->hashes);
    for (uint64_t begin = 0; begin < table->pages; begin += ROWS_AT_ONCE) {
        ND_TRY(nd_page_rows_read(&table->result, begin, nd_min(table->pages - begin, ROWS_AT_ONCE),
                                 &table->rows));
        for (uint64_t i = 0; i < table->rows.count; i++) {
            if (is_kept(table, i)) {
                p->hashes[p->count++] = hash_of(table, i);
            }
        }
    }
    p->count = nd_numbers_distinct(p->hashes, p->count);
out:
    return st;
}

/* Whoever deletes by id must not delete what is kept. */
static bool is_wanted(const nd_page_table *table, uint64_t i, void *context) {
    parting *p = context;
    if (is_kept(table, i)) {
        return p->kept;
    }
    const bool shared = p->count > 0 && nd_numbers_hold(p->hashes, p->count, hash_of(table, i));
    p->shared += shared;
    return p->kept == shared;
}

/* ---- pages */

/* \param[out] unread  archives that could not be read again */
static nd_status export_pages(nd_page_table *table, what kind, uint64_t *unread) {
    nd_status st = ND_OK;
    const bool wished = nd_keep_wish_is_given(&asked.wish);
    const bool indexed = asked.format == FORMAT_CDXJ;
    parting p = {.kept = kind == WHAT_KEEP};
    const nd_page_filter filter = kind == WHAT_PAGES ? NULL : is_wanted;
    if (wished || kind != WHAT_PAGES || indexed) {
        ND_TRY(nd_page_table_choose(table, &asked.wish, wished || kind == WHAT_DROP || indexed));
    }
    ND_TRY(kind != WHAT_PAGES ? read_kept_ids(table, &p) : ND_OK);
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
    free(p.hashes);
    return st;
}

/* ---- sets */

static void print_set(bool jsonl, uint64_t set, const uint64_t *members, uint64_t count) {
    nd_row row = nd_row_begin(stdout, jsonl);
    nd_row_number(&row, "set", set);
    nd_row_number(&row, "pages", count);
    nd_row_number(&row, "representative", members[0]);
    nd_row_nothing(&row); /* the members follow */
    json_object *list = jsonl ? nd_json_add_array(row.object, "members") : NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (jsonl) {
            ND_JSON_PUT(list, {NULL, nd_json_number(members[i])});
        } else {
            (void)printf("%s%" PRIu64, i == 0 ? "" : " ", members[i]);
        }
    }
    nd_row_end(&row);
}

static nd_status export_sets(nd_page_table *table) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *members = NULL;
    ND_TRY(nd_result_check_partition(&table->result));
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    if (!table->jsonl) {
        (void)puts("set\tpages\trepresentative\tmembers");
    }
    for (uint64_t begin = 0; begin < table->sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(table->sets - begin, ROWS_AT_ONCE);
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
    nd_page_table table = {.result = {.file = H5I_INVALID_HID}};
    uint64_t unread = 0;
    const char *path = NULL;
    ND_TRY(nd_command_line_result(call, &path));
    if ((nd_keep_wish_is_given(&asked.wish) || asked.format == FORMAT_CDXJ) &&
        (asked.what == WHAT_SETS || asked.what == WHAT_PAIRS || asked.what == WHAT_CONTAINED)) {
        st = nd_fail(ND_ERR_USAGE, "--keep, --keep-each, --protect and --format cdxj are of --what "
                                   "pages, keep and drop");
        goto out;
    }
    ND_TRY(nd_page_table_open(&table, path, asked.format == FORMAT_JSONL));
    ND_TRY(asked.what == WHAT_SETS        ? export_sets(&table)
           : asked.what == WHAT_PAIRS     ? nd_pair_table_print(&table)
           : asked.what == WHAT_CONTAINED ? nd_contained_table_print(&table)
                                          : export_pages(&table, asked.what, &unread));
out:
    nd_page_table_close(&table);
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
