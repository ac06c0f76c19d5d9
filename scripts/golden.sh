#!/usr/bin/env bash
# Results, index arrays, totals, resumes and printed words of many configurations, by checksums: is a
# change one that changes nothing?
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/golden.sh make [--binary FILE]
       scripts/golden.sh check [--against FILE] [--binary FILE]

make runs neardup on a small made-up corpus in many configurations, and keeps in build/golden/expected
what they gave. check runs them again and says what differs:
  results   every dataset but /stages and every attribute but how the file was made; each method,
            preset, score and way to form sets, on 1 and 3 ranks, the most important on 2 and 5 too,
            where all must be the same
  indexes   three additions, also with --recluster and by --preset safe; the arrays of their indexes
  resumes   jobs that end at a failed call, from the first stage to the last, and are resumed on another
            number of ranks: the result of the run without interruption
  words     what tests/cli/texts.sh has every command print, and the help and manual of each
Beside it user seconds (least of three) and peak memory of three configurations, before and now, which
nothing fails on. Three to four minutes on two cores.

  --binary FILE   the program, in place of build/release/neardup
  --against FILE  make what is expected anew, by this program (one that was built before a change)

Exit status 0 if nothing differs, 1 if something does. What is expected is of one machine and one time:
a change that is meant shows in the differences, and is then made the expected.
TEXT
}

verb=${1:-}
shift || true
binary=
against=
while [ $# -gt 0 ]; do
    case $verb$1 in
    make--binary | check--binary) binary=${2:-} ;;
    check--against) against=${2:-} ;;
    *)
        [ "$1" = --help ] && usage && exit 0
        usage >&2
        exit 2
        ;;
    esac
    [ -x "${2:-}" ] || { echo "golden.sh: $1: no program: ${2:-}" >&2 && exit 2; }
    printf -v "${1#--}" '%s' "$(realpath "$2")"
    shift 2
done
case $verb in
make | check) ;;
-h | --help) usage && exit 0 ;;
*) usage >&2 && exit 2 ;;
esac
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mpi_environment
binary=${binary:-$ND_ROOT/build/release/neardup}
compare=$ND_ROOT/build/release/tests/compare_results
golden=$ND_ROOT/build/golden
for program in "$binary" "$compare"; do
    [ -x "$program" ] || die "$program is missing: cmake --build build/release"
done

# ---- what is run: a name, the numbers of ranks, options

cases() {
    cat <<'TEXT'
default 1,2,3,5
safe 1,2,3,5 --preset safe
pku 1,2,3,5 --preset pku
small 1,2,3,5 --memory 16M --split-size 200K
exact 1,3 --method exact
sketch 1,3 --method sketch
lsh 1,3 --method lsh
estimate 1,3 --method lsh --verify off
broder 1,3 --method broder
simhash 1,3 --method simhash
charikar 1,3 --method charikar
cosine 1,3 --method cosine
henzinger 1,3 --method henzinger
union 1,3 --method henzinger --henzinger union
r 1,3 --score r
trustable 1,3 --score trustable
jaccard 1,3 --score jaccard
unfiltered 1,3 --score r --filters off
star 1,3 --sets star
components 1,3 --sets components
full 1,2,5 --transitivity full --set-cap 100
unverified 1,3 --transitivity full --verify off
slack 1,3 --threshold .3 --slack .02
pairs 1,3 --pairs keep
contained 1,2,3,5 --contained .8
certain 1,3 --min-confidence .9
records 1,3 --record-pages join --thin apart
images 1,3 --image-terms on --index-pages off --title-penalty 0
domains 1,3 --site domain --templates 0 --site-extra 0
whole 1,3 --navigation keep --links keep --chunk-sentences 1
TEXT
}

# ---- running

# ran NAME RANKS COMMAND...: alone without mpirun; its output goes to $folder/log/NAME.RANKS.
ran() {
    local name=$1 ranks=$2 launch=() status=0
    shift 2
    [ "$ranks" -eq 1 ] || launch=(mpirun -n "$ranks")
    timeout 300 "${launch[@]}" "$program" "$@" >"log/$name.$ranks" 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || echo "exit code $status" >>"log/$name.$ranks"
    return "$status"
}

# result NAME RANKS OPTION...: its sums, results/NAME.RANKS, and the counts that it printed.
result() {
    local name=$1 ranks=$2 status=0
    ran "$name" "$ranks" partition a=a b=b b=odd.jsonl --force --progress none -o "$name.$ranks.h5" "${@:3}" ||
        status=$?
    {
        echo "exit code $status"
        grep -aE '^(pages|pairs|perhaps-similar sets|contained|forms|sets|index): ' "log/$name.$ranks" || true
        "$compare" --sums "$name.$ranks.h5" || true
    } >"results/$name.$ranks" 2>&1
    rm -f "$name.$ranks.h5"
}

