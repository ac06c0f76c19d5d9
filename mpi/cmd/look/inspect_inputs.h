/** \file mpi/cmd/look/inspect_inputs.h
 * What `neardup inspect` says of a result's inputs: totals, a row per source, a row per skipped
 * record. Everything goes to stdout.
 */
#ifndef ND_CMD_LOOK_INSPECT_INPUTS_H
#define ND_CMD_LOOK_INSPECT_INPUTS_H

#include "io/result/result_pages.h"

/** Records, pages, other and skipped records over all sources. */
nd_status nd_print_input_totals(const nd_result *result);

/** Tab-separated with a header: bytes records pages other skipped path. */
nd_status nd_print_sources(const nd_result *result);

/** Tab-separated with a header: path byte reason. */
nd_status nd_print_skipped(const nd_result *result);

#endif
