/** \file tests/support/same_page.h
 * Are two pages the same to the byte, with what content selection says of their sentences?
 */
#ifndef ND_TESTS_SAME_PAGE_H
#define ND_TESTS_SAME_PAGE_H

#include "src/text/page.h"
#include "src/text/text_variant.h"

/** What a variant makes of a document; all zero is valid. */
typedef struct nd_test_made_page {
    nd_page page;
    nd_content_sentence *sentences;
    size_t capacity;
    size_t valid_bytes;
} nd_test_made_page;

/** Read a document by a variant that the machine supports; NULL: the one in use.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_test_make_page(const nd_text_variant *variant, nd_span document, bool html,
                            nd_test_made_page *made);

bool nd_test_same_page(const nd_test_made_page *a, const nd_test_made_page *b);

void nd_test_made_page_free(nd_test_made_page *made);

#endif
