#include "src/text/subject.h"

#include "src/text/scan.h"

#include <xxhash.h>

/* What is longer is cut: no address is about so much. */
enum { MOST_LETTERS = 256, MOST_ENDING = 5, LEAST_LETTERS = 2 };

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

/* The last part of the path that is not empty, without its ending. */
static nd_span last_part(nd_span url) {
    const uint8_t *end = url.data;
    while (end < url.data + url.size && *end != '?' && *end != '#' && *end != ';') {
        end++;
    }
    const uint8_t *const begin = path_begin(url.data, end);
    while (end > begin && (end[-1] == '/' || end[-1] <= ' ')) {
        end--;
    }
    const uint8_t *part = end;
    while (part > begin && part[-1] != '/') {
        part--;
    }
    for (ptrdiff_t i = 1; i <= MOST_ENDING + 1 && end - i > part; i++) {
        if (end[-i] == '.') {
            end -= i;
            break;
        }
    }
    return (nd_span){part, (size_t)(end - part)};
}

uint16_t nd_url_subject(nd_span url) {
    uint8_t letters[MOST_LETTERS];
    size_t count = 0;
    size_t digits = 0;
    const nd_span part = url.size > 0 ? last_part(url) : url;
    for (size_t i = 0; i < part.size && count < MOST_LETTERS; i++) {
        uint8_t c = part.data[i];
        if (c == '%' && i + 2 < part.size && digit_value(part.data[i + 1]) < 16 &&
            digit_value(part.data[i + 2]) < 16) {
            c = (uint8_t)(digit_value(part.data[i + 1]) << 4 | digit_value(part.data[i + 2]));
            i += 2;
        }
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
