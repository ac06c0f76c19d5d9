/** \file io/store/manifest.h
 * What a work folder holds: the stage that is complete, named numbers and texts, and the pieces
 * (files) of named arrays of fixed-size records, each with its place, size and checksum. As JSON
 * text, with a version and a checksum of its own, and as the file `manifest.json`, which is
 * replaced as a whole or not at all. The files that it names are not looked at here, nor is
 * anything known of what the arrays mean.
 */
#ifndef ND_IO_STORE_MANIFEST_H
#define ND_IO_STORE_MANIFEST_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** Records [first, first + count) of an array, in a file of their own. */
typedef struct nd_manifest_piece {
    char *array;
    char *file;           /**< its name in the work folder */
    uint64_t first;       /**< record */
    uint64_t count;       /**< records; at least 1 */
    uint64_t record_size; /**< bytes */
    uint64_t checksum;    /**< XXH3 64 of the file, which has count * record_size bytes */
    bool dropped;         /**< not written, and left out by merging */
} nd_manifest_piece;

typedef struct nd_manifest_value {
    char *name;
    char *text; /**< NULL: a number */
    uint64_t number;
} nd_manifest_value;

/** All zero is a valid empty manifest. */
typedef struct nd_manifest {
    char *stage;         /**< NULL: none yet */
    uint64_t generation; /**< how often the state was committed */
    nd_manifest_value *values;
    size_t value_count, value_capacity;
    nd_manifest_piece *pieces;
    size_t piece_count, piece_capacity;
} nd_manifest;

void nd_manifest_free(nd_manifest *manifest);

/* ---- adding; texts are copied. ND_OK or ND_ERR_MEMORY: the manifest is then as it was */

nd_status nd_manifest_set_stage(nd_manifest *manifest, const char *stage);

/** A number or text of this name replaces an earlier one. */
nd_status nd_manifest_set_number(nd_manifest *manifest, const char *name, uint64_t number);
nd_status nd_manifest_set_text(nd_manifest *manifest, const char *name, const char *text);

nd_status nd_manifest_add_piece(nd_manifest *manifest, const nd_manifest_piece *piece);

/** Add the values (if wanted) and the pieces of another manifest that are not dropped.
 * \return ND_OK, or ND_ERR_MEMORY: `into` has then a part of them */
nd_status nd_manifest_merge(nd_manifest *into, const nd_manifest *from, bool values);

/** Put the pieces in order of arrays and records, which looking them up needs.
 * \return ND_OK, or ND_ERR_INTERNAL if pieces of an array overlap or differ in record size */
nd_status nd_manifest_arrange(nd_manifest *manifest);

/** Has each array all records from its first to its last? Needs arranged pieces.
 * \param[in] path  where the manifest is from, for messages \return ND_OK or ND_ERR_FORMAT */
nd_status nd_manifest_check_whole(const nd_manifest *manifest, const char *path);

/* ---- looking up */

/** The value of a name; NULL if there is none. */
const nd_manifest_value *nd_manifest_find(const nd_manifest *manifest, const char *name);

/** The pieces of an array, in order; needs arranged pieces.
 * \param[out] count  how many; 0 if there is no such array */
const nd_manifest_piece *nd_manifest_array(const nd_manifest *manifest, const char *array,
                                           size_t *count);

/** The names of all files, ascending by strcmp and borrowed.
 * \param[out] files  the caller's to free(); piece_count of them; NULL on failure */
nd_status nd_manifest_files(const nd_manifest *manifest, const char ***files);

/* ---- as text and as a file */

/** Append the manifest as JSON text that ends with its checksum; dropped pieces are left out. */
nd_status nd_manifest_format(const nd_manifest *manifest, nd_buffer *text);

/** The reverse, into an empty manifest, with the pieces arranged.
 * \param[in] path  where the text is from, for messages
 * \return ND_OK; ND_ERR_FORMAT if it is not a manifest, of another version or damaged, or
 *         ND_ERR_MEMORY: the manifest is then empty */
nd_status nd_manifest_parse(nd_manifest *manifest, nd_span text, const char *path);

/** Read a file as it is, to be parsed. \param[in,out] text  appended to
 * \param[out] found  false, with ND_OK: there is no such file */
nd_status nd_manifest_read(nd_buffer *text, const char *path, bool *found);

/** Replace a file by a text of nd_manifest_format(), durably. \return ND_OK, or a failure: the
 * file is then as it was, unless only the sync of its folder failed */
nd_status nd_manifest_write(nd_span text, const char *path);

#endif
