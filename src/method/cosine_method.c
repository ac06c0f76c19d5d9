#include "src/method/cosine_method.h"

#include "src/base/buffer.h"
#include "src/compare/cosine.h"
#include "src/method/sentence_keys.h"

#include <stdlib.h>
#include <string.h>

typedef struct cosine_state {
    nd_term_vector vector;
    nd_term *payload; /* of the latest page: its terms, then terms that occur 0 times */
    size_t capacity;
} cosine_state;

static const char *const cosine_options[] = {
    "threshold", "buckets", "smallest", "sentence-tokens", "chunk-sentences", "fingerprints", NULL};

static void cosine_defaults(nd_method_options *options) {
    options->threshold = 0.9;
    nd_method_drop_rules(options);
}

static nd_status cosine_open(const nd_method_options *options, void **state) {
    cosine_state *s = NULL;
    const nd_status st = nd_new(&s, 1, sizeof *s);
    (void)options;
    *state = s;
    return st;
}

static void cosine_close(void *state) {
    cosine_state *s = state;
    if (s != NULL) {
        nd_term_vector_free(&s->vector);
        free(s->payload);
        free(s);
    }
}

static size_t cosine_digest_size(const nd_method_options *options) {
    (void)options;
    return sizeof(nd_cosine_digest);
}

static nd_status cosine_digest(const nd_method_options *options, void *state,
                               const nd_document *document, void *digest) {
    cosine_state *s = state;
    const nd_status st = nd_term_vector_fill(document->tokens, document->token_count, &s->vector);
    (void)options;
    if (st == ND_OK) {
        nd_cosine_digest_fill(s->vector.terms, s->vector.count, digest);
    }
    return st;
}

static double cosine_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options; /* a page and the same page twice have the cosine 1 */
    (void)a;
    (void)b;
    return 1;
}

static double cosine_bound(const nd_method_options *options, const void *a, const void *b) {
    (void)options;
    return nd_cosine_bound(a, b);
}

/* The size has to follow from the tokens, so there is room for all being distinct. */
static uint64_t cosine_payload_size(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    return tokens * sizeof(nd_term);
}

static nd_status cosine_payload(const nd_method_options *options, void *state,
                                const nd_document *document, nd_span *payload) {
    nd_status st = ND_OK;
    cosine_state *s = state;
    const size_t room = document->token_count;
    (void)options;
    ND_TRY(nd_term_vector_fill(document->tokens, room, &s->vector));
    ND_TRY(nd_grow(&s->payload, &s->capacity, room, sizeof *s->payload));
    if (room > 0) {
        memset(s->payload, 0, room * sizeof *s->payload);
        memcpy(s->payload, s->vector.terms, s->vector.count * sizeof *s->payload);
    }
    *payload = (nd_span){(const uint8_t *)s->payload, room * sizeof *s->payload};
out:
    return st;
}

/* The terms of a payload: those that occur. */
static size_t terms_of(nd_span payload, const nd_term **terms) {
    size_t low = 0;
    size_t high = payload.size / sizeof(nd_term);
    *terms = (const nd_term *)(const void *)payload.data;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((*terms)[middle].frequency > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static nd_status cosine_similarity(const nd_method_options *options, void *state, nd_span a,
                                   nd_span b, double threshold, double *similarity) {
    const nd_term *x = NULL;
    const nd_term *y = NULL;
    const size_t n = terms_of(a, &x);
    const size_t m = terms_of(b, &y);
    (void)options;
    (void)state;
    *similarity = nd_cosine(x, n, y, m, threshold);
    return ND_OK;
}

const nd_method nd_method_cosine = {
    .name = "cosine",
    .summary = "keys as lcs, then the cosine of the token frequencies (the baseline of Huang, Wang "
               "and Li 2008)",
    .options = cosine_options,
    .sentence_keys = true,
    .guard = 0.1,
    .defaults = cosine_defaults,
    .open = cosine_open,
    .close = cosine_close,
    .max_keys = nd_sentence_max_keys,
    .sign = nd_sentence_sign,
    .digest_size = cosine_digest_size,
    .digest = cosine_digest,
    .length_bound = cosine_length_bound,
    .bound = cosine_bound,
    .payload_size = cosine_payload_size,
    .payload = cosine_payload,
    .similarity = cosine_similarity,
};
