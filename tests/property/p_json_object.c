/* Plain JSON objects against json-c: random objects, most of them well formed, some damaged or with
 * what is left to json-c. Whatever is read here, json-c reads alike; and what programs write is
 * read here. */
#include "io/json_object.h"
#include "src/base/random.h"
#include "tests/support/check.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

enum { OBJECTS = 100000, FIELDS = 4, MOST_PIECES = 12 };

static const char *const names[FIELDS] = {"id", "url", "text", "text"};

static const char *pick(nd_random *random, const char *const *from, size_t count) {
    return from[nd_random_below(random, count)];
}

#define PICK(random, list) pick(random, list, sizeof(list) / sizeof(list)[0])

static void append(nd_buffer *text, const char *bytes) {
    CU_ASSERT_EQUAL_FATAL(nd_buffer_append_text(text, bytes), ND_OK);
}

static void append_string(nd_random *random, nd_buffer *text) {
    static const char *const pieces[] = {"a",
                                         "plain words go on for a while",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\/",
                                         "\\t\\r\\b\\f",
                                         "\\u00e9",
                                         "\\u4E2d",
                                         "\xe4\xb8\xad\xe6\x96\x87",
                                         "\t",
                                         "\\ud83d\\ude00",
                                         "\\u0041",
                                         "\xe9\x7f",
                                         "\xa2\xdc",
                                         "{[,:]}'",
                                         "\x01"};
    static const char *const odd[] = {"\\u0000", "\\ud83d", "\\ude00x",  "\\x", "\\u12g4",
                                      "\\",      "\"",      "\\ud83dxx", "\\u"};
    append(text, "\"");
    for (uint64_t n = nd_random_below(random, MOST_PIECES); n > 0; n--) {
        append(text, nd_random_below(random, 200) == 0 ? PICK(random, odd) : PICK(random, pieces));
    }
    append(text, "\"");
}

static void append_value(nd_random *random, nd_buffer *text) {
    static const char *const words[] = {"0",    "7",    "-12",  "123456789012345678",
                                        "null", "true", "false"};
    static const char *const odd[] = {"-0", "007", "1.5",    "1e3",         "1234567890123456789",
                                      "[]", "{}",  "[1, 2]", "{\"id\": 1}", "nul",
                                      "-",  "NaN", "'a'",    "truely",      "+1"};
    switch (nd_random_below(random, 40)) {
    case 0:
        append(text, PICK(random, odd));
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        append(text, PICK(random, words));
        break;
    default:
        append_string(random, text);
    }
}

static void append_object(nd_random *random, nd_buffer *text) {
    static const char *const keys[] = {"\"id\"", "\"url\"", "\"text\"", "\"other\"", "\"\""};
    static const char *const odd[] = {"id", "'id'", "\"i\\u0064\"", "", "1"};
    static const char *const colons[] = {":", ": ", " :\t"};
    static const char *const commas[] = {",", ", ", " , "};
    static const char *const ends[] = {"", ",", "}", " x", "{", "/**/"};
    append(text, "{");
    for (uint64_t n = nd_random_below(random, 5); n > 0; n--) {
        append(text, nd_random_below(random, 100) == 0 ? PICK(random, odd) : PICK(random, keys));
        append(text, PICK(random, colons));
        append_value(random, text);
        append(text, n > 1 ? PICK(random, commas) : "");
    }
    append(text, nd_random_below(random, 50) == 0 ? PICK(random, ends) : "");
    append(text, "}");
}

/* What json-c has for a name; false if that is nothing that counts. */
static bool known(json_object *object, const char *name, nd_span *value) {
    json_object *member = NULL;
    if (!json_object_object_get_ex(object, name, &member)) {
        return false;
    }
    if (json_object_is_type(member, json_type_int)) {
        const char *digits = json_object_to_json_string_ext(member, JSON_C_TO_STRING_PLAIN);
        *value = (nd_span){(const uint8_t *)digits, strlen(digits)};
        return true;
    }
    *value = (nd_span){(const uint8_t *)json_object_get_string(member),
                       (size_t)json_object_get_string_len(member)};
    return json_object_is_type(member, json_type_string);
}

static bool same(json_object *object, const nd_json_field *field) {
    nd_span expected = {0};
    if (!known(object, field->name, &expected) || !field->found) {
        return known(object, field->name, &expected) == field->found;
    }
    return field->value.size == expected.size &&
           (expected.size == 0 || memcmp(field->value.data, expected.data, expected.size) == 0);
}

static bool json_c_agrees(nd_span text, const nd_json_field *fields) {
    bool agrees = false;
    json_tokener *tokener = json_tokener_new();
    json_object *object = json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.size);
    agrees = json_tokener_get_error(tokener) == json_tokener_success &&
             json_tokener_get_parse_end(tokener) == text.size &&
             json_object_is_type(object, json_type_object);
    for (size_t i = 0; agrees && i < FIELDS; i++) {
        agrees = same(object, &fields[i]);
    }
    (void)json_object_put(object);
    json_tokener_free(tokener);
    return agrees;
}

static void name_fields(nd_json_field *fields) {
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = (nd_json_field){.name = names[i]};
    }
}

static void test_against_json_c(void) {
    nd_random random = nd_test_random("JSON objects");
    nd_json_field fields[FIELDS];
    nd_buffer text = {0};
    size_t read = 0, wrong = 0;
    name_fields(fields);
    for (int i = 0; i < OBJECTS && wrong == 0; i++) {
        text.size = 0;
        append_object(&random, &text);
        const size_t cut = nd_random_below(&random, 20) == 0 ? nd_random_below(&random, 9) : 0;
        text.size -= cut < text.size ? cut : 0;
        bool plain = false;
        CU_ASSERT_EQUAL(nd_json_object_read(nd_buffer_span(&text), fields, FIELDS, &plain), ND_OK);
        if (plain) {
            read++;
            wrong += !json_c_agrees(nd_buffer_span(&text), fields);
        }
        if (wrong > 0) {
            printf("object %d: %.*s\n", i, (int)text.size, (const char *)text.data);
        }
    }
    printf("%zu of %d read\n", read, OBJECTS);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(read > OBJECTS / 2);
    nd_buffer_free(&text);
    for (size_t i = 0; i < FIELDS; i++) {
        nd_buffer_free(&fields[i].unescaped);
    }
}

static const nd_test tests[] = {
    {"against json-c", test_against_json_c},
};
ND_TEST_MAIN("JSON objects", tests)
