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

/* Pages of one site and name in one set, on their way to the rank of the set's page. No padding:
 * they are sent as bytes. */
typedef struct set_pages {
    uint64_t set;
    uint64_t site;
    uint64_t name;  /* 0: of pages that are copies */
    uint64_t texts; /* of which the first page is among them */
} set_pages;

/* What is counted of a site: sent to the rank of its hash, and as an answer to the asker. No
 * padding likewise. */
typedef struct site_count {
    uint64_t site;
    uint64_t asker; /* the rank that asks for all of the site; NOBODY: none does */
    uint64_t texts;
    uint64_t crowded;
} site_count;

static const uint64_t NOBODY = UINT64_MAX;

static const nd_record_order by_set = {.word_count = 3, .words = {0, 1, 2}};
static const nd_record_order by_name = {.word_count = 1, .words = {2}};
static const nd_record_order by_site = {.word_count = 2, .words = {0, 1}};

static int asker_of(const void *record, int size, const void *context) {
    (void)size;
    (void)context;
    return (int)((const site_count *)record)->asker;
}

/* Sites that are counted, one by one. */
typedef struct site_counts {
    site_count *counts;
    uint64_t count;
    size_t capacity;
} site_counts;

/* Sort, and make one of those with the same site and asker. */
static void add_up(site_counts *s) {
    site_count *counts = s->counts;
    uint64_t kept = 0;
    nd_record_sort(counts, s->count, sizeof *counts, &by_site);
    for (uint64_t i = 0; i < s->count; i++) {
        if (kept > 0 && counts[kept - 1].site == counts[i].site &&
            counts[kept - 1].asker == counts[i].asker) {
            counts[kept - 1].texts += counts[i].texts;
            counts[kept - 1].crowded += counts[i].crowded;
        } else {
            counts[kept++] = counts[i];
        }
    }
    s->count = kept;
}

static void append(site_counts *s, const site_count *one) {
    if (s->count == s->capacity) {
        add_up(s); /* of most sites there are many */
        if (s->count >= s->capacity / 2) {
            nd_grow(&s->counts, &s->capacity, s->capacity + 1, sizeof *s->counts);
        }
    }
    s->counts[s->count++] = *one;
}

/* ---- the pages of each set */

/* What is sent of this rank's pages. */
typedef struct own_pages {
    const nd_job *job;
    const nd_address *addresses;
    size_t next;
} own_pages;

/* Of the next pages, those of one site and name in one set together. */
static nd_status next_pages(void *context, void *records, uint64_t room, uint64_t *count) {
    own_pages *from = context;
    const nd_state *state = from->job->state;
    const uint64_t own = nd_job_own_first(from->job);
    set_pages *pages = records;
    uint64_t listed = 0;
    for (; listed < room && from->next < state->pages.count; from->next++) {
        const size_t i = from->next;
        const nd_stored_page *page = &state->pages.pages[i];
        const bool text = state->exact_of[i] == own + i && (page->flags & ND_PAGE_REVISIT) == 0;
        const uint64_t name = from->addresses[i] != 0 ? nd_address_name(from->addresses[i]) << 1 | 1
                                                      : (own + i + 1) << 1;
        pages[listed++] = (set_pages){state->members[i].set, page->site, text ? name : 0, text};
    }
    nd_record_sort(pages, listed, sizeof *pages, &by_set);
    *count = 0;
    for (uint64_t i = 0; i < listed; i++) {
        set_pages *last = *count > 0 ? &pages[*count - 1] : NULL;
        if (last != NULL && last->set == pages[i].set && last->site == pages[i].site &&
            last->name == pages[i].name) {
            last->texts += pages[i].texts;
        } else {
            pages[(*count)++] = pages[i];
        }
    }
    return ND_OK;
}

/* A set's pages, by site and name: how many names and sites it has, and of each of these its texts.
 */
