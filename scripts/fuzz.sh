#!/usr/bin/env bash
# Fuzz what reads strangers' bytes.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/fuzz.sh [--minutes N | --seconds N] [--seed S] [TARGET...]

Builds the fuzz targets of tests/fuzz (clang's fuzzer, address and undefined-behaviour sanitizers) in
build/fuzz, and runs each of them, or those named (date, html, ...), for N minutes (default: 1), one
after the other. What they learn is kept in build/fuzz/corpus/TARGET for the next run. An input for
which a property does not hold is made as small as it gets and put into tests/fuzz/corpus/TARGET: to
be committed with the fix, since every test run replays it.
--seed S tries the same inputs each time, as far as the time goes; without it, others.
Prints a line for each target; exit status 1 if something was found.
TEXT
}

seconds=60
seed=0 # libFuzzer's own choice
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --minutes | --seconds | --seed)
        case ${2:-} in
        '' | *[!0-9]* | ???????*)
            usage >&2
            exit 2
            ;;
        esac
        case $1 in
        --minutes) seconds=$(($2 * 60)) ;;
        --seconds) seconds=$2 ;;
        --seed) seed=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        usage >&2
        exit 2
        ;;
    *)
        targets+=("$1")
        ;;
    esac
    shift
done

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# length TARGET: bytes of the longest input: most finds are small, and long ones are slow.
length() {
    case $1 in
    date) echo 40 ;;
    printable) echo 60 ;;
    index) echo 100 ;; # changes of a file, of which each is read several times
    url) echo 120 ;;
    lcs) echo 160 ;; # a table of the squared length
    labels) echo 300 ;;
    contained | wacz) echo 400 ;;
    cdxj | charset | line | plan) echo 600 ;;
    arc | jsonl | warc) echo 1200 ;;
    *) echo 2000 ;;
    esac
}

# keep TARGET INPUT: what was found, made small, into the corpus that is replayed.
keep() {
    local small=build/fuzz/small kept
    cp "$2" "$small"
    "build/fuzz/tests/z_$1" -minimize_crash=1 -max_total_time=20 -exact_artifact_path="$small" \
        "$2" >/dev/null 2>&1 || true
    kept=tests/fuzz/corpus/$1/$1_found_$(sha256sum "$small" | cut -c 1-12)
    mkdir -p "${kept%/*}"
    mv "$small" "$kept"
    say "$1: found, now in $kept: build/fuzz/tests/z_$1 $kept"
}

# fuzz TARGET: run it; false if something was found.
fuzz() {
    local folder=build/fuzz/corpus/$1 log=build/logs/fuzz-$1.log found=build/fuzz/found-$1 input
    local finds=0
    mkdir -p "$folder" "tests/fuzz/corpus/$1"
    rm -rf "$found"
    mkdir "$found"
    "build/fuzz/tests/z_$1" -max_total_time="$seconds" -seed="$seed" -max_len="$(length "$1")" -timeout=60 \
        -print_final_stats=1 -artifact_prefix="$found/" "$folder" "tests/fuzz/corpus/$1" \
        >"$log" 2>&1 || true
    for input in "$found"/*; do
        case $input in
        */slow-unit-* | */\*) ;; # a busy machine makes these
        *)
            grep -a -m 1 -E 'does not hold|runtime error|ERROR' "$log" >&2 || true
            keep "$1" "$input"
            finds=$((finds + 1))
            ;;
        esac
    done
    say "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $finds found"
    [ "$finds" -eq 0 ]
}

if ! fuzzer_is_here; then
    die "clang's fuzzer is not here; on Debian: apt install clang libclang-rt-14-dev"
fi
build fuzz fuzz fuzz_targets
if [ ${#targets[@]} -eq 0 ]; then
    for source in tests/fuzz/z_*.c; do
        source=${source##*/z_}
        targets+=("${source%.c}")
    done
fi
# Leaks: not in containers, where they cannot be looked for; memory that is refused is a failure
# like any other.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=1
failed=no
for target in "${targets[@]}"; do
    if [ ! -x "build/fuzz/tests/z_$target" ]; then
        die "there is no target $target"
    fi
    fuzz "$target" || failed=yes
done
[ "$failed" = no ]
