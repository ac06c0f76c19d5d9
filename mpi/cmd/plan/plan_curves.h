/** \file mpi/cmd/plan/plan_curves.h
 * neardup plan --curve, --propose: how likely pages are to meet by their similarity, for settings
 * of keys, as a table on stdout and as an SVG file.
 */
#ifndef ND_CMD_PLAN_PLAN_CURVES_H
#define ND_CMD_PLAN_PLAN_CURVES_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_CURVES_MAX = 12 };

typedef struct nd_curve_wishes {
    const char *specs[ND_CURVES_MAX]; /**< as written */
    size_t count;
    bool proposes; /**< bands and rows for a threshold are wanted */
    double threshold;
    uint32_t budget; /**< minima in all */
    const char *svg; /**< file; NULL: none */
    bool json;
} nd_curve_wishes;

/** Print the curves. \return ND_OK, ND_ERR_USAGE for a setting that cannot be, ND_ERR_IO or
 * ND_ERR_MEMORY */
nd_status nd_curves_print(const nd_curve_wishes *wishes);

#endif
