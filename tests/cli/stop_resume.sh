#!/usr/bin/env bash
# Jobs with a work folder: the same result as without one, on any number of ranks; stopped by a
# signal, killed, or out of an input, they go on where they were, on any other number of ranks; what
# does not belong to the run is refused in one line; little memory gives the same result. Called as
# stop_resume.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
neardup=$1
compare=$2/tests/compare_results
make_warc=$2/tests/make_warc
folder=$(mktemp -d)
work=$folder/work
out=$folder/out.h5
log=$folder/log

if ! command -v mpirun >/dev/null; then
    echo "SKIPPED: there is no mpirun"
    exit 77
fi

# clean_up: a failure may leave a stopped job behind.
clean_up() {
    rank_processes "$work" | xargs -r kill -KILL 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT

# fail TEXT...: the end of the test, with what the job said last.
fail() {
    printf 'stop_resume.sh: %s\n' "$*" >&2
    sed 's/^/    > /' "$log" 2>/dev/null | tail -n 20 >&2
    exit 1
}

# ---- the job

# start RANKS ARGUMENT...: in the background, as $job; with arguments of its own, which come last.
# Alone without mpirun, which takes longer. All jobs share one place for shared memory.
start() {
    local ranks=$1 launch=()
    shift
    if [ "$ranks" -gt 1 ]; then
        launch=(mpirun --mca btl_vader_backing_directory "$folder/shm" -n "$ranks")
    fi
    timeout -k 10 200 "${launch[@]}" "$neardup" partition "${inputs[@]}" --unit 60000 \
        --progress lines -o "$out" "$@" >"$log" 2>&1 &
    job=$!
}

# finish: wait for the job; $status is its exit code.
finish() {
    status=0
    wait "$job" || status=$?
    [ "$status" -ne 124 ] || fail "hangs"
}

# run STATUS RANKS ARGUMENT...: to that exit code.
run() {
    local wanted=$1
    shift
    start "$@"
    finish
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*"
}

# kept: the arguments of a job with the work folder, a checkpoint after every piece of work, and as
# little memory as can be, so that there are many pieces.
kept=(--work "$work" --checkpoint 0 --memory 16M)

# same NAME: the result is equal to that of the file, to the byte, and nothing else is left.
same() {
    local difference left
    difference=$("$compare" "$folder/$1.h5" "$out") || fail "not the result of $1: $difference"
    left=$(find "$folder" -path "$out?*" -o -path "$work*")
    [ -z "$left" ] || fail "left behind: $left"
    rm "$out"
}

# can_go_on: no result, under whatever name, and a state in the work folder.
can_go_on() {
    [ -z "$(find "$folder" -name 'out.h5*')" ] || fail "a result of a job that did not end"
    [ -e "$work/manifest.json" ] || fail "there is nothing in the work folder"
}

# wait_checkpoint: until the job has committed one, after the present one.
wait_checkpoint() {
    local before
    before=$(cat "$work/manifest.json" 2>/dev/null || true)
    while kill -0 "$job" 2>/dev/null; do
        if [ "$(cat "$work/manifest.json" 2>/dev/null || true)" != "$before" ]; then
            return 0
        fi
        sleep 0.01
    done
}

# signal NAME: to one of the job's ranks.
signal() {
    local process
    process=$(rank_processes "$work" | tail -n 1)
    [ -z "$process" ] || kill "-$1" "$process"
}

# signal_all NAME: to all of them.
signal_all() {
    rank_processes "$work" | xargs -r kill "-$1"
}

# ---- refusals

# refused STATUS WORD RANKS ARGUMENT...: that exit code, one line that holds the word, no result,
# and the work folder as it was.
refused() {
    local wanted=$1 word=$2 lines
    shift 2
    cp -r "$work" "$folder/before"
    run "$wanted" "$@" "${kept[@]}" --progress none
    lines=$(own_lines "$log")
    if [ -z "$lines" ] || [ "$(wc -l <<<"$lines")" -ne 1 ]; then
        fail "not one line: $*"
    fi
    grep -qF -e "$word" <<<"$lines" || fail "does not name '$word': $*"
    can_go_on
    diff -r -x lock "$folder/before" "$work" >/dev/null || fail "changed the work folder: $*"
    rm -r "$folder/before"
}

# stop_somewhere: a work folder to go on from, in the middle of the inputs.
stop_somewhere() {
    start 2 "${kept[@]}"
    wait_checkpoint
    signal USR1
    finish
    [ "$status" -eq 4 ] || fail "exit code $status of a stopped job"
    can_go_on
}

# ---- the parts of the test

check_ranks() {
    local ranks
    for ranks in 1 2 3 5; do
        run 0 "$ranks" "${kept[@]}"
        same plain
    done
    mkdir "$work" # a folder that is there, with something in it that is not ours
    : >"$work/notes"
    run 0 2 "${kept[@]}"
    [ "$(ls "$work")" = notes ] || fail "other files of the work folder: $(ls "$work")"
    rm -r "$work"
    same plain
    echo "with a work folder: equal on 1, 2, 3 and 5 ranks"
}

# Stopped again and again, each time after one more checkpoint, on other numbers of ranks.
check_stops() {
    local ranks stops=0 resume=()
    for name in USR1 TERM; do
        for ranks in 3 1 5 2 3; do
            start "$ranks" "${kept[@]}" "${resume[@]}"
            wait_checkpoint
            signal "$name"
            finish
            [ "$status" -eq 4 ] || [ "$status" -eq 0 ] || fail "exit code $status of a stopped job"
            [ "$status" -eq 4 ] || break # it was faster
            grep -q '^neardup: stopped as asked; .*--resume' "$log" || fail "does not say how to go on"
            can_go_on
            stops=$((stops + 1))
            resume=(--resume)
        done
        [ "$status" -eq 0 ] || run 0 2 "${kept[@]}" --resume
        same plain
        resume=()
    done
    [ "$stops" -ge 4 ] || fail "only $stops stops"
    echo "stopped $stops times by signals: equal"
}

# Without a work folder a signal ends the job, and nothing is left but for what a kill leaves.
check_refusals() {
    local victim
    stop_somewhere
    refused 2 "--resume" 1
    refused 2 "--resume" 2
    refused 2 "threshold was 0.46 and is 0.5" 2 --resume --threshold 0.5
    refused 2 "jsonl_text" 1 --resume --jsonl-text body
    refused 2 "max_page" 1 --resume --max-page 1M
    inputs+=("$folder/more.html")
    echo "<p>One more page.</p>" >"$folder/more.html"
    refused 2 "more.html" 2 --resume
    unset 'inputs[-1]'
    echo >>"${inputs[0]}"
    refused 2 "${inputs[0]}" 2 --resume
    truncate -s -1 "${inputs[0]}"
    victim=${inputs[0]}
    inputs=("${inputs[@]:1}")
    refused 2 "$victim" 1 --resume
    inputs=("$victim" "${inputs[@]}")
    check_damage
    # options that are free; the damaged record is not forgotten
    run 3 3 "${kept[@]}" --resume --progress bar --strict --unit 1M
    same plain
    rm -rf "$work"
    run 0 1 "${kept[@]}" --resume # nothing to go on from is a start
    same plain
    echo "refused what does not belong to the run"
}

# Files of a checkpoint with other bytes, one byte less, or gone: named, and nothing is lost.
check_damage() {
    local file kept_file=$folder/kept-file damage
    for file in "$work"/checkpoint-*-{ingest.text,units,inputs}-* \
        "$work/manifest.json"; do
        [ -e "$file" ] || fail "no such file in a checkpoint: $file"
        mv "$file" "$kept_file"
        for damage in "head -c -1" "sed 's/./x/'" "tr '\\000-\\377' '\\001-\\377\\000'"; do
            eval "$damage" <"$kept_file" >"$file"
            refused 1 "${file##*/}" 1 --resume
        done
        rm "$file" # without its manifest a folder is as good as empty
        [ "${file##*/}" = manifest.json ] || refused 1 "${file##*/}" 2 --resume
        mv "$kept_file" "$file"
    done
}

# A second job finds the folder in use, and the first one does not notice.
check_lock() {
    local first other=$folder/other-log
    start 2 "${kept[@]}"
    first=$job
    wait_checkpoint
    signal_all STOP
    cp "$log" "$other"
    run 1 1 "${kept[@]}" --resume --progress none -o "$folder/second.h5"
    grep -q "^neardup: .*$work.*" "$log" || fail "does not name the folder"
    [ "$(own_lines "$log" | wc -l)" -eq 1 ] || fail "not one line"
    run 1 1 "${kept[@]}" --progress none -o "$folder/second.h5"
    [ ! -e "$folder/second.h5" ] || fail "a second job in the same folder"
    signal_all CONT
    job=$first
    finish
    [ "$status" -eq 0 ] || fail "exit code $status of a job with a second one beside it"
    same plain
    echo "a folder in use: refused"
}

# An input that goes away while others are read.
check_gone_input() {
    local last=${inputs[-1]} ranks
    for ranks in 1 2; do
        start "$ranks" "${kept[@]}"
        wait_checkpoint
        signal_all STOP
        mv "$last" "$folder/away"
        signal_all CONT
        finish
        mv "$folder/away" "$last"
        [ "$status" -eq 1 ] || fail "exit code $status without an input"
        grep -q "^neardup: .*${last##*/}.*--resume" "$log" || fail "does not name the input"
        can_go_on
        run 0 $((3 - ranks)) "${kept[@]}" --resume
        same plain
    done
    echo "an input that was away: equal"
}

# passed POINT: how often rank 0 passed it in the last run, which counted.
passed() {
    sed -n "s/^passed: rank 0 .*\b$1 \([0-9]*\).*$/\1/p" "$log"
}

check_memory() {
    local memory ranks
    run 0 1 --memory 4G --fault count
    [ "$(passed write)" -eq 0 ] || fail "4G of memory are not enough for some pages"
    same plain
    for memory in 16M 24M 64M; do
        for ranks in 1 3; do
            run 0 "$ranks" --memory "$memory" --fault count
            [ "$memory" != 16M ] || [ "$ranks" -gt 1 ] || [ "$(passed write)" -gt 0 ] ||
                fail "nothing outgrows $memory"
            same plain
        done
    done
    run 0 2 "${kept[@]}" --memory 64M
    same plain
    echo "16, 24 and 64 MiB of memory: equal"
}

# Killed at calls all over the run, or all ranks at once, and resumed on other numbers of ranks.
check_kills() {
    local point total ranks struck=0 counts=$folder/counts
    run 0 3 "${kept[@]}" --fault count
    same plain
    grep '^passed: ' "$log" >"$counts"
    for point in $(seq 12); do
        total=$(sed -n "s/^passed: rank $((point % 3)) any \([0-9]*\).*/\1/p" "$counts")
        start 3 "${kept[@]}" --fault "kill:$((point % 3)):$((total * point / 13 + 1))"
        finish
        [ "$status" -ne 0 ] || continue
        struck=$((struck + 1))
        [ ! -e "$out" ] || fail "a result of a killed job"
        ranks=$((point % 4 + 1 + point / 12))
        run 0 "$ranks" "${kept[@]}" --resume
        same plain
    done
    [ "$struck" -ge 10 ] || fail "only $struck kills"
    start 3 "${kept[@]}"
    wait_checkpoint
    wait_checkpoint
    signal_all KILL
    finish
    [ "$status" -ne 0 ] || fail "all ranks were killed, and the exit code is 0"
    can_go_on
    run 0 5 "${kept[@]}" --resume
    same plain
    echo "killed at $struck calls, and once altogether: equal"
}

# interrupt RANKS RENAMING ARGUMENT...: a start in which that renaming of rank 0 fails; false if it
# came to its end before.
interrupt() {
    local ranks=$1 renaming=$2
    shift 2
    start "$ranks" "${kept[@]}" --fault "rename:0:$renaming" "$@"
    finish
    [ "$status" -ne 0 ] || return 1
    [ "$status" -eq 1 ] || fail "exit code $status of a start with a failed renaming"
    [ ! -e "$out" ] || fail "a result of a failed job"
}

# generation: of the last checkpoint.
generation() {
    sed -n 's/.*"generation": *\([0-9]*\).*/\1/p' "$work/manifest.json" 2>/dev/null || true
}

# check_every_checkpoint NAME AGAIN ARGUMENT...: every checkpoint of a run is gone on from. Each
# renaming is made to fail, so that each checkpoint is the last one of some start; the start after
# it is interrupted in the same way, at each renaming of the list AGAIN.
check_every_checkpoint() {
    local name=$1 agains=$2 renaming again last='' checkpoints=0
    shift 2
    run 0 1 "$@"
    mv "$out" "$folder/$name.h5"
    for renaming in $(seq 200); do
        interrupt 1 "$renaming" "$@" || break
        if [ "$(generation)" != "$last" ]; then
            last=$(generation)
            checkpoints=$((checkpoints + 1))
            cp -r "$work" "$folder/state"
            for again in $agains; do
                interrupt 1 "$again" --resume "$@" || break
                run 0 $((again == 3 ? 2 : 1)) "${kept[@]}" --resume "$@"
                same "$name"
                cp -r "$folder/state" "$work"
            done
            rm -rf "$folder/state" "$out"
        fi
        rm -rf "$work"
    done
    same "$name"
    [ "$checkpoints" -ge 6 ] || fail "only $checkpoints checkpoints"
    echo "$name: gone on from each of $checkpoints checkpoints: equal"
}

# ---- inputs: three crawls, and records of which one is damaged

mkdir "$folder/shm"
make_pages "$folder/pages"
crawl=0
for page in "$folder"/pages/*.html; do
    crawl=$((crawl % 3 + 1))
    mkdir -p "$folder/crawl$crawl"
    mv "$page" "$folder/crawl$crawl"
done
inputs=()
for crawl in 1 2 3; do
    "$make_warc" "$folder/$crawl.warc.gz" 1 "$folder/crawl$crawl" >/dev/null
    inputs+=("$folder/$crawl.warc.gz")
done
cat >"$folder/4.jsonl" <<'END'
{"id": "1", "text": "a first text"}
{"id": "2", "text": "a text that is cut
{"id": "3", "text": "a third text"}
END
inputs+=("$folder/4.jsonl")

run 0 2
mv "$out" "$folder/plain.h5"
check_ranks
check_stops
check_refusals
check_lock
check_gone_input
check_memory
check_kills
"$make_warc" "$folder/few.warc.gz" 1 "$folder/crawl2" >/dev/null
inputs=("$folder/few.warc.gz" "$folder/4.jsonl")
check_every_checkpoint verified "2 3 6"
check_every_checkpoint bounded "2" --transitivity bounded
check_every_checkpoint full "2" --transitivity full
