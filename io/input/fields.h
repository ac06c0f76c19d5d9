/** \file io/input/fields.h
 * What headers of HTTP and WARC are written with: fields, media types, dates.
 *
 * The small grammar that HTTP and WARC headers share: lines ended by CRLF or LF, `Name: value`
 * fields, an empty line at the end, media types with parameters. Views into the caller's bytes;
 * nothing is copied.
 */
#ifndef ND_INPUT_FIELDS_H
#define ND_INPUT_FIELDS_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** Take the first line off `rest`. \param[out] line without its line end
 * \return false, both untouched, if `rest` holds no line end */
bool nd_fields_line(nd_span *rest, nd_span *line);

/** Split a line at its first colon. \param[out] name, value trimmed
 * \return false if there is no colon or no name before it (as in a continuation line) */
bool nd_fields_split(nd_span line, nd_span *name, nd_span *value);

/** Bytes up to and with the empty line that ends a header; 0 if `bytes` holds no such line. */
size_t nd_fields_header_size(nd_span bytes);

/** Without blanks, tabs and line ends at both ends. */
nd_span nd_fields_trim(nd_span text);

/** Equal but for the case of ASCII letters. */
bool nd_fields_is(nd_span text, const char *word);

/** Whether the text starts with the word, in any case. */
bool nd_fields_starts(nd_span text, const char *word);

/** Index of the word's first occurrence in any case; SIZE_MAX if there is none. */
size_t nd_fields_find(nd_span text, const char *word);

/** Take the first item off a list that commas part; those in quotes part none. \param[out] item
 * trimmed, never empty \return false if there is none */
bool nd_fields_item(nd_span *rest, nd_span *item);

/** Equal but for the case of ASCII letters. */
bool nd_fields_same(nd_span a, nd_span b);

/** The media type before any parameter: "text/html" of "text/html; charset=x". */
nd_span nd_fields_media_type(nd_span content_type);

/** Whether that is a token of HTTP: visible ASCII without what parts fields. */
bool nd_fields_is_token(nd_span text);

/** Whether that is a media type, with nothing else in it: two tokens, with a slash in
 * between. */
bool nd_fields_is_media_type(nd_span type);

/** The charset that a Content-Type names, also where it stands in no parameter as it should: "html
 * charset=x", "html, charset='x'"; empty if there is none. */
nd_span nd_fields_charset(nd_span content_type);

/** A decimal number. \return false if the text is anything else or does not fit */
bool nd_fields_number(nd_span text, uint64_t *number);

/* ---- Dates as inputs write them, as seconds since 1970 UTC. What is no date, or of no year from
 * 1970 to 9999, is 0: unknown. Leap seconds count as the second after them. */

/** The last second of the year 9999. */
#define ND_LAST_DATE UINT64_C(253402300799)

/** Read ISO 8601 (YYYY, YYYY-MM, YYYY-MM-DD, and then, after T, t or a blank, hh:mm or hh:mm:ss,
 * fractions, Z or a difference to UTC; without one it is UTC), digits alone (YYYY, YYYYMMDD,
 * YYYYMMDDhhmm, YYYYMMDDhhmmss), or seconds since 1970 (9 to 11 digits, with a fraction or
 * without). Blanks around it are passed over. \return seconds; 0 if it is none of these */
uint64_t nd_date_read(nd_span text);

#endif
