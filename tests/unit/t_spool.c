/* Spools and long buffers. */
#include "io/store/spool.h"
#include "src/base/util.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- Spools: in memory, in a file, kept and opened again, and what happens when the disk is full.
 */

enum { LEAST_MEMORY = 64 << 10, MEBIBYTE = 1 << 20, MOST_BYTES = 6 << 20 };
static uint8_t content[MOST_BYTES];

static void fill_content(nd_random *random) {
    for (size_t i = 0; i < sizeof content; i++) {
        content[i] = (uint8_t)nd_random_next(random);
    }
}

/* Entries of a folder; -1 if there is none. */
static int count_files(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return -1;
    }
    int count = 0;
    for (struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

static size_t memory_of(const nd_spool *spool) {
    return spool->held.capacity + spool->tail.capacity;
}

static bool same(const nd_spool *spool, uint64_t offset, size_t size) {
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    return nd_spool_read(spool, offset, size, &scratch, &bytes) == ND_OK &&
           (size == 0 || memcmp(bytes, content + offset, size) == 0);
}

static bool all_same(const nd_spool *spool, size_t size) {
    return spool->size == size && same(spool, 0, size);
}

ND_TEST("what is small stays in memory") {
    nd_spool_folder folder = {.path = nd_test_path("unused")};
    nd_spool spool;
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    nd_spool_open(&spool, &folder, 0);
    ND_TEST_OK(nd_spool_append(&spool, content, 0));
    CU_ASSERT(all_same(&spool, 0));
    ND_TEST_OK(nd_spool_append(&spool, content, LEAST_MEMORY / 2));
    ND_TEST_OK(nd_spool_read(&spool, 10, 100, &scratch, &bytes));
    CU_ASSERT_PTR_EQUAL(bytes, spool.held.data + 10);
    CU_ASSERT(all_same(&spool, LEAST_MEMORY / 2));
    CU_ASSERT_EQUAL(count_files(folder.path), -1);
    CU_ASSERT_EQUAL(folder.written, 0);
    CU_ASSERT_EQUAL(nd_spool_read(&spool, LEAST_MEMORY, 1, &scratch, &bytes), ND_ERR_INTERNAL);
    nd_spool_close(&spool);
    CU_ASSERT_EQUAL(spool.size, 0);
    nd_spool_close(&spool);
}

/* Append all of the content in pieces of random size, and read some in between.
 * \return how often something was wrong */
static size_t append_content(nd_spool *spool, nd_random *random, uint64_t most_piece) {
    enum { MOST_READ = 200000 };
    size_t wrong = 0;
    for (size_t size = 0; size < MOST_BYTES;) {
        size_t more = (size_t)nd_random_below(random, most_piece) + 1;
        more = more < MOST_BYTES - size ? more : MOST_BYTES - size;
        wrong += nd_spool_append(spool, content + size, more) != ND_OK;
        wrong += memory_of(spool) > spool->memory;
        size += more;
        if (nd_random_below(random, 16) == 0) {
            const uint64_t begin = nd_random_below(random, size);
            const uint64_t left = size - begin < MOST_READ ? size - begin : MOST_READ;
            wrong += !same(spool, begin, (size_t)nd_random_below(random, left + 1));
            wrong += !same(spool, size - more, more);
        }
    }
    return wrong;
}

/* With pieces much smaller and larger than any buffer. */
ND_TEST("grows into a file") {
    nd_random random = nd_test_random("spool");
    fill_content(&random);
    for (int i = 0; i < 40; i++) {
        nd_spool_folder folder = {.path = nd_test_path("grow"), .rank = 3};
        nd_spool spool;
        nd_spool_open(&spool, &folder, nd_random_below(&random, 3 * MEBIBYTE));
        const uint64_t most_piece = UINT64_C(1) << (6 + nd_random_below(&random, 17));
        CU_ASSERT_EQUAL(append_content(&spool, &random, most_piece), 0);
        CU_ASSERT(all_same(&spool, MOST_BYTES));
        CU_ASSERT_EQUAL(count_files(folder.path), 1);
        CU_ASSERT_EQUAL(access(nd_test_path("grow/spill-3-0"), F_OK), 0);
        CU_ASSERT_EQUAL(folder.written, spool.in_file);
        nd_spool_close(&spool);
        CU_ASSERT_EQUAL(count_files(folder.path), 0);
    }
}

/* The first bytes stay in memory whatever comes, until a cut forgets those after them, file and
 * all; then it grows again. */
ND_TEST("held bytes, and a cut") {
    nd_spool_folder folder = {.path = nd_test_path("held")};
    nd_spool spool;
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    nd_spool_open(&spool, &folder, 3 * MEBIBYTE);
    for (size_t size = 0; size < MOST_BYTES; size += 1000) {
        const size_t more = MOST_BYTES - size < 1000 ? MOST_BYTES - size : 1000;
        ND_TEST_OK(nd_spool_append(&spool, content + size, more));
    }
    CU_ASSERT(spool.held.size > 2 * MEBIBYTE - 1000 && spool.held.size <= 2 * MEBIBYTE);
    CU_ASSERT(spool.in_file >= MOST_BYTES - 3 * MEBIBYTE);
    CU_ASSERT(all_same(&spool, MOST_BYTES));
    ND_TEST_OK(nd_spool_read(&spool, spool.held.size - 9, 9, &scratch, &bytes));
    CU_ASSERT_PTR_EQUAL(bytes, spool.held.data + spool.held.size - 9);
    ND_TEST_OK(nd_spool_read(&spool, spool.held.size - 9, 10, &scratch, &bytes));
    CU_ASSERT_PTR_EQUAL(bytes, scratch.data);
    nd_spool_cut(&spool, MEBIBYTE + 1);
    CU_ASSERT(all_same(&spool, MEBIBYTE + 1));
    CU_ASSERT_EQUAL(count_files(folder.path), 0);
    nd_spool_allow(&spool, MEBIBYTE); /* less than it holds */
    ND_TEST_OK(nd_spool_append(&spool, content + MEBIBYTE + 1, MEBIBYTE));
    CU_ASSERT(all_same(&spool, 2 * MEBIBYTE + 1));
    CU_ASSERT_EQUAL(spool.in_file, MEBIBYTE);
    nd_spool_close(&spool);
    CU_ASSERT_EQUAL(count_files(folder.path), 0);
}

ND_TEST("without a folder everything stays in memory") {
    nd_spool_folder folder = {0};
    ND_OWNED(nd_spool_close) nd_spool spool;
    nd_spool_open(&spool, &folder, 0);
    ND_TEST_OK(nd_spool_append(&spool, content, 1000));
    ND_TEST_OK(nd_spool_append(&spool, content + 1000, MEBIBYTE));
    CU_ASSERT(all_same(&spool, MEBIBYTE + 1000));
    CU_ASSERT_EQUAL(spool.in_file, 0);
}

/* Neither files of a killed run nor those of another spool are written over. */
ND_TEST("names in use are left alone") {
    nd_spool_folder folders[2] = {{.path = nd_test_path("names")}, {.path = nd_test_path("names")}};
    nd_spool spools[2];
    for (size_t i = 0; i < 2; i++) {
        nd_spool_open(&spools[i], &folders[i], 0);
        ND_TEST_OK(nd_spool_append(&spools[i], content + i, MEBIBYTE));
    }
    CU_ASSERT_EQUAL(count_files(folders[0].path), 2);
    CU_ASSERT(all_same(&spools[0], MEBIBYTE));
    nd_spool_close(&spools[0]);
    nd_spool_close(&spools[1]);
    CU_ASSERT_EQUAL(count_files(folders[0].path), 0);
}

ND_TEST("reader") {
    enum { RECORD = 12, RECORDS = 40000, BEGIN = 7, END = 39000, WINDOW = 1000 };
    nd_spool_folder folder = {.path = nd_test_path("reader")};
    ND_OWNED(nd_spool_close) nd_spool spool;
    nd_spool_reader reader;
    const void *records = NULL;
    uint64_t count = 0;
    size_t done = BEGIN, wrong = 0;
    nd_spool_open(&spool, &folder, 0);
    for (size_t i = 0; i < RECORDS; i++) {
        ND_TEST_OK(nd_spool_append(&spool, content + i * RECORD, RECORD));
    }
    nd_spool_reader_open(&reader, &spool, RECORD, BEGIN, END, WINDOW);
    while (nd_spool_reader_next(&reader, &records, &count) == ND_OK && count > 0) {
        wrong += memcmp(records, content + done * RECORD, count * RECORD) != 0;
        wrong += reader.scratch.capacity > WINDOW;
        done += count;
    }
    CU_ASSERT_EQUAL(done, END);
    CU_ASSERT_EQUAL(wrong, 0);
    ND_TEST_OK(nd_spool_reader_next(&reader, &records, &count));
    CU_ASSERT_EQUAL(count, 0);
    nd_spool_reader_close(&reader);
    nd_spool_reader_open(&reader, &spool, RECORD, 5, 6, 1); /* less than a record */
    ND_TEST_OK(nd_spool_reader_next(&reader, &records, &count));
    CU_ASSERT_EQUAL(count, 1);
    nd_spool_reader_close(&reader);
    nd_spool_reader_open(&reader, &spool, RECORD, BEGIN, BEGIN + 10, WINDOW);
    uint8_t taken[10 * RECORD];
    ND_TEST_OK(nd_spool_reader_take(&reader, taken, 0, &count));
    CU_ASSERT_EQUAL(count, 0);
    ND_TEST_OK(nd_spool_reader_take(&reader, taken, 7, &count));
    CU_ASSERT_EQUAL(count, 7);
    ND_TEST_OK(nd_spool_reader_take(&reader, taken + 7 * RECORD, 7, &count));
    CU_ASSERT_EQUAL(count, 3);
    CU_ASSERT_EQUAL(memcmp(taken, content + BEGIN * RECORD, sizeof taken), 0);
    ND_TEST_OK(nd_spool_reader_take(&reader, taken, 7, &count));
    CU_ASSERT_EQUAL(count, 0);
    nd_spool_reader_close(&reader);
}

static void open_again(nd_spool *spool, nd_spool_folder *folder, const char *path, uint64_t size,
                       uint64_t checksum) {
    const nd_kept_file file = {
        .path = path, .size = size, .checksum = checksum, .cure = "take another"};
    nd_spool_open_kept(spool, folder, &file);
}

/* Its checksum is that of the checksums of its chunks. */
static uint64_t checksum_of(const uint8_t *bytes, size_t size) {
    uint64_t sums[1 + 3 * MEBIBYTE / ND_KEPT_CHUNK + 1];
    size_t count = 0;
    for (size_t at = 0; at < size; at += ND_KEPT_CHUNK) {
        CU_ASSERT_FATAL(count < sizeof sums / sizeof *sums);
        sums[count++] = XXH3_64bits(bytes + at, nd_min(size - at, ND_KEPT_CHUNK));
    }
    return XXH3_64bits(sums, count * sizeof *sums);
}

/* Keep a spool of `size` bytes and open it again. */
static void check_keep_in(bool keeps, const char *spill_path, const char *kept_path, size_t size) {
    nd_spool_folder folder = {.path = spill_path, .keeps = keeps};
    nd_spool spool;
    uint64_t checksum = 0;
    nd_spool_open(&spool, &folder, 0);
    ND_TEST_OK(nd_spool_append(&spool, content, size / 3));
    ND_TEST_OK(nd_spool_append(&spool, content + size / 3, size - size / 3));
    ND_TEST_OK(nd_spool_keep(&spool, kept_path, &checksum));
    CU_ASSERT_EQUAL(checksum, checksum_of(content, size));
    CU_ASSERT(all_same(&spool, size));
    CU_ASSERT_EQUAL(memory_of(&spool), 0);
    CU_ASSERT_EQUAL(nd_spool_append(&spool, content, 1), ND_ERR_INTERNAL);
    nd_spool_close(&spool);
    CU_ASSERT(spill_path == NULL || count_files(spill_path) <= 0);
    open_again(&spool, &folder, kept_path, size, checksum);
    ND_TEST_OK(nd_spool_resume(&spool));
    CU_ASSERT_PTR_NOT_NULL(spool.file.sums);
    CU_ASSERT(all_same(&spool, size));
    CU_ASSERT_EQUAL(nd_spool_append(&spool, content, 1), ND_ERR_INTERNAL);
    nd_spool_close(&spool);
    CU_ASSERT_EQUAL(access(kept_path, F_OK), 0);
}

static void check_keep(const char *spill_path, const char *kept_path, size_t size) {
    check_keep_in(false, spill_path, kept_path, size); /* checksums are made at the end */
    CU_ASSERT_EQUAL(unlink(kept_path), 0);
    check_keep_in(true, spill_path, kept_path, size);
}

ND_TEST("keep and open again") {
    CU_ASSERT_EQUAL(mkdir(nd_test_path("kept"), 0777), 0);
    check_keep(nd_test_path("kept-spill"), nd_test_path("kept/none"), 0);
    check_keep(nd_test_path("kept-spill"), nd_test_path("kept/memory"), 1000);
    check_keep(nd_test_path("kept-spill"), nd_test_path("kept/file"), MEBIBYTE + 7);
    check_keep(NULL, nd_test_path("kept/no-folder"), 3 * MEBIBYTE);
    check_keep(nd_test_path("kept-spill"), nd_test_path("kept/file"),
               1001); /* over the older one */
    CU_ASSERT_EQUAL(count_files(nd_test_path("kept")), 4);
}

/* What will be kept is on its way to the disk, but for its end; what will not be kept stays. */
ND_TEST("on the way to the disk") {
    for (int keeps = 0; keeps < 2; keeps++) {
        nd_spool_folder folder = {.path = nd_test_path("way"), .keeps = keeps == 1};
        nd_spool spool;
        nd_spool_open(&spool, &folder, 0);
        for (int i = 0; i < 20; i++) {
            ND_TEST_OK(nd_spool_append(&spool, content, MEBIBYTE));
        }
        const uint64_t rest = spool.in_file - spool.begun;
        CU_ASSERT(keeps == 0 ? spool.begun == 0 : rest >= 4 * MEBIBYTE && rest < 8 * MEBIBYTE);
        nd_spool_close(&spool);
        CU_ASSERT_EQUAL(spool.begun, 0);
    }
}

/* A spill folder on another file system than the kept file: rename(2) cannot do it. */
ND_TEST("keep across file systems") {
    char other[] = "/dev/shm/neardup-test.XXXXXX";
    struct stat here, there;
    if (mkdtemp(other) == NULL) {
        printf("(no second file system) ");
        return;
    }
    if (stat(nd_test_folder(), &here) == 0 && stat(other, &there) == 0 &&
        here.st_dev != there.st_dev) {
        check_keep(other, nd_test_path("moved"), 3 * MEBIBYTE + 5);
        CU_ASSERT_EQUAL(access(nd_test_path("moved.tmp"), F_OK), -1);
    }
    CU_ASSERT_EQUAL(rmdir(other), 0);
}

static void flip(const char *path, long place) {
    FILE *file = fopen(path, "r+b");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fseek(file, place, SEEK_SET), 0);
    const int byte = fgetc(file);
    CU_ASSERT_EQUAL(fseek(file, place, SEEK_SET), 0);
    (void)fputc(byte ^ 1, file);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

static bool is_refused(const char *path) {
    return strstr(nd_fail_text(), "damaged: its checksum does not match: take another") != NULL &&
           strstr(nd_fail_text(), path) != NULL;
}

/* Make a kept file of so many bytes. \return its checksum */
static uint64_t keep(nd_spool_folder *folder, const char *path, size_t size) {
    nd_spool spool;
    uint64_t checksum = 0;
    nd_spool_open(&spool, folder, 0);
    ND_TEST_OK(nd_spool_append(&spool, content, size));
    ND_TEST_OK(nd_spool_keep(&spool, path, &checksum));
    nd_spool_close(&spool);
    return checksum;
}

/* A damaged byte is found by whoever reads from its chunk, and by nobody else. */
ND_TEST("damage shows") {
    enum { SIZE = MEBIBYTE + 10, PLACE = 5 * ND_KEPT_CHUNK + 100 };
    nd_spool_folder folder = {.path = nd_test_path("damage")};
    const char *path = nd_test_path("damaged");
    nd_spool spool;
    const uint64_t checksum = keep(&folder, path, SIZE);
    flip(path, PLACE);
    open_again(&spool, &folder, path, SIZE, checksum);
    ND_TEST_OK(nd_spool_resume(&spool));
    for (int i = 0; i < 2; i++) {
        CU_ASSERT(same(&spool, 0, 5 * ND_KEPT_CHUNK) && same(&spool, 100, 1000));
        CU_ASSERT(same(&spool, 6 * ND_KEPT_CHUNK, SIZE - 6 * ND_KEPT_CHUNK));
        CU_ASSERT(same(&spool, SIZE - 3, 3) && same(&spool, 4 * ND_KEPT_CHUNK, ND_KEPT_CHUNK));
        CU_ASSERT_FALSE(same(&spool, 6 * ND_KEPT_CHUNK - 1, 1));
        CU_ASSERT(is_refused(path));
        CU_ASSERT_FALSE(same(&spool, 5 * ND_KEPT_CHUNK, 1));
        CU_ASSERT_FALSE(same(&spool, 0, SIZE));
        CU_ASSERT_FALSE(same(&spool, 1, 5 * ND_KEPT_CHUNK));
        CU_ASSERT(is_refused(path));
        nd_spool_rest(&spool);
        ND_TEST_OK(nd_spool_resume(&spool));
    }
    nd_spool_close(&spool);
    nd_kept_file file = {.path = path, .size = SIZE, .checksum = checksum, .cure = "take another"};
    CU_ASSERT_EQUAL(nd_kept_file_check(&file), ND_ERR_FORMAT);
    CU_ASSERT(is_refused(path));
    flip(path, PLACE);
    ND_TEST_OK(nd_kept_file_check(&file));
    flip(path, SIZE + 8); /* one of the checksums */
    file.own = true;
    CU_ASSERT_EQUAL(nd_kept_file_check(&file), ND_ERR_FORMAT);
    open_again(&spool, &folder, path, SIZE, checksum);
    CU_ASSERT_EQUAL(nd_spool_resume(&spool), ND_ERR_FORMAT);
    CU_ASSERT(is_refused(path));
    spool.file.own = true; /* as where this run has written it */
    ND_TEST_OK(nd_spool_resume(&spool));
    CU_ASSERT(same(&spool, 0, SIZE));
    nd_spool_close(&spool);
}

ND_TEST("files that are cut off, or gone") {
    nd_spool_folder folder = {.path = nd_test_path("cut-spill")};
    const char *path = nd_test_path("cut");
    nd_spool spool;
    const uint64_t checksum = keep(&folder, path, MEBIBYTE);
    open_again(&spool, &folder, path, MEBIBYTE, checksum);
    ND_TEST_OK(nd_spool_resume(&spool));
    CU_ASSERT_EQUAL(truncate(path, 1000), 0); /* while it is open */
    CU_ASSERT_FALSE(same(&spool, 900, 200));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "ends at byte 1000"));
    nd_spool_close(&spool);
    open_again(&spool, &folder, path, MEBIBYTE, checksum);
    CU_ASSERT_EQUAL(nd_spool_resume(&spool), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "damaged: has 1000 bytes of 1050624"));
    nd_spool_close(&spool);
    CU_ASSERT_EQUAL(unlink(path), 0);
    open_again(&spool, &folder, path, 1000, 0);
    CU_ASSERT_EQUAL(nd_spool_resume(&spool), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "No such file"));
    nd_spool_close(&spool);
}

