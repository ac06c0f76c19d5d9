/** \file mpi/stage/set_members.h
 * Which set each page is in, once the sets are found: forms are parted, pages that nobody speaks
 * for are sets of one, and memberships come home to the ranks of their pages.
 */
#ifndef ND_STAGE_SET_MEMBERS_H
#define ND_STAGE_SET_MEMBERS_H

#include "mpi/stage/state.h"

/* ---- Forms filled with other data, told from copies by the company that they keep. Copies of a
 * story come in twins: of many copies some are all but the same. A site's forms (the members of
 * each class of a library, the uses of each type) are all about as alike as any two of them. So a
 * set of many texts, all of one site or all of none, of which hardly any two are twins is a form:
 * its pages are apart, but for the twins. Invariant: a page that stays in a set here is a twin of
 * its representative.
 *
 * Pages whose addresses name different things are no twins, however alike.
 *
 * Only sets that the join made are looked at, by the links that it found in them: no page is
 * compared here, and copies of a text do not count as pages. */

/** Similarity from which pages may be twins. */
static const float ND_TWINS = 0.9F;

/** Not collective. Are two pages twins? \param[in] other  their addresses name different things
 * (src/text/address.h) */
static inline bool nd_form_are_twins(double similarity, bool other) {
    return similarity >= (double)ND_TWINS && !other;
}

/* ---- bringing memberships home: whatever rank decided where a page belongs, the page's own
 * rank keeps it. Pages that nobody speaks for are sets of one; sets that are forms are
 * parted, and copies of a page's content join that page, but for those of an index, which
 * stay where they were. */

/** A membership under way. No padding: it is sent as bytes. */
typedef struct nd_membership {
    uint64_t page;
    nd_set_member member;
} nd_membership;

/** Collective. Fill job->state->members: sets of one for all, then the memberships given, then the
 * copies.
 * \param[in] memberships   of nd_membership, at most one per page
 * \param[in] similarities  of nd_link, whose b is a page and whose a is its representative, where
 *                          the membership did not know the similarity yet
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_set_members_finish(nd_job *job, const nd_spool *memberships,
                                const nd_spool *similarities);

/** Collective. Sets are named by their smallest page: name those anew that some pages have left,
 * and those in which a revisit comes before the page that it is of. \param[in] leaves  of this
 * rank's pages, 1: it has left its set; NULL: none has \return ND_OK on all ranks, or a failure on
 * all */
nd_status nd_set_members_name(nd_job *job, const uint64_t *leaves);

/** Collective over the ranks of a folder. Do memberships that were read out of it name sets: is
 * each page's set the smallest of its pages, with one representative, and does each link stay in
 * it? \param[in] first    pages of the ranks, as in nd_job \param[in] members  of this rank's pages
 * \return ND_OK on all ranks, or ND_ERR_FORMAT, naming a page, or ND_ERR_MEMORY on all */
nd_status nd_set_members_check(const nd_checkpoint *from, const uint64_t *first,
                               const nd_set_member *members);

/** Collective. Check job->state->members as they come out of the work folder: the `load` of the
 * stages that fill them (stage.h). */
nd_status nd_set_members_load(nd_job *job, bool last);

#endif
