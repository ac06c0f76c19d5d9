#include "mpi/cmd/query/query.h"

#include "io/store/page_store.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/job/job.h"
#include "mpi/job/page_content.h"
#include "mpi/run/run.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/guard.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/method/certainty.h"
#include "src/sets/candidates.h"
#include "src/text/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Indexed pages that one is compared with at most: those that share most keys with it. */
enum { MOST_CANDIDATES = 48 };

/* ---- opening */

static nd_status read_postings(nd_index_search *s, uint64_t pages) {
    enum { AT_ONCE = 4096 };
    static nd_stored_page stored[AT_ONCE];
    static nd_set_member members[AT_ONCE];
    nd_status st = ND_OK;
    nd_index_keys keys = {0};
    size_t count = 0;
    const nd_checkpoint *index = &s->job.state->index.folder;
    const uint64_t key_count = nd_checkpoint_count(index, "keys");
    ND_TRY(nd_index_keys_open(&keys, index, 0, pages));
    nd_new_room(&s->postings, key_count, sizeof *s->postings);
    nd_new_room(&s->sets, pages, sizeof *s->sets);
    for (uint64_t page = 0; page < pages; page++) {
        const uint64_t i = page % AT_ONCE;
        if (i == 0) {
            const uint64_t end = nd_min(pages, page + AT_ONCE);
            ND_TRY(nd_checkpoint_load(index, "pages", sizeof *stored, page, end, stored));
            ND_TRY(nd_checkpoint_load(index, "members", sizeof *members, page, end, members));
        }
        ND_TRY(nd_index_keys_read(&keys, &s->job, page, s->keys, &count));
        if (count > key_count - s->posting_count) {
            st = nd_fail(ND_ERR_FORMAT, "%s: damaged: pages share keys", s->job.options.index);
            goto out;
        }
        for (size_t k = 0; k < count; k++) {
            s->postings[s->posting_count++] =
                (nd_key_value){s->keys[k], nd_posting_value(page, stored[i].token_count)};
        }
        if (members[i].set == page) {
            s->sets[s->set_count++] = page;
        }
    }
    nd_radix_sort(s->postings, s->posting_count);
out:
    nd_index_keys_close(&keys);
    return st;
}

/* ---- what the sets say of indexed pages' sites and names, for how sure it is that a page belongs
 */

/* For nd_text_counts() the index's pages are the job's. */
static nd_status borrow_pages(nd_job *job, uint64_t pages) {
    nd_status st = ND_OK;
    nd_key_value *texts = NULL; /* (hash of a text, page): a text's first page comes first */
    const nd_checkpoint *index = &job->state->index.folder;
    nd_new_room(&job->state->pages.pages, pages, sizeof *job->state->pages.pages);
    nd_new_room(&job->state->members, pages, sizeof *job->state->members);
    nd_new_room(&job->state->exact_of, pages, sizeof *job->state->exact_of);
    nd_new_room(&texts, pages, sizeof *texts);
    job->state->pages.count = job->first[1] = pages;
    ND_TRY(nd_checkpoint_load(index, "pages", sizeof *job->state->pages.pages, 0, pages,
                              job->state->pages.pages));
    ND_TRY(nd_checkpoint_load(index, "members", sizeof *job->state->members, 0, pages,
                              job->state->members));
    ND_TRY(nd_set_members_check(index, job->first, job->state->members));
    for (uint64_t i = 0; i < pages; i++) {
        texts[i] = (nd_key_value){job->state->pages.pages[i].text_hash.low, i};
    }
    nd_radix_sort(texts, pages);
    for (uint64_t i = 0, first = 0; i < pages; i++) {
        first = texts[i].key == texts[first].key ? first : i;
        job->state->exact_of[texts[i].value] = texts[first].value;
    }
out:
    free(texts);
    return st;
}

static void return_pages(nd_job *job) {
    nd_page_store_free(&job->state->pages);
    free(job->state->members);
    free(job->state->exact_of);
    job->state->members = NULL;
    job->state->exact_of = NULL;
}

