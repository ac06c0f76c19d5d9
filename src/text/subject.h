/** \file src/text/subject.h
 * What the address of a page says that the page is about: the letters of the last part of its
 * path, without its ending, as "class.ArrayList.html" or "/recipes/apple-pie/". Digits, punctuation
 * and case do not count, so that releases, numbered copies and pages of one name in several folders
 * have one subject. The address alone is read; whether the page says so too is not asked. The
 * invariant: what only escapes, arguments, fragments or session ids differ in has one subject.
 */
#ifndef ND_TEXT_SUBJECT_H
#define ND_TEXT_SUBJECT_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** 16 bits of a hash of the subject; 0: the address names nothing, as where its last part has fewer
 * than two letters, or more digits than letters, which is a number and no name. Of two subjects
 * that differ one in 65,534 has the same value.
 * \param[in] url  borrowed, any bytes */
uint16_t nd_url_subject(nd_span url);

/** In the place of a subject: the page is plain text, so that its address is not asked. */
enum { ND_SUBJECT_TEXT = 1 };

/** Do two pages have subjects, and different ones? */
static inline bool nd_subject_is_other(uint16_t a, uint16_t b) {
    return a > ND_SUBJECT_TEXT && b > ND_SUBJECT_TEXT && a != b;
}

#endif
