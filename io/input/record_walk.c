#include "io/input/record_walk.h"

#include "io/input/reader_state.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct nd_walk {
    const char *path;
    nd_stream *stream;
    const nd_format *format; /* NULL: none is known */
    nd_walk_form form;
    nd_reader_options options; /* its bounds alone */
    nd_record_limits limits;   /* of them */
    nd_buffer names;           /* of the record at hand */
    XXH3_state_t *sum;         /* of the bytes that are passed */
    uint64_t entry;            /* where the record at hand is entered */
    uint64_t pending;          /* bytes of a line under the cursor, or of the whole file */
};

nd_status nd_walk_open(const char *path, const nd_reader_options *options, nd_walk **out) {
    nd_status st = ND_OK;
    nd_walk *walk = NULL;
    bool splittable = false;
    *out = NULL;
    ND_TRY(nd_new(&walk, 1, sizeof *walk));
    walk->path = path;
    /* not whom it reports to: what is skipped was reported by the reader of the run */
    walk->options = (nd_reader_options){.max_page_bytes = options->max_page_bytes,
                                        .max_expansion = options->max_expansion,
                                        .memory = options->memory};
    /* what unpacks to much is passed over here, not held */
    walk->limits = nd_record_limits_of(options->max_page_bytes, UINT64_MAX, options->memory);
    walk->sum = XXH3_createState();
    if (walk->sum == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a checksum");
        goto out;
    }
    ND_TRY(nd_stream_open(path, &walk->limits, &walk->stream));
    ND_TRY(nd_stream_sum_blocks(walk->stream, 0, UINT64_MAX));
    st = nd_format_of(walk->stream, path, &walk->format, &splittable);
    if (st == ND_ERR_FORMAT) { /* what no run has used either: a file */
        walk->format = NULL;
        st = ND_OK;
    }
    ND_TRY(st);
    walk->form = walk->format == NULL || !walk->format->line_ends ? ND_WALK_FILE
                 : splittable                                     ? ND_WALK_RAW
                                                                  : ND_WALK_PACKED;
    *out = walk;
    walk = NULL;
out:
    nd_walk_close(&walk);
    return st;
}

void nd_walk_close(nd_walk **walk) {
    if (*walk != NULL) {
        nd_stream_close(&(*walk)->stream);
        (void)XXH3_freeState((*walk)->sum);
        nd_buffer_free(&(*walk)->names);
    }
    free(*walk);
    *walk = NULL;
}

nd_walk_form nd_walk_form_of(const nd_walk *walk) {
    return walk->form;
}

bool nd_walk_is_archive(const nd_walk *walk) {
    return walk->format != NULL && walk->format->archive;
}

bool nd_walk_is_warc(const nd_walk *walk) {
    return nd_walk_is_archive(walk) && walk->format->names[0][0] == 'w';
}

bool nd_walk_is_jsonl(const nd_walk *walk) {
    return walk->form != ND_WALK_FILE && !nd_walk_is_archive(walk);
}

nd_codec nd_walk_codec(const nd_walk *walk) {
    return nd_stream_codec(walk->stream);
}

/* ---- places */

static uint64_t place_of(const nd_walk *walk) {
    const nd_place place = nd_stream_place(walk->stream);
    return walk->form == ND_WALK_RAW ? place.file : place.content;
}

/* Has the cursor come to a place at which a record may begin, and which is that of the page? */
static bool is_at(const nd_walk *walk, uint64_t page) {
    return (walk->form == ND_WALK_PACKED || nd_stream_place(walk->stream).at_start) &&
           place_of(walk) >= page;
}

/* Of what is compressed as a whole nothing is known after damage, nor where pages are. */
static nd_status damaged(const nd_walk *walk) {
    const char *damage = nd_stream_damage(walk->stream);
    return nd_fail(ND_ERR_INPUT,
                   "%s: is damaged at byte %llu (%s), and compressed as a whole: it cannot be "
                   "written again; leave it out, or mend it, and partition again",
                   walk->path, (unsigned long long)nd_stream_damaged_member(walk->stream),
                   damage != NULL ? damage : "a record cannot be read");
}

static nd_status refused(const nd_walk *walk, uint64_t page, const char *reason) {
    return nd_fail(ND_ERR_INPUT, "%s: the page at byte %llu cannot be read again: %s", walk->path,
                   (unsigned long long)page, reason);
}

/* A page is not where the run has met it. */
static nd_status not_met(const nd_walk *walk, uint64_t page) {
    return nd_stream_is_refused(walk->stream) ? refused(walk, page, nd_stream_damage(walk->stream))
           : walk->form == ND_WALK_PACKED
               ? damaged(walk)
               : nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since the run: at byte %llu there was a page, and is "
                         "none: partition it again",
                         walk->path, (unsigned long long)page);
}

