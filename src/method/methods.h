/** \file src/method/methods.h
 * The table of methods. A method is a row (method.h) and a file of its own, NAME_method.c; this is
 * the one other place that names it.
 */
#ifndef ND_METHOD_METHODS_H
#define ND_METHOD_METHODS_H

#include "src/method/method.h"

/** The methods in the order of their rows: nd_method_NAME each. The first is the default. */
#define ND_METHODS(X)                                                                              \
    X(lcs) X(exact) X(sketch) X(lsh) X(broder) X(simhash) X(charikar) X(cosine) X(henzinger)

#define ND_METHOD_ROW(name) extern const nd_method nd_method_##name;
ND_METHODS(ND_METHOD_ROW)
#undef ND_METHOD_ROW

/** The row of that name; NULL if there is none. */
const nd_method *nd_method_find(const char *name);

/** Rows 0, 1, ... of the table; NULL after the last. The first is the default. */
const nd_method *nd_method_row(size_t row);

#endif
