#!/usr/bin/env bash
# Every number that neardup evaluate tells of a synthesized corpus, against a second implementation
# that looks at every pair of pages: the whole corpus; a part of it, held against labels of which
# some pages are ambiguous, without a class, or loose; the text.
# usage: evaluate_measures.sh NEARDUP BUILD_DIR
set -euo pipefail
neardup=$1
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=$work/corpus

fail() {
    echo "evaluate_measures: $*" >&2
    exit 1
}

# partition NAME INPUT OPTION...: a result and its pages as they are exported.
partition() {
    timeout 200 "$neardup" partition --progress none "${@:2}" -o "$work/$1.h5" 2>"$work/errors" ||
        fail "$(cat "$work/errors")"
    "$neardup" export "$work/$1.h5" >"$work/$1.tsv"
}

# judge NAME LOOSE AMBIGUOUS CLASSES: both implementations; files without a name are left out.
judge() {
    local options=()
    [ "$2" = - ] || options+=(--loose "$2")
    [ "$3" = - ] || options+=(--ambiguous "$3")
    [ "$4" = - ] || options+=(--classes "$4")
    "$neardup" evaluate "$work/$1.h5" --truth "$corpus/clusters.tsv" "${options[@]}" --format json \
        >"$work/answer.json" 2>"$work/errors"
    python3 "$support/judge_pages.py" "$work/$1.tsv" "$corpus/clusters.tsv" 2 "$2" "$3" "$4" \
        "$work/answer.json"
}

"$neardup" synthesize -o "$corpus" --pages 2000 --seed 31 --page-bytes 5000 --shard-pages 500 \
    --progress none
partition whole "$corpus"/pages-*
judge whole "$corpus/loose.tsv" - "$corpus/classes.tsv"
judge whole - - -
# Sets by chains of faint similarity, which mix clusters: more of what can be counted wrong.
partition chains "$corpus"/pages-* --threshold .2 --sets components
judge chains "$corpus/loose.tsv" - "$corpus/classes.tsv"

# Three quarters of the corpus; every seventh page has no class; clusters that share a set are
# ambiguous with each other where their numbers say so; other pages are loose.
partition part "$corpus"/pages-0000[0-2]* --threshold .2 --sets components
awk 'NR % 7 != 3' "$corpus/classes.tsv" >"$work/classes.tsv"
awk 'NR % 9 == 4 {print $1}' "$corpus/clusters.tsv" >"$work/loose.tsv"
awk -F '\t' 'NR == FNR {cluster[$1] = $2; next}
    {if (last[$5] != "" && (last[$5] cluster[$2]) ~ /[357]$/) print last[$5] "\t" cluster[$2]
     last[$5] = cluster[$2]}' "$corpus/clusters.tsv" "$work/part.tsv" >"$work/ambiguous.tsv"
judge part "$work/loose.tsv" "$work/ambiguous.tsv" "$work/classes.tsv"
python3 - "$work/answer.json" <<'PYTHON' || fail "the part lacks what it should be judged with"
import json, sys
a = json.load(open(sys.argv[1]))
assert min(a[k] for k in ("missing_pages", "loose_pages", "pages_without_class", "skipped_pairs")) > 0
assert a["same_site"]["skipped_pairs"] > 0 and a["different_sites"]["skipped_pairs"] > 0
assert any(c["pairs"]["skipped_pairs"] > 0 for c in a["classes"])
PYTHON

# The text says the same of a class, a decile and the sites.
"$neardup" evaluate "$work/chains.h5" --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv" \
    --classes "$corpus/classes.tsv" --format json >"$work/answer.json"
"$neardup" evaluate "$work/chains.h5" --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv" \
    --classes "$corpus/classes.tsv" >"$work/text"
python3 - "$work/answer.json" "$work/text" <<'PYTHON' || fail "the text is not what the JSON says"
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
d = a["original_deciles"][9]
expect("0.9", "to", "1.0", d["pairs"], d["found"], d["recall"], d["same_site"]["recall"],
       d["different_sites"]["recall"])
PYTHON

# Lines of classes that cannot be used are told, and the others counted.
{
    cat "$corpus/classes.tsv"
    head -n 1 "$corpus/classes.tsv"
} | sed '5s/\t[^\t]*\t[^\t]*$/\tnone\t7/' >"$work/classes.tsv"
"$neardup" evaluate "$work/whole.h5" --truth "$corpus/clusters.tsv" --classes "$work/classes.tsv" \
    >"$work/text" 2>"$work/errors"
grep -q '2 lines could not be used; the first: .*classes.tsv, line 5: the similarity' \
    "$work/errors" || fail "bad lines are not told: $(cat "$work/errors")"
grep -qx '1 pages are of no known class' "$work/text" || fail "the page without a class is not told"
