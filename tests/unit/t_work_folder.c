/* Work folders: made, locked against other processes, cleared of what is ours and nothing else. */
#include "io/store/work_folder.h"
#include "tests/support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[512];

/* `name` in the folder of the tests. */
static const char *at(const char *name) {
    static char other[512];
    (void)snprintf(other, sizeof other, "%s/%s", nd_test_folder(), name);
    return other;
}

static void open_at(nd_work_folder *folder, const char *name) {
    (void)snprintf(path, sizeof path, "%s", at(name));
    CU_ASSERT_EQUAL_FATAL(nd_work_folder_open(folder, path), ND_OK);
}

static void lock_at(nd_work_folder *folder, const char *name) {
    open_at(folder, name);
    CU_ASSERT_EQUAL_FATAL(nd_work_folder_lock(folder), ND_OK);
}

static void put_file(const nd_work_folder *folder, const char *name, const char *text) {
    char file_path[ND_WORK_PATH_SIZE];
    nd_work_folder_join(folder, name, file_path);
    FILE *file = fopen(file_path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_TRUE(fputs(text, file) >= 0);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

static bool has_file(const nd_work_folder *folder, const char *name) {
    char file_path[ND_WORK_PATH_SIZE];
    nd_work_folder_join(folder, name, file_path);
    return access(file_path, F_OK) == 0;
}

static bool said(const char *text) {
    return strstr(nd_fail_text(), text) != NULL && strchr(nd_fail_text(), '\n') == NULL;
}

/* ---- making */

static void test_make(void) {
    nd_work_folder folder;
    lock_at(&folder, "made");
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    nd_work_folder_close(&folder);
    nd_work_folder_close(&folder);
    lock_at(&folder, "made"); /* as it is there already */
    nd_work_folder_discard(&folder);
    CU_ASSERT_NOT_EQUAL(access(at("made"), F_OK), 0);
}

static void test_cannot_make(void) {
    nd_work_folder folder;
    open_at(&folder, "no/such");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("parent"));
    nd_work_folder_close(&folder);
    open_at(&folder, "");
    put_file(&folder, "plain", "");
    nd_work_folder_close(&folder);
    open_at(&folder, "plain");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("not a folder"));
    nd_work_folder_close(&folder);
    CU_ASSERT_EQUAL(nd_work_folder_open(&folder, ""), ND_ERR_USAGE);
    nd_work_folder_close(&folder);
    nd_work_folder_discard(&folder); /* of none nothing is taken away */
    nd_work_folder_unlock(&folder);
    CU_ASSERT_EQUAL_FATAL(symlink("nowhere", at("dangling")), 0);
    open_at(&folder, "dangling");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("leads to no folder"));
    nd_work_folder_close(&folder);
}

/* One's own link to another disk is a work folder, another user's is not. */
static void test_links_of_others(void) {
    enum { ONE = 65534, OTHER = 65533 };
    nd_work_folder folder;
    char folder_path[512];
    if (geteuid() != 0) {
        printf("the links of others: only root can make them\n");
        return;
    }
    CU_ASSERT_EQUAL(chmod(nd_test_folder(), 0755), 0);
    (void)snprintf(folder_path, sizeof folder_path, "%s", at("real"));
    CU_ASSERT_EQUAL_FATAL(mkdir(folder_path, 0777), 0);
    CU_ASSERT_EQUAL(chmod(folder_path, 0777), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("real", at("linked")), 0);
    lock_at(&folder, "linked");
    nd_work_folder_unlock(&folder);
    CU_ASSERT_EQUAL_FATAL(lchown(at("linked"), OTHER, OTHER), 0);
    open_at(&folder, "linked");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("is a symbolic link of another user"));
    nd_work_folder_close(&folder);
    CU_ASSERT_EQUAL_FATAL(lchown(at("linked"), 0, 0), 0);
    CU_ASSERT_EQUAL_FATAL(seteuid(ONE), 0);
    lock_at(&folder, "linked"); /* root may place links for others */
    nd_work_folder_unlock(&folder);
    CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
    CU_ASSERT_EQUAL(rmdir(folder_path), 0);
}

/* ---- the lock */

/* A child process that locks the folder and waits to be killed. \return its number */
static pid_t start_holder(const nd_work_folder *folder) {
    int ready[2];
    char byte = 0;
    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        nd_work_folder mine;
        (void)setenv("SLURM_JOB_ID", "4711", 1);
        byte =
            nd_work_folder_open(&mine, folder->path) == ND_OK && nd_work_folder_lock(&mine) == ND_OK
                ? 'y'
                : 'n';
        (void)!write(ready[1], &byte, 1);
        for (;;) {
            (void)pause();
        }
    }
    CU_ASSERT_TRUE_FATAL(child > 0);
    CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
    CU_ASSERT_EQUAL(byte, 'y');
    (void)close(ready[0]);
    (void)close(ready[1]);
    return child;
}

