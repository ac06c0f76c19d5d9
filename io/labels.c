#include "io/labels.h"

#include "io/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes asked for in search of the end of a line. */
enum { FIRST_LINE = 4 << 10 };

/* A file of labels while it is read, line by line. */
typedef struct label_file {
    const char *path;
    nd_stream *stream;
    uint64_t line; /* number of the present line, from 1 */
} label_file;

/* ---- lines and columns */

/* The whole line under the cursor. \param[out] taken  its bytes with the line end; 0 at the end of
 * the file */
static nd_status whole_line(label_file *file, nd_span *line, size_t *taken) {
    nd_status st = ND_OK;
    nd_span bytes;
    const uint8_t *end = NULL;
    for (size_t want = FIRST_LINE;; want *= 2) {
        ND_TRY(nd_stream_need(file->stream, want, &bytes));
        end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
        if (end != NULL || bytes.size < want) {
            break;
        }
    }
    *taken = end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size;
    *line = (nd_span){bytes.data, end != NULL ? *taken - 1 : *taken};
    if (line->size > 0 && line->data[line->size - 1] == '\r') {
        line->size--;
    }
out:
    return st;
}

/* A damaged file of labels would give a wrong measure: it is refused. */
static nd_status check_damage(const label_file *file) {
    uint64_t offset = 0;
    const char *damage = nd_stream_damage(file->stream, &offset);
    return damage == NULL
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT, "%s, byte %" PRIu64 ": %s", file->path, offset, damage);
}

typedef nd_status line_visitor(void *context, const label_file *file, nd_span line, bool *stop);

/* Call `visit` for each line that is not empty, until it says stop. */
static nd_status read_lines(const char *path, line_visitor *visit, void *context) {
    nd_status st = ND_OK;
    label_file file = {.path = path};
    bool stop = false;
    ND_TRY(nd_stream_open(path, &file.stream));
    while (!stop) {
        nd_span line;
        size_t taken = 0;
        ND_TRY(whole_line(&file, &line, &taken));
        if (taken == 0) {
            ND_TRY(check_damage(&file));
            break;
        }
        file.line++;
        if (line.size > 0) {
            ND_TRY(visit(context, &file, line, &stop));
        }
        nd_stream_consume(file.stream, taken);
    }
out:
    nd_stream_close(&file.stream);
    return st;
}

/* Column `number` of a line, counted from 1. \return false if the line has fewer */
static bool has_column(nd_span line, uint64_t number, nd_span *column) {
    const uint8_t *at = line.data;
    const uint8_t *const end = line.data + line.size;
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

static nd_status bad_line(nd_labels *labels, const label_file *file, const char *why) {
    if (labels->bad_lines++ == 0) {
        (void)snprintf(labels->first_bad, sizeof labels->first_bad, "%s, line %" PRIu64 ": %s",
                       file->path, file->line, why);
    }
    return ND_OK;
}

/* ---- columns of the first line */

static nd_status count_columns(void *context, const label_file *file, nd_span line, bool *stop) {
    uint64_t *columns = context;
    nd_span column;
    (void)file;
    while (has_column(line, *columns + 1, &column)) {
        (*columns)++;
    }
    *stop = true;
    return ND_OK;
}

nd_status nd_labels_columns(const char *path, uint64_t *columns) {
    *columns = 0;
    return read_lines(path, count_columns, columns);
}

/* ---- clusters */

typedef struct cluster_reader {
    nd_labels *labels;
    uint64_t column;
} cluster_reader;

static nd_status take_cluster(void *context, const label_file *file, nd_span line, bool *stop) {
    const cluster_reader *reader = context;
    nd_labels *labels = reader->labels;
    nd_status st = ND_OK;
    nd_span id, name;
    uint64_t row = 0;
    uint64_t cluster = 0;
    bool is_new = false;
    (void)stop;
    if (!has_column(line, 1, &id) || !has_column(line, reader->column, &name)) {
        return bad_line(labels, file, "too few columns");
    }
    if (id.size == 0 || name.size == 0) {
        return bad_line(labels, file, "the id or the cluster is empty");
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
        st = bad_line(labels, file, "an earlier line puts this id into another cluster");
    }
out:
    return st;
}

nd_status nd_labels_read_clusters(nd_labels *labels, const char *path, uint64_t column) {
    cluster_reader reader = {labels, column};
    return read_lines(path, take_cluster, &reader);
}

/* ---- pairs */

static nd_status take_pair(void *context, const label_file *file, nd_span line, bool *stop) {
    nd_labels *labels = context;
    nd_status st = ND_OK;
    nd_span a, b, label;
    nd_labelled_pair pair = {0};
    (void)stop;
    if (!has_column(line, 1, &a) || !has_column(line, 2, &b) || !has_column(line, 3, &label)) {
        return bad_line(labels, file, "too few columns");
    }
    if (a.size == 0 || b.size == 0) {
        return bad_line(labels, file, "an id is empty");
    }
    ND_TRY(nd_name_table_add(&labels->ids, a, &pair.a, NULL));
    ND_TRY(nd_name_table_add(&labels->ids, b, &pair.b, NULL));
    if (pair.a == pair.b) {
        return bad_line(labels, file, "a page is paired with itself");
    }
    ND_TRY(nd_name_table_add(&labels->labels, label, &pair.label, NULL));
    ND_TRY(nd_grow(&labels->pairs, &labels->pair_capacity, labels->pair_count + 1,
                   sizeof *labels->pairs));
    labels->pairs[labels->pair_count++] = pair;
out:
    return st;
}

nd_status nd_labels_read_pairs(nd_labels *labels, const char *path) {
    return read_lines(path, take_pair, labels);
}

/* ---- what is not judged */

static nd_status take_loose(void *context, const label_file *file, nd_span line, bool *stop) {
    nd_labels *labels = context;
    nd_span id = {0};
    uint64_t number = 0;
    (void)stop;
    return has_column(line, 1, &id) && id.size > 0
               ? nd_name_table_add(&labels->loose, id, &number, NULL)
               : bad_line(labels, file, "the id is empty");
}

nd_status nd_labels_read_loose(nd_labels *labels, const char *path) {
    return read_lines(path, take_loose, labels);
}

static nd_status take_ambiguous(void *context, const label_file *file, nd_span line, bool *stop) {
    nd_labels *labels = context;
    nd_status st = ND_OK;
    nd_span a, b;
    (void)stop;
    if (!has_column(line, 1, &a) || !has_column(line, 2, &b)) {
        return bad_line(labels, file, "too few columns");
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
    return read_lines(path, take_ambiguous, labels);
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
