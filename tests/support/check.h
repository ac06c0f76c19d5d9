/** \file tests/support/check.h
 * What all test programs share. Each file of tests (ND_TEST) is a suite, named after the file; a
 * program holds the suites of a floor and runs those that its arguments name. Besides: the seed of
 * a property test, printed and settable by ND_TEST_SEED; how many rounds it draws; a folder for
 * temporary files that goes with the program; and the folder of labelled data.
 */
#ifndef ND_TESTS_CHECK_H
#define ND_TESTS_CHECK_H

#include "src/base/util.h"
#include "tests/support/brief.h"

#include <CUnit/CUnit.h>

/** A call that is to succeed, and one without which the test cannot go on. */
#define ND_TEST_OK(call)   CU_ASSERT_EQUAL(call, ND_OK)
#define ND_TEST_MUST(call) CU_ASSERT_EQUAL_FATAL(call, ND_OK)

/** The exit code that CTest reads as "skipped". */
enum { ND_TEST_SKIPPED = 77 };

/** A test, which the macro adds to its file's suite; `text` says what holds. Its body follows. */
#define ND_TEST(text)          ND_TEST_AT(text, __LINE__)
#define ND_TEST_AT(text, line) ND_TEST_OF(text, line)
#define ND_TEST_OF(text, line)                                                                     \
    static void nd_test_##line(void);                                                              \
    __attribute__((constructor)) static void nd_add_test_##line(void) {                            \
        static nd_test test = {__FILE__, (text), nd_test_##line, NULL};                            \
        nd_add_test(&test);                                                                        \
    }                                                                                              \
    static void nd_test_##line(void)

typedef struct nd_test {
    const char *file;
    const char *text;
    void (*run)(void);
    struct nd_test *next;
} nd_test;

/** Before main(): another test, after those that were added before. */
void nd_add_test(nd_test *test);

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

/** The words of a list with bars between them, as "a||b c": how many, and the array filled. They
 * stay where they are; a list with more words than the array has room for ends the program. */
#define ND_TEST_LIST(list, words) nd_test_cut_list((list), (words), sizeof(words) / sizeof *(words))
size_t nd_test_cut_list(const char *list, const char **words, size_t room);

/** A fresh folder of the suite, made at the first call and removed with its contents at exit. */
const char *nd_test_folder(void);

/** Path `name` in that folder, in a static buffer that the 64th next call overwrites. */
const char *nd_test_path(const char *name);

/** Remove a file or a folder with its contents. \return whether there was one */
bool nd_test_remove(const char *path);

/** Path `name` in the folder of labelled data (NEARDUP_DATA), in a static buffer that the next call
 * overwrites; NULL, after a line that starts with SKIPPED, if the variable is unset or there is no
 * such file. */
const char *nd_test_data(const char *name);

#endif
