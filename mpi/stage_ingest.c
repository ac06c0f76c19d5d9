/* Stage 1: read this rank's units, turn every page into tokens and sentence digests, number the
 * pages. */
#include "mpi/job.h"

#include "io/page_maker.h"
#include "mpi/units.h"
#include "src/base/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scratch memory of one rank, reused from page to page. */
typedef struct ingest {
    nd_job *job;
    nd_units units;
    nd_source_shape *shapes;
    nd_page_maker maker;
    uint32_t source;       /* of the unit being read */
    nd_status skip_status; /* failure inside the reader's skip callback */
    uint64_t bytes_done, bytes_total;
} ingest;

/* ---- the list of inputs and their shapes */

/* Skipped records are told one by one, up to a number that leaves the log readable. */
static void warn_skipped(const nd_job *job, uint32_t source, uint64_t offset, const char *reason) {
    enum { MOST_WARNINGS = 20 };
    if (job->skipped_count <= MOST_WARNINGS) {
        (void)fprintf(stderr, "neardup: skipped: %s, byte %llu: %s\n",
                      job->inputs.inputs[source].path, (unsigned long long)offset, reason);
    } else if (job->skipped_count == MOST_WARNINGS + 1) {
        (void)fprintf(stderr,
                      "neardup: rank %d: more skipped records are only counted; the "
                      "result lists them all in /skipped\n",
                      job->comm.rank);
    }
}

/* A reason that was written for a line of its own starts with the path: /skipped has a column for
 * that. */
static const char *without_path(const char *reason, const char *path) {
    const size_t size = strlen(path);
    const bool repeats = strncmp(reason, path, size) == 0 && strncmp(reason + size, ": ", 2) == 0;
    return repeats ? reason + size + 2 : reason;
}

/* Keep a record that cannot be used, and tell it. */
static nd_status add_skipped(nd_job *job, uint32_t source, uint64_t offset, const char *reason) {
    nd_status st = nd_grow(&job->skipped, &job->skipped_capacity, job->skipped_count + 1,
                           sizeof *job->skipped);
    reason = without_path(reason, job->inputs.inputs[source].path);
    char *copy = strdup(reason);
    if (st != ND_OK || copy == NULL) {
        free(copy);
        return nd_fail(ND_ERR_MEMORY, "out of memory: a list of %zu skipped records",
                       job->skipped_count);
    }
    job->skipped[job->skipped_count++] = (nd_skipped){source, offset, copy};
    job->source_totals[source].skipped++;
    warn_skipped(job, source, offset, reason);
    return ND_OK;
}

static void on_skip(void *context, uint64_t offset, const char *reason) {
    ingest *in = context;
    const nd_status st = add_skipped(in->job, in->source, offset, reason);
    in->skip_status = in->skip_status != ND_OK ? in->skip_status : st;
}

/* Each rank looks at its share of the sources; the shapes are put together by a sum over numbers
 * that are 0 elsewhere. A source that cannot be used is told by the rank that looked. */
static nd_status look_at_sources(ingest *in) {
    nd_job *job = in->job;
    const size_t count = job->inputs.count;
    uint64_t *numbers = NULL; /* [source]: 0 unusable, else bytes * 2 + splittable + 1 */
    nd_status st = ND_OK;
    st = nd_new(&numbers, count, sizeof *numbers);
    st = st != ND_OK ? st : nd_new(&in->shapes, count, sizeof *in->shapes);
    for (size_t i = (size_t)job->comm.rank; st == ND_OK && i < count; i += (size_t)job->comm.size) {
        nd_source_shape shape = {0};
        st = nd_source_look(job->inputs.inputs[i].path, &shape);
        if (st == ND_OK) {
            numbers[i] = shape.bytes * 2 + (uint64_t)shape.splittable + 1;
        } else if (st != ND_ERR_MEMORY) {
            job->totals.sources_failed++;
            st = add_skipped(job, (uint32_t)i, 0, nd_fail_text());
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t begin = 0; begin < count; begin += 1 << 20) {
        const size_t left = count - begin;
        ND_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers + begin, (int)(left < 1 << 20 ? left : 1 << 20),
                             MPI_UINT64_T, MPI_SUM, job->comm.handle));
    }
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] > 0) {
            in->shapes[i] = (nd_source_shape){.bytes = (numbers[i] - 1) / 2,
                                              .splittable = (numbers[i] - 1) % 2 == 1,
                                              .format = "known"};
        }
    }
out:
    free(numbers);
    return st;
}

/* ---- units */

static nd_status read_pages(ingest *in, nd_reader *reader) {
    nd_status st = ND_OK;
    nd_record record;
    nd_reader_counts counts;
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(in->skip_status);
        ND_TRY(nd_page_maker_add(&in->maker, &record, in->source,
                                 (uint16_t)in->job->inputs.inputs[in->source].collection,
                                 &in->job->pages));
        nd_reader_get_counts(reader, &counts);
        nd_progress_update(&in->job->progress, &in->job->comm, in->bytes_done + counts.bytes,
                           in->bytes_total, in->job->pages.count);
    }
    st = st == ND_END ? in->skip_status : st;
out:
    return st;
}

