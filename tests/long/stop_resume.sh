#!/usr/bin/env bash
# Jobs with a work folder: the same result as without one, on any number of ranks; stopped by a
# signal or out of an input, they go on where they were, on any other number of ranks; what does not
# belong to the run is refused in one line. Called as stop_resume.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

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

# stop_somewhere: a work folder to go on from, in the middle of the inputs. A job that was asked at a later
# stage is started again.
stop_somewhere() {
    for _ in $(seq 20); do
        pause_anew 2 "${kept[@]}"
        kill -USR1 "${processes[-1]}"
        go_on
        finish
        [ "$status" -eq 4 ] || fail "exit code $status of a stopped job"
        ! compgen -G "$work/checkpoint-*-ingest.text-*" >/dev/null || break
    done
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
            stop "$name" "$ranks" "${kept[@]}" "${resume[@]}"
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

# What does not belong to the run is refused; what does not matter to it may be another.
check_refusals() {
    local victim
    stop_somewhere
    refused 2 "--resume" 1
    refused 2 "--resume" 2
    refused 2 "threshold was 0.46 and is 0.5" 2 --resume --threshold 0.5
    refused 2 'pairs was "drop" and is "keep"' 1 --resume --pairs keep
    refused 2 "jsonl_text" 1 --resume --jsonl-text body
    refused 2 "max_page" 1 --resume --max-page 1M
    inputs+=("$folder/more.html")
    echo "<p>One more page.</p>" >"$folder/more.html"
    refused 2 "more.html" 2 --resume
    unset 'inputs[-1]'
    echo >>"${inputs[0]}"
    refused 1 "${inputs[0]}" 2 --resume
    truncate -s -1 "${inputs[0]}"
    victim=${inputs[0]}
    inputs=("${inputs[@]:1}")
    refused 2 "$victim" 1 --resume
    inputs=("$victim" "${inputs[@]}")
    check_damage
    # options that are free; the damaged record is not forgotten
    run 3 3 "${kept[@]}" --resume --progress bar --strict --split-size 1M
    same plain
    rm -rf "$work"
    run 0 1 "${kept[@]}" --resume # nothing to go on from is a start
    same plain
    echo "refused what does not belong to the run"
}

# damaged NAME RANKS COMMAND: what the command makes of a file of the work folder is refused with its name,
# early or late; the folder is then as it was before.
damaged() {
    local name=$1 ranks=$2 lines
    rm -rf "$folder/whole"
    cp -a "$work" "$folder/whole"
    eval "$3" <"$folder/whole/$name" >"$work/$name"
    run 1 "$ranks" "${kept[@]}" --progress none --resume
    lines=$(own_lines "$log" | grep -v 'skipped: ')
    if [ "$(wc -l <<<"$lines")" -ne 1 ] || ! grep -q -e "$name: .*: remove the work folder" <<<"$lines"; then
        fail "does not name $name in one line with a cure: $lines"
    fi
    can_go_on
    rm -r "$work"
    mv "$folder/whole" "$work"
}

# Files of a checkpoint with other bytes, one byte less, or gone: named, and nothing is lost. One with other
# bytes is found when it is first read.
check_damage() {
    local file
    for file in "$work"/checkpoint-*-{ingest.text,ingest.names,units,inputs}-* \
        "$work/manifest.json"; do
        [ -e "$file" ] || fail "no such file in a checkpoint: $file"
        damaged "${file##*/}" 1 "head -c -1"
        damaged "${file##*/}" 3 "sed '1s/./x/'"
        damaged "${file##*/}" 2 "tr '\\000-\\377' '\\001-\\377\\000'"
        mv "$file" "$folder/kept-file" # without its manifest a folder is as good as empty
        [ "${file##*/}" = manifest.json ] || refused 1 "${file##*/}" 2 --resume
        mv "$folder/kept-file" "$file"
    done
}

# A second job finds the folder in use, and the first one does not notice.
check_lock() {
    local first other=$folder/other-log
    pause_anew 2 "${kept[@]}"
    first=$job
    cp "$log" "$other"
    run 1 1 "${kept[@]}" --resume --progress none -o "$folder/second.h5"
    grep -q "^neardup: .*$work.*" "$log" || fail "does not name the folder"
    [ "$(own_lines "$log" | wc -l)" -eq 1 ] || fail "not one line"
    run 1 1 "${kept[@]}" --progress none -o "$folder/second.h5"
    [ ! -e "$folder/second.h5" ] || fail "a second job in the same folder"
    go_on
    job=$first
    finish
    [ "$status" -eq 0 ] || fail "exit code $status of a job with a second one beside it"
    same plain
    echo "a folder in use: refused"
}

# lose_input RANKS: an input goes away while others are read; false if that came too late.
lose_input() {
    local last=${inputs[-1]}
    pause_anew "$1" "${kept[@]}"
    mv "$last" "$folder/away"
    go_on
    finish
    mv "$folder/away" "$last"
    [ "$status" -ne 0 ] || same plain # it had read that one already
    [ "$status" -ne 0 ]
}

check_gone_input() {
    local ranks
    for ranks in 1 2; do
        for _ in $(seq 20); do
            ! lose_input "$ranks" || break
        done
        [ "$status" -eq 1 ] || fail "exit code $status without an input"
        grep -q "^neardup: .*${inputs[-1]##*/}.*--resume" "$log" || fail "does not name the input"
        can_go_on
        run 0 $((3 - ranks)) "${kept[@]}" --resume
        same plain
    done
    echo "an input that was away: equal"
}

check_ranks
check_stops
check_refusals
check_lock
check_gone_input
