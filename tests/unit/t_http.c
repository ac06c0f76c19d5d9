/* HTTP messages and character sets. */
#include "io/input/charset.h"
#include "io/input/http.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

#include <dirent.h>
#include <iconv.h>
#include <zlib.h>
#include <zstd.h>

/* ---- Labels, declarations, conversion, repair; and real pages by encoding. */

static void check_label(const char *label, const char *name) {
    CU_ASSERT_STRING_EQUAL(nd_charset_of_label(nd_test_span(label)).text, name);
}

ND_TEST("labels") {
    check_label("gb2312", "GB18030");
    check_label(" GBK ", "GB18030");
    check_label("ISO-8859-1", "CP1252");
    check_label("iso_8859-1:1987", "CP1252");
    check_label("us-ascii", "CP1252");
    check_label("Shift_JIS", "CP932");
    check_label("x-sjis", "CP932");
    check_label("ks_c_5601-1987", "CP949");
    check_label("EUC-KR", "CP949");
    check_label("Big5", "BIG5-HKSCS");
    check_label("utf8", "UTF-8");
    check_label("iso-8859-9", "CP1254");
    check_label("windows-1251", "WINDOWS-1251");
    check_label("utf-8//IGNORE", "");
    check_label("", "");
    check_label("a label that is much too long to be one", "");
    char letters[4096];
    memset(letters, 'a', sizeof letters);
    CU_ASSERT_EQUAL(
        nd_charset_of_label((nd_span){(const uint8_t *)letters, sizeof letters}).text[0], '\0');
}

/* \param[in] says  the text as UTF-8 */
static void check_converted(nd_span bytes, const char *label, const char *says) {
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    nd_span text;
    ND_TEST_MUST(nd_charset_open(1 << 20, &charset));
    ND_TEST_OK(nd_charset_to_utf8(charset, bytes, nd_test_span(label), false, &text, NULL));
    if (!nd_test_is(text, says)) {
        printf("%s: %.*s, not %s\n", label, (int)text.size, (const char *)text.data, says);
        CU_FAIL("text");
    }
}

/* Half a character of two units is one that cannot be converted: what follows is read on from the
 * next unit. */
ND_TEST("units") {
    enum { BEFORE = 16 }; /* ideographs, so that the label is believed */
    for (int big = 0; big < 2; big++) {
        uint8_t bytes[2 * (BEFORE + 4)];
        char says[4 * BEFORE + 16] = "";
        static const uint16_t after[] = {'a', 0xd800, 'b', 'c'};
        for (size_t i = 0; i < BEFORE + 4; i++) {
            const uint16_t unit = i < BEFORE ? 0x9898 : after[i - BEFORE];
            bytes[2 * i + (size_t)big] = (uint8_t)unit;
            bytes[2 * i + 1 - (size_t)big] = (uint8_t)(unit >> 8);
            (void)strcat(says, i < BEFORE ? "\xe9\xa2\x98" : "");
        }
        (void)strcat(says, "a\xef\xbf\xbd");
        (void)strcat(says, "bc");
        check_converted((nd_span){bytes, sizeof bytes}, big == 0 ? "utf-16le" : "utf-16be", says);
    }
}

static void check_declared(const char *page, const char *label) {
    const nd_span found = nd_charset_declared(nd_test_span(page));
    CU_ASSERT_TRUE(nd_test_is(found, label));
}

ND_TEST("declarations") {
    check_declared("<meta charset=gbk>", "gbk");
    check_declared("<META CHARSET = 'Big5' />", "Big5");
    check_declared("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=GB2312\">",
                   "GB2312");
    check_declared("<meta content=\"text/html;charset=koi8-r\" http-equiv=refresh>", "koi8-r");
    check_declared("  <?xml version=\"1.0\" encoding='EUC-JP'?><html>", "EUC-JP");
    check_declared("<?xml version=\"1.0\"?><meta charset=utf-8>", "utf-8");
    check_declared("<!-- <meta charset=gbk> --><meta charset=big5>", "big5");
    check_declared("<!-- <meta charset=gbk>", "");
    check_declared("<meta name=charset><meta name=x content=y>", "");
    check_declared("<p>charset=gbk</p>", "");
    check_declared("<meta charset=x>", "x");
    check_declared("", "");
    const nd_span cut = nd_span_part(nd_test_span("<meta charset=gbk18030"), 0, 17);
    CU_ASSERT_EQUAL(nd_charset_declared(cut).size, strlen("gbk"));
}

static void check_text(nd_charset *charset, nd_span bytes, const char *label, const char *text,
                       const char *name) {
    nd_span got;
    nd_charset_name used;
    ND_TEST_OK(nd_charset_to_utf8(charset, bytes, nd_test_span(label), true, &got, &used));
    CU_ASSERT_TRUE(nd_test_is(got, text));
    CU_ASSERT_STRING_EQUAL(used.text, name);
}

