#include "src/base/parse.h"

#include <errno.h>
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

nd_status nd_parse_real(const char *option, const char *text, double *number) {
    char *end = NULL;
    *number = strtod(text, &end);
    return end == text || *end != '\0'
               ? nd_fail(ND_ERR_USAGE, "--%s %s: must be a number", option, text)
               : ND_OK;
}

nd_status nd_parse_choice(const char *option, const char *text, const char *if_true,
                          const char *if_false, bool *choice) {
    *choice = strcmp(text, if_true) == 0;
    return *choice || strcmp(text, if_false) == 0
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be %s or %s", option, text, if_true,
                         if_false);
}

void nd_print_real(double number, char *text, size_t size) {
    enum { MOST_DIGITS = 17 };
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        (void)snprintf(text, size, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            return;
        }
    }
}
