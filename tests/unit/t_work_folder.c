/* Work folders and their manifest. */
#include "io/store/manifest.h"
#include "io/store/work_folder.h"
#include "tests/support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- Work folders: made, locked against other processes, cleared of what is ours and nothing
 * else. */

static char path_work_folder[512];

static void open_at(nd_work_folder *folder, const char *name) {
    (void)snprintf(path_work_folder, sizeof path_work_folder, "%s", nd_test_path(name));
    ND_TEST_MUST(nd_work_folder_open(folder, path_work_folder));
}

static void lock_at(nd_work_folder *folder, const char *name) {
    open_at(folder, name);
    ND_TEST_MUST(nd_work_folder_lock(folder));
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

ND_TEST("made, used again, discarded") {
    nd_work_folder folder;
    lock_at(&folder, "made");
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    nd_work_folder_close(&folder);
    nd_work_folder_close(&folder);
    lock_at(&folder, "made"); /* as it is there already */
    nd_work_folder_discard(&folder);
    CU_ASSERT_NOT_EQUAL(access(nd_test_path("made"), F_OK), 0);
}

ND_TEST("what cannot be a work folder") {
    nd_work_folder folder;
    open_at(&folder, "no/such");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("parent"));
    nd_work_folder_close(&folder);
    open_at(&folder, "");
    put_file(&folder, "plain", "");
    nd_work_folder_close(&folder);
    open_at(&folder, "plain");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("not a folder"));
    nd_work_folder_close(&folder);
    CU_ASSERT_EQUAL(nd_work_folder_open(&folder, ""), ND_ERR_USAGE);
    nd_work_folder_close(&folder);
    nd_work_folder_discard(&folder); /* of none nothing is taken away */
    nd_work_folder_unlock(&folder);
    CU_ASSERT_EQUAL_FATAL(symlink("nowhere", nd_test_path("dangling")), 0);
    open_at(&folder, "dangling");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("leads to no folder"));
    nd_work_folder_close(&folder);
}

/* One's own link to another disk is a work folder, another user's is not. */
ND_TEST("links of other users") {
    enum { ONE = 65534, OTHER = 65533 };
    nd_work_folder folder;
    char folder_path[512];
    if (geteuid() != 0) {
        printf("the links of others: only root can make them\n");
        return;
    }
    CU_ASSERT_EQUAL(chmod(nd_test_folder(), 0755), 0);
    (void)snprintf(folder_path, sizeof folder_path, "%s", nd_test_path("real"));
    CU_ASSERT_EQUAL_FATAL(mkdir(folder_path, 0777), 0);
    CU_ASSERT_EQUAL(chmod(folder_path, 0777), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("real", nd_test_path("linked")), 0);
    lock_at(&folder, "linked");
    nd_work_folder_unlock(&folder);
    CU_ASSERT_EQUAL_FATAL(lchown(nd_test_path("linked"), OTHER, OTHER), 0);
    open_at(&folder, "linked");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("is a symbolic link of another user"));
    nd_work_folder_close(&folder);
    CU_ASSERT_EQUAL_FATAL(lchown(nd_test_path("linked"), 0, 0), 0);
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

ND_TEST("locked by another process") {
    nd_work_folder folder;
    char process[32];
    char host[128] = "";
    open_at(&folder, "locked");
    const pid_t child = start_holder(&folder);
    (void)snprintf(process, sizeof process, "process %ld", (long)child);
    (void)gethostname(host, sizeof host - 1);
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said(process) && said(host) && said("Slurm job 4711"));
    CU_ASSERT_EQUAL(folder.lock, -1);
    nd_work_folder_discard(&folder); /* not locked, so nothing is removed */
    open_at(&folder, "locked");
    CU_ASSERT_TRUE(has_file(&folder, "lock"));
    end_child(child); /* a stale folder is nobody's */
    ND_TEST_OK(nd_work_folder_lock(&folder));
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
ND_TEST("a lock that goes away") {
    enum { PROCESSES = 4 };
    char busy[512];
    pid_t children[PROCESSES];
    (void)snprintf(busy, sizeof busy, "%s", nd_test_path("busy"));
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            _exit(take_turns(nd_test_path("turns"), busy) ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int code = 1;
        CU_ASSERT_EQUAL(waitpid(children[i], &code, 0), children[i]);
        CU_ASSERT_EQUAL(code, 0);
    }
    CU_ASSERT_NOT_EQUAL(access(nd_test_path("turns"), F_OK), 0);
}

