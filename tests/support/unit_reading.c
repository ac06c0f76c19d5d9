#include "tests/support/unit_reading.h"

#include "io/input/charset.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>

void nd_test_print_page(nd_buffer *out, nd_content_kind content, nd_span id, nd_span url,
                        nd_span text) {
    nd_test_print(out, "%d id=", (int)content);
    nd_buffer_append(out, id.data, id.size);
    nd_test_print(out, " url=");
    nd_buffer_append(out, url.data, url.size);
    nd_test_print(out, " %zu bytes: ", text.size);
    nd_buffer_append(out, text.data, text.size);
    nd_test_print(out, "\n");
}

static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    *(uint64_t *)context += reason[0] != '\0';
}

const char *nd_test_read_range(const char *path, uint64_t begin, uint64_t end,
                               const nd_reader_options *options, nd_test_reading how,
                               nd_buffer *out, uint64_t *first, uint64_t *next) {
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    const char *broken = NULL;
    uint64_t skips = 0, pages = 0, last = 0;
    nd_reader_options all = options != NULL ? *options : (nd_reader_options){.jsonl_id = NULL};
    all.skip = count_skip;
    all.skip_context = &skips;
    if (nd_reader_open(path, "file://x/y", begin, end, &all, &reader) != ND_OK) {
        return "a range of a source that can be read is opened";
    }
    nd_status st = ND_OK;
    while (broken == NULL && (st = nd_reader_next(reader, &record)) == ND_OK) {
        if (record.offset < begin || record.offset < last ||
            (record.offset >= end && how != ND_TEST_READ_DAMAGE)) {
            broken = "pages ascend, inside the range";
        } else if (nd_utf8_valid_bytes(record.text) != record.text.size) {
            broken = "text is UTF-8";
        }
        last = record.offset;
        pages++;
        nd_test_print_page(out, record.content, record.id, record.url, record.text);
    }
    nd_reader_get_counts(reader, &counts);
    if (broken == NULL && st != ND_END) {
        broken = "a range is read to its end";
    } else if (broken == NULL && (counts.pages != pages || counts.skipped != skips ||
                                  counts.records != counts.pages + counts.other + counts.skipped)) {
        broken = "counts add up, and each skipped record has a reason";
    } else if (broken == NULL && how == ND_TEST_READ_GOOD && skips > 0) {
        broken = "no good record is skipped";
    }
    nd_reader_chain(reader, first, next);
    nd_reader_close(&reader);
    return broken;
}

const char *nd_test_read_units(const char *path, const uint64_t *cuts, size_t count,
                               const nd_reader_options *options, bool damaged, nd_buffer *out,
                               unsigned *again) {
    const char *broken = NULL;
    uint64_t expected = 0;
    *again = 0;
    for (size_t i = 0; broken == NULL && i + 1 < count; i++) {
        nd_buffer pages = {0};
        uint64_t first = UINT64_MAX, next = UINT64_MAX;
        broken = nd_test_read_range(path, cuts[i], cuts[i + 1], options,
                                    damaged ? ND_TEST_READ_DAMAGE : ND_TEST_READ_FAKE, &pages,
                                    &first, &next);
        const bool none = expected >= cuts[i + 1];
        if (broken == NULL && (none ? first != UINT64_MAX : first != expected)) {
            ++*again;
            pages.size = 0;
            first = UINT64_MAX;
            if (!none) {
                broken = nd_test_read_range(path, expected, cuts[i + 1], options,
                                            damaged ? ND_TEST_READ_DAMAGE : ND_TEST_READ_GOOD,
                                            &pages, &first, &next);
                if (broken == NULL && first != expected && !damaged) {
                    broken = "a range starts where the chain says";
                }
            }
        }
        expected = first == UINT64_MAX ? expected : next;
        nd_buffer_append(out, pages.data, pages.size);
        nd_buffer_free(&pages);
    }
    return broken;
}
