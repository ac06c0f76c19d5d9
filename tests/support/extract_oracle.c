#include "tests/support/extract_oracle.h"

#include "src/base/printable.h"
#include "src/text/tag.h"
#include "tests/support/libxml_words.h"
#include "tests/support/read_file.h"

#include <stdbool.h>
#include <string.h>

static const char *const kind_names[ND_ORACLE_KINDS] = {
    [ND_ORACLE_BYTES] = "bytes that are not UTF-8",
    [ND_ORACLE_NUL] = "NUL bytes",
    [ND_ORACLE_CONTROL] = "control character",
    [ND_ORACLE_IGNORED] = "tag that libxml2 ignores",
    [ND_ORACLE_REFERENCE] = "character reference unknown to libxml2",
    [ND_ORACLE_LESS_THAN] = "'<' that begins no tag",
    [ND_ORACLE_ATTRIBUTES] = "attribute of an odd form",
    [ND_ORACLE_COMMENT] = "comment or declaration of an odd form",
    [ND_ORACLE_TITLE] = "tag inside the title",
    [ND_ORACLE_RAW] = "markup inside raw text",
    [ND_ORACLE_OPEN] = "dropped element never closed",
    [ND_ORACLE_NESTED] = "dropped element closed by another's end",
    [ND_ORACLE_CUT] = "tag cut off by the end",
    [ND_ORACLE_SEVERAL] = "several of these",
    [ND_ORACLE_UNEXPLAINED] = "unexplained",
};

/* A page while it is written again; the first failure sticks. */
typedef struct rewriter {
    nd_buffer *out;
    unsigned kinds; /* one bit per nd_oracle_kind that is to be replaced */
    const uint8_t *p;
    const uint8_t *end;
} rewriter;

static bool replaces(const rewriter *r, nd_oracle_kind kind) {
    return (r->kinds >> kind & 1U) != 0;
}

static void put(rewriter *r, const void *bytes, size_t size) {
    nd_buffer_append(r->out, bytes, size);
}

/* Copy the document up to `to`, and go on there. */
static void copy_to(rewriter *r, const uint8_t *to) {
    put(r, r->p, (size_t)(to - r->p));
    r->p = to;
}

static void put_code(rewriter *r, uint32_t code) {
    uint8_t bytes[ND_UTF8_MAX];
    if (code == '<' || code == '&') {
        put(r, code == '<' ? "&lt;" : "&amp;", code == '<' ? 4 : 5);
    } else if (code != 0) {
        put(r, bytes, nd_utf8_write(bytes, code));
    }
}

static void rewrite_reference(rewriter *r) {
    uint32_t codes[2];
    size_t size = nd_entity_read(r->p, r->end, codes);
    if (size == 0 || !replaces(r, ND_ORACLE_REFERENCE)) {
        copy_to(r, r->p + (size == 0 ? 1 : size));
        return;
    }
    put_code(r, codes[0]);
    put_code(r, codes[1]);
    r->p += size;
}

static void rewrite_character(rewriter *r) {
    uint32_t code = 0;
    size_t size = nd_utf8_read(r->p, r->end, &code);
    if (code == 0 && replaces(r, ND_ORACLE_NUL)) {
        r->p += size;
    } else if (code != 0 && code < ' ' && replaces(r, ND_ORACLE_CONTROL)) {
        put(r, " ", 1);
        r->p += size;
    } else if (code == ND_UTF8_REPLACEMENT && replaces(r, ND_ORACLE_BYTES)) {
        put_code(r, code);
        r->p += size;
    } else {
        copy_to(r, r->p + size);
    }
}

static void rewrite_title(rewriter *r, const uint8_t *close) {
    while (r->p < close) {
        if (*r->p == '<' && replaces(r, ND_ORACLE_TITLE)) {
            put(r, "&lt;", 4);
            r->p++;
        } else if (*r->p == '&') {
            rewrite_reference(r);
        } else {
            rewrite_character(r);
        }
    }
}

