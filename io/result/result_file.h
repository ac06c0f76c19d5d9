/** \file io/result/result_file.h
 * The result file: HDF5 columns (one-dimensional datasets, chunked, compressed and with checksums,
 * fixed types) and attributes, written in slabs and read in slabs. Results come from strangers
 * too, so what is read is looked at before it is believed; what is written is noted, so that it
 * can be read again; and a file that was closed is sealed before anyone may open it. What the
 * columns mean is said in io/README.md; nothing here knows pages or sets: that is
 * io/result/result_schema.h.
 */
#ifndef ND_RESULT_RESULT_FILE_H
#define ND_RESULT_RESULT_FILE_H

#include "src/base/status.h"

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Opening what strangers made: result files come from other people, so every file, column and
 * attribute is opened here and nowhere else, and looked at before it is believed. Nothing but a
 * regular file is opened; nothing in it leads out of it (no links but hard ones, no external or
 * virtual storage, no filter but those this program writes with, so that no plugin is loaded); and
 * a column has no more rows than the bytes it takes in the file can hold, so that memory may be
 * taken by them. What the values mean is not looked at.
 *
 * All return ND_OK; ND_ERR_FORMAT with a text that names the file and the thing; or ND_ERR_IO. */

/** A file of which something is opened. */
typedef struct nd_trusted_file {
    hid_t file;
    const char *path; /**< for messages */
    uint64_t bytes;   /**< of the file */
} nd_trusted_file;

/* ---- Notes of what one caller writes to a result file: parts of columns and attributes, by
 * checksums. With them the file is read again once it is closed (result_schema.h). Values are not
 * kept. */

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

/** A column, or an attribute. */
typedef struct nd_result_note {
    char name[64];
    enum { ND_NOTE_COLUMN, ND_NOTE_TEXT, ND_NOTE_NUMBER } what;
    nd_column_type type;
    uint64_t rows; /**< of all of the column */
    uint64_t sum;  /**< of what this caller has written of it */
} nd_result_note;

/** All zero: switched off, nothing is noted. */
typedef struct nd_result_notes {
    bool on;
    nd_result_note *notes;
    size_t count, capacity;
} nd_result_notes;

/** Bytes of a column that are packed together. They compress well and are still small beside the
 * chunk cache. */
enum { ND_RESULT_CHUNK_BYTES = 1 << 20 };

/** What bytes of a column, from its byte `begin` on, add to its sum: however a column is cut, the
 * sums of its parts add up to that of the whole. Other bytes hardly have the same. */
uint64_t nd_result_notes_sum(uint64_t begin, const void *bytes, size_t size);

/** Forget what was noted, and switch off. */
void nd_result_notes_free(nd_result_notes *notes);

/* ---- columns and attributes. The caller decides by its property lists whether ranks write
 * together; then every call that says so is collective among the file's openers. */

/** Rows of the tables of a result, once nd_result_open() has found that its columns agree. */
typedef struct nd_result_shape {
    uint64_t pages, sets, sites, sources, collections, skipped, other, stages, pairs;
    uint64_t site_templates, site_repeated; /**< of all sites */
    uint64_t contained;
    bool has_pairs, has_contained;
} nd_result_shape;

/** Columns that are open for reading, each until the file is closed. */
struct nd_open_columns;

/** An open result file. Zero-initialise `file` to H5I_INVALID_HID by nd_result_create/open. */
typedef struct nd_result {
    hid_t file;
    hid_t dxpl; /**< borrowed transfer list of the writes; H5P_DEFAULT when reading */
    char path[4096];
    uint64_t bytes; /**< of the file, when reading */
    bool sealed;    /**< when reading: it has a seal, not yet compared */
    nd_result_shape shape;
    struct nd_open_columns *columns;
    nd_result_notes notes; /**< of what is written, if who created it has switched them on */
} nd_result;

/** Collective among the openers of `fapl`. Create a file, replacing one of that name.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_result_create(nd_result *result, const char *path, hid_t fapl, hid_t dxpl);

/** Collective. Make a group, its parents must exist. */
nd_status nd_result_group(nd_result *result, const char *name);

/** Collective. Write a column; a caller without rows still takes part, with count 0. */
nd_status nd_result_write(nd_result *result, const char *name, nd_column_type type,
                          const nd_slab *slab, const void *values);

