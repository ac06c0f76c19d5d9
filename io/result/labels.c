#include "io/result/labels.h"

#include "io/result/tab_lines.h"

#include <stdlib.h>

static void reject(nd_labels *labels, const nd_tab_lines *line, const char *why) {
    nd_tab_lines_reject(line, why, &labels->bad_lines, labels->first_bad, sizeof labels->first_bad);
}

nd_status nd_labels_columns(const char *path, uint64_t *columns) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    nd_span column;
    *columns = 0;
    ND_TRY(nd_tab_lines_open(&line, path));
    ND_TRY(nd_tab_lines_next(&line));
    while (nd_tab_lines_column(&line, *columns + 1, &column)) {
        (*columns)++;
    }
out:
    return nd_tab_lines_close(&line, st);
}

nd_status nd_labels_read_clusters(nd_labels *labels, const char *path, uint64_t column) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(nd_tab_lines_open(&line, path));
    while ((st = nd_tab_lines_next(&line)) == ND_OK) {
        nd_span id, name;
        uint64_t row = 0;
        uint64_t cluster = 0;
        bool is_new = false;
        if (!nd_tab_lines_column(&line, 1, &id) || !nd_tab_lines_column(&line, column, &name)) {
            reject(labels, &line, "too few columns");
            continue;
        }
        if (id.size == 0 || name.size == 0) {
            reject(labels, &line, "the id or the cluster is empty");
            continue;
        }
        ND_TRY(nd_name_table_add(&labels->clusters, name, &cluster, NULL));
        nd_grow(&labels->cluster, &labels->cluster_capacity, labels->ids.count + 1,
                sizeof *labels->cluster);
        ND_TRY(nd_name_table_add(&labels->ids, id, &row, &is_new));
        if (is_new) {
            labels->cluster[row] = cluster;
        } else if (labels->cluster[row] == cluster) {
            labels->repeated++;
        } else {
            reject(labels, &line, "an earlier line puts this id into another cluster");
        }
    }
out:
    return nd_tab_lines_close(&line, st);
}

/* The band of a pair. \param[out] why  NULL: it is good */
static nd_status read_band(nd_labels *labels, const nd_tab_lines *line, uint64_t *band,
                           const char **why) {
    nd_status st = ND_OK;
    nd_span name, number;
    uint64_t pairs = 0;
    bool is_new = false;
    *why = "no band with its number of pairs in columns 4 and 5";
    if (!nd_tab_lines_column(line, 4, &name) || !nd_tab_lines_column(line, 5, &number) ||
        name.size == 0 || number.size == 0 || number.size > 18) {
        goto out;
    }
    for (size_t i = 0; i < number.size; i++) {
        if (number.data[i] < '0' || number.data[i] > '9') {
            goto out;
        }
        pairs = 10 * pairs + (uint64_t)(number.data[i] - '0');
    }
    if (pairs == 0) {
        goto out;
    }
    nd_grow(&labels->band_pairs, &labels->band_capacity, labels->bands.count + 1,
            sizeof *labels->band_pairs);
    ND_TRY(nd_name_table_add(&labels->bands, name, band, &is_new));
    labels->band_pairs[*band] = is_new ? pairs : labels->band_pairs[*band];
    *why = labels->band_pairs[*band] == pairs ? NULL
                                              : "an earlier line says that this band has "
                                                "another number of pairs";
out:
    return st;
}

nd_status nd_labels_read_pairs(nd_labels *labels, const char *path, bool banded) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    const char *why = NULL;
    ND_TRY(nd_tab_lines_open(&line, path));
    while ((st = nd_tab_lines_next(&line)) == ND_OK) {
        nd_span a, b, label;
        nd_labelled_pair pair = {0};
        if (!nd_tab_lines_column(&line, 1, &a) || !nd_tab_lines_column(&line, 2, &b) ||
            !nd_tab_lines_column(&line, 3, &label)) {
            reject(labels, &line, "too few columns");
            continue;
        }
        if (a.size == 0 || b.size == 0) {
            reject(labels, &line, "an id is empty");
            continue;
        }
        ND_TRY(banded ? read_band(labels, &line, &pair.band, &why) : ND_OK);
        if (why != NULL) {
            reject(labels, &line, why);
            continue;
        }
        ND_TRY(nd_name_table_add(&labels->ids, a, &pair.a, NULL));
        ND_TRY(nd_name_table_add(&labels->ids, b, &pair.b, NULL));
        if (pair.a == pair.b) {
            reject(labels, &line, "a page is paired with itself");
            continue;
        }
        ND_TRY(nd_name_table_add(&labels->labels, label, &pair.label, NULL));
        nd_grow(&labels->pairs, &labels->pair_capacity, labels->pair_count + 1,
                sizeof *labels->pairs);
        labels->pairs[labels->pair_count++] = pair;
    }
out:
    return nd_tab_lines_close(&line, st);
}

/* ---- what is not evaluated */

nd_status nd_labels_read_loose(nd_labels *labels, const char *path) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(nd_tab_lines_open(&line, path));
    while ((st = nd_tab_lines_next(&line)) == ND_OK) {
        nd_span id = {0};
        uint64_t number = 0;
        if (!nd_tab_lines_column(&line, 1, &id) || id.size == 0) {
            reject(labels, &line, "the id is empty");
            continue;
        }
        ND_TRY(nd_name_table_add(&labels->loose, id, &number, NULL));
    }
out:
    return nd_tab_lines_close(&line, st);
}

nd_status nd_labels_read_ambiguous(nd_labels *labels, const char *path) {
    nd_status st = ND_OK;
    nd_tab_lines line;
    ND_TRY(nd_tab_lines_open(&line, path));
    while ((st = nd_tab_lines_next(&line)) == ND_OK) {
        nd_span a, b;
        if (!nd_tab_lines_column(&line, 1, &a) || !nd_tab_lines_column(&line, 2, &b)) {
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
    return nd_tab_lines_close(&line, st);
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
