#include "mpi/stage/old_pages.h"

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

uint64_t nd_old_staying(const nd_job *job) {
    return job->options.rejoin ? 0 : job->old.pages;
}

uint64_t nd_old_own_count(const nd_job *job) {
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = nd_min(job->first[job->comm.rank + 1], job->old.pages);
    return end > first ? end - first : 0;
}

nd_status nd_old_load(const nd_job *job, const char *array, size_t record_size, uint64_t begin,
                      uint64_t end, void *records) {
    nd_status st = ND_OK;
    if (begin == end) {
        return ND_OK; /* of no pages there may be no array either */
    }
    const uint64_t old = nd_max(begin, nd_min(end, job->old.pages)); /* [begin, old) are */
    ND_TRY(nd_checkpoint_load(&job->old.index, array, record_size, begin, old, records));
    ND_TRY(nd_checkpoint_load(&job->checkpoint, array, record_size, old, end,
                              (uint8_t *)records + (old - begin) * record_size));
out:
    return st;
}

/* ---- keys */

/* Keys read at once. */
enum { WINDOW = 1 << 16 };

nd_status nd_old_keys_open(nd_old_keys *keys, const nd_checkpoint *index, uint64_t first,
                           uint64_t count) {
    nd_status st = ND_OK;
    *keys = (nd_old_keys){.index = index, .room = WINDOW};
    ND_TRY(nd_new(&keys->ranges, count, sizeof *keys->ranges));
    ND_TRY(nd_new_room(&keys->window, keys->room, sizeof *keys->window));
    ND_TRY(nd_checkpoint_load(index, "key.ranges", sizeof *keys->ranges, first, first + count,
                              keys->ranges));
    keys->last = nd_checkpoint_count(index, "keys");
out:
    return st;
}

nd_status nd_old_keys_read(nd_old_keys *keys, const nd_job *job, uint64_t at, uint64_t *to,
                           size_t *count) {
    nd_status st = ND_OK;
    const nd_key_range *range = &keys->ranges[at];
    const nd_method_options *options = &job->options.method_options;
    if (range->count > job->options.method->sizes(options, 0).keys || range->count > keys->room ||
        range->first > keys->last || range->count > keys->last - range->first) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: a page of %llu keys", keys->index->folder.path,
                       (unsigned long long)range->count);
    }
    if (range->count > 0 &&
        (range->first < keys->begin || range->first + range->count > keys->end)) {
        const uint64_t end = range->first + nd_min(keys->last - range->first, keys->room);
        ND_TRY(
            nd_checkpoint_load(keys->index, "keys", sizeof *to, range->first, end, keys->window));
        keys->begin = range->first;
        keys->end = end;
    }
    if (range->count > 0) {
        ND_ASSERT(keys->begin <= range->first && range->first + range->count <= keys->end,
                  range->first, range->count, keys->end);
        memcpy(to, keys->window + (range->first - keys->begin), range->count * sizeof *to);
    }
    *count = range->count;
out:
    return st;
}

void nd_old_keys_close(nd_old_keys *keys) {
    free(keys->ranges);
    free(keys->window);
    *keys = (nd_old_keys){0};
}