/* Files may not grow beyond `bytes`: a write across it is short, the next fails. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

ND_TEST("full disk") {
    nd_spool_folder folder = {.path = nd_test_path("full")};
    nd_spool spool;
    nd_status st = ND_OK;
    uint64_t checksum = 0;
    (void)signal(SIGXFSZ, SIG_IGN);
    limit_files(MEBIBYTE + 100);
    nd_spool_open(&spool, &folder, 0);
    for (size_t i = 0; i < 100 && st == ND_OK; i++) {
        st = nd_spool_append(&spool, content, 50000);
    }
    CU_ASSERT_EQUAL(st, ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "full/spill-0-0: cannot write: File too large"));
    nd_spool_close(&spool);
    nd_spool_open(&spool, &folder, 4 * MEBIBYTE);
    ND_TEST_OK(nd_spool_append(&spool, content, 2 * MEBIBYTE));
    CU_ASSERT_EQUAL(nd_spool_keep(&spool, nd_test_path("full/kept"), &checksum), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "full/kept.tmp: cannot write: "));
    nd_spool_close(&spool);
    limit_files(RLIM_INFINITY);
    CU_ASSERT_EQUAL(count_files(folder.path), 0);
}

/* A folder that nobody has named is made; what is there under its name must be a folder that no
 * other user can have filled. */
