/** \file io/result/result_pages.h
 * Pages and sets of a result file as rows: blocks of consecutive pages with all their columns, and
 * the members of a set. For commands that read a result, opened by nd_result_open(); nothing is
 * written. What is read may be used as it is: numbers of sets, pages, sources and collections are
 * of rows that there are, offsets ascend and similarities are of [0, 1]; a file in which they do
 * not is refused with ND_ERR_FORMAT. That rows agree with each other is checked only by
 * nd_result_check_partition() and io/result/result_check.h.
 */
#ifndef ND_IO_RESULT_RESULT_PAGES_H
#define ND_IO_RESULT_RESULT_PAGES_H

#include "io/result/result_schema.h"
#include "io/store/page_claim.h"
#include "src/base/buffer.h"

/** Pages [begin, begin + count), column by column; owned, reused by the next read. */
typedef struct nd_page_rows {
    uint64_t begin;
    uint64_t count;
    uint64_t *set, *link, *exact_of, *offset, *id_offset, *url_offset;
    uint64_t *revisit_of; /**< the page that a revisit is of, itself: that is not there; others:
                               ND_NO_REVISIT */
    uint64_t *checksum;   /**< of the record (io/input/reader.h); 0: the result does not say */
    uint64_t *date;       /**< seconds since 1970 UTC; 0: unknown, or the result does not say */
    float *similarity, *link_similarity;
    float *certainty; /**< 0 where the result does not say */
    uint32_t *tokens, *source;
    uint16_t *collection;
    uint16_t *subject; /**< of its address (src/text/address.h); 0 where the result does not say */
    uint8_t *thin;     /**< 1: hardly any text of its own; 0 where the result does not say */
    uint8_t *form;     /**< 1: a form filled with other data; likewise */
    nd_buffer ids, urls;
    uint64_t capacity;
} nd_page_rows;

/** Read pages [begin, begin + count) into `rows`. */
nd_status nd_page_rows_read(const nd_result *result, uint64_t begin, uint64_t count,
                            nd_page_rows *rows);

/** Id and URL of the i-th page of the block, borrowed. */
nd_span nd_page_rows_id(const nd_page_rows *rows, uint64_t i);
nd_span nd_page_rows_url(const nd_page_rows *rows, uint64_t i);

void nd_page_rows_free(nd_page_rows *rows);

/** Texts of a column, all at once. */
typedef struct nd_text_column {
    uint64_t *offset;
    uint8_t *bytes;
    uint64_t count;
} nd_text_column;
nd_status nd_text_column_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, nd_text_column *column);
nd_span nd_text_column_at(const nd_text_column *column, uint64_t row);
void nd_text_column_free(nd_text_column *column);

/** Is a text of row `row` of a column a name, which may be used as a C string once a NUL is put
 * after it? \return ND_OK, or ND_ERR_FORMAT if it holds a NUL */
nd_status nd_result_check_name(const nd_result *result, const char *bytes_name, uint64_t row,
                               nd_span name);

/** The paths of all sources, and the names of all collections: texts that may be used as C strings
 * once a NUL is put after them. \return as nd_text_column_read(); ND_ERR_FORMAT if one holds a NUL
 */
nd_status nd_source_paths_read(const nd_result *result, nd_text_column *paths);
nd_status nd_collection_names_read(const nd_result *result, nd_text_column *names);

/** Offsets of sets [begin, begin + count) in /sets/member, count + 1 numbers: no set is empty. */
nd_status nd_result_set_offsets(const nd_result *result, uint64_t begin, uint64_t count,
                                uint64_t *offsets);

/** Members [begin, begin + count) of /sets/member. */
nd_status nd_result_member_rows(const nd_result *result, uint64_t begin, uint64_t count,
                                uint64_t *members);

/** Members of set `set`, the representative first; the caller's to free(). */
nd_status nd_result_members(const nd_result *result, uint64_t set, uint64_t **members,
                            uint64_t *count);

/** What is done with each row of /sets/member; `first` is true for representatives. */
typedef void (*nd_take_member)(void *context, uint64_t set, uint64_t page, bool first);

/** Walk over all members of all sets, in their order. */
nd_status nd_result_walk_sets(const nd_result *result, nd_take_member take, void *context);

/** The representative of the set of page `page`. */
nd_status nd_result_representative(const nd_result *result, uint64_t page,
                                   uint64_t *representative);

/** Representatives of all sets; the caller's to free(), NULL on failure. */
nd_status nd_result_representatives(const nd_result *result, uint64_t **representatives);

/** Are /pages/set and /sets one and the same partition, every page a member of its set and of no
 * other? Reads both once and keeps nothing; a file that only pretends is found out but for a chance
 * of 1 in 2^64. \return ND_OK; ND_ERR_FORMAT if they are not; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_check_partition(const nd_result *result);

#endif
