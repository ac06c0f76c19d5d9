/** \file io/input/date.h
 * Dates as inputs write them, as seconds since 1970 UTC. What is no date, or of no year from 1970
 * to 9999, is 0: unknown. Leap seconds count as the second after them.
 */
#ifndef ND_IO_INPUT_DATE_H
#define ND_IO_INPUT_DATE_H

#include "src/base/buffer.h"

/** The last second of the year 9999. */
#define ND_LAST_DATE UINT64_C(253402300799)

/** Read ISO 8601 (YYYY, YYYY-MM, YYYY-MM-DD, and then, after T, t or a blank, hh:mm or hh:mm:ss,
 * fractions, Z or a difference to UTC; without one it is UTC), digits alone (YYYY, YYYYMMDD,
 * YYYYMMDDhhmm, YYYYMMDDhhmmss), or seconds since 1970 (9 to 11 digits, with a fraction or
 * without). Blanks around it are passed over. \return seconds; 0 if it is none of these */
uint64_t nd_date_read(nd_span text);

#endif