ND_TEST("order of the steps") {
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    ND_TEST_MUST(nd_charset_open(UINT64_MAX, &charset));
    const nd_span mark16 = {(const uint8_t *)"\xFF\xFE-N\x87\x65", 6};
    check_text(charset, mark16, "gbk", "\xE4\xB8\xAD\xE6\x96\x87", "UTF-16LE");
    check_text(charset, nd_test_span("\xEF\xBB\xBFx"), "gbk", "x", "UTF-8");
    check_text(charset, nd_test_span("<meta charset=big5>\xD6\xD0"), "gb2312",
               "<meta charset=big5>\xE4\xB8\xAD", "GB18030");
    check_text(charset, nd_test_span("<meta charset=gb2312>\xD6\xD0"), "",
               "<meta charset=gb2312>\xE4\xB8\xAD", "GB18030");
    check_text(charset, nd_test_span("<meta charset=gb2312>\xD6\xD0"), "no-such-charset",
               "<meta charset=gb2312>\xE4\xB8\xAD", "GB18030");
    check_text(charset, nd_test_span("d\xC3\xA9j\xC3\xA0"), "", "d\xC3\xA9j\xC3\xA0", "UTF-8");
    check_text(charset, nd_test_span("plain"), "utf-16", "plain", "UTF-8");
    check_text(charset, nd_test_span("caf\xE9 \x93x\x94"), "iso-8859-1",
               "caf\xC3\xA9 \xE2\x80\x9Cx\xE2\x80\x9D", "CP1252");
    /* under a label of windows-1252, UTF-8 is that all the same; under another it is not asked */
    check_text(charset, nd_test_span("d\xC3\xA9j\xC3\xA0"), "latin1", "d\xC3\xA9j\xC3\xA0",
               "UTF-8");
    check_text(charset, nd_test_span("<meta charset=us-ascii>\xC3\xA9"), "",
               "<meta charset=us-ascii>\xC3\xA9", "UTF-8");
    check_text(charset, nd_test_span("\xC3\xA9 \xE9"), "iso-8859-1", "\xC3\x83\xC2\xA9 \xC3\xA9",
               "CP1252");
    check_text(charset, nd_test_span("\xC3\xA9"), "koi8-r", "\xD1\x86\xE2\x95\x98", "KOI8-R");
    check_text(charset, nd_test_span(""), "utf-8", "", "");
}

/* Bytes that cannot be converted become U+FFFD; what is around them stays. */
ND_TEST("bad bytes") {
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    ND_TEST_MUST(nd_charset_open(UINT64_MAX, &charset));
    check_text(charset,
               nd_test_span("\xD6\xD0\xCE\xC4 \xD6\xD0\xCE\xC4 \xD6\xD0\xCE\xC4\xD6\xD0\xCE\xC4 "
                            "\xFF<b>\xD6"),
               "gb2312",
               "\xE4\xB8\xAD\xE6\x96\x87 \xE4\xB8\xAD\xE6\x96\x87 "
               "\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD\xE6\x96\x87 \xEF\xBF\xBD<b>\xEF\xBF\xBD",
               "GB18030");
    /* a label that fits nothing gives way to the page's own */
    check_text(charset, nd_test_span("<meta charset=gbk>\xD6\xD0\xCE\xC4\xD6\xD0"), "utf-8",
               "<meta charset=gbk>\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD", "GB18030");
}

/* A label is believed if at most one in 16 bytes beyond ASCII begins what cannot be converted; else
 * the page's own declaration is, under which all can be. */
ND_TEST("when a label is believed") {
    static const struct {
        int long_letters, short_letters; /* of 3 and of 2 bytes */
        int bad;                         /* bytes */
        const char *name;
    } cases[] = {
        {1, 6, 1, "UTF-8"}, {0, 7, 1, "CP1252"}, {0, 15, 2, "UTF-8"}, {1, 13, 2, "CP1252"}};
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    ND_TEST_MUST(nd_charset_open(UINT64_MAX, &charset));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char page[128] = "<meta charset=latin1>";
        nd_span text;
        nd_charset_name used;
        for (int k = 0; k < cases[i].long_letters; k++) {
            (void)strcat(page, "\xE4\xB8\xAD");
        }
        for (int k = 0; k < cases[i].short_letters; k++) {
            (void)strcat(page, "\xC3\xA9");
        }
        for (int k = 0; k < cases[i].bad; k++) {
            (void)strcat(page, "\xFF");
        }
        ND_TEST_OK(nd_charset_to_utf8(charset, nd_test_span(page), nd_test_span("utf-8"), true,
                                      &text, &used));
        CU_ASSERT_STRING_EQUAL(used.text, cases[i].name);
    }
}

static void check_repair(const char *bytes, const char *text, uint64_t replaced) {
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    uint64_t count = 0;
    nd_utf8_repair(nd_test_span(bytes), &out, &count);
    CU_ASSERT_EQUAL(count, replaced);
    CU_ASSERT_TRUE(nd_test_is(nd_buffer_span(&out), text));
}

#define FFFD "\xEF\xBF\xBD"

/* The examples of Unicode's chapter 3, tables 3-8 to 3-11. */
ND_TEST("UTF-8 repair") {
    check_repair("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
                 FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8);
    check_repair("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
                 FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8);
    check_repair("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B",
                 7);
    check_repair("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", FFFD FFFD FFFD FFFD "A", 4);
    check_repair("0123456789abcdef\xF0\x9F\x98\x80tail", "0123456789abcdef\xF0\x9F\x98\x80tail", 0);
}

