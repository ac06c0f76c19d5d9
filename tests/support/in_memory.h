/** \file tests/support/in_memory.h
 * Pages of a store that holds everything in memory, as values: what is borrowed lasts until the
 * next page is appended, so that a test may hold several at once. A failure ends the test program.
 */
#ifndef ND_TESTS_IN_MEMORY_H
#define ND_TESTS_IN_MEMORY_H

#include "io/store/page_store.h"

nd_document nd_test_document(const nd_page_store *store, size_t index);
nd_span nd_test_id(const nd_page_store *store, size_t index);
nd_span nd_test_url(const nd_page_store *store, size_t index);

/** Sentences of the pages before page `index`; of all pages for the number of pages. */
uint64_t nd_test_first_sentence(const nd_page_store *store, size_t index);

#endif
