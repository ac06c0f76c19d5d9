#include "mpi/cmd/html/html_page.h"

#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"
#include "src/lcs/lcs_matches.h"
#include "src/method/pair_measures.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ==== pages */

/* By its first line a page is known again. */
static const char FIRST_LINE[] = "<!doctype html><!-- made by neardup -->\n";

static bool is_page(const char *path) {
    return nd_foreign_file_begins(path, FIRST_LINE);
}

/* A checksum as a content security policy names it. */
static void print_source(FILE *to, const nd_built_in *part) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t size = sizeof part->sha256;
    (void)fputs("'sha256-", to);
    for (size_t i = 0; i < size; i += 3) { /* 32 bytes: the last group has two */
        const uint32_t three = (uint32_t)part->sha256[i] << 16 |
                               (uint32_t)(i + 1 < size ? part->sha256[i + 1] : 0) << 8 |
                               (i + 2 < size ? part->sha256[i + 2] : 0);
        (void)fputc(digits[three >> 18], to);
        (void)fputc(digits[three >> 12 & 63], to);
        (void)fputc(i + 1 < size ? digits[three >> 6 & 63] : '=', to);
        (void)fputc(i + 2 < size ? digits[three & 63] : '=', to);
    }
    (void)fputc('\'', to);
}

nd_status nd_html_page_open(nd_html_page *page, const char *kind, const char *result,
                            const nd_built_in *script) {
    const nd_built_in *style = &nd_built_in_page_css;
    *page = (nd_html_page){.to = open_memstream(&page->bytes, &page->size), .script = script};
    if (page->to == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a page");
    }
    (void)fputs(FIRST_LINE, page->to);
    (void)fputs("<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "base-uri 'none'; form-action 'none'; style-src ",
                page->to);
    print_source(page->to, style);
    if (script != NULL) {
        (void)fputs("; script-src ", page->to);
        print_source(page->to, script);
    }
    (void)fputs("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                page->to);
    (void)fprintf(page->to, "neardup %s: ", kind);
    nd_html_words(page->to, result);
    (void)fputs("</title>\n<style>", page->to);
    (void)fwrite(style->bytes, 1, style->size, page->to);
    (void)fprintf(page->to, "</style></head>\n<body class=\"%s\">\n", kind);
    return ND_OK;
}

nd_status nd_html_page_save(nd_html_page *page, const char *path) {
    if (page->script != NULL) {
        (void)fputs("<script>", page->to);
        (void)fwrite(page->script->bytes, 1, page->script->size, page->to);
        (void)fputs("</script>\n", page->to);
    }
    (void)fputs("</body></html>\n", page->to);
    const bool failed = ferror(page->to) != 0;
    const bool closed = fclose(page->to) == 0;
    page->to = NULL;
    return failed || !closed ? nd_fail(ND_ERR_MEMORY, "out of memory: a page")
                             : nd_own_file_save(path, page->bytes, page->size);
}

void nd_html_page_close(nd_html_page *page) {
    if (page->to != NULL) {
        (void)fclose(page->to);
    }
    free(page->bytes);
    *page = (nd_html_page){0};
}

void nd_html_text(FILE *to, nd_span text) {
    nd_print_text(to, ND_PRINTABLE_HTML, text);
}

void nd_html_words(FILE *to, const char *words) {
    nd_print_words(to, ND_PRINTABLE_HTML, words);
}

bool nd_html_exactly(FILE *to, const char *attribute, nd_span text) {
    char shown[4096];
    const size_t size = nd_printable_put(ND_PRINTABLE_MESSAGE, text, shown, sizeof shown);
    if (size != text.size || size == 0 || memcmp(shown, text.data, size) != 0) {
        return false;
    }
    (void)fprintf(to, " %s=\"", attribute);
    nd_html_text(to, text);
    (void)fputc('"', to);
    return true;
}

/* ==== two texts side by side */

/* Of many shared sentences in a row those at both ends are shown, the others on request. */
enum { SHARED_SHOWN = 4 };

/* ---- words */

/* The words of several sentences, in their order. */
typedef struct word_list {
    struct word {
        nd_span text;
        bool shared; /* it is matched with one of the other page's */
    } * words;
    uint32_t *numbers; /* equal for equal words, but for a chance of 1 in 2^32 */
    size_t count, word_capacity, number_capacity;
} word_list;

static void word_list_free(word_list *list) {
    free(list->words);
    free(list->numbers);
}

static void add_words(word_list *list, nd_span text) {
    for (size_t i = 0; i < text.size;) {
        size_t end = i;
        while (end < text.size && !nd_is_blank(text.data[end])) {
            end++;
        }
        if (end > i) {
            const size_t need = list->count + 1;
            const nd_span word = nd_span_part(text, i, end);
            nd_grow(&list->words, &list->word_capacity, need, sizeof *list->words);
            nd_grow(&list->numbers, &list->number_capacity, need, sizeof *list->numbers);
            list->words[list->count] = (struct word){.text = word};
            list->numbers[list->count++] = (uint32_t)XXH3_64bits(word.data, word.size);
        }
        i = end + 1;
    }
}

/* Words that are not of both pages are marked, those in a row together. */
static void print_words(FILE *to, const word_list *list, const char *mark) {
    bool marked = false;
    for (size_t i = 0; i < list->count; i++) {
        if (marked && list->words[i].shared) {
            (void)fprintf(to, "</%s>", mark);
        }
        (void)fputs(i > 0 ? " " : "", to);
        if (!marked && !list->words[i].shared) {
            (void)fprintf(to, "<%s>", mark);
        }
        marked = !list->words[i].shared;
        nd_html_text(to, list->words[i].text);
    }
    if (marked) {
        (void)fprintf(to, "</%s>", mark);
    }
}

/* ---- rows of the alignment */

typedef struct view {
    FILE *to;
    const nd_shown_page *pages[2];
    const nd_aligned_sentence *rows;
    nd_lcs_work work;
} view;

static uint32_t place(const nd_aligned_sentence *row, int side) {
    return side == 0 ? row->a : row->b;
}

static bool is_shared(const nd_aligned_sentence *row) {
    return !row->dropped && row->a != ND_NO_SENTENCE && row->b != ND_NO_SENTENCE;
}

static size_t row_bytes(const view *v, const nd_aligned_sentence *row) {
    const int side = row->a != ND_NO_SENTENCE ? 0 : 1;
    return nd_shown_sentence_text(v->pages[side], place(row, side)).size;
}

/* Rows [begin, end) are shared: both texts, as either page has them. */
static void print_shared(view *v, size_t begin, size_t end) {
    for (int side = 0; side < 2; side++) {
        (void)fprintf(v->to, "<p class=\"same %c\">", "ab"[side]);
        for (size_t i = begin; i < end; i++) {
            const nd_span text = nd_shown_sentence_text(v->pages[side], place(&v->rows[i], side));
            (void)fputs(i > begin ? " " : "", v->to);
            nd_html_text(v->to, text);
        }
        (void)fputs("</p>", v->to);
    }
    (void)fputs("\n", v->to);
}

static void print_long_shared(view *v, size_t begin, size_t end) {
    if (end - begin <= 3 * SHARED_SHOWN) {
        print_shared(v, begin, end);
        return;
    }
    print_shared(v, begin, begin + SHARED_SHOWN);
    (void)fprintf(v->to,
                  "<details><summary>%zu more shared sentences</summary><div class=\"diff\">",
                  end - begin - 2 * SHARED_SHOWN);
    print_shared(v, begin + SHARED_SHOWN, end - SHARED_SHOWN);
    (void)fputs("</div></details>\n", v->to);
    print_shared(v, end - SHARED_SHOWN, end);
}

/* Of rows [begin, end) those that are kept stand on one page alone. */
static void print_differing(view *v, size_t begin, size_t end) {
    word_list lists[2] = {{0}};
    nd_lcs_match *matches = NULL;
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        for (int side = 0; side < 2; side++) {
            const uint32_t at = place(&v->rows[i], side);
            if (!v->rows[i].dropped && at != ND_NO_SENTENCE) {
                add_words(&lists[side], nd_shown_sentence_text(v->pages[side], at));
            }
        }
    }
    if (lists[0].count + lists[1].count == 0) {
        goto out;
    }
    nd_lcs_matches(lists[0].numbers, lists[0].count, lists[1].numbers, lists[1].count, 0, &v->work,
                   &matches, &count);
    for (size_t i = 0; i < count; i++) {
        lists[0].words[matches[i].a].shared = lists[1].words[matches[i].b].shared = true;
    }
    for (int side = 0; side < 2; side++) {
        (void)fprintf(v->to, "<p class=\"only %c\">", "ab"[side]);
        print_words(v->to, &lists[side], side == 0 ? "del" : "ins");
        (void)fputs("</p>", v->to);
    }
    (void)fputs("\n", v->to);
out:
    word_list_free(&lists[0]);
    word_list_free(&lists[1]);
}

