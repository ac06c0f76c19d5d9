/** \file io/input/charset.h
 * A page's bytes as UTF-8. The charset is known by byte order mark, then HTTP header, then the
 * page's own declaration, then by being valid UTF-8, and only then by uchardet, which is slow, from
 * 4 KiB. Conversion is iconv's; what cannot be converted becomes U+FFFD. A label under which much
 * of the text cannot be converted is not believed if something fits better, so no label loses a
 * page.
 */
#ifndef ND_IO_INPUT_CHARSET_H
#define ND_IO_INPUT_CHARSET_H

#include "io/input/charset_label.h"

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