static int by_site(const void *a, const void *b) {
    const uint64_t x = ((const nd_search_site *)a)->site, y = ((const nd_search_site *)b)->site;
    return (x > y) - (x < y);
}

static nd_status count_indexed_texts(nd_index_search *s, uint64_t pages) {
    nd_status st = ND_OK;
    nd_job *job = &s->job;
    nd_address *addresses = NULL;
    nd_text_count *counts = NULL;
    nd_buffer url = {0};
    nd_new_room(&addresses, pages, sizeof *addresses);
    nd_new_room(&s->of_sets, s->set_count, sizeof *s->of_sets);
    nd_new_room(&s->sites, pages + 1, sizeof *s->sites);
    ND_TRY(borrow_pages(job, pages));
    for (uint64_t i = 0; i < pages; i++) {
        const nd_stored_page *page = &job->state->pages.pages[i];
        const uint64_t begin = page->names + page->id_size;
        url.size = 0;
        nd_buffer_reserve(&url, (size_t)page->url_size + 1);
        ND_TRY(nd_checkpoint_load(&job->state->index.folder, "ingest.names", 1, begin,
                                  begin + page->url_size, url.data));
        addresses[i] = nd_url_address((nd_span){url.data, page->url_size});
    }
    ND_TRY(nd_text_counts(job, addresses, &counts));
    for (uint64_t i = 0; i < s->set_count; i++) {
        s->of_sets[i] = counts[s->sets[i]];
    }
    for (uint64_t i = 0; i < pages; i++) {
        s->sites[i] =
            (nd_search_site){job->state->pages.pages[i].site, counts[i].of_site, counts[i].crowded};
    }
    nd_sort(s->sites, pages, sizeof *s->sites, by_site);
    for (uint64_t i = 0; i < pages; i++) {
        if (s->site_count == 0 || s->sites[s->site_count - 1].site != s->sites[i].site) {
            s->sites[s->site_count++] = s->sites[i];
        }
    }
    s->sites[s->site_count] = (nd_search_site){0};
out:
    return_pages(job);
    free(addresses);
    free(counts);
    nd_buffer_free(&url);
    return st;
}

nd_status nd_index_search_open(nd_index_search *search, const char *path) {
    nd_status st = ND_OK;
    nd_job_options options = {0};
    nd_index_search *s = search;
    nd_checkpoint index = {0};
    nd_comm comm;
    uint64_t pages = 0;
    const char *parameters = "";
    *s = (nd_index_search){0};
    nd_comm_open(&comm, MPI_COMM_SELF);
    nd_partition_defaults(&options);
    st = nd_index_read(&index, &comm, path, &pages);
    st = st != ND_OK ? st : nd_checkpoint_text(&index, "parameters", &parameters);
    st = st != ND_OK ? st : nd_read_parameters(path, parameters, &options);
    options.memory = nd_memory_shares(nd_memory_default(1));
    nd_run_open(&s->job, MPI_COMM_SELF, &options);
    s->job.options.index = path;
    s->job.state->index.folder = index;
    s->job.state->index.folder.comm = &s->job.comm;
    s->job.state->index.pages = pages;
    s->batch.job = &s->job;
    nd_comm_close(&comm);
    ND_TRY(st);
    ND_TRY(nd_checkpoint_check_sizes(&s->job.state->index.folder));
    ND_TRY(nd_index_check_pages(&s->job.state->index.folder));
    s->limits = nd_record_limits_of(0, 0, options.memory.total);
    s->maker = nd_job_page_maker(&options, &s->limits);
    const size_t keys = options.method->sizes(&options.method_options, 0).keys;
    nd_new(&s->keys, keys, sizeof *s->keys);
    nd_new(&s->job.first, 2, sizeof *s->job.first);
    ND_TRY(nd_index_sites_load(&s->job));
    ND_TRY(nd_index_inputs(&s->job.state->index.folder, &s->job.inputs));
    s->job.state->index.sources = s->job.inputs.count;
    ND_TRY(nd_index_fields(&s->job));
    ND_TRY(nd_index_texts_open(&s->job));
    ND_TRY(read_postings(s, pages));
    ND_TRY(options.min_confidence > 0 ? count_indexed_texts(s, pages) : ND_OK);
    s->job.state->index.pages = 0; /* of those that are compared none is the index's own */
out:
    return st;
}

