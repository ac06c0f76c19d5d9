/** \file mpi/cmd/html/bar_chart.h
 * Bars beside each other as SVG, for a page for a browser. Numbers and labels are the program's
 * own.
 */
#ifndef ND_CMD_HTML_BAR_CHART_H
#define ND_CMD_HTML_BAR_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct nd_bar {
    char label[32];
    uint64_t value;
} nd_bar;

/** What a chart says of itself; static texts. */
typedef struct nd_chart_words {
    const char *title;
    const char *across, *up; /**< of the axes */
} nd_chart_words;

/** Print `count` > 0 bars. \param[in] each  labels are shown under each so many of them
 * \param[in] by_powers  heights are logarithms, so that few can be seen beside many */
void nd_bar_chart_print(FILE *to, const nd_chart_words *words, const nd_bar *bars, size_t count,
                        size_t each, bool by_powers);

#endif
