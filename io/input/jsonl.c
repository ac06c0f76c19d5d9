#include "io/input/jsonl.h"

#include "io/input/charset.h"
#include "io/input/fields.h"
#include "io/input/sniff.h"
#include "src/base/printable.h"
#include "src/text/tag.h"
#include "src/text/unicode.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct nd_jsonl {
    nd_jsonl_names names;
    const nd_record_limits *limits;
    char refusal[ND_FAIL_TEXT_SIZE];
    json_tokener *tokener;
    json_object *object; /* of the latest line; the page's views lie in it */
    bool no_memory;      /* for all of the latest line, and the line is not to blame */
    nd_buffer quoted;    /* the latest line, if it had to be written anew */
    nd_buffer repaired[4];
};

nd_status nd_jsonl_open(const nd_jsonl_names *names, const nd_record_limits *limits,
                        nd_jsonl **out) {
    nd_status st = ND_OK;
    nd_jsonl *parser = NULL;
    *out = NULL;
    nd_new(&parser, 1, sizeof *parser);
    parser->names = *names;
    parser->limits = limits;
    parser->tokener = json_tokener_new_ex((int)limits->most[ND_LIMIT_JSON_DEPTH]);
    if (parser->tokener == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a JSON parser");
        goto out;
    }
    *out = parser;
    parser = NULL;
out:
    nd_jsonl_close(&parser);
    return st;
}

void nd_jsonl_close(nd_jsonl **parser) {
    if (*parser == NULL) {
        return;
    }
    if ((*parser)->object != NULL) {
        (void)json_object_put((*parser)->object);
    }
    if ((*parser)->tokener != NULL) {
        json_tokener_free((*parser)->tokener);
    }
    nd_buffer_free(&(*parser)->quoted);
    for (size_t i = 0; i < sizeof(*parser)->repaired / sizeof(*parser)->repaired[0]; i++) {
        nd_buffer_free(&(*parser)->repaired[i]);
    }
    free(*parser);
    *parser = NULL;
}

/* What lies at the end of a way of names with dots between them; NULL if nothing does. */
static json_object *at_names(json_object *object, const char *names) {
    enum { NAME_SIZE = 256 };
    char name[NAME_SIZE];
    while (object != NULL) {
        json_object *inside = NULL;
        const size_t size = strcspn(names, ".");
        if (size >= sizeof name || !json_object_is_type(object, json_type_object)) {
            return NULL;
        }
        memcpy(name, names, size);
        name[size] = '\0';
        (void)json_object_object_get_ex(object, name, &inside);
        if (names[size] == '\0') {
            return inside;
        }
        object = inside;
        names += size + 1;
    }
    return NULL;
}

static json_object *field_of(json_object *object, const char *name) {
    json_object *value = NULL;
    if (json_object_object_get_ex(object, name, &value)) {
        return value;
    }
    if (name[0] == '/') {
        return json_pointer_get(object, name, &value) == 0 ? value : NULL;
    }
    return strchr(name, '.') != NULL ? at_names(object, name) : NULL;
}

/* The field's text, or a number as written; empty if it is missing or anything else (null, true,
 * false, an object or an array). */
static nd_span string_of(nd_jsonl *parser, const char *name, bool *found) {
    json_object *value = field_of(parser->object, name);
    *found = value != NULL;
    if (json_object_is_type(value, json_type_string)) {
        return (nd_span){(const uint8_t *)json_object_get_string(value),
                         (size_t)json_object_get_string_len(value)};
    }
    if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
        const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
        parser->no_memory = text == NULL;
        text = text != NULL ? text : "";
        return (nd_span){(const uint8_t *)text, strlen(text)};
    }
    *found = false;
    return (nd_span){0};
}

/* ---- numbers as they are written */

/* Would json-c print another text for this number? It keeps that of numbers with a fraction or an
 * exponent, but of integers the value alone, in 64 bits. */
static bool loses_digits(nd_span number) {
    enum { SAFE_DIGITS = 18 };
    const bool negative = number.data[0] == '-';
    const size_t digits = number.size - negative;
    for (size_t i = negative; i < number.size; i++) {
        if (number.data[i] < '0' || number.data[i] > '9') {
            return false;
        }
    }
    return digits > SAFE_DIGITS ||
           (digits > 0 && number.data[negative] == '0' && (digits > 1 || negative));
}

