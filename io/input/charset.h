/** \file io/input/charset.h
 * A page's bytes as UTF-8. The charset is known by byte order mark, then HTTP header, then the
 * page's own declaration, then by being valid UTF-8, and only then by uchardet, which is slow,
 * from 4 KiB. Conversion is iconv's; what cannot be converted becomes U+FFFD. A label under which
 * much of the text cannot be converted is not believed if something fits better, so no label loses
 * a page.
 */
#ifndef ND_INPUT_CHARSET_H
#define ND_INPUT_CHARSET_H

#include "src/base/buffer.h"

#include <stdbool.h>
#include <string.h>

/* ---- Is it UTF-8 (RFC 3629), and if not, make it so: each invalid sequence (the longest that
 * could still have become a character) becomes U+FFFD, as browsers do. ASCII is passed 32 bytes at
 * a time. */

/** Length of the valid UTF-8 at the start of `bytes`; bytes.size if all is. */
size_t nd_utf8_valid_bytes(nd_span bytes);

/** Append `bytes` to `out` with every invalid sequence replaced.
 * \param[out] replaced  how many were */
void nd_utf8_repair(nd_span bytes, nd_buffer *out, uint64_t *replaced);

/** The same for texts of which no more than `limit` bytes are of use.
 * \return likewise, or ND_ERR_LIMIT as soon as `out` holds more */
nd_status nd_utf8_repair_within(nd_span bytes, uint64_t limit, nd_buffer *out, uint64_t *replaced);

/* ---- What a page says of its own charset: byte order mark, XML declaration, meta element; and
 * what a label means. Labels are read as browsers read them (WHATWG Encoding Standard,
 * section 4.2): the superset in real use stands for the name, so GB2312 is GB18030, ISO-8859-1 and
 * ASCII are windows-1252, Shift_JIS is CP932, EUC-KR is CP949. Bytes are not converted here. */

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

/* ---- conversion */

typedef struct nd_charset nd_charset;

/** Make a converter; it keeps what it opened for the next page.
 * \param[in]  most  bytes of UTF-8; longer pages are refused
 * \param[out] out   the caller's to close; NULL on failure \return ND_OK or ND_ERR_MEMORY */
nd_status nd_charset_open(uint64_t most, nd_charset **out);

/** Convert a page.
 * \param[in]  label   from outside the page, such as HTTP's charset parameter; may be empty
 * \param[in]  markup  whether declarations inside the page count (HTML, XML)
 * \param[out] text    valid UTF-8: `bytes` itself where that needs no change, else the
 *                     converter's own, until its next call
 * \param[out] name    the charset that was used; may be NULL
 * \return ND_OK; ND_ERR_LIMIT; ND_ERR_MEMORY or ND_ERR_IO if a converter cannot be opened, or
 *         ND_ERR_INTERNAL if one fails */
nd_status nd_charset_to_utf8(nd_charset *charset, nd_span bytes, nd_span label, bool markup,
                             nd_span *text, nd_charset_name *name);

/** Close; NULL is fine; *charset becomes NULL. */
void nd_charset_close(nd_charset **charset);

#endif
