/** \file io/result/labels.h
 * What people or a construction say of pages, read from tab-separated files (plain, .gz or .zst):
 * pages with their cluster, or pairs of pages with a label; loose pages and ambiguous clusters
 * beside them. Page ids become dense rows, clusters and labels dense numbers. Fields are bytes
 * taken as they are (nothing is unescaped, no header, no comments); empty lines are passed over,
 * columns after the last one needed are ignored. Nothing is compared or counted here.
 */
#ifndef ND_IO_RESULT_LABELS_H
#define ND_IO_RESULT_LABELS_H

#include "src/measure/agreement.h"

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

#endif
