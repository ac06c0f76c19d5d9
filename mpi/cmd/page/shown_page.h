/** \file mpi/cmd/page/shown_page.h
 * A page that is shown to people: read from a file of its own, or again from the input that a
 * result names, with what is compared of it: by the page alone, or with what the result says of its
 * site. Where a page stands in the result is kept beside it. Pages are not compared here.
 */
#ifndef ND_CMD_PAGE_SHOWN_PAGE_H
#define ND_CMD_PAGE_SHOWN_PAGE_H

#include "io/input/page_maker.h"
#include "io/result/result_read.h"
#include "io/result/result_schema.h"
#include "mpi/job/page_content.h"
#include "src/base/option.h"

/** Where a page stands in a result. */
typedef struct nd_page_place {
    uint64_t page;
    uint64_t namesakes; /**< pages of the name by which it was found, itself included; set by
                             who looked for it */
    uint64_t set, set_pages, representative, link, exact_of, revisit_of;
    float similarity, link_similarity;
    uint32_t source;
    uint64_t offset;
    bool form; /**< its set was a form, and is parted */
} nd_page_place;

/** All zero is a valid start; everything is owned. */
typedef struct nd_shown_page {
    nd_page_maker maker; /**< maker.page has the sentences' texts */
    nd_page_store store;
    nd_document whole;        /**< lies in the store */
    nd_chosen_content chosen; /**< of its sentences */
    nd_document content;      /**< what is compared of it */
    uint32_t *tokens;         /**< of the content */
    nd_sentence_digest *sentences;
    bool placed; /**< there is a result: */
    nd_page_place place;
    uint64_t compared; /**< number of the page that was read: the one that the run compared in place
                            of this one, whose text or content is equal; itself as a rule */
    uint32_t own_tokens, own_sentences; /**< of its own text; `whole` is of the page read */
    nd_buffer url, id;
    nd_buffer source; /**< path, NUL included */
} nd_shown_page;

/** Read the page that a file is; HTML or text, by its content.
 * \param[in] path  borrowed until the page is freed
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT, ND_ERR_MEMORY or ND_ERR_LIMIT; ND_ERR_USAGE if the file
 *         does not hold one page */
nd_status nd_shown_page_read_file(nd_shown_page *page, const char *path,
                                  const nd_job_options *options);

/** What pages of a result are read again with: the options of the run, how its inputs are read, and
 * what it learned of sites. `options` are set before, those of the run come from its parameters;
 * all zero may only be closed. */
typedef struct nd_shown_run {
    const nd_result *result; /**< borrowed */
    nd_job_options options;
    nd_result_sites sites;
    nd_source_reader reader; /**< with their options: the run is not moved */
    nd_page_rows rows;       /* of the result, around the page read last */
} nd_shown_run;

/** Options of nd_reader_options that say how inputs are read. */
extern const nd_option nd_shown_run_option_table[];

/** Read what a run was, before the first page.
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_USAGE, ND_ERR_IO or ND_ERR_MEMORY; to be closed in any case
 */
nd_status nd_shown_run_read(nd_shown_run *run, const nd_result *result);

/** Its two steps, where `options` are changed between them. */
nd_status nd_shown_run_know(nd_shown_run *run, const nd_result *result);
nd_status nd_shown_run_begin(nd_shown_run *run);

void nd_shown_run_close(nd_shown_run *run);

/** Read page `number` of a result: its place, and its text as the run read it first, on the page
 * that it is a copy of. \return as nd_shown_page_read_file(); ND_ERR_CHANGED if its input is not
 * what it was */
nd_status nd_shown_page_read(nd_shown_page *page, nd_shown_run *run, uint64_t number);

/** The same, and of pages whose contents are equal, though not their texts, the one that the run
 * compared in their place. */
nd_status nd_shown_page_read_compared(nd_shown_page *page, nd_shown_run *run, uint64_t number);

/** Read page `number` itself, as above. Its place stays as it is. */
nd_status nd_shown_page_read_number(nd_shown_page *page, nd_shown_run *run, uint64_t number);

/** A sentence of a page as it is compared, borrowed: lower case, words and one space between. */
nd_span nd_shown_sentence(const nd_shown_page *page, uint32_t sentence);

/** The same as it stands on the page, without the blanks around it. */
nd_span nd_shown_sentence_text(const nd_shown_page *page, uint32_t sentence);

/** As the texts of pages have them between words. */
static inline bool nd_is_blank(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/** Why a sentence is dropped: "navigation", "template", "beside" or "links". */
const char *nd_drop_reason(const nd_shown_page *page, uint32_t sentence);

void nd_shown_page_free(nd_shown_page *page);

/* ---- Several pages of a result read again, in the order in which they lie in the inputs, whatever
 * the order in which they are wanted: an input that can only be read from its beginning is read
 * once. One that cannot be read leaves the others as they are. */

/** A page, and why it has no text; its place is known in any case. */
typedef struct nd_batch_page {
    uint64_t number;
    nd_shown_page page;
    char reason[512]; /**< "": it was read */
} nd_batch_page;

/** All zero is valid and empty; owned. */
typedef struct nd_page_batch {
    nd_batch_page *pages; /**< in the order in which they were asked for */
    uint64_t count;
    uint64_t unread; /**< of them without text */
} nd_page_batch;

/** Read `count` pages, all of which are in memory then. \param[out] batch  to be freed in any case
 * \return ND_OK, also where no text could be read; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_batch_read(nd_page_batch *batch, nd_shown_run *run, const uint64_t *numbers,
                             uint64_t count);

void nd_page_batch_free(nd_page_batch *batch);

/* ---- Which page of a result a NAME means, by one rule for all commands: a page number, else an
 * id, else a URL. `page:NAME`, `id:NAME` and `url:NAME` say which of these it is. A number is
 * looked up by itself, an id or a URL in the order of names (io/result/result_order.h); where a
 * result has none, the bytes of that column are searched, in parts. */

/** Pages of one name that are listed. */
enum { ND_NAMESAKES_LISTED = 8 };

/** What a name was understood as, and the pages of that name. Plain value. */
typedef struct nd_named_pages {
    const char *as;                      /**< "page number", "id" or "URL" */
    uint64_t count;                      /**< of all pages of this name; at least 1 */
    uint64_t pages[ND_NAMESAKES_LISTED]; /**< the first of them, ascending */
} nd_named_pages;

/** Find the pages of a name.
 * \return ND_OK; ND_ERR_USAGE if there is none; ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_page_name_find(const nd_result *result, const char *name, nd_named_pages *found);

/** Say on stderr, in one line, if the name may mean other pages than the first that was found: more
 * pages have it, or it is a number and also an id. Ids are searched for that only where the page's
 * own id, or the first page's, is a number.
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_page_name_warn(const nd_result *result, const char *name, const nd_named_pages *found);

#endif
