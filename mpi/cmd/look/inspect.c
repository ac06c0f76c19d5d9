/* neardup inspect OUT.h5 : a look at a result, for people. */
#include "io/result/result_check.h"
#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/look/set_census.h"
#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/partition/partition.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ==== The part of `neardup inspect` that prints pages: a set with its members, or one page with
 * all that the result says of it, and what the run compared of their texts, read again from the
 * inputs. As text, or as a JSON object a line. */

/* ---- what the run compared of a page */

/* Its sentences as they stand on the page, one a line. */
static void join_text(const nd_shown_page *page, nd_buffer *text) {
    for (uint32_t i = 0; i < page->whole.sentence_count; i++) {
        if (page->chosen.keep[i]) {
            const nd_span sentence = nd_shown_sentence_text(page, i);
            for (size_t k = 0; k < sentence.size; k++) {
                const uint8_t byte = sentence.data[k];
                nd_buffer_append(text, byte == '\n' || byte == '\r' ? (const uint8_t *)" " : &byte,
                                 1);
            }
            nd_buffer_append(text, "\n", 1);
        }
    }
}

/* Print the text of a page that was named before. \param[in] to  its object, or NULL */
static nd_status print_text(uint64_t number, json_object *to) {
    nd_status st = ND_OK;
    nd_shown_page page = {0};
    nd_buffer text = {0};
    ND_TRY(nd_shown_page_read(&page, &asked.run, number));
    join_text(&page, &text);
    if (to != NULL) {
        ND_JSON_PUT(to, {"compared", nd_json_number(page.compared)},
                    {"compared_tokens", nd_json_number(page.content.token_count)},
                    {"text", nd_json_text(nd_buffer_span(&text))});
        goto out;
    }
    (void)printf("--- page %" PRIu64 ": %" PRIu32 " tokens compared of %" PRIu32, number,
                 page.content.token_count, page.whole.token_count);
    if (page.compared != number) {
        (void)printf(", as page %" PRIu64, page.compared);
    }
    (void)puts("");
    for (nd_span left = nd_buffer_span(&text); left.size > 0;) {
        const uint8_t *end = memchr(left.data, '\n', left.size);
        const size_t size = (size_t)(end - left.data);
        nd_print_text(stdout, ND_PRINTABLE_MESSAGE, nd_span_part(left, 0, size));
        (void)puts("");
        left = nd_span_part(left, size + 1, left.size);
    }
out:
    nd_buffer_free(&text);
    nd_shown_page_free(&page);
    return st;
}

/* ---- a set */

/* The columns of a page that both forms of output have, as JSON. */
static json_object *put_row(json_object *to, const nd_page_rows *rows) {
    ND_JSON_PUT(
        to, {"page", nd_json_number(rows->begin)}, {"id", nd_json_text(nd_page_rows_id(rows, 0))},
        {"url", nd_json_text(nd_page_rows_url(rows, 0))},
        {"similarity", nd_json_similarity((double)rows->similarity[0])},
        {"certainty", nd_json_similarity((double)rows->certainty[0])},
        {"tokens", nd_json_number(rows->tokens[0])}, {"thin", nd_json_flag(rows->thin[0] != 0)},
        {"exact_of", nd_json_number(rows->exact_of[0])});
    if (rows->revisit_of[0] != ND_NO_REVISIT) {
        ND_JSON_PUT(to, {"revisit_of", nd_json_number(rows->revisit_of[0])});
    }
    return to;
}

static void print_member(const nd_page_rows *rows) {
    nd_span name = nd_page_rows_url(rows, 0);
    name = name.size > 0 ? name : nd_page_rows_id(rows, 0);
    (void)printf("  %10" PRIu64 "  %.4f   %.4f  %8" PRIu32 "  %s  ", rows->begin,
                 (double)rows->similarity[0], (double)rows->certainty[0], rows->tokens[0],
                 rows->revisit_of[0] != ND_NO_REVISIT ? "revisit"
                 : rows->thin[0] != 0                 ? "thin"
                 : rows->exact_of[0] != rows->begin   ? "copy"
                                                      : "    ");
    nd_print_text(stdout, ND_PRINTABLE_FIELD, name);
    (void)puts("");
}

