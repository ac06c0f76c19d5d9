#!/usr/bin/env bash
# Which page of a set is kept, by every rule, on 20,000 made-up pages of three collections, against
# a choice made by Python of what went in; what is refused. Called as kept_pages.sh NEARDUP BUILD_DIR.
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
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.
python3 - "$neardup" <<'TEXT' || fail "see above"
import collections
import subprocess
import sys
from went_in import given

NONE = float("inf")

def export(what, arguments):
    run = subprocess.run([sys.argv[1], "export", "out.h5", "--what", what] + arguments,
                         stdout=subprocess.PIPE, check=True)
    lines = run.stdout.decode("utf-8").split("\n")[:-1]
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"))) for line in lines[1:]]

pages = export("pages", [])

def largest(value):  # numbers, before them texts, before them nothing
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return (2,)
    try:
        return (0, -float(value))
    except ValueError:
        return (1, [-byte for byte in value.encode()] + [1])

def surt(url):
    host, _, path = url.lower().partition("://")[2].partition("/")
    return "%s)/%s" % (host, path)

def key(page, rule):
    row = given[page["id"]]
    kind, _, collection = rule.partition(":")
    return {"representative": page["representative"] != page["page"],
            "first": int(page["page"]),
            "longest": -row["words"],
            "earliest": NONE if row["seconds"] is None else row["seconds"],
            "latest": NONE if row["seconds"] is None else -row["seconds"],
            "https": not row.get("url", "").lower().startswith("https:"),
            "shortest-url": len(row["url"]) if "url" in row else NONE,
            "surt": (0, surt(row["url"])) if "url" in row else (1,),
            "field": largest(row.get("meta", {}).get("score") if collection == "meta.score" else
                             row.get(collection)),
            "collection": page["collection"] != collection}[kind]

def check(rules=None, protect=None, each=False):
    arguments = (["--keep", rules] if rules else []) + (["--protect", protect] if protect else [])
    arguments += ["--keep-each", "collection"] if each else []
    rules = (rules or "representative").split(",")
    protect = protect.split(",") if protect else []
    groups = collections.defaultdict(list)
    for page in pages:
        groups[page["set"], page["collection"] if each else None].append(page)
    expected = {}
    for members in groups.values():
        safe = [p for p in members if p["collection"] in protect]
        best = min(safe or members, key=lambda p: [key(p, r) for r in rules] + [int(p["page"])])
        for p in members:
            expected[p["page"]] = p if p["collection"] in protect else best
    drop = export("drop", arguments)
    keep = [p["page"] for p in export("keep", arguments)] if len(rules) > 1 or not arguments else None
    kept = [p["page"] for p in pages if expected[p["page"]] is p]
    assert keep is None or keep == kept, arguments
    assert [p["page"] for p in drop] == [p["page"] for p in pages if expected[p["page"]] is not p]
    for p in drop + (export("pages", arguments) if each or protect else []):
        by = expected[p["page"]]
        assert (p["kept"], p["kept_id"], p["kept_url"]) == (by["page"], by["id"], by["url"]), p
    assert len(drop) > 3000, len(drop)
    print(len(kept), *arguments)

check()
for rule in ("representative", "first", "longest", "earliest", "latest", "https", "shortest-url",
             "collection:b"):
    check(rule)
check("collection:a-1,collection:b,latest")
check("https,earliest,shortest-url,longest", each=True)
check("surt")
check("field:meta.score")
check("field:words,field:seconds,surt,field:id")
check("field:crawled,https,field:meta.score", each=True)
check("longest", protect="b")
check("longest", protect="a-1,", each=True)
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
refuses 2 'no collection c; it has:  a-1, b' export out.h5 --keep collection:c
refuses 2 'has a field nothing' export out.h5 --keep field:nothing
refuses 2 "there is no rule 'field:'" export out.h5 --keep field:
refuses 2 'more than 4 rules' export out.h5 --keep surt,field:a,field:b,field:c,surt
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
