/* The method `sketch`: P permutations, and pages are similar if enough of their minima are equal
 * (Broder, Charikar, Frieze and Mitzenmacher 1998; lecture notes of Mitzenmacher: shingles of 4
 * words, 90 of 100 minima; IIR 19: 200 minima, 80 %). Candidates are found by bands of the sketch,
 * by default the fewest that lose no pair: with more bands than minima that may differ, one band is
 * equal. */
#include "src/method/methods.h"
#include "src/method/page_sketch.h"
#include "src/plan/curve.h"

static const nd_method_use sketch_options[] = {{"threshold", 0.9},
                                               {"shingle-tokens", 4},
                                               {"wrap-around", ND_AS_PRESET},
                                               {"thinning", ND_AS_PRESET},
                                               {"shingle-hash", ND_AS_PRESET},
                                               {"minima", 100},
                                               {"bands", 0},
                                               {0}};

static nd_status sketch_derive(nd_method_options *options) {
    enum { FEWEST_ROWS = 3 };
    static const double NEARLY = 0.999;
    nd_status st = ND_OK;
    ND_TRY(nd_method_check_options(options)); /* bands are chosen by the threshold */
    ND_TRY(nd_page_sketch_check(options));
    const uint32_t minima = options->minima;
    if (options->bands == 0) {
        /* The fewest bands in which every pair at the threshold has an equal one. Surely so with
         * more bands than minima that differ; but with hardly any rows in a band everything meets,
         * so there nearly surely will do. */
        uint32_t equal = 0; /* minima at the threshold, by the very division that is compared */
        while (equal < minima && (double)equal / minima < options->threshold) {
            equal++;
        }
        const uint32_t exact = minima - equal + 1;
        bool finds_all = false;
        while (!finds_all) {
            const uint32_t bands = ++options->bands;
            const nd_curve curve = nd_curve_of_bands(bands, minima / bands);
            finds_all = bands == minima ||
                        (minima % bands == 0 &&
                         (bands >= exact || (minima / exact < FEWEST_ROWS &&
                                             nd_curve_at(&curve, options->threshold) >= NEARLY)));
        }
    }
    if (options->bands > minima || minima % options->bands != 0) {
        st =
            nd_fail(ND_ERR_USAGE, "--bands %u: the %u minima (--minima) cannot be cut into so many",
                    options->bands, minima);
        goto out;
    }
    ND_TRY(nd_page_bands_check(options->bands, minima / options->bands, options->threshold));
out:
    return st;
}

const nd_method nd_method_sketch = {
    .name = "sketch",
    .summary = "share of equal minima of min-wise sketches (Broder, Charikar, Frieze and "
               "Mitzenmacher 1998)",
    .options = sketch_options,
    .guard = 0.1,
    .derive = sketch_derive,
    .sizes = nd_minima_sizes,
    .sign = nd_minima_sign,
    .digest = nd_minima_digest,
    .bound = nd_minima_bound,
    .payload = nd_minima_payload,
    .similarity = nd_minima_similarity,
};