/* A source that fails for good in the middle is told and counted; the others go on. */
static nd_status read_unit(ingest *in, nd_unit *unit) {
    nd_job *job = in->job;
    const nd_input *input = &job->inputs.inputs[unit->source];
    nd_reader_options options = job->options.reader;
    nd_reader *reader = NULL;
    nd_reader_counts counts = {0};
    in->source = unit->source;
    options.skip = on_skip;
    options.skip_context = in;
    nd_status st =
        nd_reader_open(input->path, input->url, unit->begin, unit->end, &options, &reader);
    if (st == ND_OK) {
        st = read_pages(in, reader);
        nd_reader_get_counts(reader, &counts);
        nd_reader_chain(reader, &unit->first, &unit->next);
    }
    nd_reader_close(&reader);
    nd_source_totals *totals = &job->source_totals[unit->source];
    totals->records += counts.records;
    totals->pages += counts.pages;
    totals->other += counts.other;
    if (st == ND_ERR_IO || st == ND_ERR_FORMAT) {
        st = add_skipped(job, unit->source, unit->begin, nd_fail_text());
    }
    in->bytes_done += unit->end - unit->begin;
    return st;
}

/* Forget what was read, but not the sources that could not even be looked at. */
static void start_over(ingest *in) {
    nd_job *job = in->job;
    size_t kept = 0;
    nd_page_store_free(&job->pages);
    memset(job->source_totals, 0, job->inputs.count * sizeof *job->source_totals);
    for (size_t i = 0; i < job->skipped_count; i++) {
        if (in->shapes[job->skipped[i].source].format == NULL) {
            job->source_totals[job->skipped[i].source].skipped++;
            job->skipped[kept++] = job->skipped[i];
        } else {
            free(job->skipped[i].reason);
        }
    }
    job->skipped_count = kept;
    in->bytes_done = 0;
}

static nd_status read_own_units(ingest *in) {
    nd_status st = ND_OK;
    start_over(in);
    for (size_t i = in->units.own_begin; i < in->units.own_end; i++) {
        in->units.units[i].first = UINT64_MAX;
        in->units.units[i].next = UINT64_MAX;
        if (in->units.units[i].begin < in->units.units[i].end) {
            ND_TRY(read_unit(in, &in->units.units[i]));
        }
    }
out:
    return st;
}

/* Read until no unit started at a false record start. A rank without a mended unit waits. */
static nd_status read_until_sound(ingest *in) {
    nd_status st = ND_OK;
    size_t mended = 1;
    for (size_t i = in->units.own_begin; i < in->units.own_end; i++) {
        in->bytes_total += in->units.units[i].end - in->units.units[i].begin;
    }
    do {
        st = mended > 0 ? read_own_units(in) : ND_OK;
        ND_TRY(nd_comm_agree(&in->job->comm, st));
        ND_TRY(nd_units_mend(&in->units, &in->job->comm, &mended));
    } while (nd_comm_sum(&in->job->comm, mended) > 0);
out:
    return st;
}

static int by_source_then_offset(const void *a, const void *b) {
    const nd_skipped *x = a;
    const nd_skipped *y = b;
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Add up the sources' totals, number the pages. */
static nd_status number_pages(nd_job *job) {
    nd_job_totals *t = &job->totals;
    nd_status st = nd_new(&job->first, (size_t)job->comm.size + 1, sizeof(uint64_t));
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_sort(job->skipped, job->skipped_count, sizeof *job->skipped, by_source_then_offset);
    for (size_t begin = 0; begin < job->inputs.count; begin += 1 << 18) {
        const size_t left = job->inputs.count - begin;
        ND_MPI(MPI_Allreduce(MPI_IN_PLACE, job->source_totals + begin,
                             (int)(4 * (left < 1 << 18 ? left : 1 << 18)), MPI_UINT64_T, MPI_SUM,
                             job->comm.handle));
    }
    for (size_t i = 0; i < job->inputs.count; i++) {
        t->records += job->source_totals[i].records;
        t->other += job->source_totals[i].other;
        t->skipped += job->source_totals[i].skipped;
    }
    t->sources_failed = nd_comm_sum(&job->comm, t->sources_failed);
    nd_comm_ranges(&job->comm, job->pages.count, job->first);
    t->pages = job->first[job->comm.size];
    if (t->pages >= UINT64_C(1) << ND_POSTING_PAGE_BITS) {
        st = nd_fail(ND_ERR_LIMIT, "%llu pages are more than the program can number",
                     (unsigned long long)t->pages);
    }
out:
    return st;
}

nd_status nd_stage_ingest(nd_job *job) {
    nd_status st = ND_OK;
    ingest in = {.job = job, .maker = {.by_domain = job->options.content.by_domain}};
    nd_progress_begin(&job->progress, &job->comm, "ingest", "pages");
    st = nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(look_at_sources(&in));
    st = nd_units_cut(&in.units, &job->inputs, in.shapes, job->options.unit_bytes, job->comm.rank,
                      job->comm.size);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(read_until_sound(&in));
    ND_TRY(number_pages(job));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    nd_units_free(&in.units);
    nd_page_maker_free(&in.maker);
    free(in.shapes);
    return st;
}