/* ---- real pages */

ND_TEST("marks") {
    static const struct {
        const char *text;
        size_t size, mark_bytes;
        const char *name;
    } marks[] = {
        {"\xEF\xBB\xBFz", 4, 3, "UTF-8"},          {"\xFF\xFE\0\0z\0\0\0", 8, 4, "UTF-32LE"},
        {"\0\0\xFE\xFF\0\0\0z", 8, 4, "UTF-32BE"}, {"\xFF\xFEz\0", 4, 2, "UTF-16LE"},
        {"\xFE\xFF\0z", 4, 2, "UTF-16BE"},         {"<\0h\0t\0", 6, 0, "UTF-16LE"},
        {"\0<\0!\0D", 6, 0, "UTF-16BE"},           {"zz", 2, 0, ""},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t mark_bytes = 9;
        const nd_span bytes = {(const uint8_t *)marks[i].text, marks[i].size};
        CU_ASSERT_STRING_EQUAL(nd_charset_of_mark(bytes, &mark_bytes).text, marks[i].name);
        CU_ASSERT_EQUAL(mark_bytes, marks[i].mark_bytes);
    }
}

typedef struct known_folder {
    const char *folder;
    const char *name; /* the encoding, widened as labels are */
} known_folder;

/* The reference: iconv in one call. \return false if the file is not clean in that encoding */
static bool reference(const char *name, nd_span bytes, nd_buffer *out) {
    size_t mark = 0;
    (void)nd_charset_of_mark(bytes, &mark);
    iconv_t handle = iconv_open("UTF-8", name);
    char *from = (char *)(uintptr_t)(bytes.data + mark);
    size_t left = bytes.size - mark;
    if (handle == (iconv_t)-1) {
        return false;
    }
    nd_buffer_reserve(out, left * 4 + 16);
    char *to = (char *)out->data;
    size_t room = out->capacity;
    const bool clean = iconv(handle, &from, &left, &to, &room) != (size_t)-1 &&
                       iconv(handle, NULL, NULL, &to, &room) != (size_t)-1;
    out->size = out->capacity - room;
    (void)iconv_close(handle);
    return clean;
}

/* Whether the page says its encoding, found without the code under test. */
static bool is_declared(nd_span bytes, const char *name) {
    size_t mark = 0;
    char head[2049] = {0};
    if (strcmp(nd_charset_of_mark(bytes, &mark).text, name) == 0 && mark > 0) {
        return true;
    }
    memcpy(head, bytes.data, bytes.size < 2048 ? bytes.size : 2048);
    const char *at = strstr(head, "<?xml");
    at = at != NULL ? strstr(at, "encoding=") : strstr(head, "charset=");
    if (at == NULL) {
        return false;
    }
    at += strcspn(at, "=") + 1;
    at += strspn(at, "\"'");
    const nd_span label = {(const uint8_t *)at, strcspn(at, "\"' ?>;/")};
    return strcmp(nd_charset_of_label(label).text, name) == 0;
}

typedef struct tally {
    unsigned files, clean, equal, declared;
} tally;

static void check_page(nd_charset *charset, const char *path, const char *name, tally *sum) {
    ND_OWNED(nd_buffer_free) nd_buffer file = nd_test_read(path);
    ND_OWNED(nd_buffer_free) nd_buffer expected = {0};
    nd_span text;
    nd_charset_name used;
    const bool clean = reference(name, nd_buffer_span(&file), &expected);
    const bool declared = is_declared(nd_buffer_span(&file), name);
    ND_TEST_OK(
        nd_charset_to_utf8(charset, nd_buffer_span(&file), (nd_span){0}, true, &text, &used));
    CU_ASSERT_EQUAL(nd_utf8_valid_bytes(text), text.size);
    const bool equal =
        text.size == expected.size && memcmp(text.data, expected.data, text.size) == 0;
    sum->files++;
    sum->clean += clean;
    sum->equal += equal;
    sum->declared += declared && clean;
    if (clean && declared && !equal) {
        printf("%s: declared as %s, read as %s\n", path, name, used.text);
    }
    CU_ASSERT_TRUE(!clean || !declared || equal);
}

static void check_folder(nd_charset *charset, const known_folder *known, tally *sum) {
    char name[600];
    (void)snprintf(name, sizeof name, "charset/%s", known->folder);
    const char *data = nd_test_data(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    char folder[600];
    (void)snprintf(folder, sizeof folder, "%.599s", data);
    DIR *open = opendir(folder);
    CU_ASSERT_PTR_NOT_NULL_FATAL(open);
    tally here = {0};
    const struct dirent *entry = NULL;
    while ((entry = readdir(open)) != NULL) {
        char path[1200];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            check_page(charset, path, known->name, &here);
        }
    }
    (void)closedir(open);
    if (here.equal < here.files) {
        printf("%s: %u of %u files as iconv reads them (%u clean, %u declared)\n", known->folder,
               here.equal, here.files, here.clean, here.declared);
    }
    sum->files += here.files;
    sum->clean += here.clean;
    sum->equal += here.equal;
    sum->declared += here.declared;
}

