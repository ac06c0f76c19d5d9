#!/usr/bin/env bash
# What a job says, and does, at a signal: it answers at once; Ctrl-C with a work folder keeps a
# checkpoint as TERM does, and a second one ends the job; without one, that nothing was kept is said;
# a job that is resumed shows how far it was. And wrong words on a command line: what was meant.
# Called as interrupts.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

# says TEXT: in the log, on a line of its own.
says() {
    grep -q "^neardup: .*$1" "$log" || fail "does not say: $1"
    ! grep -qaPx '\0*' "$log" || fail "empty lines"
}

# catches_int PROCESS: it has a handler for SIGINT, the 2nd bit of the mask.
catches_int() {
    local mask
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || return 1
    [ -n "$mask" ] && (((16#$mask >> 1) & 1))
}

# hold ARGUMENT...: start a job on two ranks, stop each as soon as it heeds signals, and let only the
# first, $first, go on: it cannot get far. A job that was over before is started again.
hold() {
    local process try
    for ((try = 0; try < 20; try++)); do
        processes=() first=''
        rm -rf "$work" "$out"
        start 2 "$@"
        while [ "${#processes[@]}" -lt 2 ] && kill -0 "$job" 2>/dev/null; do
            for process in $(rank_processes "$out"); do
                if [[ " ${processes[*]} " != *" $process "* ]] && catches_int "$process" &&
                    kill -STOP "$process" 2>/dev/null; then
                    processes+=("$process")
                fi
            done
        done
        for process in "${processes[@]}"; do
            if { tr '\0' '\n' <"/proc/$process/environ"; } 2>/dev/null |
                grep -qx 'OMPI_COMM_WORLD_RANK=0'; then
                first=$process
                kill -CONT "$first"
            fi
        done
        [ "${#processes[@]}" -lt 2 ] || [ -z "$first" ] || return 0
        kill -CONT "${processes[@]}" 2>/dev/null || true
        finish
    done
    fail "the job was always over before it could be stopped"
}

# ---- answers

for name in INT TERM USR1; do
    pause 1 "${kept[@]}" || fail "the job was over before it could be stopped"
    kill "-$name" "${processes[@]}"
    go_on
    finish
    [ "$status" -eq 4 ] || fail "exit code $status after $name"
    says 'asked to stop: stopping at the next checkpoint'
    [ "$name" != INT ] || says 'Ctrl-C once more'
    says 'stopped as asked; the same command with --resume goes on'
    can_go_on
    run 0 2 "${kept[@]}" --resume
    same plain
done

# a second Ctrl-C, while the first rank waits for the other
hold "${kept[@]}"
kill -INT "$first"
until grep -q 'asked to stop' "$log"; do
    kill -0 "$job" 2>/dev/null || fail "the job ended at the first"
done
kill -INT "$first"
finish
[ "$status" -eq 130 ] || fail "exit code $status after a second Ctrl-C"
says 'ended at once'
run 0 3 "${kept[@]}" --resume
same plain

# what a script that starts it knows better; and how far a job was that goes on, on one rank
export NEARDUP_GO_ON='type: resume it'
rm -rf "$work"
pause 1 "${kept[@]}" || fail "the job was over before it could be stopped"
kill -TERM "${processes[@]}"
go_on
finish
unset NEARDUP_GO_ON
says 'stopped as asked; type: resume it'
run 0 1 "${kept[@]}" --resume
grep -Eq '^resumed at (ingest, stage 1|verify, stage 5) of 7: [0-9.]+ % of it was done before, ' "$log" || fail "does not say how far it was"
awk '$3 == "%" { if ($1 == stage && $2 < share) exit 1; stage = $1; share = $2 }' "$log" ||
    fail "goes backwards: $(grep %  "$log")"
same plain

# without a work folder
hold --memory 16M
kill -INT "$first"
finish
[ "$status" -eq 130 ] || fail "exit code $status after Ctrl-C"
says 'nothing was kept'
[ ! -e "$out" ] || fail "a result of a job that did not end"
rm -rf "$out".*
echo "signals: answered at once"

# ---- wrong words

# meant TEXT WORD...: the program is called with wrong words, and names what was meant
meant() {
    local wanted=$1 status=0
    shift
    "$neardup" "$@" >"$folder/stdout" 2>"$log" || status=$?
    [ "$status" -eq 2 ] || fail "exit code $status: $*"
    [ "$(wc -l <"$log")" -eq 1 ] || fail "not one line: $*"
    grep -qF -e "$wanted" "$log" || fail "does not say '$wanted': $*"
}

meant "did you mean 'partition'?" partiton x
meant "no command 'frobnicate' (see" frobnicate
meant '--treshold: unknown option; did you mean --threshold?' partition --treshold 0.5 x
meant '--thershold=0.5: unknown option; did you mean --threshold?' partition --thershold=0.5 x
meant '--frobnicate: unknown option' partition --frobnicate x
long=--$(printf 'threshold%.0s' {1..5})
meant "$long: unknown option, or one of several" partition "$long" x
meant '--memory: missing value' partition x --memory
meant '--resume=2: takes no value' partition x --resume=2
meant 'did you mean --what?' export --waht pages x
meant 'did you mean --largest?' inspect --lragest 3 x
meant 'did you mean --truth?' evaluate --thruth x y
meant 'did you mean --pages?' plan --page 3
meant 'did you mean --seed?' synthesize --sed 3
meant 'did you mean --lines?' explain --lnes 2 a b
meant '-q: unknown option' partition -q x
meant '-q: unknown option' partition --strict -qo x x
meant '--s: unknown option, or one of several' partition --s x

# ---- more memory than there is

meant '--memory 921600.0G for each rank' partition "$folder/4.jsonl" -o "$out" --memory 900T
[ ! -e "$out" ] || fail "a result of a refused job"
run 0 1 --memory 900T --memory-check off
rm "$out"
echo "wrong words, and more memory than there is: named"
