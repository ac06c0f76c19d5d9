#include "io/input/sniff.h"

#include "io/input/charset_label.h"
#include "io/input/fields.h"
#include "src/base/util.h"

#include <string.h>

/* Bytes looked at for a first tag. */
enum { TAG_BYTES = 1024 };
/* In text, at most one in so many bytes, or one in all, is a control character that has no business
 * there: a stray backspace, a page mark of an old tool. */
enum { TEXT_SHARE = 50 };
enum { BLOCK_BYTES = 128, ESCAPE = 0x1b };

/* ---- media types */

typedef struct type_row {
    const char *type; /* one that ends in a slash, a hyphen or a dot: those that begin so */
    nd_media media;
    nd_other_reason reason;
} type_row;

/* The first row that fits counts. Browsers show text of any type, but for those below. */
static const type_row types[] = {
    {"text/html", ND_MEDIA_HTML, ND_OTHER_BINARY},
    {"application/xhtml+xml", ND_MEDIA_HTML, ND_OTHER_BINARY},
    {"application/vnd.wap.xhtml+xml", ND_MEDIA_HTML, ND_OTHER_BINARY},
    {"text/plain", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"text/markdown", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"text/x-markdown", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"text/x-web-markdown", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"application/markdown", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"application/x-markdown", ND_MEDIA_TEXT, ND_OTHER_BINARY},
    {"*/*", ND_MEDIA_UNKNOWN, ND_OTHER_BINARY},
    {"application/x-unknown-content-type", ND_MEDIA_UNKNOWN, ND_OTHER_BINARY},
    {"text/xml", ND_MEDIA_MAYBE, ND_OTHER_DATA},
    {"application/xml", ND_MEDIA_MAYBE, ND_OTHER_DATA},
    {"application/octet-stream", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"binary/octet-stream", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/binary", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/download", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/force-download", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/x-download", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/x-force-download", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/x-httpd-", ND_MEDIA_MAYBE, ND_OTHER_TYPE}, /* of a program that did not run */
    {"application/x-asp", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/x-php", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"application/php", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"httpd/", ND_MEDIA_MAYBE, ND_OTHER_TYPE},
    {"image/", ND_MEDIA_OTHER, ND_OTHER_IMAGE},
    {"audio/", ND_MEDIA_OTHER, ND_OTHER_SOUND},
    {"video/", ND_MEDIA_OTHER, ND_OTHER_SOUND},
    {"font/", ND_MEDIA_OTHER, ND_OTHER_FONT},
    {"application/font-", ND_MEDIA_OTHER, ND_OTHER_FONT},
    {"application/x-font-", ND_MEDIA_OTHER, ND_OTHER_FONT},
    {"application/vnd.ms-fontobject", ND_MEDIA_OTHER, ND_OTHER_FONT},
    {"text/css", ND_MEDIA_OTHER, ND_OTHER_STYLE},
    {"text/javascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/javascript1.", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/x-javascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/ecmascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/x-ecmascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/jscript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/livescript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/vbscript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/x-component", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"application/javascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"application/x-javascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"application/ecmascript", ND_MEDIA_OTHER, ND_OTHER_SCRIPT},
    {"text/json", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-json", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"application/json", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/csv", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-csv", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/comma-separated-values", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/tab-separated-values", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/tsv", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/calendar", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-calendar", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/vcalendar", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-vcalendar", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/vcard", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-vcard", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/directory", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/ldif", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/vtt", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/event-stream", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/cache-manifest", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/x-cross-domain-policy", ND_MEDIA_OTHER, ND_OTHER_DATA},
    {"text/rtf", ND_MEDIA_OTHER, ND_OTHER_TYPE},
    {"text/dns", ND_MEDIA_OTHER, ND_OTHER_PROTOCOL},
    {"text/anvl", ND_MEDIA_OTHER, ND_OTHER_ABOUT},
    {"application/warc-fields", ND_MEDIA_OTHER, ND_OTHER_ABOUT},
};

static bool fits(nd_span type, const char *row) {
    const char last = row[strlen(row) - 1];
    return last == '/' || last == '-' || last == '.' ? nd_fields_starts(type, row)
                                                     : nd_fields_is(type, row);
}

/* "html" and "htm", as the subtype or a part of it: text/x-html, text/htm, application/html. */
static bool names_html(nd_span type) {
    return nd_fields_find(type, "html") != SIZE_MAX || nd_fields_find(type, "/htm") != SIZE_MAX;
}

static bool ends_in(nd_span text, const char *word) {
    const size_t size = strlen(word);
    return text.size >= size && nd_fields_is(nd_span_part(text, text.size - size, text.size), word);
}

static nd_media of_valid_type(nd_span type, nd_other_reason *reason) {
    *reason = ND_OTHER_TYPE;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (fits(type, types[i].type)) {
            *reason = types[i].reason;
            return types[i].media;
        }
    }
    const bool text = nd_fields_starts(type, "text/");
    if (names_html(type) && nd_fields_find(type, "mhtml") == SIZE_MAX) {
        *reason = ND_OTHER_BINARY;
        return ND_MEDIA_HTML;
    }
    if (text || ends_in(type, "/unknown")) {
        *reason = ND_OTHER_BINARY;
        return ND_MEDIA_UNKNOWN;
    }
    *reason = ends_in(type, "+xml") || ends_in(type, "+json") ? ND_OTHER_DATA : ND_OTHER_TYPE;
    return ND_MEDIA_OTHER;
}

/* The media type in what is none, such as "Content-Type: text/html", [text/html] and text/html
 * charset=x: the first two tokens that a slash joins. */
static nd_span find_type(nd_span text) {
    for (size_t slash = 1; slash + 1 < text.size; slash++) {
        size_t begin = slash;
        size_t end = slash + 1;
        if (text.data[slash] != '/') {
            continue;
        }
        while (begin > 0 && nd_fields_is_token(nd_span_part(text, begin - 1, begin))) {
            begin--;
        }
        while (end < text.size && nd_fields_is_token(nd_span_part(text, end, end + 1))) {
            end++;
        }
        if (begin < slash && slash + 1 < end) {
            return nd_span_part(text, begin, end);
        }
        slash = end - 1;
    }
    return (nd_span){0};
}

nd_media nd_sniff_type(nd_span content_type, nd_other_reason *reason) {
    const nd_span type = nd_fields_media_type(content_type);
    if (nd_fields_is_media_type(type)) {
        return of_valid_type(type, reason);
    }
    const nd_span found = find_type(content_type);
    const nd_media media = of_valid_type(found, reason);
    if (media == ND_MEDIA_HTML || names_html(content_type)) {
        return ND_MEDIA_HTML;
    }
    const bool known =
        media == ND_MEDIA_MAYBE || (media == ND_MEDIA_OTHER && *reason != ND_OTHER_TYPE);
    *reason = known ? *reason : ND_OTHER_BINARY;
    return known ? media : ND_MEDIA_UNKNOWN;
}

/* ---- bytes */

/* What a mark of UTF-16 or UTF-32 leaves of its first bytes as ASCII: enough to see tags in. */
static nd_span as_ascii(nd_span bytes, uint8_t *memory, size_t most) {
    size_t size = 0;
    for (size_t i = 0; i < bytes.size && size < most; i++) {
        if (bytes.data[i] != 0) {
            memory[size++] = bytes.data[i];
        }
    }
    return (nd_span){memory, size};
}

static nd_span without_mark(nd_span bytes, uint8_t *memory) {
    size_t mark = 0;
    const nd_charset_name name = nd_charset_of_mark(bytes, &mark);
    const nd_span rest = nd_span_part(bytes, mark, bytes.size);
    const bool wide = nd_fields_starts(nd_charset_span(&name), "UTF-16") ||
                      nd_fields_starts(nd_charset_span(&name), "UTF-32");
    return nd_fields_trim(wide ? as_ascii(rest, memory, TAG_BYTES) : rest);
}

/* The tags that are of HTML alone where no XML can be, each before a blank or the end of the tag.
 */
static bool begins_with_tag(nd_span bytes) {
    static const char *const tags[] = {"<!--",  "<p",      "<a",  "<b",    "<br",
                                       "<h2",   "<h3",     "<ul", "<img",  "<form",
                                       "<span", "<center", "<hr", "<base", "<frameset"};
    uint8_t memory[TAG_BYTES];
    const nd_span head = without_mark(bytes, memory);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const size_t size = strlen(tags[i]);
        if (nd_fields_starts(head, tags[i]) &&
            (i == 0 || (size < head.size && strchr(" \t\r\n\f>/", head.data[size]) != NULL))) {
            return true;
        }
    }
    return false;
}

