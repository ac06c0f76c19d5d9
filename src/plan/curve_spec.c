#include "src/plan/curve_spec.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 4 };
static const uint32_t MOST = 1000000; /* of any number: groups, rows, minima */

/* The numbers of a pattern such as "#x#:#"; a # stands for a whole number above 0. */
static bool read_numbers(const char *text, const char *pattern, uint32_t *numbers) {
    for (; *pattern != '\0'; pattern++) {
        if (*pattern != '#') {
            if (*text++ != *pattern) {
                return false;
            }
            continue;
        }
        char *end = NULL;
        const unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
        if (number == 0 || number > MOST) {
            return false;
        }
        *numbers++ = (uint32_t)number;
        text = end;
    }
    return *text == '\0';
}

nd_status nd_curve_spec_parse(const char *text, nd_curve_spec *spec) {
    /* which of the numbers (1, 2, ...) are groups, rows or bits of a piece, bits, and how many are
     * needed; 0: one */
    static const struct {
        const char *pattern;
        unsigned char groups, rows, bits, needed;
    } kinds[] = {{"bands:#x#", 1, 2, 0, 0},    {"buckets:#x#", 1, 2, 0, 0},
                 {"sketch:#/#", 2, 0, 0, 1},   {"supershingles:#x#:#", 1, 2, 0, 3},
                 {"pieces:#x#:#", 1, 2, 3, 0}, {"pieces:#x#:#:#", 1, 2, 3, 4}};
    *spec = (nd_curve_spec){.text = text};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t n[1 + MOST_NUMBERS] = {1};
        if (!read_numbers(text, kinds[i].pattern, n + 1)) {
            continue;
        }
        const uint32_t groups = n[kinds[i].groups];
        const uint32_t rows = n[kinds[i].rows];
        const uint32_t bits = n[kinds[i].bits];
        const uint32_t needed = n[kinds[i].needed];
        spec->of_bits = kinds[i].bits > 0;
        spec->groups = (nd_curve){groups, rows, needed};
        spec->pieces = (nd_pieces){.bits = bits, .pieces = groups, .needed = needed};
        const bool cut_so = bits <= ND_PIECES_MAX_BITS && (uint64_t)groups * rows == bits;
        return needed <= groups && (!spec->of_bits || cut_so)
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE,
                             "--curve %s: more are needed than there are, or the pieces are "
                             "not the string (at most %d bits)",
                             text, (int)ND_PIECES_MAX_BITS);
    }
    return nd_fail(ND_ERR_USAGE,
                   "--curve %s: must be as bands:25x5, sketch:90/100, supershingles:6x14:2, "
                   "buckets:14x2 or pieces:12x32:384",
                   text);
}

double nd_curve_spec_at(const nd_curve_spec *spec, double similarity) {
    if (!spec->of_bits) {
        return nd_curve_at(&spec->groups, similarity);
    }
    return nd_pieces_at(&spec->pieces, (uint32_t)lround((1 - similarity) * spec->pieces.bits));
}

double nd_curve_spec_half(const nd_curve_spec *spec) {
    enum { STEPS = 1000 };
    if (!spec->of_bits) {
        return nd_curve_point(&spec->groups, 0.5);
    }
    int step = 0;
    while (step < STEPS && nd_curve_spec_at(spec, (double)step / (double)STEPS) < 0.5) {
        step++;
    }
    return (double)step / (double)STEPS;
}
