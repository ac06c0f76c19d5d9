/** \file src/synth/text_writer.h
 * Text put together piece by piece. The first failure is kept and later pieces are dropped, so that
 * code that writes a page asks once, at its end, whether all went well.
 */
#ifndef ND_SYNTH_TEXT_WRITER_H
#define ND_SYNTH_TEXT_WRITER_H

#include "src/base/buffer.h"

#include <string.h>

/** All zero is valid and empty. */
typedef struct nd_text_writer {
    nd_buffer text; /**< owned */
    nd_status status;
} nd_text_writer;

/** Forget the text, keep its memory. */
static inline void nd_text_clear(nd_text_writer *writer) {
    writer->text.size = 0;
    writer->status = ND_OK;
}

/** Room for `size` more bytes; NULL, and the failure is kept, if there is none. */
static inline uint8_t *nd_text_room(nd_text_writer *writer, size_t size) {
    if (writer->status == ND_OK && writer->text.capacity - writer->text.size < size) {
        writer->status = nd_buffer_reserve(&writer->text, size);
    }
    return writer->status == ND_OK ? writer->text.data + writer->text.size : NULL;
}

static inline void nd_text_bytes(nd_text_writer *writer, const void *bytes, size_t size) {
    uint8_t *room = nd_text_room(writer, size);
    if (room != NULL && size > 0) {
        memcpy(room, bytes, size);
        writer->text.size += size;
    }
}

static inline void nd_text_put(nd_text_writer *writer, const char *text) {
    nd_text_bytes(writer, text, strlen(text));
}

static inline void nd_text_span(nd_text_writer *writer, nd_span text) {
    nd_text_bytes(writer, text.data, text.size);
}

/** A number in decimal, with zeros before it up to `digits`. */
static inline void nd_text_number(nd_text_writer *writer, uint64_t number, int digits) {
    char decimal[20];
    size_t at = sizeof decimal;
    do {
        decimal[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || (int)(sizeof decimal - at) < digits);
    nd_text_bytes(writer, decimal + at, sizeof decimal - at);
}

static inline void nd_text_free(nd_text_writer *writer) {
    nd_buffer_free(&writer->text);
    writer->status = ND_OK;
}

#endif
