/** \file mpi/cmd/look/pair_table.h
 * Printing the pairs of a result as rows of a table: the verified ones with the header `a b
 * similarity id_a url_a id_b url_b`; the pages that are contained in others with `page container
 * share id url collection container_id container_url container_collection`. Or one JSON object a
 * line with the same names. Ids and URLs of all pages are in memory meanwhile.
 */
#ifndef ND_CMD_LOOK_PAIR_TABLE_H
#define ND_CMD_LOOK_PAIR_TABLE_H

#include "mpi/cmd/look/page_table.h"

/** Print all verified pairs to stdout.
 * \return ND_OK, ND_ERR_FORMAT if the result has none or is damaged, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_pair_table_print(const nd_page_table *table);

/** Print each page that is contained in another, with that; also each copy of the one and of the
 * other in their collections, for which they stand. \return as above */
nd_status nd_contained_table_print(const nd_page_table *table);

#endif
