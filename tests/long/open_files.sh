#!/usr/bin/env bash
# Few files may be open at once, and there are many checkpoints: a run of them, and one that goes on after
# it was killed, end as any other. The list of skipped records is read once, however long it is.
# Called as open_files.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

ulimit -n 256 # and no more can be asked for
unit=3000
enough=90 # checkpoints; each has a file of texts, of sentences and of names

checkpoints() {
    find "$work" -name 'checkpoint-*-ingest.names-*' 2>/dev/null | wc -l
}

# killed RANKS: a job that was killed after that many checkpoints.
killed() {
    local ranks=$1 processes=()
    start "$ranks" "${kept[@]}"
    while [ "${#processes[@]}" -lt "$ranks" ] && kill -0 "$job"; do
        mapfile -t processes < <(rank_processes "$work")
    done
    while [ "$(checkpoints)" -lt "$enough" ]; do
        kill -0 "$job" 2>/dev/null || fail "over before there were $enough checkpoints"
    done
    kill -KILL "${processes[@]}"
    finish
    can_go_on
}

for ranks in 1 3; do
    run 0 "$ranks" "${kept[@]}"
    same plain
    killed "$ranks"
    [ "$(checkpoints)" -ge "$enough" ] || fail "$(checkpoints) checkpoints were left"
    run 0 $((4 - ranks)) "${kept[@]}" --resume
    same plain
done
echo "more than $enough checkpoints with 256 open files: run and resumed, equal"

# opens RANKS ARGUMENT...: of its own files by rank 0, in a run that counts.
opens() {
    run 0 "$@" --fault count >&2
    passed open
}

# The same run with many more records that are skipped, and the same number of checkpoints.
before=$(opens 2 --work "$work" --checkpoint 3600)
rm "$out"
{
    for ((i = 0; i < 3000; i++)); do
        echo "no JSON $i"
    done
} >>"$folder/4.jsonl"
after=$(opens 2 --work "$work" --checkpoint 3600)
skipped=$("$neardup" export "$out" --what pages >/dev/null && "$neardup" inspect "$out" | sed -n 's/^skipped *//p')
[ "$after" -le $((before + 20)) ] || fail "$before files were opened, and $after with 3000 skipped records"
echo "3000 skipped records more: $before files opened before, $after after ($skipped skipped)"
