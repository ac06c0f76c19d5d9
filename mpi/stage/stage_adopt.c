/* In place of reading and of content selection, where two indexes are merged: the pages of the
 * second come as new ones after those of the first, with the contents that their runs selected.
 * What the second has learned of sites stays where the first knows nothing of them. Its texts are
 * taken over into the new index, wherever they are. */
#include "mpi/stage/stage.h"

#include "mpi/stage/index_check.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/ingested.h"
#include "mpi/stage/old_sites.h"
#include "mpi/stage/old_texts.h"
#include "src/base/contract.h"
#include "src/base/order.h"

#include <stdlib.h>

enum { AT_ONCE = 4096 };

/* ---- totals */

static nd_status add_up(nd_job *job) {
    nd_status st = ND_OK;
    const size_t old = (size_t)job->old.sources;
    const nd_checkpoint *index = &job->merged.index;
    ND_ASSERT(old <= job->inputs.count, old, job->inputs.count);
    ND_TRY(nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals));
    ND_TRY(nd_new(&job->first, (size_t)job->comm.size + 1, sizeof(uint64_t)));
    ND_TRY(nd_checkpoint_load(&job->old.index, "source.totals", sizeof *job->source_totals, 0, old,
                              job->source_totals));
    ND_TRY(nd_checkpoint_load(index, "source.totals", sizeof *job->source_totals, 0,
                              job->inputs.count - old, job->source_totals + old));
    job->totals.pages = job->old.pages + job->merged.pages;
    for (int r = 0; r <= job->comm.size; r++) {
        job->first[r] = job->old.pages + nd_comm_share_begin(job->merged.pages, r, job->comm.size);
    }
out:
    return st;
}

/* ---- pages */

/* A page with its names, and its text if there is one. */
static nd_status adopt_page(nd_job *job, nd_job *from, uint64_t number, const nd_stored_page *page,
                            nd_buffer *names) {
    nd_status st = ND_OK;
    const uint32_t *tokens = NULL;
    const uint64_t size = (uint64_t)page->id_size + page->url_size;
    const bool has_text = page->text < ND_TEXT_OF_PAGE || page->text == ND_TEXT_IN_INPUT;
    nd_stored_page adopted = *page;
    adopted.source += (uint32_t)job->old.sources;
    ND_ASSERT(adopted.source < job->inputs.count, adopted.source, job->inputs.count);
    adopted.collection = (uint16_t)job->inputs.inputs[adopted.source].collection;
    adopted.sentence_count = 0;
    adopted.token_count = has_text ? page->token_count : 0;
    names->size = 0;
    ND_TRY(nd_buffer_reserve(names, (size_t)size + 1));
    ND_TRY(nd_checkpoint_load(&from->old.index, "ingest.names", 1, page->names, page->names + size,
                              names->data));
    ND_TRY(has_text ? nd_old_text_read(from, number, page, &tokens) : ND_OK);
    ND_TRY(nd_page_store_append(&job->pages, &adopted, tokens, NULL,
                                (nd_span){names->data, page->id_size},
                                (nd_span){names->data + page->id_size, page->url_size}));
    job->pages.pages[job->pages.count - 1].token_count = page->token_count;
out:
    return st;
}

static nd_status adopt_pages(nd_job *job, nd_job *from) {
    nd_status st = ND_OK;
    nd_buffer names = {0};
    nd_stored_page *pages = NULL;
    const uint64_t first = nd_job_own_first(job) - job->old.pages;
    const uint64_t end = job->first[job->comm.rank + 1] - job->old.pages;
    ND_TRY(nd_new_room(&pages, AT_ONCE, sizeof *pages));
    for (uint64_t at = first; at < end;) {
        const uint64_t count = nd_min(end - at, AT_ONCE);
        ND_TRY(nd_checkpoint_load(&from->old.index, "pages", sizeof *pages, at, at + count, pages));
        for (uint64_t i = 0; i < count; i++) {
            ND_TRY(adopt_page(job, from, at + i, &pages[i], &names));
        }
        at += count;
        nd_progress_update(&job->progress, &job->comm, at - first, end - first, at - first);
    }
out:
    nd_buffer_free(&names);
    free(pages);
    return st;
}

/* ---- the stage */

/* As if the second index were the old one of a job of its own, which reads its texts. */
static nd_status open_from(nd_job *from, nd_job *job) {
    nd_status st = ND_OK;
    from->options.against = job->options.merge;
    from->options.merge = NULL;
    from->old.index = job->merged.index;
    from->old.pages = job->merged.pages;
    ND_TRY(nd_comm_agree(&job->comm, nd_index_inputs(&from->old.index, &from->inputs)));
    from->old.sources = from->inputs.count;
    ND_TRY(nd_comm_agree(&job->comm, nd_index_fields(from)));
    ND_TRY(nd_old_texts_open(from));
    ND_TRY(nd_old_sites_load(from));
out:
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t names = 0;
    nd_job from = {.options = job->options};
    nd_comm_open(&from.comm, job->comm.handle);
    nd_stage_begin(job, &nd_stage_adopt);
    ND_TRY(nd_comm_agree(&job->comm, add_up(job)));
    ND_TRY(nd_skipped_load(job, &job->old.index, 0));
    ND_TRY(nd_skipped_load(job, &job->merged.index, job->old.sources));
    ND_TRY(open_from(&from, job));
    ND_TRY(nd_comm_agree(&job->comm, adopt_pages(job, &from)));
    ND_TRY(nd_old_sites_adopt(job, &job->merged.index));
    st = nd_ingested_keep_parts(job, "ingest.names", &job->pages.names, &names);
    for (size_t i = 0; i < job->pages.count; i++) {
        job->pages.pages[i].names += names;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    nd_old_texts_close(&from);
    nd_reread_fields_close(&from.fields);
    free(from.old.sites);
    nd_input_list_free(&from.inputs);
    nd_method_work_free(&from.method_work);
    nd_comm_close(&from.comm);
    return st;
}

/* What it leaves is what content selection leaves; nobody goes on with a merger. */
static nd_status save(nd_job *job) {
    return nd_stage_content.save(job);
}

const nd_stage nd_stage_adopt = {"adopt", "pages", run, save, NULL};
