/** \file mpi/stage/state.h
 * What stages hand on: the state of a job, and a row for each array that lies in it, in the work
 * folder or in an index. Opening, keeping, getting back, dropping and freeing follow from the rows,
 * for all arrays that need no more than that; a stage does the rest itself. An array in a folder
 * can be loaded on any number of ranks, whatever number has saved it: records of pages in the
 * pages' order, those of a spool in any order and dealt anew. Invariant: an array is in the work
 * folder from the stage that leaves it to the one that uses it up.
 */
#ifndef ND_STAGE_STATE_H
#define ND_STAGE_STATE_H

#include "io/store/page_store.h"
#include "mpi/comm/fetch.h"
#include "mpi/comm/groups.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/job.h"
#include "mpi/stage/stage.h"
#include "src/base/buffer.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/text/word_codes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two pages to be compared. Plain value: it is sent as bytes. */
typedef struct nd_pair {
    uint64_t item;     /**< pages are fetched once for all pairs of an item; below the pages */
    uint64_t a, b;     /**< a < b */
    uint64_t relation; /**< ND_PAIR_* */
    uint32_t a_tokens, b_tokens;
} nd_pair;

/** Where a page ended up. */
typedef struct nd_set_member {
    uint64_t set; /**< smallest page of its set */
    uint64_t representative;
    uint64_t link; /**< the page by whose link it joined; itself for the representative */
    float link_similarity;
    float similarity; /**< to the representative */
} nd_set_member;

/** A site of which content selection learned something. No padding: it is kept as bytes. */
typedef struct nd_found_site {
    uint64_t site;                /**< its hash */
    uint64_t page;                /**< one of its pages */
    uint64_t templates, repeated; /**< how many hashes of nd_found_sites are its */
    uint64_t repeats_all;         /**< 1: every link of its pages, so that none is listed */
} nd_found_site;

/** The sites of which something was learned, over all ranks by hash; what is of one may lie on two
 * ranks. */
typedef struct nd_found_sites {
    nd_spool sites;     /**< nd_found_site */
    nd_spool templates; /**< uint64_t: masked hashes of template sentences, ascending in a site */
    nd_spool repeated;  /**< uint64_t: of links that a site repeats, likewise */
} nd_found_sites;

/** What of a site is known: a word, sorted by (site, kind, value). No padding: it is sent as bytes.
 */
typedef struct nd_site_word {
    uint64_t site, kind, value; /**< kind: ND_SITE_* */
} nd_site_word;

enum {
    ND_SITE_ASKED,       /**< by a rank, the value */
    ND_SITE_PAGE,        /**< one of its pages */
    ND_SITE_REPEATS_ALL, /**< each link of its pages */
    ND_SITE_TEMPLATE,    /**< hash of a sentence */
    ND_SITE_REPEATED     /**< hash of a link */
};

/** Where a page's keys lie in the array of all keys. No padding: it is kept as bytes. */
typedef struct nd_key_range {
    uint64_t first, count;
} nd_key_range;

/** What it takes to read texts of indexed pages (mpi/stage/index_pages.h). */
typedef struct nd_index_texts nd_index_texts;

/** Pages of earlier runs, which are numbered before this run's own (mpi/stage/index_pages.h). All
 * zero: there are none. */
typedef struct nd_index_pages {
    nd_checkpoint folder; /**< that holds them, for reading */
    uint64_t pages;       /**< numbers [0, pages) */
    uint64_t sources;     /**< inputs in front that they came from */
    nd_site_word *sites;  /**< what is known of the sites of this rank's new pages, until they are
                               selected; then of all its pages, if indexed ones are read again */
    uint64_t site_count;
    nd_index_texts *texts;
    nd_packed_reader digests;
    uint8_t *form; /**< of this rank's pages, from the join on: 1: of a form that was parted before,
                        or similar to a page of one */
} nd_index_pages;

/** The index of options.index, with options.reread: index.pages is 0 then. */
typedef struct nd_reread_index {
    nd_checkpoint folder;
    uint64_t pages, sources; /**< the first ones of the job */
} nd_reread_index;

/** How payloads travel, see common_words.h. */
typedef struct nd_common_words {
    bool known;
    bool *packs; /**< NULL: nothing is packed */
    nd_word_codes codes;
    nd_wire wire;
} nd_common_words;

