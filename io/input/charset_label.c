#include "io/input/charset_label.h"

#include "io/input/fields.h"
#include "src/base/util.h"

#include <string.h>

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
