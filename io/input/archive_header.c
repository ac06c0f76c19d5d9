#define _GNU_SOURCE /* memmem */

#include "io/input/archive_header.h"

#include "io/input/fields.h"
#include "io/input/stream.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- WARC */

/* What is no number of bytes of a header. */
#define CUT_OFF SIZE_MAX

/* Lines of one header that may end as version lines do: beyond, it is no header. */
enum { MOST_GLUED = 3 };

/* A field's name, its size, by which most differ, and where its value goes. */
#define FIELD(name, value)                                                                         \
    { name, sizeof(name) - 1, &fields->value }

typedef struct warc_fields {
    nd_span type;
    nd_span length;
    nd_span id;
    nd_span url;
    nd_span content_type;
    nd_span date;
    nd_span concurrent;
    nd_span refers;
    nd_span refers_url;
    nd_span refers_date;
    nd_span profile;
    nd_span payload;
} warc_fields;

bool nd_warc_may_begin(nd_span content) {
    return content.size >= 6 && nd_fields_starts(content, "WARC/") && content.data[5] >= '0' &&
           content.data[5] <= '9';
}

size_t nd_warc_next(nd_span bytes, size_t from) {
    static const char word[] = "WARC/";
    while (from < bytes.size) {
        const uint8_t *hit = memmem(bytes.data + from, bytes.size - from, word, sizeof word - 1);
        if (hit == NULL) {
            break;
        }
        from = (size_t)(hit - bytes.data);
        if (nd_warc_may_begin(nd_span_part(bytes, from, bytes.size))) {
            return from;
        }
        from++;
    }
    return bytes.size;
}

/* Does the line end in what may be the version line of another record, whose start follows where
 * this one is cut off? */
static bool ends_in_version(nd_span line) {
    enum { VERSION = sizeof "WARC/1.0" - 1 };
    return line.size > VERSION && line.data[line.size - 2] == '.' &&
           nd_warc_may_begin((nd_span){line.data + line.size - VERSION, VERSION});
}

/* Fields up to the empty line; the version line of the next record before that means that the rest
 * is missing, and keeps headers without end from being read over and over. At the end of another
 * line it may also end a value, as of a URL: what each record has once does not come again then. A
 * value may stand on the line below its name; of one that goes on below, only what stands on the
 * first line is taken.
 * \return bytes of the header; 0 if it does not end in `bytes`, CUT_OFF if it does not end at all
 */
static size_t parse_fields(nd_span bytes, warc_fields *fields) {
    nd_span rest = bytes;
    nd_span line;
    nd_span name = {0};
    nd_span value = {0};
    const struct {
        const char *name;
        size_t size;
        nd_span *field;
    } known[] = {
        FIELD("WARC-Type", type), /* these four each record has */
        FIELD("Content-Length", length),
        FIELD("WARC-Record-ID", id),
        FIELD("WARC-Date", date),
        FIELD("WARC-Target-URI", url),
        FIELD("Content-Type", content_type),
        FIELD("WARC-Concurrent-To", concurrent),
        FIELD("WARC-Refers-To", refers),
        FIELD("WARC-Refers-To-Target-URI", refers_url),
        FIELD("WARC-Refers-To-Date", refers_date),
        FIELD("WARC-Profile", profile),
        FIELD("WARC-Payload-Digest", payload),
    };
    enum { REQUIRED = 4 };
    unsigned glued = 0;
    *fields = (warc_fields){0};
    (void)nd_fields_line(&rest, &line); /* the version */
    while (nd_fields_line(&rest, &line)) {
        if (line.size == 0) {
            return bytes.size - rest.size;
        }
        if (nd_warc_may_begin(line) || glued > MOST_GLUED) {
            return CUT_OFF;
        }
        glued += ends_in_version(line);
        if (line.data[0] == ' ' || line.data[0] == '\t') {
            value = nd_fields_trim(line);
        } else if (!nd_fields_split(line, &name, &value)) {
            continue;
        }
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (known[i].size != name.size || !nd_fields_starts(name, known[i].name)) {
                continue;
            }
            if (known[i].field->size == 0) {
                *known[i].field = value; /* of several the first counts */
            } else if (i < REQUIRED && glued > 0) {
                return CUT_OFF;
            }
        }
    }
    return 0;
}

