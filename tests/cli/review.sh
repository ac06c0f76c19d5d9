#!/usr/bin/env bash
# The page of neardup review: what is drawn, what it carries, that strangers' texts stay texts, and
# that its labels are evaluated. Called as review.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
cd "$folder"
need python3
export SUPPORT=$support
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

# ---- whole sets, as the paper drew them: pages of both results, unmarked; answers are evaluated
"$neardup" partition hostile.jsonl --progress none --threshold .9 --slack 0 -o strict.h5 2>log || fail "$(cat log)"
"$neardup" export strict.h5 --format jsonl >strict.jsonl
"$neardup" review strict.h5 --protocol pku --baseline out.h5 --sample 12 --seed 2 -o sheet.html 2>log || fail "$(cat log)"
"$neardup" review strict.h5 --protocol pku --baseline out.h5 --sample 12 --seed 2 -o sheet2.html 2>log
cmp -s sheet.html sheet2.html || fail 'the same seed draws other sets'
# of every fourth story the last copy is another, say these people; sets with a name that cannot be
# written are not judged to the end
python3 - <<'TEXT' >truth.tsv
import json
for line in open("hostile.jsonl", encoding="utf-8"):
    page = json.loads(line)["id"]
    if page.isprintable():
        family, copy = page.split("-")[:2]
        print(page, family + ("b" if int(family) % 4 == 0 and copy[0] == "2" else ""), sep="\t")
TEXT
python3 "$support/answer_sheet.py" sheet.html truth.tsv >answers.tsv
"$neardup" evaluate strict.h5 --protocol pku --truth answers.tsv --baseline out.h5 --format json >judged.json 2>log || fail "$(cat log)"
"$neardup" evaluate strict.h5 --protocol pku --truth answers.tsv --baseline out.h5 >judged.txt 2>log || fail "$(cat log)"
grep -q '^relative recall ' judged.txt || fail "$(cat judged.txt)"
grep -q '^recall ' judged.txt && fail "recall, of pages that nobody saw: $(cat judged.txt)"
python3 - <<'TEXT' || fail "the sheet, or what its answers say: $(cat judged.json)"
import json, os, re, sys
sys.path.insert(0, os.environ["SUPPORT"])
from safe_page import SafePage
own = [json.loads(line) for line in open("strict.jsonl", encoding="utf-8")]
base = [json.loads(line) for line in open("pages.jsonl", encoding="utf-8")]
page = SafePage("sheet.html", script=True)
articles = [a for t, a in page.tags if t == "article"]
shown = "".join(page.data)
assert "<script>window.hacked" in shown and not re.search(r"similarity \d", shown)
members = {}
for p in own:
    members.setdefault(p["set"], []).append(p["page"])
of_base = {}
for p in base:
    of_base.setdefault(p["set"], []).append(p["page"])
sets = {}
for a in articles:
    sets.setdefault(int(a["data-set"].split()[1]), []).append(a)
many = [s for s in members if len(members[s]) > 1]
assert len(sets) == min(12, len(many)) and set(sets) <= set(many)
whole = 0
for number, judged in sets.items():
    leader = own[members[number][0]]["representative"]
    expected = sorted(set(members[number] + of_base[base[leader]["set"]]) - {leader})
    assert len(judged) == len(expected) == int(judged[0]["data-pages"]), (number, expected)
    numbers = [own[p]["id"] for p in expected]
    assert all(a.get("data-a", name) == name for a, name in zip(judged, numbers)), (judged, numbers)
    whole += len(expected) > len(members[number]) - 1
assert whole > 0, "no page of the baseline alone"
# what the answers say, worked out again
by_id = {p["id"]: p for p in own}
in_base = {p["id"]: p["set"] for p in base}
answers = {}
for line in open("answers.tsv", encoding="utf-8"):
    a, b, label, name, count = line.rstrip("\n").split("\t")
    answers.setdefault((name, int(count)), []).append((a, b, label))
precision, relative, incomplete = [], [], 0
for (name, count), lines in answers.items():
    if len(lines) < count:
        incomplete += 1
        continue
    mine = [x for x in lines if by_id[x[0]]["set"] == by_id[x[1]]["set"]]
    similar = 1 + sum(x[2] == "near" for x in mine)
    theirs = 1 + sum(x[2] == "near" for x in lines if in_base[x[0]] == in_base[x[1]])
    precision.append(similar / (1 + len(mine)))
    relative.append(similar / theirs)
x = json.load(open("judged.json"))["sample"]
assert x["judged"] and x["sets"] == len(precision) > 4 and x["incomplete_sets"] == incomplete, (x, len(precision), incomplete)
for name, values in (("precision", precision), ("relative_recall", relative)):
    got = x["all"][name]
    assert abs(got["mean"] - sum(values) / len(values)) < 1e-6, (name, got, values)
    assert got["lower"] <= got["mean"] <= got["upper"]
assert 0 < min(precision) < 1 and min(relative) < 1, (precision, relative)
assert x["all"]["recall"] is None
# every copy is on a host of its own: each representative is alone there
assert x["same_site"]["precision"]["mean"] == 1 and x["same_site"]["pages"] == x["sets"]
TEXT

# ---- what goes wrong: one line
refuses 2 'no -o FILE' review out.h5
refuses 2 '--between 1' review out.h5 -o x.html --between 1
refuses 2 '--between .9,.5' review out.h5 -o x.html --between .9,.5
refuses 2 '--sample' review out.h5 -o x.html --sample 0
refuses 2 'no pair' review out.h5 -o x.html --between 0,.01
refuses 2 'out.h5' review out.h5 -o out.h5
refuses 2 'only with --protocol pku' review out.h5 -o x.html --baseline strict.h5
refuses 2 'leave out --between' review out.h5 -o x.html --protocol pku --between .5,.7
head -n 40 hostile.jsonl >few.jsonl
"$neardup" partition few.jsonl --progress none -o few.h5 2>log || fail "$(cat log)"
refuses 2 'the same inputs' review out.h5 -o x.html --protocol pku --baseline few.h5
tac hostile.jsonl >turned.jsonl
"$neardup" partition turned.jsonl --progress none -o turned.h5 2>log || fail "$(cat log)"
refuses 2 'is another there' review out.h5 -o x.html --protocol pku --baseline turned.h5
head -n 1 answers.tsv | sed 's/$/\n/' | cat answers.tsv - >twice.tsv
if "$neardup" evaluate strict.h5 --protocol pku --truth twice.tsv >said 2>&1; then
    fail "a page judged twice: $(cat said)"
fi
refuses 1 'none.h5' review none.h5 -o x.html
mv hostile.jsonl gone.jsonl
refuses 1 'hostile.jsonl' review out.h5 -o x.html
[ ! -e x.html ] || fail 'a page was written although nothing could be read'
echo "review.sh: pages are safe, samples and labels as they should be"
