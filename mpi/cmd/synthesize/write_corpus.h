/** \file mpi/cmd/synthesize/write_corpus.h
 * A synthetic corpus written by all ranks: files of a fixed number of pages each, dealt to the
 * ranks in turn, and beside them what the truth says of every page:
 *
 *   pages-NNNNN.warc.gz (or .jsonl)   the pages; the names sort in the order of the pages
 *   clusters.tsv   id, cluster
 *   loose.tsv      ids of undecided pages
 *   classes.tsv    id, cluster, class, story, site, similarity to the original, tokens
 *
 * All files have the same bytes on any number of ranks. What is on a page is said in src/synth.
 */
#ifndef ND_CMD_SYNTHESIZE_WRITE_CORPUS_H
#define ND_CMD_SYNTHESIZE_WRITE_CORPUS_H

#include "io/input/records.h"
#include "mpi/comm/comm.h"
#include "mpi/job/progress.h"
#include "src/synth/corpus_plan.h"

typedef struct nd_corpus_files {
    nd_corpus_options corpus;
    const char *folder; /**< made if it is missing; must be empty */
    nd_record_format format;
    uint64_t shard_pages; /**< pages of a file */
} nd_corpus_files;

/** Most pages of a file: its labels are held in memory until it is complete. */
#define ND_CORPUS_MOST_SHARD UINT64_C(1000000)

/** What was written, over all ranks. */
typedef struct nd_corpus_totals {
    uint64_t pages[ND_PAGE_CLASSES];
    uint64_t html_bytes;
    uint64_t files;
} nd_corpus_totals;

/** Collective. Write the corpus.
 * \param[out] totals  the same on all ranks
 * \return ND_OK on all ranks, or a failure on all: ND_ERR_USAGE for options that make no sense and
 *         for a folder that is not empty. After a failure, files that were complete are left. */
nd_status nd_write_corpus(nd_comm *comm, nd_progress *progress, const nd_corpus_files *files,
                          nd_corpus_totals *totals);

#endif
