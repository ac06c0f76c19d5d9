/* Files that we write, and those of strangers. */
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Files of our own are new and regular, whatever someone has put under their names; files of
 * strangers are only opened if they are files; outputs take nothing away. */

/* In the test's folder: a file, links to it, a FIFO and a folder. */
static void make_place(void) {
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    (void)nd_test_write("target", nd_test_span("precious"));
    (void)symlink("target", "link");
    (void)symlink("missing", "broken");
    (void)mkfifo("fifo", 0600);
    (void)mkdir("folder", 0700);
}

static bool said(const char *text) {
    return strstr(nd_fail_text(), text) != NULL;
}

static bool target_is_whole(void) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read("target");
    const bool whole = nd_test_is(nd_buffer_span(&bytes), "precious");
    return whole && access("missing", F_OK) != 0;
}

static mode_t kind_of(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

ND_TEST("files of strangers") {
    struct stat info;
    int descriptor = -1;
    make_place();
    ND_TEST_MUST(nd_foreign_file_open("link", &descriptor, &info));
    CU_ASSERT_EQUAL(info.st_size, 8);
    CU_ASSERT_EQUAL(fcntl(descriptor, F_GETFL) & O_NONBLOCK, 0);
    CU_ASSERT_NOT_EQUAL(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    (void)close(descriptor);
    static const char *const refused[][2] = {
        {"fifo", "is a FIFO"}, {"folder", "is a folder"}, {"broken", "broken"}, {"none", "none"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        CU_ASSERT_EQUAL(nd_foreign_file_open(refused[i][0], &descriptor, &info), ND_ERR_INPUT);
        CU_ASSERT_TRUE(said(refused[i][1]));
        CU_ASSERT_EQUAL(descriptor, -1);
        CU_ASSERT_EQUAL(nd_foreign_file_check(refused[i][0]), ND_ERR_INPUT);
    }
    ND_TEST_OK(nd_foreign_file_check("target"));
}

ND_TEST("making files") {
    static const char *const others[] = {"link", "broken", "fifo", "folder"};
    int descriptor = -1;
    uint64_t size = 0;
    make_place();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const mode_t before = kind_of(others[i]);
        CU_ASSERT_EQUAL(nd_own_file_create(others[i], &descriptor), ND_END);
        CU_ASSERT_EQUAL(nd_own_file_remake(others[i], &descriptor), ND_ERR_IO);
        CU_ASSERT_TRUE(said(others[i]) && descriptor == -1);
        CU_ASSERT_EQUAL(nd_own_file_open(others[i], &descriptor, &size), ND_ERR_IO);
        CU_ASSERT_EQUAL(descriptor, -1);
        CU_ASSERT_EQUAL(kind_of(others[i]), before);
    }
    CU_ASSERT_TRUE(target_is_whole());
    CU_ASSERT_EQUAL(nd_own_file_create("target", &descriptor), ND_END);
    CU_ASSERT_TRUE(target_is_whole());
    CU_ASSERT_EQUAL(nd_own_file_open("nothing", &descriptor, &size), ND_END);
    ND_TEST_MUST(nd_own_file_create("new", &descriptor));
    ND_TEST_OK(nd_own_file_write(descriptor, "new", 0, "12345", 5));
    (void)close(descriptor);
    ND_TEST_MUST(nd_own_file_open("new", &descriptor, &size));
    CU_ASSERT_EQUAL(size, 5);
    (void)close(descriptor);
    /* a hard link keeps its bytes: the old file is not cut, it goes */
    CU_ASSERT_EQUAL_FATAL(link("target", "hard"), 0);
    ND_TEST_MUST(nd_own_file_remake("hard", &descriptor));
    (void)close(descriptor);
    CU_ASSERT_TRUE(target_is_whole());
    CU_ASSERT_EQUAL(nd_own_file_create("folder/none/x", &descriptor), ND_ERR_IO);
    (void)unlink("hard");
    (void)unlink("new");
}

ND_TEST("giving names") {
    static const char *const others[] = {"link", "broken", "fifo", "folder"};
    make_place();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const mode_t before = kind_of(others[i]);
        CU_ASSERT_EQUAL(nd_own_file_save(others[i], "text", 4), ND_ERR_IO);
        CU_ASSERT_TRUE(said(others[i]) && said("not replaced"));
        CU_ASSERT_EQUAL(kind_of(others[i]), before);
        char partial[64];
        (void)snprintf(partial, sizeof partial, "%s%s", others[i], ND_PARTIAL_SUFFIX);
        CU_ASSERT_EQUAL(kind_of(partial), 0);
    }
    CU_ASSERT_EQUAL_FATAL(symlink("target", "saved" ND_PARTIAL_SUFFIX), 0);
    CU_ASSERT_EQUAL(nd_own_file_save("saved", "text", 4), ND_ERR_IO);
    CU_ASSERT_EQUAL(unlink("saved" ND_PARTIAL_SUFFIX), 0);
    CU_ASSERT_TRUE(target_is_whole());
    for (int i = 0; i < 2; i++) {
        ND_TEST_OK(nd_own_file_save("saved", "text", 4));
        CU_ASSERT_EQUAL(kind_of("saved"), S_IFREG);
    }
    (void)unlink("saved");
}

static bool never(const char *path) {
    (void)path;
    return false;
}

static bool is_target(const char *path) {
    return strcmp(path, "target") == 0;
}

static void check_output(const char *path, bool force, nd_status status, const char *text) {
    const nd_output output = {
        .option = "-o", .path = path, .force = force, .replaces = is_target, .what = "a target"};
    CU_ASSERT_EQUAL(nd_output_check(&output), status);
    CU_ASSERT_TRUE(status == ND_OK || said(text));
    CU_ASSERT_TRUE(target_is_whole());
}

ND_TEST("outputs") {
    make_place();
    (void)nd_test_write("notes", nd_test_span("notes"));
    for (int force = 0; force < 2; force++) {
        check_output("", force, ND_ERR_USAGE, "-o: is empty");
        check_output("folder", force, ND_ERR_USAGE, "is a folder: name a file in it");
        check_output("fifo", force, ND_ERR_USAGE, "is a FIFO");
        check_output("link", force, ND_ERR_USAGE, "is a symbolic link");
        check_output("broken", force, ND_ERR_USAGE, "is a symbolic link");
        check_output("none/new", force, ND_ERR_IO, "none/new");
        check_output("notes/new", force, ND_ERR_IO, "notes/new");
        check_output("target", force, ND_OK, "");
        check_output("new", force, ND_OK, "");
        check_output("folder/new", force, ND_OK, "");
        check_output("notes", force, force ? ND_OK : ND_ERR_USAGE, "is not a target: name another");
    }
    char name[PATH_MAX + 10];
    (void)memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    check_output(name, true, ND_ERR_USAGE, "-o: a name of");
    CU_ASSERT_EQUAL_FATAL(symlink("target", "new" ND_PARTIAL_SUFFIX), 0);
    check_output("new", true, ND_ERR_USAGE, "new" ND_PARTIAL_SUFFIX);
    CU_ASSERT_EQUAL(kind_of("new" ND_PARTIAL_SUFFIX), S_IFLNK);
    CU_ASSERT_EQUAL_FATAL(unlink("new" ND_PARTIAL_SUFFIX), 0);
    (void)nd_test_write("new" ND_PARTIAL_SUFFIX, nd_test_span("left by a run"));
    check_output("new", false, ND_OK, "");
    CU_ASSERT_EQUAL(kind_of("new" ND_PARTIAL_SUFFIX), S_IFREG); /* not known yet to be no input */
    struct stat info;
    CU_ASSERT_EQUAL_FATAL(stat("new" ND_PARTIAL_SUFFIX, &info), 0);
    const nd_output_files of_new = nd_output_look("new");
    const nd_output_files of_link = nd_output_look("link");
    CU_ASSERT_TRUE(nd_output_takes(&of_new, (uint64_t)info.st_dev, (uint64_t)info.st_ino));
    CU_ASSERT_EQUAL_FATAL(stat("target", &info), 0);
    CU_ASSERT_TRUE(nd_output_takes(&of_link, (uint64_t)info.st_dev, (uint64_t)info.st_ino));
    CU_ASSERT_FALSE(nd_output_takes(&of_new, (uint64_t)info.st_dev, (uint64_t)info.st_ino));
    /* of an output that is there with its unfinished file, both; not what lies on another disk */
    (void)nd_test_write("target" ND_PARTIAL_SUFFIX, nd_test_span("left by a run"));
    const nd_output_files both = nd_output_look("target");
    CU_ASSERT_EQUAL(both.count, 2);
    CU_ASSERT_TRUE(nd_output_takes(&both, (uint64_t)info.st_dev, (uint64_t)info.st_ino));
    CU_ASSERT_FALSE(nd_output_takes(&both, (uint64_t)info.st_dev + 1, (uint64_t)info.st_ino));
    CU_ASSERT_EQUAL(stat("target" ND_PARTIAL_SUFFIX, &info), 0);
    CU_ASSERT_TRUE(nd_output_takes(&both, (uint64_t)info.st_dev, (uint64_t)info.st_ino));
    CU_ASSERT_EQUAL(unlink("target" ND_PARTIAL_SUFFIX), 0);
    const nd_output strict = {.option = "-o", .path = "target", .replaces = never, .what = "any"};
    CU_ASSERT_EQUAL(nd_output_check(&strict), ND_ERR_USAGE);
    (void)unlink("new" ND_PARTIAL_SUFFIX);
    (void)unlink("notes");
}

static nd_status make_folder(const char *folder) {
    nd_output_lock lock = {0};
    const nd_status st = nd_output_folder("-o", folder, &lock);
    nd_output_release(&lock);
    return st;
}

/* A folder for outputs is made, or is there and empty; nothing is put beside what is there. */
ND_TEST("folders") {
    make_place();
    ND_TEST_OK(make_folder("made"));
    CU_ASSERT_EQUAL(kind_of("made"), S_IFDIR);
    ND_TEST_OK(make_folder("made"));
    CU_ASSERT_EQUAL(make_folder("target"), ND_ERR_IO);
    CU_ASSERT_TRUE(said("target: cannot open the folder"));
    CU_ASSERT_EQUAL(make_folder("none/made"), ND_ERR_IO);
    CU_ASSERT_TRUE(said("none/made: cannot make the folder"));
    (void)nd_test_write("made/notes", nd_test_span("notes"));
    (void)nd_test_write("made/other", nd_test_span("other"));
    CU_ASSERT_EQUAL(make_folder("made"), ND_ERR_USAGE);
    CU_ASSERT_TRUE(said("-o made: the folder is not empty (it holds "));
    CU_ASSERT_TRUE(target_is_whole());
    CU_ASSERT_TRUE(nd_test_remove("made"));
    /* however the folder is written, its name is brought to the disk */
    ND_TEST_OK(nd_own_file_sync_names("folder"));
    ND_TEST_OK(nd_own_file_sync_names("folder//"));
    ND_TEST_OK(nd_own_file_sync_names("f"));
    CU_ASSERT_EQUAL(nd_own_file_sync_names("none/f"), ND_ERR_IO);
}

/* Has another process this exit code, if it takes a name, or looks at it, and dies? */
static int other_process(const char *path, bool looks) {
    const nd_output output = {"-o", path, false, never, "a result"};
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        nd_output_lock lock = {0};
        const nd_status st = looks ? nd_output_check(&output) : nd_output_take("-o", path, &lock);
        _exit(st == ND_OK ? 0 : said("-o out: in use by a neardup run on host ") ? 7 : 8);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One process at a time works on a name; what a dead one leaves, or a file of the user's, is not in
 * the way, nor is it lost. */
ND_TEST("locks") {
    nd_output_lock lock = {0};
    make_place();
    ND_TEST_MUST(nd_output_take("-o", "out", &lock));
    CU_ASSERT_EQUAL(kind_of("out.lock"), S_IFREG);
    CU_ASSERT_EQUAL(other_process("out", false), 7);
    CU_ASSERT_EQUAL(other_process("out", true), 7);
    CU_ASSERT_EQUAL(other_process("other", false), 0); /* which dies with its lock */
    CU_ASSERT_EQUAL(kind_of("other.lock"), S_IFREG);
    nd_output_release(&lock);
    CU_ASSERT_EQUAL(kind_of("out.lock"), 0);
    ND_TEST_MUST(nd_output_take("-o", "other", &lock));
    nd_output_release(&lock);
    nd_output_release(&lock);
    CU_ASSERT_EQUAL(kind_of("other.lock"), 0);
    (void)nd_test_write("out.lock", nd_test_span("keys of the house\n"));
    CU_ASSERT_EQUAL(nd_output_take("-o", "out", &lock), ND_ERR_IO);
    CU_ASSERT_TRUE(said("out.lock: is not a lock of neardup: name another output"));
    CU_ASSERT_EQUAL(kind_of("out.lock"), S_IFREG);
    CU_ASSERT_EQUAL(unlink("out.lock"), 0);
    ND_TEST_MUST(nd_output_take("-o", "folder/", &lock));
    CU_ASSERT_EQUAL(kind_of("folder.lock"), S_IFREG);
    nd_output_release(&lock);
}

/* That there is no room for what is put after a name is said, as what is too long for the system.
 */
ND_TEST("long names") {
    char name[PATH_MAX + 10];
    make_place();
    memset(name, 'x', sizeof name - 1);
    for (size_t size = PATH_MAX - strlen(ND_PARTIAL_SUFFIX); size >= NAME_MAX; size /= 2) {
        name[size] = '\0';
        CU_ASSERT_EQUAL(nd_own_file_save(name, "text", 4), ND_ERR_IO);
        CU_ASSERT_TRUE(said("xxx"));
    }
}

/* What other users have is not removed, and where only they may replace it, that is said before a
 * run begins. */
ND_TEST("other users") {
    enum { ONE = 65534, OTHER = 65533 };
    int descriptor = -1;
    if (geteuid() != 0) {
        printf("the files of others: only root can make them\n");
        return;
    }
    make_place();
    CU_ASSERT_EQUAL_FATAL(chmod(nd_test_folder(), 0755), 0);
    (void)nd_test_write("theirs", nd_test_span("theirs"));
    CU_ASSERT_EQUAL_FATAL(chown("theirs", OTHER, OTHER), 0);
    CU_ASSERT_EQUAL(nd_own_file_remake("theirs", &descriptor), ND_ERR_IO);
    CU_ASSERT_TRUE(said("theirs: is another's file, not a file of this user"));
    CU_ASSERT_EQUAL(kind_of("theirs"), S_IFREG);
    CU_ASSERT_EQUAL(rename("theirs", "new" ND_PARTIAL_SUFFIX), 0);
    check_output("new", true, ND_ERR_USAGE, "is not a file of this user");
    CU_ASSERT_EQUAL(unlink("new" ND_PARTIAL_SUFFIX), 0);

    CU_ASSERT_EQUAL_FATAL(mkdir("shared", 0700), 0);
    (void)nd_test_write("shared/theirs", nd_test_span("theirs"));
    (void)nd_test_write("shared/mine", nd_test_span("mine"));
    CU_ASSERT_EQUAL(chown("shared/theirs", OTHER, OTHER), 0);
    CU_ASSERT_EQUAL(chown("shared/mine", ONE, ONE), 0);
    CU_ASSERT_EQUAL(chmod("shared", 01777), 0); /* as /tmp is */
    check_output("shared/theirs", true, ND_OK, "");
    CU_ASSERT_EQUAL_FATAL(seteuid(ONE), 0);
    check_output("shared/theirs", true, ND_ERR_IO, "shared/theirs: cannot be written");
    check_output("shared/mine", true, ND_OK, "");
    check_output("shared/new", true, ND_OK, "");
    CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
    CU_ASSERT_EQUAL(chown("shared", ONE, ONE), 0);
    CU_ASSERT_EQUAL_FATAL(seteuid(ONE), 0);
    check_output("shared/theirs", true, ND_OK, ""); /* the folder is one's own */
    CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
    CU_ASSERT_TRUE(nd_test_remove("shared"));
}

/* A second name: on one file system the same file, on another one a copy. */
ND_TEST("second names") {
    char other[] = "/dev/shm/neardup-test.XXXXXX";
    char copy[64];
    struct stat of, is;
    make_place();
    ND_TEST_OK(nd_own_file_take("target", "taken"));
    CU_ASSERT_EQUAL(stat("target", &of), 0);
    CU_ASSERT_EQUAL(stat("taken", &is), 0);
    CU_ASSERT_EQUAL(of.st_ino, is.st_ino);
    CU_ASSERT_EQUAL(nd_own_file_take("target", "taken"), ND_ERR_IO); /* it is there */
    CU_ASSERT_EQUAL(nd_own_file_take("none", "other"), ND_ERR_IO);
    CU_ASSERT_TRUE(said("none"));
    (void)unlink("taken");
    if (mkdtemp(other) == NULL) {
        return;
    }
    (void)snprintf(copy, sizeof copy, "%s/copy", other);
    ND_TEST_OK(nd_own_file_take("target", copy));
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read(copy);
    CU_ASSERT(nd_test_is(nd_buffer_span(&bytes), "precious"));
    CU_ASSERT_EQUAL(nd_own_file_take("target", copy), ND_ERR_IO);
    CU_ASSERT_EQUAL(unlink(copy), 0);
    CU_ASSERT_EQUAL(nd_own_file_take("folder", copy), ND_ERR_IO);
    CU_ASSERT_NOT_EQUAL(access(copy, F_OK), 0);
    CU_ASSERT_EQUAL(rmdir(other), 0);
}

/* Make `count` complete files in two folders in turn, the files of a batch. */
static void make_batch(nd_own_batch *batch, int count) {
    for (int i = 0; i < count; i++) {
        char path[64], partial[80];
        (void)snprintf(path, sizeof path, "%s/%d", i < count / 2 ? "one" : "two", i);
        (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
        (void)nd_test_write(partial, nd_test_span(path));
        ND_TEST_OK(nd_own_batch_add(batch, path, strlen(path)));
        CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0); /* not before it is published */
    }
}

/* How many of these files have their names and their bytes, and that none has its other name. */
static int count_named(int count) {
    int named = 0;
    for (int i = 0; i < count; i++) {
        char path[64], partial[80];
        (void)snprintf(path, sizeof path, "%s/%d", i < count / 2 ? "one" : "two", i);
        (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
        CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
        if (access(path, F_OK) == 0) {
            ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read(path);
            named += nd_test_is(nd_buffer_span(&bytes), path);
            (void)remove(path);
        }
    }
    return named;
}

/* Few files are synced one by one, many together; either all get names, or what is left is removed.
 */
ND_TEST("batches") {
    static const int counts[] = {0, 1, 8, 9, 50};
    nd_own_batch batch = {0};
    make_place();
    (void)mkdir("one", 0700);
    (void)mkdir("two", 0700);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        make_batch(&batch, counts[i]);
        ND_TEST_OK(nd_own_batch_publish(&batch));
        CU_ASSERT_EQUAL(batch.count, 0);
        CU_ASSERT_EQUAL(count_named(counts[i]), counts[i]);
        make_batch(&batch, counts[i]);
        nd_own_batch_drop(&batch);
        CU_ASSERT_EQUAL(count_named(counts[i]), 0);
    }
    for (int count = 3; count <= 12; count += 9) { /* a folder has a name that one is to have */
        make_batch(&batch, count);
        (void)mkdir("two/2", 0700);
        (void)mkdir("two/7", 0700);
        CU_ASSERT_EQUAL(nd_own_batch_publish(&batch), ND_ERR_IO);
        CU_ASSERT(said("is a folder, which is not replaced"));
        CU_ASSERT(count_named(count) < count);
        (void)rmdir("two/2");
        (void)rmdir("two/7");
    }
    make_batch(&batch, 10);
    (void)remove("one/0" ND_PARTIAL_SUFFIX);
    CU_ASSERT_EQUAL(nd_own_batch_publish(&batch), ND_ERR_IO);
    CU_ASSERT(said("one/0"));
    CU_ASSERT_EQUAL(count_named(10), 0);
}

ND_TEST("a first line") {
    char many[200];
    make_place();
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    CU_ASSERT_TRUE(nd_foreign_file_begins("target", "prec"));
    CU_ASSERT_TRUE(nd_foreign_file_begins("target", "precious"));
    CU_ASSERT_FALSE(nd_foreign_file_begins("target", "prey"));
    CU_ASSERT_FALSE(nd_foreign_file_begins("target", "precious more"));
    CU_ASSERT_FALSE(nd_foreign_file_begins("none", "prec"));
    CU_ASSERT_FALSE(nd_foreign_file_begins("fifo", "prec"));
    (void)nd_test_write("long", nd_test_span(many));
    CU_ASSERT_FALSE(
        nd_foreign_file_begins("long", many)); /* longer than any line that is looked for */
    many[128] = '\0';
    CU_ASSERT_TRUE(nd_foreign_file_begins("long", many));
}

/* Written by stdio: there under its name once it is complete, or not at all. */
ND_TEST("streams") {
    nd_own_stream stream = {.to = NULL};
    make_place();
    CU_ASSERT_EQUAL(nd_own_stream_close(&stream, ND_ERR_USAGE), ND_ERR_USAGE); /* none was begun */
    ND_TEST_MUST(nd_own_stream_open(&stream, "written"));
    (void)fputs("all of it", stream.to);
    CU_ASSERT_NOT_EQUAL(access("written", F_OK), 0);
    ND_TEST_OK(nd_own_stream_close(&stream, ND_OK));
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read("written");
    CU_ASSERT(nd_test_is(nd_buffer_span(&bytes), "all of it"));
    ND_TEST_MUST(nd_own_stream_open(&stream, "dropped"));
    CU_ASSERT_EQUAL(nd_own_stream_close(&stream, ND_ERR_FORMAT), ND_ERR_FORMAT);
    CU_ASSERT_NOT_EQUAL(access("dropped", F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access("dropped.partial", F_OK), 0);
    (void)symlink("target", "linked.partial");
    CU_ASSERT_EQUAL(nd_own_stream_open(&stream, "linked"), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(stream.to);
    CU_ASSERT_TRUE(target_is_whole());
}

/* ---- Names of output files: where they lie, and that none leads out of the folder or is
 * another's. */

enum { MOST = 4 };
static const nd_span collections[] = {{(const uint8_t *)"", 0},
                                      {(const uint8_t *)"news", 4},
                                      {(const uint8_t *)"..", 2},
                                      {(const uint8_t *)"a/b", 3}};
typedef struct name_case {
    const char *path;
    uint64_t collection;
    const char *to;
} name_case;

static nd_status name_all(const name_case *cases, size_t count, char ***to) {
    nd_span paths[MOST];
    uint64_t of[MOST];
    for (size_t i = 0; i < count; i++) {
        paths[i] = nd_test_span(cases[i].path);
        of[i] = cases[i].collection;
    }
    return nd_output_names(paths, of, count, collections, 4, to);
}

static void check(const name_case *cases, size_t count) {
    char **to = NULL;
    ND_TEST_OK(name_all(cases, count, &to));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(to[i], cases[i].to) != 0) {
            printf("%s: %s, not %s\n", cases[i].path, to[i], cases[i].to);
            CU_FAIL("name");
        }
    }
    nd_output_names_free(&to, count);
}

ND_TEST("names") {
    check((const name_case[]){{"crawl/a.warc", 0, "a.warc"}}, 1);
    check((const name_case[]){{"a.warc", 0, "a.warc"}}, 1);
    check((const name_case[]){{"/data/crawl/a.warc", 0, "a.warc"},
                              {"/data/crawl/b/c.warc", 0, "b/c.warc"}},
          2);
    check((const name_case[]){{"data/ab/a.warc", 0, "ab/a.warc"},
                              {"data/ac/a.warc", 0, "ac/a.warc"},
                              {"data/ab.warc", 0, "ab.warc"}},
          3);
    check((const name_case[]){{"x/a.warc", 0, "a.warc"},
                              {"y/a.warc", 1, "news/a.warc"},
                              {"y//./z/a.warc", 1, "news/z/a.warc"}},
          3);
    check((const name_case[]){{"x/a.warc", 0, "x/a.warc"}, {"y/a.warc", 0, "y/a.warc"}}, 2);
    check((const name_case[]){{"/x", 0, "x"}, {"./y", 0, "y"}}, 2);
}

ND_TEST("paths that lead elsewhere") {
    check((const name_case[]){{"../a/x", 0, "%2E%2E/a/x"}, {"b/y", 0, "b/y"}}, 2);
    check((const name_case[]){{"b/../../x", 0, "%2E%2E/%2E%2E/x"}, {"b/y", 0, "y"}}, 2);
    check((const name_case[]){{"b/x", 2, "%2E%2E/x"}, {"b/x", 3, "a%2Fb/x"}}, 2);
}

/* A folder and a file of one name, or of that which the file has until it is complete. */
ND_TEST("folders and files of one name") {
    check((const name_case[]){{"w#archive/a.warc", 0, "a.warc"},
                              {"w#archive/a.warc/b.warc", 0, "a.warc%2Fb.warc"},
                              {"w#archive/a.warc/b.warc/c", 0, "a.warc%2Fb.warc%2Fc"},
                              {"w#archive/a.warc.gz/b.warc", 0, "a.warc.gz/b.warc"}},
          4);
    check((const name_case[]){{"d/x", 0, "x"}, {"d/x.partial/y", 0, "x.partial%2Fy"}}, 2);
    check((const name_case[]){{"d/news/x", 0, "news/x"},
                              {"d/y", 0, "y"},
                              {"e/x/z", 1, "news/x%2Fz"},
                              {"e/w", 1, "news/w"}},
          4);
    char **to = NULL;
    const name_case again[] = {{"d/x", 0, ""}, {"d/x/y", 0, ""}, {"d/x%2Fy", 0, ""}};
    CU_ASSERT_EQUAL(name_all(again, 3, &to), ND_ERR_USAGE);
    nd_output_names_free(&to, 3);
}

ND_TEST("two files of one name") {
    char **to = NULL;
    const name_case twice[] = {{"d/news/x", 0, ""}, {"d/y", 0, ""}, {"e/x", 1, ""}};
    CU_ASSERT_EQUAL(name_all(twice, 3, &to), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "news/x"));
    nd_output_names_free(&to, 3);
    const name_case partial[] = {{"d/x.partial", 0, ""}, {"d/x", 0, ""}};
    CU_ASSERT_EQUAL(name_all(partial, 2, &to), ND_ERR_USAGE);
    nd_output_names_free(&to, 2);
}

/* ---- The directory of a WACZ: whatever byte of it is wrong, and wherever the file is cut, ranges
 * lie in the file and overlap nowhere, and names are names. What is read of it, tests/long/wacz.sh
 * tests. */

/* Two WARCs of 40 and 60 bytes, stored; the numbers of 64 bits where `wide`. */
static void make_archive(bool wide, nd_buffer *out) {
    static const char *const names[] = {"archive/a.warc.gz", "archive/b.warc.gz"};
    static const uint8_t bytes[60] = {0};
    const nd_span parts[] = {{bytes, 40}, {bytes, 60}};
    out->size = 0;
    nd_test_wacz(out, names, parts, 2, wide);
}

/* Read these bytes; what is given keeps the promise. */
static nd_status read_bytes(const nd_buffer *bytes, size_t size, nd_wacz *wacz) {
    const char *path = nd_test_write("a.wacz", (nd_span){bytes->data, size});
    const int descriptor = open(path, O_RDONLY);
    CU_ASSERT_FATAL(descriptor >= 0);
    const nd_status st = nd_wacz_read(path, descriptor, size, wacz);
    (void)close(descriptor);
    CU_ASSERT(st == ND_OK || st == ND_ERR_INPUT);
    for (size_t i = 0; st == ND_OK && i < wacz->count; i++) {
        const nd_wacz_part *part = &wacz->parts[i];
        CU_ASSERT(strncmp(part->name, "archive/", 8) == 0);
        CU_ASSERT(part->packed || (part->begin <= size && part->bytes <= size - part->begin));
        for (size_t other = 0; other < i; other++) {
            const nd_wacz_part *x = &wacz->parts[other];
            CU_ASSERT(strcmp(x->name, part->name) != 0);
            CU_ASSERT(part->packed || x->packed || x->begin + x->bytes <= part->begin ||
                      part->begin + part->bytes <= x->begin);
        }
    }
    return st;
}

ND_TEST("damage") {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0};
    for (int wide = 0; wide < 2; wide++) {
        nd_wacz wacz;
        make_archive(wide == 1, &bytes);
        ND_TEST_MUST(read_bytes(&bytes, bytes.size, &wacz));
        CU_ASSERT_EQUAL_FATAL(wacz.count, 2);
        CU_ASSERT_STRING_EQUAL(wacz.parts[1].name, "archive/b.warc.gz");
        CU_ASSERT_EQUAL(wacz.parts[0].begin, 30 + 17);
        CU_ASSERT_EQUAL(wacz.parts[0].bytes, 40);
        CU_ASSERT_EQUAL(wacz.parts[1].begin, 30 + 17 + 40 + 30 + 17);
        CU_ASSERT_EQUAL(wacz.parts[1].bytes, 60);
        nd_wacz_free(&wacz);
        for (size_t size = 0; size < bytes.size; size++) {
            CU_ASSERT_EQUAL(read_bytes(&bytes, size, &wacz), ND_ERR_INPUT);
            nd_wacz_free(&wacz);
        }
        for (size_t i = 0; i < bytes.size; i++) {
            const uint8_t was = bytes.data[i];
            static const uint8_t changes[] = {0xFF, 0x01, 0x80};
            for (size_t c = 0; c < sizeof changes; c++) {
                bytes.data[i] = was ^ changes[c];
                (void)read_bytes(&bytes, bytes.size, &wacz);
                nd_wacz_free(&wacz);
            }
            bytes.data[i] = was;
        }
    }
}

