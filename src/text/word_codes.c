#include "src/text/word_codes.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A word stands in one of two slots that follow one another, or has no code: so a word is found
 * without a branch. */
enum { SLOT_BITS = 17, SLOTS = (1 << SLOT_BITS) + 1, NO_CODE = ND_WORD_NO_CODE };

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
        to += nd_word_put(to, slot->word == word ? slot->code : NO_CODE, word);
    }
    memcpy(to, bytes + words * sizeof(uint32_t), size % sizeof(uint32_t));
    return (size_t)(to - packed) + size % sizeof(uint32_t);
}

bool nd_word_codes_unpack(const nd_word_codes *codes, nd_span packed, uint8_t *bytes, size_t size) {
    const size_t words = size / sizeof(uint32_t);
    const uint8_t *from = packed.data;
    if (packed.size == 0) { /* of nothing there is no address */
        return size == 0;
    }
    const uint8_t *const end = from + packed.size;
    for (size_t i = 0; i < words; i++) {
        uint32_t word = 0;
        uint32_t code = 0;
        const size_t taken = nd_word_take(from, (size_t)(end - from), &code, &word);
        if (taken == 0 || (code != NO_CODE && code >= codes->count)) {
            return false;
        }
        word = code != NO_CODE ? codes->words[code] : word;
        from += taken;
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
