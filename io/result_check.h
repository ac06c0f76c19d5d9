/** \file io/result_check.h
 * Every promise of a result file, checked: that pages and sets are one partition, that links form
 * trees toward the representatives, that numbers, similarities and offsets are in their ranges and
 * that tables agree. The file was opened by nd_result_open(), so its columns agree in length.
 * Takes 17 bytes of memory a page and 24 a source, and reads the rest in parts; the time is linear
 * in the size of the file. Whether its bytes are those that were written: io/result_seal.h.
 */
#ifndef ND_IO_RESULT_CHECK_H
#define ND_IO_RESULT_CHECK_H

#include "io/result_schema.h"

/** Is called once for each promise that is broken: what, where first, and how often, in one line.
 */
typedef void (*nd_broken_promise)(void *context, const char *text);

/** Not collective. Check all promises. \param[out] broken  how many do not hold
 * \return ND_OK, also if some do not hold; ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY if something
 *         could not be read: what was found before has been told */
nd_status nd_result_check(const nd_result *result, nd_broken_promise tell, void *context,
                          uint64_t *broken);

#endif
