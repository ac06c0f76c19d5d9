#include "tests/support/method_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static void must(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "test: %s\n", nd_fail_text());
        abort();
    }
}

nd_method_options nd_test_options(const nd_method *method) {
    nd_method_options options;
    must(nd_method_own_options(method, &options));
    return options;
}

nd_text_hash nd_test_hash(const uint32_t *tokens, size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(tokens, count * sizeof *tokens);
    return (nd_text_hash){hash.high64, hash.low64};
}

size_t nd_test_sign(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, uint64_t *keys) {
    nd_method_work work = {0};
    size_t count = 0;
    must(method->sign(options, &work, document, keys, &count));
    nd_method_work_free(&work);
    return count;
}

void nd_test_digest(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, void *digest) {
    nd_method_work work = {0};
    must(method->digest(options, &work, document, digest));
    nd_method_work_free(&work);
}

double nd_test_bound(const nd_method *method, const nd_method_options *options,
                     const nd_document *a, const nd_document *b) {
    const size_t size = method->sizes(options, 0).digest;
    uint8_t *digests = NULL;
    nd_new(&digests, 2, size);
    nd_test_digest(method, options, a, digests);
    nd_test_digest(method, options, b, digests + size);
    const double bound = method->bound(options, digests, digests + size);
    free(digests);
    return bound;
}

double nd_test_similarity(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double threshold) {
    nd_method_work of_a = {0};
    nd_method_work of_b = {0};
    nd_buffer scratch_a = {0};
    nd_buffer scratch_b = {0};
    nd_span x;
    nd_span y;
    double similarity = -1;
    must(nd_method_payload(method, options, &of_a, a, &scratch_a, &x));
    must(nd_method_payload(method, options, &of_b, b, &scratch_b, &y));
    must(nd_method_similarity(method, options, &of_a, x, y, threshold, &similarity));
    nd_buffer_free(&scratch_a);
    nd_buffer_free(&scratch_b);
    nd_method_work_free(&of_a);
    nd_method_work_free(&of_b);
    return similarity;
}
