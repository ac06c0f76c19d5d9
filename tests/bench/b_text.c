/* Time per page of extraction and of the whole way to tokens, beside libxml2's SAX parser:
 * b_text FILE_OR_FOLDER... (of .html files). Minimum of several passes over the first pages. */
#include "src/text/extract.h"
#include "tests/support/corpus.h"
#include "tests/support/extract_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_PAGES = 4000, PASSES = 5 };

typedef struct corpus {
    nd_buffer bytes;
    size_t ends[MOST_PAGES];
    size_t count;
} corpus;

static nd_status add_page(void *context, const char *path) {
    corpus *pages = context;
    if (pages->count == MOST_PAGES) {
        return ND_OK;
    }
    nd_status st = nd_test_read_file(&pages->bytes, path);
    pages->ends[pages->count++] = pages->bytes.size;
    return st;
}

static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct text_work {
    nd_page page;
    nd_buffer words;
    size_t sentences;
    size_t tokens;
} text_work;

static nd_status extract_only(text_work *work, nd_span html) {
    return nd_extract_html(&work->page, html, NULL);
}

static nd_status whole_page(text_work *work, nd_span html) {
    nd_status st = nd_page_from_html(&work->page, html);
    work->sentences += work->page.sentence_count;
    work->tokens += work->page.token_count;
    return st;
}

static nd_status by_libxml(text_work *work, nd_span html) {
    return nd_test_text_by_libxml(&work->words, html);
}

/* Seconds of the fastest pass; negative on failure. */
static double fastest(const corpus *pages, text_work *work,
                      nd_status (*run)(text_work *work, nd_span html), int passes) {
    double best = 1e9;
    for (int pass = 0; pass < passes; pass++) {
        double begin = seconds_now();
        size_t at = 0;
        work->sentences = 0;
        work->tokens = 0;
        for (size_t i = 0; i < pages->count; i++) {
            if (run(work, (nd_span){pages->bytes.data + at, pages->ends[i] - at}) != ND_OK) {
                return -1;
            }
            at = pages->ends[i];
        }
        double seconds = seconds_now() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void print_row(const char *name, const corpus *pages, double seconds) {
    printf("%-34s %8.1f us/page %8.0f MB/s\n", name, seconds * 1e6 / (double)pages->count,
           (double)pages->bytes.size / seconds / 1e6);
}

int main(int count, char **arguments) {
    static corpus pages;
    text_work work = {0};
    nd_status st = ND_OK;
    if (count < 2) {
        (void)fprintf(stderr, "usage: %s FILE_OR_FOLDER...\n", arguments[0]);
        return 2;
    }
    for (int i = 1; i < count; i++) {
        ND_TRY(nd_test_walk_html(arguments[i], add_page, &pages));
    }
    double extraction = fastest(&pages, &work, extract_only, PASSES);
    double whole = fastest(&pages, &work, whole_page, PASSES);
    double pages_count = (double)(pages.count == 0 ? 1 : pages.count);
    printf("%zu pages, %.1f KB each, %.1f sentences, %.1f tokens\n", pages.count,
           (double)pages.bytes.size / pages_count / 1e3, (double)work.sentences / pages_count,
           (double)work.tokens / pages_count);
    print_row("extraction", &pages, extraction);
    print_row("sentences and tokens", &pages, whole - extraction);
    print_row("page from HTML", &pages, whole);
    print_row("libxml2 SAX, text only", &pages, fastest(&pages, &work, by_libxml, 1));
out:
    if (st != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
    }
    nd_page_free(&work.page);
    nd_buffer_free(&work.words);
    nd_buffer_free(&pages.bytes);
    return st == ND_OK ? 0 : 1;
}
