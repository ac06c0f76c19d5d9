#include "io/input/record_frame.h"

#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes in which a header, or a member's end, is looked for at first. */
enum { FIRST_LOOK = 4 << 10 };
/* Bytes looked through at a time for a record's start. */
enum { SEARCH_STEP = ND_STEP(64 << 10) };
/* Bytes of no record between two whose lengths are right, at most: beyond, lengths are doubted. */
enum { NEAR = 64 };
/* Line ends after a record, of which one that ends too early has none. */
enum { LINE_ENDS = 4 };
/* How often a long record with a wrong length is unpacked again to be searched, from one restart
 * point on; then such records are searched as they are passed. */
enum { MOST_RETURNS = 16 };

/* ---- starts of records among other bytes */

size_t nd_starts_find(const nd_starts *starts, nd_span bytes, size_t from, size_t to) {
    if (bytes.size > to && bytes.size - to > ND_STREAM_PEEK_BYTES) { /* no more is looked at */
        bytes.size = to + ND_STREAM_PEEK_BYTES;
    }
    for (size_t at = starts->next(bytes, from); at < to; at = starts->next(bytes, at + 1)) {
        const size_t end = (size_t)nd_min(bytes.size, at + ND_STREAM_PEEK_BYTES);
        if (starts->begins(nd_span_part(bytes, at, end))) {
            return at;
        }
    }
    return to;
}

nd_status nd_frames_pass_to(nd_stream *stream, size_t from, uint64_t most, const nd_starts *starts,
                            uint64_t *passed) {
    nd_status st = ND_OK;
    for (*passed = 0; *passed < most;) {
        nd_span bytes;
        ND_TRY(nd_stream_need(stream, SEARCH_STEP + ND_STREAM_PEEK_BYTES, &bytes));
        const bool last = bytes.size < SEARCH_STEP + ND_STREAM_PEEK_BYTES;
        /* as where a file is searched, a start is asked for with all bytes that it may show */
        const size_t asked = last ? bytes.size : bytes.size - ND_STREAM_PEEK_BYTES;
        const size_t found = nd_starts_find(starts, bytes, nd_min(from, asked), asked);
        /* one byte stays, for what is asked looks at the one before */
        const uint64_t step = nd_min(found < asked || last ? found : found - 1, most - *passed);
        nd_stream_consume(stream, (size_t)step);
        *passed += step;
        if (found < asked || last) {
            break;
        }
        from = (size_t)nd_max(from, step + 1) - (size_t)step;
    }
out:
    return st;
}

/* ---- from record to record */

static bool is_plain(const nd_frames *f) {
    return nd_stream_codec(f->stream) == ND_CODEC_PLAIN;
}

/* Where the cursor is, as records are counted. */
static uint64_t offset_here(const nd_frames *f) {
    const nd_place place = nd_stream_place(f->stream);
    return f->splittable || is_plain(f) ? place.file : place.content;
}

static void tell(const nd_frames *f, nd_stray what, uint64_t offset, const char *why) {
    if (f->stray != NULL) {
        f->stray(f->context, what, offset, why);
    }
}

void nd_frames_restart(nd_frames *f) {
    f->ended = f->astray = f->explained = false;
    f->pending = f->entry = 0;
    f->returns = 0;
    f->cut = NULL;
}

static void end_at(nd_frames *f, uint64_t next) {
    f->ended = true;
    f->next = next;
}

static nd_status pass_pending(nd_frames *f) {
    nd_status st = ND_OK;
    while (f->pending > 0) {
        uint64_t passed = 0;
        ND_TRY(nd_stream_skip(f->stream, f->pending, &passed));
        if (passed == 0) {
            break;
        }
        f->pending -= passed;
    }
    f->pending = 0;
out:
    return st;
}

static nd_status skip_line_ends(nd_frames *f, nd_span *bytes) {
    nd_status st = ND_OK;
    size_t count = 0;
    do {
        nd_stream_consume(f->stream, count);
        ND_TRY(nd_stream_need(f->stream, 1, bytes));
        for (count = 0; f->framing->line_ends && count < bytes->size; count++) {
            if (bytes->data[count] != '\n' && bytes->data[count] != '\r') {
                break;
            }
        }
    } while (count > 0);
out:
    return st;
}

