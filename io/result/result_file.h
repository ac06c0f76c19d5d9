/** \file io/result/result_file.h
 * The result file: HDF5 columns (one-dimensional datasets, chunked, compressed and with checksums,
 * fixed types) and attributes, written in slabs and read in slabs. The caller decides by its
 * property lists whether ranks write together; then every call that says so is collective among the
 * file's openers. A file that was closed is sealed (io/result/result_seal.h) before anyone may open
 * it. Results come from strangers too: what is read is opened by io/result/result_trust.h. What the
 * columns mean is said in io/README.md; nothing here knows pages or sets: that is
 * io/result/result_schema.h.
 */
#ifndef ND_IO_RESULT_RESULT_FILE_H
#define ND_IO_RESULT_RESULT_FILE_H

#include "io/result/result_notes.h"

#include <hdf5.h>

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
    uint64_t bytes;   /**< of the file, when reading */
    uint64_t version; /**< of its format, when reading */
    bool sealed; /**< when reading: it has a seal (io/result/result_seal.h), not yet compared */
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

/** Not collective. Open for reading a file of a version that this program reads, whatever columns
 * it has. \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT if the file is no result file or is damaged;
 * on failure nothing is open, and it may be closed all the same */
nd_status nd_result_open_file(nd_result *result, const char *path);

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

#endif
