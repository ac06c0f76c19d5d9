/** \file io/input/sniff.h
 * What kind of document is this: by its declared media type, and by its first bytes where the type
 * is missing or says nothing (after the WHATWG MIME Sniffing Standard, sections 5 and 7, much
 * reduced).
 */
#ifndef ND_IO_INPUT_SNIFF_H
#define ND_IO_INPUT_SNIFF_H

#include "src/base/buffer.h"

#include <stdbool.h>

typedef enum nd_media {
    ND_MEDIA_HTML,    /**< HTML or XHTML */
    ND_MEDIA_TEXT,    /**< plain text */
    ND_MEDIA_UNKNOWN, /**< the type is missing or says nothing, or is XML: look at the bytes */
    ND_MEDIA_OTHER    /**< anything else */
} nd_media;

/** The kind that a Content-Type says. */
nd_media nd_sniff_type(nd_span content_type);

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
