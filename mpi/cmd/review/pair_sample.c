#include "mpi/cmd/review/pair_sample.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static const char *const names[ND_SAMPLE_BANDS] = {"below .5", ".5 to .6", ".6 to .7", ".7 to .8",
                                                   ".8 to .9", ".9 to 1",  "1"};

const char *nd_sample_band_name(int band) {
    return names[band];
}

static int band_of(float similarity) {
    static const float ends[ND_SAMPLE_BANDS - 1] = {.5F, .6F, .7F, .8F, .9F, 1.F};
    int band = 0;
    while (band < ND_SAMPLE_BANDS - 1 && similarity >= ends[band]) {
        band++;
    }
    return band;
}

/* The pages of least order that were met, in one band or in all. */
typedef struct lowest {
    nd_drawn_page *pages;
    uint64_t wanted, kept;
    uint64_t room; /* those that are too many are left out when it is full */
} lowest;

static int by_order(const void *a, const void *b) {
    const nd_drawn_page *x = a;
    const nd_drawn_page *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
                                : (x->page > y->page) - (x->page < y->page);
}

static void leave_out(lowest *l) {
    qsort(l->pages, l->kept, sizeof *l->pages, by_order);
    l->kept = nd_min(l->kept, l->wanted);
}

static void offer(lowest *l, const nd_drawn_page *page) {
    if (l->kept == l->room) {
        leave_out(l);
    }
    l->pages[l->kept++] = *page;
}

/* Every page that is not its set's representative, with its order. */
static nd_status walk(const nd_result *result, const nd_pair_sample_choice *choice,
                      nd_pair_sample *sample, lowest *bands) {
    nd_status st = ND_OK;
    uint64_t *links = NULL;
    float *similarities = NULL;
    nd_new_room(&links, ROWS_AT_ONCE, sizeof *links);
    nd_new_room(&similarities, ROWS_AT_ONCE, sizeof *similarities);
    for (uint64_t begin = 0; begin < result->shape.pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, "/pages/link", ND_COLUMN_U64, begin, count, links));
        ND_TRY(
            nd_result_read(result, "/pages/similarity", ND_COLUMN_F32, begin, count, similarities));
        for (uint64_t i = 0; i < count; i++) {
            nd_drawn_page page = {.page = begin + i, .similarity = similarities[i]};
            if (links[i] == page.page || (double)page.similarity < choice->from ||
                (double)page.similarity > choice->to) {
                continue;
            }
            if (!nd_is_share(page.similarity)) {
                st = nd_fail(ND_ERR_FORMAT,
                             "%s: /pages/similarity: page %" PRIu64
                             ": no similarity: damaged, or not written by neardup",
                             result->path, page.page);
                goto out;
            }
            page.band = band_of(page.similarity);
            page.order = XXH3_64bits_withSeed(&page.page, sizeof page.page, choice->seed);
            if (choice->least_similar) { /* a float that is not negative is in the order of its bits
                                          */
                uint32_t bits = 0;
                memcpy(&bits, &page.similarity, sizeof bits);
                page.order = bits;
            }
            sample->bands[page.band].pairs++;
            offer(&bands[choice->least_similar ? 0 : page.band], &page);
        }
    }
out:
    free(links);
    free(similarities);
    return st;
}

/* From each band as many, as far as it has them; what one lacks goes to the others. */
static void share_out(uint64_t count, const lowest *bands, uint64_t *shares) {
    uint64_t before = UINT64_MAX;
    while (count > 0 && before != count) {
        before = count;
        for (int b = 0; b < ND_SAMPLE_BANDS && count > 0; b++) {
            if (shares[b] < bands[b].kept) {
                shares[b]++;
                count--;
            }
        }
    }
}

nd_status nd_pair_sample_draw(const nd_result *result, const nd_pair_sample_choice *choice,
                              nd_pair_sample *sample) {
    nd_status st = ND_OK;
    lowest bands[ND_SAMPLE_BANDS] = {{0}};
    uint64_t shares[ND_SAMPLE_BANDS] = {0};
    *sample = (nd_pair_sample){.count = 0};
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        bands[b].wanted = nd_min(choice->count, result->shape.pages);
        bands[b].room = 2 * bands[b].wanted + 1;
        nd_new_room(&bands[b].pages, bands[b].room, sizeof *bands[b].pages);
    }
    ND_TRY(walk(result, choice, sample, bands));
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        leave_out(&bands[b]);
        sample->pairs += sample->bands[b].pairs;
    }
    share_out(choice->count, bands, shares);
    nd_new(&sample->pages, choice->count, sizeof *sample->pages);
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        for (uint64_t i = 0; i < shares[b]; i++) {
            const nd_drawn_page *page = &bands[b].pages[i];
            sample->bands[page->band].drawn++;
            sample->pages[sample->count++] = *page;
        }
    }
    qsort(sample->pages, sample->count, sizeof *sample->pages, by_order);
out:
    for (int b = 0; b < ND_SAMPLE_BANDS; b++) {
        free(bands[b].pages);
    }
    return st;
}

void nd_pair_sample_free(nd_pair_sample *sample) {
    free(sample->pages);
    *sample = (nd_pair_sample){0};
}
