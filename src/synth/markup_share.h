/** \file src/synth/markup_share.h
 * How much markup without text a page of a synthetic corpus carries besides what its story and its
 * site's template bring along, so that a given share of the mean page is text. What that markup is
 * is not said here.
 */
#ifndef ND_SYNTH_MARKUP_SHARE_H
#define ND_SYNTH_MARKUP_SHARE_H

#include "src/base/status.h"

#include <stdint.h>

/** Range of the text's percentage. Of sets of real web pages it is 6 to 56 and of most 7 to 36; of
 * a plain page, which has no other markup than its template's and its story's, some 42. */
#define ND_TEXT_LEAST 5
#define ND_TEXT_MOST  36

typedef struct nd_markup_share {
    uint64_t plain_bytes; /**< of the mean page without that markup, as options give it */
    double mean_plain;    /**< bytes that such pages really have in the mean */
    double rate;          /**< bytes of that markup for each byte of a plain page; 0: none */
} nd_markup_share;

/** ND_OK, or ND_ERR_USAGE if the percentage is out of range. */
nd_status nd_markup_share_check(double percent);

/** For a mean page of `page_bytes` bytes, some thousand, of which `percent` are text; 0: plain
 * pages. plain_bytes is 0 where the page is too short for any text. */
nd_markup_share nd_markup_share_of(uint64_t page_bytes, double percent);

#endif
