/* Readers: cut anywhere, damaged anywhere. */
#define _XOPEN_SOURCE 700

#include "io/input/charset.h"
#include "io/input/reader.h"
#include "io/input/sniff.h"
#include "io/input/stream.h"
#include "io/store/packing.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"
#include "tests/support/sources.h"

#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

/* ---- Whether bytes are binary, against a plain count of them one by one: texts with ever more
 * control characters, of sizes about the blocks that are counted at once, and about the most that
 * is looked at. */

enum { ROUNDS_SNIFF = 20000, LOOKED_AT = 4096, MOST = LOOKED_AT + 300 };

static bool is_binary(const uint8_t *bytes, size_t size) {
    static const char controls[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0e\x0f\x10\x11\x12\x13"
                                   "\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f";
    size_t found = 0;
    size = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == 0) {
            return true;
        }
        found += strchr(controls, bytes[i]) != NULL;
    }
    return found > 1 && found * 50 > size;
}

ND_TEST("against a plain count") {
    static uint8_t bytes[MOST];
    nd_random random = nd_test_random("sniff");
    int binary = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS_SNIFF); round++) {
        const size_t size = (size_t)nd_random_below(&random, round % 2 == 0 ? 400 : MOST + 1);
        /* any bytes but 0 and the control characters, then some of the latter */
        for (size_t i = 0; i < size; i++) {
            const uint64_t drawn = nd_random_next(&random);
            bytes[i] = drawn % 16 == 0 ? (uint8_t) "\t\n\f\r\x1b"[drawn / 16 % 5]
                                       : (uint8_t)(0x20 + drawn / 16 % (0x100 - 0x20));
        }
        for (uint64_t odd = nd_random_below(&random, 2 + size / 30); size > 0 && odd > 0; odd--) {
            bytes[nd_random_below(&random, size)] = (uint8_t)(1 + nd_random_below(&random, 0x1f));
        }
        if (size > 0 && nd_random_below(&random, 8) == 0) {
            bytes[nd_random_below(&random, size)] = 0;
        }
        if (size > 0 && bytes[0] >= 0xef) {
            bytes[0] = 'a'; /* no byte order mark, by which UTF-16 is text */
        }
        const bool expected = is_binary(bytes, size);
        binary += expected;
        CU_ASSERT_EQUAL(nd_sniff_binary((nd_span){bytes, size}), expected);
    }
    CU_ASSERT(binary > nd_test_rounds(ROUNDS_SNIFF) / 10 &&
              binary < nd_test_rounds(ROUNDS_SNIFF) - nd_test_rounds(ROUNDS_SNIFF) / 10);
}

/* Counts that are more than what fits in a byte. */
ND_TEST("nothing else") {
    static uint8_t bytes[MOST];
    for (uint8_t byte = 0; byte < 2; byte++) {
        memset(bytes, byte, sizeof bytes);
        for (size_t size = 2; size <= MOST; size++) {
            CU_ASSERT(nd_sniff_binary((nd_span){bytes, size}));
        }
    }
}

/* ---- For any cut of a source into units, the pages of the units are the pages of the whole, and
 * those are what was written. Where a payload holds what looks like a record, a unit may start
 * falsely; then the chain of restart points must show it, and reading from where the chain says
 * gives the right pages. */

enum {
    ROUNDS_READER_CUTS = 25,
    ROUNDS_OF_FAKES = 25,
    CUTTINGS = 6,
    MOST_RECORDS = 40,
    MOST_UNITS = 12
};
typedef enum source_kind { SOURCE_WARC, SOURCE_ARC, SOURCE_JSONL } source_kind;

/* Pages as lines of text: easy to compare, and to look at when they differ. */
typedef struct made_source {
    nd_buffer file;
    nd_buffer pages; /* what must be read, without offsets */
} made_source;

/* ---- making sources */

static void add_words(nd_buffer *body, nd_random *random, uint64_t most) {
    static const char *const words[] = {"alpha", "beta", "gamma", "d\xC3\xA9j\xC3\xA0", "omega"};
    for (uint64_t left = nd_random_below(random, most); left > 0; left--) {
        nd_test_print(body, "%s %" PRIu64 "%s", words[nd_random_below(random, 5)],
                      nd_random_below(random, 1000), nd_random_below(random, 9) == 0 ? "\n" : " ");
    }
}

/* What looks like the start of a record, and in it one that would be delivered as a page. */
static void add_fake(nd_buffer *body, nd_random *random, source_kind kind) {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer http = {0};
    nd_test_http(&http, 200, "text/html", "", nd_test_span("<p>fake"));
    if (kind == SOURCE_ARC) {
        nd_test_arc_record(&record, "http://fake/", "text/html", nd_buffer_span(&http));
    } else {
        nd_test_warc_record(&record, "response", "http://fake/", "urn:fake", "application/http",
                            nd_buffer_span(&http));
    }
    nd_test_print(body, "\n");
    nd_test_pack(body, nd_random_below(random, 2) == 0 ? ND_TEST_PLAIN : ND_TEST_GZIP,
                 nd_buffer_span(&record));
    nd_test_pack(body, ND_TEST_ZSTD, nd_buffer_span(&record));
}

static void add_archive_record(made_source *made, nd_random *random, source_kind kind,
                               nd_test_packing packing, bool fakes, uint64_t number) {
    ND_OWNED(nd_buffer_free) nd_buffer body = {0};
    ND_OWNED(nd_buffer_free) nd_buffer block = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    char url[64];
    char id[64];
    const bool fake = fakes && nd_random_below(random, 4) == 0;
    const bool page = !fake && nd_random_below(random, 3) > 0;
    (void)snprintf(url, sizeof url, "http://site/%" PRIu64, number);
    (void)snprintf(id, sizeof id, "urn:uuid:%" PRIu64, number);
    nd_test_print(&body, "<html>");
    add_words(&body, random, nd_random_below(random, 10) == 0 ? 20000 : 200);
    if (fake) {
        add_fake(&body, random, kind);
        add_words(&body, random, 300);
    }
    nd_test_http(&block, nd_random_below(random, 5) == 0 && !page ? 404 : 200,
                 page ? "text/html; charset=utf-8" : "image/png", "", nd_buffer_span(&body));
    if (kind == SOURCE_ARC) {
        nd_test_arc_record(&record, url, page ? "text/html" : "image/png", nd_buffer_span(&block));
    } else {
        nd_test_warc_record(&record, "response", url, id, "application/http; msgtype=response",
                            nd_buffer_span(&block));
    }
    nd_test_pack(&made->file, packing, nd_buffer_span(&record));
    if (page) {
        nd_test_print_page(&made->pages, ND_CONTENT_HTML,
                           nd_test_span(kind == SOURCE_ARC ? "" : id), nd_test_span(url),
                           nd_buffer_span(&body));
    }
}