/* The content of an element without markup: script and its like, and the title. */
static void rewrite_raw(rewriter *r, const nd_tag_token *tag) {
    uint32_t flags = nd_tags[tag->number].flags;
    const uint8_t *close = nd_tag_find_end(r->p, r->end, tag->number);
    if (close == NULL) {
        r->p = (flags & ND_TAG_RAW) != 0 && replaces(r, ND_ORACLE_OPEN) ? r->end : r->p;
    } else if ((flags & ND_TAG_TITLE) != 0) {
        rewrite_title(r, close);
    } else if (replaces(r, ND_ORACLE_RAW)) {
        r->p = close;
    } else {
        copy_to(r, close);
    }
}

/* From after the start tag of an object and its like to its end tag; the first end tag if the
 * elements inside are left open. */
static const uint8_t *find_nested_end(const rewriter *r, uint8_t number) {
    const uint8_t *last = NULL;
    size_t depth = 1;
    for (const uint8_t *p = r->p; p < r->end && depth > 0; p++) {
        nd_tag_token inner = {0};
        if (*p == '<' && nd_tag_is(p, r->end, number, true)) {
            last = p;
            depth--;
        } else if (*p == '<' && nd_tag_is(p, r->end, number, false)) {
            (void)nd_tag_read_portable(p, r->end, &inner);
            depth += !inner.self_closing;
        } else if (*p == '<' && r->end - p > 1 && p[1] == '!') {
            p = nd_tag_skip_comment(p, r->end) - 1;
        }
    }
    return depth == 0 ? last : nd_tag_find_end(r->p, r->end, number);
}

static void put_tag(rewriter *r, const nd_tag_token *tag, const uint8_t *after) {
    const uint8_t *name = r->p + (tag->is_end ? 2 : 1);
    size_t size = 0;
    while (name[size] != '>' && name[size] != '/' && (name[size] > ' ' || name[size] == 0)) {
        size++;
    }
    if (!replaces(r, ND_ORACLE_ATTRIBUTES)) {
        put(r, r->p, (size_t)(after - r->p));
    } else {
        put(r, "</", tag->is_end ? 2 : 1);
        put(r, name, size);
        put(r, tag->self_closing ? "/>" : ">", tag->self_closing ? 2 : 1);
    }
    r->p = after;
}

static void rewrite_tag(rewriter *r) {
    nd_tag_token tag = {0};
    const uint8_t *after = nd_tag_read_portable(r->p, r->end, &tag);
    if (after == NULL) {
        copy_to(r, replaces(r, ND_ORACLE_CUT) ? r->p : r->end);
        r->p = r->end;
        return;
    }
    uint32_t flags = nd_tags[tag.number].flags;
    bool has_content =
        !tag.is_end && !tag.self_closing && (flags & (ND_TAG_DROP | ND_TAG_TITLE)) != 0;
    bool is_lone = has_content && (flags & ND_TAG_RAW) == 0 &&
                   nd_tag_find_end(after, r->end, tag.number) == NULL;
    if (is_lone && replaces(r, ND_ORACLE_OPEN)) {
        put(r, " ", 1);
        r->p = after;
        return;
    }
    put_tag(r, &tag, after);
    put(r, " ", (flags & ND_TAG_FORMAT) == 0 && replaces(r, ND_ORACLE_IGNORED));
    if (has_content && (flags & ND_TAG_NESTING) == 0) {
        rewrite_raw(r, &tag);
    } else if (has_content && !is_lone && replaces(r, ND_ORACLE_NESTED)) {
        r->p = find_nested_end(r, tag.number);
    }
}

static bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void rewrite_markup(rewriter *r) {
    uint8_t next = r->end - r->p > 1 ? r->p[1] : ' ';
    uint8_t name = next == '/' && r->end - r->p > 2 ? r->p[2] : next;
    if (is_letter(name)) {
        rewrite_tag(r);
    } else if (next == '!' || next == '?' || next == '/') {
        const uint8_t *after = nd_tag_skip_comment(r->p, r->end);
        if (replaces(r, ND_ORACLE_COMMENT)) {
            r->p = after;
        } else {
            copy_to(r, after);
        }
    } else if (replaces(r, ND_ORACLE_LESS_THAN)) {
        put(r, "&lt;", 4);
        r->p++;
    } else {
        copy_to(r, r->p + 1);
    }
}

