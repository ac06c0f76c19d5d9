/** \file io/result/result_check.h
 * A result file checked from its first byte to its last: that its bytes are those that were written
 * (io/result/result_file.h), that its columns agree (io/result/result_schema.h), and then every
 * promise of what is in them: that pages and sets are one partition, that links form trees toward
 * the representatives, that numbers, similarities and offsets are in their ranges and that tables
 * agree. Takes 17 bytes of memory a page and 24 a source, and reads the rest in parts; the time is
 * linear in the size of the file.
 */
#ifndef ND_RESULT_RESULT_CHECK_H
#define ND_RESULT_RESULT_CHECK_H

#include "io/result/result_schema.h"
#include "io/store/page_claim.h"

/** Is called once for each promise that is broken: what, where first, and how often, in one line.
 */
typedef void (*nd_broken_promise)(void *context, const char *text);

/** What was found. */
typedef struct nd_result_findings {
    uint64_t broken; /**< promises that do not hold */
    bool sealed;     /**< there were checksums to compare */
    nd_result_shape shape;
} nd_result_findings;

/** Not collective. Check a file. \param[in] report  is called once for each promise that is broken
 * \return ND_OK, also if promises are broken; ND_ERR_FORMAT if the file is damaged or no result;
 *         ND_ERR_INPUT if it cannot be opened;
 *         ND_ERR_IO or ND_ERR_MEMORY if something could not be read: what was found before has been
 *         reported */
nd_status nd_result_check(const char *path, nd_broken_promise report, void *context,
                          nd_result_findings *findings);

/* ---- What a result promises of single values of a page: of /pages/certainty a probability for
 * each page, and 1 for each representative; of /pages/date a second of the years 1970 to 9999; of
 * /pages/form 0 or 1; of /pages/revisit_of a page that is no revisit, in the set of the revisit,
 * with the same first page of their text, or the revisit itself, which then is nobody's copy. For
 * `check`; how they are made is not asked (src/method/certainty.h, io/input/fields.h). */

/** Check the columns of an opened result; those that it lacks are fine.
 * \return ND_OK; ND_ERR_FORMAT with a text that names the first page of which it is broken;
 * ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_page_values_check(const nd_result *result);

#endif
