#include "tests/support/check.h"

#include <CUnit/Basic.h>

#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folders[64]; /* of all suites of this process */
static char folder[80];  /* the suite's own, once asked for */
static unsigned suite;

/* gcc says it in one way, clang in another. */
#if defined(__SANITIZE_ADDRESS__)
#define ND_TEST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define ND_TEST_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ND_TEST_ADDRESS_SANITIZER 0
#endif

int nd_test_rounds(int most) {
#if ND_TEST_ADDRESS_SANITIZER
    enum { SLOWER = 4 };
#else
    enum { SLOWER = 1 };
#endif
    const int share = SLOWER * (getenv("ND_TEST_THOROUGH") != NULL ? 1 : 8);
    return most > share ? most / share : 1;
}

uint64_t nd_test_case(nd_random *random, int i, int most) {
    return nd_test_rounds(most) == most ? (uint64_t)i : nd_random_below(random, (uint64_t)most);
}

nd_random nd_test_random(const char *name) {
    const char *given = getenv("ND_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("%s: ND_TEST_SEED=%llu\n", name, (unsigned long long)seed);
    return (nd_random){seed};
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

bool nd_test_remove(const char *path) {
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

static void remove_folder(void) {
    (void)nd_test_remove(folders);
}

const char *nd_test_folder(void) {
    if (folders[0] == '\0') {
        (void)snprintf(folders, sizeof folders, "/tmp/neardup-test.XXXXXX");
        if (mkdtemp(folders) == NULL || chmod(folders, 0711) != 0 || atexit(remove_folder) != 0) {
            perror(folders);
            exit(2);
        }
    }
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "%s/%u", folders, suite);
        if (mkdir(folder, 0700) != 0) {
            perror(folder);
            exit(2);
        }
    }
    return folder;
}

const char *nd_test_path(const char *name) {
    static char paths[64][512];
    static size_t turn;
    char *path = paths[turn++ % 64];
    (void)snprintf(path, sizeof paths[0], "%s/%s", nd_test_folder(), name);
    return path;
}

const char *nd_test_data(const char *name) {
    static char path[4096];
    const char *root = getenv("NEARDUP_DATA");
    if (root == NULL) {
        printf("SKIPPED: NEARDUP_DATA is not set\n");
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    if (access(path, R_OK) != 0) {
        printf("SKIPPED: no %s\n", path);
        return NULL;
    }
    return path;
}

size_t nd_test_cut_list(const char *list, const char **words, size_t room) {
    static char kept[1 << 16];
    static size_t used;
    size_t count = 0;
    char *rest = kept + used;
    used += strlen(list) + 1;
    if (used <= sizeof kept) {
        for (memcpy(rest, list, strlen(list) + 1); rest != NULL && count < room; count++) {
            words[count] = strsep(&rest, "|");
        }
    }
    if (used > sizeof kept || rest != NULL) {
        (void)fprintf(stderr, "no room for the words %s\n", list);
        abort();
    }
    return count;
}

static nd_test *first;
static nd_test **last = &first;

void nd_add_test(nd_test *test) {
    *last = test;
    last = &test->next;
}

/* Each suite has a folder of its own. */
static int begin_suite(void) {
    folder[0] = '\0';
    suite++;
    return 0;
}

/* Add a test to its file's suite, if that is wanted. */
static void add_wanted(const nd_test *test, int argc, char **argv) {
    char name[64];
    bool wanted = argc < 2;
    const char *slash = strrchr(test->file, '/');
    (void)snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : test->file);
    name[strcspn(name, ".")] = '\0';
    for (int i = 1; i < argc; i++) {
        wanted = wanted || strcmp(argv[i], name) == 0;
    }
    if (wanted) {
        CU_pSuite to = CU_get_suite(name);
        to = to != NULL ? to : CU_add_suite(name, begin_suite, NULL);
        (void)CU_add_test(to, test->text, test->run);
    }
}

int nd_test_main(int argc, char **argv) {
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 2;
    }
    for (const nd_test *test = first; test != NULL; test = test->next) {
        add_wanted(test, argc, argv);
    }
    for (int i = 1; i < argc; i++) {
        if (CU_get_suite(argv[i]) == NULL) {
            (void)fprintf(stderr, "%s: no suite %s\n", argv[0], argv[i]);
            return 2;
        }
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    const CU_ErrorCode error = CU_basic_run_tests();
    const unsigned failures = CU_get_number_of_failures() + CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return error != CUE_SUCCESS || failures > 0 ? 1 : 0;
}
