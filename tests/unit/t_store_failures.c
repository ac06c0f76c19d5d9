/* The program's own files and the memory behind them, with each call failing in turn: a failure is
 * said, names with a final meaning are there only when their files are complete, and where the work
 * ends well it has kept what was given. */
#include "io/store/external_sort.h"
#include "io/store/foreign_file.h"
#include "io/store/manifest.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "io/store/packing.h"
#include "io/store/page_store.h"
#include "io/store/spool.h"
#include "io/store/work_folder.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

/* `name` in the folder of the tests, in one of a few buffers. */
static const char *at(const char *name) {
    static char paths[4][PATH_SIZE];
    static size_t turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, PATH_SIZE, "%s/%s", nd_test_folder(), name);
    return path;
}

/* ---- pages in memory and in files */

enum { PAGES = 40, TOKENS = 30, SENTENCES = 3 };

static void fill_page(size_t i, nd_stored_page *page, uint32_t *tokens,
                      nd_sentence_digest *sentences) {
    *page = (nd_stored_page){.token_count = TOKENS, .sentence_count = SENTENCES};
    memset(sentences, 0, SENTENCES * sizeof *sentences);
    for (size_t k = 0; k < TOKENS; k++) {
        tokens[k] = (uint32_t)(i * TOKENS + k);
    }
    for (size_t k = 0; k < SENTENCES; k++) {
        sentences[k].token_count = TOKENS / SENTENCES;
    }
}

static nd_status choose_first(void *context, size_t index, const nd_document *document,
                              bool *keep) {
    (void)context;
    keep[0] = index % 2 == 0 && document->sentence_count == SENTENCES;
    return ND_OK;
}

static nd_status keep_pages(void) {
    nd_status st = ND_OK;
    nd_spool_folder folder = {.path = at("spill")};
    nd_page_store store = {.folder = &folder, .memory = 6000};
    nd_stored_page page;
    uint32_t tokens[TOKENS];
    nd_sentence_digest sentences[SENTENCES];
    nd_document document;
    nd_page_claim claim = {.payload = 7}, found;
    nd_span id, url;
    for (size_t i = 0; i < PAGES; i++) {
        fill_page(i, &page, tokens, sentences);
        ND_TRY(nd_page_store_append(&store, &page, tokens, sentences, nd_test_span("id"),
                                    nd_test_span("http://a/")));
        ND_TRY(nd_page_store_append_claim(&store, &claim));
    }
    ND_TRY(nd_page_store_select(&store, choose_first, NULL));
    for (size_t i = 0; i < PAGES; i++) {
        fill_page(i, &page, tokens, sentences);
        ND_TRY(nd_page_store_document(&store, i, &document));
        CU_ASSERT_EQUAL(document.token_count, i % 2 == 0 ? TOKENS / SENTENCES : 0);
        CU_ASSERT(document.token_count == 0 ||
                  memcmp(document.tokens, tokens, document.token_count * sizeof *tokens) == 0);
        ND_TRY(nd_page_store_names(&store, i, &id, &url));
        CU_ASSERT(id.size == 2 && url.size == 9 && memcmp(url.data, "http://a/", 9) == 0);
        ND_TRY(nd_page_store_claim(&store, i, &found));
        CU_ASSERT_EQUAL(found.payload, 7);
    }
out:
    nd_page_store_free(&store);
    return st;
}

static void test_pages(void) {
    CU_ASSERT(nd_test_all_failures(keep_pages, NULL) >= nd_test_rounds(30));
}

/* ---- texts sorted in a file */

static nd_status sort_lines(void) {
    enum { LINES = 3000 };
    nd_status st = ND_OK;
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0;
    char line[256];
    ND_TRY(nd_line_sort_open(1, &sort));
    for (uint64_t i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%0200d", (int)(i * 7 % LINES));
        ND_TRY(nd_line_sort_add(sort, nd_test_span(line), i));
    }
    for (int i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%0200d", i);
        ND_TRY(nd_line_sort_next(sort, &text, &number));
        CU_ASSERT(text.size == 200 && memcmp(text.data, line, 200) == 0);
        CU_ASSERT_EQUAL(number * 7 % LINES, (uint64_t)i);
    }
    CU_ASSERT(nd_line_sort_runs(sort) > 1);
    st = nd_line_sort_next(sort, &text, &number) == ND_END ? ND_OK : ND_ERR_INTERNAL;
out:
    nd_line_sort_close(&sort);
    return st;
}

static void test_lines(void) {
    CU_ASSERT(nd_test_all_failures(sort_lines, NULL) >= 20);
}

/* ---- manifests */

