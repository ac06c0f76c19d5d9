/* HTTP responses: header, chunked framing, content codings, and all three gone wrong. */
#include "io/input/http.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { LIMIT = 1 << 20 };

static const char TEXT[] = "<p>body one <p>body two <p>body three";

static nd_span span_of(const nd_buffer *buffer) {
    return nd_buffer_span(buffer);
}

/* The body of a message as text must be this. */
static void check_body(nd_span message, const char *body) {
    nd_http_response response;
    nd_http_scratch scratch = {0};
    nd_span got;
    CU_ASSERT_TRUE_FATAL(nd_http_parse(message, &response));
    const nd_record_limits limits = nd_record_limits_of(LIMIT, 0, 0);
    nd_record_limit passed = ND_LIMITS;
    CU_ASSERT_EQUAL(nd_http_body(&response, &limits, &scratch, &got, &passed), ND_OK);
    CU_ASSERT_EQUAL(got.size, strlen(body));
    CU_ASSERT_TRUE(got.size == strlen(body) &&
                   (got.size == 0 || memcmp(got.data, body, got.size) == 0));
    nd_http_scratch_free(&scratch);
}

static void check_coded(const char *headers, nd_span coded, const char *body) {
    nd_buffer message = {0};
    nd_test_http(&message, 200, "text/html", headers, coded);
    check_body(span_of(&message), body);
    nd_buffer_free(&message);
}

static void test_header(void) {
    nd_http_response response;
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.0 404 Not Found\nCONTENT-TYPE:  text/html; charset=x \n\nhello"),
        &response));
    CU_ASSERT_EQUAL(response.status, 404);
    CU_ASSERT_EQUAL(response.content_type.size, strlen("text/html; charset=x"));
    CU_ASSERT_EQUAL(response.body.size, 5);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/2 200\r\n\r\n"), &response));
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/1.1 200 OK\r\nX: y\r\n"), &response));
    CU_ASSERT_EQUAL(response.body.size, 0);
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("<html>\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 abc\r\n\r\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1\r\n\r\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 20\r\n\r\n"), &response));
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 200\r\nno field\r\nContent-Type: a/b\r\nContent-Type: c\r\n\r\n"),
        &response));
    CU_ASSERT(response.content_type.size == 3); /* the first of several */
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 200"), &response));
    CU_ASSERT_FALSE(nd_http_parse((nd_span){0}, &response));
}

static void test_chunks(void) {
    const char *chunked = "Transfer-Encoding: Chunked\r\n";
    check_coded(chunked, nd_test_span("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"), "hello world");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n6\r\n wor"), "hello wor");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n"), "hello");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n9\r\njunk"), "hello");
    check_coded(chunked, nd_test_span("0\r\n\r\n"), "");
    check_coded(chunked, nd_test_span("<p>not\nchunked"), "<p>not\nchunked");
    check_coded(chunked, nd_test_span("3\r\nhello\r\n0\r\n\r\n"), "3\r\nhello\r\n0\r\n\r\n");
    check_coded(chunked, nd_test_span("ffffffffffffffffff\r\nx"), "ffffffffffffffffff\r\nx");
    check_coded(chunked, nd_test_span("fffffffffffffff\r\nx"), "x");
    check_coded(chunked, nd_test_span("A \r\n0123456789\r\n0\r\n\r\n"), "0123456789");
    check_coded(chunked, nd_test_span("a\r\n0123456789\r"), "0123456789");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n0"), "hello");
    check_coded(chunked, nd_test_span("5g\r\nhello\r\n"), "5g\r\nhello\r\n");
    check_coded(chunked, nd_test_span(";x\r\nhello\r\n"), ";x\r\nhello\r\n");
    check_coded(chunked, nd_test_span("5"), "5");
}

static nd_buffer compress_with(int window_bits) {
    nd_buffer out = {0};
    z_stream stream = {0};
    nd_buffer_reserve(&out, 1000);
    CU_ASSERT_EQUAL(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, 0), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)TEXT;
    stream.avail_in = (uInt)strlen(TEXT);
    stream.next_out = out.data;
    stream.avail_out = 1000;
    CU_ASSERT_EQUAL(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.size = stream.total_out;
    (void)deflateEnd(&stream);
    return out;
}

