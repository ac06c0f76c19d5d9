#include "src/base/option.h"

#include "src/base/contract.h"
#include "src/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
