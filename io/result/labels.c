#include "io/result/labels.h"

#include "io/input/sniff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== lines */

/* No line of labels is too long. */
static const uint64_t LONGEST_LINE = SIZE_MAX / 4;

/* Open a file, before its first line. \return ND_OK, or as nd_stream_open(): to be closed too */
static nd_status tab_lines_open(nd_tab_lines *lines, const char *path) {
    *lines = (nd_tab_lines){.path = path};
    return nd_stream_open(path, NULL, &lines->stream);
}

/* Go to the next line that is not empty.
 * \return ND_OK; ND_END after the last; ND_ERR_FORMAT (damaged), or as nd_stream_need() */
static nd_status tab_lines_next(nd_tab_lines *lines) {
    nd_status st = ND_OK;
    do {
        nd_stream_consume(lines->stream, lines->taken);
        lines->taken = 0;
        ND_TRY(nd_stream_line(lines->stream, LONGEST_LINE, &lines->text, &lines->taken));
        if (lines->taken == 0) {
            /* a damaged file of labels would give a wrong measure: it is refused */
            const char *damage = nd_stream_damage(lines->stream);
            return damage == NULL ? ND_END
                                  : nd_fail(ND_ERR_FORMAT, "%s, byte %" PRIu64 ": %s", lines->path,
                                            nd_stream_damaged_member(lines->stream), damage);
        }
        lines->text = lines->number++ == 0 ? nd_sniff_after_mark(lines->text) : lines->text;
        if (lines->text.size > 0 && lines->text.data[lines->text.size - 1] == '\r') {
            lines->text.size--;
        }
    } while (lines->text.size == 0);
out:
    return st;
}

/* Column `number` of the line, counted from 1. \return false if it has fewer */
static bool tab_lines_column(const nd_tab_lines *lines, uint64_t number, nd_span *column) {
    const uint8_t *at = lines->text.data;
    const uint8_t *const end = at + lines->text.size;
    for (;;) {
        const uint8_t *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
        const uint8_t *stop = tab != NULL ? tab : end;
        if (--number == 0) {
            *column = (nd_span){at, (size_t)(stop - at)};
            return true;
        }
        if (tab == NULL) {
            return false;
        }
        at = tab + 1;
    }
}

/* Count the line as one that cannot be used; of the first such, keep file, line and why. */
static void tab_lines_reject(const nd_tab_lines *lines, const char *why, uint64_t *rejected,
                             char *first, size_t size) {
    if ((*rejected)++ == 0) {
        (void)snprintf(first, size, "%s, line %" PRIu64 ": %s", lines->path, lines->number, why);
    }
}

/* Close. \return `st`, how the reading went, and ND_OK for ND_END */
static nd_status tab_lines_close(nd_tab_lines *lines, nd_status st) {
    nd_stream_close(&lines->stream);
    return st == ND_END ? ND_OK : st;
}

/* ==== labels */

static void reject(nd_labels *labels, const nd_tab_lines *line, const char *why) {
    tab_lines_reject(line, why, &labels->bad_lines, labels->first_bad, sizeof labels->first_bad);
}

nd_status nd_labels_columns(const char *path, uint64_t *columns) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    nd_span column;
    *columns = 0;
    ND_TRY(tab_lines_open(&line, path));
    ND_TRY(tab_lines_next(&line));
    while (tab_lines_column(&line, *columns + 1, &column)) {
        (*columns)++;
    }
out:
    return tab_lines_close(&line, st);
}

nd_status nd_labels_read_clusters(nd_labels *labels, const char *path, uint64_t column) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(tab_lines_open(&line, path));
    while ((st = tab_lines_next(&line)) == ND_OK) {
        nd_span id, name;
        uint64_t row = 0;
        uint64_t cluster = 0;
        bool is_new = false;
        if (!tab_lines_column(&line, 1, &id) || !tab_lines_column(&line, column, &name)) {
            reject(labels, &line, "too few columns");
            continue;
        }
        if (id.size == 0 || name.size == 0) {
            reject(labels, &line, "the id or the cluster is empty");
            continue;
        }
        nd_name_table_add(&labels->clusters, name, &cluster, NULL);
        nd_grow(&labels->cluster, &labels->cluster_capacity, labels->ids.count + 1,
                sizeof *labels->cluster);
        nd_name_table_add(&labels->ids, id, &row, &is_new);
        if (is_new) {
            labels->cluster[row] = cluster;
        } else if (labels->cluster[row] == cluster) {
            labels->repeated++;
        } else {
            reject(labels, &line, "an earlier line puts this id into another cluster");
        }
    }
