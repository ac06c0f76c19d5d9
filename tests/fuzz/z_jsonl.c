/* A source of records of JSONL: see archive.h. */
#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nd_fuzz_archive((nd_span){data, size}, "\n{", 1);
    return 0;
}
