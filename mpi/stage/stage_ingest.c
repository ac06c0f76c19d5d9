/* Stage 1: read this rank's units, turn every page into tokens and sentence digests, number the
 * pages. With checkpoints the reading goes in rounds, each of which ends in one. */
#include "io/input/page_maker.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/dealer.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/ingested.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== sources: are the inputs still what was read of them? Of every source it is kept by what its
 * file is known again, from when it was listed, and of every unit a checksum of the bytes that were
 * read for it. A file whose size, times or inode are others has the units that were read of it read
 * once more: the checksums decide. So a file that was copied back with the same bytes is accepted,
 * and one that was edited, even at the same size and with its time put back, is not, and pages of
 * two states of a file never come into one result. A file that is the same in all of these costs
 * one look.
 *
 * Array of the work folder: sources (nd_file_identity). */

enum { IDENTITY_NUMBERS = sizeof(nd_file_identity) / sizeof(uint64_t) };

/* Collective. Keep for the next commit what the files were when they were listed. */
static nd_status sources_keep(nd_job *job) {
    nd_status st = ND_OK;
    nd_file_identity *sources = NULL;
    if (job->comm.rank == 0 && job->checkpoint.enabled) {
        nd_new(&sources, job->inputs.count, sizeof *sources);
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

/* Not collective. Is the file that was opened for a unit of this size still?
 * \return ND_OK or ND_ERR_CHANGED, naming the file */
static nd_status source_check_size(const nd_job *job, uint64_t source,
                                   const nd_file_identity *now) {
    const uint64_t then = job->inputs.inputs[source].is.bytes;
    return now->bytes == then
               ? ND_OK
               : nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since the run began (%llu bytes then, %llu now): %s",
                         job->inputs.inputs[source].path, (unsigned long long)then,
                         (unsigned long long)now->bytes, cure(job));
}

/* Not collective. An input that was there cannot be used any more (nd_fail_text() says why): with
 * checkpoints this stops the job, which can go on when it is back; without, it is a source that
 * fails like any other. \return ND_ERR_CHANGED or ND_ERR_INPUT */
static nd_status source_gone(const nd_job *job, uint64_t source) {
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
        ND_TRY(source_check_size(job, unit->source, is));
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
            st = source_gone(job, source);
            if (st == ND_ERR_INPUT) {
                nd_skipped_add(job, ND_NO_UNIT, source, 0, nd_fail_text());
                st = ND_OK;
            }
        } else if (st == ND_OK && memcmp(&is, &input->is, sizeof is) != 0) {
            if (*now == NULL) {
                nd_new(now, job->inputs.count, sizeof **now);
            }
            (*now)[source] = is;
            ++*others;
        }
    }
    return st;
}

/* Collective. Check every source of which units were read, as all ranks know them. One that is
 * gone is skipped as a whole, or stops the job (source_gone()).
 * \return ND_OK on all ranks; ND_ERR_CHANGED, naming a file that has changed, or another failure,
 *         on all */
static nd_status sources_check(nd_job *job) {
    nd_status st = ND_OK;
    nd_file_identity *now = NULL;
    uint64_t others = 0;
    const size_t count = job->inputs.count;
    ND_TRY(nd_comm_agree(&job->comm, look_again(job, &now, &others)));
    if (nd_comm_sum(&job->comm, others) == 0) {
        goto out;
    }
    if (now == NULL) {
        nd_new(&now, count, sizeof *now);
    }
    nd_comm_sum_all(&job->comm, now, IDENTITY_NUMBERS * count); /* each is one rank's */
    ND_TRY(nd_comm_agree(&job->comm, read_own_again(job, now)));
    for (size_t i = 0; i < count; i++) {
        if (now[i].inode != 0) {
            job->inputs.inputs[i].is = now[i];
        }
    }
    ND_TRY(sources_keep(job));
out:
    free(now);
    return st;
}

