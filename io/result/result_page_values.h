/** \file io/result/result_page_values.h
 * What a result promises of single values of a page: of /pages/certainty a probability for each
 * page, and 1 for each representative; of /pages/date a second of the years 1970 to 9999; of
 * /pages/form 0 or 1; of /pages/revisit_of a page that is no revisit, in the set of the revisit,
 * with the same first page of their text, or the revisit itself, which then is nobody's copy. For
 * `check`; how they are made is not asked (src/method/certainty.h, io/input/date.h).
 */
#ifndef ND_IO_RESULT_RESULT_PAGE_VALUES_H
#define ND_IO_RESULT_RESULT_PAGE_VALUES_H

#include "io/result/result_schema.h"
#include "io/store/page_claim.h"

/** Check the columns of an opened result; those that it lacks are fine.
 * \return ND_OK; ND_ERR_FORMAT with a text that names the first page of which it is broken;
 * ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_page_values_check(const nd_result *result);

#endif
