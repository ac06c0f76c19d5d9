#include "mpi/comm/deal.h"

#include "mpi/comm/exchange.h"
#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stdlib.h>
#include <string.h>

void nd_deal_owners(const nd_comm *comm, const void *records, uint64_t count, size_t record_size,
                    nd_cost cost, nd_together together, int *owners) {
    const uint8_t *mine = records;
    uint64_t own = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t here = cost(mine + i * record_size);
        ND_ASSERT(here > 0, here, i);
        own += here;
    }
    double before = (double)nd_comm_before(comm, own);
    const double total = (double)nd_comm_sum(comm, own);
    int last = 0; /* shares follow one another as the ranks do */
    for (uint64_t begin = 0; begin < count;) {
        uint64_t end = begin; /* of the records that stay together */
        double here = 0;
        do {
            here += (double)cost(mine + end * record_size);
            end++;
        } while (end < count && together != NULL &&
                 together(mine + (end - 1) * record_size, mine + end * record_size));
        const int rank = (int)((before + here / 2) / total * comm->size);
        ND_ASSERT(rank >= last, rank, last, begin);
        last = rank;
        for (; begin < end; begin++) {
            owners[begin] = rank < comm->size ? rank : comm->size - 1;
        }
        before += here;
    }
}

nd_status nd_deal(nd_comm *comm, void *records, uint64_t *count, size_t record_size, nd_cost cost,
                  nd_together together) {
    nd_status st = ND_OK;
    const uint8_t *mine = NULL;
    int *owners = NULL;
    memcpy(&mine, records, sizeof mine);
    nd_new_room(&owners, *count, sizeof *owners);
    nd_deal_owners(comm, mine, *count, record_size, cost, together, owners);
    ND_TRY(nd_shuffle_to(comm, records, count, record_size, owners));
out:
    free(owners);
    return st;
}