/* Of rows [begin, end) those that are dropped, of either page or both. */
static void print_dropped(view *v, size_t begin, size_t end) {
    size_t dropped = 0;
    for (size_t i = begin; i < end; i++) {
        dropped += v->rows[i].dropped;
    }
    if (dropped == 0) {
        return;
    }
    (void)fprintf(v->to,
                  "<details class=\"dropped\"><summary>%zu sentence%s dropped</summary>"
                  "<div class=\"diff\">",
                  dropped, dropped > 1 ? "s" : "");
    for (int side = 0; side < 2; side++) {
        (void)fprintf(v->to, "<p class=\"gone %c\">", "ab"[side]);
        for (size_t i = begin; i < end; i++) {
            const uint32_t at = place(&v->rows[i], side);
            if (v->rows[i].dropped && at != ND_NO_SENTENCE) {
                const nd_span text = nd_shown_sentence_text(v->pages[side], at);
                (void)fprintf(v->to, "<span><i>%s</i> ", nd_drop_reason(v->pages[side], at));
                nd_html_text(v->to, text);
                (void)fputs("</span> ", v->to);
            }
        }
        (void)fputs("</p>", v->to);
    }
    (void)fputs("</div></details>\n", v->to);
}

void nd_diff_view_print(FILE *to, const nd_shown_page *a, const nd_shown_page *b, size_t most) {
    nd_aligned_sentence *rows = NULL;
    size_t count = 0;
    nd_sentences_align(&a->whole, a->chosen.keep, &b->whole, b->chosen.keep, &rows, &count);
    view v = {.to = to, .pages = {a, b}, .rows = rows};
    size_t i = 0;
    size_t bytes = 0;
    (void)fputs("<div class=\"diff\">\n", to);
    while (i < count && bytes < most) {
        const bool shared = is_shared(&rows[i]);
        size_t end = i;
        do {
            bytes += row_bytes(&v, &rows[end++]);
        } while (end < count && is_shared(&rows[end]) == shared && bytes < most);
        if (shared) {
            print_long_shared(&v, i, end);
        } else {
            print_differing(&v, i, end);
            print_dropped(&v, i, end);
        }
        i = end;
    }
    if (i < count) {
        (void)fprintf(to, "<p class=\"note\">%zu sentences more are not shown.</p>\n", count - i);
    }
    (void)fputs("</div>\n", to);
    nd_lcs_work_free(&v.work);
    free(rows);
}

/* ==== commands that write one */

nd_status nd_page_command_run(nd_command_call *call, nd_page_request *request, nd_page_make make) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    const char *path = NULL;
    ND_TRY(nd_command_line_result(call, &path));
    if (request->output == NULL) {
        st = nd_fail(ND_ERR_USAGE, "no -o FILE: where should the page go?");
        goto out;
    }
    const nd_output output = {.option = "-o",
                              .path = request->output,
                              .force = request->force,
                              .replaces = is_page,
                              .what = "a page made by neardup"};
    ND_TRY(nd_output_check(&output));
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_shown_run_read(&request->run, &result));
    ND_TRY(make(request));
out:
    nd_shown_run_close(&request->run);
    (void)nd_result_close(&result);
    return st;
}
