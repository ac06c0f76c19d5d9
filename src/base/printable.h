/** \file src/base/printable.h
 * What strangers wrote, made fit for a terminal, a log, or a line of a table: URLs, ids, file names
 * and sentences may hold line breaks, terminal escapes, and characters that turn the direction of
 * writing or cannot be seen. Each of these is printed as what it is: a byte as \\x1b, a code point
 * as \\u202e (\\U000e0001 above U+FFFF), a byte that is not UTF-8 as \\xff. All else is left as it
 * is. Texts of nd_fail() have been through here; whatever else is printed and was not written by
 * the program itself goes through here where it is printed.
 */
#ifndef ND_BASE_PRINTABLE_H
#define ND_BASE_PRINTABLE_H

#include "src/base/span.h"

#include <stdio.h>

/** Where the text goes to. */
typedef enum nd_printable {
    ND_PRINTABLE_MESSAGE, /**< a message: tabs and line breaks are \\t, \\n, \\r. Doing it again
                               changes nothing */
    ND_PRINTABLE_FIELD,   /**< a field of a table: backslashes are \\\\ too, so it can be undone */
    ND_PRINTABLE_JSON,    /**< serialised JSON, whose bytes below 0x20 stand between its tokens:
                               \\u001b, \\u202e, and surrogates; bytes that are not UTF-8 are \\ufffd
                           */
    ND_PRINTABLE_HTML     /**< a text, or the value of an attribute, of an HTML page: & < > \" and '
                               are references, blanks and line breaks are one blank each; all else
                               as in a message */
} nd_printable;

/** Most bytes that one byte becomes. */
enum { ND_PRINTABLE_GROWTH = 6 };

/** Put `text` into `to`, which has room for `room` > 0 bytes, with a NUL: what does not fit is left
 * out. \return bytes put, without the NUL */
size_t nd_printable_put(nd_printable kind, nd_span text, char *to, size_t room);

/** nd_printable_put() of a message of `size` bytes. */
void nd_printable_message(const char *text, size_t size, char *to, size_t room);

/** Print `text`. */
void nd_print_text(FILE *to, nd_printable kind, nd_span text);

/** Print a name as in a message, and blanks up to `width` bytes. */
void nd_print_padded(FILE *to, nd_span name, size_t width);

/** nd_print_text() of a text that ends with NUL. */
void nd_print_words(FILE *to, nd_printable kind, const char *words);

/** Print one line, a message (printf format; a few KB at most) and a line break, at once: lines of
 * several ranks do not mix. For all that goes to stderr. */
void nd_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
