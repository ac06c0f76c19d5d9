/** \file src/measure/name_table.h
 * Names as dense numbers: the first name added is 0, the next other one 1, and so on. For the ids
 * and clusters of labelled pages; an open-addressing hash table over one buffer of bytes. Names are
 * bytes, compared as they are.
 */
#ifndef ND_MEASURE_NAME_TABLE_H
#define ND_MEASURE_NAME_TABLE_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** What is found where there is no such name. */
#define ND_NO_NAME UINT64_MAX

/** All zero is a valid empty table. */
typedef struct nd_name_table {
    nd_buffer bytes; /**< the names, one after the other */
    size_t *end;     /**< name i ends at byte end[i] and starts where the one before ends */
    size_t count;
    size_t capacity;
    uint64_t *slots; /**< number of the name + 1, or 0; a power of two of them */
    size_t slot_count;
} nd_name_table;

/** The number of a name, given a new one if it has none.
 * \param[out] added  whether it is new; may be NULL
 * \return ND_OK or ND_ERR_MEMORY (the table is then as before) */
nd_status nd_name_table_add(nd_name_table *table, nd_span name, uint64_t *number, bool *added);

/** The number of a name, or ND_NO_NAME. */
uint64_t nd_name_table_find(const nd_name_table *table, nd_span name);

/** Name `number`, borrowed until the next add. */
nd_span nd_name_table_at(const nd_name_table *table, uint64_t number);

/** Free everything; the table is empty. */
void nd_name_table_free(nd_name_table *table);

#endif
