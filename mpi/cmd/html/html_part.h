/** \file mpi/cmd/html/html_part.h
 * Files of the source tree that a page for a browser carries in it, built into the program by
 * scripts/embed.cmake (CMakeLists.txt lists them).
 */
#ifndef ND_CMD_HTML_HTML_PART_H
#define ND_CMD_HTML_HTML_PART_H

#include <stddef.h>
#include <stdint.h>

typedef struct nd_html_part {
    const uint8_t *bytes;
    size_t size;
    uint8_t sha256[32]; /**< of the bytes */
} nd_html_part;

extern const nd_html_part nd_part_page_css;
extern const nd_html_part nd_part_review_js;

#endif
