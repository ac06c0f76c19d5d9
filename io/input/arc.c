#include "io/input/arc.h"

#include "io/input/fields.h"
#include "io/input/stream.h"

#include <string.h>

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
