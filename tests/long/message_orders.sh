#!/usr/bin/env bash
# Whatever order ranks and messages meet in, results are the same: tests of what moves records, whole
# jobs, additions to an index, and filtered copies, with calls that wait and
# sends that are held back at random (preload/delay_mpi.c). Called as message_orders.sh NEARDUP
# BUILD_DIR; ND_TEST_SEEDS seeds from ND_TEST_SEED on.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"
preload=$2/tests/delay_mpi.so
seed=${ND_TEST_SEED:-$(($(date +%s) % 1000000))}
seeds=${ND_TEST_SEEDS:-1}
echo "message_orders: ND_TEST_SEED=$seed"
if nm -D "$neardup" | grep -q __asan; then
    echo "SKIPPED: no library can be put before this program"
    exit 77
fi

# delayed RANKS COMMAND...: its output in the log; some sends must have been held back.
delayed() {
    local ranks=$1
    shift
    timeout 900 mpirun -n "$ranks" env "LD_PRELOAD=$preload:${LD_PRELOAD:-}" "ND_DELAY_SEED=$seed" "$@" \
        </dev/null >"$log" 2>&1 ||
        fail "seed $seed, $ranks ranks: $*"
    grep -qE "$has_to" "$log" || fail "nothing was held back: $*"
}
has_to='delay_mpi: [1-9][0-9]* calls waited, [1-9][0-9]* sends'

# ---- without delays: what additions and filtered copies are

"$make_warc" "$folder/next.warc.gz" 1 "$folder/crawl2" >/dev/null # again, and others
quietly() { "$neardup" "$@" </dev/null >"$log" 2>&1 || fail "$*"; }
quietly partition "${inputs[0]}" "${inputs[3]}" -o "$folder/first.h5" --write-index "$folder/first.index"
added=("$folder/next.warc.gz" "${inputs[2]}" --index "$folder/first.index" --contained .6 --split-size "$unit")
quietly partition "${added[@]}" -o "$folder/added.h5" --write-index "$folder/added.index"
quietly filter "$folder/plain.h5" -o "$folder/kept"

last=$((seed + seeds))
while [ "$seed" -lt "$last" ]; do
    for suite in m_comm m_components; do
        delayed $((seed % 2 == 0 ? 3 : 5)) "$2/tests/mpi_tests" "$suite"
    done
    delayed 5 "$neardup" partition "${inputs[@]}" --split-size "$unit" -o "$out"
    same plain
    delayed 3 "$neardup" partition "${inputs[@]}" --split-size "$unit" -o "$out" "${kept[@]}"
    same plain
    delayed 3 "$neardup" partition "${added[@]}" -o "$out" --write-index "$folder/delayed.index"
    same added
    quietly index check "$folder/delayed.index"
    rm -r "$folder/delayed.index"
    # which has few calls, and no sends that can be held back
    has_to='delay_mpi:' delayed 3 "$neardup" filter "$folder/plain.h5" -o "$folder/copy"
    diff -r "$folder/kept" "$folder/copy" || fail "seed $seed: another filtered copy"
    rm -r "$folder/copy"
    echo "seed $seed: equal"
    seed=$((seed + 1))
done
echo "$seeds seeds: the same results"
