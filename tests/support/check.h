/** \file tests/support/check.h
 * What the test programs share: a main for the serial ones (ND_TEST_MAIN), the seed of a property
 * test (printed, settable by ND_TEST_SEED), how much less it does under a sanitizer, a folder for
 * temporary files that goes with the program, and the folder of labelled data.
 */
#ifndef ND_TESTS_CHECK_H
#define ND_TESTS_CHECK_H

#include "src/base/random.h"

#include <CUnit/CUnit.h>

#include <stdbool.h>
#include <stddef.h>

/** The exit code that CTest reads as "skipped". */
enum { ND_TEST_SKIPPED = 77 };

/** By what the rounds of a long property test are divided: a sanitizer makes each take many times
 * as long, and needs few to see every line at work. */
#if defined(__SANITIZE_ADDRESS__)
enum { ND_TEST_SHARE = 4 };
#else
enum { ND_TEST_SHARE = 1 };
#endif

typedef struct nd_test {
    const char *name;
    void (*run)(void);
} nd_test;

/** Run the tests of one suite with CUnit. \return the exit code for main */
int nd_test_run(const char *suite, const nd_test *tests, size_t count);

/** A generator from ND_TEST_SEED, or from the clock; prints the seed under `name`. */
nd_random nd_test_random(const char *name);

/** A fresh folder, made at the first call and removed with its contents at exit. */
const char *nd_test_folder(void);

/** Remove a file or a folder with its contents. \return whether there was one */
bool nd_test_remove(const char *path);

/** Path `name` in the folder of labelled data (NEARDUP_DATA), in a static buffer that the next call
 * overwrites; NULL, after a line that starts with SKIPPED, if the variable is unset or there is no
 * such file. */
const char *nd_test_data(const char *name);

/** main() of a serial test program. */
#define ND_TEST_MAIN(suite, tests)                                                                 \
    int main(void) {                                                                               \
        return nd_test_run(suite, tests, sizeof(tests) / sizeof((tests)[0]));                      \
    }

#endif
