/** \file mpi/stage/site_sample.h
 * A sample of each site's pages, all on one rank: the pages whose texts have the smallest hashes,
 * one page per distinct text (bottom-k: Cohen and Kaplan, PODC 2007). Which pages these are depends
 * on the pages alone, not on the ranks; and every rank chooses among its own pages first, so that a
 * site with a third of all pages costs no more than any other with a full sample. Sites are dealt
 * to ranks by the sentences of their samples, for that is the work they make. Pages of no site are
 * in no sample, nor are those of sites that an index knows.
 */
#ifndef ND_STAGE_SITE_SAMPLE_H
#define ND_STAGE_SITE_SAMPLE_H

#include "io/store/external_sort.h"
#include "mpi/job/job.h"
#include "src/sets/template.h"

/** A sampled page. No padding: it is sent as bytes. */
typedef struct nd_site_page {
    uint64_t site;
    uint64_t order; /**< hash of the text: the smallest are the sample */
    uint64_t page;
    uint32_t rank; /**< that holds the page */
    uint32_t sentences;
} nd_site_page;

/** Not collective. What a sampled page costs the rank of its site, in sentences: those it has, and
 * a few for the page itself. */
uint64_t nd_site_page_cost(const void *page);

/** Collective. The samples of the sites that this rank is to look at.
 * \param[in]  most   pages of a site
 * \param[out] pages  sorted by site, then order, over all ranks; the caller's to free(); NULL on
 *                    failure
 * \param[out] ranks  (site, rank) as key and value for every rank that holds pages with text of a
 *                    site of `most` sampled pages: there may be pages that are not in the sample
 * and no copies of one that is. Sorted, distinct; the caller's to free(); NULL on failure \return
 * ND_OK on all ranks, or a failure on all */
nd_status nd_site_sample(nd_job *job, uint64_t most, nd_site_page **pages, uint64_t *count,
                         nd_key_value **ranks, uint64_t *rank_count);

/* ---- The sentences of sampled pages, brought to the rank of their site: every rank reads its
 * pages once, in order, and sends what the sample wants of them; the site's rank sorts it by the
 * pages' numbers in the sample, in files if it has to, and reads it site by site. What the
 * sentences are used for is stage_content.c's business. */

/** What the page alone says of a sentence. */
enum { ND_SITE_SENTENCE_KEPT, ND_SITE_SENTENCE_LINK };

/** Bits of a part's number: more parts than a page of 2^32 sentences has. */
enum { ND_SITE_FRAGMENT_SENTENCES = 15, ND_SITE_PART_BITS = 29 };

/** Some sentences of a page, on their way. No padding. */
typedef struct nd_site_fragment {
    uint64_t key;   /**< the page's number in the sample of all ranks; part 0, 1, ... of the page */
    uint16_t count; /**< of its sentences */
    uint16_t links; /**< bit i: the i-th sentence is ND_SITE_SENTENCE_LINK, else ..._KEPT */
    uint32_t tokens[ND_SITE_FRAGMENT_SENTENCES]; /**< as the minima, of links 0 */
    uint64_t masked[ND_SITE_FRAGMENT_SENTENCES];
    uint32_t minima[ND_SITE_FRAGMENT_SENTENCES][ND_TEMPLATE_MINIMA];
} nd_site_fragment;

/** A page's or sampled page's number and a part of it, in one word that sorts like them. */
static inline uint64_t nd_site_key(uint64_t number, uint64_t part) {
    return number << ND_SITE_PART_BITS | part;
}

static inline uint64_t nd_site_key_number(uint64_t key) {
    return key >> ND_SITE_PART_BITS;
}

static inline uint64_t nd_site_key_part(uint64_t key) {
    return key & ((UINT64_C(1) << ND_SITE_PART_BITS) - 1);
}

/** What is to become of a fragment's sentences. No padding. */
typedef struct nd_site_marks {
    uint64_t key;       /**< page and part */
    uint32_t templates; /**< bit i: the i-th sentence is of the site's template */
    uint32_t repeated;  /**< ... is a link that the site repeats */
} nd_site_marks;

/** The sites of this rank, one after the other. */
typedef struct nd_site_reader {
    nd_external_sort sorted;       /**< nd_site_fragment by key */
    const nd_site_page *sample;    /**< of this rank's sites; borrowed */
    uint64_t first;                /**< number of the first of them */
    uint64_t next, end;            /**< pages of the sample: after the present site; all */
    const nd_site_fragment *ahead; /**< opens the next site; NULL: there is none */
    nd_site_fragment *fragments;   /**< of the present site */
    size_t capacity;
    uint64_t count;
} nd_site_reader;

/** Names the kind of a sentence of one of this rank's pages. \return false: it is not wanted */
typedef bool (*nd_sentence_kind)(const void *context, const nd_sentence_digest *sentence,
                                 uint32_t *kind);

/** Collective. Bring the sentences of sampled pages together.
 * \param[in]  sample  of this rank's sites, as nd_site_sample() gives it; borrowed until the reader
 *                     is closed
 * \param[out] reader  before the first site; to be closed on failure too
 * \return ND_OK on all ranks, or a failure on all (ND_ERR_LIMIT: more pages than a key can number)
 */
nd_status nd_site_sentences(nd_job *job, const nd_site_page *sample, uint64_t sample_count,
                            nd_sentence_kind kind, const void *context, nd_site_reader *reader);

/** Not collective. The fragments of the next site: reader->fragments, by page and part; none
 * (reader->count 0) after the last. */
nd_status nd_site_reader_next(nd_site_reader *reader);

/** Not collective. The sampled page of a fragment. */
static inline const nd_site_page *nd_site_reader_page(const nd_site_reader *reader,
                                                      const nd_site_fragment *fragment) {
    return &reader->sample[nd_site_key_number(fragment->key) - reader->first];
}

/** Not collective. */
void nd_site_reader_close(nd_site_reader *reader);

/** Collective. Bring the marks of all ranks home.
 * \param[in]  marks  this rank's (nd_site_marks), in any order
 * \param[out] sorted    those on this rank's pages, by page and part, to be read from the first; to
 * be closed on failure too \return ND_OK on all ranks, or a failure on all */
nd_status nd_site_marks_return(nd_job *job, const nd_spool *marks, nd_external_sort *sorted);

#endif
