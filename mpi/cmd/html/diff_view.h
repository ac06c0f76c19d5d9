/** \file mpi/cmd/html/diff_view.h
 * Two pages side by side for a browser: what both share, in one order; where they differ, with the
 * words that are not of both marked; and what is dropped of either and why. The texts are those of
 * the pages; what is matched are sentences as they are compared, and in differing ones words as
 * they stand.
 */
#ifndef ND_CMD_HTML_DIFF_VIEW_H
#define ND_CMD_HTML_DIFF_VIEW_H

#include "mpi/cmd/page/shown_page.h"

#include <stdio.h>

/** Print as <div class="diff">. Of long pages the beginning: some `most` bytes of both together.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_diff_view_print(FILE *to, const nd_shown_page *a, const nd_shown_page *b, size_t most);

#endif