/* ---- the page */

/* What a run against the index would compare of it. */
static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    nd_job *job = context;
    return nd_index_sites_choose(job, UINT64_MAX, document, keep,
                                 &job->state->pages.pages[index].flags);
}

/* A candidate, and whether the key has so many pages that it tells little of them. */
static uint64_t candidate_of(uint64_t page, bool common) {
    return page << 1 | common;
}

/* Candidates into s->found, each as often as it shares a key. */
static void find_candidates(nd_index_search *s, const nd_document *document, size_t key_count,
                            uint64_t *count) {
    const uint64_t own = nd_posting_value(0, document->token_count);
    *count = 0;
    for (size_t k = 0; k < key_count; k++) {
        uint64_t begin = 0;
        uint64_t middle = 0;
        ND_FIND_FIRST(begin, 0, s->posting_count, s->postings[begin].key >= s->keys[k]);
        uint64_t end = begin;
        ND_FIND_FIRST(end, begin, s->posting_count, s->postings[end].key > s->keys[k]);
        const bool common = end - begin >= ND_GROUP_NEIGHBOURS; /* and the page itself */
        if (end - begin >= s->job.state->groups.all_pairs) {
            ND_FIND_FIRST(middle, begin, end, s->postings[middle].value >= own);
            begin = nd_max(begin, middle - nd_min(middle, ND_GROUP_NEIGHBOURS));
            end = nd_min(end, middle + ND_GROUP_NEIGHBOURS);
        }
        nd_grow(&s->found, &s->found_capacity, *count + (end - begin), sizeof *s->found);
        for (; begin < end; begin++) {
            s->found[(*count)++] = candidate_of(nd_posting_page(s->postings[begin].value), common);
        }
    }
}

/* Distinct, those of most keys first, and no more than are compared. Where every page of a set is
 * similar to its leader, the leaders in their place. */
static nd_status choose_candidates(nd_index_search *s, uint64_t *count) {
    nd_status st = ND_OK;
    nd_set_member member;
    nd_key_value *pages = NULL; /* (keys shared, descending; page) */
    uint64_t distinct = 0;
    const bool leaders = s->job.options.transitivity != ND_TRANSITIVITY_VERIFIED;
    nd_new_room(&pages, *count, sizeof *pages);
    for (uint64_t i = 0; i < *count; i++) {
        pages[i] = (nd_key_value){s->found[i], 0};
    }
    nd_radix_sort(pages, *count);
    for (uint64_t i = 0, end = 0; i < *count; i = end) {
        const uint64_t first = pages[i].key; /* by a rare key, if there is one */
        for (end = i; end < *count && pages[end].key >> 1 == first >> 1; end++) {
        }
        pages[distinct++] = (nd_key_value){UINT64_MAX - (end - i), first};
    }
    nd_radix_sort(pages, distinct);
    *count = 0;
    for (uint64_t i = 0; i < distinct && *count < MOST_CANDIDATES; i++) {
        uint64_t page = pages[i].value >> 1;
        if (leaders) {
            ND_TRY(nd_checkpoint_load(&s->job.state->index.folder, "members", sizeof member, page,
                                      page + 1, &member));
            page = member.representative;
        }
        bool seen = false;
        for (uint64_t k = 0; k < *count; k++) {
            seen = seen || s->found[k] >> 1 == page;
        }
        if (!seen) {
            s->found[(*count)++] = candidate_of(page, pages[i].value & 1);
        }
    }
out:
    free(pages);
    return st;
}

/* ---- comparing */

