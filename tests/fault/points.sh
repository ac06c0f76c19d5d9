#!/usr/bin/env bash
# A run with an injected fault ends as promised: every rank leaves, the exit code is not 0, one line
# says the rank and the cause, and neither a result, nor an unfinished one, nor shared memory is
# left; where memory is at an end, no result. So does an addition to an index, which stays as it was, and without a new one. Called as
# points.sh NEARDUP BUILD_DIR; ND_TEST_SEED repeats the choice of faults. On 1, 2, 3 and 5 ranks side by
# side: starting them takes most of the time.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
neardup=$1
make_warc=$2/tests/make_warc
compare=$2/tests/compare_results
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seed=${ND_TEST_SEED:-$RANDOM}
seconds=60 # until a run counts as hanging

if ! command -v mpirun >/dev/null; then
    echo "SKIPPED: there is no mpirun"
    exit 77
fi

# make_input FOLDER: crawl.warc.gz, 24 pages in three near copies each.
make_input() {
    local i
    mkdir "$1/pages"
    for i in $(seq 24); do
        awk -v seed="$i" 'BEGIN {
            srand(seed)
            print "<title>page " seed "</title>"
            for (p = 0; p < 12; p++) {
                printf "<p>"
                for (w = 0; w < 25; w++)
                    printf "%c%c%c ", 97 + rand() * 26, 97 + rand() * 26, 97 + rand() * 26
                print "end.</p>"
            }
        }' >"$1/pages/$i.html"
    done
    "$make_warc" "$1/crawl.warc.gz" 3 "$1/pages" >/dev/null
}

# Of one series of runs, on $ranks ranks in $place: set by series(). What is run on what, and what comes out.
ranks=0
place=
turns=(first last other)
words=("$folder/crawl.warc.gz" --split-size 4096)
whole=$folder/whole.h5
cases=0
failures=0

# wrong TEXT...: one more failure, with what was said on stderr.
wrong() {
    failures=$((failures + 1))
    printf 'points.sh: %d ranks: %s\n' "$ranks" "$*" >&2
    sed 's/^/    /' "$place/stderr" >&2
}