ND_TEST("real pages") {
    static const known_folder folders[] = {
        {"Big5", "BIG5-HKSCS"},
        {"CP932", "CP932"},
        {"CP949", "CP949"},
        {"EUC-JP", "EUC-JP-MS"},
        {"EUC-KR", "CP949"},
        {"EUC-TW", "EUC-TW"},
        {"GB2312", "GB18030"},
        {"IBM855", "IBM855"},
        {"IBM866", "CP866"},
        {"Johab", "JOHAB"},
        {"KOI8-R", "KOI8-R"},
        {"MacCyrillic", "MAC-CYRILLIC"},
        {"MacRoman", "MACINTOSH"},
        {"SHIFT_JIS", "CP932"},
        {"TIS-620", "CP874"},
        {"UTF-16", "UTF-16BE"},
        {"UTF-16BE", "UTF-16BE"},
        {"UTF-16LE", "UTF-16LE"},
        {"UTF-32", "UTF-32BE"},
        {"UTF-32BE", "UTF-32BE"},
        {"UTF-32LE", "UTF-32LE"},
        {"ascii", "CP1252"},
        {"iso-2022-jp", "ISO-2022-JP-3"},
        {"iso-2022-kr", "ISO-2022-KR"},
        {"iso-8859-1", "CP1252"},
        {"iso-8859-2-croatian", "ISO-8859-2"},
        {"iso-8859-2-czech", "ISO-8859-2"},
        {"iso-8859-2-hungarian", "ISO-8859-2"},
        {"iso-8859-2-polish", "ISO-8859-2"},
        {"iso-8859-2-slovak", "ISO-8859-2"},
        {"iso-8859-2-slovene", "ISO-8859-2"},
        {"iso-8859-5-bulgarian", "ISO-8859-5"},
        {"iso-8859-5-russian", "ISO-8859-5"},
        {"iso-8859-6-arabic", "ISO-8859-6"},
        {"iso-8859-7-greek", "ISO-8859-7"},
        {"iso-8859-9-turkish", "CP1254"},
        {"utf-8", "UTF-8"},
        {"utf-8-sig", "UTF-8"},
        {"windows-1250-croatian", "WINDOWS-1250"},
        {"windows-1250-czech", "WINDOWS-1250"},
        {"windows-1250-hungarian", "WINDOWS-1250"},
        {"windows-1250-polish", "WINDOWS-1250"},
        {"windows-1250-romanian", "WINDOWS-1250"},
        {"windows-1250-slovak", "WINDOWS-1250"},
        {"windows-1250-slovene", "WINDOWS-1250"},
        {"windows-1251-bulgarian", "WINDOWS-1251"},
        {"windows-1251-russian", "WINDOWS-1251"},
        {"windows-1252", "WINDOWS-1252"},
        {"windows-1254-turkish", "WINDOWS-1254"},
        {"windows-1255-hebrew", "WINDOWS-1255"},
        {"windows-1256-arabic", "WINDOWS-1256"},
    };
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    tally sum = {0};
    if (nd_test_data("charset") == NULL) {
        return;
    }
    ND_TEST_MUST(nd_charset_open(UINT64_MAX, &charset));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        check_folder(charset, &folders[i], &sum);
    }
    printf("%u files, %u clean in their encoding, %u read as iconv reads them; %u clean and "
           "declared, which must all be\n",
           sum.files, sum.clean, sum.equal, sum.declared);
    CU_ASSERT_TRUE(sum.declared > 100);
}

/* Files of a tar archive in memory, one after the other: a header of 512 bytes, then the content
 * filled up to 512. \return false after the last */
static bool next_tar_file(nd_span *tar, nd_span *content) {
    enum { TAR_BLOCK = 512, SIZE_AT = 124, TYPE_AT = 156 };
    while (tar->size > TAR_BLOCK && tar->data[0] != 0) {
        const size_t size = strtoul((const char *)tar->data + SIZE_AT, NULL, 8);
        const bool file = tar->data[TYPE_AT] == '0' || tar->data[TYPE_AT] == 0;
        const size_t taken = TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
        if (taken > tar->size) {
            return false;
        }
        *content = (nd_span){tar->data + TAR_BLOCK, size};
        *tar = (nd_span){tar->data + taken, tar->size - taken};
        if (file && size > 0) {
            return true;
        }
    }
    return false;
}

