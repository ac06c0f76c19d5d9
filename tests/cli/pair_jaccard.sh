#!/usr/bin/env bash
# tests/tools/shingle_jaccard, by which scripts/precision.sh measures: a line for every pair of pages
# in one set, copies have 1, and what it reads is what the run read.
# usage: pair_jaccard.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
tool=$2/tests/shingle_jaccard

"$neardup" synthesize -o "$folder/pages" --pages 400 --page-bytes 4000 --seed 5 2>/dev/null
exported result "$folder"/pages/*.warc.gz --templates 500
"$tool" "$folder/result.h5" "$folder"/pages/*.warc.gz >"$folder/pairs.tsv"
awk -F '\t' '
    NR == FNR { if (FNR > 1) { set[$1] = $5; exact[$1] = $10 == "" ? $1 : $10; size[$5]++ } next }
    {
        pairs++
        if (set[$1] != set[$2]) wrong = "pages of two sets: " $0
        if (!($5 >= 0 && $5 <= 1 && $6 >= 0 && $6 <= 1)) wrong = "no coefficient: " $0
        if (exact[$1] == exact[$2] && $5 != 1) wrong = "copies: " $0
        alike += $5 >= .5
    }
    END {
        for (s in size) expected += size[s] * (size[s] - 1) / 2
        if (pairs != expected || pairs == 0) wrong = pairs " pairs, not " expected
        if (alike < .9 * pairs) wrong = alike " of " pairs " pairs are alike"
        if (wrong != "") { print wrong; exit 1 }
    }' "$folder/result.tsv" "$folder/pairs.tsv" || fail "see above"

"$neardup" synthesize -o "$folder/others" --pages 400 --page-bytes 4000 --seed 6 2>/dev/null
if "$tool" "$folder/result.h5" "$folder"/others/*.warc.gz >"$folder/other" 2>&1; then
    fail "pages of another run pass"
fi
