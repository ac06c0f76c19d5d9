/** \file src/method/lcs_method.h
 * The method `lcs` (Huang, Wang and Li, CIKM 2008): keys are sentence fingerprints, the digest is
 * the token histogram, the payload the tokens in order, and the similarity an LCS score.
 */
#ifndef ND_METHOD_LCS_METHOD_H
#define ND_METHOD_LCS_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_lcs;

#endif