/* The end of the string or number that begins at p, outside of strings; p + 1 of anything else. */
static const uint8_t *token_end(const uint8_t *p, const uint8_t *end) {
    if (*p == '"' || *p == '\'') { /* json-c takes both */
        const uint8_t quote = *p;
        for (const uint8_t *at = p + 1; (at = memchr(at, quote, (size_t)(end - at))) != NULL;
             at++) {
            const uint8_t *before = at;
            while (before[-1] == '\\') { /* the opening quote is none */
                before--;
            }
            if ((at - before) % 2 == 0) {
                return at + 1;
            }
        }
        return end;
    }
    const uint8_t *at = p + 1;
    while ((*p == '-' || (*p >= '0' && *p <= '9')) && at < end &&
           memchr("0123456789+-.eE", *at, 15)) {
        at++;
    }
    return at;
}

/* Put integers whose text the parser would lose between quotes: they are texts then, which is what
 * fields are read as. A line with a comment, which is no JSON, stays as it is. */
static void quote_numbers(nd_jsonl *parser, nd_span *line) {
    const uint8_t *const end = line->data + line->size;
    const uint8_t *written = line->data;
    parser->quoted.size = 0;
    for (const uint8_t *p = line->data, *next = p; p < end && *p != '/'; p = next) {
        next = token_end(p, end);
        if ((*p == '-' || (*p >= '0' && *p <= '9')) &&
            loses_digits((nd_span){p, (size_t)(next - p)})) {
            nd_buffer_append(&parser->quoted, written, (size_t)(p - written));
            nd_buffer_append(&parser->quoted, "\"", 1);
            nd_buffer_append(&parser->quoted, p, (size_t)(next - p));
            nd_buffer_append(&parser->quoted, "\"", 1);
            written = next;
        }
    }
    if (written > line->data) {
        nd_buffer_append(&parser->quoted, written, (size_t)(end - written));
        *line = nd_buffer_span(&parser->quoted);
    }
}

/* ---- what is text */

/* White space, controls and invisible characters alone, in HTML as references too. */
static bool is_blank(nd_span text, bool html) {
    const uint8_t *const end = text.data + text.size;
    bool blank = true;
    for (const uint8_t *p = text.data; p < end && blank;) {
        uint32_t codes[2] = {0, 0};
        size_t size = html && *p == '&' ? nd_entity_read(p, end, codes) : 0;
        size = size > 0 ? size : nd_utf8_read(p, end, &codes[0]);
        const int32_t class = nd_unicode(codes[0])->class;
        blank = codes[1] == 0 && (class == ND_UNICODE_SPACE || class == ND_UNICODE_IGNORED);
        p += size;
    }
    return blank;
}

/* The HTML, or where there is none, or a blank one, the text; of two blank ones either will do.
 * \return false if the line has neither field */
static bool find_text(nd_jsonl *parser, nd_jsonl_page *page) {
    bool found = false;
    page->text = string_of(parser, parser->names.html, &page->html);
    if (!page->html || is_blank(page->text, true)) {
        const nd_span text = string_of(parser, parser->names.text, &found);
        page->text = found ? text : page->text;
        page->html = page->html && !found;
    }
    return found || page->html;
}

/* ---- lines */

static nd_status repair(nd_buffer *buffer, uint64_t limit, nd_span *text) {
    uint64_t replaced = 0;
    if (nd_utf8_valid_bytes(*text) == text->size) {
        return ND_OK;
    }
    buffer->size = 0;
    nd_status st = nd_utf8_repair_within(*text, limit, buffer, &replaced);
    *text = nd_buffer_span(buffer);
    return st;
}

/* Whether the line may hold more values than the limit: as many as there are commas and opening
 * brackets outside of strings. The parser would hold them all, and each takes far more than its
 * bytes. */
static bool has_too_many_values(nd_span line, uint64_t most) {
    uint64_t values = 0;
    const uint8_t *end = line.data + line.size;
    if (line.size / 2 <= most) { /* a value takes two bytes or more */
        return false;
    }
    for (const uint8_t *p = line.data; p < end && values <= most; p++) {
        if (*p == '"') {
            for (p++; p < end && *p != '"'; p++) {
                p += *p == '\\';
            }
        } else {
            values += *p == ',' || *p == '{' || *p == '[';
        }
    }
    return values > most;
}

