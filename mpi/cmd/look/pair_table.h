/** \file mpi/cmd/look/pair_table.h
 * Printing the verified pairs of a result as rows of a table: tab-separated with the header
 * `a b similarity id_a url_a id_b url_b`, or one JSON object a line with the same names.
 */
#ifndef ND_CMD_LOOK_PAIR_TABLE_H
#define ND_CMD_LOOK_PAIR_TABLE_H

#include "io/result/result_file.h"

/** Print all pairs to stdout; ids and URLs of all pages are in memory meanwhile.
 * \return ND_OK, ND_ERR_FORMAT if the result has no pairs or is damaged, ND_ERR_IO or ND_ERR_MEMORY
 */
nd_status nd_pair_table_print(const nd_result *result, bool jsonl);

#endif
