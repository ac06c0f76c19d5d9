#!/usr/bin/env bash
# Which page of a set is kept, on 20,000 made-up pages of three collections, against a choice made by
# Python of what went in (each rule by itself: property/p_sets.c); the same as an index, and in little
# memory; what is refused. Called as kept_pages.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Families of 1 to 7 pages, each with up to three words more than the others, dealt to three files.
python3 - <<'TEXT'
import json
import random
import time

random.seed(11)
files = {name: open(name + ".jsonl", "w", encoding="utf-8") for name in ("a", "b", "plain")}

def word():
    return "".join(random.choice("bcdfghjklmnp") for _ in range(7))

number = 0
while number < 20000:
    base = [word() for _ in range(60)]
    for _ in range(min(random.choice((1, 1, 2, 3, 7)), 20000 - number)):
        words = base + [word() for _ in range(random.randrange(4))]
        seconds = random.choice((None, 1600000000 + random.randrange(3), 1700000000))
        line = {"id": "id%d" % number,
                "url": "%s://h%s/%d" % (random.choice(("http", "https", "HTTPS")),
                                        "o" * random.randrange(3), number % 7),
                "text": " ".join(words) + "."}
        if random.random() < .1:
            del line["url"]
        if seconds is not None:
            line["crawled"] = random.choice((
                seconds, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))))
        line["seconds"] = seconds
        line["words"] = len(words)
        line["meta"] = {"score": random.choice((
            1, 1.0, 9, 10, -2, -2.5, "10", "9.5", 1e300, "2024-01-02T03:04:05Z", "2024-01-02", "n/a",
            "", "ä", True, None, [1], "12 a"))}
        if random.random() < .1:
            del line["meta"]
        files[random.choice(("a", "b", "b", "plain"))].write(json.dumps(line) + "\n")
        number += 1
TEXT
"$neardup" partition a-1=a.jsonl b=b.jsonl plain.jsonl --jsonl-date crawled --progress none -o out.h5
"$neardup" check out.h5 >/dev/null || fail "check finds something"

cat >went_in.py <<'TEXT'
import json

given = {}
for name in ("a", "b", "plain"):
    with open(name + ".jsonl", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            given[row["id"]] = row
TEXT
export PYTHONPATH=.
# Of each set one page is kept, the first by the rules: texts of a field before nothing, numbers before texts.
python3 - "$neardup" <<'TEXT' || fail "see above"
import collections, json, subprocess, sys
from went_in import given

def export(*arguments):
    run = subprocess.run([sys.argv[1], "export", "out.h5", "--format", "jsonl", *arguments],
                         stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in run.stdout.decode("utf-8").splitlines()]

def largest(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return (2,)
    try:
        return (0, -float(value))
    except ValueError:
        return (1, [-byte for byte in value.encode()] + [1])

def key(page):
    row = given[page["id"]]
    return (largest(row.get("meta", {}).get("score")), -(row["seconds"] or 0), page["page"])

groups = collections.defaultdict(list)
rules = ("--keep", "field:meta.score,latest", "--keep-each", "collection")
pages = export(*rules)
for page in pages:
    groups[page["set"], page["collection"]].append(page)
best = {page["page"]: min(group, key=key) for group in groups.values() for page in group}
assert all(p["kept"] == best[p["page"]]["page"] and p["kept_id"] == best[p["page"]]["id"] for p in pages)
drop = [p["page"] for p in export(*rules, "--what", "drop")]
assert drop == [p["page"] for p in pages if best[p["page"]] is not p] and len(drop) > 3000, len(drop)
TEXT

# ---- the same as an index: sorted, each page once, its date, and what keep and drop say
for what in pages keep drop; do
    "$neardup" export out.h5 --what "$what" --format cdxj --keep latest >"$what.cdxj" 2>/dev/null
    LC_ALL=C sort -c "$what.cdxj" || fail "$what.cdxj is not sorted"
done
mkdir tmp # far more than the memory for sorting
TMPDIR=$PWD/tmp "$neardup" export out.h5 --format cdxj --keep latest --memory 256K | cmp - pages.cdxj ||
    fail "other lines where memory is short"
"$neardup" export out.h5 --what drop --keep surt,field:id >drop.tsv
TMPDIR=$PWD/tmp "$neardup" export out.h5 --what drop --keep surt,field:id --memory 256K | cmp - drop.tsv ||
    fail "another choice where memory is short"
rmdir tmp || fail "leaves files in TMPDIR"
code=0
TMPDIR=$PWD/none "$neardup" export out.h5 --format cdxj --memory 256K >/dev/null 2>log || code=$?
[ "$code$(grep -c "/none/neardup-sort-" log)" = 11 ] || fail "no TMPDIR: exit code $code: $(cat log)"
cat keep.cdxj drop.cdxj | LC_ALL=C sort | cmp - pages.cdxj || fail "keep and drop are not all pages"
"$neardup" export out.h5 --format jsonl --keep latest >pages.jsonl
python3 - <<'TEXT' || fail "cdxj: see above"
import json
import time
from went_in import given

with open("pages.jsonl", encoding="utf-8") as file:
    pages = [json.loads(line) for line in file]
seen = set()
with open("pages.cdxj", encoding="ascii") as file:
    for line in file:
        surt, date, text = line.split(" ", 2)
        row = json.loads(text)
        page = pages[row["page"]]
        seen.add(row["page"])
        for name in ("url", "set", "similarity", "kept", "kept_id", "kept_url"):
            assert row[name] == page[name], (name, row, page)
        assert (row["filename"], row["offset"]) == (page["source"], str(page["offset"])), row
        seconds = given[page["id"]]["seconds"] or 0
        assert date == time.strftime("%Y%m%d%H%M%S", time.gmtime(seconds)), line
        host, _, path = page["url"].lower().partition("://")[2].partition("/")
        assert surt == ("%s)/%s" % (host, path) if host else "-"), line
assert len(seen) == len(pages) == 20000, len(seen)
TEXT

# ---- what is refused, and how
refuses 2 "there is no rule 'newest'" export out.h5 --keep newest
refuses 2 'has a field nothing' export out.h5 --keep field:nothing
sed '3s/"words": ./"words": 1/' a.jsonl >edited
mv a.jsonl saved && cp -p edited a.jsonl && cmp -s a.jsonl saved && fail "nothing is edited"
code=0
"$neardup" export out.h5 --keep field:words >/dev/null 2>said || code=$?
[ "$code$(grep -c 'a.jsonl: has changed since the run (another .*for page 2 of out.h5, ' said)" = 11 ] ||
    fail "an edited input: exit code $code: $(cat said)"
mv saved a.jsonl
refuses 2 '--protect: the result has no collection A' export out.h5 --protect b,A
refuses 2 'are of --what pages' export out.h5 --what sets --keep longest
refuses 2 'are of --what pages' export out.h5 --what sets --format cdxj
echo "kept_pages.sh: passed"