/* Print set `set`, which there is. A text that cannot be read is named on stderr, and the others
 * are printed.
 * \return ND_OK; how the last text failed; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
static nd_status inspect_set(const nd_result *result, uint64_t set) {
    nd_status st = ND_OK;
    nd_status of_texts = ND_OK;
    uint64_t missing = 0;
    uint64_t *members = NULL;
    uint64_t range[2] = {0, 0};
    nd_page_rows rows = {0};
    json_object **objects = NULL;
    json_object *root = asked.json ? nd_json_new() : NULL;
    ND_TRY(nd_result_set_offsets(result, set, 1, range));
    const uint64_t count = range[1] - range[0];
    const uint64_t shown = asked.members == 0 ? count : nd_min(count, asked.members);
    nd_new(&members, shown, sizeof *members);
    nd_new(&objects, shown, sizeof *objects);
    ND_TRY(nd_result_member_rows(result, range[0], shown, members));
    ND_JSON_PUT(root, {"set", nd_json_number(set)}, {"pages", nd_json_number(count)});
    json_object *list = asked.json ? nd_json_add_array(root, "members") : NULL;
    if (!asked.json) {
        (void)printf("set %" PRIu64 ": %" PRIu64
                     " pages\n        page  similar  certain   tokens        url\n",
                     set, count);
    }
    for (uint64_t i = 0; i < shown; i++) {
        ND_TRY(nd_page_rows_read(result, members[i], 1, &rows));
        if (rows.set[0] != set) {
            st = nd_result_damaged(
                result, "page %" PRIu64 " is a member of set %" PRIu64 " and of set %" PRIu64,
                members[i], set, rows.set[0]);
            goto out;
        }
        if (asked.json) {
            objects[i] = put_row(nd_json_add_object(list, NULL), &rows);
        } else {
            print_member(&rows);
        }
    }
    if (!asked.json && count > shown) {
        (void)printf("  ... and %" PRIu64 " more (--members N, 0: all)\n", count - shown);
    }
    for (uint64_t i = 0; i < shown && asked.text; i++) {
        const nd_status read = print_text(members[i], objects[i]);
        if (read != ND_OK) {
            nd_print_line(stderr, "neardup inspect: page %" PRIu64 ": %s", members[i],
                          nd_fail_text());
            of_texts = read;
            missing++;
        }
    }
    if (asked.json) {
        nd_json_print(stdout, &root);
    }
    if (missing > 0) {
        st = nd_fail(of_texts, "%s: %" PRIu64 " of %" PRIu64 " texts cannot be read", result->path,
                     missing, shown);
    }
out:
    free(members);
    free(objects);
    nd_page_rows_free(&rows);
    (void)json_object_put(root);
    return st;
}

/* ---- one page */

static void print_line(const char *name, nd_span text) {
    (void)printf("%-16s ", name);
    nd_print_text(stdout, ND_PRINTABLE_FIELD, text);
    (void)puts("");
}

/* Texts with a NUL at their end are printed without it. */
static nd_span words_of(const nd_buffer *text) {
    return (nd_span){text->data, text->size - 1};
}

/* Print page `page`, which there is. \return likewise */
static nd_status inspect_page(const nd_result *result, uint64_t page) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_buffer source = {0}, collection = {0};
    uint64_t range[2] = {0, 0};
    uint64_t representative = 0;
    json_object *object = NULL;
    ND_TRY(nd_page_rows_read(result, page, 1, &rows));
    ND_TRY(nd_result_source_name(result, rows.source[0], &source));
    ND_TRY(nd_result_text_read(result, "/collections/name_offset", "/collections/name_bytes",
                               rows.collection[0], &collection));
    ND_TRY(nd_result_set_offsets(result, rows.set[0], 1, range));
    ND_TRY(nd_result_member_rows(result, range[0], 1, &representative));
    if (asked.json) {
        object = put_row(nd_json_new(), &rows);
        ND_JSON_PUT(object, {"collection", nd_json_text(words_of(&collection))},
                    {"set", nd_json_number(rows.set[0])},
                    {"set_pages", nd_json_number(range[1] - range[0])},
                    {"representative", nd_json_number(representative)},
                    {"link", nd_json_number(rows.link[0])},
                    {"link_similarity", nd_json_similarity((double)rows.link_similarity[0])},
                    {"source", nd_json_text(words_of(&source))},
                    {"offset", nd_json_number(rows.offset[0])});
        st = asked.text ? print_text(page, object) : ND_OK;
        nd_json_print(stdout, &object);
        goto out;
    }
    (void)printf("%-16s %" PRIu64 "\n", "page", page);
    print_line("id", nd_page_rows_id(&rows, 0));
    print_line("url", nd_page_rows_url(&rows, 0));
    print_line("collection", words_of(&collection));
    print_line("source", words_of(&source));
    (void)printf("%-16s %" PRIu64 "\n", "byte", rows.offset[0]);
    (void)printf("%-16s %" PRIu32 "%s\n", "tokens", rows.tokens[0],
                 rows.thin[0] != 0 ? ", thin" : "");
    (void)printf("%-16s %" PRIu64 ", of %" PRIu64 " pages\n", "set", rows.set[0],
                 range[1] - range[0]);
    (void)printf("%-16s %" PRIu64 "%s, similarity %.4f, certainty %.4f\n", "representative",
                 representative, representative == page ? ", itself" : "",
                 (double)rows.similarity[0], (double)rows.certainty[0]);
    (void)printf("%-16s %" PRIu64 "%s, similarity %.4f\n", "link", rows.link[0],
                 rows.link[0] == page ? ", itself" : "", (double)rows.link_similarity[0]);
    if (rows.revisit_of[0] == page) {
        (void)printf("%-16s %s\n", "revisit of", "a record that is not among the pages");
    } else if (rows.revisit_of[0] != ND_NO_REVISIT) {
        (void)printf("%-16s %" PRIu64 "\n", "revisit of", rows.revisit_of[0]);
    }
    if (rows.exact_of[0] != page) {
        (void)printf("%-16s %" PRIu64 "\n", "same text as", rows.exact_of[0]);
    }
    st = asked.text ? print_text(page, NULL) : ND_OK;
