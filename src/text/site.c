#include "src/text/site.h"

#include "src/text/scan.h"

#include <xxhash.h>

/* The end of the "://" of a URL; `end` if there is none. */
static const uint8_t *skip_scheme(const uint8_t *p, const uint8_t *end) {
    if (p == end || !nd_scan_is_letter(*p)) {
        return end;
    }
    while (p < end && (nd_scan_is_letter(*p) || (*p >= '0' && *p <= '9') || *p == '+' ||
                       *p == '-' || *p == '.')) {
        p++;
    }
    return end - p >= 3 && p[0] == ':' && p[1] == '/' && p[2] == '/' ? p + 3 : end;
}

/* Where the host ends: before the port, and before dots. The colons of an IPv6 address stand in
 * brackets. */
static const uint8_t *host_end(const uint8_t *p, const uint8_t *end) {
    const uint8_t *q = p;
    bool in_brackets = false;
    while (q < end && (*q != ':' || in_brackets)) {
        in_brackets = *q == '[' || (in_brackets && *q != ']');
        q++;
    }
    while (q > p && (q[-1] == '.' || q[-1] <= ' ')) {
        q--;
    }
    return q;
}

nd_span nd_site_host(nd_span url, uint8_t host[ND_SITE_HOST_SIZE]) {
    nd_span answer = {host, 0};
    if (url.size == 0) {
        return answer;
    }
    const uint8_t *p = url.data;
    const uint8_t *end = p + url.size;
    while (p < end && *p <= ' ') {
        p++;
    }
    p = skip_scheme(p, end);
    /* The authority; browsers read a backslash as a slash. */
    const uint8_t *authority_end = p;
    while (authority_end < end && *authority_end != '/' && *authority_end != '\\' &&
           *authority_end != '?' && *authority_end != '#') {
        authority_end++;
    }
    const uint8_t *begin = authority_end; /* after the last '@' */
    while (begin > p && begin[-1] != '@') {
        begin--;
    }
    p = begin;
    end = host_end(p, authority_end);
    for (; p < end && answer.size < ND_SITE_HOST_SIZE; p++) {
        bool upper = (uint8_t)(*p - 'A') < 26;
        host[answer.size++] = upper ? (uint8_t)(*p | 0x20) : *p;
    }
    return answer;
}

uint64_t nd_site_hash(nd_span host, uint64_t hash_seed) {
    return host.size > 0 ? XXH3_64bits_withSeed(host.data, host.size, hash_seed) : 0;
}
