#include "mpi/cmd/overlap/overlap_picture.h"

#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>

/* In the picture's own units. */
enum { LEAST_WIDTH = 600, VENN_HEIGHT = 400, RADIUS = 120, LEFT = 190, TOP = 130, SIDE = 960 };
enum { LARGEST_CELL = 64, LEAST_CELL = 4, NUMBERED_CELL = 40, NAME_BYTES = 24 };

static const char FIRST_LINE[] = "<!-- made by neardup overlap -->\n";

static bool is_picture(const char *path) {
    return nd_foreign_file_begins(path, FIRST_LINE);
}

nd_status nd_overlap_picture_check(const char *path, bool force) {
    const nd_output output = {.option = "--svg",
                              .path = path,
                              .force = force,
                              .replaces = is_picture,
                              .what = "a picture of neardup overlap"};
    return nd_output_check(&output);
}

/* A name, cut where it is long: it may be any bytes. */
static void put_name(FILE *to, const nd_overlap_findings *f, size_t x) {
    const nd_span name = nd_overlap_name(f, x);
    size_t size = nd_min(name.size, NAME_BYTES);
    while (size > 0 && size < name.size && (name.data[size] & 0xc0) == 0x80) {
        size--;
    }
    nd_print_text(to, ND_PRINTABLE_HTML, nd_span_part(name, 0, size));
    (void)fputs(size < name.size ? "..." : "", to);
}

static void put_label(FILE *to, const nd_overlap_findings *f, size_t x, int at_x, int at_y,
                      const char *more) {
    (void)fprintf(to, "<text x=\"%d\" y=\"%d\" %s>", at_x, at_y, more);
    put_name(to, f, x);
    (void)fputs("</text>\n", to);
}

static void put_count(FILE *to, int x, int y, const nd_overlap_counts *c, size_t mask) {
    (void)fprintf(to,
                  "<text x=\"%d\" y=\"%d\">%" PRIu64 "</text><text x=\"%d\" y=\"%d\" "
                  "font-size=\"11\">%.1f %%</text>\n",
                  x, y, c->venn[mask], x, y + 14,
                  c->all > 0 ? 100 * (double)c->venn[mask] / (double)c->all : 0);
}

static void put_venn(FILE *to, const nd_overlap_findings *f) {
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73"};
    static const int centres[2][3][2] = {{{170, 200}, {310, 200}, {0, 0}},
                                         {{170, 150}, {310, 150}, {240, 270}}};
    /* by the set of collections: where its number stands */
    static const int places[2][8][2] = {
        {{0, 0}, {115, 200}, {365, 200}, {240, 200}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
        {{0, 0},
         {115, 120},
         {365, 120},
         {240, 105},
         {240, 340},
         {160, 232},
         {320, 232},
         {240, 185}}};
    static const int names[2][3][2] = {{{120, 70}, {360, 70}, {0, 0}},
                                       {{110, 20}, {370, 20}, {398, 360}}};
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    const int form = c->collections == 3;
    (void)fputs("<g text-anchor=\"middle\">\n", to);
    for (size_t x = 0; x < c->collections; x++) {
        (void)fprintf(to,
                      "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" fill-opacity=\".25\" "
                      "stroke=\"%s\"/>\n",
                      centres[form][x][0], centres[form][x][1], RADIUS, colours[x], colours[x]);
        put_label(to, f, x, names[form][x][0], names[form][x][1], "font-weight=\"bold\"");
    }
    for (size_t mask = 1; mask < (size_t)1 << c->collections; mask++) {
        put_count(to, places[form][mask][0], places[form][mask][1], c, mask);
    }
    (void)fputs("</g>\n", to);
}

static void put_matrix(FILE *to, const nd_overlap_findings *f, int cell) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    const bool numbered = cell >= NUMBERED_CELL;
    for (size_t x = 0; x < c->collections; x++) {
        const int y_at = TOP + (int)x * cell;
        const int x_at = LEFT + (int)x * cell;
        char turned[96];
        (void)snprintf(turned, sizeof turned, "transform=\"rotate(-45 %d %d)\" font-size=\"%d\"",
                       x_at + cell / 2, TOP - 6, cell < 12 ? cell : 12);
        put_label(to, f, x, x_at + cell / 2, TOP - 6, turned);
        (void)snprintf(turned, sizeof turned, "text-anchor=\"end\" font-size=\"%d\"",
                       cell < 12 ? cell : 12);
        put_label(to, f, x, LEFT - 6, y_at + cell / 2 + 4, turned);
        for (size_t y = 0; y < c->collections; y++) {
            const double share = nd_overlap_share(c, x, y);
            const int at = LEFT + (int)y * cell;
            (void)fprintf(to,
                          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#0072B2\" "
                          "fill-opacity=\"%.3f\" stroke=\"#ccc\"><title>%" PRIu64
                          " sets, %.2f %%</title></rect>\n",
                          at, y_at, cell, cell, share, nd_overlap_both(c, x, y), 100 * share);
            if (numbered) {
                (void)fprintf(to,
                              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"11\" "
                              "fill=\"%s\">%.1f</text>\n",
                              at + cell / 2, y_at + cell / 2 + 4, share > .6 ? "#fff" : "#000",
                              100 * share);
            }
        }
    }
}

nd_status nd_overlap_picture_save(const nd_overlap_findings *findings, const char *path) {
    nd_status st = ND_OK;
    const nd_overlap_findings *f = findings;
    char *bytes = NULL;
    size_t size = 0;
    const int count = (int)f->chosen.count;
    const int room = SIDE / count;
    const int cell = room > LARGEST_CELL ? LARGEST_CELL : room < LEAST_CELL ? LEAST_CELL : room;
    const bool venn = count <= 3;
    const int width = LEFT + count * cell + 120;
    FILE *to = open_memstream(&bytes, &size);
    if (to == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a picture");
    }
    (void)fprintf(to,
                  "%s<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  FIRST_LINE, width > LEAST_WIDTH ? width : LEAST_WIDTH,
                  (venn ? VENN_HEIGHT : 0) + TOP + count * cell + 40);
    if (venn) {
        put_venn(to, f);
    }
    (void)fprintf(to, "<g transform=\"translate(0 %d)\">\n", venn ? VENN_HEIGHT : 0);
    put_matrix(to, f, cell);
    (void)fprintf(to,
                  "<text x=\"10\" y=\"%d\">sets of near-duplicates: %% of the row's that the "
                  "column has%s</text>\n</g>\n</svg>\n",
                  TOP + count * cell + 24, venn ? "; circles are not to scale" : "");
    const bool failed = ferror(to) != 0;
    const bool closed = fclose(to) == 0;
    st = failed || !closed ? nd_fail(ND_ERR_MEMORY, "out of memory: a picture")
                           : nd_own_file_save(path, bytes, size);
    free(bytes);
    return st;
}
