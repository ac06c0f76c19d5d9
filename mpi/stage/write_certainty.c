#include "mpi/stage/write_certainty.h"

#include "mpi/comm/fetch.h"
#include "mpi/stage/result_tables.h"
#include "src/method/certainty.h"
#include "src/text/site.h"

#include <stdlib.h>

nd_status nd_write_certainty(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    uint64_t *leaders = NULL; /* the representatives of this rank's pages */
    uint64_t *text = NULL;    /* of these: the first page with their text */
    uint64_t *site = NULL;    /* of these */
    uint64_t *tokens = NULL;  /* of what is compared of this rank's pages */
    uint64_t *table = NULL;
    float *certainty = NULL;
    const uint64_t own = nd_job_own_first(job);
    const size_t count = job->pages.count;
    const nd_stored_page *pages = job->pages.pages;
    const nd_slab slab = {job->totals.pages, own, count, false};
    const bool known = nd_certainty_is_known(job->options.method, &job->options.method_options);
    st = nd_new(&leaders, count, sizeof *leaders);
    st = st != ND_OK ? st : nd_new(&text, count, sizeof *text);
    st = st != ND_OK ? st : nd_new(&site, count, sizeof *site);
    st = st != ND_OK ? st : nd_new(&tokens, count, sizeof *tokens);
    st = st != ND_OK ? st : nd_new(&table, count, sizeof *table);
    st = st != ND_OK ? st : nd_new(&certainty, count, sizeof *certainty);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < count; i++) {
        leaders[i] = job->members[i].representative;
        table[i] = pages[i].site;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, job->exact_of, leaders, count, text));
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, site));
    for (size_t i = 0; i < count; i++) {
        table[i] = pages[i].token_count;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, job->content_of, count, tokens));
    for (size_t i = 0; i < count; i++) {
        const nd_member_facts facts = {.similarity = job->members[i].similarity,
                                       .same_site = nd_site_may_be_same(pages[i].site, site[i]),
                                       .tokens = tokens[i]};
        const bool same_text = text[i] == job->exact_of[i]; /* of a representative, its own */
        certainty[i] = same_text ? 1 : known ? nd_certainty(&facts) : 0;
    }
    ND_TRY(nd_result_put(job, result, "/pages/certainty", ND_COLUMN_F32, &slab, certainty));
out:
    free(leaders);
    free(text);
    free(site);
    free(tokens);
    free(table);
    free(certainty);
    return st;
}
