/** \file io/store/packing.h
 * Bytes of one kind packed into fewer, a block at a time: numbers of a fixed width byte by byte, so
 * that what is alike stands together, then zstd. Tokens, which are hashes and so look like noise,
 * first become their ranks among those of the block by how often they occur. What a block holds is
 * the caller's to know. Invariant: what is unpacked is what was packed, or a failure.
 */
#ifndef ND_IO_STORE_PACKING_H
#define ND_IO_STORE_PACKING_H

#include "src/base/buffer.h"

/** What is packed. */
typedef enum nd_packing {
    ND_PACKING_TOKENS, /**< uint32_t, of which many repeat */
    ND_PACKING_COUNTS  /**< uint16_t, most of them small; anything else too */
} nd_packing;

/** Append the packed block to `out`.
 * \param[in] size  of a whole number of values, below 2 GiB \return ND_OK or ND_ERR_MEMORY */
nd_status nd_pack(nd_packing packing, const void *bytes, size_t size, nd_buffer *out);

/** Unpack a block of `size` bytes into `out`, which has room for them.
 * \return ND_OK; ND_ERR_FORMAT if it is no such block; ND_ERR_MEMORY */
nd_status nd_unpack(nd_packing packing, nd_span packed, void *out, size_t size);

#endif
