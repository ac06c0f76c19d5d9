#include "src/text/extract.h"

#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/text/scan.h"
#include "src/text/tag.h"
#include "src/text/text_variant.h"
#include "src/text/token.h"
#include "src/text/unicode.h"

#include <xxhash.h>

#include <stdbool.h>
#include <string.h>

/* ---- images: the URL of an image as a word of the page (Henzinger, US 2008/0044016): pages that
 * show different images differ. An image on another host is known by its whole URL; one on the
 * page's own host by its file name alone, so that a page mirrored with its images stays the same.
 * The word is made of letters only and stands for a hash of the URL or the name: any tokeniser
 * takes it for one token.
 *
 * URLs are resolved against the page's, or against that of the page's first base element, as far as
 * is needed to know the host. Dot segments ("a/../b") and escapes stay as they are; fragments are
 * dropped, and in a file name the query. Other attributes (srcset, data-src) are not looked at. */

/* State of one page; private. */
typedef struct image_terms {
    nd_span page_url; /* borrowed */
    uint64_t hash_seed;
    uint8_t host_memory[ND_SITE_HOST_SIZE];
    nd_span host;   /* the page's; empty: unknown */
    bool has_base;  /* a base element was there */
    nd_buffer base; /* what URLs are relative to if it has another host; else empty */
    nd_buffer url;  /* the present image's */
} image_terms;

/* A longer base is no URL, and would be copied for every image. */
enum { LONGEST_BASE = 8 << 10 };

static bool is_slash(uint8_t c) {
    return c == '/' || c == '\\'; /* as browsers read it */
}

/* ---- parts of a URL */

/* Bytes of "scheme:" in front of a URL; 0 if it has none. */
static size_t scheme_size(nd_span url) {
    size_t size = 0;
    while (size < url.size && (nd_scan_is_letter(url.data[size]) ||
                               (size > 0 && memchr("0123456789+-.", url.data[size], 13) != NULL))) {
        size++;
    }
    return size > 0 && size < url.size && url.data[size] == ':' ? size + 1 : 0;
}

/* Do two slashes stand there? */
static bool names_host(nd_span url, size_t at) {
    return url.size - at >= 2 && is_slash(url.data[at]) && is_slash(url.data[at + 1]);
}

/* Where the path begins: after "scheme://host", whichever of the two are there. */
static size_t path_begin(nd_span url) {
    size_t at = scheme_size(url);
    if (names_host(url, at)) {
        at += 2;
        while (at < url.size && !is_slash(url.data[at]) && url.data[at] != '?') {
            at++;
        }
    }
    return at;
}

/* The last segment of the path: a file's name. */
static nd_span last_segment(nd_span url) {
    size_t begin = path_begin(url);
    size_t end = begin;
    while (end < url.size && url.data[end] != '?') {
        end++;
        begin = is_slash(url.data[end - 1]) ? end : begin;
    }
    return (nd_span){url.data + begin, end - begin};
}

/* ---- cleaning */

static void append_code(nd_buffer *url, uint32_t code) {
    if (code != 0) {
        url->size += nd_utf8_write(url->data + url->size, code);
    }
}

/* Read a character reference; in attributes, names without a semicolon are text, mostly.
 * \return bytes read */
static size_t resolve_reference(const uint8_t *p, const uint8_t *end, nd_buffer *url) {
    uint32_t codes[2] = {'&', 0};
    const size_t size = nd_entity_read(p, end, codes);
    if (size == 0 || (p[1] != '#' && p[size - 1] != ';')) {
        url->data[url->size++] = '&';
        return 1;
    }
    append_code(url, codes[0]);
    append_code(url, codes[1]);
    return size;
}

/* Append an attribute's value to `url`: references read, white space at its ends and line breaks
 * and tabs in it dropped, without the fragment (URL Standard, 4.4). */
