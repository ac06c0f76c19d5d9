#!/usr/bin/env bash
# The measurements of scripts/after_run.sh, on few pages. Called as after_run.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3
"$root/scripts/after_run.sh" --neardup "$neardup" -o "$folder/out" --pages 2000 >"$folder/said" 2>&1 ||
    fail "$(cat "$folder/said")"
for command in 'by number' 'by id' 'by URL' report review filter zcat cp; do
    grep -qE "^$command +[0-9.]+ s +[0-9]+ MB " "$folder/said" || fail "no $command: $(cat "$folder/said")"
done
cat "$folder/said"