ND_TEST("a folder that nobody has named") {
    enum { OTHER = 65533 };
    char path[512];
    (void)snprintf(path, sizeof path, "%s", nd_test_path("unnamed"));
    const nd_spool_folder folder = {.path = path, .unnamed = true};
    ND_TEST_OK(nd_spool_folder_make(&folder));
    ND_TEST_OK(nd_spool_folder_make(&folder));
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(path, OTHER, OTHER), 0);
        ND_TEST_OK(nd_spool_folder_make(&folder)); /* closed, whoever it says has it */
        CU_ASSERT_EQUAL(chmod(path, 0755), 0);
        CU_ASSERT_EQUAL(nd_spool_folder_make(&folder), ND_ERR_IO);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "unnamed: is not a folder of this run"));
    }
    CU_ASSERT_EQUAL(rmdir(path), 0);
    CU_ASSERT_EQUAL(symlink(".", path), 0);
    CU_ASSERT_EQUAL(nd_spool_folder_make(&folder), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "unnamed: is not a folder of this run"));
    CU_ASSERT_EQUAL(unlink(path), 0);
}

ND_TEST("no folder can be made") {
    nd_spool_folder folder = {.path = nd_test_path("no/such/folder")};
    nd_spool spool;
    uint64_t checksum = 0;
    nd_spool_open(&spool, &folder, 0);
    CU_ASSERT_EQUAL(nd_spool_append(&spool, content, MEBIBYTE), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(nd_fail_text(), "no/such/folder: cannot make the folder: No such"));
    nd_spool_close(&spool);
    ND_TEST_OK(nd_spool_append(&spool, content, 10));
    CU_ASSERT_EQUAL(nd_spool_keep(&spool, nd_test_path("no/kept"), &checksum), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "no/kept.tmp: cannot be made: No such"));
    nd_spool_close(&spool);
}

