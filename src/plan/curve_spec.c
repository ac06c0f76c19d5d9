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

static bool set_groups(nd_curve_spec *spec, uint32_t groups, uint32_t rows, uint32_t needed) {
    spec->groups = (nd_curve){groups, rows, needed};
    return needed <= groups;
}

static bool set_bands(nd_curve_spec *spec, const uint32_t *n) {
    return set_groups(spec, n[0], n[1], 1);
}

static bool set_sketch(nd_curve_spec *spec, const uint32_t *n) {
    return set_groups(spec, n[1], 1, n[0]);
}

static bool set_supershingles(nd_curve_spec *spec, const uint32_t *n) {
    return set_groups(spec, n[0], n[1], n[2]);
}

static bool set_needed_pieces(nd_curve_spec *spec, const uint32_t *n) {
    spec->of_bits = true;
    spec->pieces = (nd_pieces){.bits = n[2], .pieces = n[0], .needed = n[3]};
    return n[2] <= ND_PIECES_MAX_BITS && n[3] <= n[0] && (uint64_t)n[0] * n[1] == n[2];
}

static bool set_pieces(nd_curve_spec *spec, const uint32_t *n) {
    const uint32_t one[MOST_NUMBERS] = {n[0], n[1], n[2], 1};
    return set_needed_pieces(spec, one);
}

nd_status nd_curve_spec_parse(const char *text, nd_curve_spec *spec) {
    static const struct {
        const char *pattern;
        bool (*set)(nd_curve_spec *spec, const uint32_t *numbers);
    } kinds[] = {{"bands:#x#", set_bands},     {"buckets:#x#", set_bands},
                 {"sketch:#/#", set_sketch},   {"supershingles:#x#:#", set_supershingles},
                 {"pieces:#x#:#", set_pieces}, {"pieces:#x#:#:#", set_needed_pieces}};
    *spec = (nd_curve_spec){.text = text};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t numbers[MOST_NUMBERS] = {0};
        if (read_numbers(text, kinds[i].pattern, numbers)) {
            return kinds[i].set(spec, numbers)
                       ? ND_OK
                       : nd_fail(ND_ERR_USAGE,
                                 "--curve %s: more are needed than there are, or the pieces are "
                                 "not the string (at most %d bits)",
                                 text, (int)ND_PIECES_MAX_BITS);
        }
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
    while (step < STEPS && nd_curve_spec_at(spec, (double)step / STEPS) < 0.5) {
        step++;
    }
    return (double)step / STEPS;
}
