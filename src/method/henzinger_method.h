/** \file src/method/henzinger_method.h
 * The method `henzinger`: the combined algorithm of Henzinger (SIGIR 2006; US 2008/0044016, section
 * 4.2). basic: pages found by supershingles ("Alg. B") are kept if enough bits of their projections
 * agree ("Alg. C"). site-variant: so for two pages of one site, where templates deceive the first
 * technique, and by bits alone between sites (section 4.2.3). union: basic, and besides all pages
 * of which many bits agree (ibid., for recall). The paper's filter is 355 bits, the patent's
 * example 372.
 */
#ifndef ND_METHOD_HENZINGER_METHOD_H
#define ND_METHOD_HENZINGER_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_henzinger;

#endif
