#include "mpi/cmd/overlap/overlap_findings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static nd_status count_thing(void *context, const nd_overlap_part *parts, size_t count,
                             const uint64_t *pages) {
    (void)pages;
    nd_overlap_counts_add(context, parts, count);
    return ND_OK;
}

static uint64_t order_of(const nd_overlap_findings *f, uint64_t page) {
    return XXH3_64bits_withSeed(&page, sizeof page, f->wish->seed);
}

/* Count a set, and offer its pages to the samples: each, and of each collection the first, by
 * which the set is drawn. */
static nd_status take_set(void *context, const nd_overlap_part *parts, size_t count,
                          const uint64_t *pages) {
    nd_status st = ND_OK;
    nd_overlap_findings *f = context;
    uint64_t in[ND_COLLECTIONS_MOST / 64] = {0};
    nd_overlap_counts_add(&f->counts[ND_THING_SET], parts, count);
    for (size_t i = 0; i < count; i++) {
        in[parts[i].collection / 64] |= UINT64_C(1) << parts[i].collection % 64;
    }
    for (size_t i = 0; i < count && f->wish->sample > 0; i++) {
        const size_t x = parts[i].collection;
        for (uint64_t p = 0; p < parts[i].pages; p++) {
            const uint64_t order = order_of(f, pages[p]);
            if (p == 0) {
                ND_TRY(nd_overlap_sample_offer(&f->by_set, x, order, pages[p], in));
            }
            ND_TRY(nd_overlap_sample_offer(&f->by_page, x, order, pages[p], in));
        }
        pages += parts[i].pages;
    }
out:
    return st;
}

static nd_status find_exactly(nd_overlap_findings *f, nd_spool_folder *folder) {
    nd_status st = ND_OK;
    for (int thing = 0; thing < ND_THINGS; thing++) {
        uint64_t without = 0;
        const bool sets = thing == ND_THING_SET;
        ND_TRY(nd_overlap_counts_open(&f->counts[thing], f->chosen.count));
        ND_TRY(nd_things_walk(f->result, &f->chosen, (nd_thing)thing, folder, f->wish->memory,
                              sets ? take_set : count_thing,
                              sets ? (void *)f : (void *)&f->counts[thing], &without));
        f->without_url += without;
    }
out:
    return st;
}

static nd_status find_fixed(nd_overlap_findings *f) {
    const char *fixed = f->wish->fixed;
    for (f->fixed = 0; fixed != NULL && f->fixed < f->chosen.count; f->fixed++) {
        const nd_span name = nd_chosen_name(&f->chosen, f->fixed);
        if (name.size == strlen(fixed) &&
            (name.size == 0 || memcmp(name.data, fixed, name.size) == 0)) {
            return ND_OK;
        }
    }
    return fixed == NULL ? ND_OK
                         : nd_fail(ND_ERR_USAGE,
                                   "--fixed: '%s' is none of the collections that "
                                   "are compared",
                                   fixed);
}

nd_status nd_overlap_find(nd_overlap_findings *findings, nd_shown_run *run,
                          const nd_overlap_wish *wish) {
    nd_status st = ND_OK;
    char path[sizeof run->result->path + 16];
    nd_overlap_findings *f = findings;
    *f = (nd_overlap_findings){.result = run->result, .wish = wish};
    (void)snprintf(path, sizeof path, "%s.spill", run->result->path);
    nd_spool_folder folder = {.path = path, .unnamed = true};
    ND_TRY(nd_chosen_collections_read(&f->chosen, run->result, wish->collections));
    if (f->chosen.count < 2) {
        st = nd_fail(ND_ERR_USAGE,
                     "%s: one collection: there is nothing to compare (neardup partition "
                     "NAME=INPUT NAME=INPUT ... names collections)",
                     run->result->path);
        goto out;
    }
    ND_TRY(find_fixed(f));
    const size_t count = f->chosen.count;
    ND_TRY(wish->sample > 0 ? nd_overlap_sample_open(&f->by_set, count, wish->sample) : ND_OK);
    ND_TRY(wish->sample > 0 ? nd_overlap_sample_open(&f->by_page, count, wish->sample) : ND_OK);
    ND_TRY(find_exactly(f, &folder));
    if (wish->sample > 0) {
        ND_TRY(nd_overlap_sample_finish(&f->by_set));
        ND_TRY(nd_overlap_sample_finish(&f->by_page));
        ND_TRY(nd_size_estimates_make(&f->set_sizes, &f->by_set, f->fixed, wish->resamples,
                                      wish->seed));
        ND_TRY(nd_size_estimates_make(&f->page_sizes, &f->by_page, f->fixed, wish->resamples,
                                      wish->seed));
    }
    if (wish->queries > 0) {
        ND_TRY(nd_strong_queries_ask(&f->queries, run, &f->chosen, &f->by_set, wish->queries));
        ND_TRY(nd_size_estimates_make(&f->own_sizes, &f->queries.own, f->fixed, wish->resamples,
                                      wish->seed));
        ND_TRY(nd_size_estimates_make(&f->any_sizes, &f->queries.any, f->fixed, wish->resamples,
                                      wish->seed));
    }
out:
    if (folder.next > 0) {
        (void)rmdir(path);
    }
    return st;
}

nd_span nd_overlap_name(const nd_overlap_findings *findings, size_t x) {
    static const char none[] = "(no name)";
    const nd_span name = nd_chosen_name(&findings->chosen, x);
    return name.size > 0 ? name : (nd_span){(const uint8_t *)none, sizeof none - 1};
}

void nd_overlap_findings_free(nd_overlap_findings *findings) {
    nd_overlap_findings *f = findings;
    nd_chosen_collections_free(&f->chosen);
    for (int thing = 0; thing < ND_THINGS; thing++) {
        nd_overlap_counts_free(&f->counts[thing]);
    }
    nd_overlap_sample_free(&f->by_set);
    nd_overlap_sample_free(&f->by_page);
    nd_size_estimates_free(&f->set_sizes);
    nd_size_estimates_free(&f->page_sizes);
    nd_strong_queries_free(&f->queries);
    nd_size_estimates_free(&f->own_sizes);
    nd_size_estimates_free(&f->any_sizes);
}
