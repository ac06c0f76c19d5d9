#include "tests/support/lcs_kernels.h"
#include "src/base/sort.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lcs kernels */

void nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length) {
    uint64_t *row = NULL; /* row[j] = length for the tokens of a so far and b[0..j) */
    nd_new(&row, m + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        uint64_t diagonal = 0;
        for (size_t j = 0; j < m; j++) {
            uint64_t above = row[j + 1];
            uint64_t longer = above > row[j] ? above : row[j];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : longer;
            diagonal = above;
        }
    }
    *length = row[m];
    free(row);
}

void nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                    uint64_t *length) {
    size_t ids = 0;
    *length = 0;
    if (nd_lcs_hopeless(&pair)) {
        return;
    }
    if (!nd_lcs_compares(variant, &pair, nd_lcs_largest_distance(&pair))) {
        nd_lcs_reduce(&pair, work, &ids);
        if (ids == 0) { /* an empty sequence */
            return;
        }
    }
    nd_lcs_band_length(variant, &pair, ids, work, length);
}

void nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                 nd_lcs_work *work, uint64_t *length) {
    const nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    nd_lcs_bits_by(nd_lcs_bits_best(), pair, work, length);
}

/* ---- all of them */

/* The ladder where a common subsequence is known: the longest, or one that is shorter by up to a
 * half. */
static void ladder_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    uint64_t longest = 0;
    nd_lcs_myers(a, n, b, m, 0, memory, &longest);
    const uint64_t known = longest - longest * (n % 4) / 6;
    nd_lcs_length_above(a, n, b, m, at_least, known, memory, length);
}

/* The bit-parallel kernel by a variant, with its tokens numbered or compared as they are. */
static void bits_by(size_t variant, bool numbered, nd_lcs_pair pair, nd_lcs_work *memory,
                    uint64_t *length) {
    size_t ids = 0;
    variant = variant < nd_lcs_bits_variant_count ? variant : 0;
    variant = nd_cpu_has(nd_lcs_bits_variants[variant]->needs) ? variant : 0;
    *length = 0;
    if (nd_lcs_hopeless(&pair)) {
        return;
    }
    if (numbered) {
        nd_lcs_reduce(&pair, memory, &ids);
        if (ids == 0) {
            return;
        }
    }
    nd_lcs_band_length(nd_lcs_bits_variants[variant], &pair, ids, memory, length);
}

#define BITS(name, variant, numbered)                                                              \
    static void name(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,  \
                     nd_lcs_work *memory, uint64_t *length) {                                      \
        const nd_lcs_pair p = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};              \
        bits_by(variant, numbered, p, memory, length);                                             \
    }
BITS(numbered_plain, 0, true)
BITS(compared_plain, 0, false)
BITS(numbered_avx2, 1, true)
BITS(compared_avx2, 1, false)
BITS(numbered_avx512, 2, true)
BITS(compared_avx512, 2, false)
const nd_test_lcs_kernel nd_test_lcs_kernels[] = {{"ladder", nd_lcs_length},
                                                  {"ladder, a subsequence known", ladder_above},
                                                  {"myers", nd_lcs_myers},
                                                  {"bits", nd_lcs_bits},
                                                  {"bits, plain, numbered", numbered_plain},
                                                  {"bits, plain, compared", compared_plain},
                                                  {"bits, AVX2, numbered", numbered_avx2},
                                                  {"bits, AVX2, compared", compared_avx2},
                                                  {"bits, AVX-512, numbered", numbered_avx512},
                                                  {"bits, AVX-512, compared", compared_avx512}};
const size_t nd_test_lcs_kernel_count = sizeof nd_test_lcs_kernels / sizeof nd_test_lcs_kernels[0];

/* ---- lcs pairs */

enum {
    NEIGHBOURS = 4,     /* in the order of tokens, that a page is compared with */
    TRIES = 3000,       /* pairs looked at for a class */
    LONGEST_EDIT = 8,   /* words replaced in one place */
    COPY_ATTEMPTS = 30, /* edited copies of a page until one lies in the class */
    PAGE_ATTEMPTS = 100 /* pages until one has such a copy */
};

/* ---- pages */

static int by_tokens(const void *x, const void *y) {
    const nd_token_page *a = x, *b = y;
    const size_t shorter = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < shorter; i++) {
        if (a->tokens[i] != b->tokens[i]) {
            return a->tokens[i] < b->tokens[i] ? -1 : 1;
        }
    }
    return (a->count > b->count) - (a->count < b->count);
}