/* Bring an indexed page to those that are compared. \param[out] place  there */
static nd_status bring(nd_index_search *s, uint64_t number, uint64_t *place) {
    nd_status st = ND_OK;
    nd_stored_page page;
    const uint32_t *tokens = NULL;
    const nd_checkpoint *index = &s->job.state->index.folder;
    for (*place = 1; *place <= s->number_count; (*place)++) {
        if (s->numbers[*place - 1] == number) {
            return ND_OK;
        }
    }
    ND_TRY(nd_checkpoint_load(index, "pages", sizeof page, number, number + 1, &page));
    ND_TRY(nd_index_text_read(&s->job, number, &page, &tokens));
    page.sentence_count = 0;
    ND_TRY(nd_page_store_append(&s->job.state->pages, &page, tokens, NULL, (nd_span){0},
                                (nd_span){0}));
    s->numbers[s->number_count++] = number;
out:
    return st;
}

/* Digests and payloads of all that was brought. */
static nd_status open_batch(nd_index_search *s) {
    nd_status st = ND_OK;
    uint64_t places[1 + sizeof s->numbers / sizeof *s->numbers];
    s->job.first[1] = s->job.state->pages.count;
    ND_TRY(nd_digests_fill(&s->job));
    for (uint64_t i = 0; i < s->job.state->pages.count; i++) {
        places[i] = i;
    }
    ND_TRY(nd_compare_batch_fetch(&s->batch, places, s->job.state->pages.count));
out:
    return st;
}

static nd_status read_match(nd_index_search *s, int which, nd_search_match *match) {
    nd_status st = ND_OK;
    nd_stored_page page;
    nd_buffer *names = &s->names[which];
    const nd_checkpoint *index = &s->job.state->index.folder;
    ND_TRY(nd_checkpoint_load(index, "pages", sizeof page, match->page, match->page + 1, &page));
    names->size = 0;
    nd_buffer_reserve(names, (size_t)page.id_size + page.url_size + 1);
    ND_TRY(nd_checkpoint_load(index, "ingest.names", 1, page.names,
                              page.names + page.id_size + page.url_size, names->data));
    match->id = (nd_span){names->data, page.id_size};
    match->url = (nd_span){names->data + page.id_size, page.url_size};
out:
    return st;
}

/* How sure is it that the page, which joins, belongs to its set? The page and what it brings are
 * counted with the indexed ones, as far as its match and its representative tell. */
static void ask_certainty(const nd_index_search *s, uint64_t leader, nd_span url,
                          nd_search_result *result) {
    const nd_stored_page *page = &s->job.state->pages.pages[0],
                         *to = &s->job.state->pages.pages[leader];
    const nd_origin member = nd_stored_page_origin(page), origin = nd_stored_page_origin(to);
    const nd_text_count *set = &s->of_sets[result->set];
    const nd_address own = nd_url_address(url);
    const nd_address others[2] = {nd_url_address(result->match.url),
                                  nd_url_address(result->representative.url)};
    const bool named = own != 0 && (nd_address_name(own) == nd_address_name(others[0]) ||
                                    nd_address_name(own) == nd_address_name(others[1]));
    uint64_t at = 0;
    ND_FIND_FIRST(at, 0, s->site_count, s->sites[at].site >= page->site);
    const nd_search_site *site = at < s->site_count && s->sites[at].site == page->site
                                     ? &s->sites[at]
                                     : &s->sites[s->site_count];
    const uint32_t relation = nd_method_relation(member, origin);
    const nd_member_facts facts = {
        .similarity = (float)result->representative.similarity,
        .same_site = (relation & ND_PAIR_MAY_BE_SAME_SITE) != 0,
        .html = !(member.text && origin.text),
        .relation = nd_address_relate(own, others[1]),
        .tokens = page->text_tokens,
        .names = set->names + !named,
        .sites = set->sites + (page->site != to->site),
        .site_texts = site->texts + 1,
        .crowded = site->crowded + (page->site == to->site && !named),
    };
    const bool same_text = memcmp(&page->text_hash, &to->text_hash, sizeof to->text_hash) == 0;
    result->certain = same_text ? 1 : (double)nd_certainty(&facts);
    result->unsure = result->certain < s->job.options.min_confidence;
    result->joins = !result->unsure;
}