/* The record that is searched may begin in the member at hand, or in a later one. */
static nd_status pass_stray(nd_frames *f) {
    nd_status st = ND_OK;
    uint64_t passed = 0;
    nd_span bytes;
    f->astray = false;
    ND_TRY(nd_stream_need(f->stream, 1, &bytes));
    if (bytes.size == 0) {
        goto out;
    }
    const uint64_t offset = offset_here(f);
    ND_TRY(nd_frames_pass_to(f->stream, 0, UINT64_MAX, &f->framing->starts, &passed));
    (void)snprintf(f->text, sizeof f->text,
                   "no record starts where one should: %" PRIu64 " bytes passed over", passed);
    tell(f, ND_STRAY_BYTES, offset, f->text);
    f->explained = true;
out:
    return st;
}

/* The stream ends in damage: a later member may start a record. */
static nd_status pass_damage(nd_frames *f, const char *damage, uint64_t end) {
    nd_status st = ND_OK;
    uint64_t found = UINT64_MAX;
    const uint64_t member = nd_stream_damaged_member(f->stream);
    const uint64_t offset = f->splittable ? member : nd_stream_place(f->stream).content;
    const uint64_t file_bytes = nd_stream_file_bytes(f->stream);
    const bool refused = nd_stream_is_refused(f->stream);
    (void)snprintf(f->text, sizeof f->text, "%s", damage);
    if (f->framing->archive) {
        ND_TRY(nd_stream_recover(f->stream, &f->framing->starts, end, &found));
    }
    if (!refused) {
        (void)snprintf(f->text, sizeof f->text, "%s: %" PRIu64 " bytes of the file passed over",
                       damage, nd_min(found, file_bytes) - member);
    }
    if (!f->explained) {
        tell(f, refused ? ND_STRAY_REFUSED : ND_STRAY_DAMAGE, offset, f->text);
    }
    f->explained = true;
    if (found >= end) {
        end_at(f, found);
    }
out:
    return st;
}

nd_status nd_frames_next(nd_frames *f, uint64_t end) {
    nd_status st = ND_OK;
    nd_stream *stream = f->stream;
    nd_span bytes;
    f->cut = NULL;
    ND_TRY(pass_pending(f));
    while (!f->ended) {
        if (f->astray) {
            ND_TRY(pass_stray(f));
            continue;
        }
        ND_TRY(skip_line_ends(f, &bytes));
        const char *damage = nd_stream_damage(stream);
        if (bytes.size == 0 && damage == NULL) {
            end_at(f, UINT64_MAX);
            break;
        }
        if (bytes.size == 0) {
            ND_TRY(pass_damage(f, damage, end));
            continue;
        }

        ND_TRY(nd_stream_need(stream, ND_STREAM_PEEK_BYTES, &bytes));
        const nd_place place = nd_stream_place(stream);
        /* what starts at a restart point at or after the end is the next reader's */
        if (f->splittable && place.at_start && place.file >= end) {
            uint64_t found = UINT64_MAX;
            ND_TRY(nd_stream_find(stream, place.file, place.file + 1, &f->framing->starts, &found));
            if (found == place.file) {
                end_at(f, place.file);
                break;
            }
        }
        if (!f->framing->may_begin(bytes)) {
            f->astray = true;
            continue;
        }
        f->offset = offset_here(f);
        const size_t member = nd_stream_member_after(stream, 1);
        bytes.size = nd_min(bytes.size, member);
        /* a search finds what starts a file's byte or a member; elsewhere all is read in order */
        const bool starts_member = place.at_start && f->framing->starts.begins(bytes);
        if (is_plain(f) || !f->splittable || starts_member) {
            f->entry = f->offset;
        }
        f->returns = f->splittable && starts_member ? 0 : f->returns;
        nd_stream_begin_record(stream);
        break;
    }
    f->explained = false;
out:
    return st;
}