static void rewrite(nd_buffer *out, nd_span html, unsigned kinds) {
    out->size = 0;
    rewriter r = {out, kinds, html.data, html.data + html.size};
    while (r.p < r.end) {
        if (*r.p == '&') {
            rewrite_reference(&r);
        } else if (*r.p == '<') {
            rewrite_markup(&r);
        } else {
            rewrite_character(&r);
        }
    }
}

static nd_status compare_words(nd_oracle *oracle, nd_span html, bool *equal) {
    nd_status st = ND_OK;
    ND_TRY(nd_test_words_of_page(&oracle->ours, &oracle->page, html));
    ND_TRY(nd_test_words_by_libxml(&oracle->theirs, html));
    *equal = oracle->ours.size == oracle->theirs.size &&
             (oracle->ours.size == 0 ||
              memcmp(oracle->ours.data, oracle->theirs.data, oracle->ours.size) == 0);
out:
    return st;
}

static nd_status explain(nd_oracle *oracle, nd_span html, nd_oracle_kind *kind) {
    nd_status st = ND_OK;
    bool equal = false;
    unsigned all = (1U << ND_ORACLE_SEVERAL) - 1;
    for (*kind = ND_ORACLE_BYTES; *kind <= ND_ORACLE_SEVERAL; (*kind)++) {
        unsigned kinds = *kind == ND_ORACLE_SEVERAL ? all : 1U << *kind;
        rewrite(&oracle->rewritten, html, kinds);
        ND_TRY(compare_words(oracle, nd_buffer_span(&oracle->rewritten), &equal));
        if (equal) {
            break;
        }
    }
out:
    return st;
}

nd_status nd_oracle_compare(nd_oracle *oracle, const char *name, nd_span html) {
    nd_status st = ND_OK;
    bool equal = false;
    ND_TRY(compare_words(oracle, html, &equal));
    oracle->pages++;
    oracle->words += oracle->ours.size;
    oracle->equal += equal;
    if (!equal) {
        nd_oracle_kind kind = ND_ORACLE_UNEXPLAINED;
        ND_TRY(explain(oracle, html, &kind));
        if (oracle->differences[kind]++ == 0) {
            (void)snprintf(oracle->examples[kind], sizeof oracle->examples[kind], "%s", name);
        }
    }
out:
    return st;
}

static nd_status visit_file(void *context, const char *path) {
    nd_status st = ND_OK;
    nd_buffer file = {0};
    ND_TRY(nd_test_read_file(&file, path));
    ND_TRY(nd_oracle_compare(context, path, nd_buffer_span(&file)));
out:
    nd_buffer_free(&file);
    return st;
}

nd_status nd_oracle_walk(nd_oracle *oracle, const char *path) {
    return nd_test_walk_html(path, visit_file, oracle);
}

void nd_oracle_print(const nd_oracle *oracle, FILE *out) {
    double share = oracle->pages == 0 ? 0 : 100.0 * (double)oracle->equal / (double)oracle->pages;
    (void)fprintf(out, "%zu pages, %.2f MB of words; %zu pages with libxml2's words (%.3f %%)\n",
                  oracle->pages, (double)oracle->words / 1e6, oracle->equal, share);
    for (int kind = 0; kind < ND_ORACLE_KINDS; kind++) {
        if (oracle->differences[kind] > 0) {
            (void)fprintf(out, "%8zu  %-40s e.g. %s\n", oracle->differences[kind], kind_names[kind],
                          oracle->examples[kind]);
        }
    }
}

void nd_oracle_free(nd_oracle *oracle) {
    nd_page_free(&oracle->page);
    nd_buffer_free(&oracle->ours);
    nd_buffer_free(&oracle->theirs);
    nd_buffer_free(&oracle->rewritten);
    *oracle = (nd_oracle){0};
}
