/** \file mpi/job/packed_array.h
 * A long array of bytes kept packed in a folder of checkpoints: in blocks (io/store/packing.h),
 * with a table that says where each begins, so that any of its bytes are read without those before.
 * Ranks write it one after the other, and what one folder has can be taken over by the next, which
 * goes on with it. What the bytes are is the stages' business.
 *
 * Arrays of the folder, of a name N: N.packed (bytes) and N.blocks (nd_packed_block).
 */
#ifndef ND_MPI_JOB_PACKED_ARRAY_H
#define ND_MPI_JOB_PACKED_ARRAY_H

#include "io/store/packing.h"
#include "mpi/job/checkpoint.h"

/** Where a block lies. No padding: it is kept as bytes. */
typedef struct nd_packed_block {
    uint64_t first, size;         /**< bytes of the array */
    uint64_t place, packed_bytes; /**< bytes of N.packed */
} nd_packed_block;

/** What of an array a folder has. */
typedef struct nd_packed_extent {
    uint64_t bytes, packed, blocks;
} nd_packed_extent;

/** Not collective. \return ND_OK, or as nd_checkpoint_load() */
nd_status nd_packed_extent_of(const nd_checkpoint *from, const char *array,
                              nd_packed_extent *extent);

/** This rank's part of an array that is being written. nd_packer_open() first. */
typedef struct nd_packer {
    nd_packing packing;
    uint64_t size; /**< bytes added */
    nd_buffer block, made;
    nd_spool packed, blocks;
} nd_packer;

/** Not collective. Nothing is opened yet, so that this cannot fail. */
void nd_packer_open(nd_packer *packer, nd_packing packing, nd_spool_folder *folder,
                    uint64_t memory);

/** Not collective. Add whole values. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_packer_add(nd_packer *packer, const void *bytes, size_t size);

/** Collective. Keep the ranks' parts one after the other, after what `before` says.
 * \param[in] st      this rank's failure so far: it then takes part, and keeps nothing
 * \param[out] first  number of this rank's first byte \return this rank's status */
nd_status nd_packer_keep(nd_packer *packer, nd_status st, nd_checkpoint *to, const char *array,
                         const nd_packed_extent *before, uint64_t *first);

void nd_packer_close(nd_packer *packer);

/** Reading an array; ascending costs least. All zero may only be closed. */
typedef struct nd_packed_reader {
    const nd_checkpoint *from;
    nd_packing packing;
    char packed_name[32], blocks_name[32];
    nd_packed_extent extent;
    nd_packed_block block; /* the one that is unpacked, as bytes */
    uint64_t block_number;
    nd_buffer packed, bytes;
} nd_packed_reader;

/** Not collective. \param[in] from  borrowed until it is closed */
nd_status nd_packed_reader_open(nd_packed_reader *reader, nd_packing packing,
                                const nd_checkpoint *from, const char *array);

/** Not collective. Bytes [begin, begin + size). \return ND_OK; ND_ERR_FORMAT if they are not all
 * there, or damaged; or as nd_checkpoint_load() */
nd_status nd_packed_read(nd_packed_reader *reader, uint64_t begin, size_t size, void *to);

void nd_packed_reader_close(nd_packed_reader *reader);

#endif