static void page_copy(const uint32_t *tokens, size_t count, nd_token_page *page) {
    nd_new(&page->tokens, count, sizeof *page->tokens);
    page->count = count;
    memcpy(page->tokens, tokens, count * sizeof *tokens);
}

nd_status nd_token_pages_read(nd_token_pages *pages, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    nd_corpus corpus;
    *pages = (nd_token_pages){0};
    ND_TRY(nd_corpus_read(&corpus, words, count));
    nd_new(&pages->pages, corpus.text_count, sizeof *pages->pages);
    for (uint32_t i = 0; i < corpus.text_count; i++) {
        nd_document document;
        ND_TRY(nd_page_store_tokens(&corpus.pages, corpus.first_page[i], &document));
        page_copy(document.tokens, document.token_count, &pages->pages[pages->count]);
        pages->count++;
    }
    nd_sort(pages->pages, pages->count, sizeof *pages->pages, by_tokens);
out:
    nd_corpus_free(&corpus);
    return st;
}

void nd_token_pages_free(nd_token_pages *pages) {
    for (size_t i = 0; i < pages->count; i++) {
        free(pages->pages[i].tokens);
    }
    free(pages->pages);
    *pages = (nd_token_pages){0};
}

/* ---- pairs */

typedef struct drawing {
    const nd_lcs_class *of;
    nd_random random;
    const nd_token_page **pages; /* of the class's lengths, as they are ordered */
    size_t count;
    nd_lcs_work work;
} drawing;

static void r_of(drawing *d, const nd_token_page *a, const nd_token_page *b, double *r) {
    uint64_t length = 0;
    nd_lcs_length(a->tokens, a->count, b->tokens, b->count, 0, &d->work, &length);
    *r = (double)length / (double)(a->count + b->count - length);
}

static bool is_in(const nd_lcs_class *of, double r) {
    return r >= of->lowest && r <= of->highest;
}

static const nd_token_page *any_page(drawing *d) {
    return d->pages[nd_random_below(&d->random, d->count)];
}

/* Every other time a page and one of its neighbours, else two pages at random. */
static void draw_real(drawing *d, size_t attempt, nd_lcs_sample *sample, bool *found) {
    const size_t x = nd_random_below(&d->random, d->count);
    const size_t near = x + 1 + nd_random_below(&d->random, NEIGHBOURS);
    const size_t y = attempt % 2 == 0 ? near % d->count : nd_random_below(&d->random, d->count);
    *found = false;
    if (x == y) {
        return;
    }
    const nd_token_page *a = d->pages[x], *b = d->pages[y];
    r_of(d, a, b, &sample->r);
    *found = is_in(d->of, sample->r);
    if (*found) {
        page_copy(a->tokens, a->count, &sample->a);
        page_copy(b->tokens, b->count, &sample->b);
    }
}

/* A copy of `a` in which places that come with a chance of `per_word` are replaced by runs from
 * `donor`; `copy` has room for twice a's tokens and an edit. */
static void edit_copy(drawing *d, const nd_token_page *a, const nd_token_page *donor,
                      double per_word, nd_token_page *copy) {
    copy->count = 0;
    for (size_t i = 0; i < a->count && copy->count < 2 * a->count;) {
        if ((double)nd_random_below(&d->random, 1 << 20) < per_word * (1 << 20)) {
            size_t from = nd_random_below(&d->random, donor->count);
            i += 1 + nd_random_below(&d->random, LONGEST_EDIT);
            for (uint64_t k = nd_random_below(&d->random, LONGEST_EDIT + 2); k > 0; k--) {
                copy->tokens[copy->count++] = donor->tokens[from++ % donor->count];
            }
        } else {
            copy->tokens[copy->count++] = a->tokens[i++];
        }
    }
}

/* Replacing a share e of the words gives about r = (1 - e) / (1 + e); since words of the donor may
 * match by chance, the chance is corrected until the copy's r lies in the class. */