static void append_clean(nd_buffer *url, nd_span value) {
    enum { GROWTH = 3 }; /* a reference is at most twice as long as it was, or an invalid byte's */
    const size_t before = url->size;
    nd_buffer_reserve(url, value.size * GROWTH);
    const uint8_t *p = value.data;
    const uint8_t *end = value.size == 0 ? p : p + value.size;
    while (p < end && *p != '#') {
        if (*p == '&') {
            p += resolve_reference(p, end, url);
        } else if ((*p <= ' ' && url->size == before) || (nd_scan_is_space(*p) && *p != ' ')) {
            p++;
        } else {
            url->data[url->size++] = *p++;
        }
    }
    while (url->size > before && url->data[url->size - 1] <= ' ') {
        url->size--;
    }
}

/* Put bytes that lie elsewhere in front of a buffer's. */
static void prepend(nd_buffer *buffer, const uint8_t *bytes, size_t size) {
    nd_buffer_reserve(buffer, size);
    if (size > 0) {
        memmove(buffer->data + size, buffer->data, buffer->size);
        memcpy(buffer->data, bytes, size);
        buffer->size += size;
    }
}

/* ---- hosts */

/* Where a URL's host is the page's. \return whether it has a host at all */
static bool has_host(const image_terms *terms, nd_span url, bool *own) {
    uint8_t memory[ND_SITE_HOST_SIZE];
    const nd_span host = nd_site_host(url, memory);
    *own = host.size > 0 && host.size == terms->host.size &&
           memcmp(host.data, terms->host.data, host.size) == 0;
    return host.size > 0;
}

/* Give "//host/..." the scheme of what it is relative to. */
static void complete_scheme(nd_buffer *url, nd_span relative_to) {
    static const uint8_t usual[] = {'h', 't', 't', 'p', ':'};
    const size_t size = scheme_size(relative_to);
    prepend(url, size > 0 ? relative_to.data : usual, size > 0 ? size : sizeof usual);
}

/* Make terms->url absolute unless it is relative to the page. \param[out] own  on its own host? */
static void resolve(image_terms *terms, bool *own) {
    const nd_span url = nd_buffer_span(&terms->url);
    const nd_span base = nd_buffer_span(&terms->base);
    const bool absolute = scheme_size(url) > 0;
    *own = false;
    if (!absolute && names_host(url, 0)) {
        complete_scheme(&terms->url, base.size > 0 ? base : terms->page_url);
    } else if (!absolute && base.size > 0) {
        /* What it is relative to comes first: the base's host, or its folder. */
        const bool rooted = is_slash(url.data[0]);
        const size_t folder = (size_t)(last_segment(base).data - base.data);
        prepend(&terms->url, base.data, rooted ? path_begin(base) : folder);
    } else if (!absolute) {
        *own = true;
        return;
    }
    (void)has_host(terms, nd_buffer_span(&terms->url), own);
}

/* ---- terms */

/* Begin a page. \param[in] url  the page's, borrowed until the end; may be empty */
static void image_terms_start(image_terms *terms, nd_span url, uint64_t hash_seed) {
    terms->page_url = url;
    terms->hash_seed = hash_seed;
    terms->host = nd_site_host(url, terms->host_memory);
    terms->has_base = false;
    terms->base = (nd_buffer){0};
    terms->url = (nd_buffer){0};
}

/* Take the href of a base element, as it stands in the document; only the first counts. */
static void image_terms_base(image_terms *terms, nd_span href) {
    bool own = false;
    if (href.size == 0 || terms->has_base) {
        return;
    }
    terms->has_base = true;
    if (href.size > LONGEST_BASE) {
        return;
    }
    append_clean(&terms->base, href);
    if (names_host(nd_buffer_span(&terms->base), 0)) {
        complete_scheme(&terms->base, terms->page_url);
    }
    if (!has_host(terms, nd_buffer_span(&terms->base), &own) || own) {
        terms->base.size = 0; /* the page's own host: of its URLs only the file names count */
    }
}

void nd_hash_word(uint64_t hash, size_t letters, uint8_t *word) {
    for (size_t i = 0; i < letters; i++) {
        word[i] = (uint8_t)('a' + (hash >> 4 * i & 15));
    }
}

