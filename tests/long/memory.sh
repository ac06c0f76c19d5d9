#!/usr/bin/env bash
# Memory that is at an end: a job whose ranks may have no more (ulimit -v) ends with one line that says
# rank, size and function, and exit code 1; all ranks leave, there is nothing under the result's name, and
# the job goes on from its last checkpoint where there is more. Called as memory.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3
if grep -q '^CMAKE_C_FLAGS.*-fsanitize=address' "$2/CMakeCache.txt"; then
    echo "SKIPPED: the sanitizer reserves all addresses"
    exit 77
fi
cd "$folder"

# A page of 40 MB stands after others, of which there are checkpoints.
"$neardup" synthesize -o made --pages 60 --shard-pages 30 --page-bytes 4000 --seed 3 --format jsonl >log 2>&1
python3 - <<'TEXT'
import random
random.seed(1)
words = " ".join("".join(random.choices("abcdefghij", k=7)) for _ in range(5000000))
open("z.jsonl", "w").write('{"id":"long","text":"%s"}\n' % words)
TEXT

# limited KBYTES RANKS ARGUMENT...: partition; $status is its exit code.
limited() {
    local most=$1 launch=()
    [ "$2" -eq 1 ] || launch=(mpirun -n "$2")
    shift 2
    status=0
    # MPI may wait for ever where it cannot start: only a process alone gets a limit
    (ulimit -v "$most" && timeout 300 "${launch[@]}" "$neardup" partition --progress none --memory 1G --force "$@") \
        >log 2>&1 </dev/null || status=$?
}

cases=0
partition whole 0 made/*.jsonl z.jsonl --split-size 20K
# what a job without the page takes, of addresses too (the table that packs texts for the work folder); that
# page takes more beside it
for ((most = 100000; ; most += 100000)); do
    rm -rf small
    limited "$most" 1 made/*.jsonl --split-size 20K --work small --checkpoint 0 -o small.h5
    [ "$status" -ne 0 ] || break
    [ "$most" -lt 4000000 ] || fail "a small job needs more than 4 GB"
done
for more in 20000 100000; do
    rm -rf work out.h5
    limited "$((most + more))" 1 made/*.jsonl z.jsonl --split-size 20K --work work --checkpoint 0 -o out.h5
    [ "$status" -eq 1 ] || fail "exit code $status with $((most + more)) kB: $(cat log)"
    [ "$(grep '^neardup' log | grep -vc ': asked to stop: ')" -eq 1 ] || fail "not one line: $(cat log)"
    grep -qE '^neardup: (rank 0: )?out of memory: ' log ||
        fail "the line does not say what: $(cat log)"
    [ ! -e out.h5 ] || fail "a job without memory left a result"
    [ -e work/manifest.json ] || fail "the last checkpoint is gone: $(cat log)"
    limited unlimited 3 made/*.jsonl z.jsonl --split-size 20K --work work --resume -o out.h5
    [ "$status" -eq 0 ] || fail "does not go on: $(cat log)"
    same whole out
    cases=$((cases + 1))
done

# on purpose, at any call
for ranks in 1 2 5; do
    for rank in 0 $((ranks - 1)); do
        for call in 1 300 2000; do
            rm -rf work out.h5*
            limited unlimited "$ranks" made/*.jsonl z.jsonl --split-size 20K --work work --checkpoint 0 -o out.h5 \
                --fault "memory:$rank:$call"
            [ "$status" -eq 1 ] || fail "exit code $status: memory:$rank:$call on $ranks ranks: $(cat log)"
            [ "$(grep '^neardup' log | grep -vc ': asked to stop: ')" -eq 1 ] || fail "not one line: $(cat log)"
            grep -qE "^neardup( partition)?: rank $rank: (injected fault: memory|out of memory: [0-9]+ items of [0-9]+ bytes in )" log ||
                fail "not what and where: $(cat log)"
            [ ! -e out.h5 ] || fail "memory:$rank:$call on $ranks ranks left a result"
            cases=$((cases + 1))
        done
    done
done
echo "$cases jobs without memory"
