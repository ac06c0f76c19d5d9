/** \file tests/support/warc_writer.h
 * Small writers of archives for the tests: records of WARC and ARC and lines of JSONL appended to a
 * buffer, members compressed by gzip or zstd, files written to the test folder. They check nothing:
 * a test that wants a bad record writes one.
 */
#ifndef ND_TESTS_WARC_WRITER_H
#define ND_TESTS_WARC_WRITER_H

#include "src/base/buffer.h"

#include <stdbool.h>

typedef enum nd_test_packing {
    ND_TEST_PLAIN,
    ND_TEST_GZIP,        /**< a member per record, by zlib */
    ND_TEST_GZIP_STORED, /**< the same, stored, so that the content shows in the file */
    ND_TEST_ZSTD         /**< a frame per record */
} nd_test_packing;

/** Append bytes as they are or as one member. Stops the test program if memory runs out. */
void nd_test_pack(nd_buffer *file, nd_test_packing packing, nd_span bytes);

/** Stops the test program unless it is ND_OK. */
void nd_test_must(nd_status status);

/** printf to the end of a buffer. */
void nd_test_print(nd_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Append one WARC record, with both line ends after it. */
void nd_test_warc_record(nd_buffer *out, const char *type, const char *url, const char *id,
                         const char *content_type, nd_span block);

/** Append one ARC record, with the line end after it. */
void nd_test_arc_record(nd_buffer *out, const char *url, const char *content_type, nd_span block);

/** Append an HTTP response. \param[in] headers lines with CRLF, or "" */
void nd_test_http(nd_buffer *out, int status, const char *content_type, const char *headers,
                  nd_span body);

/** Append a WACZ, a zip archive of stored parts, with numbers of 64 bits where `wide`. */
void nd_test_wacz(nd_buffer *out, const char *const *names, const nd_span *parts, size_t count,
                  bool wide);

/** The text as bytes. */
nd_span nd_test_span(const char *text);

/** Write a file into the test folder. \return its path, in one of a few static buffers */
const char *nd_test_write(const char *name, nd_span bytes);

/** Read a whole file. \return empty if it cannot be read; the caller's to free */
nd_buffer nd_test_read(const char *path);

#endif
