#include "src/text/word_codes.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A word stands in one of two slots that follow one another, or has no code: so a word is found
 * without a branch. */
enum { SLOT_BITS = 17, SLOTS = (1 << SLOT_BITS) + 1, NO_CODE = 0xffff, WRITTEN_OUT = 255 };

typedef struct nd_word_slot {
    uint32_t word;
    uint16_t code;
} nd_word_slot;

static inline const nd_word_slot *first_slot(const nd_word_slot *slots, uint32_t word) {
    return &slots[word * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS)];
}

void nd_word_codes_open(nd_word_codes *codes, const uint32_t *words, uint32_t count) {
    ND_ASSERT(count <= ND_WORD_SHORT_CODES + ND_WORD_LONG_CODES, count);
    *codes = (nd_word_codes){.count = count};
    nd_new_room(&codes->words, count, sizeof *words);
    nd_new_room(&codes->slots, SLOTS, sizeof *codes->slots);
    for (size_t i = 0; i < SLOTS; i++) {
        codes->slots[i] = (nd_word_slot){0, NO_CODE};
    }
    for (uint32_t i = 0; i < count; i++) {
        nd_word_slot *slot = codes->slots + (first_slot(codes->slots, words[i]) - codes->slots);
        slot += slot->code != NO_CODE;
        if (slot->code == NO_CODE) {
            *slot = (nd_word_slot){words[i], (uint16_t)i};
        }
        codes->words[i] = words[i];
    }
}

/* A byte and the word, and what is left of less than a word. */
size_t nd_word_codes_most(size_t size) {
    return size + size / sizeof(uint32_t);
}

size_t nd_word_codes_pack(const nd_word_codes *codes, const uint8_t *bytes, size_t size,
                          uint8_t *packed) {
    const nd_word_slot *const slots = codes->slots;
    const size_t words = size / sizeof(uint32_t);
    uint8_t *to = packed;
    if (size == 0) {
        return 0;
    }
    for (size_t i = 0; i < words; i++) {
        uint32_t word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        const nd_word_slot *slot = first_slot(slots, word);
        slot += slot->word != word || slot->code == NO_CODE;
        const uint32_t code = slot->word == word ? slot->code : NO_CODE;
        if (code == NO_CODE) {
            *to++ = WRITTEN_OUT;
            memcpy(to, &word, sizeof word);
            to += sizeof word;
        } else {
            const bool is_short = code < ND_WORD_SHORT_CODES;
            const uint32_t place = code - ND_WORD_SHORT_CODES;
            to[0] = (uint8_t)(is_short ? code : ND_WORD_SHORT_CODES + (place >> 8));
            to[1] = (uint8_t)place; /* there is room: a word may take more */
            to += is_short ? 1 : 2;
        }
    }
    memcpy(to, bytes + words * sizeof(uint32_t), size % sizeof(uint32_t));
    return (size_t)(to - packed) + size % sizeof(uint32_t);
}

/* How many bytes a code takes, by its first. */
static inline size_t code_bytes(uint8_t first) {
    return first < ND_WORD_SHORT_CODES ? 1 : first < WRITTEN_OUT ? 2 : 1 + sizeof(uint32_t);
}

bool nd_word_codes_unpack(const nd_word_codes *codes, nd_span packed, uint8_t *bytes, size_t size) {
    const size_t words = size / sizeof(uint32_t);
    const uint8_t *from = packed.data;
    if (packed.size == 0) { /* of nothing there is no address */
        return size == 0;
    }
    const uint8_t *const end = from + packed.size;
    for (size_t i = 0; i < words; i++) {
        const size_t left = (size_t)(end - from);
        if (left < 1 + sizeof(uint32_t) && (left == 0 || code_bytes(*from) > left)) {
            return false;
        }
        uint32_t word;
        if (*from == WRITTEN_OUT) {
            memcpy(&word, from + 1, sizeof word);
            from += 1 + sizeof word;
        } else {
            const bool is_short = *from < ND_WORD_SHORT_CODES;
            const uint32_t place = is_short ? 0 : from[1];
            const uint32_t code =
                is_short
                    ? *from
                    : ND_WORD_SHORT_CODES + ((uint32_t)(*from - ND_WORD_SHORT_CODES) << 8 | place);
            if (code >= codes->count) {
                return false;
            }
            word = codes->words[code];
            from += is_short ? 1 : 2;
        }
        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
    const size_t rest = size % sizeof(uint32_t);
    if ((size_t)(end - from) != rest) {
        return false;
    }
    memcpy(bytes + words * sizeof(uint32_t), from, rest);
    return true;
}

void nd_word_codes_close(nd_word_codes *codes) {
    free(codes->words);
    free(codes->slots);
    *codes = (nd_word_codes){0};
}