/* A part whose header would reach into the directory. */
ND_TEST("last place") {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0};
    nd_wacz wacz;
    make_archive(false, &bytes);
    const size_t directory = 2 * (30 + 17) + 40 + 60;
    CU_ASSERT_EQUAL_FATAL(bytes.data[directory + 42], 0); /* where the first part begins */
    bytes.data[directory + 42] = (uint8_t)(directory - 46);
    CU_ASSERT_EQUAL(read_bytes(&bytes, bytes.size, &wacz), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "a part ends after the file's last"));
}

ND_TEST("wacz: names") {
    CU_ASSERT_TRUE(nd_wacz_is("crawl/a.wacz") && nd_wacz_is("A.WACZ"));
    CU_ASSERT_FALSE(nd_wacz_is(".wacz") || nd_wacz_is("a.warc.gz") || nd_wacz_is("a.wacz.gz"));
    CU_ASSERT_EQUAL(nd_wacz_file("x#y/a.wacz#archive/b#c.wacz#d.warc"), 10);
    CU_ASSERT_EQUAL(nd_wacz_file("a.WACZ#"), 6);
    CU_ASSERT_EQUAL(nd_wacz_file("a.wacz"), 0);
    CU_ASSERT_EQUAL(nd_wacz_file(".wacz#archive/x"), 0);
    CU_ASSERT_EQUAL(nd_wacz_file("a#b"), 0);
}

