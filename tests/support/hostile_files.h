/** \file tests/support/hostile_files.h
 * Files that are other than the program writes them: results, work folders and indexes, inputs.
 */
#ifndef ND_SUPPORT_HOSTILE_FILES_H
#define ND_SUPPORT_HOSTILE_FILES_H

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>

/* ---- What a stranger may make of a folder with a manifest, an index or a work folder: other
 * values in its arrays, other places and sizes of them, other numbers and texts; as a rule with
 * checksums that fit. And of any file: other bytes, or another end. */

/** Change the folder. */
void nd_hostile_folder(const char *path, nd_random *random);

/** Change some bytes, or where they end. */
void nd_hostile_bytes(nd_buffer *bytes, nd_random *random);

/** A number that is likely to be wrong in place of one. */
uint64_t nd_hostile_number(nd_random *random, uint64_t number);

/** Replace a file, or make it. */
void nd_hostile_write(const char *path, nd_span bytes);

/** Copy a file, or the files of a folder into a new one. */
void nd_hostile_copy_file(const char *from, const char *to);
void nd_hostile_copy_folder(const char *from, const char *to);

/* ---- Small good inputs of all formats, and tables of labels for their pages: of these runs make
 * the results, indexes and work folders that are then changed. */

/** Write a.jsonl and b.jsonl, of which some pages are alike, c.warc.gz, d.warc and e.warc.zst with
 * the same pages, f.wacz and g.wacz, h.arc and i.html, labels.tsv and pairs.tsv into the current
 * folder. */
void nd_hostile_inputs(void);

/* ---- What a stranger may make of a result: one thing of it is other than the program writes it,
 * by a list of kinds. The file stays one that HDF5 opens; nothing is said of its own structures,
 * and a seal does not fit any more. */

/** Who has to refuse it. */
typedef enum nd_hostile_refusal {
    ND_HOSTILE_MAYBE, /**< nobody has to: it may still be a result */
    ND_HOSTILE_ROWS,  /**< who reads all rows of pages, sets and sources */
    ND_HOSTILE_OPEN   /**< who opens a result */
} nd_hostile_refusal;

typedef struct nd_hostile_kind {
    const char *name;
    nd_hostile_refusal refused;
    /** Change the file, which is open for writing. \return false: there was nothing to change */
    bool (*make)(hid_t file, nd_random *random);
} nd_hostile_kind;

extern const nd_hostile_kind nd_hostile_kinds[];
extern const size_t nd_hostile_kind_count;

/** Make a result one of a kind. \return false: it is as it was */
bool nd_hostile_result(const char *path, const nd_hostile_kind *kind, nd_random *random);

#endif
