/** \file io/result/class_labels.h
 * How labelled pages were made: class, site and similarity to their original, as `neardup
 * synthesize` writes them (id, cluster, class, story, site, similarity, tokens; tab-separated,
 * plain, .gz or .zst), by row of the labels. Nothing is compared or counted here.
 */
#ifndef ND_IO_RESULT_CLASS_LABELS_H
#define ND_IO_RESULT_CLASS_LABELS_H

#include "io/result/labels.h"

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
