#!/usr/bin/env bash
# Where other tools were measured (scripts/peers.sh), lsh is at least as good as the best of them:
# no false pair to speak of, and recall of pairs, of removals and of Chinese and Japanese pages.
# usage: peers.sh NEARDUP BUILD_DIR
set -euo pipefail
neardup=$1
scripts=$(dirname "${BASH_SOURCE[0]}")/../../scripts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null || ! command -v mpirun >/dev/null; then
    echo "SKIPPED: there is no python3 or no mpirun"
    exit 77
fi
"$scripts/peers.sh" --quick --ranks 2 --tsv "$work/figures.tsv" "$neardup"

# at_least MEASURE VALUE
at_least() {
    awk -F '\t' -v measure="$1" -v least="$2" '
        $1 == "lsh, 50 x 4, .5" && $2 == measure { value = $3; found = 1 }
        END {
            printf "peers: %s %.4f, at least %s\n", measure, value, least
            exit !(found && value >= least)
        }' "$work/figures.tsv"
}

at_least "pair precision" .9995
at_least "recall 0.7" .99
at_least "removal precision" .9995
at_least "removal recall" .93
at_least "cjk recall 0.7" .95
