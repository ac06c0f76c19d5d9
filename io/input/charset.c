#include "io/input/charset.h"

#include "io/input/fields.h"
#include "io/input/utf8_repair.h"
#include "src/base/util.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <uchardet/uchardet.h>

/* Converters kept open: opening one costs more than converting a page, and a crawl of one country
 * has few charsets. */
enum { CONVERTERS = 8 };
/* Bytes that uchardet is shown: it runs at a third of the speed of everything else together. */
enum { DETECTOR_BYTES = 4096 };
/* A label is believed if at most one in so many non-ASCII bytes cannot be converted. */
enum { BELIEF = 16 };
/* An attempt of no use that took more is not kept for the next page. */
enum { SPARE_BYTES = 8 << 20 };
/* Room asked for at a time while converting. */
enum { OUTPUT_STEP = 4096 };

static const char REPLACEMENT[] = "\xEF\xBF\xBD";
/* What is left when nothing is known: never fails, and keeps the ASCII. */
static const nd_charset_name LAST_RESORT = {"CP1252"};
static const nd_charset_name UTF8 = {"UTF-8"};

typedef struct converter {
    nd_charset_name name;
    iconv_t handle;
    bool usable;
    uint64_t used; /* clock of the latest use, 0 if the slot is free */
} converter;

struct nd_charset {
    converter converters[CONVERTERS];
    uint64_t clock;
    uchardet_t detector;
    uint64_t limit;
    nd_buffer text[2]; /* the best text so far, and room for the next attempt */
};

nd_status nd_charset_open(uint64_t most, nd_charset **out) {
    nd_status st = ND_OK;
    nd_charset *charset = NULL;
    *out = NULL;
    nd_new(&charset, 1, sizeof *charset);
    charset->limit = most;
    charset->detector = uchardet_new();
    if (charset->detector == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a charset detector");
        goto out;
    }
    *out = charset;
    charset = NULL;
out:
    nd_charset_close(&charset);
    return st;
}

static void close_converter(converter *slot) {
    if (slot->usable) {
        (void)iconv_close(slot->handle);
    }
    *slot = (converter){0};
}

void nd_charset_close(nd_charset **charset) {
    if (*charset == NULL) {
        return;
    }
    for (size_t i = 0; i < CONVERTERS; i++) {
        close_converter(&(*charset)->converters[i]);
    }
    if ((*charset)->detector != NULL) {
        uchardet_delete((*charset)->detector);
    }
    nd_buffer_free(&(*charset)->text[0]);
    nd_buffer_free(&(*charset)->text[1]);
    free(*charset);
    *charset = NULL;
}

/* The converter of that name; one that iconv does not know stays in its slot as not usable. */
static nd_status find_converter(nd_charset *charset, const nd_charset_name *name,
                                converter **found) {
    converter *oldest = &charset->converters[0];
    charset->clock++;
    for (size_t i = 0; i < CONVERTERS; i++) {
        converter *slot = &charset->converters[i];
        if (slot->used > 0 && strcmp(slot->name.text, name->text) == 0) {
            slot->used = charset->clock;
            *found = slot;
            return ND_OK;
        }
        oldest = slot->used < oldest->used ? slot : oldest;
    }
    close_converter(oldest);
    const iconv_t handle = iconv_open("UTF-8", name->text);
    if (handle == (iconv_t)-1 && errno != EINVAL) { /* the page is not to blame */
        return nd_fail(errno == ENOMEM ? ND_ERR_MEMORY : ND_ERR_IO,
                       "the converter of charset %s cannot be opened: %s", name->text,
                       strerror(errno));
    }
    *oldest = (converter){
        .name = *name, .used = charset->clock, .handle = handle, .usable = handle != (iconv_t)-1};
    *found = oldest;
    return ND_OK;
}

/* Bytes to pass over where a character cannot be converted. */
static size_t unit_of(const nd_charset_name *name) {
    return strncmp(name->text, "UTF-16", 6) == 0   ? 2
           : strncmp(name->text, "UTF-32", 6) == 0 ? 4
                                                   : 1;
}

static nd_status convert(converter *with, nd_span bytes, uint64_t limit, nd_buffer *out,
                         uint64_t *replaced) {
    nd_status st = ND_OK;
    char *from = (char *)(uintptr_t)bytes.data;
    size_t left = bytes.size;
    const size_t unit = unit_of(&with->name);
    bool flushed = false;
    (void)iconv(with->handle, NULL, NULL, NULL, NULL);
    while (!flushed) {
        if (out->size > limit) {
            return ND_ERR_LIMIT;
        }
        nd_buffer_reserve(out, left + left / 2 + OUTPUT_STEP);
        char *to = (char *)out->data + out->size;
        size_t room = out->capacity - out->size;
        flushed = left == 0; /* some charsets hold the last character back until asked */
        const size_t result = flushed ? iconv(with->handle, NULL, NULL, &to, &room)
                                      : iconv(with->handle, &from, &left, &to, &room);
        const int error = result == (size_t)-1 ? errno : 0;
        out->size = out->capacity - room;
        if (error == EILSEQ || error == EINVAL) {
            const size_t passed = error == EINVAL ? left : (size_t)nd_min(left, unit);
            from += passed;
            left -= passed;
            ++*replaced;
            nd_buffer_append_text(out, REPLACEMENT);
        } else if (error == E2BIG) {
            flushed = false;
        } else if (error != 0) {
            st = nd_fail(ND_ERR_INTERNAL, "the converter of charset %s fails: %s", with->name.text,
                         strerror(error));
            goto out;
        }
    }
out:
    return st;
}