out:
    nd_page_rows_free(&rows);
    nd_buffer_free(&source);
    nd_buffer_free(&collection);
    (void)json_object_put(object);
    return st;
}

/* ==== a whole result */

/* Rows read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 20;

/* ---- by size */

nd_status nd_set_census_take(const nd_result *result, uint64_t wanted, nd_set_census *c) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    const uint64_t sets = result->shape.sets;
    *c = (nd_set_census){.sets = {0}};
    nd_least_open(&c->largest, nd_min(wanted, sets));
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(sets - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t s = 0; s < count; s++) {
            const uint64_t pages = offsets[s + 1] - offsets[s];
            int size = pages > 1, power = 0;
            for (uint64_t bound = 10; size < ND_SIZE_CLASSES - 1 && pages >= bound; bound *= 10) {
                size++;
            }
            while (power < ND_SIZE_POWERS - 1 && pages >> power > 1) {
                power++;
            }
            c->sets[size]++;
            c->pages[size] += pages;
            c->powers[power]++;
            nd_least_offer(&c->largest, UINT64_MAX - pages, begin + s);
        }
    }
    nd_least_finish(&c->largest);
out:
    free(offsets);
    return st;
}

void nd_set_census_free(nd_set_census *c) {
    free(c->largest.records);
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
    nd_new(values, *rows, sizeof **values);
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

static nd_status inspect_sources(const nd_result *result) {
    nd_status st = ND_OK;
    sources s = {0};
    nd_text_column paths = {0};
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_source_paths_read(result, &paths));
    if (!asked.json) {
        (void)puts("bytes\trecords\tpages\tother\tskipped\tpath");
    }
    for (uint64_t i = 0; i < s.count; i++) {
        nd_row row = nd_row_begin(stdout, asked.json);
        for (int c = 0; c < COLUMNS; c++) {
            nd_row_number(&row, source_columns[c], s.columns[c][i]);
        }
        nd_row_text(&row, "path", nd_text_column_at(&paths, i));
        nd_row_end(&row);
    }
out:
    sources_free(&s);
    nd_text_column_free(&paths);
    return st;
}

static nd_status inspect_skipped(const nd_result *result) {
    nd_status st = ND_OK;
    uint64_t *source = NULL;
    uint64_t *offset = NULL;
    uint64_t count = 0;
    nd_text_column paths = {0};
    nd_text_column reasons = {0};
    ND_TRY(read_column(result, "/skipped/source", &source, &count));
    ND_TRY(read_column(result, "/skipped/offset", &offset, &count));
    ND_TRY(nd_source_paths_read(result, &paths));
    ND_TRY(
        nd_text_column_read(result, "/skipped/reason_offset", "/skipped/reason_bytes", &reasons));
    if (!asked.json) {
        (void)puts("path\tbyte\treason");
    }
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= paths.count) {
            st = nd_result_damaged(result, "/skipped/source: there is no source %" PRIu64,
                                   source[i]);
            goto out;
        }
        nd_row row = nd_row_begin(stdout, asked.json);
        nd_row_text(&row, "path", nd_text_column_at(&paths, source[i]));
        nd_row_number(&row, "byte", offset[i]);
        nd_row_message(&row, "reason", nd_text_column_at(&reasons, i));
        nd_row_end(&row);
    }
out:
    free(source);
    free(offset);
    nd_text_column_free(&paths);
    nd_text_column_free(&reasons);
    return st;
}

/* ---- the summary */

