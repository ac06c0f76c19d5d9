/** \file io/result/result_seal.h
 * The seal of a result file: its first 512 bytes, which HDF5 leaves to the user. They hold, as
 * text, the size of the file and a checksum (XXH3, 128 bits) of all that follows them, so that any
 * change of the file is found, be it in data, in what describes them, or in bytes that nobody reads
 * today. The file is cut into blocks of one size, each with a checksum of its own, so that ranks
 * can share the work and any number of them makes the same seal. A seal is no signature: who
 * changes a file on purpose can seal it anew.
 */
#ifndef ND_IO_RESULT_RESULT_SEAL_H
#define ND_IO_RESULT_RESULT_SEAL_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

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

/** Look at the seal only.
 * \return ND_OK; ND_ERR_FORMAT if the seal is damaged or missing, or the file of another size;
 *         ND_ERR_IO */
nd_status nd_seal_look(int descriptor, const char *path, uint64_t file_bytes, nd_seal_state *state);

/** Compare the checksum: reads the whole file.
 * \return ND_OK, also without a seal; ND_ERR_FORMAT if the file has been changed;
 *         ND_ERR_INPUT if it is no file that can be opened; ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_seal_check(const char *path, nd_seal_state *state);

#endif
