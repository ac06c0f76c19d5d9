/** \file tests/support/extract_oracle.h
 * Extraction of text without the program: by libxml2, and as the header of src/text/extract.h
 * says, a character at a time.
 */
#ifndef ND_SUPPORT_EXTRACT_ORACLE_H
#define ND_SUPPORT_EXTRACT_ORACLE_H

#include "src/text/page.h"

#include <stdio.h>

/* ---- Compares the extractor's words with libxml2's on many real pages and puts every difference
 * down to a construct: a page on which they differ is written again with one construct after the
 * other replaced by its plain equivalent (a stray '<' by "&lt;", and so on). The construct after
 * whose replacement both agree is the difference's kind. What no replacement cures is unexplained.
 */

typedef enum nd_oracle_kind {
    ND_ORACLE_BYTES,      /**< bytes that are not UTF-8 */
    ND_ORACLE_NUL,        /**< NUL bytes */
    ND_ORACLE_CONTROL,    /**< control characters, which are white space here */
    ND_ORACLE_IGNORED,    /**< misplaced tags, which are white space here, nothing in libxml2 */
    ND_ORACLE_REFERENCE,  /**< character references that libxml2 reads otherwise */
    ND_ORACLE_LESS_THAN,  /**< '<' that begins no tag */
    ND_ORACLE_ATTRIBUTES, /**< tags with attributes of an odd form */
    ND_ORACLE_COMMENT,    /**< comments, declarations, processing instructions */
    ND_ORACLE_TITLE,      /**< tags inside the title */
    ND_ORACLE_RAW,        /**< markup inside iframe, noscript, script, style, textarea */
    ND_ORACLE_OPEN,       /**< dropped elements that are never closed */
    ND_ORACLE_NESTED,     /**< object, svg, template closed by something else than their end tag */
    ND_ORACLE_CUT,        /**< a tag that the end of the page cuts off */
    ND_ORACLE_SEVERAL,    /**< several of these at once */
    ND_ORACLE_UNEXPLAINED,
    ND_ORACLE_KINDS
} nd_oracle_kind;

/** All zero is an oracle that has seen no page. */
typedef struct nd_oracle {
    size_t pages;
    size_t equal; /**< pages with the same words */
    size_t words; /**< bytes of the extractor's words */
    size_t differences[ND_ORACLE_KINDS];
    char examples[ND_ORACLE_KINDS][256]; /**< name of the first page of that kind */
    nd_page page;
    nd_buffer ours;
    nd_buffer theirs;
    nd_buffer rewritten;
} nd_oracle;

/** Compare one page; `name` is for the examples. */
nd_status nd_oracle_compare(nd_oracle *oracle, const char *name, nd_span html);

/** Compare a file, or all files named *.html or *.htm below a folder.
 * \return ND_OK, ND_ERR_IO (file named in the failure's text) or ND_ERR_MEMORY */
nd_status nd_oracle_walk(nd_oracle *oracle, const char *path);

/** Print the counts and an example of each kind. */
void nd_oracle_print(const nd_oracle *oracle, FILE *out);

void nd_oracle_free(nd_oracle *oracle);

/* ---- The words of an HTML page as libxml2's parser sees them: the oracle of the extractor. What
 * the elements mean is written down a second time here, so that a slip in the extractor's own table
 * shows. Words are runs of letters and digits, said more simply than the tokeniser does. */

/** Append the words of a text, each followed by a line feed. */
void nd_test_words_of_text(nd_buffer *words, nd_span text);

/** The words of an HTML page by nd_extract_html(); `words` is replaced. */
nd_status nd_test_words_of_page(nd_buffer *words, nd_page *page, nd_span html);

/** The text of an HTML page by libxml2's SAX parser; `text` is replaced. */
nd_status nd_test_text_by_libxml(nd_buffer *text, nd_span html);

/** The words of an HTML page by libxml2's SAX parser; `words` is replaced. */
nd_status nd_test_words_by_libxml(nd_buffer *words, nd_span html);

/* ---- A slow, plain extractor to test the fast one against: it walks the page byte by byte, keeps
 * names as strings, looks through whole lists, and knows only the tags that the tests' tag soup
 * has. */

/** Append a block as "[flags link_bytes]text|". Stops the test program if memory runs out. */
void nd_test_dump_block(nd_buffer *dump, uint32_t flags, size_t link_bytes, const void *text,
                        size_t size);

/** The blocks of a page of at most 64 KiB of text, in that form; `dump` is replaced.
 * \param[in] html  at least 4 zero bytes must follow it */
void nd_test_slow_extract(nd_buffer *dump, nd_span html);

#endif
