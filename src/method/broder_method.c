/* The method `broder`: "Alg. B" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.1), after
 * Broder, Glassman, Manasse and Zweig (WWW 1997) with the numbers of Fetterly, Manasse and Najork
 * (2003): shingles of 8 tokens by Rabin fingerprints, wrapped around, 84 minima in 6 supershingles
 * of 14, and pages are similar if 2 agree. Keys are megashingles: the search loses nothing. */
#include "src/method/methods.h"
#include "src/method/page_sketch.h"
#include "src/sketch/minhash.h"

static const nd_method_use broder_options[] = {{"shingle-tokens", 8},
                                               {"wrap-around", true},
                                               {"thinning", ND_AS_PRESET},
                                               {"shingle-hash", ND_SHINGLE_RABIN},
                                               {"minima", ND_SUPERSHINGLE_SKETCH},
                                               {"supershingles", ND_SUPERSHINGLES},
                                               {"supershingle-minima", ND_SUPERSHINGLE_MINIMA},
                                               {"agree", ND_SUPERSHINGLES_NEEDED},
                                               {0}};

static nd_status broder_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
    options->threshold = (double)options->agree / options->supershingles;
out:
    return st;
}

static nd_method_sizes broder_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return (nd_method_sizes){.keys = nd_vector_max_keys(options),
                             .digest = nd_vector_words(options) * sizeof(uint64_t)};
}

static nd_status broder_sign(const nd_method_options *options, nd_method_work *work,
                             const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t vector[1 + ND_SUPERSHINGLES_MAX];
    nd_page_supershingles(options, work, document, vector);
    *key_count = nd_vector_keys(options, vector, keys);
    return ND_OK;
}

static double broder_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_vectors_agree(options, a, b) / options->supershingles;
}

const nd_method nd_method_broder = {
    .name = "broder",
    .summary = "supershingles of which 2 of 6 agree (Broder 1997; Alg. B of Henzinger, US "
               "2008/0044016)",
    .options = broder_options,
    .image_terms = true,
    .all_pairs = true,
    .guard = 1.0 / (double)ND_SUPERSHINGLES,
    .derive = broder_derive,
    .sizes = broder_sizes,
    .sign = broder_sign,
    .digest = nd_page_supershingles,
    .bound = broder_bound,
};
