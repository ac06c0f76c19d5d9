/* A source of records of ARC: see archive.h. */
#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

ND_FUZZ_TARGET(z_arc) {
    nd_fuzz_archive((nd_span){data, size}, "\nhttp:", 1);
    return 0;
}
