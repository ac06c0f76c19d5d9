#include "mpi/cmd/rethreshold/finished_sets.h"

#include "mpi/run/run.h"
#include "mpi/stage/member_certainty.h"
#include "mpi/stage/set_members.h"

#include <stdlib.h>
#include <string.h>

nd_status nd_finished_sets_make(nd_finished_sets *sets, const nd_job_options *options,
                                const nd_kept_run *kept, const nd_spool *memberships) {
    nd_status st = ND_OK;
    nd_job *job = &sets->job;
    nd_job_options alone = *options;
    const uint64_t pages = kept->pages;
    const nd_spool similarities = {.size = 0}; /* all are known */
    alone.work = alone.output = NULL;          /* all in memory */
    alone.memory = (nd_memory){.total = 0};
    sets->certainty = NULL;
    nd_run_open(job, MPI_COMM_SELF, &alone);
    ND_TRY(nd_new(&sets->certainty, pages, sizeof *sets->certainty));
    ND_TRY(nd_new(&job->first, 2, sizeof *job->first));
    ND_TRY(nd_new(&job->pages.pages, pages, sizeof *job->pages.pages));
    ND_TRY(nd_new(&job->exact_of, pages, sizeof *job->exact_of));
    ND_TRY(nd_new(&job->content_of, pages, sizeof *job->content_of));
    job->first[1] = job->pages.count = job->pages.capacity = pages;
    memcpy(job->exact_of, kept->exact_of, pages * sizeof *job->exact_of);
    memcpy(job->content_of, kept->first, pages * sizeof *job->content_of);
    for (uint64_t page = 0; page < pages; page++) {
        job->pages.pages[page].site = kept->origin[page].site;
        job->pages.pages[page].subject = kept->origin[page].subject;
        job->pages.pages[page].text_tokens = kept->tokens[page];
        job->pages.pages[page].flags = (kept->revisit[page] ? ND_PAGE_REVISIT : 0) |
                                       (kept->origin[page].text ? ND_PAGE_TEXT : 0);
    }
    ND_TRY(nd_set_members_finish(job, memberships, &similarities));
    ND_TRY(nd_member_certainty(job, sets->certainty));
    if (options->certain > 0) {
        ND_TRY(nd_uncertain_leave(job, sets->certainty));
    }
out:
    return st;
}

void nd_finished_sets_close(nd_finished_sets *sets) {
    nd_run_close(&sets->job);
    free(sets->certainty);
    sets->certainty = NULL;
}
