#include "mpi/stage/member_certainty.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/state.h"
#include "src/base/util.h"
#include "src/method/certainty.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets and sites */

/* What is counted of a part of all pages. Of those of one site and name in one set: sent to the
 * rank of the set's page. Or of a site: sent to the rank of its hash, and as an answer to the
 * asker. */
typedef struct counted {
    uint64_t key;    /* the set, or the site */
    uint64_t second; /* the site, or the rank that asks for all of the site; NOBODY: none does */
    uint64_t name;   /* within a set; 0: of pages that are copies */
    uint64_t texts;  /* of which the first page is among them */
    uint64_t crowded;
} counted;

static const uint64_t NOBODY = UINT64_MAX;

static const nd_record_order by_words = {.word_count = 3, .words = {0, 1, 2}};
static const nd_record_order by_set_and_name = {.word_count = 2, .words = {0, 2}};

static int asker_of(const void *record, int size, const void *context) {
    (void)size;
    (void)context;
    return (int)((const counted *)record)->second;
}

/* Sort, and make one of those with the same three keys. */
static void add_up(counted *parts, uint64_t *count) {
    uint64_t kept = 0;
    nd_record_sort(parts, *count, sizeof *parts, &by_words);
    for (uint64_t i = 0; i < *count; i++) {
        if (kept > 0 && parts[kept - 1].key == parts[i].key &&
            parts[kept - 1].second == parts[i].second && parts[kept - 1].name == parts[i].name) {
            parts[kept - 1].texts += parts[i].texts;
            parts[kept - 1].crowded += parts[i].crowded;
        } else {
            parts[kept++] = parts[i];
        }
    }
    *count = kept;
}

/* Of the sets whose page is this rank's: how many names each has, and how many sites. Then make
 * one part for each site in a set. \param[in] own  the rank's first page */
static void count_sets(counted *parts, uint64_t *count, uint64_t own, uint64_t *names,
                       uint64_t *sites) {
    uint64_t kept = 0;
    nd_record_sort(parts, *count, sizeof *parts, &by_set_and_name);
    for (uint64_t i = 0; i < *count; i++) {
        const bool again =
            i > 0 && parts[i - 1].key == parts[i].key && parts[i - 1].name == parts[i].name;
        names[parts[i].key - own] += !again && parts[i].name != 0;
    }
    add_up(parts, count);
    for (uint64_t begin = 0, end = 0; begin < *count; begin = end) {
        counted sum = {.key = parts[begin].key, .second = parts[begin].second};
        uint64_t named = 0;
        for (; end < *count && parts[end].key == sum.key && parts[end].second == sum.second;
             end++) {
            sum.texts += parts[end].texts;
            named += parts[end].name != 0;
        }
        sum.crowded = named > 1 ? sum.texts : 0;
        sites[sum.key - own]++;
        parts[kept++] = sum;
    }
    *count = kept;
}

/* Sorted by site: each asker gets the sums of the site. What nobody asked is left out. */
static void answer(counted *parts, uint64_t *count) {
    uint64_t kept = 0;
    for (uint64_t begin = 0, end = 0; begin < *count; begin = end) {
        counted sums = {.key = parts[begin].key};
        for (; end < *count && parts[end].key == sums.key; end++) {
            sums.texts += parts[end].texts;
            sums.crowded += parts[end].crowded;
        }
        for (uint64_t i = begin; i < end; i++) {
            if (parts[i].second != NOBODY) {
                sums.second = parts[i].second;
                parts[kept++] = sums;
            }
        }
    }
    *count = kept;
}

/* Collective. \param[in] parts  of the sets whose page is this rank's, all of them; freed, and NULL
 * \param[out] sites  of all sites of this rank's pages, ascending; the caller's to free() */
static nd_status count_sites(nd_job *job, counted **parts, uint64_t part_count, counted **sites,
                             uint64_t *count) {
    nd_status st = ND_OK;
    counted *of_sets = *parts;
    const size_t pages = job->state->pages.count;
    for (uint64_t i = 0; i < part_count; i++) {
        of_sets[i] = (counted){of_sets[i].second, NOBODY, 0, of_sets[i].texts, of_sets[i].crowded};
    }
    add_up(of_sets, &part_count);
    nd_new(sites, part_count + pages, sizeof **sites);
    if (part_count > 0) {
        memcpy(*sites, of_sets, part_count * sizeof *of_sets);
    }
    free(of_sets);
    *parts = NULL;
    for (size_t i = 0; i < pages; i++) {
        (*sites)[part_count + i] =
            (counted){.key = job->state->pages.pages[i].site, .second = (uint64_t)job->comm.rank};
    }
    *count = part_count + pages;
    add_up(*sites, count);
    ND_TRY(nd_shuffle(&job->comm, sites, count, sizeof **sites, nd_shuffle_owner_of_hash, NULL));
    add_up(*sites, count);
    answer(*sites, count);
    ND_TRY(nd_shuffle(&job->comm, sites, count, sizeof **sites, asker_of, NULL));
    add_up(*sites, count);
out:
    return st;
}