static void add_line(made_source *made, nd_random *random, uint64_t number) {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRIu64, number);
    for (uint64_t left = nd_random_below(random, 300); left > 0; left--) {
        nd_test_print(&text, "w%" PRIu64 " ", nd_random_below(random, 1000));
    }
    nd_test_print(&text, "\xE4\xB8\xAD");
    nd_test_print(&made->file, "{\"x\": [1, {\"id\": 2}], \"id\": %s, \"text\": \"", id);
    nd_test_pack(&made->file, ND_TEST_PLAIN, nd_buffer_span(&text));
    nd_test_print(&made->file, "\"}%s\n", nd_random_below(random, 4) == 0 ? "\r\n\n  \n" : "");
    nd_test_print_page(&made->pages, ND_CONTENT_TEXT, nd_test_span(id), nd_test_span(""),
                       nd_buffer_span(&text));
}

static made_source make_source(nd_random *random, source_kind kind, nd_test_packing packing,
                               bool fakes) {
    made_source made = {0};
    const uint64_t records = 1 + nd_random_below(random, MOST_RECORDS);
    for (uint64_t i = 0; i < records; i++) {
        if (kind == SOURCE_JSONL) {
            add_line(&made, random, i);
        } else {
            add_archive_record(&made, random, kind, packing, fakes, i);
        }
    }
    return made;
}

/* ---- reading them */

static void read_cut(const char *path, uint64_t end, nd_test_reading how, nd_buffer *out) {
    uint64_t first = 0;
    uint64_t next = 0;
    const char *broken = nd_test_read_range(path, 0, end, NULL, how, out, &first, &next);
    CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    CU_ASSERT(how == ND_TEST_READ_DAMAGE || next == UINT64_MAX);
}

/* All pages by one reader that moves from the last unit to the first, after what it has read there.
 */
static void read_moving(const char *path, const uint64_t *cuts, size_t count, nd_buffer *out) {
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    nd_buffer pages[MOST_UNITS + 1] = {{0}};
    const nd_reader_options options = {0};
    ND_TEST_MUST(nd_reader_open(path, NULL, 0, UINT64_MAX, &options, &reader));
    for (size_t i = count - 1; i-- > 0;) {
        nd_status st = nd_reader_move(reader, cuts[i], cuts[i + 1]);
        while (st == ND_OK && (st = nd_reader_next(reader, &record)) == ND_OK) {
            CU_ASSERT_TRUE(record.offset >= cuts[i] && record.offset < cuts[i + 1]);
            nd_test_print_page(&pages[i], record.content, record.id, record.url, record.text);
        }
        CU_ASSERT_EQUAL(st, ND_END);
    }
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.skipped, 0);
    for (size_t i = 0; i + 1 < count; i++) {
        nd_buffer_append(out, pages[i].data, pages[i].size);
        nd_buffer_free(&pages[i]);
    }
}

/* \return units that had to be read again */
static unsigned read_units(const char *path, const uint64_t *cuts, size_t count, bool damaged,
                           nd_buffer *out) {
    unsigned again = 0;
    const char *broken = nd_test_read_units(path, cuts, count, NULL, damaged, out, &again);
    CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    return again;
}

static size_t make_cuts(nd_random *random, uint64_t bytes, uint64_t *cuts) {
    const size_t inner = (size_t)nd_random_below(random, MOST_UNITS);
    cuts[0] = 0;
    for (size_t i = 1; i <= inner; i++) {
        cuts[i] = nd_random_below(random, bytes + 1);
    }
    cuts[inner + 1] = bytes;
    nd_sort(cuts, inner + 2, sizeof *cuts, nd_test_by_u64);
    return inner + 2;
}

static bool same_bytes(const nd_buffer *a, const nd_buffer *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static unsigned check_source(nd_random *random, source_kind kind, nd_test_packing packing,
                             bool fakes) {
    made_source made = make_source(random, kind, packing, fakes);
    const char *path = nd_test_write("source", nd_buffer_span(&made.file));
    nd_source_shape shape = {0};
    ND_OWNED(nd_buffer_free) nd_buffer whole = {0};
    unsigned again = 0;
    ND_TEST_OK(nd_source_look(path, NULL, &shape));
    CU_ASSERT_TRUE(shape.splittable);
    CU_ASSERT_EQUAL(shape.bytes, made.file.size);
    read_cut(path, shape.bytes, ND_TEST_READ_GOOD, &whole);
    CU_ASSERT_TRUE(same_bytes(&whole, &made.pages));
    for (int i = 0; i < CUTTINGS; i++) {
        uint64_t cuts[MOST_UNITS + 2];
        ND_OWNED(nd_buffer_free) nd_buffer pages = {0};
        const size_t count = make_cuts(random, shape.bytes, cuts);
        again += read_units(path, cuts, count, false, &pages);
        CU_ASSERT_TRUE(same_bytes(&pages, &made.pages));
        pages.size = 0;
        if (!fakes) {
            read_moving(path, cuts, count, &pages);
            CU_ASSERT_TRUE(same_bytes(&pages, &made.pages));
        }
    }
    nd_buffer_free(&made.file);
    nd_buffer_free(&made.pages);
    return again;
}

static void check_kind(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    for (int i = 0; i < nd_test_rounds(ROUNDS_READER_CUTS); i++) {
        CU_ASSERT_EQUAL(check_source(&random, kind, packing, false), 0);
    }
}

ND_TEST("plain WARC") {
    check_kind("plain warc", SOURCE_WARC, ND_TEST_PLAIN);
}

ND_TEST("WARC, a gzip member per record") {
    check_kind("warc.gz", SOURCE_WARC, ND_TEST_GZIP);
    check_kind("stored warc.gz", SOURCE_WARC, ND_TEST_GZIP_STORED);
}

ND_TEST("WARC, a zstd frame per record") {
    check_kind("warc.zst", SOURCE_WARC, ND_TEST_ZSTD);
}

ND_TEST("ARC") {
    check_kind("plain arc", SOURCE_ARC, ND_TEST_PLAIN);
    check_kind("arc.gz", SOURCE_ARC, ND_TEST_GZIP);
}

ND_TEST("JSONL") {
    check_kind("jsonl", SOURCE_JSONL, ND_TEST_PLAIN);
}

/* Until some cut has fallen between a record's start and the fake inside it. */
static void check_fakes(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    unsigned again = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS_OF_FAKES) || (again == 0 && i < 4 * ROUNDS_OF_FAKES);
         i++) {
        again += check_source(&random, kind, packing, true);
    }
    CU_ASSERT_TRUE(again > 0);
}

