/* New pages that join the sets of old ones, against one process that holds all pages: by the most
 * similar of their old pages, then by those that have just joined, and never into a form. */
#include "mpi/run/run.h"
#include "mpi/stage/attach.h"
#include "mpi/stage/set_members.h"
#include "src/base/util.h"
#include "src/text/address.h"
#include "tests/support/in_memory.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"

#include <stdlib.h>
#include <string.h>

enum { OLD = 40, TRIES = 8 };

static const uint64_t NONE = UINT64_MAX;

typedef struct old_sets {
    nd_set_member members[OLD];
    uint8_t form[OLD];
} old_sets;

/* An old page opens a set, or is in that of one before; the last one represents it. */
static void draw_old(old_sets *old, nd_random *random) {
    uint64_t last[OLD];
    for (uint64_t i = 0; i < OLD; i++) {
        const bool opens = i == 0 || nd_random_below(random, 2) == 0;
        const uint64_t set = opens ? i : old->members[nd_random_below(random, i)].set;
        old->members[i] = (nd_set_member){set, i, i, 0.75F, 0.625F};
        last[set] = i;
    }
    for (uint64_t i = 0; i < OLD; i++) {
        nd_set_member *m = &old->members[i];
        m->representative = m->link = last[m->set];
        old->form[i] = m->representative == m->set && nd_random_below(random, 4) == 0;
    }
}

/* ---- the reference */

typedef struct expected_result {
    nd_set_member members[ND_WORLD_PAGES]; /* representative NONE: in no old set */
    uint8_t form[ND_WORLD_PAGES];
} expected_result;

/* Neither so similar nor of addresses that may name one thing. */
static bool are_apart(const nd_world *w, uint64_t a, uint64_t b, double similarity) {
    const uint16_t x = w->all.pages[a].subject;
    const uint16_t y = w->all.pages[b].subject;
    const bool asked = x > ND_SUBJECT_TEXT && y > ND_SUBJECT_TEXT; /* neither is 0 or a text */
    return similarity < (double)ND_TWINS || (asked && x != y);
}

static bool is_dropped(const nd_world *w, const expected_result *v, const nd_link *link) {
    return (v->form[link->a] | v->form[link->b]) != 0 &&
           are_apart(w, link->a, link->b, link->similarity);
}

/* A page at least half of whose neighbours are of a form is of it, until no more are. */
static void spread_forms(const nd_world *w, expected_result *v) {
    bool changed = true;
    while (changed) {
        uint8_t next[ND_WORLD_PAGES];
        memcpy(next, v->form, sizeof next);
        changed = false;
        for (uint64_t page = OLD; page < w->all.count; page++) {
            uint64_t similar = 0, of_form = 0;
            for (uint64_t i = 0; i < w->link_count; i++) {
                const nd_link *link = &w->links[i];
                if (link->a == page || link->b == page) {
                    similar++;
                    of_form += v->form[link->a == page ? link->b : link->a];
                }
            }
            if (v->form[page] == 0 && of_form > 0 && 2 * of_form >= similar) {
                next[page] = 1;
                changed = true;
            }
        }
        memcpy(v->form, next, sizeof next);
    }
}

/* The most similar link of a page to one of those that `just` names, of equals the first page's,
 * which is less similar than the last one was. */
static const nd_link *next_link(const nd_world *w, const expected_result *v, const bool *just,
                                uint64_t page, const nd_link *last) {
    const nd_link *best = NULL;
    for (uint64_t i = 0; i < w->link_count; i++) { /* in the order of their pages */
        const nd_link *link = &w->links[i];
        const bool mine = link->a == page || link->b == page;
        const uint64_t via = link->a == page ? link->b : link->a;
        const uint64_t last_via = last == NULL ? 0 : last->a == page ? last->b : last->a;
        const bool later = last == NULL || link->similarity < last->similarity ||
                           (link->similarity == last->similarity && via > last_via);
        const uint64_t best_via = best == NULL ? NONE : best->a == page ? best->b : best->a;
        if (mine && just[via] && !is_dropped(w, v, link) && later &&
            (best == NULL || link->similarity > best->similarity ||
             (link->similarity == best->similarity && via < best_via))) {
            best = link;
        }
    }
    return best;
}

