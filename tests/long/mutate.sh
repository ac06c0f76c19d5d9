#!/usr/bin/env bash
# scripts/mutate.py on a small tree: what a test notices, what none notices, what none reaches, what does not
# compile and what is known; survivors again; what tests reach is measured again where a test changed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for tool in python3 gcov cmake; do
    if ! command -v "$tool" >/dev/null; then
        echo "SKIPPED: there is no $tool"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/scripts "$folder"/src/small "$folder"/tests/unit
cp "$root/scripts/mutate.py" "$folder/scripts"
cd "$folder"
printf '# file\tline\told\tnew\twhy\nsrc/small/small.c\treturn a * 8;\t8\t9\tknown\n' >scripts/mutants_known.tsv
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
include(CTest)
include_directories(${CMAKE_SOURCE_DIR})
add_library(small STATIC src/small/small.c)
target_compile_options(small PRIVATE -Wall -Wextra -Werror)
foreach(name t_least t_times)
  add_executable(${name} tests/unit/${name}.c)
  target_link_libraries(${name} PRIVATE small)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
TEXT
cat >src/small/small.h <<'TEXT'
int least(int a, int b);
int times(int a);
int never(int a);
int unsigned_one(unsigned a);
TEXT
cat >src/small/small.c <<'TEXT'
#include "src/small/small.h"

int least(int a, int b) {
    return a < b ? a : b;
}

int times(int a) {
    return a * 8;
}

int never(int a) {
    return a / 3;
}

int unsigned_one(unsigned a) {
    return a > 0;
}
TEXT
cat >tests/unit/t_least.c <<'TEXT'
#include "src/small/small.h"
int main(void) {
    return least(2, 3) == 2 && unsigned_one(2) == 1 ? 0 : 1;
}
TEXT
cat >tests/unit/t_times.c <<'TEXT'
#include "src/small/small.h"
int main(void) {
    return times(1) == 8 ? 0 : 1;
}
TEXT

scripts/mutate.py --seed 1 >log 2>errors || {
    cat log errors build/mutate/build.log >&2
    exit 1
}
sed 's/\t[0-9.]* s$//' log | LC_ALL=C sort >seen
cat >expected <<'TEXT'
io: 0 killed of 0; 0 more are known to change nothing, 0 did not compile
killed	src/small/small.c:8:8	* -> +	return a * 8;	t_times
measured	t_least
measured	t_times
mpi: 0 killed of 0; 0 more are known to change nothing, 0 did not compile
seed 1
src: 1 killed of 5; 1 more are known to change nothing, 1 did not compile
survived	src/small/small.c:12:11	3 -> 4	return a / 3;	not reached
survived	src/small/small.c:12:8	/ -> *	return a / 3;	not reached
survived	src/small/small.c:16:11	0 -> 1	return a > 0;	t_least
survived	src/small/small.c:4:8	< -> <=	return a < b ? a : b;	t_least
TEXT
diff -u expected seen

# A test that asks for more, and a survivor that stands in another line by now.
sed -i 's/unsigned_one(2) == 1/unsigned_one(1) == 1/' tests/unit/t_least.c
sed -i '1s/$/\n/' src/small/small.c
scripts/mutate.py --again log >again
sed 's/\t[0-9.]* s$//' again | LC_ALL=C sort >seen
cat >expected <<'TEXT'
io: 0 killed of 0; 0 more are known to change nothing, 0 did not compile
killed	src/small/small.c:17:11	0 -> 1	return a > 0;	t_least
measured	t_least
mpi: 0 killed of 0; 0 more are known to change nothing, 0 did not compile
src: 1 killed of 4; 0 more are known to change nothing, 0 did not compile
survived	src/small/small.c:13:11	3 -> 4	return a / 3;	t_times
survived	src/small/small.c:13:8	/ -> *	return a / 3;	t_times
survived	src/small/small.c:5:8	< -> <=	return a < b ? a : b;	t_least t_times
TEXT
diff -u expected <(grep -v '^seed' seen)
