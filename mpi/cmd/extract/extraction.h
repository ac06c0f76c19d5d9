/** \file mpi/cmd/extract/extraction.h
 * From pages to lines: the pages of inputs, each by itself, or those of a run, with what it learned
 * of their sites. A page at a time; where the lines go, and what is asked of whom, is the
 * command's. Invariant: a line for each page, in the order of their numbers, or a failure.
 */
#ifndef ND_CMD_EXTRACT_EXTRACTION_H
#define ND_CMD_EXTRACT_EXTRACTION_H

#include "io/store/output_file.h"
#include "mpi/cmd/extract/kept_text.h"

#include <stdio.h>

/** A start has `job` and `to`, and zeros. */
typedef struct nd_extraction {
    nd_job *job; /**< its options say how; its totals count */
    FILE *to;    /**< where the lines go; borrowed */
    nd_record_limits limits;
    nd_page_maker maker;
    nd_kept_text kept;                         /**< of the present page */
    size_t source;                             /**< being read */
    uint64_t without_text, first_without_text; /* lines of JSONL of it; where the first lies */
} nd_extraction;

/** All pages of the job's inputs. What is wrong with an input is named and counted in its totals,
 * and the others are read.
 * \return ND_OK; ND_ERR_FORMAT if there is no page at all; or a failure that is not the inputs' */
nd_status nd_extract_inputs(nd_extraction *extraction);

/** All pages of a run, of which the job has the options: what of a page is kept is what the run
 * compared of it.
 * \param[in] leaders       only the pages that lead a set
 * \param[in] taken  see nd_run_pages_open()
 * \return ND_OK; ND_ERR_CHANGED, naming it, if an input is not what it was; ND_ERR_FORMAT if the
 *         result does not say what the run learned of sites; or as nd_run_pages_open() */
nd_status nd_extract_run(nd_extraction *extraction, const nd_result *result, bool leaders,
                         const nd_output_files *taken);

void nd_extraction_free(nd_extraction *extraction);

#endif