/* Where the file is kept that the work of a fault test makes, and where it spills. */
static const char *fault_path, *fault_spill_path;

/* A life of a spool: it spills, is read, is kept, and is opened again. */
static nd_status live(void) {
    nd_spool_folder folder = {.path = fault_spill_path};
    nd_spool spool;
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    uint64_t checksum = 0;
    nd_status st = ND_OK;
    nd_spool_open(&spool, &folder, 0);
    for (size_t i = 0; i < 4; i++) {
        ND_TRY(nd_spool_append(&spool, content + i * 50000, 50000));
    }
    ND_TRY(nd_spool_read(&spool, 40000, 150000, &scratch, &bytes));
    ND_TRY(nd_spool_keep(&spool, fault_path, &checksum));
    nd_spool_close(&spool);
    open_again(&spool, &folder, fault_path, 200000, checksum);
    ND_TRY(nd_spool_resume(&spool));
    ND_TRY(nd_spool_read(&spool, 0, 200000, &scratch, &bytes));
    CU_ASSERT_EQUAL(memcmp(bytes, content, 200000), 0);
out:
    nd_spool_close(&spool);
    return st;
}

/* Nothing is left but the file that is kept, if it came to that. */
static void check_left(void) {
    CU_ASSERT(count_files(fault_spill_path) <= 0);
    CU_ASSERT_EQUAL(count_files(nd_test_path("faults")), access(fault_path, F_OK) == 0 ? 1 : 0);
    (void)unlink(fault_path);
}