/* Formats that are no text, by what they begin with. */
static bool has_binary_magic(nd_span bytes) {
#define MAGIC(text)                                                                                \
    { text, sizeof(text) - 1 }
    static const struct {
        const char *text;
        size_t size;
    } magics[] = {
        MAGIC("%PDF-"),
        MAGIC("%!PS-Adobe-"),
        MAGIC("{\\rtf"),
        MAGIC("\x89PNG\r\n\x1a\n"),
        MAGIC("GIF87a"),
        MAGIC("GIF89a"),
        MAGIC("\xff\xd8\xff"),
        MAGIC("8BPS\0"),
        MAGIC("II*\0"),
        MAGIC("MM\0*"),
        MAGIC("\0\0\1\0"),
        MAGIC("\0\0\2\0"),
        MAGIC("PK\3\4"),
        MAGIC("PK\5\6"),
        MAGIC("Rar!\x1a\x07"),
        MAGIC("7z\xbc\xaf'\x1c"),
        MAGIC("\x1f\x8b\x08"),
        MAGIC("BZh91AY&SY"),
        MAGIC("\xfd"
              "7zXZ\0"),
        MAGIC("(\xb5/\xfd"),
        MAGIC("MSCF\0"),
        MAGIC("!<arch>\n"),
        MAGIC("wOFF"),
        MAGIC("wOF2"),
        MAGIC("OTTO\0"),
        MAGIC("\0\1\0\0\0"),
        MAGIC("ttcf\0"),
        MAGIC("OggS\0"),
        MAGIC("fLaC"),
        MAGIC("ID3\2"),
        MAGIC("ID3\3"),
        MAGIC("ID3\4"),
        MAGIC("FLV\1"),
        MAGIC("\x1a\x45\xdf\xa3"),
        MAGIC("\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
        MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        MAGIC("ITSF\3"),
        MAGIC("AT&TFORM"),
        MAGIC("SQLite format 3\0"),
        MAGIC("\x7f"
              "ELF"),
        MAGIC("MZ\x90\0"),
        MAGIC("\xca\xfe\xba\xbe"),
        MAGIC("\0asm"),
    };
#undef MAGIC
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (bytes.size >= magics[i].size &&
            memcmp(bytes.data, magics[i].text, magics[i].size) == 0) {
            return true;
        }
    }
    /* those that have a length in front of their name, or after it */
    return bytes.size >= 12 &&
           (memcmp(bytes.data + 4, "ftyp", 4) == 0 ||
            (memcmp(bytes.data, "RIFF", 4) == 0 &&
             (memcmp(bytes.data + 8, "WEBP", 4) == 0 || memcmp(bytes.data + 8, "AVI ", 4) == 0 ||
              memcmp(bytes.data + 8, "WAVE", 4) == 0)) ||
            ((bytes.data[0] == 'F' || bytes.data[0] == 'C' || bytes.data[0] == 'Z') &&
             memcmp(bytes.data + 1, "WS", 2) == 0 && bytes.data[3] < ' '));
}

