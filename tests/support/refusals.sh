# shellcheck shell=bash
# shellcheck disable=SC2154 # neardup and folder are set by the script that sources this
# tests/support/refusals.sh - calls that are to be refused: their exit code, and the one line that
# says why. To be sourced after launched.sh, by a script that has set `neardup` and `folder`, the
# place of the files stdout and stderr. Counts `cases` and `failures`.

cases=0
failures=0
# A call that takes longer hangs.
most_seconds=900

# wrong TEXT...: one more failure, with what was said on stderr.
wrong() {
    failures=$((failures + 1))
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    sed 's/^/    /' "$folder/stderr" >&2
}

# state: what a refused call must leave as it was. For scripts that look at it.
state() {
    :
}

# run_once STATUS WORD COMMAND...: that exit code, one line on stderr that holds the word, and the
# state as it was.
run_once() {
    local wanted=$1 word=$2 status=0 lines before after
    shift 2
    cases=$((cases + 1))
    before=$(state)
    timeout "$most_seconds" "$@" >"$folder/stdout" 2>"$folder/stderr" || status=$?
    lines=$(own_lines "$folder/stderr")
    after=$(state)
    if [ "$status" -ne "$wanted" ]; then
        wrong "exit code $status, not $wanted: $*"
    elif [ "$(wc -l <<<"$lines")" -ne 1 ] || [ -z "$lines" ]; then
        wrong "not one line on stderr: $*"
    elif ! grep -qF -e "$word" <<<"$lines"; then
        wrong "stderr does not say '$word': $*"
    fi
    [ "$before" = "$after" ] || wrong "changed: $(diff <(echo "$before") <(echo "$after")): $*"
}

# run STATUS WORD ARGUMENT...: of neardup, alone and on two ranks.
run() {
    local status=$1 word=$2
    shift 2
    run_once "$status" "$word" "$neardup" "$@"
    run_once "$status" "$word" mpirun -n 2 "$neardup" "$@"
}

# alone STATUS WORD ARGUMENT...: the same for what rank 0 does, or what has no ranks.
alone() {
    local status=$1 word=$2
    shift 2
    run_once "$status" "$word" "$neardup" "$@"
}
