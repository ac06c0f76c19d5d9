#include "io/input/sniff.h"

#include "io/input/charset_label.h"
#include "io/input/fields.h"
#include "src/base/order.h"

#include <string.h>

/* Bytes looked at for control characters, and for a first tag. */
enum { BINARY_BYTES = 4096, TAG_BYTES = 1024 };
/* In text, at most one in so many bytes, or one in all, is a control character that has no business
 * there: a stray backspace, a page mark of an old tool. */
enum { TEXT_SHARE = 50 };
enum { BLOCK_BYTES = 128, ESCAPE = 0x1b };

nd_media nd_sniff_type(nd_span content_type) {
    static const struct {
        const char *type;
        nd_media media;
    } types[] = {
        {"text/html", ND_MEDIA_HTML},
        {"application/xhtml+xml", ND_MEDIA_HTML},
        {"application/vnd.wap.xhtml+xml", ND_MEDIA_HTML},
        {"text/plain", ND_MEDIA_TEXT},
        {"text/xml", ND_MEDIA_UNKNOWN},
        {"application/xml", ND_MEDIA_UNKNOWN},
        {"unknown/unknown", ND_MEDIA_UNKNOWN},
        {"application/unknown", ND_MEDIA_UNKNOWN},
        {"application/x-unknown-content-type", ND_MEDIA_UNKNOWN},
        {"*/*", ND_MEDIA_UNKNOWN},
        {"html", ND_MEDIA_HTML},
    };
    const nd_span type = nd_fields_media_type(content_type);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (nd_fields_is(type, types[i].type)) {
            return types[i].media;
        }
    }
    return nd_fields_find(type, "/") == SIZE_MAX ? ND_MEDIA_UNKNOWN : ND_MEDIA_OTHER;
}

bool nd_sniff_html(nd_span bytes) {
    /* tags that start documents; the standard's list without those that XML uses too */
    static const char *const tags[] = {"<!doctype html", "<html",   "<head", "<body", "<title",
                                       "<script",        "<style",  "<meta", "<link", "<table",
                                       "<div",           "<iframe", "<font", "<h1",   "<center"};
    size_t mark = 0;
    (void)nd_charset_of_mark(bytes, &mark);
    nd_span head = nd_fields_trim(nd_span_part(bytes, mark, bytes.size));
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

bool nd_sniff_binary(nd_span bytes) {
    size_t mark = 0;
    if (nd_charset_of_mark(bytes, &mark).text[0] != '\0') {
        return false;
    }
    const size_t size = (size_t)nd_min(bytes.size, BINARY_BYTES);
    size_t controls = 0;
    for (size_t begin = 0; begin < size; begin += BLOCK_BYTES) {
        const size_t end = (size_t)nd_min(size, begin + BLOCK_BYTES);
        uint8_t zeros = 0; /* the counts of a block fit in a byte, so that many go at once */
        uint8_t odd = 0;
        for (size_t i = begin; i < end; i++) {
            const uint8_t byte = bytes.data[i];
            const int white = (byte >= '\t') & (byte <= '\r') & (byte != '\v');
            zeros = (uint8_t)(zeros + (byte == 0));
            odd = (uint8_t)(odd + ((byte < 0x20) & !white & (byte != ESCAPE)));
        }
        if (zeros > 0) {
            return true;
        }
        controls += odd;
    }
    return controls > 1 && controls * TEXT_SHARE > size;
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
