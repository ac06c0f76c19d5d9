#include "tests/support/odd_sources.h"

#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

void nd_test_make_charsets(nd_buffer *file, nd_test_packing packing) {
    static const struct {
        const char *type, *body;
        size_t size;
    } pages[] = {
        {"text/html", "\xff\xfe<\0p\0>\0a\0", 10},
        {"text/html", "<meta charset=iso-8859-2><p>k\xb3opot", 33},
        {"text/html; charset=shift_jis", "<p>\x83\x65 \x81\x20 \xa0\xff\xfd", 11},
        {"text/html; charset=utf-8", "<p>caf\xc3\xa9 \xc3\x28 \xe2\x82", 13},
        {"text/html; charset=none-of-these", "<p>caf\xc3\xa9", 8},
    };
    nd_buffer record = {0};
    nd_buffer block = {0};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "urn:%zu", i);
        block.size = record.size = 0;
        nd_test_http(&block, 200, pages[i].type, "",
                     (nd_span){(const uint8_t *)pages[i].body, pages[i].size});
        nd_test_warc_record(&record, "response", "http://a.example/", id, "application/http",
                            nd_buffer_span(&block));
        nd_test_pack(file, packing, nd_buffer_span(&record));
    }
    nd_buffer_free(&record);
    nd_buffer_free(&block);
}

void nd_test_make_with_dictionary(nd_buffer *file, nd_test_packing packing) {
    static const char dictionary[] =
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://";
    nd_buffer packed = {0};
    nd_buffer record = {0};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    CU_ASSERT_PTR_NOT_NULL_FATAL(context);
    nd_test_pack(&packed, packing, nd_test_span(dictionary));
    const uint8_t header[8] = {0x5D, 0x2A, 0x4D, 0x18, (uint8_t)packed.size, 0, 0, 0};
    nd_test_pack(file, ND_TEST_PLAIN, (nd_span){header, sizeof header});
    nd_test_pack(file, ND_TEST_PLAIN, nd_buffer_span(&packed));
    for (int i = 0; i < 2; i++) {
        uint8_t frame[4096];
        record.size = 0;
        nd_test_warc_record(&record, "conversion", "http://c/", i == 0 ? "urn:c" : "urn:d",
                            "text/plain", nd_test_span("text"));
        const size_t made = ZSTD_compress_usingDict(context, frame, sizeof frame, record.data,
                                                    record.size, dictionary, strlen(dictionary), 3);
        CU_ASSERT_FALSE_FATAL(ZSTD_isError(made));
        nd_test_pack(file, ND_TEST_PLAIN, (nd_span){frame, made});
    }
    (void)ZSTD_freeCCtx(context);
    nd_buffer_free(&packed);
    nd_buffer_free(&record);
}

void nd_test_make_damaged(nd_buffer *file, nd_test_packing packing, int number, size_t byte) {
    nd_buffer record = {0};
    for (int i = 0; i < 4; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "urn:%d", i);
        record.size = 0;
        nd_test_warc_record(&record, "conversion", "http://a/", id, "text/plain",
                            nd_test_span("some text"));
        const size_t begin = file->size;
        nd_test_pack(file, packing, nd_buffer_span(&record));
        if (i == number) {
            file->data[begin + byte] ^= 0x44;
        }
    }
    nd_buffer_free(&record);
}

void nd_test_make_long_line(nd_buffer *file) {
    enum { LONG = 200 << 10 };
    nd_test_print(file, "{\"text\":\"one\"}\n{\"text\":\"");
    nd_buffer_reserve(file, LONG);
    memset(file->data + file->size, 'x', LONG);
    file->size += LONG;
    nd_test_print(file, "\"}\n{\"text\":\"three\"}\n");
}
