/* A source of records of JSONL: see archive.h. */
#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

ND_FUZZ_TARGET(z_jsonl) {
    nd_fuzz_archive((nd_span){data, size}, "\n{", 1);
    return 0;
}
