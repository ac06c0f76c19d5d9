/** \file tests/support/method_use.h
 * A method's functions on single documents, with scratch memory made for the call: slow, but a test
 * may hold as many documents as it likes. A failure ends the test program.
 */
#ifndef ND_TESTS_METHOD_USE_H
#define ND_TESTS_METHOD_USE_H

#include "src/method/method.h"

/** The program's defaults with the method's own, derived. */
nd_method_options nd_test_options(const nd_method *method);

/** What a document of these tokens alone may have for its hash. */
nd_text_hash nd_test_hash(const uint32_t *tokens, size_t count);

/** The document's keys. \param[out] keys  room for sizes().keys \return how many */
size_t nd_test_sign(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, uint64_t *keys);

/** The document's digest, sizes().digest bytes. */
void nd_test_digest(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, void *digest);

/** Bound by the two documents' digests. */
double nd_test_bound(const nd_method *method, const nd_method_options *options,
                     const nd_document *a, const nd_document *b);

/** Similarity of the two documents' payloads if it is >= threshold, else 0. */
double nd_test_similarity(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double threshold);

#endif
