#include "src/text/address.h"

#include "src/text/scan.h"

#include <xxhash.h>

#include <string.h>

/* ---- sites */

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

/* ---- subjects and relations */

/* What is longer is cut: no address is about so much. */
enum { MOST_LETTERS = 256, MOST_ENDING = 5, LEAST_LETTERS = 2 };

/* A folder of so many digits or more is no version but a page's or an author's number, and so is
 * one of digits alone from three on, unless it begins with 0 as versions do ("0101"). */
enum { MOST_VERSION_DIGITS = 8, LEAST_NUMBER_DIGITS = 3 };

/* Folders that stand in the place of a version; and last parts that name nothing, so that the
 * folder does. */
static const char *const version_words[] = {"c",        "current", "dev",    "devel",   "head",
                                            "latest",   "main",    "master", "nightly", "release",
                                            "releases", "stable",  "trunk",  "version", "versions"};
static const char *const index_words[] = {"default", "home", "index", "readme"};

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit; 16: it is none. */
static unsigned digit_value(uint8_t c) {
    const uint8_t low = c | 0x20;
    return is_digit(c)                ? (unsigned)(c - '0')
           : low >= 'a' && low <= 'f' ? (unsigned)(low - 'a' + 10)
                                      : 16;
}

/* One byte of an address without its escape; *p moves on. */
static uint8_t next_byte(const uint8_t **p, const uint8_t *end) {
    const uint8_t *const at = *p;
    const bool escaped =
        *at == '%' && end - at > 2 && digit_value(at[1]) < 16 && digit_value(at[2]) < 16;
    *p += escaped ? 3 : 1;
    return escaped ? (uint8_t)(digit_value(at[1]) << 4 | digit_value(at[2])) : *at;
}

/* Where the path begins: after "scheme://" and the host. `end` if there is none of these. */
static const uint8_t *path_begin(const uint8_t *p, const uint8_t *end) {
    while (p < end && *p != ':') {
        p++;
    }
    if (end - p < 3 || p[1] != '/' || p[2] != '/') {
        return end;
    }
    p += 3;
    while (p < end && *p != '/') {
        p++;
    }
    return p;
}

/* The path's end, before arguments, fragments and session ids. */
static const uint8_t *path_end(nd_span url) {
    const uint8_t *end = url.data;
    while (end < url.data + url.size && *end != '?' && *end != '#' && *end != ';') {
        end++;
    }
    return end;
}

/* The last part of [begin, end) that is not empty; it begins at `begin` if there is no other. */
static nd_span last_part(const uint8_t *begin, const uint8_t *end) {
    while (end > begin && (end[-1] == '/' || end[-1] <= ' ')) {
        end--;
    }
    const uint8_t *part = end;
    while (part > begin && part[-1] != '/') {
        part--;
    }
    return (nd_span){part, (size_t)(end - part)};
}

static nd_span without_ending(nd_span part) {
    for (size_t i = 1; i <= MOST_ENDING + 1 && i < part.size; i++) {
        if (part.data[part.size - i] == '.') {
            part.size -= i;
            break;
        }
    }
    return part;
}

uint16_t nd_url_subject(nd_span url) {
    uint8_t letters[MOST_LETTERS];
    size_t count = 0;
    size_t digits = 0;
    if (url.size == 0) { /* it may lie nowhere */
        return 0;
    }
    const uint8_t *const end = path_end(url);
    const nd_span part = without_ending(last_part(path_begin(url.data, end), end));
    for (const uint8_t *p = part.data; p < part.data + part.size && count < MOST_LETTERS;) {
        const uint8_t c = next_byte(&p, part.data + part.size);
        if (nd_scan_is_letter(c) || c >= 0x80) {
            letters[count++] = c < 0x80 ? c | 0x20 : c;
        }
        digits += is_digit(c);
    }
    if (count < LEAST_LETTERS || digits > count) {
        return 0;
    }
    const uint16_t hash = (uint16_t)(XXH3_64bits(letters, count) >> 48);
    return hash > ND_SUBJECT_TEXT ? hash : ND_SUBJECT_TEXT + 1;
}

/* A part without escapes, in lower case if that is asked for. \return its bytes */
static size_t read_part(nd_span part, bool lower, uint8_t bytes[MOST_LETTERS]) {
    size_t size = 0;
    for (const uint8_t *p = part.data; p < part.data + part.size && size < MOST_LETTERS;) {
        const uint8_t c = next_byte(&p, part.data + part.size);
        bytes[size++] = lower && c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    }
    return size;
}

static bool is_one_of(const uint8_t *bytes, size_t size, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == size && memcmp(words[i], bytes, size) == 0) {
            return true;
        }
    }
    return false;
}

/* A language as folders write it: "en", "zh_cn", "pt-br", "zh_cn.amd64". */
static bool is_language(const uint8_t *bytes, size_t size) {
    enum { CODE = 2, LEAST = 2, MOST = 8, REGIONS = 2 };
    size_t at = CODE;
    if (size < CODE || !nd_scan_is_letter(bytes[0]) || !nd_scan_is_letter(bytes[1])) {
        return false;
    }
    for (int region = 0; region < REGIONS && at < size && strchr("-_.@", bytes[at]) != NULL;
         region++) {
        const size_t begin = ++at;
        while (at < size && (nd_scan_is_letter(bytes[at]) || is_digit(bytes[at]))) {
            at++;
        }
        if (at - begin < LEAST || at - begin > MOST) {
            return false;
        }
    }
    return at == size;
}

