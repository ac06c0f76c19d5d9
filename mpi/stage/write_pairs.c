#include "mpi/stage/write_pairs.h"

#include "mpi/comm/exchange.h"
#include "mpi/stage/result_tables.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>

/* Pairs are distinct, so that this order is total. */
static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

nd_status nd_write_pairs(nd_job *job, nd_result *result, const nd_pair_columns *table,
                         nd_spool *pairs) {
    nd_status st = ND_OK;
    const nd_comm *comm = &job->comm;
    const uint64_t room = job->options.memory.round / sizeof(nd_link) + 1;
    uint64_t *a = NULL;
    uint64_t *b = NULL;
    float *similarity = NULL;
    nd_external_sort sorted;
    const nd_shuffle_stream stream = {.comm = &job->comm,
                                      .record_size = sizeof(nd_link),
                                      .owner = nd_shuffle_owner_of_item,
                                      .owner_context = job->first,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &sorted};
    nd_external_sort_open(&sorted, &job->folder, sizeof(nd_link), &by_pages,
                          job->options.memory.sort);
    ND_TRY(nd_shuffle_spool(&stream, pairs));
    nd_spool_close(pairs);
    st = nd_external_sort_finish(&sorted);
    st = st != ND_OK ? st : nd_new_room(&a, room, sizeof *a);
    st = st != ND_OK ? st : nd_new_room(&b, room, sizeof *b);
    st = st != ND_OK ? st : nd_new_room(&similarity, room, sizeof *similarity);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_result_agree(comm, result, nd_result_group(result, table->group)));
    const struct {
        const char *name;
        nd_column_type type;
        const void *values;
    } columns[] = {{table->a, ND_COLUMN_U64, a},
                   {table->b, ND_COLUMN_U64, b},
                   {table->similarity, ND_COLUMN_F32, similarity}};
    uint64_t left = nd_external_sort_count(&sorted);
    nd_slab slab = {.total = nd_comm_sum(comm, left), .offset = nd_comm_before(comm, left)};
    const uint64_t pages = job->first[comm->size];
    do { /* in rounds of bounded size; a rank that has no more writes nothing */
        slab.count = nd_min(left, room);
        for (uint64_t i = 0; st == ND_OK && i < slab.count; i++) {
            const void *record = NULL;
            st = nd_external_sort_next(&sorted, &record);
            const nd_link *pair = record;
            ND_ASSERT(st != ND_OK || (pair->a < pages && pair->b < pages), i, slab.offset, pages);
            if (st == ND_OK) {
                a[i] = pair->a;
                b[i] = pair->b;
                similarity[i] = (float)pair->similarity;
            }
        }
        ND_TRY(nd_comm_agree(comm, st));
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            st =
                nd_result_write(result, columns[c].name, columns[c].type, &slab, columns[c].values);
            ND_TRY(nd_result_agree(comm, result, st));
        }
        slab.offset += slab.count;
        slab.goes_on = true;
        left -= slab.count;
    } while (nd_comm_max(comm, left) > 0);
out:
    nd_external_sort_close(&sorted);
    free(a);
    free(b);
    free(similarity);
    return st;
}
