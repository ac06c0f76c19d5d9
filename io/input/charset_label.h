/** \file io/input/charset_label.h
 * What a page says of its own charset: byte order mark, XML declaration, meta element; and what a
 * label means. Labels are read as browsers read them (WHATWG Encoding Standard, section 4.2): the
 * superset in real use stands for the name, so GB2312 is GB18030, ISO-8859-1 and ASCII are
 * windows-1252, Shift_JIS is CP932, EUC-KR is CP949. Bytes are not converted here.
 */
#ifndef ND_IO_INPUT_CHARSET_LABEL_H
#define ND_IO_INPUT_CHARSET_LABEL_H

#include "src/base/buffer.h"

#include <stdbool.h>
#include <string.h>

/** Bytes kept of a charset's name, the closing NUL included. */
enum { ND_CHARSET_NAME_SIZE = 32 };

/** The name by which iconv knows a charset; "" if none. */
typedef struct nd_charset_name {
    char text[ND_CHARSET_NAME_SIZE];
} nd_charset_name;

/** The name as a view of `name`. */
static inline nd_span nd_charset_span(const nd_charset_name *name) {
    return (nd_span){(const uint8_t *)name->text, strlen(name->text)};
}

/** What a label means; "" for one that cannot be a charset's name. Labels that the standard does
 * not list are passed on in upper case: iconv may know them. */
nd_charset_name nd_charset_of_label(nd_span label);

/** The charset of a byte order mark, or of a leading "<" or "<?" in UTF-16; "" if there is none.
 * \param[out] mark_bytes  length of the mark, which is no text */
nd_charset_name nd_charset_of_mark(nd_span bytes, size_t *mark_bytes);

/** The label in an XML declaration or meta element among the first bytes; empty if there is none. A
 * view into `bytes`. */
nd_span nd_charset_declared(nd_span bytes);

#endif
