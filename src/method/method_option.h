/** \file src/method/method_option.h
 * How the options of methods are written: one table for the command line, its help and the
 * parameters in the result file. What an option means is said in method.h and by the method;
 * values are checked there too (nd_method_derive).
 */
#ifndef ND_METHOD_METHOD_OPTION_H
#define ND_METHOD_METHOD_OPTION_H

#include "src/method/method.h"

/** What an option is in nd_method_options. */
typedef enum nd_option_kind {
    ND_OPTION_COUNT,  /**< uint32_t */
    ND_OPTION_NUMBER, /**< uint64_t */
    ND_OPTION_REAL,   /**< double */
    ND_OPTION_SWITCH, /**< bool: on, off */
    ND_OPTION_WORD,   /**< uint32_t: place in `words` */
    ND_OPTION_SCORE   /**< const nd_score *: its name */
} nd_option_kind;

typedef struct nd_method_option {
    const char *name; /**< without dashes in front, as "short-tokens" */
    nd_option_kind kind;
    size_t offset; /**< in nd_method_options */
    bool shared;   /**< all methods use it */
    const char *const *words;
    const char *help; /**< its value, ": ", what it is for; lines end with \n but for the last */
} nd_method_option;

/** Rows 0, 1, ... of the table; NULL after the last. */
const nd_method_option *nd_method_option_row(size_t row);

/** Does the method use the option? */
bool nd_method_uses(const nd_method *method, const nd_method_option *option);

/** Set an option to what a text says.
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option and the value */
nd_status nd_method_option_set(const nd_method_option *option, const char *text,
                               nd_method_options *options);

/** Set an option that is a count, a real, a switch (0: off) or a word (its place) to a number. */
void nd_method_option_set_number(const nd_method_option *option, double value,
                                 nd_method_options *options);

/** Bytes of the value of any option as a text. */
enum { ND_OPTION_TEXT_SIZE = 32 };

/** The value of an option as nd_method_option_set() takes it, real numbers exactly.
 * \return true if it is a number, false if it is a word */
bool nd_method_option_print(const nd_method_option *option, const nd_method_options *options,
                            char text[ND_OPTION_TEXT_SIZE]);

#endif
