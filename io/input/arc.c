#include "io/input/arc.h"

#include "io/input/fields.h"
#include "io/input/stream.h"

/* Fields of a line of version 1 and 2, and the index of the date in both. */
enum { FIELDS_1 = 5, FIELDS_2 = 10, DATE = 2, DATE_DIGITS = 14 };

/* The last `count` fields of a line, and what stands before them as the first. */
typedef struct arc_line {
    nd_span fields[FIELDS_2];
} arc_line;

static bool split_line(nd_span line, size_t count, arc_line *out) {
    for (size_t i = count - 1; i > 0; i--) {
        size_t begin = line.size;
        while (begin > 0 && line.data[begin - 1] != ' ') {
            begin--;
        }
        if (begin == 0 || begin == line.size) {
            return false;
        }
        out->fields[i] = (nd_span){line.data + begin, line.size - begin};
        line.size = begin - 1;
    }
    out->fields[0] = line;
    return line.size > 0;
}

/* "http://", "dns:", "filedesc:": letters, then a colon. */
static bool starts_with_scheme(nd_span text) {
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        if (!letter) {
            return i > 0 && byte == ':';
        }
    }
    return false;
}

static bool is_date(nd_span text) {
    uint64_t number = 0;
    return text.size == DATE_DIGITS && nd_fields_number(text, &number);
}

/* Both forms end in the length; the date distinguishes them, and without one it is version 1. */
static bool parse_line(nd_span line, arc_line *out, size_t *count) {
    if (split_line(line, FIELDS_2, out) && is_date(out->fields[DATE]) &&
        starts_with_scheme(out->fields[0])) {
        *count = FIELDS_2;
        return true;
    }
    *count = FIELDS_1;
    return split_line(line, FIELDS_1, out);
}

bool nd_arc_begins(nd_span content) {
    nd_span line;
    arc_line parts;
    size_t count = 0;
    uint64_t length = 0;
    return starts_with_scheme(content) && nd_fields_line(&content, &line) &&
           parse_line(line, &parts, &count) && is_date(parts.fields[DATE]) &&
           nd_fields_number(parts.fields[count - 1], &length);
}

bool nd_arc_may_begin(nd_span content) {
    nd_span line;
    arc_line parts;
    size_t count = 0;
    /* a line end may still come after what is shown */
    const bool open_end = content.size >= ND_STREAM_PEEK_BYTES;
    return starts_with_scheme(content) &&
           (nd_fields_line(&content, &line) ? parse_line(line, &parts, &count) : open_end);
}

nd_status nd_arc_parse(nd_span bytes, nd_archive_header *out) {
    nd_span rest = bytes;
    nd_span line;
    arc_line parts;
    size_t count = 0;
    *out = (nd_archive_header){0};
    if (!starts_with_scheme(bytes)) {
        return ND_ERR_FORMAT;
    }
    if (!nd_fields_line(&rest, &line)) {
        return ND_END;
    }
    if (!parse_line(line, &parts, &count)) {
        return ND_ERR_FORMAT;
    }
    *out = (nd_archive_header){.kind = ND_ARCHIVE_OTHER,
                               .url = parts.fields[0],
                               .content_type = parts.fields[DATE + 1],
                               .date = parts.fields[DATE],
                               .header_bytes = bytes.size - rest.size};
    if (nd_fields_starts(out->url, "http:") || nd_fields_starts(out->url, "https:")) {
        out->kind = ND_ARCHIVE_HTTP;
    } else if (nd_fields_starts(out->url, "filedesc:")) {
        out->role = ND_ROLE_INFORMATION;
    }
    if (!nd_fields_number(parts.fields[count - 1], &out->length)) {
        out->fault = "ARC header whose length is no number";
    }
    return ND_OK;
}
