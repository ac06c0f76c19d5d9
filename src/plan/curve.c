#include "src/plan/curve.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== curves */

/* ---- groups of rows */

double nd_curve_at(const nd_curve *curve, double similarity) {
    const uint32_t n = curve->groups;
    const uint32_t needed = curve->needed;
    double p = 1; /* that a group agrees: similarity^rows */
    double power = similarity;
    for (uint32_t rows = curve->rows; rows != 0; rows >>= 1) {
        p *= (rows & 1) != 0 ? power : 1;
        power *= power;
    }
    if (needed == 1 && p < 1) { /* the same, without a sum */
        return -expm1(n * log1p(-p));
    }
    if (needed == 0 || needed > n || p <= 0 || p >= 1) {
        return needed == 0 || (needed <= n && p >= 1);
    }
    /* Terms as shares of the largest, from there outwards: a small probability keeps its digits,
     * and a million terms lose none, as they would in logarithms. */
    const double odds = p / (1 - p);
    const double middle = floor(((double)n + 1) * p);
    const uint32_t largest = middle < n ? (uint32_t)middle : n;
    double all = 0, tail = 0;
    double term = 1;
    for (uint32_t k = largest; term > 0; k++) {
        all += term;
        tail += k >= needed ? term : 0;
        term *= (double)(n - k) / ((double)k + 1) * odds; /* 0 after the last */
    }
    term = 1;
    for (uint32_t k = largest; k > 0 && term > 0; k--) {
        term *= k / ((double)(n - k + 1) * odds);
        all += term;
        tail += k > needed ? term : 0;
    }
    return tail / all;
}

