/* A source of records of WARC: see archive.h. */
#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

ND_FUZZ_TARGET(z_warc) {
    nd_fuzz_archive((nd_span){data, size}, "\r\n\r\nWARC/1.", 4);
    return 0;
}
