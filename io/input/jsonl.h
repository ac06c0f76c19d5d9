/** \file io/input/jsonl.h
 * One line of a JSONL file as a page: an object whose fields give the id, the URL, the date and the
 * text or the HTML; other fields are ignored. A field is a text, or a number of any size, which is
 * the text that it is written with; null, true, false, an object or an array is as good as missing.
 * A field is named by its name; failing that, in objects inside the object, by the names on the way
 * to it with dots between them (doc.text) or by a JSON pointer (RFC 6901: /doc/text, /parts/0).
 * json-c parses. Strings that are not valid UTF-8 are repaired; a byte order mark before the object
 * is passed over.
 */
#ifndef ND_IO_INPUT_JSONL_H
#define ND_IO_INPUT_JSONL_H

#include "io/input/record_limits.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** Names of the fields, borrowed. */
typedef struct nd_jsonl_names {
    const char *id;
    const char *url;
    const char *text;
    const char *html;
    const char *date; /**< NULL: it is not asked for */
} nd_jsonl_names;

/** Views that last until the parser's next call; id and url are empty where missing. */
typedef struct nd_jsonl_page {
    nd_span id;
    nd_span url;
    nd_span date; /**< empty where missing */
    nd_span text;
    bool html; /**< the text is HTML: of both the HTML is taken, unless it is blank */
} nd_jsonl_page;

typedef struct nd_jsonl nd_jsonl;

/** Why a line that is an object is no page: it has neither field. Where the names of the fields are
 * wrong that is so of every line. */
#define ND_JSONL_NO_TEXT "JSON object has neither the text nor the html field"

/** Make a parser. \param[in] limits  borrowed until it is closed; \param[out] out the caller's to
 * close; NULL on failure \return ND_OK or ND_ERR_MEMORY */
nd_status nd_jsonl_open(const nd_jsonl_names *names, const nd_record_limits *limits,
                        nd_jsonl **out);

/** Parse one line.
 * \param[out] fault  why the line is no page, if it is not; one short line, valid as long as the
 *                    views
 * \return ND_OK, ND_ERR_FORMAT (see `fault`) or ND_ERR_MEMORY */
nd_status nd_jsonl_parse(nd_jsonl *parser, nd_span line, nd_jsonl_page *page, const char **fault);

/** Whether a file that begins with `content` is JSONL: its first line is, or may go on to be, an
 * object on a line of its own. */
bool nd_jsonl_looks(nd_span content);

/** Whether a record starts at this line start: the line is not blank. */
bool nd_jsonl_begins(nd_span content);

/** Close; NULL is fine; *parser becomes NULL. */
void nd_jsonl_close(nd_jsonl **parser);

#endif
