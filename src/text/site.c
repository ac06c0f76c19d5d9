#include "src/text/site.h"

#include <stdbool.h>
#include <xxhash.h>

static bool is_letter(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

static bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') < 10;
}

/* Behind the "://" of a URL; `end` if there is none. */
static const uint8_t *skip_scheme(const uint8_t *p, const uint8_t *end) {
    if (p == end || !is_letter(*p)) {
        return end;
    }
    while (p < end && (is_letter(*p) || is_digit(*p) || *p == '+' || *p == '-' || *p == '.')) {
        p++;
    }
    return end - p >= 3 && p[0] == ':' && p[1] == '/' && p[2] == '/' ? p + 3 : end;
}

/* Where the authority ends; browsers read a backslash as a slash. */
static const uint8_t *authority_end(const uint8_t *p, const uint8_t *end) {
    while (p < end && *p != '/' && *p != '\\' && *p != '?' && *p != '#') {
        p++;
    }
    return p;
}

/* Behind the last '@'. */
static const uint8_t *skip_user(const uint8_t *p, const uint8_t *end) {
    for (const uint8_t *q = end; q > p; q--) {
        if (q[-1] == '@') {
            return q;
        }
    }
    return p;
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
    end = authority_end(p, end);
    p = skip_user(p, end);
    end = host_end(p, end);
    for (; p < end && answer.size < ND_SITE_HOST_SIZE; p++) {
        bool upper = (uint8_t)(*p - 'A') < 26;
        host[answer.size++] = upper ? (uint8_t)(*p | 0x20) : *p;
    }
    return answer;
}

uint64_t nd_site_hash(nd_span host) {
    return XXH3_64bits(host.data, host.size);
}
