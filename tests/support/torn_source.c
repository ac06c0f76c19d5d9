#include "tests/support/torn_source.h"

#include "io/input/reader.h"
#include "tests/support/met_pages.h"
#include "tests/support/unit_reading.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Cuts of a file into units. */
enum { CUTS = 4 };
/* So many words a page has at least: more than an edit takes away. */
enum { FEWEST_WORDS = 40 };

const char *nd_torn_ending(nd_torn_form form, bool arc) {
    static const char *const endings[][2] = {
        [ND_TORN_PLAIN] = {".warc", ".arc"},
        [ND_TORN_GZIP_MEMBERS] = {".warc.gz", ".arc.gz"},
        [ND_TORN_ZSTD_FRAMES] = {".warc.zst", ".arc.zst"},
        [ND_TORN_GZIP_WHOLE] = {".warc.gz", ".arc.gz"},
        [ND_TORN_ZSTD_WHOLE] = {".warc.zst", ".arc.zst"},
    };
    return endings[form][arc];
}

void nd_torn_make(nd_torn_source *source, bool arc, uint64_t most_words, nd_random *random) {
    *source = (nd_torn_source){.arc = arc};
    for (unsigned i = 0; i < ND_TORN_RECORDS; i++) {
        nd_torn_record *r = &source->records[i];
        nd_buffer block = {0};
        char url[64], id[64];
        (void)snprintf(url, sizeof url, "http://a.example/%u", i);
        (void)snprintf(id, sizeof id, "urn:%u", i);
        nd_test_print(&r->text, "<p>page %u", i);
        for (uint64_t words = FEWEST_WORDS + nd_random_below(random, most_words); words > 0;
             words--) {
            nd_test_print(&r->text, "%cw%" PRIu64, words % 9 == 0 ? '\n' : ' ',
                          nd_random_below(random, 1000));
        }
        nd_test_http(&block, 200, "text/html", "", nd_buffer_span(&r->text));
        if (arc) {
            nd_test_arc_record(&r->bytes, url, "text/html", nd_buffer_span(&block));
        } else {
            nd_test_warc_record(&r->bytes, "response", url, id, "application/http",
                                nd_buffer_span(&block));
        }
        r->block_end = r->bytes.size - (arc ? 1 : 4);
        nd_buffer_free(&block);
    }
}

void nd_torn_edit(nd_torn_source *source, size_t record, size_t at, size_t removed,
                  nd_span insert) {
    for (size_t i = record; i < ND_TORN_RECORDS; i++, at = 0) {
        nd_torn_record *r = &source->records[i];
        nd_buffer edited = {0};
        const size_t end = at + removed < r->bytes.size ? at + removed : r->bytes.size;
        const bool inside = insert.size > 0 && at > 0 && at < r->block_end;
        r->is_torn = r->is_torn || inside || (end > at && at < r->block_end);
        nd_buffer_append(&edited, r->bytes.data, at);
        nd_buffer_append(&edited, insert.data, insert.size);
        nd_buffer_append(&edited, r->bytes.data + end, r->bytes.size - end);
        removed -= end - at;
        insert.size = 0;
        nd_buffer_free(&r->bytes);
        r->bytes = edited;
        if (removed == 0) {
            break;
        }
    }
}

void nd_torn_pack(const nd_torn_source *source, nd_torn_form form, nd_buffer *file) {
    nd_buffer content = {0};
    const bool whole = form == ND_TORN_GZIP_WHOLE || form == ND_TORN_ZSTD_WHOLE;
    const nd_test_packing packing = form == ND_TORN_PLAIN ? ND_TEST_PLAIN
                                    : form == ND_TORN_GZIP_MEMBERS || form == ND_TORN_GZIP_WHOLE
                                        ? ND_TEST_GZIP
                                        : ND_TEST_ZSTD;
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        const nd_span bytes = nd_buffer_span(&source->records[i].bytes);
        nd_buffer_append(&content, bytes.data, bytes.size);
        if (!whole && content.size > 0) {
            nd_test_pack(file, packing, nd_buffer_span(&content));
            content.size = 0;
        }
    }
    if (whole) {
        nd_test_pack(file, packing, nd_buffer_span(&content));
    }
    nd_buffer_free(&content);
}

