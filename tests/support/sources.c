#include "tests/support/sources.h"
#include "io/input/charset.h"
#include "io/input/reader.h"
#include "io/input/records.h"
#include "src/base/status.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <stdarg.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

/* ---- warc writer */

void nd_test_must(nd_status status) {
    if (status != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        exit(2);
    }
}

void nd_test_print(nd_buffer *buffer, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    nd_test_must(size < 0 || (size_t)size >= sizeof line ? ND_ERR_INTERNAL : ND_OK);
    nd_buffer_append(buffer, line, (size_t)size);
}

static void pack_gzip(nd_buffer *file, int level, nd_span bytes) {
    z_stream stream = {0};
    nd_test_must(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) ==
                         Z_OK
                     ? ND_OK
                     : ND_ERR_MEMORY);
    const size_t room = deflateBound(&stream, bytes.size);
    nd_buffer_reserve(file, room);
    stream.next_in = (Bytef *)(uintptr_t)bytes.data;
    stream.avail_in = (uInt)bytes.size;
    stream.next_out = file->data + file->size;
    stream.avail_out = (uInt)room;
    nd_test_must(deflate(&stream, Z_FINISH) == Z_STREAM_END ? ND_OK : ND_ERR_INTERNAL);
    file->size += stream.total_out;
    (void)deflateEnd(&stream);
}

static void pack_zstd(nd_buffer *file, nd_span bytes) {
    const size_t room = ZSTD_compressBound(bytes.size);
    nd_buffer_reserve(file, room);
    const size_t size = ZSTD_compress(file->data + file->size, room, bytes.data, bytes.size, 1);
    nd_test_must(ZSTD_isError(size) ? ND_ERR_INTERNAL : ND_OK);
    file->size += size;
}

void nd_test_pack(nd_buffer *file, nd_test_packing packing, nd_span bytes) {
    switch (packing) {
    case ND_TEST_PLAIN:
        nd_buffer_append(file, bytes.data, bytes.size);
        break;
    case ND_TEST_GZIP:
        pack_gzip(file, Z_BEST_SPEED, bytes);
        break;
    case ND_TEST_GZIP_STORED:
        pack_gzip(file, Z_NO_COMPRESSION, bytes);
        break;
    case ND_TEST_ZSTD:
        pack_zstd(file, bytes);
        break;
    }
}

void nd_test_warc_record(nd_buffer *out, const char *type, const char *url, const char *id,
                         const char *content_type, nd_span block) {
    const nd_span blocks[2] = {block, {NULL, 0}};
    const nd_warc_header header = {.type = type,
                                   .id = nd_test_span(id),
                                   .url = nd_test_span(url),
                                   .date = "2020-01-01T00:00:00Z",
                                   .content_type = content_type};
    nd_warc_append(out, &header, blocks);
}

void nd_test_arc_record(nd_buffer *out, const char *url, const char *content_type, nd_span block) {
    nd_test_print(out, "%s 127.0.0.1 20200101000000 %s %zu\n", url, content_type, block.size);
    nd_buffer_append(out, block.data, block.size);
    nd_test_print(out, "\n");
}

void nd_test_http(nd_buffer *out, int status, const char *content_type, const char *headers,
                  nd_span body) {
    nd_test_print(out, "HTTP/1.1 %d Status\r\nContent-Type: %s\r\n%s\r\n", status, content_type,
                  headers);
    nd_buffer_append(out, body.data, body.size);
}

static void put(nd_buffer *to, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(i < 8 ? number >> 8 * i : 0);
        nd_buffer_append(to, &byte, 1);
    }
}

static void put_text(nd_buffer *to, const char *text) {
    nd_buffer_append_text(to, text);
}

