/* A line of JSONL, as partition and query take it, and the names of its fields. By the first byte
 * the input is a line as it is, with names that are made of it too: read twice it says the same,
 * what it gives is UTF-8, and why it is no page is one line; or a text that lies as deep in objects
 * as the second byte says: it is found by dots and by a pointer, as at the top. */
#include "io/input/charset.h"
#include "io/input/jsonl.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

enum { MOST_NAME = 24, MOST_DEPTH = 6 };

static const nd_record_limits *limits_of(void) {
    static nd_record_limits limits;
    limits = nd_record_limits_of(1 << 20, 0, 0);
    return &limits;
}

/* All that is said of a line. */
static nd_status read_line(const nd_jsonl_names *names, nd_span line, nd_buffer *said) {
    ND_OWNED(nd_jsonl_close) nd_jsonl *parser = NULL;
    nd_jsonl_page page;
    const char *fault = NULL;
    ND_FUZZ_CHECK(nd_jsonl_open(names, limits_of(), &parser) == ND_OK);
    const nd_status st = nd_jsonl_parse(parser, line, &page, &fault);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT);
    said->size = 0;
    if (st == ND_OK) {
        const nd_span parts[] = {page.text, page.id, page.url, page.date};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            ND_FUZZ_CHECK(nd_utf8_valid_bytes(parts[i]) == parts[i].size);
            nd_buffer_append(said, parts[i].data, parts[i].size);
            nd_buffer_append(said, page.html ? "h" : "t", 1);
        }
    } else {
        ND_FUZZ_CHECK(fault != NULL && fault[0] != '\0' && strchr(fault, '\n') == NULL);
    }
    return st;
}

/* A name as a person may give one: not empty, and where `plain`, of no dots and slashes, nor
 * another field's. */
static void take_name(nd_span *from, bool plain, char name[MOST_NAME]) {
    const size_t size = 1 + nd_fuzz_byte(from) % (MOST_NAME - 2);
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = nd_fuzz_byte(from);
        name[i] = (char)(!plain ? (byte != 0 ? byte : '.') : i == 0 ? 'x' : 'a' + byte % 26);
    }
    name[size] = '\0';
}

static void check_line(nd_span from) {
    char names[4][MOST_NAME];
    ND_OWNED(nd_buffer_free) nd_buffer first = {0}, again = {0};
    for (int i = 0; i < 4; i++) {
        take_name(&from, false, names[i]);
    }
    const nd_jsonl_names made = {names[0], names[1], names[2], names[3], NULL};
    static const nd_jsonl_names usual = {"id", "url", "text", "html", "date"};
    const nd_jsonl_names *const asked[] = {&made, &usual};
    for (int i = 0; i < 2; i++) {
        const nd_status st = read_line(asked[i], from, &first);
        ND_FUZZ_CHECK(read_line(asked[i], from, &again) == st);
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&first), nd_buffer_span(&again)));
    }
}

static void append_escaped(nd_buffer *line, nd_span text) {
    for (size_t i = 0; i < text.size; i++) {
        nd_test_print(line, "\\u%04x", 1 + text.data[i]);
    }
}

static void check_deep(nd_span from) {
    char part[MOST_NAME];
    nd_buffer line = {0}, flat = {0}, dotted = {0}, pointer = {0}, said[3] = {{0}};
    const unsigned depth = 1 + nd_fuzz_byte(&from) % MOST_DEPTH;
    nd_test_print(&line, "{");
    for (unsigned i = 0; i < depth; i++) {
        take_name(&from, true, part);
        nd_test_print(&line, "\"other\":%u,\"%s\":%s", i, part, i + 1 < depth ? "{" : "\"");
        nd_test_print(&dotted, "%s%s", i > 0 ? "." : "", part);
        nd_test_print(&pointer, "/%s", part);
    }
    nd_test_print(&flat, "{\"deepest\":\"");
    append_escaped(&line, from);
    append_escaped(&flat, from);
    nd_test_print(&line, "\"");
    nd_test_print(&flat, "\"}");
    for (unsigned i = 0; i < depth; i++) {
        nd_test_print(&line, "}");
    }
    nd_buffer_append(&dotted, "", 1);
    nd_buffer_append(&pointer, "", 1);
    const nd_jsonl_names names[3] = {
        {"id", "url", "deepest", "html", NULL},
        {"id", "url", (const char *)dotted.data, "html", NULL},
        {"id", "url", (const char *)pointer.data, "html", NULL},
    };
    for (int i = 0; i < 3; i++) {
        ND_FUZZ_CHECK(read_line(&names[i], nd_buffer_span(i == 0 ? &flat : &line), &said[i]) ==
                      ND_OK);
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&said[0]), nd_buffer_span(&said[i])));
    }
    nd_buffer *const all[] = {&line, &flat, &dotted, &pointer, &said[0], &said[1], &said[2]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        nd_buffer_free(all[i]);
    }
}

ND_FUZZ_TARGET(z_line) {
    nd_span from = {data, size};
    if (nd_fuzz_byte(&from) % 4 == 0) {
        check_deep(from);
    } else {
        check_line(from);
    }
    return 0;
}
