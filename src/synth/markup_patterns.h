/** \file src/synth/markup_patterns.h
 * Pieces of style sheets, scripts and elements without text, as web sites have them, with places
 * to fill in. Which of them a page gets is not said here. In a pattern stand for
 *
 *   %c a class name of the site    %s a common word     %h six hexadecimal digits
 *   %d a number below 1000         %n a digit           %i the number of the piece
 *   %p the page's number           %% a percent sign
 */
#ifndef ND_SYNTH_MARKUP_PATTERNS_H
#define ND_SYNTH_MARKUP_PATTERNS_H

#include <stddef.h>

typedef struct nd_patterns {
    const char *const *items;
    size_t count;
} nd_patterns;

/** Elements around a block. */
typedef struct nd_wrapper {
    const char *open;
    const char *close;
} nd_wrapper;

enum { ND_WRAPPERS = 6 };
extern const nd_wrapper nd_wrappers[ND_WRAPPERS];

extern const nd_patterns nd_meta_patterns;      /**< elements of the head, each to be put once */
extern const nd_patterns nd_selector_patterns;  /**< of a style sheet's rules */
extern const nd_patterns nd_style_patterns;     /**< declarations of a rule */
extern const nd_patterns nd_script_patterns;    /**< statements */
extern const nd_patterns nd_state_patterns;     /**< members of a JSON object, with a comma */
extern const nd_patterns nd_widget_patterns;    /**< empty elements between blocks */
extern const nd_patterns nd_attribute_patterns; /**< of a list item or a link */
extern const nd_patterns nd_word_patterns;      /**< common words of class names */

#endif
