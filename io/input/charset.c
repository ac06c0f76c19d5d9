#include "io/input/charset.h"

#include "io/input/fields.h"
#include "src/base/util.h"
#include "src/text/text_variant.h"

#include <iconv.h>
#include <uchardet/uchardet.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ==== is it UTF-8? */

/* Length of the sequence at the start of `bytes`, which is not empty.
 * \param[out] valid  whether it is a character */
static size_t sequence(nd_span bytes, bool *valid) {
    const uint8_t first = bytes.data[0];
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xC2 && first < 0xE0 ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    *valid = length == 1;
    if (length < 2) {
        return 1;
    }
    /* the second byte's range keeps out overlong forms, surrogates and what is above U+10FFFF */
    const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    size_t size = 1;
    if (bytes.size < 2 || bytes.data[1] < low || bytes.data[1] > high) {
        return size;
    }
    for (size = 2; size < length; size++) {
        if (size >= bytes.size || (bytes.data[size] & 0xC0) != 0x80) {
            return size;
        }
    }
    *valid = true;
    return size;
}

size_t nd_utf8_valid_bytes(nd_span bytes) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    size_t at = 0;
    while (at < bytes.size) {
        at += loops->valid_bytes(bytes.data + at, bytes.data + bytes.size);
        while (at < bytes.size && bytes.data[at] < 0x80) {
            at++;
        }
        while (at < bytes.size && bytes.data[at] >= 0x80) { /* stay here in text full of them */
            bool valid = false;
            const size_t size = sequence((nd_span){bytes.data + at, bytes.size - at}, &valid);
            if (!valid) {
                return at;
            }
            at += size;
        }
    }
    return at;
}

nd_status nd_utf8_repair_within(nd_span bytes, uint64_t limit, nd_buffer *out, uint64_t *replaced) {
    *replaced = 0;
    while (bytes.size > 0) {
        const size_t good = nd_utf8_valid_bytes(bytes);
        if (out->size > limit || good > limit - out->size) {
            return ND_ERR_LIMIT;
        }
        nd_buffer_append(out, bytes.data, good);
        if (good == bytes.size) {
            break;
        }
        bytes = (nd_span){bytes.data + good, bytes.size - good};
        bool valid = false;
        const size_t bad = sequence(bytes, &valid);
        nd_buffer_append_text(out, "\xEF\xBF\xBD");
        ++*replaced;
        bytes = (nd_span){bytes.data + bad, bytes.size - bad};
    }
    return ND_OK;
}

void nd_utf8_repair(nd_span bytes, nd_buffer *out, uint64_t *replaced) {
    (void)nd_utf8_repair_within(bytes, UINT64_MAX, out, replaced); /* no limit, no failure */
}

/* ==== labels */

/* A declaration is looked for in so many bytes: the standard says 1024, but real pages put scripts
 * and comments first. */
enum { DECLARATION_BYTES = 4096 };

/* Labels without their punctuation, in lower case, and iconv's name for what is meant. Labels that
 * iconv understands in the same sense need no row. */
