/** \file tests/support/pages.h
 * Pages made for a test, made-up ones and those met in crawls, and what they look like as text.
 */
#ifndef ND_SUPPORT_PAGES_H
#define ND_SUPPORT_PAGES_H

#include "io/input/reader.h"
#include "io/store/page_store.h"
#include "src/method/method.h"
#include "src/synth/synthetic_page.h"
#include "src/text/page.h"
#include "src/text/text_variant.h"

/* ---- Pages of a synthetic corpus, made one at a time for a test; what cannot be made ends the
 * test. */

typedef struct nd_made_pages {
    nd_corpus_plan *plan;
    nd_vocabulary *vocabulary;
    nd_page_factory factory;
    nd_synthetic_page page; /**< the last one */
} nd_made_pages;

void nd_made_pages_open(nd_made_pages *pages, const nd_corpus_options *options);

void nd_made_pages_close(nd_made_pages *pages);

/** Make page `number`. \return its HTML, valid until the next one is made */
nd_span nd_made_pages_make(nd_made_pages *pages, uint64_t number);

/* ---- Are two pages the same to the byte, with what content selection says of their sentences? */

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

/* ---- A page as a line of text, for tests of the extractor, the sentence splitter and the
 * tokeniser. */

/** The blocks' texts, each followed by '|', in a static buffer that the next call overwrites. A
 * title begins with "T:", navigation with "N:". */
const char *nd_test_blocks(const nd_page *page);

/** The sentences' normalised texts in the same way, without marks. */
const char *nd_test_sentences(const nd_page *page);

/** nd_test_blocks() of an HTML document of `size` bytes. */
const char *nd_test_html_bytes(const char *html, size_t size);

/** nd_test_blocks() of an HTML document. */
const char *nd_test_html(const char *html);

/** nd_test_sentences() of a plain text. */
const char *nd_test_text(const char *text);

/* ---- Pages as a reader met them, to hold a walk over all records of the same source against: it
 * must meet each of them where the reader did. */

/** A page: where its record starts, and a hash of its id and URL, and its checksum. */
typedef struct nd_met_page {
    uint64_t offset, names, checksum;
} nd_met_page;

/** All zero is valid and empty. */
typedef struct nd_met_pages {
    nd_met_page *pages;
    size_t count, capacity;
} nd_met_pages;

/** Add a page. */
void nd_met_pages_add(nd_met_pages *met, const nd_record *record);

/** Walk over a source of which `met` are the pages.
 * \return NULL, or what does not hold */
const char *nd_met_pages_walk(const nd_met_pages *met, const char *path,
                              const nd_reader_options *options);

void nd_met_pages_free(nd_met_pages *met);

/* ---- Pages of a store that holds everything in memory, as values: what is borrowed lasts until
 * the next page is appended, so that a test may hold several at once. A failure ends the test
 * program. */

nd_document nd_test_document(const nd_page_store *store, size_t index);
nd_span nd_test_id(const nd_page_store *store, size_t index);
nd_span nd_test_url(const nd_page_store *store, size_t index);

/** Sentences of the pages before page `index`; of all pages for the number of pages. */
uint64_t nd_test_first_sentence(const nd_page_store *store, size_t index);

/* ---- A method's functions on single documents, with scratch memory made for the call: slow, but a
 * test may hold as many documents as it likes. A failure ends the test program. */

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

/** The masked hash, with seed 0, of a sentence whose normalised text is this once its digits are
 * masked. */
uint64_t nd_test_masked(const char *masked);

/** Similarity of the two documents' payloads if it is >= threshold, else 0. */
double nd_test_similarity(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double threshold);

#endif
