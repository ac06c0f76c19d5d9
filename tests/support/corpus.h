/** \file tests/support/corpus.h
 * Real pages: those of some inputs, and files of them, in memory.
 */
#ifndef ND_SUPPORT_CORPUS_H
#define ND_SUPPORT_CORPUS_H

#include "io/store/page_store.h"
#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* ---- All pages of some inputs in the memory of one process, read whole and in order, with the
 * program's own reader and text code but none of its stages: the same pages under the same numbers
 * as `partition` gives them, and the same notion of equal text. */

/** The text number of a page without tokens. */
#define ND_NO_TEXT UINT32_MAX

/** That of the texts' hashes: of a run whose bounds are to be the same, --hash-seed. */
#define ND_CORPUS_HASH_SEED UINT64_C(1)

/** All zero is a valid empty corpus. */
typedef struct nd_corpus {
    nd_page_store pages;
    uint32_t *text_of;    /**< by page: its distinct text, or ND_NO_TEXT */
    uint32_t *first_page; /**< by text: the first page with it, ascending */
    uint32_t text_count;
    uint64_t without_text; /**< pages without tokens */
    uint64_t skipped;      /**< records that could not be read */
} nd_corpus;

/** Read the INPUT words of a command line. An unreadable record is counted and passed over.
 * \return ND_OK; ND_ERR_IO for an input that matches nothing; ND_ERR_LIMIT at 2^32 - 1 pages;
 *         ND_ERR_MEMORY. On failure the corpus is empty */
nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count);

void nd_corpus_free(nd_corpus *corpus);

/* ---- A file of real data in memory, for test programs and benchmarks. */

/** Append a whole file. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_test_read_file(nd_buffer *buffer, const char *path);

/** Call `visit` for a file, or for all files named *.html or *.htm below a folder, in order of
 * their names; stops at the first failure, which it returns. */
nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context);

#endif
