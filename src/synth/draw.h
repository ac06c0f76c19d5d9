/** \file src/synth/draw.h
 * Random draws of the synthetic corpus: streams of random numbers named by (seed, purpose, number),
 * so that every page can be made by itself, in any order. Only integers and the four operations on
 * doubles: the same draws on every machine.
 */
#ifndef ND_SYNTH_DRAW_H
#define ND_SYNTH_DRAW_H

#include "src/base/random.h"

#include <stdbool.h>

/** What a stream of random numbers is for. */
typedef enum nd_draw_purpose {
    ND_DRAW_ORDER = 1, /**< of the pages */
    ND_DRAW_PLAN,      /**< a story's home and length */
    ND_DRAW_COPY,      /**< a page's class and site */
    ND_DRAW_SITE,      /**< what a site looks like */
    ND_DRAW_BLOCK,     /**< a block of a site's template */
    ND_DRAW_STORY,     /**< a story's words */
    ND_DRAW_FAMILY,    /**< what the pages of a family share */
    ND_DRAW_HEADLINE,  /**< a headline of a list */
    ND_DRAW_TOPIC,     /**< a story's favourite words */
    ND_DRAW_EDIT,      /**< how a copy differs from its original */
    ND_DRAW_PAGE,      /**< what changes with every page: dates, counters */
    ND_DRAW_LICENCE,   /**< the sentences that many pages carry */
    ND_DRAW_MARKUP     /**< a site's markup without text */
} nd_draw_purpose;

/** The stream of that name. */
static inline nd_random nd_draw_stream(uint64_t seed, nd_draw_purpose purpose, uint64_t number) {
    const uint64_t name = nd_mix64(seed ^ nd_mix64((uint64_t)purpose));
    return (nd_random){nd_mix64(name + number * UINT64_C(0x9e3779b97f4a7c15))};
}

/** A number in [0, 1). */
static inline double nd_draw_share(nd_random *random) {
    return (double)(nd_random_next(random) >> 11) * 0x1p-53;
}

/** True with probability `share`. */
static inline bool nd_draw_chance(nd_random *random, double share) {
    return nd_draw_share(random) < share;
}

/** A whole number from `least` to `most`, both included. */
static inline uint64_t nd_draw_between(nd_random *random, uint64_t least, uint64_t most) {
    return least + nd_random_below(random, most - least + 1);
}

#endif
