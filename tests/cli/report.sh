#!/usr/bin/env bash
# The page of neardup report: its numbers are those of the result, strangers' texts are text on it,
# and it says what it cannot read. Called as report.sh NEARDUP BUILD_DIR.
set -euo pipefail
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
# shellcheck source=tests/support/results.sh
. "$support/results.sh"
cd "$folder"
need python3
export SUPPORT=$support PYTHONDONTWRITEBYTECODE=1
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
"$neardup" partition news=hostile.jsonl chain.jsonl bad.jsonl --pairs keep --guard .05 --progress none -o out.h5 2>log ||
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
assert "%d pages in %d sets: %d pages" % (len(pages), len(sets), len(members)) in shown
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
