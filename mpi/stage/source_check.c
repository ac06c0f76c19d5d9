#include "mpi/stage/source_check.h"

#include "mpi/stage/ingested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDENTITY_NUMBERS = sizeof(nd_file_identity) / sizeof(uint64_t) };

nd_status nd_sources_keep(nd_job *job) {
    nd_status st = ND_OK;
    nd_file_identity *sources = NULL;
    if (job->comm.rank == 0 && job->checkpoint.enabled) {
        ND_TRY(nd_new(&sources, job->inputs.count, sizeof *sources));
        for (size_t i = 0; i < job->inputs.count; i++) {
            sources[i] = job->inputs.inputs[i].is;
        }
        nd_checkpoint_drop(&job->checkpoint, "sources");
        ND_TRY(nd_checkpoint_save(&job->checkpoint, "sources", sizeof *sources, 0, sources,
                                  job->inputs.count));
    }
out:
    free(sources);
    return nd_comm_agree(&job->comm, st);
}

static const char *cure(const nd_job *job) {
    return job->checkpoint.enabled
               ? "start over in a new work folder, without --resume"
               : "start over, and leave the inputs as they are until the end of the run";
}

nd_status nd_source_check_size(const nd_job *job, uint64_t source, const nd_file_identity *now) {
    const uint64_t then = job->inputs.inputs[source].is.bytes;
    return now->bytes == then
               ? ND_OK
               : nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since the run began (%llu bytes then, %llu now): %s",
                         job->inputs.inputs[source].path, (unsigned long long)then,
                         (unsigned long long)now->bytes, cure(job));
}

nd_status nd_source_gone(const nd_job *job, uint64_t source) {
    char reason[ND_FAIL_TEXT_SIZE];
    if (!job->checkpoint.enabled) {
        return ND_ERR_INPUT;
    }
    (void)snprintf(reason, sizeof reason, "%s", nd_fail_text());
    return nd_fail(ND_ERR_CHANGED,
                   "%s (input %s was there before; --resume goes on when it is back)", reason,
                   job->inputs.inputs[source].path);
}

/* Can it be said of the unit whether its bytes are still those that were read? */
static bool is_known(const nd_unit *unit) {
    return unit->done && !unit->failed && unit->begin < unit->end;
}

/* This rank's share of the units whose file is not known for sure to be the same.
 * \param[in] now  of these, what they are; else zeros */
static nd_status read_own_again(const nd_job *job, const nd_file_identity *now) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_record record;
    uint64_t doubtful = 0;
    for (size_t i = 0; i < job->units.count; i++) {
        const nd_unit *unit = &job->units.units[i];
        const nd_input *input = &job->inputs.inputs[unit->source];
        const nd_file_identity *is = &now[unit->source];
        uint64_t checksum = 0;
        if (!is_known(unit) || is->inode == 0) {
            continue;
        }
        ND_TRY(nd_source_check_size(job, unit->source, is));
        if (doubtful++ % (uint64_t)job->comm.size != (uint64_t)job->comm.rank) {
            continue;
        }
        st = nd_reader_open(nd_input_file(input), "", unit->begin, unit->end, &job->options.reader,
                            &reader);
        while (st == ND_OK) {
            st = nd_reader_next(reader, &record);
        }
        if (st == ND_END) {
            (void)nd_reader_identity(reader, &checksum);
            st = ND_OK;
        }
        nd_reader_close(&reader);
        if (st == ND_ERR_INPUT || (st == ND_OK && checksum != unit->checksum)) {
            st = nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since it was read (bytes %llu to %llu): %s", input->path,
                         (unsigned long long)unit->begin, (unsigned long long)unit->end, cure(job));
        }
        ND_TRY(st);
    }
out:
    return st;
}

/* Each rank looks at its share of the sources of which something was read.
 * \param[out] now  of those whose file is another, or has changed; NULL: of none */
static nd_status look_again(nd_job *job, nd_file_identity **now, uint64_t *others) {
    nd_status st = ND_OK;
    const size_t size = (size_t)job->comm.size;
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; st == ND_OK && i < job->units.count; i++) {
        const uint64_t source = job->units.units[i].source;
        const nd_input *input = &job->inputs.inputs[source];
        nd_file_identity is;
        if (source % size != (uint64_t)job->comm.rank || source == last ||
            !is_known(&job->units.units[i])) {
            continue;
        }
        last = source;
        st = nd_file_identity_now(nd_input_file(input), &is);
        if (st == ND_ERR_INPUT) {
            st = nd_source_gone(job, source);
            st = st == ND_ERR_INPUT ? nd_skipped_add(job, ND_NO_UNIT, source, 0, nd_fail_text())
                                    : st;
        } else if (st == ND_OK && memcmp(&is, &input->is, sizeof is) != 0) {
            st = *now != NULL ? ND_OK : nd_new(now, job->inputs.count, sizeof **now);
            if (st == ND_OK) {
                (*now)[source] = is;
                ++*others;
            }
        }
    }
    return st;
}

nd_status nd_sources_check(nd_job *job) {
    nd_status st = ND_OK;
    nd_file_identity *now = NULL;
    uint64_t others = 0;
    const size_t count = job->inputs.count;
    ND_TRY(nd_comm_agree(&job->comm, look_again(job, &now, &others)));
    if (nd_comm_sum(&job->comm, others) == 0) {
        goto out;
    }
    st = now != NULL ? ND_OK : nd_new(&now, count, sizeof *now);
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_comm_sum_all(&job->comm, now, IDENTITY_NUMBERS * count); /* each is one rank's */
    ND_TRY(nd_comm_agree(&job->comm, read_own_again(job, now)));
    for (size_t i = 0; i < count; i++) {
        if (now[i].inode != 0) {
            job->inputs.inputs[i].is = now[i];
        }
    }
    ND_TRY(nd_sources_keep(job));
out:
    free(now);
    return st;
}

nd_status nd_sources_check_resumed(nd_job *job) {
    nd_file_identity *sources = NULL;
    nd_status st = nd_new(&sources, job->inputs.count, sizeof *sources);
    st = st != ND_OK ? st
                     : nd_checkpoint_load(&job->checkpoint, "sources", sizeof *sources, 0,
                                          job->inputs.count, sources);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < job->inputs.count; i++) {
        job->inputs.inputs[i].is = sources[i];
    }
    ND_TRY(nd_sources_check(job));
out:
    free(sources);
    return st;
}
