/** \file io/input/step.h
 * How much is read, unpacked or copied at once. Reading a source must not depend on it: what does
 * is a bug. Hence programs that are made for fuzzing (which say so by the name that fuzzers have
 * for it) take steps that are small beside their inputs, so that these meet every step's border,
 * and are read far sooner.
 */
#ifndef ND_IO_STEP_H
#define ND_IO_STEP_H

/** A step of so many bytes, a power of two of at least 64 KiB. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ND_STEP(bytes) ((bytes) >> 7)
#else
#define ND_STEP(bytes) (bytes)
#endif

#endif
