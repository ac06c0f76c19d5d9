#!/usr/bin/env bash
# Looking at a result: which page a NAME means, what the run compared of a page, inputs that were
# moved together with the result, and the same as JSON. Called as look.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Two sites of 12 pages with a template; families of three, one page twice, ids that are numbers but
# not those of their pages, and one that is a prefix of others.
python3 - <<'TEXT'
import gzip, json, random
random.seed(5)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
common = [sentence(9) for _ in range(4)]
rows = []
for family in range(8):
    base = [sentence(12) for _ in range(12)]
    for copy in range(3):
        edited = list(base)
        edited[copy] = sentence(12)
        body = "<nav>Home News</nav>" + "".join("<p>%s</p>\n" % s for s in common + edited)
        rows.append({"id": str(100 - len(rows)) if len(rows) < 20 else "n%d" % len(rows),
                     "url": "http://h%d.example/%d" % (family % 2, len(rows)), "html": "<body>" + body})
rows[3]["id"] = "7"
rows.append(dict(rows[5], id="twin", url=rows[4]["url"]))
with open("pages.jsonl", "w") as file:
    file.write("".join(json.dumps(row) + "\n" for row in rows))
with open("packed.jsonl.gz", "wb") as file:
    file.write(gzip.compress(open("pages.jsonl", "rb").read(), mtime=0))
with open("expected", "w") as file:
    file.write("\n".join(rows[9]["html"].split("<p>", 5)[5].replace("<p>", "").split("</p>\n")))
TEXT
for name in pages.jsonl packed.jsonl.gz; do
    "$neardup" partition "$name" --progress none -o "${name%%.*}.h5" 2>log || fail "$(cat log)"
done

# means PAGE NAME [WARNING]: the page that a name means, and what is said of it on stderr.
means() {
    "$neardup" inspect pages.h5 --page "$2" >out 2>warning || fail "$2: $(cat warning)"
    grep -qx "page  *$1" out || fail "$2 is not page $1: $(head -n 1 out)"
    if [ -n "${3:-}" ]; then
        grep -qF -- "$3" warning || fail "$2: no '$3' in: $(cat warning)"
        [ "$(wc -l <warning)" -eq 1 ] || fail "$2: not one line: $(cat warning)"
    else
        [ ! -s warning ] || fail "$2: $(cat warning)"
    fi
}
means 9 9
means 9 page:9
means 9 91
means 9 http://h1.example/9
means 9 url:http://h1.example/9
means 7 7 '7 is taken as a page number; it is the id of page 3 too: id:7 names that'
means 3 id:7
means 0 http://h0.example/0
means 20 n20
means 4 http://h1.example/4 'http://h1.example/4 is the URL of 2 pages: 4, 24'
for name in url:91 id:http://h1.example/9 page:91 page:25 '' http://h1.example/ http://h1.example/99 \
    18446744073709551616 18446744073709551625 '7 ' url: id: 1e; do
    status=0
    "$neardup" inspect pages.h5 --page "$name" >out 2>&1 || status=$?
    [ "$status" -eq 2 ] || fail "exit code $status for the name '$name'"
    grep -q 'no page has the URL, id or number' out || fail "'$name': $(cat out)"
done
"$neardup" inspect pages.h5 --url http://h1.example/4 2>/dev/null | grep -c '^set' | grep -qx 2 ||
    fail "--url does not show the sets of both pages of a URL"
"$neardup" explain pages.h5 3 id:7 >out 2>&1 || fail "$(cat out)"
"$neardup" explain pages.h5 9 http://h1.example/10 | grep -q 'both pages are in one set' ||
    fail 'explain does not take a number and a URL'

# ---- texts: what is left without navigation and template, a line for each sentence
for result in pages packed; do
    "$neardup" inspect "$result.h5" --page 9 --text >out || fail "no text of $result.h5"
    sed '1,/^--- page/d' out | diff - expected || fail "$result.h5: not the sentences compared"
done
"$neardup" inspect pages.h5 --page 24 --text | grep -q '^--- page 24: .*, as page 5$' ||
    fail 'a copy is not shown as what was compared'
"$neardup" inspect packed.h5 --set 3 --text >out
grep -c '^--- page' out | grep -qx 3 || fail 'not the texts of a set'
"$neardup" inspect packed.h5 --set 3 --members 1 --text >out
grep -c '^--- page' out | grep -qx 1 || fail '--members 1'
grep -q 'and 2 more' out || fail '--members 1 does not say what it leaves out'
"$neardup" inspect pages.h5 --text >out 2>&1 && fail '--text of nothing'

# ---- as JSON, with the same content
for arguments in "" "--set 3 --text" "--page 9 --text" "--largest 3" --sources --skipped "--url 9"; do
    # shellcheck disable=SC2086 # words
    "$neardup" inspect pages.h5 $arguments --format json >>lines.json || fail "$arguments as JSON"
done
"$neardup" check pages.h5 --format json >>lines.json
python3 - <<'TEXT'
import json
lines = [json.loads(line) for line in open("lines.json")]
summary, texts, page, *largest, source, by_url, check = lines
assert summary["pages"] == 25 and summary["parameters"]["method"] == "lcs", summary
assert sum(row["pages"] for row in summary["sets_by_size"]) == 25, summary
assert texts["set"] == 3 and len(texts["members"]) == texts["pages"] == 3, texts
assert all(m["text"].count("\n") == 12 for m in texts["members"]), texts
assert page["page"] == 9 and page["text"] == open("expected").read(), page
assert page["id"] == "91" and page["source"] == "pages.jsonl" and page["set"] == 3, page
assert [row["pages"] for row in largest] == [4, 3, 3], largest
assert source["path"] == "pages.jsonl" and source["pages"] == 25, source
assert by_url["set"] == 3, by_url
assert check == {"result": "pages.h5", "broken": [], "whole": True, "sealed": True, "pages": 25,
                 "sets": 8}, check
TEXT

# ---- inputs lie beside the result, wherever both are; gone, one line names them
mkdir moved elsewhere
mv pages.jsonl pages.h5 moved
for from in . elsewhere; do
    (cd "$from" && "$neardup" inspect "$folder/moved/pages.h5" --page 9 --text) >out 2>&1 ||
        fail "inputs beside the result are not found: $(cat out)"
    (cd "$from" && "$neardup" explain "$folder/moved/pages.h5" 9 10) >out 2>&1 || fail "explain: $(cat out)"
done
mv moved/pages.jsonl elsewhere
status=0
"$neardup" inspect moved/pages.h5 --set 3 --text >out 2>errors || status=$?
[ "$status" -eq 1 ] || fail "exit code $status without the inputs"
grep -q 'page 9: pages.jsonl: ' errors || fail "what is gone is not named: $(cat errors)"
grep -q '^set 3: 3 pages' out || fail 'without its inputs a set is not shown at all'
echo "look.sh: names, texts, moved results and JSON are as they should be"