ND_TEST("fake starts are seen through the chain") {
    check_fakes("plain warc with fakes", SOURCE_WARC, ND_TEST_PLAIN);
    check_fakes("plain arc with fakes", SOURCE_ARC, ND_TEST_PLAIN);
    check_fakes("stored warc.gz with fakes", SOURCE_WARC, ND_TEST_GZIP_STORED);
}

/* Damage is met and passed by the same reader for any cut, whatever it costs. */
static void check_damaged(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    for (int i = 0; i < nd_test_rounds(ROUNDS_READER_CUTS * 2); i++) {
        made_source made = make_source(&random, kind, packing, i % 2 == 0);
        ND_OWNED(nd_buffer_free) nd_buffer whole = {0};
        const size_t head = made.file.size <= 300 ? made.file.size - 1 : 300;
        for (uint64_t hits = 1 + nd_random_below(&random, 4); hits > 0; hits--) {
            made.file.data[head + nd_random_below(&random, made.file.size - head)] ^=
                (uint8_t)(1 + nd_random_below(&random, 255));
        }
        const char *path = nd_test_write("source", nd_buffer_span(&made.file));
        nd_source_shape shape;
        /* one of a single record may be of no use at all, or not be cut */
        const bool usable = nd_source_look(path, NULL, &shape) == ND_OK && shape.splittable;
        if (usable) {
            read_cut(path, made.file.size, ND_TEST_READ_DAMAGE, &whole);
        }
        for (int cutting = 0; usable && cutting < CUTTINGS; cutting++) {
            uint64_t cuts[MOST_UNITS + 2];
            ND_OWNED(nd_buffer_free) nd_buffer pages = {0};
            const size_t count = make_cuts(&random, made.file.size, cuts);
            (void)read_units(path, cuts, count, true, &pages);
            CU_ASSERT_TRUE(same_bytes(&pages, &whole));
        }
        nd_buffer_free(&made.file);
        nd_buffer_free(&made.pages);
    }
}

ND_TEST("damaged sources") {
    check_damaged("damaged plain warc", SOURCE_WARC, ND_TEST_PLAIN);
    check_damaged("damaged warc.gz", SOURCE_WARC, ND_TEST_GZIP);
    check_damaged("damaged stored warc.gz", SOURCE_WARC, ND_TEST_GZIP_STORED);
    check_damaged("damaged warc.zst", SOURCE_WARC, ND_TEST_ZSTD);
    check_damaged("damaged plain arc", SOURCE_ARC, ND_TEST_PLAIN);
    check_damaged("damaged arc.gz", SOURCE_ARC, ND_TEST_GZIP);
    check_damaged("damaged jsonl", SOURCE_JSONL, ND_TEST_PLAIN);
}

/* ---- Real files, cut off anywhere and with a byte changed anywhere: no crash, no hang, and what
 * does not hang on the damage is read as from the whole file. NEARDUP_MUTATIONS is the number of
 * cuts and of changes of each file (a few; 100 takes minutes). */

enum { MUTATIONS = 8, MOST_FILES = 1000 };

/* Far beyond what any of these files takes on a loaded machine. */
enum { MOST_CPU_SECONDS = 60 };
static char *names[MOST_FILES];
static size_t name_count;

static nd_test_whole read_all(const char *path) {
    nd_test_whole r;
    const clock_t start = clock();
    nd_test_read_whole(path, &r);
    CU_ASSERT_TRUE(clock() - start < MOST_CPU_SECONDS * CLOCKS_PER_SEC);
    return r;
}

/* Whether pages [first, first + count) of one reading are those from `other_first` on of another.
 */
static bool same_pages(const nd_test_whole *a, size_t first, const nd_test_whole *b,
                       size_t other_first, size_t count) {
    return count == 0 ||
           (first + count <= a->count && other_first + count <= b->count &&
            memcmp(a->pages + first, b->pages + other_first, count * sizeof *a->pages) == 0);
}

/* Pages that surely end at or before byte `at` of the file: the next one starts there or before. */
static size_t pages_before(const nd_test_whole *r, uint64_t at) {
    size_t count = 0;
    while (r->shape.splittable && count + 1 < r->count && r->offsets[count + 1] <= at) {
        count++;
    }
    return count;
}

/* Pages from the second on that starts after byte `at`: the first may hang on what it follows, as
 * a line does on the line end before it. */
static size_t pages_after(const nd_test_whole *r, uint64_t at) {
    size_t count = 0;
    while (r->shape.splittable && count < r->count && r->offsets[r->count - 1 - count] > at) {
        count++;
    }
    return count > 0 ? count - 1 : 0;
}

static void check_cut(const char *name, const nd_buffer *file, const nd_test_whole *whole,
                      size_t at) {
    nd_test_whole cut = read_all(nd_test_write("s", (nd_span){file->data, at}));
    const size_t before = pages_before(whole, at);
    const bool good = same_pages(&cut, 0, whole, 0, before);
    if (!good) {
        printf("%s cut at %zu: of %zu pages before, not all are as they were\n", name, at, before);
    }
    CU_ASSERT_TRUE(good);
    nd_test_whole_free(&cut);
}

