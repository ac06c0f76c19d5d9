#include "mpi/job_state.h"

#include "mpi/digests.h"
#include "mpi/ingested.h"
#include "mpi/run_identity.h"
#include "mpi/source_check.h"
#include "mpi/standard_input.h"
#include "mpi/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of the stages */

static const char *const stage_names[] = {"inputs", "ingest", "content", "sign",
                                          "block",  "verify", "join",    "leaders"};

enum { STAGE_NAMES = sizeof stage_names / sizeof stage_names[0] };

static int stage_place(const char *stage) {
    for (int i = 0; stage != NULL && i < STAGE_NAMES; i++) {
        if (strcmp(stage_names[i], stage) == 0) {
            return i;
        }
    }
    return -1;
}

bool nd_job_state_has(const nd_job *job, const char *stage) {
    return stage_place(nd_checkpoint_stage(&job->checkpoint)) >= stage_place(stage);
}

static bool is_last(const nd_job *job, const char *stage) {
    return stage_place(nd_checkpoint_stage(&job->checkpoint)) == stage_place(stage);
}

/* ---- totals and measurements */

static uint64_t *total_at(nd_job_totals *totals, size_t index) {
    return (uint64_t *)(void *)totals + index;
}

/* All fields of the totals are numbers of 64 bits: they are kept by their place. */
static nd_status save_totals(nd_job *job) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < sizeof job->totals / sizeof(uint64_t); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "total.%zu", i);
        ND_TRY(nd_checkpoint_set_number(&job->checkpoint, name, *total_at(&job->totals, i)));
    }
out:
    return st;
}

static nd_status load_totals(nd_job *job) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < sizeof job->totals / sizeof(uint64_t); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "total.%zu", i);
        ND_TRY(nd_checkpoint_number(&job->checkpoint, name, total_at(&job->totals, i)));
    }
out:
    return st;
}

static nd_status save_rows(nd_job *job) {
    nd_status st = ND_OK;
    char text[64 + ND_STAGES_MAX * 256] = "";
    size_t used = 0;
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
    ND_TRY(nd_checkpoint_set_text(&job->checkpoint, "stages", text));
out:
    return st;
}

/* Rows keep their names as static texts. */
static const char *static_text(const char *text) {
    static const char *const texts[] = {"ingest", "content", "sign",  "block", "verify",
                                        "join",   "leaders", "pages", "pairs"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i], text) == 0) {
            return texts[i];
        }
    }
    return "";
}

static nd_status load_rows(nd_job *job) {
    nd_status st = ND_OK;
    const char *text = NULL;
    ND_TRY(nd_checkpoint_text(&job->checkpoint, "stages", &text));
    for (job->progress.count = 0; *text != '\0' && job->progress.count < ND_STAGES_MAX;) {
        nd_stage_row *row = &job->progress.rows[job->progress.count++];
        char name[32] = "";
        char unit[32] = "";
        (void)sscanf(text,
                     "%31s %31s %" SCNu64 " %lf %lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64
                     " %" SCNu64 " %lf %lf",
                     name, unit, &row->items, &row->seconds_min, &row->seconds_mean,
                     &row->seconds_max, &row->bytes_exchanged, &row->bytes_written,
                     &row->bytes_read, &row->peak_memory, &row->waiting_mean, &row->waiting_max);
        row->name = static_text(name);
        row->unit = static_text(unit);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
out:
    return st;
}

/* ---- opening */

nd_status nd_job_state_open(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(
        nd_checkpoint_open(&job->checkpoint, &job->comm, job->options.work, job->options.resume));
    ND_TRY(nd_standard_input_take(job));
    if (!job->checkpoint.enabled) {
        goto out;
    }
    if (nd_checkpoint_stage(&job->checkpoint) == NULL) {
        ND_TRY(nd_run_identity_save(job));
    } else {
        ND_TRY(nd_checkpoint_check(&job->checkpoint)); /* before anything is believed */
        ND_TRY(nd_run_identity_check(job));
    }
out:
    return st;
}

/* ---- saving */

/* A spool whose records lie on all ranks, in any order. */
static nd_status keep_spool(nd_job *job, const char *array, size_t record_size, nd_spool *spool) {
    const uint64_t first = nd_comm_before(&job->comm, spool->size / record_size);
    return nd_checkpoint_keep(&job->checkpoint, array, record_size, first, spool);
}

static nd_status save_by_page(nd_job *job, const char *array, size_t record_size,
                              const void *records) {
    return nd_checkpoint_save(&job->checkpoint, array, record_size, nd_job_own_first(job), records,
                              job->pages.count);
}

static nd_status save_content(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t text = 0;
    uint64_t sentences = 0;
    nd_checkpoint_drop(&job->checkpoint, "ingest.pages");
    nd_checkpoint_drop(&job->checkpoint, "ingest.text");
    nd_checkpoint_drop(&job->checkpoint, "ingest.sentences");
    const nd_status text_status = nd_ingested_keep_parts(job, "text", &job->pages.text, &text);
    const nd_status sentences_status =
        nd_ingested_keep_parts(job, "sentences", &job->pages.sentences, &sentences);
    for (size_t i = 0; i < job->pages.count; i++) {
        job->pages.pages[i].text += text;
        job->pages.pages[i].sentences += sentences;
    }
    ND_TRY(text_status);
    ND_TRY(sentences_status);
    ND_TRY(save_by_page(job, "pages", sizeof(nd_stored_page), job->pages.pages));
out:
    return st;
}

static nd_status save_sign(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(save_by_page(job, "exact_of", sizeof(uint64_t), job->exact_of));
    ND_TRY(save_by_page(job, "content_of", sizeof(uint64_t), job->content_of));
out:
    return st;
}

static nd_status save_block(nd_job *job) {
    nd_checkpoint_drop(&job->checkpoint, "sentences");
    return job->options.transitivity == ND_TRANSITIVITY_FULL
               ? keep_spool(job, "links", sizeof(nd_link), &job->links)
               : keep_spool(job, "pairs", sizeof(nd_pair), &job->pairs);
}

static nd_status save_verify(nd_job *job) {
    nd_checkpoint_drop(&job->checkpoint, "pairs");
    nd_checkpoint_drop(&job->checkpoint, "verify.pairs");
    nd_checkpoint_drop(&job->checkpoint, "verify.done");
    nd_checkpoint_drop(&job->checkpoint, "verify.links");
    return keep_spool(job, "links", sizeof(nd_link), &job->links);
}

static nd_status save_members(nd_job *job) {
    nd_checkpoint_drop(&job->checkpoint, "pairs");
    if (!job->options.keep_pairs) {
        nd_checkpoint_drop(&job->checkpoint, "links");
    }
    return save_by_page(job, "members", sizeof(nd_member), job->members);
}

static nd_status save_nothing(nd_job *job) {
    (void)job;
    return ND_OK; /* the units say it all */
}

static nd_status save_arrays(nd_job *job, const char *stage) {
    static nd_status (*const saves[STAGE_NAMES])(nd_job * job) = {
        save_nothing, save_nothing, save_content, save_sign,
        save_block,   save_verify,  save_members, save_members};
    return saves[stage_place(stage)](job);
}

nd_status nd_job_state_save(nd_job *job, const char *stage) {
    nd_status st = ND_OK;
    if (!job->checkpoint.enabled) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(&job->comm, save_arrays(job, stage)));
    st = save_totals(job);
    st = st != ND_OK ? st : save_rows(job);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_checkpoint_commit(&job->checkpoint, stage));
    st = nd_stop_agreed(&job->comm) ? ND_STOPPED : ND_OK;