/* Would the page join by this one? Then the result says so. */
static nd_status try_match(nd_index_search *s, const nd_link *match, nd_span url,
                           nd_search_result *result) {
    nd_status st = ND_OK;
    const uint64_t page = match->a;
    nd_set_member member;
    uint64_t joined = 0;
    uint64_t leader = 0;
    uint8_t form = 0;
    double similarity = match->similarity;
    const nd_checkpoint *index = &s->job.state->index.folder;
    const nd_job_options *o = &s->job.options;
    ND_TRY(nd_checkpoint_load(index, "members", sizeof member, page, page + 1, &member));
    ND_TRY(nd_checkpoint_load(index, "form", 1, page, page + 1, &form));
    ND_TRY(bring(s, page, &joined)); /* it is there: it was compared */
    leader = joined;
    const nd_stored_page *pages = s->job.state->pages.pages;
    const uint16_t subject = pages[0].subject;
    if (form != 0 && o->split_records &&
        !nd_form_are_twins(match->similarity,
                           nd_subject_is_other(subject, pages[joined].subject))) {
        goto out;
    }
    if (member.representative != page && o->slack > 0) {
        ND_TRY(bring(s, member.representative, &leader));
        ND_TRY(open_batch(s));
        pages = s->job.state->pages.pages; /* elsewhere, where one more was brought */
        nd_guard_compare(o, &s->batch, leader, pages[leader].token_count, 0, pages[0].token_count,
                         &similarity);
        const bool other = nd_subject_is_other(subject, pages[leader].subject);
        if (similarity <= 0 || (form != 0 && !nd_form_are_twins(similarity, other))) {
            goto out;
        }
    }
    result->joins = true;
    result->set = nd_numbers_place(s->sets, s->set_count, member.set);
    result->match = (nd_search_match){.page = page, .similarity = match->similarity};
    result->representative =
        (nd_search_match){.page = member.representative, .similarity = similarity};
    ND_TRY(read_match(s, 0, &result->match));
    ND_TRY(read_match(s, 1, &result->representative));
    if (s->of_sets != NULL) {
        ask_certainty(s, leader, url, result);
    }
out:
    return st;
}

/* The page is the first of those in the store. */
static nd_status compare_candidates(nd_index_search *s, uint64_t count, nd_span url,
                                    nd_search_result *result) {
    nd_status st = ND_OK;
    const nd_method_options *options = &s->job.options.method_options;
    nd_link similar[MOST_CANDIDATES];
    uint64_t similar_count = 0;
    uint64_t tries = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = 0;
        ND_TRY(bring(s, s->found[i] >> 1, &place));
    }
    ND_TRY(open_batch(s));
    for (uint64_t i = 0; i < count; i++) {
        const nd_stored_page *pages = s->job.state->pages.pages;
        const uint64_t tokens = nd_max(pages[0].token_count, pages[i + 1].token_count);
        const uint32_t relation =
            nd_pair_of_keys(&s->job.options, nd_compare_batch_relation(&s->batch, 0, i + 1), tokens,
                            (s->found[i] & 1) != 0);
        nd_link link = {.a = s->found[i] >> 1};
        nd_compare_batch_pair(&s->batch, 0, i + 1, nd_method_threshold(options, relation),
                              &link.similarity);
        if (link.similarity > 0) {
            similar[similar_count++] = link;
        }
    }
    nd_sort(similar, similar_count, sizeof *similar, nd_link_compare);
    for (;
         tries < similar_count && tries < ND_GROUP_NEIGHBOURS && !result->joins && !result->unsure;
         tries++) {
        ND_TRY(try_match(s, &similar[tries], url, result));
    }
out:
    return st;
}