/* \param[in] to  NULL: as text, with `more` after it */
static void put_count(json_object *to, const char *name, uint64_t count, const char *more) {
    if (to != NULL) {
        ND_JSON_PUT(to, {name, nd_json_number(count)});
    } else {
        (void)printf("%-16s %" PRIu64 "%s\n", name, count, more);
    }
}

/* Why records are no pages. */
static nd_status print_others(const nd_result *result, json_object *to) {
    nd_status st = ND_OK;
    uint64_t others[ND_OTHERS];
    ND_TRY(nd_result_others(result, others));
    json_object *list = to != NULL ? nd_json_add_object(to, "other_reasons") : NULL;
    for (int r = 0; r < ND_OTHERS; r++) {
        const char *reason = nd_other_reason_text((nd_other_reason)r);
        if (others[r] > 0 && to != NULL) {
            ND_JSON_PUT(list, {reason, nd_json_number(others[r])});
        } else if (others[r] > 0) {
            (void)printf("  %12" PRIu64 "   %s\n", others[r], reason);
        }
    }
out:
    return st;
}

static void put_sizes(json_object *to, const nd_set_census *c) {
    static const char *const names[ND_SIZE_CLASSES] = {"1", "2-9", "10-99", "100-999", "1000-"};
    json_object *list = to != NULL ? nd_json_add_array(to, "sets_by_size") : NULL;
    if (to == NULL) {
        (void)printf("sets by size     pages a set         sets        pages\n");
    }
    for (int i = 0; i < ND_SIZE_CLASSES; i++) {
        if (to != NULL) {
            ND_JSON_PUT(list, {NULL, ND_JSON({"pages_a_set", nd_json_words(names[i])},
                                             {"sets", nd_json_number(c->sets[i])},
                                             {"pages", nd_json_number(c->pages[i])})});
        } else {
            (void)printf("%28s %12" PRIu64 " %12" PRIu64 "\n", names[i], c->sets[i], c->pages[i]);
        }
    }
}

static nd_status inspect_summary(const nd_result *result) {
    static const char *const notes[] = {"program_version", "created", "command_line", "parameters"};
    nd_status st = ND_OK;
    nd_set_census c = {.sets = {0}};
    sources s = {0};
    json_object *object = asked.json ? nd_json_new() : NULL;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char *text = NULL;
        ND_TRY(nd_result_get_text(result, notes[i], &text));
        if (asked.json) {
            json_object *parsed = i == 3 ? json_tokener_parse(text) : NULL;
            ND_JSON_PUT(object, {notes[i], parsed != NULL ? parsed : nd_json_words(text)});
        } else {
            (void)printf("%-16s ", notes[i]);
            nd_print_words(stdout, ND_PRINTABLE_MESSAGE, text);
            (void)puts("");
        }
        free(text);
    }
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_set_census_take(result, 1, &c));
    put_count(object, "sources", s.count, "");
    for (int column = 0; column < COLUMNS; column++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < s.count; i++) {
            sum += s.columns[column][i];
        }
        put_count(object, source_columns[column], sum, "");
        ND_TRY(strcmp(source_columns[column], "other") == 0 ? print_others(result, object) : ND_OK);
    }
    if (nd_result_keeps_pairs(result)) {
        put_count(object, "pairs", result->shape.pairs, " verified, kept");
    }
    if (result->shape.has_contained) {
        put_count(object, "contained", result->shape.contained,
                  " pairs of a page and one that has it");
    }
    put_count(object, "sets", result->shape.sets, "");
    put_count(object, asked.json ? "largest_set" : "largest set",
              c.largest.count == 0 ? 0 : UINT64_MAX - c.largest.records[0].key, " pages");
    put_sizes(object, &c);
    if (asked.json) {
        nd_json_print(stdout, &object);
    }
out:
    (void)json_object_put(object);
    sources_free(&s);
    nd_set_census_free(&c);
    return st;
}

/* ==== the command */

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
static nd_status inspect_name(const nd_result *result, const char *name, bool sets) {
    nd_status st = ND_OK;
    nd_named_pages named;
    nd_page_rows rows = {0};
    ND_TRY(nd_page_name_find(result, name, &named));
    ND_TRY(nd_page_name_warn(result, name, &named));
    for (uint64_t i = 0; i < named.count && i < ND_NAMESAKES_LISTED && sets; i++) {
        ND_TRY(nd_page_rows_read(result, named.pages[i], 1, &rows));
        ND_TRY(inspect_set(result, rows.set[0]));
    }
    ND_TRY(sets ? ND_OK : inspect_page(result, named.pages[0]));
out:
    nd_page_rows_free(&rows);
    return st;
}

