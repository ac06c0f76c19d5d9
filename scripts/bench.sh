#!/usr/bin/env bash
# Speed: kernels beside their references, whole runs stage by stage, text documents beside other
# tools' figures, and what a build without SIMD costs.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/bench.sh [--kernels] [--runs] [--growth] [--peers] [--no-simd] [--pages N]
                        [--text PERCENT] [--copies N] [--repeat N] [--help] [INPUT...]

Installs what is missing (apt), builds neardup in build/release, and measures; without a part named,
all parts. Parts:
  --kernels   the programs of tests/bench: each kernel beside its reference, and beside what a
              person would otherwise use; pages are those of three of Debian's installation guides,
              which are downloaded
  --runs      `neardup partition` on 1 and on 2 ranks in turn: of each stage the seconds, pages per
              second and core, and the share of them in which ranks wait for others; of the whole
              run pages and input bytes per second, and each rank's peak of resident memory as the
              system counts it. INPUT is what partition takes; default: a synthesized corpus
  --growth    the same on 2 ranks for a sixteenth, a quarter and all of --pages pages of 23 kB: each
              stage's core time per page, and from its growth what 430 million pages of 30 kB take
  --peers     `--method lsh` (25 x 5, verified) and `--method lcs` on the documents of peer-bench in
              NEARDUP_DATA, on 1 rank: documents per second in the steady part, that is by the
              difference between one copy of the file and several. Copies are made unlike each other
              by another alphabet for each
  --no-simd   the same pages with -DND_SIMD=OFF and -march=x86-64: its time over that of the
              release build, and whether the results are the same
Options:
  --pages N   of the synthesized corpus (30000)
  --text PERCENT   share of visible text in synthesized pages, as `neardup synthesize` takes it;
              without it they are plain pages, with less markup than real ones
  --copies N  of peer-bench's file (8)
  --repeat N  runs of each kind, of which the medians are printed (3)
One run before the others, which is not counted, brings the input into the page cache: what is
measured is the program, not the disk. On a machine that others use trust the ratios alone.
TEXT
}