/** The state. Which stage sets what is said in stage.h. */
typedef struct nd_state {
    nd_method_work method_work; /* of options.method, on this rank */

    nd_page_store pages;  /* this rank's pages */
    nd_index_pages index; /* with options.index */
    nd_reread_index reread;
    nd_found_sites sites; /* for the result */

    uint64_t *exact_of; /* first page with the same text, of this rank's pages; of a revisit, which
                           has none, of that which it is of: only such may come later */
    uint64_t *revisit_of;   /* likewise, which page a revisit is of, itself if that is not there;
                               others: ND_NO_REVISIT. NULL: no page of any rank is one */
    uint64_t *content_of;   /* first page with the same text or, of these, the same content */
    nd_spool digests;       /* digest records of this rank's pages, packed, see compare.h */
    uint64_t *digest_begin; /* where each begins, and where the last ends */
    size_t digest_capacity;
    uint64_t digest_count;
    nd_buffer digest_scratch, digest_record;
    nd_common_words common_words;
    nd_spool waiting_keys; /* of this rank's pages, made while contents are selected: signing.h */
    nd_groups groups;      /* postings on their keys' ranks */
    nd_spool keys; /* with options.write_index: uint64_t: those of this rank's own new pages */
    nd_key_range *key_ranges; /* likewise: of all this rank's pages */
    nd_spool pairs;           /* nd_pair: bound-passing, distinct over all ranks */
    uint64_t pair_count;
    nd_spool links; /* nd_link: verified pairs; until the join, with keep_pairs until the end */
    uint64_t link_count;
    nd_spool contained; /* nd_link: a, the contained page, its container, the share */
    uint64_t contained_count;
    nd_set_member *members; /* of this rank's pages */
    uint8_t
        *form; /* of them, 1: its set was a form; of copies the first with their content knows */
    float *certainty; /* of this rank's pages, once their sets are final */
} nd_state;

/** What an array has in an index. */
typedef enum nd_in_index {
    ND_INDEX_WITHOUT,  /**< it is not there, or the stage `index` makes it */
    ND_INDEX_NUMBERED, /**< records of the index before and of the work folder, numbered through */
    ND_INDEX_BEFORE,   /**< records of the index before; the stage adds those of new pages */
    ND_INDEX_SETS      /**< the same, or if all sets are made anew, those of all pages */
} nd_in_index;

/** Is it a record that the job can go on with? Anyone may have made the file. */
typedef bool (*nd_is_record)(const nd_job *job, const void *record);

/** An array. */
typedef struct nd_state_array {
    const char *name;      /**< in folders */
    size_t record_size;    /**< bytes; 0: it lies in folders alone */
    bool of_pages;         /**< a record for each page, in their order */
    bool optional;         /**< there may be none although there are pages */
    size_t at;             /**< in nd_state: of a pointer to records of pages, or of an nd_spool;
                                0: as above */
    size_t count_at;       /**< in nd_state: of the number of records of a spool; 0: none */
    uint64_t spool_part;   /**< its part of a spool's memory: one in so many */
    unsigned left_by;      /**< 1 << nd_stage_number: stages after which its row keeps it */
    unsigned used_up_by;   /**< stages after which it is needed no more */
    nd_is_record is_right; /**< NULL: of any bytes */
    bool (*stays)(const nd_job_options *options); /**< is it needed to the end? NULL: it is not */
    nd_in_index in_index;
} nd_state_array;

/** All of them; the last has no name. */
extern const nd_state_array nd_state_arrays[];

/** Not collective. Make a job's state, with nothing in it; the job has its options and folders. */
void nd_state_open(nd_job *job);

/** Not collective. Free it and all that it has, after whatever failure. */
void nd_state_close(nd_job *job);

/** Collective. Keep what a stage leaves for the next commit, and forget what it has used up.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_state_save(nd_job *job, const nd_stage *stage);

/** Collective. Get back what a stage was the last to leave, unless it is used up.
 * \param[in] so_far  1 << nd_stage_number: the stages of the run that are done
 * \return ND_OK on all ranks; ND_ERR_FORMAT if a record is none, or another failure, on all */
nd_status nd_state_load(nd_job *job, const nd_stage *stage, unsigned so_far);

/** Not collective. The records that a row has of this rank's pages. */
const void *nd_state_records(nd_job *job, const nd_state_array *row);

/** Not collective. Keep records of this rank's pages in a folder, for its next commit.
 * \param[in] records  of all of them \param[in] from  the first that is kept
 * \return as nd_checkpoint_save() */
nd_status nd_pages_save(const nd_job *job, nd_checkpoint *to, const char *array, size_t record_size,
                        const void *records, uint64_t from);

/** Not collective. Append this rank's equal share of an array of links to job->state->links.
 * \param[out] count  links of the share \return as nd_checkpoint_load(), and ND_ERR_FORMAT if one
 * is none */
nd_status nd_links_load(nd_job *job, const nd_checkpoint *from, const char *array, uint64_t *count);

/** Not collective. Pairs [begin, end) of an array. \return likewise */
nd_status nd_pairs_load(const nd_job *job, const char *array, uint64_t begin, uint64_t end,
                        nd_pair *pairs);

/* ---- What a stage hands to those after it, checked between stages on all ranks: that pages,
 * firsts, pairs, links and members are what stage.h and job.h say of them, each once over all
 * ranks, and that the totals agree with them. Nothing is changed. What does not hold of what this
 * run made is a broken contract (src/base/status.h), and of what rests on a folder a damaged
 * folder. */

/** Collective. Check what the job holds after a stage that has run. */
void nd_stage_check_left(const nd_job *job, const nd_stage *stage);

/** Collective. The same of a job that has gone on from a work folder, or from an index: what does
 * not hold may be because of that, which anyone may have made. \return ND_OK on all ranks, or
 * ND_ERR_FORMAT on all */
nd_status nd_stage_check_loaded(const nd_job *job, const nd_stage *stage);

#endif
