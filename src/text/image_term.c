#include "src/text/image_term.h"

#include "src/base/printable.h"
#include "src/text/entity.h"
#include "src/text/scan.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

/* A longer base is no URL, and would be copied for every image. */
enum { LONGEST_BASE = 8 << 10 };

static bool is_slash(uint8_t c) {
    return c == '/' || c == '\\'; /* as browsers read it */
}

/* ---- parts of a URL */

/* Bytes of "scheme:" in front of a URL; 0 if it has none. */
static size_t scheme_size(nd_span url) {
    size_t size = 0;
    while (size < url.size && (nd_scan_is_letter(url.data[size]) ||
                               (size > 0 && memchr("0123456789+-.", url.data[size], 13) != NULL))) {
        size++;
    }
    return size > 0 && size < url.size && url.data[size] == ':' ? size + 1 : 0;
}

/* Do two slashes stand there? */
static bool names_host(nd_span url, size_t at) {
    return url.size - at >= 2 && is_slash(url.data[at]) && is_slash(url.data[at + 1]);
}

/* Where the path begins: after "scheme://host", whichever of the two are there. */
static size_t path_begin(nd_span url) {
    size_t at = scheme_size(url);
    if (names_host(url, at)) {
        at += 2;
        while (at < url.size && !is_slash(url.data[at]) && url.data[at] != '?') {
            at++;
        }
    }
    return at;
}

/* The last segment of the path: a file's name. */
static nd_span last_segment(nd_span url) {
    size_t begin = path_begin(url);
    size_t end = begin;
    while (end < url.size && url.data[end] != '?') {
        end++;
        begin = is_slash(url.data[end - 1]) ? end : begin;
    }
    return (nd_span){url.data + begin, end - begin};
}

/* ---- cleaning */

static void append_code(nd_buffer *url, uint32_t code) {
    if (code != 0) {
        url->size += nd_utf8_write(url->data + url->size, code);
    }
}

/* Read a character reference; in attributes, names without a semicolon are text, mostly.
 * \return bytes read */
static size_t read_reference(const uint8_t *p, const uint8_t *end, nd_buffer *url) {
    uint32_t codes[2] = {'&', 0};
    const size_t size = nd_entity_read(p, end, codes);
    if (size == 0 || (p[1] != '#' && p[size - 1] != ';')) {
        url->data[url->size++] = '&';
        return 1;
    }
    append_code(url, codes[0]);
    append_code(url, codes[1]);
    return size;
}

/* Append an attribute's value to `url`: references read, white space at its ends and line breaks
 * and tabs in it dropped, without the fragment (URL Standard, 4.4). */
static void append_clean(nd_buffer *url, nd_span value) {
    enum { GROWTH = 3 }; /* a reference is at most twice as long as it was, or an invalid byte's */
    const size_t before = url->size;
    nd_buffer_reserve(url, value.size * GROWTH);
    const uint8_t *p = value.data;
    const uint8_t *end = value.size == 0 ? p : p + value.size;
    while (p < end && *p != '#') {
        if (*p == '&') {
            p += read_reference(p, end, url);
        } else if ((*p <= ' ' && url->size == before) || (nd_scan_is_space(*p) && *p != ' ')) {
            p++;
        } else {
            url->data[url->size++] = *p++;
        }
    }
    while (url->size > before && url->data[url->size - 1] <= ' ') {
        url->size--;
    }
}

/* Put bytes that lie elsewhere in front of a buffer's. */
static void prepend(nd_buffer *buffer, const uint8_t *bytes, size_t size) {
    nd_buffer_reserve(buffer, size);
    if (size > 0) {
        memmove(buffer->data + size, buffer->data, buffer->size);
        memcpy(buffer->data, bytes, size);
        buffer->size += size;
    }
}

/* ---- hosts */

