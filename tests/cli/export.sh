#!/usr/bin/env bash
# What export and inspect print, and what others find in the file itself: called as
# export.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3 h5ls h5dump
cd "$folder"

# 40 pages in the collection news: 8 families of 4 (an original, a copy to the byte, two near
# copies), 7 pages alone, and a page without text. Ids and URLs hold what tsv must escape.
python3 - <<'TEXT'
import json
import random

random.seed(4)

def text(words):
    sentences = [words[i:i + 9] for i in range(0, len(words), 9)]
    return " ".join(" ".join(s).capitalize() + "." for s in sentences)

def words():
    # letters only: site templates are found with digits masked
    return ["w" + "".join(chr(97 + int(d)) for d in str(random.randrange(100000)))
            for _ in range(270)]

rows = []
for family in range(8):
    base = words()
    # the page that is least like the others, and so leads none, comes first in some
    for copy in (3, 0, 1, 2) if family % 2 == 0 else range(4):
        edited = list(base)
        for place in range(copy - 1):
            edited[100 * place + family] = "changed%d" % copy
        rows.append((family, copy, text(edited)))
for single in range(7):
    rows.append((100 + single, 0, text(words())))
rows.append((200, 0, ""))
with open("input.jsonl", "w", encoding="utf-8") as out:
    for family, copy, body in rows:
        out.write(json.dumps({
            "id": "id\t%d\\%d\n" % (family, copy),
            "url": "http://h%d/\u00e9\r\t\\n?copy=%d" % (family, copy),
            "text": body,
        }) + "\n")
TEXT
echo '<html><body><p>A page in a file of its own.</p></body></html>' >alone.html
"$neardup" partition news=input.jsonl alone.html -o out.h5 >summary 2>&1
grep -q "^pages: 41 (.*, 1 without text)" summary || fail "the page without text is not counted"

for what in pages keep drop sets; do
    for format in tsv jsonl; do
        "$neardup" export out.h5 --what "$what" --format "$format" >"$what.$format"
    done
done
"$neardup" export out.h5 | cmp - pages.tsv || fail "pages and tsv are not the default"
printf 'page\tid\turl\tcollection\tset\tsimilarity\trepresentative\tlink\tlink_similarity\texact_of\tsource\toffset\n' |
    cmp - <(head -n 1 pages.tsv) || fail "not the header of the contract"

# ---- tsv and jsonl agree with each other and with what went in
python3 - <<'TEXT'
import json

