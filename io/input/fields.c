#include "io/input/fields.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* ---- fields */

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

/* The value of a parameter, unquoted; empty if there is none. */
static nd_span fields_parameter(nd_span content_type, const char *name) {
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

nd_span nd_fields_charset(nd_span content_type) {
    static const char name[] = "charset";
    nd_span value = fields_parameter(content_type, name);
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

bool nd_fields_same(nd_span a, nd_span b) {
    return a.size == b.size &&
           (a.size == 0 || strncasecmp((const char *)a.data, (const char *)b.data, a.size) == 0);
}

/* ---- dates */

/* Year, month, day, hour, minute, second. */
enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, PARTS };

static bool is_digit(nd_span text, size_t i) {
    return i < text.size && text.data[i] >= '0' && text.data[i] <= '9';
}

static size_t digits_of(nd_span text) {
    size_t count = 0;
    while (is_digit(text, count)) {
        count++;
    }
    return count;
}

/* Take a number of just so many digits off the text. */
static bool take_number(nd_span *text, size_t digits, int *number) {
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit(*text, i)) {
            return false;
        }
        *number = *number * 10 + (text->data[i] - '0');
    }
    *text = nd_span_part(*text, digits, text->size);
    return true;
}

static bool take_byte(nd_span *text, const char *any_of) {
    for (; *any_of != '\0'; any_of++) {
        if (text->size > 0 && text->data[0] == (uint8_t)*any_of) {
            *text = nd_span_part(*text, 1, text->size);
            return true;
        }
    }
    return false;
}

static void pass_fraction(nd_span *text) {
    if (take_byte(text, ".,")) {
        *text = nd_span_part(*text, digits_of(*text), text->size);
    }
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Seconds of a date whose parts are in their ranges; `east` minutes are the clock's lead on UTC. */
static uint64_t seconds_of(const int parts[PARTS], int64_t east) {
    static const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = parts[YEAR];
    if (year < 1970 || parts[MONTH] < 1 || parts[MONTH] > 12 || parts[DAY] < 1 ||
        parts[DAY] > days_of[parts[MONTH] - 1] + (parts[MONTH] == 2 && is_leap(year)) ||
        parts[HOUR] > 23 || parts[MINUTE] > 59 || parts[SECOND] > 60) {
        return 0;
    }
    const int64_t before = year - 1; /* years that are over */
    int64_t days = 365 * (int64_t)(year - 1970) + (before / 4 - before / 100 + before / 400) -
                   (1969 / 4 - 1969 / 100 + 1969 / 400);
    for (int month = 1; month < parts[MONTH]; month++) {
        days += days_of[month - 1] + (month == 2 && is_leap(year));
    }
    days += parts[DAY] - 1;
    const int64_t minutes = (days * 24 + parts[HOUR]) * 60 + parts[MINUTE] - east;
    const int64_t seconds = minutes * 60 + parts[SECOND];
    return seconds > 0 && seconds <= (int64_t)ND_LAST_DATE ? (uint64_t)seconds : 0;
}

/* Z, +hh, +hhmm, +hh:mm or nothing, and then the end. */
static bool read_zone(nd_span text, int64_t *east) {
    int hours = 0;
    int minutes = 0;
    *east = 0;
    (void)take_byte(&text, " ");
    if (text.size == 0 || take_byte(&text, "Zz")) {
        return text.size == 0;
    }
    const bool west = text.data[0] == '-';
    if (!take_byte(&text, "+-") || !take_number(&text, 2, &hours)) {
        return false;
    }
    (void)take_byte(&text, ":");
    if (text.size > 0 && !take_number(&text, 2, &minutes)) {
        return false;
    }
    *east = (west ? -1 : 1) * (hours * INT64_C(60) + minutes);
    return text.size == 0 && hours < 24 && minutes < 60;
}

/* Digits alone: which part of a date they are, or seconds, is said by how many there are. */
static uint64_t read_digits(nd_span text, size_t digits) {
    int parts[PARTS] = {0, 1, 1, 0, 0, 0};
    nd_span rest = text;
    if (digits >= 9 && digits <= 11) {
        uint64_t seconds = 0;
        const bool whole = nd_fields_number(nd_span_part(text, 0, digits), &seconds);
        rest = nd_span_part(text, digits, text.size);
        pass_fraction(&rest);
        return whole && rest.size == 0 && seconds <= ND_LAST_DATE ? seconds : 0;
    }
    if (digits != text.size || (digits != 4 && digits != 8 && digits != 12 && digits != 14)) {
        return 0;
    }
    for (int i = 0; i < PARTS && rest.size > 0; i++) {
        (void)take_number(&rest, i == YEAR ? 4 : 2, &parts[i]);
    }
    return seconds_of(parts, 0);
}

uint64_t nd_date_read(nd_span text) {
    int parts[PARTS] = {0, 1, 1, 0, 0, 0};
    int64_t east = 0;
    text = nd_fields_trim(text);
    const size_t digits = digits_of(text);
    if (digits != 4 || text.size == 4) {
        return read_digits(text, digits);
    }
    (void)take_number(&text, 4, &parts[YEAR]);
    if (!take_byte(&text, "-") || !take_number(&text, 2, &parts[MONTH])) {
        return 0;
    }
    if (take_byte(&text, "-") && !take_number(&text, 2, &parts[DAY])) {
        return 0;
    }
    if (take_byte(&text, "Tt ")) {
        if (!take_number(&text, 2, &parts[HOUR]) || !take_byte(&text, ":") ||
            !take_number(&text, 2, &parts[MINUTE])) {
            return 0;
        }
        if (take_byte(&text, ":") && !take_number(&text, 2, &parts[SECOND])) {
            return 0;
        }
        pass_fraction(&text);
        if (!read_zone(text, &east)) {
            return 0;
        }
        text.size = 0;
    }
    return text.size == 0 ? seconds_of(parts, east) : 0;
}
