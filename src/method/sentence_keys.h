/** \file src/method/sentence_keys.h
 * Keys of a page by its sentences, for the methods that look for candidates as Huang, Wang and Li
 * do (CIKM 2008): the digests of its sentences, long ones first, in fingerprints (fingerprint.h),
 * and by default fingerprints of chunks of its tokens besides. How pages are
 * compared is not said here.
 */
#ifndef ND_METHOD_SENTENCE_KEYS_H
#define ND_METHOD_SENTENCE_KEYS_H

#include "src/method/method.h"

/** Most keys of a page. */
size_t nd_sentence_max_keys(const nd_method_options *options);

/** nd_method.sign() of these methods. */
nd_status nd_sentence_sign(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, uint64_t *keys, size_t *key_count);

#endif
