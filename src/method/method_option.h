/** \file src/method/method_option.h
 * The options of methods: one table (src/base/option.h) over nd_method_options. What an option
 * means is said in method.h and by the method; values are checked there too (nd_method_derive).
 */
#ifndef ND_METHOD_METHOD_OPTION_H
#define ND_METHOD_METHOD_OPTION_H

#include "src/base/option.h"
#include "src/method/method.h"

/** All of them; those below the first heading are used by all methods. */
extern const nd_option nd_method_option_table[];

/** Does the method use the option, a row of the table? */
bool nd_method_uses(const nd_method *method, const nd_option *option);

#endif
