#!/usr/bin/env bash
# Revisits of web archives: each is a page, in the set of the page that its record says it is a copy
# of, wherever that is; what cannot be known is alone and counted. On any number of ranks, after an
# interruption, and in all that reads a result. Called as revisits.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# made.py: the inputs, and expected.json: of each record that is a page the name of the page that it
# is a revisit of, itself: alone, null: it is none.
cat >made.py <<'TEXT'
import json, random, zlib
random.seed(5)
PROFILE = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/%s\r\n"
SAME, UNMODIFIED = PROFILE % "identical-payload-digest", PROFILE % "server-not-modified"
expected = {}

def warc(kind, name, url, second, block, more=""):
    head = "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\nWARC-Target-URI: %s\r\n" % (kind, name, url)
    head += "WARC-Date: 2024-05-06T07:08:%02dZ\r\n%sContent-Length: %d\r\n\r\n" % (second, more, len(block))
    return head.encode() + block + b"\r\n\r\n"

def http(body, kind="text/html", status=200):
    return b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\n\r\n" % (status, kind.encode()) + body

def digest(name):
    return "WARC-Payload-Digest: sha1:%s\r\n" % name.upper().ljust(32, "A")

def words(n):
    return " ".join("".join(random.choices("bcdfghjklmnp", k=6)) for _ in range(n))

texts = {}
def page(name, body=None, second=1, url=None):
    expected[name] = None
    texts[name] = body if body is not None else "<p>%s</p>" % ". ".join(words(12) for _ in range(12))
    return warc("response", name, url or "http://h.example/" + name, second,
                http(texts[name].encode()), digest(name))

def revisit(name, of, more, block=http(b""), url=None):
    expected[name] = of if of else name
    return warc("revisit", name, url or "http://h.example/" + name, 30, block, more)

def at(name, second=1):
    return "WARC-Refers-To-Target-URI: http://h.example/%s\r\nWARC-Refers-To-Date: 2024-05-06T07:08:%02dZ\r\n" % (name, second)

def other(name, block, more=""):
    return warc("revisit", name, "http://h.example/" + name, 30, block, SAME + more)

id_of = lambda name: "WARC-Refers-To: <urn:%s>\r\n" % name
a = [
    revisit("early", "late", SAME + digest("late")),                  # before what it is of
    revisit("early-at", "late2", UNMODIFIED + at("late2"), http(b"", status=304)),
    page("p1"), page("p2"), page("p3"), page("second-p1", texts["p1"]),
    revisit("by-id", "p1", SAME + id_of("p1")),
    revisit("by-place", "p2", SAME + at("p2")),
    revisit("by-digest", "p3", SAME + digest("p3").replace("AAAA", "aaaa")),
    revisit("own-url", "p1", UNMODIFIED + "WARC-Refers-To-Date: 2024-05-06T07:08:01Z\r\n", http(b"", status=304),
            "http://h.example/p1"),
    revisit("other-second", None, UNMODIFIED + at("p2", 2), http(b"", status=304)),
    revisit("unmodified-digest", None, UNMODIFIED + digest("p3"), http(b"", status=304)),
    revisit("no-profile", "p2", id_of("p2") + digest("p3"), b""),
    revisit("odd-profile", None, PROFILE % "diff" + id_of("p2") + digest("p2")),
    revisit("contradiction", "p3", SAME + id_of("p1") + at("p2") + digest("p3")),
    revisit("contradicts-all", None, SAME + id_of("p1") + digest("nothing")),
]
b = [
    revisit("chain2", "p2", SAME + id_of("chain1")),
    revisit("chain1", "p2", SAME + id_of("by-place")),
    revisit("circle1", None, SAME + id_of("circle2")),
    revisit("circle2", None, SAME + id_of("circle3")),
    revisit("circle3", None, SAME + id_of("circle1")),
    revisit("itself", None, SAME + id_of("itself")),
    revisit("away1", None, SAME + id_of("away") + digest("away")),    # copies of one another: but of what?
    revisit("away2", None, SAME + id_of("away") + digest("away")),
    warc("response", "image", "http://h.example/image", 1, http(b"\x89PNG", "image/png"), digest("image")),
    revisit("of-image", None, SAME + id_of("image") + digest("image"), b""),
    other("is-image", http(b"", "image/png"), digest("image")),       # it says so: no page
    other("is-redirect", http(b"", status=302), digest("p1")),
    page("blank", "<p></p>"),
    revisit("of-blank", "blank", SAME + digest("blank")),
    page("thin", "<p>%s</p>" % words(3)), page("thin-copy", texts["thin"]),
    revisit("of-thin", "thin-copy", SAME + digest("thin-copy")),
]
c = [page("late"), page("late2"), page("copy-p1", texts["p1"]),
     revisit("of-copy", "copy-p1", SAME + id_of("copy-p1")),
     warc("metadata", "m", "http://h.example/of-copy", 30, b"x: 1\r\n", "WARC-Concurrent-To: <urn:of-copy>\r\n"),
     page("near-p3", texts["p3"].replace("</p>", " " + words(30) + "</p>"), 4)]  # the longest of its set