bool nd_sniff_html(nd_span bytes) {
    /* tags that start documents; the standard's list without those that XML uses too */
    static const char *const tags[] = {"<!doctype html", "<html",   "<head", "<body", "<title",
                                       "<script",        "<style",  "<meta", "<link", "<table",
                                       "<div",           "<iframe", "<font", "<h1",   "<center"};
    uint8_t memory[TAG_BYTES];
    nd_span head = without_mark(bytes, memory);
    if (head.size == 0 || head.data[0] != '<') {
        return false;
    }
    head.size = (size_t)nd_min(head.size, TAG_BYTES);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (nd_fields_starts(head, tags[i])) {
            return true;
        }
    }
    return nd_fields_find(head, "<html") != SIZE_MAX ||
           nd_fields_find(head, "<!doctype html") != SIZE_MAX;
}

/* Control characters that no text has among the first bytes. \param[out] zeros  NULs of these
 * \return how many, NULs too */
static size_t count_controls(nd_span head, size_t *zeros) {
    size_t controls = 0;
    *zeros = 0;
    for (size_t begin = 0; begin < head.size; begin += BLOCK_BYTES) {
        const size_t end = (size_t)nd_min(head.size, begin + BLOCK_BYTES);
        uint8_t nuls = 0; /* the counts of a block fit in a byte, so that many go at once */
        uint8_t odd = 0;
        for (size_t i = begin; i < end; i++) {
            const uint8_t byte = head.data[i];
            const int white = (byte >= '\t') & (byte <= '\r') & (byte != '\v');
            nuls = (uint8_t)(nuls + (byte == 0));
            odd = (uint8_t)(odd + ((byte < 0x20) & !white & (byte != ESCAPE)));
        }
        *zeros += nuls;
        controls += odd;
    }
    return controls;
}

