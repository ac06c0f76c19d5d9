#include "tests/support/warc_writer.h"

#include "io/input/records.h"
#include "tests/support/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

void nd_test_must(nd_status status) {
    if (status != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        exit(2);
    }
}

nd_span nd_test_span(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

void nd_test_print(nd_buffer *buffer, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    nd_test_must(size < 0 || (size_t)size >= sizeof line ? ND_ERR_INTERNAL : ND_OK);
    nd_buffer_append(buffer, line, (size_t)size);
}

static void pack_gzip(nd_buffer *file, int level, nd_span bytes) {
    z_stream stream = {0};
    nd_test_must(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) ==
                         Z_OK
                     ? ND_OK
                     : ND_ERR_MEMORY);
    const size_t room = deflateBound(&stream, bytes.size);
    nd_buffer_reserve(file, room);
    stream.next_in = (Bytef *)(uintptr_t)bytes.data;
    stream.avail_in = (uInt)bytes.size;
    stream.next_out = file->data + file->size;
    stream.avail_out = (uInt)room;
    nd_test_must(deflate(&stream, Z_FINISH) == Z_STREAM_END ? ND_OK : ND_ERR_INTERNAL);
    file->size += stream.total_out;
    (void)deflateEnd(&stream);
}

static void pack_zstd(nd_buffer *file, nd_span bytes) {
    const size_t room = ZSTD_compressBound(bytes.size);
    nd_buffer_reserve(file, room);
    const size_t size = ZSTD_compress(file->data + file->size, room, bytes.data, bytes.size, 1);
    nd_test_must(ZSTD_isError(size) ? ND_ERR_INTERNAL : ND_OK);
    file->size += size;
}

void nd_test_pack(nd_buffer *file, nd_test_packing packing, nd_span bytes) {
    switch (packing) {
    case ND_TEST_PLAIN:
        nd_buffer_append(file, bytes.data, bytes.size);
        break;
    case ND_TEST_GZIP:
        pack_gzip(file, Z_BEST_SPEED, bytes);
        break;
    case ND_TEST_GZIP_STORED:
        pack_gzip(file, Z_NO_COMPRESSION, bytes);
        break;
    case ND_TEST_ZSTD:
        pack_zstd(file, bytes);
        break;
    }
}

void nd_test_warc_record(nd_buffer *out, const char *type, const char *url, const char *id,
                         const char *content_type, nd_span block) {
    const nd_span blocks[2] = {block, {NULL, 0}};
    const nd_warc_header header = {.type = type,
                                   .id = nd_test_span(id),
                                   .url = nd_test_span(url),
                                   .date = "2020-01-01T00:00:00Z",
                                   .content_type = content_type};
    nd_warc_append(out, &header, blocks);
}

void nd_test_arc_record(nd_buffer *out, const char *url, const char *content_type, nd_span block) {
    nd_test_print(out, "%s 127.0.0.1 20200101000000 %s %zu\n", url, content_type, block.size);
    nd_buffer_append(out, block.data, block.size);
    nd_test_print(out, "\n");
}

void nd_test_http(nd_buffer *out, int status, const char *content_type, const char *headers,
                  nd_span body) {
    nd_test_print(out, "HTTP/1.1 %d Status\r\nContent-Type: %s\r\n%s\r\n", status, content_type,
                  headers);
    nd_buffer_append(out, body.data, body.size);
}

static void put(nd_buffer *to, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(i < 8 ? number >> 8 * i : 0);
        nd_buffer_append(to, &byte, 1);
    }
}

static void put_text(nd_buffer *to, const char *text) {
    nd_buffer_append_text(to, text);
}

static void put_directory_row(nd_buffer *out, const char *name, uint64_t size, uint64_t place,
                              bool wide) {
    put_text(out, "PK\1\2");
    put(out, 0, 16);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, strlen(name), 2);
    put(out, wide ? 28 : 0, 2);
    put(out, 0, 10);
    put(out, wide ? UINT32_MAX : place, 4);
    put_text(out, name);
    if (wide) {
        put(out, 1 | 24 << 16, 4);
        put(out, size, 8);
        put(out, size, 8);
        put(out, place, 8);
    }
}

void nd_test_wacz(nd_buffer *out, const char *const *names, const nd_span *parts, size_t count,
                  bool wide) {
    enum { MOST = 8 };
    uint64_t places[MOST];
    const size_t start = out->size;
    nd_test_must(count <= MOST ? ND_OK : ND_ERR_INTERNAL);
    for (size_t i = 0; i < count; i++) {
        places[i] = out->size - start;
        put_text(out, "PK\3\4");
        put(out, 0, 14);
        put(out, parts[i].size, 4);
        put(out, parts[i].size, 4);
        put(out, strlen(names[i]), 4); /* and no extra field */
        put_text(out, names[i]);
        nd_buffer_append(out, parts[i].data, parts[i].size);
    }
    const uint64_t begin = out->size - start;
    for (size_t i = 0; i < count; i++) {
        put_directory_row(out, names[i], parts[i].size, places[i], wide);
    }
    const uint64_t size = out->size - start - begin;
    if (wide) {
        put_text(out, "PK\6\6");
        put(out, 44, 8);
        put(out, 0, 20);
        put(out, count, 8);
        put(out, size, 8);
        put(out, begin, 8);
        put_text(out, "PK\6\7");
        put(out, 0, 16);
    }
    put_text(out, "PK\5\6");
    put(out, 0, 4);
    put(out, wide ? UINT32_MAX : count | count << 16, 4);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, wide ? UINT32_MAX : begin, 4);
    put(out, 0, 2);
}

const char *nd_test_write(const char *name, nd_span bytes) {
    static char paths[4][512];
    static size_t turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", nd_test_folder(), name);
    FILE *file = fopen(path, "wb");
    nd_test_must(file != NULL ? ND_OK : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
    const size_t written = bytes.size > 0 ? fwrite(bytes.data, 1, bytes.size, file) : 0;
    nd_test_must(fclose(file) == 0 && written == bytes.size
                     ? ND_OK
                     : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
    return path;
}

nd_buffer nd_test_read(const char *path) {
    nd_buffer buffer = {0};
    uint8_t piece[65536];
    FILE *file = fopen(path, "rb");
    size_t got = 0;
    while (file != NULL && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        nd_buffer_append(&buffer, piece, got);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return buffer;
}