static void count_set(set_pages *pages, uint64_t count, uint64_t *names, uint64_t *in_set,
                      site_counts *sites) {
    for (uint64_t begin = 0, end = 0; begin < count; begin = end) {
        site_count sums = {.site = pages[begin].site, .asker = NOBODY};
        uint64_t named = 0;
        for (; end < count && pages[end].site == sums.site; end++) {
            const bool again = end > begin && pages[end].name == pages[end - 1].name;
            sums.texts += pages[end].texts;
            named += !again && pages[end].name != 0;
        }
        sums.crowded = named > 1 ? sums.texts : 0;
        append(sites, &sums);
        (*in_set)++;
    }
    nd_record_sort(pages, count, sizeof *pages, &by_name);
    for (uint64_t i = 0; i < count; i++) {
        const bool again = i > 0 && pages[i].name == pages[i - 1].name;
        *names += !again && pages[i].name != 0;
    }
}

/* Not collective. Of the sets whose page is this rank's. \param[in] own  the rank's first page
 * \param[out] names, in_set  by the set's page: of how many names it is, and of how many sites */
static nd_status count_sets(nd_external_sort *sorted, uint64_t own, uint64_t *names,
                            uint64_t *in_set, site_counts *sites) {
    nd_status st = ND_OK;
    set_pages ahead = {0};
    set_pages *pages = NULL; /* of one set */
    size_t capacity = 0;
    bool any = false;
    ND_TRY(nd_external_sort_finish(sorted));
    ND_TRY(nd_external_sort_take(sorted, &ahead, &any));
    while (any) {
        const uint64_t set = ahead.set;
        uint64_t count = 0;
        while (any && ahead.set == set) {
            nd_grow(&pages, &capacity, count + 1, sizeof *pages);
            pages[count++] = ahead;
            ND_TRY(nd_external_sort_take(sorted, &ahead, &any));
        }
        count_set(pages, count, &names[set - own], &in_set[set - own], sites);
    }
out:
    free(pages);
    return st;
}

/* ---- the sites of all sets */

/* A question for each site of this rank's pages. */
static void ask(const nd_job *job, site_counts *sites) {
    for (size_t i = 0; i < job->state->pages.count; i++) {
        const site_count question = {.site = job->state->pages.pages[i].site,
                                     .asker = (uint64_t)job->comm.rank};
        append(sites, &question);
    }
    add_up(sites);
}

/* Sorted by site: each asker gets the sums of the site. What nobody asked is left out. */
static void answer(site_counts *s) {
    site_count *counts = s->counts;
    uint64_t kept = 0;
    for (uint64_t begin = 0, end = 0; begin < s->count; begin = end) {
        site_count sums = {.site = counts[begin].site};
        for (; end < s->count && counts[end].site == sums.site; end++) {
            sums.texts += counts[end].texts;
            sums.crowded += counts[end].crowded;
        }
        for (uint64_t i = begin; i < end; i++) {
            if (counts[i].asker != NOBODY) {
                sums.asker = counts[i].asker;
                counts[kept++] = sums;
            }
        }
    }
    s->count = kept;
}

/* Collective. From what is counted of the sites in this rank's sets what is so of all sets: of the
 * sites of this rank's pages, ascending. */
static nd_status count_sites(nd_job *job, site_counts *sites) {
    nd_status st = ND_OK;
    ask(job, sites);
    ND_TRY(nd_shuffle(&job->comm, &sites->counts, &sites->count, sizeof *sites->counts,
                      nd_shuffle_owner_of_hash, NULL));
    add_up(sites);
    answer(sites);
    ND_TRY(nd_shuffle(&job->comm, &sites->counts, &sites->count, sizeof *sites->counts, asker_of,
                      NULL));
    add_up(sites);
out:
    return st;
}

/* Collective. \param[out] names, in_set  as count_sets() \param[out] sites  as count_sites() */
static nd_status count_all(nd_job *job, const nd_address *addresses, uint64_t *names,
                           uint64_t *in_set, site_counts *sites) {
    nd_status st = ND_OK;
    nd_external_sort sorted;
    own_pages own = {.job = job, .addresses = addresses};
    const nd_shuffle_stream stream =
        nd_job_sort_at_owners(job, &sorted, sizeof(set_pages), &by_set, nd_shuffle_owner_of_item);
    ND_TRY(nd_shuffle_run(&stream, next_pages, &own));
    st = count_sets(&sorted, nd_job_own_first(job), names, in_set, sites);
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_external_sort_close(&sorted);
    ND_TRY(count_sites(job, sites));
out:
    nd_external_sort_close(&sorted);
    return st;
}

