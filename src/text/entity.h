/** \file src/text/entity.h
 * Character references of HTML text: "&eacute;", "&#233;", "&#xE9;", the legacy names that need no
 * semicolon, and the repairs HTML prescribes for wrong numbers (HTML Standard, 13.2.5.72-80, the
 * rules for text; those for attributes are not needed here).
 */
#ifndef ND_TEXT_ENTITY_H
#define ND_TEXT_ENTITY_H

#include <stddef.h>
#include <stdint.h>

/** Read the character reference at p, where *p is '&'.
 * \param[out] codes  its one or two code points; codes[1] is 0 if there is only one
 * \return bytes read; 0 if this is no reference and '&' stands for itself (codes untouched) */
size_t nd_entity_read(const uint8_t *p, const uint8_t *end, uint32_t codes[2]);

#endif
