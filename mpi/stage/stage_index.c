/* The stages that take an index in, and write one: before the result is written, with
 * --write-index: what later runs need of all pages is laid down in a folder of its own
 * (index_pages.h says what), under an unfinished name, which it keeps until the result is there
 * (index_folder.h). Files of the index before and of the work folder are taken over as they are. */
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/ingested.h"
#include "mpi/stage/member_certainty.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- recall: between content and sign, with an index: its pages come in front of the new
 * ones, and all are dealt to the ranks anew. What is known of sites is brought together. */

static nd_status load_recalled(nd_job *job, bool last) {
    nd_status st = ND_OK;
    for (int r = 0; r <= job->comm.size; r++) {
        job->first[r] = nd_comm_share_begin(job->totals.pages, r, job->comm.size);
    }
    ND_TRY(nd_ingested_load_selected(job, last));
    ND_TRY(nd_index_sites_recall(job));
    free(job->state->index.sites);
    job->state->index.sites = NULL;
    job->state->index.site_count = 0;
    ND_TRY(nd_index_texts_recall(job));
out:
    return st;
}

static nd_status recall(nd_job *job) {
    nd_status st = ND_OK;
    nd_stage_begin(job, &nd_stage_recall);
    ND_TRY(load_recalled(job, true));
    nd_progress_end(&job->progress, &job->comm, job->state->pages.count);
out:
    return st;
}

const nd_stage nd_stage_recall = {"recall", "pages", ND_STAGE_RECALL, recall, NULL, load_recalled};

/* ---- index */

/* Collective. The new pages, with their texts packed after those of the index before; of a page
 * in whose place an equal one is compared there is none. \return this rank's status */
static nd_status save_new(nd_job *job, nd_checkpoint *index) {
    nd_status st = ND_OK;
    const size_t indexed = (size_t)nd_index_own_count(job);
    const uint64_t own = nd_job_own_first(job);
    const bool in_inputs = job->options.texts_in_inputs;
    nd_packer packer;
    nd_packed_extent before;
    nd_stored_page *pages = NULL;
    uint64_t first = 0;
    nd_packer_open(&packer, ND_PACKING_TOKENS, &job->kept, job->options.memory.spool / 2);
    st = nd_packed_extent_of(&job->state->index.folder, "text", &before);
    nd_new_room(&pages, job->state->pages.count - indexed, sizeof *pages);
    for (size_t i = indexed; st == ND_OK && i < job->state->pages.count; i++) {
        nd_stored_page *page = &pages[i - indexed];
        nd_document document = {0};
        *page = job->state->pages.pages[i];
        page->sentences = 0; /* it has none there */
        ND_ASSERT(job->state->content_of[i] <= own + i && own + i >= job->state->index.pages,
                  job->state->content_of[i], own + i, job->state->index.pages);
        if (job->state->content_of[i] != own + i) {
            page->text = ND_TEXT_OF_PAGE + job->state->content_of[i];
        } else if (in_inputs) {
            page->text = ND_TEXT_IN_INPUT;
        } else {
            page->text = packer.size;
            st = nd_page_store_tokens(&job->state->pages, i, &document);
            st = st != ND_OK ? st
                             : nd_packer_add(&packer, document.tokens,
                                             document.token_count * sizeof *document.tokens);
        }
    }
    st = nd_packer_keep(&packer, st, index, "text", &before, &first);
    for (size_t i = 0; st == ND_OK && i < job->state->pages.count - indexed; i++) {
        pages[i].text += pages[i].text < ND_TEXT_OF_PAGE ? first : 0;
    }
    st = st != ND_OK ? st
                     : nd_checkpoint_save(index, "pages", sizeof *pages, own + indexed, pages,
                                          job->state->pages.count - indexed);
    free(pages);
    nd_packer_close(&packer);
    return st;
}

/* Collective. \return this rank's status */
static nd_status save_sites(nd_job *job, nd_checkpoint *index) {
    nd_found_sites *found = &job->state->sites;
    const struct {
        const char *array;
        size_t size;
        const nd_spool *spool;
    } lists[] = {{"sites", sizeof(nd_found_site), &found->sites},
                 {"sites.templates", sizeof(uint64_t), &found->templates},
                 {"sites.repeated", sizeof(uint64_t), &found->repeated}};
    nd_status st = ND_OK;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const nd_spool *from = lists[i].spool;
        const uint64_t count = from->size / lists[i].size;
        const uint64_t first = nd_comm_before(&job->comm, count);
        nd_spool copy; /* the result is written out of the spool itself */
        nd_spool_reader reader;
        const void *records = NULL;
        uint64_t read = 1;
        nd_spool_open(&copy, &job->kept, 0);
        nd_spool_reader_open(&reader, from, lists[i].size, 0, count, 1 << 20);
        while (st == ND_OK && read > 0) {
            st = nd_spool_reader_next(&reader, &records, &read);
            st = st != ND_OK ? st : nd_spool_append(&copy, records, read * lists[i].size);
        }
        st = st != ND_OK ? st
                         : nd_checkpoint_keep(index, lists[i].array, lists[i].size, first, &copy);
        nd_spool_reader_close(&reader);
        nd_spool_close(&copy);
    }
    return st;
}

