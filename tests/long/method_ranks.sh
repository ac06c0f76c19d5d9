#!/usr/bin/env bash
# The result of every method, with its pairs where they are kept, is the same to the byte on 1, 2, 3
# and 5 ranks, with other units and little memory: the pages are made here; 1,000 of those below
# NEARDUP_GUIDES are taken besides.
# usage: method_ranks.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun

inputs=("$folder/pages")
make_pages "$folder/pages"
if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    find "$NEARDUP_GUIDES" -name '*.html' | LC_ALL=C sort |
        awk 'NR % 13 == 1 && n++ < 1000' >"$folder/list"
    inputs+=("@$folder/list")
fi

while read -r -a words; do
    partition one 0 "${inputs[@]}" --method "${words[@]}"
    for ranks in 2 3 5; do
        partition many "$ranks" "${inputs[@]}" --method "${words[@]}" --split-size $((7777 * ranks)) --memory 16M
        same one many
    done
    echo "${words[*]}: equal on 1, 2, 3 and 5 ranks"
done <<'TEXT'
lcs --sets star
lcs --filters off --score r
lcs --verify off
lcs --preset pku --verify off --set-cap 100
exact --pairs keep
sketch --pairs keep
lsh --group-pairs 300 --pairs keep
lsh --verify off --thinning 3
broder --pairs keep
simhash --pairs keep
charikar --pairs keep
cosine --pairs keep
cosine --preset pku
henzinger --pairs keep
henzinger --henzinger site-variant --pairs keep
henzinger --henzinger union --filter-bits 355 --sets components
TEXT
