/** \file tests/support/check.h
 * What all test programs share. Each file of tests is a suite, named after the file (ND_SUITE); a
 * program holds the suites of a floor and runs those that its arguments name. Besides: the seed of
 * a property test, printed and settable by ND_TEST_SEED; how many rounds it draws; a folder for
 * temporary files that goes with the program; and the folder of labelled data.
 */
#ifndef ND_TESTS_CHECK_H
#define ND_TESTS_CHECK_H

#include "src/base/util.h"

#include <CUnit/CUnit.h>

#include <stdbool.h>
#include <stddef.h>

/** The exit code that CTest reads as "skipped". */
enum { ND_TEST_SKIPPED = 77 };

typedef struct nd_test {
    const char *name;
    void (*run)(void);
} nd_test;

/** A file of tests. */
typedef struct nd_suite {
    const char *name;
    const nd_test *tests;
    size_t count;
} nd_suite;

/** Define the suite of a file: `name` is the file's, without the suffix. */
#define ND_SUITE(name, tests)                                                                      \
    extern const nd_suite name;                                                                    \
    const nd_suite name = {#name, (tests), sizeof(tests) / sizeof((tests)[0])};

/** All suites of a program, ended by NULL; the build writes the list. */
extern const nd_suite *const nd_suites[];

/** Run the suites that the arguments name with CUnit, all of them if none does. \return the exit
 * code for main */
int nd_test_main(int argc, char **argv);

/** Rounds that a property test draws: `most` if ND_TEST_THOROUGH is set, else an eighth, at least
 * one. Under a sanitizer, which makes each round take many times as long, a quarter of that. */
int nd_test_rounds(int most);

/** A generator from ND_TEST_SEED, or from the clock; prints the seed under `name`. */
nd_random nd_test_random(const char *name);

/** The case that round i of nd_test_rounds(most) is about: the i-th of `most` where there are as
 * many rounds, else any. */
uint64_t nd_test_case(nd_random *random, int i, int most);

/** A fresh folder of the suite, made at the first call and removed with its contents at exit. */
const char *nd_test_folder(void);

/** The next suite begins, with a folder of its own. \return 0, as CUnit asks */
int nd_test_next_suite(void);

/** Remove a file or a folder with its contents. \return whether there was one */
bool nd_test_remove(const char *path);

/** Path `name` in the folder of labelled data (NEARDUP_DATA), in a static buffer that the next call
 * overwrites; NULL, after a line that starts with SKIPPED, if the variable is unset or there is no
 * such file. */
const char *nd_test_data(const char *name);

#endif