/* Write the word of an image.
 * \param[in]  src   as it stands in the document
 * \param[out] word  room for ND_IMAGE_TERM_SIZE bytes
 * \param[out] size  bytes written; 0 if the URL is empty or, on the own host, names no file */
static void image_terms_put(image_terms *terms, nd_span src, uint8_t *word, size_t *size) {
    bool own = false;
    *size = 0;
    terms->url.size = 0;
    append_clean(&terms->url, src);
    if (terms->url.size == 0) {
        return;
    }
    resolve(terms, &own);
    nd_span text = nd_buffer_span(&terms->url);
    for (size_t i = path_begin(text); i-- > 0;) { /* case does not count in scheme and host */
        terms->url.data[i] |= (uint8_t)(terms->url.data[i] - 'A') < 26 ? 0x20 : 0;
    }
    text = own ? last_segment(text) : text;
    if (text.size > 0) {
        const XXH64_hash_t hash = XXH3_64bits_withSeed(text.data, text.size, terms->hash_seed);
        memcpy(word, "img", 3);
        nd_hash_word(hash, ND_IMAGE_TERM_SIZE - 3, word + 3);
        *size = ND_IMAGE_TERM_SIZE;
    }
}

/* Free the state's memory. */
static void image_terms_free(image_terms *terms) {
    nd_buffer_free(&terms->base);
    nd_buffer_free(&terms->url);
}

/* ==== documents */

enum {
    /* Open elements kept; browsers stop nesting at 512 too. Deeper ones are not tracked. */
    DEEPEST = 512,
    /* A byte of input becomes at most three bytes of text (an invalid byte becomes U+FFFD). */
    EXPANSION = 3,
    /* Less text for readers without scripts only asks them to run scripts. */
    NOSCRIPT_BYTES = 1024
};

/* The state while a document is read. Text goes to page->text at `out`, which has room for all. */
typedef struct extractor {
    nd_page *page;
    const nd_text_variant *loops; /* the inner ones, for this machine */
    nd_scan scan; /* the next byte of the document; where its text goes, and whether that ends in
                     white space or at the beginning of a block so far */
    const uint8_t *end; /* of the document */
    uint8_t *block;     /* where the present block begins */
    bool in_title;
    size_t navigation, main, beside, apart; /* open elements that are so */
    uint8_t *link;      /* where the open link's text begins in this block; NULL: no link is open */
    size_t link_depth;  /* elements that were open when it began */
    size_t link_bytes;  /* of the block's earlier links */
    size_t link_tokens; /* likewise */
    size_t depth;       /* open elements */
    uint8_t open[DEEPEST];     /* numbers in nd_tags */
    uint32_t purpose[DEEPEST]; /* what they are for: ND_TAG_MAIN, ... */
    bool no_end_tag[256];      /* per number in nd_tags: none from here on */
    bool unbalanced[256];  /* per number: not all are closed, so none is looked for in another */
    image_terms *images;   /* NULL: images are no text */
    bool asks_beside;      /* for ND_BLOCK_BESIDE */
    bool beside_first;     /* no block has ended since an outermost such element began */
    bool takes_noscript;   /* its content is text; else it is dropped, and */
    size_t noscript_bytes; /* so many bytes of it are text, about */
} extractor;

/* ---- text */

static void put_space(extractor *x) {
    if (!x->scan.after_space) {
        *x->scan.out++ = ' ';
        x->scan.after_space = true;
    }
}

static void put_code(extractor *x, uint32_t code) {
    if (code == 0) {
        return; /* NUL is no text; nor is a missing second code point */
    }
    if (nd_unicode(code)->class == ND_UNICODE_SPACE) {
        put_space(x);
    } else {
        x->scan.out += nd_utf8_write(x->scan.out, code);
        x->scan.after_space = false;
    }
}

/* Count the open link's text in this block, if there is one. */
static void count_link(extractor *x) {
    if (x->link != NULL) {
        nd_span text = {x->link, (size_t)(x->scan.out - x->link)};
        x->link_bytes += text.size;
        x->link_tokens += nd_token_count(text);
    }
}

