/** \file src/text/entity_table.h
 * The named character references of HTML5 as entity.c searches them; scripts/make_entity_table.py
 * generates the table and says how a value is packed. For entity.c only.
 */
#ifndef ND_TEXT_ENTITY_TABLE_H
#define ND_TEXT_ENTITY_TABLE_H

#include <stdint.h>

extern const char nd_entity_names[];        /**< all names, sorted, one after the other */
extern const uint16_t nd_entity_begins[];   /**< where each name begins; one more for the end */
extern const uint16_t nd_entity_initials[]; /**< per letter from 'A': number of smaller names */
extern const uint32_t nd_entity_values[];
extern const uint32_t nd_entity_seconds[]; /**< second code points; 0 is none */

#endif
