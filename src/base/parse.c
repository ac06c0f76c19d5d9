#include "src/base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A whole number with an exponent, as 4e8 or 1.5e6, below 2^53. */
static bool parse_exponent(const char *text, const char *e, uint64_t *number) {
    static const double EXACT = 9007199254740992.;
    char *end = NULL;
    const double value = strtod(text, &end);
    if (strspn(text, "0123456789.") != (size_t)(e - text) || strspn(e + 1, "0123456789") == 0 ||
        *end != '\0' || !(value < EXACT) || value != floor(value)) {
        return false;
    }
    *number = (uint64_t)value;
    return true;
}

/* A number with a fraction and a unit, as 400M, 2.5G or 512MiB. A unit is a power of
 * 1,000, but where bytes are counted of 1,024 unless a B follows alone (as dd has it).
 * \return false if the text is something else, or does not fit */
static bool parse_scaled(const char *text, bool bytes, uint64_t *number) {
    static const char units[] = "KMGT";
    char *end = NULL;
    uint64_t scale = 1;
    if (strspn(text, "0123456789") == 0) { /* no sign, no blank, not .5 */
        return false;
    }
    const char *e = strpbrk(text, "eE");
    if (e != NULL) {
        return parse_exponent(text, e, number);
    }
    errno = 0;
    *number = strtoull(text, &end, 10);
    const double fraction = *end == '.' ? strtod(end, NULL) : 0;
    const bool has_fraction = *end == '.';
    end += has_fraction ? 1 + strspn(end + 1, "0123456789") : 0;
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit != NULL) {
        end++;
        const bool of_1024 = bytes && strcasecmp(end, "iB") == 0;
        const bool of_1000 = !bytes || strcasecmp(end, "B") == 0;
        end += of_1024 ? 2 : of_1000 && bytes ? 1 : 0;
        for (ptrdiff_t power = unit - units; power >= 0; power--) {
            scale *= of_1000 ? 1000 : 1024;
        }
    }
    const double part = fraction * (double)scale;
    const uint64_t whole_part = (uint64_t)(part + 0.5);
    const bool is_whole = bytes || fabs(part - (double)whole_part) < 0.001;
    if (errno != 0 || *end != '\0' || (has_fraction && unit == NULL) || !is_whole ||
        *number > (UINT64_MAX - whole_part) / scale) {
        return false;
    }
    *number = *number * scale + whole_part;
    return true;
}

nd_status nd_parse_number(const char *option, const char *text, uint64_t *number) {
    return parse_scaled(text, false, number)
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be a whole number, as 20000, 1.5M or 4e8",
                         option, text);
}

nd_status nd_parse_small(const char *option, const char *text, uint32_t *number) {
    uint64_t wide = 0;
    nd_status st = nd_parse_number(option, text, &wide);
    if (st == ND_OK && wide > UINT32_MAX) {
        st = nd_fail(ND_ERR_USAGE, "--%s %s: too large", option, text);
    }
    *number = (uint32_t)wide;
    return st;
}

nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes) {
    return parse_scaled(text, true, bytes) && *bytes > 0
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be a size such as 65536, 512M or 2.5G",
                         option, text);
}

nd_status nd_parse_real(const char *option, const char *text, double *number) {
    char *end = NULL;
    *number = strtod(text, &end);
    return end == text || *end != '\0' || isnan(*number)
               ? nd_fail(ND_ERR_USAGE, "--%s %s: must be a number", option, text)
               : ND_OK;
}

void nd_print_real(double number, char *text, size_t size) {
    enum { MOST_DIGITS = 17 };
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        (void)snprintf(text, size, "%.*g", digits, number);
        const bool long_exponent = strchr(text, 'e') != NULL && fabs(number) >= 1 && number < 1e6;
        if (strtod(text, NULL) == number && !long_exponent) {
            return; /* 60, not 6e+01 */
        }
    }
}