static void put_directory_row(nd_buffer *out, const char *name, uint64_t size, uint64_t place,
                              bool wide) {
    put_text(out, "PK\1\2");
    put(out, 0, 16);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, strlen(name), 2);
    put(out, wide ? 28 : 0, 2);
    put(out, 0, 10);
    put(out, wide ? UINT32_MAX : place, 4);
    put_text(out, name);
    if (wide) {
        put(out, 1 | 24 << 16, 4);
        put(out, size, 8);
        put(out, size, 8);
        put(out, place, 8);
    }
}

void nd_test_wacz(nd_buffer *out, const char *const *names, const nd_span *parts, size_t count,
                  bool wide) {
    enum { MOST = 8 };
    uint64_t places[MOST];
    const size_t start = out->size;
    nd_test_must(count <= MOST ? ND_OK : ND_ERR_INTERNAL);
    for (size_t i = 0; i < count; i++) {
        places[i] = out->size - start;
        put_text(out, "PK\3\4");
        put(out, 0, 14);
        put(out, parts[i].size, 4);
        put(out, parts[i].size, 4);
        put(out, strlen(names[i]), 4); /* and no extra field */
        put_text(out, names[i]);
        nd_buffer_append(out, parts[i].data, parts[i].size);
    }
    const uint64_t begin = out->size - start;
    for (size_t i = 0; i < count; i++) {
        put_directory_row(out, names[i], parts[i].size, places[i], wide);
    }
    const uint64_t size = out->size - start - begin;
    if (wide) {
        put_text(out, "PK\6\6");
        put(out, 44, 8);
        put(out, 0, 20);
        put(out, count, 8);
        put(out, size, 8);
        put(out, begin, 8);
        put_text(out, "PK\6\7");
        put(out, 0, 16);
    }
    put_text(out, "PK\5\6");
    put(out, 0, 4);
    put(out, wide ? UINT32_MAX : count | count << 16, 4);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, wide ? UINT32_MAX : begin, 4);
    put(out, 0, 2);
}