ND_TEST("seen by the other processes of a job") {
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
ND_TEST("who owns it") {
    nd_work_folder folder;
    char owner[ND_LOCK_OWNER_SIZE];
    const char *job = getenv("SLURM_JOB_ID");
    ND_FREED char *before = job != NULL ? strdup(job) : NULL;
    CU_ASSERT_EQUAL(setenv("SLURM_JOB_ID", "4711", 1), 0);
    lock_at(&folder, "owned");
    (void)snprintf(owner, sizeof owner, "%s", folder.owner);
    CU_ASSERT_PTR_NOT_NULL(strstr(owner, "Slurm job 4711"));
    nd_work_folder_close(&folder); /* its file stays, as after a run that was killed */
    open_at(&folder, "owned");
    ND_TEST_OK(nd_work_folder_verify(&folder, owner));
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, "neardup run on host x, process 1"), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("not the folder that rank 0 sees"));
    put_file(&folder, "lock", "my own notes\n");
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, "my own notes"), ND_ERR_IO);
    put_file(&folder, "lock", "");
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, owner), ND_ERR_IO);
    CU_ASSERT_EQUAL(unlink(nd_test_path("owned/lock")), 0);
    CU_ASSERT_EQUAL(nd_work_folder_verify(&folder, owner), ND_ERR_IO);
    CU_ASSERT_EQUAL(unsetenv("SLURM_JOB_ID"), 0);
    ND_TEST_MUST(nd_work_folder_lock(&folder));
    CU_ASSERT_PTR_NULL(strstr(folder.owner, "Slurm"));
    nd_work_folder_discard(&folder);
    if (before != NULL) {
        CU_ASSERT_EQUAL(setenv("SLURM_JOB_ID", before, 1), 0);
    }
}

/* A process that has locked and not said yet who it is. */
ND_TEST("a lock without an owner") {
    nd_work_folder folder;
    open_at(&folder, "nameless");
    const pid_t child = start_holder(&folder);
    put_file(&folder, "lock", "");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder) && said("in use by a neardup run: wait"));
    end_child(child);
    ND_TEST_OK(nd_work_folder_lock(&folder));
    nd_work_folder_discard(&folder);
}

ND_TEST("a lock that is not ours") {
    nd_work_folder folder;
    char text[64] = "";
    (void)mkdir(nd_test_path("strange"), 0700);
    open_at(&folder, "strange");
    put_file(&folder, "lock", "my own notes\n");
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
    CU_ASSERT_TRUE(said("/lock") && said("not a lock of neardup"));
    nd_work_folder_close(&folder);
    FILE *file = fopen(nd_test_path("strange/lock"), "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(text, sizeof text, file));
    CU_ASSERT_STRING_EQUAL(text, "my own notes\n");
    (void)fclose(file);
}

/* What lies under the lock's name and is no lock is neither written nor waited for. */
ND_TEST("locks that others have planted") {
    nd_work_folder folder;
    struct stat info;
    (void)mkdir(nd_test_path("planted"), 0700);
    open_at(&folder, "planted");
    put_file(&folder, "target", "");
    static const char *const kinds[] = {"symbolic link", "not a lock", "not a lock"};
    for (int kind = 0; kind < 3; kind++) {
        char lock[512];
        (void)snprintf(lock, sizeof lock, "%s", nd_test_path("planted/lock"));
        CU_ASSERT_EQUAL_FATAL(kind == 0   ? symlink("target", lock)
                              : kind == 1 ? link(nd_test_path("planted/target"), lock)
                                          : mkfifo(lock, 0600),
                              0);
        CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_ERR_IO);
        CU_ASSERT_TRUE(said("/lock") && said(kinds[kind]));
        CU_ASSERT_TRUE(stat(nd_test_path("planted/target"), &info) == 0 && info.st_size == 0);
        CU_ASSERT_EQUAL(unlink(lock), 0);
    }
    nd_work_folder_close(&folder);
}

