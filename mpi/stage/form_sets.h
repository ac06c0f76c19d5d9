/** \file mpi/stage/form_sets.h
 * Forms filled with other data, told from copies by the company that they keep. Copies of a story
 * come in twins: of many copies some are all but the same. A site's forms (the members of each
 * class of a library, the uses of each type) are all about as alike as any two of them. So a set of
 * many texts, all of one site or all of none, of which hardly any two are twins is a form: its
 * pages are apart, but for the twins. Invariant: a page that stays in a set here is a twin of its
 * representative.
 *
 * Pages whose addresses name different things are no twins, however alike.
 *
 * Only sets that the join made are looked at, by the links that it found in them: no page is
 * compared here, and copies of a text do not count as pages.
 */
#ifndef ND_MPI_STAGE_FORM_SETS_H
#define ND_MPI_STAGE_FORM_SETS_H

#include "mpi/job/job.h"

/** Similarity from which pages may be twins. */
static const float ND_TWINS = 0.9F;

/** Not collective. Are two pages twins? \param[in] other  their addresses name different things
 * (src/text/address.h) */
static inline bool nd_form_are_twins(double similarity, bool other) {
    return similarity >= (double)ND_TWINS && !other;
}

/** Collective. Find the forms among the sets of job->members, before copies have joined them, and
 * set their pages apart. job->totals.forms and .form_pages count them.
 * \return ND_OK on all ranks, or a failure on all; then the members are undefined */
nd_status nd_form_sets_part(nd_job *job);

#endif
