#include "io/input/sniff.h"

#include "io/input/charset.h"
#include "io/input/fields.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ==== reasons */

const char *nd_other_reason_text(nd_other_reason reason) {
    static const char *const texts[ND_OTHERS] = {
        [ND_OTHER_ABOUT] = "request, metadata or warcinfo",
        [ND_OTHER_REVISIT] = "revisit of what is no page",
        [ND_OTHER_KIND] = "record type that holds no page",
        [ND_OTHER_PROTOCOL] = "protocol other than HTTP",
        [ND_OTHER_REDIRECT] = "HTTP status 3xx",
        [ND_OTHER_STATUS] = "HTTP status other than 2xx or 3xx",
        [ND_OTHER_IMAGE] = "content type of images",
        [ND_OTHER_SOUND] = "content type of audio or video",
        [ND_OTHER_FONT] = "content type of fonts",
        [ND_OTHER_STYLE] = "content type of style sheets",
        [ND_OTHER_SCRIPT] = "content type of scripts",
        [ND_OTHER_DATA] = "content type or beginning of XML, JSON or other data",
        [ND_OTHER_TYPE] = "content type of no page",
        [ND_OTHER_BINARY] = "binary data under a type of text, or without one",
        [ND_OTHER_EMPTY] = "no content type and no body",
        [ND_OTHER_FILE] = "file that is no page",
    };
    return texts[reason];
}

void nd_others_add(uint64_t *to, const uint64_t *counts) {
    for (int i = 0; i < ND_OTHERS; i++) {
        to[i] += counts[i];
    }
}

uint64_t nd_others_sum(const uint64_t *counts) {
    uint64_t sum = 0;
    for (int i = 0; i < ND_OTHERS; i++) {
        sum += counts[i];
    }
    return sum;
}

const char *nd_others_list(const uint64_t *counts, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < ND_OTHERS && used < size; i++) {
        if (counts[i] > 0) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "",
                                 counts[i], nd_other_reason_text((nd_other_reason)i));
        }
    }
    return text;
}

/* ==== documents */

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

/* ==== formats that are not read */

struct nd_foreign {
    const char *name;
    nd_span magic;       /* empty: known by nd_foreign_find() itself */
    size_t at;           /* byte of the content at which the magic stands */
    const char *command; /* with {in} and {out} for the names */
    const char *ending;  /* of the command's output */
    bool texts;          /* may hold no byte that no text has */
};

#define MAGIC(text)                                                                                \
    { (const uint8_t *)(text), sizeof(text) - 1 }
#define PANDAS(reader)                                                                             \
    "python3 -c \"import pandas,sys; pandas." reader                                               \
    "(sys.argv[1]).to_json(sys.argv[2],orient='records',lines=True)\" {in} {out}"
/* Python's own module: quoted line ends and quotes are read as spreadsheets write them. */
#define CSV(delimiter)                                                                             \
    "python3 -c \"import csv,json,sys; csv.field_size_limit(2**31-1); "                            \
    "[print(json.dumps(r)) for r in csv.DictReader(open(sys.argv[1],newline='',"                   \
    "encoding='utf-8-sig')" delimiter ")]\" {in} > {out}"

static const nd_foreign known[] = {
    {"Parquet", MAGIC("PAR1"), 0,
     "duckdb -c \"COPY (SELECT * FROM read_parquet('{in}')) TO '{out}' (FORMAT json)\"", ".jsonl",
     false},
    {"an Arrow or Feather file", MAGIC("ARROW1"), 0, PANDAS("read_feather"), ".jsonl", false},
    {"a Feather file", MAGIC("FEA1"), 0, PANDAS("read_feather"), ".jsonl", false},
    {"packed with xz",
     MAGIC("\xFD"
           "7zXZ\0"),
     0, "xz -dc {in} > {out}", "", false},
    {"packed with bzip2", MAGIC("1AY&SY"), 4, "bzip2 -dc {in} > {out}", "", false},
    {"packed with lz4", MAGIC("\x04\x22\x4D\x18"), 0, "lz4 -dc {in} > {out}", "", false},
    {"packed with Snappy", MAGIC("\xFF\x06\0\0sNaPpY"), 0, "snzip -dc {in} > {out}", "", false},
    {"packed with gzip once more", MAGIC("\x1F\x8B\x08"), 0, "gzip -dc <{in} > {out}", "", false},
    {"packed with zstd once more", MAGIC("\x28\xB5\x2F\xFD"), 0, "zstd -dc {in} > {out}", "",
     false},
    {"a zip archive (a WACZ is known by its name)", MAGIC("PK\x03\x04"), 0, "unzip {in} -d {out}",
     "", false},
    {"a 7z archive", MAGIC("7z\xBC\xAF\x27\x1C"), 0, "7z x {in} -o{out}", "", false},
    {"a tar archive", MAGIC("ustar"), 257, "mkdir {out} && tar -xf {in} -C {out}", "", false},
    {"a PDF document", MAGIC("%PDF-"), 0, "pdftotext {in} {out}", ".txt", true},
    {"JSON in UTF-16", MAGIC("\xFF\xFE{\0"), 0, "iconv -f UTF-16 -t UTF-8 {in} > {out}", ".jsonl",
     true},
    {"JSON in UTF-16", MAGIC("\xFE\xFF\0{"), 0, "iconv -f UTF-16 -t UTF-8 {in} > {out}", ".jsonl",
     true},
};