static void test_codings(void) {
    nd_buffer gzip = compress_with(MAX_WBITS + 16);
    nd_buffer zlib = compress_with(MAX_WBITS);
    nd_buffer naked = compress_with(-MAX_WBITS);
    nd_buffer zstd = {0};
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    check_coded("Content-Encoding: gzip\r\n", span_of(&gzip), TEXT);
    check_coded("Content-Encoding: X-GZip\r\n", span_of(&gzip), TEXT);
    check_coded("Content-Encoding: deflate\r\n", span_of(&zlib), TEXT);
    check_coded("Content-Encoding: deflate\r\n", span_of(&naked), TEXT);
    check_coded("Content-Encoding: zstd\r\n", span_of(&zstd), TEXT);
    check_coded("Content-Encoding: identity\r\n", nd_test_span(TEXT), TEXT);
    check_coded("Content-Encoding: gzip\r\n", nd_test_span(TEXT), TEXT); /* undone before */
    check_coded("Content-Encoding: br\r\n", nd_test_span("\xff\xff no brotli"),
                "\xff\xff no brotli");
    check_coded("Content-Encoding: rot13\r\n", nd_test_span(TEXT), TEXT);
    nd_buffer twice = {0};
    nd_test_pack(&twice, ND_TEST_ZSTD, span_of(&gzip));
    check_coded("Content-Encoding: gzip, zstd\r\n", span_of(&twice), TEXT);
    nd_buffer thrice = {0}; /* and as often as may be */
    nd_buffer four_times = {0};
    nd_test_pack(&thrice, ND_TEST_ZSTD, span_of(&twice));
    nd_test_pack(&four_times, ND_TEST_ZSTD, span_of(&thrice));
    check_coded("Content-Encoding: gzip, zstd, zstd, zstd\r\n", span_of(&four_times), TEXT);
    nd_buffer_free(&thrice);
    nd_buffer_free(&four_times);
    nd_buffer chunked = {0};
    nd_test_print(&chunked, "%zx\r\n", gzip.size);
    nd_test_pack(&chunked, ND_TEST_PLAIN, span_of(&gzip));
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    check_coded("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", span_of(&chunked),
                TEXT);
    check_coded("Content-Encoding: gzip\r\n", (nd_span){gzip.data, gzip.size - 1}, TEXT);
    nd_buffer_free(&gzip);
    nd_buffer_free(&zlib);
    nd_buffer_free(&naked);
    nd_buffer_free(&zstd);
    nd_buffer_free(&twice);
    nd_buffer_free(&chunked);
}

/* What stands in front of the answer is passed over; the last response counts. */
static void test_interim(void) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbody";
    static const char *const first[] = {
        "",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100 Continue\n\n",
        "HTTP/1.1 100 Continue\r\n\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 200 Connection Established\r\nProxy-agent: x\r\nContent-Type: text/plain\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /b\r\n\r\n",
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        nd_buffer message = {0};
        nd_http_response response;
        nd_test_print(&message, "%s%s", first[i], answer);
        CU_ASSERT_TRUE(nd_http_parse(span_of(&message), &response));
        CU_ASSERT(response.status == 200 && response.complete);
        CU_ASSERT(response.content_type.size == strlen("text/html"));
        check_body(span_of(&message), "body");
        nd_buffer_free(&message);
    }
    nd_http_response response; /* a page about HTTP; an interim answer without the answer */
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nHTTP/1.1 404 No\n\n"),
        &response));
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/1.1 100 Continue\r\n\r\nHTTP"), &response));
    CU_ASSERT_EQUAL(response.status, 100);
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n"), &response));
    CU_ASSERT(response.status == 200 && !response.complete);
}

/* Codings that the label does not say, or says otherwise, or on several lines, or of the transfer.
 */
static void test_labels(void) {
    nd_buffer gzip = compress_with(MAX_WBITS + 16);
    nd_buffer zlib = compress_with(MAX_WBITS);
    nd_buffer naked = compress_with(-MAX_WBITS);
    nd_buffer zstd = {0}, twice = {0}, chunked = {0}, chunks = {0}, two = {0};
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    nd_test_pack(&twice, ND_TEST_GZIP, span_of(&gzip));
    nd_test_print(&chunked, "%zx\r\n", gzip.size);
    nd_test_pack(&chunked, ND_TEST_PLAIN, span_of(&gzip));
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    nd_buffer inner = {0};
    nd_test_print(&inner, "%zx\r\n%s\r\n0\r\n\r\n", strlen(TEXT), TEXT);
    nd_test_pack(&chunks, ND_TEST_GZIP, span_of(&inner));
    nd_test_pack(&two, ND_TEST_GZIP, nd_test_span("<p>body one "));
    nd_test_pack(&two, ND_TEST_GZIP, nd_test_span("<p>body two <p>body three"));
    nd_test_print(&two, "\r\n"); /* what follows is none of it */
    static const char *const labels[] = {
        "",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: deflate\r\n",
        "Content-Encoding: br\r\n",
        "Content-Encoding: zstd\r\n",
        "Content-Encoding: identity\r\n",
        "Content-Encoding: utf-8\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
        "Content-Encoding: gzip, deflate\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Encoding: x-gzip\r\n"};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        check_coded(labels[i], nd_test_span(TEXT), TEXT);
        check_coded(labels[i], nd_test_span("Short"), "Short");
        check_coded(labels[i], nd_test_span("x\x5e\x32 + y, not packed"), "x^2 + y, not packed");
        check_coded(labels[i], nd_test_span("Caf\xe9 au lait"), "Caf\xe9 au lait");
        check_coded(labels[i], span_of(&gzip), TEXT);
        check_coded(labels[i], span_of(&zlib), TEXT);
        check_coded(labels[i], span_of(&zstd), TEXT);
        check_coded(labels[i], span_of(&twice), TEXT);
        check_coded(labels[i], span_of(&two), TEXT);
        if (strstr(labels[i], "chunked") != NULL) {
            check_coded(labels[i], span_of(&chunked), TEXT);
        }
    }
    check_coded("Content-Encoding: gzip\r\n", span_of(&naked), TEXT); /* without its header */
    check_coded("Transfer-Encoding: chunked, gzip\r\n", span_of(&chunks), TEXT);
    check_coded("Transfer-Encoding: deflate\r\n", span_of(&naked), TEXT);
    check_coded("Content-Encoding:\r\n gzip\r\n", span_of(&gzip), TEXT);
    nd_buffer *const all[] = {&gzip, &zlib, &naked, &zstd, &twice, &chunked, &chunks, &two, &inner};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        nd_buffer_free(all[i]);
    }
}