def unescape(field):
    out, i = [], 0
    while i < len(field):
        if field[i] == "\\":
            out.append({"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}[field[i + 1]])
            i += 1
        else:
            out.append(field[i])
        i += 1
    return "".join(out)

def tsv(name):
    with open(name, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    assert lines[-1] == "", name
    header = lines[0].split("\t")
    rows = [line.split("\t") for line in lines[1:-1]]
    assert all(len(row) == len(header) for row in rows), name
    rows = [dict(zip(header, map(unescape, row))) for row in rows]
    return [{n: row[n] for n in row if row[n] != "" or n not in ("exact_of", "reason")} for row in rows]

def jsonl(name):
    with open(name, encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]

def same(field, value):
    return float(field) == value if isinstance(value, float) else field == str(value)

tables = {}
for what in ("pages", "keep", "drop"):
    tables[what] = jsonl(what + ".jsonl")
    plain = tsv(what + ".tsv")
    assert len(plain) == len(tables[what]), what
    for row, other in zip(plain, tables[what]):
        assert list(row) == list(other), (what, row, other)
        assert all(same(row[name], other[name]) for name in row), (what, row, other)

pages = tables["pages"]
with open("input.jsonl", encoding="utf-8") as file:
    given = [json.loads(line) for line in file]
assert len(pages) == len(given) + 1 == 41, len(pages)
assert [p["page"] for p in pages] == list(range(41))
said = {(p["id"], p["url"]) for p in pages if p["collection"] == "news"}
assert said == {(g["id"], g["url"]) for g in given}, "ids and URLs are not those that went in"
alone = [p for p in pages if p["source"].endswith("alone.html")]
assert len(alone) == 1 and alone[0]["collection"] == "" and alone[0]["id"] == "", alone
assert alone[0]["url"].startswith("file://") and alone[0]["offset"] == 0, alone

keep = tables["keep"]
drop = tables["drop"]
for p in drop:  # they name the page that is kept
    kept = pages[p.pop("kept")]
    assert kept["page"] == p["representative"], p
    assert (p.pop("kept_id"), p.pop("kept_url")) == (kept["id"], kept["url"]), p
    exact = p.get("exact_of", p["page"]) == kept.get("exact_of", kept["page"])
    assert p.pop("reason") == ("exact" if exact else "near"), (p, kept)
assert sorted(keep + drop, key=lambda p: p["page"]) == pages, "keep and drop are not the pages"
assert all(p["representative"] == p["page"] for p in keep)
assert all(p["representative"] != p["page"] for p in drop)

by_page = {p["page"]: p for p in pages}
for p in pages:
    lead = by_page[p["representative"]]
    assert lead["set"] == p["set"] == by_page[p["link"]]["set"], p
    assert (p["link"] == p["page"]) == (lead is p), p
    assert (p["link_similarity"] == p["similarity"] == 1) if lead is p else True, p
    assert 0.45 <= p["link_similarity"] <= 1 and 0 < p["similarity"] <= 1, p
    first = p.get("exact_of", p["page"])
    assert first <= p["page"] and by_page[first]["set"] == p["set"], p
    assert p["url"].split("/")[2] == lead["url"].split("/")[2], "families are mixed: %s" % p

sets = jsonl("sets.jsonl")
assert len(sets) == len(keep) == 8 + 7 + 1 + 1, len(sets)
assert any(min(row["members"]) != row["representative"] for row in sets), "nothing to order"
smallest = -1
for number, row in enumerate(sets):
    members = row["members"]
    assert row["set"] == number and row["pages"] == len(members), row
    assert members[0] == row["representative"] and len(members) in (1, 4), row
    assert sorted(members) == [p["page"] for p in pages if p["set"] == number], row
    assert min(members) > smallest, "sets are not numbered by their smallest page"
    smallest = min(members)
for row, other in zip(tsv("sets.tsv"), sets):
    assert [int(m) for m in row["members"].split(" ")] == other["members"], row
    assert all(int(row[n]) == other[n] for n in ("set", "pages", "representative")), row
copies = [p for p in pages if "exact_of" in p]
assert len(copies) == 8 and all(p["link_similarity"] == 1 for p in copies), copies
TEXT

# ---- inspect
first=$(awk -F '\t' 'NR > 1 && $2 > 1 { print $1; exit }' sets.tsv)
"$neardup" inspect out.h5 --set "$first" >by_set
grep -q "^set $first: 4 pages" by_set || fail "inspect --set $first: $(head -n 1 by_set)"
[ "$(grep -c 'http://' by_set)" -eq 4 ] || fail "inspect --set $first does not list its pages"
url=$(python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    page = json.loads(line)
    if page["set"] == int(sys.argv[2]):
        print(page["url"], end="")
        break' pages.jsonl "$first")
"$neardup" inspect out.h5 --url "$url" >by_url
cmp by_set by_url || fail "inspect --url is not the set of its page"
"$neardup" inspect out.h5 --largest 3 >largest
[ "$(grep -c '^set [0-9]*: 4 pages' largest)" -eq 3 ] || fail "inspect --largest 3"
"$neardup" inspect out.h5 >summary
grep -Eq '^pages +41$' summary || fail "inspect: pages"
grep -Eq '^sets +17$' summary || fail "inspect: sets"

# ---- the file itself, as other programs see it
# dataset PATH TYPE ROWS: as the contract says.
dataset() {
    h5dump -H -d "$1" out.h5 >header || fail "$1 is not there"
    grep -q "DATATYPE  $2\$" header || fail "$1 is no $2"
    grep -q "SIMPLE { ( $3 ) / ( $3 ) }" header || fail "$1 has not $3 rows"
}

dataset /pages/set H5T_STD_U64LE 41
dataset /pages/similarity H5T_IEEE_F32LE 41
dataset /pages/link H5T_STD_U64LE 41
dataset /pages/link_similarity H5T_IEEE_F32LE 41
dataset /pages/exact_of H5T_STD_U64LE 41
dataset /pages/tokens H5T_STD_U32LE 41
dataset /pages/thin H5T_STD_U8LE 41
dataset /pages/form H5T_STD_U8LE 41
dataset /pages/certainty H5T_IEEE_F32LE 41
dataset /pages/date H5T_STD_U64LE 41
dataset /pages/checksum H5T_STD_U64LE 41
dataset /pages/subject H5T_STD_U16LE 41
dataset /pages/collection H5T_STD_U16LE 41
dataset /pages/source H5T_STD_U32LE 41
dataset /pages/offset H5T_STD_U64LE 41
dataset /pages/id_offset H5T_STD_U64LE 42
dataset /pages/url_offset H5T_STD_U64LE 42
dataset /pages/id_bytes H5T_STD_U8LE '[0-9]*'
dataset /pages/url_bytes H5T_STD_U8LE '[0-9]*'
dataset /sets/offset H5T_STD_U64LE 18
dataset /sets/member H5T_STD_U64LE 41
for group in pages sets sources skipped stages; do
    h5ls out.h5/"$group" >/dev/null || fail "/$group is not there"
done

# attribute NAME TEXT: an attribute of the root group, as h5dump prints it.
attribute() {
    h5dump -a "/$1" out.h5 >header || fail "attribute $1 is not there"
    grep -qF -e "$2" header || fail "attribute $1 is not $2"
}

attribute format '"neardup-partition'
attribute format_version '(0): 3'
attribute pages '(0): 41'
attribute sets '(0): 17'
attribute ranks '(0): 1'
attribute method '"lcs'
attribute command_line 'partition news=input.jsonl alone.html'
for name in program_version parameters created; do
    attribute "$name" '(0): "'
done
h5dump -a /parameters out.h5 | grep -q 'threshold' || fail "the parameters are not said"
echo "41 pages, 17 sets: tsv, jsonl, inspect and the file agree"