out:
    return tab_lines_close(&line, st);
}

/* The band of a pair. \return what is wrong with it; NULL: it is good */
static const char *read_band(nd_labels *labels, const nd_tab_lines *line, uint64_t *band) {
    static const char none[] = "no band with its number of pairs in columns 4 and 5";
    nd_span name, number;
    uint64_t pairs = 0;
    bool is_new = false;
    if (!tab_lines_column(line, 4, &name) || !tab_lines_column(line, 5, &number) ||
        name.size == 0 || number.size == 0 || number.size > 18) {
        return none;
    }
    for (size_t i = 0; i < number.size; i++) {
        if (number.data[i] < '0' || number.data[i] > '9') {
            return none;
        }
        pairs = 10 * pairs + (uint64_t)(number.data[i] - '0');
    }
    if (pairs == 0) {
        return none;
    }
    nd_grow(&labels->band_pairs, &labels->band_capacity, labels->bands.count + 1,
            sizeof *labels->band_pairs);
    nd_name_table_add(&labels->bands, name, band, &is_new);
    labels->band_pairs[*band] = is_new ? pairs : labels->band_pairs[*band];
    return labels->band_pairs[*band] == pairs
               ? NULL
               : "an earlier line says that this band has another number of pairs";
}

nd_status nd_labels_read_pairs(nd_labels *labels, const char *path, bool banded) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    const char *why = NULL;
    ND_TRY(tab_lines_open(&line, path));
    while ((st = tab_lines_next(&line)) == ND_OK) {
        nd_span a, b, label;
        nd_labelled_pair pair = {0};
        if (!tab_lines_column(&line, 1, &a) || !tab_lines_column(&line, 2, &b) ||
            !tab_lines_column(&line, 3, &label)) {
            reject(labels, &line, "too few columns");
            continue;
        }
        if (a.size == 0 || b.size == 0) {
            reject(labels, &line, "an id is empty");
            continue;
        }
        why = banded ? read_band(labels, &line, &pair.band) : NULL;
        if (why != NULL) {
            reject(labels, &line, why);
            continue;
        }
        nd_name_table_add(&labels->ids, a, &pair.a, NULL);
        nd_name_table_add(&labels->ids, b, &pair.b, NULL);
        if (pair.a == pair.b) {
            reject(labels, &line, "a page is paired with itself");
            continue;
        }
        nd_name_table_add(&labels->labels, label, &pair.label, NULL);
        nd_grow(&labels->pairs, &labels->pair_capacity, labels->pair_count + 1,
                sizeof *labels->pairs);
        labels->pairs[labels->pair_count++] = pair;
    }
out:
    return tab_lines_close(&line, st);
}

/* ---- what is not evaluated */

nd_status nd_labels_read_loose(nd_labels *labels, const char *path) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(tab_lines_open(&line, path));
    while ((st = tab_lines_next(&line)) == ND_OK) {
        nd_span id = {0};
        uint64_t number = 0;
        if (!tab_lines_column(&line, 1, &id) || id.size == 0) {
            reject(labels, &line, "the id is empty");
            continue;
        }
        nd_name_table_add(&labels->loose, id, &number, NULL);
    }
out:
    return tab_lines_close(&line, st);
}

nd_status nd_labels_read_ambiguous(nd_labels *labels, const char *path) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(tab_lines_open(&line, path));
    while ((st = tab_lines_next(&line)) == ND_OK) {
        nd_span a, b;
        if (!tab_lines_column(&line, 1, &a) || !tab_lines_column(&line, 2, &b)) {
            reject(labels, &line, "too few columns");
            continue;
        }
        const nd_cluster_pair pair = {nd_name_table_find(&labels->clusters, a),
                                      nd_name_table_find(&labels->clusters, b)};
        if (pair.a != ND_NO_NAME && pair.b != ND_NO_NAME && pair.a != pair.b) {
            nd_grow(&labels->ambiguous, &labels->ambiguous_capacity, labels->ambiguous_count + 1,
                    sizeof *labels->ambiguous);
            labels->ambiguous[labels->ambiguous_count++] = pair;
        }
    }
