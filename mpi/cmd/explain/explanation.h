/** \file mpi/cmd/explain/explanation.h
 * What a run found of two pages, read out of its result: whether they share a set, the links that
 * join them in it, whether it kept them as a pair that is similar, and whether it found one to be
 * contained in the other. Nothing is compared here.
 */
#ifndef ND_CMD_EXPLAIN_EXPLANATION_H
#define ND_CMD_EXPLAIN_EXPLANATION_H

#include "io/result/result_read.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/method/pair_measures.h"

/** Two pages, one of which is the other's /pages/link. */
typedef struct nd_link_step {
    uint64_t from, to;
    float similarity;
} nd_link_step;

/** All zero is a valid start; owned. */
typedef struct nd_run_finding {
    bool one_set;
    nd_link_step *steps; /**< from the first page to the second, where they share a set */
    uint64_t step_count;
    bool keeps_pairs;      /**< the result has its pairs, so that it is known of these two: */
    bool pair_found;       /**< they are one */
    float pair_similarity; /**< of it */
    bool contained[2];     /**< the first page in the second, the second in the first */
    float share[2];        /**< of it that is */
} nd_run_finding;

/** Read it.
 * \param[in] pages     two pages, whose sets and links are asked
 * \param[in] compared  the pages that the run compared in their place
 * \return ND_OK; ND_ERR_FORMAT if links lead nowhere; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_run_finding_read(nd_run_finding *finding, const nd_result *result,
                              const uint64_t pages[2], const uint64_t compared[2]);

/** The similarity of the weakest step. */
float nd_run_finding_weakest(const nd_run_finding *finding);

void nd_run_finding_free(nd_run_finding *finding);

/* ---- All that `neardup explain` has to say of two pages, as one value, and its two ways of saying
 * it. */

enum { ND_EXPLAINED_METHODS = 16 };

typedef struct nd_compared_method {
    const nd_method *method;
    nd_method_options options;
    nd_method_decision decision;
} nd_compared_method;

/** How many sentences and tokens of both pages are shared (in one order), of one alone. */
typedef struct nd_sentence_tally {
    uint64_t sentences;
    uint64_t tokens;
} nd_sentence_tally;
typedef struct nd_alignment_tally {
    nd_sentence_tally shared;
    nd_sentence_tally only[2];
} nd_alignment_tally;

/** How a page compares with a set's representative. */
typedef struct nd_leader_answer {
    bool asked;
    uint64_t representative;
    double similarity;
    double least; /**< of a member of the set: the threshold less the guard */
} nd_leader_answer;

/** All zero is a valid start; the pages and all arrays are owned. */
typedef struct nd_explanation {
    const char *names[2]; /**< as the user gave them; borrowed */
    const char *result;   /**< path; NULL: files were given. Borrowed */
    nd_job_options options;
    nd_pair_options pair;
    uint64_t lines; /**< of sentences to print at most; 0: all */
    nd_shown_page pages[2];
    bool as_run; /**< contents are chosen and compared as in the run, with all that it knew */
    nd_run_finding finding;      /**< of a result */
    nd_leader_answer leaders[2]; /**< where the run kept similar pages apart: either page with the
                                      representative of the other's set */
    nd_pair_measures measures;
    nd_compared_method methods[ND_EXPLAINED_METHODS]; /**< the one used first, then the others */
    size_t method_count;
    nd_aligned_sentence *rows;
    size_t row_count;
    nd_alignment_tally tally;
} nd_explanation;

/** Compare the pages once they are read, by everything. */
nd_status nd_explain_pages(nd_explanation *explanation);

/** Read what the run found of them, once they are compared. */
nd_status nd_explain_run(nd_explanation *explanation, nd_shown_run *run);

/** Is this page compared at all, by the rules of the method that is used? */
bool nd_explained_is_compared(const nd_explanation *explanation, int side);

/** Why the threshold is what it is, as a clause. */
const char *nd_threshold_reason(const nd_compared_method *compared, char *text, size_t size);

/** Why the run put the pages together, or did not, as a clause. Of what it compared as it did. */
const char *nd_run_reason(const nd_explanation *explanation, char *text, size_t size);

/** Whether a run gives this page some of its links back, which ones only the site shows. */
bool nd_links_may_return(const nd_explanation *explanation, int side);

/** Print for people, or as one JSON object. */
void nd_explanation_text(const nd_explanation *explanation);
void nd_explanation_json(const nd_explanation *explanation);

void nd_explanation_free(nd_explanation *explanation);

#endif
