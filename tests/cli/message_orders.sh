#!/usr/bin/env bash
# Whatever order ranks and messages meet in, results are the same: tests of what moves records, and
# whole jobs, with calls that wait and sends that are held back at random (preload/delay_mpi.c). Called
# as message_orders.sh NEARDUP BUILD_DIR; ND_TEST_SEEDS seeds from ND_TEST_SEED on.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"
programs=$2/tests
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
    bash "${BASH_SOURCE[0]%/*}/../support/patience.sh" 200 mpirun \
        --mca btl_vader_backing_directory "$folder/shm" -x "LD_PRELOAD=$preload" \
        -x "ND_DELAY_SEED=$seed" -n "$ranks" "$@" </dev/null >"$log" 2>&1 ||
        fail "seed $seed, $ranks ranks: $*"
    grep -qE 'delay_mpi: [1-9][0-9]* calls waited, [1-9][0-9]* sends' "$log" ||
        fail "nothing was held back: $*"
}

last=$((seed + seeds))
while [ "$seed" -lt "$last" ]; do
    for program in m_exchange m_shuffle_stream m_components; do
        delayed $((seed % 2 == 0 ? 3 : 5)) "$programs/$program"
    done
    delayed 5 "$neardup" partition "${inputs[@]}" --unit "$unit" -o "$out"
    same plain
    delayed 3 "$neardup" partition "${inputs[@]}" --unit "$unit" -o "$out" "${kept[@]}"
    same plain
    echo "seed $seed: equal"
    seed=$((seed + 1))
done
echo "$seeds seeds: the same results"