ND_TEST("every fault is said and leaves nothing") {
    char other[] = "/dev/shm/neardup-test.XXXXXX";
    char path[512], spill_path[512];
    (void)snprintf(path, sizeof path, "%s", nd_test_path("faults/kept"));
    (void)snprintf(spill_path, sizeof spill_path, "%s", nd_test_path("faults-spill"));
    CU_ASSERT_EQUAL(mkdir(nd_test_path("faults"), 0777), 0);
    fault_path = path;
    fault_spill_path = spill_path;
    CU_ASSERT(nd_test_all_faults(live, check_left) >= 20);
    if (mkdtemp(other) != NULL) { /* most likely another file system, where keeping copies */
        fault_spill_path = other;
        CU_ASSERT(nd_test_all_faults(live, check_left) >= 20);
        CU_ASSERT_EQUAL(rmdir(other), 0);
    }
}

/* ---- nd_long_buffer: growth keeps contents, in and out of mappings; cutting; absurd sizes. */

enum { PIECE = 100003, MOST = 11 << 20 };

static uint8_t byte_at(size_t place) {
    return (uint8_t)nd_mix64(place);
}

/* Append what byte_at() says, up to so many bytes. */
static bool fill_to(nd_long_buffer *buffer, size_t size, size_t most) {
    uint8_t piece[PIECE];
    while (buffer->size < size) {
        const size_t left = size - buffer->size;
        const size_t length = left < PIECE ? left : PIECE;
        for (size_t i = 0; i < length; i++) {
            piece[i] = byte_at(buffer->size + i);
        }
        if (nd_long_buffer_append(buffer, piece, length, most) != ND_OK) {
            return false;
        }
    }
    return true;
}