static const struct {
    const char *label;
    const char *name;
} meanings[] = {
    {"utf8", "UTF-8"},
    {"unicode11utf8", "UTF-8"},
    {"xunicode20utf8", "UTF-8"},
    {"ascii", "CP1252"},
    {"usascii", "CP1252"},
    {"ansix341968", "CP1252"},
    {"iso88591", "CP1252"},
    {"iso885911987", "CP1252"},
    {"isoir100", "CP1252"},
    {"latin1", "CP1252"},
    {"l1", "CP1252"},
    {"cp819", "CP1252"},
    {"ibm819", "CP1252"},
    {"csisolatin1", "CP1252"},
    {"xcp1252", "CP1252"},
    {"xansi", "CP1252"},
    {"xuserdefined", "CP1252"},
    {"iso88592", "ISO-8859-2"},
    {"iso885921987", "ISO-8859-2"},
    {"csisolatin2", "ISO-8859-2"},
    {"iso88595", "ISO-8859-5"},
    {"cyrillic", "ISO-8859-5"},
    {"iso88596", "ISO-8859-6"},
    {"iso88596i", "ISO-8859-6"},
    {"iso88596e", "ISO-8859-6"},
    {"iso88597", "ISO-8859-7"},
    {"iso88598", "ISO-8859-8"},
    {"iso88598i", "ISO-8859-8"},
    {"iso88598e", "ISO-8859-8"},
    {"logical", "ISO-8859-8"},
    {"visual", "ISO-8859-8"},
    {"iso88599", "CP1254"},
    {"iso885991989", "CP1254"},
    {"latin5", "CP1254"},
    {"l5", "CP1254"},
    {"csisolatin5", "CP1254"},
    {"iso885911", "CP874"},
    {"tis620", "CP874"},
    {"windows874", "CP874"},
    {"dos874", "CP874"},
    {"xcp1250", "CP1250"},
    {"xcp1251", "CP1251"},
    {"win1250", "CP1250"},
    {"win1251", "CP1251"},
    {"win1252", "CP1252"},
    {"ibm866", "CP866"},
    {"866", "CP866"},
    {"csibm866", "CP866"},
    {"koi", "KOI8-R"},
    {"koi8", "KOI8-R"},
    {"koi8r", "KOI8-R"},
    {"cskoi8r", "KOI8-R"},
    {"koi8u", "KOI8-U"},
    {"koi8ru", "KOI8-U"},
    {"mac", "MACINTOSH"},
    {"macroman", "MACINTOSH"},
    {"xmacroman", "MACINTOSH"},
    {"csmacintosh", "MACINTOSH"},
    {"maccyrillic", "MAC-CYRILLIC"},
    {"xmaccyrillic", "MAC-CYRILLIC"},
    {"xmacukrainian", "MAC-UK"},
    {"gb2312", "GB18030"},
    {"gb231280", "GB18030"},
    {"csgb2312", "GB18030"},
    {"csiso58gb231280", "GB18030"},
    {"isoir58", "GB18030"},
    {"chinese", "GB18030"},
    {"euccn", "GB18030"},
    {"xeuccn", "GB18030"},
    {"gbk", "GB18030"},
    {"xgbk", "GB18030"},
    {"cp936", "GB18030"},
    {"ms936", "GB18030"},
    {"windows936", "GB18030"},
    {"gb", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5hkscs", "BIG5-HKSCS"},
    {"big5eten", "BIG5-HKSCS"},
    {"cnbig5", "BIG5-HKSCS"},
    {"csbig5", "BIG5-HKSCS"},
    {"xxbig5", "BIG5-HKSCS"},
    {"cp950", "BIG5-HKSCS"},
    {"windows950", "BIG5-HKSCS"},
    {"euctw", "EUC-TW"},
    {"xeuctw", "EUC-TW"},
    {"eucjp", "EUC-JP-MS"},
    {"xeucjp", "EUC-JP-MS"},
    {"xeuc", "EUC-JP-MS"},
    {"cseucpkdfmtjapanese", "EUC-JP-MS"},
    {"iso2022jp", "ISO-2022-JP-3"},
    {"csiso2022jp", "ISO-2022-JP-3"},
    {"shiftjis", "CP932"},
    {"sjis", "CP932"},
    {"xsjis", "CP932"},
    {"mskanji", "CP932"},
    {"csshiftjis", "CP932"},
    {"windows31j", "CP932"},
    {"cswindows31j", "CP932"},
    {"cp932", "CP932"},
    {"ms932", "CP932"},
    {"euckr", "CP949"},
    {"xeuckr", "CP949"},
    {"cseuckr", "CP949"},
    {"ksc5601", "CP949"},
    {"ksc56011987", "CP949"},
    {"ksc56011989", "CP949"},
    {"csksc56011987", "CP949"},
    {"isoir149", "CP949"},
    {"korean", "CP949"},
    {"windows949", "CP949"},
    {"uhc", "CP949"},
    {"cp949", "CP949"},
    {"utf16", "UTF-16LE"},
    {"unicode", "UTF-16LE"},
    {"ucs2", "UTF-16LE"},
    {"iso10646ucs2", "UTF-16LE"},
    {"utf16le", "UTF-16LE"},
    {"utf16be", "UTF-16BE"},
    {"utf32", "UTF-32LE"},
};

static uint8_t lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

static nd_charset_name name_of(const char *text) {
    nd_charset_name name = {{0}};
    memcpy(name.text, text, strlen(text)); /* rows of the table are shorter than the array */
    return name;
}

nd_charset_name nd_charset_of_label(nd_span label) {
    nd_charset_name bare = {{0}};
    nd_charset_name as_is = {{0}};
    size_t size = 0;
    label = nd_fields_trim(label);
    if (label.size == 0 || label.size >= ND_CHARSET_NAME_SIZE) {
        return bare;
    }
    for (size_t i = 0; i < label.size; i++) {
        const uint8_t byte = label.data[i];
        const uint8_t small = lower(byte);
        if ((byte >= '0' && byte <= '9') || (small >= 'a' && small <= 'z')) {
            bare.text[size++] = (char)small;
        } else if (byte != '-' && byte != '_' && byte != ':' && byte != '.') {
            return name_of(""); /* a slash would be an option to iconv */
        }
        as_is.text[i] = (char)(small != byte || byte < 'a' ? byte : byte - ('a' - 'A'));
    }
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strcmp(bare.text, meanings[i].label) == 0) {
            return name_of(meanings[i].name);
        }
    }
    return as_is;
}

