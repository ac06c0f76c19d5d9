/* Random projection, four words side by side in AVX2. */
#if defined(__x86_64__) && ND_SIMD

#include <stdint.h>

#define LANES_TARGET __attribute__((target("avx2")))

enum { LANES = 4 };
typedef uint64_t lane __attribute__((vector_size(LANES * sizeof(uint64_t))));

#include "src/sketch/charikar_lanes.h"

const nd_charikar_variant nd_charikar_avx2 = {"AVX2", 2, ND_CPU_AVX2, project_lanes};

#else
typedef int nd_charikar_avx2_is_for_x86; /* a source file must not be empty */
#endif
