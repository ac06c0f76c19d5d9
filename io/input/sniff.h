/** \file io/input/sniff.h
 * What kind of document is this, by its declared media type and its first bytes; of what is no
 * page, why; and of a format that may hold pages but is not read, which it is. Only a document's
 * beginning is looked at, and nothing is converted.
 */
#ifndef ND_INPUT_SNIFF_H
#define ND_INPUT_SNIFF_H

#include "io/input/stream.h"
#include "src/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- why a record is no page and yet nothing is wrong with it: the one list of the reasons by
 * which other records are counted, with the words in which people read of them. Each
 * record that is neither a page nor skipped has exactly one. */

typedef enum nd_other_reason {
    ND_OTHER_ABOUT,    /**< a request, metadata, what is said of the file */
    ND_OTHER_REVISIT,  /**< a revisit that shows itself to be of no page, or is not asked for */
    ND_OTHER_KIND,     /**< of another type of record, or of one that is not known */
    ND_OTHER_PROTOCOL, /**< dns, ftp, ...: no HTTP */
    ND_OTHER_REDIRECT, /**< HTTP status 3xx */
    ND_OTHER_STATUS,   /**< HTTP status that is neither that nor 2xx */
    ND_OTHER_IMAGE,    /**< by its content type, as those up to ND_OTHER_TYPE */
    ND_OTHER_SOUND,
    ND_OTHER_FONT,
    ND_OTHER_STYLE,
    ND_OTHER_SCRIPT,
    ND_OTHER_DATA, /**< or XML by its first bytes */
    ND_OTHER_TYPE,
    ND_OTHER_BINARY, /**< HTML or text by its content type, or without one, but binary */
    ND_OTHER_EMPTY,  /**< without a content type and without a body */
    ND_OTHER_FILE,   /**< a file that is no page, such as a style sheet */
    ND_OTHERS
} nd_other_reason;

/** The reason in a few words, static: "HTTP status 3xx". */
const char *nd_other_reason_text(nd_other_reason reason);

/** Add counts, ND_OTHERS of them, to others. */
void nd_others_add(uint64_t *to, const uint64_t *counts);

/** How many there are of all reasons. */
uint64_t nd_others_sum(const uint64_t *counts);

/** Write how many there are for each reason that there is: "3 HTTP status 3xx, 1 image".
 * \param[in] counts  ND_OTHERS of them \return `text`, cut off if it does not fit */
const char *nd_others_list(const uint64_t *counts, char *text, size_t size);

/* ---- documents: by the declared media type, and by the first bytes where the type is missing,
 * invalid or says nothing, or where they cannot be what it says (after the WHATWG MIME
 * Sniffing Standard, sections 5 and 7, much reduced, and what browsers show as text) */

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

/* ---- Formats that may hold pages but are not read: tables, archives and packings of other kinds,
 * JSON that is not one object a line. They are known by their first bytes, CSV by its name alone
 * (any text may look like it), so that a refusal says what the file is and which command turns it
 * into one that is read. Nothing is converted here. */

typedef struct nd_foreign nd_foreign;

/** \param[in] content  the first bytes, unpacked; of tar at least 262 \param[in] path  of the file
 * \return the format, static; NULL if it is none of these */
const nd_foreign *nd_foreign_find(nd_span content, const char *path);

/** Refuse a file of this format. The command reads and writes beside `path`, never over a file that
 * is there; of a path with characters that a shell would take apart it says FILE.
 * \param[in] codec  what the format is packed in
 * \return ND_ERR_FORMAT; the text: "PATH: FORMAT, which is not read: COMMAND" */
nd_status nd_foreign_refuse(const nd_foreign *format, const char *path, nd_codec codec);

#endif