static nd_status end_block(extractor *x) {
    uint8_t *end = x->scan.after_space && x->scan.out > x->block ? x->scan.out - 1 : x->scan.out;
    size_t size = (size_t)(end - x->block);
    count_link(x);
    nd_page *page = x->page;
    if (page->most_sentences > 0 && page->block_count >= page->most_sentences) {
        page->too_many_tokens = false;
        return nd_fail(ND_ERR_LIMIT, "page of more than %llu blocks",
                       (unsigned long long)page->most_sentences);
    }
    nd_grow(&page->blocks, &page->block_capacity, page->block_count + 1, sizeof *page->blocks);
    if (size > 0) {
        uint32_t begin = (uint32_t)(x->block - page->text.data);
        const uint32_t flags =
            (x->in_title ? ND_BLOCK_TITLE : 0U) | (x->navigation > 0 ? ND_BLOCK_NAVIGATION : 0U) |
            (x->main > 0 ? ND_BLOCK_MAIN : 0U) | (x->beside > 0 ? ND_BLOCK_BESIDE : 0U) |
            (x->beside > 0 && x->beside_first ? ND_BLOCK_BESIDE_FIRST : 0U) |
            (x->apart > 0 ? ND_BLOCK_APART : 0U);
        x->beside_first = false;
        page->blocks[page->block_count++] = (nd_block){
            .begin = begin,
            .end = begin + (uint32_t)size,
            .link_bytes = (uint32_t)nd_min(x->link_bytes, size),
            .link_tokens = (uint32_t)x->link_tokens,
            .flags = flags,
        };
        *end++ = '\n';
        x->scan.out = end;
    }
    x->block = x->scan.out;
    x->link_bytes = 0;
    x->link_tokens = 0;
    x->link = x->link != NULL ? x->scan.out : NULL;
    x->scan.after_space = true;
    return ND_OK;
}

/* Copy text up to `limit` or to the next '<' or '&', white space collapsed. */
static void copy_text(extractor *x, const uint8_t *limit) {
    while (x->scan.in < limit) {
        x->loops->scan(&x->scan, limit);
        if (x->scan.in == limit || *x->scan.in == '<' || *x->scan.in == '&') {
            return;
        }
        uint32_t code = 0;
        x->scan.in += nd_utf8_read(x->scan.in, limit, &code);
        put_code(x, code);
    }
}

static void read_reference(extractor *x, const uint8_t *limit) {
    uint32_t codes[2] = {'&', 0};
    size_t size = nd_entity_read(x->scan.in, limit, codes);
    x->scan.in += size == 0 ? 1 : size;
    put_code(x, codes[0]);
    put_code(x, codes[1]);
}

/* ---- open elements */

static void close_link(extractor *x) {
    count_link(x);
    x->link = NULL;
}

/* Close the open elements from number `depth` on, and a link that began inside them. */
static void close_elements(extractor *x, size_t depth) {
    while (x->depth > depth) {
        x->depth--;
        const uint32_t purpose = x->purpose[x->depth];
        x->navigation -= (purpose & ND_TAG_NAVIGATION) != 0;
        x->main -= (purpose & ND_TAG_MAIN) != 0;
        x->beside -= (purpose & ND_TAG_BESIDE) != 0;
        x->apart -= (purpose & ND_TAG_APART) != 0;
    }
    if (x->link_depth > depth) {
        close_link(x);
    }
}

/* Close the innermost open element of that name and all inside it; do nothing if none is open. */
static void close_named(extractor *x, uint8_t number) {
    for (size_t i = x->depth; i > 0; i--) {
        if (x->open[i - 1] == number) {
            close_elements(x, i - 1);
            return;
        }
        if ((nd_tags[x->open[i - 1]].flags & ND_TAG_SCOPE) != 0) {
            return;
        }
    }
}

/* ---- tags */

/* The next end tag of that name; NULL if there is none. That there is none is kept, so that many
 * elements left open do not make the extraction quadratic. */
static const uint8_t *next_end_tag(extractor *x, uint8_t number) {
    if (x->no_end_tag[number]) {
        return NULL;
    }
    const uint8_t *tag = nd_tag_find_end(x->scan.in, x->end, number);
    x->no_end_tag[number] = tag == NULL;
    return tag;
}