/* ---- the ends of records */

nd_status nd_frames_header(nd_frames *f, nd_archive_header *header, nd_span *bytes) {
    nd_status st = ND_END;
    const nd_record_limits limits = nd_record_limits_of(0, 0, 0); /* no memory to speak of */
    const uint64_t longest = limits.most[ND_LIMIT_HEADER];
    for (size_t want = FIRST_LOOK; st == ND_END && want <= longest; want *= 4) {
        nd_status got = nd_stream_need(f->stream, want, bytes);
        if (got != ND_OK) {
            return got;
        }
        st = f->framing->parse_header(*bytes, header);
        /* a header ends at the latest where the next member starts a record */
        size_t member = 0;
        const size_t end = st == ND_OK ? header->header_bytes : bytes->size;
        got = nd_stream_find_ahead(f->stream, 1, end, f->framing->starts.begins, &member);
        if (got != ND_OK) {
            return got;
        }
        if (member < end) {
            bytes->size = member;
            return st == ND_OK ? ND_END : st;
        }
        if (bytes->size < want) {
            break;
        }
    }
    return st;
}

static bool is_line_end(uint8_t byte) {
    return byte == '\r' || byte == '\n';
}

bool nd_framing_may_begin(const nd_framing *framing, nd_span bytes, size_t at) {
    const size_t end = (size_t)nd_min(bytes.size, at + ND_STREAM_PEEK_BYTES);
    return framing->may_begin(nd_span_part(bytes, at, end)) &&
           (is_line_end(bytes.data[at - 1]) || framing->starts.next(bytes, at) == at);
}

/* What follows the block of a length. */
typedef enum verdict { FOLLOWED, FOLLOWED_ASTRAY, DOUBTFUL } verdict;

/* \param[in] at      distance of the block's end from the cursor, above 0
 * \param[in] bytes   those from the cursor, to so many after the end as a start may show
 * \param[in] member  distance of the first member that starts there or later */
static verdict judge_end(const nd_frames *f, nd_span bytes, size_t at, size_t member) {
    size_t next = at;
    while (next < bytes.size && next < member && is_line_end(bytes.data[next])) {
        next++;
    }
    if (next == bytes.size || next == member) {
        return FOLLOWED;
    }
    bytes.size = nd_min(bytes.size, next + NEAR + ND_STREAM_PEEK_BYTES);
    if (nd_framing_may_begin(f->framing, bytes, next)) {
        return FOLLOWED;
    }
    const size_t near = (size_t)nd_min(bytes.size, next + NEAR);
    return next > at && nd_starts_find(&f->framing->starts, bytes, next, near) < near
               ? FOLLOWED_ASTRAY
               : DOUBTFUL;
}

static void say_cut_off(nd_frames *f, const nd_archive_header *header, uint64_t block_bytes) {
    if (nd_stream_is_refused(f->stream)) { /* what the limit left unread may be there */
        (void)snprintf(f->text, sizeof f->text, "%s: %" PRIu64 " of %" PRIu64 " bytes were read",
                       nd_stream_damage(f->stream), block_bytes, header->length);
    } else {
        (void)snprintf(f->text, sizeof f->text,
                       "record is cut off: %" PRIu64 " of %" PRIu64 " bytes are there", block_bytes,
                       header->length);
    }
    f->cut = f->text;
}

/* The record is not as long as it says.
 * \param[in] size  of it; what stands there is the line ends before the next record, if there are
 * \return bytes of it without these */
static size_t cut_off(nd_frames *f, const nd_archive_header *header, nd_span bytes, size_t size) {
    for (int i = 0; i < LINE_ENDS && size > header->header_bytes; i++) {
        size -= bytes.size >= size && is_line_end(bytes.data[size - 1]);
    }
    say_cut_off(f, header, size - header->header_bytes);
    return size;
}

/* Pass over the block of a long record, up to the start of another in it.
 * \param[in] most  bytes of the record that are there */
