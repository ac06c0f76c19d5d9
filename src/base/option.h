/** \file src/base/option.h
 * Options as rows of a table: a row says what an option is called, what its value is and where in a
 * struct it goes, its bounds, and its help. The command line, help, man pages, completion, and the
 * parameters that a result keeps are all made from these rows. Which options there are, and argv,
 * are not known here.
 */
#ifndef ND_BASE_OPTION_H
#define ND_BASE_OPTION_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers out of texts that a user has written, and back. Parsing returns ND_OK, or
 * ND_ERR_USAGE with a text that names the option and the value. */

/** A whole number, as 20000, 400M or 1.5K: a unit is a power of 1,000. \param[in] option  without
 * its dashes, as in all that follow */
nd_status nd_parse_number(const char *option, const char *text, uint64_t *number);

/** A whole number of 32 bits. */
nd_status nd_parse_small(const char *option, const char *text, uint32_t *number);

/** A size above 0 in bytes, as 65536, 512M, 2.5G, 2GiB (units are powers of 1,024) or 2GB (of
 * 1,000).
 */
nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes);

/** A number with a fraction; not NaN, which is no number. */
nd_status nd_parse_real(const char *option, const char *text, double *number);

/** The shortest decimal that nd_parse_real() reads back as the same number. */
void nd_print_real(double number, char *text, size_t size);

/* ---- rows */

/** What an option is in the struct it is set in. */
typedef enum nd_option_kind {
    ND_OPTION_FLAG,   /**< bool, true if the option is given; it takes no value */
    ND_OPTION_SWITCH, /**< bool: the first of the two words of `value`, as in "on|off" */
    ND_OPTION_WORD,   /**< an enum: place among the words of `value`, as in "a|b|c" */
    ND_OPTION_COUNT,  /**< uint32_t */
    ND_OPTION_NUMBER, /**< uint64_t */
    ND_OPTION_SIZE,   /**< uint64_t, bytes: as 65536, 512M or 2.5G; above 0 */
    ND_OPTION_REAL,   /**< double */
    ND_OPTION_TEXT,   /**< const char *, borrowed */
    ND_OPTION_OWN     /**< what `set` makes of it */
} nd_option_kind;

/** Where an option's value is kept so that the run can be repeated, or gone on with. */
typedef enum nd_option_kept {
    ND_KEPT_NOWHERE,
    ND_KEPT_IN_RESULT, /**< it decides which sets there are: a parameter of the result too */
    ND_KEPT_IN_WORK    /**< it decides how inputs are read: of the work folder alone */
} nd_option_kept;

/** One option; or, without a name, the heading of those that follow. A table ends with a row of
 * zeros. Fields that are left out are 0. */
typedef struct nd_option {
    const char *name;  /**< without dashes, as "link-tokens" */
    const char *value; /**< what stands for it in the help, as "N"; NULL for a flag */
    nd_option_kind kind;
    size_t offset;    /**< in the struct */
    const char *help; /**< what it is for, without its default; blanks and line breaks are laid out
                           anew */
    char letter;      /**< its short form; 0: none */
    bool rare;        /**< not in the short help */
    const char
        *brief; /**< what the short help says in place of `help` and the default; NULL: these,
                     or nothing where the short help has only options with a brief text */
    const char *(*word)(size_t i); /**< of a text: the i-th value that completion offers, NULL after
                                        the last; NULL: the words of `value`, if it has several */
    const char *old; /**< its name until the last release, which is still taken; NULL: none */
    bool hidden; /**< an old form whose values have changed: taken, and shown nowhere; its help is
                      what to write now */
    nd_option_kept kept;
    bool bounded;       /**< a number is from least to most; most 0: any above */
    double least, most; /**< numbers of bytes too */
    size_t given;       /**< offset of a bool in the struct that says whether it was given; 0: there
                             is none, so such a struct does not begin with it */
    double preset[3];   /**< of a number, switch or word: what the presets set, the default first */
    uint8_t turn;       /**< rows of a higher turn are set before others, wherever they stand */
    nd_status (*set)(void *options, const char *text); /**< of ND_OPTION_OWN */
    const char *(*print)(const void *options); /**< likewise, for its default; may be NULL */
} nd_option;

/** Set an option to what a text says. \param[in] text  anything for a flag
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option and the value */
nd_status nd_option_set(const nd_option *option, const char *text, void *options);

/** Set an option to a number: a switch is off at 0, a word has its place. For none that is a flag,
 * a text or its own. */
void nd_option_set_number(const nd_option *option, double value, void *options);

/** Bytes of the value of an option as a text, but for ND_OPTION_TEXT. */
enum { ND_OPTION_TEXT_SIZE = 32 };

/** The value of an option as nd_option_set() takes it, real numbers exactly.
 * \param[out] room  where the text may lie
 * \return NULL if it has no value that can be written */
const char *nd_option_print(const nd_option *option, const void *options,
                            char room[ND_OPTION_TEXT_SIZE]);

/** Is its value a number? */
bool nd_option_is_number(const nd_option *option);

/** The name of an option as a parameter: "link_tokens". */
void nd_option_parameter(const nd_option *option, char name[ND_OPTION_TEXT_SIZE]);

/** The row of that name; NULL if there is none. */
const nd_option *nd_option_find(const nd_option *table, const char *name);

/** The row of a parameter of that name; NULL if there is none. */
const nd_option *nd_option_of_parameter(const nd_option *table, const char *parameter);

#endif
