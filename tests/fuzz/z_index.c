/* The folder of an index, of which one file has other bytes in some places, or another end. With
 * its checksum as it was that is found; with a new one, as who makes an index by hand would give
 * it, the index is refused, or gives the answers of a query twice alike, and a run against it ends.
 * By the first byte its texts are in it or in its inputs; by the second it is that of a run against
 * another. */
#include "mpi/cmd/partition/partition.h"
#include "mpi/cmd/query/query.h"
#include "mpi/run/run.h"
#include "mpi/stage/index_folder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/check.h"
#include "tests/support/corpus.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <unistd.h>

enum { BASES = 2, PAGES = 12, MOST_EDITS = 4, MOST_FILES = 64, MEMORY = 64 << 20 };

/* An index as a run has left it. */
typedef struct base {
    char *path;
    nd_manifest manifest;
    nd_buffer files[MOST_FILES]; /* as the pieces of the manifest: their bytes */
    nd_buffer answers;
} base;

static base bases[BASES];
static nd_comm comm;
static const char *input;
static const char *other_input;
static const char *output;

/* In place of the library's: a broken contract is a find, and leaves its input. */
int MPI_Abort(MPI_Comm handle, int code) {
    (void)handle;
    (void)code;
    abort();
}

/* ---- the indexes */

static void make_page(nd_buffer *out, unsigned family, unsigned copy) {
    nd_test_print(
        out, "{\"id\":\"p%u-%u\",\"url\":\"http://h%u.test/%u/%u\",\"html\":\"<ul><li>Home</ul>",
        family, copy, copy % 2, family, copy);
    for (unsigned i = 0; i < 6; i++) {
        nd_test_print(out, "<p>");
        for (unsigned w = 0; w < 12; w++) {
            const uint64_t word = (i == copy ? 1000 * copy : 0) + 100 * family + 12 * i + w;
            nd_test_print(out, "w%llx ", (unsigned long long)(nd_mix64(word + 1) % 100000));
        }
        nd_test_print(out, "end.");
    }
    nd_test_print(out, "\"}\n");
}

static nd_status run(const char *words, nd_job_options *options) {
    nd_job job;
    options->memory = nd_memory_shares(MEMORY);
    options->reader.memory = MEMORY;
    options->progress = ND_PROGRESS_NONE;
    options->command_line = "z_index";
    nd_run_open(&job, MPI_COMM_SELF, options);
    const nd_status st = nd_run(&job, &words, words != NULL ? 1 : 0);
    nd_run_close(&job);
    return st;
}

/* \return a path, in a static buffer */
static const char *in(const char *folder, const char *name) {
    static nd_buffer path;
    path.size = 0;
    nd_test_print(&path, "%s/%s", folder, name);
    nd_buffer_append(&path, "", 1);
    return (const char *)path.data;
}

static const char *name_of(const base *b, size_t piece) {
    static char name[NAME_MAX + 1];
    nd_manifest_file(&b->manifest, &b->manifest.pieces[piece], name);
    return name;
}

static void read_base(base *b) {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    const char *path = in(b->path, "manifest.json");
    nd_test_must(nd_test_read_file(&text, path));
    nd_test_must(nd_manifest_parse(&b->manifest, nd_buffer_span(&text), path));
    ND_FUZZ_CHECK(b->manifest.piece_count <= MOST_FILES);
    for (size_t i = 0; i < b->manifest.piece_count; i++) {
        const nd_manifest_piece *piece = &b->manifest.pieces[i];
        nd_test_must(nd_test_read_file(&b->files[i], in(b->path, name_of(b, i))));
        b->files[i].size = piece->count * nd_manifest_array_of(&b->manifest, piece)->record_size;
    }
}

/* ---- what is read of one */

/* What may be said of bytes that are not as they were. */
static bool is_refusal(nd_status st) {
    return st == ND_ERR_FORMAT || st == ND_ERR_IO || st == ND_ERR_INPUT || st == ND_ERR_CHANGED ||
           st == ND_ERR_USAGE || st == ND_ERR_LIMIT || st == ND_ERR_MEMORY;
}

static void print_match(nd_buffer *out, const nd_search_match *m) {
    nd_test_print(out, " %llu %g ", (unsigned long long)m->page, m->similarity);
    nd_buffer_append(out, m->id.data, m->id.size);
    nd_buffer_append(out, m->url.data, m->url.size);
}

/* The answers to three pages: a copy, an edited one, another. */
static nd_status ask(const char *path, nd_buffer *answers) {
    static const unsigned probes[][2] = {{1, 0}, {2, 9}, {77, 0}};
    nd_status st = ND_OK;
    nd_index_search search;
    ND_OWNED(nd_buffer_free) nd_buffer page = {0};
    answers->size = 0;
    ND_TRY(nd_index_search_open(&search, path));
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        nd_search_result result = {0};
        page.size = 0;
        make_page(&page, probes[i][0], probes[i][1]);
        const nd_record record = {.content = ND_CONTENT_HTML,
                                  .text = nd_buffer_span(&page),
                                  .url = nd_test_span("http://h0.test/x")};
        ND_TRY(nd_index_search_page(&search, &record, &result));
        nd_test_print(answers, "%d %d %llu", result.compared, result.joins,
                      (unsigned long long)result.set);
        print_match(answers, &result.match);
        print_match(answers, &result.representative);
    }
out:
    nd_index_search_close(&search);
    return st;
}

