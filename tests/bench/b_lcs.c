/* Exact LCS on pairs of real pages by class of likeness and length: each kernel of the program, at
 * its thresholds and without, and xdiff as libgit2 has it, of texts that are ready made, less what
 * libgit2 does besides (it hashes both texts). b_lcs INPUT...: what `partition` takes. Median CPU
 * microseconds per pair; a dash where a corpus has no such pairs. */
#include "src/base/sort.h"
#include "src/lcs/lcs.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/lcs_kernels.h"
#include "tests/support/pages.h"

#if defined(ND_HAVE_LIBGIT2)
#include <git2.h>
#endif

enum { CLASSES = 5, MOST_PAIRS = 60, NEIGHBOURS = 4, TRIES = 30000, LINE = 9 };

static const double classes[CLASSES][2] = {
    {.99, .9995}, {.87, .93}, {.77, .83}, {.4, .6}, {0, .12}};
static const uint32_t lengths[][2] = {{100, 300}, {300, 4000}, {5000, 40000}};
static const double thresholds[] = {0, .46, .80};

typedef struct item {
    nd_document a, b;
    char *a_text, *b_text; /* a token a line, for xdiff */
} item;

/* The pairs of a class, and what is done with them. */
typedef struct job {
    item items[MOST_PAIRS];
    size_t count;
    const nd_test_lcs_kernel *kernel; /* NULL: xdiff */
    double threshold;
    bool itself; /* xdiff of a text and itself */
} job;

static job jobs[CLASSES];
static nd_lcs_work work;
static nd_corpus corpus;
static nd_document *pages; /* of a length, in the order of their tokens */
static size_t page_count;

/* ---- pairs */

static int by_tokens(const void *x, const void *y) {
    const nd_document *a = x, *b = y;
    const size_t shorter = nd_min(a->token_count, b->token_count);
    for (size_t i = 0; i < shorter; i++) {
        if (a->tokens[i] != b->tokens[i]) {
            return a->tokens[i] < b->tokens[i] ? -1 : 1;
        }
    }
    return (a->token_count > b->token_count) - (a->token_count < b->token_count);
}

static char *text_of(const nd_document *page) {
    char *text = nd_bench_allocate(page->token_count * LINE + 1, 1);
    for (size_t i = 0; i < page->token_count; i++) {
        (void)snprintf(text + i * LINE, LINE + 1, "%08x\n", (unsigned)page->tokens[i]);
    }
    return text;
}

static void put_in_class(const nd_document *a, const nd_document *b) {
    uint64_t common = 0;
    nd_lcs_length(a->tokens, a->token_count, b->tokens, b->token_count, 0, &work, &common);
    const double r = (double)common / (double)(a->token_count + b->token_count - common);
    for (size_t c = 0; c < CLASSES; c++) {
        job *j = &jobs[c];
        if (r >= classes[c][0] && r <= classes[c][1] && j->count < MOST_PAIRS) {
            j->items[j->count++] = (item){*a, *b, text_of(a), text_of(b)};
        }
    }
}

/* Every other time a page and one of its neighbours, else two pages at random. */
static void draw_pairs(uint32_t shortest, uint32_t longest) {
    nd_random random = {20240607};
    page_count = 0;
    for (uint32_t i = 0; i < corpus.text_count; i++) {
        const nd_document page = nd_test_document(&corpus.pages, corpus.first_page[i]);
        if (page.token_count >= shortest && page.token_count <= longest) {
            pages[page_count++] = page;
        }
    }
    nd_sort(pages, page_count, sizeof *pages, by_tokens);
    for (size_t i = 0; i < TRIES && page_count > NEIGHBOURS; i++) {
        const size_t x = nd_random_below(&random, page_count - NEIGHBOURS);
        const size_t y = i % 2 == 0 ? x + 1 + nd_random_below(&random, NEIGHBOURS)
                                    : nd_random_below(&random, page_count);
        if (x != y) {
            put_in_class(&pages[x], &pages[y]);
        }
    }
}

