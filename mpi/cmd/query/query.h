/** \file mpi/cmd/query/query.h
 * Which indexed page a single page is a near-duplicate of: what a run against an index would find,
 * for one page at a time. The keys of all indexed pages are held in memory, sorted; what is
 * compared of a page is read when it is a candidate. Invariant: nothing is learned from the pages
 * asked for.
 */
#ifndef ND_CMD_QUERY_QUERY_H
#define ND_CMD_QUERY_QUERY_H

#include "io/input/page_maker.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/member_certainty.h"
#include "mpi/stage/state.h"

/** An indexed page with its similarity to the one asked for. */
typedef struct nd_search_match {
    uint64_t page;
    double similarity; /**< 0: compared, and not similar */
    nd_span id, url;   /**< borrowed until the next search */
} nd_search_match;

typedef struct nd_search_result {
    bool compared; /**< false: the page is too short to be compared at all */
    bool joins;    /**< it would join the set of `match` */
    bool unsure;   /**< a run would leave it out (--min-confidence): it does not join */
    uint64_t set; /**< the set's number in the result; this and the rest if it joins or is unsure */
    double certain; /**< that it belongs there (src/method/certainty.h); 0: not known */
    nd_search_match match, representative;
} nd_search_result;

/** What the indexed pages say of a site (src/method/certainty.h). */
typedef struct nd_search_site {
    uint64_t site, texts, crowded;
} nd_search_site;

/** Fields are private. */
typedef struct nd_index_search {
    nd_job job; /* its index is the one that is asked; its pages are those that are compared */
    nd_record_limits limits;
    nd_page_maker maker;
    nd_compare_batch batch;
    nd_key_value *postings; /* (key, posting value) of all indexed pages, sorted */
    uint64_t posting_count;
    uint64_t *sets; /* the first pages of all sets */
    uint64_t set_count;
    nd_text_count *of_sets; /* of these pages; NULL: no page is left out for being unsure */
    nd_search_site *sites;  /* of all indexed pages, ascending; one of no texts at the end */
    uint64_t site_count;
    uint64_t *keys;  /* of the page */
    uint64_t *found; /* candidates */
    size_t found_capacity;
    uint64_t numbers[64]; /* of the indexed pages in job.state->pages, the page itself being the
                             first there */
    uint64_t number_count;
    nd_buffer names[2];
    nd_buffer digests; /* scratch */
} nd_index_search;

/** Not collective; MPI has been started. Open an index and read its keys: 16 bytes each.
 * \return ND_OK, or a failure that names the index; to be closed on failure too */
nd_status nd_index_search_open(nd_index_search *search, const char *path);

/** Not collective. \return ND_OK; ND_ERR_LIMIT: the record is no page, nd_fail_text() says why; or
 * another failure */
nd_status nd_index_search_page(nd_index_search *search, const nd_record *record,
                               nd_search_result *result);

void nd_index_search_close(nd_index_search *search);

#endif