static void check_change(const char *name, nd_buffer *file, const nd_test_whole *whole, size_t at,
                         uint8_t change) {
    file->data[at] ^= change;
    nd_test_whole changed = read_all(nd_test_write("s", nd_buffer_span(file)));
    file->data[at] ^= change;
    const size_t before = pages_before(whole, at);
    const size_t after = pages_after(whole, at);
    /* a format is known by the first bytes: where these are damaged, nothing need be known of it */
    const bool known = whole->count > 0 && at >= whole->offsets[0] && at >= 512;
    const bool good =
        !known || (same_pages(&changed, 0, whole, 0, before) && changed.count >= after &&
                   same_pages(&changed, changed.count - after, whole, whole->count - after, after));
    if (!good) {
        printf("%s with byte %zu changed by %u: of %zu pages before it and %zu after it, not all "
               "are as they were (%zu of %zu)\n",
               name, at, change, before, after, changed.count, whole->count);
    }
    CU_ASSERT_TRUE(good);
    nd_test_whole_free(&changed);
}

static int note_file(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_F && info->st_size > 0 && name_count < MOST_FILES) {
        names[name_count++] = strdup(path);
    }
    return 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_folder(const char *folder) {
    const char *path = nd_test_data(folder);
    if (path == NULL) {
        return;
    }
    const char *asked = getenv("NEARDUP_MUTATIONS");
    const size_t mutations =
        asked != NULL ? strtoul(asked, NULL, 10) : (size_t)nd_test_rounds(MUTATIONS);
    nd_random random = nd_test_random(folder);
    name_count = 0;
    CU_ASSERT_EQUAL_FATAL(nftw(path, note_file, 16, FTW_PHYS), 0);
    CU_ASSERT_TRUE(name_count > 0);
    nd_sort(names, name_count, sizeof names[0], compare_names);
    for (size_t i = 0; i < name_count; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = nd_test_read(names[i]);
        nd_test_whole whole = read_all(names[i]);
        for (size_t m = 0; m < mutations; m++) {
            check_cut(names[i], &file, &whole, (size_t)nd_random_below(&random, file.size));
            check_change(names[i], &file, &whole, (size_t)nd_random_below(&random, file.size),
                         (uint8_t)(1 + nd_random_below(&random, 255)));
        }
        nd_test_whole_free(&whole);
        free(names[i]);
    }
}

ND_TEST("crawls") {
    check_folder("crawl");
}

ND_TEST("pages of many charsets") {
    check_folder("charset");
}

/* ---- What a member gives, damaged or not, depends on its own bytes: not on what the decoder has
 * decoded before, nor on how much is asked for at a time. */

enum { ROUNDS_MEMBER_DAMAGE = 400, GZIP_HEADER = 10, HEADER_CRC = 2 };
typedef struct member_packing {
    const char *name;
    uint64_t most_words;
    int window_log; /* of zstd; 0: gzip */
    bool sized;     /* the frame says how much it holds; the gzip header has a checksum */
} member_packing;

static void pack_zstd(nd_buffer *file, const member_packing *how, nd_span bytes) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(bytes.size);
    nd_test_must(context == NULL ? ND_ERR_MEMORY : ND_OK);
    nd_buffer_reserve(file, room);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, how->window_log);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, how->sized);
    const size_t size =
        ZSTD_compress2(context, file->data + file->size, room, bytes.data, bytes.size);
    nd_test_must(ZSTD_isError(size) ? ND_ERR_INTERNAL : ND_OK);
    file->size += size;
    (void)ZSTD_freeCCtx(context);
}

static void pack_gzip(nd_buffer *file, const member_packing *how, nd_span bytes) {
    const size_t begin = file->size;
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    nd_test_pack(&packed, ND_TEST_GZIP, bytes);
    nd_buffer_append(file, packed.data, GZIP_HEADER);
    if (how->sized) {
        file->data[begin + 3] |= HEADER_CRC;
        const uLong sum = crc32(0, file->data + begin, GZIP_HEADER);
        const uint8_t low[] = {(uint8_t)sum, (uint8_t)(sum >> 8)};
        nd_buffer_append(file, low, sizeof low);
    }
    nd_buffer_append(file, packed.data + GZIP_HEADER, packed.size - GZIP_HEADER);
}

static void add_member(nd_buffer *file, nd_random *random, const member_packing *how) {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    for (uint64_t words = 1 + nd_random_below(random, how->most_words); words > 0; words--) {
        nd_test_print(&text, "word%" PRIu64 " ", nd_random_below(random, 1000));
    }
    (how->window_log > 0 ? pack_zstd : pack_gzip)(file, how, nd_buffer_span(&text));
}

/* \param[in] room  that each step is given */
static nd_member_state decode(nd_member_decoder *decoder, uint64_t offset, bool whole, size_t room,
                              nd_buffer *out) {
    nd_member_state state = ND_MEMBER_MORE;
    out->size = 0;
    nd_member_begin(decoder, offset, whole);
    while (state == ND_MEMBER_MORE) {
        ND_TEST_MUST(nd_member_more(decoder, room, out, &state));
    }
    return state;
}

