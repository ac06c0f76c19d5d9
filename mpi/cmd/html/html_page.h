/** \file mpi/cmd/html/html_page.h
 * A page for a browser that stands alone: one file, with its style and its script in it, which
 * fetches nothing and runs nothing else, whatever strangers' texts it shows. The browser holds it
 * to that by a content security policy that names style and script by their checksums; and every
 * text that the program did not write itself goes through nd_html_text(), by which it is text and
 * nothing else, with what cannot be seen shown as what it is. The page is made in memory and gets
 * its name when it is complete. What is on it is the caller's.
 */
#ifndef ND_CMD_HTML_HTML_PAGE_H
#define ND_CMD_HTML_HTML_PAGE_H

#include "mpi/cmd/command.h"
#include "mpi/cmd/help.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdio.h>

/** All zero may only be closed. */
typedef struct nd_html_page {
    FILE *to;                  /**< what is printed to it stands in the page's body */
    const nd_built_in *script; /**< NULL: it has none */
    char *bytes;
    size_t size;
} nd_html_page;

/** Begin a page.
 * \param[in] kind    "review" or "report": the class of its body
 * \param[in] result  path of the result that it is of, for the title
 * \param[in] script  NULL: it has none
 * \return ND_OK or ND_ERR_MEMORY; to be closed in any case */
nd_status nd_html_page_open(nd_html_page *page, const char *kind, const char *result,
                            const nd_built_in *script);

/** End the page and write it. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_html_page_save(nd_html_page *page, const char *path);

void nd_html_page_close(nd_html_page *page);

/** Print a text of strangers, between tags or as an attribute's value between double quotes. */
void nd_html_text(FILE *to, nd_span text);
void nd_html_words(FILE *to, const char *words);

/** The same for an attribute whose value the script uses as it is: nothing is printed, and false
 * returned, if the text would not come out as it went in. */
bool nd_html_exactly(FILE *to, const char *attribute, nd_span text);

/* ---- Two pages side by side for a browser: what both share, in one order; where they differ, with
 * the words that are not of both marked; and what is dropped of either and why. The texts are those
 * of the pages; what is matched are sentences as they are compared, and in differing ones words as
 * they stand. */

/** Print as <div class="diff">. Of long pages the beginning: some `most` bytes of both together. */
void nd_diff_view_print(FILE *to, const nd_shown_page *a, const nd_shown_page *b, size_t most);

/* ---- What commands that make a page of a result share: their words, the result, the file it goes
 * to. What is on the page is theirs. */

/** Where the page goes, and what texts are read with; `output` and `force` are options. */
typedef struct nd_page_request {
    nd_shown_run run;
    const char *output;
    bool force;
} nd_page_request;

/** Make the page; the run has been read. */
typedef nd_status (*nd_page_make)(nd_page_request *request);

/** Read the command line, open the result, and make its page.
 * \param[in,out] request  of which the call's tables set the options */
nd_status nd_page_command_run(nd_command_call *call, nd_page_request *request, nd_page_make make);

#endif
