#!/usr/bin/env bash
# What the method lcs leaves out on request: --filters off compares every candidate whole and changes
# no decision, so the results are equal to the byte; --verify off compares nothing, and --fingerprints
# off everything with everything, so their sets are unions of those of the ordinary run. On a made-up
# corpus, and on 800 pages of those below NEARDUP_GUIDES.
# usage: filters.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

# within NAME: pairs that were left to be compared
within() {
    sed -n 's/^pairs: \(.* candidates, \)\?\([0-9]*\) within the bounds.*/\2/p' "$folder/$1.log"
}

# sets NAME: how many it has
sets() {
    sed -n 's/^sets: \([0-9]*\) .*/\1/p' "$folder/$1.log"
}

# without_filters ARGUMENT...: the same sets from more comparisons
without_filters() {
    partition on 0 "${pages[@]}" "$@"
    partition off 0 "${pages[@]}" "$@" --filters off
    same on off
    [ "$(within off)" -gt "$(within on)" ] || fail "$*: as many pairs compared with filters as without"
    echo "$*: equal, $(within off) pairs compared, $(within on) with filters"
}

# unions FINE COARSE: no set of the first result is in two sets of the second;
# similarities are in [0, 1], and not all of them 0 or 1
unions() {
    "$neardup" export "$folder/$1.h5" >"$folder/$1.tsv"
    "$neardup" export "$folder/$2.h5" >"$folder/$2.tsv"
    awk -F '\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        NR == FNR { fine[$column["page"]] = $column["set"]; next }
        {
            page = $column["page"]; set = $column["set"]; similarity = $column["similarity"]
            if (fine[page] in coarse && coarse[fine[page]] != set) apart++
            coarse[fine[page]] = set
            sets[set]
            if (similarity < 0 || similarity > 1) wrong++
            if (similarity > 0 && similarity < 1) shares++
        }
        END {
            printf "%d sets, unions of %d\n", length(sets), length(coarse)
            if (apart + wrong > 0 || shares == 0) {
                printf "%d pages apart from their set, %d similarities outside [0, 1], " \
                    "%d between\n", apart, wrong, shares
                exit 1
            }
        }' "$folder/$1.tsv" "$folder/$2.tsv"
}

# without_comparison ARGUMENT...: sets of stage one are unions of verified ones
without_comparison() {
    partition verified 0 "${pages[@]}" "$@"
    partition perhaps 0 "${pages[@]}" "$@" --verify off
    printf '%s: ' "$*"
    unions verified perhaps || fail "$*: see above"
    [ "$(sets perhaps)" -lt "$(sets verified)" ] || fail "$*: comparing pages parts none"
}

# without_fingerprints ARGUMENT...: all pages are compared with all
without_fingerprints() {
    local different
    partition keyed 0 "${pages[@]}" "$@" --sets components
    partition all 0 "${pages[@]}" "$@" --sets components --fingerprints off --filters off \
        --group-pairs 4096
    printf '%s: ' "$*"
    unions keyed all || fail "$*: see above"
    # of pages of different contents
    different=$("$neardup" export "$folder/all.h5" | awk -F '\t' 'NR > 1 && $10 == ""' | wc -l)
    [ "$(within all)" -eq $((different * (different - 1) / 2)) ] ||
        fail "$*: $(within all) pairs of $different different pages compared"
}

seed=${ND_TEST_SEED:-$((RANDOM + 1))}
echo "seed $seed"
"$neardup" synthesize -o "$folder/corpus" --pages 3000 --seed "$seed" --page-bytes 6000 \
    --progress none
"$neardup" synthesize -o "$folder/small" --pages 400 --seed "$seed" --page-bytes 4000 \
    --progress none
for score in r trustable jaccard; do
    pages=("$folder/corpus"/*.warc.gz)
    without_filters --score "$score"
    without_filters --score "$score" --transitivity full --templates 100 --set-cap 200
    pages=("$folder/small"/*.warc.gz)
    without_filters --score "$score" --preset pku
    if [ -n "${NEARDUP_GUIDES:-}" ]; then
        [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
        find "$NEARDUP_GUIDES" -name '*.html' | LC_ALL=C sort |
            awk 'NR % 17 == 1 && n++ < 800' >"$folder/list"
        pages=("@$folder/list")
        without_filters --score "$score"
    fi
done

pages=("$folder/corpus"/*.warc.gz)
without_comparison
without_comparison --score r --sets components
without_comparison --preset pku
without_comparison --preset pku --set-cap 100
# by the share of their keys, which stands for the similarity there, pages of a set would be a form
"$neardup" synthesize -o "$folder/keys" --pages 3000 --seed 15945 --page-bytes 6000 --progress none
pages=("$folder/keys"/*.warc.gz)
without_comparison

pages=("$folder/small"/*.warc.gz)
without_fingerprints --preset pku --score r

input=${pages[0]}
check_refused <<TEXT
--filters off --sets star
--verify off --transitivity bounded
--verify off --work $folder/work
--filters off --method cosine
TEXT
[ "$refused" -eq 4 ] || fail "$refused of 4 lines were looked at"
