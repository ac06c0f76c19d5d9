/** \file io/input/fields.h
 * The small grammar that HTTP and WARC headers share: lines ended by CRLF or LF, `Name: value`
 * fields, an empty line at the end, media types with parameters. Views into the caller's bytes;
 * nothing is copied.
 */
#ifndef ND_IO_INPUT_FIELDS_H
#define ND_IO_INPUT_FIELDS_H

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

/** The value of a parameter, unquoted; empty if there is none. */
nd_span nd_fields_parameter(nd_span content_type, const char *name);

/** A decimal number. \return false if the text is anything else or does not fit */
bool nd_fields_number(nd_span text, uint64_t *number);

#endif
