/** \file io/input/other_reason.h
 * Why a record is no page and yet nothing is wrong with it: the one list of the reasons by which
 * other records are counted, with the words in which people read of them. Each record that is
 * neither a page nor skipped has exactly one. Nothing is read here.
 */
#ifndef ND_IO_INPUT_OTHER_REASON_H
#define ND_IO_INPUT_OTHER_REASON_H

#include <stddef.h>
#include <stdint.h>

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

#endif
