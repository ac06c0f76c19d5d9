/** \file src/base/small_numbers.h
 * Numbers of 16 bits, most of them small, in half a byte each: the counts of a histogram on their
 * way and in files. What does not fit of a number follows after all of them. For numbers that
 * are not small it is no use: the caller looks which is shorter. Invariant: what is unpacked is
 * what was packed.
 */
#ifndef ND_BASE_SMALL_NUMBERS_H
#define ND_BASE_SMALL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most bytes that `count` numbers can take. */
static inline size_t nd_small_numbers_most(size_t count) {
    return (count + 1) / 2 + count * (1 + sizeof(uint16_t));
}

/** \param[in] numbers  `count` numbers, at any address
 * \param[out] out      room for nd_small_numbers_most() \return the bytes written */
size_t nd_small_numbers_pack(const void *numbers, size_t count, uint8_t *out);

/** \param[out] numbers  `count` numbers, at any address
 * \return true; false if these bytes are no such numbers: `numbers` then holds anything */
bool nd_small_numbers_unpack(const uint8_t *bytes, size_t size, void *numbers, size_t count);

#endif