/* Pass over what is no record, to the next page or to the end. */
static nd_status pass_unknown(nd_walk *walk, uint64_t page) {
    nd_status st = ND_OK;
    nd_span bytes;
    if (walk->form == ND_WALK_RAW) {
        nd_stream_seek(walk->stream, nd_min(page, nd_stream_file_bytes(walk->stream)));
        goto out;
    }
    for (uint64_t passed = 1; passed > 0 && !is_at(walk, page);) {
        ND_TRY(nd_stream_skip(walk->stream, page - place_of(walk), &passed));
        ND_TRY(nd_stream_need(walk->stream, 1, &bytes));
    }
out:
    return st;
}

/* Pass over bytes, as nd_stream_skip() does, and add them to the checksum. */
static nd_status pass_summed(nd_walk *walk, uint64_t count, uint64_t *passed) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_TRY(nd_stream_need(walk->stream, (size_t)nd_min(count, ND_STREAM_PEEK_BYTES), &bytes));
    *passed = nd_min(nd_min(bytes.size, count), (uint64_t)nd_stream_member_after(walk->stream, 1));
    (void)XXH3_64bits_update(walk->sum, bytes.data, (size_t)*passed);
    nd_stream_consume(walk->stream, (size_t)*passed);
out:
    return st;
}

/* Pass over the record under the cursor, and the line ends after it: no further than to the next
 * page.
 * \param[in] summed  its checksum is wanted */
static nd_status pass_record(nd_walk *walk, uint64_t size, uint64_t page, bool summed) {
    nd_status st = ND_OK;
    nd_span bytes;
    const bool plain = nd_stream_codec(walk->stream) == ND_CODEC_PLAIN;
    const bool counted = plain || walk->form == ND_WALK_PACKED; /* places are of single bytes */
    while (size > 0) {
        uint64_t passed = 0;
        const uint64_t most = counted ? page - nd_min(page, place_of(walk)) : size;
        ND_TRY(summed ? pass_summed(walk, nd_min(size, most), &passed)
                      : nd_stream_skip(walk->stream, nd_min(size, most), &passed));
        size -= passed;
        ND_TRY(nd_stream_need(walk->stream, 1, &bytes));
        size_t member = 1;
        if (size > 0) {
            ND_TRY(nd_stream_find_ahead(walk->stream, 0, 1, walk->format->begins, &member));
        }
        if (passed == 0 || bytes.size == 0 || is_at(walk, page) || member == 0) {
            break;
        }
    }
    ND_TRY(nd_stream_need(walk->stream, 1, &bytes));
    while (bytes.size > 0 && (*bytes.data == '\r' || *bytes.data == '\n') && !is_at(walk, page)) {
        nd_stream_consume(walk->stream, 1);
        ND_TRY(nd_stream_need(walk->stream, 1, &bytes));
    }
out:
    return st;
}

/* ---- records */

/* Views of the header go with the bytes that are passed: keep copies. */
static nd_status keep_names(nd_walk *walk, const nd_archive_header *header, nd_walked *walked) {
    nd_status st = ND_OK;
    const nd_span from[] = {header->id, header->url, header->with};
    nd_span *const to[] = {&walked->id, &walked->url, &walked->with};
    walk->names.size = 0;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        ND_TRY(nd_buffer_append(&walk->names, from[i].data, from[i].size));
    }
    size_t begin = 0;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        *to[i] = nd_span_part(nd_buffer_span(&walk->names), begin, begin + from[i].size);
        begin += from[i].size;
    }
out:
    return st;
}

static nd_status walk_archive(nd_walk *walk, uint64_t page, uint64_t after, nd_span bytes,
                              nd_walked *walked) {
    static const nd_walked_kind kinds[] = {[ND_ROLE_OWN] = ND_WALKED_RECORD,
                                           [ND_ROLE_INFORMATION] = ND_WALKED_INFORMATION,
                                           [ND_ROLE_COMPANION] = ND_WALKED_COMPANION,
                                           [ND_ROLE_REVISIT] = ND_WALKED_RECORD};
    nd_status st = ND_ERR_FORMAT;
    nd_archive_header header = {0};
    uint64_t passed = 0;
    if (walk->format->may_begin(bytes)) {
        st = nd_archive_record_header(walk->stream, walk->format, &header, &bytes);
    }
    const bool faulty = st == ND_OK && header.fault != NULL;
    if (st == ND_END || st == ND_ERR_FORMAT || faulty) {
        walked->kind = ND_WALKED_UNKNOWN;
        if (walked->begin == page && walk->form == ND_WALK_RAW &&
            nd_stream_codec(walk->stream) != ND_CODEC_PLAIN) { /* it is further on from the entry */
            return faulty ? pass_record(walk, header.header_bytes, after, false)
                          : nd_stream_skip(walk->stream, UINT64_MAX, &passed);
        }
        if (walked->begin == page) {
            return not_met(walk, page);
        }
        return pass_unknown(walk, page);
    }
    ND_TRY(st);
    walked->kind = kinds[header.role];
    ND_TRY(keep_names(walk, &header, walked));
    const uint64_t most = UINT64_MAX - header.header_bytes;
    (void)XXH3_64bits_reset(walk->sum);
    ND_TRY(pass_record(walk, header.header_bytes + nd_min(header.length, most),
                       walked->begin < page ? page : after, walked->begin == page));
    walked->checksum = XXH3_64bits_digest(walk->sum);
out:
    return st;
}

