#include "io/input/record_copy.h"

#include "io/input/stream.h"
#include "io/store/own_file.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

/* Bytes read, packed and written at once. */
enum { STEP_BYTES = 1 << 20 };
/* The usual levels: what is written is kept, and is to take no more room than it did. */
enum { GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

struct nd_record_copy {
    const char *source;
    char *path, *partial;
    int descriptor;
    bool packed;
    nd_codec codec;
    const nd_starts *starts;
    nd_file_window file; /* of the source, unless it is packed */
    nd_stream *stream;   /* if it is */
    uint64_t place;      /* of the stream's cursor */
    uint64_t last;       /* end of what was copied last */
    struct libdeflate_compressor *gzip;
    ZSTD_CCtx *zstd;
    nd_buffer content; /* still to be packed */
    nd_buffer bytes;   /* still to be written */
    uint64_t written;
};

nd_status nd_record_copy_open(const char *source, bool packed, nd_codec codec,
                              const nd_starts *starts, const char *path, nd_record_copy **out) {
    nd_status st = ND_OK;
    nd_record_copy *copy = NULL;
    *out = NULL;
    nd_new(&copy, 1, sizeof *copy);
    *copy = (nd_record_copy){.source = source,
                             .descriptor = -1,
                             .packed = packed,
                             .codec = codec,
                             .starts = starts,
                             .file = {.descriptor = -1}};
    ND_TRY(nd_own_file_join(path, "", &copy->path));
    ND_TRY(nd_own_file_join(path, ND_PARTIAL_SUFFIX, &copy->partial));
    ND_TRY(packed ? nd_stream_open(source, NULL, &copy->stream)
                  : nd_file_window_open(&copy->file, source));
    ND_TRY(nd_own_file_remake(copy->partial, &copy->descriptor));
    *out = copy;
    copy = NULL;
out:
    return nd_record_copy_close(&copy, st, NULL, NULL);
}

static nd_status flush(nd_record_copy *copy) {
    nd_status st = ND_OK;
    ND_TRY(nd_own_file_write(copy->descriptor, copy->path, copy->written, copy->bytes.data,
                             copy->bytes.size));
    copy->written += copy->bytes.size;
    copy->bytes.size = 0;
out:
    return st;
}

static nd_status put(nd_record_copy *copy, nd_span bytes) {
    nd_status st = ND_OK;
    nd_buffer_append(&copy->bytes, bytes.data, bytes.size);
    ND_TRY(copy->bytes.size >= STEP_BYTES ? flush(copy) : ND_OK);
out:
    return st;
}

/* Content as one member. */
static nd_status pack(nd_record_copy *copy, nd_span content) {
    nd_status st = ND_OK;
    nd_buffer *to = &copy->bytes;
    const bool gzip = copy->codec == ND_CODEC_GZIP;
    if (gzip && copy->gzip == NULL) {
        copy->gzip = libdeflate_alloc_compressor(GZIP_LEVEL);
    } else if (!gzip && copy->zstd == NULL) {
        copy->zstd = ZSTD_createCCtx();
    }
    if (gzip ? copy->gzip == NULL : copy->zstd == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a packer");
    }
    const size_t room = gzip ? libdeflate_gzip_compress_bound(copy->gzip, content.size)
                             : ZSTD_compressBound(content.size);
    nd_buffer_reserve(to, room);
    const size_t made = gzip ? libdeflate_gzip_compress(copy->gzip, content.data, content.size,
                                                        to->data + to->size, room)
                             : ZSTD_compressCCtx(copy->zstd, to->data + to->size, room,
                                                 content.data, content.size, ZSTD_LEVEL);
    if (gzip ? made == 0 : ZSTD_isError(made) != 0) {
        st = nd_fail(ND_ERR_MEMORY, "%s: out of memory: %zu bytes to be packed", copy->path,
                     content.size);
        goto out;
    }
    to->size += made;
    ND_TRY(to->size >= STEP_BYTES ? flush(copy) : ND_OK);
out:
    return st;
}

nd_status nd_record_copy_add(nd_record_copy *copy, nd_span bytes) {
    nd_status st = ND_OK;
    if (!copy->packed) {
        return copy->codec == ND_CODEC_PLAIN ? put(copy, bytes) : pack(copy, bytes);
    }
    while (bytes.size > 0) {
        const size_t step = (size_t)nd_min(bytes.size, STEP_BYTES - copy->content.size);
        nd_buffer_append(&copy->content, bytes.data, step);
        bytes = nd_span_part(bytes, step, bytes.size);
        if (copy->content.size == STEP_BYTES) {
            ND_TRY(pack(copy, nd_buffer_span(&copy->content)));
            copy->content.size = 0;
        }
    }
out:
    return st;
}

static nd_status too_short(const nd_record_copy *copy) {
    return nd_fail(ND_ERR_CHANGED, "%s: has become shorter while it was copied", copy->source);
}

static nd_status copy_packed(nd_record_copy *copy, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    nd_span bytes;
    while (copy->place < end) {
        ND_TRY(nd_stream_need(copy->stream, 1, &bytes));
        uint64_t found = UINT64_MAX;
        if (bytes.size == 0 && nd_stream_damage(copy->stream) != NULL && copy->starts != NULL) {
            ND_TRY(nd_stream_recover(copy->stream, copy->starts, UINT64_MAX, &found));
        }
        if (bytes.size == 0) {
            ND_TRY(found == UINT64_MAX ? too_short(copy) : ND_OK);
            continue;
        }
        const bool wanted = copy->place >= begin;
        const size_t step = (size_t)nd_min(bytes.size, (wanted ? end : begin) - copy->place);
        if (wanted) {
            ND_TRY(nd_record_copy_add(copy, nd_span_part(bytes, 0, step)));
        }
        nd_stream_consume(copy->stream, step);
        copy->place += step;
    }
out:
    return st;
}

nd_status nd_record_copy_range(nd_record_copy *copy, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_ASSERT(begin <= end && begin >= copy->last, begin, end, copy->last);
    copy->last = end;
    if (copy->packed) {
        return copy_packed(copy, begin, end);
    }
    for (uint64_t at = begin; at < end; at += bytes.size) {
        const size_t want = (size_t)nd_min(end - at, STEP_BYTES);
        ND_TRY(nd_file_window_at(&copy->file, at, want, &bytes));
        if (bytes.size < want) {
            st = too_short(copy);
            goto out;
        }
        bytes.size = want;
        ND_TRY(put(copy, bytes));
    }
out:
    return st;
}

uint64_t nd_record_copy_bytes(const nd_record_copy *copy) {
    return copy->written + copy->bytes.size;
}

nd_status nd_record_copy_close(nd_record_copy **out, nd_status st, nd_own_batch *batch,
                               bool *made) {
    nd_record_copy *copy = *out;
    bool added = false;
    if (copy == NULL) {
        return st;
    }
    const bool is_open = copy->descriptor >= 0;
    /* packed bytes of nothing are a member of nothing: no bytes at all are no file of that form */
    const bool nothing = copy->codec != ND_CODEC_PLAIN && nd_record_copy_bytes(copy) == 0;
    if (st == ND_OK && is_open && (copy->content.size > 0 || nothing)) {
        st = pack(copy, nd_buffer_span(&copy->content));
    }
    st = st == ND_OK && is_open ? flush(copy) : st;
    if (is_open && close(copy->descriptor) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written", copy->path);
    }
    if (st == ND_OK && is_open && copy->written > 0) {
        added = true; /* in any case it is the batch's */
        st = nd_own_batch_add(batch, copy->path, copy->written);
    }
    if (is_open && !added) {
        (void)unlink(copy->partial);
    }
    if (made != NULL) {
        *made = added;
    }
    nd_file_window_close(&copy->file);
    nd_stream_close(&copy->stream);
    if (copy->gzip != NULL) {
        libdeflate_free_compressor(copy->gzip);
    }
    (void)ZSTD_freeCCtx(copy->zstd);
    nd_buffer_free(&copy->content);
    nd_buffer_free(&copy->bytes);
    free(copy->path);
    free(copy->partial);
    free(copy);
    *out = NULL;
    return st;
}
