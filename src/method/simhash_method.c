/* The method `simhash`: prints of 64 bits that differ in at most 3 (Manku, Jain and Das Sarma, WWW
 * 2007; the baseline of Huang, Wang and Li, CIKM 2008). Features are tokens by their frequency.
 * Keys are the fixed blocks of permuted tables: the search loses nothing. */
#include "src/method/methods.h"
#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/simhash.h"

static const nd_method_use simhash_options[] = {
    {"shingle-tokens", 1}, {"distance", ND_SIMHASH_DISTANCE}, {"simhash-blocks", 0}, {0}};

static nd_status simhash_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    nd_simhash_tables tables;
    if (options->distance < 1 || options->distance > ND_SIMHASH_MAX_DISTANCE) {
        return nd_fail(ND_ERR_USAGE, "--distance %u: must be 1 to %d of the 64 bits",
                       options->distance, ND_SIMHASH_MAX_DISTANCE);
    }
    if (options->simhash_blocks == 0) {
        options->simhash_blocks = options->distance + (ND_SIMHASH_BLOCKS - ND_SIMHASH_DISTANCE);
    }
    if (nd_simhash_design(options->distance, options->simhash_blocks, &tables) != ND_OK) {
        return nd_fail(ND_ERR_USAGE,
                       "--simhash-blocks %u: must be %u to %d for --distance %u, and make at most "
                       "%d tables",
                       options->simhash_blocks, options->distance + 1, ND_SIMHASH_MAX_BLOCKS,
                       options->distance, ND_SIMHASH_MAX_TABLES);
    }
    ND_TRY(nd_shingle_tokens_check(options));
    options->bits = ND_SIMHASH_BITS;
    options->threshold = (double)(ND_SIMHASH_BITS - options->distance) / (double)ND_SIMHASH_BITS;
out:
    return st;
}

static nd_method_sizes simhash_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    (void)tokens;
    return (nd_method_sizes){.keys = ND_SIMHASH_MAX_TABLES, .digest = sizeof(uint64_t)};
}

static nd_status simhash_sign(const nd_method_options *options, nd_method_work *work,
                              const nd_document *document, uint64_t *keys, size_t *key_count) {
    nd_status st = ND_OK;
    uint64_t print = 0;
    *key_count = 0;
    if (work->simhash.count == 0) {
        ND_TRY(nd_simhash_design(options->distance, options->simhash_blocks, &work->simhash));
    }
    nd_bits_digest(options, work, document, &print);
    nd_simhash_keys(&work->simhash, print, keys);
    *key_count = work->simhash.count;
out:
    return st;
}

const nd_method nd_method_simhash = {
    .name = "simhash",
    .summary = "64-bit prints that differ in at most 3 bits (Manku, Jain and Das Sarma, WWW 2007)",
    .options = simhash_options,
    .all_pairs = true,
    .guard = 3.0 / (double)ND_SIMHASH_BITS,
    .derive = simhash_derive,
    .sizes = simhash_sizes,
    .sign = simhash_sign,
    .digest = nd_bits_digest,
    .bound = nd_bits_bound,
};
