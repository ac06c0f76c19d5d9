/* URLs: hosts, registered domains and SURTs. */
#include "io/input/page_maker.h"
#include "src/text/address.h"
#include "src/text/surt.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"

static void append(nd_buffer *out, nd_span bytes) {
    nd_buffer_append(out, bytes.data, bytes.size);
}

/* A host is lower case, and the host of a URL that is made of it. */
static void check_host(nd_span url) {
    uint8_t memory[ND_SITE_HOST_SIZE], again[ND_SITE_HOST_SIZE];
    ND_OWNED(nd_buffer_free) nd_buffer made = {0};
    const nd_span host = nd_site_host(url, memory);
    const nd_span domain = nd_registered_domain(host);
    ND_FUZZ_CHECK(host.size <= sizeof memory);
    ND_FUZZ_CHECK((nd_site_hash(host, 0) == 0) == (host.size == 0));
    for (size_t i = 0; i < host.size; i++) {
        ND_FUZZ_CHECK(host.data[i] < 'A' || host.data[i] > 'Z');
    }
    ND_FUZZ_CHECK(domain.size <= host.size && nd_span_end(domain) == nd_span_end(host));
    ND_FUZZ_CHECK(nd_fuzz_same(nd_registered_domain(domain), domain));
    nd_buffer_append_text(&made, "https://user@");
    append(&made, host);
    nd_buffer_append_text(&made, "/a@b:c");
    if (host.size > 0 && memchr(host.data, '@', host.size) == NULL) {
        ND_FUZZ_CHECK(nd_fuzz_same(nd_site_host(nd_buffer_span(&made), again), host));
    }
}

/* A SURT is printable ASCII without blanks, and the same for the URL with a fragment. */
static void check_surt(nd_span url) {
    enum { GROWTH = 3, MORE = 32 };
    ND_OWNED(nd_buffer_free) nd_buffer surt = {0}, other = {0}, with_fragment = {0};
    nd_surt_append(url, &surt);
    ND_FUZZ_CHECK(surt.size > 0 && surt.size <= GROWTH * url.size + MORE);
    for (size_t i = 0; i < surt.size; i++) {
        ND_FUZZ_CHECK(surt.data[i] > ' ' && surt.data[i] < 0x7f);
    }
    if (url.size > 7 && memcmp(url.data, "http://", 7) == 0 &&
        memchr(url.data, '#', url.size) == NULL && url.data[url.size - 1] > ' ') {
        append(&with_fragment, url);
        nd_buffer_append_text(&with_fragment, "#part");
        nd_surt_append(nd_buffer_span(&with_fragment), &other);
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&surt), nd_buffer_span(&other)));
    }
}

ND_FUZZ_TARGET(z_url) {
    check_host((nd_span){data, size});
    check_surt((nd_span){data, size});
    return 0;
}
