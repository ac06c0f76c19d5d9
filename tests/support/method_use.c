#include "tests/support/method_use.h"

#include <stdio.h>
#include <stdlib.h>

static void must(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "test: %s\n", nd_fail_text());
        abort();
    }
}

static void *open_state(const nd_method *method, const nd_method_options *options) {
    void *state = NULL;
    must(method->open(options, &state));
    return state;
}

nd_method_options nd_test_options(const nd_method *method) {
    nd_method_options options = nd_method_default_options();
    if (method->defaults != NULL) {
        method->defaults(&options);
    }
    must(nd_method_derive(method, &options));
    return options;
}

size_t nd_test_sign(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, uint64_t *keys) {
    void *state = open_state(method, options);
    size_t count = 0;
    must(method->sign(options, state, document, keys, &count));
    method->close(state);
    return count;
}

void nd_test_digest(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, void *digest) {
    void *state = open_state(method, options);
    must(method->digest(options, state, document, digest));
    method->close(state);
}

double nd_test_bound(const nd_method *method, const nd_method_options *options,
                     const nd_document *a, const nd_document *b) {
    const size_t size = method->digest_size(options);
    uint8_t *digests = NULL;
    must(nd_new(&digests, 2, size));
    nd_test_digest(method, options, a, digests);
    nd_test_digest(method, options, b, digests + size);
    const double bound = method->bound(options, digests, digests + size);
    free(digests);
    return bound;
}

double nd_test_similarity(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double threshold) {
    void *of_a = open_state(method, options);
    void *of_b = open_state(method, options);
    nd_buffer scratch_a = {0};
    nd_buffer scratch_b = {0};
    nd_span x;
    nd_span y;
    double similarity = -1;
    must(nd_method_payload(method, options, of_a, a, &scratch_a, &x));
    must(nd_method_payload(method, options, of_b, b, &scratch_b, &y));
    must(nd_method_similarity(method, options, of_a, x, y, threshold, &similarity));
    nd_buffer_free(&scratch_a);
    nd_buffer_free(&scratch_b);
    method->close(of_a);
    method->close(of_b);
    return similarity;
}
