/** \file mpi/cmd/overlap/overlap_json.h
 * The findings of neardup overlap as one JSON object: all of them, matrices as rows of numbers in
 * the order of the collections. What is not known is null.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_JSON_H
#define ND_CMD_OVERLAP_OVERLAP_JSON_H

#include "mpi/cmd/overlap/overlap_findings.h"

/** Print on stdout. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_overlap_json_print(const nd_overlap_findings *findings);

#endif