static nd_status write_manifest(void) {
    nd_status st = ND_OK;
    nd_manifest manifest = {0}, other = {0};
    nd_buffer text = {0}, again = {0};
    const char **files = NULL;
    bool found = false;
    size_t count = 0;
    const nd_manifest_piece piece = {.count = 5, .checksum = 77, .generation = 1};
    const char *path = at("manifest.json");
    nd_manifest_set_stage(&manifest, "sign");
    nd_manifest_set_number(&manifest, "pages", 7);
    nd_manifest_set_text(&manifest, "text", "of \"one\"");
    nd_manifest_set_text(&manifest, "text", "of two");
    ND_TRY(nd_manifest_add_piece(&manifest, "pages", 16, &piece));
    ND_TRY(nd_manifest_merge(&other, &manifest, true));
    nd_manifest_set_stage(&other, "sign");
    ND_TRY(nd_manifest_arrange(&other));
    files = nd_manifest_files(&other);
    CU_ASSERT_STRING_EQUAL(files[0], "checkpoint-1-pages-0-0");
    ND_TRY(nd_manifest_format(&other, &text));
    ND_TRY(nd_manifest_write(nd_buffer_span(&text), path));
    ND_TRY(nd_manifest_read(&again, path, &found));
    CU_ASSERT(found && again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    nd_manifest_free(&manifest);
    ND_TRY(nd_manifest_parse(&manifest, nd_buffer_span(&again), path));
    CU_ASSERT_EQUAL(nd_manifest_find(&manifest, "pages")->number, 7);
    CU_ASSERT_STRING_EQUAL(nd_manifest_find(&manifest, "text")->text, "of two");
    CU_ASSERT_EQUAL(nd_manifest_array(&manifest, "pages", &count)->checksum, 77);
    CU_ASSERT_EQUAL(count, 1);
out:
    free(files);
    nd_buffer_free(&text);
    nd_buffer_free(&again);
    nd_manifest_free(&manifest);
    nd_manifest_free(&other);
    return st;
}

/* What is there of that name is whole. */
static void check_manifest(void) {
    nd_manifest manifest = {0};
    nd_buffer text = {0};
    bool found = false;
    const char *path = at("manifest.json");
    CU_ASSERT_EQUAL(nd_manifest_read(&text, path, &found), ND_OK);
    CU_ASSERT(!found || nd_manifest_parse(&manifest, nd_buffer_span(&text), path) == ND_OK);
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
    (void)unlink(path);
}

static void test_manifests(void) {
    CU_ASSERT(nd_test_all_failures(write_manifest, check_manifest) >= 20);
}

/* ---- work folders */

static nd_status use_folder(void) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    uint64_t bytes = 0;
    char path[ND_WORK_PATH_SIZE], name[NAME_MAX + 1];
    int descriptor = -1;
    ND_TRY(nd_work_folder_open(&folder, at("work")));
    ND_TRY(nd_work_folder_lock(&folder));
    ND_TRY(nd_work_folder_free_bytes(&folder, &bytes));
    CU_ASSERT(bytes > 0);
    for (int rank = 0; rank < 2; rank++) {
        nd_work_folder_part(1, "pages", rank, 3, name);
        nd_work_folder_join(&folder, name, path);
        ND_TRY(nd_own_file_remake(path, &descriptor));
        (void)close(descriptor);
    }
    const char *const kept[] = {"checkpoint-1-pages-0-3"};
    ND_TRY(nd_work_folder_remove(&folder, kept, 1, true));
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    nd_work_folder_join(&folder, kept[0], path);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    nd_work_folder_unlock(&folder);
out:
    nd_work_folder_close(&folder);
    return st;
}

/* What was left can be taken again, and goes at last. */
static void clear_folder(void) {
    nd_work_folder folder = {0};
    CU_ASSERT_EQUAL(nd_work_folder_open(&folder, at("work")), ND_OK);
    CU_ASSERT_EQUAL(nd_work_folder_lock(&folder), ND_OK);
    nd_work_folder_discard(&folder);
    CU_ASSERT_NOT_EQUAL(access(at("work"), F_OK), 0);
}

static nd_status discard_folder(void) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    ND_TRY(nd_work_folder_open(&folder, at("work")));
    ND_TRY(nd_work_folder_lock(&folder));
    nd_work_folder_discard(&folder); /* what cannot be removed stays */
out:
    nd_work_folder_close(&folder);
    return st;
}

static void test_work_folders(void) {
    CU_ASSERT(nd_test_all_failures(use_folder, clear_folder) >= 10);
    clear_folder();
    CU_ASSERT(nd_test_all_failures(discard_folder, clear_folder) >= 5);
    clear_folder();
}

/* ---- files that get their names */

static nd_status save_files(void) {
    nd_status st = ND_OK;
    char bytes[8] = "";
    uint64_t size = 0;
    int descriptor = -1;
    (void)unlink(at("copy"));
    ND_TRY(nd_own_file_save(at("saved"), "1234567", 8));
    ND_TRY(nd_own_file_take(at("saved"), at("copy")));
    ND_TRY(nd_own_file_open(at("copy"), &descriptor, &size));
    CU_ASSERT_EQUAL(size, 8);
    ND_TRY(nd_own_file_read(descriptor, "copy", 0, bytes, sizeof bytes));
    CU_ASSERT_STRING_EQUAL(bytes, "1234567");
    ND_TRY(nd_own_file_sync(at("copy")));
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st == ND_END ? nd_fail(ND_ERR_IO, "nothing of that name") : st;
}