/* Pages labelled gb2312 or gbk: read as GB18030, as iconv reads them where they are clean. */
ND_TEST("GBK pages") {
    ND_OWNED(nd_charset_close) nd_charset *charset = NULL;
    ND_OWNED(nd_buffer_free) nd_buffer tar = {0};
    unsigned files = 0;
    unsigned clean = 0;
    const char *path = nd_test_data("gbk-pages/netease-gbk.tar.gz");
    if (path == NULL) {
        return;
    }
    ND_OWNED(nd_buffer_free) nd_buffer packed = nd_test_read(path);
    ND_TEST_OK(nd_coding_undo(ND_CODING_GZIP, nd_buffer_span(&packed), 1 << 28, &tar));
    ND_TEST_MUST(nd_charset_open(UINT64_MAX, &charset));
    nd_span rest = nd_buffer_span(&tar);
    nd_span page, text;
    nd_charset_name used;
    while (next_tar_file(&rest, &page)) {
        ND_OWNED(nd_buffer_free) nd_buffer expected = {0};
        ND_TEST_OK(nd_charset_to_utf8(charset, page, (nd_span){0}, true, &text, &used));
        CU_ASSERT_STRING_EQUAL(used.text, "GB18030");
        if (reference("GB18030", page, &expected)) {
            clean++;
            CU_ASSERT_TRUE(text.size == expected.size &&
                           memcmp(text.data, expected.data, text.size) == 0);
        }
        files++;
    }
    printf("%u pages, %u clean\n", files, clean);
    CU_ASSERT_TRUE(files >= 70 && clean * 2 > files);
}

/* ---- HTTP responses: header, chunked framing, content codings, and all three gone wrong. */

enum { LIMIT = 1 << 20 };
static const char TEXT[] = "<p>body one <p>body two <p>body three";

/* The body of a message as text must be this. */
static void check_body(nd_span message, const char *body) {
    nd_http_response response;
    ND_OWNED(nd_http_scratch_free) nd_http_scratch scratch = {0};
    nd_span got;
    CU_ASSERT_TRUE_FATAL(nd_http_parse(message, &response));
    const nd_record_limits limits = nd_record_limits_of(LIMIT, 0, 0);
    nd_record_limit passed = ND_LIMITS;
    ND_TEST_OK(nd_http_body(&response, &limits, &scratch, &got, &passed));
    CU_ASSERT_EQUAL(got.size, strlen(body));
    CU_ASSERT_TRUE(nd_test_is(got, body));
}

static void check_coded(const char *headers, nd_span coded, const char *body) {
    ND_OWNED(nd_buffer_free) nd_buffer message = {0};
    nd_test_http(&message, 200, "text/html", headers, coded);
    check_body(nd_buffer_span(&message), body);
}

ND_TEST("header") {
    nd_http_response response;
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.0 404 Not Found\nCONTENT-TYPE:  text/html; charset=x \n\nhello"),
        &response));
    CU_ASSERT_EQUAL(response.status, 404);
    CU_ASSERT_EQUAL(response.content_type.size, strlen("text/html; charset=x"));
    CU_ASSERT_EQUAL(response.body.size, 5);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/2 200\r\n\r\n"), &response));
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/1.1 200 OK\r\nX: y\r\n"), &response));
    CU_ASSERT_EQUAL(response.body.size, 0);
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("<html>\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 abc\r\n\r\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1\r\n\r\n"), &response));
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 20\r\n\r\n"), &response));
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 200\r\nno field\r\nContent-Type: a/b\r\nContent-Type: c\r\n\r\n"),
        &response));
    CU_ASSERT(response.content_type.size == 3); /* the first of several */
    CU_ASSERT_FALSE(nd_http_parse(nd_test_span("HTTP/1.1 200"), &response));
    CU_ASSERT_FALSE(nd_http_parse((nd_span){0}, &response));
}

ND_TEST("chunks") {
    const char *chunked = "Transfer-Encoding: Chunked\r\n";
    check_coded(chunked, nd_test_span("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"), "hello world");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n6\r\n wor"), "hello wor");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n"), "hello");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n9\r\njunk"), "hello");
    check_coded(chunked, nd_test_span("0\r\n\r\n"), "");
    check_coded(chunked, nd_test_span("<p>not\nchunked"), "<p>not\nchunked");
    check_coded(chunked, nd_test_span("3\r\nhello\r\n0\r\n\r\n"), "3\r\nhello\r\n0\r\n\r\n");
    check_coded(chunked, nd_test_span("ffffffffffffffffff\r\nx"), "ffffffffffffffffff\r\nx");
    check_coded(chunked, nd_test_span("fffffffffffffff\r\nx"), "x");
    check_coded(chunked, nd_test_span("A \r\n0123456789\r\n0\r\n\r\n"), "0123456789");
    check_coded(chunked, nd_test_span("a\r\n0123456789\r"), "0123456789");
    check_coded(chunked, nd_test_span("5\r\nhello\r\n0"), "hello");
    check_coded(chunked, nd_test_span("5g\r\nhello\r\n"), "5g\r\nhello\r\n");
    check_coded(chunked, nd_test_span(";x\r\nhello\r\n"), ";x\r\nhello\r\n");
    check_coded(chunked, nd_test_span("5"), "5");
}

static nd_buffer compress_with(int window_bits) {
    nd_buffer out = {0};
    z_stream stream = {0};
    nd_buffer_reserve(&out, 1000);
    CU_ASSERT_EQUAL(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, 0), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)TEXT;
    stream.avail_in = (uInt)strlen(TEXT);
    stream.next_out = out.data;
    stream.avail_out = 1000;
    CU_ASSERT_EQUAL(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.size = stream.total_out;
    (void)deflateEnd(&stream);
    return out;
}

