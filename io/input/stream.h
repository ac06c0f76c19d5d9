/** \file io/input/stream.h
 * The uncompressed bytes of a source, plain, .gz or .zst, as one run with a cursor: callers ask
 * for the next n bytes as a view and consume them. The stream knows where in the file the byte
 * under the cursor comes from and whether it is the first of a member (or frame), so that records
 * have offsets and sources can be entered in the middle. A damaged member ends the stream; the
 * caller may seek to a later one. What the bytes mean is known above: one predicate says it.
 */
#ifndef ND_INPUT_STREAM_H
#define ND_INPUT_STREAM_H

#include "io/input/file_window.h"
#include "io/input/record_limits.h"

#include <stdbool.h>

/* ---- members: decoding of one gzip member (RFC 1952) or one zstd frame (RFC 8878) of a file:
 * the restart points of compressed archives. A gzip member that lies in the file's window
 * is decoded in one call of libdeflate; one that is long or damaged is streamed by zlib,
 * so that memory stays bounded and what comes before the damage is still given. A zstd
 * file may open with a dictionary in a skippable frame of type 0x184D2A5D, itself raw or a
 * zstd frame (the IIPC's WARC zstd proposal); it is loaded when the decoder is opened. */

typedef enum nd_codec { ND_CODEC_PLAIN, ND_CODEC_GZIP, ND_CODEC_ZSTD } nd_codec;

typedef enum nd_member_state {
    ND_MEMBER_MORE,   /**< the member goes on */
    ND_MEMBER_DONE,   /**< it ended well, before byte nd_member_next() */
    ND_MEMBER_DAMAGED /**< it cannot be decoded any further */
} nd_member_state;

/** The codec of a file by its first bytes (at least 4, or all there are). */
nd_codec nd_codec_of(nd_span bytes);

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

/** Byte of the file after the member; before ND_MEMBER_DONE, after what has been decoded of it. */
uint64_t nd_member_next(const nd_member_decoder *decoder);

/** Close; NULL is fine; *decoder becomes NULL. */
void nd_member_close(nd_member_decoder **decoder);

/* ---- the stream */

/** Bytes of content that a predicate is shown at most. */
enum { ND_STREAM_PEEK_BYTES = 16 << 10 };

/** Whether a record starts with these bytes (at most ND_STREAM_PEEK_BYTES; fewer if the member or
 * file has no more). Must not depend on anything else. */
typedef bool nd_begins(nd_span content);

/** How starts of records are found among other bytes. */
typedef struct nd_starts {
    nd_begins *begins; /**< strict */
    /** The first byte at or after `from` at which `begins` is worth asking; the byte before it may
     * be looked at. bytes.size: there is none. NULL: no plain file of these is searched. */
    size_t (*next)(nd_span bytes, size_t from);
} nd_starts;

typedef struct nd_stream nd_stream;

/** Where the byte under the cursor comes from. */
typedef struct nd_place {
    uint64_t file;    /**< plain: its byte; compressed: the byte at which its member starts */
    uint64_t content; /**< uncompressed bytes from the last seek, or the source's start, to it; what
                           damage took is not counted */
    bool at_start;    /**< it is the first of its member; always true if plain */
} nd_place;

/** Open at byte 0.
 * \param[in]  path    borrowed until the stream is closed
 * \param[in]  limits  of the rank, borrowed likewise; NULL: those of no bound on the memory, and a
 *                     record may expand to any size
 * \param[out] out     the caller's to close; NULL on failure
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED, ND_ERR_MEMORY, or ND_ERR_IO if there are no
 *         descriptors left */
nd_status nd_stream_open(const char *path, const nd_record_limits *limits, nd_stream **out);

nd_codec nd_stream_codec(const nd_stream *stream);

/** Take the file's bytes for those of another codec, whatever they look like; back at byte 0.
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY; the stream may only be closed then
 */
nd_status nd_stream_take_as(nd_stream *stream, nd_codec codec);

/** A record starts at the cursor: from here on it is watched how far the file's bytes expand. Once
 * they do so beyond the limit, the member counts as damaged. */
void nd_stream_begin_record(nd_stream *stream);

/** Go back to where that record starts. In a compressed source its member is decoded again from its
 * start: the caller bounds how often. \return as nd_stream_need() */
nd_status nd_stream_return(nd_stream *stream);

/** From now on take the file to end at byte `bytes`, or where it does. */
void nd_stream_end_at(nd_stream *stream, uint64_t bytes);

