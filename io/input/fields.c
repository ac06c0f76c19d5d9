#include "io/input/fields.h"

#include <string.h>
#include <strings.h>

static bool is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

nd_span nd_fields_trim(nd_span text) {
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

bool nd_fields_line(nd_span *rest, nd_span *line) {
    const uint8_t *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
    if (end == NULL) {
        return false;
    }
    size_t size = (size_t)(end - rest->data);
    const size_t taken = size + 1;
    if (size > 0 && rest->data[size - 1] == '\r') {
        size--;
    }
    *line = (nd_span){rest->data, size};
    *rest = (nd_span){rest->data + taken, rest->size - taken};
    return true;
}

bool nd_fields_split(nd_span line, nd_span *name, nd_span *value) {
    const uint8_t *colon = line.size > 0 ? memchr(line.data, ':', line.size) : NULL;
    if (colon == NULL || colon == line.data || is_blank(line.data[0])) {
        return false;
    }
    const size_t before = (size_t)(colon - line.data);
    *name = nd_fields_trim((nd_span){line.data, before});
    *value = nd_fields_trim((nd_span){colon + 1, line.size - before - 1});
    return true;
}

size_t nd_fields_header_size(nd_span bytes) {
    nd_span rest = bytes;
    nd_span line;
    while (nd_fields_line(&rest, &line)) {
        if (line.size == 0) {
            return bytes.size - rest.size;
        }
    }
    return 0;
}

bool nd_fields_starts(nd_span text, const char *word) {
    const size_t size = strlen(word);
    if (text.size < size || size == 0 || ((text.data[0] ^ (uint8_t)word[0]) & ~0x20) != 0) {
        return false; /* mostly seen at the first byte, without a call */
    }
    return strncasecmp((const char *)text.data, word, size) == 0;
}

bool nd_fields_is(nd_span text, const char *word) {
    return text.size == strlen(word) && nd_fields_starts(text, word);
}

size_t nd_fields_find(nd_span text, const char *word) {
    const size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        if (nd_fields_starts((nd_span){text.data + i, text.size - i}, word)) {
            return i;
        }
    }
    return SIZE_MAX;
}

bool nd_fields_same(nd_span a, nd_span b) {
    return a.size == b.size &&
           (a.size == 0 || strncasecmp((const char *)a.data, (const char *)b.data, a.size) == 0);
}

bool nd_fields_item(nd_span *rest, nd_span *item) {
    item->size = 0;
    while (rest->size > 0 && item->size == 0) {
        bool quoted = false;
        size_t size = 0;
        while (size < rest->size && (quoted || rest->data[size] != ',')) {
            quoted ^= rest->data[size++] == '"';
        }
        *item = nd_fields_trim((nd_span){rest->data, size});
        *rest = nd_span_part(*rest, size < rest->size ? size + 1 : size, rest->size);
    }
    return item->size > 0;
}

static nd_span before_byte(nd_span text, int byte) {
    const uint8_t *at = text.size > 0 ? memchr(text.data, byte, text.size) : NULL;
    return at == NULL ? text : (nd_span){text.data, (size_t)(at - text.data)};
}

nd_span nd_fields_media_type(nd_span content_type) {
    return nd_fields_trim(before_byte(before_byte(content_type, ';'), ','));
}

bool nd_fields_is_token(nd_span text) {
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        if (byte <= ' ' || byte >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", byte) != NULL) {
            return false;
        }
    }
    return text.size > 0;
}

bool nd_fields_is_media_type(nd_span type) {
    const nd_span first = before_byte(type, '/');
    return first.size < type.size && nd_fields_is_token(first) &&
           nd_fields_is_token(nd_span_part(type, first.size + 1, type.size));
}

nd_span nd_fields_charset(nd_span content_type) {
    static const char name[] = "charset";
    nd_span value = nd_fields_parameter(content_type, name);
    const size_t at = value.size > 0 ? SIZE_MAX : nd_fields_find(content_type, name);
    if (at == SIZE_MAX) {
        return value;
    }
    value = nd_fields_trim(nd_span_part(content_type, at + sizeof name - 1, content_type.size));
    if (value.size == 0 || value.data[0] != '=') {
        return (nd_span){0};
    }
    value = nd_fields_trim(nd_span_part(value, 1, value.size));
    while (value.size > 0 && (value.data[0] == '"' || value.data[0] == '\'')) {
        value = nd_span_part(value, 1, value.size);
    }
    size_t size = 0;
    while (size < value.size && strchr("\"' \t,;&)]}", value.data[size]) == NULL) {
        size++;
    }
    return (nd_span){value.data, size};
}

nd_span nd_fields_parameter(nd_span content_type, const char *name) {
    nd_span rest = content_type;
    while (rest.size > 0) {
        nd_span part = before_byte(rest, ';');
        const size_t taken = part.size < rest.size ? part.size + 1 : part.size;
        rest = (nd_span){rest.data + taken, rest.size - taken};
        const nd_span key = before_byte(part, '=');
        if (key.size < part.size && nd_fields_is(nd_fields_trim(key), name)) {
            const nd_span value = nd_fields_trim(nd_span_part(part, key.size + 1, part.size));
            const bool quoted = value.size > 0 && (value.data[0] == '"' || value.data[0] == '\'');
            return !quoted ? value
                           : nd_fields_trim(
                                 before_byte(nd_span_part(value, 1, value.size), value.data[0]));
        }
    }
    return (nd_span){0};
}

bool nd_fields_number(nd_span text, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        const uint64_t digit = (uint64_t)text.data[i] - '0';
        if (text.data[i] < '0' || text.data[i] > '9' || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return text.size > 0;
}
