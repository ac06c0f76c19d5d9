#include "src/plan/curve_plot.h"

#include <stdarg.h>
#include <stdio.h>

/* Of the picture, in its own units. */
enum { WIDTH = 720, HEIGHT = 480, LEFT = 60, TOP = 20, PLOT_WIDTH = 440, PLOT_HEIGHT = 400 };
enum { STEPS = 200, COLOURS = 8, TICKS = 10, LEGEND_STEP = 22, LINE_SIZE = 256 };

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
    for (int i = 0; i <= STEPS; i++) {
        const double at = (double)i / (double)STEPS;
        add(svg, "%.1f,%.2f ", place_x(at), place_y(nd_curve_spec_at(spec, at)));
    }
    add(svg, "\"/>\n<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y - 4,
        colour, dash);
    add(svg, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 30, y, spec->text);
}

nd_status nd_curve_plot(const nd_curve_spec *specs, size_t count, double mark, nd_buffer *svg) {
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
    return ND_OK;
}
