/** \file io/result/result_order.h
 * Pages of a result in the order of what the result does not hold as a number: of the SURTs of
 * their URLs, or of a field of JSONL, which is read again from the inputs. Ranks are given, not
 * values; equal values have one. Memory is bounded but for them: values are sorted within a bound.
 */
#ifndef ND_IO_RESULT_RESULT_ORDER_H
#define ND_IO_RESULT_RESULT_ORDER_H

#include "io/result/result_schema.h"

/** Rank the pages.
 * \param[in] field   by name, as in io/input/jsonl.h: the largest value first. Numbers, also as
 *                    texts, are compared as such, other texts by their bytes, and come after all
 *                    numbers; then pages without. NULL: by SURT, those without a URL last
 * \param[in] memory  see nd_line_sort_open()
 * \param[out] ranks  a number for each page, the smaller the earlier; the caller's to free()
 * \return ND_OK; ND_ERR_USAGE if no page has the field; ND_ERR_CHANGED if an input is not what it
 *         was; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_order(const nd_result *result, const char *field, uint64_t memory,
                          uint64_t **ranks);

#endif