ND_TEST("codings") {
    ND_OWNED(nd_buffer_free) nd_buffer gzip = compress_with(MAX_WBITS + 16);
    ND_OWNED(nd_buffer_free) nd_buffer zlib = compress_with(MAX_WBITS);
    ND_OWNED(nd_buffer_free) nd_buffer naked = compress_with(-MAX_WBITS);
    ND_OWNED(nd_buffer_free) nd_buffer zstd = {0};
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    check_coded("Content-Encoding: gzip\r\n", nd_buffer_span(&gzip), TEXT);
    check_coded("Content-Encoding: X-GZip\r\n", nd_buffer_span(&gzip), TEXT);
    check_coded("Content-Encoding: deflate\r\n", nd_buffer_span(&zlib), TEXT);
    check_coded("Content-Encoding: deflate\r\n", nd_buffer_span(&naked), TEXT);
    check_coded("Content-Encoding: zstd\r\n", nd_buffer_span(&zstd), TEXT);
    check_coded("Content-Encoding: identity\r\n", nd_test_span(TEXT), TEXT);
    check_coded("Content-Encoding: gzip\r\n", nd_test_span(TEXT), TEXT); /* undone before */
    check_coded("Content-Encoding: br\r\n", nd_test_span("\xff\xff no brotli"),
                "\xff\xff no brotli");
    check_coded("Content-Encoding: rot13\r\n", nd_test_span(TEXT), TEXT);
    ND_OWNED(nd_buffer_free) nd_buffer twice = {0};
    nd_test_pack(&twice, ND_TEST_ZSTD, nd_buffer_span(&gzip));
    check_coded("Content-Encoding: gzip, zstd\r\n", nd_buffer_span(&twice), TEXT);
    ND_OWNED(nd_buffer_free) nd_buffer thrice = {0}; /* and as often as may be */
    ND_OWNED(nd_buffer_free) nd_buffer four_times = {0};
    nd_test_pack(&thrice, ND_TEST_ZSTD, nd_buffer_span(&twice));
    nd_test_pack(&four_times, ND_TEST_ZSTD, nd_buffer_span(&thrice));
    check_coded("Content-Encoding: gzip, zstd, zstd, zstd\r\n", nd_buffer_span(&four_times), TEXT);
    ND_OWNED(nd_buffer_free) nd_buffer chunked = {0};
    nd_test_print(&chunked, "%zx\r\n", gzip.size);
    nd_test_pack(&chunked, ND_TEST_PLAIN, nd_buffer_span(&gzip));
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    check_coded("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
                nd_buffer_span(&chunked), TEXT);
    check_coded("Content-Encoding: gzip\r\n", (nd_span){gzip.data, gzip.size - 1}, TEXT);
}

/* What stands in front of the answer is passed over; the last response counts. */
ND_TEST("interim answers") {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbody";
    static const char *const first[] = {
        "",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100 Continue\n\n",
        "HTTP/1.1 100 Continue\r\n\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 200 Connection Established\r\nProxy-agent: x\r\nContent-Type: text/plain\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /b\r\n\r\n",
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer message = {0};
        nd_http_response response;
        nd_test_print(&message, "%s%s", first[i], answer);
        CU_ASSERT_TRUE(nd_http_parse(nd_buffer_span(&message), &response));
        CU_ASSERT(response.status == 200 && response.complete);
        CU_ASSERT(response.content_type.size == strlen("text/html"));
        check_body(nd_buffer_span(&message), "body");
    }
    nd_http_response response; /* a page about HTTP; an interim answer without the answer */
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nHTTP/1.1 404 No\n\n"),
        &response));
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_TRUE(nd_http_parse(nd_test_span("HTTP/1.1 100 Continue\r\n\r\nHTTP"), &response));
    CU_ASSERT_EQUAL(response.status, 100);
    CU_ASSERT_TRUE(nd_http_parse(
        nd_test_span("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n"), &response));
    CU_ASSERT(response.status == 200 && !response.complete);
}

/* Codings that the label does not say, or says otherwise, or on several lines, or of the transfer.
 */
