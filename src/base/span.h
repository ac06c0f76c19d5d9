/** \file src/base/span.h
 * A borrowed view of bytes.
 */
#ifndef ND_BASE_SPAN_H
#define ND_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Borrowed bytes; data may be NULL if size is 0. */
typedef struct nd_span {
    const uint8_t *data;
    size_t size;
} nd_span;

/** The end of the bytes; of a view without bytes what it has for data, which may be NULL: nothing
 * may be added to that, not even 0. */
static inline const uint8_t *nd_span_end(nd_span span) {
    return span.size == 0 ? span.data : span.data + span.size;
}

/** Bytes [begin, end) of a view; begin <= end <= span.size. */
static inline nd_span nd_span_part(nd_span span, size_t begin, size_t end) {
    return (nd_span){begin == 0 ? span.data : span.data + begin, end - begin};
}

/** Are the bytes the same? */
static inline bool nd_span_is_equal(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

#endif
