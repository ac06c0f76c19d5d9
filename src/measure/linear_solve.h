/** \file src/measure/linear_solve.h
 * Systems of linear equations whose matrix is symmetric and positive definite, as the normal
 * equations of least squares are: Cholesky's decomposition, for up to some hundreds of unknowns.
 * Forty lines, and no LAPACK: reference, OpenBLAS and ATLAS differ in the last bits from machine to
 * machine, and src gives the same answer on any. No pivoting: a system that is not definite is
 * refused.
 */
#ifndef ND_MEASURE_LINEAR_SOLVE_H
#define ND_MEASURE_LINEAR_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

/** Solve a x = b for `count` unknowns; time count^3 / 6.
 * \param[in,out] a  rows one after the other, of which the lower half counts; overwritten
 * \param[in,out] b  the right side; the solution, if there is one
 * \return false if the matrix is not definite as far as its numbers can say: `b` is then of no use
 */
bool nd_linear_solve(double *a, double *b, size_t count);

#endif