nd_status nd_index_search_page(nd_index_search *search, const nd_record *record,
                               nd_search_result *result) {
    nd_status st = ND_OK;
    nd_index_search *s = search;
    nd_job *job = &s->job;
    nd_document document;
    size_t key_count = 0;
    uint64_t count = 0;
    *result = (nd_search_result){0};
    nd_page_store_free(&job->state->pages);
    nd_digests_drop(job);
    nd_spool_open(&job->state->digests, &job->folder, 0);
    s->number_count = 0;
    ND_TRY(nd_page_maker_add(&s->maker, record, 0, 0, &job->state->pages));
    ND_TRY(nd_page_store_select(&job->state->pages, choose, NULL, job));
    ND_TRY(nd_page_store_document(&job->state->pages, 0, &document));
    nd_page_content_hash(&job->options, &document, NULL, &s->digests,
                         &job->state->pages.pages[0].content_hash);
    document.hash = job->state->pages.pages[0].content_hash;
    result->compared =
        nd_page_is_compared(&job->options, document.token_count, job->state->pages.pages[0].flags);
    if (!result->compared) {
        goto out;
    }
    job->options.method->sign(&job->options.method_options, &job->state->method_work, &document,
                              s->keys, &key_count);
    find_candidates(s, &document, key_count, &count);
    ND_TRY(choose_candidates(s, &count));
    ND_TRY(compare_candidates(s, count, record->url, result));
out:
    return st;
}

void nd_index_search_close(nd_index_search *search) {
    nd_page_maker_free(&search->maker);
    nd_compare_batch_free(&search->batch);
    free(search->postings);
    free(search->sets);
    free(search->of_sets);
    free(search->sites);
    free(search->keys);
    free(search->found);
    nd_buffer_free(&search->names[0]);
    nd_buffer_free(&search->names[1]);
    nd_buffer_free(&search->digests);
    nd_run_close(&search->job);
}

/* ---- neardup query INDEX : pages of standard input, one after the other, against an index. */

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    (void)sets; /* there are none */
}

static void put_match(json_object *row, const char *const names[4], const nd_search_match *match) {
    ND_JSON_PUT(row, {names[0], nd_json_number(match->page)}, {names[1], nd_json_text(match->id)},
                {names[2], nd_json_text(match->url)},
                {names[3], nd_json_similarity(match->similarity)});
}

/* The answer to a line, which may be no page. \param[in] fault  why, or NULL */
static nd_status print_answer(const nd_jsonl_page *page, const char *fault,
                              const nd_search_result *r) {
    static const char *const of_match[] = {"page", "page_id", "page_url", "similarity"};
    static const char *const of_leader[] = {"representative", "representative_id",
                                            "representative_url", "representative_similarity"};
    json_object *row = ND_JSON({"id", nd_json_text(page->id)}, {"url", nd_json_text(page->url)});
    if (fault != NULL) {
        ND_JSON_PUT(row, {"error", nd_json_words(fault)});
    } else {
        ND_JSON_PUT(row, {"set", r->joins ? nd_json_number(r->set) : NULL});
    }
    if (fault == NULL && (r->joins || r->unsure)) {
        if (r->certain > 0) {
            ND_JSON_PUT(row, {"confidence", nd_json_similarity(r->certain)});
        }
        put_match(row, of_match, &r->match);
        put_match(row, of_leader, &r->representative);
    } else if (fault == NULL && !r->compared) {
        ND_JSON_PUT(row, {"too_short", nd_json_flag(true)});
    }
    nd_json_print(stdout, &row);
    return nd_flush_stdout(); /* somebody may wait for it */
}

/* Parsers of lines as the index's latest inputs were, and of lines with the usual fields. */
enum { PARSERS = 2 };

static nd_status answer(nd_index_search *search, nd_jsonl *const parsers[PARSERS], nd_span line,
                        bool *wrong) {
    nd_status st = ND_OK;
    nd_jsonl_page page;
    nd_search_result result = {0};
    const char *fault = NULL;
    st = nd_jsonl_parse(parsers[0], line, &page, &fault);
    st = st == ND_ERR_FORMAT ? nd_jsonl_parse(parsers[1], line, &page, &fault) : st;
    if (st == ND_OK) {
        const nd_record record = {.content = page.html ? ND_CONTENT_HTML : ND_CONTENT_TEXT,
                                  .text = page.text,
                                  .id = page.id,
                                  .url = page.url};
        st = nd_index_search_page(search, &record, &result);
        fault = st == ND_ERR_LIMIT ? nd_fail_text() : NULL;
    }
    *wrong = *wrong || fault != NULL;
    return fault != NULL || st == ND_OK ? print_answer(&page, fault, &result) : st;
}