# run STATUSES FAULT [OPTION...]: one of these exit codes, and nothing left in memory or on disk but, if it is
# 0 or 3, the result. Shared memory lies in a folder of this run's own, not in /dev/shm.
run() {
    local wanted=$1 fault=$2 status=0 left killed launch=()
    shift 2
    cases=$((cases + 1))
    if [ "$ranks" -gt 1 ]; then
        launch=(mpirun -n "$ranks")
    fi
    rm -rf "$place"/out.*
    timeout -k 5 "$seconds" "${launch[@]}" "$neardup" partition "${words[@]}" \
        --progress none -o "$place/out.h5" --fault "$fault" "$@" \
        >"$place/stdout" 2>"$place/stderr" || status=$?
    [[ " $wanted " = *" $status "* ]] || wrong "exit code $status, not $wanted: --fault $fault"
    left=$(ls "$place/shm")
    [ -z "$left" ] || wrong "left in shared memory: $left: --fault $fault"
    rm -f "$place"/shm/*
    # a job that its watchdog ends leaves its lock as one that is killed, and it is nobody's
    killed="hang:1:40 $place/out.h5.lock"
    left=$(find "$place" -maxdepth 1 -name 'out.*' ! -name out.index)
    [[ $fault != memory:* ]] || left=$(find "$place" -maxdepth 1 -name out.h5) # the process ends there
    [ "$status" -eq 0 ] || left+=$(find "$place" -maxdepth 1 -name out.index)
    case $status in
    0 | 3) [ "$left" = "$place/out.h5" ] || wrong "no result, or more: $left: --fault $fault" ;;
    *) [ -z "$left" ] || [ "$fault $left" = "$killed" ] || wrong "left: $left: --fault $fault" ;;
    esac
    [ "$status" -ne 0 ] || "$compare" "$whole" "$place/out.h5" >>"$place/stderr" ||
        wrong "another result than that of a run without a fault: --fault $fault"
    rm -rf "$place"/out.*
}

# says PATTERN FAULT: stderr of the last run holds one line of the program's own, which matches.
says() {
    local lines
    lines=$(grep -a '^neardup: ' "$place/stderr" || true)
    if [ -z "$lines" ] || [ "$(wc -l <<<"$lines")" -ne 1 ]; then
        wrong "not one line of neardup's own: --fault $2"
    elif ! grep -q -e "$1" <<<"$lines"; then
        wrong "the line does not name '$1': --fault $2"
    fi
}

# An input that cannot be opened or read ends the job while the inputs are listed; later it is said
# and skipped, or read at a second try.
run_input() {
    local fault=$1 lines
    run "$2" "$fault" --strict
    lines=$(grep -c 'injected fault' "$place/stderr" || true)
    [ "$lines" -ge 1 ] || wrong "nothing is said: --fault $fault"
}

# passings RANK POINT: from the run with --fault count.
passings() {
    sed -n "s/^passed: rank $1 .* $2 \([0-9]*\).*$/\1/p" "$place/counts"
}

# draw BOUND: a number in [1, BOUND] from the series' own generator.
state=0
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1 + 1))
}

# try_point POINT: the first, the last and one other passing of it, on one rank each.
try_point() {
    local point=$1 turn count rank at
    for turn in "${turns[@]}"; do
        draw "$ranks"
        rank=$((drawn - 1))
        count=$(passings "$rank" "$point")
        if [ "$count" -eq 0 ]; then # rank 0 may do it alone
            rank=0
            count=$(passings 0 "$point")
        fi
        [ "$count" -gt 0 ] || break
        draw "$count"
        case $turn in
        first) at=1 ;;
        last) at=$count ;;
        other) at=$drawn ;;
        esac
        run 1 "$point:$rank:$at"
        if [ "$point" = memory ]; then
            says "rank $rank: \\(injected fault: memory\\|out of memory: .* in \\)" "$point:$rank:$at"
        else
            says "rank $rank: .*injected fault: $point\\b" "$point:$rank:$at"
        fi
    done
}

# try_kill: a rank that is killed takes the others along, and leaves no result or, in the last steps of a
# run, the whole one; what it leaves disturbs nobody.
try_kill() {
    local count status=0
    draw "$(sed -n 's/^passed: rank 0 any \([0-9]*\) .*$/\1/p' "$place/counts")"
    count=$drawn
    timeout -k 5 "$seconds" mpirun -n "$ranks" \
        "$neardup" partition "$folder/crawl.warc.gz" --split-size 4096 --progress none \
        -o "$place/out.h5" --fault "kill:0:$count" >"$place/stdout" 2>"$place/stderr" || status=$?
    cases=$((cases + 1))
    [ "$status" -eq 137 ] || wrong "exit code $status, not 137: --fault kill:0:$count"
    [ ! -e "$place/out.h5" ] || "$compare" "$whole" "$place/out.h5" >>"$place/stderr" ||
        wrong "not the whole result after --fault kill:0:$count"
    run 0 count
}

# series RANKS: all of it on so many ranks.
series() {
    local point
    ranks=$1
    place=$folder/$1
    state=$((seed + $1))
    mkdir -p "$place/shm"
    shared_memory_in "$place/shm"
    run 0 count
    grep '^passed: ' "$place/stderr" >"$place/counts"
    [ "$(wc -l <"$place/counts")" -eq "$ranks" ] || wrong "not a line of counts per rank"
    for point in memory exchange result open read write sync rename lock; do
        try_point "$point"
    done
    run_input input-open:0:1 1
    # the last but one: the last looks for a field that may be the URL, to give a hint
    run_input "input-read:0:$(($(passings 0 input-read) - 1))" "0 3"
    try_kill
    echo "$ranks ranks: $cases cases, $failures wrong"
    [ "$failures" -eq 0 ]
}

# addition RANKS: the same pages come again, half of them changed, to an index that has its texts in the input.
addition() {
    local point
    ranks=$1
    place=$folder/addition$1
    state=$((seed + 10 * $1))
    turns=(last other)
    words=("$folder/next.jsonl" --index "$folder/old.index" --write-index "$place/out.index" --contained .5)
    whole=$folder/next.h5
    mkdir -p "$place/shm"
    shared_memory_in "$place/shm"
    run 0 count
    grep '^passed: ' "$place/stderr" >"$place/counts"
    for point in memory exchange open read write sync rename lock; do
        try_point "$point"
    done
    # rank 0 alone reads the pages; of more it may only look for a field that may be the URL
    run "1$([ "$ranks" -eq 1 ] || echo ' 0')" input-read:0:1
    echo "addition, $ranks ranks: $cases cases, $failures wrong"
    [ "$failures" -eq 0 ]
}

# A rank that hangs is named by its watchdog, which ends the job when it is asked to.
watchdog() {
    ranks=3
    place=$folder/watchdog
    mkdir -p "$place/shm"
    shared_memory_in "$place/shm"
    run 1 hang:1:40 --watchdog 0 --watchdog-abort 1
    says "rank 1 (host $(uname -n)) makes no progress in stage ingest" hang:1:40
    run 0 count --watchdog 1 --watchdog-abort 30
    if grep -a '^neardup: ' "$place/stderr"; then
        wrong "a watchdog that barks at nothing"
    fi
    echo "watchdog: $cases cases, $failures wrong"
    [ "$failures" -eq 0 ]
}

echo "points.sh: ND_TEST_SEED=$seed"
make_input "$folder"
"$neardup" partition "$folder/crawl.warc.gz" --progress none -o "$folder/whole.h5"
"$neardup" partition "$folder/crawl.warc.gz" --progress none -o "$folder/old.h5" --write-index "$folder/old.index" \
    --index-texts inputs
"$neardup" extract "$folder/crawl.warc.gz" | awk 'NR % 2 { sub(/end\./, "changed end.") } 1' >"$folder/next.jsonl"
"$neardup" partition "$folder/next.jsonl" --progress none -o "$folder/next.h5" --index "$folder/old.index" \
    --contained .5
before=$(cd "$folder/old.index" && sha256sum ./*)
jobs=()
for count in 1 2 3 5; do
    series "$count" &
    jobs+=($!)
    addition "$count" &
    jobs+=($!)
done
watchdog &
jobs+=($!)
bad=0
for job in "${jobs[@]}"; do
    wait "$job" || bad=1
done
[ "$(cd "$folder/old.index" && sha256sum ./*)" = "$before" ] || {
    echo "points.sh: the old index has changed" >&2
    bad=1
}
exit "$bad"