/* The second member of two is damaged. */
static void check_packing(const member_packing *how) {
    nd_random random = nd_test_random(how->name);
    const nd_codec codec = how->window_log > 0 ? ND_CODEC_ZSTD : ND_CODEC_GZIP;
    ND_OWNED(nd_buffer_free) nd_buffer alone = {0};
    ND_OWNED(nd_buffer_free) nd_buffer after = {0};
    unsigned spoilt = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS_MEMBER_DAMAGE); round++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = {0};
        ND_OWNED(nd_file_window_close) nd_file_window window;
        nd_member_decoder *fresh = NULL;
        nd_member_decoder *used = NULL;
        add_member(&file, &random, how);
        const uint64_t second = file.size;
        add_member(&file, &random, how);
        /* the header, which no checksum of the content covers, as often as the rest */
        const uint64_t size = file.size - second;
        const uint64_t at = nd_random_below(&random, round % 2 == 0 ? 12 : size);
        file.data[second + at] ^= (uint8_t)(1 + nd_random_below(&random, 255));
        const char *path = nd_test_write("members", nd_buffer_span(&file));
        ND_TEST_MUST(nd_file_window_open(&window, path));
        ND_TEST_MUST(nd_member_open(codec, &window, NULL, &fresh));
        ND_TEST_MUST(nd_member_open(codec, &window, NULL, &used));
        const size_t room = 1 + (size_t)nd_random_below(&random, 5000);
        CU_ASSERT_EQUAL(decode(used, 0, false, room, &after), ND_MEMBER_DONE);
        CU_ASSERT_EQUAL(nd_member_next(used), second);
        const nd_member_state state = decode(fresh, second, true, 256 << 10, &alone);
        CU_ASSERT_EQUAL(decode(used, second, false, room, &after), state);
        CU_ASSERT_EQUAL(alone.size, after.size);
        CU_ASSERT(alone.size == 0 || memcmp(alone.data, after.data, alone.size) == 0);
        CU_ASSERT(state != ND_MEMBER_DONE || nd_member_next(fresh) == nd_member_next(used));
        spoilt += state == ND_MEMBER_DAMAGED;
        nd_member_close(&fresh);
        nd_member_close(&used);
    }
    CU_ASSERT_TRUE(spoilt > 0);
}

ND_TEST("gzip") {
    check_packing(&(member_packing){"gzip", 500, 0, false});
    check_packing(&(member_packing){"gzip with a checksum of the header", 500, 0, true});
}

ND_TEST("zstd") {
    check_packing(&(member_packing){"zstd", 500, 20, true});
    check_packing(&(member_packing){"zstd of a small window", 20000, 10, true});
    check_packing(&(member_packing){"zstd of a small window and unknown size", 20000, 10, false});
}

/* A codec is known by its magic, whole. */
ND_TEST("magic") {
    static const uint8_t gzip[] = {0x1f, 0x8b, 8};
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t skippable[] = {0x5f, 0x2a, 0x4d, 0x18};
    static const uint8_t neither[] = {0x60, 0x2a, 0x4d, 0x18};
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){gzip, 3}), ND_CODEC_GZIP);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){gzip, 2}), ND_CODEC_PLAIN);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){frame, 4}), ND_CODEC_ZSTD);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){frame, 3}), ND_CODEC_PLAIN);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){skippable, 4}), ND_CODEC_ZSTD);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){neither, 4}), ND_CODEC_PLAIN);
    for (size_t i = 0; i < sizeof gzip; i++) {
        uint8_t other[] = {0x1f, 0x8b, 8};
        other[i] ^= 1;
        CU_ASSERT_EQUAL(nd_codec_of((nd_span){other, 3}), ND_CODEC_PLAIN);
    }
}

/* ---- Damaged and cut-off sources: no crash, no hang, counts that add up, text that is UTF-8, and
 * where only one record is damaged all the others are still delivered. A walk over all records
 * meets each page where a reader has met it. */

enum { RECORDS = 30, ROUNDS_READER_DAMAGE = 60, FILE_ROUNDS = 4, LONGEST_FILE = 300 << 10 };

/* ---- readers */

/* Read [begin, end) and check what holds for any input. \return pages */
static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    CU_ASSERT_TRUE(reason[0] != '\0');
    ++*(uint64_t *)context;
}

static uint64_t read_damaged(const char *path, uint64_t begin, uint64_t end) {
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    uint64_t skips = 0;
    uint64_t checksum = 0;
    uint64_t pages = 0;
    ND_OWNED(nd_met_pages_free) nd_met_pages met = {.count = 0};
    nd_reader_options options = {.skip = count_skip, .skip_context = &skips};
    nd_status st = nd_reader_open(path, "file://x/y", begin, end, &options, &reader);
    if (st != ND_OK) {
        CU_ASSERT_EQUAL(st, ND_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
        return 0;
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        CU_ASSERT_EQUAL(nd_utf8_valid_bytes(record.text), record.text.size);
        pages++;
        nd_met_pages_add(&met, &record);
    }
    CU_ASSERT_EQUAL(st, ND_END);
    if (begin == 0 && end == nd_reader_identity(reader, &checksum).bytes) {
        const char *broken = nd_met_pages_walk(&met, path, &options);
        CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    }
    nd_reader_counts counts;
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.pages, pages);
    CU_ASSERT_EQUAL(counts.skipped, skips);
    CU_ASSERT_EQUAL(counts.records, counts.pages + counts.other + counts.skipped);
    return pages;
}

/* ---- sources made here */

static nd_buffer make_source_reader_damage(nd_random *random, nd_test_packing packing, bool arc) {
    nd_buffer file = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer body = {0};
        ND_OWNED(nd_buffer_free) nd_buffer http = {0};
        ND_OWNED(nd_buffer_free) nd_buffer record = {0};
        char url[32];
        (void)snprintf(url, sizeof url, "http://site/%u", i);
        for (uint64_t words = nd_random_below(random, 400); words > 0; words--) {
            nd_test_print(&body, "word%" PRIu64 " ", nd_random_below(random, 100));
        }
        nd_test_http(&http, 200, "text/html", "", nd_buffer_span(&body));
        if (arc) {
            nd_test_arc_record(&record, url, "text/html", nd_buffer_span(&http));
        } else {
            nd_test_warc_record(&record, "response", url, "urn:x", "application/http",
                                nd_buffer_span(&http));
        }
        nd_test_pack(&file, packing, nd_buffer_span(&record));
    }
    return file;
}