nd_charset_name nd_charset_of_mark(nd_span bytes, size_t *mark_bytes) {
    static const struct {
        const char *mark;
        size_t size;
        size_t dropped;
        const char *name;
    } marks[] = {
        {"\xEF\xBB\xBF", 3, 3, "UTF-8"},    {"\xFF\xFE\0\0", 4, 4, "UTF-32LE"},
        {"\0\0\xFE\xFF", 4, 4, "UTF-32BE"}, {"\xFF\xFE", 2, 2, "UTF-16LE"},
        {"\xFE\xFF", 2, 2, "UTF-16BE"},     {"<\0?\0", 4, 0, "UTF-16LE"},
        {"\0<\0?", 4, 0, "UTF-16BE"},       {"<\0!\0", 4, 0, "UTF-16LE"},
        {"\0<\0!", 4, 0, "UTF-16BE"},       {"<\0h\0", 4, 0, "UTF-16LE"},
        {"\0<\0h", 4, 0, "UTF-16BE"},       {"<\0H\0", 4, 0, "UTF-16LE"},
        {"\0<\0H", 4, 0, "UTF-16BE"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (bytes.size >= marks[i].size && memcmp(bytes.data, marks[i].mark, marks[i].size) == 0) {
            *mark_bytes = marks[i].dropped;
            return name_of(marks[i].name);
        }
    }
    *mark_bytes = 0;
    return name_of("");
}

/* ---- declarations */

static nd_span after(nd_span bytes, size_t count) {
    return (nd_span){bytes.data + count, bytes.size - count};
}

/* The value after `word` and "=" in a tag: quoted, or up to a blank, ";", ">", "?" or "/". Goes on
 * looking if the word stands without "=". */
static nd_span value_of(nd_span tag, const char *word) {
    for (; tag.size > 0; tag = after(tag, 1)) {
        if (!nd_fields_starts(tag, word)) {
            continue;
        }
        nd_span rest = nd_fields_trim(after(tag, strlen(word)));
        if (rest.size < 2 || rest.data[0] != '=') {
            continue;
        }
        rest = nd_fields_trim(after(rest, 1));
        if (rest.size > 0 && (rest.data[0] == '"' || rest.data[0] == '\'')) {
            rest = after(rest, 1);
        }
        size_t size = 0;
        while (size < rest.size && strchr("\"' \t\r\n;>?/,", rest.data[size]) == NULL) {
            size++;
        }
        return (nd_span){rest.data, size};
    }
    return (nd_span){0};
}

static nd_span up_to(nd_span bytes, const char *end) {
    const size_t at = nd_fields_find(bytes, end);
    return at == SIZE_MAX ? bytes : (nd_span){bytes.data, at};
}

nd_span nd_charset_declared(nd_span bytes) {
    nd_span rest = bytes;
    rest.size = (size_t)nd_min(rest.size, DECLARATION_BYTES);
    rest = nd_fields_trim(rest);
    if (nd_fields_starts(rest, "<?xml")) {
        const nd_span label = value_of(up_to(rest, ">"), "encoding");
        if (label.size > 0) {
            return label;
        }
    }
    while (rest.size > 0) {
        const uint8_t *tag = memchr(rest.data, '<', rest.size);
        if (tag == NULL) {
            break;
        }
        rest = after(rest, (size_t)(tag - rest.data));
        size_t passed = 1;
        if (nd_fields_starts(rest, "<!--")) {
            passed = up_to(rest, "-->").size;
        } else if (nd_fields_starts(rest, "<meta")) {
            const nd_span meta = up_to(rest, ">");
            const nd_span label = value_of(meta, "charset");
            if (label.size > 0) {
                return label;
            }
            passed = meta.size;
        }
        rest = after(rest, passed);
    }
    return (nd_span){0};
}

/* ==== conversion */

/* Converters kept open: opening one costs more than converting a page, and a crawl of one country
 * has few charsets. */
enum { CONVERTERS = 8 };
/* Bytes that uchardet is shown: it runs at a third of the speed of everything else together. */
enum { DETECTOR_BYTES = 4096 };
/* A label is believed if at most one in so many non-ASCII bytes cannot be converted. */
enum { BELIEF = 16 };
/* An attempt of no use that took more is not kept for the next page. */
enum { SPARE_BYTES = 8 << 20 };
/* Room asked for at a time while converting. */
enum { OUTPUT_STEP = 4096 };

static const char REPLACEMENT[] = "\xEF\xBF\xBD";
/* What is left when nothing is known: never fails, and keeps the ASCII. */
static const nd_charset_name LAST_RESORT = {"CP1252"};
static const nd_charset_name UTF8 = {"UTF-8"};

typedef struct converter {
    nd_charset_name name;
    iconv_t handle;
    bool usable;
    uint64_t used; /* clock of the latest use, 0 if the slot is free */
} converter;

struct nd_charset {
    converter converters[CONVERTERS];
    uint64_t clock;
    uchardet_t detector;
    uint64_t limit;
    nd_buffer text[2]; /* the best text so far, and room for the next attempt */
};

nd_status nd_charset_open(uint64_t most, nd_charset **out) {
    nd_status st = ND_OK;
    nd_charset *charset = NULL;
    *out = NULL;
    nd_new(&charset, 1, sizeof *charset);
    charset->limit = most;
    charset->detector = uchardet_new();
    if (charset->detector == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a charset detector");
        goto out;
    }
    *out = charset;
    charset = NULL;
out:
    nd_charset_close(&charset);
    return st;
}

static void close_converter(converter *slot) {
    if (slot->usable) {
        (void)iconv_close(slot->handle);
    }
    *slot = (converter){0};
}

void nd_charset_close(nd_charset **charset) {
    if (*charset == NULL) {
        return;
    }
    for (size_t i = 0; i < CONVERTERS; i++) {
        close_converter(&(*charset)->converters[i]);
    }
    if ((*charset)->detector != NULL) {
        uchardet_delete((*charset)->detector);
    }
    nd_buffer_free(&(*charset)->text[0]);
    nd_buffer_free(&(*charset)->text[1]);
    free(*charset);
    *charset = NULL;
}

/* The converter of that name; one that iconv does not know stays in its slot as not usable. */
static nd_status find_converter(nd_charset *charset, const nd_charset_name *name,
                                converter **found) {
    converter *oldest = &charset->converters[0];
    charset->clock++;
    for (size_t i = 0; i < CONVERTERS; i++) {
        converter *slot = &charset->converters[i];
        if (slot->used > 0 && strcmp(slot->name.text, name->text) == 0) {
            slot->used = charset->clock;
            *found = slot;
            return ND_OK;
        }
        oldest = slot->used < oldest->used ? slot : oldest;
    }
    close_converter(oldest);
    const iconv_t handle = iconv_open("UTF-8", name->text);
    if (handle == (iconv_t)-1 && errno != EINVAL) { /* the page is not to blame */
        return nd_fail(errno == ENOMEM ? ND_ERR_MEMORY : ND_ERR_IO,
                       "the converter of charset %s cannot be opened: %s", name->text,
                       strerror(errno));
    }
    *oldest = (converter){
        .name = *name, .used = charset->clock, .handle = handle, .usable = handle != (iconv_t)-1};
    *found = oldest;
    return ND_OK;
}

/* Bytes to pass over where a character cannot be converted. */
static size_t unit_of(const nd_charset_name *name) {
    return strncmp(name->text, "UTF-16", 6) == 0   ? 2
           : strncmp(name->text, "UTF-32", 6) == 0 ? 4
                                                   : 1;
}

static nd_status convert(converter *with, nd_span bytes, uint64_t limit, nd_buffer *out,
                         uint64_t *replaced) {
    nd_status st = ND_OK;
    char *from = (char *)(uintptr_t)bytes.data;
    size_t left = bytes.size;
    const size_t unit = unit_of(&with->name);
    bool flushed = false;
    (void)iconv(with->handle, NULL, NULL, NULL, NULL);
    while (!flushed) {
        if (out->size > limit) {
            return ND_ERR_LIMIT;
        }
        nd_buffer_reserve(out, left + left / 2 + OUTPUT_STEP);
        char *to = (char *)out->data + out->size;
        size_t room = out->capacity - out->size;
        flushed = left == 0; /* some charsets hold the last character back until asked */
        const size_t result = flushed ? iconv(with->handle, NULL, NULL, &to, &room)
                                      : iconv(with->handle, &from, &left, &to, &room);
        const int error = result == (size_t)-1 ? errno : 0;
        out->size = out->capacity - room;
        if (error == EILSEQ || error == EINVAL) {
            const size_t passed = error == EINVAL ? left : (size_t)nd_min(left, unit);
            from += passed;
            left -= passed;
            ++*replaced;
            nd_buffer_append_text(out, REPLACEMENT);
        } else if (error == E2BIG) {
            flushed = false;
        } else if (error != 0) {
            st = nd_fail(ND_ERR_INTERNAL, "the converter of charset %s fails: %s", with->name.text,
                         strerror(error));
            goto out;
        }
    }
out:
    return st;
}

/* ---- which charset */

/* One conversion after another; the best one is kept. */
typedef struct attempt {
    nd_charset *charset;
    nd_span bytes;
    bool any;
    uint64_t replaced; /* in the best text so far */
    nd_charset_name name;
    nd_span text;
} attempt;

static void keep_if_better(attempt *best, const nd_charset_name *name, uint64_t replaced,
                           nd_span text) {
    if (best->any && replaced >= best->replaced) {
        return;
    }
    best->any = true;
    best->replaced = replaced;
    best->name = *name;
    best->text = text;
    if (text.data != best->bytes.data) {
        const nd_buffer spare = best->charset->text[0];
        best->charset->text[0] = best->charset->text[1];
        best->charset->text[1] = spare;
    }
}

static nd_status try_charset(attempt *best, nd_charset_name name) {
    nd_status st = ND_OK;
    nd_buffer *out = &best->charset->text[1];
    uint64_t replaced = 0;
    if (name.text[0] == '\0') {
        return ND_OK;
    }
    out->size = 0;
    if (strcmp(name.text, "UTF-8") == 0) {
        if (nd_utf8_valid_bytes(best->bytes) == best->bytes.size) {
            keep_if_better(best, &name, 0, best->bytes);
            return ND_OK;
        }
        ND_TRY(nd_utf8_repair_within(best->bytes, best->charset->limit, out, &replaced));
    } else {
        converter *with = NULL;
        ND_TRY(find_converter(best->charset, &name, &with));
        if (!with->usable) {
            return ND_OK;
        }
        ND_TRY(convert(with, best->bytes, best->charset->limit, out, &replaced));
    }
    keep_if_better(best, &name, replaced, nd_buffer_span(out));
out:
    return st;
}

static bool is_believable(const attempt *best) {
    uint64_t non_ascii = 0;
    if (!best->any || best->replaced == 0) {
        return best->any;
    }
    for (size_t i = 0; i < best->bytes.size; i++) {
        non_ascii += best->bytes.data[i] >> 7;
    }
    return best->replaced * BELIEF <= non_ascii;
}

/* Where there is no zero byte a label cannot mean UTF-16 or UTF-32, into which anything converts.
 * What is valid UTF-8 is no windows-1252, unless both are ASCII, whatever says so: browsers show
 * the wrong letters, but the same page under its right label is a copy. */
static nd_charset_name of_label(nd_span label, nd_span bytes) {
    nd_charset_name name = nd_charset_of_label(label);
    if (unit_of(&name) > 1 && memchr(bytes.data, 0, bytes.size) == NULL) {
        name = UTF8;
    }
    if (strcmp(name.text, "CP1252") == 0 && nd_utf8_valid_bytes(bytes) == bytes.size) {
        name = UTF8;
    }
    return name;
}

static nd_status detect(nd_charset *charset, nd_span bytes, nd_charset_name *detected) {
    size_t begin = 0;
    while (begin < bytes.size && bytes.data[begin] < 0x80 && bytes.data[begin] != 0x1b) {
        begin++; /* plain ASCII says nothing: spend the bytes on what does */
    }
    uchardet_reset(charset->detector);
    if (uchardet_handle_data(charset->detector, (const char *)bytes.data + begin,
                             nd_min(bytes.size - begin, DETECTOR_BYTES)) != 0) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a charset detector");
    }
    uchardet_data_end(charset->detector);
    const char *name = uchardet_get_charset(charset->detector);
    *detected = nd_charset_of_label((nd_span){(const uint8_t *)name, strlen(name)});
    return ND_OK;
}