/* \param[in] says  why it is refused; NULL: it is read, with `left` parts */
static void check_named(const char *const *names, size_t count, bool cut, const char *says,
                        size_t left) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0};
    ND_OWNED(nd_wacz_free) nd_wacz wacz;
    nd_span parts[4];
    for (size_t i = 0; i < count; i++) {
        parts[i] = nd_test_span("one");
    }
    nd_test_wacz(&bytes, names, parts, count, false);
    if (cut) { /* the second row names the first one's bytes too */
        uint8_t *row = bytes.data;
        while (memcmp(row, "PK\1\2", 4) != 0) {
            row++;
        }
        uint8_t *second = row + 46 + strlen(names[0]);
        memcpy(second + 42, row + 42, 4);
    }
    const nd_status st = read_bytes(&bytes, bytes.size, &wacz);
    CU_ASSERT_EQUAL(st, says == NULL ? ND_OK : ND_ERR_INPUT);
    if (says != NULL && strstr(nd_fail_text(), says) == NULL) {
        printf("it says: %s\n", nd_fail_text());
        CU_FAIL("text");
    }
    CU_ASSERT(says != NULL || wacz.count == left);
}

ND_TEST("names of parts") {
    static char endless[6000];
    memset(endless, 'a', sizeof endless - 1);
    memcpy(endless, "archive/", 8);
    memcpy(endless + sizeof endless - 6, ".warc", 5);
    const char *const twice[] = {"archive/a.warc", "archive/a.warc"};
    const char *const same_size[] = {"archive/a.warc", "archive/b.warc"};
    const char *const others[] = {"archive/a.warc", "pages/a.warc", "archive/a.cdx", "archive/"};
    const char *const none[] = {"pages/a.warc", "archive/a.cdx", "archive/"};
    const char *const too_long[] = {endless};
    check_named(others, 4, false, NULL, 1);
    check_named(same_size, 2, false, NULL, 2);
    check_named(twice, 2, false, "two parts of it have one name", 0);
    check_named(same_size, 2, true, "a WACZ that cannot be used", 0);
    check_named(none, 3, false, "it has no archive/*.warc.gz", 0);
    check_named(too_long, 1, false, "the name of a part is too long", 0);
}