static bool holds(const nd_long_buffer *buffer, size_t size) {
    bool same = buffer->size == size && buffer->capacity >= size;
    for (size_t i = 0; same && i < size; i++) {
        same = buffer->data[i] == byte_at(i);
    }
    return same;
}

ND_TEST("growth keeps bytes") {
    nd_long_buffer buffer = {0};
    CU_ASSERT(fill_to(&buffer, 1000, MOST));
    CU_ASSERT(buffer.capacity < ND_LONG_BUFFER_MAPPED);
    CU_ASSERT(holds(&buffer, 1000));
    CU_ASSERT(fill_to(&buffer, ND_LONG_BUFFER_MAPPED + 1, MOST));
    CU_ASSERT(holds(&buffer, ND_LONG_BUFFER_MAPPED + 1));
    CU_ASSERT(fill_to(&buffer, MOST, MOST));
    CU_ASSERT(holds(&buffer, MOST));
    CU_ASSERT_EQUAL(buffer.capacity, MOST);
    nd_long_buffer_free(&buffer);
    CU_ASSERT_PTR_NULL(buffer.data);
    CU_ASSERT_EQUAL(buffer.capacity, 0);
}

/* Cut and filled again, short and long. */
ND_TEST("cut") {
    static const size_t sizes[] = {0, 17, ND_LONG_BUFFER_MAPPED - 1, ND_LONG_BUFFER_MAPPED + 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ND_OWNED(nd_long_buffer_free) nd_long_buffer buffer = {0};
        CU_ASSERT(fill_to(&buffer, MOST, SIZE_MAX));
        nd_long_buffer_cut(&buffer, sizes[i]);
        CU_ASSERT(holds(&buffer, sizes[i]));
        CU_ASSERT(buffer.capacity <= sizes[i] || buffer.capacity == ND_LONG_BUFFER_MAPPED);
        CU_ASSERT(fill_to(&buffer, MOST, SIZE_MAX));
        CU_ASSERT(holds(&buffer, MOST));
    }
    ND_OWNED(nd_long_buffer_free) nd_long_buffer little = {0};
    CU_ASSERT(fill_to(&little, 5000, SIZE_MAX));
    nd_long_buffer_cut(&little, 20);
    CU_ASSERT(holds(&little, 20));
}

ND_TEST("absurd size is refused") {
    ND_OWNED(nd_long_buffer_free) nd_long_buffer buffer = {0};
    const uint8_t byte = byte_at(0);
    CU_ASSERT_EQUAL(nd_long_buffer_append(&buffer, &byte, SIZE_MAX / 4, SIZE_MAX), ND_ERR_MEMORY);
    CU_ASSERT(fill_to(&buffer, ND_LONG_BUFFER_MAPPED, MOST));
    CU_ASSERT_EQUAL(nd_long_buffer_append(&buffer, &byte, SIZE_MAX / 4, SIZE_MAX), ND_ERR_MEMORY);
    CU_ASSERT_EQUAL(strncmp(nd_fail_text(), "out of memory", 13), 0);
    CU_ASSERT(holds(&buffer, ND_LONG_BUFFER_MAPPED));
}
