#!/usr/bin/env bash
# Install, build, test.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/test.sh [--all] [--only STAGE,...] [--coverage] [--help]

Installs what is missing (apt), builds neardup and its tests in build/release, downloads three of
Debian's installation guides into build/guides, and runs the tests: some minutes on two cores. The
last line says what passed, and what was not run. Exit status 0 if nothing failed. Can be run again.

  --all      every stage, each as thorough as it can be: an hour or more; all guides
  --only     these stages alone; with --all as thorough
  --coverage none of them: builds with gcov in build/coverage, runs the tests of one process, and
             prints the lines and branches that they reach of each folder of src and io, without
             those of contracts (ND_ASSERT), of which no input reaches the failing side;
             build/coverage/lines has the report of each file

stages:
  tests      unit and property tests, the corpora of the fuzz targets, ranks, commands
  long       scripts of minutes: every method, option and failure by the command line
  faults     each call of a job failed in turn, on 1, 2, 3 and 5 ranks
  slurm      jobs on small Slurm clusters of their own, which only root can start
  asan       all of it compiled by clang, warnings as errors, with its address and
             undefined-behaviour sanitizers; the tests of one process under them
  mpich      a build with MPICH (build/mpich), where Debian has it; its tests of 1 and 2 ranks
  arm64      a build for arm64 (build/arm64), where its compiler and libraries can be had; its tests of one
             process under qemu
  static     scripts/static.py
  fuzz       each fuzz target for two seconds (scripts/fuzz.sh); every command with damaged and made-up
             files for a minute (build/asan/tests/hostile)

Without --all and --only: tests. NEARDUP_DATA, if set, is the folder of labelled pages; without it the
tests that need it are skipped.
TEXT
}

STAGES=(tests long faults slurm asan mpich arm64 static fuzz)
all=no
only=
coverage=no
while [ $# -gt 0 ]; do
    case $1 in
    --all) all=yes ;;
    --coverage) coverage=yes ;;
    --only)
        only=${2:-nothing}
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift || break
done
wanted=(tests)
[ "$all" = no ] || wanted=("${STAGES[@]}")
[ -z "$only" ] || IFS=, read -r -a wanted <<<"$only"
for stage in "${wanted[@]}"; do
    if [[ " ${STAGES[*]} " != *" $stage "* ]]; then
        printf '%s: no stage %s; there are: %s\n' "${0##*/}" "$stage" "${STAGES[*]}" >&2
        exit 2
    fi
done

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Tests at a time: more than cores, as a test that starts programs waits for them to come and go.
jobs=$(($(nproc) + 2))
totals=()
failed=no

# wants STAGE
wants() {
    [[ " ${wanted[*]} " == *" $1 "* ]]
}

# attribute FILE NAME: the first value of that attribute in CTest's JUnit file.
attribute() {
    sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*$/\1/p" "$1" | head -n 1
}

# run_tests STAGE PRESET CTEST_OPTION...: run its tests and keep their totals.
run_tests() {
    local stage=$1 preset=$2 report=$ND_ROOT/build/logs/tests-$1.xml
    shift 2
    rm -f "$report"
    say "$stage: ctest --preset $preset $*"
    ctest --preset "$preset" --parallel "$jobs" --output-junit "$report" "$@" || failed=yes
    if [ ! -f "$report" ]; then
        totals+=("$stage: ctest did not run")
        return
    fi
    local tests failures skipped
    tests=$(attribute "$report" tests)
    failures=$(attribute "$report" failures)
    skipped=$(attribute "$report" skipped)
    totals+=("$stage: $((tests - failures - skipped)) passed, $failures failed, $skipped skipped")
}

# try_build FOLDER PRESET TARGET [CMAKE OPTION...]: build it; a failure is kept, not fatal.
try_build() {
    if (build "$@"); then
        return 0
    fi
    failed=yes
    totals+=("$1: $3 does not build")
    return 1
}

# measure_coverage: what the tests of one process reach, by folder.
measure_coverage() {
    install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}" "${ND_COVERAGE_PACKAGES[@]}"
    build coverage debug all -DBUILD_TESTING=ON "-DCMAKE_C_FLAGS=--coverage -O1"
    find build/coverage -name '*.gcda' -delete
    ctest --test-dir build/coverage --label-regex '^unit$' --parallel "$(nproc)" --quiet || failed=yes
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

