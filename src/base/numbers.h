/** \file src/base/numbers.h
 * Sorted lists of numbers, as page numbers are kept in many places: sorting without repeats, and
 * finding a number's place.
 */
#ifndef ND_BASE_NUMBERS_H
#define ND_BASE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/** Sort numbers ascending and drop repeats. \return how many are left */
uint64_t nd_numbers_distinct(uint64_t *numbers, uint64_t count);

/** Place of `number` among ascending numbers; where it would stand if it is not there. */
uint64_t nd_numbers_place(const uint64_t *numbers, uint64_t count, uint64_t number);

/** Is `number` among ascending numbers? */
bool nd_numbers_hold(const uint64_t *numbers, uint64_t count, uint64_t number);

#endif
