# shellcheck shell=bash
# tests/support/results.sh - for tests that make results and compare them. To be sourced with the
# test's arguments, NEARDUP BUILD_DIR; sets `neardup`, `support` (this folder), `root` (of the tree), and
# `folder`, which goes when the test ends.
# shellcheck disable=SC2034 # used by those that source this
support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
root=$(cd "$support/../.." && pwd)
export PYTHONDONTWRITEBYTECODE=1
neardup=$1
compare=$2/tests/compare_results
folder=$(mktemp -d)
readonly folder # else the trap would remove what a script has called so
trap 'rm -rf "$folder"' EXIT
input= # of the checks below: the test sets it

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# need TOOL...: the test is skipped where one is missing.
need() {
    local tool
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null; then
            echo "SKIPPED: there is no $tool"
            exit 77
        fi
    done
}

# python_with_h5py: a Python that has h5py and numpy, the first one or Debian's, or "none".
python_with_h5py() {
    local python
    for python in python3 /usr/bin/python3 none; do
        "$python" -c 'import h5py, numpy' 2>/dev/null && break
    done
    echo "$python"
}

# partition NAME RANKS ARGUMENT...: NAME.h5, and what was said, NAME.log. RANKS 0: without mpirun.
partition() {
    local name=$1 launch=() ranks=$2
    shift 2
    [ "$ranks" -eq 0 ] || launch=(mpirun -n "$ranks")
    if ! timeout 900 "${launch[@]}" "$neardup" partition --progress lines "$@" \
        -o "$folder/$name.h5" >"$folder/$name.log" 2>&1 </dev/null; then
        tail -n 5 "$folder/$name.log" >&2
        fail "failed on $ranks ranks: partition $*"
    fi
}

# exported NAME ARGUMENT...: without mpirun; NAME.h5, and its pages as they are exported, NAME.tsv.
exported() {
    partition "$1" 0 "${@:2}"
    "$neardup" export "$folder/$1.h5" >"$folder/$1.tsv"
}

# same NAME NAME, differ NAME NAME: are the results equal to the byte?
same() {
    local difference
    difference=$("$compare" "$folder/$1.h5" "$folder/$2.h5") || fail "$1 and $2: $difference"
}
differ() {
    local status=0
    "$compare" "$folder/$1.h5" "$folder/$2.h5" >/dev/null || status=$?
    [ "$status" -eq 1 ] || fail "$1 and $2: no difference (status $status)"
}

# check_effects OPTIONS CHANGE...: with OPTIONS (words), each CHANGE (words) makes another result of
# $input; counts them in `effects`.
effects=0
check_effects() {
    local base change more
    read -r -a base <<<"$1"
    shift
    partition base 0 "$input" "${base[@]}"
    for change in "$@"; do
        read -r -a more <<<"$change"
        partition effect 0 "$input" "${base[@]}" "${more[@]}"
        (differ base effect) || fail "${base[*]}: $change changes nothing"
        effects=$((effects + 1))
    done
}

# refuses STATUS TEXT ARGUMENT...: neardup exits so, and says that in one line and nothing else.
refuses() {
    local status=0
    "$neardup" "${@:3}" >"$folder/stdout" 2>"$folder/stderr" </dev/null || status=$?
    [ "$status" -eq "$1" ] || fail "exit code $status, not $1: ${*:3}: $(cat "$folder/stderr")"
    [ "$(wc -l <"$folder/stderr")" -eq 1 ] || fail "not one line: ${*:3}: $(cat "$folder/stderr")"
    grep -qF -e "$2" "$folder/stderr" || fail "no '$2': ${*:3}: $(cat "$folder/stderr")"
    [ ! -s "$folder/stdout" ] || fail "something on stdout: ${*:3}"
}

# check_refused: each line of stdin, options of partition, is refused in one line that names the
# first of them; counts them in `refused`.
refused=0
check_refused() {
    local words
    while read -r -a words; do
        refuses 2 "${words[0]}" partition "$input" -o "$folder/refused.h5" "${words[@]}"
        [ ! -e "$folder/refused.h5" ] || fail "${words[*]}: left a result"
        refused=$((refused + 1))
    done
}
