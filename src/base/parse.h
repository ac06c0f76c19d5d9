/** \file src/base/parse.h
 * Numbers and choices out of texts that a user has written, and back. Parsing returns ND_OK, or
 * ND_ERR_USAGE with a text that names the option and the value; they do not know which options
 * there are.
 */
#ifndef ND_BASE_PARSE_H
#define ND_BASE_PARSE_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A whole number. \param[in] option  without its dashes, as in all that follow */
nd_status nd_parse_number(const char *option, const char *text, uint64_t *number);

/** A whole number of 32 bits. */
nd_status nd_parse_small(const char *option, const char *text, uint32_t *number);

/** A number with a fraction. */
nd_status nd_parse_real(const char *option, const char *text, double *number);

/** One of two words. \param[out] choice  whether it is the first */
nd_status nd_parse_choice(const char *option, const char *text, const char *if_true,
                          const char *if_false, bool *choice);

/** The shortest decimal that nd_parse_real() reads back as the same number. */
void nd_print_real(double number, char *text, size_t size);

#endif
