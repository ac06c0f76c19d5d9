#include "mpi/cmd/look/inspect_set.h"

#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIMILARITY_DIGITS = 6 };

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

static nd_status read_text(const nd_inspection *in, uint64_t number, nd_shown_page *page,
                           nd_buffer *text) {
    nd_status st = ND_OK;
    ND_TRY(nd_shown_page_read(page, in->run, number));
    join_text(page, text);
out:
    return st;
}

/* Without its last line break, which is printed by whoever prints lines. */
static void print_lines(const nd_buffer *text) {
    nd_span left = nd_buffer_span(text);
    while (left.size > 0) {
        size_t end = 0;
        while (left.data[end] != '\n') {
            end++;
        }
        nd_print_text(stdout, ND_PRINTABLE_MESSAGE, (nd_span){left.data, end});
        (void)puts("");
        left = nd_span_part(left, end + 1, left.size);
    }
}

/* Print the text of a page that was named before. */
static nd_status print_text(const nd_inspection *in, uint64_t number, json_object *to) {
    nd_shown_page page = {0};
    nd_buffer text = {0};
    nd_status st = read_text(in, number, &page, &text);
    if (st != ND_OK) {
        goto out;
    }
    if (to != NULL) {
        nd_json_add_number(to, "compared", page.compared);
        nd_json_add_number(to, "compared_tokens", page.content.token_count);
        st = nd_json_add_text(to, "text", nd_buffer_span(&text));
    } else {
        (void)printf("--- page %" PRIu64 ": %" PRIu32 " tokens compared of %" PRIu32, number,
                     page.content.token_count, page.whole.token_count);
        if (page.compared != number) {
            (void)printf(", as page %" PRIu64, page.compared);
        }
        (void)puts("");
        print_lines(&text);
    }
out:
    nd_buffer_free(&text);
    nd_shown_page_free(&page);
    return st;
}

/* ---- a set */

/* The columns of a page that both forms of output have, as JSON. */
static nd_status add_row(json_object *to, const nd_page_rows *rows) {
    nd_status st = ND_OK;
    nd_json_add_number(to, "page", rows->begin);
    ND_TRY(nd_json_add_text(to, "id", nd_page_rows_id(rows, 0)));
    ND_TRY(nd_json_add_text(to, "url", nd_page_rows_url(rows, 0)));
    nd_json_add_real(to, "similarity", (double)rows->similarity[0], SIMILARITY_DIGITS);
    nd_json_add_real(to, "certainty", (double)rows->certainty[0], SIMILARITY_DIGITS);
    nd_json_add_number(to, "tokens", rows->tokens[0]);
    nd_json_add_flag(to, "thin", rows->thin[0] != 0);
    nd_json_add_number(to, "exact_of", rows->exact_of[0]);
    if (rows->revisit_of[0] != ND_NO_REVISIT) {
        nd_json_add_number(to, "revisit_of", rows->revisit_of[0]);
    }
out:
    return st;
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

/* As print_text(), for one of several pages: says why there is no text, and the others follow. */
static void print_one_text(const nd_inspection *in, uint64_t number, json_object *to,
                           uint64_t *missing, nd_status *of_texts) {
    const nd_status st = print_text(in, number, to);
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup inspect: page %" PRIu64 ": %s", number, nd_fail_text());
        *of_texts = st;
        ++*missing;
    }
}

nd_status nd_inspect_set(const nd_inspection *in, uint64_t set) {
    nd_status st = ND_OK;
    nd_status of_texts = ND_OK;
    uint64_t missing = 0;
    uint64_t *members = NULL;
    uint64_t range[2] = {0, 0};
    nd_page_rows rows = {0};
    json_object *object = in->json ? json_object_new_object() : NULL;
    ND_TRY(nd_result_set_offsets(in->result, set, 1, range));
    const uint64_t count = range[1] - range[0];
    const uint64_t shown = in->members == 0 ? count : nd_min(count, in->members);
    nd_new(&members, shown, sizeof *members);
    ND_TRY(nd_result_member_rows(in->result, range[0], shown, members));
    nd_json_add_number(object, "set", set);
    nd_json_add_number(object, "pages", count);
    json_object *list = in->json ? nd_json_add_array(object, "members") : NULL;
    if (!in->json) {
        (void)printf("set %" PRIu64 ": %" PRIu64
                     " pages\n        page  similar  certain   tokens        url\n",
                     set, count);
    }
    for (uint64_t i = 0; i < shown; i++) {
        ND_TRY(nd_page_rows_read(in->result, members[i], 1, &rows));
        if (rows.set[0] != set) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: page %" PRIu64 " is a member of set %" PRIu64 " and of set %" PRIu64
                         ": damaged, or not written by neardup",
                         in->result->path, members[i], set, rows.set[0]);
            goto out;
        }
        if (!in->json) {
            print_member(&rows);
            continue;
        }
        json_object *member = nd_json_add_object(list, NULL);
        ND_TRY(add_row(member, &rows));
        if (in->run != NULL) {
            print_one_text(in, members[i], member, &missing, &of_texts);
        }
    }
    if (in->json) {
        ND_TRY(nd_json_print(stdout, object));
    } else if (count > shown) {
        (void)printf("  ... and %" PRIu64 " more (--members N, 0: all)\n", count - shown);
    }
    for (uint64_t i = 0; i < shown && !in->json && in->run != NULL; i++) {
        print_one_text(in, members[i], NULL, &missing, &of_texts);
    }
    if (missing > 0) {
        st = nd_fail(of_texts, "%s: %" PRIu64 " of %" PRIu64 " texts cannot be read",
                     in->result->path, missing, shown);
    }
out:
    free(members);
    nd_page_rows_free(&rows);
    (void)json_object_put(object);
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

nd_status nd_inspect_page(const nd_inspection *in, uint64_t page) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_buffer source = {0}, collection = {0};
    uint64_t range[2] = {0, 0};
    uint64_t representative = 0;
    json_object *object = NULL;
    ND_TRY(nd_page_rows_read(in->result, page, 1, &rows));
    ND_TRY(nd_result_source_name(in->result, rows.source[0], &source));
    ND_TRY(nd_result_text_read(in->result, "/collections/name_offset", "/collections/name_bytes",
                               rows.collection[0], &collection));
    ND_TRY(nd_result_set_offsets(in->result, rows.set[0], 1, range));
    ND_TRY(nd_result_member_rows(in->result, range[0], 1, &representative));
    if (in->json) {
        object = json_object_new_object();
        ND_TRY(add_row(object, &rows));
        ND_TRY(nd_json_add_text(object, "collection", words_of(&collection)));
        nd_json_add_number(object, "set", rows.set[0]);
        nd_json_add_number(object, "set_pages", range[1] - range[0]);
        nd_json_add_number(object, "representative", representative);
        nd_json_add_number(object, "link", rows.link[0]);
        nd_json_add_real(object, "link_similarity", (double)rows.link_similarity[0],
                         SIMILARITY_DIGITS);
        ND_TRY(nd_json_add_text(object, "source", words_of(&source)));
        nd_json_add_number(object, "offset", rows.offset[0]);
        st = in->run != NULL ? print_text(in, page, object) : ND_OK;
        const nd_status printed = nd_json_print(stdout, object);
        st = printed != ND_OK ? printed : st;
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
    st = in->run != NULL ? print_text(in, page, NULL) : ND_OK;
out:
    nd_page_rows_free(&rows);
    nd_buffer_free(&source);
    nd_buffer_free(&collection);
    (void)json_object_put(object);
    return st;
}
