/** \file io/input/sniff.h
 * What kind of document is this: by its declared media type, and by its first bytes where the type
 * is missing, invalid or says nothing, or where they cannot be what it says (after the WHATWG MIME
 * Sniffing Standard, sections 5 and 7, much reduced, and what browsers show as text).
 */
#ifndef ND_IO_INPUT_SNIFF_H
#define ND_IO_INPUT_SNIFF_H

#include "io/input/other_reason.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** So many of its first bytes show what kind a body is, but for blanks alone at its beginning. */
enum { ND_SNIFF_BYTES = 4096 };

typedef enum nd_media {
    ND_MEDIA_HTML,    /**< HTML or XHTML */
    ND_MEDIA_TEXT,    /**< plain text */
    ND_MEDIA_UNKNOWN, /**< the type is missing, invalid or says nothing: HTML, text or neither */
    ND_MEDIA_MAYBE,   /**< XML, or bytes of any kind: a page if they begin like HTML */
    ND_MEDIA_OTHER    /**< anything else */
} nd_media;

/** The kind that a Content-Type says; one that is invalid is read as far as it can be.
 * \param[out] reason  of ND_MEDIA_OTHER and ND_MEDIA_MAYBE: what the type is, if it is no page */
nd_media nd_sniff_type(nd_span content_type, nd_other_reason *reason);

/** The kind that a body is.
 * \param[in]     declared  by nd_sniff_type()
 * \param[in]     charset   the label that came with it; may be empty
 * \param[in,out] reason    of ND_MEDIA_OTHER: why
 * \return HTML, TEXT or OTHER */
nd_media nd_sniff_body(nd_media declared, nd_span bytes, nd_span charset, nd_other_reason *reason);

/** Whether the bytes begin like an HTML document. */
bool nd_sniff_html(nd_span bytes);

/** Whether the first bytes hold a NUL, or more control characters that no text has than stray into
 * one. UTF-16 with a byte order mark is text. */
bool nd_sniff_binary(nd_span bytes);

/** The bytes without the byte order mark of UTF-8, if they begin with it. */
nd_span nd_sniff_after_mark(nd_span bytes);

/** Whether the file has the name of an HTML page, or of JSON lines. */
bool nd_sniff_html_name(const char *path);
bool nd_sniff_lines_name(const char *path);

/** Whether the name, less a .gz or .zst, ends in one of these, in any case; NULL ends the list. */
bool nd_sniff_ending(const char *path, const char *const *endings);

#endif
