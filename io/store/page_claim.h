/** \file io/store/page_claim.h
 * What an archive says of its records by which a revisit, a record without a text of its own, can
 * be brought to the page that it is a copy of. Nobody checks here whether it is true.
 */
#ifndef ND_IO_STORE_PAGE_CLAIM_H
#define ND_IO_STORE_PAGE_CLAIM_H

#include <stdint.h>

/** In place of the page that a revisit is of: a page is no revisit. */
#define ND_NO_REVISIT UINT64_MAX

/** By what revisits find what they are copies of, as hashes (io/input/archive_header.h); 0: it is
 * not said. No padding: it is kept as bytes. */
typedef struct nd_page_claim {
    uint64_t payload;      /**< of the page, or of what the revisit is a copy of */
    uint64_t refers_id;    /**< of a revisit: of what it is a copy of */
    uint64_t refers_place; /**< likewise: URL and second */
} nd_page_claim;

#endif