const char *nd_test_write(const char *name, nd_span bytes) {
    static char paths[4][512];
    static size_t turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", nd_test_folder(), name);
    FILE *file = fopen(path, "wb");
    nd_test_must(file != NULL ? ND_OK : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
    const size_t written = bytes.size > 0 ? fwrite(bytes.data, 1, bytes.size, file) : 0;
    nd_test_must(fclose(file) == 0 && written == bytes.size
                     ? ND_OK
                     : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
    return path;
}

uint64_t nd_test_seal(nd_buffer *bytes) {
    ND_OWNED(nd_kept_sums_free) nd_kept_sums sums = {0};
    nd_kept_sums_add(&sums, bytes->data, bytes->size);
    const uint64_t checksum = nd_kept_sums_end(&sums);
    nd_buffer_append(bytes, sums.made.data, sums.made.size);
    return checksum;
}

nd_buffer nd_test_read(const char *path) {
    nd_buffer buffer = {0};
    uint8_t piece[65536];
    FILE *file = fopen(path, "rb");
    size_t got = 0;
    while (file != NULL && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        nd_buffer_append(&buffer, piece, got);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return buffer;
}

/* ---- what a reader makes of a source */

static void log_skip(void *context, uint64_t offset, const char *reason) {
    nd_test_print(context, "! %" PRIu64 " %s\n", offset, reason);
}

static void log_page(nd_buffer *out, const nd_record *page, const char *fields) {
    for (const char *field = fields; *field != '\0'; field++) {
        const nd_span value = *field == 'i'                      ? page->id
                              : *field == 'u'                    ? page->url
                              : *field == 't'                    ? page->text
                              : page->content == ND_CONTENT_HTML ? nd_test_span("html")
                                                                 : nd_test_span("text");
        nd_test_print(out, "%.*s%c", (int)value.size, (const char *)value.data,
                      field[1] == '\0' ? '\n' : ' ');
    }
}

nd_status nd_test_log_source(const char *path, const nd_reader_options *options, const char *fields,
                             nd_test_log *log) {
    nd_status st = ND_OK;
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    nd_reader_options own = options != NULL ? *options : (nd_reader_options){0};
    *log = (nd_test_log){.shape.format = ""};
    own.skip = log_skip;
    own.skip_context = &log->text;
    ND_TRY(nd_source_look(path, NULL, &log->shape));
    ND_TRY(nd_reader_open(path, "file://f/x", 0, log->shape.bytes, &own, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        log_page(&log->text, &record, fields);
    }
    nd_reader_get_counts(reader, &log->counts);
    nd_buffer_append(&log->text, "", 1);
out:
    return st;
}

bool nd_test_logs(const char *name, nd_span bytes, const nd_reader_options *options,
                  const char *fields, const char *expected, nd_test_log *log) {
    const nd_status st = nd_test_log_source(nd_test_write(name, bytes), options, fields, log);
    const bool right = st == ND_END && strcmp((const char *)log->text.data, expected) == 0;
    if (!right) {
        (void)printf("%s: status %d, and gave:\n%s", name, (int)st,
                     log->text.size > 0 ? (const char *)log->text.data : "nothing\n");
    }
    return right;
}

void nd_test_log_free(nd_test_log *log) {
    nd_buffer_free(&log->text);
}

/* ---- torn source */

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
        ND_OWNED(nd_buffer_free) nd_buffer block = {0};
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
    ND_OWNED(nd_buffer_free) nd_buffer content = {0};
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
    ND_OWNED(nd_met_pages_free) nd_met_pages met = {0};
    ND_OWNED(nd_buffer_free) nd_buffer whole = {0}, parts = {0};
    unsigned given[ND_TORN_RECORDS] = {0};
    nd_status st = ND_OK;
    const nd_reader_options options = {0};
    if (nd_source_look(path, &options, &shape) != ND_OK ||
        nd_reader_open(path, "", 0, bytes, &options, &reader) != ND_OK) {
        return "a torn source is opened";
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        const size_t number = number_of(record.url);
        nd_met_pages_add(&met, &record);
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
    return broken;
}

void nd_torn_free(nd_torn_source *source) {
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        nd_buffer_free(&source->records[i].bytes);
        nd_buffer_free(&source->records[i].text);
    }
}

/* ---- odd sources */

void nd_test_make_charsets(nd_buffer *file, nd_test_packing packing) {
    static const struct {
        const char *type, *body;
        size_t size;
    } pages[] = {
        {"text/html", "\xff\xfe<\0p\0>\0a\0", 10},
        {"text/html", "<meta charset=iso-8859-2><p>k\xb3opot", 33},
        {"text/html; charset=shift_jis", "<p>\x83\x65 \x81\x20 \xa0\xff\xfd", 11},
        {"text/html; charset=utf-8", "<p>caf\xc3\xa9 \xc3\x28 \xe2\x82", 13},
        {"text/html; charset=none-of-these", "<p>caf\xc3\xa9", 8},
    };
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer block = {0};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "urn:%zu", i);
        block.size = record.size = 0;
        nd_test_http(&block, 200, pages[i].type, "",
                     (nd_span){(const uint8_t *)pages[i].body, pages[i].size});
        nd_test_warc_record(&record, "response", "http://a.example/", id, "application/http",
                            nd_buffer_span(&block));
        nd_test_pack(file, packing, nd_buffer_span(&record));
    }
}

void nd_test_make_with_dictionary(nd_buffer *file, nd_test_packing packing) {
    static const char dictionary[] =
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://";
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    CU_ASSERT_PTR_NOT_NULL_FATAL(context);
    nd_test_pack(&packed, packing, nd_test_span(dictionary));
    const uint8_t header[8] = {0x5D, 0x2A, 0x4D, 0x18, (uint8_t)packed.size, 0, 0, 0};
    nd_test_pack(file, ND_TEST_PLAIN, (nd_span){header, sizeof header});
    nd_test_pack(file, ND_TEST_PLAIN, nd_buffer_span(&packed));
    for (int i = 0; i < 2; i++) {
        uint8_t frame[4096];
        record.size = 0;
        nd_test_warc_record(&record, "conversion", "http://c/", i == 0 ? "urn:c" : "urn:d",
                            "text/plain", nd_test_span("text"));
        const size_t made = ZSTD_compress_usingDict(context, frame, sizeof frame, record.data,
                                                    record.size, dictionary, strlen(dictionary), 3);
        CU_ASSERT_FALSE_FATAL(ZSTD_isError(made));
        nd_test_pack(file, ND_TEST_PLAIN, (nd_span){frame, made});
    }
    (void)ZSTD_freeCCtx(context);
}

void nd_test_make_damaged(nd_buffer *file, nd_test_packing packing, int number, size_t byte) {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    for (int i = 0; i < 4; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "urn:%d", i);
        record.size = 0;
        nd_test_warc_record(&record, "conversion", "http://a/", id, "text/plain",
                            nd_test_span("some text"));
        const size_t begin = file->size;
        nd_test_pack(file, packing, nd_buffer_span(&record));
        if (i == number) {
            file->data[begin + byte] ^= 0x44;
        }
    }
}

