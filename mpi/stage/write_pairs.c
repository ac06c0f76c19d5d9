#include "mpi/stage/write_pairs.h"

#include "mpi/comm/shuffle_stream.h"
#include "mpi/stage/result_tables.h"

#include <stdlib.h>

/* Pairs as they are written at once, column by column. */
typedef struct pair_columns {
    uint64_t *a, *b;
    float *similarity;
    uint64_t room;
} pair_columns;

/* Pairs are distinct, so that this order is total. */
static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

static int owner_of_first(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_link *)record)->a);
}

/* All pairs in one order over the ranks, each with the rank of its first page. */
static nd_status sort_pairs(nd_job *job, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const nd_shuffle_stream stream = {.comm = &job->comm,
                                      .record_size = sizeof(nd_link),
                                      .owner = owner_of_first,
                                      .owner_context = job->first,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = sorted};
    nd_spool_reader_open(&reader, &job->links, sizeof(nd_link), 0, job->link_count, 0);
    ND_TRY(nd_shuffle_run(&stream, nd_shuffle_from_spool, &reader));
    nd_spool_reader_close(&reader);
    nd_spool_close(&job->links);
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(sorted)));
out:
    nd_spool_reader_close(&reader);
    return st;
}

static nd_status columns_new(pair_columns *columns) {
    nd_status st = ND_OK;
    ND_TRY(nd_new(&columns->a, columns->room, sizeof *columns->a));
    ND_TRY(nd_new(&columns->b, columns->room, sizeof *columns->b));
    ND_TRY(nd_new(&columns->similarity, columns->room, sizeof *columns->similarity));
out:
    return st;
}

static nd_status fill(nd_external_sort *sorted, pair_columns *columns, uint64_t count) {
    nd_status st = ND_OK;
    for (uint64_t i = 0; i < count; i++) {
        const void *record = NULL;
        ND_TRY(nd_external_sort_next(sorted, &record));
        const nd_link *pair = record;
        columns->a[i] = pair->a;
        columns->b[i] = pair->b;
        columns->similarity[i] = (float)pair->similarity;
    }
out:
    return st;
}

/* Rows [slab.offset, slab.offset + slab.count) of all three columns. */
static nd_status put_columns(nd_job *job, nd_result *result, const nd_slab *slab,
                             const pair_columns *columns) {
    nd_status st = ND_OK;
    const nd_comm *comm = &job->comm;
    st = nd_result_write(result, "/pairs/a", ND_COLUMN_U64, slab, columns->a);
    ND_TRY(nd_result_agree(comm, result, st));
    st = nd_result_write(result, "/pairs/b", ND_COLUMN_U64, slab, columns->b);
    ND_TRY(nd_result_agree(comm, result, st));
    st = nd_result_write(result, "/pairs/similarity", ND_COLUMN_F32, slab, columns->similarity);
    ND_TRY(nd_result_agree(comm, result, st));
out:
    return st;
}

/* Ranks write in rounds of bounded size; one that has no more writes nothing. */
static nd_status put_sorted(nd_job *job, nd_result *result, nd_external_sort *sorted,
                            pair_columns *columns) {
    nd_status st = ND_OK;
    const nd_comm *comm = &job->comm;
    uint64_t left = nd_external_sort_count(sorted);
    nd_slab slab = {.total = nd_comm_sum(comm, left), .offset = nd_comm_before(comm, left)};
    do {
        slab.count = left < columns->room ? left : columns->room;
        ND_TRY(nd_comm_agree(comm, fill(sorted, columns, slab.count)));
        ND_TRY(put_columns(job, result, &slab, columns));
        slab.offset += slab.count;
        slab.goes_on = true;
        left -= slab.count;
    } while (nd_comm_max(comm, left) > 0);
out:
    return st;
}

nd_status nd_write_pairs(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    nd_external_sort sorted;
    pair_columns columns = {.room = job->options.memory.round / sizeof(nd_link) + 1};
    nd_external_sort_open(&sorted, &job->folder, sizeof(nd_link), &by_pages,
                          job->options.memory.sort);
    ND_TRY(sort_pairs(job, &sorted));
    ND_TRY(nd_comm_agree(&job->comm, columns_new(&columns)));
    ND_TRY(nd_result_agree(&job->comm, result, nd_result_group(result, "/pairs")));
    ND_TRY(put_sorted(job, result, &sorted, &columns));
out:
    nd_external_sort_close(&sorted);
    free(columns.a);
    free(columns.b);
    free(columns.similarity);
    return st;
}