/* A line that is too long to be held is no page: it is passed over, and has no view. Line ends with
 * which it begins are before it, as for readers. */
static nd_status walk_line(nd_walk *walk, uint64_t page, nd_span bytes, nd_walked *walked) {
    nd_status st = ND_OK;
    const uint8_t *end = NULL;
    size_t taken = 0;
    walked->kind = ND_WALKED_RECORD;
    while (taken < bytes.size && (bytes.data[taken] == '\r' || bytes.data[taken] == '\n')) {
        taken++;
    }
    walk->pending = taken;
    if (taken > 0) {
        return ND_OK;
    }
    st = nd_stream_line(walk->stream, walk->limits.most[ND_LIMIT_PAGE], &walked->line, &taken);
    walk->pending = taken;
    if (st != ND_ERR_LIMIT) {
        walked->checksum = st == ND_OK ? XXH3_64bits(walked->line.data, walked->line.size) : 0;
        return st;
    }
    if (walked->begin == page) {
        char reason[ND_FAIL_TEXT_SIZE];
        st = refused(walk, page,
                     nd_record_limits_refuse(&walk->limits, ND_LIMIT_PAGE, reason, sizeof reason));
        goto out;
    }
    walked->line = (nd_span){0};
    walk->pending = 0;
    do {
        ND_TRY(nd_stream_need(walk->stream, ND_STREAM_PEEK_BYTES, &bytes));
        end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
        nd_stream_consume(walk->stream, end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size);
    } while (end == NULL && bytes.size > 0);
out:
    return st;
}

/* The whole file is the record. */
static nd_status walk_file(nd_walk *walk, nd_walked *walked) {
    nd_status st = ND_OK;
    uint64_t passed = 0;
    (void)XXH3_64bits_reset(walk->sum);
    do {
        ND_TRY(pass_summed(walk, UINT64_MAX, &passed));
    } while (passed > 0);
    walked->checksum = XXH3_64bits_digest(walk->sum);
out:
    return st;
}

nd_status nd_walk_next(nd_walk *walk, uint64_t page, uint64_t after, nd_walked *walked) {
    nd_status st = ND_OK;
    nd_span bytes;
    *walked = (nd_walked){.kind = ND_WALKED_RECORD};
    if (walk->form == ND_WALK_FILE) {
        walk->pending++;
        return walk->pending > 1 ? ND_END : walk_file(walk, walked);
    }
    nd_stream_consume(walk->stream, (size_t)walk->pending);
    walk->pending = 0;
    ND_TRY(nd_stream_need(walk->stream, ND_STREAM_PEEK_BYTES, &bytes));
    const char *damage = nd_stream_damage(walk->stream);
    if (bytes.size == 0 && damage == NULL) {
        return ND_END;
    }
    if (bytes.size == 0 && walk->form == ND_WALK_PACKED) {
        st = damaged(walk);
        goto out;
    }
    if (bytes.size == 0) {
        walked->kind = ND_WALKED_UNKNOWN;
        walked->begin = nd_stream_damaged_member(walk->stream);
        ND_TRY(walked->begin >= page ? not_met(walk, page) : pass_unknown(walk, page));
        goto out;
    }
    if (walk->form == ND_WALK_PACKED || nd_format_is_entry(walk->format, walk->stream, bytes)) {
        walk->entry = place_of(walk);
    }
    walked->begin = walk->entry;
    ND_TRY(walked->begin > page ? not_met(walk, page) : ND_OK);
    ND_TRY(walk->format->archive ? walk_archive(walk, page, after, bytes, walked)
                                 : walk_line(walk, page, bytes, walked));
out:
    return st;
}

nd_status nd_walk_compare(const nd_walk *walk, const nd_walked *walked, uint64_t checksum,
                          bool *same) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_record record;
    *same = walked->checksum == checksum;
    if (*same) {
        return ND_OK;
    }
    /* damage may make a record end elsewhere here than for a reader */
    st = nd_reader_open(walk->path, "", walked->begin, walked->begin + 1, &walk->options, &reader);
    while (st == ND_OK && !*same) {
        st = nd_reader_next(reader, &record);
        *same = st == ND_OK && record.checksum == checksum;
    }
    nd_reader_close(&reader);
    /* what is no known format any more is another source: one that fails is named as it is */
    return st == ND_END || (st == ND_ERR_INPUT && walk->format == NULL) ? ND_OK : st;
}

uint64_t nd_walk_end(const nd_walk *walk) {
    return walk->form == ND_WALK_PACKED ? place_of(walk) : nd_stream_file_bytes(walk->stream);
}

nd_status nd_walk_block_sum(nd_walk *walk, uint64_t *sum) {
    return nd_stream_block_sum(walk->stream, sum);
}
