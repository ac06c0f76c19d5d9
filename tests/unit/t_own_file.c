/* Files of our own are new and regular, whatever someone has put under their names; files of
 * strangers are only opened if they are files; outputs take nothing away. */
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    nd_buffer bytes = nd_test_read("target");
    const bool whole = bytes.size == 8 && memcmp(bytes.data, "precious", 8) == 0;
    nd_buffer_free(&bytes);
    return whole && access("missing", F_OK) != 0;
}

static mode_t kind_of(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

static void test_foreign(void) {
    struct stat info;
    int descriptor = -1;
    make_place();
    CU_ASSERT_EQUAL_FATAL(nd_foreign_file_open("link", &descriptor, &info), ND_OK);
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
    CU_ASSERT_EQUAL(nd_foreign_file_check("target"), ND_OK);
}

static void test_making(void) {
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
    CU_ASSERT_EQUAL_FATAL(nd_own_file_create("new", &descriptor), ND_OK);
    CU_ASSERT_EQUAL(nd_own_file_write(descriptor, "new", 0, "12345", 5), ND_OK);
    (void)close(descriptor);
    CU_ASSERT_EQUAL_FATAL(nd_own_file_open("new", &descriptor, &size), ND_OK);
    CU_ASSERT_EQUAL(size, 5);
    (void)close(descriptor);
    /* a hard link keeps its bytes: the old file is not cut, it goes */
    CU_ASSERT_EQUAL_FATAL(link("target", "hard"), 0);
    CU_ASSERT_EQUAL_FATAL(nd_own_file_remake("hard", &descriptor), ND_OK);
    (void)close(descriptor);
    CU_ASSERT_TRUE(target_is_whole());
    CU_ASSERT_EQUAL(nd_own_file_create("folder/none/x", &descriptor), ND_ERR_IO);
    (void)unlink("hard");
    (void)unlink("new");
}

static void test_names(void) {
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
        CU_ASSERT_EQUAL(nd_own_file_save("saved", "text", 4), ND_OK);
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

static void test_outputs(void) {
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
static void test_output_folders(void) {
    make_place();
    CU_ASSERT_EQUAL(make_folder("made"), ND_OK);
    CU_ASSERT_EQUAL(kind_of("made"), S_IFDIR);
    CU_ASSERT_EQUAL(make_folder("made"), ND_OK);
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
    CU_ASSERT_EQUAL(nd_own_file_sync_names("folder"), ND_OK);
    CU_ASSERT_EQUAL(nd_own_file_sync_names("folder//"), ND_OK);
    CU_ASSERT_EQUAL(nd_own_file_sync_names("f"), ND_OK);
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
static void test_output_locks(void) {
    nd_output_lock lock = {0};
    make_place();
    CU_ASSERT_EQUAL_FATAL(nd_output_take("-o", "out", &lock), ND_OK);
    CU_ASSERT_EQUAL(kind_of("out.lock"), S_IFREG);
    CU_ASSERT_EQUAL(other_process("out", false), 7);
    CU_ASSERT_EQUAL(other_process("out", true), 7);
    CU_ASSERT_EQUAL(other_process("other", false), 0); /* which dies with its lock */
    CU_ASSERT_EQUAL(kind_of("other.lock"), S_IFREG);
    nd_output_release(&lock);
    CU_ASSERT_EQUAL(kind_of("out.lock"), 0);
    CU_ASSERT_EQUAL_FATAL(nd_output_take("-o", "other", &lock), ND_OK);
    nd_output_release(&lock);
    nd_output_release(&lock);
    CU_ASSERT_EQUAL(kind_of("other.lock"), 0);
    (void)nd_test_write("out.lock", nd_test_span("keys of the house\n"));
    CU_ASSERT_EQUAL(nd_output_take("-o", "out", &lock), ND_ERR_IO);
    CU_ASSERT_TRUE(said("out.lock: is not a lock of neardup: name another output"));
    CU_ASSERT_EQUAL(kind_of("out.lock"), S_IFREG);
    CU_ASSERT_EQUAL(unlink("out.lock"), 0);
    CU_ASSERT_EQUAL_FATAL(nd_output_take("-o", "folder/", &lock), ND_OK);
    CU_ASSERT_EQUAL(kind_of("folder.lock"), S_IFREG);
    nd_output_release(&lock);
}

/* That there is no room for what is put after a name is said, as what is too long for the system.
 */
static void test_long_names(void) {
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
static void test_other_users(void) {
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
static void test_second_names(void) {
    char other[] = "/dev/shm/neardup-test.XXXXXX";
    char copy[64];
    struct stat of, is;
    make_place();
    CU_ASSERT_EQUAL(nd_own_file_take("target", "taken"), ND_OK);
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
    CU_ASSERT_EQUAL(nd_own_file_take("target", copy), ND_OK);
    nd_buffer bytes = nd_test_read(copy);
    CU_ASSERT(bytes.size == 8 && memcmp(bytes.data, "precious", 8) == 0);
    nd_buffer_free(&bytes);
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
        CU_ASSERT_EQUAL(nd_own_batch_add(batch, path, strlen(path)), ND_OK);
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
            nd_buffer bytes = nd_test_read(path);
            named += bytes.size == strlen(path) && memcmp(bytes.data, path, bytes.size) == 0;
            nd_buffer_free(&bytes);
            (void)remove(path);
        }
    }
    return named;
}

/* Few files are synced one by one, many together; either all get names, or what is left is removed.
 */
static void test_batches(void) {
    static const int counts[] = {0, 1, 8, 9, 50};
    nd_own_batch batch = {0};
    make_place();
    (void)mkdir("one", 0700);
    (void)mkdir("two", 0700);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        make_batch(&batch, counts[i]);
        CU_ASSERT_EQUAL(nd_own_batch_publish(&batch), ND_OK);
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

static void test_first_line(void) {
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
static void test_streams(void) {
    nd_own_stream stream = {.to = NULL};
    make_place();
    CU_ASSERT_EQUAL(nd_own_stream_close(&stream, ND_ERR_USAGE), ND_ERR_USAGE); /* none was begun */
    CU_ASSERT_EQUAL_FATAL(nd_own_stream_open(&stream, "written"), ND_OK);
    (void)fputs("all of it", stream.to);
    CU_ASSERT_NOT_EQUAL(access("written", F_OK), 0);
    CU_ASSERT_EQUAL(nd_own_stream_close(&stream, ND_OK), ND_OK);
    nd_buffer bytes = nd_test_read("written");
    CU_ASSERT(bytes.size == 9 && memcmp(bytes.data, "all of it", 9) == 0);
    nd_buffer_free(&bytes);
    CU_ASSERT_EQUAL_FATAL(nd_own_stream_open(&stream, "dropped"), ND_OK);
    CU_ASSERT_EQUAL(nd_own_stream_close(&stream, ND_ERR_FORMAT), ND_ERR_FORMAT);
    CU_ASSERT_NOT_EQUAL(access("dropped", F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access("dropped.partial", F_OK), 0);
    (void)symlink("target", "linked.partial");
    CU_ASSERT_EQUAL(nd_own_stream_open(&stream, "linked"), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(stream.to);
    CU_ASSERT_TRUE(target_is_whole());
}

static const nd_test tests[] = {
    {"streams", test_streams},         {"second names", test_second_names},
    {"a first line", test_first_line}, {"files of strangers", test_foreign},
    {"making files", test_making},     {"giving names", test_names},
    {"outputs", test_outputs},         {"folders", test_output_folders},
    {"locks", test_output_locks},      {"long names", test_long_names},
    {"other users", test_other_users}, {"batches", test_batches},
};

ND_SUITE(t_own_file, tests)