static void edit_until_in(drawing *d, const nd_token_page *a, nd_lcs_sample *sample, bool *found) {
    const double target = (d->of->lowest + d->of->highest) / 2;
    const double edited = (1 - target) / (1 + target);
    double per_word = edited / ((1 - edited) * (LONGEST_EDIT + 1) / 2);
    nd_token_page copy = {0};
    *found = false;
    nd_new(&copy.tokens, 2 * a->count + LONGEST_EDIT, sizeof *a->tokens);
    for (int attempt = 0; attempt < COPY_ATTEMPTS && !*found; attempt++) {
        edit_copy(d, a, any_page(d), per_word, &copy);
        r_of(d, a, &copy, &sample->r);
        *found = is_in(d->of, sample->r);
        per_word *= sample->r > target ? 1.1 : 0.9;
    }
    if (*found) {
        page_copy(a->tokens, a->count, &sample->a);
        page_copy(copy.tokens, copy.count, &sample->b);
    }
    free(copy.tokens);
}

static nd_status draw_edited(drawing *d, nd_lcs_sample *sample) {
    nd_status st = ND_OK;
    for (int attempt = 0; attempt < PAGE_ATTEMPTS; attempt++) {
        bool found = false;
        edit_until_in(d, any_page(d), sample, &found);
        if (found) {
            return ND_OK;
        }
    }
    st = nd_fail(ND_ERR_LIMIT, "no edited copy of a page has r in [%.3f, %.3f]", d->of->lowest,
                 d->of->highest);
    return st;
}

static nd_status draw_all(drawing *d, size_t wanted, nd_lcs_sample *samples, size_t *real) {
    nd_status st = ND_OK;
    *real = 0;
    for (size_t attempt = 0; attempt < TRIES && *real < wanted; attempt++) {
        bool found = false;
        draw_real(d, attempt, &samples[*real], &found);
        *real += found;
    }
    for (size_t i = *real; i < wanted; i++) {
        ND_TRY(draw_edited(d, &samples[i]));
    }
out:
    return st;
}

nd_status nd_lcs_pairs_draw(const nd_token_pages *pages, const nd_lcs_class *of, uint64_t seed,
                            size_t wanted, nd_lcs_sample *samples, size_t *real) {
    nd_status st = ND_OK;
    drawing d = {.of = of, .random = {seed}};
    memset(samples, 0, wanted * sizeof *samples);
    nd_new(&d.pages, pages->count, sizeof *d.pages);
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->pages[i].count >= of->shortest && pages->pages[i].count <= of->longest) {
            d.pages[d.count++] = &pages->pages[i];
        }
    }
    if (d.count < 2) {
        st = nd_fail(ND_ERR_LIMIT, "the corpus has no two pages of %zu to %zu tokens", of->shortest,
                     of->longest);
        goto out;
    }
    ND_TRY(draw_all(&d, wanted, samples, real));
out:
    free(d.pages);
    nd_lcs_work_free(&d.work);
    return st;
}

void nd_lcs_pairs_free(nd_lcs_sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(samples[i].a.tokens);
        free(samples[i].b.tokens);
    }
}

/* ---- xdiff */

#if defined(ND_HAVE_LIBGIT2)
#include <git2.h>
#endif
enum { LINE = 9 };

nd_xdiff_text nd_xdiff_text_of(const uint32_t *tokens, size_t count) {
    nd_xdiff_text text = {.bytes = malloc(count * LINE + 1), .size = count * LINE};
    if (text.bytes == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text.bytes + i * LINE, LINE + 1, "%08x\n", (unsigned)tokens[i]);
    }
    return text;
}

#if defined(ND_HAVE_LIBGIT2)
bool nd_xdiff_available(void) {
    return true;
}

static int add_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *sum) {
    (void)delta;
    *(size_t *)sum += (size_t)hunk->old_lines + (size_t)hunk->new_lines;
    return 0;
}

size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b) {
    git_diff_options options;
    static bool begun;
    size_t distance = 0;
    begun = begun || git_libgit2_init() > 0;
    if (!begun || git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) != 0) {
        (void)fprintf(stderr, "libgit2 cannot be used\n");
        exit(1);
    }
    options.flags = GIT_DIFF_MINIMAL | GIT_DIFF_FORCE_TEXT;
    options.context_lines = 0;
    if (git_diff_buffers(a->bytes, a->size, NULL, b->bytes, b->size, NULL, &options, NULL, NULL,
                         add_hunk, NULL, &distance) != 0) {
        (void)fprintf(stderr, "libgit2 cannot compare two texts\n");
        exit(1);
    }
    return distance;
}

#else
bool nd_xdiff_available(void) {
    return false;
}

size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b) {
    (void)a;
    (void)b;
    return 0;
}

#endif
