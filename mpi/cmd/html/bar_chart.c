#include "mpi/cmd/html/bar_chart.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 900, HEIGHT = 180, BELOW = 40, ABOVE = 18, LEFT = 70, RIGHT = 24 };

static double height_of(double value, bool by_powers) {
    return by_powers ? log1p(value) : value;
}

/* A line across at a round number, with the number beside it. */
static void print_tick(FILE *to, double value, double highest, bool by_powers) {
    const double y = ABOVE + HEIGHT - (double)HEIGHT * height_of(value, by_powers) / highest;
    (void)fprintf(to,
                  "<path class=\"axis\" d=\"M0 %.1fH%d\"/><text class=\"tick\" x=\"-6\" "
                  "y=\"%.1f\">%.0f</text>\n",
                  y, WIDTH, y + 4, value);
}

/* 0 and each power of ten, or 0 and some multiples of 1, 2 or 5 times one. */
static void print_ticks(FILE *to, double most, bool by_powers) {
    const double highest = height_of(most, by_powers);
    print_tick(to, 0, highest > 0 ? highest : 1, by_powers);
    if (by_powers) {
        for (double value = 1; value <= most; value *= 10) {
            print_tick(to, value, highest, true);
        }
        return;
    }
    double step = pow(10, floor(log10(fmax(most, 1))));
    step = most / step >= 5 ? step * 2 : most / step >= 2 ? step : step / 2;
    for (double value = step; value <= most && step >= 1; value += step) {
        print_tick(to, value, highest, false);
    }
}

void nd_bar_chart_print(FILE *to, const nd_chart_words *words, const nd_bar *bars, size_t count,
                        size_t each, bool by_powers) {
    const double step = (double)WIDTH / (double)count;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, (double)bars[i].value);
    }
    const double highest = height_of(most, by_powers);
    (void)fprintf(to,
                  "<figure><figcaption>%s%s</figcaption>\n<svg viewBox=\"%d 0 %d %d\" role=\"img\" "
                  "aria-label=\"%s\">\n",
                  words->title, by_powers ? " (heights are logarithms)" : "", -LEFT,
                  LEFT + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW, words->title);
    print_ticks(to, most, by_powers);
    for (size_t i = 0; i < count; i++) {
        const double height =
            highest > 0 ? (double)HEIGHT * height_of((double)bars[i].value, by_powers) / highest
                        : 0;
        (void)fprintf(to,
                      "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
                      "<title>%s: %" PRIu64 "</title></rect>\n",
                      (double)i * step + step * .1, ABOVE + HEIGHT - height, step * .8, height,
                      bars[i].label, bars[i].value);
        if (count <= 24 && bars[i].value > 0) {
            (void)fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu64 "</text>\n",
                          ((double)i + .5) * step, ABOVE + HEIGHT - height - 4, bars[i].value);
        }
        if (i % each == 0) {
            (void)fprintf(to, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", ((double)i + .5) * step,
                          ABOVE + HEIGHT + 16, bars[i].label);
        }
    }
    (void)fprintf(to,
                  "<text class=\"of\" x=\"%d\" y=\"%d\">%s</text>\n<text class=\"of\" "
                  "transform=\"translate(%d %d) "
                  "rotate(-90)\">%s</text></svg></figure>\n",
                  WIDTH / 2, ABOVE + HEIGHT + 34, words->across, 14 - LEFT, ABOVE + HEIGHT / 2,
                  words->up);
}