d = [revisit("of-second", "second-p1", SAME + id_of("second-p1"))]  # whose page its collection drops
def member(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()
open("a.warc.gz", "wb").write(b"".join(map(member, a)))
open("b.warc", "wb").write(b"".join(b))
open("c.warc.gz", "wb").write(b"".join(map(member, c)))
open("d.warc", "wb").write(b"".join(d))
crawls = {name: 2 for name in expected}
crawls.update({line.split(b"urn:")[1].split(b">")[0].decode(): n for n, records in enumerate([b, a])
               for line in b"".join(records).split(b"\n") if line.startswith(b"WARC-Record-ID")})
json.dump(crawls, open("crawls.json", "w"))
json.dump(expected, open("expected.json", "w"))
TEXT
python3 made.py
inputs=(a.warc.gz b.warc extra=c.warc.gz third=d.warc)

partition one 0 "${inputs[@]}" --pairs keep
for ranks in 2 3 5; do
    partition many "$ranks" "${inputs[@]}" --pairs keep --split-size 1500
    same one many
    cmp <(grep '^revisits: ' many.log) <(grep '^revisits: ' one.log) || fail "counts differ on $ranks ranks"
done
"$neardup" check one.h5 >log 2>&1 || fail "check: $(cat log)"

# check.py RESULT: the sets of the revisits, and what a result says.
cat >check.py <<'TEXT'
import json, subprocess, sys
neardup, path = sys.argv[1:3]
expected = json.load(open("expected.json"))
def export(*options):
    out = subprocess.run([neardup, "export", path, "--format", "jsonl", *options], stdout=subprocess.PIPE, check=True)
    return [json.loads(row) for row in out.stdout.decode().splitlines()]
rows = export("--keep", "representative")
name = {row["page"]: row["id"][4:] for row in rows}
assert sorted(name.values()) == sorted(expected), set(name.values()) ^ set(expected)
row_of = {row["id"][4:]: row for row in rows}
for n, of in expected.items():
    row = row_of[n]
    assert ("revisit_of" in row) == (of is not None), row
    assert of is None or name[row["revisit_of"]] == of, (n, of, name[row["revisit_of"]])
    if of is not None and of != n:
        target = row_of[of]
        assert row["set"] == target["set"] and row.get("exact_of", target["page"]) == target.get("exact_of", target["page"]), (row, target)
        assert row["similarity"] == target["similarity"] and row["kept"] != row["page"], row
        assert row["representative"] == target["representative"] and row["link_similarity"] == 1, row
    if of == n:
        assert sum(other["set"] == row["set"] for other in rows) == 1 and "exact_of" not in row, row
for rules in ["first", "latest", "shortest-url", "longest", "surt,first"]:
    for row in export("--keep", rules):
        assert row["kept"] == row["page"] or name[row["kept"]] == expected[name[row["kept"]]] or \
            expected[name[row["kept"]]] is None, (rules, row)
# a page of its set's longest stands for p3, but the collection's revisit needs p3 itself
alone = sum(n == of for n, of in expected.items())
print("%d are alone" % alone)
TEXT
python3 check.py "$neardup" one.h5 >alone || fail "see above"
grep -q "$(cat alone)" one.log || fail "not counted: $(cat alone), $(grep '^revisits' one.log)"
grep -q "^revisits: 27 records" one.log || fail "$(grep '^revisits' one.log)"

# ended after several stages, and gone on with on other ranks
resumed=
for call in 15 17 22; do
    rm -rf work
    timeout 100 mpirun -n 2 "$neardup" partition "${inputs[@]}" --pairs keep --work work --progress none \
        --fault "rename:0:$call" -o resumed.h5 >log 2>&1 </dev/null && fail "call $call: nothing failed"
    partition resumed $((call % 4 + 1)) "${inputs[@]}" --pairs keep --work work --resume
    resumed="$resumed $(grep -o 'resumed at [a-z]*' resumed.log)"
    same one resumed
done
[[ $resumed = *block* && $resumed = *verify* && $resumed = *write* ]] || fail "resumed at other stages: $resumed"

# stricter sets, and each that leaves its set with its revisits
for wish in .5 .9 ".5 --min-confidence .9"; do
    read -r -a options <<<"$wish"
    partition strict 0 "${inputs[@]}" --pairs keep --threshold "${options[@]}"
    python3 check.py "$neardup" strict.h5 >log || fail "--threshold $wish"
done
partition safe 0 "${inputs[@]}" --preset safe
python3 check.py "$neardup" safe.h5 >log || fail "--preset safe"
partition paper 3 "${inputs[@]}" --preset pku
python3 check.py "$neardup" paper.h5 >log || fail "--preset pku"

# the records again: what is dropped is the rest of what is kept; the page of each kept revisit is there
ids() {
    zcat -f "$@" | grep -a '^WARC-Record-ID' | sort
}
for rules in representative longest,first "longest --keep-each collection"; do
    read -r -a options <<<"$rules"
    rm -rf keep drop
    for what in keep drop; do
        mpirun -n 2 "$neardup" filter one.h5 -o "$what" --what "$what" --keep "${options[@]}" >log 2>&1 </dev/null ||
            fail "$(cat log)"
    done
    ids keep/*.warc* keep/*/*.warc* >kept
    ids drop/*.warc* drop/*/*.warc* >dropped
    cmp <(sort kept dropped) <(ids "${inputs[@]#*=}") || fail "filter --keep $rules: other records"
    "$neardup" export one.h5 --keep "${options[@]}" --format jsonl >rows
    python3 - <<'TEXT' || fail "filter --keep $rules: see above"
import json
kept = {line.split("urn:")[1].rstrip(">\r\n") for line in open("kept")}
rows = {row["page"]: row for row in map(json.loads, open("rows"))}
assert kept >= {"image", "is-image", "is-redirect", "away1"} and ("m" in kept) == ("of-copy" in kept)
for row in rows.values():
    name = row["id"][4:]
    assert (name in kept) == (row["kept"] == row["page"]), row
    assert row["kept"] == row["page"] or rows[row["kept"]]["kept"] == row["kept"], row
    if name in kept and "revisit_of" in row:
        assert rows[row["revisit_of"]]["id"][4:] in kept, row
TEXT
done
[ "$(grep -c -e 'urn:of-second>' -e 'urn:second-p1>' -e 'urn:by-id>' kept)" -eq 2 ] ||
    fail "a revisit that is alone in its collection is to be kept with its page, and no other"

# texts and pages
"$neardup" extract one.h5 >texts 2>log || fail "$(cat log)"
python3 - <<'TEXT' || fail "extract: see above"
import json
expected = json.load(open("expected.json"))
text = {row["id"][4:]: row["text"] for row in map(json.loads, open("texts"))}
for name, of in expected.items():
    assert of is None or (text[name] == "" if of == name else text[name] == text[of]), name
assert text["early"] and text["chain2"]
TEXT
"$neardup" inspect one.h5 --page id:urn:early >log
grep -q '^revisit of  *[0-9]' log || fail "inspect: $(cat log)"
"$neardup" inspect one.h5 --page id:urn:away1 --text >log
grep -q '^revisit of  *a record that' log || fail "inspect: $(cat log)"
"$neardup" explain one.h5 id:urn:early id:urn:late >log || fail "$(cat log)"
[ "$(grep -c -e 'a revisit of page' -e 'their texts are equal' log)" -eq 2 ] || fail "explain: $(cat log)"
[ "$("$neardup" export one.h5 --format cdxj --what keep | grep -c '"mime":"warc/revisit"')" -eq 11 ] ||
    fail "export --format cdxj"
"$neardup" report one.h5 -o report.html >log 2>&1 || fail "$(cat log)"
grep -qF "$(grep '^revisits: ' one.log)" report.html || fail "the report counts revisits otherwise"
"$neardup" review one.h5 -o review.html >log 2>&1 || fail "$(cat log)"
grep -q ' 0 texts could not be read' log || fail "review: $(cat log)"

# revisits of earlier crawls' pages, whose own stay as they were
partition old 2 b.warc --write-index old.index
partition new 3 a.warc.gz --index old.index --write-index new.index
partition last 1 c.warc.gz --index new.index
for result in new last; do
    "$neardup" check $result.h5 >log || fail "$result: $(cat log)"
done
"$neardup" export last.h5 --format jsonl >rows
python3 - <<'TEXT' || fail "across crawls: see above"
import json
expected = json.load(open("expected.json"))
crawl = json.load(open("crawls.json"))
rows = {row["id"][4:]: row for row in map(json.loads, open("rows"))}
number = {row["page"]: name for name, row in rows.items()}
for name, row in rows.items():
    of = expected[name]
    if of is not None and of != name and crawl[of] > crawl[name]:
        of = name  # which was not there yet
    if of is not None:
        found = rows[number[row["revisit_of"]]]  # of an earlier crawl's, the first page of its text
        assert found.get("exact_of", found["page"]) == rows[of].get("exact_of", rows[of]["page"]) and (of != name or found == row), (row, of)
        assert of == name or rows[of]["set"] == row["set"], row
TEXT
