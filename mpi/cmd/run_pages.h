/** \file mpi/cmd/run_pages.h
 * The pages of a run, read again from the inputs that its result names, one after the other in the
 * order of their numbers. Invariant: what is given is what the run read, page by page, or nothing
 * (io/result/result_read.h): all inputs are looked at before the first page. What is made of a
 * page is the caller's.
 */
#ifndef ND_CMD_RUN_PAGES_H
#define ND_CMD_RUN_PAGES_H

#include "io/input/page_maker.h"
#include "io/result/result_read.h"
#include "io/store/output_file.h"
#include "mpi/job/job.h"

#include <stdbool.h>

/** Take over the options that a run had, as its result says. \return ND_OK, ND_ERR_FORMAT,
 * ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_run_options_read(const nd_result *result, nd_job_options *options);

/** All zero may only be closed. */
typedef struct nd_run_pages {
    nd_source_reader reader, bodies; /* of the pages; of those that revisits are of */
    const nd_record *record; /**< of the present page, or of that which it is a revisit of */
    nd_page_rows body_rows;  /* of the latter, some of them */
    nd_page_rows rows;       /**< of the result, a block of them */
    uint64_t place;          /**< of the present page among them */
    uint64_t next;           /**< number of the page after it */
} nd_run_pages;

/** Look at the sources of all pages, and begin before the first. 16 bytes of memory a source and
 * their paths meanwhile, and a few megabytes.
 * \param[in] result, reading  see nd_source_reader_begin()
 * \param[in] taken    files that the caller replaces: no source may be one of them; NULL: none
 * \param[out] pages   to be closed on failure too
 * \return ND_OK; ND_ERR_CHANGED, naming a source and its first page; ND_ERR_USAGE where a source
 *         would be replaced, or `reading` is not how the run read; ND_ERR_FORMAT where the result
 * is damaged; ND_ERR_IO, ND_ERR_MEMORY */
nd_status nd_run_pages_open(nd_run_pages *pages, const nd_result *result,
                            const nd_reader_options *reading, const nd_output_files *taken);

/** The next page.
 * \return ND_OK; ND_END after the last; ND_ERR_CHANGED, naming source and page, if it is not there
 *         any more; or as nd_run_pages_open() */
nd_status nd_run_pages_next(nd_run_pages *pages);

/** Make the page that was given last, as the run did: as many tokens as it had there.
 * \return ND_OK; ND_ERR_CHANGED, naming source and page; or as nd_page_maker_read() */
nd_status nd_run_pages_make(const nd_run_pages *pages, nd_page_maker *maker);

void nd_run_pages_close(nd_run_pages *pages);

#endif