static nd_status query_index(nd_command_call *call, bool *wrong) {
    nd_status st = ND_OK;
    nd_words words = {0};
    nd_index_search search = {0};
    nd_jsonl *parsers[PARSERS] = {NULL};
    nd_reader_options reading = {.jsonl_id = NULL};
    bool opened = false;
    char *line = NULL;
    size_t capacity = 0;
    ND_TRY(nd_command_line_read(call, 0, &words));
    if (words.count != 1) {
        st = nd_fail(ND_ERR_USAGE, "query: one INDEX, and pages as JSON lines on standard input");
        goto out;
    }
    opened = true;
    ND_TRY(nd_index_search_open(&search, words.words[0]));
    const nd_jsonl_names usual = nd_reader_jsonl_names(&reading);
    nd_reread_fields_set(&search.job.fields, search.job.state->index.sources - 1, &reading);
    const nd_jsonl_names names = nd_reader_jsonl_names(&reading);
    ND_TRY(nd_jsonl_open(&names, &search.limits, &parsers[0]));
    ND_TRY(nd_jsonl_open(&usual, &search.limits, &parsers[1]));
    while (true) {
        errno = 0;
        const ssize_t size = getline(&line, &capacity, stdin);
        if (size < 0) {
            break;
        }
        const nd_span text = {(const uint8_t *)line, (size_t)size};
        ND_TRY(nd_jsonl_begins(text) ? answer(&search, parsers, text, wrong) : ND_OK);
    }
    if (!feof(stdin)) {
        st = nd_fail(ND_ERR_IO, "standard input: cannot be read: %s", strerror(errno));
    }
out:
    free(line);
    nd_jsonl_close(&parsers[0]);
    nd_jsonl_close(&parsers[1]);
    if (opened) {
        nd_index_search_close(&search);
    }
    return st;
}

static nd_status query(nd_command_call *call) {
    bool wrong = false;
    ND_MPI(
        MPI_Init(&call->argc, &call->argv)); /* each process for itself, however many there are */
    const nd_status st = query_index(call, &wrong);
    const int code = st != ND_OK ? nd_command_failed(&nd_command_query, st)
                     : wrong     ? ND_EXIT_SKIPPED
                                 : ND_EXIT_DONE;
    ND_MPI(MPI_Finalize());
    call->code = code;
    return ND_OK;
}

const nd_command nd_command_query = {
    .name = "query",
    .summary = "find the old page that a new one repeats: single pages against an index",
    .usage = "INDEX < PAGES.jsonl",
    .about = "Reads pages from standard input, a JSON object on each line: id, url, text or html, "
             "or the fields that the index was made with. For each page it prints one JSON line at "
             "once, with id and url. set is the set that the page would join. page, page_id, "
             "page_url and similarity name the old page that decides, and representative, "
             "representative_id and so on its set's representative. set is null if it would join "
             "none (too_short: it is too short to be compared). confidence is how sure it is that "
             "the page belongs to that set. Below the run's --min-confidence set is null too, and "
             "the other fields say what was found. error says that the line is no page. Keys are "
             "held in memory, some 300 bytes a page.",
    .examples =
        "neardup query crawl.index < pages.jsonl\n"
        "neardup query crawl.index < new.jsonl | grep '\"set\":null'\n"
        "echo '{\"url\":\"http://a.example/\",\"text\":\"...\"}' | neardup query crawl.index",
    .notes = "Exit code 3: done, but a line was no page. A page is compared with at most 48 old "
             "ones, those that share most keys. A run against the index sees all new pages "
             "together, and may find more.",
    .open = open_options,
    .run = query,
};
