#!/usr/bin/env bash
# Every number that neardup evaluate says of a synthesized corpus, against a second implementation
# that looks at every pair of pages: the whole corpus; a part of it, held against labels of which
# some pages are ambiguous, without a class, or loose; the text.
# usage: evaluate_measures.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
support=$(cd "$(dirname "$0")/../support" && pwd)
corpus=$folder/corpus

# score NAME LOOSE AMBIGUOUS CLASSES: both implementations; files without a name are left out.
score() {
    local options=()
    [ "$2" = - ] || options+=(--loose "$2")
    [ "$3" = - ] || options+=(--ambiguous "$3")
    [ "$4" = - ] || options+=(--classes "$4")
    "$neardup" evaluate "$folder/$1.h5" --truth "$corpus/clusters.tsv" "${options[@]}" --format json \
        >"$folder/answer.json" 2>"$folder/errors"
    h5dump -y -w 1 -m %.6f -d /pages/certainty "$folder/$1.h5" |
        sed -n 's/^ *\([01]\.[0-9]*\),*$/\1/p' >"$folder/certainties"
    python3 "$support/score_pages.py" "$folder/$1.tsv" "$corpus/clusters.tsv" 2 "$2" "$3" "$4" \
        "$folder/answer.json" "$folder/certainties"
}

"$neardup" synthesize -o "$corpus" --pages 2000 --seed 31 --page-bytes 5000 --shard-pages 500 \
    --progress none
exported whole "$corpus"/pages-*
score whole "$corpus/loose.tsv" - "$corpus/classes.tsv"
score whole - - -
# Sets by chains of faint similarity, which mix clusters: more of what can be counted wrong.
exported chains "$corpus"/pages-* --threshold .2 --sets components
score chains "$corpus/loose.tsv" - "$corpus/classes.tsv"

# Three quarters of the corpus; every seventh page has no class; clusters that share a set are
# ambiguous with each other where their numbers say so; other pages are loose.
exported part "$corpus"/pages-0000[0-2]* --threshold .2 --sets components
awk 'NR % 7 != 3' "$corpus/classes.tsv" >"$folder/classes.tsv"
awk 'NR % 9 == 4 {print $1}' "$corpus/clusters.tsv" >"$folder/loose.tsv"
awk -F '\t' 'NR == FNR {cluster[$1] = $2; next}
    {if (last[$5] != "" && (last[$5] cluster[$2]) ~ /[357]$/) print last[$5] "\t" cluster[$2]
     last[$5] = cluster[$2]}' "$corpus/clusters.tsv" "$folder/part.tsv" >"$folder/ambiguous.tsv"
score part "$folder/loose.tsv" "$folder/ambiguous.tsv" "$folder/classes.tsv"
python3 - "$folder/answer.json" <<'PYTHON' || fail "the part lacks what it should be evaluated with"
import json, sys
a = json.load(open(sys.argv[1]))
assert min(a[k] for k in ("missing_pages", "loose_pages", "pages_without_class", "skipped_pairs")) > 0
assert a["same_site"]["skipped_pairs"] > 0 and a["different_sites"]["skipped_pairs"] > 0
assert any(c["pairs"]["skipped_pairs"] > 0 for c in a["classes"])
PYTHON

# The text says the same of a class, a decile and the sites.
"$neardup" evaluate "$folder/chains.h5" --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv" \
    --classes "$corpus/classes.tsv" --format json >"$folder/answer.json"
"$neardup" evaluate "$folder/chains.h5" --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv" \
    --classes "$corpus/classes.tsv" >"$folder/text"
python3 - "$folder/answer.json" "$folder/text" <<'PYTHON' || fail "the text is not what the JSON says"
import json, sys
a = json.load(open(sys.argv[1]))
text = [line.split() for line in open(sys.argv[2])]
def expect(*cells):
    cells = ["%.4f" % c if isinstance(c, float) else str(c) for c in cells]
    assert cells in text, cells
expect("adjusted", "Rand", "index", a["adjusted_rand_index"])
for name, p in ("same site", a["same_site"]), ("different sites", a["different_sites"]):
    expect(*name.split(), p["precision"], p["recall"], p["f1"], p["true_pairs"],
           p["predicted_pairs"], p["common_pairs"])
c = next(c for c in a["classes"] if c["class"] == "P3")
p, here, there = c["pairs"], c["same_site"], c["different_sites"]
expect("P3", c["pages"], c["mixed_pages"], p["true_pairs"], p["predicted_pairs"],
       p["predicted_pairs"] - p["common_pairs"], p["precision"], p["recall"], c["page_recall"])
expect("P3", here["predicted_pairs"] - here["common_pairs"], here["precision"], here["recall"],
       there["predicted_pairs"] - there["common_pairs"], there["precision"], there["recall"])
# Every member that is counted by its similarity is counted by its certainty.
whole = {k: [sum(d[n] for d in a[k]) for n in ("pairs", "correct")]
         for k in ("representative_deciles", "certainty_deciles")}
assert whole["representative_deciles"] == whole["certainty_deciles"], whole
d = a["original_deciles"][9]
expect("0.9", "to", "1.0", d["pairs"], d["found"], d["recall"], d["same_site"]["recall"],
       d["different_sites"]["recall"])
PYTHON

# Lines of classes that cannot be used are said, and the others counted.
{
    cat "$corpus/classes.tsv"
    head -n 1 "$corpus/classes.tsv"
} | sed '5s/\t[^\t]*\t[^\t]*$/\tnone\t7/' >"$folder/classes.tsv"
"$neardup" evaluate "$folder/whole.h5" --truth "$corpus/clusters.tsv" --classes "$folder/classes.tsv" \
    >"$folder/text" 2>"$folder/errors"
grep -q '2 lines could not be used; the first: .*classes.tsv, line 5: the similarity' \
    "$folder/errors" || fail "bad lines are not said: $(cat "$folder/errors")"
grep -qx '1 pages are of no known class' "$folder/text" || fail "the page without a class is not said"