ND_TEST("http: labels") {
    nd_buffer gzip = compress_with(MAX_WBITS + 16);
    nd_buffer zlib = compress_with(MAX_WBITS);
    nd_buffer naked = compress_with(-MAX_WBITS);
    nd_buffer zstd = {0}, twice = {0}, chunked = {0}, chunks = {0}, two = {0};
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    nd_test_pack(&twice, ND_TEST_GZIP, nd_buffer_span(&gzip));
    nd_test_print(&chunked, "%zx\r\n", gzip.size);
    nd_test_pack(&chunked, ND_TEST_PLAIN, nd_buffer_span(&gzip));
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    nd_buffer inner = {0};
    nd_test_print(&inner, "%zx\r\n%s\r\n0\r\n\r\n", strlen(TEXT), TEXT);
    nd_test_pack(&chunks, ND_TEST_GZIP, nd_buffer_span(&inner));
    nd_test_pack(&two, ND_TEST_GZIP, nd_test_span("<p>body one "));
    nd_test_pack(&two, ND_TEST_GZIP, nd_test_span("<p>body two <p>body three"));
    nd_test_print(&two, "\r\n"); /* what follows is none of it */
    static const char *const labels[] = {
        "",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: deflate\r\n",
        "Content-Encoding: br\r\n",
        "Content-Encoding: zstd\r\n",
        "Content-Encoding: identity\r\n",
        "Content-Encoding: utf-8\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
        "Content-Encoding: gzip, deflate\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Encoding: x-gzip\r\n"};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        check_coded(labels[i], nd_test_span(TEXT), TEXT);
        check_coded(labels[i], nd_test_span("Short"), "Short");
        check_coded(labels[i], nd_test_span("x\x5e\x32 + y, not packed"), "x^2 + y, not packed");
        check_coded(labels[i], nd_test_span("Caf\xe9 au lait"), "Caf\xe9 au lait");
        check_coded(labels[i], nd_buffer_span(&gzip), TEXT);
        check_coded(labels[i], nd_buffer_span(&zlib), TEXT);
        check_coded(labels[i], nd_buffer_span(&zstd), TEXT);
        check_coded(labels[i], nd_buffer_span(&twice), TEXT);
        check_coded(labels[i], nd_buffer_span(&two), TEXT);
        if (strstr(labels[i], "chunked") != NULL) {
            check_coded(labels[i], nd_buffer_span(&chunked), TEXT);
        }
    }
    check_coded("Content-Encoding: gzip\r\n", nd_buffer_span(&naked),
                TEXT); /* without its header */
    check_coded("Transfer-Encoding: chunked, gzip\r\n", nd_buffer_span(&chunks), TEXT);
    check_coded("Transfer-Encoding: deflate\r\n", nd_buffer_span(&naked), TEXT);
    check_coded("Content-Encoding:\r\n gzip\r\n", nd_buffer_span(&gzip), TEXT);
    nd_buffer *const all[] = {&gzip, &zlib, &naked, &zstd, &twice, &chunked, &chunks, &two, &inner};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        nd_buffer_free(all[i]);
    }
}

/* What a body may take is asked of it in the end, and what it needed on its way is not kept. */
ND_TEST("large bodies") {
    static uint8_t noise[3 << 20];
    nd_random random = nd_test_random("noise");
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0}, chunked = {0};
    ND_OWNED(nd_http_scratch_free) nd_http_scratch scratch = {0};
    nd_record_limit passed = ND_LIMITS;
    nd_span body;
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (uint8_t)nd_random_next(&random);
    }
    nd_http_response response = {.body = {noise, sizeof noise}};
    nd_record_limits limits = nd_record_limits_of(LIMIT, 0, 0);
    CU_ASSERT_EQUAL(nd_http_body(&response, &limits, &scratch, &body, &passed), ND_ERR_LIMIT);
    CU_ASSERT_EQUAL(passed, ND_LIMIT_PAGE);
    limits = nd_record_limits_of(0, UINT64_MAX, 0); /* however much it unpacks to */
    nd_test_pack(&packed, ND_TEST_GZIP, (nd_span){noise, sizeof noise});
    nd_test_print(&chunked, "%zx\r\n", packed.size);
    nd_buffer_append(&chunked, packed.data, packed.size);
    nd_test_print(&chunked, "\r\n0\r\n\r\n");
    response = (nd_http_response){.body = nd_buffer_span(&chunked),
                                  .content = {{ND_CODING_GZIP}, 1},
                                  .transfer = {{ND_CODING_CHUNKED}, 1}};
    ND_TEST_OK(nd_http_body(&response, &limits, &scratch, &body, &passed));
    CU_ASSERT(body.size == sizeof noise && memcmp(body.data, noise, sizeof noise) == 0);
    CU_ASSERT_EQUAL(scratch.framing.capacity, 0);
}

/* Made with brotli's own encoder: "<p>brotli body " twenty times. */
ND_TEST("brotli") {
    static const uint8_t coded[] = {0x13, 0x2b, 0x01, 0x00, 0xc4, 0x6d, 0x6c, 0x5d, 0xd7, 0x90,
                                    0xde, 0x90, 0x4e, 0x10, 0x18, 0xd1, 0x29, 0x16, 0x0c, 0xa1,
                                    0x2b, 0x27, 0xb4, 0xbe, 0x2e, 0xc8, 0xf9, 0x00};
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    const nd_span bytes = {coded, sizeof coded};
    ND_TEST_OK(nd_coding_undo(ND_CODING_BROTLI, bytes, LIMIT, &out));
    CU_ASSERT_EQUAL(out.size, 20 * strlen("<p>brotli body "));
    for (size_t i = 0; i < out.size; i++) {
        CU_ASSERT_EQUAL(out.data[i], "<p>brotli body "[i % 15]);
    }
    CU_ASSERT_EQUAL(
        nd_coding_undo(ND_CODING_BROTLI, (nd_span){bytes.data, bytes.size - 1}, LIMIT, &out),
        ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_BROTLI, bytes, 15, &out), ND_ERR_LIMIT);
    CU_ASSERT(nd_test_is(nd_buffer_span(&out), "<p>brotli body <"));
}