/* \param[in] name  of the file: it counts where the first bytes are damaged */
static void check_made(const char *name, nd_test_packing packing, bool arc) {
    nd_random random = nd_test_random(name);
    for (int round = 0; round < nd_test_rounds(ROUNDS_READER_DAMAGE); round++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = make_source_reader_damage(&random, packing, arc);
        CU_ASSERT_EQUAL(read_damaged(nd_test_write(name, nd_buffer_span(&file)), 0, file.size),
                        RECORDS);
        /* gzip gives all that comes before the cut; a block of zstd is whole or nothing */
        const nd_span cut = {file.data, file.size - 1};
        CU_ASSERT_EQUAL(read_damaged(nd_test_write(name, cut), 0, cut.size),
                        packing == ND_TEST_ZSTD ? RECORDS - 1 : RECORDS);
        /* a byte spoils the record it is in, and at worst the one whose header it pretends to be */
        const bool first = nd_random_below(&random, 4) == 0;
        const size_t at = (size_t)nd_random_below(&random, first ? 300 : file.size);
        file.data[at] ^= (uint8_t)(1 + nd_random_below(&random, 255));
        const char *path = nd_test_write(name, nd_buffer_span(&file));
        const uint64_t pages = read_damaged(path, 0, file.size);
        if (pages < RECORDS - 2) {
            printf("%s: %" PRIu64 " pages left, byte %zu damaged\n", name, pages, at);
        }
        CU_ASSERT_TRUE(pages >= RECORDS - 2);
        const uint64_t middle = nd_random_below(&random, file.size);
        (void)read_damaged(path, 0, middle);
        (void)read_damaged(path, middle, file.size);
    }
}

ND_TEST("sources made here") {
    check_made("made.warc", ND_TEST_PLAIN, false);
    check_made("made.warc.gz", ND_TEST_GZIP, false);
    check_made("made.warc.zst", ND_TEST_ZSTD, false);
    check_made("made.arc", ND_TEST_PLAIN, true);
    check_made("made.arc.gz", ND_TEST_GZIP, true);
    check_made("made.arc.zst", ND_TEST_ZSTD, true);
}

/* A walk finds the page where a reader does: after line ends in front of its line, and after a
 * record without a length in its member. */
ND_TEST("odd starts") {
    static const char line[] = "\r{\"text\": \"a\"}\n\r{\"text\": \"b\"}\n";
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    CU_ASSERT_EQUAL(
        read_damaged(nd_test_write("odd.jsonl", nd_test_span(line)), 0, sizeof line - 1), 2);
    nd_test_print(&record, "WARC/1.0\r\n\r\n");
    nd_test_warc_record(&record, "resource", "http://a/", "urn:a", "text/html",
                        nd_test_span("<p>a"));
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    CU_ASSERT_EQUAL(read_damaged(nd_test_write("odd.warc.gz", nd_buffer_span(&file)), 0, file.size),
                    1);
}

/* ---- real files */

static void check_file(const char *path, nd_random *random) {
    ND_OWNED(nd_buffer_free) nd_buffer file = nd_test_read(path);
    const char *copy = nd_test_write("s", (nd_span){file.data, file.size - 1});
    (void)read_damaged(copy, 0, file.size - 1);
    for (int round = 0; round < nd_test_rounds(FILE_ROUNDS); round++) {
        const uint64_t hits = 1 + nd_random_below(random, 8);
        for (uint64_t i = 0; i < hits; i++) {
            file.data[nd_random_below(random, file.size)] = (uint8_t)nd_random_next(random);
        }
        copy = nd_test_write("s", nd_buffer_span(&file));
        const uint64_t middle = nd_random_below(random, file.size);
        (void)read_damaged(copy, 0, file.size);
        (void)read_damaged(copy, 0, middle);
        (void)read_damaged(copy, middle, file.size);
    }
}