double nd_curve_point(const nd_curve *curve, double probability) {
    static const double CLOSE_ENOUGH = 1e-12;
    double low = 0, high = 1;
    while (high - low > CLOSE_ENOUGH) {
        const double middle = (low + high) / 2;
        if (nd_curve_at(curve, middle) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* ---- the choice of bands and rows */

/* Steps of Simpson's rule on either side of the threshold: far more than the curve's bend needs
 * where the best settings lie. */
enum { SIDE_STEPS = 512, POINTS = 2 * (SIDE_STEPS + 1) };

/* The cost is meet_below * threshold + SUM weight (1 - s^r)^b: below the threshold missing is what
 * one wants, so weights are negative there. */
typedef struct grid {
    double similarity[POINTS];
    double weight[POINTS];
} grid;

static void fill_side(double from, double to, double weight, double *similarity, double *weights) {
    const double step = (to - from) / (double)SIDE_STEPS;
    for (int i = 0; i <= SIDE_STEPS; i++) {
        const double share = i == 0 || i == SIDE_STEPS ? 1 : i % 2 == 1 ? 4 : 2;
        similarity[i] = from + i * step;
        weights[i] = weight * share * step / 3;
    }
}

nd_curve nd_curve_choose(double threshold, uint32_t budget, nd_curve_weights weights) {
    grid g;
    double row_agrees[POINTS]; /* s^r */
    nd_curve best = nd_curve_of_bands(1, 1);
    double least = INFINITY;
    fill_side(0, threshold, -weights.meet_below, g.similarity, g.weight);
    fill_side(threshold, 1, weights.miss_above, g.similarity + SIDE_STEPS + 1,
              g.weight + SIDE_STEPS + 1);
    for (int i = 0; i < POINTS; i++) {
        row_agrees[i] = 1;
    }
    for (uint32_t rows = 1; rows <= budget; rows++) {
        double band_misses[POINTS], miss[POINTS];
        for (int i = 0; i < POINTS; i++) {
            row_agrees[i] *= g.similarity[i];
            band_misses[i] = 1 - row_agrees[i];
            miss[i] = 1;
        }
        for (uint32_t bands = 1; bands <= budget / rows; bands++) {
            double cost = 0;
            for (int i = 0; i < POINTS; i++) { /* the probability that one more band misses too */
                miss[i] *= band_misses[i];
                cost += g.weight[i] * miss[i];
            }
            if (cost < least) {
                least = cost;
                best = nd_curve_of_bands(bands, rows);
            }
        }
    }
    return best;
}

/* ---- pieces of bit strings */

/* n over k. Counts, and sums of them, stay below 2^1000, and so in a double. */
static double choose(uint32_t n, uint32_t k) {
    double ways = 1;
    for (uint32_t i = 0; i < k; i++) {
        ways = ways * (n - i) / (i + 1);
    }
    return ways;
}

/* Another piece of so many bits, of which at least one differs; ways[d] are the ways in which d
 * bits differ in all pieces so far. */
static void add_hit_piece(double *ways, uint32_t distance, uint32_t bits) {
    for (uint32_t d = distance + 1; d-- > 0;) {
        double sum = 0;
        double own = 1; /* bits over j */
        for (uint32_t j = 1; j <= bits && j <= d; j++) {
            own = own * (bits - j + 1) / j;
            sum += own * ways[d - j];
        }
        ways[d] = sum;
    }
}

/* Which pieces are hit, and then how: of the `longer` pieces that have a bit more, and of the
 * others, any that leave enough of them clean. */
double nd_pieces_at(const nd_pieces *pieces, uint32_t distance) {
    const uint32_t bits = pieces->bits / pieces->pieces, longer = pieces->bits % pieces->pieces;
    const uint32_t others = pieces->pieces - longer;
    double of_longer[ND_PIECES_MAX_BITS + 1] = {1}, of_all[ND_PIECES_MAX_BITS + 1];
    double ways = 0;
    if (distance > pieces->bits) {
        return 0;
    }
    for (uint32_t i = 0; i <= longer; i++) {
        memcpy(of_all, of_longer, sizeof of_all);
        for (uint32_t j = 0; j <= others; j++) {
            if (i + j + pieces->needed <= pieces->pieces) {
                ways += choose(longer, i) * choose(others, j) * of_all[distance];
            }
            add_hit_piece(of_all, distance, bits);
        }
        add_hit_piece(of_longer, distance, bits + 1);
    }
    return ways / choose(pieces->bits, distance);
}

/* ==== settings as a person writes them */

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

/* ==== a picture */

/* Of the picture, in its own units. */
enum { WIDTH = 720, HEIGHT = 480, LEFT = 60, TOP = 20, PLOT_WIDTH = 440, PLOT_HEIGHT = 400 };
enum { PLOT_STEPS = 200, COLOURS = 8, TICKS = 10, LEGEND_STEP = 22, LINE_SIZE = 256 };

/* Okabe and Ito's colours, which people who see few colours distinguish. */
static const char *const colours[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000", "#B0A000"};

static void add(nd_buffer *svg, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(nd_buffer *svg, const char *format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    nd_buffer_append_text(svg, line);
}

static double place_x(double similarity) {
    return (double)LEFT + similarity * (double)PLOT_WIDTH;
}

static double place_y(double probability) {
    return (double)TOP + (1 - probability) * (double)PLOT_HEIGHT;
}

static void add_axes(nd_buffer *svg) {
    for (int i = 0; i <= TICKS; i++) {
        const double at = (double)i / (double)TICKS;
        add(svg, "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", place_x(at),
            place_y(0), place_y(1), place_x(0), place_y(at), place_x(1));
        add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f</text>\n", place_x(at),
            place_y(0) + 16, at);
        add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", place_x(0) - 6,
            place_y(at) + 4, at);
    }
    add(svg, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#000\"/>\n", place_x(0),
        place_y(1), place_y(0), place_x(1));
    add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">similarity</text>\n", place_x(.5),
        place_y(0) + 36);
    add(svg,
        "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">"
        "probability of meeting</text>\n",
        place_x(0) - 40, place_y(.5));
}

/* A setting has letters, digits and :/x alone, so nothing has to be escaped. */
static void add_curve(nd_buffer *svg, const nd_curve_spec *spec, size_t index) {
    const char *colour = colours[index % COLOURS];
    const char *dash = index / COLOURS % 2 == 1 ? " stroke-dasharray=\"6 3\"" : "";
    const double x = LEFT + PLOT_WIDTH + 16;
    const double y = TOP + 12 + (double)index * (double)LEGEND_STEP;
    add(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour, dash);
    for (int i = 0; i <= PLOT_STEPS; i++) {
        const double at = (double)i / (double)PLOT_STEPS;
        add(svg, "%.1f,%.2f ", place_x(at), place_y(nd_curve_spec_at(spec, at)));
    }
    add(svg, "\"/>\n<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y - 4,
        colour, dash);
    add(svg, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 30, y, spec->text);
}

void nd_curve_plot(const nd_curve_spec *specs, size_t count, double mark, nd_buffer *svg) {
    const int legend = TOP + (int)(count + 1) * LEGEND_STEP;
    add(svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        WIDTH, legend > HEIGHT ? legend : HEIGHT);
    add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    add_axes(svg);
    if (mark > 0 && mark < 1) {
        add(svg, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#888\" stroke-dasharray=\"3 3\"/>\n",
            place_x(mark), place_y(0), place_y(1));
    }
    for (size_t i = 0; i < count; i++) {
        add_curve(svg, &specs[i], i);
    }
    add(svg, "</svg>\n");
}
