/** \file src/text/surt.h
 * The SURT of a URL (Sort-friendly URI Reordering Transform), as indexes of web archives sort by:
 * "com,example)/path?a=1&b=2" for "http://www.Example.com/path/?b=2&a=1". The rules are those of
 * the Internet Archive's package surt with its defaults: no scheme, user, fragment, default port or
 * leading "www", "www2" and the like; escapes undone and made anew, dots and slashes of the path
 * resolved, all in lower case, arguments sorted, session ids left out. It differs in hosts alone:
 * names in other scripts stay percent-encoded UTF-8 instead of being put into Punycode, and of
 * IPv4 addresses only plain numbers are rewritten. Pure; nothing is looked up.
 */
#ifndef ND_TEXT_SURT_H
#define ND_TEXT_SURT_H

#include "src/base/buffer.h"

/** Append the SURT of a URL: no blanks, control characters or bytes beyond ASCII. "-" for an empty
 * one; what has no host, as "dns:..." or "mailto:...", stays as it is but for those. */
void nd_surt_append(nd_span url, nd_buffer *out);

#endif
