/* HTTP responses. By the first byte the rest is a message as it is: what is read of it lies in it,
 * and its body keeps the limits; or the rest is a body that is packed and cut into chunks here: it
 * comes back as it was, and of one that is cut off comes its beginning. */
#include "io/input/http.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

enum {
    MOST_PAGE = 1 << 20,
    /* Two bodies of that size, each as its buffer grows, and the largest window of a decoder. */
    MEMORY = 32 << 20
};

static nd_http_scratch scratch;
static nd_record_limits limits;

static nd_status body_of(nd_span message, nd_span *body) {
    nd_http_response response;
    nd_record_limit passed = ND_LIMITS;
    *body = (nd_span){0};
    if (!nd_http_parse(message, &response)) {
        return ND_END;
    }
    ND_FUZZ_CHECK(response.status <= 999);
    const nd_span views[] = {response.content_type, response.charset, response.body};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        ND_FUZZ_CHECK(views[i].size == 0 || (views[i].data >= message.data &&
                                             nd_span_end(views[i]) <= nd_span_end(message)));
    }
    const nd_status st = nd_http_body(&response, &limits, &scratch, body, &passed);
    ND_FUZZ_CHECK(st == ND_OK || (st == ND_ERR_LIMIT && passed < ND_LIMITS));
    ND_FUZZ_CHECK(st != ND_OK || body->size <= MOST_PAGE || body->size <= response.body.size);
    return st;
}

static void check_message(nd_span message) {
    nd_span body;
    ND_OWNED(nd_buffer_free) nd_buffer copy = {0};
    nd_http_scratch_free(&scratch);
    nd_fuzz_memory_start();
    const nd_status st = body_of(message, &body);
    ND_FUZZ_CHECK(nd_fuzz_memory_peak() <= MEMORY + 4 * message.size);
    nd_buffer_append(&copy, body.data, st == ND_OK ? body.size : 0);
    ND_FUZZ_CHECK(body_of(message, &body) == st);
    ND_FUZZ_CHECK(st != ND_OK || nd_fuzz_same(body, nd_buffer_span(&copy)));
}

static void check_packed(nd_span body, unsigned coding, size_t chunk) {
    static const char *const names[] = {"", "x-gzip", "GZIP", "zstd"};
    static const nd_test_packing packings[] = {ND_TEST_PLAIN, ND_TEST_GZIP, ND_TEST_GZIP_STORED,
                                               ND_TEST_ZSTD};
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0}, message = {0};
    nd_span found;
    nd_test_pack(&packed, packings[coding], body);
    nd_test_print(&message, "HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\n%s\r\n", names[coding],
                  chunk > 0 ? "Transfer-Encoding: chunked\r\n" : "");
    for (size_t at = 0; chunk > 0 && at < packed.size; at += chunk) {
        const size_t size = packed.size - at < chunk ? packed.size - at : chunk;
        nd_test_print(&message, "%zx;x=y\r\n", size);
        nd_buffer_append(&message, packed.data + at, size);
        nd_test_print(&message, "\r\n");
    }
    if (chunk > 0) {
        nd_test_print(&message, "0\r\n\r\n");
    } else {
        nd_buffer_append(&message, packed.data, packed.size);
    }
    ND_FUZZ_CHECK(body_of(nd_buffer_span(&message), &found) == ND_OK);
    /* what is packed and not labelled as that is unpacked too */
    ND_FUZZ_CHECK(nd_fuzz_same(found, body) || nd_coding_of_bytes(body) != ND_CODING_UNKNOWN);
    if (coding == 1 || coding == 2) { /* cut off, a coded body gives what came before */
        const size_t cut = packed.size - packed.size / 4;
        ND_OWNED(nd_buffer_free) nd_buffer part = {0};
        ND_FUZZ_CHECK(nd_coding_undo(ND_CODING_GZIP, nd_span_part(nd_buffer_span(&packed), 0, cut),
                                     MOST_PAGE, &part) != ND_ERR_MEMORY);
        ND_FUZZ_CHECK(part.size <= body.size &&
                      (part.size == 0 || memcmp(part.data, body.data, part.size) == 0));
    }
}

ND_FUZZ_TARGET(z_http) {
    nd_span input = {data, size};
    const unsigned how = nd_fuzz_byte(&input);
    limits = nd_record_limits_of(MOST_PAGE, 0, 0);
    if (how % 4 == 0) {
        const size_t chunk = nd_fuzz_below(&input, 400);
        check_packed(input, how / 4 % 4, chunk);
    } else {
        check_message(input);
    }
    return 0;
}
