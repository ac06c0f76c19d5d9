/** \file io/store/manifest.h
 * What a work folder holds: the stage that is complete, named numbers and texts, and the pieces
 * (files) of named arrays of fixed-size records, each with its place, size and checksum. As JSON
 * text, with a version and a checksum of its own, and as the file `manifest.json`, which is
 * replaced as a whole or not at all. Every rank holds the manifest, and a large job has many
 * thousands of pieces: a piece takes 48 bytes here and some 50 in the text. The files are not
 * looked at here, nor is anything known of what the arrays mean.
 */
#ifndef ND_IO_STORE_MANIFEST_H
#define ND_IO_STORE_MANIFEST_H

#include "io/store/work_folder.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** Records [first, first + count) of an array, in a file of their own. */
typedef struct nd_manifest_piece {
    uint64_t first;    /**< record */
    uint64_t count;    /**< records; at least 1 */
    uint64_t checksum; /**< of its file, which has nothing but the records: nd_kept_file */
    uint64_t *sums;    /**< likewise; owned, not written, nor merged */
    uint32_t generation, rank, number; /**< of its file: nd_work_folder_part() */
    uint16_t array;                    /**< row of the manifest's arrays */
    bool dropped;                      /**< not written, and left out by merging */
} nd_manifest_piece;

/** An array of which there are pieces. */
typedef struct nd_kept_array {
    char *name;
    uint64_t record_size; /**< bytes */
} nd_kept_array;

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
    nd_kept_array *arrays;
    size_t array_count, array_capacity;
    nd_manifest_piece *pieces;
    size_t piece_count, piece_capacity;
} nd_manifest;

void nd_manifest_free(nd_manifest *manifest);

/* ---- adding; texts are copied */

void nd_manifest_set_stage(nd_manifest *manifest, const char *stage);

/** A number or text of this name replaces an earlier one. */
void nd_manifest_set_number(nd_manifest *manifest, const char *name, uint64_t number);
void nd_manifest_set_text(nd_manifest *manifest, const char *name, const char *text);

/** Add a piece; its array is the one of that name, whatever the piece says.
 * \return ND_OK; ND_ERR_INTERNAL if earlier pieces of the array have records of another size */
nd_status nd_manifest_add_piece(nd_manifest *manifest, const char *array, uint64_t record_size,
                                const nd_manifest_piece *piece);

/** Add the values (if wanted) and the pieces of another manifest that are not dropped.
 * \return as above: `into` has then a part of them */
nd_status nd_manifest_merge(nd_manifest *into, const nd_manifest *from, bool values);

/** Put the pieces in order of their arrays' names and of records, which looking them up needs.
 * \return ND_OK, or ND_ERR_INTERNAL if pieces of an array overlap */
nd_status nd_manifest_arrange(nd_manifest *manifest);

/** Of pieces that an earlier state has too, take over the sums. Both are arranged. */
void nd_manifest_take_sums(nd_manifest *manifest, nd_manifest *before);

/** Has each array all records from its first to its last? Needs arranged pieces.
 * \param[in] path  where the manifest is from, for messages \return ND_OK or ND_ERR_FORMAT */
nd_status nd_manifest_check_whole(const nd_manifest *manifest, const char *path);

/* ---- looking up */

/** The value of a name; NULL if there is none. */
const nd_manifest_value *nd_manifest_find(const nd_manifest *manifest, const char *name);

/** The pieces of an array, in order; needs arranged pieces.
 * \param[out] count  how many; 0 if there is no such array */
nd_manifest_piece *nd_manifest_array(const nd_manifest *manifest, const char *array, size_t *count);

/** The array of a piece. */
const nd_kept_array *nd_manifest_array_of(const nd_manifest *manifest,
                                          const nd_manifest_piece *piece);

/** The name of a piece's file in the work folder. */
void nd_manifest_file(const nd_manifest *manifest, const nd_manifest_piece *piece,
                      char name[NAME_MAX + 1]);

/** The names of all files, ascending by strcmp: piece_count of them, the caller's to free() at
 * once. */
const char **nd_manifest_files(const nd_manifest *manifest);

/* ---- as text and as a file */

/** Append the manifest as JSON text that ends with its checksum; dropped pieces are left out. */
nd_status nd_manifest_format(const nd_manifest *manifest, nd_buffer *text);

/** The reverse, into an empty manifest, with the pieces arranged.
 * \param[in] path  where the text is from, for messages
 * \return ND_OK; ND_ERR_FORMAT if it is not a manifest, of another version or damaged: the manifest
 *         is then empty */
nd_status nd_manifest_parse(nd_manifest *manifest, nd_span text, const char *path);

/** Read a file as it is, to be parsed. \param[in,out] text  appended to
 * \param[out] found  false, with ND_OK: there is no such file */
nd_status nd_manifest_read(nd_buffer *text, const char *path, bool *found);

/** Replace a file by a text of nd_manifest_format(), durably. \return ND_OK, or a failure: the
 * file is then as it was, unless only the sync of its folder failed */
nd_status nd_manifest_write(nd_span text, const char *path);

#endif
