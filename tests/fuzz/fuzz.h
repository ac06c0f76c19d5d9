/** \file tests/fuzz/fuzz.h
 * What the fuzz targets (z_X.c) share. A target is one function that takes any bytes, `data` of
 * `size`, and checks what must hold for them: clang's fuzzer calls it with bytes of its own
 * (scripts/fuzz.sh), and replay.c with those that are kept in corpus/X, as a test. A property that
 * does not hold ends the program; what an input is refused for is no matter of a target.
 */
#ifndef ND_TESTS_FUZZ_H
#define ND_TESTS_FUZZ_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** A target, as replay.c calls it. */
typedef struct nd_fuzz_target {
    const char *name;
    int (*take)(const uint8_t *data, size_t size);
} nd_fuzz_target;

/** All targets of a program, ended by NULL; the build writes the list. */
extern const nd_fuzz_target *const nd_fuzz_targets[];

/** Call the target that the first argument names with each file of the others, which are files and
 * folders. \return the exit code for main */
int nd_fuzz_main(int argc, char **argv);

/** Begin the target of a file, whose name without the suffix is `name`: its body, which returns 0,
 * follows. Clang's fuzzer asks for a name of its own. */
#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
#define ND_FUZZ_TARGET(name)                                                                       \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define ND_FUZZ_TARGET(name)                                                                       \
    static int name##_take(const uint8_t *data, size_t size);                                      \
    extern const nd_fuzz_target name;                                                              \
    const nd_fuzz_target name = {#name, name##_take};                                              \
    static int name##_take(const uint8_t *data, size_t size)
#endif

/** What must hold. */
#define ND_FUZZ_CHECK(holds) ((holds) ? (void)0 : nd_fuzz_broken(__FILE__, __LINE__, #holds))

/** End the program, saying what does not hold. */
_Noreturn void nd_fuzz_broken(const char *file, int line, const char *property);

/** Take a byte off the input's beginning; 0 if there is none. */
uint8_t nd_fuzz_byte(nd_span *input);

/** Take two bytes likewise, as a number below `bound`, which is above 0. */
size_t nd_fuzz_below(nd_span *input, size_t bound);

/** Whether both hold the same bytes. */
bool nd_fuzz_same(nd_span a, nd_span b);

/** A file in memory with these bytes. \return its path, of one of two slots; the slot's next file
 * replaces it */
const char *nd_fuzz_file(unsigned slot, nd_span bytes);

/** Count memory from here on, where a sanitizer does (else none is counted). */
void nd_fuzz_memory_start(void);

/** Bytes that were held at once since then, at most. */
size_t nd_fuzz_memory_peak(void);

#endif
