/** \file mpi/cmd/report/report_tables.h
 * The parts of a report that need no text of a page: what was run, sizes of sets, similarities,
 * duplicates by collection and site, the stages' time and memory, and records that could not be
 * used. Tables are bounded, and say of how many rows they show the first.
 */
#ifndef ND_CMD_REPORT_REPORT_TABLES_H
#define ND_CMD_REPORT_REPORT_TABLES_H

#include "mpi/cmd/report/page_counts.h"

#include <stdio.h>

/** Print a section each. \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_report_run(FILE *to, const nd_result *result, const nd_page_counts *counts);
nd_status nd_report_names(FILE *to, const nd_result *result, const nd_page_counts *counts);
nd_status nd_report_stages(FILE *to, const nd_result *result);
nd_status nd_report_others(FILE *to, const nd_result *result);
nd_status nd_report_skipped(FILE *to, const nd_result *result);

/** The same; cannot fail. */
void nd_report_sizes(FILE *to, const nd_page_counts *counts);
void nd_report_similarities(FILE *to, const nd_page_counts *counts);

#endif
