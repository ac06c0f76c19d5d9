#include "mpi/cmd/html/bar_chart.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 900, HEIGHT = 180, BELOW = 24, ABOVE = 18 };

static double height_of(uint64_t value, bool by_powers) {
    return by_powers ? log1p((double)value) : (double)value;
}

void nd_bar_chart_print(FILE *to, const char *title, const nd_bar *bars, size_t count, size_t each,
                        bool by_powers) {
    const double step = (double)WIDTH / (double)count;
    double highest = 0;
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, height_of(bars[i].value, by_powers));
    }
    (void)fprintf(
        to,
        "<figure><figcaption>%s%s</figcaption>\n<svg viewBox=\"-24 0 %d %d\" role=\"img\" "
        "aria-label=\"%s\">\n",
        title, by_powers ? " (heights are logarithms)" : "", WIDTH + 48, ABOVE + HEIGHT + BELOW,
        title);
    for (size_t i = 0; i < count; i++) {
        const double height =
            highest > 0 ? (double)HEIGHT * height_of(bars[i].value, by_powers) / highest : 0;
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
    (void)fprintf(to, "<path class=\"axis\" d=\"M0 %dH%d\"/></svg></figure>\n", ABOVE + HEIGHT,
                  WIDTH);
}
