#include "src/base/option.h"

#include "src/base/status.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- numbers and texts */

/* A whole number with an exponent, as 4e8 or 1.5e6, below 2^53. */
static bool parse_exponent(const char *text, const char *e, uint64_t *number) {
    static const double EXACT = 9007199254740992.;
    char *end = NULL;
    const double value = strtod(text, &end);
    if (strspn(text, "0123456789.") != (size_t)(e - text) || strspn(e + 1, "0123456789") == 0 ||
        *end != '\0' || !(value < EXACT) || value != floor(value)) {
        return false;
    }
    *number = (uint64_t)value;
    return true;
}

/* A number with a fraction and a unit, as 400M, 2.5G or 512MiB. A unit is a power of
 * 1,000, but where bytes are counted of 1,024 unless a B follows alone (as dd has it).
 * \return false if the text is something else, or does not fit */
static bool parse_scaled(const char *text, bool bytes, uint64_t *number) {
    static const char units[] = "KMGT";
    char *end = NULL;
    uint64_t scale = 1;
    if (strspn(text, "0123456789") == 0) { /* no sign, no blank, not .5 */
        return false;
    }
    const char *e = strpbrk(text, "eE");
    if (e != NULL) {
        return parse_exponent(text, e, number);
    }
    errno = 0;
    *number = strtoull(text, &end, 10);
    const double fraction = *end == '.' ? strtod(end, NULL) : 0;
    const bool has_fraction = *end == '.';
    end += has_fraction ? 1 + strspn(end + 1, "0123456789") : 0;
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit != NULL) {
        end++;
        const bool of_1024 = bytes && strcasecmp(end, "iB") == 0;
        const bool of_1000 = !bytes || strcasecmp(end, "B") == 0;
        end += of_1024 ? 2 : of_1000 && bytes ? 1 : 0;
        for (ptrdiff_t power = unit - units; power >= 0; power--) {
            scale *= of_1000 ? 1000 : 1024;
        }
    }
    const double part = fraction * (double)scale;
    const uint64_t whole_part = (uint64_t)(part + 0.5);
    const bool is_whole = bytes || fabs(part - (double)whole_part) < 0.001;
    if (errno != 0 || *end != '\0' || (has_fraction && unit == NULL) || !is_whole ||
        *number > (UINT64_MAX - whole_part) / scale) {
        return false;
    }
    *number = *number * scale + whole_part;
    return true;
}

nd_status nd_parse_number(const char *option, const char *text, uint64_t *number) {
    return parse_scaled(text, false, number)
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be a whole number, as 20000, 1.5M or 4e8",
                         option, text);
}

nd_status nd_parse_small(const char *option, const char *text, uint32_t *number) {
    uint64_t wide = 0;
    nd_status st = nd_parse_number(option, text, &wide);
    if (st == ND_OK && wide > UINT32_MAX) {
        st = nd_fail(ND_ERR_USAGE, "--%s %s: too large", option, text);
    }
    *number = (uint32_t)wide;
    return st;
}

nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes) {
    return parse_scaled(text, true, bytes) && *bytes > 0
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be a size such as 65536, 512M or 2.5G",
                         option, text);
}

nd_status nd_parse_real(const char *option, const char *text, double *number) {
    char *end = NULL;
    *number = strtod(text, &end);
    return end == text || *end != '\0' || isnan(*number)
               ? nd_fail(ND_ERR_USAGE, "--%s %s: must be a number", option, text)
               : ND_OK;
}

void nd_print_real(double number, char *text, size_t size) {
    enum { MOST_DIGITS = 17 };
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        (void)snprintf(text, size, "%.*g", digits, number);
        const bool long_exponent = strchr(text, 'e') != NULL && fabs(number) >= 1 && number < 1e6;
        if (strtod(text, NULL) == number && !long_exponent) {
            return; /* 60, not 6e+01 */
        }
    }
}

/* ---- rows */

/* The place of a text among words with | between them. \return -1 if it is none of them */
static int place_of_word(const char *words, const char *text) {
    const size_t size = strlen(text);
    for (int place = 0; words != NULL; place++) {
        const size_t word = strcspn(words, "|");
        if (word == size && memcmp(words, text, size) == 0) {
            return place;
        }
        words = words[word] == '|' ? words + word + 1 : NULL;
    }
    return -1;
}

/* Names the words as in "a, b or c". */
static nd_status refuse_word(const nd_option *option, const char *text) {
    char list[256] = "";
    size_t used = 0;
    for (const char *word = option->value; *word != '\0' && used < sizeof list;) {
        const size_t size = strcspn(word, "|");
        const char *after = word + size + (word[size] == '|');
        const bool last_but_one = word[size] == '|' && strchr(after, '|') == NULL;
        const int more = snprintf(list + used, sizeof list - used, "%.*s%s", (int)size, word,
                                  last_but_one        ? " or "
                                  : word[size] == '|' ? ", "
                                                      : "");
        used += (size_t)more;
        word = after;
    }
    return nd_fail(ND_ERR_USAGE, "--%s %s: must be %s", option->name, text, list);
}

/* Whole bounds are written as whole numbers, those of sizes as sizes. */
static nd_status check_bounds(const nd_option *option, const char *text, double value) {
    char least[ND_OPTION_TEXT_SIZE];
    char most[ND_OPTION_TEXT_SIZE];
    const double mega = 1048576;
    const bool in_mega = option->kind == ND_OPTION_SIZE && option->least >= mega;
    if (!option->bounded ||
        (value >= option->least && (option->most == 0 || value <= option->most))) {
        return ND_OK;
    }
    nd_print_real(in_mega ? option->least / mega : option->least, least, sizeof least);
    nd_print_real(option->most, most, sizeof most);
    return option->most == 0 ? nd_fail(ND_ERR_USAGE, "--%s %s: must be at least %s%s", option->name,
                                       text, least, in_mega ? "M" : "")
                             : nd_fail(ND_ERR_USAGE, "--%s %s: must be %s to %s", option->name,
                                       text, least, most);
}