/* Collective. The same with what the work folder knows: its units are loaded already. */
static nd_status sources_check_resumed(nd_job *job) {
    nd_file_identity *sources = NULL;
    nd_new(&sources, job->inputs.count, sizeof *sources);
    nd_status st = nd_checkpoint_load(&job->checkpoint, "sources", sizeof *sources, 0,
                                      job->inputs.count, sources);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < job->inputs.count; i++) {
        job->inputs.inputs[i].is = sources[i];
    }
    ND_TRY(sources_check(job));
out:
    free(sources);
    return st;
}

/* Scratch memory of one rank, reused from page to page. */
typedef struct ingest {
    nd_job *job;
    nd_page_maker maker;
    nd_buffer url;    /* of the unit's page, if it is one */
    size_t unit;      /* being read */
    uint64_t refused; /* pages of it that are beyond a limit */
    nd_dealer dealer; /* of units, in a round that ends in a checkpoint */
    double until;     /* such a round: by MPI's clock */
    nd_pace pace;     /* in all of them */
    uint64_t bytes_done, bytes_total;
    uint64_t pages; /* of all rounds */
    bool uncache;   /* what has been read need not stay in the system's cache */
} ingest;

/* ==== the stage */

/* ---- the shapes of the inputs */

/* Cut the sources into units. Those that are one unit, whatever is in them, are looked at when they
 * are read: so a small file is opened once. */
static nd_status cut_units(nd_job *job) {
    nd_status st = ND_OK;
    const size_t count = job->inputs.count;
    const size_t step = (size_t)job->comm.size;
    const uint64_t unit_bytes =
        nd_units_bytes(&job->inputs, job->options.split_size, job->comm.size);
    nd_source_shape *shapes = NULL;
    uint64_t *numbers = NULL; /* per source: 0: not usable, else bytes * 2 + splittable + 1 */
    nd_new(&shapes, count, sizeof *shapes);
    nd_new(&numbers, count, sizeof *numbers);
    /* each rank looks at its share; a source that cannot be used is named by the rank that looked
     */
    for (size_t i = (size_t)(job->state->index.sources + (uint64_t)job->comm.rank);
         st == ND_OK && i < count; i += step) {
        const nd_input *input = &job->inputs.inputs[i];
        nd_source_shape shape = {.bytes = input->is.bytes};
        if (shape.bytes == 0 || shape.bytes > unit_bytes) {
            st = nd_source_look(nd_input_file(input), &job->options.reader, &shape);
        }
        if (st == ND_OK) {
            numbers[i] = shape.bytes * 2 + (uint64_t)shape.splittable + 1;
        } else if (nd_source_may_skip(input, st)) {
            nd_skipped_add(job, ND_NO_UNIT, i, 0, nd_fail_text());
            st = ND_OK;
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(sources_keep(job));
    nd_comm_sum_all(&job->comm, numbers, count); /* they are 0 elsewhere */
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] > 0) {
            shapes[i] = (nd_source_shape){.bytes = (numbers[i] - 1) / 2,
                                          .splittable = (numbers[i] - 1) % 2 == 1,
                                          .format = "known"};
        }
    }
    nd_units_cut(&job->units, &job->inputs, shapes, unit_bytes, job->comm.rank, job->comm.size);
out:
    free(shapes);
    free(numbers);
    return st;
}

static nd_status load_units(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(&job->comm, nd_ingested_load_units(job)));
    nd_units_deal(&job->units, job->comm.rank, job->comm.size);
    ND_TRY(sources_check_resumed(job));
out:
    return st;
}

/* ---- units */

static void on_skip(void *context, uint64_t offset, const char *reason) {
    ingest *in = context;
    nd_unit *unit = &in->job->units.units[in->unit];
    nd_skipped_add(in->job, in->unit, unit->source, offset, reason);
    unit->skipped++;
}

