/** \file tests/support/mpi_world.h
 * Small worlds of pages of which all similarities are known: what tests of the stages that make
 * sets compare with. Every rank makes the same world. All pairs are compared, and components are
 * found by going over the links again and again, so that nothing of the program's own search is
 * used.
 */
#ifndef ND_TESTS_MPI_WORLD_H
#define ND_TESTS_MPI_WORLD_H

#include "mpi/job/job.h"
#include "tests/support/mpi_check.h"

enum { ND_WORLD_PAGES = 80, ND_WORLD_TOKENS = 160 };

/** All zero is a valid empty world. */
typedef struct nd_world {
    nd_page_store all; /**< at most ND_WORLD_PAGES pages of at most ND_WORLD_TOKENS tokens */
    double score[ND_WORLD_PAGES][ND_WORLD_PAGES]; /**< before names are taken off */
    double similarity[ND_WORLD_PAGES][ND_WORLD_PAGES];
    nd_link *links; /**< the test's own; freed with the world */
    uint64_t link_count;
} nd_world;

/** Add a page; its number is its place. */
void nd_world_add_page(nd_world *w, const uint32_t *tokens, uint32_t count);

/** Add tokens [begin, begin + count) of a text in which none occurs twice: two pages of `count`
 * tokens whose beginnings are d apart share count - 4 - d shingles, of 2 * (count - 4). */
void nd_world_add_window(nd_world *w, uint32_t text, uint32_t begin, uint32_t count);

/** Add a page that varies one of the latest six, or has another name. */
void nd_world_add_variant(nd_world *w, nd_random *random);

/** Fill with windows and runs of variants of each. */
void nd_world_draw(nd_world *w, nd_random *random);

/** Compare all pages with all: similarities less what names take off. */
void nd_world_compare(nd_world *w, const nd_job_options *options);

/** From which similarity on two pages are similar. */
double nd_world_threshold(const nd_world *w, const nd_job_options *options, size_t a, size_t b);

/** Compare all, and link the pairs that are similar and whose second page is `first` or a later
 * one, as far as they are known: of `keep` out of 8 it is. */
void nd_world_link(nd_world *w, const nd_job_options *options, uint64_t first, nd_random *random,
                   uint64_t keep);

/** The similarity of a set's leader and a page that links join to it. */
double nd_world_member(const nd_world *w, uint64_t leader, uint64_t member);

/** label[i] = the smallest page of page i's component. */
void nd_world_components(const nd_world *w, const nd_link *links, uint64_t count, uint64_t *label);

void nd_world_free(nd_world *w);

#endif
