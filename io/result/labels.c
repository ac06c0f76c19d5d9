#include "io/result/labels.h"

#include "io/result/tab_lines.h"

#include <stdlib.h>

static nd_status bad_line(nd_labels *labels, const nd_tab_line *line, const char *why) {
    nd_tab_line_reject(line, why, &labels->bad_lines, labels->first_bad, sizeof labels->first_bad);
    return ND_OK;
}

/* ---- columns of the first line */

static nd_status count_columns(void *context, const nd_tab_line *line, bool *stop) {
    uint64_t *columns = context;
    nd_span column;
    while (nd_tab_line_column(line, *columns + 1, &column)) {
        (*columns)++;
    }
    *stop = true;
    return ND_OK;
}

nd_status nd_labels_columns(const char *path, uint64_t *columns) {
    *columns = 0;
    return nd_tab_lines_read(path, count_columns, columns);
}

/* ---- clusters */

typedef struct cluster_reader {
    nd_labels *labels;
    uint64_t column;
} cluster_reader;

static nd_status take_cluster(void *context, const nd_tab_line *line, bool *stop) {
    const cluster_reader *reader = context;
    nd_labels *labels = reader->labels;
    nd_status st = ND_OK;
    nd_span id, name;
    uint64_t row = 0;
    uint64_t cluster = 0;
    bool is_new = false;
    (void)stop;
    if (!nd_tab_line_column(line, 1, &id) || !nd_tab_line_column(line, reader->column, &name)) {
        return bad_line(labels, line, "too few columns");
    }
    if (id.size == 0 || name.size == 0) {
        return bad_line(labels, line, "the id or the cluster is empty");
    }
    ND_TRY(nd_name_table_add(&labels->clusters, name, &cluster, NULL));
    ND_TRY(nd_grow(&labels->cluster, &labels->cluster_capacity, labels->ids.count + 1,
                   sizeof *labels->cluster));
    ND_TRY(nd_name_table_add(&labels->ids, id, &row, &is_new));
    if (is_new) {
        labels->cluster[row] = cluster;
    } else if (labels->cluster[row] == cluster) {
        labels->repeated++;
    } else {
        st = bad_line(labels, line, "an earlier line puts this id into another cluster");
    }
out:
    return st;
}

nd_status nd_labels_read_clusters(nd_labels *labels, const char *path, uint64_t column) {
    cluster_reader reader = {labels, column};
    return nd_tab_lines_read(path, take_cluster, &reader);
}

/* ---- pairs */

static nd_status take_pair(void *context, const nd_tab_line *line, bool *stop) {
    nd_labels *labels = context;
    nd_status st = ND_OK;
    nd_span a, b, label;
    nd_labelled_pair pair = {0};
    (void)stop;
    if (!nd_tab_line_column(line, 1, &a) || !nd_tab_line_column(line, 2, &b) ||
        !nd_tab_line_column(line, 3, &label)) {
        return bad_line(labels, line, "too few columns");
    }
    if (a.size == 0 || b.size == 0) {
        return bad_line(labels, line, "an id is empty");
    }
    ND_TRY(nd_name_table_add(&labels->ids, a, &pair.a, NULL));
    ND_TRY(nd_name_table_add(&labels->ids, b, &pair.b, NULL));
    if (pair.a == pair.b) {
        return bad_line(labels, line, "a page is paired with itself");
    }
    ND_TRY(nd_name_table_add(&labels->labels, label, &pair.label, NULL));
    ND_TRY(nd_grow(&labels->pairs, &labels->pair_capacity, labels->pair_count + 1,
                   sizeof *labels->pairs));
    labels->pairs[labels->pair_count++] = pair;
out:
    return st;
}

nd_status nd_labels_read_pairs(nd_labels *labels, const char *path) {
    return nd_tab_lines_read(path, take_pair, labels);
}

/* ---- what is not evaluated */

static nd_status take_loose(void *context, const nd_tab_line *line, bool *stop) {
    nd_labels *labels = context;
    nd_span id = {0};
    uint64_t number = 0;
    (void)stop;
    return nd_tab_line_column(line, 1, &id) && id.size > 0
               ? nd_name_table_add(&labels->loose, id, &number, NULL)
               : bad_line(labels, line, "the id is empty");
}

nd_status nd_labels_read_loose(nd_labels *labels, const char *path) {
    return nd_tab_lines_read(path, take_loose, labels);
}

static nd_status take_ambiguous(void *context, const nd_tab_line *line, bool *stop) {
    nd_labels *labels = context;
    nd_status st = ND_OK;
    nd_span a, b;
    (void)stop;
    if (!nd_tab_line_column(line, 1, &a) || !nd_tab_line_column(line, 2, &b)) {
        return bad_line(labels, line, "too few columns");
    }
    const nd_cluster_pair pair = {nd_name_table_find(&labels->clusters, a),
                                  nd_name_table_find(&labels->clusters, b)};
    if (pair.a != ND_NO_NAME && pair.b != ND_NO_NAME && pair.a != pair.b) {
        ND_TRY(nd_grow(&labels->ambiguous, &labels->ambiguous_capacity, labels->ambiguous_count + 1,
                       sizeof *labels->ambiguous));
        labels->ambiguous[labels->ambiguous_count++] = pair;
    }
out:
    return st;
}

nd_status nd_labels_read_ambiguous(nd_labels *labels, const char *path) {
    return nd_tab_lines_read(path, take_ambiguous, labels);
}

void nd_labels_free(nd_labels *labels) {
    nd_name_table_free(&labels->ids);
    nd_name_table_free(&labels->clusters);
    nd_name_table_free(&labels->labels);
    nd_name_table_free(&labels->loose);
    free(labels->cluster);
    free(labels->pairs);
    free(labels->ambiguous);
    *labels = (nd_labels){0};
}
