/** \file io/result/result_read.h
 * A result file read as rows: pages and sets, pairs, the inputs, and what was learned of sites.
 * For commands that read a result, opened by nd_result_open(); nothing is written. What is read
 * may be used as it is: numbers are of rows that there are, and a file in which they are not is
 * refused with ND_ERR_FORMAT. That rows agree with each other is checked only by
 * nd_result_check_partition() and io/result/result_check.h.
 */
#ifndef ND_RESULT_RESULT_READ_H
#define ND_RESULT_RESULT_READ_H

#include "io/input/reread.h"
#include "io/input/sniff.h"
#include "io/result/result_schema.h"
#include "io/store/page_claim.h"
#include "src/base/buffer.h"

/* ---- pages and sets: blocks of consecutive pages with all their columns, and the members of a
 * set. Numbers of sets, pages, sources and collections are of rows that there are, offsets
 * ascend and similarities are of [0, 1]. */

/** Pages [begin, begin + count), column by column; owned, reused by the next read. */
typedef struct nd_page_rows {
    uint64_t begin;
    uint64_t count;
    uint64_t *set, *link, *exact_of, *offset, *id_offset, *url_offset;
    uint64_t *revisit_of; /**< the page that a revisit is of, itself: that is not there; others:
                               ND_NO_REVISIT */
    uint64_t *checksum;   /**< of the record (io/input/reader.h) */
    uint64_t *date;       /**< seconds since 1970 UTC; 0: unknown */
    float *similarity, *link_similarity;
    float *certainty;
    uint32_t *tokens, *source;
    uint16_t *collection;
    uint16_t *subject; /**< of its address (src/text/address.h) */
    uint8_t *thin;     /**< 1: hardly any text of its own */
    uint8_t *form;     /**< 1: a form filled with other data */
    nd_buffer ids, urls;
    uint64_t capacity;
} nd_page_rows;

/** Read pages [begin, begin + count) into `rows`. */
nd_status nd_page_rows_read(const nd_result *result, uint64_t begin, uint64_t count,
                            nd_page_rows *rows);

/** Have `page` among the rows: those at hand, or a block of at most so many around it. */
nd_status nd_page_rows_around(const nd_result *result, uint64_t page, uint64_t most,
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

/* ---- The pairs of pages of a result file, block by block in their order, for commands that read a
 * result which keeps them: those that were verified, or those of which one is contained in the
 * other. Nothing is written, and pages are numbers here. */

/** The columns of a table of pairs, in the order of (a, b). */
typedef struct nd_pair_columns {
    const char *group, *a, *b, *similarity;
    bool directed;   /**< the pages differ; else a < b */
    const char *how; /**< a run is asked for them */
} nd_pair_columns;

extern const nd_pair_columns nd_verified_columns;  /**< /pairs */
extern const nd_pair_columns nd_contained_columns; /**< /contained: page, container, share */

/** Not collective, as all that follow. Find the pair among the rows, by a binary search.
 * \param[out] found       false: it is none of them
 * \param[out] similarity  if it is \return as nd_result_read() */
nd_status nd_pair_find(const nd_result *result, const nd_pair_columns *columns, uint64_t a,
                       uint64_t b, bool *found, float *similarity);

/** A block of consecutive pairs, column by column; nd_pair_rows_open() first. Everything is owned;
 * all zero may be freed. */
typedef struct nd_pair_rows {
    const nd_result *result; /**< borrowed */
    const nd_pair_columns *columns;
    uint64_t pages;     /**< of the result */
    uint64_t total;     /**< pairs of the result */
    uint64_t next;      /**< the first pair that was not read yet */
    uint64_t count;     /**< of this block */
    uint64_t *a, *b;    /**< page numbers, as `columns` says */
    uint64_t before[2]; /**< the last pair of the block before */
    float *similarity;
} nd_pair_rows;

/** Does the result, opened by nd_result_open(), keep its verified pairs? */
bool nd_result_keeps_pairs(const nd_result *result);

/** Before the first block. \return ND_OK; ND_ERR_FORMAT with a text that says how to keep them if
 * the result has no pairs; ND_ERR_IO or ND_ERR_MEMORY; rows may be freed after all of these */
nd_status nd_pair_rows_open(nd_pair_rows *rows, const nd_result *result,
                            const nd_pair_columns *columns);

/** The next block; count is 0 after the last.
 * \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT if a pair is none of two pages of the result, does not
 * stand in its order, or its similarity is not of [0, 1] */
nd_status nd_pair_rows_next(nd_pair_rows *rows);

/** Read all rows, if there are any. \return as nd_pair_rows_open() and nd_pair_rows_next() */
nd_status nd_pair_rows_check(const nd_result *result, const nd_pair_columns *columns);

void nd_pair_rows_free(nd_pair_rows *rows);

/* ---- The inputs of a result, read again, one at a time: a result may have as many sources as
 * pages, so their paths are not read all at once. How an input is found and read again is
 * io/input/reread.h: what its invariant says holds of results as well (/pages/checksum). */

/** Texts [begin, begin + count) of a table in place of what `bytes` has, which get room for one
 * byte more. \param[out] offsets  count + 1: of text i offsets[i] - offsets[0] \return as below */
nd_status nd_result_texts_read(const nd_result *result, const char *offset_name,
                               const char *bytes_name, uint64_t begin, uint64_t count,
                               uint64_t *offsets, nd_buffer *bytes);

/** Put one text of a table in place of what `text` has, with a NUL after it that counts.
 * \param[in] row  below the rows of the table
 * \return ND_OK, ND_ERR_FORMAT if offsets and bytes do not agree, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text);

/** The path of source `row` as the run had it, NUL included. \return as nd_result_text_read(), and
 * ND_ERR_FORMAT if it holds another NUL */
nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name);

