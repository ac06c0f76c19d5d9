/** \file mpi/cmd/filter/revisits.h
 * What the revisit records of archives refer to: pages that are kept, pages that are dropped, or
 * nothing among the inputs. By the id of a record or, where there is none or no page has it, by
 * URL and date. Names are hashes. Records are only counted here.
 */
#ifndef ND_CMD_FILTER_REVISITS_H
#define ND_CMD_FILTER_REVISITS_H

#include "io/input/record_walk.h"
#include "io/result/result_pages.h"
#include "mpi/comm/comm.h"

/** What a revisit refers to, as hashes; 0: it does not say. */
typedef struct nd_revisit {
    uint64_t id;
    uint64_t place; /**< URL and second */
} nd_revisit;

/** All zero is valid and empty. */
typedef struct nd_revisits {
    nd_revisit *revisits;
    size_t count, capacity;
} nd_revisits;

nd_status nd_revisits_add(nd_revisits *list, const nd_walked *walked);

typedef struct nd_revisit_counts {
    uint64_t kept, dropped, unknown;
} nd_revisit_counts;

/** Collective. Count those of all ranks, which go to rank 0: some 70 bytes of memory each there.
 * \param[in] kept     on rank 0, as of nd_result_choose()
 * \param[out] counts  on rank 0 */
nd_status nd_revisits_count(const nd_comm *comm, nd_revisits *list, const nd_result *result,
                            const uint64_t *kept, nd_revisit_counts *counts);

void nd_revisits_free(nd_revisits *list);

#endif
