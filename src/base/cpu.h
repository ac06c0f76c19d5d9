/** \file src/base/cpu.h
 * What this processor can do, asked once per process. A kernel that has variants for wider
 * registers is a table of rows in ascending order of speed, each with the features that it needs;
 * the first row needs none. What a row computes is the same for all of them: here is only chosen
 * which.
 */
#ifndef ND_BASE_CPU_H
#define ND_BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/** Instructions that a variant may need; a set of them is their sum. */
enum {
    ND_CPU_POPCNT = 1 << 0,
    ND_CPU_BMI = 1 << 1,
    ND_CPU_BMI2 = 1 << 2,
    ND_CPU_PCLMUL = 1 << 3,
    ND_CPU_AVX2 = 1 << 4,
    ND_CPU_AVX512F = 1 << 5,
    ND_CPU_AVX512BW = 1 << 6,
    ND_CPU_AVX512DQ = 1 << 7,
    ND_CPU_AVX512VL = 1 << 8,
    ND_CPU_AVX512VBMI2 = 1 << 9,
    ND_CPU_AVX512IFMA = 1 << 10,
    ND_CPU_ASKED = 1 << 11 /**< always there: it marks that the processor was asked */
};

/** What is known of the processor; 0 before it was asked. Read it by nd_cpu_has(). */
extern uint32_t nd_cpu_known;

/** Ask the processor. \return what nd_cpu_known becomes */
uint32_t nd_cpu_ask(void);

/** Does this processor have all of these features? */
static inline bool nd_cpu_has(uint32_t needs) {
    const uint32_t known = nd_cpu_known != 0 ? nd_cpu_known : nd_cpu_ask();
    return (known & needs) == needs;
}

/** Set `best` to the place of the last of `count` rows that this processor can run. `needs` is the
 * field of the row at that place, such as rows[best].needs. */
#define ND_CPU_BEST(best, count, needs)                                                            \
    for ((best) = (count)-1; !nd_cpu_has(needs);) {                                                \
        (best)--; /* [0] needs nothing */                                                          \
    }

#endif
