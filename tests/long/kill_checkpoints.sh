#!/usr/bin/env bash
# Jobs with a work folder that are killed, or fail after any of their checkpoints, go on to the same
# result on other numbers of ranks; and so do jobs with little memory. Called as
# kill_checkpoints.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

check_memory() {
    local memory ranks
    run 0 1 --memory 4G --memory-check off --fault count
    # the one write is that of the result's seal
    [ "$(passed write)" -eq 1 ] || fail "4G of memory are not enough for some pages"
    same plain
    for memory in 16M 64M; do
        for ranks in 1 3; do
            run 0 "$ranks" --memory "$memory" --fault count
            [ "$memory" != 16M ] || [ "$ranks" -gt 1 ] || [ "$(passed write)" -gt 1 ] ||
                fail "nothing outgrows $memory"
            same plain
        done
    done
    run 0 2 "${kept[@]}" --memory 64M
    same plain
    echo "16 and 64 MiB of memory: equal"
}

# Killed at calls all over the run, or all ranks at once, and resumed on other numbers of ranks.
check_kills() {
    local point total ranks struck=0 counts=$folder/counts
    run 0 3 "${kept[@]}" --fault count
    same plain
    grep '^passed: ' "$log" >"$counts"
    for point in $(seq 6); do
        total=$(sed -n "s/^passed: rank $((point % 3)) any \([0-9]*\).*/\1/p" "$counts")
        start 3 "${kept[@]}" --fault "kill:$((point % 3)):$((total * point / 7 + 1))"
        finish
        [ "$status" -ne 0 ] || continue
        struck=$((struck + 1))
        [ ! -e "$out" ] || fail "a result of a killed job"
        ranks=$((point == 6 ? 5 : point % 4 + 1))
        run 0 "$ranks" "${kept[@]}" --resume
        same plain
    done
    [ "$struck" -ge 5 ] || fail "only $struck kills"
    pause_anew 3 "${kept[@]}"
    kill -KILL "${processes[@]}"
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
                interrupt 1 "$again" --resume "$@" || {
                    same "$name" # it came to its end before
                    break
                }
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

# Where a renaming fails on one rank of three, the others leave with it.
check_others() {
    local renaming=1
    while interrupt 3 "$renaming"; do
        rm -rf "$work"
        renaming=$((renaming + 1))
    done
    rm -rf "$work" "$out"
    [ "$renaming" -gt 20 ] || fail "only $renaming renamings"
    echo "renamings that fail on one of three ranks: $((renaming - 1)), none waited"
}

check_memory
check_kills
"$make_warc" "$folder/few.warc.gz" 1 "$folder/crawl2" >/dev/null
inputs=("$folder/few.warc.gz" "$folder/4.jsonl")
unit=150000
check_others
check_every_checkpoint verified "2 6"
check_every_checkpoint pairs "2" --pairs keep
check_every_checkpoint full "2" --transitivity full
