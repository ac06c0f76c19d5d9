#define _GNU_SOURCE /* memmem */
#include "io/input/warc.h"

#include "io/input/fields.h"

#include <string.h>

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