/* The end of the version that begins at `at`, as "v2", "3.10.1", "1_74_0" or "9.0b2"; `at` if none
 * begins there. */
static size_t version_end(const uint8_t *bytes, size_t size, size_t at) {
    const bool marked = bytes[at] == 'v' && (at == 0 || !nd_scan_is_letter(bytes[at - 1]));
    size_t end = at + marked;
    if (end == size || !is_digit(bytes[end])) {
        return at;
    }
    while (end < size) {
        const bool joined = strchr("._-", bytes[end]) != NULL || nd_scan_is_letter(bytes[end]);
        if (!is_digit(bytes[end]) && !(joined && end + 1 < size && is_digit(bytes[end + 1]))) {
            break;
        }
        end++;
    }
    return end;
}

/* What a folder is without its version or language. \param[in,out] bytes  in lower case
 * \return what is left; 0: it says nothing else */
static size_t drop_version(uint8_t *bytes, size_t size) {
    size_t digits = 0;
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        digits += is_digit(bytes[i]);
    }
    if (is_language(bytes, size) ||
        is_one_of(bytes, size, version_words, sizeof version_words / sizeof *version_words)) {
        return 0;
    }
    if (digits > MOST_VERSION_DIGITS ||
        (digits == size && digits >= LEAST_NUMBER_DIGITS && bytes[0] != '0')) {
        return size;
    }
    for (size_t i = 0; i < size;) {
        const size_t end = version_end(bytes, size, i);
        if (end == i) {
            bytes[kept++] = bytes[i++];
        } else {
            i = end;
        }
    }
    while (kept > 0 && strchr("-_.+~ ", bytes[kept - 1]) != NULL) {
        kept--;
    }
    size_t begin = 0;
    while (begin < kept && strchr("-_.+~ ", bytes[begin]) != NULL) {
        begin++;
    }
    memmove(bytes, bytes + begin, kept - begin);
    return kept - begin;
}

/* The folders in [begin, end), from the last to the first: all and the last two without what is of
 * a version, and all as they are. */
static nd_address hash_folders(const uint8_t *begin, const uint8_t *end) {
    uint8_t bytes[MOST_LETTERS];
    uint64_t hash = 0;
    uint64_t two = 0; /* 0 says that there are fewer */
    uint64_t raw = 0;
    for (int folders = 0; end > begin;) {
        const nd_span part = last_part(begin, end);
        size_t size = read_part(part, true, bytes);
        raw = size > 0 ? XXH3_64bits_withSeed(bytes, size, raw) : raw;
        size = drop_version(bytes, size);
        hash = size > 0 ? XXH3_64bits_withSeed(bytes, size, hash) : hash;
        folders += size > 0;
        two = folders == 2 && size > 0 ? hash >> 48 | 1 : two;
        end = part.data;
    }
    return hash >> 48 << 24 | two << 8 | raw >> 56;
}

nd_address nd_url_address(nd_span url) {
    uint8_t bytes[2 * MOST_LETTERS];
    uint8_t folder[MOST_LETTERS];
    if (url.size == 0) {
        return 0;
    }
    const uint8_t *const end = path_end(url);
    const uint8_t *const begin = path_begin(url.data, end);
    const bool asks = end < url.data + url.size && *end == '?';
    nd_span part = last_part(begin, end);
    const nd_span above = last_part(begin, part.data);
    size_t size = read_part(without_ending(part), true, bytes);
    if (!asks && is_one_of(bytes, size, index_words, sizeof index_words / sizeof *index_words) &&
        drop_version(folder, read_part(above, true, folder)) > 0) {
        part = above; /* "/apple-pie/index.html" is "/apple-pie/" */
    }
    const nd_address folders = hash_folders(begin, part.data);
    size = read_part(without_ending(part), false, bytes);
    if (asks) {
        const uint8_t *const fragment = memchr(end, '#', (size_t)(url.data + url.size - end));
        const uint8_t *const last = fragment != NULL ? fragment : url.data + url.size;
        size += read_part((nd_span){end, (size_t)(last - end)}, false, bytes + size);
    }
    return (uint64_t)(XXH3_64bits(bytes, size) >> 40) << 40 | folders;
}

nd_address_relation nd_address_relate(nd_address a, nd_address b) {
    const nd_address folders = (nd_address)UINT16_MAX << 24;
    const nd_address two = (nd_address)UINT16_MAX << 8;
    const bool same = (a & folders) == (b & folders);
    if (a == 0 || b == 0) {
        return ND_ADDRESS_OTHER;
    }
    if (a >> 40 != b >> 40) {
        return same && (a & UINT8_MAX) != (b & UINT8_MAX) ? ND_ADDRESS_ACROSS : ND_ADDRESS_OTHER;
    }
    return same || ((a & two) != 0 && (a & two) == (b & two)) ? ND_ADDRESS_VERSION
                                                              : ND_ADDRESS_NAME;
}