static const char *refuse(nd_jsonl *parser, nd_record_limit limit) {
    return nd_record_limits_refuse(parser->limits, limit, parser->refusal, sizeof parser->refusal);
}

/* json-c takes want of memory for the line's end or for a shorter text, so malloc() is asked: where
 * it says so the line is to be parsed once more, since it also says so where it found another way.
 */
static const char *parse_object(nd_jsonl *parser, nd_span line) {
    if (parser->object != NULL) {
        (void)json_object_put(parser->object);
    }
    parser->object = NULL;
    parser->no_memory = false;
    if (line.size > INT_MAX) {
        return "JSON line too long for the parser";
    }
    if (has_too_many_values(line, parser->limits->most[ND_LIMIT_JSON_VALUES])) {
        return refuse(parser, ND_LIMIT_JSON_VALUES);
    }
    json_tokener_reset(parser->tokener);
    errno = 0;
    parser->object =
        json_tokener_parse_ex(parser->tokener, (const char *)line.data, (int)line.size);
    parser->no_memory = errno == ENOMEM;
    const enum json_tokener_error error = json_tokener_get_error(parser->tokener);
    if (error == json_tokener_continue) {
        return "JSON line is cut off";
    }
    if (error == json_tokener_error_depth) {
        return refuse(parser, ND_LIMIT_JSON_DEPTH);
    }
    if (error != json_tokener_success || json_tokener_get_parse_end(parser->tokener) != line.size) {
        return "line is not JSON";
    }
    return json_object_is_type(parser->object, json_type_object) ? NULL
                                                                 : "JSON line is not an object";
}

static nd_status out_of_memory(nd_span line) {
    return nd_fail(ND_ERR_MEMORY, "out of memory: a JSON line of %zu bytes", line.size);
}

nd_status nd_jsonl_parse(nd_jsonl *parser, nd_span line, nd_jsonl_page *page, const char **fault) {
    nd_status st = ND_OK;
    bool found = false; /* whether the one asked for last is there */
    *page = (nd_jsonl_page){0};
    parser->no_memory = true;
    nd_span object = nd_fields_trim(nd_sniff_after_mark(line));
    quote_numbers(parser, &object);
    for (int attempt = 0; attempt < 2 && parser->no_memory; attempt++) {
        *fault = parse_object(parser, object);
    }
    if (parser->no_memory) {
        return out_of_memory(line);
    }
    if (*fault != NULL) {
        return ND_ERR_FORMAT;
    }
    page->id = string_of(parser, parser->names.id, &found);
    page->url = string_of(parser, parser->names.url, &found);
    page->date =
        parser->names.date != NULL ? string_of(parser, parser->names.date, &found) : (nd_span){0};
    found = find_text(parser, page);
    if (parser->no_memory) {
        return out_of_memory(line);
    }
    if (!found) {
        *fault = ND_JSONL_NO_TEXT;
        return ND_ERR_FORMAT;
    }
    const uint64_t limit = parser->limits->most[ND_LIMIT_PAGE];
    ND_TRY(repair(&parser->repaired[0], limit, &page->id));
    ND_TRY(repair(&parser->repaired[1], limit, &page->url));
    ND_TRY(repair(&parser->repaired[2], limit, &page->date));
    ND_TRY(repair(&parser->repaired[3], limit, &page->text));
out:
    if (st == ND_ERR_LIMIT) {
        *fault = refuse(parser, ND_LIMIT_PAGE);
        st = ND_ERR_FORMAT;
    }
    return st;
}

bool nd_jsonl_looks(nd_span content) {
    nd_span rest = nd_fields_trim(nd_sniff_after_mark(content));
    nd_span line = rest;
    if (rest.size == 0 || rest.data[0] != '{') {
        return false;
    }
    const bool whole = nd_fields_line(&rest, &line);
    line = nd_fields_trim(line);
    /* braces of templates are no object's: {% extends %}, {{ title }} */
    const nd_span inside = nd_fields_trim((nd_span){line.data + 1, line.size - 1});
    const bool object = inside.size == 0 || inside.data[0] == '"' || inside.data[0] == '}';
    return object && (!whole || line.data[line.size - 1] == '}');
}

bool nd_jsonl_begins(nd_span content) {
    size_t blanks = 0;
    while (blanks < content.size && strchr(" \t\r", content.data[blanks]) != NULL) {
        blanks++;
    }
    return blanks < content.size && content.data[blanks] != '\n';
}