/** Size of the file, or of what is taken to be it, bytes. */
uint64_t nd_stream_file_bytes(const nd_stream *stream);

/** What the file was when it was opened, and the checksum of what was read of it so far. */
nd_file_identity nd_stream_identity(const nd_stream *stream, uint64_t *checksum);

/** As nd_file_window_sum_blocks() and nd_file_window_block_sum(). */
nd_status nd_stream_sum_blocks(nd_stream *stream, uint64_t begin, uint64_t end);
nd_status nd_stream_block_sum(nd_stream *stream, uint64_t *sum);

/** Let the system know that bytes [begin, end) of the file will not be read again soon. */
void nd_stream_uncache(const nd_stream *stream, uint64_t begin, uint64_t end);

/** Go to byte `offset` of the file; if compressed, a member must start there. Forgets damage. */
void nd_stream_seek(nd_stream *stream, uint64_t offset);

/** Have at least `need` bytes under the cursor.
 * \param[out] bytes  all that are at hand, borrowed until the next call; fewer than `need` only if
 *                    the source ends or is damaged
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY */
nd_status nd_stream_need(nd_stream *stream, size_t need, nd_span *bytes);

/** The line under the cursor, whole.
 * \param[in]  limit  most bytes of it; less than SIZE_MAX / 2
 * \param[out] line   without its line end, borrowed likewise
 * \param[out] taken  bytes with the line end; 0 if there are none under the cursor
 * \return as nd_stream_need(); ND_ERR_LIMIT if it is longer: `taken` is then a part of it */
nd_status nd_stream_line(nd_stream *stream, uint64_t limit, nd_span *line, size_t *taken);

/** Move the cursor over `count` bytes, which must be at hand. */
void nd_stream_consume(nd_stream *stream, size_t count);

/** Move the cursor by up to `count` bytes, however many: stops early at the start of the next
 * member, at the end, or at damage.
 * \param[out] skipped  bytes moved over; 0 only if `count` is 0 or there are no more */
nd_status nd_stream_skip(nd_stream *stream, uint64_t count, uint64_t *skipped);

/** Place of the byte under the cursor; nd_stream_need() must have given at least one. */
nd_place nd_stream_place(const nd_stream *stream);

/** Distance from the cursor to the first member start at or after cursor + `from`, among the bytes
 * at hand; SIZE_MAX if there is none. */
size_t nd_stream_member_after(const nd_stream *stream, size_t from);

/** NULL, or why the stream cannot go on after the bytes at hand. */
const char *nd_stream_damage(const nd_stream *stream);

/** Whether that is a limit of a record, not what the bytes are. */
bool nd_stream_is_refused(const nd_stream *stream);

/** Byte of the file at which the damaged member starts; only where there is damage. */
uint64_t nd_stream_damaged_member(const nd_stream *stream);

/** Byte of the file up to which it has been decoded, for progress. */
uint64_t nd_stream_file_position(const nd_stream *stream);

/** Find the first restart point in bytes [from, to) of the file: a member start, or in a plain file
 * any byte that `starts` asks of, at which a record starts. The cursor and the bytes at hand stay.
 * \param[out] found  its offset, or UINT64_MAX
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY */
nd_status nd_stream_find(nd_stream *stream, uint64_t from, uint64_t to, const nd_starts *starts,
                         uint64_t *found);

/** Where the stream is damaged: find the next member that starts a record, and go there if that is
 * before byte `end`. Content is numbered on. \return as nd_stream_find() */
nd_status nd_stream_recover(nd_stream *stream, const nd_starts *starts, uint64_t end,
                            uint64_t *found);

/** Find the first member start at [from, to) bytes after the cursor, among those at hand, at which
 * nd_stream_find() finds a record; both stay, as there.
 * \param[out] found  its distance; `to` if there is none, as in a plain file */
nd_status nd_stream_find_ahead(nd_stream *stream, size_t from, size_t to, nd_begins *begins,
                               size_t *found);

/** Content of the member at byte `offset` (plain: the file from there), its first
 * ND_STREAM_PEEK_BYTES at most; borrowed until the next call of find or peek. */
nd_status nd_stream_peek(nd_stream *stream, uint64_t offset, nd_span *content);

/** The bytes of a plain file from `offset` on, up to `want`, which no later reading pays for: the
 * window stays where it is. Borrowed likewise. */
nd_status nd_stream_look(nd_stream *stream, uint64_t offset, size_t want, nd_span *bytes);

/** Close; NULL is fine; *stream becomes NULL. */
void nd_stream_close(nd_stream **stream);

#endif
