/** \file tests/support/torn_source.h
 * Archives of pages, torn by an edit of a few bytes, in each form in which archives come; and what
 * must hold for all of them: no page but those that the edit has touched is lost or is another,
 * units give the same as the whole, and a walk meets each page. The edit is
 * the caller's.
 */
#ifndef ND_TESTS_SUPPORT_TORN_SOURCE_H
#define ND_TESTS_SUPPORT_TORN_SOURCE_H

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <stdbool.h>

/** How the records lie in the file. */
typedef enum nd_torn_form {
    ND_TORN_PLAIN,
    ND_TORN_GZIP_MEMBERS,
    ND_TORN_ZSTD_FRAMES,
    ND_TORN_GZIP_WHOLE,
    ND_TORN_ZSTD_WHOLE,
    ND_TORN_FORMS
} nd_torn_form;

/** What the names of their files end in, for WARC and ARC. */
const char *nd_torn_ending(nd_torn_form form, bool arc);

enum { ND_TORN_RECORDS = 12 };

/** A record: header, block and what parts it from the next. */
typedef struct nd_torn_record {
    nd_buffer bytes;
    size_t block_end; /**< of `bytes` */
    nd_buffer text;   /**< of its page */
    bool is_torn;     /**< an edit has touched header or block: it may be lost */
    bool is_wanted;   /**< its page is to be given all the same, whatever is in it */
} nd_torn_record;

typedef struct nd_torn_source {
    bool arc;
    nd_torn_record records[ND_TORN_RECORDS];
} nd_torn_source;

/** Make a source that is whole, of pages of up to `most_words` words. */
void nd_torn_make(nd_torn_source *source, bool arc, uint64_t most_words, nd_random *random);

/** Edit the bytes from `at` of the record's on: so many are removed, then `insert` put in. The edit
 * may go over into later records; what it removes there too is of the record. */
void nd_torn_edit(nd_torn_source *source, size_t record, size_t at, size_t removed, nd_span insert);

/** Append the file. */
void nd_torn_pack(const nd_torn_source *source, nd_torn_form form, nd_buffer *file);

/** Read it back.
 * \param[in] told  whether the reader must tell of bytes of no record, or of a record cut off
 * \return NULL, or what does not hold */
const char *nd_torn_check(const nd_torn_source *source, const char *path, uint64_t bytes,
                          bool told);

void nd_torn_free(nd_torn_source *source);

#endif
