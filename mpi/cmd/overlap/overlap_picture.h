/** \file mpi/cmd/overlap/overlap_picture.h
 * The sets of near-duplicates that collections share as a picture (SVG): of two or three a Venn
 * diagram, whose circles are not to scale, and of any number a matrix with the share of each row's
 * sets that the column has.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_PICTURE_H
#define ND_CMD_OVERLAP_OVERLAP_PICTURE_H

#include "mpi/cmd/overlap/overlap_findings.h"

/** Before any work: may it be written there? What is there is replaced if it is such a picture, or
 * with `force` any file. \return as nd_output_check() */
nd_status nd_overlap_picture_check(const char *path, bool force);

/** Write it. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_overlap_picture_save(const nd_overlap_findings *findings, const char *path);

#endif