static void end_child(pid_t child) {
    CU_ASSERT_EQUAL(kill(child, SIGKILL), 0);
    CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
}

static void test_locked_by_another(void) {
    nd_work_folder folder;
    char process[32];
    char host[128] = "";
    open_at(&folder, "locked");
    const pid_t child = start_holder(&folder);
    (void)snprintf(process, sizeof process, "process %ld", (long)child);
    (void)gethostname(host, sizeof host - 1);
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said(process) && said(host) && said("Slurm job 4711"));
    CU_ASSERT_EQUAL(folder.lock, -1);
    nd_work_folder_discard(&folder); /* not locked, so nothing is removed */
    open_at(&folder, "locked");
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    end_child(child); /* a stale folder is nobody's */
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_OK);
    nd_work_folder_discard(&folder);
}

/* The exit code of a child that verifies; the process that holds the lock must not. */
static int verify_in_child(const nd_work_folder *folder, const char *owner) {
    int code = 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(nd_work_folder_verify(folder, owner) == ND_OK ? 10 : 20);
    }
    CU_ASSERT_EQUAL(waitpid(child, &code, 0), child);
    return WEXITSTATUS(code);
}

/* Lock and discard again and again. \return whether no other process ever held the lock meanwhile
 * and nothing failed but for one that did */
static bool take_turns(const char *folder_path, const char *busy_path) {
    bool alone = true;
    for (int done = 0; done < 50 && alone;) {
        nd_work_folder folder;
        alone = nd_work_folder_open(&folder, folder_path) == ND_OK;
        if (alone && nd_work_folder_lock(&folder) == ND_OK) {
            const int busy = open(busy_path, O_CREAT | O_EXCL | O_WRONLY, 0600);
            alone = busy >= 0 && close(busy) == 0 && unlink(busy_path) == 0;
            done++;
        } else {
            alone = alone && said("in use by");
            (void)sched_yield();
        }
        nd_work_folder_discard(&folder);
    }
    if (!alone) {
        (void)fprintf(stderr, "process %ld: %s\n", (long)getpid(), nd_fail_text());
    }
    return alone;
}

/* The one that discards removes the file that the others are about to lock. */
static void test_lock_that_goes_away(void) {
    enum { PROCESSES = 4 };
    char busy[512];
    pid_t children[PROCESSES];
    (void)snprintf(busy, sizeof busy, "%s", at("busy"));
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            _exit(take_turns(at("turns"), busy) ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int code = 1;
        CU_ASSERT_EQUAL(waitpid(children[i], &code, 0), children[i]);
        CU_ASSERT_EQUAL(code, 0);
    }
    CU_ASSERT_NOT_EQUAL(access(at("turns"), F_OK), 0);
}

static void test_verify(void) {
    nd_work_folder folder;
    nd_work_folder other;
    lock_at(&folder, "verified");
    open_at(&other, "elsewhere");
    CU_ASSERT_EQUAL(verify_in_child(&folder, folder.owner), 10);
    CU_ASSERT_EQUAL(verify_in_child(&folder, "neardup run on host x, process 1"), 20);
    CU_ASSERT_EQUAL(verify_in_child(&other, folder.owner), 20);
    nd_work_folder_close(&other);
    nd_work_folder_discard(&folder);
}

/* Who has not the lock, and sees the folder or another one, says which; the owner names its job. */
static void test_owner(void) {
    nd_work_folder folder;
    char owner[ND_LOCK_OWNER_SIZE];
    const char *job = getenv("SLURM_JOB_ID");
    char *before = job != NULL ? strdup(job) : NULL;
    CU_ASSERT_EQUAL(setenv("SLURM_JOB_ID", "4711", 1), 0);
    lock_at(&folder, "owned");
    (void)snprintf(owner, sizeof owner, "%s", folder.owner);
    CU_ASSERT_PTR_NOT_NULL(strstr(owner, "Slurm job 4711"));
    nd_work_folder_close(&folder); /* its file stays, as after a run that was killed */
    open_at(&folder, "owned");
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, owner), ND_OK);
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, "neardup run on host x, process 1"), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("not the folder that rank 0 sees"));
    put_file(&folder, "lock", "my own notes\n");
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, "my own notes"), ND_ERR_IO);
    put_file(&folder, "lock", "");
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, owner), ND_ERR_IO);
    CU_ASSERT_EQUAL(unlink(at("owned/lock")), 0);
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, owner), ND_ERR_IO);
    CU_ASSERT_EQUAL(unsetenv("SLURM_JOB_ID"), 0);
    CU_ASSERT_EQUAL_FATAL(nd_work_folder_lock(&folder), ND_OK);
    CU_ASSERT_PTR_NULL(strstr(folder.owner, "Slurm"));
    nd_work_folder_discard(&folder);
    if (before != NULL) {
        CU_ASSERT_EQUAL(setenv("SLURM_JOB_ID", before, 1), 0);
    }
    free(before);
}