void nd_test_make_long_line(nd_buffer *file) {
    enum { LONG = 200 << 10 };
    nd_test_print(file, "{\"text\":\"one\"}\n{\"text\":\"");
    nd_buffer_reserve(file, LONG);
    memset(file->data + file->size, 'x', LONG);
    file->size += LONG;
    nd_test_print(file, "\"}\n{\"text\":\"three\"}\n");
}

/* ---- unit reading */

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

/* Fuzz targets come here too, where no test runs that an assertion could fail in. */
static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    ND_ASSERT(reason != NULL && reason[0] != '\0' && strchr(reason, '\n') == NULL, offset);
    ++*(uint64_t *)context;
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
        ND_OWNED(nd_buffer_free) nd_buffer pages = {0};
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
    }
    return broken;
}

/* ---- a whole source as numbers */

static uint64_t hash_of(nd_span bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.size > 0 ? bytes.data : (const uint8_t *)"", bytes.size,
                                seed);
}

void nd_test_read_whole(const char *path, nd_test_whole *r) {
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    uint64_t skips = 0;
    const nd_reader_options options = {.skip = count_skip, .skip_context = &skips};
    *r = (nd_test_whole){.opened = false};
    nd_status st = nd_source_look(path, NULL, &r->shape);
    st =
        st != ND_OK ? st : nd_reader_open(path, "file://x/y", 0, r->shape.bytes, &options, &reader);
    r->opened = st == ND_OK;
    if (!r->opened) {
        CU_ASSERT_EQUAL(st, ND_ERR_INPUT);
        return;
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_grow(&r->offsets, &r->capacity[0], r->count + 1, sizeof *r->offsets);
        nd_grow(&r->pages, &r->capacity[1], r->count + 1, sizeof *r->pages);
        nd_grow(&r->texts, &r->capacity[2], r->count + 1, sizeof *r->texts);
        const uint64_t text = hash_of(record.text, hash_of(record.url, (uint64_t)record.content));
        r->offsets[r->count] = record.offset;
        r->texts[r->count] = text;
        r->pages[r->count++] = hash_of(record.id, text);
        r->html += record.content == ND_CONTENT_HTML;
    }
    CU_ASSERT_EQUAL(st, ND_END);
    nd_reader_get_counts(reader, &r->counts);
    CU_ASSERT_EQUAL(r->counts.pages, r->count);
    CU_ASSERT_EQUAL(r->counts.skipped, skips);
    CU_ASSERT_EQUAL(r->counts.records, r->counts.pages + r->counts.other + r->counts.skipped);
    CU_ASSERT_EQUAL(r->counts.bytes, r->shape.bytes);
}

void nd_test_whole_free(nd_test_whole *r) {
    free(r->offsets);
    free(r->pages);
    free(r->texts);
    *r = (nd_test_whole){.opened = false};
}