out:
    return st;
}

/* ---- restoring */

static nd_status load_by_page(nd_job *job, const char *array, size_t record_size, void *records) {
    nd_status st = ND_OK;
    uint8_t *loaded = NULL;
    const uint64_t first = nd_job_own_first(job);
    ND_TRY(nd_new(&loaded, job->pages.count, record_size));
    st = nd_checkpoint_load(&job->checkpoint, array, record_size, first, first + job->pages.count,
                            loaded);
    memcpy(records, &loaded, sizeof loaded);
out:
    return st;
}

nd_status nd_job_state_load_spool(nd_job *job, const char *array, size_t record_size,
                                  nd_spool *spool, uint64_t *count) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    const uint64_t total = nd_checkpoint_count(&job->checkpoint, array);
    const uint64_t end = nd_comm_share_begin(total, job->comm.rank + 1, job->comm.size);
    const uint64_t room = job->options.memory.round / record_size + 1;
    uint64_t begin = nd_comm_share_begin(total, job->comm.rank, job->comm.size);
    *count = end - begin;
    ND_TRY(nd_new(&records, room, record_size));
    while (begin < end) {
        const uint64_t now = end - begin < room ? end - begin : room;
        ND_TRY(
            nd_checkpoint_load(&job->checkpoint, array, record_size, begin, begin + now, records));
        ND_TRY(nd_spool_append(spool, records, (size_t)(now * record_size)));
        begin += now;
    }
out:
    free(records);
    return st;
}

static nd_status restore_pages(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(&job->comm, nd_ingested_load_units(job)));
    nd_units_deal(&job->units, job->comm.rank, job->comm.size);
    ND_TRY(nd_sources_check_resumed(job));
    ND_TRY(nd_ingested_number(job));
    ND_TRY(is_last(job, "ingest") ? nd_ingested_load(job) : nd_ingested_load_selected(job));
out:
    return st;
}

static nd_status restore_arrays(nd_job *job) {
    nd_status st = ND_OK;
    if (nd_job_state_has(job, "sign")) {
        ND_TRY(load_by_page(job, "exact_of", sizeof(uint64_t), &job->exact_of));
        ND_TRY(load_by_page(job, "content_of", sizeof(uint64_t), &job->content_of));
    }
    if (is_last(job, "block") && job->options.transitivity != ND_TRANSITIVITY_FULL) {
        ND_TRY(
            nd_job_state_load_spool(job, "pairs", sizeof(nd_pair), &job->pairs, &job->pair_count));
    }
    if (is_last(job, "verify") || (is_last(job, "join") && job->options.keep_pairs) ||
        (is_last(job, "block") && job->options.transitivity == ND_TRANSITIVITY_FULL)) {
        ND_TRY(
            nd_job_state_load_spool(job, "links", sizeof(nd_link), &job->links, &job->link_count));
    }
    if (is_last(job, "join") || is_last(job, "leaders")) {
        ND_TRY(load_by_page(job, "members", sizeof(nd_member), &job->members));
    }
out:
    return st;
}

nd_status nd_job_state_restore(nd_job *job) {
    nd_status st = ND_OK;
    if (!nd_job_state_has(job, "ingest")) {
        return ND_OK;
    }
    ND_TRY(restore_pages(job));
    ND_TRY(nd_comm_agree(&job->comm, restore_arrays(job)));
    ND_TRY(nd_comm_agree(&job->comm, load_totals(job)));
    ND_TRY(nd_comm_agree(&job->comm, load_rows(job)));
    if (is_last(job, "sign")) { /* signing again costs less than keeping the postings */
        ND_TRY(nd_sign_pages(job));
        nd_page_store_drop_sentences(&job->pages);
    } else if (nd_job_state_has(job, "block")) {
        ND_TRY(nd_comm_agree(&job->comm, nd_digests_fill(job)));
    }
out:
    return st;
}
