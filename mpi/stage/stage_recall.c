/* Between content and sign, with an index: its pages come in front of the new ones, and all are
 * dealt to the ranks anew. What is known of sites is brought together. */
#include "mpi/stage/stage.h"

#include "mpi/stage/ingested.h"
#include "mpi/stage/old_sites.h"
#include "mpi/stage/old_texts.h"

#include <stdlib.h>

static nd_status load(nd_job *job, bool last) {
    nd_status st = ND_OK;
    for (int r = 0; r <= job->comm.size; r++) {
        job->first[r] = nd_comm_share_begin(job->totals.pages, r, job->comm.size);
    }
    ND_TRY(nd_ingested_load_selected(job, last));
    ND_TRY(nd_old_sites_recall(job));
    free(job->old.sites);
    job->old.sites = NULL;
    job->old.site_count = 0;
    ND_TRY(nd_old_texts_recall(job));
out:
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    nd_stage_begin(job, &nd_stage_recall);
    ND_TRY(load(job, true));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    return st;
}

const nd_stage nd_stage_recall = {"recall", "pages", run, NULL, load};