/* A small body that decodes to a huge one stops at the limit. */
ND_TEST("bombs") {
    static uint8_t zeros[3 * LIMIT];
    ND_OWNED(nd_buffer_free) nd_buffer gzip = {0};
    ND_OWNED(nd_buffer_free) nd_buffer zstd = {0};
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    nd_test_pack(&gzip, ND_TEST_GZIP, (nd_span){zeros, sizeof zeros});
    nd_test_pack(&zstd, ND_TEST_ZSTD, (nd_span){zeros, sizeof zeros});
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_GZIP, nd_buffer_span(&gzip), LIMIT, &out),
                    ND_ERR_LIMIT);
    CU_ASSERT_TRUE(out.size <= LIMIT + 1);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, nd_buffer_span(&zstd), LIMIT, &out),
                    ND_ERR_LIMIT);
    CU_ASSERT_TRUE(out.size <= LIMIT + 1);
    ND_TEST_OK(nd_coding_undo(ND_CODING_GZIP, nd_buffer_span(&gzip), sizeof zeros, &out));
    ND_TEST_OK(nd_coding_undo(ND_CODING_ZSTD, nd_buffer_span(&zstd), sizeof zeros, &out));
    CU_ASSERT_EQUAL(out.size, sizeof zeros);
}

/* Blocks that begin before a step of the output ends and go on after it; what is cut off after one
 * gives all of it. */
ND_TEST("blocks across steps") {
    enum { BLOCK = 100000 };
    static uint8_t text[2 * BLOCK], packed[2 * BLOCK];
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer to = {packed, sizeof packed, 0};
    ZSTD_inBuffer first = {text, BLOCK, 0}, second = {text, sizeof text, BLOCK};
    CU_ASSERT_PTR_NOT_NULL_FATAL(context);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)(i / 1000);
    }
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &first, ZSTD_e_flush), 0);
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &second, ZSTD_e_flush), 0);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){packed, to.pos}, LIMIT, &out),
                    ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(out.size, sizeof text);
    CU_ASSERT_EQUAL(ZSTD_compressStream2(context, &to, &second, ZSTD_e_end), 0);
    ND_TEST_OK(nd_coding_undo(ND_CODING_ZSTD, (nd_span){packed, to.pos}, LIMIT, &out));
    CU_ASSERT_EQUAL_FATAL(out.size, sizeof text);
    CU_ASSERT(memcmp(out.data, text, sizeof text) == 0);
    (void)ZSTD_freeCCtx(context);
}

/* What is cut off, or damaged, gives what comes before; nothing gives nothing. */
ND_TEST("damaged bodies") {
    static const nd_coding all[] = {ND_CODING_GZIP, ND_CODING_DEFLATE, ND_CODING_BROTLI,
                                    ND_CODING_ZSTD, ND_CODING_UNKNOWN};
    ND_OWNED(nd_buffer_free) nd_buffer out = {0}, zstd = {0};
    ND_OWNED(nd_buffer_free) nd_buffer zlib = compress_with(MAX_WBITS);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        CU_ASSERT_EQUAL(nd_coding_undo(all[i], (nd_span){0}, LIMIT, &out), ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(out.size, 0);
    }
    zlib.data[zlib.size - 1] ^= 1; /* its checksum: that is no stream without one */
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_DEFLATE, nd_buffer_span(&zlib), LIMIT, &out),
                    ND_ERR_FORMAT);
    CU_ASSERT(nd_test_is(nd_buffer_span(&out), TEXT));
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT));
    nd_test_pack(&zstd, ND_TEST_ZSTD, nd_test_span(TEXT)); /* two frames are one body */
    ND_TEST_OK(nd_coding_undo(ND_CODING_ZSTD, nd_buffer_span(&zstd), LIMIT, &out));
    CU_ASSERT_EQUAL(out.size, 2 * strlen(TEXT));
    for (size_t size = zstd.size / 2 + 1; size < zstd.size; size++) {
        CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){zstd.data, size}, LIMIT, &out),
                        ND_ERR_FORMAT);
        CU_ASSERT(out.size >= strlen(TEXT) && memcmp(out.data, TEXT, strlen(TEXT)) == 0);
    }
    CU_ASSERT_EQUAL(nd_coding_named(nd_test_span("lzma")), ND_CODING_UNKNOWN);
}

/* A frame of a few bytes that asks for a window of 16 MiB: no body of HTTP may. */
ND_TEST("window") {
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x21,
                                    0,    0,    'a',  'b',  'c',  'd'};
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_ZSTD, (nd_span){frame, sizeof frame}, LIMIT, &out),
                    ND_ERR_FORMAT);
    uint8_t allowed[sizeof frame];
    memcpy(allowed, frame, sizeof frame);
    allowed[5] = 13 << 3;
    ND_TEST_OK(nd_coding_undo(ND_CODING_ZSTD, (nd_span){allowed, sizeof allowed}, LIMIT, &out));
    CU_ASSERT_EQUAL(out.size, 4);
}
