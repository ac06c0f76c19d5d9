#include "mpi/cmd/json_fields.h"

#include "io/input/charset.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NUMBER_SIZE = 400 /* the largest double with decimals */, SHARE_DECIMALS = 10 };

/* What json-c answers, if it has memory. */
static json_object *made(json_object *value) {
    if (value == NULL) {
        nd_memory_out(1, sizeof(json_object *), "JSON");
    }
    return value;
}

json_object *nd_json_flag(bool flag) {
    return made(json_object_new_boolean(flag));
}

json_object *nd_json_number(uint64_t number) {
    return made(json_object_new_uint64(number));
}

static json_object *real(double number, bool fixed, int digits) {
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof text, fixed ? "%.*f" : "%.*g", digits, number);
    return isfinite(number) ? made(json_object_new_double_s(number, text)) : NULL;
}

json_object *nd_json_real(double number, int digits) {
    return real(number, false, digits);
}

json_object *nd_json_decimal(double number, int decimals) {
    return real(number, true, decimals);
}

json_object *nd_json_share(double share) {
    return nd_json_decimal(share, SHARE_DECIMALS);
}

json_object *nd_json_similarity(double similarity) {
    return nd_json_real(similarity, ND_SIMILARITY_DIGITS);
}

json_object *nd_json_measure(nd_measure measure) {
    return ND_JSON({"precision", nd_json_share(measure.precision)},
                   {"recall", nd_json_share(measure.recall)}, {"f1", nd_json_share(measure.f1)});
}

json_object *nd_json_text(nd_span text) {
    nd_buffer repaired = {0};
    uint64_t replaced = 0;
    nd_utf8_repair(text, &repaired, &replaced);
    json_object *value =
        made(json_object_new_string_len((const char *)repaired.data, (int)repaired.size));
    nd_buffer_free(&repaired);
    return value;
}

json_object *nd_json_words(const char *words) {
    return nd_json_text(nd_span_of(words));
}

json_object *nd_json_new(void) {
    return made(json_object_new_object());
}

json_object *nd_json_put(json_object *to, const nd_json_field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *name = fields[i].name;
        json_object *value = fields[i].value;
        const int failed = to == NULL     ? json_object_put(value) < 0
                           : name != NULL ? json_object_object_add(to, name, value)
                                          : json_object_array_add(to, value);
        if (failed != 0) {
            nd_memory_out(1, sizeof(json_object *), "JSON");
        }
    }
    return to;
}

json_object *nd_json_add_object(json_object *to, const char *name) {
    json_object *object = nd_json_new();
    ND_JSON_PUT(to, {name, object});
    return object;
}

json_object *nd_json_add_array(json_object *to, const char *name) {
    json_object *array = made(json_object_new_array());
    ND_JSON_PUT(to, {name, array});
    return array;
}

const char *nd_json_line(json_object *root, int flags) {
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN | flags);
    if (text == NULL) {
        nd_memory_out(1, sizeof(json_object *), "JSON");
    }
    return text;
}

void nd_json_print(FILE *to, json_object **root) {
    nd_print_words(to, ND_PRINTABLE_JSON, nd_json_line(*root, JSON_C_TO_STRING_NOSLASHESCAPE));
    (void)fputc('\n', to);
    (void)json_object_put(*root);
    *root = NULL;
}

/* ---- rows */

nd_row nd_row_begin(FILE *to, bool json) {
    return (nd_row){.to = to, .object = json ? nd_json_new() : NULL};
}

/* What stands between two fields. */
static void put_tab(nd_row *row) {
    if (row->begun && row->object == NULL) {
        (void)fputc('\t', row->to);
    }
    row->begun = true;
}

void nd_row_number(nd_row *row, const char *name, uint64_t number) {
    put_tab(row);
    if (row->object != NULL) {
        ND_JSON_PUT(row->object, {name, nd_json_number(number)});
    } else {
        (void)fprintf(row->to, "%" PRIu64, number);
    }
}

void nd_row_similarity(nd_row *row, const char *name, float similarity) {
    put_tab(row);
    if (row->object != NULL) {
        ND_JSON_PUT(row->object, {name, nd_json_similarity((double)similarity)});
    } else {
        (void)fprintf(row->to, "%.*g", ND_SIMILARITY_DIGITS, (double)similarity);
    }
}

static void put_text(nd_row *row, const char *name, nd_printable kind, nd_span text) {
    put_tab(row);
    if (row->object != NULL) {
        ND_JSON_PUT(row->object, {name, nd_json_text(text)});
    } else {
        nd_print_text(row->to, kind, text);
    }
}

void nd_row_text(nd_row *row, const char *name, nd_span text) {
    put_text(row, name, ND_PRINTABLE_FIELD, text);
}

void nd_row_message(nd_row *row, const char *name, nd_span text) {
    put_text(row, name, ND_PRINTABLE_MESSAGE, text);
}

void nd_row_nothing(nd_row *row) {
    put_tab(row);
}

void nd_row_end(nd_row *row) {
    if (row->object != NULL) {
        nd_json_print(row->to, &row->object);
    } else {
        (void)fputc('\n', row->to);
    }
}