nd_status nd_text_counts(nd_job *job, const nd_address *addresses, nd_text_count **counts) {
    nd_status st = ND_OK;
    const size_t count = job->state->pages.count;
    site_counts sites = {0};
    uint64_t *of_set = NULL; /* names, by the set's page */
    uint64_t *in_set = NULL; /* sites, likewise */
    uint64_t *set = NULL;    /* of each page; then the sites in it */
    uint64_t *names = NULL;  /* of that */
    *counts = NULL;
    nd_new(&of_set, count, sizeof *of_set);
    nd_new(&in_set, count, sizeof *in_set);
    ND_TRY(count_all(job, addresses, of_set, in_set, &sites));
    nd_new_room(&set, count, sizeof *set);
    nd_new_room(&names, count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        set[i] = job->state->members[i].set;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, of_set, set, count, names));
    ND_TRY(nd_lookup(&job->comm, job->first, in_set, set, count, set));
    free(of_set);
    free(in_set);
    of_set = in_set = NULL;
    nd_new_room(counts, count, sizeof **counts);
    for (size_t i = 0; i < count; i++) {
        const uint64_t site = job->state->pages.pages[i].site;
        uint64_t at = 0;
        ND_FIND_FIRST(at, 0, sites.count, sites.counts[at].site >= site);
        (*counts)[i] =
            (nd_text_count){names[i], set[i], sites.counts[at].texts, sites.counts[at].crowded};
    }
out:
    free(of_set);
    free(in_set);
    free(set);
    free(names);
    free(sites.counts);
    return st;
}

/* ---- each member */

/* The certainty of this rank's pages, from their addresses and what is fetched. Collective. */
static nd_status member_certainty(nd_job *job, const nd_address *addresses, float *certainty) {
    nd_status st = ND_OK;
    uint64_t *leaders = NULL; /* the representatives of this rank's pages; then their addresses */
    uint64_t *site = NULL; /* of these; before, the first page with their text, and what that is */
    uint8_t *is_text = NULL; /* likewise */
    uint64_t *table = NULL;
    nd_text_count *counts = NULL;
    const size_t count = job->state->pages.count;
    const nd_stored_page *pages = job->state->pages.pages;
    const bool known = nd_certainty_is_known(job->options.method, &job->options.method_options);
    ND_TRY(nd_text_counts(job, addresses, &counts)); /* first, for it takes most memory */
    nd_new(&leaders, count, sizeof *leaders);
    nd_new(&site, count, sizeof *site);
    nd_new(&is_text, count, sizeof *is_text);
    nd_new(&table, count, sizeof *table);
    for (size_t i = 0; i < count; i++) {
        leaders[i] = job->state->members[i].representative;
        table[i] = nd_stored_page_origin(&pages[i]).text;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, site));
    for (size_t i = 0; i < count; i++) {
        is_text[i] = site[i] != 0;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, job->state->exact_of, leaders, count, site));
    for (size_t i = 0; i < count; i++) {
        certainty[i] = site[i] == job->state->exact_of[i]; /* of a representative, its own */
        table[i] = pages[i].site;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, leaders, count, site));
    ND_TRY(nd_lookup(&job->comm, job->first, addresses, leaders, count, leaders));
    for (size_t i = 0; i < count && known; i++) {
        const nd_origin member = nd_stored_page_origin(&pages[i]);
        const nd_origin leader = {.site = site[i], .text = is_text[i] != 0};
        const uint32_t relation = nd_method_relation(member, leader);
        const nd_member_facts facts = {.similarity = job->state->members[i].similarity,
                                       .same_site = (relation & ND_PAIR_MAY_BE_SAME_SITE) != 0,
                                       .html = !(member.text && leader.text),
                                       .relation = nd_address_relate(addresses[i], leaders[i]),
                                       .tokens = pages[i].text_tokens,
                                       .names = counts[i].names,
                                       .sites = counts[i].sites,
                                       .site_texts = counts[i].of_site,
                                       .crowded = counts[i].crowded};
        const bool same_text = certainty[i] > 0;
        certainty[i] = same_text ? 1 : nd_certainty(&facts);
    }
out:
    free(leaders);
    free(site);
    free(is_text);
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
