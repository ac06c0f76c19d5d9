/* Manifests: everything comes back as it went; damage, other versions and strange files are said.
 */
#include "io/store/manifest.h"
#include "tests/support/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static nd_status try(nd_manifest *manifest, const char *array, uint64_t record_size,
                     nd_manifest_piece piece) {
    piece.checksum = UINT64_MAX - piece.first;
    return nd_manifest_add_piece(manifest, array, record_size, &piece);
}

static void add(nd_manifest *manifest, const char *array, uint64_t first, uint64_t count) {
    CU_ASSERT_EQUAL_FATAL(
        try(manifest, array, 16, (nd_manifest_piece){.first = first, .count = count}), ND_OK);
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
    CU_ASSERT_EQUAL(try(manifest, "pages", 16, piece), ND_OK);
    piece = (nd_manifest_piece){
        .first = UINT64_C(1) << 60, .count = 1, .generation = UINT32_MAX, .number = UINT32_MAX};
    CU_ASSERT_EQUAL(try(manifest, "links", 8, piece), ND_OK);
    piece = (nd_manifest_piece){.count = 5, .generation = 1};
    CU_ASSERT_EQUAL(try(manifest, "pages", 16, piece), ND_OK);
    CU_ASSERT_EQUAL(nd_manifest_arrange(manifest), ND_OK);
}

static void format(const nd_manifest *manifest, nd_buffer *text) {
    *text = (nd_buffer){0};
    CU_ASSERT_EQUAL_FATAL(nd_manifest_format(manifest, text), ND_OK);
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

static bool said(const char *text) {
    return strstr(nd_fail_text(), text) != NULL && strchr(nd_fail_text(), '\n') == NULL;
}

/* ---- tests */

static void test_round_trip(void) {
    nd_manifest manifest;
    nd_manifest back;
    nd_buffer text;
    fill(&manifest);
    format(&manifest, &text);
    CU_ASSERT_EQUAL(parse(&back, &text), ND_OK);
    CU_ASSERT_EQUAL(manifest.value_count, 5);
    CU_ASSERT_TRUE(same(&manifest, &back));
    CU_ASSERT_EQUAL(nd_manifest_find(&back, "most")->number, UINT64_MAX);
    CU_ASSERT_PTR_NULL(nd_manifest_find(&back, "least"));
    nd_manifest_free(&back);
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
    format(&manifest, &text); /* an empty one */
    CU_ASSERT_EQUAL(parse(&back, &text), ND_OK);
    CU_ASSERT_PTR_NULL(back.stage);
    CU_ASSERT_EQUAL(back.piece_count + back.value_count + back.generation, 0);
    nd_manifest_free(&back);
    nd_buffer_free(&text);
}

static void test_arrays(void) {
    nd_manifest manifest;
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
    nd_manifest_free(&manifest);
}

static void test_merge(void) {
    nd_manifest manifest;
    nd_manifest next = {0};
    size_t count = 0;
    fill(&manifest);
    manifest.pieces[0].dropped = true; /* the links */
    CU_ASSERT_EQUAL(nd_manifest_merge(&next, &manifest, false), ND_OK);
    CU_ASSERT_EQUAL(next.value_count, 0);
    CU_ASSERT_PTR_NULL(nd_manifest_array(&next, "links", &count));
    CU_ASSERT_EQUAL(next.piece_count, 2);
    nd_manifest_set_number(&next, "options", 1);
    CU_ASSERT_EQUAL(nd_manifest_merge(&next, &manifest, true), ND_OK);
    CU_ASSERT_EQUAL(next.value_count, manifest.value_count);
    CU_ASSERT_PTR_NOT_NULL(nd_manifest_find(&next, "options")->text);
    CU_ASSERT_EQUAL(nd_manifest_arrange(&next), ND_ERR_INTERNAL); /* the pages are there twice */
    CU_ASSERT_TRUE(said("pages"));
    nd_manifest_free(&next);
    nd_manifest_free(&manifest);
}

static void test_overlaps(void) {
    nd_manifest manifest = {0};
    add(&manifest, "b", 12, 5);
    add(&manifest, "a", 15, 5);
    add(&manifest, "a", 10, 5);
    CU_ASSERT_EQUAL(nd_manifest_arrange(&manifest), ND_OK);
    CU_ASSERT_EQUAL(try(&manifest, "a", 8, (nd_manifest_piece){.first = 20, .count = 1}),
                    ND_ERR_INTERNAL);
    CU_ASSERT_TRUE(said("size"));
    add(&manifest, "a", 14, 1);
    CU_ASSERT_EQUAL(nd_manifest_arrange(&manifest), ND_ERR_INTERNAL);
    CU_ASSERT_TRUE(said("record 14 of a"));
    nd_manifest_free(&manifest);
}

static void test_holes(void) {
    nd_manifest manifest = {0};
    add(&manifest, "a", 10, 5);
    add(&manifest, "a", 15, 5);
    add(&manifest, "b", 12, 5);
    CU_ASSERT_EQUAL(nd_manifest_check_whole(&manifest, "m"), ND_OK);
    add(&manifest, "b", 18, 5);
    CU_ASSERT_EQUAL(nd_manifest_check_whole(&manifest, "m"), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(said("m: ") && said("record 17 of b"));
    nd_manifest_free(&manifest);
}

/* What was checked stays so in the next state, but for files that took another's place. */
static void test_checked(void) {
    nd_manifest before;
    nd_manifest now;
    fill(&before);
    fill(&now);
    add(&now, "aaa", 0, 3);
    now.pieces[1].number++;
    CU_ASSERT_EQUAL(nd_manifest_arrange(&now), ND_OK);
    before.pieces[1].checked = before.pieces[2].checked = true;
    now.pieces[0].checked = true;
    nd_manifest_take_checked(&now, &before);
    CU_ASSERT_EQUAL_FATAL(now.piece_count, 4);
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(now.pieces[i].checked, i == 3);
    }
    nd_manifest_free(&before);
    nd_manifest_free(&now);
}

/* A large job's: nothing grows with its pieces but their places. */
static void test_many(void) {
    enum { PIECES = 150000, BYTES = 60 };
    nd_manifest manifest = {0};
    nd_manifest back;
    nd_buffer text;
    for (uint32_t i = 0; i < PIECES; i++) {
        const nd_manifest_piece piece = {.first = UINT64_C(1000000) * (PIECES - i),
                                         .count = 1000000,
                                         .generation = 30,
                                         .rank = i % 1600,
                                         .number = i};
        CU_ASSERT_EQUAL(try(&manifest, i % 3 == 0 ? "ingest.text" : "units", 8, piece), ND_OK);
    }
    CU_ASSERT_EQUAL(nd_manifest_arrange(&manifest), ND_OK);
    format(&manifest, &text);
    CU_ASSERT(text.size < (size_t)PIECES * BYTES);
    CU_ASSERT_EQUAL(parse(&back, &text), ND_OK);
    CU_ASSERT_TRUE(same(&manifest, &back));
    nd_manifest_free(&manifest);
    nd_manifest_free(&back);
    nd_buffer_free(&text);
}

/* Every byte changed, and every length: never taken for a whole manifest. */
static void test_damage(void) {
    nd_manifest manifest;
    nd_manifest back;
    nd_buffer text;
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
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
}

static void test_other_version(void) {
    static const char field[] = "\"format_version\":";
    nd_manifest manifest;
    nd_manifest back;
    nd_buffer text;
    fill(&manifest);
    format(&manifest, &text);
    nd_buffer_append(&text, "", 1);
    text.size--;
    char *digit = strstr((char *)text.data, field);
    CU_ASSERT_PTR_NOT_NULL_FATAL(digit);
    digit[strlen(field)] = '8';
    CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(said("work/manifest.json") && said("version 8") && said(ND_VERSION));
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
}

static void test_not_a_manifest(void) {
    static const char *const texts[] = {"{}", "[]", "{\"format\":\"package\",\"format_version\":1}",
                                        "#!/bin/sh\n", "null"};
    nd_manifest back;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        nd_buffer text = {0};
        nd_buffer_append_text(&text, texts[i]);
        CU_ASSERT_EQUAL(parse(&back, &text), ND_ERR_FORMAT);
        CU_ASSERT_TRUE(said("work/manifest.json"));
        nd_buffer_free(&text);
    }
}

