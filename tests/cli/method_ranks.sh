#!/usr/bin/env bash
# The result of every method, with its pairs where they are kept, is the same to the byte on 1, 2, 3 and 5 ranks, with other units and
# little memory: the pages are made here; 1,000 of those below NEARDUP_GUIDES are taken besides.
# usage: method_ranks.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
neardup=$1
compare=$2/tests/compare_results
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    printf 'method_ranks.sh: %s\n' "$*" >&2
    exit 1
}

if ! command -v mpirun >/dev/null; then
    echo "SKIPPED: there is no mpirun"
    exit 77
fi

inputs=("$folder/pages")
make_pages "$folder/pages"
if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    find "$NEARDUP_GUIDES" -name '*.html' | LC_ALL=C sort |
        awk 'NR % 13 == 1 && n++ < 1000' >"$folder/list"
    inputs+=("@$folder/list")
fi

# partition NAME RANKS ARGUMENT...: NAME.h5 of $inputs
partition() {
    local name=$1 ranks=$2
    shift 2
    timeout 300 mpirun -n "$ranks" "$neardup" partition "${inputs[@]}" --progress none "$@" \
        -o "$folder/$name.h5" 2>"$folder/log" </dev/null || {
        cat "$folder/log" >&2
        fail "failed: $*"
    }
}

while read -r -a words; do
    partition one 1 --method "${words[@]}"
    for ranks in 2 3 5; do
        partition many "$ranks" --method "${words[@]}" --unit $((7777 * ranks)) --memory 16M
        difference=$("$compare" "$folder/one.h5" "$folder/many.h5") ||
            fail "${words[*]}: on 1 and on $ranks ranks: $difference"
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
