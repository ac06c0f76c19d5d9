/** \file src/measure/capture_recapture.h
 * How many things there are in all, from two collections and what both have: capture and recapture.
 * It holds if one collection has a thing or not whether or not the other has it. Collections of the
 * web favour the same pages, so that the number is a lower bound, not an estimate.
 */
#ifndef ND_MEASURE_CAPTURE_RECAPTURE_H
#define ND_MEASURE_CAPTURE_RECAPTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct nd_capture {
    bool known;              /**< false: nothing is in both, and nothing follows; the rest is 0 */
    double lincoln_petersen; /**< a * b / both */
    double chapman; /**< (a + 1) (b + 1) / (both + 1) - 1, nearly without bias (Chapman 1951) */
    double lower, upper; /**< 95 % interval of Chapman's */
} nd_capture;

/** \param[in] a, b  things of either collection \param[in] both  of both; at most a and b
 * The interval has Seber's variance (1970), and the things that nobody has seen as a log-normal
 * variable (Burnham, in Chao 1987): it never ends below what was seen. */
nd_capture nd_capture_recapture(uint64_t a, uint64_t b, uint64_t both);

#endif
