/** \file mpi/cmd/html/page_command.h
 * What commands that make a page of a result share: their words, the result, the file it goes to.
 * What is on the page is theirs.
 */
#ifndef ND_CMD_HTML_PAGE_COMMAND_H
#define ND_CMD_HTML_PAGE_COMMAND_H

#include "mpi/cmd/command.h"
#include "mpi/cmd/page/shown_page.h"

/** Where the page goes, and what texts are read with; `output` and `force` are options. */
typedef struct nd_page_request {
    nd_shown_run run;
    const char *output;
    bool force;
} nd_page_request;

/** Make the page; the run has been read. */
typedef nd_status (*nd_page_make)(nd_page_request *request);

/** Read the command line into what `sets` name, open the result, and make its page.
 * \param[in,out] request  of which `sets` set the options \return the exit code */
int nd_page_command_run(const nd_command *command, int argc, char **argv,
                        const nd_command_table sets[ND_COMMAND_TABLES], nd_page_request *request,
                        nd_page_make make);

#endif