ND_TEST("paths of a folder's files") {
    nd_work_folder folder;
    lock_at(&folder, "holder");
    struct stat info;
    CU_ASSERT_TRUE(stat(folder.path, &info) == 0 && (info.st_mode & 0777) == 0700);
    CU_ASSERT_EQUAL_FATAL(symlink("holder", nd_test_path("other-name")), 0);
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, nd_test_path("holder/lock")));
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, nd_test_path("other-name/manifest.json")));
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, nd_test_path("other-name//spill-0-0")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, nd_test_path("holder/notes")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, nd_test_path("lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(nd_test_path("none"), nd_test_path("none/lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, nd_test_path("none/lock")));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "/dev/lock")); /* on another disk, mostly */
    CU_ASSERT_EQUAL_FATAL(chdir(folder.path), 0);
    CU_ASSERT_TRUE(nd_work_folder_holds(folder.path, "lock"));
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "notes"));
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    CU_ASSERT_FALSE(nd_work_folder_holds(folder.path, "lock"));
    nd_work_folder_discard(&folder);
}

/* ---- names and removing */

ND_TEST("names that are ours") {
    const char *ours[16], *others[32];
    const size_t our_count =
        ND_TEST_LIST("spill-0-0|spill-12-345|spill-1-2.tmp|checkpoint-1-pages-0-0|"
                     "checkpoint-18-a_b.c-7-99.tmp|manifest.json.tmp|standard-input-copy",
                     ours);
    const size_t other_count = ND_TEST_LIST(
        "spill-|spill-0|spill-0-|spill-0x1|checkpoint-1|checkpoint-1-pages|"
        "checkpoint-1-pages-x-0|checkpoint-1-pages-0x0|spill-0-0x|spill-a-0|my-spill-0-0|"
        "checkpoint-1-pages-0|checkpoint-1-pages-0-|checkpoint-x-pages-0-0|"
        "checkpoint-1-pages-0-0-notes|checkpoint.tar|manifest.jsonl|manifest.json|"
        "notes.part|standard-input-copy.txt|x.tmp",
        others);
    nd_work_folder folder;
    char name[NAME_MAX + 1];
    lock_at(&folder, "names");
    for (size_t i = 0; i < our_count; i++) {
        put_file(&folder, ours[i], "x");
    }
    for (size_t i = 0; i < other_count; i++) {
        put_file(&folder, others[i], "x");
    }
    nd_work_folder_part(UINT64_MAX, "first.second_3", 2147483647, UINT64_MAX, name);
    CU_ASSERT_STRING_EQUAL(
        name, "checkpoint-18446744073709551615-first.second_3-2147483647-18446744073709551615");
    put_file(&folder, name, "x");
    ND_TEST_OK(nd_work_folder_remove(&folder, NULL, 0, true));
    for (size_t i = 0; i < our_count; i++) {
        CU_ASSERT_FALSE(has_file(&folder, ours[i]));
    }
    for (size_t i = 0; i < other_count; i++) {
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

ND_TEST("remove what is ours") {
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
    ND_TEST_OK(nd_work_folder_remove(&folder, kept, 2, false));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        CU_ASSERT_EQUAL(has_file(&folder, files[i]), i == 1);
    }
    CU_ASSERT_TRUE(has_file(&folder, "spill-0-1"));
    ND_TEST_OK(nd_work_folder_remove(&folder, kept, 2, true));
    CU_ASSERT_FALSE(has_file(&folder, "spill-0-1"));
    CU_ASSERT_TRUE(has_file(&folder, "standard-input-copy")); /* a job may go on with it */
    ND_TEST_OK(nd_work_folder_remove(&folder, NULL, 0, false));
    CU_ASSERT_TRUE(has_file(&folder, "standard-input-copy"));
    ND_TEST_OK(nd_work_folder_remove(&folder, NULL, 0, true));
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
ND_TEST("what cannot be removed") {
    nd_work_folder folder;
    lock_at(&folder, "stuck");
    put_file(&folder, "spill-0-1", "x");
    CU_ASSERT_EQUAL(mkdir(nd_test_path("stuck/checkpoint-1-a-0-0"), 0700), 0);
    CU_ASSERT_EQUAL(mkdir(nd_test_path("stuck/checkpoint-1-a-0-1"), 0700), 0);
    put_file(&folder, "spill-0-2", "x");
    CU_ASSERT_EQUAL(nd_work_folder_remove(&folder, NULL, 0, true), ND_ERR_IO);
    CU_ASSERT_TRUE(said("stuck/checkpoint-1-a-0-0") || said("stuck/checkpoint-1-a-0-1"));
    CU_ASSERT_FALSE(has_file(&folder, "spill-0-1") || has_file(&folder, "spill-0-2"));
    nd_work_folder_close(&folder);
}

ND_TEST("free space") {
    nd_work_folder folder;
    uint64_t bytes = 0;
    open_at(&folder, "");
    ND_TEST_OK(nd_work_folder_free_bytes(&folder, &bytes));
    CU_ASSERT_TRUE(bytes > 0);
    nd_work_folder_close(&folder);
    open_at(&folder, "none");
    CU_ASSERT_EQUAL(nd_work_folder_free_bytes(&folder, &bytes), ND_ERR_IO);
    CU_ASSERT_TRUE(said(path_work_folder));
    CU_ASSERT_EQUAL(bytes, 0);
    nd_work_folder_close(&folder);
}

/* ---- Manifests: everything comes back as it went; damage, other versions and strange files are
 * said. */

static nd_status try(nd_manifest *manifest, const char *array, uint64_t record_size,
                     nd_manifest_piece piece) {
    piece.checksum = UINT64_MAX - piece.first;
    return nd_manifest_add_piece(manifest, array, record_size, &piece);
}

static void add(nd_manifest *manifest, const char *array, uint64_t first, uint64_t count) {
    ND_TEST_MUST(try(manifest, array, 16, (nd_manifest_piece){.first = first, .count = count}));
}

/* Arranged, so that it can be compared with what is read. */
static void fill(nd_manifest *manifest) {
    *manifest = (nd_manifest){.generation = UINT32_MAX - 1};
    nd_manifest_set_stage(manifest, "ingest");
    nd_manifest_set_stage(manifest, "sign");
    nd_manifest_set_number(manifest, "pages", 7);
    nd_manifest_set_text(manifest, "options", "\"a\\b\"/c\n\t\xc3\xa4\xff {}");
    nd_manifest_set_number(manifest, "most", UINT64_MAX);
    nd_manifest_set_number(manifest, "odd", (UINT64_C(1) << 53) + 1);
    nd_manifest_set_number(manifest, "pages", 0);
    nd_manifest_set_text(manifest, "empty", "");
    nd_manifest_piece piece = {
        .first = 5, .count = UINT64_MAX / 64 - 5, .generation = 1, .rank = 1};
    ND_TEST_OK(try(manifest, "pages", 16, piece));
    piece = (nd_manifest_piece){
        .first = UINT64_C(1) << 60, .count = 1, .generation = UINT32_MAX, .number = UINT32_MAX};
    ND_TEST_OK(try(manifest, "links", 8, piece));
    piece = (nd_manifest_piece){.count = 5, .generation = 1};
    ND_TEST_OK(try(manifest, "pages", 16, piece));
    ND_TEST_OK(nd_manifest_arrange(manifest));
}

static void format(const nd_manifest *manifest, nd_buffer *text) {
    *text = (nd_buffer){0};
    ND_TEST_MUST(nd_manifest_format(manifest, text));
}

/* Both arranged. */
static bool same_piece(const nd_manifest *x, const nd_manifest *y, size_t i) {
    const nd_manifest_piece *p = &x->pieces[i];
    const nd_manifest_piece *q = &y->pieces[i];
    char names[2][NAME_MAX + 1];
    nd_manifest_file(x, p, names[0]);
    nd_manifest_file(y, q, names[1]);
    return strcmp(names[0], names[1]) == 0 && p->first == q->first && p->count == q->count &&
           nd_manifest_array_of(x, p)->record_size == nd_manifest_array_of(y, q)->record_size &&
           p->checksum == q->checksum && p->dropped == q->dropped;
}

static bool same_value(const nd_manifest_value *x, const nd_manifest_value *y) {
    return x != NULL && y != NULL && x->number == y->number &&
           (x->text == NULL) == (y->text == NULL) &&
           (x->text == NULL || strcmp(x->text, y->text) == 0);
}

static bool same(const nd_manifest *x, const nd_manifest *y) {
    bool equal = x->generation == y->generation && (x->stage == NULL) == (y->stage == NULL) &&
                 (x->stage == NULL || strcmp(x->stage, y->stage) == 0) &&
                 x->value_count == y->value_count && x->piece_count == y->piece_count;
    for (size_t i = 0; equal && i < x->value_count; i++) {
        equal = same_value(&x->values[i], nd_manifest_find(y, x->values[i].name));
    }
    for (size_t i = 0; equal && i < x->piece_count; i++) {
        equal = same_piece(x, y, i);
    }
    return equal;
}

static nd_status parse(nd_manifest *manifest, const nd_buffer *text) {
    *manifest = (nd_manifest){0};
    return nd_manifest_parse(manifest, nd_buffer_span(text), "work/manifest.json");
}

/* ---- tests */

ND_TEST("round trip") {
    nd_manifest manifest;
    nd_manifest back;
    nd_buffer text;
    fill(&manifest);
    format(&manifest, &text);
    ND_TEST_OK(parse(&back, &text));
    CU_ASSERT_EQUAL(manifest.value_count, 5);
    CU_ASSERT_TRUE(same(&manifest, &back));
    CU_ASSERT_EQUAL(nd_manifest_find(&back, "most")->number, UINT64_MAX);
    CU_ASSERT_PTR_NULL(nd_manifest_find(&back, "least"));
    nd_manifest_free(&back);
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
    format(&manifest, &text); /* an empty one */
    ND_TEST_OK(parse(&back, &text));
    CU_ASSERT_PTR_NULL(back.stage);
    CU_ASSERT_EQUAL(back.piece_count + back.value_count + back.generation, 0);
    nd_manifest_free(&back);
    nd_buffer_free(&text);
}

ND_TEST("arrays and files") {
    ND_OWNED(nd_manifest_free) nd_manifest manifest;
    size_t count = 0;
    const char **files = NULL;
    fill(&manifest);
    const nd_manifest_piece *pieces = nd_manifest_array(&manifest, "pages", &count);
    CU_ASSERT_EQUAL_FATAL(count, 2);
    CU_ASSERT_EQUAL(pieces[0].first, 0);
    CU_ASSERT_EQUAL(pieces[1].first, 5);
    CU_ASSERT_PTR_NULL(nd_manifest_array(&manifest, "page", &count));
    CU_ASSERT_EQUAL(count, 0);
    CU_ASSERT_PTR_NOT_NULL(nd_manifest_array(&manifest, "links", &count));
    CU_ASSERT_EQUAL(count, 1);
    files = nd_manifest_files(&manifest);
    CU_ASSERT_STRING_EQUAL(files[0], "checkpoint-1-pages-0-0");
    CU_ASSERT_STRING_EQUAL(files[1], "checkpoint-1-pages-1-0");
    CU_ASSERT_STRING_EQUAL(files[2], "checkpoint-4294967295-links-0-4294967295");
    free(files);
}

ND_TEST("merging") {
    ND_OWNED(nd_manifest_free) nd_manifest manifest;
    ND_OWNED(nd_manifest_free) nd_manifest next = {0};
    size_t count = 0;
    fill(&manifest);
    manifest.pieces[0].dropped = true; /* the links */
    ND_TEST_OK(nd_manifest_merge(&next, &manifest, false));
    CU_ASSERT_EQUAL(next.value_count, 0);
    CU_ASSERT_PTR_NULL(nd_manifest_array(&next, "links", &count));
    CU_ASSERT_EQUAL(next.piece_count, 2);
    nd_manifest_set_number(&next, "options", 1);
    ND_TEST_OK(nd_manifest_merge(&next, &manifest, true));
    CU_ASSERT_EQUAL(next.value_count, manifest.value_count);
    CU_ASSERT_PTR_NOT_NULL(nd_manifest_find(&next, "options")->text);
    CU_ASSERT_EQUAL(nd_manifest_arrange(&next), ND_ERR_INTERNAL); /* the pages are there twice */
    CU_ASSERT_TRUE(said("pages"));
}

ND_TEST("overlapping pieces") {
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0};
    add(&manifest, "b", 12, 5);
    add(&manifest, "a", 15, 5);
    add(&manifest, "a", 10, 5);
    ND_TEST_OK(nd_manifest_arrange(&manifest));
    CU_ASSERT_EQUAL(try(&manifest, "a", 8, (nd_manifest_piece){.first = 20, .count = 1}),
                    ND_ERR_INTERNAL);
    CU_ASSERT_TRUE(said("size"));
    add(&manifest, "a", 14, 1);
    CU_ASSERT_EQUAL(nd_manifest_arrange(&manifest), ND_ERR_INTERNAL);
    CU_ASSERT_TRUE(said("record 14 of a"));
}

ND_TEST("holes") {
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0};
    add(&manifest, "a", 10, 5);
    add(&manifest, "a", 15, 5);
    add(&manifest, "b", 12, 5);
    ND_TEST_OK(nd_manifest_check_whole(&manifest, "m"));
    add(&manifest, "b", 18, 5);
    CU_ASSERT_EQUAL(nd_manifest_check_whole(&manifest, "m"), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(said("m: ") && said("record 17 of b"));
}

/* Checksums that were read stay in the next state, but for files that took another's place. */
ND_TEST("checksums of files") {
    ND_OWNED(nd_manifest_free) nd_manifest before;
    ND_OWNED(nd_manifest_free) nd_manifest now;
    fill(&before);
    fill(&now);
    add(&now, "aaa", 0, 3);
    now.pieces[1].number++;
    ND_TEST_OK(nd_manifest_arrange(&now));
    before.pieces[1].sums = nd_alloc(1, sizeof(uint64_t));
    before.pieces[2].sums = nd_alloc(1, sizeof(uint64_t));
    nd_manifest_take_sums(&now, &before);
    CU_ASSERT_EQUAL_FATAL(now.piece_count, 4);
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(now.pieces[i].sums != NULL, i == 3);
    }
    CU_ASSERT(before.pieces[1].sums != NULL && before.pieces[2].sums == NULL);
}