/* \param[out] similarity  to the leader; below 0: the page may not join */
static double to_leader(const nd_world *w, const nd_job_options *options, const nd_link *link,
                        uint64_t page, uint64_t leader, bool form) {
    if (link->a == leader || link->b == leader) {
        return link->similarity;
    }
    const double similarity = nd_world_member(w, leader, page);
    const double least = nd_world_threshold(w, options, leader, page) - options->guard;
    if (options->guard == 0) {
        return similarity;
    }
    return w->score[leader][page] < least || similarity <= 0 ||
                   (form && are_apart(w, page, leader, similarity))
               ? -1
               : similarity;
}

static void try_page(const nd_world *w, const nd_job_options *options, const bool *just,
                     const expected_result *before, uint64_t page, expected_result *v) {
    uint64_t tried[TRIES];
    uint64_t count = 0;
    const nd_link *link = NULL;
    while (count < TRIES && (link = next_link(w, before, just, page, link)) != NULL) {
        const uint64_t via = link->a == page ? link->b : link->a;
        const nd_set_member *of = &before->members[via];
        bool seen = false;
        for (uint64_t i = 0; i < count; i++) {
            seen = seen || tried[i] == of->representative;
        }
        if (seen) {
            continue;
        }
        tried[count++] = of->representative;
        const double similarity =
            to_leader(w, options, link, page, of->representative, v->form[page] != 0);
        if (similarity >= 0) {
            v->members[page] = (nd_set_member){of->set, of->representative, via,
                                               (float)link->similarity, (float)similarity};
            return;
        }
    }
}

static void reference(const nd_world *w, const nd_job_options *options, const old_sets *old,
                      expected_result *v) {
    bool just[ND_WORLD_PAGES] = {false};
    bool any = true;
    *v = (expected_result){.form = {0}};
    memcpy(v->members, old->members, sizeof old->members);
    memcpy(v->form, old->form, sizeof old->form);
    for (uint64_t i = 0; i < w->all.count; i++) {
        just[i] = i < OLD;
        v->members[i].representative = i < OLD ? v->members[i].representative : NONE;
    }
    if (options->forms_apart) {
        spread_forms(w, v);
    }
    while (any) {
        expected_result before = *v;
        if (!options->forms_apart) {
            memset(before.form, 0, sizeof before.form);
        }
        any = false;
        for (uint64_t page = OLD; page < w->all.count; page++) {
            if (before.members[page].representative == NONE) {
                try_page(w, options, just, &before, page, v);
            }
        }
        for (uint64_t i = 0; i < w->all.count; i++) {
            just[i] = before.members[i].representative != v->members[i].representative;
            any = any || just[i];
        }
    }
}

/* ---- the comparison */

/* What is found of this rank's pages: memberships, and pages of forms. */
static bool same_pages(const nd_job *job, const nd_membership *found, uint64_t count,
                       const expected_result *v) {
    bool right = true;
    bool given[ND_WORLD_PAGES] = {false};
    for (uint64_t i = 0; i < count; i++) {
        const nd_set_member *x = &found[i].member;
        const nd_set_member *y = &v->members[found[i].page];
        right = right && !given[found[i].page] && x->set == y->set &&
                x->representative == y->representative && x->link == y->link &&
                x->link_similarity == y->link_similarity && x->similarity == y->similarity;
        given[found[i].page] = true;
    }
    for (uint64_t page = 0; page < job->first[job->comm.size]; page++) {
        right = right && given[page] == (v->members[page].representative != NONE);
    }
    for (uint64_t i = 0; i < job->pages.count; i++) {
        right = right && job->old.form[i] == v->form[nd_job_own_first(job) + i];
    }
    return right;
}

