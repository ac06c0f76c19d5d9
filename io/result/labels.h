/** \file io/result/labels.h
 * What people or a construction say of pages, read from tab-separated files (plain, .gz or .zst):
 * pages with their cluster, or pairs of pages with a label; loose pages and ambiguous clusters
 * beside them; and how made-up pages were made. Page ids become dense rows, clusters and labels
 * dense numbers. Nothing is compared or counted here.
 */
#ifndef ND_RESULT_LABELS_H
#define ND_RESULT_LABELS_H

#include "io/input/stream.h"
#include "src/measure/agreement.h"

/* ---- lines. Fields are bytes taken as they are (nothing is unescaped, no header, no
 * comments); a byte order mark and empty lines are passed over, and lines end in LF or
 * CRLF. */

/** An open file and one of its lines, which is not empty. */
typedef struct nd_tab_lines {
    const char *path; /**< borrowed */
    uint64_t number;  /**< of the line, from 1; empty ones are counted */
    nd_span text;     /**< of the line, without its end; until the next one is asked for */
    nd_stream *stream;
    size_t taken; /**< bytes under the stream's cursor that are the line's */
} nd_tab_lines;

/* ---- labels. Columns after the last one needed are ignored. */

/** Two rows of nd_labels.ids, a number of nd_labels.labels and one of nd_labels.bands. */
typedef struct nd_labelled_pair {
    uint64_t a;
    uint64_t b;
    uint64_t label;
    uint64_t band; /**< 0 where bands were not asked for */
} nd_labelled_pair;

/** All zero is valid and empty. Everything is owned. */
typedef struct nd_labels {
    nd_name_table ids;
    nd_name_table clusters;
    uint64_t *cluster; /**< by row; empty where pairs were read */
    size_t cluster_capacity;
    nd_name_table labels;
    nd_labelled_pair *pairs; /**< empty where clusters were read */
    size_t pair_count, pair_capacity;
    nd_name_table bands;  /**< that pairs were drawn from, where asked for */
    uint64_t *band_pairs; /**< how many pairs each has, of which those listed are a sample */
    size_t band_capacity;
    nd_name_table loose; /**< ids, whether or not they are in `ids` */
    nd_cluster_pair *ambiguous;
    size_t ambiguous_count, ambiguous_capacity;
    uint64_t repeated;   /**< lines that say again what an earlier one says */
    uint64_t bad_lines;  /**< lines that cannot be used: too few columns, an id with two clusters,
                              an empty id, a page paired with itself */
    char first_bad[512]; /**< the first of them: file, line, why */
} nd_labels;

/** Columns of the first line of the file that is not empty; 0 if there is none.
 * \return ND_OK, ND_ERR_FORMAT (damaged), or as nd_stream_open(), as all that follow */
nd_status nd_labels_columns(const char *path, uint64_t *columns);

/** Read pages: id in column 1, its cluster in column `column`, counted from 1. */
nd_status nd_labels_read_clusters(nd_labels *labels, const char *path, uint64_t column);

/** Read pairs: id TAB id TAB label; with `banded` also TAB band TAB pairs of that band. */
nd_status nd_labels_read_pairs(nd_labels *labels, const char *path, bool banded);

/** Read loose pages: an id in column 1. */
nd_status nd_labels_read_loose(nd_labels *labels, const char *path);

/** Read ambiguous clusters: cluster TAB cluster. After the clusters; a line that names a cluster
 * without pages, or one cluster twice, changes nothing. */
nd_status nd_labels_read_ambiguous(nd_labels *labels, const char *path);

/** Free everything; the labels are empty. */
void nd_labels_free(nd_labels *labels);

/* ---- How labelled pages were made: class, site and similarity to their original, as `neardup
 * synthesize` writes them (id, cluster, class, story, site, similarity, tokens; tab-separated,
 * plain, .gz or .zst), by row of the labels. Nothing is compared or counted here. */

/** Class and site of a page that the file does not name. */
#define ND_NO_CLASS ND_NO_NAME

/** By row of nd_labels.ids; everything owned. All zero is valid and empty. */
typedef struct nd_class_labels {
    nd_name_table classes; /**< as named in the file, in its order */
    nd_name_table sites;
    uint64_t *class;     /**< number in `classes`; ND_NO_CLASS */
    uint64_t *site;      /**< number in `sites`; ND_NO_CLASS */
    double *similarity;  /**< in [0, 1], to the original by construction; 0 without a class */
    uint64_t missing;    /**< rows that the file does not name */
    uint64_t bad_lines;  /**< too few columns, no class or site, a similarity outside [0, 1], an
                              id named before; lines with other ids are passed over */
    char first_bad[512]; /**< the first of them: file, line, why */
} nd_class_labels;

/** Read the classes of labelled pages.
 * \return ND_OK, ND_ERR_FORMAT (damaged, or none of the pages in it), or as nd_stream_open(); to be
 * freed in any case */
nd_status nd_class_labels_read(const char *path, const nd_labels *labels, nd_class_labels *classes);

void nd_class_labels_free(nd_class_labels *classes);

#endif
