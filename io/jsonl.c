#include "io/jsonl.h"

#include "io/fields.h"
#include "io/json_object.h"
#include "io/utf8_repair.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ID, URL, HTML, TEXT, FIELDS };

/* What the members looked for are, however they were read. */
typedef struct members {
    nd_span text[FIELDS];
    bool found[FIELDS];
} members;

struct nd_jsonl {
    nd_json_field fields[FIELDS];
    json_tokener *tokener;
    json_object *object; /* of the latest line if json-c read it; the page's views lie in it */
    nd_buffer repaired[FIELDS];
};

nd_status nd_jsonl_open(const nd_jsonl_names *names, nd_jsonl **out) {
    nd_status st = ND_OK;
    nd_jsonl *parser = NULL;
    *out = NULL;
    ND_TRY(nd_new(&parser, 1, sizeof *parser));
    parser->fields[ID].name = names->id;
    parser->fields[URL].name = names->url;
    parser->fields[HTML].name = names->html;
    parser->fields[TEXT].name = names->text;
    parser->tokener = json_tokener_new();
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
    for (size_t i = 0; i < FIELDS; i++) {
        nd_buffer_free(&(*parser)->fields[i].unescaped);
        nd_buffer_free(&(*parser)->repaired[i]);
    }
    free(*parser);
    *parser = NULL;
}

static nd_status repair(nd_buffer *buffer, nd_span *text) {
    uint64_t replaced = 0;
    if (nd_utf8_valid_bytes(*text) == text->size) {
        return ND_OK;
    }
    buffer->size = 0;
    nd_status st = nd_utf8_repair(*text, buffer, &replaced);
    *text = nd_buffer_span(buffer);
    return st;
}

/* ---- objects read here */

/* \param[out] plain  whether that is done: if not, json-c has to see the line */
static nd_status read_plain(nd_jsonl *parser, nd_span line, members *m, bool *plain) {
    const nd_status st = nd_json_object_read(line, parser->fields, FIELDS, plain);
    for (size_t i = 0; i < FIELDS; i++) {
        const nd_json_field *field = &parser->fields[i];
        m->found[i] = field->found;
        m->text[i] = field->found ? field->value : (nd_span){0};
    }
    return st;
}

/* ---- objects read by json-c */

/* The member's text, or a number as written; empty if it is missing or anything else. */
static nd_span string_of(json_object *object, const char *name, bool *found) {
    json_object *value = NULL;
    *found = json_object_object_get_ex(object, name, &value) && value != NULL;
    if (json_object_is_type(value, json_type_string)) {
        return (nd_span){(const uint8_t *)json_object_get_string(value),
                         (size_t)json_object_get_string_len(value)};
    }
    if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
        const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
        return (nd_span){(const uint8_t *)text, strlen(text)};
    }
    *found = false;
    return (nd_span){0};
}

static const char *parse_object(nd_jsonl *parser, nd_span line) {
    if (line.size > INT_MAX) {
        return "JSON line too long for the parser";
    }
    json_tokener_reset(parser->tokener);
    parser->object =
        json_tokener_parse_ex(parser->tokener, (const char *)line.data, (int)line.size);
    const enum json_tokener_error error = json_tokener_get_error(parser->tokener);
    if (error == json_tokener_continue) {
        return "JSON line is cut off";
    }
    if (error != json_tokener_success || json_tokener_get_parse_end(parser->tokener) != line.size) {
        return "line is not JSON";
    }
    return json_object_is_type(parser->object, json_type_object) ? NULL
                                                                 : "JSON line is not an object";
}

static const char *read_any(nd_jsonl *parser, nd_span line, members *m) {
    const char *fault = parse_object(parser, line);
    for (size_t i = 0; fault == NULL && i < FIELDS; i++) {
        m->text[i] = string_of(parser->object, parser->fields[i].name, &m->found[i]);
    }
    return fault;
}

/* ---- lines */

nd_status nd_jsonl_parse(nd_jsonl *parser, nd_span line, nd_jsonl_page *page, const char **fault) {
    nd_status st = ND_OK;
    bool plain = false;
    members m = {0};
    *page = (nd_jsonl_page){0};
    *fault = NULL;
    if (parser->object != NULL) {
        (void)json_object_put(parser->object);
        parser->object = NULL;
    }
    line = nd_fields_trim(line);
    ND_TRY(read_plain(parser, line, &m, &plain));
    if (!plain) {
        *fault = read_any(parser, line, &m);
    }
    if (*fault == NULL && !m.found[HTML] && !m.found[TEXT]) {
        *fault = "JSON object has neither the text nor the html field";
    }
    if (*fault != NULL) {
        return ND_ERR_FORMAT;
    }
    page->id = m.text[ID];
    page->url = m.text[URL];
    page->html = m.found[HTML];
    page->text = m.text[page->html ? HTML : TEXT];
    ND_TRY(repair(&parser->repaired[ID], &page->id));
    ND_TRY(repair(&parser->repaired[URL], &page->url));
    ND_TRY(repair(&parser->repaired[TEXT], &page->text));
out:
    return st;
}

bool nd_jsonl_looks(nd_span content) {
    nd_span rest = nd_fields_trim(content);
    nd_span line = rest;
    if (rest.size == 0 || rest.data[0] != '{') {
        return false;
    }
    const bool whole = nd_fields_line(&rest, &line);
    line = nd_fields_trim(line);
    return !whole || line.data[line.size - 1] == '}';
}

bool nd_jsonl_begins(nd_span content) {
    size_t blanks = 0;
    while (blanks < content.size && strchr(" \t\r", content.data[blanks]) != NULL) {
        blanks++;
    }
    return blanks < content.size && content.data[blanks] != '\n';
}
