#include "src/text/sentence.h"

#include "src/text/unicode.h"
#include "src/text/utf8.h"

#include <stdbool.h>

/* Bytes with which a stop may begin: . ! ? and everything that is not ASCII. */
static bool may_stop(uint8_t c) {
    return c >= 0x80 || c == '.' || c == '!' || c == '?';
}

const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        if (!may_stop(*p)) {
            p++;
            continue;
        }
        uint32_t code = 0;
        p += nd_utf8_read(p, end, &code);
        int32_t class = nd_unicode(code)->class;
        if (class == ND_UNICODE_STOP ||
            (class == ND_UNICODE_STOP_BEFORE_SPACE && (p == end || *p <= ' '))) {
            return p;
        }
    }
    return end;
}
