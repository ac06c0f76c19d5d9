/* Random projection, eight words side by side in AVX-512. */
#if defined(__x86_64__) && ND_SIMD

#include <stdint.h>

#define LANES_TARGET __attribute__((target("avx512f,avx512dq")))

enum { LANES = 8 };
typedef uint64_t lane __attribute__((vector_size(LANES * sizeof(uint64_t))));

#include "src/sketch/charikar_lanes.h"

const nd_charikar_variant nd_charikar_avx512 = {"AVX-512", 2, ND_CPU_AVX512F | ND_CPU_AVX512DQ,
                                                project_lanes};

#else
typedef int nd_charikar_avx512_is_for_x86; /* a source file must not be empty */
#endif