static nd_status read_pages(ingest *in, nd_reader *reader) {
    nd_status st = ND_OK;
    nd_record record;
    nd_reader_counts counts;
    nd_job *job = in->job;
    nd_unit *unit = &job->units.units[in->unit];
    const uint64_t source = unit->source;
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        st = nd_page_maker_add(&in->maker, &record, (uint32_t)source,
                               (uint16_t)job->inputs.inputs[source].collection, &job->state->pages);
        if (st == ND_ERR_LIMIT) {
            on_skip(in, record.offset, nd_fail_text());
            in->refused++;
            continue;
        }
        ND_TRY(st);
        unit->page_bytes += record.text.size;
        nd_reader_get_counts(reader, &counts);
        const uint64_t pages = in->pages + job->state->pages.count;
        const double done = (double)(in->bytes_done + counts.bytes);
        const double left = (double)in->bytes_total - done;
        const bool any_left = done > 0 && left > 0;
        const uint64_t to_come = any_left ? (uint64_t)((double)pages * left / done) : 0;
        job->state->pages.expected = pages + to_come;
        job->state->pages.most_expected = pages + 2 * to_come; /* they may be half as long */
        nd_progress_update(&job->progress, &job->comm,
                           nd_min(in->bytes_done + counts.bytes, in->bytes_total), in->bytes_total,
                           pages);
        nd_dealer_serve(&in->dealer);
        if (job->comm.size > 1) {
            nd_pace_watch(&in->pace);
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

/* A unit's source cannot be opened, or has no known format: it is one that cannot be used, but for
 * one that is gone, or has changed, since it was listed.
 * \param[out] lasts  whoever looks again finds the same */
static nd_status not_opened(const nd_job *job, uint64_t source, bool *lasts) {
    char reason[ND_FAIL_TEXT_SIZE];
    nd_file_identity now;
    nd_source_shape shape;
    const char *file = nd_input_file(&job->inputs.inputs[source]);
    (void)snprintf(reason, sizeof reason, "%s", nd_fail_text());
    nd_status st = nd_file_identity_now(file, &now);
    *lasts = true;
    if (st == ND_ERR_INPUT) {
        return source_gone(job, source);
    }
    ND_TRY(st);
    ND_TRY(source_check_size(job, source, &now));
    st = nd_source_look(file, &job->options.reader, &shape);
    *lasts = st != ND_OK;
    st = *lasts ? st : nd_fail(ND_ERR_INPUT, "%s", reason);
out:
    return st;
}

/* Where the blocks begin that a unit sums up: those between the unit before it and its own begin,
 * which may have been mended, are of it too. */
static uint64_t blocks_begin(const nd_job *job, size_t index) {
    const nd_unit *units = job->units.units;
    return index > 0 && units[index - 1].source == units[index].source ? units[index - 1].end : 0;
}

/* A source that fails for good in the middle is named and counted; the others go on. Nothing else
 * may: what fails besides it is no fault of the source. */
static nd_status read_unit(ingest *in, size_t index) {
    nd_job *job = in->job;
    nd_unit *unit = &job->units.units[index];
    const nd_input *input = &job->inputs.inputs[unit->source];
    nd_reader *reader = NULL;
    nd_reader_options options = job->options.reader;
    nd_reader_counts counts = {0};
    nd_status st = ND_OK;
    bool lasts = false;
    in->unit = index;
    in->refused = 0;
    unit->first = UINT64_MAX;
    unit->next = UINT64_MAX;
    unit->skipped = 0;
    unit->page_bytes = 0;
    unit->failed = 0;
    unit->reads++;
    job->units.fresh[index] = true;
    unit->place = job->state->pages.count;
    options.revisits = true;
    nd_reread_fields_set(&job->fields, unit->source, &options);
    options.skip = on_skip;
    options.skip_context = in;
    if (unit->begin < unit->end) {
        nd_input_url(&job->inputs, input, &in->url);
        st = nd_reader_open(nd_input_file(input), (const char *)in->url.data, unit->begin,
                            unit->end, &options, &reader);
        st = st == ND_ERR_INPUT ? not_opened(job, unit->source, &lasts) : st;
    }
    if (st == ND_OK && reader != NULL) {
        const nd_file_identity now = nd_reader_identity(reader, &unit->checksum);
        st = source_check_size(job, unit->source, &now);
        st = st == ND_OK ? nd_reader_sum_blocks(reader, blocks_begin(job, index), unit->end) : st;
        st = st == ND_OK ? read_pages(in, reader) : st;
        st = st == ND_OK ? nd_reader_block_sum(reader, &unit->blocks) : st;
        (void)nd_reader_identity(reader, &unit->checksum);
        nd_reader_get_counts(reader, &counts);
        nd_reader_chain(reader, &unit->first, &unit->next);
        if (in->uncache) {
            nd_reader_uncache(reader);
        }
    }
    nd_reader_close(&reader);
    unit->records = counts.records;
    unit->pages = counts.pages - in->refused; /* these count as skipped */
    memcpy(unit->others, counts.others, sizeof unit->others);
    unit->revisits = counts.revisits;
    unit->gaps = counts.gaps;
    unit->done = 1;
    if (nd_source_may_skip(input, st)) {
        unit->skipped++;
        unit->failed = lasts; /* then it is named when all are known */
        nd_skipped_add(job, index, unit->source, unit->begin, nd_fail_text());
        st = ND_OK;
        unit->failed = 1;
    }
    ND_ASSERT(st != ND_OK || job->state->pages.count - unit->place == unit->pages,
              job->state->pages.count, unit->place, unit->pages);
    in->bytes_done += unit->end - unit->begin;
    return st;
}

/* ---- rounds */

/* Read those of the units [begin, end) that are not read. \return ND_STOPPED if the round has to
 * end before: there is a checkpoint to be made, or the job is to stop */
static nd_status read_units(ingest *in, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    const nd_job *job = in->job;
    for (uint64_t i = begin; i < end; i++) {
        if (!job->units.units[i].done) {
            ND_TRY(read_unit(in, i));
            const bool ends = nd_stop_asked() || MPI_Wtime() > in->until;
            ND_TRY(job->checkpoint.enabled && ends ? ND_STOPPED : ND_OK);
        }
    }
out:
    return st;
}

/* Collective. Where pages go to the work folder any rank may read any unit: they are given out, so
 * that a slow rank reads fewer. \return this rank's status */
static nd_status read_given(ingest *in) {
    nd_status st = ND_OK;
    nd_job *job = in->job;
    const nd_units *units = &job->units;
    uint64_t *costs = NULL;
    uint64_t *first = NULL;
    uint64_t begin = 0;
    uint64_t end = 0;
    nd_new_room(&costs, units->count, sizeof *costs);
    nd_new_room(&first, (size_t)job->comm.size + 1, sizeof *first);
    for (size_t i = 0; i < units->count; i++) {
        costs[i] = nd_unit_cost(&units->units[i]);
    }
    nd_comm_ranges(&job->comm, units->own_end - units->own_begin, first);
    nd_dealer_open(&in->dealer, &job->comm, costs, first);
    in->until = MPI_Wtime() + job->options.checkpoint_seconds;
    do {
        nd_dealer_take(&in->dealer, &begin, &end);
        st = read_units(in, begin, end);
    } while (st == ND_OK && begin < end);
    nd_dealer_close(&in->dealer);
    free(costs);
    free(first);
    return st == ND_STOPPED ? ND_OK : st;
}

/* Collective. Read until no unit is left and none started at a false record start. */
static nd_status read_until_sound(ingest *in) {
    nd_status st = ND_OK;
    nd_job *job = in->job;
    nd_units *units = &job->units;
    uint64_t all = 0;
    for (size_t i = units->own_begin; i < units->own_end; i++) {
        const nd_unit *unit = &units->units[i];
        all += unit->end - unit->begin;
        in->bytes_total += unit->done ? 0 : unit->end - unit->begin;
    }
    all = nd_comm_sum(&job->comm, all);
    const uint64_t left = nd_comm_sum(&job->comm, in->bytes_total);
    nd_progress_resume(&job->progress, &job->comm,
                       all > 0 ? (double)(all - left) / (double)all : 0);
    const uint64_t most = job->options.memory.cached_input;
    in->uncache = most > 0 && in->bytes_total > most;
    while (true) {
        uint64_t undone = 0;
        for (size_t i = units->own_begin; i < units->own_end; i++) {
            undone += !units->units[i].done;
        }
        if (nd_comm_sum(&job->comm, undone) == 0) {
            if (nd_comm_sum(&job->comm, nd_units_mend(units, &job->comm)) == 0) {
                break;
            }
            continue;
        }
        st = job->checkpoint.enabled ? read_given(in)
                                     : read_units(in, units->own_begin, units->own_end);
        ND_TRY(nd_comm_agree(&job->comm, st));
        in->pages += job->state->pages.count;
        if (job->checkpoint.enabled) { /* what the round has read goes to the work folder */
            ND_TRY(nd_ingested_save(job, "inputs"));
            ND_TRY(nd_stop_agreed(&job->comm) ? ND_STOPPED : ND_OK);
            nd_units_deal(units, job->comm.rank, job->comm.size);
        }
    }
    ND_TRY(sources_check(job)); /* nobody changed them meanwhile */
out:
    return st;
}

/* What takes less says nothing about the pace of what follows. */
static const double PACE_SECONDS = 1;

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    const nd_reader_options *reader = &job->options.reader;
    const nd_record_limits limits =
        nd_record_limits_of(reader->max_page_bytes, reader->max_expansion, reader->memory);
    ingest in = {.job = job, .maker = nd_job_page_maker(&job->options, &limits)};
    nd_progress_begin(&job->progress, &job->comm, nd_stage_ingest.name, nd_stage_ingest.unit);
    ND_TRY(nd_checkpoint_stage(&job->checkpoint) == NULL ? cut_units(job) : load_units(job));
    const double started = MPI_Wtime();
    ND_TRY(read_until_sound(&in));
    if (nd_comm_max(&job->comm, MPI_Wtime() - started > PACE_SECONDS) > 0) {
        (void)nd_comm_pace(&job->comm, nd_pace_mean(&in.pace));
    }
    ND_TRY(nd_ingested_number(job));
    if (job->checkpoint.enabled) {
        ND_TRY(nd_ingested_load(job));
    }
    ND_TRY(nd_read_again_check(job));
    job->totals.tokens = nd_comm_sum(&job->comm, nd_page_store_token_count(&job->state->pages));
    job->totals.text_bytes = nd_comm_sum(&job->comm, nd_page_store_text_bytes(&job->state->pages));
    job->totals.name_bytes = nd_comm_sum(&job->comm, nd_page_store_name_bytes(&job->state->pages));
    nd_progress_end(&job->progress, &job->comm,
                    job->first[job->comm.rank + 1] - job->first[job->comm.rank]);
    nd_skipped_name_without_text(job);
    ND_TRY(nd_unused_inputs_report(job, " (the result's /sources has all)"));
    nd_units_free(&job->units); /* the totals have what they knew */
out:
    nd_buffer_free(&in.url);
    nd_page_maker_free(&in.maker);
    return st;
}

static nd_status load(nd_job *job, bool last) {
    nd_status st = ND_OK;
    ND_TRY(load_units(job));
    ND_TRY(nd_ingested_check_done(job)); /* all ranks know all units */
    ND_TRY(nd_ingested_number(job));
    if (last) {
        ND_TRY(nd_ingested_load(job));
    }
    nd_units_free(&job->units);
out:
    return st;
}

/* What was read is kept as it is read; the units say all of it. */
const nd_stage nd_stage_ingest = {"ingest", "pages", ND_STAGE_INGEST, run, NULL, load};
