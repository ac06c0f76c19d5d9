#include "src/text/sentence.h"

#include "src/base/printable.h"
#include "src/text/swar.h"
#include "src/text/text_variant.h"
#include "src/text/unicode.h"

/* Skip words of eight bytes in which nothing can stop. */
static const uint8_t *skip_words(const uint8_t *p, const uint8_t *end) {
    while (end - p >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(p);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t stop = nd_swar_equal(low, '.') | nd_swar_equal(low, '!') |
                        nd_swar_equal(low, '?') | (word & ND_SWAR_HIGH);
        if (stop != 0) {
            return p + nd_swar_first(stop);
        }
        p += ND_SWAR_BYTES;
    }
    return p;
}

const uint8_t *nd_sentence_read(const uint8_t *p, const uint8_t *end, bool *stops) {
    uint32_t code = 0;
    p += nd_utf8_read(p, end, &code);
    int32_t class = nd_unicode(code)->class;
    *stops = class == ND_UNICODE_STOP ||
             (class == ND_UNICODE_STOP_BEFORE_SPACE && (p == end || *p <= ' '));
    return p;
}

const uint8_t *nd_sentence_end_portable(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        /* Surely no stop are an ASCII character, a continuation byte, the lead of a Latin, Greek or
         * Cyrillic letter, an ideograph; any other character has to be looked at. */
        if (*p < 0xD5 && *p != '.' && *p != '!' && *p != '?') {
            p = *p < 0x80 ? skip_words(p + 1, end) : p + 1;
            continue;
        }
        if (*p >= 0xE4 && *p <= 0xE9 && end - p >= 3) {
            p += 3;
            continue;
        }
        bool stops = false;
        p = nd_sentence_read(p, end, &stops);
        if (stops) {
            return p;
        }
    }
    return end;
}

const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end) {
    return nd_text_variant_in_use()->sentence_end(p, end);
}
