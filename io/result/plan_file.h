/** \file io/result/plan_file.h
 * Rates (src/plan/plan_rates.h) from result files of finished runs, and rates as a small JSON
 * file:
 *
 *   {"format": "neardup-coefficients", "format_version": 1, "pages": 1000000,
 *    "runs": ["sets.h5: 100000 pages on 2 ranks", ...],
 *    "coefficients": {"names": {"value": 69, "per_doubling": 0, "growth": "linear",
 *                               "unit": "..."}, ...}}
 *
 * `value` holds at `pages` pages, `per_doubling` is added with every doubling.
 */
#ifndef ND_IO_RESULT_PLAN_FILE_H
#define ND_IO_RESULT_PLAN_FILE_H

#include "src/base/status.h"
#include "src/plan/plan_rates.h"

/** What a result file says of its run.
 * \return ND_OK; as nd_result_open(); ND_ERR_FORMAT if it is no result, or of a program that did
 * not keep totals yet, or of a run that had no pages or no pairs, which says too little */
nd_status nd_plan_run_read(const char *path, nd_plan_run *run);

/** Write rates. \param[in] paths  of the results that they are from
 * \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_plan_rates_write(const char *path, const nd_plan_rates *rates,
                              const char *const *paths, const nd_plan_run *runs, size_t count);

/** Read rates; those that the file does not name stay as they are.
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_IO, or ND_ERR_FORMAT, naming what is wrong */
nd_status nd_plan_rates_read(const char *path, nd_plan_rates *rates);

#endif
