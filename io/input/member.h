/** \file io/input/member.h
 * Decoding of one gzip member (RFC 1952) or one zstd frame (RFC 8878) of a file: the restart points
 * of compressed archives. A gzip member that lies in the file's window is decoded in one call of
 * libdeflate; one that is long or damaged is streamed by zlib, so that memory stays bounded and
 * what comes before the damage is still given. Nothing is known here of what the bytes mean.
 *
 * A zstd file may open with a dictionary in a skippable frame of type 0x184D2A5D, itself raw or a
 * zstd frame (the IIPC's WARC zstd proposal); it is loaded when the decoder is opened.
 */
#ifndef ND_IO_INPUT_MEMBER_H
#define ND_IO_INPUT_MEMBER_H

#include "io/input/file_window.h"
#include "io/input/record_limits.h"

#include <stdbool.h>

typedef enum nd_codec { ND_CODEC_PLAIN, ND_CODEC_GZIP, ND_CODEC_ZSTD } nd_codec;

typedef enum nd_member_state {
    ND_MEMBER_MORE,   /**< the member goes on */
    ND_MEMBER_DONE,   /**< it ended well, before byte nd_member_next() */
    ND_MEMBER_DAMAGED /**< it cannot be decoded any further */
} nd_member_state;

/** The codec of a file by its first bytes (at least 4, or all there are). */
nd_codec nd_codec_of(nd_span bytes);

/** Whether a member of the codec may start with these bytes. */
bool nd_codec_starts(nd_codec codec, nd_span bytes);

typedef struct nd_member_decoder nd_member_decoder;

/** Make a decoder for the members of a file.
 * \param[in] file    borrowed until the decoder is closed
 * \param[in] limits  of the memory of a member decoded at once, and of the window of a zstd frame,
 *                    of which a larger one is damage; NULL: those of no bound on the memory
 * \param[out] out  the caller's to close; NULL on failure
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY */
nd_status nd_member_open(nd_codec codec, nd_file_window *file, const nd_record_limits *limits,
                         nd_member_decoder **out);

/** Go to the member that starts at byte `offset` of the file.
 * \param[in] whole  true: the whole member is wanted; false: only its first bytes are, or it may
 *                   be none at all, and no more is decoded than is asked for */
void nd_member_begin(nd_member_decoder *decoder, uint64_t offset, bool whole);

/** Append what comes next of the member to `out`: at least one byte, unless it ends. Of one that is
 * wanted whole this may be all, of another it is at most `room` bytes, or a small frame of zstd.
 * What a member gives in all, up to its end or its damage, depends on its bytes alone.
 *
 * \return ND_OK (whatever the state), ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY */
nd_status nd_member_more(nd_member_decoder *decoder, size_t room, nd_buffer *out,
                         nd_member_state *state);

/** Whether the member was given up because its window is larger than the limit. */
bool nd_member_window_refused(const nd_member_decoder *decoder);

/** Byte of the file after the member; before ND_MEMBER_DONE, after what has been decoded of it. */
uint64_t nd_member_next(const nd_member_decoder *decoder);

/** Close; NULL is fine; *decoder becomes NULL. */
void nd_member_close(nd_member_decoder **decoder);

#endif
