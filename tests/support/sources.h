/** \file tests/support/sources.h
 * Archives and other inputs, written for a test, torn, or odd; and read in units.
 */
#ifndef ND_SUPPORT_SOURCES_H
#define ND_SUPPORT_SOURCES_H

#include "io/input/reader.h"
#include "src/base/buffer.h"
#include "src/base/util.h"
#include "tests/support/brief.h"

/* ---- Small writers of archives for the tests: records of WARC and ARC and lines of JSONL appended
 * to a buffer, members compressed by gzip or zstd, files written to the test folder. They check
 * nothing: a test that wants a bad record writes one. */

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

/** Write a file into the test folder. \return its path, in one of a few static buffers */
const char *nd_test_write(const char *name, nd_span bytes);

/** Read a whole file. \return empty if it cannot be read; the caller's to free */
nd_buffer nd_test_read(const char *path);

/** Append what follows the bytes of a kept file (io/store/own_file.h). \return its checksum */
uint64_t nd_test_seal(nd_buffer *bytes);

/* ---- What a reader makes of a source: a line of each page, and "! OFFSET REASON" of what it
 * skips.
 */

typedef struct nd_test_log {
    nd_buffer text; /**< the lines, and a zero byte */
    nd_reader_counts counts;
    nd_source_shape shape;
} nd_test_log;

/** Read a source. \param[in] options NULL: the usual ones; who is told of skips is replaced
 * \param[in] fields  of a page, in its line: k its kind, i its id, u its URL, t its text
 * \return ND_END, or what failed */
nd_status nd_test_log_source(const char *path, const nd_reader_options *options, const char *fields,
                             nd_test_log *log);

/** Write a source and read it: whether that gives these lines; else those that it gives are
 * printed. */
bool nd_test_logs(const char *name, nd_span bytes, const nd_reader_options *options,
                  const char *fields, const char *expected, nd_test_log *log);

void nd_test_log_free(nd_test_log *log);

/* ---- Archives of pages, torn by an edit of a few bytes, in each form in which archives come; and
 * what must hold for all of them: no page but those that the edit has touched is lost or is
 * another, units give the same as the whole, and a walk meets each page. The edit is the caller's.
 */

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

/* ---- Archives and lines that are good but odd, or damaged in one place, appended to a buffer: for
 * tests of those who read and copy sources. */

/** Pages in character sets that are known by a mark, by what is declared, or as UTF-8, of which
 * some bytes are in none. */
void nd_test_make_charsets(nd_buffer *file, nd_test_packing packing);

/** Frames that need a dictionary, which lies before them, itself raw or in a frame. */
void nd_test_make_with_dictionary(nd_buffer *file, nd_test_packing packing);

/** Records of which the one of this number is damaged, in one byte from its start on. */
void nd_test_make_damaged(nd_buffer *file, nd_test_packing packing, int number, size_t byte);

/** Three lines, of which the second is some 200 KiB long. */
void nd_test_make_long_line(nd_buffer *file);

/* ---- The pages of a source as text, easy to compare and to look at where they differ: those of a
 * range, and those of adjacent units that are checked against each other as a job does. What a
 * reader must keep for any source is looked at on the way; which pages there should be, the caller
 * knows. */

/** What may happen while a range is read. */
typedef enum nd_test_reading {
    ND_TEST_READ_GOOD,  /**< nothing: good records, from a true start */
    ND_TEST_READ_FAKE,  /**< the start may be false, so records may be skipped */
    ND_TEST_READ_DAMAGE /**< records whose start is spoilt also belong to the range before */
} nd_test_reading;

/** Append a page. */
void nd_test_print_page(nd_buffer *out, nd_content_kind content, nd_span id, nd_span url,
                        nd_span text);

/** Append the pages that start in [begin, end).
 * \param[in]  options      NULL: the usual ones; who is told of skips is replaced
 * \param[out] first, next  the chain of restart points
 * \return NULL, or what does not hold */
const char *nd_test_read_range(const char *path, uint64_t begin, uint64_t end,
                               const nd_reader_options *options, nd_test_reading how,
                               nd_buffer *out, uint64_t *first, uint64_t *next);

/** Append the pages of the units between `count` cuts, the first of which is 0 and the last the
 * size of the file: a unit that does not start where the chain says that the one before it ended is
 * read again from there. \param[out] again  units that were \return NULL, or what does not hold */
const char *nd_test_read_units(const char *path, const uint64_t *cuts, size_t count,
                               const nd_reader_options *options, bool damaged, nd_buffer *out,
                               unsigned *again);

/* ---- What is read of a whole source, as numbers. */

typedef struct nd_test_whole {
    bool opened; /**< if not, nd_fail_text() says why */
    nd_source_shape shape;
    nd_reader_counts counts;
    uint64_t *offsets; /**< by page: where it starts */
    uint64_t *pages;   /**< a hash of all of it */
    uint64_t *texts;   /**< of all but its id */
    size_t count, html;
    size_t capacity[3];
} nd_test_whole;

/** Read a source to its end; asserts that it ends well if it can be opened, and that the counts are
 * those of what was given. */
void nd_test_read_whole(const char *path, nd_test_whole *reading);

void nd_test_whole_free(nd_test_whole *reading);

#endif
