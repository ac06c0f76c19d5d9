#!/usr/bin/env bash
# What one part of the program may rely on from another is checked as it runs: of each kind one is
# broken on purpose, on the last rank, and all ranks leave with a line that names the place. Called as
# contracts.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
breaker=$2/tests/break_contract
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
shared_memory_in "$folder"

need mpirun

# check PLACE: alone and on 3 ranks; a line for what is wrong.
check() {
    local ranks status said log=$folder/${1//[\/:]/_} file=${1%:*}
    for ranks in 1 3; do
        status=0
        if [ "$ranks" -eq 1 ]; then
            timeout 60 "$breaker" "$1"
        else
            timeout 100 mpirun -n "$ranks" "$breaker" "$1"
        fi </dev/null >"$log.$ranks" 2>&1 || status=$?
        said=$(grep -cE "^neardup: rank [0-9]+: ${file//./[.]}:[0-9]+: a mistake of the program, .*: not .* = " \
            "$log.$ranks" || true)
        if [ "$status" -ne 1 ] || [ "$said" -lt 1 ]; then
            echo "wrong: $1 on $ranks ranks: exit code $status, lines $said"
            cat "$log.$ranks"
        fi
    done
}
export -f check
export breaker folder

mapfile -t places < <("$breaker")
[ "${#places[@]}" -ge 20 ]
printf '%s\n' "${places[@]}" | xargs -P 4 -I PLACE bash -c 'check PLACE' >"$folder/wrong"
if [ -s "$folder/wrong" ]; then
    cat "$folder/wrong"
    exit 1
fi

# without ranks the process ends by itself
status=0
(ulimit -c 0 && exec "$breaker" src/sets/forest.c:forest alone) 2>"$folder/alone" || status=$?
[ "$status" -eq 134 ]
grep -qE '^neardup: src/sets/forest[.]c:[0-9]+: .*[(]b, page_count, link[.]b = 2, 2, 12[)]$' "$folder/alone"
echo "${#places[@]} places, alone and on 3 ranks: all ranks leave"