/* The end of the tag at p. */
static const uint8_t *skip_tag(const extractor *x, const uint8_t *p, nd_tag_token *tag) {
    p = x->loops->read_tag(p, x->end, tag);
    return p == NULL ? x->end : p;
}

/* The end of the end tag that closes the element whose content is at x->scan.in, where elements of
 * its name may stand inside; NULL if too few are closed. */
static const uint8_t *skip_nesting(const extractor *x, uint8_t number) {
    const uint8_t *p = x->scan.in;
    for (size_t depth = 1; depth > 0 && (p = memchr(p, '<', (size_t)(x->end - p))) != NULL;) {
        nd_tag_token inner = {0};
        if (nd_tag_is(p, x->end, number, true)) {
            p = skip_tag(x, p, &inner);
            depth--;
        } else if (nd_tag_is(p, x->end, number, false)) {
            p = skip_tag(x, p, &inner);
            depth += !inner.self_closing;
        } else {
            p = x->end - p > 1 && p[1] == '!' ? nd_tag_skip_comment(p, x->end) : p + 1;
        }
    }
    return p;
}

/* How many bytes of text, white space not counted, stand in a piece of the document; character
 * references count as they are written. */
static size_t text_bytes(const extractor *x, const uint8_t *p, const uint8_t *end) {
    size_t bytes = 0;
    while (p < end) {
        const uint8_t *tag = memchr(p, '<', (size_t)(end - p));
        tag = tag == NULL ? end : tag;
        for (; p < tag; p++) {
            bytes += *p > ' ';
        }
        if (!nd_tag_begins(p, end)) {
            const bool comment = end - p >= 2 && (p[1] == '/' || p[1] == '!' || p[1] == '?');
            p = comment ? nd_tag_skip_comment(p, end) : p + (p < end);
            continue;
        }
        nd_tag_token read = {0};
        const uint8_t *after = x->loops->read_tag(p, end, &read);
        const bool raw = (read.flags & ND_TAG_RAW) != 0 && !read.is_end && after != NULL;
        after = raw ? nd_tag_find_end(after, end, read.number) : after;
        p = after == NULL ? end : after;
    }
    return bytes;
}

/* Skip the content of a dropped element whose start tag has just been read, with its end tag. Left
 * open, script and style reach to the end; any other is taken for a lone tag. Where elements inside
 * are left open, it ends with the first end tag, so that it does not take the rest of the page. */
static void skip_element(extractor *x, uint8_t number) {
    uint32_t flags = nd_tags[number].flags;
    nd_tag_token tag = {0};
    const uint8_t *begin = x->scan.in;
    const uint8_t *close = next_end_tag(x, number);
    if (close == NULL) {
        x->scan.in = (flags & ND_TAG_RAW) != 0 ? x->end : x->scan.in;
        return;
    }
    bool nests = (flags & ND_TAG_NESTING) != 0 && !x->unbalanced[number];
    const uint8_t *after = nests ? skip_nesting(x, number) : skip_tag(x, close, &tag);
    x->unbalanced[number] = x->unbalanced[number] || after == NULL;
    x->scan.in = after == NULL ? skip_tag(x, close, &tag) : after;
    if ((flags & ND_TAG_NOSCRIPT) != 0) {
        x->noscript_bytes += text_bytes(x, begin, close);
    }
}

/* The title's content has character references but no tags. Without an end tag it ends at the next
 * tag, so that the page is not taken for its title. */
static nd_status read_title(extractor *x, uint8_t number) {
    const uint8_t *limit = next_end_tag(x, number);
    if (limit == NULL) {
        limit = memchr(x->scan.in, '<', (size_t)(x->end - x->scan.in));
    }
    limit = limit == NULL ? x->end : limit;
    x->in_title = true;
    while (x->scan.in < limit) {
        copy_text(x, limit);
        if (x->scan.in < limit && *x->scan.in == '&') {
            read_reference(x, limit);
        } else if (x->scan.in < limit) {
            put_code(x, *x->scan.in++);
        }
    }
    nd_status st = end_block(x);
    x->in_title = false;
    return st;
}