/* What all ranks know, by rank 0. */
static nd_status save_facts(nd_job *job, nd_checkpoint *index) {
    nd_status st = ND_OK;
    nd_buffer inputs = {0};
    char parameters[ND_PARAMETERS_SIZE];
    if (job->comm.rank > 0) {
        return ND_OK;
    }
    nd_index_parameters(&job->options, parameters, sizeof parameters);
    nd_inputs_pack(&job->inputs, &inputs);
    ND_TRY(nd_checkpoint_save(index, "inputs", 1, 0, inputs.data, inputs.size));
    ND_TRY(nd_checkpoint_save(index, "source.totals", sizeof *job->source_totals, 0,
                              job->source_totals, job->inputs.count));
    nd_index_describe(index, parameters, job->totals.pages, job->additions, job->fields.text);
out:
    nd_buffer_free(&inputs);
    return st;
}

/* Pairs lie in the work folder since they were compared, with those of the index if all sets are
 * made anew. */
static nd_status take_links(nd_job *job, nd_checkpoint *index) {
    const bool all = job->options.recluster;
    const uint64_t indexed = all ? 0 : nd_checkpoint_count(&job->state->index.folder, "links");
    const nd_status st =
        all ? ND_OK : nd_checkpoint_take(index, &job->state->index.folder, "links", 0);
    return st != ND_OK ? st : nd_checkpoint_take(index, &job->checkpoint, "links", indexed);
}

/* What the rows say of an index, on this rank. */
static nd_status take_rows(nd_job *job, nd_checkpoint *index) {
    nd_status st = ND_OK;
    const bool anew = job->options.recluster;
    const uint64_t indexed = anew ? 0 : nd_index_own_count(job);
    for (const nd_state_array *row = nd_state_arrays; st == ND_OK && row->name != NULL; row++) {
        if (row->in_index != ND_INDEX_WITHOUT && !(row->in_index == ND_INDEX_SETS && anew)) {
            st = nd_checkpoint_take(index, &job->state->index.folder, row->name, 0);
        }
        if (st == ND_OK && row->in_index == ND_INDEX_NUMBERED) {
            st = nd_checkpoint_take(index, &job->checkpoint, row->name, 0);
        } else if (st == ND_OK && row->in_index == ND_INDEX_SETS) {
            st = nd_pages_save(job, index, row->name, row->record_size, nd_state_records(job, row),
                               indexed);
        }
    }
    return st;
}

/* All pages are in it once, whichever folder their records came from. */
static void check_whole(const nd_job *job, const nd_checkpoint *index) {
    for (const nd_state_array *row = nd_state_arrays; row->name != NULL; row++) {
        const uint64_t count = nd_checkpoint_count(index, row->name);
        ND_ASSERT(!row->of_pages || row->in_index == ND_INDEX_WITHOUT || count == job->totals.pages,
                  row->at, count, job->totals.pages);
    }
    const uint64_t sources = nd_checkpoint_count(index, "source.totals");
    ND_ASSERT(sources == job->inputs.count, sources, job->inputs.count);
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    nd_checkpoint index = {0};
    nd_stage_begin(job, &nd_stage_index);
    ND_TRY(job->options.min_confidence > 0 ? nd_certainty_finish(job) : ND_OK);
    ND_TRY(nd_index_create(&index, job));
    st = take_rows(job, &index);
    st = st != ND_OK ? st : take_links(job, &index);
    st = st != ND_OK ? st : save_facts(job, &index);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_comm_agree(&job->comm, save_new(job, &index)));
    ND_TRY(nd_comm_agree(&job->comm, save_sites(job, &index)));
    ND_TRY(nd_comm_agree(&job->comm, nd_skipped_save(job, &index)));
    ND_TRY(nd_checkpoint_commit(&index, nd_stage_index.name));
    check_whole(job, &index);
    nd_checkpoint_seal(&index);
    nd_progress_end(&job->progress, &job->comm, job->state->pages.count);
out:
    if (st != ND_OK) {
        nd_checkpoint_discard(&index);
    }
    return st;
}

const nd_stage nd_stage_index = {"index", "pages", ND_STAGE_INDEX, run, NULL, NULL};
