/** \file tests/support/hostile_result.h
 * What a stranger may make of a result: one thing of it is other than the program writes it, by a
 * list of kinds. The file stays one that HDF5 opens; nothing is said of its own structures, and a
 * seal does not fit any more.
 */
#ifndef ND_TESTS_SUPPORT_HOSTILE_RESULT_H
#define ND_TESTS_SUPPORT_HOSTILE_RESULT_H

#include "src/base/util.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

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
