/* neardup query INDEX : pages of standard input, one after the other, against an index. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/query/index_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    (void)sets; /* there are none */
}

enum { SIMILARITY_DIGITS = 6 };

static void add_match(json_object *row, const char *const names[4], const nd_search_match *match) {
    nd_json_add_number(row, names[0], match->page);
    nd_json_add_text(row, names[1], match->id);
    nd_json_add_text(row, names[2], match->url);
    nd_json_add_real(row, names[3], match->similarity, SIMILARITY_DIGITS);
}

/* The answer to a line, which may be no page. \param[in] fault  why, or NULL */
static nd_status print_answer(const nd_jsonl_page *page, const char *fault,
                              const nd_search_result *result) {
    static const char *const of_match[] = {"page", "page_id", "page_url", "similarity"};
    static const char *const of_leader[] = {"representative", "representative_id",
                                            "representative_url", "representative_similarity"};
    nd_status st = ND_OK;
    json_object *row = nd_json_new();
    nd_json_add_text(row, "id", page->id);
    nd_json_add_text(row, "url", page->url);
    if (fault != NULL) {
        nd_json_add_words(row, "error", fault);
    } else if (result->joins || result->unsure) {
        if (result->joins) {
            nd_json_add_number(row, "set", result->set);
        } else {
            nd_json_add_null(row, "set");
        }
        if (result->certain > 0) {
            nd_json_add_real(row, "confidence", result->certain, SIMILARITY_DIGITS);
        }
        add_match(row, of_match, &result->match);
        add_match(row, of_leader, &result->representative);
    } else {
        nd_json_add_null(row, "set");
        if (!result->compared) {
            nd_json_add_flag(row, "too_short", true);
        }
    }
    nd_json_print(stdout, &row);
    ND_TRY(nd_flush_stdout()); /* somebody may wait for it */
out:
    (void)json_object_put(row);
    return st;
}

/* Parsers of lines as the index's latest inputs were, and of lines with the usual fields. */
enum { PARSERS = 2 };

static nd_status answer(nd_index_search *search, nd_jsonl *const parsers[PARSERS], nd_span line,
                        bool *wrong) {
    nd_status st = ND_OK;
    nd_jsonl_page page;
    nd_search_result result = {0};
    const char *fault = NULL;
    st = nd_jsonl_parse(parsers[0], line, &page, &fault);
    st = st == ND_ERR_FORMAT ? nd_jsonl_parse(parsers[1], line, &page, &fault) : st;
    if (st == ND_OK) {
        const nd_record record = {.content = page.html ? ND_CONTENT_HTML : ND_CONTENT_TEXT,
                                  .text = page.text,
                                  .id = page.id,
                                  .url = page.url};
        st = nd_index_search_page(search, &record, &result);
        fault = st == ND_ERR_LIMIT ? nd_fail_text() : NULL;
    }
    *wrong = *wrong || fault != NULL;
    return fault != NULL || st == ND_OK ? print_answer(&page, fault, &result) : st;
}

static nd_status query_index(int argc, char **argv, bool *wrong) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_words words = {0};
    nd_index_search search = {0};
    nd_jsonl *parsers[PARSERS] = {NULL};
    nd_reader_options reading = {.jsonl_id = NULL};
    bool opened = false;
    char *line = NULL;
    size_t capacity = 0;
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, &words));
    if (words.count != 1) {
        st = nd_fail(ND_ERR_USAGE, "query: one INDEX, and pages as JSON lines on standard input");
        goto out;
    }
    opened = true;
    ND_TRY(nd_index_search_open(&search, words.words[0]));
    const nd_jsonl_names usual = nd_reader_jsonl_names(&reading);
    nd_reread_fields_set(&search.job.fields, search.job.old.sources - 1, &reading);
    const nd_jsonl_names names = nd_reader_jsonl_names(&reading);
    ND_TRY(nd_jsonl_open(&names, &search.limits, &parsers[0]));
    ND_TRY(nd_jsonl_open(&usual, &search.limits, &parsers[1]));
    while (true) {
        errno = 0;
        const ssize_t size = getline(&line, &capacity, stdin);
        if (size < 0) {
            break;
        }
        const nd_span text = {(const uint8_t *)line, (size_t)size};
        ND_TRY(nd_jsonl_begins(text) ? answer(&search, parsers, text, wrong) : ND_OK);
    }
    if (!feof(stdin)) {
        st = nd_fail(ND_ERR_IO, "standard input: cannot be read: %s", strerror(errno));
    }
out:
    free(line);
    nd_jsonl_close(&parsers[0]);
    nd_jsonl_close(&parsers[1]);
    if (opened) {
        nd_index_search_close(&search);
    }
    return st;
}

static int query(int argc, char **argv) {
    bool wrong = false;
    ND_MPI(MPI_Init(&argc, &argv)); /* each process for itself, however many there are */
    const nd_status st = query_index(argc, argv, &wrong);
    const int code = st != ND_OK ? nd_command_failed(&nd_command_query, st)
                     : wrong     ? ND_EXIT_SKIPPED
                                 : ND_EXIT_DONE;
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_query = {
    .name = "query",
    .summary = "find the old page that a new one repeats: single pages against an index",
    .usage = "INDEX < PAGES.jsonl",
    .about = "Reads pages from standard input, a JSON object on each line: id, url, text or html, "
             "or the fields that the index was made with. For each page it prints one JSON line at "
             "once, with id and url. set is the set that the page would join. page, page_id, "
             "page_url and similarity name the old page that decides, and representative, "
             "representative_id and so on its set's representative. set is null if it would join "
             "none (too_short: it is too short to be compared). confidence is how sure it is that "
             "the page belongs to that set. Below the run's --min-confidence set is null too, and "
             "the other fields say what was found. error says that the line is no page. Keys are "
             "held in memory, some 300 bytes a page.",
    .examples =
        "neardup query crawl.index < pages.jsonl\n"
        "neardup query crawl.index < new.jsonl | grep '\"set\":null'\n"
        "echo '{\"url\":\"http://a.example/\",\"text\":\"...\"}' | neardup query crawl.index",
    .notes = "Exit code 3: done, but a line was no page. A page is compared with at most 48 old "
             "ones, those that share most keys. A run against the index sees all new pages "
             "together, and may find more.",
    .open = open_options,
    .run = query,
};
