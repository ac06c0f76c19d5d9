#!/usr/bin/env bash
# The same result to the byte, with its pairs where they are kept, whatever the number of ranks, the
# memory and the units: of every method and of every kind of sets, on pages that are made here and on
# 1,000 of those below NEARDUP_GUIDES; and of one WARC file, whose units are cut at any byte.
# usage: ranks.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun

inputs=("$folder/pages")
crawl=$folder/pages
make_pages "$folder/pages"
if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    find "$NEARDUP_GUIDES" -name '*.html' | LC_ALL=C sort |
        awk 'NR % 13 == 1 && n++ < 1000' >"$folder/list"
    inputs+=("@$folder/list")
    crawl=$NEARDUP_GUIDES
fi

while read -r most words; do
    read -r -a words <<<"$words"
    partition one 1 "${inputs[@]}" --method "${words[@]}"
    for ranks in 2 3 5 8; do
        [ "$ranks" -le "$most" ] || continue
        partition many "$ranks" "${inputs[@]}" --method "${words[@]}" --split-size $((7777 * ranks)) --memory 16M
        same one many
        [[ ${words[*]} != *full* ]] || grep -q '^neardup: --set-cap 100 struck: [1-9]' "$folder/many.log" ||
            fail "the cap of 100 pages is not said on $ranks ranks"
    done
    echo "${words[*]}: equal on 1 to $most ranks; $(grep '^sets:' "$folder/one.log")"
done <<'TEXT'
8 lcs
8 lcs --transitivity bounded
8 lcs --transitivity full --set-cap 100
5 lcs --sets star
5 lcs --filters off --score r
5 lcs --verify off
5 lcs --preset pku --verify off --set-cap 100
5 exact --pairs keep
5 sketch --pairs keep
5 lsh --group-pairs 300 --pairs keep
5 lsh --verify off --thinning 3
5 broder --pairs keep
5 simhash --pairs keep
5 charikar --pairs keep
5 cosine --pairs keep
5 cosine --preset pku
5 henzinger --pairs keep
5 henzinger --henzinger site-variant --pairs keep
5 henzinger --henzinger union --filter-bits 355 --sets components
TEXT
partition verified 0 "${inputs[@]}"
partition full 2 "${inputs[@]}" --transitivity full --set-cap 1000000
! grep -q 'struck' "$folder/full.log" || fail "a cap of 1000000 pages struck"
differ verified full # or these pages say nothing

# One file on many ranks: its units are cut at any byte, and record starts are searched.
"$2/tests/make_warc" "$folder/crawl.warc.gz" 40M "$crawl"
partition warc 1 "$folder/crawl.warc.gz"
for run in "2 1555555" "3 300K" "5 1555555" "8 12M"; do
    read -r ranks unit <<<"$run"
    partition many "$ranks" "$folder/crawl.warc.gz" --split-size "$unit"
    same warc many
done
echo "one WARC file: equal on 1, 2, 3, 5, 8 ranks with different units; $(grep '^sets:' "$folder/warc.log")"
