#include "src/base/cpu.h"

uint32_t nd_cpu_known;

uint32_t nd_cpu_ask(void) {
    uint32_t known = ND_CPU_ASKED;
#if defined(__x86_64__) && ND_SIMD
    known |= __builtin_cpu_supports("popcnt") ? ND_CPU_POPCNT : 0;
    known |= __builtin_cpu_supports("bmi") ? ND_CPU_BMI : 0;
    known |= __builtin_cpu_supports("bmi2") ? ND_CPU_BMI2 : 0;
    known |= __builtin_cpu_supports("pclmul") ? ND_CPU_PCLMUL : 0;
    known |= __builtin_cpu_supports("avx2") ? ND_CPU_AVX2 : 0;
    known |= __builtin_cpu_supports("avx512f") ? ND_CPU_AVX512F : 0;
    known |= __builtin_cpu_supports("avx512bw") ? ND_CPU_AVX512BW : 0;
    known |= __builtin_cpu_supports("avx512dq") ? ND_CPU_AVX512DQ : 0;
    known |= __builtin_cpu_supports("avx512vl") ? ND_CPU_AVX512VL : 0;
    known |= __builtin_cpu_supports("avx512vbmi2") ? ND_CPU_AVX512VBMI2 : 0;
    known |= __builtin_cpu_supports("avx512ifma") ? ND_CPU_AVX512IFMA : 0;
#endif
    nd_cpu_known = known;
    return known;
}