# arrays INDEX RANKS: a line for each array; the parts of ranks follow each other.
arrays() {
    local array by_time=inputs
    # what it knows of the inputs on the disk is another for each run; and which of several ranks has
    # read a page, and so where its name lies
    [ "$2" -eq 1 ] || by_time='inputs|pages|ingest[.]names'
    for array in $(find "$1" -name 'checkpoint-*' -printf '%f\n' | grep -vE -- "-($by_time)-" |
        sed -E 's/^checkpoint-[0-9]+-(.*)-[0-9]+-[0-9]+$/\1/' | sort -u); do
        find "$1" -name "checkpoint-*-$array-*" | sort -V | xargs cat | cksum | sed "s|^|$array |"
    done
    "$program" index info "$1" | grep -v '^neardup:' || true
}

run_indexes() {
    local ranks=$1
    ran index-a "$ranks" partition a --force --progress none --write-index "a.$ranks" -o "a.$ranks.h5" || true
    ran index-b "$ranks" partition b --force --progress none --index "a.$ranks" --write-index "b.$ranks" \
        -o "b.$ranks.h5" || true
    ran index-odd "$ranks" partition odd.jsonl --force --progress none --index "b.$ranks" -o "odd.$ranks.h5" || true
    ran index-anew "$ranks" partition odd.jsonl --force --progress none --index "b.$ranks" --recluster \
        --write-index "anew.$ranks" -o "anew.$ranks.h5" || true
    ran index-again "$ranks" partition b --force --progress none --index "a.$ranks" --reread -o "again.$ranks.h5" || true
    ran index-safe "$ranks" partition a --preset safe --index-texts inputs --force --progress none \
        --write-index "safe.$ranks" -o "safe-a.$ranks.h5" || true
    ran index-safe-b "$ranks" partition b --preset safe --force --progress none --index "safe.$ranks" \
        -o "safe-b.$ranks.h5" || true
    for name in a b odd anew again safe-a safe-b; do
        "$compare" --sums "$name.$ranks.h5" >"results/index-$name.$ranks" 2>&1 || true
    done
    for name in a b anew safe; do
        arrays "$name.$ranks" "$ranks" >"indexes/$name.$ranks" 2>&1
    done
    rm -rf ./*."$ranks".h5 {a,b,anew,safe}."$ranks"
}

# run_resumes: where the last call fails, the result is there already but for its name.
run_resumes() {
    local options=(--work work --checkpoint 0 --memory 16M --split-size 200K --force --progress none) next=3
    local part calls at
    # alone: on more ranks it depends on the time who reads what, and so how many calls there are
    ran count 1 partition a=a b=b b=odd.jsonl -o count.h5 --fault count "${options[@]}" || true
    calls=$(sed -n 's/^passed: rank 0 .*\bsync \([0-9]*\).*$/\1/p' log/count.1)
    for part in 5 25 40 55 70 80 90 98; do
        at=$((calls * part / 100 + 1))
        rm -rf work
        ! ran "stop-$part" 1 partition a=a b=b b=odd.jsonl -o resumed.h5 --fault "sync:0:$at" "${options[@]}" ||
            echo "a job that should have ended did not" >>"results/resumed-$part"
        [ ! -e resumed.h5 ] || echo "an interrupted job left a result" >>"results/resumed-$part"
        ran "resume-$part" "$next" partition a=a b=b b=odd.jsonl -o resumed.h5 --resume "${options[@]}" || true
        "$compare" --sums resumed.h5 >>"results/resumed-$part" 2>&1 || true
        rm -f resumed.h5
        next=$(((next + 2) % 6)) # 3, 5, 1
    done
    rm -rf work
}

run_words() {
    local command
    mkdir words
    ND_TEXTS=$PWD/words bash "$ND_ROOT/tests/cli/texts.sh" "$program" "$ND_ROOT/build/release" >log/texts 2>&1 || true
    for command in $("$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        "$program" "$command" --help all >"words/$command.all" 2>&1 || true
        "$program" "$command" --help man >"words/$command.man" 2>&1 || true
    done
}

# all_of PROGRAM FOLDER: what it gives, in that folder. It is made in another one, always the same: an
# index names its inputs.
all_of() {
    local program=$1 folder=$2 name ranks options
    rm -rf "$folder" "$golden/run"
    mkdir -p "$golden"/run/{log,results,indexes}
    cd "$golden/run"
    "$program" synthesize -o a --pages 900 --shard-pages 300 --page-bytes 4000 --seed 21 --progress none >log/a 2>&1
    "$program" synthesize -o b --pages 500 --shard-pages 300 --page-bytes 5000 --seed 21 --profile crawl \
        --format jsonl --progress none >log/b 2>&1
    rm -f {a,b}/*.tsv
    printf '%s\n' '{"id":"x","text":"one two three four five six seven eight nine"}' '{"id":"cut' \
        '{"id":"y","text":"one two three four five six seven eight ten"}' '{"id":"x","url":"http://e/","text":""}' \
        >odd.jsonl
    find a b -type f | sort | xargs cat | cksum >results/corpus
    while read -r name ranks options; do
        for ranks in ${ranks//,/ }; do
            # shellcheck disable=SC2086 # words
            result "$name" "$ranks" $options
        done
    done < <(cases)
    run_indexes 1
    run_indexes 3
    run_resumes
    run_words
    rm -rf a b
    cd "$ND_ROOT"
    mv "$golden/run" "$folder"
}

# ---- what it costs

# cost PROGRAM FOLDER: FOLDER/cost has a configuration a line: its least user seconds of so many runs,
# and its peak memory in MB.
cost() {
    local program=$1 folder=$2 name
    local costs=$golden/costs
    if [ ! -d "$costs" ]; then
        "$binary" synthesize -o "$costs" --pages 6000 --seed 3 --page-bytes 12000 --progress none >/dev/null 2>&1
    fi
    for name in 'default' 'preset pku' 'method lsh'; do
        for _ in 1 2 3; do
            # shellcheck disable=SC2086 # words
            measured "$folder" -- "$program" partition "$costs" ${name:+$([ "$name" = default ] || echo --$name)} \
                --progress none --force -o "$folder/cost.h5" >/dev/null 2>&1 </dev/null
            awk -v name="${name// /-}" '{ print name, $3, $1 / 1e6 }' "$folder/process.0"
        done
    done | awk '{ if (!($1 in time) || $2 < time[$1]) time[$1] = $2; if ($3 > most[$1]) most[$1] = $3 }
        END { for (name in time) print name, time[name], most[name] }' | sort >"$folder/cost"
    rm -f "$folder"/{cost.h5,process.0}
}

# ---- what differs

# same_on_all_ranks: results of one name; nothing of a result says on how many ranks it was made, but
# totals may say what memory allowed.
same_on_all_ranks() {
    local first other name
    for first in "$golden"/now/results/*.1; do
        name=${first%.1}
        for other in "$name".[235]; do
            [ -e "$other" ] || continue
            if ! diff <(grep -v '^totals ' "$first") <(grep -v '^totals ' "$other") >/dev/null; then
                echo "${other##*/} is not as on 1 rank"
            fi
        done
    done
    for other in "$golden"/now/results/resumed-*; do
        diff <(grep -av '^totals \|^[a-z]*: \|^exit code' "$golden/now/results/small.2") <(grep -v '^totals ' "$other") >/dev/null ||
            echo "${other##*/} is not as without interruption"
    done
}

