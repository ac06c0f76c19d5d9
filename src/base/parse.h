/** \file src/base/parse.h
 * Numbers out of texts that a user has written, and back. Parsing returns ND_OK, or
 * ND_ERR_USAGE with a text that names the option and the value; they do not know which options
 * there are.
 */
#ifndef ND_BASE_PARSE_H
#define ND_BASE_PARSE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

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

#endif