/* The steps of the header's paragraph; each is left out once a believable text is there. */
static nd_status decide(attempt *best, nd_span label, bool markup) {
    nd_status st = ND_OK;
    ND_TRY(try_charset(best, of_label(label, best->bytes)));
    if (markup && !is_believable(best)) {
        ND_TRY(try_charset(best, of_label(nd_charset_declared(best->bytes), best->bytes)));
    }
    if (is_believable(best)) {
        goto out;
    }
    /* ISO-2022 is all ASCII but for its escapes, and so valid UTF-8 */
    if (nd_utf8_valid_bytes(best->bytes) == best->bytes.size &&
        memchr(best->bytes.data, 0x1b, best->bytes.size) == NULL) {
        ND_TRY(try_charset(best, UTF8));
    } else {
        nd_charset_name detected;
        ND_TRY(detect(best->charset, best->bytes, &detected));
        ND_TRY(try_charset(best, detected));
    }
    if (!best->any) {
        ND_TRY(try_charset(best, LAST_RESORT));
    }
out:
    return st;
}

nd_status nd_charset_to_utf8(nd_charset *charset, nd_span bytes, nd_span label, bool markup,
                             nd_span *text, nd_charset_name *name) {
    nd_status st = ND_OK;
    size_t mark_bytes = 0;
    const nd_charset_name marked = nd_charset_of_mark(bytes, &mark_bytes);
    attempt best = {.charset = charset, .bytes = nd_span_part(bytes, mark_bytes, bytes.size)};
    *text = (nd_span){0};
    if (best.bytes.size == 0) {
        goto out;
    }
    if (marked.text[0] != '\0') {
        ND_TRY(try_charset(&best, marked));
    } else {
        ND_TRY(decide(&best, label, markup));
    }
    *text = best.text;
out:
    if (charset->text[1].capacity > SPARE_BYTES) {
        nd_buffer_free(&charset->text[1]);
    }
    if (name != NULL) {
        *name = best.name;
    }
    return st;
}