static void forget_pairs(void) {
    for (size_t c = 0; c < CLASSES; c++) {
        for (size_t i = 0; i < jobs[c].count; i++) {
            free(jobs[c].items[i].a_text);
            free(jobs[c].items[i].b_text);
        }
        jobs[c].count = 0;
    }
}

/* ---- what is measured */

#if defined(ND_HAVE_LIBGIT2)
/* Without it nothing would be compared. */
static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *context) {
    (void)delta;
    (void)hunk;
    (void)context;
    return 0;
}

static void run_xdiff(const item *i, bool itself) {
    git_diff_options options;
    bool good = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) == 0;
    options.flags = GIT_DIFF_MINIMAL | GIT_DIFF_FORCE_TEXT;
    options.context_lines = 0;
    const char *b = itself ? i->a_text : i->b_text;
    good = good && git_diff_buffers(i->a_text, strlen(i->a_text), NULL, b, strlen(b), NULL,
                                    &options, NULL, NULL, take_hunk, NULL, NULL) == 0;
    if (!good) {
        (void)fprintf(stderr, "libgit2 cannot compare two texts\n");
        exit(1);
    }
}
#else
static void run_xdiff(const item *i, bool itself) {
    (void)i;
    (void)itself;
}
#endif

static void run(void *context) {
    const job *j = context;
    for (size_t i = 0; i < j->count; i++) {
        const nd_document *a = &j->items[i].a, *b = &j->items[i].b;
        const double both = (double)(a->token_count + b->token_count);
        uint64_t length = 0;
        if (j->kernel == NULL) {
            run_xdiff(&j->items[i], j->itself);
        } else {
            j->kernel->run(a->tokens, a->token_count, b->tokens, b->token_count,
                           (uint64_t)(j->threshold * both / (1 + j->threshold)), &work, &length);
        }
    }
}

static void report(const char *name, const nd_test_lcs_kernel *kernel, double threshold) {
    printf("  %-28s %4.2f", name, threshold);
    for (size_t c = 0; c < CLASSES; c++) {
        job *j = &jobs[c];
        j->kernel = kernel;
        j->threshold = threshold;
        j->itself = false;
        double seconds = j->count > 0 ? nd_bench_seconds(run, j) : 0;
        j->itself = true;
        seconds -= j->count > 0 && kernel == NULL ? nd_bench_seconds(run, j) : 0;
        if (j->count > 0) {
            printf(" %10.2f", seconds * 1e6 / (double)j->count);
        } else {
            printf(" %10s", "-");
        }
    }
    printf("\n");
}

int main(int count, char **arguments) {
    if (count < 2) {
        (void)fprintf(stderr, "usage: %s INPUT...\n", arguments[0]);
        return 2;
    }
    if (nd_corpus_read(&corpus, (const char *const *)arguments + 1, (size_t)count - 1) != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        return 1;
    }
#if defined(ND_HAVE_LIBGIT2)
    (void)git_libgit2_init();
#else
    printf("xdiff: not built, libgit2 is missing\n");
#endif
    nd_new(&pages, corpus.text_count, sizeof *pages);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        draw_pairs(lengths[l][0], lengths[l][1]);
        printf("pages of %u to %u tokens; r of the pairs, and their number", lengths[l][0],
               lengths[l][1]);
        for (size_t c = 0; c < CLASSES; c++) {
            printf("; %.2f to %.2f, %zu", classes[c][0], classes[c][1], jobs[c].count);
        }
        printf("\n");
        for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
            for (size_t k = 0; k < nd_test_lcs_kernel_count; k++) {
                report(nd_test_lcs_kernels[k].name, &nd_test_lcs_kernels[k], thresholds[t]);
            }
        }
        report("xdiff minimal", NULL, 0);
        forget_pairs();
    }
    free(pages);
    nd_corpus_free(&corpus);
    nd_lcs_work_free(&work);
    return 0;
}
