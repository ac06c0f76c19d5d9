#!/usr/bin/env bash
# scripts/additions.py on a small corpus: additions find nearly what one run does. Called as additions.sh
# NEARDUP BUILD_DIR.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table=$(python3 "$root/scripts/additions.py" "$1" --pages 800 --additions 2 --least .8)
[ "$(grep -c '^| additions | [0-9]' <<<"$table")" -eq 2 ] || {
    printf 'additions.sh: not two tables:\n%s\n' "$table" >&2
    exit 1
}
echo "$table" | grep '^index: all'