ND_TEST("real files") {
    const char *index = nd_test_data("crawl/INDEX.tsv");
    if (index == NULL) {
        return;
    }
    nd_random random = nd_test_random("real files");
    FILE *file = fopen(index, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char line[1024];
    while (fgets(line, sizeof line, file) != NULL) {
        char name[512];
        char path[600];
        uint64_t bytes = 0;
        if (sscanf(line, "%511[^\t]\t%" SCNu64, name, &bytes) == 2 && bytes <= LONGEST_FILE) {
            (void)snprintf(path, sizeof path, "crawl/%s", name);
            check_file(nd_test_data(path), &random);
        }
    }
    (void)fclose(file);
}

/* ---- Packed texts: any are given back, whole or masked, in any order, whatever of them repeats;
 * and a record that is damaged gives a text or a failure, never more than the page has. */

enum { MOST_PAGES = 400 };

/* A page's text, and where its record is. */
typedef struct packed_page {
    nd_document document; /* its arrays are the page's own */
    uint64_t place;
} packed_page;
typedef struct corpus {
    packed_page pages[MOST_PAGES];
    size_t count;
    nd_buffer bytes;     /* all records, one after the other, and what ends them */
    size_t common;       /* bytes of common sentences */
    nd_text_words words; /* as they are read from there */
} corpus;

static nd_status give(void *context, uint64_t place, size_t most, nd_span *bytes) {
    const corpus *c = context;
    *bytes = (nd_span){NULL, 0};
    if (place < c->bytes.size) {
        *bytes = (nd_span){c->bytes.data + place, (size_t)nd_min(most, c->bytes.size - place)};
    }
    return ND_OK;
}

/* A few words come very often, some often, many seldom, and some never again. */
static uint32_t draw_word(nd_random *random) {
    const uint64_t words = UINT64_C(1) << nd_random_below(random, 33);
    return (uint32_t)nd_mix64(nd_random_below(random, words));
}

/* The sentences are a page's tokens as a rule. Those of few seeds repeat, on a page and on others;
 * a page may have none, or very many. */
static void make_page(nd_random *random, uint64_t seeds, packed_page *page) {
    const uint64_t kind = nd_random_below(random, 12);
    const uint32_t sentences =
        kind == 0 ? 0 : (uint32_t)nd_random_below(random, kind == 1 ? 4000 : 60);
    nd_sentence_digest *digests = calloc(sentences + 1U, sizeof *digests);
    uint32_t *tokens = NULL;
    size_t capacity = 0;
    uint32_t count = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(digests);
    for (uint32_t k = 0; k < sentences; k++) {
        nd_random own = {nd_mix64(nd_random_below(random, seeds))};
        uint64_t words[2] = {nd_random_next(&own), nd_random_next(&own)};
        nd_sentence_digest *s = &digests[k];
        if (nd_random_below(&own, 2) == 0) {
            memcpy(&s->digest, words, sizeof s->digest);
        }
        const uint64_t masked = nd_random_below(&own, 3);
        s->masked = masked == 0 ? 0 : nd_random_next(&own);
        s->token_count = (uint32_t)nd_random_below(&own, nd_random_below(&own, 50) == 0 ? 500 : 30);
        s->flags = nd_random_below(random, 40) == 0 ? (uint32_t)nd_random_next(random)
                                                    : (uint32_t)nd_random_below(random, 32);
        nd_grow(&tokens, &capacity, count + s->token_count + 1, sizeof *tokens);
        for (uint32_t i = 0; i < s->token_count; i++) {
            tokens[count++] = draw_word(&own);
        }
        if (masked == 1) { /* as of sentences without digits */
            s->masked = nd_tokens_hash_of(tokens + count - s->token_count, s->token_count).low;
        }
    }
    if (kind == 2 && sentences > 0) { /* sentences of another text */
        digests[0].token_count++;
    }
    page->document = (nd_document){
        .tokens = tokens, .token_count = count, .sentences = digests, .sentence_count = sentences};
}

static void make_corpus(nd_random *random, corpus *c, uint64_t seeds, uint64_t window) {
    nd_text_packer packer = {.most_sets = 0};
    *c = (corpus){.count = 1 + nd_random_below(random, MOST_PAGES)};
    nd_text_packer_open(&packer, window, nd_random_below(random, 2) == 0 ? 0 : 4 << 20);
    packer.most_common = nd_random_below(random, 4) > 0 ? window / 2 : 0;
    for (size_t i = 0; i < c->count; i++) {
        packed_page *page = &c->pages[i];
        nd_span record;
        make_page(random, seeds, page);
        page->place = c->bytes.size;
        ND_TEST_MUST(nd_text_pack(&packer, page->place, &page->document, &record));
        nd_buffer_append(&c->bytes, record.data, record.size);
    }
    c->common = packer.common.size;
    CU_ASSERT(c->common == 0 || packer.most_common > 0);
    nd_buffer_append(&c->bytes, packer.common.data, c->common);
    nd_text_packer_end(&packer, &c->bytes);
    CU_ASSERT_EQUAL(nd_text_words_take(&c->words, give, c, c->bytes.size), ND_OK);
    CU_ASSERT_EQUAL(c->words.short_count, packer.words.short_count);
    CU_ASSERT_EQUAL(c->words.long_count, packer.words.long_count);
    nd_text_packer_close(&packer);
}

static void free_corpus(corpus *c) {
    for (size_t i = 0; i < c->count; i++) {
        free((void *)(uintptr_t)c->pages[i].document.tokens);
        free((void *)(uintptr_t)c->pages[i].document.sentences);
    }
    nd_buffer_free(&c->bytes);
    nd_text_words_free(&c->words);
}

/* What a mask leaves of a page. */
static uint32_t masked_tokens(const nd_document *d, const uint8_t *mask, nd_buffer *tokens,
                              nd_buffer *sentences) {
    const uint32_t *from = d->tokens;
    tokens->size = sentences->size = 0;
    for (uint32_t k = 0; k < d->sentence_count; k++) {
        const nd_sentence_digest *s = &d->sentences[k];
        if ((mask[k / 8] >> k % 8 & 1) == 1) {
            const size_t size = s->token_count * sizeof *from;
            nd_buffer_append(tokens, from, size);
            nd_buffer_append(sentences, s, sizeof *s);
        }
        from = s->token_count > 0 ? from + s->token_count : from;
    }
    return (uint32_t)(tokens->size / sizeof *from);
}

static bool same_text_packing(const nd_buffer *bytes, const void *expected, size_t size) {
    return bytes->size == size && (size == 0 || memcmp(bytes->data, expected, size) == 0);
}

static void check_page(nd_text_reader *reader, nd_random *random, const packed_page *page) {
    const nd_document *d = &page->document;
    ND_OWNED(nd_buffer_free)
    nd_buffer tokens = {0}, sentences = {0}, left = {0}, left_sentences = {0};
    ND_TEST_OK(nd_text_reader_enter(reader, page->place));
    CU_ASSERT_EQUAL_FATAL(reader->sentences, d->sentence_count);
    ND_TEST_OK(nd_text_unpack(reader, NULL, d->token_count, &tokens, &sentences));
    CU_ASSERT(same_text_packing(&tokens, d->tokens, d->token_count * sizeof *d->tokens));
    CU_ASSERT(
        same_text_packing(&sentences, d->sentences, d->sentence_count * sizeof *d->sentences));
    ND_TEST_OK(nd_text_unpack(reader, NULL, d->token_count, &tokens, NULL));
    CU_ASSERT(same_text_packing(&tokens, d->tokens, d->token_count * sizeof *d->tokens));
    CU_ASSERT_EQUAL(nd_text_unpack(reader, NULL, d->token_count + 1, &tokens, NULL), ND_ERR_FORMAT);
    if (!reader->loose) {
        ND_FREED uint8_t *mask = nd_alloc_zero(d->sentence_count / 8 + 1U, 1);
        for (uint32_t k = 0; k < d->sentence_count / 8 + 1U; k++) {
            mask[k] = (uint8_t)(nd_random_next(random) & nd_random_next(random));
        }
        const uint32_t count = masked_tokens(d, mask, &left, &left_sentences);
        ND_TEST_OK(nd_text_unpack(reader, mask, count, &tokens, &sentences));
        CU_ASSERT(same_text_packing(&tokens, left.data, left.size));
        CU_ASSERT(same_text_packing(&sentences, left_sentences.data, left_sentences.size));
    }
}

ND_TEST("any texts") {
    static corpus c;
    nd_random random = nd_test_random("text packing");
    int with_common = 0;
    for (int trial = 0; trial < 24; trial++) {
        const uint64_t seeds = UINT64_C(1) << nd_random_below(&random, 20);
        const uint64_t window = UINT64_C(1) << nd_random_below(&random, 24);
        nd_text_reader reader = {.source = give, .context = &c, .words = &c.words};
        make_corpus(&random, &c, seeds, window);
        with_common += c.common > 0;
        for (size_t i = 0; i < 2 * c.count; i++) { /* in order, and in any */
            check_page(&reader, &random,
                       &c.pages[i < c.count ? i : nd_random_below(&random, c.count)]);
        }
        nd_text_reader_close(&reader);
        free_corpus(&c);
    }
    CU_ASSERT(with_common > 2);
}

/* Of texts of few words hardly more than a byte for each is kept; of those that have only words of
 * their own, not much more than they are. */
ND_TEST("words of few kinds") {
    nd_random random = nd_test_random("words of few kinds");
    for (uint32_t words = 20; words <= 2000000; words *= 10) {
        enum { SENTENCES = 4, LENGTH = 100, PAGES = 500 };
        uint32_t tokens[SENTENCES * LENGTH];
        nd_sentence_digest sentences[SENTENCES] = {{.token_count = LENGTH}};
        const nd_document document = {.tokens = tokens,
                                      .token_count = SENTENCES * LENGTH,
                                      .sentences = sentences,
                                      .sentence_count = SENTENCES};
        nd_text_packer packer = {.most_sets = 0};
        uint64_t size = 0;
        nd_text_packer_open(&packer, 0, 4 << 20);
        for (int page = 0; page < PAGES; page++) {
            nd_span record;
            for (size_t i = 0; i < SENTENCES * LENGTH; i++) {
                tokens[i] = (uint32_t)nd_mix64(nd_random_below(&random, words));
                sentences[i / LENGTH].token_count = LENGTH;
            }
            CU_ASSERT_EQUAL(nd_text_pack(&packer, size, &document, &record), ND_OK);
            size += record.size;
        }
        const double of_token = (double)size / (PAGES * SENTENCES * LENGTH);
        const double most = words <= 20 ? 1.4 : words <= 2000 ? 2.4 : words <= 20000 ? 3.5 : 5.4;
        CU_ASSERT(of_token < most);
        nd_text_packer_close(&packer);
    }
}

static bool are_tokens(const nd_document *d) {
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < d->sentence_count; k++) {
        tokens += d->sentences[k].token_count;
    }
    return tokens == d->token_count;
}