nd_status nd_option_set(const nd_option *option, const char *text, void *options) {
    nd_status st = ND_OK;
    void *field = (char *)options + option->offset;
    double value = 0;
    int place = 0;
    switch (option->kind) {
    case ND_OPTION_FLAG:
        *(bool *)field = true;
        break;
    case ND_OPTION_SWITCH:
    case ND_OPTION_WORD:
        place = place_of_word(option->value, text);
        if (place < 0) {
            return refuse_word(option, text);
        }
        if (option->kind == ND_OPTION_SWITCH) {
            *(bool *)field = place == 0;
        } else {
            *(unsigned *)field = (unsigned)place;
        }
        break;
    case ND_OPTION_COUNT:
        ND_TRY(nd_parse_small(option->name, text, field));
        value = *(uint32_t *)field;
        break;
    case ND_OPTION_NUMBER:
        ND_TRY(nd_parse_number(option->name, text, field));
        value = (double)*(uint64_t *)field;
        break;
    case ND_OPTION_SIZE:
        ND_TRY(nd_parse_size(option->name, text, field));
        value = (double)*(uint64_t *)field;
        break;
    case ND_OPTION_REAL:
        ND_TRY(nd_parse_real(option->name, text, field));
        value = *(double *)field;
        break;
    case ND_OPTION_TEXT:
        *(const char **)field = text;
        break;
    case ND_OPTION_OWN:
        ND_TRY(option->set(options, text));
        break;
    }
    ND_TRY(check_bounds(option, text, value));
    if (option->given > 0) {
        *(bool *)((char *)options + option->given) = true;
    }
out:
    return st;
}

void nd_option_set_number(const nd_option *option, double value, void *options) {
    void *field = (char *)options + option->offset;
    switch (option->kind) {
    case ND_OPTION_REAL:
        *(double *)field = value;
        break;
    case ND_OPTION_SWITCH:
        *(bool *)field = value != 0;
        break;
    case ND_OPTION_NUMBER:
    case ND_OPTION_SIZE:
        *(uint64_t *)field = (uint64_t)value;
        break;
    default:
        ND_ASSERT(option->kind == ND_OPTION_COUNT || option->kind == ND_OPTION_WORD, option->kind);
        *(uint32_t *)field = (uint32_t)value;
    }
}

const char *nd_option_print(const nd_option *option, const void *options,
                            char room[ND_OPTION_TEXT_SIZE]) {
    static const char units[] = "KMGT";
    const void *field = (const char *)options + option->offset;
    const char *word = option->value;
    unsigned place = 0;
    uint64_t size = 0;
    int unit = -1;
    switch (option->kind) {
    case ND_OPTION_SWITCH:
    case ND_OPTION_WORD:
        place = option->kind == ND_OPTION_SWITCH ? !*(const bool *)field : *(const unsigned *)field;
        for (; place > 0; place--) {
            word += strcspn(word, "|") + 1;
        }
        (void)snprintf(room, ND_OPTION_TEXT_SIZE, "%.*s", (int)strcspn(word, "|"), word);
        return room;
    case ND_OPTION_COUNT:
        (void)snprintf(room, ND_OPTION_TEXT_SIZE, "%" PRIu32, *(const uint32_t *)field);
        return room;
    case ND_OPTION_NUMBER:
        (void)snprintf(room, ND_OPTION_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field);
        return room;
    case ND_OPTION_SIZE:
        for (size = *(const uint64_t *)field; size > 0 && size % 1024 == 0 && unit < 3; unit++) {
            size /= 1024;
        }
        (void)snprintf(room, ND_OPTION_TEXT_SIZE, "%" PRIu64 "%.*s", size, unit >= 0,
                       units + (unit >= 0 ? unit : 0));
        return room;
    case ND_OPTION_REAL:
        nd_print_real(*(const double *)field, room, ND_OPTION_TEXT_SIZE);
        return room;
    case ND_OPTION_TEXT:
        return *(const char *const *)field;
    case ND_OPTION_OWN:
        return option->print != NULL ? option->print(options) : NULL;
    default:
        return NULL;
    }
}

bool nd_option_is_number(const nd_option *option) {
    return option->kind == ND_OPTION_COUNT || option->kind == ND_OPTION_NUMBER ||
           option->kind == ND_OPTION_REAL;
}

void nd_option_parameter(const nd_option *option, char name[ND_OPTION_TEXT_SIZE]) {
    (void)snprintf(name, ND_OPTION_TEXT_SIZE, "%s", option->name);
    for (; *name != '\0'; name++) {
        *name = *name == '-' ? '_' : *name;
    }
}

const nd_option *nd_option_find(const nd_option *table, const char *name) {
    while (table->help != NULL && (table->name == NULL || strcmp(table->name, name) != 0)) {
        table++;
    }
    return table->help != NULL ? table : NULL;
}

const nd_option *nd_option_of_parameter(const nd_option *table, const char *parameter) {
    for (; table->help != NULL; table++) {
        char name[ND_OPTION_TEXT_SIZE];
        if (table->name == NULL) {
            continue;
        }
        nd_option_parameter(table, name);
        if (strcmp(name, parameter) == 0) {
            return table;
        }
    }
    return NULL;
}