static const nd_foreign json_array = {"a JSON array, not one object a line",
                                      {NULL, 0},
                                      0,
                                      "jq -c '.[]' {in} > {out}",
                                      ".jsonl",
                                      true};
static const nd_foreign json_lines = {"JSON over several lines, not one object a line",
                                      {NULL, 0},
                                      0,
                                      "jq -c . {in} > {out}",
                                      ".jsonl",
                                      true};
static const nd_foreign csv = {"CSV", {NULL, 0}, 0, CSV(""), ".jsonl", true};
static const nd_foreign tsv = {"TSV", {NULL, 0}, 0, CSV(",delimiter='\\t'"), ".jsonl", true};

/* The next character that is no blank, taken off the text; 0 at its end. */
static uint8_t take(nd_span *text) {
    while (text->size > 0 && strchr(" \t\r\n", text->data[0]) != NULL && text->data[0] != '\0') {
        *text = (nd_span){text->data + 1, text->size - 1};
    }
    if (text->size == 0) {
        return 0;
    }
    const uint8_t first = text->data[0];
    *text = (nd_span){text->data + 1, text->size - 1};
    return first;
}

/* Pages of text may begin with brackets, but not as objects do. */
static const nd_foreign *find_json(nd_span content, const char *path) {
    static const char *const json[] = {".json", NULL};
    nd_span text = nd_sniff_after_mark(content);
    const uint8_t first = take(&text);
    if (first == '[') {
        if (take(&text) != '{') {
            return NULL;
        }
        const uint8_t next = take(&text);
        return next == '"' || next == '}' ? &json_array : NULL;
    }
    /* a first line of lines may be spoilt, but is no lone bracket */
    const size_t line = text.size > 0 && text.data[0] == '\r' ? 1 : 0;
    const bool alone = text.size > line && text.data[line] == '\n';
    return first == '{' && (nd_sniff_ending(path, json) || (alone && nd_sniff_lines_name(path)))
               ? &json_lines
               : NULL;
}

const nd_foreign *nd_foreign_find(nd_span content, const char *path) {
    static const char *const commas[] = {".csv", NULL};
    static const char *const tabs[] = {".tsv", NULL};
    const bool binary = nd_sniff_binary(content);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const nd_foreign *row = &known[i];
        size_t printable = 0; /* no text begins with bytes that are not */
        while (printable < row->magic.size && row->magic.data[printable] >= 0x20 &&
               row->magic.data[printable] < 0x7f) {
            printable++;
        }
        if ((binary || row->texts || printable < row->magic.size) &&
            content.size >= row->at + row->magic.size &&
            memcmp(content.data + row->at, row->magic.data, row->magic.size) == 0) {
            return row;
        }
    }
    if (nd_sniff_html(content) || nd_sniff_html_name(path) || binary) {
        return NULL;
    }
    return nd_sniff_ending(path, commas) ? &csv
           : nd_sniff_ending(path, tabs) ? &tsv
                                         : find_json(content, path);
}

/* ---- the command */

enum { COMMAND_SIZE = ND_FAIL_TEXT_SIZE };

/* A name beside the input: without its last ending, if nothing of that name is there. */
static void name_output(const char *in, const char *ending, char out[PATH_MAX]) {
    const char *name = strrchr(in, '/') != NULL ? strrchr(in, '/') + 1 : in;
    const char *dot = strrchr(name, '.');
    const int stem = (int)(dot == NULL || dot == name ? strlen(in) : (size_t)(dot - in));
    (void)snprintf(out, PATH_MAX, "%.*s%s", stem, in, ending);
    if (strcmp(out, in) == 0 || access(out, F_OK) == 0) {
        (void)snprintf(out, PATH_MAX, "%s.out%s", in, ending);
    }
}

/* The command with its names filled in. */
static void fill_in(const char *command, const char *in, const char *out, char text[COMMAND_SIZE]) {
    size_t size = 0;
    text[0] = '\0';
    for (const char *at = command; *at != '\0' && size < COMMAND_SIZE;) {
        const bool is_in = strncmp(at, "{in}", 4) == 0;
        const bool is_out = strncmp(at, "{out}", 5) == 0;
        size += (size_t)snprintf(text + size, COMMAND_SIZE - size, "%.*s",
                                 is_in || is_out ? INT_MAX : 1,
                                 is_in    ? in
                                 : is_out ? out
                                          : at);
        at += is_in ? 4 : is_out ? 5 : 1;
    }
}

nd_status nd_foreign_refuse(const nd_foreign *format, const char *path, nd_codec codec) {
    static const char *const unpack[] = {NULL, "gzip -dc <{in} > {out} && ",
                                         "zstd -dc {in} > {out} && "};
    char unpacking[COMMAND_SIZE] = "";
    char command[COMMAND_SIZE];
    char in[PATH_MAX];
    char out[PATH_MAX];
    /* the name stands in the command as it is if no shell takes it apart, and it is no option */
    const bool plain =
        path[0] != '-' && path[0] != '\0' &&
        path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "_./+,@%:=-")] == '\0';
    (void)snprintf(in, sizeof in, "%s", plain ? path : "FILE");
    if (codec != ND_CODEC_PLAIN) {
        name_output(in, "", out);
        fill_in(unpack[codec], in, out, unpacking);
        (void)snprintf(in, sizeof in, "%s", out);
    }
    name_output(in, format->ending, out);
    fill_in(format->command, in, out, command);
    return nd_fail(ND_ERR_FORMAT, "%s: %s, which is not read: %s%s", path, format->name, unpacking,
                   command);
}