mkdir -p "$golden"
if [ "$verb" = make ] || [ -n "$against" ]; then
    say "golden: what ${against:-$binary} gives"
    all_of "${against:-$binary}" "$golden/expected"
    cost "${against:-$binary}" "$golden/expected"
    [ "$verb" = check ] || exit 0
fi
[ -e "$golden/expected/cost" ] || die "there is nothing to compare with: golden.sh make"
say "golden: what $binary gives"
all_of "$binary" "$golden/now"
cost "$binary" "$golden/now"
findings=$(same_on_all_ranks)
[ -z "$findings" ] || printf '%s\n' "$findings"
different=0
for part in results indexes words; do
    diff -rU 0 "$golden/expected/$part" "$golden/now/$part" >"$golden/$part.diff" || different=1
    say "$part: $(find "$golden/now/$part" -type f | wc -l), $(grep -caE '^(diff|Only in) ' "$golden/$part.diff" || true) differ"
    grep -aE '^(Only in|[-+])' "$golden/$part.diff" | cut -c 1-120 | head -n 20 || true
done
join "$golden/expected/cost" "$golden/now/cost" | awk '{
    printf "%-12s user %.2f s, now %.2f s (%+.1f %%); memory %.1f MB, now %.1f MB (%+.1f %%)\n",
        $1, $2, $4, 100 * ($4 / $2 - 1), $3, $5, 100 * ($5 / $3 - 1) }'
[ -z "$findings" ] && [ "$different" -eq 0 ]
