#!/usr/bin/env bash
# The same result to the byte, whatever the number of ranks, the memory and the units: called as
# ranks.sh NEARDUP BUILD_DIR. The pages are those below the folder NEARDUP_GUIDES (Debian's
# installation guides, unpacked), or, if that is not set, some that are made here.
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
make_warc=$2/tests/make_warc
need mpirun

# summary NAME: the line about sets.
summary() {
    grep '^sets:' "$folder/$1.log"
}

# reports_cap NAME: the message about sets that were cut is there.
reports_cap() {
    grep -q '^neardup: --set-cap 100 struck: [1-9]' "$folder/$1.log"
}

# check_kind NAME ARGUMENT...: 1, 2, 3, 5 and 8 ranks with these arguments give the same.
check_kind() {
    local kind=$1 ranks
    shift
    for ranks in 1 2 3 5 8; do
        partition "$kind-$ranks" "$ranks" "$@"
        same "$kind-1" "$kind-$ranks"
    done
    echo "$kind: equal on 1, 2, 3, 5, 8 ranks; $(summary "$kind-1")"
}

if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    input=$NEARDUP_GUIDES
else
    echo "NEARDUP_GUIDES is not set: using generated pages"
    input=$folder/pages
    make_pages "$input"
fi

check_kind verified "$input"
partition small 3 "$input" --memory 16M --split-size 1M
same verified-1 small
echo "verified, 16M of memory, 1M a unit: equal"

check_kind bounded "$input" --transitivity bounded
partition full-uncut 2 "$input" --transitivity full --set-cap 1000000
if grep -q 'struck' "$folder/full-uncut.log"; then
    fail "a cap of 1000000 pages struck"
fi
check_kind full "$input" --transitivity full --set-cap 100
for ranks in 1 2 3 5 8; do
    reports_cap "full-$ranks" || fail "the cap of 100 pages is not said on $ranks ranks"
done
partition full-small 5 "$input" --transitivity full --set-cap 100 --memory 16M --split-size 1M
same full-1 full-small
if "$compare" "$folder/full-1.h5" "$folder/verified-1.h5" >/dev/null; then
    fail "--transitivity full and verified gave the same: these pages say nothing"
fi

# One file on many ranks: its units are cut at any byte, and record starts are searched.
"$make_warc" "$folder/crawl.warc.gz" 40M "$input"
partition warc-1 1 "$folder/crawl.warc.gz"
for run in "2 1555555" "3 300K" "5 1555555" "8 12M"; do
    read -r ranks unit <<<"$run"
    partition "warc-$ranks" "$ranks" "$folder/crawl.warc.gz" --split-size "$unit"
    same warc-1 "warc-$ranks"
done
echo "one WARC file: equal on 1, 2, 3, 5, 8 ranks with different units; $(summary warc-1)"