/** Collective. Attributes of the root group; `text` is stored as a fixed-length UTF-8 string. */
nd_status nd_result_set_text(nd_result *result, const char *name, const char *text);
nd_status nd_result_set_number(nd_result *result, const char *name, uint64_t number);

/** Not collective. Open for reading a result of any version, whatever columns
 * it has. \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT if the file is no result file or is damaged;
 * on failure nothing is open, and it may be closed all the same */
nd_status nd_result_open_file(nd_result *result, const char *path);

/** Is an open file of the version that this program reads? \return ND_OK or ND_ERR_FORMAT */
nd_status nd_result_check_version(const nd_result *result);

/** Not collective. Is there a group or column of this name in the root group ("/pages")? */
bool nd_result_has(const nd_result *result, const char *name);

/** Rows of a column of this type: no more than the file can hold.
 * \return ND_OK; ND_ERR_FORMAT if there is none, or it is not as this program writes columns */
nd_status nd_result_rows(const nd_result *result, const char *name, nd_column_type type,
                         uint64_t *rows);

/** Read rows [offset, offset + count) of a column into `values`.
 * \return as nd_result_rows(); ND_ERR_IO if it has not so many, or they are damaged */
nd_status nd_result_read(const nd_result *result, const char *name, nd_column_type type,
                         uint64_t offset, uint64_t count, void *values);

/** An attribute of the root group; the text (NUL-terminated) is the caller's to free(). */
nd_status nd_result_get_text(const nd_result *result, const char *name, char **text);
/** The same of a text that not every result has. \param[out] text  NULL, with ND_OK: it has none */
nd_status nd_result_find_text(const nd_result *result, const char *name, char **text);
nd_status nd_result_get_number(const nd_result *result, const char *name, uint64_t *number);
/** The seed of the run's hashes; 0 of older results. */
nd_status nd_result_hash_seed(const nd_result *result, uint64_t *seed);

/** Collective among the openers. Close; errors of delayed writes surface here. A result that is not
 * open is fine. */
nd_status nd_result_close(nd_result *result);

/** Not collective. True if something of a file is still open, as it is after a failed close: HDF5
 * tries to close it once more inside MPI_Finalize() and crashes there, so that the process has to
 * end without that call. */
bool nd_result_left_open(void);

/* ---- The seal of a result file: its first 512 bytes, which HDF5 leaves to the user. They hold, as
 * text, the size of the file and a checksum (XXH3, 128 bits) of all that follows them, so that any
 * change of the file is found, be it in data, in what describes them, or in bytes that nobody reads
 * today. The file is cut into blocks of one size, each with a checksum of its own, so that ranks
 * can share the work and any number of them makes the same seal. A seal is no signature: who
 * changes a file on purpose can seal it anew. */

enum {
    ND_SEAL_BYTES = 512,       /**< before HDF5's own first byte */
    ND_SEAL_DIGEST_BYTES = 16, /**< of a block */
    ND_SEAL_BLOCK_BYTES = 1 << 24
};

/** Blocks of a file of this size, the seal included. */
uint64_t nd_seal_blocks(uint64_t file_bytes);

/** Checksums of blocks [begin, begin + count) of a file of `file_bytes`.
 * \param[out] digests  count * ND_SEAL_DIGEST_BYTES bytes
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_seal_digest(const char *path, uint64_t file_bytes, uint64_t begin, uint64_t count,
                         uint8_t *digests);

/** Write the seal of a complete and closed file with the checksums of all its blocks.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_seal_write(const char *path, uint64_t file_bytes, const uint8_t *digests);

/** Both of a complete and closed file, by one process.
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_seal_file(const char *path);

/** Has an open file HDF5's mark where a result has it, or the beginning of a seal? One that is cut
 * off or damaged otherwise has one of them, and no input of pages does. */
bool nd_seal_is_hdf5(int descriptor);

/** What is known of a file before its checksum has been compared. */
typedef enum nd_seal_state {
    ND_SEAL_NONE, /**< written before there were seals, or without one by other software */
    ND_SEAL_WHOLE /**< there is one, and the file has the size that it names */
} nd_seal_state;

/** Compare the checksum: reads the whole file.
 * \return ND_OK, also without a seal; ND_ERR_FORMAT if the file has been changed;
 *         ND_ERR_INPUT if it is no file that can be opened; ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_seal_check(const char *path, nd_seal_state *state);

#endif