static nd_status search_block(nd_frames *f, const nd_archive_header *header, uint64_t most,
                              uint64_t claimed) {
    nd_status st = ND_OK;
    uint64_t passed = 0;
    ND_TRY(nd_frames_pass_to(f->stream, header->header_bytes, most, &f->framing->starts, &passed));
    if (passed < most || most < claimed) {
        say_cut_off(f, header, passed - nd_min(passed, header->header_bytes));
        f->explained = nd_stream_damage(f->stream) != NULL;
    } else {
        f->astray = true;
    }
out:
    return st;
}

/* Its end can be looked at without what is before it. */
static nd_status measure_long_plain(nd_frames *f, const nd_archive_header *header,
                                    uint64_t claimed) {
    nd_status st = ND_OK;
    const uint64_t begin = nd_stream_place(f->stream).file;
    const uint64_t left = nd_stream_file_bytes(f->stream) - begin;
    if (claimed <= left) {
        nd_span bytes;
        ND_TRY(nd_stream_look(f->stream, begin + claimed - 1, 1 + ND_STREAM_PEEK_BYTES, &bytes));
        const verdict end = judge_end(f, bytes, 1, SIZE_MAX);
        if (end != DOUBTFUL) {
            f->pending = claimed;
            f->astray = end == FOLLOWED_ASTRAY;
            goto out;
        }
    }
    ND_TRY(search_block(f, header, claimed, claimed));
out:
    return st;
}

/* Its end is looked at when it is passed; then the block may have to be unpacked again. */
static nd_status measure_long_packed(nd_frames *f, const nd_archive_header *header,
                                     uint64_t claimed) {
    nd_status st = ND_OK;
    nd_span bytes;
    uint64_t passed = 0;
    size_t member = 1;
    if (f->returns >= MOST_RETURNS) {
        ND_TRY(search_block(f, header, claimed, claimed));
        goto out;
    }
    for (uint64_t step = 1; step > 0 && member > 0 && passed < claimed - 1; passed += step) {
        ND_TRY(nd_stream_skip(f->stream, claimed - 1 - passed, &step));
        ND_TRY(nd_stream_need(f->stream, 1, &bytes));
        ND_TRY(nd_stream_find_ahead(f->stream, 0, 1, f->framing->starts.begins, &member));
    }
    ND_TRY(nd_stream_need(f->stream, 1 + ND_STREAM_PEEK_BYTES, &bytes));
    /* it ends at the latest where the next member starts a record */
    const bool whole = bytes.size > 0 && member > 0;
    const verdict end =
        whole ? judge_end(f, bytes, 1, nd_stream_member_after(f->stream, 1)) : DOUBTFUL;
    if (end != DOUBTFUL) {
        f->pending = 1;
        f->astray = end == FOLLOWED_ASTRAY;
        goto out;
    }
    f->returns++;
    ND_TRY(nd_stream_return(f->stream));
    ND_TRY(search_block(f, header, whole ? claimed : passed, claimed));
out:
    return st;
}

/* More bytes than the rest of the source can hold: a length that is beyond is wrong. */
static uint64_t most_content(const nd_frames *f) {
    const uint64_t end = nd_stream_file_bytes(f->stream);
    const uint64_t left = end - nd_min(end, nd_stream_place(f->stream).file);
    if (is_plain(f)) {
        return left;
    }
    const bool is_bounded = left < UINT64_MAX / 2 / nd_max(f->most_expansion, 1);
    return is_bounded ? left * f->most_expansion + ND_EXPANSION_PASSED : UINT64_MAX;
}

/* What is seen of a record while ever more of it is asked for. */
typedef struct sight {
    size_t most;     /* bytes that are to be at hand at most */
    bool is_wrong;   /* the length is: the next start ends the record */
    size_t seen;     /* no member starts a record before */
    size_t searched; /* nor does a record start before, if it is wrong */
    size_t end;      /* where one does; SIZE_MAX: none so far */
    bool stops;      /* the stream ends or is damaged after what is at hand */
} sight;

