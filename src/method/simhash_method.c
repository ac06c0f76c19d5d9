#include "src/method/simhash_method.h"

#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/simhash.h"

#include <stdlib.h>

typedef struct simhash_state {
    nd_page_bits page;
    nd_simhash_tables tables;
    uint64_t print; /* of the latest page */
} simhash_state;

static const char *const simhash_options[] = {"shingle-tokens", "distance", "simhash-blocks", NULL};

static void simhash_defaults(nd_method_options *options) {
    nd_method_drop_rules(options);
    options->shingle_tokens = 1;
    options->distance = ND_SIMHASH_DISTANCE;
    options->simhash_blocks = 0;
}

static double share_at(uint32_t distance) {
    return (double)(ND_SIMHASH_BITS - distance) / ND_SIMHASH_BITS;
}

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
    options->threshold = share_at(options->distance);
out:
    return st;
}

static nd_status simhash_open(const nd_method_options *options, void **state) {
    nd_status st = ND_OK;
    simhash_state *s = NULL;
    ND_TRY(nd_new(&s, 1, sizeof *s));
    ND_TRY(nd_simhash_design(options->distance, options->simhash_blocks, &s->tables));
    *state = s;
    return ND_OK;
out:
    free(s);
    *state = NULL;
    return st;
}

static void simhash_close(void *state) {
    simhash_state *s = state;
    if (s != NULL) {
        nd_page_bits_close(&s->page);
        free(s);
    }
}

static size_t simhash_max_keys(const nd_method_options *options) {
    (void)options;
    return ND_SIMHASH_MAX_TABLES;
}

static size_t simhash_digest_size(const nd_method_options *options) {
    (void)options;
    return sizeof(uint64_t);
}

static nd_status simhash_digest(const nd_method_options *options, void *state,
                                const nd_document *document, void *digest) {
    simhash_state *s = state;
    return nd_page_bits_sign(&s->page, options, document, options->shingle_tokens, ND_SIMHASH_BITS,
                             digest);
}

static nd_status simhash_sign(const nd_method_options *options, void *state,
                              const nd_document *document, uint64_t *keys, size_t *key_count) {
    simhash_state *s = state;
    const nd_status st = simhash_digest(options, state, document, &s->print);
    *key_count = st == ND_OK ? s->tables.count : 0;
    if (st == ND_OK) {
        nd_simhash_keys(&s->tables, s->print, keys);
    }
    return st;
}

static double simhash_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    (void)a;
    (void)b;
    return 1;
}

static double simhash_bound(const nd_method_options *options, const void *a, const void *b) {
    (void)options;
    return share_at(nd_simhash_distance(*(const uint64_t *)a, *(const uint64_t *)b));
}

const nd_method nd_method_simhash = {
    .name = "simhash",
    .summary = "64-bit prints that differ in at most 3 bits (Manku, Jain and Das Sarma, WWW 2007)",
    .options = simhash_options,
    .guard = 3.0 / ND_SIMHASH_BITS,
    .defaults = simhash_defaults,
    .derive = simhash_derive,
    .open = simhash_open,
    .close = simhash_close,
    .max_keys = simhash_max_keys,
    .sign = simhash_sign,
    .digest_size = simhash_digest_size,
    .digest = simhash_digest,
    .length_bound = simhash_length_bound,
    .bound = simhash_bound,
};