bool nd_warc_begins(nd_span content) {
    warc_fields fields;
    uint64_t length = 0;
    nd_span rest = content;
    nd_span line, name, value;
    if (!nd_warc_may_begin(content) || !nd_fields_line(&rest, &line) ||
        line.size > sizeof "WARC/1.10" || !nd_fields_line(&rest, &line) ||
        !nd_fields_split(line, &name, &value)) {
        return false;
    }
    (void)parse_fields(content, &fields); /* a header longer than `content` may still be one */
    return fields.type.size > 0 && nd_fields_number(fields.length, &length);
}

/* Ids, and URLs as some tools write them, stand in angle brackets. */
static nd_span without_brackets(nd_span text) {
    return text.size >= 2 && text.data[0] == '<' && text.data[text.size - 1] == '>'
               ? (nd_span){text.data + 1, text.size - 2}
               : text;
}

nd_status nd_warc_parse(nd_span bytes, nd_archive_header *out) {
    warc_fields fields;
    *out = (nd_archive_header){0};
    if (!nd_warc_may_begin(bytes)) {
        return ND_ERR_FORMAT;
    }
    const size_t header_bytes = parse_fields(bytes, &fields);
    if (header_bytes == 0) {
        return ND_END;
    }
    if (header_bytes == CUT_OFF) {
        return ND_ERR_FORMAT;
    }
    nd_archive_kind kind = ND_ARCHIVE_OTHER;
    if (nd_fields_is(fields.type, "resource") || nd_fields_is(fields.type, "conversion")) {
        kind = ND_ARCHIVE_DOCUMENT;
    } else if (nd_fields_is(fields.type, "response") &&
               !nd_fields_is(nd_fields_media_type(fields.content_type), "text/dns")) {
        kind = ND_ARCHIVE_HTTP;
    }
    const bool companion =
        nd_fields_is(fields.type, "request") || nd_fields_is(fields.type, "metadata");
    const nd_archive_role role = companion                               ? ND_ROLE_COMPANION
                                 : nd_fields_is(fields.type, "revisit")  ? ND_ROLE_REVISIT
                                 : nd_fields_is(fields.type, "warcinfo") ? ND_ROLE_INFORMATION
                                                                         : ND_ROLE_OWN;
    nd_span with = fields.concurrent;
    if (with.size == 0 && companion) { /* a revisit refers to what may be anywhere */
        with = fields.refers;
    }
    *out = (nd_archive_header){
        .kind = kind,
        .other = companion || role == ND_ROLE_INFORMATION ? ND_OTHER_ABOUT
                 : role == ND_ROLE_REVISIT                ? ND_OTHER_REVISIT
                 : nd_fields_is(fields.type, "response")  ? ND_OTHER_PROTOCOL
                                                          : ND_OTHER_KIND,
        .role = role,
        .id = without_brackets(fields.id),
        .url = without_brackets(fields.url),
        .with = without_brackets(with),
        .refers_id = without_brackets(fields.refers),
        .refers_url = without_brackets(fields.refers_url.size > 0 ? fields.refers_url : fields.url),
        .refers_date = fields.refers_date,
        .profile = without_brackets(fields.profile),
        .payload = fields.payload,
        .content_type = fields.content_type,
        .date = fields.date,
        .header_bytes = header_bytes};
    out->is_measured = nd_fields_number(fields.length, &out->length);
    if (!out->is_measured) {
        out->fault = fields.length.size == 0 ? "WARC header without Content-Length"
                                             : "WARC header whose Content-Length is no number";
    } else if (fields.type.size == 0) {
        out->fault = "WARC header without WARC-Type";
    }
    return ND_OK;
}

/* ---- ARC */

/* Digits of a date; fields after it of a line of version 2, at least. */
enum { DATE_DIGITS = 14, AFTER_DATE_2 = 7 };

/* What is used of a line. */
typedef struct arc_line {
    nd_span url, date, type, length;
} arc_line;

/* The last field of a line, taken off it with the blank before it; empty after two blanks.
 * \return false if there is no blank */
static bool take_last(nd_span *line, nd_span *field) {
    size_t begin = line->size;
    while (begin > 0 && line->data[begin - 1] != ' ') {
        begin--;
    }
    if (begin == 0) {
        return false;
    }
    *field = (nd_span){line->data + begin, line->size - begin};
    line->size = begin - 1;
    return true;
}

/* Bytes of the longest name that a URL in ARC mostly begins with, at the end of `text`; 0: none. */
static size_t usual_scheme(nd_span text) {
    static const char *const names[] = {"https", "http", "filedesc", "dns", "ftp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t size = strlen(names[i]);
        if (text.size >= size &&
            nd_fields_is(nd_span_part(text, text.size - size, text.size), names[i])) {
            return size;
        }
    }
    return 0;
}

