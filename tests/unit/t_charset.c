/* Labels, declarations, conversion, repair; and real pages by encoding. */
#include "io/input/charset.h"
#include "io/input/http.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <dirent.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_label(const char *label, const char *name) {
    CU_ASSERT_STRING_EQUAL(nd_charset_of_label(nd_test_span(label)).text, name);
}

static void test_labels(void) {
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
    nd_charset *charset = NULL;
    nd_span text;
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(1 << 20, &charset), ND_OK);
    CU_ASSERT_EQUAL(nd_charset_to_utf8(charset, bytes, nd_test_span(label), false, &text, NULL),
                    ND_OK);
    if (text.size != strlen(says) || memcmp(text.data, says, text.size) != 0) {
        printf("%s: %.*s, not %s\n", label, (int)text.size, (const char *)text.data, says);
        CU_FAIL("text");
    }
    nd_charset_close(&charset);
}

/* Half a character of two units is one that cannot be converted: what follows is read on from the
 * next unit. */
static void test_units(void) {
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
    CU_ASSERT_EQUAL(found.size, strlen(label));
    CU_ASSERT_TRUE(found.size == 0 || memcmp(found.data, label, found.size) == 0);
}

static void test_declarations(void) {
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
    CU_ASSERT_EQUAL(nd_charset_to_utf8(charset, bytes, nd_test_span(label), true, &got, &used),
                    ND_OK);
    CU_ASSERT_EQUAL(got.size, strlen(text));
    CU_ASSERT_TRUE(got.size == 0 || memcmp(got.data, text, got.size) == 0);
    CU_ASSERT_STRING_EQUAL(used.text, name);
}

static void test_order(void) {
    nd_charset *charset = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(UINT64_MAX, &charset), ND_OK);
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
    nd_charset_close(&charset);
}

/* Bytes that cannot be converted become U+FFFD; what is around them stays. */
static void test_bad_bytes(void) {
    nd_charset *charset = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(UINT64_MAX, &charset), ND_OK);
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
    nd_charset_close(&charset);
}

/* A label is believed if at most one in 16 bytes beyond ASCII begins what cannot be converted; else
 * the page's own declaration is, under which all can be. */
static void test_belief(void) {
    static const struct {
        int long_letters, short_letters; /* of 3 and of 2 bytes */
        int bad;                         /* bytes */
        const char *name;
    } cases[] = {
        {1, 6, 1, "UTF-8"}, {0, 7, 1, "CP1252"}, {0, 15, 2, "UTF-8"}, {1, 13, 2, "CP1252"}};
    nd_charset *charset = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(UINT64_MAX, &charset), ND_OK);
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
        CU_ASSERT_EQUAL(nd_charset_to_utf8(charset, nd_test_span(page), nd_test_span("utf-8"), true,
                                           &text, &used),
                        ND_OK);
        CU_ASSERT_STRING_EQUAL(used.text, cases[i].name);
    }
    nd_charset_close(&charset);
}

static void check_repair(const char *bytes, const char *text, uint64_t replaced) {
    nd_buffer out = {0};
    uint64_t count = 0;
    CU_ASSERT_EQUAL(nd_utf8_repair(nd_test_span(bytes), &out, &count), ND_OK);
    CU_ASSERT_EQUAL(count, replaced);
    CU_ASSERT_EQUAL(out.size, strlen(text));
    CU_ASSERT_TRUE(out.size == strlen(text) && memcmp(out.data, text, out.size) == 0);
    nd_buffer_free(&out);
}

#define FFFD "\xEF\xBF\xBD"

/* The examples of Unicode's chapter 3, tables 3-8 to 3-11. */
static void test_repair(void) {
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

static void test_marks(void) {
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
    nd_buffer file = nd_test_read(path);
    nd_buffer expected = {0};
    nd_span text;
    nd_charset_name used;
    const bool clean = reference(name, nd_buffer_span(&file), &expected);
    const bool declared = is_declared(nd_buffer_span(&file), name);
    CU_ASSERT_EQUAL(
        nd_charset_to_utf8(charset, nd_buffer_span(&file), (nd_span){0}, true, &text, &used),
        ND_OK);
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
    nd_buffer_free(&file);
    nd_buffer_free(&expected);
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

static void test_real_pages(void) {
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
    nd_charset *charset = NULL;
    tally sum = {0};
    if (nd_test_data("charset") == NULL) {
        return;
    }
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(UINT64_MAX, &charset), ND_OK);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        check_folder(charset, &folders[i], &sum);
    }
    printf("%u files, %u clean in their encoding, %u read as iconv reads them; %u clean and "
           "declared, which must all be\n",
           sum.files, sum.clean, sum.equal, sum.declared);
    CU_ASSERT_TRUE(sum.declared > 100);
    nd_charset_close(&charset);
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
static void test_gbk_pages(void) {
    nd_charset *charset = NULL;
    nd_buffer tar = {0};
    unsigned files = 0;
    unsigned clean = 0;
    const char *path = nd_test_data("gbk-pages/netease-gbk.tar.gz");
    if (path == NULL) {
        return;
    }
    nd_buffer packed = nd_test_read(path);
    CU_ASSERT_EQUAL(nd_coding_undo(ND_CODING_GZIP, nd_buffer_span(&packed), 1 << 28, &tar), ND_OK);
    CU_ASSERT_EQUAL_FATAL(nd_charset_open(UINT64_MAX, &charset), ND_OK);
    nd_span rest = nd_buffer_span(&tar);
    nd_span page, text;
    nd_charset_name used;
    while (next_tar_file(&rest, &page)) {
        nd_buffer expected = {0};
        CU_ASSERT_EQUAL(nd_charset_to_utf8(charset, page, (nd_span){0}, true, &text, &used), ND_OK);
        CU_ASSERT_STRING_EQUAL(used.text, "GB18030");
        if (reference("GB18030", page, &expected)) {
            clean++;
            CU_ASSERT_TRUE(text.size == expected.size &&
                           memcmp(text.data, expected.data, text.size) == 0);
        }
        files++;
        nd_buffer_free(&expected);
    }
    printf("%u pages, %u clean\n", files, clean);
    CU_ASSERT_TRUE(files >= 70 && clean * 2 > files);
    nd_charset_close(&charset);
    nd_buffer_free(&packed);
    nd_buffer_free(&tar);
}

static const nd_test tests[] = {
    {"units", test_units},
    {"labels", test_labels},
    {"declarations", test_declarations},
    {"marks", test_marks},
    {"order of the steps", test_order},
    {"bad bytes", test_bad_bytes},
    {"when a label is believed", test_belief},
    {"UTF-8 repair", test_repair},
    {"real pages", test_real_pages},
    {"GBK pages", test_gbk_pages},
};
ND_SUITE(t_charset, tests)
