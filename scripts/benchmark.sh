#!/usr/bin/env bash
# Pages per second and peak memory of partition on one and on two ranks.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/benchmark.sh [--repeat N] [--help] [INPUT...]

Installs what is missing (apt), builds neardup in build/release, runs `neardup partition` over the
INPUTs on 1 and on 2 ranks in turn, N times each (3), and prints the medians: pages and input bytes
per second of the whole run (with mpirun's start and end), seconds of each stage, and the peak
resident memory of each rank, as the system counts it (getrusage), with the ratio of 2 ranks to 1.
INPUT is what partition takes; default: the HTML pages of Debian's nine installation guides, in
NEARDUP_GUIDES if that is set, else downloaded into build/guides. One run before the others, which is
not counted, brings the input into the page cache: what is measured is the program, not the disk.
TEXT
}

repeat=3
inputs=()
while [ $# -gt 0 ]; do
    case $1 in
    --repeat)
        repeat=${2:-}
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    --*)
        usage >&2
        exit 2
        ;;
    *) inputs+=("$1") ;;
    esac
    shift || true
done
if ! [[ $repeat =~ ^[1-9][0-9]*$ ]]; then
    usage >&2
    exit 2
fi
# Words name files relative to where the script was called; it goes to the root of the repository.
called_in=$PWD
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/support/guide_pages.sh
. tests/support/guide_pages.sh

architectures=(amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x)
neardup=$ND_ROOT/build/release/neardup

# run RANKS FIGURES: one run; its figures are added to the file, one a line: name, tab, value.
run() {
    local folder=$work/run begin end rank
    rm -rf "$folder"
    mkdir "$folder"
    begin=$(date +%s.%N)
    if ! (cd "$called_in" && measured "$folder" mpirun -n "$1" -- "$neardup" \
        partition "${inputs[@]}" -o "$folder/out.h5" --progress lines) 2>"$folder/log"; then
        tail -n 20 "$folder/log" >&2
        die "partition failed on $1 ranks"
    fi
    end=$(date +%s.%N)
    bytes=$(h5dump -y -w 1 -d /sources/bytes "$folder/out.h5" |
        awk '/^ *[0-9]+,?$/ { sum += $1 } END { printf "%.0f", sum }')
    pages=$(sed -n 's/^pages: \([0-9]*\) .*/\1/p' "$folder/log")
    {
        awk -v t="$begin" -v u="$end" -v pages="$pages" -v bytes="$bytes" 'BEGIN {
            printf "whole run, seconds\t%.3f\n", u - t
            printf "whole run, pages per second\t%.1f\n", pages / (u - t)
            printf "whole run, input MB per second\t%.2f\n", bytes / 1e6 / (u - t)
        }'
        sed -n 's/^\([a-z]*\) *100\.0 %.* \([0-9.]*\) s, [0-9.]* MB exchanged.*/\1 \2/p' \
            "$folder/log" | awk -v pages="$pages" '{
                printf "%s, seconds\t%.2f\n", $1, $2
                sum += $2
            }
            END { printf "all stages, pages per second\t%.1f\n", (sum > 0 ? pages / sum : 0) }'
        for rank in $(seq 0 $(($1 - 1))); do
            awk -v rank="$rank" '{ printf "rank %d, peak memory, MB\t%.1f\n", rank, $1 / 1e6 }' \
                "$folder/process.$rank"
        done
    } >>"$2"
}

# medians FILE: the names in order of appearance, each with the median of its values.
medians() {
    awk -F '\t' '
        !($1 in count) { names[++known] = $1 }
        { value[$1, ++count[$1]] = $2 }
        END {
            for (i = 1; i <= known; i++) {
                name = names[i]; n = count[name]
                for (j = 2; j <= n; j++) { # insertion sort: a handful of runs
                    x = value[name, j]
                    for (k = j - 1; k > 0 && value[name, k] + 0 > x + 0; k--)
                        value[name, k + 1] = value[name, k]
                    value[name, k + 1] = x
                }
                middle = int((n + 1) / 2)
                printf "%s\t%s\n", name, \
                    n % 2 ? value[name, middle] : (value[name, middle] + value[name, middle + 1]) / 2
            }
        }' "$1"
}

make_build_folder
install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}"
build release release neardup
mpi_environment
work=$(mktemp -d "$ND_ROOT/build/benchmark.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ ${#inputs[@]} -eq 0 ]; then
    if [ -z "${NEARDUP_GUIDES:-}" ]; then
        fetch_guides "${architectures[@]}"
    fi
    list_guide_pages "${NEARDUP_GUIDES:-$ND_GUIDES}" >"$work/pages.txt"
    inputs=("@$work/pages.txt")
fi

say "one run to warm up, then $repeat on each number of ranks"
run 2 "$work/uncounted"
for _ in $(seq "$repeat"); do
    run 1 "$work/on1"
    run 2 "$work/on2"
done
say "$pages pages, $bytes bytes of input, $(nproc) cores; medians of $repeat runs"
medians "$work/on1" >"$work/median1"
medians "$work/on2" >"$work/median2"
printf '%-32s %10s %10s %7s\n' "" "1 rank" "2 ranks" "2:1"
awk -F '\t' '
    NR == FNR { one[$1] = $2; next }
    $1 in one && one[$1] > 0 { printf "%-32s %10s %10s %7.2f\n", $1, one[$1], $2, $2 / one[$1]; next }
    { printf "%-32s %10s %10s\n", $1, $1 in one ? one[$1] : "-", $2 }' \
    "$work/median1" "$work/median2"