/* Of the links those are left of which no page has joined, each once. */
static bool same_links(const nd_world *w, const nd_link *left, uint64_t count,
                       const expected_result *v) {
    uint64_t expected = 0;
    bool right = true;
    for (uint64_t i = 0; i < w->link_count; i++) {
        const nd_link *link = &w->links[i];
        uint64_t found = 0;
        const bool stays = v->members[link->a].representative == NONE &&
                           v->members[link->b].representative == NONE && !is_dropped(w, v, link);
        for (uint64_t k = 0; k < count; k++) {
            found += left[k].a == link->a && left[k].b == link->b &&
                     left[k].similarity == link->similarity;
        }
        right = right && found == stays;
        expected += stays;
    }
    return right && expected == count;
}

static bool check_world(const nd_world *w, const nd_job_options *options, nd_random *random) {
    static expected_result v;
    old_sets old;
    nd_job job;
    nd_spool memberships;
    uint64_t count = 0, link_count = 0;
    draw_old(&old, random);
    if (!options->forms_apart) {
        memset(old.form, 0, sizeof old.form);
    }
    reference(w, options, &old, &v);
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_mpi_test_job_links(&job, w->links, w->link_count, random);
    nd_mpi_test_job_index(&job, old.members, old.form, OLD);
    nd_spool_open(&memberships, &job.folder, options->memory.spool);
    nd_compare_batch batch = {.job = &job};
    bool right = ND_CHECK_ALL(&job.comm, nd_attach(&job, &batch, &memberships) == ND_OK);
    nd_membership *found = nd_mpi_test_gather_spool(&job.comm, &memberships, sizeof *found, &count);
    nd_link *left = nd_mpi_test_gather_spool(&job.comm, &job.links, sizeof *left, &link_count);
    right = right && ND_CHECK_ALL(&job.comm, same_pages(&job, found, count, &v));
    right = right && ND_CHECK_ALL(&job.comm, same_links(w, left, link_count, &v));
    free(found);
    free(left);
    nd_compare_batch_free(&batch);
    nd_spool_close(&memberships);
    nd_run_close(&job);
    return right;
}

/* Families of pages, old ones and new ones of each; some are a page before with another last word.
 */
static void draw_mixed(nd_world *w, nd_random *random) {
    nd_world drawn = {.link_count = 0};
    uint64_t order[ND_WORLD_PAGES];
    nd_world_draw(&drawn, random);
    for (uint64_t i = 0; i < drawn.all.count; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint64_t i = 0; i < drawn.all.count; i++) {
        const bool twin = i > 0 && nd_random_below(random, 3) == 0;
        const nd_document page =
            twin ? nd_test_document(&w->all, nd_random_below(random, nd_min(i, OLD)))
                 : nd_test_document(&drawn.all, order[i]);
        uint32_t tokens[ND_WORLD_TOKENS];
        memcpy(tokens, page.tokens, page.token_count * sizeof *tokens);
        tokens[page.token_count - 1] += twin;
        nd_world_add_page(w, tokens, page.token_count);
    }
    nd_world_free(&drawn);
}

static void test_random_worlds(void) {
    static const double guards[] = {0.15, 0.3, 0};
    nd_random random = nd_mpi_test_random("attach");
    bool right = true;
    for (size_t trial = 0; trial < 12 && right; trial++) {
        static nd_world w;
        nd_job_options options = nd_mpi_test_job_options();
        w = (nd_world){.link_count = 0};
        options.method_options.score = nd_score_find(trial % 2 == 0 ? "jaccard" : "mixed");
        options.guard = guards[trial % 3];
        options.forms_apart = trial % 4 < 2;
        options.memory = nd_mpi_test_memory(trial % 5 == 0 ? 1 : 100000);
        options.memory.round = trial == 0 ? 64 : 4096;
        draw_mixed(&w, &random);
        for (uint64_t i = 0; i < w.all.count; i++) {
            w.all.pages[i].subject = (uint16_t)nd_random_below(&random, 4);
        }
        nd_world_link(&w, &options, OLD, &random, 1 + nd_random_below(&random, 8));
        right = check_world(&w, &options, &random);
        nd_world_free(&w);
    }
}

static const nd_test tests[] = {
    {"random worlds", test_random_worlds},
};

ND_SUITE(m_attach, tests)