/* Of pages that repeat the same sentences, hardly more is kept than of one. */
ND_TEST("repeated texts") {
    nd_random random = nd_test_random("repeated texts");
    static corpus c;
    nd_text_packer packer = {.most_sets = 0};
    nd_span record;
    do {
        free_corpus(&c);
        c = (corpus){.count = 1};
        make_page(&random, UINT64_C(1) << 40, &c.pages[0]);
    } while (c.pages[0].document.sentence_count < 20 || !are_tokens(&c.pages[0].document));
    const packed_page *page = &c.pages[0];
    nd_text_packer_open(&packer, 1 << 20, 1 << 20);
    ND_TEST_OK(nd_text_pack(&packer, 0, &page->document, &record));
    const size_t first = record.size;
    ND_TEST_OK(nd_text_pack(&packer, first, &page->document, &record));
    CU_ASSERT(record.size < 4 + 8 * page->document.sentence_count + 8);
    ND_TEST_OK(nd_text_pack(&packer, 4 << 20, &page->document, &record));
    CU_ASSERT(record.size > first / 2); /* the window does not reach so far */
    nd_text_packer_close(&packer);
    free_corpus(&c);
}

ND_TEST("damaged texts") {
    static corpus c;
    nd_random random = nd_test_random("damaged texts");
    uint64_t refused = 0;
    for (int trial = 0; trial < 6; trial++) {
        ND_OWNED(nd_buffer_free) nd_buffer tokens = {0}, sentences = {0};
        nd_text_reader reader = {.source = give, .context = &c, .words = &c.words};
        make_corpus(&random, &c, 200, trial % 2 == 0 ? 1 << 24 : 1 << 14);
        for (int i = 0; i < 3000; i++) {
            const packed_page *page = &c.pages[nd_random_below(&random, c.count)];
            const uint64_t near = page->place + nd_random_below(&random, 64);
            const uint64_t at = nd_min(i % 2 == 0 ? near : nd_random_below(&random, c.bytes.size),
                                       c.bytes.size - 1);
            const uint8_t right = c.bytes.data[at];
            c.bytes.data[at] = (uint8_t)nd_random_next(&random);
            nd_status st = nd_text_reader_enter(&reader, page->place);
            st = st != ND_OK ? st
                             : nd_text_unpack(&reader, NULL, page->document.token_count, &tokens,
                                              &sentences);
            CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
            CU_ASSERT(st != ND_OK || tokens.size == page->document.token_count * sizeof(uint32_t));
            refused += st == ND_ERR_FORMAT;
            c.bytes.data[at] = right;
        }
        for (int i = 0; i < 100; i++) { /* words that are damaged, or cut off */
            nd_text_words words = {.capacity = 0};
            const size_t counts = c.bytes.size - 1 - nd_random_below(&random, 8);
            const uint8_t right = c.bytes.data[counts];
            c.bytes.data[counts] = (uint8_t)nd_random_next(&random);
            const nd_status st = nd_text_words_take(&words, give, &c, c.bytes.size);
            CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
            c.bytes.data[counts] = right;
            CU_ASSERT_EQUAL(nd_text_words_take(&words, give, &c, c.bytes.size + 1), ND_ERR_FORMAT);
            CU_ASSERT_EQUAL(nd_text_words_take(&words, give, &c, nd_random_below(&random, 8)),
                            ND_ERR_FORMAT);
            nd_text_words_free(&words);
        }
        CU_ASSERT_EQUAL(nd_text_reader_enter(&reader, c.bytes.size), ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(nd_text_reader_enter(&reader, UINT64_MAX - 2), ND_ERR_FORMAT);
        nd_text_reader_close(&reader);
        free_corpus(&c);
    }
    CU_ASSERT(refused > 1000);
}
