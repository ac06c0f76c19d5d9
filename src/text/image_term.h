/** \file src/text/image_term.h
 * The URL of an image as a word of the page (Henzinger, US 2008/0044016): pages that show different
 * images differ. An image on another host is known by its whole URL; one on the page's own host by
 * its file name alone, so that a page mirrored with its images stays the same. The word is made of
 * letters only and stands for a hash of the URL or the name: any tokeniser takes it for one token.
 *
 * URLs are resolved against the page's, or against that of the page's first base element, as far as
 * is needed to know the host. Dot segments ("a/../b") and escapes stay as they are; fragments are
 * dropped, and in a file name the query. Other attributes (srcset, data-src) are not looked at.
 */
#ifndef ND_TEXT_IMAGE_TERM_H
#define ND_TEXT_IMAGE_TERM_H

#include "src/text/site.h"

#include <stdbool.h>

/** Bytes of a word: "img" and sixteen letters. */
enum { ND_IMAGE_TERM_SIZE = 19 };

/** State of one page; private. */
typedef struct nd_image_terms {
    nd_span page_url; /* borrowed */
    uint64_t hash_seed;
    uint8_t host_memory[ND_SITE_HOST_SIZE];
    nd_span host;   /* the page's; empty: unknown */
    bool has_base;  /* a base element was there */
    nd_buffer base; /* what URLs are relative to if it has another host; else empty */
    nd_buffer url;  /* the present image's */
} nd_image_terms;

/** Begin a page. \param[in] url  the page's, borrowed until the end; may be empty */
void nd_image_terms_start(nd_image_terms *terms, nd_span url, uint64_t hash_seed);

/** Take the href of a base element, as it stands in the document; only the first counts.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_image_terms_base(nd_image_terms *terms, nd_span href);

/** Write the word of an image.
 * \param[in]  src   as it stands in the document
 * \param[out] word  room for ND_IMAGE_TERM_SIZE bytes
 * \param[out] size  bytes written; 0 if the URL is empty or, on the own host, names no file
 * \return ND_OK or ND_ERR_MEMORY (nothing is written then) */
nd_status nd_image_terms_put(nd_image_terms *terms, nd_span src, uint8_t *word, size_t *size);

/** Free the state's memory. */
void nd_image_terms_free(nd_image_terms *terms);

#endif
