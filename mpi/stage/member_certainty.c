#include "mpi/stage/member_certainty.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/old_pages.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/text_counts.h"
#include "src/method/certainty.h"

#include <stdlib.h>

/* The certainty of this rank's pages, from their addresses and what is fetched. Collective. */
static nd_status member_certainty(nd_job *job, const nd_address *addresses, float *certainty) {
    nd_status st = ND_OK;
    uint64_t *leaders = NULL; /* the representatives of this rank's pages */
    uint64_t *text = NULL;    /* of these: the first page with their text */
    uint64_t *site = NULL;    /* of these */
    uint64_t *is_text = NULL; /* likewise */
    uint64_t *address = NULL; /* likewise */
    uint64_t *table = NULL;
    nd_text_count *counts = NULL;
    const size_t count = job->pages.count;
    const nd_stored_page *pages = job->pages.pages;
    const bool known = nd_certainty_is_known(job->options.method, &job->options.method_options);
    st = nd_new(&leaders, count, sizeof *leaders);
    st = st != ND_OK ? st : nd_new(&text, count, sizeof *text);
    st = st != ND_OK ? st : nd_new(&site, count, sizeof *site);
    st = st != ND_OK ? st : nd_new(&is_text, count, sizeof *is_text);
    st = st != ND_OK ? st : nd_new(&address, count, sizeof *address);
    st = st != ND_OK ? st : nd_new(&table, count, sizeof *table);
    st = st != ND_OK ? st : nd_new(&counts, count, sizeof *counts);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < count; i++) {
        leaders[i] = job->members[i].representative;
        table[i] = pages[i].site;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, job->exact_of, leaders, count, text));
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, site));
    for (size_t i = 0; i < count; i++) {
        table[i] = nd_stored_page_origin(&pages[i]).text;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, is_text));
    ND_TRY(nd_lookup(&job->comm, job->first, addresses, leaders, count, address));
    ND_TRY(nd_text_counts(job, addresses, counts));
    for (size_t i = 0; i < count; i++) {
        const nd_origin member = nd_stored_page_origin(&pages[i]);
        const nd_origin leader = {.site = site[i], .text = is_text[i] != 0};
        const uint32_t relation = nd_method_relation(member, leader);
        const nd_member_facts facts = {.similarity = job->members[i].similarity,
                                       .same_site = (relation & ND_PAIR_MAY_BE_SAME_SITE) != 0,
                                       .html = !(member.text && leader.text),
                                       .relation = nd_address_relate(addresses[i], address[i]),
                                       .tokens = pages[i].text_tokens,
                                       .names = counts[i].names,
                                       .sites = counts[i].sites,
                                       .site_texts = counts[i].of_site,
                                       .crowded = counts[i].crowded};
        const bool same_text = text[i] == job->exact_of[i]; /* of a representative, its own */
        certainty[i] = same_text ? 1 : known ? nd_certainty(&facts) : 0;
    }
out:
    free(leaders);
    free(text);
    free(site);
    free(is_text);
    free(address);
    free(table);
    free(counts);
    return st;
}

/* Each text of which the first page is less certain than job->options.certain becomes a set of its
 * own, whose first page represents it; what remains of a set keeps its representative. Collective.
 * \param[in,out] certainty  1 for those that leave */
static nd_status uncertain_leave(nd_job *job, float *certainty) {
    nd_status st = ND_OK;
    const size_t count = job->pages.count;
    uint64_t *table = NULL;
    uint64_t *leaves = NULL; /* 1: this page does */
    uint64_t *link = NULL;
    uint64_t left = 0;
    st = nd_new(&table, count, sizeof *table);
    st = st != ND_OK ? st : nd_new(&leaves, count, sizeof *leaves);
    st = st != ND_OK ? st : nd_new(&link, count, sizeof *link);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < count; i++) {
        table[i] = (double)certainty[i] < job->options.certain &&
                   nd_job_own_first(job) + i >= nd_old_staying(job);
        link[i] = job->members[i].link;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, job->exact_of, count, leaves));
    ND_TRY(nd_set_members_name(job, leaves));
    ND_TRY(nd_lookup(&job->comm, job->first, leaves, link, count, link));
    for (size_t i = 0; i < count; i++) {
        nd_set_member *member = &job->members[i];
        const uint64_t first = job->exact_of[i];
        if (leaves[i] != 0) {
            *member = (nd_set_member){first, first, first, 1, 1};
            certainty[i] = 1;
            left++;
        } else if (link[i] != 0) { /* the page by which it joined has left */
            member->link = member->representative;
            member->link_similarity = member->similarity;
        }
    }
    ND_TRY(nd_set_members_name(job, NULL));
    job->totals.left_out = nd_comm_sum(&job->comm, left);
out:
    free(table);
    free(leaves);
    free(link);
    return st;
}

nd_status nd_certainty_finish(nd_job *job) {
    nd_status st = ND_OK;
    nd_address *addresses = NULL;
    if (job->certainty != NULL) {
        return ND_OK;
    }
    st = nd_new(&job->certainty, job->pages.count, sizeof *job->certainty);
    st = st != ND_OK ? st : nd_new(&addresses, job->pages.count, sizeof *addresses);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        nd_span id, url;
        st = nd_page_store_names(&job->pages, i, &id, &url);
        addresses[i] = st == ND_OK ? nd_url_address(url) : 0;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(member_certainty(job, addresses, job->certainty));
    ND_TRY(job->options.certain > 0 ? uncertain_leave(job, job->certainty) : ND_OK);
out:
    free(addresses);
    return st;
}
