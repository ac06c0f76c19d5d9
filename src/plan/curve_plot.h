/** \file src/plan/curve_plot.h
 * Curves of meeting as a picture: a self-contained SVG with axes, grid and legend. Text only;
 * nothing is drawn or opened here.
 */
#ifndef ND_PLAN_CURVE_PLOT_H
#define ND_PLAN_CURVE_PLOT_H

#include "src/base/buffer.h"
#include "src/plan/curve_spec.h"

/** Append the SVG of curves, side by side in one plot.
 * \param[in] mark  a similarity to be marked by a line; outside (0, 1): none
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_curve_plot(const nd_curve_spec *specs, size_t count, double mark, nd_buffer *svg);

#endif
