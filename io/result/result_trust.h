/** \file io/result/result_trust.h
 * Opening what strangers made: result files come from other people, so every file, column and
 * attribute is opened here and nowhere else, and looked at before it is believed. Nothing but a
 * regular file is opened; nothing in it leads out of it (no links but hard ones, no external or
 * virtual storage, no filter but those this program writes with, so that no plugin is loaded); and
 * a column has no more rows than the bytes it takes in the file can hold, so that memory may be
 * taken by them. What the values mean is not looked at.
 *
 * All return ND_OK; ND_ERR_FORMAT with a text that names the file and the thing; or ND_ERR_IO.
 */
#ifndef ND_IO_RESULT_RESULT_TRUST_H
#define ND_IO_RESULT_RESULT_TRUST_H

#include "src/base/status.h"

#include <hdf5.h>
#include <stdint.h>

/** A file of which something is opened. */
typedef struct nd_trusted_file {
    hid_t file;
    const char *path; /**< for messages */
    uint64_t bytes;   /**< of the file */
} nd_trusted_file;

/** Open a column: one-dimensional, of exactly this type in the file.
 * \param[out] column  the caller's to H5Dclose(); H5I_INVALID_HID on failure */
nd_status nd_trust_column(const nd_trusted_file *file, const char *name, hid_t type, hid_t *column,
                          uint64_t *rows);

/** Open a scalar attribute of the root group: a fixed-length text, or a number of 64 bits.
 * \param[out] attribute  the caller's to H5Aclose(); H5I_INVALID_HID on failure
 * \param[out] size       bytes of its value */
nd_status nd_trust_text(const nd_trusted_file *file, const char *name, hid_t *attribute,
                        size_t *size);
nd_status nd_trust_number(const nd_trusted_file *file, const char *name, hid_t *attribute);

/** Fail with the library's own reason: "PATH: cannot WHAT NAME: REASON". \return ND_ERR_IO */
nd_status nd_hdf5_fail(const char *path, const char *what, const char *name);

#endif
