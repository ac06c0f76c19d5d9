/** \file io/result/result_notes.h
 * Notes of what one caller writes to a result file: parts of columns and attributes, by checksums.
 * With them the file is read again once it is closed (result_written.h). Values are not kept.
 */
#ifndef ND_IO_RESULT_RESULT_NOTES_H
#define ND_IO_RESULT_RESULT_NOTES_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Types of columns; little-endian in the file. */
typedef enum nd_column_type {
    ND_COLUMN_U8,
    ND_COLUMN_U16,
    ND_COLUMN_U32,
    ND_COLUMN_U64,
    ND_COLUMN_F32,
    ND_COLUMN_F64
} nd_column_type;

/** Bytes of one value. */
size_t nd_column_size(nd_column_type type);

/** This caller's part of a column: `count` values from row `offset` of `total`. */
typedef struct nd_slab {
    uint64_t total;
    uint64_t offset;
    uint64_t count;
    bool goes_on; /**< the column is there already: this is another part of it */
} nd_slab;

/** A part of a column, or an attribute. */
typedef struct nd_result_note {
    char name[64];
    enum { ND_NOTE_COLUMN, ND_NOTE_TEXT, ND_NOTE_NUMBER } what;
    nd_column_type type;
    nd_slab slab;
    uint64_t checksum;
} nd_result_note;

/** All zero: switched off, nothing is noted. */
typedef struct nd_result_notes {
    bool on;
    char lost[ND_FAIL_TEXT_SIZE]; /**< why one of them could not be kept: the check of the file
                                       fails with that; empty: all are kept */
    nd_result_note *notes;
    size_t count, capacity;
} nd_result_notes;

/** Bytes of a column that are added to its checksum at a time: the values of each such piece. */
enum { ND_NOTE_PIECE_BYTES = 1 << 20 };

/** Of values that come in pieces: each piece's has that of the pieces before as its seed; the first
 * one's is 0. */
uint64_t nd_result_notes_sum(uint64_t checksum, const void *bytes, size_t size);

/** Note a part of a column. What cannot be noted fails later, with the check, and not here: this is
 * called inside of writes that are collective, which a rank must not leave before the others. */
void nd_result_notes_column(nd_result_notes *notes, const char *name, nd_column_type type,
                            const nd_slab *slab, const void *values);

/** Note an attribute's value: `size` bytes, of a text with its NUL. */
void nd_result_notes_attribute(nd_result_notes *notes, const char *name, bool text,
                               const void *value, size_t size);

/** Forget what was noted, and switch off. */
void nd_result_notes_free(nd_result_notes *notes);

#endif
