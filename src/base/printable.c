#include "src/base/printable.h"

#include "src/base/util.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum {
    ESCAPED_MAX = 12, /* of one character: two \uXXXX */
    LINE_BYTES = 8192 /* of a line, before it is escaped */
};

/* What a terminal obeys, what turns the direction, and what cannot be seen. */
static bool is_hidden(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0x61C, 0x61C},   {0x180E, 0x180E},
                  {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                  {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* \param[in] byte  the first one of the character
 * \return the length of `escaped`; 0 if the character is printed as it is */
static size_t escape(nd_printable kind, uint32_t code, uint8_t byte, bool valid,
                     char escaped[ESCAPED_MAX + 1]) {
    static const char letters[] = "\tt\nn\rr\\\\";
    const char *letter = valid && code < 0x80 && code != 0 ? strchr("\t\n\r\\", (int)code) : NULL;
    int size = 0;
    if (kind == ND_PRINTABLE_HTML && valid && code < 0x80 && code != 0 &&
        strchr("&<>\"'\t\n\r", (int)code) != NULL) {
        size = code < 0x20 ? snprintf(escaped, ESCAPED_MAX + 1, " ")
                           : snprintf(escaped, ESCAPED_MAX + 1, "&#%u;", (unsigned)code);
    } else if (kind == ND_PRINTABLE_JSON) {
        if (!valid) {
            size = snprintf(escaped, ESCAPED_MAX + 1, "\\ufffd");
        } else if (code > 0xFFFF && is_hidden(code)) {
            size = snprintf(escaped, ESCAPED_MAX + 1, "\\u%04x\\u%04x",
                            (unsigned)(0xD800 + ((code - 0x10000) >> 10)),
                            (unsigned)(0xDC00 + ((code - 0x10000) & 0x3FF)));
        } else if (code >= 0x20 && is_hidden(code)) {
            size = snprintf(escaped, ESCAPED_MAX + 1, "\\u%04x", (unsigned)code);
        }
    } else if (letter != NULL && (kind == ND_PRINTABLE_FIELD || code != '\\')) {
        size = snprintf(escaped, ESCAPED_MAX + 1, "\\%c", *(strchr(letters, (int)code) + 1));
    } else if (!valid || (code < 0x80 && is_hidden(code))) {
        size = snprintf(escaped, ESCAPED_MAX + 1, "\\x%02x", (unsigned)byte);
    } else if (is_hidden(code)) {
        size = snprintf(escaped, ESCAPED_MAX + 1, code > 0xFFFF ? "\\U%08x" : "\\u%04x",
                        (unsigned)code);
    }
    return (size_t)size;
}

/* Where the bytes go: a stream, or room that is full at some point. */
typedef struct sink {
    FILE *stream;
    char *room;
    size_t left;
    size_t taken; /* bytes */
} sink;

static void put(sink *to, const void *bytes, size_t size) {
    to->taken += size;
    if (to->stream != NULL) {
        (void)fwrite(bytes, 1, size, to->stream);
        return;
    }
    const size_t fits = nd_min(size, to->left);
    memcpy(to->room, bytes, fits);
    to->room += fits;
    to->left = fits < size ? 0 : to->left - fits;
}

/* What is printed as it is goes on in one piece. */
static void put_printable(sink *to, nd_printable kind, nd_span text) {
    size_t begin = 0;
    size_t i = 0;
    while (i < text.size) {
        char escaped[ESCAPED_MAX + 1];
        uint32_t code = 0;
        const uint8_t *at = text.data + i;
        size_t bytes = nd_utf8_read(at, text.data + text.size, &code);
        const bool valid = code != ND_UTF8_REPLACEMENT || (bytes == 3 && *at == 0xEF);
        bytes = valid || kind == ND_PRINTABLE_JSON ? bytes : 1;
        const size_t size = escape(kind, code, *at, valid, escaped);
        if (size > 0) {
            if (i > begin) {
                put(to, text.data + begin, i - begin);
            }
            put(to, escaped, size);
            begin = i + bytes;
        }
        i += bytes;
    }
    if (i > begin) {
        put(to, text.data + begin, i - begin);
    }
}

size_t nd_printable_put(nd_printable kind, nd_span text, char *to, size_t room) {
    sink s = {.room = to, .left = room - 1};
    put_printable(&s, kind, text);
    *s.room = '\0';
    return (size_t)(s.room - to);
}

void nd_printable_message(const char *text, size_t size, char *to, size_t room) {
    (void)nd_printable_put(ND_PRINTABLE_MESSAGE, (nd_span){(const uint8_t *)text, size}, to, room);
}

void nd_print_text(FILE *to, nd_printable kind, nd_span text) {
    sink s = {.stream = to};
    put_printable(&s, kind, text);
}

void nd_print_padded(FILE *to, nd_span name, size_t width) {
    sink s = {.stream = to};
    put_printable(&s, ND_PRINTABLE_MESSAGE, name);
    (void)fprintf(to, "%*s", s.taken < width ? (int)(width - s.taken) : 0, "");
}

void nd_print_words(FILE *to, nd_printable kind, const char *words) {
    nd_print_text(to, kind, (nd_span){(const uint8_t *)words, strlen(words)});
}

void nd_print_line(FILE *to, const char *format, ...) {
    char text[LINE_BYTES];
    char line[4 * LINE_BYTES + 1];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = length < 0 ? 0 : (size_t)length;
    nd_printable_message(text, nd_min(size, sizeof text - 1), line, sizeof line - 1);
    (void)strcat(line, "\n");
    (void)fputs(line, to);
}
