#include "tests/support/extract_oracle.h"
#include "src/base/printable.h"
#include "src/text/extract.h"
#include "src/text/tag.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"

#include <libxml/HTMLparser.h>
#include <strings.h>

/* ---- libxml words */

static const char *const formatting[] = {
    "a",    "abbr", "acronym", "b",  "bdi",  "bdo",   "big",  "blink",  "cite",
    "code", "del",  "dfn",     "em", "font", "i",     "ins",  "kbd",    "label",
    "mark", "nobr", "q",       "s",  "samp", "small", "span", "strike", "strong",
    "sub",  "sup",  "tt",      "u",  "var",  "wbr",   NULL};
static const char *const dropped_elements[] = {"iframe", "noscript", "object",   "script", "style",
                                               "svg",    "template", "textarea", NULL};

/* White space outside ASCII, in UTF-8. */
static const char *const wide_spaces[] = {"\xC2\x85", "\u00a0", "\u1680", "\u2000", "\u2001",
                                          "\u2002",   "\u2003", "\u2004", "\u2005", "\u2006",
                                          "\u2007",   "\u2008", "\u2009", "\u200a", "\u2028",
                                          "\u2029",   "\u202f", "\u205f", "\u3000", NULL};
static bool is_listed(const char *name, const char *const *list) {
    while (*list != NULL && strcasecmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static size_t wide_space(const uint8_t *p, const uint8_t *end) {
    if (*p != 0xC2 && *p != 0xE1 && *p != 0xE2 && *p != 0xE3) {
        return 0;
    }
    for (const char *const *space = wide_spaces; *space != NULL; space++) {
        size_t size = strlen(*space);
        if ((size_t)(end - p) >= size && memcmp(p, *space, size) == 0) {
            return size;
        }
    }
    return 0;
}

static bool is_ascii_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void words_of_text(nd_buffer *words, nd_span text) {
    const uint8_t *end = text.data + text.size;
    bool open = false;
    for (const uint8_t *p = text.data; p < end;) {
        size_t space = *p >= 0x80 ? wide_space(p, end) : !is_ascii_word(*p);
        if (space == 0) {
            nd_buffer_append(words, p++, 1);
        } else if (open) {
            nd_buffer_append(words, "\n", 1);
        }
        open = space == 0;
        p += space;
    }
    nd_buffer_append(words, "\n", open);
}

typedef struct libxml_walk {
    nd_buffer text;
    size_t dropped; /* open elements whose content is dropped */
} libxml_walk;

static void add(libxml_walk *walk, const void *bytes, size_t size) {
    if (walk->dropped == 0) {
        nd_buffer_append(&walk->text, bytes, size);
    }
}

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes) {
    libxml_walk *walk = context;
    (void)attributes;
    if (!is_listed((const char *)name, formatting)) {
        add(walk, " ", 1);
    }
    walk->dropped += is_listed((const char *)name, dropped_elements);
}

static void on_end(void *context, const xmlChar *name) {
    libxml_walk *walk = context;
    walk->dropped -= walk->dropped > 0 && is_listed((const char *)name, dropped_elements);
    if (!is_listed((const char *)name, formatting)) {
        add(walk, " ", 1);
    }
}

static void on_characters(void *context, const xmlChar *text, int size) {
    add(context, text, (size_t)size);
}

nd_status nd_test_text_by_libxml(nd_buffer *text, nd_span html) {
    nd_status st = ND_OK;
    libxml_walk walk = {.text = *text};
    walk.text.size = 0;
    htmlParserCtxtPtr parser = htmlNewParserCtxt();
    if (parser == NULL || html.size > INT32_MAX) {
        st = nd_fail(ND_ERR_MEMORY, "libxml2 cannot take a page of %zu bytes", html.size);
        goto out;
    }
    memset(parser->sax, 0, sizeof *parser->sax);
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->characters = on_characters;
    parser->sax->ignorableWhitespace = on_characters;
    parser->userData = &walk;
    htmlDocPtr document =
        htmlCtxtReadMemory(parser, (const char *)html.data, (int)html.size, NULL, "UTF-8",
                           HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                               HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC | (int)XML_PARSE_HUGE);
    xmlFreeDoc(document);
out:
    *text = walk.text;
    htmlFreeParserCtxt(parser);
    return st;
}

/* ---- the extractor's words and libxml2's */

nd_status nd_oracle_compare(nd_oracle *oracle, const char *name, nd_span html) {
    nd_status st = ND_OK;
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_OWNED(nd_buffer_free) nd_buffer ours = {0}, theirs = {0}, text = {0};
    ND_TRY(nd_extract_html(&page, html, NULL));
    ND_TRY(nd_test_text_by_libxml(&text, html));
    words_of_text(&ours, nd_buffer_span(&page.text));
    words_of_text(&theirs, nd_buffer_span(&text));
    oracle->pages++;
    oracle->words += ours.size;
    if (ours.size == theirs.size &&
        (ours.size == 0 || memcmp(ours.data, theirs.data, ours.size) == 0)) {
        oracle->equal++;
    } else {
        printf("other words than libxml2's: %s\n", name);
    }
out:
    return st;
}

static nd_status visit_file(void *context, const char *path) {
    nd_status st = ND_OK;
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_TRY(nd_test_read_file(&file, path));
    ND_TRY(nd_oracle_compare(context, path, nd_buffer_span(&file)));
out:
    return st;
}

nd_status nd_oracle_walk(nd_oracle *oracle, const char *path) {
    return nd_test_walk_html(path, visit_file, oracle);
}

/* ---- slow extract */

enum { ENTITIES = 2125, DEEPEST = 512, LONGEST_NAME = 64 };

/* Tags the soup has, and all names of one or two letters: random bytes make these too. The
 * extractor's own lists are not used here. */
static const char *const formatting_of_soup[] = {"b", "span", "a",  "i",  "q",
                                                 "s", "u",    "em", "tt", NULL};
static const char *const breaking[] = {
    "p",     "br", "div", "table", "nav", "footer", "select", "option", "button", "body", "html",
    "title", "dd", "dl",  "dt",    "h1",  "h2",     "h3",     "h4",     "h5",     "h6",   "hr",
    "li",    "ol", "td",  "th",    "tr",  "ul",     "main",   "form",   NULL};
static const char *const closed[] = {"div", "table", "nav", "footer", "select", "button", "body",
                                     "dl",  "ol",    "ul",  "main",   "form",   NULL};
static const char *const navigation[] = {"nav", "footer", "select", "button", NULL};
static const char *const dropped_of_soup[] = {"script",   "style",  "svg", "object",
                                              "textarea", "iframe", NULL};
/* Words of class and role that the soup has. */
static const char *const classes[] = {"comments", "breadcrumb", "breadcrumbs", NULL};
static const char *const main_roles[] = {"main", NULL};
static const char *const apart_roles[] = {"dialog", "complementary", NULL};
static const char *const nesting[] = {"svg", "object", NULL};
static const char *const raw[] = {"script", "style", NULL};

static bool in(const char *name, const char *const *list) {
    while (*list != NULL && strcasecmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

/* The reference: all positions are indexes into `html`, which ends in zeros. */
typedef struct reference {
    const char *html;
    size_t size;
    size_t at;
    char block[65536];
    size_t length;
    size_t link_bytes;
    bool in_link;
    bool in_title;
    bool unbalanced[2]; /* of object, of svg: not all are closed */
    size_t link_depth;
    size_t depth;
    char open[DEEPEST][LONGEST_NAME];
    uint32_t purpose[DEEPEST]; /* of the open elements: ND_BLOCK_* */
    nd_buffer *dump;
} reference;
typedef struct seen_tag {
    char name[LONGEST_NAME];
    bool is_end;
    bool self_closing;
    bool href;
    bool has_class, has_id, has_role;
    uint32_t purpose; /* by these: ND_BLOCK_* */
    size_t after;     /* SIZE_MAX: cut off */
} seen_tag;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void nd_test_dump_block(nd_buffer *dump, uint32_t flags, size_t link_bytes, const void *text,
                        size_t size) {
    char head[64];
    (void)snprintf(head, sizeof head, "[%s%s%s%s%s%zu]", (flags & ND_BLOCK_TITLE) != 0 ? "T" : "",
                   (flags & ND_BLOCK_NAVIGATION) != 0 ? "N" : "",
                   (flags & ND_BLOCK_MAIN) != 0 ? "M" : "",
                   (flags & ND_BLOCK_BESIDE) != 0 ? "B" : "",
                   (flags & ND_BLOCK_APART) != 0 ? "A" : "", link_bytes);
    nd_buffer_append_text(dump, head);
    nd_buffer_append(dump, text, size);
    nd_buffer_append_text(dump, "|");
}

static void end_block(reference *r) {
    uint32_t purpose = 0;
    for (size_t i = 0; i < r->depth; i++) {
        purpose |= r->purpose[i];
    }
    if (r->length > 0 && r->block[r->length - 1] == ' ') {
        r->length--;
    }
    if (r->length > 0) {
        size_t link_bytes = r->link_bytes < r->length ? r->link_bytes : r->length;
        nd_test_dump_block(r->dump, (r->in_title ? ND_BLOCK_TITLE : 0U) | purpose, link_bytes,
                           r->block, r->length);
    }
    r->length = 0;
    r->link_bytes = 0;
}

static void put_byte(reference *r, char c) {
    r->block[r->length++] = c;
    r->link_bytes += r->in_link;
}

static void put_code(reference *r, uint32_t code) {
    bool space = (code > 0 && code <= ' ') || (code >= 0x80 && code <= 0xA0) || code == 0x1680 ||
                 (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                 code == 0x202F || code == 0x205F || code == 0x3000;
    if (space && r->length > 0 && r->block[r->length - 1] != ' ') {
        put_byte(r, ' ');
    } else if (!space && code != 0) {
        uint8_t bytes[ND_UTF8_MAX];
        size_t size = nd_utf8_write(bytes, code);
        for (size_t i = 0; i < size; i++) {
            put_byte(r, (char)bytes[i]);
        }
    }
}

static bool has_prefix(const reference *r, size_t at, const char *prefix) {
    return r->size - at >= strlen(prefix) && memcmp(r->html + at, prefix, strlen(prefix)) == 0;
}

/* The longest named reference at `at` ("&"), looked for in the whole table. */
static size_t named(const reference *r, size_t at, uint32_t codes[2]) {
    size_t best = 0;
    for (size_t i = 0; i < ENTITIES; i++) {
        char name[40];
        int size = nd_entity_begins[i + 1] - nd_entity_begins[i];
        if (nd_entity_names[nd_entity_begins[i]] != r->html[at + 1]) {
            continue;
        }
        bool legacy = (nd_entity_values[i] >> 25 & 1) != 0;
        (void)snprintf(name, sizeof name, "&%.*s;", size, nd_entity_names + nd_entity_begins[i]);
        size_t full = strlen(name);
        for (size_t length = full; length >= full - legacy; length--) {
            name[length] = '\0';
            if (length > best && has_prefix(r, at, name)) {
                best = length;
                codes[0] = nd_entity_values[i] & 0x1FFFFF;
                codes[1] = nd_entity_seconds[nd_entity_values[i] >> 21 & 15];
            }
        }
    }
    return best;
}

/* The numbers of the soup only; read with strtoul. */
static size_t numeric(const reference *r, size_t at, uint32_t codes[2]) {
    bool hex = r->html[at + 2] == 'x';
    const char *digits = r->html + at + (hex ? 3 : 2);
    char *after = NULL;
    if (is_letter(*digits) ? !hex || strchr("abcdefABCDEF", *digits) == NULL
                           : *digits < '0' || *digits > '9') {
        return 0;
    }
    unsigned long code = strtoul(digits, &after, hex ? 16 : 10);
    bool wrong = code == 0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
    codes[0] = wrong ? 0xFFFD : code == 128 ? 0x20AC : (uint32_t)code;
    codes[1] = 0;
    return (size_t)(after - (r->html + at)) + (*after == ';');
}

static void take_reference(reference *r, size_t limit) {
    uint32_t codes[2] = {'&', 0};
    size_t size = r->html[r->at + 1] == '#' ? numeric(r, r->at, codes) : named(r, r->at, codes);
    size = r->at + size > limit ? 0 : size;
    r->at += size == 0 ? 1 : size;
    put_code(r, codes[0]);
    put_code(r, codes[1]);
}

static void take_character(reference *r) {
    uint32_t code = 0;
    const uint8_t *p = (const uint8_t *)r->html + r->at;
    r->at += nd_utf8_read(p, (const uint8_t *)r->html + r->size, &code);
    put_code(r, code);
}

/* One more character of a name of LONGEST_NAME bytes; a long name is cut off. A NUL is U+FFFD to
 * the HTML Standard, so the name goes on after it: '?' stands for that, which no name looked for
 * has. */
static void add_to_name(char *name, char c) {
    size_t length = strlen(name);
    if (length + 1 < LONGEST_NAME) {
        name[length] = c == '\0' ? '?' : c;
        name[length + 1] = '\0';
    }
}

/* What a whole value says of the element, word by word. */
static void take_value(seen_tag *tag, const char *name, const char *value, size_t size) {
    const bool id = strcasecmp(name, "id") == 0 && !tag->has_id;
    const bool class = id || (strcasecmp(name, "class") == 0 && !tag->has_class);
    const bool role = strcasecmp(name, "role") == 0 && !tag->has_role;
    char word[LONGEST_NAME] = "";
    for (size_t i = 0; (class || role) && i <= size; i++) {
        if (i < size && is_letter(value[i])) {
            add_to_name(word, value[i]);
            continue;
        }
        tag->purpose |= class && in(word, classes)      ? ND_BLOCK_BESIDE
                        : role && in(word, main_roles)  ? ND_BLOCK_MAIN
                        : role && in(word, apart_roles) ? ND_BLOCK_APART
                                                        : 0U;
        word[0] = '\0';
    }
    tag->has_class = tag->has_class || (class && !id);
    tag->has_id = tag->has_id || id;
    tag->has_role = tag->has_role || role;
}

/* States of the HTML Standard from "before attribute name" on. */
static size_t attributes(const reference *r, size_t i, seen_tag *tag) {
    enum { BEFORE_NAME, NAME, AFTER_NAME, BEFORE_VALUE, QUOTED, UNQUOTED } state = BEFORE_NAME;
    char quote = 0;
    char name[LONGEST_NAME] = "";
    size_t value = 0; /* where it begins */
    for (; i < r->size; i++) {
        char c = r->html[i];
        bool blank = is_space(c);
        if (c == '>' && state != QUOTED) {
            if (state != BEFORE_NAME) { /* the last one's value, if it has one */
                take_value(tag, name, r->html + value, state == UNQUOTED ? i - value : 0);
            }
            tag->self_closing = r->html[i - 1] == '/' && state == BEFORE_NAME;
            tag->href = tag->href || (state != UNQUOTED && state != BEFORE_NAME &&
                                      state != BEFORE_VALUE && strcasecmp(name, "href") == 0);
            return i + 1;
        }
        if ((state == BEFORE_NAME || state == AFTER_NAME) && !blank && c != '/' &&
            !(state == AFTER_NAME && c == '=')) {
            tag->href = tag->href || strcasecmp(name, "href") == 0;
            if (state == AFTER_NAME) {
                take_value(tag, name, "", 0);
            }
            name[0] = '\0';
            add_to_name(name, c);
            state = NAME;
        } else if (state == NAME && !blank && c != '/' && c != '=') {
            add_to_name(name, c);
        } else if (state == NAME || state == AFTER_NAME) {
            if (c == '/') {
                take_value(tag, name, "", 0);
            }
            state = c == '=' ? BEFORE_VALUE : c == '/' ? BEFORE_NAME : AFTER_NAME;
            tag->href = tag->href || strcasecmp(name, "href") == 0;
        } else if (state == BEFORE_VALUE && !blank) {
            quote = c;
            value = i + (c == '"' || c == '\'');
            state = c == '"' || c == '\'' ? QUOTED : UNQUOTED;
        } else if ((state == QUOTED && c == quote) || (state == UNQUOTED && blank)) {
            take_value(tag, name, r->html + value, i - value);
            state = BEFORE_NAME;
        }
    }
    return SIZE_MAX;
}

static seen_tag see_tag(const reference *r, size_t at) {
    seen_tag tag = {.is_end = r->html[at + 1] == '/'};
    size_t i = at + (tag.is_end ? 2 : 1);
    for (; i < r->size && !is_space(r->html[i]) && r->html[i] != '/' && r->html[i] != '>'; i++) {
        add_to_name(tag.name, r->html[i]);
    }
    tag.after = attributes(r, i, &tag);
    return tag;
}

static bool is_named(const reference *r, size_t at, const char *name, bool is_end) {
    size_t begin = at + (is_end ? 2 : 1);
    size_t end = begin + strlen(name);
    return r->html[at] == '<' && (r->html[at + 1] == '/') == is_end && end < r->size &&
           strncasecmp(r->html + begin, name, strlen(name)) == 0 &&
           (is_space(r->html[end]) || r->html[end] == '/' || r->html[end] == '>');
}

static size_t find_end(const reference *r, size_t at, const char *name) {
    while (at < r->size && !is_named(r, at, name, true)) {
        at++;
    }
    return at < r->size ? at : SIZE_MAX;
}

static size_t after_comment(const reference *r, size_t at) {
    if (!has_prefix(r, at, "<!--")) {
        while (at < r->size && r->html[at] != '>') {
            at++;
        }
        return at < r->size ? at + 1 : r->size;
    }
    if (has_prefix(r, at, "<!-->") || has_prefix(r, at, "<!--->")) {
        return at + (r->html[at + 4] == '>' ? 5 : 6);
    }
    for (size_t i = at + 4; i < r->size; i++) {
        if (has_prefix(r, i, "-->") || has_prefix(r, i, "--!>")) {
            return i + (r->html[i + 2] == '>' ? 3 : 4);
        }
    }
    return r->size;
}

static size_t behind_tag(const reference *r, size_t at) {
    seen_tag tag = see_tag(r, at);
    return tag.after == SIZE_MAX ? r->size : tag.after;
}

/* After the end of an element that may contain its like; SIZE_MAX if that is not closed. */
static size_t nested_end(const reference *r, const char *name) {
    size_t depth = 1;
    for (size_t i = r->at; i < r->size;) {
        bool is_end = is_named(r, i, name, true);
        if (is_end || is_named(r, i, name, false)) {
            depth = is_end ? depth - 1 : depth + !see_tag(r, i).self_closing;
            i = behind_tag(r, i);
        } else {
            i = has_prefix(r, i, "<!") ? after_comment(r, i) : i + 1;
        }
        if (depth == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void skip_content(reference *r, const char *name) {
    size_t end = find_end(r, r->at, name);
    bool *unbalanced = &r->unbalanced[strcasecmp(name, "svg") == 0];
    if (end == SIZE_MAX) {
        r->at = in(name, raw) ? r->size : r->at;
        return;
    }
    end = behind_tag(r, end);
    if (in(name, nesting) && !*unbalanced) {
        size_t nested = nested_end(r, name);
        *unbalanced = nested == SIZE_MAX;
        end = *unbalanced ? end : nested;
    }
    r->at = end;
}

static void take_title(reference *r) {
    size_t limit = find_end(r, r->at, "title");
    if (limit == SIZE_MAX) {
        for (limit = r->at; limit < r->size && r->html[limit] != '<'; limit++) {
        }
    }
    r->in_title = true;
    while (r->at < limit) {
        if (r->html[r->at] == '&') {
            take_reference(r, limit);
        } else {
            take_character(r);
        }
    }
    end_block(r);
    r->in_title = false;
}

static void close_to(reference *r, size_t depth) {
    r->depth = r->depth < depth ? r->depth : depth;
    r->in_link = r->in_link && r->link_depth <= depth;
}

static void close_tag(reference *r, const char *name) {
    size_t i = r->depth;
    while (i > 0 && strcasecmp(r->open[i - 1], name) != 0 &&
           strcasecmp(r->open[i - 1], "table") != 0) {
        i--;
    }
    if (i > 0 && strcasecmp(r->open[i - 1], name) == 0) {
        close_to(r, i - 1);
    }
}

static void take_start(reference *r, const seen_tag *tag) {
    const char *name = tag->name;
    if (strcasecmp(name, "a") == 0) {
        r->in_link = tag->href;
        r->link_depth = r->depth;
    } else if (in(name, dropped_of_soup) && !tag->self_closing) {
        skip_content(r, name);
    } else if (strcasecmp(name, "title") == 0 && !tag->self_closing) {
        take_title(r);
    } else if (in(name, closed)) {
        if (strcasecmp(name, "select") == 0 || strcasecmp(name, "button") == 0) {
            close_tag(r, name);
        }
        r->purpose[r->depth] = (in(name, navigation) ? ND_BLOCK_NAVIGATION : 0U) |
                               (strcasecmp(name, "main") == 0 ? ND_BLOCK_MAIN : 0U) |
                               (strcasecmp(name, "form") == 0 ? ND_BLOCK_BESIDE : 0U) |
                               (strcasecmp(name, "body") == 0 ? 0U : tag->purpose);
        (void)snprintf(r->open[r->depth++], sizeof r->open[0], "%s", name);
    }
}

static void take_tag(reference *r) {
    seen_tag tag = see_tag(r, r->at);
    r->at = tag.after == SIZE_MAX ? r->size : tag.after;
    if (tag.after == SIZE_MAX) {
        return;
    }
    if (in(tag.name, breaking)) {
        end_block(r);
    } else if (!in(tag.name, formatting_of_soup)) {
        put_code(r, ' ');
    }
    if (!tag.is_end) {
        take_start(r, &tag);
    } else if (strcasecmp(tag.name, "a") == 0) {
        r->in_link = false;
    } else if (strcasecmp(tag.name, "body") == 0 || strcasecmp(tag.name, "html") == 0) {
        close_to(r, 0);
    } else if (in(tag.name, closed)) {
        close_tag(r, tag.name);
    }
}

static void run_reference(reference *r) {
    while (r->at < r->size) {
        char c = r->html[r->at];
        char next = r->html[r->at + 1];
        char name = next == '/' ? r->html[r->at + 2] : next;
        if (c == '&') {
            take_reference(r, r->size);
        } else if (c == '<' && is_letter(name)) {
            take_tag(r);
        } else if (c == '<' && next != 0 && strchr("!?/", next) != NULL) {
            r->at = after_comment(r, r->at);
        } else {
            take_character(r);
        }
    }
    end_block(r);
}

void nd_test_slow_extract(nd_buffer *dump, nd_span html) {
    static reference r;
    memset(&r, 0, sizeof r);
    dump->size = 0;
    r.dump = dump;
    r.html = (const char *)html.data;
    r.size = html.size;
    run_reference(&r);
}
