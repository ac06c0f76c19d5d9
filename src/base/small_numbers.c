#include "src/base/small_numbers.h"

#include <string.h>

/* Half a byte that says: the rest of the number follows, in a byte; and a byte that says: in two
 * bytes. */
enum { HALF_BITS = 4, MORE = 15, MUCH_MORE = 255 };

size_t nd_small_numbers_pack(const void *numbers, size_t count, uint8_t *out) {
    const uint8_t *from = numbers;
    size_t size = (count + 1) / 2;
    memset(out, 0, size);
    for (size_t i = 0; i < count; i++) {
        uint16_t number;
        memcpy(&number, from + i * sizeof number, sizeof number);
        const unsigned half = number < MORE ? number : MORE;
        out[i / 2] = (uint8_t)(out[i / 2] | half << i % 2 * HALF_BITS);
        if (half == MORE) {
            const uint16_t rest = (uint16_t)(number - MORE);
            out[size++] = (uint8_t)(rest < MUCH_MORE ? rest : MUCH_MORE);
            if (rest >= MUCH_MORE) {
                memcpy(out + size, &rest, sizeof rest);
                size += sizeof rest;
            }
        }
    }
    return size;
}

bool nd_small_numbers_unpack(const uint8_t *bytes, size_t size, void *numbers, size_t count) {
    uint8_t *to = numbers;
    size_t place = (count + 1) / 2;
    if (size < place) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint16_t number = bytes[i / 2] >> i % 2 * HALF_BITS & MORE;
        if (number == MORE) {
            if (place == size) {
                return false;
            }
            uint16_t rest = bytes[place++];
            if (rest == MUCH_MORE) {
                if (size - place < sizeof rest) {
                    return false;
                }
                memcpy(&rest, bytes + place, sizeof rest);
                place += sizeof rest;
            }
            number = (uint16_t)(MORE + rest);
        }
        memcpy(to + i * sizeof number, &number, sizeof number);
    }
    return place == size;
}
