#!/usr/bin/env bash
# Install, build, run every test.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/test.sh [--quick | --coverage] [--help]

Installs what is missing (apt), builds neardup and its tests in build/release, downloads Debian's
nine installation guides into build/guides, and runs every test. Then compiles all of it with clang
(warnings are errors) and its address and undefined-behaviour sanitizers, under which the tests of
one process run again; runs the static checks (scripts/static.py), and each fuzz target for two
seconds (scripts/fuzz.sh). --quick leaves these out.
--coverage does none of this: it builds with gcov in build/coverage, runs the tests of one process,
and prints the lines and branches that they reach of each folder of src and io, without those of
contracts (ND_ASSERT), of which no input reaches the failing side; build/coverage/lines has the
report of each file.
Ends with one line of totals; exit status 0 if nothing failed. Can be run again.

The tests under Slurm start a small cluster of their own on this machine, which only root can; for
others they are skipped, and Slurm is not installed.

NEARDUP_DATA, if set, is the folder of labelled pages; without it the tests that need it are skipped.
TEXT
}

quick=no
coverage=no
case ${1:-} in
'') ;;
--quick) quick=yes ;;
--coverage) coverage=yes ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

architectures=(amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x)
# Tests at a time: more than cores, as a test that starts programs waits for them to come and go most of
# its time.
jobs=$((2 * $(nproc) + 2))
jobs=$((jobs < 8 ? jobs : 8)) # more measure the disk
totals=()
failed=no

# attribute FILE NAME: the first value of that attribute in CTest's JUnit file.
attribute() {
    sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*$/\1/p" "$1" | head -n 1
}

# run_tests PRESET [CTEST OPTION...]: run its tests and keep their totals.
run_tests() {
    local preset=$1 report=$ND_ROOT/build/logs/tests-$1.xml
    shift
    rm -f "$report"
    say "build/$preset: ctest --preset $preset${*:+ $*}"
    ctest --preset "$preset" --parallel "$jobs" --output-junit "$report" "$@" || failed=yes
    if [ ! -f "$report" ]; then
        totals+=("$preset: ctest did not run")
        return
    fi
    local tests failures skipped
    tests=$(attribute "$report" tests)
    failures=$(attribute "$report" failures)
    skipped=$(attribute "$report" skipped)
    totals+=("$preset: $((tests - failures - skipped)) passed, $failures failed, $skipped skipped")
}

# try_build FOLDER PRESET [CMAKE OPTION...]: build everything; a failure is kept, not fatal.
try_build() {
    local folder=$1 preset=$2
    shift 2
    if (build "$folder" "$preset" all "$@"); then
        return 0
    fi
    failed=yes
    totals+=("$folder: does not build")
    return 1
}

# measure_coverage: what the tests of one process reach, by folder.
measure_coverage() {
    install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}" "${ND_COVERAGE_PACKAGES[@]}"
    build coverage debug serial_tests -DBUILD_TESTING=ON -DND_WERROR=OFF \
        "-DCMAKE_C_FLAGS=--coverage -O1"
    cmake --build build/coverage --target fuzz_targets --parallel "$(nproc)" \
        >>build/logs/build-coverage.log
    find build/coverage -name '*.gcda' -delete
    ctest --test-dir build/coverage --tests-regex '^([tp]|fuzz)_' --parallel "$(nproc)" --quiet ||
        failed=yes
    mkdir -p build/coverage/lines
    gcovr --root . --filter 'src/' --filter 'io/' --exclude-throw-branches \
        --exclude-branches-by-pattern '.*\bND_ASSERT\(' --csv build/coverage.csv \
        --html-details build/coverage/lines/index.html build/coverage
    # filename,line_total,line_covered,line_percent,branch_total,branch_covered,...
    awk -F, 'NR > 1 {
            folder = $1
            sub(/\/[^\/]*$/, "", folder)
            for (i = 2; i <= 6; i++) {
                sum[folder, i] += $i
                sum["all", i] += $i
            }
            known[folder] = known["all"] = 1
        }
        END {
            for (folder in known) {
                printf "%-12s lines %6d, %5.1f %% reached; branches %6d, %5.1f %% reached\n", folder,
                    sum[folder, 2], 100 * sum[folder, 3] / (sum[folder, 2] + !sum[folder, 2]),
                    sum[folder, 5], 100 * sum[folder, 6] / (sum[folder, 5] + !sum[folder, 5])
            }
        }' build/coverage.csv | sort
}

if [ "$coverage" = yes ]; then
    measure_coverage
    [ "$failed" = no ]
    exit
fi

install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}" "${ND_PLOT_PACKAGES[@]}"
if [ "$(id -u)" -eq 0 ] && ! (install_packages "${ND_SLURM_PACKAGES[@]}"); then
    say "Slurm cannot be installed here: its tests are skipped"
fi
fetch_guides "${architectures[@]}"
export NEARDUP_GUIDES=$ND_GUIDES
say "labelled pages (NEARDUP_DATA): ${NEARDUP_DATA:-not set, so the tests that need them are skipped}"
mpi_environment

if try_build release release -DBUILD_TESTING=ON; then
    run_tests release
fi
if [ "$quick" = no ]; then
    if ! (install_packages "${ND_CHECK_PACKAGES[@]}"); then
        say "tools of static checks, clang's sanitizers or its fuzzer cannot be installed here"
    fi
    if try_build asan asan -DBUILD_TESTING=ON; then
        run_tests asan --tests-regex '^([tp]|fuzz)_'
    fi
    say "static checks: scripts/static.py"
    scripts/static.py || failed=yes
    totals+=("static: checked")
    if (fuzzer_is_here); then
        scripts/fuzz.sh --seconds 2 --seed 1 || failed=yes
        totals+=("fuzz targets: run")
    else
        totals+=("fuzz targets: SKIPPED, there is no fuzzer of clang's")
    fi
fi

summary=$(printf '; %s' "${totals[@]}")
say "$([ "$failed" = no ] && echo passed || echo FAILED) in $SECONDS s: ${summary#; }"
[ "$failed" = no ]
