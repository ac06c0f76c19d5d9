#!/usr/bin/env bash
# The page of neardup review: what is drawn, what it carries, that strangers' texts stay texts, and
# that its labels are evaluated. Called as review.sh NEARDUP BUILD_DIR.
set -euo pipefail
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
# shellcheck source=tests/support/results.sh
. "$support/results.sh"
cd "$folder"
need python3
export SUPPORT=$support PYTHONDONTWRITEBYTECODE=1
python3 "$support/hostile_pages.py"
"$neardup" partition hostile.jsonl --progress none -o out.h5 2>log || fail "$(cat log)"
"$neardup" export out.h5 --format jsonl >pages.jsonl

# draw NAME ARGUMENT...
draw() {
    local name=$1
    shift
    "$neardup" review out.h5 -o "$name.html" "$@" 2>log || fail "$*: $(cat log)"
}
draw one --sample 30 --seed 4
draw again --sample 30 --seed 4
draw other --sample 30 --seed 5
draw all --sample 1000
draw least --least-similar --sample 6
draw between --between .7,.9
cmp -s one.html again.html || fail 'the same seed draws other pairs'
cmp -s one.html other.html && fail 'another seed draws the same pairs'

python3 - <<'TEXT' || fail 'a page is not as it should be'
import json, os, re, sys
sys.path.insert(0, os.environ["SUPPORT"])
from safe_page import HIDDEN, SafePage
pages = [json.loads(line) for line in open("pages.jsonl", encoding="utf-8")]
members = {p["page"]: p for p in pages if p["page"] != p["representative"]}
for name in ("one", "all", "least", "between"):
    page = SafePage(name + ".html", script=True)
    shown = "".join(page.data)
    if name == "all":
        for text in ("<script>window.hacked = 1</script>", "\"><img src=x onerror=window.hacked=3>",
                     "\\u202eright", "\\u2028line", "\\x1b[31mred", "</style></article></main>",
                     "&lt;b&gt; &amp;"):
            assert text in shown, text
    # what is drawn
    drawn = [a for t, a in page.tags if t == "article"]
    bands = {a["data-band"]: int(a["data-pairs"]) for t, a in page.tags if t == "tr" and "data-band" in a}
    similarities = [float(s) for s in re.findall(r"similarity (\d\.\d{4}), set", shown)]
    assert len(similarities) == len(drawn)
    if name == "between":
        assert similarities and all(.7 <= s <= .9 for s in similarities)
        assert sum(bands.values()) == sum(.7 <= p["similarity"] <= .9 for p in members.values())
    else:
        assert sum(bands.values()) == len(members)
    if name == "one":
        assert len(drawn) == 30
        of = [sum(a["data-band"] == b for a in drawn) for b in bands]
        assert max(of) - min(n for n, b in zip(of, bands) if n < bands[b] or n == max(of)) <= 1, (of, bands)
    if name == "all":
        assert len(drawn) == len(members)
        # a name is written as it is or not at all
        names = [a["data-a"] for a in drawn if "data-a" in a]
        ids = [p["id"] for p in members.values()]
        assert set(names) < set(ids) and len(names) == sum(not HIDDEN.search(i) for i in ids)
    if name == "least":
        assert similarities == sorted(similarities) and len(drawn) == 6
        assert abs(similarities[5] - sorted(p["similarity"] for p in members.values())[5]) < 1e-4
TEXT

# ---- labels as the page saves them: precision by band, each counting by its pairs
python3 - <<'TEXT'
import json
pages = [json.loads(line) for line in open("pages.jsonl", encoding="utf-8")]
seen = 0
with open("labels.tsv", "w", encoding="utf-8") as out:
    for p in pages:
        rep = pages[p["representative"]]
        if p is not rep and p["id"].isprintable() and seen < 14:
            label = "unsure" if seen < 2 else "different" if seen < 4 else "near"
            out.write("\t".join([p["id"], rep["id"], label, "low" if seen % 2 else "high",
                                 "30" if seen % 2 else "90"]) + "\n")
            seen += 1
TEXT
"$neardup" evaluate out.h5 --truth labels.tsv --bands --format json >evaluation.json || fail 'evaluate --bands'
python3 - <<'TEXT' || fail "$(cat evaluation.json)"
import json
x = json.load(open("evaluation.json"))
bands = {b["band"]: b for b in x["bands"]}
assert x["skipped_pairs"] == 2 and x["pairwise"]["precision"] == 10 / 12 or abs(x["pairwise"]["precision"] - 10 / 12) < 1e-9
for band in bands.values():
    assert (band["same"], band["different"]) == (5, 1), band
    assert abs(band["lower"] - .4365) < 1e-3 and abs(band["upper"] - .9699) < 1e-3, band
assert (bands["high"]["pairs"], bands["low"]["pairs"]) == (90, 30)
assert abs(x["all_bands"]["precision"] - 5 / 6) < 1e-9 and x["all_bands"]["share_of_pairs"] == 1
TEXT
"$neardup" evaluate out.h5 --truth labels.tsv --bands | grep -q '^high  *90  *5  *1  *0.8333  0.4365 to 0.9699$' ||
    fail "not the bands: $("$neardup" evaluate out.h5 --truth labels.tsv --bands)"

# ---- what goes wrong: one line
# wrong STATUS WORD ARGUMENT...
wrong() {
    local wanted=$1 word=$2 status=0
    shift 2
    "$neardup" review "$@" >said 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*: $(cat said)"
    [ "$(wc -l <said)" -eq 1 ] || fail "not one line: $*: $(cat said)"
    grep -qF -- "$word" said || fail "$*: no '$word' in: $(cat said)"
}
wrong 2 'no -o FILE' out.h5
wrong 2 '--between 1' out.h5 -o x.html --between 1
wrong 2 '--between .9,.5' out.h5 -o x.html --between .9,.5
wrong 2 '--sample' out.h5 -o x.html --sample 0
wrong 2 'no pair' out.h5 -o x.html --between 0,.01
wrong 2 'out.h5' out.h5 -o out.h5
wrong 1 'none.h5' none.h5 -o x.html
mv hostile.jsonl gone.jsonl
wrong 1 'hostile.jsonl' out.h5 -o x.html
[ ! -e x.html ] || fail 'a page was written although nothing could be read'
echo "review.sh: pages are safe, samples and labels as they should be"
