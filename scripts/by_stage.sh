#!/usr/bin/env bash
# What a rank does in each stage: processor time, memory, messages; on any number of ranks.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/by_stage.sh --build FOLDER -o FOLDER [--ranks N]... [--pages N]
                           [--page-bytes SIZE] [--memory SIZE] [--kept] [--help] [INPUT...]

Partitions INPUT, or --pages N made-up pages (20000 of --page-bytes 4000, seed 1), on each number of
ranks (1 and 64), through a library that counts between program and MPI (tests/preload/count_mpi.c).
Prints of each run, stage by stage: seconds of processor time of a rank in the mean and at most,
memory of its own at most, memory that ranks of a node share, messages it sends in the mean and at
most, their MB, exchanges (each sends at most one message to each other rank in a round), calls
that all ranks make together, the seconds that all this would take a rank with a node of its own
(1 Gbit/s; .1 ms for each exchange, and for each step of a call, of which there are as many as the
ranks have halves), and how many messages so many exchanges are at most on 160 and 1,600 ranks.
Results that differ in a byte end it with 1.

  --build FOLDER     a build with tests, of which neardup, compare_results and count_mpi.so are taken
  -o FOLDER          new: tables are left there as ranks.N.tsv, results as ranks.N.h5
  --memory SIZE      of a rank, as partition takes it
  --kept             with --work: with checkpoints
TEXT
}

called_in=$PWD
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$called_in"
build='' folder='' pages=20000 page_bytes=4000 memory='' kept=
ranks=()
inputs=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage; exit ;;
    --kept) kept=yes; shift; continue ;;
    --build) build=$(realpath -m "${2:-}") ;;
    -o) folder=${2:-} ;;
    --ranks) ranks+=("${2:-}") ;;
    --pages) pages=${2:-} ;;
    --page-bytes) page_bytes=${2:-} ;;
    --memory) memory=${2:-} ;;
    -*) usage >&2; exit 2 ;;
    *) inputs+=("$1"); shift; continue ;;
    esac
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    shift 2
done
if [ -z "$build" ] || [ -z "$folder" ]; then
    usage >&2
    exit 2
fi
[ ${#ranks[@]} -gt 0 ] || ranks=(1 64)
neardup=$build/neardup counter=$build/tests/count_mpi.so
if ! [ -x "$neardup" ] || ! [ -f "$counter" ]; then
    die "$build has no neardup or no tests/count_mpi.so"
fi
mpi_environment
mkdir "$folder"
folder=$(realpath "$folder")
if [ ${#inputs[@]} -eq 0 ]; then
    "$neardup" synthesize -o "$folder/corpus" --pages "$pages" --seed 1 --page-bytes "$page_bytes" \
        --progress none
    inputs=("$folder"/corpus/pages-*)
fi

# table FILE RANKS: for people.
table() {
    awk -F '\t' -v ranks="$2" '
        function wire(bytes, exchanges, calls) {
            return bytes * 8 / 1e9 + (exchanges + calls * log(ranks) / log(2)) * 1e-4
        }
        NR == 1 {
            printf "%-9s %7s %7s %7s %7s %9s %9s %9s %6s %6s %7s %9s %9s\n", "", "CPU s", "most",
                "own MB", "shared", "messages", "most", "MB", "exch.", "calls", "net s", "at 160",
                "at 1600"
            next
        }
        $1 != "(after)" {
            printf "%-9s %7.2f %7.2f %7.1f %7.1f %9.0f %9.0f %9.3f %6d %6d %7.2f %9d %9d\n", $1, $14,
                $15, $17, $19, $2, $3, $4 / 1e6, $8, $10, wire($4, $8, $10), $8 * 159, $8 * 1599
        }
        NR > 1 {
            cpu += $14; sent += $2; bytes += $4; exchanges += $8; calls += $10
            own = $17 > own ? $17 : own; shared = $19 > shared ? $19 : shared
        }
        END {
            printf "%-9s %7.2f %7s %7.1f %7.1f %9.0f %9s %9.3f %6d %6d %7.2f %9d %9d\n", "all", cpu, "",
                own, shared, sent, "", bytes / 1e6, exchanges, calls, wire(bytes, exchanges, calls),
                exchanges * 159, exchanges * 1599
        }' "$1"
}

for count in "${ranks[@]}"; do
    options=(--progress lines -o "$folder/ranks.$count.h5")
    [ -z "$memory" ] || options+=(--memory "$memory")
    [ -z "$kept" ] || options+=(--work "$folder/work")
    if ! mpirun -n "$count" env "LD_PRELOAD=$counter" "ND_COUNT_FILE=$folder/ranks.$count.tsv" \
        "$neardup" partition "${inputs[@]}" "${options[@]}" </dev/null >"$folder/log" 2>&1; then
        tail -n 20 "$folder/log" >&2
        die "partition failed on $count ranks"
    fi
    say "$count ranks: $(sed -n 's/^\(pages: [0-9]*\) .*/\1/p' "$folder/log")"
    table "$folder/ranks.$count.tsv" "$count"
    "$build/tests/compare_results" "$folder/ranks.${ranks[0]}.h5" "$folder/ranks.$count.h5" ||
        die "results on ${ranks[0]} and on $count ranks differ"
done