/* Which page is it? */
static size_t number_of(nd_span url) {
    size_t number = 0;
    static const char before[] = "http://a.example/";
    if (url.size < sizeof before || memcmp(url.data, before, sizeof before - 1) != 0) {
        return ND_TORN_RECORDS;
    }
    for (size_t i = sizeof before - 1; i < url.size && number < ND_TORN_RECORDS; i++) {
        number = url.data[i] >= '0' && url.data[i] <= '9' ? 10 * number + (url.data[i] - '0')
                                                          : ND_TORN_RECORDS;
    }
    return number;
}

static const char *check_units(const char *path, uint64_t bytes, nd_buffer *whole,
                               nd_buffer *parts) {
    uint64_t first = 0, next = 0;
    unsigned again = 0;
    const uint64_t cuts[CUTS] = {0, bytes / 3, 2 * bytes / 3, bytes};
    const char *broken =
        nd_test_read_range(path, 0, bytes, NULL, ND_TEST_READ_DAMAGE, whole, &first, &next);
    if (broken == NULL) {
        broken = nd_test_read_units(path, cuts, CUTS, NULL, true, parts, &again);
    }
    if (broken == NULL &&
        (whole->size != parts->size ||
         (whole->size > 0 && memcmp(whole->data, parts->data, whole->size) != 0))) {
        broken = "units give what the whole gives";
    }
    return broken;
}

const char *nd_torn_check(const nd_torn_source *source, const char *path, uint64_t bytes,
                          bool told) {
    const char *broken = NULL;
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    nd_source_shape shape;
    nd_met_pages met = {0};
    nd_buffer whole = {0}, parts = {0};
    unsigned given[ND_TORN_RECORDS] = {0};
    nd_status st = ND_OK;
    const nd_reader_options options = {0};
    if (nd_source_look(path, &options, &shape) != ND_OK ||
        nd_reader_open(path, "", 0, bytes, &options, &reader) != ND_OK) {
        return "a torn source is opened";
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        const size_t number = number_of(record.url);
        nd_test_must(nd_met_pages_add(&met, &record));
        if (number < ND_TORN_RECORDS) {
            const nd_torn_record *r = &source->records[number];
            const bool same = record.text.size == r->text.size &&
                              memcmp(record.text.data, r->text.data, r->text.size) == 0;
            given[number] += same || r->is_torn;
        }
    }
    nd_reader_get_counts(reader, &counts);
    nd_reader_close(&reader);
    broken = st == ND_END ? NULL : "a torn source is read to its end";
    for (size_t i = 0; i < ND_TORN_RECORDS && broken == NULL; i++) {
        if (!source->records[i].is_torn && given[i] != 1) {
            broken = "a page that is not torn is given, once and whole";
        } else if (source->records[i].is_wanted && given[i] != 1) {
            broken = "a torn page that can be found is given";
        }
    }
    if (broken == NULL && told && counts.gaps == 0) {
        broken = "what is wrong is told";
    } else if (broken == NULL && counts.gaps > counts.skipped) {
        broken = "gaps are among what is skipped";
    }
    broken = broken == NULL ? nd_met_pages_walk(&met, path, &options) : broken;
    broken = broken == NULL && shape.splittable ? check_units(path, bytes, &whole, &parts) : broken;
    nd_met_pages_free(&met);
    nd_buffer_free(&whole);
    nd_buffer_free(&parts);
    return broken;
}

void nd_torn_free(nd_torn_source *source) {
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        nd_buffer_free(&source->records[i].bytes);
        nd_buffer_free(&source->records[i].text);
    }
}
