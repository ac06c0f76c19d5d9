#!/usr/bin/env bash
# scripts/by_stage.sh on few pages: results are equal on 1 rank and on 12, each of which needs little
# memory of its own, and no rank sends more messages than exchanges announce. Called as
# by_stage.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
if nm -D "$neardup" | grep -q __asan; then
    echo "SKIPPED: no library can be put before this program"
    exit 77
fi
"$root/scripts/by_stage.sh" --build "$2" -o "$folder/out" --pages 600 --ranks 1 --ranks 12 \
    >"$folder/said" 2>&1 || fail "$(cat "$folder/said")"
cat "$folder/said"
# A rank's own memory is a fixed part and little else here, and messages go to other ranks alone.
awk -F '\t' '
    NR > 1 && $17 > 60 { print "own memory of " $17 " MB in " $1; bad = 1 }
    NR > 1 && $3 > 11 * $8 + 1 { print $3 " messages of " $8 " exchanges in " $1; bad = 1 }
    NR > 1 && $7 > 11 { print $7 " partners in " $1; bad = 1 }
    $1 ~ /^(ingest|content|sign|block|verify|join|write)$/ { stages++ }
    $1 == "join" { messages = $2 }
    END { exit bad || stages != 7 || messages == 0 }' "$folder/out/ranks.12.tsv" ||
    fail "$(cat "$folder/out/ranks.12.tsv")"
