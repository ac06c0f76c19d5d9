/** \file mpi/cmd/overlap/overlap_text.h
 * The findings of neardup overlap as tables for a terminal, none wider than 80 columns: of many
 * collections the tables say of how many rows they show the first. All of it is in overlap_json.h.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_TEXT_H
#define ND_CMD_OVERLAP_OVERLAP_TEXT_H

#include "mpi/cmd/overlap/overlap_findings.h"

/** Print on stdout. */
void nd_overlap_text_print(const nd_overlap_findings *findings);

#endif