out:
    return tab_lines_close(&line, st);
}

void nd_labels_free(nd_labels *labels) {
    nd_name_table_free(&labels->ids);
    nd_name_table_free(&labels->clusters);
    nd_name_table_free(&labels->labels);
    nd_name_table_free(&labels->loose);
    free(labels->cluster);
    free(labels->pairs);
    nd_name_table_free(&labels->bands);
    free(labels->band_pairs);
    free(labels->ambiguous);
    *labels = (nd_labels){0};
}

/* ==== how pages were made */

enum { CLASS_COLUMN = 3, SITE_COLUMN = 5, SIMILARITY_COLUMN = 6 };

typedef struct fields {
    nd_span id, class, site;
    double similarity;
} fields;

/* \return why the line cannot be used, or NULL */
static const char *read_fields(const nd_tab_lines *line, fields *f) {
    nd_span text;
    char number[32] = "";
    char *end = NULL;
    if (!tab_lines_column(line, 1, &f->id) || !tab_lines_column(line, CLASS_COLUMN, &f->class) ||
        !tab_lines_column(line, SITE_COLUMN, &f->site) ||
        !tab_lines_column(line, SIMILARITY_COLUMN, &text)) {
        return "too few columns";
    }
    if (f->class.size == 0 || f->site.size == 0) {
        return "the class or the site is empty";
    }
    const bool fits = text.size > 0 && text.size < sizeof number;
    if (fits) {
        memcpy(number, text.data, text.size);
    }
    f->similarity = strtod(number, &end);
    return fits && *end == '\0' && f->similarity >= 0 && f->similarity <= 1
               ? NULL
               : "the similarity in column 6 is no number from 0 to 1";
}

nd_status nd_class_labels_read(const char *path, const nd_labels *labels,
                               nd_class_labels *classes) {
    nd_status st = ND_OK;
    const size_t count = labels->ids.count;
    nd_tab_lines line = {.path = path};
    *classes = (nd_class_labels){.missing = count};
    nd_new(&classes->class, count, sizeof *classes->class);
    nd_new(&classes->site, count, sizeof *classes->site);
    nd_new(&classes->similarity, count, sizeof *classes->similarity);
    for (size_t row = 0; row < count; row++) {
        classes->class[row] = ND_NO_CLASS;
        classes->site[row] = ND_NO_CLASS;
    }
    ND_TRY(tab_lines_open(&line, path));
    while ((st = tab_lines_next(&line)) == ND_OK) {
        fields f = {0};
        const char *why = read_fields(&line, &f);
        const uint64_t row = why == NULL ? nd_name_table_find(&labels->ids, f.id) : ND_NO_NAME;
        if (row != ND_NO_NAME && classes->class[row] != ND_NO_CLASS) {
            why = "an earlier line has this id";
        }
        if (why != NULL) {
            tab_lines_reject(&line, why, &classes->bad_lines, classes->first_bad,
                             sizeof classes->first_bad);
        } else if (row != ND_NO_NAME) {
            nd_name_table_add(&classes->sites, f.site, &classes->site[row], NULL);
            nd_name_table_add(&classes->classes, f.class, &classes->class[row], NULL);
            classes->similarity[row] = f.similarity;
            classes->missing--;
        }
    }
    if (st == ND_END && classes->missing == count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no class of any labelled page in it%s%s", path,
                     classes->bad_lines > 0 ? "; " : "", classes->first_bad);
    }
out:
    return tab_lines_close(&line, st);
}

void nd_class_labels_free(nd_class_labels *classes) {
    nd_name_table_free(&classes->classes);
    nd_name_table_free(&classes->sites);
    free(classes->class);
    free(classes->site);
    free(classes->similarity);
    *classes = (nd_class_labels){0};
}