/* Open the element of the start tag at `begin`. */
static void open_element(extractor *x, const uint8_t *begin, const nd_tag_token *tag) {
    const bool whole = (tag->flags & ND_TAG_PAGE) != 0; /* what is said of all says nothing */
    const uint32_t purpose =
        (tag->flags | (whole ? 0 : nd_tag_purpose(begin, x->scan.in, x->asks_beside))) &
        (x->asks_beside ? ~0U : ~(uint32_t)ND_TAG_BESIDE);
    x->open[x->depth] = tag->number;
    x->purpose[x->depth++] = purpose;
    x->navigation += (purpose & ND_TAG_NAVIGATION) != 0;
    x->main += (purpose & ND_TAG_MAIN) != 0;
    x->beside_first = x->beside_first || (x->beside == 0 && (purpose & ND_TAG_BESIDE) != 0);
    x->beside += (purpose & ND_TAG_BESIDE) != 0;
    x->apart += (purpose & ND_TAG_APART) != 0;
}

static nd_status handle_start(extractor *x, const uint8_t *begin, const nd_tag_token *tag) {
    nd_status st = ND_OK;
    uint32_t flags = tag->flags;
    if ((flags & ND_TAG_LINK) != 0) {
        close_link(x);
        if (tag->has_href) {
            x->link = x->scan.out;
            x->link_depth = x->depth;
        }
    } else if ((flags & ND_TAG_NOSCRIPT) != 0 && x->takes_noscript) {
        st = end_block(x);
    } else if ((flags & ND_TAG_DROP) != 0 && !tag->self_closing) {
        skip_element(x, tag->number);
    } else if ((flags & ND_TAG_TRACKED) != 0) {
        if ((flags & ND_TAG_EXCLUSIVE) != 0) {
            close_named(x, tag->number);
        }
        if (x->depth < DEEPEST) {
            open_element(x, begin, tag);
        }
    } else if ((flags & ND_TAG_TITLE) != 0 && !tag->self_closing) {
        st = read_title(x, tag->number);
    }
    return st;
}

/* Put the image's term in place of the start tag at `begin`, or take the base's URL. */
static void read_url(extractor *x, const uint8_t *begin, uint32_t flags) {
    if ((flags & ND_TAG_BASE) != 0) {
        image_terms_base(x->images, nd_tag_attribute(begin, x->end, "href"));
        return;
    }
    /* "<img src=x>" has room for the term: EXPANSION times its size */
    size_t size = 0;
    image_terms_put(x->images, nd_tag_attribute(begin, x->end, "src"), x->scan.out, &size);
    if (size > 0) {
        x->scan.out += size;
        x->scan.after_space = false;
        put_space(x);
    }
}

/* What a tag does that stood from `begin` to before x->scan.in. */
static nd_status handle_tag(extractor *x, const uint8_t *begin, const nd_tag_token *tag) {
    nd_status st = ND_OK;
    const uint32_t flags = tag->flags;
    if ((flags & ND_TAG_BREAK) != 0) {
        ND_TRY(end_block(x));
    } else if ((flags & ND_TAG_FORMAT) == 0) {
        put_space(x);
    }
    if (!tag->is_end) {
        const bool is_url = x->images != NULL && (flags & (ND_TAG_IMAGE | ND_TAG_BASE)) != 0;
        if (is_url) {
            read_url(x, begin, flags);
        } else {
            ND_TRY(handle_start(x, begin, tag));
        }
    } else if ((flags & ND_TAG_LINK) != 0) {
        close_link(x);
    } else if ((flags & ND_TAG_NOSCRIPT) != 0 && x->takes_noscript) {
        st = end_block(x);
    } else if ((flags & ND_TAG_PAGE) != 0) {
        close_elements(x, 0);
    } else if ((flags & ND_TAG_TRACKED) != 0) {
        close_named(x, tag->number);
    }
out:
    return st;
}

/* ---- documents */

