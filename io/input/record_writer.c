#include "io/input/record_writer.h"

#include "io/store/own_file.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fastest level: what is written is mostly read again at once. */
enum { GZIP_LEVEL = 1 };
enum { WRITE_BYTES = 1 << 20 };
/* Synthetic pages have no date of their own; one date makes equal pages equal bytes. */
static const char WARC_DATE[] = "2020-01-01T00:00:00Z";

struct nd_record_writer {
    char *path;
    char *partial;
    FILE *file;
    nd_record_format format;
    struct libdeflate_compressor *compressor;
    nd_buffer record;
    nd_buffer packed;
};

const char *nd_record_suffix(nd_record_format format) {
    return format == ND_RECORD_WARC ? ".warc.gz" : ".jsonl";
}

/* ---- records */

static void append_line(nd_buffer *out, const char *name, nd_span value, const char *end) {
    nd_buffer_append_text(out, name);
    nd_buffer_append(out, value.data, value.size);
    nd_buffer_append_text(out, end);
}

nd_status nd_warc_append(nd_buffer *out, const nd_warc_header *header, const nd_span block[2]) {
    nd_status st = ND_OK;
    char lines[256];
    (void)snprintf(lines, sizeof lines,
                   "WARC-Date: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", header->date,
                   header->content_type, block[0].size + block[1].size);
    nd_buffer_append_text(out, "WARC/1.1\r\nWARC-Type: ");
    nd_buffer_append_text(out, header->type);
    nd_buffer_append_text(out, "\r\n");
    if (header->url.size > 0) {
        append_line(out, "WARC-Target-URI: ", header->url, "\r\n");
    }
    if (header->with.size > 0) {
        append_line(out, "WARC-Concurrent-To: <", header->with, ">\r\n");
    }
    append_line(out, "WARC-Record-ID: <", header->id, ">\r\n");
    nd_buffer_append_text(out, lines);
    nd_buffer_append(out, block[0].data, block[0].size);
    nd_buffer_append(out, block[1].data, block[1].size);
    nd_buffer_append_text(out, "\r\n\r\n");
    return st;
}

static void append_json_text(nd_buffer *out, nd_span text) {
    size_t begin = 0;
    nd_buffer_append_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        if (byte >= ' ' && byte != '"' && byte != '\\') {
            continue;
        }
        char escape[8] = {'\\', (char)byte, '\0'};
        if (byte < ' ') {
            (void)snprintf(escape, sizeof escape, byte == '\n' ? "\\n" : "\\u%04x", (unsigned)byte);
        }
        nd_buffer_append(out, text.data + begin, i - begin);
        nd_buffer_append_text(out, escape);
        begin = i + 1;
    }
    nd_buffer_append(out, text.data + begin, text.size - begin);
    nd_buffer_append_text(out, "\"");
}

/* ---- the file */

static nd_status fail(const nd_record_writer *w, const char *what) {
    return nd_fail(ND_ERR_IO, "%s: cannot %s: %s", w->path, what, strerror(errno));
}

static nd_status write_bytes(nd_record_writer *w, nd_span bytes) {
    return fwrite(bytes.data, 1, bytes.size, w->file) == bytes.size ? ND_OK : fail(w, "write");
}

/* The record as a gzip member of its own. */
static nd_status write_packed(nd_record_writer *w) {
    nd_status st = ND_OK;
    const size_t room = libdeflate_gzip_compress_bound(w->compressor, w->record.size);
    w->packed.size = 0;
    nd_buffer_reserve(&w->packed, room);
    w->packed.size = libdeflate_gzip_compress(w->compressor, w->record.data, w->record.size,
                                              w->packed.data, room);
    if (w->packed.size == 0) {
        st = nd_fail(ND_ERR_INTERNAL, "%s: a record does not fit its bound", w->path);
        goto out;
    }
    ND_TRY(write_bytes(w, nd_buffer_span(&w->packed)));
out:
    return st;
}

