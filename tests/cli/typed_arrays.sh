#!/usr/bin/env bash
# What allocates or replaces an array takes the address of a pointer: `records` for `&records` does
# not compile. Called as typed_arrays.sh NEARDUP BUILD_DIR.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# compiles CALL: on an array of a struct, and one of bytes.
compiles() {
    cc -std=c11 -fsyntax-only -I "$root" -x c - 2>/dev/null <<C
#include "src/base/buffer.h"
typedef struct record { int a; } record;
void f(record *records, uint8_t *bytes, size_t *capacity);
void f(record *records, uint8_t *bytes, size_t *capacity) {
    (void)records;
    (void)bytes;
    (void)capacity;
    $1;
}
C
}

for array in records bytes; do
    for call in "nd_new(&$array, 1, 1)" "nd_grow(&$array, capacity, 1, 1)" \
        "nd_grow_within(&$array, capacity, 1, 2, 1)"; do
        compiles "$call" || { echo "does not compile: $call" >&2 && exit 1; }
        wrong=${call/&/}
        ! compiles "$wrong" || { echo "compiles: $wrong" >&2 && exit 1; }
    done
done