static nd_status inspect(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_set_census c = {0};
    const char *path = NULL;
    ND_TRY(nd_command_line_result(call, &path));
    if (asked.text && !asked.by_set && !asked.by_size && asked.page == NULL && asked.url == NULL) {
        st =
            nd_fail(ND_ERR_USAGE, "--text: of which pages? --page, --url, --set or --largest says");
        goto out;
    }
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(asked.text ? nd_shown_run_read(&asked.run, &result) : ND_OK);
    if (asked.by_set && asked.set >= result.shape.sets) {
        st = nd_fail(ND_ERR_USAGE, "%s: no set %" PRIu64 ": there are %" PRIu64 ", from 0",
                     result.path, asked.set, result.shape.sets);
    } else if (asked.by_set) {
        st = inspect_set(&result, asked.set);
    } else if (asked.page != NULL || asked.url != NULL) {
        st = inspect_name(&result, asked.page != NULL ? asked.page : asked.url, asked.page == NULL);
    } else if (asked.by_size) {
        ND_TRY(nd_set_census_take(&result, asked.largest, &c));
        for (uint64_t i = 0; i < c.largest.count; i++) {
            ND_TRY(inspect_set(&result, c.largest.records[i].value));
        }
    } else if (asked.sources) {
        st = inspect_sources(&result);
    } else {
        st = asked.skipped ? inspect_skipped(&result) : inspect_summary(&result);
    }
    ND_TRY(st);
out:
    nd_set_census_free(&c);
    nd_shown_run_close(&asked.run);
    (void)nd_result_close(&result);
    return st;
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

/* ---- neardup check OUT.h5 : is a result whole, and does it keep every promise of its schema? */

typedef struct check_request {
    const char *path;
    bool json;
    json_object *broken; /* what is broken, as JSON; NULL: as text */
} check_request;

static check_request checked;

static const nd_option check_options[] = {
    {"format", "json|text", ND_OPTION_SWITCH, offsetof(check_request, json),
     .help = "print text, or one JSON object"},
    {0},
};

static void report_broken(void *context, const char *text) {
    const check_request *r = context;
    if (r->json) {
        ND_JSON_PUT(r->broken, {NULL, nd_json_words(text)});
    } else {
        (void)printf("%s: %s\n", r->path, text);
    }
}

static void print_findings(const char *path, const nd_result_findings *findings) {
    if (!findings->sealed) {
        (void)printf("%s: has no checksums to compare: written by an earlier neardup, or rewritten "
                     "by another program\n",
                     path);
    }
    if (findings->broken == 0) {
        (void)printf("%s: %" PRIu64 " pages in %" PRIu64 " sets, every promise holds\n", path,
                     findings->shape.pages, findings->shape.sets);
    }
}

static void open_check_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    checked = (check_request){.path = NULL};
    sets[0] = (nd_command_table){.table = check_options, .options = &checked};
}

static nd_status check_command(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_result_findings findings = {0};
    json_object *root = NULL;
    ND_TRY(nd_command_line_result(call, &checked.path));
    if (checked.json) {
        root = nd_json_new();
        ND_JSON_PUT(root, {"result", nd_json_words(checked.path)});
        checked.broken = nd_json_add_array(root, "broken");
    }
    ND_TRY(nd_result_check(checked.path, report_broken, &checked, &findings));
    if (checked.json) {
        ND_JSON_PUT(root, {"whole", nd_json_flag(findings.broken == 0)},
                    {"sealed", nd_json_flag(findings.sealed)},
                    {"pages", nd_json_number(findings.shape.pages)},
                    {"sets", nd_json_number(findings.shape.sets)});
        nd_json_print(stdout, &root);
    } else {
        print_findings(checked.path, &findings);
    }
out:
    (void)json_object_put(root);
    call->code = findings.broken == 0 ? ND_EXIT_DONE : ND_EXIT_FAILED;
    return st;
}

const nd_command nd_command_check = {
    .name = "check",
    .summary = "verify that a result is whole and keeps every promise in its format",
    .usage = "OUT.h5 [--format json]",
    .about = "Reads a whole result and checks its checksums, then every promise in its format. "
             "Each page is in exactly one set, links lead to the representative, tables agree, and "
             "numbers, similarities and offsets are in range. Prints a line for each broken "
             "promise; exit code 1 if there is one. Needs 17 bytes of memory a page.",
    .examples = "neardup check out.h5\n"
                "neardup check out.h5 && neardup export out.h5 --what drop\n"
                "for f in *.h5; do neardup check \"$f\"; done",
    .open = open_check_options,
    .run = check_command,
};