if [ "$all" = yes ] || [ "$coverage" = yes ]; then
    export ND_TEST_THOROUGH=1
fi
if [ "$coverage" = yes ]; then
    measure_coverage
    [ "$failed" = no ]
    exit
fi

packages=("${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}")
most_guides=3
if wants long; then
    packages+=("${ND_LONG_PACKAGES[@]}" "${ND_PLOT_PACKAGES[@]}")
fi
if [ "$all" = yes ]; then
    most_guides=9
fi
install_packages "${packages[@]}"
if wants slurm && [ "$(id -u)" -eq 0 ] && ! (install_packages "${ND_SLURM_PACKAGES[@]}"); then
    say "Slurm cannot be installed here: its tests are skipped"
fi
if (wants asan || wants static || wants fuzz) && ! (install_checks); then
    say "tools of static checks, clang's sanitizers or its fuzzer cannot be installed here"
fi
if wants tests || wants long || wants faults; then
    choose_guides "$most_guides"
    fetch_guides "${guides[@]}"
    export NEARDUP_GUIDES=$ND_GUIDES
    say "labelled pages (NEARDUP_DATA): ${NEARDUP_DATA:-not set, so the tests that need them are skipped}"
fi
mpi_environment

if (wants tests || wants long || wants faults || wants slurm) && try_build release release all -DBUILD_TESTING=ON; then
    if wants tests; then run_tests tests release --label-exclude '^long$'; fi
    if wants long; then
        try_build release release benchmarks || true
        run_tests long release --label-regex '^long$' --label-exclude '^(fault|slurm)$'
    fi
    if wants faults; then run_tests faults release --label-regex '^fault$'; fi
    if wants slurm; then run_tests slurm release --label-regex '^slurm$'; fi
fi
if wants asan && try_build asan asan all -DBUILD_TESTING=ON; then
    try_build asan asan benchmarks || true # nothing else compiles them
    run_tests asan asan --label-regex '^unit$'
fi
if wants mpich; then
    if ! (install_packages "${ND_MPICH_PACKAGES[@]}"); then
        totals+=("mpich: SKIPPED, its packages cannot be installed")
    elif try_build mpich mpich all -DBUILD_TESTING=ON; then
        run_tests mpich mpich --tests-regex '^mpi[.]ranks[12]$'
    fi
fi
if wants arm64; then
    if [ "$(uname -m)" = aarch64 ]; then
        totals+=("arm64: SKIPPED, it is this machine's own")
    elif ! (install_packages "${ND_ARM64_PACKAGES[@]}" && arm64_root); then
        totals+=("arm64: SKIPPED, its compiler, libraries or emulator cannot be had")
    elif try_build arm64 arm64 all -DBUILD_TESTING=ON; then
        # no more is drawn than without --all, as an emulator takes some ten times as long; the stages after
        # this draw nothing
        unset ND_TEST_THOROUGH
        run_tests arm64 arm64 --tests-regex '^[tp]_'
    fi
fi
if wants static; then
    say "static checks: scripts/static.py"
    if scripts/static.py; then
        totals+=("static: nothing new")
    else
        failed=yes
        totals+=("static: FAILED")
    fi
fi
if wants fuzz; then
    if ! (fuzzer_is_here); then
        totals+=("fuzz: SKIPPED, there is no fuzzer of clang's")
    elif scripts/fuzz.sh --seconds 2 --seed 1; then
        totals+=("fuzz: nothing found")
    else
        failed=yes
        totals+=("fuzz: FAILED")
    fi
    # memory that is refused is a failure like any other
    if try_build asan asan all -DBUILD_TESTING=ON; then
        if ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
            build/asan/tests/hostile --seconds 60 --seed "$(date +%s)"; then
            totals+=("hostile files: nothing found")
        else
            failed=yes
            totals+=("hostile files: FAILED")
        fi
    fi
fi

summary=$(printf '; %s' "${totals[@]}")
summary=${summary#; }
for stage in "${STAGES[@]}"; do
    wants "$stage" || left=${left:+$left, }$stage
done
say "$([ "$failed" = no ] && echo passed || echo FAILED) in $SECONDS s: $summary" \
    "${left:+(not run: $left; scripts/test.sh --all)}"
[ "$failed" = no ]
