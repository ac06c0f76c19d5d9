#!/usr/bin/env bash
# JSON lines of which the fields have other names than the usual: the result keeps the names, every command
# that reads the inputs again uses them, across crawls too, and an option that contradicts them is refused. Ids
# are the same texts in all commands. Lines without a text are named in one line, and so are fields that look
# like a URL, and cores. Called as json_lines.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Twenty pages, each twice, by other fields in each file, and with ids that no number of 64 bits holds.
python3 - <<'PYTHON'
import json
import random

def text(kind):
    draw = random.Random(kind)
    return " ".join("w%d" % draw.randrange(3000) for _ in range(150)) + "."

ids = ["%d" % (10**38 + i) for i in range(34)] + ["-%d" % (2**70), "-0", "1.50", "1E+400", '"a\\u0041\\n"', '"\\ud83d\\ude00"']
with open("march.jsonl", "w") as file:
    for i in range(40):
        meta = json.dumps({"url": "http://a%d.example/%d" % (i % 3, i)})
        file.write('{"key":%s,"meta":%s,"body":"%s"}\n' % (ids[i], meta, text(i // 2) + " One." * (i % 2)))
with open("april.jsonl", "w") as file:
    for i in range(10, 30):
        file.write(json.dumps({"id": i, "link": "http://b.example/%d" % i, "html": " ", "text": text(i) + " Two."}) + "\n")
PYTHON
march=(--jsonl-text body --jsonl-id key --jsonl-url meta.url)

# good RESULT PAGES: every command that reads inputs again does so without options
good() {
    local texts
    texts=$("$neardup" extract "$1" 2>log | wc -l) || fail "extract $1: $(cat log)"
    [ "$texts" -eq "$2" ] || fail "extract $1: $texts texts"
    "$neardup" explain "$1" page:0 page:$(($2 - 1)) >said 2>log || fail "explain $1: $(cat log)"
    "$neardup" inspect "$1" --page page:$(($2 - 1)) --text >said 2>log || fail "inspect $1: $(cat log)"
    "$neardup" report "$1" -o report.html 2>log || fail "report $1: $(cat log)"
    "$neardup" review "$1" -o review.html 2>log || fail "review $1: $(cat log)"
    grep -q '; 0 texts could not be read' log || fail "review $1: $(cat log)"
}

partition march 0 march.jsonl "${march[@]}" --keep-index march.index --index-texts inputs
good march.h5 40
refuses 2 '--jsonl-text text: march.h5 says that the run read body' extract march.h5 --jsonl-text text
refuses 2 '--jsonl-url url: march.h5 says that the run read meta.url' explain march.h5 page:0 page:1 --jsonl-url url
refuses 2 '--jsonl-id id: march.h5 says' inspect march.h5 --page page:0 --text --jsonl-id id
"$neardup" extract march.h5 "${march[@]}" >said 2>log || fail "$(cat log)"

# ---- ids
"$neardup" export march.h5 --format jsonl >pages.jsonl
"$neardup" export march.h5 --what drop --format jsonl >drop.jsonl
"$neardup" export march.h5 --what keep --format jsonl >keep.jsonl
"$neardup" filter march.h5 -o kept --annotate 2>log || fail "$(cat log)"
"$neardup" extract march.h5 2>log >texts.jsonl
python3 - <<'PYTHON' || fail "ids differ: see above"
import json
import re

raw = [re.match(r'\{"key":(.*?),"meta"', line).group(1) for line in open("march.jsonl")]
ids = [json.loads(text) if text[0] == '"' else text for text in raw]
read = lambda name: [json.loads(line)["id"] for line in open(name)]
assert read("pages.jsonl") == ids and read("texts.jsonl") == ids, read("pages.jsonl")
drop, keep = read("drop.jsonl"), read("keep.jsonl")
assert len(drop) == len(keep) == 20 and sorted(drop + keep) == sorted(ids), (drop, keep)
kept = [line for line in open("kept/march.jsonl")]
assert [line.split(',"meta"')[0] for line in kept] == ['{"key":%s' % raw[ids.index(i)] for i in keep]
assert [json.loads(line)["neardup"]["kept_id"] for line in kept] == keep
PYTHON
for id in "$((10 ** 18))00000000000000000002" -1180591620717411303424 1.50 1E+400; do
    "$neardup" inspect march.h5 --page "$id" 2>log | grep -qx "id  *$id" || fail "no page $id: $(cat log)"
done

# ---- across crawls: old inputs by the fields of their run
partition april 3 april.jsonl --jsonl-url link --against march.index --keep-index april.index
good april.h5 60
partition again 3 april.jsonl --jsonl-url link --against march.index --reread
"$neardup" extract again.h5 >said 2>log || fail "$(cat log)"
head -n 1 march.jsonl | "$neardup" query march.index >said 2>log || fail "$(cat log)"
grep -q '"set":0,' said || fail "query does not find the page by the index's fields: $(cat said)"
echo '{"id":"x","text":"short"}' | "$neardup" query march.index >said 2>log || fail "the usual fields: $(cat log)"
"$neardup" index check april.index >log || fail "$(cat log)"

# ---- one line for what may be so of all lines
refuses 1 'march.jsonl: give --jsonl-text body: no text in a field "text" or "html"; fields here: key, meta.url, body' \
    partition march.jsonl -o none.h5 --progress none
[ "$(wc -l <log)" -eq 1 ] || fail "not one line: $(cat log)"
refuses 1 'give --jsonl-text body: ' extract march.jsonl
[ "$(wc -l <log)" -eq 1 ] || fail "not one line: $(cat log)"
cat april.jsonl march.jsonl >mixed.jsonl
partition mixed 3 mixed.jsonl --jsonl-url link
[ "$(grep -c 'neither the text nor the html field' mixed.log)" -eq 1 ] || fail "not one line: $(cat mixed.log)"
grep -q "byte $(stat -c %s april.jsonl): .*; 40 such records" mixed.log || fail "not the first: $(cat mixed.log)"
grep -q -- --jsonl-url mixed.log && fail "a field is named that is used"
partition april 0 april.jsonl
grep -qF 'april.jsonl: give --jsonl-url link for the URLs of pages' april.log || fail "no field is named"
if [ "$(nproc)" -gt 1 ]; then
    [ "$(grep -c "one core of $(nproc) here: put mpirun -n $(nproc) before the command" april.log)" -eq 1 ] ||
        fail "cores are not named once: $(cat april.log)"
fi
partition april 2 april.jsonl
! grep -q "one core of" april.log || fail "cores are named though there are two processes"

# ---- without any input a report is no success
mv march.jsonl gone.jsonl
refuses 1 'is without texts: none can be read again; the first: march.jsonl' report march.h5 -o report.html --force
echo "json_lines: passed"