repeat=3
pages=30000
copies=8
synthesis=() # options of neardup synthesize
parts=()
inputs=()
while [ $# -gt 0 ]; do
    case $1 in
    --repeat | --pages | --copies)
        if ! [[ ${2:-} =~ ^[1-9][0-9]*$ ]]; then
            usage >&2
            exit 2
        fi
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
    --text)
        if ! [[ ${2:-} =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
            usage >&2
            exit 2
        fi
        synthesis=(--text "$2")
        shift
        ;;
    --kernels | --runs | --growth | --peers | --no-simd) parts+=("${1#--}") ;;
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
    shift
done
# Words name files relative to where the script was called; it goes to the root of the repository.
called_in=$PWD
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ ${#parts[@]} -gt 0 ] || parts=(kernels runs growth peers no-simd)
neardup=$ND_ROOT/build/release/neardup

# partition PROGRAM RANKS ARGUMENT...: one run in $work/run: log, out.h5, process.RANK.
partition() {
    local program=$1 ranks=$2 folder=$work/run
    shift 2
    rm -rf "$folder"
    mkdir "$folder"
    if ! (cd "$called_in" && measured "$folder" mpirun -n "$ranks" -- "$program" \
        partition "$@" -o "$folder/out.h5" --progress lines) 2>"$folder/log"; then
        tail -n 20 "$folder/log" >&2
        die "partition failed on $ranks ranks"
    fi
}

# seconds_of_run: of all stages of the last run, by the program's own clock.
seconds_of_run() {
    sed -n 's/^time: \([0-9.]*\) s.*/\1/p' "$work/run/log"
}

# figures RANKS: of the last run, one a line: name, tab, value.
figures() {
    local bytes run_pages rank
    bytes=$(h5dump -y -w 1 -d /sources/bytes "$work/run/out.h5" |
        awk '/^ *[0-9]+,?$/ { sum += $1 } END { printf "%.0f", sum }')
    run_pages=$(sed -n 's/^pages: \([0-9]*\) .*/\1/p' "$work/run/log")
    awk -v ranks="$1" -v pages="$run_pages" -v bytes="$bytes" '
        / MB exchanged, / {
            match($0, /, [0-9.]+ s, [0-9]+ % waiting/)
            split(substr($0, RSTART + 2, RLENGTH), word, " ")
            printf "%s, seconds\t%.2f\n", $1, word[1]
            printf "%s, %% waiting\t%d\n", $1, word[3]
            if (word[1] > 0)
                printf "%s, pages/s/core\t%.0f\n", $1, pages / word[1] / ranks
            waiting += word[1] * word[3]; sum += word[1]
        }
        /^time: / {
            printf "all stages, seconds\t%.2f\n", $2
            printf "all stages, %% waiting\t%.0f\n", (sum > 0 ? waiting / sum : 0)
            printf "all stages, pages/s/core\t%.0f\n", pages / $2 / ranks
            printf "all stages, pages/s\t%.0f\n", pages / $2
            printf "all stages, input MB/s\t%.1f\n", bytes / 1e6 / $2
        }' "$work/run/log"
    for rank in $(seq 0 $(($1 - 1))); do
        awk -v rank="$rank" '{
            printf "rank %d, peak memory, MB\t%.1f\n", rank, $1 / 1e6
            printf "rank %d, user seconds\t%.2f\n", rank, $3
        }' "$work/run/process.$rank"
    done
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

# beside HEAD_A HEAD_B FILE_A FILE_B: the medians of two files side by side, and their ratio.
beside() {
    medians "$3" >"$work/median.a"
    medians "$4" >"$work/median.b"
    printf '%-32s %10s %10s %7s\n' "" "$1" "$2" "2nd:1st"
    awk -F '\t' '
        NR == FNR { one[$1] = $2; next }
        $1 in one && one[$1] > 0 {
            printf "%-32s %10s %10s %7.2f\n", $1, one[$1], $2, $2 / one[$1]; next }
        { printf "%-32s %10s %10s\n", $1, $1 in one ? one[$1] : "-", $2 }' \
        "$work/median.a" "$work/median.b"
}

# synthesized_corpus: $work/corpus, made once.
synthesized_corpus() {
    if [ ! -d "$work/corpus" ]; then
        mpirun -n 2 "$neardup" synthesize -o "$work/corpus" --pages "$pages" --seed 1 \
            "${synthesis[@]}" 2>"$work/synthesize.log" >&2 || die "synthesize failed: $(tail -n 1 "$work/synthesize.log")"
        rm -f "$work"/corpus/*.tsv
    fi
}

# real_pages: the pages of three of Debian's installation guides, as files in the folders $guides and
# as a crawl in $work/guides.warc.gz, made once.
real_pages() {
    local architectures=(amd64 arm64 armhf) architecture
    guides=()
    fetch_guides "${architectures[@]}"
    for architecture in "${architectures[@]}"; do
        guides+=("$(guide_folder "$architecture")")
    done
    if [ ! -f "$work/guides.warc.gz" ]; then
        build/release/tests/make_warc "$work/guides.warc.gz" 4 "${guides[@]}"
    fi
}

run_kernels() {
    local bench given
    build release release all -DBUILD_TESTING=ON
    real_pages
    for bench in tests/bench/b_*.c; do
        bench=$(basename "$bench" .c)
        case $bench in
        b_extract_oracle) continue ;; # it compares results, not times
        b_front_end) given=("$work/guides.warc.gz") ;;
        b_lcs) given=("${guides[@]}") ;;
        *) given=() ;;
        esac
        say "tests/bench/$bench"
        "build/release/tests/$bench" "${given[@]}"
    done
}

run_runs() {
    local given=("${inputs[@]}")
    if [ ${#given[@]} -eq 0 ]; then
        synthesized_corpus
        given=("$work/corpus")
    fi
    say "whole runs: one to warm up, then $repeat on each number of ranks"
    partition "$neardup" 2 "${given[@]}"
    for _ in $(seq "$repeat"); do
        partition "$neardup" 1 "${given[@]}"
        figures 1 >>"$work/on1"
        partition "$neardup" 2 "${given[@]}"
        figures 2 >>"$work/on2"
    done
    say "medians of $repeat runs, $(nproc) cores"
    beside "1 rank" "2 ranks" "$work/on1" "$work/on2"
}

# The paper's corpus: 430 million pages of 30 kB.
paper_pages=430000000
paper_kilobytes=30

run_growth() {
    local count corpus
    for count in $((pages / 16)) $((pages / 4)) "$pages"; do
        say "growth: $count pages, $repeat runs on 2 ranks"
        corpus=$work/growth
        mpirun -n 2 "$neardup" synthesize --progress none -o "$corpus" --pages "$count" --seed 1 \
            --page-bytes 23000 "${synthesis[@]}" || die "synthesize failed"
        for _ in $(seq "$repeat"); do
            partition "$neardup" 2 "$corpus"/*.warc.gz
            figures 2 | awk -F '(, |\t)' -v pages="$count" '
                $2 == "seconds" && $1 != "all stages" { print pages, 23, 2, $1, $3 }' >>"$work/growing"
        done
        rm -rf "$corpus"
    done
    python3 scripts/bench_growth.py "$paper_pages" "$paper_kilobytes" <"$work/growing"
}

# copy_documents N FILE: N copies of peer-bench's documents, each in an alphabet of its own.
copy_documents='
import gzip, json, random, string, sys
source, copies, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with gzip.open(source, "rt", encoding="utf-8") as file:
    documents = [json.loads(line) for line in file]
def alphabet(copy):
    letters = list(string.ascii_lowercase)
    random.Random(copy).shuffle(letters)
    table = dict(zip(map(ord, string.ascii_lowercase), letters))
    table.update(zip(map(ord, string.ascii_uppercase), (c.upper() for c in letters)))
    for first, count in ((0x3041, 83), (0x30a1, 83), (0x4e00, 20900)): # kana, Han
        for i in range(count):
            table[first + i] = chr(first + (i + 37 * copy) % count)
    return table
with open(target, "w", encoding="utf-8") as out:
    for copy in range(copies):
        table = alphabet(copy) if copy > 0 else {}
        for document in documents:
            out.write(json.dumps({"id": "%d-%s" % (copy, document["id"]),
                                  "text": document["text"].translate(table)},
                                 ensure_ascii=False) + "\n")'

run_peers() {
    local data=${NEARDUP_DATA:-}/peer-bench/docs20k.jsonl.gz method size
    if [ ! -f "$data" ]; then
        say "SKIPPED: no peer-bench/docs20k.jsonl.gz in NEARDUP_DATA"
        return
    fi
    python3 -c "$copy_documents" "$data" 1 "$work/few.jsonl"
    python3 -c "$copy_documents" "$data" $((1 + copies)) "$work/many.jsonl"
    for _ in $(seq "$repeat"); do
        for method in lsh lcs; do
            local options=(--method "$method" --templates 0)
            [ "$method" = lcs ] || options+=(--bands 25 --rows 5)
            for size in few many; do
                partition "$neardup" 1 "$work/$size.jsonl" "${options[@]}"
                printf '%s %s %s %s\n' "$method" "$size" "$(seconds_of_run)" \
                    "$(cut -f 3 "$work/run/process.0")" >>"$work/peers"
            done
        done
    done
    say "documents per second in the steady part, 1 rank: $copies copies more of 20,000, $repeat runs"
    awk -v documents=$((20000 * copies)) '
        $2 == "few" { clock = $3; user = $4; next }
        {
            printf "%s, documents/s\t%.0f\n", $1, documents / ($3 - clock)
            printf "%s, documents/s of user time\t%.0f\n", $1, documents / ($4 - user)
        }' "$work/peers" >"$work/steady"
    medians "$work/steady" | awk -F '\t' '{ printf "%-32s %10s\n", $1, $2 }'
}

run_no_simd() {
    local same=build/release/tests/compare_results
    build release release compare_results -DBUILD_TESTING=ON
    build no-simd release neardup -DND_SIMD=OFF -DCMAKE_C_FLAGS=-march=x86-64
    synthesized_corpus
    partition "$neardup" 1 "$work/corpus"
    cp "$work/run/out.h5" "$work/with.h5"
    for _ in $(seq "$repeat"); do
        partition "$neardup" 1 "$work/corpus"
        figures 1 >>"$work/with"
        partition "$ND_ROOT/build/no-simd/neardup" 1 "$work/corpus"
        figures 1 >>"$work/without"
        "$same" "$work/with.h5" "$work/run/out.h5" || die "another result without SIMD"
    done
    say "with and without SIMD (-march=x86-64), the same results; medians of $repeat runs"
    beside "SIMD" "none" "$work/with" "$work/without"
}

make_build_folder
install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}" "${ND_BENCH_PACKAGES[@]}"
build release release neardup
mpi_environment
work=$(mktemp -d "$ND_ROOT/build/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
for part in "${parts[@]}"; do
    "run_${part//-/_}"
done