/* A text of these members with the right checksum, as only a hand can have made it. */
static void check_members(const char *members, nd_status status) {
    nd_buffer text = {0};
    nd_manifest back;
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
    nd_manifest_free(&back);
    nd_buffer_free(&text);
}

static void test_handmade(void) {
#define HEAD  "{\"format\":\"neardup-work\",\"format_version\":9,"
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
        ("{\"format\":\"other\",\"format_version\":9,\"generation\":1,\"numbers\":{},\"texts\":{},"
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

static void test_file(void) {
    char path[512];
    nd_manifest manifest;
    nd_buffer text;
    nd_buffer back = {0};
    bool found = true;
    fill(&manifest);
    format(&manifest, &text);
    (void)snprintf(path, sizeof path, "%s/manifest.json", nd_test_folder());
    CU_ASSERT_EQUAL(nd_manifest_read(&back, path, &found), ND_OK);
    CU_ASSERT_FALSE(found);
    CU_ASSERT_EQUAL(nd_manifest_write((nd_span){(const uint8_t *)"old", 3}, path), ND_OK);
    CU_ASSERT_EQUAL(nd_manifest_write(nd_buffer_span(&text), path), ND_OK);
    CU_ASSERT_EQUAL(nd_manifest_read(&back, path, &found), ND_OK);
    CU_ASSERT_TRUE(found && back.size == text.size && memcmp(back.data, text.data, text.size) == 0);
    CU_ASSERT_EQUAL(nd_manifest_read(&back, nd_test_folder(), &found), ND_ERR_IO);
    (void)snprintf(path, sizeof path, "%s/none/manifest.json", nd_test_folder());
    CU_ASSERT_EQUAL(nd_manifest_write(nd_buffer_span(&text), path), ND_ERR_IO);
    CU_ASSERT_TRUE(said("none/manifest.json"));
    nd_manifest_free(&manifest);
    nd_buffer_free(&text);
    nd_buffer_free(&back);
}

static const nd_test tests[] = {
    {"round trip", test_round_trip},
    {"arrays and files", test_arrays},
    {"merging", test_merge},
    {"overlapping pieces", test_overlaps},
    {"holes", test_holes},
    {"damage anywhere", test_damage},
    {"another version", test_other_version},
    {"not a manifest at all", test_not_a_manifest},
    {"checked files", test_checked},
    {"many pieces", test_many},
    {"made by hand", test_handmade},
    {"as a file", test_file},
};

ND_SUITE(t_manifest, tests)
