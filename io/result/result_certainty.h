/** \file io/result/result_certainty.h
 * What a result promises of /pages/certainty: a probability for each page, and 1 for each
 * representative. For `check`; how it is made is not asked (src/method/certainty.h).
 */
#ifndef ND_IO_RESULT_RESULT_CERTAINTY_H
#define ND_IO_RESULT_RESULT_CERTAINTY_H

#include "io/result/result_schema.h"

/** Check the column of an opened result; one of format version 1 has none.
 * \return ND_OK; ND_ERR_FORMAT with a text that names the first page of which it is broken;
 * ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_certainty_check(const nd_result *result);

#endif
