/* Megabytes of unpacked content per second of a reader that has to search for each record, beside
 * the same source whole: b_resync [MEGABYTES]. In each form (plain, a member per record, one member
 * or frame in all) each record has a byte after it that is of none, a length that is too short, too
 * long, longer than any file, or none; and a run of what looks like records and is none. */
#include "io/input/reader.h"
#include "src/base/util.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

#include <unistd.h>

enum { RECORDS = 40, MOST_WORDS = 4000 };

typedef enum damage {
    WHOLE,
    BYTE_BETWEEN,
    TOO_SHORT,
    TOO_LONG,
    ENDLESS,
    NO_LENGTH,
    FAKES,
    FAKE_LINES,
    DAMAGES
} damage;

static const char *const damages[] = {"whole",   "a byte between", "too short", "too long",
                                      "endless", "no length",      "fakes",     "fake lines"};

/* Between records: what a search has to ask about at every few bytes. */
static void add_fakes(nd_buffer *out, damage how) {
    for (int i = 0; i < 2000 && how == FAKES; i++) {
        nd_test_print(out, "xWARC/1.0\r\nb:c\r\n");
    }
    for (int i = 0; i < 100 && how == FAKE_LINES; i++) {
        nd_test_print(out, "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: no\r\n");
    }
}

static void add_record(nd_buffer *out, nd_random *random, damage how) {
    ND_OWNED(nd_buffer_free) nd_buffer body = {0};
    nd_test_print(&body, "<p>");
    for (uint64_t words = nd_random_below(random, MOST_WORDS); words > 0; words--) {
        nd_test_print(&body, "word%" PRIu64 " ", nd_random_below(random, 10000));
    }
    nd_test_print(out, "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\n"
                       "Content-Type: text/html\r\n");
    const size_t claimed = how == TOO_SHORT  ? body.size / 2
                           : how == TOO_LONG ? body.size + 20
                           : how == ENDLESS  ? SIZE_MAX / 4
                                             : body.size;
    nd_test_print(out, how == NO_LENGTH ? "X: %zu\r\n\r\n" : "Content-Length: %zu\r\n\r\n",
                  claimed);
    nd_buffer_append(out, body.data, body.size);
    nd_test_print(out, how == BYTE_BETWEEN ? "x\r\n\r\n" : "\r\n\r\n");
    add_fakes(out, how);
}

static void read_all(const char *path, const char *form, damage how, double megabytes) {
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    const nd_reader_options options = {.max_expansion = 100000};
    const double begin = nd_bench_now();
    nd_status st = nd_reader_open(path, "", 0, UINT64_MAX, &options, &reader);
    while (st == ND_OK) {
        st = nd_reader_next(reader, &record);
    }
    if (st != ND_END) {
        printf("%s\n", nd_fail_text());
        exit(1);
    }
    const double taken = nd_bench_now() - begin;
    nd_reader_get_counts(reader, &counts);
    printf("%-12s %-14s %7.0f MB/s  %" PRIu64 " pages, %" PRIu64 " gaps\n", form, damages[how],
           megabytes / taken, counts.pages, counts.gaps);
    nd_reader_close(&reader);
}

int main(int argc, char **argv) {
    static const char *const forms[] = {"plain", "gz members", "zst frames", "gz in one",
                                        "zst in one"};
    static const nd_test_packing packings[] = {ND_TEST_PLAIN, ND_TEST_GZIP, ND_TEST_ZSTD,
                                               ND_TEST_GZIP, ND_TEST_ZSTD};
    const size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 64) << 20;
    char path[] = "/tmp/b_resync.XXXXXX";
    const int descriptor = mkstemp(path);
    for (damage how = 0; how < DAMAGES; how++) {
        nd_buffer content[RECORDS] = {{0}};
        nd_random random = {how};
        for (size_t i = 0; i < RECORDS; i++) {
            add_record(&content[i], &random, how);
        }
        for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
            ND_OWNED(nd_buffer_free) nd_buffer file = {0}, all = {0};
            size_t made = 0;
            for (size_t i = 0; made < bytes; i = (i + 1) % RECORDS) {
                nd_buffer *to = form < 3 ? &file : &all;
                nd_test_pack(to, form < 3 ? packings[form] : ND_TEST_PLAIN,
                             nd_buffer_span(&content[i]));
                made += content[i].size;
            }
            if (form >= 3) {
                nd_test_pack(&file, packings[form], nd_buffer_span(&all));
            }
            if (descriptor < 0 || ftruncate(descriptor, 0) != 0 ||
                pwrite(descriptor, file.data, file.size, 0) != (ssize_t)file.size) {
                printf("%s cannot be written\n", path);
                return 1;
            }
            read_all(path, forms[form], how, (double)made / 1e6);
        }
        for (size_t i = 0; i < RECORDS; i++) {
            nd_buffer_free(&content[i]);
        }
    }
    (void)close(descriptor);
    (void)unlink(path);
    return 0;
}
