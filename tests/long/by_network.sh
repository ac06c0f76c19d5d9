#!/usr/bin/env bash
# scripts/by_network.sh on few pages and two nodes: a run over links as they are, and one over slow
# ones, which takes longer to exchange; the results are the same. Called as
# by_network.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need tc
code=0
"$root/scripts/by_network.sh" --build "$2" -o "$folder/out" --nodes 2 --pages 1500 --rate 1mbit \
    --repeat 1 >"$folder/said" 2>&1 || code=$?
cat "$folder/said"
[ "$code" -ne 77 ] || exit 77
[ "$code" -eq 0 ] || fail "exit code $code"
# Of content, sign, block and verify: what is exchanged takes a second at least at that rate.
awk '
    /^== links: / { link++ }
    /^(content|sign|block|verify)\t/ { seconds[link] += $2; sent[link] += $7 }
    END {
        if (link != 2) print link " runs"
        else if (sent[1] == 0 || sent[1] != sent[2]) print "sent: " sent[1] " and " sent[2]
        else if (seconds[2] < 1) print seconds[2] " seconds over slow links"
        else exit
        exit 1
    }' "$folder/said" || fail "wrong figures"
