#!/usr/bin/env bash
# --local-tmp: the same result with spills on another disk, with a work folder and without, and nothing left
# there: after a result, a refusal, and a job that was killed and goes on. Called as local_tmp.sh NEARDUP
# BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"
local_tmp=$folder/local
mkdir "$local_tmp"
small=(--memory 16M --local-tmp "$local_tmp")

# empty: no job has left anything.
empty() {
    [ -z "$(ls -A "$local_tmp")" ] || fail "left after $1: $(ls -lR "$local_tmp")"
}

# refused WORD ARGUMENT...: wrong usage, one line that has the word, and no result.
refused() {
    local word=$1
    shift
    run 2 2 "${kept[@]}" --progress none "$@"
    [ "$(own_lines "$log" | grep -c .)" -eq 1 ] || fail "not one line: $*"
    own_lines "$log" | grep -qF -e "$word" || fail "does not name '$word': $*"
    [ ! -e "$out" ] || fail "a result: $*"
}

# killed_while_spilling RANKS ARGUMENT...: a job that is killed as soon as it has a file there.
killed_while_spilling() {
    for _ in $(seq 20); do
        rm -rf "$work" "$out"
        start "$@"
        while kill -0 "$job" 2>/dev/null && ! compgen -G "$local_tmp/*/spill-*" >/dev/null; do :; done
        rank_processes "$out" | xargs -r kill -KILL 2>/dev/null || true
        finish
        ! compgen -G "$local_tmp/*/spill-*" >/dev/null || return 0
    done
    fail "no job of 20 was killed while it spilled"
}

"$neardup" synthesize -o "$folder/pages" --pages 8000 --page-bytes 4000 --seed 5 --progress none 2>/dev/null
rm "$folder"/pages/*.tsv
inputs=("$folder/pages")
run 0 1 --memory 64M
mv "$out" "$folder/many.h5"
for ranks in 1 2 3 5; do
    run 0 "$ranks" "${small[@]}" --work "$work"
    same many
    empty "a result on $ranks ranks"
done
run 0 2 "${small[@]}" # without a work folder texts and names lie there too
same many
empty "a result without a work folder"

refused "--local-tmp $folder/none: is no folder on host" --local-tmp "$folder/none"
refused "--local-tmp $neardup: is no folder on host" --local-tmp "$neardup"
refused "the name is too long" --local-tmp "$(printf '%0.s/.' {1..2000})"
if [ "$(id -u)" -ne 0 ]; then # who may do all cannot be refused
    mkdir -m 500 "$folder/long"
    refused "--local-tmp $folder/long: cannot be written to on host" --local-tmp "$folder/long"
fi
killed_while_spilling 3 "${small[@]}" --work "$work"
run 2 2 "${small[@]}" --work "$work" # refused: it holds checkpoints
run 0 2 "${small[@]}" --work "$work" --resume
same many
empty "a killed job that went on"
killed_while_spilling 2 "${small[@]}"
run 0 3 "${small[@]}" -o "$out" # another number of ranks, no work folder
same many
empty "a killed job that was run again"

# What is there under our name without being a folder is not touched.
killed_while_spilling 2 "${small[@]}"
name=$(ls "$local_tmp")
rm -r "${local_tmp:?}/$name"
ln -s "$folder" "$local_tmp/$name"
run 2 2 "${small[@]}" --progress none
grep -q "$local_tmp/$name: is no folder of ours: remove it" "$log" || fail "does not name it"
[ -d "$folder/pages" ] || fail "something was removed"
echo "with a disk of each node: equal on 1, 2, 3 and 5 ranks, nothing left"
