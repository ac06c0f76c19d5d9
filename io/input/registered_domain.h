/** \file io/input/registered_domain.h
 * The registered domain of a host (example.co.uk of www.news.example.co.uk), by the Public Suffix
 * List that the library libpsl carries. What a site is can then be the domain instead of the host.
 */
#ifndef ND_IO_INPUT_REGISTERED_DOMAIN_H
#define ND_IO_INPUT_REGISTERED_DOMAIN_H

#include "src/base/buffer.h"

/** The registered domain of a lower-case host: the last part of it; the host itself where it has
 * none (an address, a public suffix, a name without dots). Borrowed from `host`. */
nd_span nd_registered_domain(nd_span host);

#endif
