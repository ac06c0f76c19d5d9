#include "src/base/parse.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nd_status nd_parse_number(const char *option, const char *text, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-') {
        return nd_fail(ND_ERR_USAGE, "--%s %s: must be a whole number", option, text);
    }
    return ND_OK;
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
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end != text && *end != '\0' && strchr(units, *end) != NULL) {
        shift = 10 * (unsigned)(strchr(units, *end) - units + 1);
        end++;
    }
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || number == 0 ||
        number > UINT64_MAX >> shift) {
        return nd_fail(ND_ERR_USAGE, "--%s %s: must be a size such as 65536, 512M or 2G", option,
                       text);
    }
    *bytes = (uint64_t)number << shift;
    return ND_OK;
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