/* A large job's: nothing grows with its pieces but their places. */
ND_TEST("many pieces") {
    enum { PIECES = 150000, BYTES = 60 };
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0};
    ND_OWNED(nd_manifest_free) nd_manifest back;
    nd_buffer text;
    for (uint32_t i = 0; i < PIECES; i++) {
        const nd_manifest_piece piece = {.first = UINT64_C(1000000) * (PIECES - i),
                                         .count = 1000000,
                                         .generation = 30,
                                         .rank = i % 1600,
                                         .number = i};
        ND_TEST_OK(try(&manifest, i % 3 == 0 ? "ingest.text" : "units", 8, piece));
    }
    ND_TEST_OK(nd_manifest_arrange(&manifest));
    format(&manifest, &text);
    CU_ASSERT(text.size < (size_t)PIECES * BYTES);
    ND_TEST_OK(parse(&back, &text));
    CU_ASSERT_TRUE(same(&manifest, &back));
    nd_buffer_free(&text);
}

/* Every byte changed, and every length: never taken for a whole manifest. */
ND_TEST("damage anywhere") {
    ND_OWNED(nd_manifest_free) nd_manifest manifest;
    nd_manifest back;
    ND_OWNED(nd_buffer_free) nd_buffer text;
    nd_random random = nd_test_random("damage");
    fill(&manifest);
    format(&manifest, &text);
    const size_t size = text.size;
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = text.data[i];
        text.data[i] ^= (uint8_t)(1 + nd_random_below(&random, 255));
        CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
        CU_ASSERT_TRUE(said("work/manifest.json"));
        text.data[i] = byte;
        text.size = i;
        CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
        text.size = size;
    }
    nd_buffer_append_text(&text, "\n");
    CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(said("checksum"));
}