/** Why records are no pages, and how many for each reason (/other); nothing where the result does
 * not say. \param[out] others  ND_OTHERS counts, by nd_other_reason
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_others(const nd_result *result, uint64_t *others);

/** In place of a page's number: there is none. */
#define ND_NO_PAGE UINT64_MAX

/** Is a source there, and of the size that it had?
 * \param[in] name   its path as the run had it
 * \param[in] page   what it is wanted for, or ND_NO_PAGE
 * \param[out] path  by which it can be opened, NUL included
 * \param[out] info  of the file
 * \return ND_OK; ND_ERR_CHANGED; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_source_look(const nd_result *result, nd_span name, uint64_t bytes,
                                uint64_t page, nd_buffer *path, struct stat *info);

/** Say that an input is not what it was, and for what it is wanted. \return ND_ERR_CHANGED, or a
 * failure to read the page's name */
nd_status nd_result_refuse(const nd_result *result, const char *path, uint64_t page,
                           const char *why);

/** The same, where the record of the page is another one. */
nd_status nd_result_refuse_record(const nd_result *result, const char *path, uint64_t page,
                                  uint64_t offset);

/** Records of pages of a result, in any order. All zero may only be closed. */
typedef struct nd_source_reader {
    const nd_result *result;
    nd_reread from; /**< from.record is of the page read last, from.path its input */
    nd_reread_fields fields;
    nd_buffer name;
} nd_source_reader;

/** \param[in] result, options  borrowed until it is closed: how the run read its inputs, as far as
 *                              its result does not say: the limits, and of an earlier neardup the
 *                              fields of JSONL
 * \return ND_OK; ND_ERR_USAGE if the options name fields of JSONL by which the run read nothing;
 *         ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY; to be closed in any case */
nd_status nd_source_reader_begin(nd_source_reader *reader, const nd_result *result,
                                 const nd_reader_options *options);

/** Read the record of page `i` of `rows`: reader->from.record, until the next call.
 * \return ND_OK; ND_ERR_CHANGED; or as nd_reader_open() */
nd_status nd_source_reader_page(nd_source_reader *reader, const nd_page_rows *rows, uint64_t i);

/** Has that page as many tokens as in the run? Else the --jsonl options may be others.
 * \return ND_OK or ND_ERR_CHANGED */
nd_status nd_source_reader_check_tokens(const nd_source_reader *reader, const nd_page_rows *rows,
                                        uint64_t i, uint64_t tokens);

void nd_source_reader_close(nd_source_reader *reader);

/* ---- What a run learned of sites, out of its result: for each the masked hashes of the sentences
 * that are its template, and of the links that it repeats. With them the run's choice of content
 * can be made again for any page of a site. A site that is not listed has no template and repeats
 * all its links. Nothing is chosen here. */

/** The sites of a result, and the lists of one of them. All zero may only be closed. */
typedef struct nd_result_sites {
    const nd_result *result; /**< borrowed until it is closed */
    uint64_t *sites;         /**< nd_site_hash() of each with the run's seed, ascending */
    uint64_t count;
    uint64_t read;       /**< row of the site whose lists these are; `count`: of one not listed */
    uint64_t *templates; /**< ascending */
    uint64_t *repeated;  /**< likewise */
    uint64_t template_count, repeated_count;
    bool repeats_all; /**< every link is repeated, and so none listed */
} nd_result_sites;

/** Read the names of all sites: 8 bytes of memory each.
 * \param[out] sites  to be closed on failure too
 * \return ND_OK; ND_ERR_FORMAT if they are not in order; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_sites_open(nd_result_sites *sites, const nd_result *result);

/** Read the lists of a site (nd_site_hash()), unless they are read already.
 * \return ND_OK; ND_ERR_FORMAT if they are not in order; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_sites_find(nd_result_sites *sites, uint64_t site);

/** Is a sentence of this masked hash of the site's template, or a link that it repeats?
 * \param[in] link  the sentence is a link that may return (mpi/job/page_content.h) */
bool nd_result_site_drops(const nd_result_sites *sites, uint64_t masked);
bool nd_result_site_repeats(const nd_result_sites *sites, uint64_t masked, bool link);

void nd_result_sites_close(nd_result_sites *sites);

/** Go through all sites and their lists, if the result has any.
 * \return ND_OK; ND_ERR_FORMAT, the text names the first that is not in order; ND_ERR_IO or
 *         ND_ERR_MEMORY */
nd_status nd_result_sites_check(const nd_result *result);

#endif