static bool is_letter(uint8_t byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* "http://", "dns:", "filedesc:": letters, then a colon. Letters before a usual name are no part of
 * a record. */
static bool starts_with_scheme(nd_span text) {
    size_t size = 0;
    while (size < text.size && is_letter(text.data[size])) {
        size++;
    }
    const size_t usual = usual_scheme((nd_span){text.data, size});
    return size > 0 && size < text.size && text.data[size] == ':' && (usual == 0 || usual == size);
}

static bool is_date(nd_span text) {
    uint64_t number = 0;
    return text.size == DATE_DIGITS && nd_fields_number(text, &number);
}

/* "1.2.3.4", "::1", or a dash: what stands before the date, so that a URL may have 14 digits. */
static bool may_be_address(nd_span text) {
    bool mark = text.size == 1 && text.data[0] == '-';
    for (size_t i = 0; i < text.size && !mark; i++) {
        const uint8_t byte = text.data[i];
        const uint8_t small = byte | 0x20;
        if ((byte < '0' || byte > ':') && (small < 'a' || small > 'f') && byte != '.') {
            return false;
        }
        mark = byte == '.' || byte == ':';
    }
    return mark;
}

/* The first date with an address before it, and a URL before that: blanks may stand in the URL, and
 * after the date in the media type. \param[out] after  what follows the date */
static bool find_date(nd_span line, arc_line *out, nd_span *after) {
    for (size_t begin = 1; begin < line.size;) {
        const uint8_t *blank = memchr(line.data + begin, ' ', line.size - begin);
        const size_t end = blank != NULL ? (size_t)(blank - line.data) : line.size;
        nd_span before = nd_span_part(line, 0, begin - 1);
        nd_span address;
        if (is_date(nd_span_part(line, begin, end)) && take_last(&before, &address) &&
            may_be_address(address) && before.size > 0) {
            *out = (arc_line){.url = before, .date = nd_span_part(line, begin, end)};
            *after = nd_span_part(line, end, line.size);
            return true;
        }
        begin = end + 1;
    }
    return false;
}

/* What follows the date: media type and length and, of version 2, between them status, checksum,
 * location, offset and file name. */
static bool split_after(nd_span after, arc_line *out) {
    enum { LENGTH, NAME, OFFSET, LOCATION, CHECKSUM, STATUS };
    nd_span last[AFTER_DATE_2 - 1];
    nd_span rest = after;
    uint64_t number = 0;
    if (!take_last(&rest, &out->length) || out->length.size == 0) {
        return false;
    }
    out->type = nd_fields_trim(rest);
    size_t count = 0;
    for (rest = after; count < AFTER_DATE_2 - 1 && take_last(&rest, &last[count]); count++) {
    }
    if (count == AFTER_DATE_2 - 1 && nd_fields_number(last[OFFSET], &number) &&
        nd_fields_number(last[STATUS], &number)) {
        out->type = nd_fields_trim(rest);
    }
    return true;
}

/* Of a line without a date, the fields of version 1 are taken from behind. */
static bool parse_line(nd_span line, arc_line *out) {
    nd_span after;
    nd_span address;
    if (find_date(line, out, &after)) {
        return split_after(after, out);
    }
    const bool split = take_last(&line, &out->length) && out->length.size > 0 &&
                       take_last(&line, &out->type) && take_last(&line, &out->date) &&
                       take_last(&line, &address) && address.size > 0 && line.size > 0;
    out->url = line;
    return split;
}

/* May a header end with the line, whatever stands before it there? Mostly the last byte shows that
 * none does. */
static bool ends_as_header(nd_span line) {
    arc_line parts;
    uint64_t length = 0;
    return line.size > 0 && line.data[line.size - 1] >= '0' && line.data[line.size - 1] <= '9' &&
           parse_line(line, &parts) && is_date(parts.date) &&
           nd_fields_number(parts.length, &length);
}

bool nd_arc_begins(nd_span content) {
    nd_span line;
    return starts_with_scheme(content) && nd_fields_line(&content, &line) && ends_as_header(line);
}

size_t nd_arc_next(nd_span bytes, size_t from) {
    while (from < bytes.size) {
        nd_span rest = nd_span_part(bytes, from, bytes.size);
        nd_span line;
        const bool starts_line = from > 0 && bytes.data[from - 1] == '\n';
        if (!nd_fields_line(&rest, &line)) {
            break;
        }
        const bool is_header = ends_as_header(line);
        if (is_header && starts_line && starts_with_scheme(line)) {
            return from;
        }
        for (size_t i = 0; is_header && i < line.size; i++) {
            const size_t usual = line.data[i] == ':' ? usual_scheme((nd_span){line.data, i}) : 0;
            if (usual > 0) {
                return from + i - usual;
            }
        }
        from = bytes.size - rest.size;
    }
    return bytes.size;
}

bool nd_arc_may_begin(nd_span content) {
    nd_span line;
    arc_line parts;
    /* a line end may still come after what is shown */
    const bool open_end = content.size >= ND_STREAM_PEEK_BYTES;
    return starts_with_scheme(content) &&
           (nd_fields_line(&content, &line) ? parse_line(line, &parts) : open_end);
}

nd_status nd_arc_parse(nd_span bytes, nd_archive_header *out) {
    nd_span rest = bytes;
    nd_span line;
    arc_line parts;
    *out = (nd_archive_header){0};
    if (!starts_with_scheme(bytes)) {
        return ND_ERR_FORMAT;
    }
    if (!nd_fields_line(&rest, &line)) {
        return ND_END;
    }
    if (!parse_line(line, &parts)) {
        return ND_ERR_FORMAT;
    }
    *out = (nd_archive_header){.kind = ND_ARCHIVE_OTHER,
                               .other = ND_OTHER_PROTOCOL,
                               .url = parts.url,
                               .content_type = parts.type,
                               .date = parts.date,
                               .header_bytes = bytes.size - rest.size};
    if (nd_fields_starts(out->url, "http:") || nd_fields_starts(out->url, "https:")) {
        out->kind = ND_ARCHIVE_HTTP;
    } else if (nd_fields_starts(out->url, "filedesc:")) {
        out->role = ND_ROLE_INFORMATION;
        out->other = ND_OTHER_ABOUT;
    }
    out->is_measured = nd_fields_number(parts.length, &out->length);
    if (!out->is_measured) {
        out->fault = "ARC header whose length is no number";
    }
    return ND_OK;
}

/* ---- captures */

static uint64_t hash_of(nd_span text) {
    const uint64_t hash = text.size == 0 ? 0 : XXH3_64bits(text.data, text.size);
    return text.size > 0 && hash == 0 ? 1 : hash;
}

nd_capture_names nd_capture_names_of(nd_span id, nd_span url, nd_span with) {
    return (nd_capture_names){hash_of(id), hash_of(url), hash_of(with)};
}

static bool are_same(uint64_t a, uint64_t b) {
    return a != 0 && a == b;
}

static bool names_one(const nd_capture_names *a, const nd_capture_names *b) {
    return b != NULL && (are_same(a->with, b->id) || are_same(b->with, a->id));
}

nd_capture_side nd_capture_side_of(const nd_capture_names *companion,
                                   const nd_capture_names *before, const nd_capture_names *after) {
    if (names_one(companion, before)) {
        return ND_CAPTURE_BEFORE;
    }
    if (names_one(companion, after)) {
        return ND_CAPTURE_AFTER;
    }
    if (before != NULL && are_same(companion->url, before->url)) {
        return ND_CAPTURE_BEFORE;
    }
    return after != NULL && are_same(companion->url, after->url) ? ND_CAPTURE_AFTER
                                                                 : ND_CAPTURE_NONE;
}

/* Of a kind of name, or with a date. */
static uint64_t key_of(nd_span text, uint64_t kind) {
    return text.size == 0 ? 0 : nd_max(XXH3_64bits_withSeed(text.data, text.size, kind), 1);
}

/* Seeds; dates are others. */
enum { ID = 1, PAYLOAD = 2 };

uint64_t nd_capture_id_key(nd_span id) {
    return key_of(id, ID);
}

uint64_t nd_capture_place_key(nd_span url, uint64_t date) {
    return date == 0 ? 0 : key_of(url, date + PAYLOAD);
}

uint64_t nd_capture_payload_key(nd_span digest) {
    uint8_t lower[256]; /* hexadecimal digits are written in both cases */
    if (digest.size > sizeof lower) {
        return 0;
    }
    for (size_t i = 0; i < digest.size; i++) {
        const uint8_t c = digest.data[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
    }
    return key_of((nd_span){lower, digest.size}, PAYLOAD);
}
