/** \file mpi/cmd/evaluate/labelled_result.h
 * What results say of labelled pages. A truth is read from label files once; any number of results
 * can then be read against it, each giving its columns by row of the truth's ids, so that the sets
 * of two results for one page stand at the same index. A page of a result is known by its id, or by
 * its URL if it has no id. Nothing is counted or printed here.
 */
#ifndef ND_CMD_EVALUATE_LABELLED_RESULT_H
#define ND_CMD_EVALUATE_LABELLED_RESULT_H

#include "io/result/labels.h"
#include "io/result/result_read.h"
#include "src/measure/agreement.h"

/** Set and page of a labelled page that a result does not have. */
#define ND_NO_SET  UINT64_MAX
#define ND_NO_PAGE UINT64_MAX

/** Where a truth is read from; borrowed. */
typedef struct nd_truth_files {
    const char *truth;
    const char *loose;     /**< NULL: none */
    const char *ambiguous; /**< NULL: none */
    uint64_t column; /**< of the cluster; 0: 2, or a truth of pairs where the file has 3 columns */
    bool bands;      /**< listed pairs were drawn from bands, which they name */
} nd_truth_files;

/** The column of the cluster where none is given, and the least that can be. */
enum { ND_CLUSTER_COLUMN = 2 };

/** All zero is valid and empty. */
typedef struct nd_truth {
    nd_labels labels; /**< owned */
    bool by_pairs;    /**< pairs of pages are listed, not clusters */
} nd_truth;

/** Read a truth. \return ND_OK; ND_ERR_FORMAT if there is no labelled page in it; ND_ERR_USAGE for
 * ambiguous clusters of a truth of pairs; ND_ERR_IO, ND_ERR_MEMORY. The truth is to be freed in any
 * case. */
nd_status nd_truth_read(const nd_truth_files *files, nd_truth *truth);

void nd_truth_free(nd_truth *truth);

/** What one result says, by row of nd_truth.labels.ids; all arrays owned. All zero is valid and
 * empty. */
typedef struct nd_labelled_result {
    size_t count;   /**< rows: labelled pages */
    uint64_t *set;  /**< ND_NO_SET: the result lacks the page */
    uint64_t *page; /**< the page's number in the result; ND_NO_PAGE */
    uint64_t *site; /**< hash of the host of its URL (or of its id, if that is one); ND_NO_SITE */
    float *similarity;    /**< to the representative of its set */
    float *certainty;     /**< that it is a near-duplicate of it; 0 where the result has none */
    bool *representative; /**< of its set, among all pages of the result */
    bool *left_out;       /**< loose, or not in the result: no pair with the page is evaluated */
    uint64_t missing;     /**< labelled pages that are not in the result */
    uint64_t loose;       /**< of the others, loose */
    uint64_t repeated;    /**< pages of the result whose id an earlier page has: the first counts */
} nd_labelled_result;

/** Find the labelled pages in a result file. Takes the result's sets in memory, 8 bytes each, and
 * its pages a block at a time.
 * \param[in] truth_path  for the text of a failure
 * \return ND_OK; ND_ERR_FORMAT also for a result with none of the pages; ND_ERR_IO, ND_ERR_MEMORY.
 * The labelled result is to be freed in any case. */
nd_status nd_labelled_result_open(const nd_truth *truth, const char *truth_path,
                                  const char *result_path, nd_labelled_result *labelled);

/** The pages as src/measure takes them, borrowed from both; the truth has clusters. */
nd_labelled_pages nd_labelled_result_pages(const nd_truth *truth,
                                           const nd_labelled_result *labelled);

void nd_labelled_result_free(nd_labelled_result *labelled);

#endif
