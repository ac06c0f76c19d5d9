/** \file src/method/exact_method.h
 * The method `exact`: pages of equal text (Mitzenmacher's and the IIR 19 lecture notes; Manning,
 * Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 19.6). The key is 64
 * bits of a hash of the tokens, the payload 128. Pages of equal text or content are put together
 * before a method sees them, so what is left to this one are collisions of 64 bits, to be refused.
 */
#ifndef ND_METHOD_EXACT_METHOD_H
#define ND_METHOD_EXACT_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_exact;

#endif