/* Where a URL's host is the page's. \return whether it has a host at all */
static bool has_host(const nd_image_terms *terms, nd_span url, bool *own) {
    uint8_t memory[ND_SITE_HOST_SIZE];
    const nd_span host = nd_site_host(url, memory);
    *own = host.size > 0 && host.size == terms->host.size &&
           memcmp(host.data, terms->host.data, host.size) == 0;
    return host.size > 0;
}

/* Give "//host/..." the scheme of what it is relative to. */
static void complete_scheme(nd_buffer *url, nd_span relative_to) {
    static const uint8_t usual[] = {'h', 't', 't', 'p', ':'};
    const size_t size = scheme_size(relative_to);
    prepend(url, size > 0 ? relative_to.data : usual, size > 0 ? size : sizeof usual);
}

/* Make terms->url absolute unless it is relative to the page. \param[out] own  on its own host? */
static nd_status resolve(nd_image_terms *terms, bool *own) {
    nd_status st = ND_OK;
    const nd_span url = nd_buffer_span(&terms->url);
    const nd_span base = nd_buffer_span(&terms->base);
    const bool absolute = scheme_size(url) > 0;
    *own = false;
    if (!absolute && names_host(url, 0)) {
        complete_scheme(&terms->url, base.size > 0 ? base : terms->page_url);
    } else if (!absolute && base.size > 0) {
        /* What it is relative to comes first: the base's host, or its folder. */
        const bool rooted = is_slash(url.data[0]);
        const size_t folder = (size_t)(last_segment(base).data - base.data);
        prepend(&terms->url, base.data, rooted ? path_begin(base) : folder);
    } else if (!absolute) {
        *own = true;
        goto out;
    }
    (void)has_host(terms, nd_buffer_span(&terms->url), own);
out:
    return st;
}

/* ---- terms */

void nd_image_terms_start(nd_image_terms *terms, nd_span url, uint64_t hash_seed) {
    terms->page_url = url;
    terms->hash_seed = hash_seed;
    terms->host = nd_site_host(url, terms->host_memory);
    terms->has_base = false;
    terms->base = (nd_buffer){0};
    terms->url = (nd_buffer){0};
}

nd_status nd_image_terms_base(nd_image_terms *terms, nd_span href) {
    nd_status st = ND_OK;
    bool own = false;
    if (href.size == 0 || terms->has_base) {
        goto out;
    }
    terms->has_base = true;
    if (href.size > LONGEST_BASE) {
        goto out;
    }
    append_clean(&terms->base, href);
    if (names_host(nd_buffer_span(&terms->base), 0)) {
        complete_scheme(&terms->base, terms->page_url);
    }
    if (!has_host(terms, nd_buffer_span(&terms->base), &own) || own) {
        terms->base.size = 0; /* the page's own host: of its URLs only the file names count */
    }
out:
    return st;
}

nd_status nd_image_terms_put(nd_image_terms *terms, nd_span src, uint8_t *word, size_t *size) {
    nd_status st = ND_OK;
    bool own = false;
    *size = 0;
    terms->url.size = 0;
    append_clean(&terms->url, src);
    if (terms->url.size == 0) {
        goto out;
    }
    ND_TRY(resolve(terms, &own));
    nd_span text = nd_buffer_span(&terms->url);
    for (size_t i = path_begin(text); i-- > 0;) { /* case does not count in scheme and host */
        terms->url.data[i] |= (uint8_t)(terms->url.data[i] - 'A') < 26 ? 0x20 : 0;
    }
    text = own ? last_segment(text) : text;
    if (text.size > 0) {
        const XXH64_hash_t hash = XXH3_64bits_withSeed(text.data, text.size, terms->hash_seed);
        memcpy(word, "img", 3);
        for (size_t i = 0; i < ND_IMAGE_TERM_SIZE - 3; i++) {
            word[3 + i] = (uint8_t)('a' + (hash >> 4 * i & 15));
        }
        *size = ND_IMAGE_TERM_SIZE;
    }
out:
    return st;
}

void nd_image_terms_free(nd_image_terms *terms) {
    nd_buffer_free(&terms->base);
    nd_buffer_free(&terms->url);
}
