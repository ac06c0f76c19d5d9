/* Calls a fuzz target with every file of a folder, or with a file: its corpus as a test, where
 * there is no fuzzer. The bytes are given in memory that ends with them, so that a sanitizer sees
 * what is read beyond. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"

#include <dirent.h>
#include <sys/stat.h>

static void replay(const nd_fuzz_target *target, const char *path) {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_FREED uint8_t *bytes = NULL;
    ND_FUZZ_CHECK(nd_test_read_file(&file, path) == ND_OK);
    nd_new_room(&bytes, file.size, 1);
    if (file.size > 0) {
        memcpy(bytes, file.data, file.size);
    }
    (void)fprintf(stderr, "%s\n", path);
    (void)target->take(bytes, file.size);
}

int nd_fuzz_main(int argc, char **argv) {
    const nd_fuzz_target *const *target = nd_fuzz_targets;
    while (*target != NULL && (argc < 2 || strcmp((*target)->name, argv[1]) != 0)) {
        target++;
    }
    if (*target == NULL) {
        (void)fprintf(stderr, "usage: %s TARGET FILE_OR_FOLDER...\n", argv[0]);
        return 2;
    }
    size_t files = 0;
    for (int i = 2; i < argc; i++) {
        struct stat info;
        DIR *folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode) ? opendir(argv[i]) : NULL;
        if (folder == NULL) {
            replay(*target, argv[i]);
            files++;
            continue;
        }
        for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            char path[4096];
            if (entry->d_name[0] != '.') {
                (void)snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                replay(*target, path);
                files++;
            }
        }
        (void)closedir(folder);
    }
    (void)printf("%zu inputs\n", files);
    return files > 0 ? 0 : 1;
}
