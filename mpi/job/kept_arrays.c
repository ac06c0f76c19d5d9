#include "mpi/job/kept_arrays.h"

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

nd_status nd_kept_pages_save(nd_job *job, const char *array, size_t record_size,
                             const void *records) {
    ND_ASSERT(job->pages.count == job->first[job->comm.rank + 1] - nd_job_own_first(job),
              job->pages.count, job->first[job->comm.rank + 1]);
    return nd_checkpoint_save(&job->checkpoint, array, record_size, nd_job_own_first(job), records,
                              job->pages.count);
}

nd_status nd_kept_pages_load(const nd_job *job, const char *array, size_t record_size,
                             void *records) {
    nd_status st = ND_OK;
    uint8_t *loaded = NULL;
    const uint64_t first = nd_job_own_first(job);
    nd_new(&loaded, job->pages.count, record_size);
    ND_TRY(nd_checkpoint_load(&job->checkpoint, array, record_size, first, first + job->pages.count,
                              loaded));
    memcpy(records, &loaded, sizeof loaded);
    loaded = NULL;
out:
    free(loaded);
    return st;
}

nd_status nd_kept_spool_save(nd_job *job, const char *array, size_t record_size, nd_spool *spool) {
    const uint64_t first = nd_comm_before(&job->comm, spool->size / record_size);
    ND_ASSERT(spool->size % record_size == 0, spool->size, record_size);
    return nd_checkpoint_keep(&job->checkpoint, array, record_size, first, spool);
}

/* ---- what records are */

bool nd_kept_number(const nd_job *job, const void *record) {
    (void)job;
    (void)record;
    return true;
}

bool nd_kept_pair(const nd_job *job, const void *record) {
    const nd_pair *pair = record;
    const uint64_t pages = job->first[job->comm.size];
    /* relation: of all of ND_PAIR_* */
    return pair->a < pair->b && pair->b < pages && pair->item < pages &&
           pair->relation < 2 * ND_PAIR_OTHER_SUBJECT;
}

bool nd_kept_link(const nd_job *job, const void *record) {
    const nd_link *link = record;
    return link->a < link->b && link->b < job->first[job->comm.size] && link->similarity >= 0 &&
           link->similarity <= 1;
}

bool nd_kept_contained(const nd_job *job, const void *record) {
    const nd_link *link = record;
    const uint64_t pages = job->first[job->comm.size];
    return link->a != link->b && link->a < pages && link->b < pages && link->similarity >= 0 &&
           link->similarity <= 1;
}

bool nd_kept_site(const nd_job *job, const void *record) {
    const nd_found_site *site = record;
    return site->page < job->first[job->comm.size] && site->repeats_all <= 1;
}

nd_status nd_kept_records_load(const nd_job *job, const nd_checkpoint *from, const char *array,
                               size_t record_size, nd_kept_record is_right, uint64_t begin,
                               uint64_t end, void *records) {
    nd_status st = nd_checkpoint_load(from, array, record_size, begin, end, records);
    for (uint64_t i = begin; st == ND_OK && i < end; i++) {
        if (!is_right(job, (const uint8_t *)records + (i - begin) * record_size)) {
            st = nd_checkpoint_refuse(from, array, "record %llu is none", (unsigned long long)i);
        }
    }
    return st;
}

nd_status nd_kept_spool_load(const nd_job *job, const char *array, size_t record_size,
                             nd_kept_record is_right, nd_spool *spool, uint64_t *count) {
    return nd_kept_spool_load_from(job, &job->checkpoint, array, record_size, is_right, spool,
                                   count);
}

nd_status nd_kept_spool_load_from(const nd_job *job, const nd_checkpoint *from, const char *array,
                                  size_t record_size, nd_kept_record is_right, nd_spool *spool,
                                  uint64_t *count) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    const uint64_t total = nd_checkpoint_count(from, array);
    const uint64_t end = nd_comm_share_begin(total, job->comm.rank + 1, job->comm.size);
    const uint64_t room = job->options.memory.round / record_size + 1;
    uint64_t begin = nd_comm_share_begin(total, job->comm.rank, job->comm.size);
    *count = end - begin;
    nd_new_room(&records, room, record_size);
    ND_ASSERT(begin <= end && spool->size % record_size == 0, begin, end, spool->size);
    while (begin < end) {
        const uint64_t now = nd_min(end - begin, room);
        ND_TRY(nd_kept_records_load(job, from, array, record_size, is_right, begin, begin + now,
                                    records));
        ND_TRY(nd_spool_append(spool, records, (size_t)(now * record_size)));
        begin += now;
    }
out:
    free(records);
    return st;
}