ND_TEST("another version") {
    static const char field[] = "\"format_version\":";
    ND_OWNED(nd_manifest_free) nd_manifest manifest;
    nd_manifest back;
    ND_OWNED(nd_buffer_free) nd_buffer text;
    fill(&manifest);
    format(&manifest, &text);
    nd_buffer_append(&text, "", 1);
    text.size--;
    char *digit = strstr((char *)text.data, field);
    CU_ASSERT_PTR_NOT_NULL_FATAL(digit);
    digit[strlen(field)] = '8';
    CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(said("work/manifest.json") && said("version 8") && said(ND_VERSION));
}

ND_TEST("not a manifest nd_test_path all") {
    static const char *const texts[] = {"{}", "[]", "{\"format\":\"package\",\"format_version\":1}",
                                        "#!/bin/sh\n", "null"};
    nd_manifest back;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer text = {0};
        nd_buffer_append_text(&text, texts[i]);
        CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
        CU_ASSERT_TRUE(said("work/manifest.json"));
    }
}

/* A text of these members with the right checksum, as only a hand can have made it. */
static void check_members(const char *members, nd_status status) {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    ND_OWNED(nd_manifest_free) nd_manifest back;
    char tail[64];
    nd_buffer_append_text(&text, members);
    (void)snprintf(tail, sizeof tail, ",\n\"checksum\":\"%016" PRIx64 "\"}\n",
                   (uint64_t)XXH3_64bits(text.data, text.size));
    nd_buffer_append_text(&text, tail);
    const nd_status st = parse(&back, &text);
    if (st != status) {
        printf("%s: %d\n", members, (int)st);
    }
    CU_ASSERT_EQUAL(st, status);
}