/* ---- which charset */

/* One conversion after another; the best one is kept. */
typedef struct attempt {
    nd_charset *charset;
    nd_span bytes;
    bool any;
    uint64_t replaced; /* in the best text so far */
    nd_charset_name name;
    nd_span text;
} attempt;

static void keep_if_better(attempt *best, const nd_charset_name *name, uint64_t replaced,
                           nd_span text) {
    if (best->any && replaced >= best->replaced) {
        return;
    }
    best->any = true;
    best->replaced = replaced;
    best->name = *name;
    best->text = text;
    if (text.data != best->bytes.data) {
        const nd_buffer spare = best->charset->text[0];
        best->charset->text[0] = best->charset->text[1];
        best->charset->text[1] = spare;
    }
}

static nd_status try_charset(attempt *best, nd_charset_name name) {
    nd_status st = ND_OK;
    nd_buffer *out = &best->charset->text[1];
    uint64_t replaced = 0;
    if (name.text[0] == '\0') {
        return ND_OK;
    }
    out->size = 0;
    if (strcmp(name.text, "UTF-8") == 0) {
        if (nd_utf8_valid_bytes(best->bytes) == best->bytes.size) {
            keep_if_better(best, &name, 0, best->bytes);
            return ND_OK;
        }
        ND_TRY(nd_utf8_repair_within(best->bytes, best->charset->limit, out, &replaced));
    } else {
        converter *with = NULL;
        ND_TRY(find_converter(best->charset, &name, &with));
        if (!with->usable) {
            return ND_OK;
        }
        ND_TRY(convert(with, best->bytes, best->charset->limit, out, &replaced));
    }
    keep_if_better(best, &name, replaced, nd_buffer_span(out));
out:
    return st;
}

static bool is_believable(const attempt *best) {
    uint64_t non_ascii = 0;
    if (!best->any || best->replaced == 0) {
        return best->any;
    }
    for (size_t i = 0; i < best->bytes.size; i++) {
        non_ascii += best->bytes.data[i] >> 7;
    }
    return best->replaced * BELIEF <= non_ascii;
}

/* Where there is no zero byte a label cannot mean UTF-16 or UTF-32, into which anything converts.
 * What is valid UTF-8 is no windows-1252, unless both are ASCII, whatever says so: browsers show
 * the wrong letters, but the same page under its right label is a copy. */
static nd_charset_name of_label(nd_span label, nd_span bytes) {
    nd_charset_name name = nd_charset_of_label(label);
    if (unit_of(&name) > 1 && memchr(bytes.data, 0, bytes.size) == NULL) {
        name = UTF8;
    }
    if (strcmp(name.text, "CP1252") == 0 && nd_utf8_valid_bytes(bytes) == bytes.size) {
        name = UTF8;
    }
    return name;
}

static nd_status detect(nd_charset *charset, nd_span bytes, nd_charset_name *detected) {
    size_t begin = 0;
    while (begin < bytes.size && bytes.data[begin] < 0x80 && bytes.data[begin] != 0x1b) {
        begin++; /* plain ASCII says nothing: spend the bytes on what does */
    }
    uchardet_reset(charset->detector);
    if (uchardet_handle_data(charset->detector, (const char *)bytes.data + begin,
                             nd_min(bytes.size - begin, DETECTOR_BYTES)) != 0) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a charset detector");
    }
    uchardet_data_end(charset->detector);
    const char *name = uchardet_get_charset(charset->detector);
    *detected = nd_charset_of_label((nd_span){(const uint8_t *)name, strlen(name)});
    return ND_OK;
}

/* The steps of the header's paragraph; each is left out once a believable text is there. */
static nd_status decide(attempt *best, nd_span label, bool markup) {
    nd_status st = ND_OK;
    ND_TRY(try_charset(best, of_label(label, best->bytes)));
    if (markup && !is_believable(best)) {
        ND_TRY(try_charset(best, of_label(nd_charset_declared(best->bytes), best->bytes)));
    }
    if (is_believable(best)) {
        goto out;
    }
    /* ISO-2022 is all ASCII but for its escapes, and so valid UTF-8 */
    if (nd_utf8_valid_bytes(best->bytes) == best->bytes.size &&
        memchr(best->bytes.data, 0x1b, best->bytes.size) == NULL) {
        ND_TRY(try_charset(best, UTF8));
    } else {
        nd_charset_name detected;
        ND_TRY(detect(best->charset, best->bytes, &detected));
        ND_TRY(try_charset(best, detected));
    }
    if (!best->any) {
        ND_TRY(try_charset(best, LAST_RESORT));
    }
out:
    return st;
}

nd_status nd_charset_to_utf8(nd_charset *charset, nd_span bytes, nd_span label, bool markup,
                             nd_span *text, nd_charset_name *name) {
    nd_status st = ND_OK;
    size_t mark_bytes = 0;
    const nd_charset_name marked = nd_charset_of_mark(bytes, &mark_bytes);
    attempt best = {.charset = charset, .bytes = nd_span_part(bytes, mark_bytes, bytes.size)};
    *text = (nd_span){0};
    if (best.bytes.size == 0) {
        goto out;
    }
    if (marked.text[0] != '\0') {
        ND_TRY(try_charset(&best, marked));
    } else {
        ND_TRY(decide(&best, label, markup));
    }
    *text = best.text;
out:
    if (charset->text[1].capacity > SPARE_BYTES) {
        nd_buffer_free(&charset->text[1]);
    }
    if (name != NULL) {
        *name = best.name;
    }
    return st;
}
