#include "mpi/run/job_state.h"

#include "mpi/comm/stop.h"
#include "mpi/job/inputs.h"
#include "mpi/run/run_identity.h"
#include "mpi/run/standard_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- totals and measurements */

/* Kept by name: what moves in the struct does not move in a work folder. */
#define TOTAL(field)                                                                               \
    { "total." #field, offsetof(nd_job_totals, field) }
static const struct {
    const char *name;
    size_t offset;
} total_names[] = {TOTAL(pages),
                   TOTAL(pages_without_text),
                   TOTAL(exact_copies),
                   TOTAL(records),
                   TOTAL(other),
                   TOTAL(revisits),
                   TOTAL(skipped),
                   TOTAL(sources_unused),
                   TOTAL(candidates),
                   TOTAL(pairs),
                   TOTAL(links),
                   TOTAL(sets),
                   TOTAL(largest_set),
                   TOTAL(sets_of_many),
                   TOTAL(content_copies),
                   TOTAL(input_bytes),
                   TOTAL(page_bytes),
                   TOTAL(text_bytes),
                   TOTAL(content_bytes),
                   TOTAL(name_bytes),
                   TOTAL(tokens),
                   TOTAL(content_tokens),
                   TOTAL(sites),
                   TOTAL(template_sentences),
                   TOTAL(signed_pages),
                   TOTAL(postings),
                   TOTAL(pair_finds),
                   TOTAL(capped_sets),
                   TOTAL(capped_largest),
                   TOTAL(alike_apart),
                   TOTAL(forms),
                   TOTAL(form_pages),
                   TOTAL(left_out),
                   TOTAL(joined_old),
                   TOTAL(contained_candidates),
                   TOTAL(contained),
                   TOTAL(contained_passed),
                   TOTAL(revisits_alone),
                   TOTAL(sources_gaps),
                   TOTAL(candidates_passed),
                   TOTAL(perhaps_sets),
                   TOTAL(perhaps_pages),
                   TOTAL(revisit_pages)};
#undef TOTAL
enum { TOTALS = sizeof total_names / sizeof total_names[0] };
_Static_assert(sizeof(nd_job_totals) == TOTALS * sizeof(uint64_t), "each total has its name");

static uint64_t *total_at(nd_job_totals *totals, size_t index) {
    return (uint64_t *)(void *)((char *)totals + total_names[index].offset);
}

/* ---- opening */

/* The seed of hashes, if it is neither given nor an index's. A run that goes on has its own: an
 * input may be away. */
static nd_status find_seed(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *seed = &job->options.hash_seed;
    if (*seed == 0 && job->checkpoint.enabled && nd_checkpoint_stage(&job->checkpoint) != NULL) {
        st = nd_comm_agree(&job->comm, nd_checkpoint_number(&job->checkpoint, "hash_seed", seed));
    } else if (*seed == 0) {
        st = nd_inputs_seed(&job->comm, &job->inputs, seed);
    }
    return st;
}

nd_status nd_job_state_open(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(
        nd_checkpoint_open(&job->checkpoint, &job->comm, job->options.work, job->options.resume));
    ND_TRY(nd_standard_input_take(job));
    ND_TRY(find_seed(job));
    if (!job->checkpoint.enabled) {
        goto out;
    }
    if (nd_checkpoint_stage(&job->checkpoint) == NULL) {
        ND_TRY(nd_run_identity_save(job));
    } else {
        ND_TRY(nd_checkpoint_check_sizes(&job->checkpoint)); /* checksums when files are read */
        ND_TRY(nd_run_identity_check(job));
    }
out:
    return st;
}

/* ---- after a stage, and back */

nd_status nd_job_state_save(nd_job *job, const nd_stage *stage) {
    nd_status st = ND_OK;
    char text[64 + ND_STAGES_MAX * 256] = "";
    size_t used = 0;
    if (!job->checkpoint.enabled) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(&job->comm, stage->save != NULL ? stage->save(job) : ND_OK));
    for (size_t i = 0; i < TOTALS; i++) {
        nd_checkpoint_set_number(&job->checkpoint, total_names[i].name, *total_at(&job->totals, i));
    }
    for (size_t i = 0; i < job->progress.count && used < sizeof text; i++) {
        const nd_stage_row *row = &job->progress.rows[i];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s %s %" PRIu64 " %.6f %.6f %.6f %" PRIu64 " %" PRIu64 " %" PRIu64
                                 " %" PRIu64 " %.6f %.6f\n",
                                 row->name, row->unit, row->items, row->seconds_min,
                                 row->seconds_mean, row->seconds_max, row->bytes_exchanged,
                                 row->bytes_written, row->bytes_read, row->peak_memory,
                                 row->waiting_mean, row->waiting_max);
    }
    nd_checkpoint_set_text(&job->checkpoint, "stages", text);
    ND_TRY(nd_checkpoint_commit(&job->checkpoint, stage->name));
    st = nd_stop_agreed(&job->comm) ? ND_STOPPED : ND_OK;
out:
    return st;
}

nd_status nd_job_state_load(nd_job *job, const nd_stage *const *stages, size_t count) {
    nd_status st = ND_OK;
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        if (stages[i]->load != NULL) {
            ND_TRY(nd_comm_agree(&job->comm, stages[i]->load(job, i + 1 == count)));
        }
    }
    const uint64_t pages = job->totals.pages; /* as the units say: all else is made for so many */
    for (size_t i = 0; st == ND_OK && i < TOTALS; i++) {
        st = nd_checkpoint_number(&job->checkpoint, total_names[i].name, total_at(&job->totals, i));
    }
    if (st == ND_OK && job->totals.pages != pages) {
        st = nd_checkpoint_refuse(&job->checkpoint, "total.pages", "there are %" PRIu64, pages);
    }
    st = st != ND_OK ? st : nd_checkpoint_text(&job->checkpoint, "stages", &text);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (job->progress.count = 0; *text != '\0' && job->progress.count < ND_STAGES_MAX;) {
        nd_stage_row *row = &job->progress.rows[job->progress.count++];
        *row = (nd_stage_row){.items = 0};
        (void)sscanf(text,
                     "%15s %15s %" SCNu64 " %lf %lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64
                     " %" SCNu64 " %lf %lf",
                     row->name, row->unit, &row->items, &row->seconds_min, &row->seconds_mean,
                     &row->seconds_max, &row->bytes_exchanged, &row->bytes_written,
                     &row->bytes_read, &row->peak_memory, &row->waiting_mean, &row->waiting_max);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
out:
    return st;
}
