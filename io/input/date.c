#include "io/input/date.h"

#include "io/input/fields.h"

#include <stdbool.h>

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