/* What a body may take is asked of it in the end, and what it needed on its way is not kept. */
static void test_large_bodies(void) {
    static uint8_t noise[3 << 20];
    nd_random random = nd_test_random("noise");
    nd_buffer packed = {0}, chunked = {0};
    nd_http_scratch scratch = {0};
    nd_record_limit passed = ND_LIMITS;
    nd_span body;
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (uint8_t)nd_random_next(&random);
    }
    nd_http_response response = {.body = {noise, sizeof noise}};
    nd_record_limits limits = nd_record_limits_of(LIMIT, 0, 0);
    CU_ASSERT_EQUAL(nd_http_body(&response, &limits, &scratch, &body, &passed), ND_ERR_LIMIT);
    CU_ASSERT_EQUAL(passed, ND_LIMIT_PAGE);
    limits = nd_record_limits_of(0, UINT64_MAX, 0); /* however much it unpacks to */
    nd_test_pack(&packed, ND_TEST_GZIP, (nd_span){noise, sizeof noise});
    nd_test_print(&chunked, "%zx\r\n", packed.size);
    nd_buffer_append(&chunked, packed.data, packed.size);
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    response = (nd_http_response){.body = nd_buffer_span(&chunked),
                                  .content = {{ND_CODING_GZIP}, 1},
                                  .transfer = {{ND_CODING_CHUNKED}, 1}};
    CU_ASSERT_EQUAL(nd_http_body(&response, &limits, &scratch, &body, &passed), ND_OK);
    CU_ASSERT(body.size == sizeof noise && memcmp(body.data, noise, sizeof noise) == 0);
    CU_ASSERT_EQUAL(scratch.framing.capacity, 0);
    nd_http_scratch_free(&scratch);
    nd_buffer_free(&packed);
    nd_buffer_free(&chunked);
}

/* Made with brotli's own encoder: "<p>brotli body " twenty times. */
static void test_brotli(void) {
    static const uint8_t coded[] = {0x13, 0x2b, 0x01, 0x00, 0xc4, 0x6d, 0x6c, 0x5d, 0xd7, 0x90,
                                    0xde, 0x90, 0x4e, 0x10, 0x18, 0xd1, 0x29, 0x16, 0x0c, 0xa1,
                                    0x2b, 0x27, 0xb4, 0xbe, 0x2e, 0xc8, 0xf9, 0x00};
    nd_buffer out = {0};
    const nd_span bytes = {coded, sizeof coded};
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_BROTLI, bytes, LIMIT, &out), ND_OK);
    CU_ASSERT_EQUAL(out.size, 20 * strlen("<p>brotli body "));
    for (size_t i = 0; i < out.size; i++) {
        CU_ASSERT_EQUAL(out.data[i], "<p>brotli body "[i % 15]);
    }
    CU_ASSERT_EQUAL(
        nd_coding_undo(ND_CODING_BROTLI, (nd_span){bytes.data, bytes.size - 1}, LIMIT, &out),
        ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_BROTLI, bytes, 15, &out), ND_ERR_LIMIT);
    CU_ASSERT(out.size == 16 && memcmp(out.data, "<p>brotli body <", 16) == 0);
    nd_buffer_free(&out);
}

