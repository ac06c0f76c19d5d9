/** \file mpi/stage/common_words.h
 * How payloads travel: the words that come most often in all ranks' pages have codes
 * (src/text/word_codes.h). They are found in a sample of the pages, and nothing but the number of
 * bytes sent depends on them. Between processes of one node, where bytes cost less than codes,
 * payloads travel as they are.
 */
#ifndef ND_STAGE_COMMON_WORDS_H
#define ND_STAGE_COMMON_WORDS_H

#include "mpi/stage/state.h"

/** Collective. How payloads travel; found out with the first call.
 * \param[out] wire  borrowed; NULL: as they are, to all
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_common_words_wire(nd_job *job, const nd_wire **wire);

/** Collective. Find the words; for the function above, and for tests.
 * \param[in] packs  [rank]: payloads between it and this one are packed
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_common_words_find(nd_job *job, const bool *packs);

/** Not collective. */
void nd_common_words_close(nd_common_words *words);

#endif