ND_TEST("made by hand") {
#define HEAD  "{\"format\":\"neardup-work\",\"format_version\":12,"
#define WHOLE HEAD "\"generation\":1,\"numbers\":{},\"texts\":{},"
#define ARRAY(name, size, pieces)                                                                  \
    WHOLE "\"arrays\":{\"" name "\":{\"record_size\":" size ",\"pieces\":" pieces "}}"
#define PIECE(piece) ARRAY("a", "8", "\"" piece "\"")
    static const char *const wrong[] = {
        HEAD "\"numbers\":{},\"texts\":{},\"arrays\":{}",
        HEAD "\"generation\":\"1\",\"numbers\":{},\"texts\":{},\"arrays\":{}",
        HEAD "\"generation\":4294967295,\"numbers\":{},\"texts\":{},\"arrays\":{}",
        WHOLE "\"arrays\":[]",
        HEAD "\"generation\":1,\"numbers\":[],\"texts\":{},\"arrays\":{}",
        HEAD "\"generation\":1,\"numbers\":{},\"arrays\":{}",
        HEAD "\"generation\":1,\"numbers\":{\"n\":\"1\"},\"texts\":{},\"arrays\":{}",
        HEAD "\"generation\":1,\"numbers\":{},\"texts\":{\"t\":1},\"arrays\":{}",
        WHOLE "\"arrays\":{\"a\":1}",
        ARRAY("../a", "8", "\"0 1 1 0 0 1\""),
        ARRAY("a-b", "8", "\"0 1 1 0 0 1\""),
        ARRAY("", "8", "\"0 1 1 0 0 1\""),
        ARRAY("a", "0", "\"0 1 1 0 0 1\""),
        ARRAY("a", "\"8\"", "\"0 1 1 0 0 1\""),
        ARRAY("a", "8", "1"),
        PIECE(""),
        PIECE("0 0 1 0 0 1"),
        PIECE("0 1 1 0 0 x"),
        PIECE("0 1 1 0 0 "),
        PIECE("0 1 1 0 0"),
        PIECE("0 1 1 0 0 1 1"),
        PIECE("0 1 1 0 0 1,"),
        PIECE("0 1 1 0 0 1, 1 1 1 0 1 1"),
        PIECE("0 1 1 0 0 11111111111111111"),
        PIECE("-0 1 1 0 0 1"),
        PIECE("a 1 1 0 0 1"),
        PIECE("0  1 1 0 0 1"),
        PIECE("0 1 4294967296 0 0 1"),
        PIECE("0 1 1 2147483648 0 1"),
        PIECE("0 1 1 0 4294967296 1"),
        PIECE("18446744073709551615 2 1 0 0 1"),
        PIECE("0 2305843009213693952 1 0 0 1"),
        PIECE("0 2 1 0 0 1,1 2 1 0 1 1"),
        ("{\"format\":\"other\",\"format_version\":12,\"generation\":1,\"numbers\":{},\"texts\":{},"
         "\"arrays\":{}"),
        "[\"neardup-work\"",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        check_members(wrong[i], ND_ERR_FORMAT);
    }
    check_members(WHOLE "\"arrays\":{}", ND_OK);
    check_members(PIECE("3 2 1 0 0 1f"), ND_OK);
    check_members(PIECE("3 2 1 0 0 1f,5 1 4294967295 2147483647 4294967295 ffffffffffffffff"),
                  ND_OK);
}