/* A small body that decodes to a huge one stops at the limit. */
static void test_bombs(void) {
    static uint8_t zeros[3 * LIMIT];
    nd_buffer gzip = {0};
    nd_buffer zstd = {0};
    nd_buffer out = {0};
    nd_test_pack(&gzip, ND_TEST_GZIP, (nd_span){zeros, sizeof zeros});
    nd_test_pack(&zstd, ND_TEST_ZSTD, (nd_span){zeros, sizeof zeros});
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_GZIP, span_of(&gzip), LIMIT, &out), ND_ERR_LIMIT);
    CU_ASSERT_TRUE(out.size <= LIMIT + 1);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, span_of(&zstd), LIMIT, &out), ND_ERR_LIMIT);
    CU_ASSERT_TRUE(out.size <= LIMIT + 1);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_GZIP, span_of(&gzip), sizeof zeros, &out), ND_OK);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, span_of(&zstd), sizeof zeros, &out), ND_OK);
    CU_ASSERT_EQUAL(out.size, sizeof zeros);
    nd_buffer_free(&gzip);
    nd_buffer_free(&zstd);
    nd_buffer_free(&out);
}

/* Blocks that begin before a step of the output ends and go on after it; what is cut off after one
 * gives all of it. */
static void test_blocks_across_steps(void) {
    enum { BLOCK = 100000 };
    static uint8_t text[2 * BLOCK], packed[2 * BLOCK];
    nd_buffer out = {0};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer to = {packed, sizeof packed, 0};
    ZSTD_inBuffer first = {text, BLOCK, 0}, second = {text, sizeof text, BLOCK};
    CU_ASSERT_PTR_NOT_NULL_FATAL(context);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)(i / 1000);
    }
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &first, ZSTD_e_flush), 0);
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &second, ZSTD_e_flush), 0);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){packed, to.pos}, LIMIT, &out),
                    ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(out.size, sizeof text);
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &second, ZSTD_e_end), 0);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){packed, to.pos}, LIMIT, &out), ND_OK);
    CU_ASSERT_EQUAL_FATAL(out.size, sizeof text);
    CU_ASSERT(memcmp(out.data, text, sizeof text) == 0);
    (void)ZSTD_freeCCtx(context);
    nd_buffer_free(&out);
}

/* What is cut off, or damaged, gives what comes before; nothing gives nothing. */
static void test_damaged_bodies(void) {
    static const nd_coding all[] = {ND_CODING_GZIP, ND_CODING_DEFLATE, ND_CODING_BROTLI,
                                    ND_CODING_ZSTD, ND_CODING_UNKNOWN};
    nd_buffer out = {0}, zstd = {0};
    nd_buffer zlib = compress_with(MAX_WBITS);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        CU_ASSERT_EQUAL(nd_coding_undo(all[i], (nd_span){0}, LIMIT, &out), ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(out.size, 0);
    }
    zlib.data[zlib.size - 1] ^= 1; /* its checksum: that is no stream without one */
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_DEFLATE, span_of(&zlib), LIMIT, &out), ND_ERR_FORMAT);
    CU_ASSERT(out.size == strlen(TEXT) && memcmp(out.data, TEXT, out.size) == 0);
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT)); /* two frames are one body */
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, span_of(&zstd), LIMIT, &out), ND_OK);
    CU_ASSERT_EQUAL(out.size, 2 * strlen(TEXT));
    for (size_t size = zstd.size / 2 + 1; size < zstd.size; size++) {
        CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){zstd.data, size}, LIMIT, &out),
                        ND_ERR_FORMAT);
        CU_ASSERT(out.size >= strlen(TEXT) && memcmp(out.data, TEXT, strlen(TEXT)) == 0);
    }
    CU_ASSERT_EQUAL(nd_coding_named(nd_test_span("lzma")), ND_CODING_UNKNOWN);
    nd_buffer_free(&out);
    nd_buffer_free(&zstd);
    nd_buffer_free(&zlib);
}

/* A frame of a few bytes that asks for a window of 16 MiB: no body of HTTP may. */
static void test_window(void) {
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x21,
                                    0,    0,    'a',  'b',  'c',  'd'};
    nd_buffer out = {0};
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){frame, sizeof frame}, LIMIT, &out),
                    ND_ERR_FORMAT);
    uint8_t allowed[sizeof frame];
    memcpy(allowed, frame, sizeof frame);
    allowed[5] = 13 << 3;
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){allowed, sizeof allowed}, LIMIT, &out),
                    ND_OK);
    CU_ASSERT_EQUAL(out.size, 4);
    nd_buffer_free(&out);
}

static const nd_test tests[] = {
    {"header", test_header},
    {"chunks", test_chunks},
    {"codings", test_codings},
    {"brotli", test_brotli},
    {"interim answers", test_interim},
    {"labels", test_labels},
    {"bombs", test_bombs},
    {"blocks across steps", test_blocks_across_steps},
    {"window", test_window},
    {"large bodies", test_large_bodies},
    {"damaged bodies", test_damaged_bodies},
};
ND_SUITE(t_http, tests)