/* A process that has locked and not said yet who it is. */
static void test_lock_without_owner(void) {
    nd_work_folder folder;
    open_at(&folder, "nameless");
    const pid_t child = start_holder(&folder);
    put_file(&folder, "lock", "");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path) && said("in use by a neardup run: wait"));
    end_child(child);
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_OK);
    nd_work_folder_discard(&folder);
}

static void test_lock_of_others(void) {
    nd_work_folder folder;
    char text[64] = "";
    (void)mkdir(at("strange"), 0700);
    open_at(&folder, "strange");
    put_file(&folder, "lock", "my own notes\n");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said("/lock") && said("not a lock of neardup"));
    nd_work_folder_close(&folder);
    FILE *file = fopen(at("strange/lock"), "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(text, sizeof text, file));
    CU_ASSERT_STRING_EQUAL(text, "my own notes\n");
    (void)fclose(file);
}

/* What lies under the lock's name and is no lock is neither written nor waited for. */
static void test_planted_locks(void) {
    nd_work_folder folder;
    struct stat info;
    (void)mkdir(at("planted"), 0700);
    open_at(&folder, "planted");
    put_file(&folder, "target", "");
    static const char *const kinds[] = {"symbolic link", "not a lock", "not a lock"};
    for (int kind = 0; kind < 3; kind++) {
        char lock[512];
        (void)snprintf(lock, sizeof lock, "%s", at("planted/lock"));
        CU_ASSERT_EQUAL_FATAL(kind == 0   ? symlink("target", lock)
                              : kind == 1 ? link(at("planted/target"), lock)
                                          : mkfifo(lock, 0600),
                              0);
        CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
        CU_ASSERT_TRUE(said("/lock") && said(kinds[kind]));
        CU_ASSERT_TRUE(stat(at("planted/target"), &info) == 0 && info.st_size == 0);
        CU_ASSERT_EQUAL(unlink(lock), 0);
    }
    nd_work_folder_close(&folder);
}

static void test_holds(void) {
    nd_work_folder folder;
    lock_at(&folder, "holder");
    struct stat info;
    CU_ASSERT_TRUE(stat(folder.path, &info) == 0 && (info.st_mode & 0777) == 0700);
    CU_ASSERT_EQUAL_FATAL(symlink("holder", at("other-name")), 0);
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, at("holder/lock")));
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, at("other-name/manifest.json")));
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, at("other-name//spill-0-0")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, at("holder/notes")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, at("lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(at("none"), at("none/lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, at("none/lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "/dev/lock")); /* on another disk, mostly */
    CU_ASSERT_EQUAL_FATAL(chdir(folder.path), 0);
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, "lock"));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "notes"));
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "lock"));
    nd_work_folder_discard(&folder);
}

/* ---- names and removing */

