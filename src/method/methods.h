/** \file src/method/methods.h
 * The table of methods. A method is a row (method.h) and a file of its own, NAME_method.c; this is
 * the one other place that names it.
 */
#ifndef ND_METHOD_METHODS_H
#define ND_METHOD_METHODS_H

#include "src/method/method.h"

extern const nd_method nd_method_lcs, nd_method_exact, nd_method_sketch, nd_method_lsh,
    nd_method_broder, nd_method_simhash, nd_method_charikar, nd_method_cosine, nd_method_henzinger;

/** The row of that name; NULL if there is none. */
const nd_method *nd_method_find(const char *name);

/** Rows 0, 1, ... of the table; NULL after the last. The first is the default. */
const nd_method *nd_method_row(size_t row);

#endif
