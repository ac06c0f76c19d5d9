/* Read sources whole and print, per source, what was found and how fast: b_reader FILE... */
#include "io/input/reader.h"
#include "tests/support/bench.h"

#include <inttypes.h>
#include <stdio.h>

static void print_skip(void *context, uint64_t offset, const char *reason) {
    printf("  skipped %s at %" PRIu64 ": %s\n", (const char *)context, offset, reason);
}

static nd_status read_all(char *path) {
    nd_reader_options options = {.skip = print_skip, .skip_context = path};
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    uint64_t text_bytes = 0;
    const double begin = nd_bench_now();
    nd_status st = ND_OK;
    ND_TRY(nd_source_look(path, NULL, &shape));
    ND_TRY(nd_reader_open(path, NULL, 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        text_bytes += record.text.size;
    }
    nd_reader_get_counts(reader, &counts);
    const double taken = nd_bench_now() - begin;
    printf("%s: %s%s, records %" PRIu64 " pages %" PRIu64 " other %" PRIu64 " skipped %" PRIu64
           ", text %.1f MB, %.3f s, %.0f MB/s of text\n",
           path, shape.format, shape.splittable ? ", splittable" : "", counts.records, counts.pages,
           counts.other, counts.skipped, (double)text_bytes / 1e6, taken,
           (double)text_bytes / 1e6 / taken);
out:
    nd_reader_close(&reader);
    return st == ND_END ? ND_OK : st;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (read_all(argv[i]) != ND_OK) {
            printf("%s\n", nd_fail_text());
            failed = 1;
        }
    }
    return failed;
}