ND_TEST("as a file") {
    char path[512];
    ND_OWNED(nd_manifest_free) nd_manifest manifest;
    ND_OWNED(nd_buffer_free) nd_buffer text;
    ND_OWNED(nd_buffer_free) nd_buffer back = {0};
    bool found = true;
    fill(&manifest);
    format(&manifest, &text);
    (void)snprintf(path, sizeof path, "%s/manifest.json", nd_test_folder());
    ND_TEST_OK(nd_manifest_read(&back, path, &found));
    CU_ASSERT_FALSE(found);
    ND_TEST_OK(nd_manifest_write((nd_span){(const uint8_t *)"old", 3}, path));
    ND_TEST_OK(nd_manifest_write(nd_buffer_span(&text), path));
    ND_TEST_OK(nd_manifest_read(&back, path, &found));
    CU_ASSERT_TRUE(found && back.size == text.size && memcmp(back.data, text.data, text.size) == 0);
    CU_ASSERT_EQUAL(nd_manifest_read(&back, nd_test_folder(), &found), ND_ERR_IO);
    (void)snprintf(path, sizeof path, "%s/none/manifest.json", nd_test_folder());
    CU_ASSERT_EQUAL(nd_manifest_write(nd_buffer_span(&text), path), ND_ERR_IO);
    CU_ASSERT_TRUE(said("none/manifest.json"));
}