static void check_saved(void) {
    struct stat info;
    CU_ASSERT(stat(at("saved"), &info) != 0 || info.st_size == 8);
    CU_ASSERT(stat(at("copy"), &info) != 0 || info.st_size == 8);
    CU_ASSERT_NOT_EQUAL(access(at("saved.partial"), F_OK), 0);
    (void)unlink(at("saved"));
    (void)unlink(at("copy"));
}

/* A file that a killed run left under the name that is made anew; others may have it too. */
static nd_status replace_left(void) {
    struct stat info;
    int descriptor = -1;
    (void)unlink(at("left"));
    (void)link(at("kept"), at("left"));
    const nd_status st = nd_own_file_remake(at("left"), &descriptor);
    if (st == ND_OK) {
        CU_ASSERT(fstat(descriptor, &info) != 0 || info.st_size == 0);
        (void)close(descriptor);
    }
    return st;
}

static char elsewhere[64]; /* a folder on another file system, where there is one */

static const char *copy_elsewhere(void) {
    static char path[sizeof elsewhere + 8];
    (void)snprintf(path, sizeof path, "%s/copy", elsewhere);
    return path;
}

static nd_status take_elsewhere(void) {
    (void)unlink(copy_elsewhere());
    return nd_own_file_take(at("kept"), copy_elsewhere());
}

static void check_elsewhere(void) {
    struct stat info;
    CU_ASSERT(stat(copy_elsewhere(), &info) != 0 || info.st_size == 4);
    CU_ASSERT(stat(at("kept"), &info) == 0 && info.st_size == 4);
    (void)unlink(copy_elsewhere());
}

static nd_status publish_folder(void) {
    char from[PATH_SIZE], to[PATH_SIZE];
    (void)snprintf(from, sizeof from, "%s", at("made.partial"));
    (void)snprintf(to, sizeof to, "%s", at("made"));
    (void)rmdir(to);
    (void)rmdir(from);
    nd_output_lock lock = {0};
    const nd_status st = nd_output_folder("-o", from, &lock);
    nd_output_release(&lock);
    return st == ND_OK ? nd_own_folder_publish(from, to) : st;
}

static bool never(const char *path) {
    (void)path;
    return false;
}

static nd_status check_output(void) {
    const nd_output fresh = {"-o", at("fresh.h5"), false, never, "a result"};
    const nd_output forced = {"-o", at("old.h5"), true, never, "a result"};
    const nd_status st = nd_output_check(&fresh);
    CU_ASSERT_NOT_EQUAL(access(fresh.path, F_OK), 0);
    return st == ND_OK ? nd_output_check(&forced) : st;
}

static void test_own_files(void) {
    CU_ASSERT(nd_test_all_failures(save_files, check_saved) >= 10);
    CU_ASSERT(nd_test_interrupted(save_files) >= 3);
    CU_ASSERT(nd_test_all_failures(publish_folder, NULL) >= 3);
    (void)nd_test_write("kept", nd_test_span("kept"));
    CU_ASSERT(nd_test_all_failures(replace_left, NULL) >= 3);
    (void)snprintf(elsewhere, sizeof elsewhere, "/dev/shm/neardup-test.XXXXXX");
    if (mkdtemp(elsewhere) != NULL) {
        CU_ASSERT(nd_test_all_failures(take_elsewhere, check_elsewhere) >= 1);
        check_elsewhere();
        CU_ASSERT_EQUAL(rmdir(elsewhere), 0);
    }
    (void)nd_test_write("old.h5", nd_test_span("old"));
    CU_ASSERT(nd_test_all_failures(check_output, NULL) >= 3);
    CU_ASSERT_EQUAL(access(at("old.h5"), F_OK), 0);
}

/* ---- names of outputs, and a WACZ */

static nd_status read_wacz(void) {
    nd_status st = ND_OK;
    nd_wacz wacz = {0};
    struct stat info;
    const char *path = at("a.wacz");
    const int descriptor = open(path, O_RDONLY, 0);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        st = nd_fail(ND_ERR_IO, "no WACZ");
        goto out;
    }
    ND_TRY(nd_wacz_read(path, descriptor, (uint64_t)info.st_size, &wacz));
    CU_ASSERT(wacz.count == 2 && strcmp(wacz.parts[1].name, "archive/b.warc.gz") == 0);
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    nd_wacz_free(&wacz);
    return st;
}

static void test_names(void) {
    nd_buffer file = {0};
    const char *const names[] = {"archive/a.warc.gz", "archive/b.warc.gz"};
    const nd_span parts[] = {nd_test_span("one"), nd_test_span("two")};
    nd_test_wacz(&file, names, parts, 2, true);
    (void)nd_test_write("a.wacz", nd_buffer_span(&file));
    nd_buffer_free(&file);
    CU_ASSERT(nd_test_all_failures(read_wacz, NULL) >= 5);
    CU_ASSERT(nd_test_interrupted(read_wacz) >= 2);
}

static const nd_test tests[] = {{"pages", test_pages},         {"lines", test_lines},
                                {"manifests", test_manifests}, {"work folders", test_work_folders},
                                {"own files", test_own_files}, {"names", test_names}};
ND_SUITE(t_store_failures, tests)