static void test_names(void) {
    static const char *const ours[] = {"spill-0-0",
                                       "spill-12-345",
                                       "spill-1-2.tmp",
                                       "checkpoint-1-pages-0-0",
                                       "checkpoint-18-a_b.c-7-99.tmp",
                                       "manifest.json.tmp",
                                       "standard-input-copy"};
    static const char *const others[] = {"spill-",
                                         "spill-0",
                                         "spill-0-",
                                         "spill-0x1",
                                         "checkpoint-1",
                                         "checkpoint-1-pages",
                                         "checkpoint-1-pages-x-0",
                                         "checkpoint-1-pages-0x0",
                                         "spill-0-0x",
                                         "spill-a-0",
                                         "my-spill-0-0",
                                         "checkpoint-1-pages-0",
                                         "checkpoint-1-pages-0-",
                                         "checkpoint-x-pages-0-0",
                                         "checkpoint-1-pages-0-0-notes",
                                         "checkpoint.tar",
                                         "manifest.jsonl",
                                         "manifest.json",
                                         "notes.part",
                                         "standard-input-copy.txt",
                                         "x.tmp"};
    nd_work_folder folder;
    char name[NAME_MAX + 1];
    lock_at(&folder, "names");
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        put_file(&folder, ours[i], "x");
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        put_file(&folder, others[i], "x");
    }
    nd_work_folder_part(UINT64_MAX, "first.second_3", 2147483647, UINT64_MAX, name);
    CU_ASSERT_STRING_EQUAL(
        name, "checkpoint-18446744073709551615-first.second_3-2147483647-18446744073709551615");
    put_file(&folder, name, "x");
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, NULL, 0, true), ND_OK);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        CU_ASSERT_FALSE(has_file(&folder, ours[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_TRUE(has_file(&folder, others[i]));
    }
    CU_ASSERT_FALSE(has_file(&folder, name));
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    CU_ASSERT_TRUE(nd_work_folder_is_array("first.second_3"));
    CU_ASSERT_FALSE(nd_work_folder_is_array("../up"));
    CU_ASSERT_FALSE(nd_work_folder_is_array("a-b"));
    CU_ASSERT_FALSE(nd_work_folder_is_array(""));
    nd_work_folder_discard(&folder);
}

static void test_remove(void) {
    static const char *const files[] = {"checkpoint-1-a-0-0", "checkpoint-1-a-1-0",
                                        "checkpoint-2-a-0-0.tmp", "manifest.json.tmp"};
    static const char *const kept[] = {"checkpoint-1-a-1-0", "checkpoint-1-b-0-0"};
    nd_work_folder folder;
    lock_at(&folder, "removing");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put_file(&folder, files[i], "x");
    }
    put_file(&folder, "manifest.json", "x");
    put_file(&folder, "thesis.tex", "x");
    put_file(&folder, "spill-0-1", "x");
    put_file(&folder, "standard-input-copy", "x");
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, kept, 2, false), ND_OK);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        CU_ASSERT_EQUAL(has_file(&folder, files[i]), i == 1);
    }
    CU_ASSERT_TRUE(has_file(&folder, "spill-0-1"));
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, kept, 2, true), ND_OK);
    CU_ASSERT_FALSE(has_file(&folder, "spill-0-1"));
    CU_ASSERT_TRUE(has_file(&folder, "standard-input-copy")); /* a job may go on with it */
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, NULL, 0, false), ND_OK);
    CU_ASSERT_TRUE(has_file(&folder, "standard-input-copy"));
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, NULL, 0, true), ND_OK);
    CU_ASSERT_FALSE(has_file(&folder, "standard-input-copy"));
    CU_ASSERT_TRUE(has_file(&folder, "manifest.json"));
    CU_ASSERT_TRUE(has_file(&folder, "thesis.tex"));
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    nd_work_folder_discard(&folder);
    open_at(&folder, "removing");
    CU_ASSERT_FALSE(has_file(&folder, "manifest.json"));
    CU_ASSERT_FALSE(has_file(&folder, kept[0]));
    CU_ASSERT_FALSE(has_file(&folder, "lock"));
    CU_ASSERT_TRUE(has_file(&folder, "thesis.tex"));
    nd_work_folder_close(&folder);
}

/* What stands in the way is said, and the rest is removed all the same. */
static void test_cannot_remove(void) {
    nd_work_folder folder;
    lock_at(&folder, "stuck");
    put_file(&folder, "spill-0-1", "x");
    CU_ASSERT_EQUAL(mkdir(at("stuck/checkpoint-1-a-0-0"), 0700), 0);
    CU_ASSERT_EQUAL(mkdir(at("stuck/checkpoint-1-a-0-1"), 0700), 0);
    put_file(&folder, "spill-0-2", "x");
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, NULL, 0, true), ND_ERR_IO);
    CU_ASSERT_TRUE(said("stuck/checkpoint-1-a-0-0") || said("stuck/checkpoint-1-a-0-1"));
    CU_ASSERT_FALSE(has_file(&folder, "spill-0-1") || has_file(&folder, "spill-0-2"));
    nd_work_folder_close(&folder);
}

static void test_free_bytes(void) {
    nd_work_folder folder;
    uint64_t bytes = 0;
    open_at(&folder, "");
    CU_ASSERT_EQUAL(nd_work_folder_free_bytes(&folder, &bytes), ND_OK);
    CU_ASSERT_TRUE(bytes > 0);
    nd_work_folder_close(&folder);
    open_at(&folder, "none");
    CU_ASSERT_EQUAL(nd_work_folder_free_bytes(&folder, &bytes), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path));
    CU_ASSERT_EQUAL(bytes, 0);
    nd_work_folder_close(&folder);
}

static const nd_test tests[] = {
    {"made, used again, discarded", test_make},
    {"what cannot be a work folder", test_cannot_make},
    {"locked by another process", test_locked_by_another},
    {"a lock that goes away", test_lock_that_goes_away},
    {"seen by the other processes of a job", test_verify},
    {"who owns it", test_owner},
    {"a lock without an owner", test_lock_without_owner},
    {"links of other users", test_links_of_others},
    {"a lock that is not ours", test_lock_of_others},
    {"locks that others have planted", test_planted_locks},
    {"paths of a folder's files", test_holds},
    {"names that are ours", test_names},
    {"remove what is ours", test_remove},
    {"what cannot be removed", test_cannot_remove},
    {"free space", test_free_bytes},
};

ND_SUITE(t_work_folder, tests)
