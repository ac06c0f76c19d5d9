#!/usr/bin/env bash
# The page of neardup report: its numbers are those of the result, strangers' texts are text on it,
# and it says what it cannot read. Called as report.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
cd "$folder"
need python3
export SUPPORT=$support
python3 "$support/hostile_pages.py"
printf '{"id":"x","text":12}\nno <b>JSON</b>\n' >bad.jsonl
# a chain, each page sharing most with the next alone: a set does not hold all of it
python3 - <<'TEXT'
import json
with open("chain.jsonl", "w") as out:
    for page in range(8):
        text = " ".join("Word%s that stands in sentence %s alone, and so does %sness with it." %
                        (3 * (chr(97 + s % 26) + chr(97 + s // 26),)) for s in range(4 * page, 4 * page + 20))
        out.write(json.dumps({"id": "c%d" % page, "url": "http://c%d.example/" % page, "text": text}) + "\n")
TEXT
"$neardup" partition news=hostile.jsonl chain.jsonl bad.jsonl --pairs keep --slack .05 --progress none -o out.h5 2>log ||
    fail "$(cat log)"
"$neardup" export out.h5 --format jsonl >pages.jsonl
"$neardup" export out.h5 --what pairs --format jsonl >pairs.jsonl
"$neardup" report out.h5 -o report.html 2>log || fail "$(cat log)"
[ ! -s log ] || fail "$(cat log)"

cat >check.py <<'TEXT'
import json, os, re, sys
sys.path.insert(0, os.environ["SUPPORT"])
from safe_page import SafePage
page = SafePage(sys.argv[1], script=False)
shown = "".join(page.data)
pages = [json.loads(line) for line in open("pages.jsonl", encoding="utf-8")]
pairs = [json.loads(line) for line in open("pairs.jsonl", encoding="utf-8")]
sets = {}
for p in pages:
    sets.setdefault(p["set"], []).append(p["page"])
members = [p for p in pages if p["page"] != p["representative"]]
repeat = "%d of %d pages (%.1f %%) repeat another; %d would be kept."
assert repeat % (len(members), len(pages), 100 * len(members) / len(pages), len(sets)) in shown, shown[:500]
# charts: of sets by powers of two, of similarities by fiftieths
charts = [re.findall(r"<title>([^<]*): (\d+)</title>", chart) for chart in page.text.split("<figure>")[1:]]
powers = [0] * 40
for pages_of in sets.values():
    powers[len(pages_of).bit_length() - 1] += 1
assert [int(n) for _, n in charts[0]] == powers[:len(charts[0])] and not any(powers[len(charts[0]):])
bins = [0] * 51
for p in members:
    bins[int(p["similarity"] * 50 + 1e-9)] += 1
assert sum(int(n) for _, n in charts[1]) == len(members)
assert sum(abs(int(n) - b) for (_, n), b in zip(charts[1], bins)) <= 2, (charts[1], bins)
# duplicates of the collection, whose name is text
news = sum(p["collection"] == "news" for p in members)
assert "news90%d%.1f" % (news, 100 * news / 90) in re.sub(r"\s", "", shown), shown[:3000]
assert len(re.findall(r"[ch]\d+\.example\d", shown)) == 50 and "The first 50 of 98." in shown
# sets, least similar, apart
assert shown.count("\nset ") == 10
least = sorted(p["similarity"] for p in members)[:10]
apart = sorted((p["similarity"] for p in pairs if pages[p["a"]]["set"] != pages[p["b"]]["set"]), reverse=True)
assert apart, "the test has no pairs that were kept apart"
said = [float(s) for s in re.findall(r"similarity (\d\.\d{4}), A page", shown)]
assert all(abs(a - b) < 1e-4 for a, b in zip(said, least + apart[:10])) and len(said) == 10 + min(10, len(apart))
assert "%d verified pairs are of pages in two sets" % len(apart) in shown
assert "no JSON" not in shown and "bad.jsonl" in shown and "The first 1 of 1." in shown
unread = shown.count("cannot be read: hostile.jsonl")
assert (unread > 0) == (sys.argv[2] == "gone"), unread
assert ("window.hacked" in shown)
TEXT
python3 check.py report.html there || fail 'the report is not as it should be'
mv hostile.jsonl gone.jsonl
"$neardup" report out.h5 -o report.html 2>log || fail "without the inputs: $(cat log)"
grep -q '^neardup report: [0-9]* of [0-9]* texts cannot be read$' log || fail "$(cat log)"
python3 check.py report.html gone || fail 'the report is not as it should be without inputs'

# ---- few pages, of which the whole report is known: copies, sites, none, a thin page, a line that is no page
cat >small.py <<'TEXT'
import json, math, random, re, sys
random.seed(6)
def sentence(count):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(count)).capitalize() + "."
def put(name, url, text):
    pages.append((url or name, text))
    out.write(json.dumps({"id": name, "text": text, **({"url": url} if url else {})}) + "\n")
pages = []
with open("small.jsonl", "w") as out:
    copied = [sentence(12) for _ in range(40)]
    for copy in range(11):
        put("a%d" % copy, "http://a.example/%d" % copy, " ".join(copied))
    for family in "bc":
        base = [sentence(12) for _ in range(20)]
        for copy in range(3):
            base[copy] = sentence(12)
            put("%s%d" % (family, copy), "http://%s%d.example/" % (family, copy // 2), " ".join(base))
    for copy in range(2):
        put("d%d" % copy, None, " ".join(copied[:12]))
    put("thin", "http://b0.example/thin", "few words")
    for own in range(3):
        put("own%d" % own, None, " ".join(sentence(12) for _ in range(20)))
    out.write("no JSON\n")
if len(sys.argv) == 1:
    sys.exit()

text = open(sys.argv[1]).read().split("</style>")[1]
for said in ["<b>15</b> of <b>23</b> pages (<b>65.2 %</b>) repeat another; <b>8</b> would be kept.</p>",
             "<p>11 (47.8 %) are exact copies in their set, 4 (17.4 %) near-duplicates. 4 sets have more than one page.",
             "<p>Inputs: 1; thin pages: 1; records that could not be used: 1.",
             "<p>1 processes; least, mean and most"]:
    assert said in text, said
tables = [[re.sub("</?i>", "", row).split("<td>") for row in re.findall("<tr><td[^>]*>(.*)</tr>", table)]
          for table in text.split("<table>")]
assert tables[11:13] == [[["small", "23", "15", "65.2"]],
                       [["a.example", "11", "10", "90.9"], ["b0.example", "3", "1", "33.3"],
                        ["b1.example", "1", "1", "100.0"], ["c0.example", "2", "1", "50.0"],
                        ["c1.example", "1", "1", "100.0"], ["no site", "5", "1", "20.0"]]], tables[11:13]
sets = [range(11), (12, 11, 13), (15, 14, 16), (17, 18), (19,), (20,), (21,), (22,)]
shown = re.findall(r"<h3>set (\d+): (\d+) pages</h3>", text)
assert shown == [(str(i), str(len(members))) for i, members in enumerate(sets)], shown
texts = re.findall(r'<p class="gone">(.*)</p>', text)
for members, rows, beginning in zip(sets, tables[3:], texts, strict=False):
    assert [row[:2] for row in rows] == [[pages[page][0], str(page)] for page in members[:8]], rows
    assert all(row[4] == str(len(pages[int(row[1])][1].split())) for row in rows), rows
    # whole sentences, with the one that reaches 1500 bytes
    sentences = re.findall(r"[^.]+\.? ?", pages[members[0]][1])
    count = next((n for n in range(1, len(sentences)) if sum(map(len, sentences[:n])) - n >= 1500), len(sentences))
    most = "".join(sentences[:count]).strip() + (" ..." if count < len(sentences) else "")
    assert beginning.strip() == most, (beginning, most)
assert len(texts) == len(sets) and [t.endswith("...") for t in texts[:4]] == [True, False, False, False]

# charts: what is named is as high as it says, side by side and inside
charts = []
for chart in text.split("<figure>")[1:]:
    width, height = map(float, re.search(r'viewBox="-70 0 (\d+) (\d+)"', chart).groups())
    bars = [(*map(float, bar[:4]), bar[4], int(bar[5])) for bar in
            re.findall(r'x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"><title>(.*): (\d+)</title>', chart)]
    scale = math.log1p if "logarithms" in chart else float
    highest = max(scale(bar[5]) for bar in bars)
    for bar, after in zip(bars, bars[1:] + [(900,)]):
        assert abs(bar[3] - 180 * scale(bar[5]) / highest) < .06 and abs(bar[1] + bar[3] - 198) < .11, bar
        assert 0 <= bar[0] and bar[0] + bar[2] < after[0] + .1 and height > 198, (bar, after)
    labels = re.findall(r'<text x="(.*?)" y="(.*?)">(.*)</text>', chart)
    for x, y, label in labels:
        bar = min(bars, key=lambda bar: abs(bar[0] + bar[2] / 2 - float(x)))
        assert abs(bar[0] + bar[2] / 2 - float(x)) < .2
        assert label == (bar[4] if float(y) > 198 else str(bar[5])) and (float(y) > 198 or float(y) < bar[1]), label
    charts.append(({bar[4]: bar[5] for bar in bars}, [label for _, y, label in labels if float(y) > 198],
                   sum(float(y) < 198 for _, y, _ in labels)))
assert charts[0] == ({"1": 4, "2-3": 3, "4-7": 0, "8-15": 1}, ["1", "2-3", "4-7", "8-15"], 3), charts[0]
assert charts[1] == ({"%.2f" % (i / 50): {44: 4, 50: 11}.get(i, 0) for i in range(51)},
                     ["%.2f" % (i / 10) for i in range(11)], 0), charts[1]
stages = [row[0] for row in tables[-2]]
assert charts[2][1] == ["stage %d" % (i + 1) for i in range(len(stages))] and "ingest" in stages, stages
assert all(abs(v - 1000 * float(row[3])) < 6 for v, row in zip(charts[2][0].values(), tables[-2])), charts[2]
assert all(float(row[2]) <= float(row[3]) <= float(row[4]) and 1 < float(row[9]) < 1e5 for row in tables[-2])
assert tables[-1][0][0].startswith("small.jsonl") and int(re.sub("<.*", "", tables[-1][0][1])) == sum(
    len(line) for line in open("small.jsonl")) - 8, tables[-1]
TEXT
python3 small.py
"$neardup" partition small=small.jsonl --progress none -o small.h5 2>log || fail "$(cat log)"
"$neardup" report small.h5 -o small.html || fail 'no report of few pages'
python3 small.py small.html || fail 'the report of few pages is not as it should be'

# Without kept pairs, and of a result without any pair.
mv gone.jsonl hostile.jsonl
head -n 1 hostile.jsonl >one.jsonl
"$neardup" partition one.jsonl --progress none -o one.h5 2>log || fail "$(cat log)"
"$neardup" report one.h5 -o one.html || fail 'no report of one page'
grep -q 'partition --pairs keep' one.html || fail 'what is not known is not said'
echo "text" >mine.html
status=0
"$neardup" report one.h5 -o mine.html 2>log || status=$?
[ "$status" -eq 2 ] || fail "exit code $status: $(cat log)"
[ "$(cat mine.html)" = text ] || fail 'a file of another was replaced'
"$neardup" report one.h5 -o one.html || fail 'a page of ours is not replaced'
echo "report.sh: numbers, texts and what is gone are as they should be"
