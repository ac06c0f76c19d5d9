/** \file io/result/result_check.h
 * A result file checked from its first byte to its last: that its bytes are those that were written
 * (io/result/result_seal.h), that its columns agree (io/result/result_schema.h), and then every
 * promise of what is in them: that pages and sets are one partition, that links form trees toward
 * the representatives, that numbers, similarities and offsets are in their ranges and that tables
 * agree. Takes 17 bytes of memory a page and 24 a source, and reads the rest in parts; the time is
 * linear in the size of the file.
 */
#ifndef ND_IO_RESULT_RESULT_CHECK_H
#define ND_IO_RESULT_RESULT_CHECK_H

#include "io/result/result_schema.h"

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

#endif
