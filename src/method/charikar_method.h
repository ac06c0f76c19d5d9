/** \file src/method/charikar_method.h
 * The method `charikar`: "Alg. C" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.2),
 * after Charikar (STOC 2002): projections to 384 bits, of which 372 agree. Pages that agree in one
 * of 12 pieces meet, which loses none from 373 on, and at 372 one of 10,000.
 */
#ifndef ND_METHOD_CHARIKAR_METHOD_H
#define ND_METHOD_CHARIKAR_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_charikar;

#endif