static void set_up(void) {
    static const char *const names[BASES] = {"texts.index", "inputs.index"};
    nd_buffer pages[2] = {{0}, {0}};
    int argc = 0;
    char **argv = NULL;
    ND_MPI(MPI_Init(&argc, &argv));
    nd_comm_open(&comm, MPI_COMM_SELF);
    for (unsigned i = 0; i < PAGES; i++) {
        make_page(&pages[0], i / 3, i % 3);
        make_page(&pages[1], i / 2, i % 2 + 2);
    }
    input = strdup(nd_test_write("a.jsonl", nd_buffer_span(&pages[0])));
    other_input = strdup(nd_test_write("b.jsonl", nd_buffer_span(&pages[1])));
    output = strdup(in(nd_test_folder(), "out.h5"));
    for (int i = 0; i < BASES; i++) {
        nd_job_options options = {0};
        bases[i].path = strdup(in(nd_test_folder(), names[i]));
        nd_partition_defaults(&options);
        options.write_index = bases[i].path;
        options.output = output;
        options.texts_in_inputs = i == 1;
        nd_test_must(run(input, &options));
        read_base(&bases[i]);
        nd_test_must(ask(bases[i].path, &bases[i].answers));
    }
    nd_buffer_free(&pages[0]);
    nd_buffer_free(&pages[1]);
}

/* ---- changes */

static void put_file(const char *path, nd_span bytes) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ND_FUZZ_CHECK(file >= 0 && write(file, bytes.data, bytes.size) == (ssize_t)bytes.size);
    (void)close(file);
}

/* Other bytes in some places, or another end that holds whole records. \return whether it is
 * another file */
static bool change(nd_span *from, nd_manifest_piece *piece, uint64_t record_size,
                   nd_buffer *bytes) {
    const nd_span was = nd_buffer_span(bytes);
    ND_OWNED(nd_buffer_free) nd_buffer before = {0};
    nd_buffer_append(&before, was.data, was.size);
    for (int i = 0; i < MOST_EDITS && from->size > 0; i++) {
        const unsigned kind = nd_fuzz_byte(from) % 8;
        const size_t at = nd_fuzz_below(from, bytes->size > 0 ? bytes->size : 1);
        if (kind == 0 && piece->count > 1) {
            piece->count -= 1 + at % (piece->count - 1);
            bytes->size = (size_t)(piece->count * record_size);
        } else if (kind < 3) { /* a number of 64 bits, near its bounds */
            const uint64_t number =
                kind == 1 ? nd_fuzz_byte(from) : UINT64_MAX - nd_fuzz_byte(from);
            const size_t place = at / 8 * 8;
            memcpy(bytes->data + place, &number, bytes->size - place < 8 ? bytes->size - place : 8);
        } else if (bytes->size > 0) {
            bytes->data[at] = nd_fuzz_byte(from);
        }
    }
    const bool other = !nd_fuzz_same(nd_buffer_span(&before), nd_buffer_span(bytes));
    return other;
}

static void check_reads(const char *path, bool other, bool sealed, const base *b) {
    nd_checkpoint index = {0};
    uint64_t pages = 0;
    const nd_status read = nd_index_read(&index, &comm, path, &pages);
    const nd_status whole = read != ND_OK ? read : nd_checkpoint_check(&index);
    const nd_status checked = whole != ND_OK ? whole : nd_index_check_pages(&index);
    nd_checkpoint_close(&index);
    ND_FUZZ_CHECK(checked == ND_OK || is_refusal(checked));
    ND_FUZZ_CHECK(other || checked == ND_OK);
    ND_FUZZ_CHECK(!other || sealed || whole != ND_OK);
    ND_OWNED(nd_buffer_free) nd_buffer first = {0}, again = {0};
    const nd_status asked = ask(path, &first);
    ND_FUZZ_CHECK(asked == ND_OK || is_refusal(asked));
    ND_FUZZ_CHECK(ask(path, &again) == asked);
    ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&first), nd_buffer_span(&again)));
    ND_FUZZ_CHECK(other || nd_fuzz_same(nd_buffer_span(&first), nd_buffer_span(&b->answers)));
}

static void check_run(const char *path, bool other) {
    nd_job_options options = {0};
    nd_partition_defaults(&options);
    options.index = path;
    options.output = output;
    const nd_status st = run(other_input, &options);
    ND_FUZZ_CHECK(st == ND_OK || is_refusal(st));
    ND_FUZZ_CHECK(other || st == ND_OK);
    (void)unlink(output);
}

ND_FUZZ_TARGET(z_index) {
    nd_span from = {data, size};
    if (bases[0].path == NULL) {
        set_up();
    }
    const base *b = &bases[nd_fuzz_byte(&from) % BASES];
    const unsigned how = nd_fuzz_byte(&from);
    const bool sealed = how % 4 != 0;
    const size_t which = nd_fuzz_byte(&from) % b->manifest.piece_count;
    nd_manifest_piece *piece = &b->manifest.pieces[which];
    const nd_manifest_piece was = *piece;
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0}, text = {0}, whole = {0};
    nd_buffer_append(&whole, b->files[which].data, b->files[which].size);
    (void)nd_test_seal(&whole);
    nd_buffer_append(&bytes, b->files[which].data, b->files[which].size);
    const bool other =
        change(&from, piece, nd_manifest_array_of(&b->manifest, piece)->record_size, &bytes);
    if (sealed) {
        piece->checksum = nd_test_seal(&bytes);
    } else { /* what was there */
        const size_t end = b->files[which].size;
        nd_buffer_append(&bytes, whole.data + end, whole.size - end);
    }
    ND_FUZZ_CHECK(nd_manifest_format(&b->manifest, &text) == ND_OK);
    put_file(in(b->path, name_of(b, which)), nd_buffer_span(&bytes));
    put_file(in(b->path, "manifest.json"), nd_buffer_span(&text));
    check_reads(b->path, other, sealed, b);
    if (how / 4 % 16 == 1) {
        check_run(b->path, other);
    }
    *piece = was;
    put_file(in(b->path, name_of(b, which)), nd_buffer_span(&whole));
    return 0;
}