nd_status nd_text_counts(nd_job *job, const nd_address *addresses, nd_text_count **counts) {
    nd_status st = ND_OK;
    const uint64_t own = nd_job_own_first(job);
    const size_t pages = job->state->pages.count;
    counted *parts = NULL;
    counted *sites = NULL;
    uint64_t *of_set = NULL; /* names, by the set's page */
    uint64_t *in_set = NULL; /* sites, likewise */
    uint64_t *set = NULL;    /* of each page */
    uint64_t *names = NULL;  /* of that */
    uint64_t part_count = pages;
    uint64_t site_count = 0;
    *counts = NULL;
    nd_new(&parts, pages, sizeof *parts);
    for (size_t i = 0; i < pages; i++) {
        const nd_stored_page *page = &job->state->pages.pages[i];
        const bool text =
            job->state->exact_of[i] == own + i && (page->flags & ND_PAGE_REVISIT) == 0;
        const uint64_t name =
            addresses[i] != 0 ? nd_address_name(addresses[i]) << 1 | 1 : (own + i + 1) << 1;
        parts[i] = (counted){job->state->members[i].set, page->site, text ? name : 0, text, 0};
    }
    add_up(parts, &part_count);
    ND_TRY(nd_shuffle(&job->comm, &parts, &part_count, sizeof *parts, nd_shuffle_owner_of_item,
                      job->first));
    nd_new(&of_set, pages, sizeof *of_set);
    nd_new(&in_set, pages, sizeof *in_set);
    nd_new(&set, pages, sizeof *set);
    nd_new(&names, pages, sizeof *names);
    for (size_t i = 0; i < pages; i++) {
        set[i] = job->state->members[i].set;
    }
    count_sets(parts, &part_count, own, of_set, in_set);
    ND_TRY(nd_lookup(&job->comm, job->first, of_set, set, pages, names));
    ND_TRY(nd_lookup(&job->comm, job->first, in_set, set, pages, set));
    free(of_set);
    free(in_set);
    of_set = in_set = NULL;
    ND_TRY(count_sites(job, &parts, part_count, &sites, &site_count));
    nd_new(counts, pages, sizeof **counts);
    for (size_t i = 0; i < pages; i++) {
        uint64_t at = 0;
        ND_FIND_FIRST(at, 0, site_count, sites[at].key >= job->state->pages.pages[i].site);
        (*counts)[i] = (nd_text_count){names[i], set[i], sites[at].texts, sites[at].crowded};
    }
out:
    free(parts);
    free(sites);
    free(of_set);
    free(in_set);
    free(set);
    free(names);
    return st;
}

/* ---- each member */

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
    const size_t count = job->state->pages.count;
    const nd_stored_page *pages = job->state->pages.pages;
    const bool known = nd_certainty_is_known(job->options.method, &job->options.method_options);
    ND_TRY(nd_text_counts(job, addresses, &counts)); /* first, for it takes most memory */
    nd_new(&leaders, count, sizeof *leaders);
    nd_new(&text, count, sizeof *text);
    nd_new(&site, count, sizeof *site);
    nd_new(&is_text, count, sizeof *is_text);
    nd_new(&address, count, sizeof *address);
    nd_new(&table, count, sizeof *table);
    for (size_t i = 0; i < count; i++) {
        leaders[i] = job->state->members[i].representative;
        table[i] = pages[i].site;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, job->state->exact_of, leaders, count, text));
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, site));
    for (size_t i = 0; i < count; i++) {
        table[i] = nd_stored_page_origin(&pages[i]).text;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, is_text));
    ND_TRY(nd_lookup(&job->comm, job->first, addresses, leaders, count, address));
    for (size_t i = 0; i < count; i++) {
        const nd_origin member = nd_stored_page_origin(&pages[i]);
        const nd_origin leader = {.site = site[i], .text = is_text[i] != 0};
        const uint32_t relation = nd_method_relation(member, leader);
        const nd_member_facts facts = {.similarity = job->state->members[i].similarity,
                                       .same_site = (relation & ND_PAIR_MAY_BE_SAME_SITE) != 0,
                                       .html = !(member.text && leader.text),
                                       .relation = nd_address_relate(addresses[i], address[i]),
                                       .tokens = pages[i].text_tokens,
                                       .names = counts[i].names,
                                       .sites = counts[i].sites,
                                       .site_texts = counts[i].of_site,
                                       .crowded = counts[i].crowded};
        const bool same_text =
            text[i] == job->state->exact_of[i]; /* of a representative, its own */
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

/* Each text of which the first page is less certain than job->options.min_confidence becomes a set
 * of its own, whose first page represents it; what remains of a set keeps its representative.
 * Collective. \param[in,out] certainty  1 for those that leave */
static nd_status uncertain_leave(nd_job *job, float *certainty) {
    nd_status st = ND_OK;
    const size_t count = job->state->pages.count;
    uint64_t *table = NULL;
    uint64_t *leaves = NULL; /* 1: this page does */
    uint64_t *link = NULL;
    uint64_t left = 0;
    nd_new(&table, count, sizeof *table);
    nd_new(&leaves, count, sizeof *leaves);
    nd_new(&link, count, sizeof *link);
    for (size_t i = 0; i < count; i++) {
        table[i] = (double)certainty[i] < job->options.min_confidence &&
                   nd_job_own_first(job) + i >= nd_index_staying(job);
        link[i] = job->state->members[i].link;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, job->state->exact_of, count, leaves));
    ND_TRY(nd_set_members_name(job, leaves));
    ND_TRY(nd_lookup(&job->comm, job->first, leaves, link, count, link));
    for (size_t i = 0; i < count; i++) {
        nd_set_member *member = &job->state->members[i];
        const uint64_t first = job->state->exact_of[i];
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
    if (job->state->certainty != NULL) {
        return ND_OK;
    }
    nd_new(&job->state->certainty, job->state->pages.count, sizeof *job->state->certainty);
    nd_new(&addresses, job->state->pages.count, sizeof *addresses);
    for (size_t i = 0; st == ND_OK && i < job->state->pages.count; i++) {
        nd_span id, url;
        st = nd_page_store_names(&job->state->pages, i, &id, &url);
        addresses[i] = st == ND_OK ? nd_url_address(url) : 0;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(member_certainty(job, addresses, job->state->certainty));
    ND_TRY(job->options.min_confidence > 0 ? uncertain_leave(job, job->state->certainty) : ND_OK);
out:
    free(addresses);
    return st;
}
