/** \file io/input/record_frame.h
 * Where the records of a source begin and end: a run of readers, walks and the recognition of
 * formats over one stream, so that all of them find the same records. What a record holds is known
 * elsewhere. The length in a header is believed where a record, a member or the source's end
 * follows the block; else the next header is searched, inside the block first, at any byte. Bytes
 * that are of no record, and records that are not whole, are told with their number. The invariant:
 * what is found depends on the source's bytes from a restart point on, not on who began where.
 */
#ifndef ND_IO_INPUT_RECORD_FRAME_H
#define ND_IO_INPUT_RECORD_FRAME_H

#include "io/input/archive_header.h"
#include "io/input/file_window.h"
#include "io/input/record_limits.h"
#include "io/input/stream.h"

/** The first byte in [from, to) at which a record starts; `to` if there is none. */
size_t nd_starts_find(const nd_starts *starts, nd_span bytes, size_t from, size_t to);

/** Move a stream's cursor on to the first byte at which a record starts, or by `most` bytes, or to
 * where the source ends or is damaged. \param[in] from     bytes from the cursor that start none
 * \param[in] starts   has `next`
 * \param[out] passed  bytes moved over
 * \return as nd_stream_need() */
nd_status nd_frames_pass_to(nd_stream *stream, size_t from, uint64_t most, const nd_starts *starts,
                            uint64_t *passed);

/** How the records of one format are found. */
typedef struct nd_framing {
    bool archive;     /**< records follow one another at restart points */
    bool line_ends;   /**< line ends between records belong to none of them */
    nd_starts starts; /**< strict: for finding starts */
    nd_begins
        *may_begin; /**< what stands at a record's place may be a record; if not, it is damage */
    /** Header of an archive's record; NULL for other formats. */
    nd_status (*parse_header)(nd_span bytes, nd_archive_header *out);
} nd_framing;

/** May a record of an archive, good or bad, begin at byte `at`, which is not the first? What only a
 * line's start makes one begins none elsewhere. */
bool nd_framing_may_begin(const nd_framing *framing, nd_span bytes, size_t at);

/** What bytes that are of no record are. */
typedef enum nd_stray {
    ND_STRAY_BYTES,  /**< no record starts where one should */
    ND_STRAY_DAMAGE, /**< compressed data that cannot be unpacked */
    ND_STRAY_REFUSED /**< a member that is beyond a limit */
} nd_stray;

/** On its way through a source. The first members are set by whoever opens it, the others are 0. */
typedef struct nd_frames {
    nd_stream *stream;
    const nd_framing *framing; /**< NULL: of an empty source */
    bool splittable;           /**< records are entered at bytes of the file */
    uint64_t most_expansion;   /**< times its bytes that a compressed source may unpack to */
    /** Told of bytes that are of no record, once they are passed over; NULL: nobody is.
     * `offset` as of a record; `why` is borrowed. */
    void (*stray)(void *context, nd_stray what, uint64_t offset, const char *why);
    void *context;

    bool ended;
    uint64_t next;    /**< then: the restart point that ended it; UINT64_MAX: the source's end */
    uint64_t offset;  /**< of the record under the cursor: plain, its byte; of a compressed source
                         its  member, or where it is not splittable its unpacked byte */
    uint64_t entry;   /**< the same, of the last record up to it that a search finds */
    uint64_t pending; /**< bytes under the cursor that belong to that record */
    bool astray;      /**< what follows it is no record */
    bool explained;   /**< so was said, or that it is cut off: damage after it is not told again */
    const char *cut;  /**< NULL, or that it is not whole, in `text` */
    unsigned returns; /**< since `entry` */
    char text[ND_FAIL_TEXT_SIZE];
} nd_frames;

/** Bytes of a block that is not wanted that are held, to see what follows it. */
enum { ND_FRAMES_HELD = ND_STEP(1 << 20) };

/** Go on at the record under the cursor of the stream, which somebody else has put there. */
void nd_frames_restart(nd_frames *frames);

/** Move to the next record, of which at least one byte is then at hand; sets `ended` if there is
 * none that begins before byte `end`.
 * \return ND_OK, ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY, as all here */
nd_status nd_frames_next(nd_frames *frames, uint64_t end);

/** Header of the archive record under the cursor, however long.
 * \param[out] bytes  what is at hand of the record
 * \return also ND_END if the header does not end; ND_ERR_FORMAT if there is none */
nd_status nd_frames_header(nd_frames *frames, nd_archive_header *header, nd_span *bytes);

/** Find the end of an archive record whose length is known, and what is wrong with it.
 * \param[in] hold    most bytes of its block that are to be at hand
 * \param[out] bytes  what is at hand; views of the header are void
 * \param[out] size   bytes of the record, header and block; 0 if it is longer than may be held: it
 *                    may be passed over already */
nd_status nd_frames_measure(nd_frames *frames, const nd_archive_header *header, uint64_t hold,
                            nd_span *bytes, size_t *size);

/** Pass over a record whose end is not known, up to the next one.
 * \param[in] from  bytes of it that start no other
 * \param[in] why   what is wrong with it, static
 * \return `why` and the bytes in `text` */
nd_status nd_frames_pass_unmeasured(nd_frames *frames, size_t from, const char *why);

#endif