static nd_status look_ahead(nd_frames *f, size_t head, sight *s, nd_span *bytes) {
    nd_status st = ND_OK;
    const size_t all = s->most + ND_STREAM_PEEK_BYTES;
    size_t want = 0;
    for (size_t step = head + FIRST_LOOK; want < all && s->end == SIZE_MAX && !s->stops;
         step *= 4) {
        want = nd_min(step, all);
        ND_TRY(nd_stream_need(f->stream, want, bytes));
        s->stops = bytes->size < want;
        const size_t to = nd_min(bytes->size, s->most);
        /* a start is asked for with all bytes that it may show */
        const size_t asked = s->stops ? to : to - nd_min(to, ND_STREAM_PEEK_BYTES);
        if (to > s->seen) {
            size_t found = to;
            ND_TRY(nd_stream_find_ahead(f->stream, s->seen, to, f->framing->starts.begins, &found));
            s->end = found < to ? found : SIZE_MAX;
            s->seen = to;
        }
        if (s->is_wrong && asked > s->searched) {
            const size_t found =
                nd_starts_find(&f->framing->starts, *bytes, s->searched, nd_min(asked, s->end));
            s->end = found < asked ? found : s->end;
            s->searched = asked;
        }
    }
out:
    return st;
}

nd_status nd_frames_measure(nd_frames *f, const nd_archive_header *header, uint64_t hold,
                            nd_span *bytes, size_t *size) {
    nd_status st = ND_OK;
    const size_t head = header->header_bytes;
    const uint64_t claimed =
        header->length > UINT64_MAX - head ? UINT64_MAX : head + header->length;
    sight s = {.most = (size_t)nd_min(claimed, head + nd_min(hold, SIZE_MAX / 2)),
               .is_wrong = claimed > most_content(f),
               .seen = head,
               .searched = head,
               .end = SIZE_MAX};
    *size = 0;
    ND_TRY(look_ahead(f, head, &s, bytes));
    if (s.end == SIZE_MAX && claimed > s.most && !s.stops) {
        ND_TRY(is_plain(f) ? measure_long_plain(f, header, claimed)
                           : measure_long_packed(f, header, claimed));
        goto out;
    }
    size_t limit = nd_min(s.end, bytes->size);
    if (s.end == SIZE_MAX && claimed <= bytes->size) {
        limit = (size_t)claimed;
        const verdict end = judge_end(f, *bytes, limit, nd_stream_member_after(f->stream, limit));
        if (end != DOUBTFUL) {
            *size = limit;
            f->pending = limit;
            f->astray = end == FOLLOWED_ASTRAY;
            goto out;
        }
    }
    const size_t found = nd_starts_find(&f->framing->starts, *bytes, head, limit);
    f->pending = found;
    if (found < claimed) {
        *size = cut_off(f, header, *bytes, found);
        f->explained = found == bytes->size && nd_stream_damage(f->stream) != NULL;
    } else {
        *size = found;
        f->astray = true;
    }
out:
    return st;
}

nd_status nd_frames_pass_unmeasured(nd_frames *f, size_t from, const char *why) {
    nd_status st = ND_OK;
    uint64_t passed = 0;
    nd_span bytes;
    size_t next = from;
    ND_TRY(nd_stream_need(f->stream, from + LINE_ENDS + ND_STREAM_PEEK_BYTES, &bytes));
    while (next < bytes.size && next < from + LINE_ENDS && is_line_end(bytes.data[next])) {
        next++;
    }
    /* without a block, what follows need not be a good record */
    const bool is_followed =
        from > 1 && f->framing->may_begin(nd_span_part(bytes, next, bytes.size));
    if (is_followed) {
        nd_stream_consume(f->stream, next);
    }
    ND_TRY(is_followed
               ? ND_OK
               : nd_frames_pass_to(f->stream, from, UINT64_MAX, &f->framing->starts, &passed));
    passed += is_followed ? next : 0;
    (void)snprintf(f->text, sizeof f->text, "%s: %" PRIu64 " bytes passed over", why, passed);
    f->explained = nd_stream_damage(f->stream) != NULL;
out:
    return st;
}