static const uint8_t byte_order_mark[] = {0xEF, 0xBB, 0xBF};

static nd_status start(extractor *x, nd_page *page, nd_span input) {
    if (input.size > ND_EXTRACT_LIMIT) {
        return nd_fail(ND_ERR_LIMIT, "a page of %zu bytes; the limit is %zu", input.size,
                       ND_EXTRACT_LIMIT);
    }
    if (input.size >= sizeof byte_order_mark &&
        memcmp(input.data, byte_order_mark, sizeof byte_order_mark) == 0) {
        input.data += sizeof byte_order_mark;
        input.size -= sizeof byte_order_mark;
    }
    page->text.size = 0;
    page->block_count = 0;
    nd_buffer_reserve(&page->text, input.size * EXPANSION + ND_SCAN_SLACK);
    x->page = page;
    x->loops = nd_text_variant_in_use();
    x->scan.in = input.data;
    x->end = input.size == 0 ? x->scan.in : x->scan.in + input.size;
    x->scan.out = page->text.data;
    x->block = x->scan.out;
    x->scan.after_space = true;
    return ND_OK;
}

static nd_status finish(extractor *x) {
    nd_status st = end_block(x);
    x->page->text.size = (size_t)(x->scan.out - x->page->text.data);
    return st;
}

/* \param[out] noscript_bytes  about so many bytes of text are dropped with noscript elements */
static nd_status extract(nd_page *page, nd_span html, const nd_html_options *options,
                         bool takes_noscript, size_t *noscript_bytes) {
    image_terms images;
    extractor x = {.images = options != NULL && options->images ? &images : NULL,
                   .asks_beside = options != NULL && options->beside,
                   .takes_noscript = takes_noscript};
    nd_status st = ND_OK;
    if (x.images != NULL) {
        image_terms_start(&images, options->url, page->hash_seed);
    }
    ND_TRY(start(&x, page, html));
    while (x.scan.in < x.end) {
        nd_tag_token tag;
        const uint8_t *begin = x.loops->next_tag(&x.scan, x.end, &tag);
        if (begin != NULL) {
            ND_TRY(handle_tag(&x, begin, &tag));
            continue;
        }
        /* What is neither plain text nor a tag. */
        const uint8_t *p = x.scan.in;
        if (p == x.end) {
            break;
        }
        if (*p == '&') {
            read_reference(&x, x.end);
        } else if (*p == '<' && x.end - p >= 2 && (p[1] == '/' || p[1] == '!' || p[1] == '?')) {
            x.scan.in = nd_tag_skip_comment(p, x.end);
        } else {
            uint32_t code = 0;
            x.scan.in += nd_utf8_read(p, x.end, &code);
            put_code(&x, code);
        }
    }
    ND_TRY(finish(&x));
    *noscript_bytes = x.noscript_bytes;
out:
    if (x.images != NULL) {
        image_terms_free(&images);
    }
    return st;
}

/* No script is run here: where most of a page stands in noscript, that is the page. */
nd_status nd_extract_html(nd_page *page, nd_span html, const nd_html_options *options) {
    nd_status st = ND_OK;
    size_t noscript_bytes = 0;
    ND_TRY(extract(page, html, options, false, &noscript_bytes));
    if (noscript_bytes >= nd_max(page->text.size, NOSCRIPT_BYTES)) {
        ND_TRY(extract(page, html, options, true, &noscript_bytes));
    }
out:
    return st;
}

nd_status nd_extract_text(nd_page *page, nd_span text) {
    extractor x = {0};
    nd_status st = ND_OK;
    ND_TRY(start(&x, page, text));
    while ((x.scan.in = nd_scan_skip_space(x.scan.in, x.end)) < x.end) {
        const uint8_t *limit = x.loops->paragraph_end(x.scan.in, x.end);
        while (x.scan.in < limit) {
            copy_text(&x, limit);
            if (x.scan.in < limit) {
                put_code(&x, *x.scan.in++); /* '<' and '&' are text here */
            }
        }
        ND_TRY(end_block(&x));
    }
    ND_TRY(finish(&x));
out:
    return st;
}