/* Every WARC file says first what wrote it. */
static nd_status write_information(nd_record_writer *w) {
    nd_status st = ND_OK;
    static const char text[] =
        "software: neardup " ND_VERSION "\r\nformat: WARC File Format 1.1\r\n";
    static const char id[] = "urn:neardup:information";
    const nd_span block[2] = {{(const uint8_t *)text, sizeof text - 1}, {NULL, 0}};
    w->record.size = 0;
    const nd_warc_header warcinfo = {.type = "warcinfo",
                                     .id = {(const uint8_t *)id, sizeof id - 1},
                                     .date = WARC_DATE,
                                     .content_type = "application/warc-fields"};
    ND_TRY(nd_warc_append(&w->record, &warcinfo, block));
    ND_TRY(write_packed(w));
out:
    return st;
}

nd_status nd_record_writer_open(const char *path, nd_record_format format, nd_record_writer **out) {
    nd_status st = ND_OK;
    int descriptor = -1;
    nd_new(out, 1, sizeof **out);
    (*out)->format = format;
    ND_TRY(nd_own_file_join(path, "", &(*out)->path));
    ND_TRY(nd_own_file_join(path, ND_PARTIAL_SUFFIX, &(*out)->partial));
    (*out)->compressor = libdeflate_alloc_compressor(GZIP_LEVEL);
    if ((*out)->compressor == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory");
        goto out;
    }
    ND_TRY(nd_own_file_remake((*out)->partial, &descriptor));
    (*out)->file = fdopen(descriptor, "wb");
    if ((*out)->file == NULL) {
        (void)close(descriptor);
        (void)unlink((*out)->partial);
        st = fail(*out, "create");
        goto out;
    }
    (void)setvbuf((*out)->file, NULL, _IOFBF, WRITE_BYTES);
    if (format == ND_RECORD_WARC) {
        ND_TRY(write_information(*out));
    }
out:
    return st == ND_OK ? st : nd_record_writer_close(out, st);
}

nd_status nd_record_writer_add(nd_record_writer *w, const nd_written_page *page) {
    static const char header[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    const nd_span block[2] = {{(const uint8_t *)header, sizeof header - 1}, page->html};
    nd_status st = ND_OK;
    w->record.size = 0;
    if (w->format == ND_RECORD_JSONL) {
        nd_buffer_append_text(&w->record, "{\"id\": ");
        append_json_text(&w->record, page->id);
        nd_buffer_append_text(&w->record, ", \"url\": ");
        append_json_text(&w->record, page->url);
        nd_buffer_append_text(&w->record, ", \"html\": ");
        append_json_text(&w->record, page->html);
        nd_buffer_append_text(&w->record, "}\n");
        ND_TRY(write_bytes(w, nd_buffer_span(&w->record)));
    } else {
        const nd_warc_header response = {.type = "response",
                                         .id = page->id,
                                         .url = page->url,
                                         .date = WARC_DATE,
                                         .content_type = "application/http; msgtype=response"};
        ND_TRY(nd_warc_append(&w->record, &response, block));
        ND_TRY(write_packed(w));
    }
out:
    return st;
}

nd_status nd_record_writer_close(nd_record_writer **writer, nd_status st) {
    nd_record_writer *w = *writer;
    if (w == NULL) {
        return st;
    }
    const bool opened = w->file != NULL;
    if (opened && fclose(w->file) != 0 && st == ND_OK) {
        st = fail(w, "write");
    }
    st = st != ND_OK ? st : nd_own_file_publish(w->partial, w->path);
    if (st != ND_OK && opened) {
        (void)unlink(w->partial);
    }
    if (w->compressor != NULL) {
        libdeflate_free_compressor(w->compressor);
    }
    nd_buffer_free(&w->record);
    nd_buffer_free(&w->packed);
    free(w->path);
    free(w->partial);
    free(w);
    *writer = NULL;
    return st;
}
