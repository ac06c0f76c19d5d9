/** \file mpi/cmd/explain/explanation.h
 * All that `neardup explain` has to say of two pages, as one value, and its two ways of saying it.
 */
#ifndef ND_CMD_EXPLAIN_EXPLANATION_H
#define ND_CMD_EXPLAIN_EXPLANATION_H

#include "mpi/cmd/explain/run_finding.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/method/method_decision.h"
#include "src/method/pair_measures.h"
#include "src/method/sentence_alignment.h"

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
nd_status nd_explanation_json(const nd_explanation *explanation);

void nd_explanation_free(nd_explanation *explanation);

#endif