bool nd_sniff_binary(nd_span bytes) {
    size_t mark = 0;
    size_t zeros = 0;
    if (nd_charset_of_mark(bytes, &mark).text[0] != '\0') {
        return false;
    }
    const nd_span head = nd_span_part(bytes, 0, (size_t)nd_min(bytes.size, ND_SNIFF_BYTES));
    const size_t controls = count_controls(head, &zeros);
    return zeros > 0 || (controls > 1 && controls * TEXT_SHARE > head.size);
}

/* Is it binary, whatever its type says? HTML that begins with a tag never is, and in other HTML
 * NULs are a tool's mistakes, as other control characters are. */
static bool is_no_text(nd_media declared, nd_span bytes, nd_span charset) {
    size_t mark = 0;
    size_t zeros = 0;
    const nd_charset_name label = nd_charset_of_label(charset);
    if (has_binary_magic(bytes) || has_binary_magic(nd_fields_trim(bytes))) {
        return true;
    }
    if (nd_charset_of_mark(bytes, &mark).text[0] != '\0' ||
        nd_fields_starts(nd_charset_span(&label), "UTF-16") ||
        nd_fields_starts(nd_charset_span(&label), "UTF-32")) {
        return false;
    }
    if (declared != ND_MEDIA_HTML) {
        return nd_sniff_binary(bytes);
    }
    const nd_span head = nd_span_part(bytes, 0, (size_t)nd_min(bytes.size, ND_SNIFF_BYTES));
    const size_t controls = count_controls(head, &zeros);
    return controls > 1 && controls * TEXT_SHARE > head.size && !nd_sniff_html(bytes) &&
           !begins_with_tag(bytes);
}

nd_media nd_sniff_body(nd_media declared, nd_span bytes, nd_span charset, nd_other_reason *reason) {
    if (declared == ND_MEDIA_OTHER) {
        return declared;
    }
    if (declared == ND_MEDIA_MAYBE) {
        return nd_sniff_html(bytes) ? ND_MEDIA_HTML : ND_MEDIA_OTHER;
    }
    if (is_no_text(declared, bytes, charset)) {
        *reason = ND_OTHER_BINARY;
        return ND_MEDIA_OTHER;
    }
    if (declared != ND_MEDIA_UNKNOWN) {
        return declared;
    }
    if (nd_sniff_html(bytes) || begins_with_tag(bytes)) {
        return ND_MEDIA_HTML;
    }
    const nd_span text = nd_fields_trim(nd_sniff_after_mark(bytes));
    *reason = text.size == 0 ? ND_OTHER_EMPTY : ND_OTHER_DATA;
    return text.size == 0 || nd_fields_starts(text, "<?xml") ? ND_MEDIA_OTHER : ND_MEDIA_TEXT;
}

nd_span nd_sniff_after_mark(nd_span bytes) {
    const bool marked = bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0;
    return marked ? (nd_span){bytes.data + 3, bytes.size - 3} : bytes;
}

bool nd_sniff_ending(const char *path, const char *const *endings) {
    const size_t length = strlen(path);
    nd_span name = {(const uint8_t *)path, length};
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) {
        name.size -= 3;
    } else if (length > 4 && strcmp(path + length - 4, ".zst") == 0) {
        name.size -= 4;
    }
    for (size_t i = 0; endings[i] != NULL; i++) {
        const size_t size = strlen(endings[i]);
        if (name.size >= size &&
            nd_fields_is((nd_span){name.data + name.size - size, size}, endings[i])) {
            return true;
        }
    }
    return false;
}

bool nd_sniff_html_name(const char *path) {
    static const char *const endings[] = {".html", ".htm", ".xhtml", ".shtml", NULL};
    return nd_sniff_ending(path, endings);
}

bool nd_sniff_lines_name(const char *path) {
    static const char *const endings[] = {".jsonl", ".ndjson", NULL};
    return nd_sniff_ending(path, endings);
}
