#!/usr/bin/env bash
# `neardup dedup` is partition and filter in one: the same result, the same copy and the same list of what
# went, for a file and for a folder, on any number of ranks; what cannot be done is refused before any work.
# Why a page went is said in a word. Called as dedup.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Twenty kinds of pages: one, its exact copy, one with a sentence more, and one of HTML with other navigation.
python3 - <<'PYTHON'
import json
import random

def text(kind):
    draw = random.Random(kind)
    return " ".join("w%d" % draw.randrange(3000) for _ in range(150)) + "."

def page(kind, way):
    line = {"id": "%d%s" % (kind, way), "url": "http://a%d.example/%d/%s" % (kind % 3, kind, way)}
    if way in "xy":
        line["html"] = "<nav>Menu %s %d</nav><main><p>%s</p></main>" % (way, kind, text(kind + 100))
    else:
        line["text"] = text(kind) + " One more." * (way == "c")
    return json.dumps(line) + "\n"

with open("docs.jsonl", "w") as one, open("more.jsonl", "w") as two:
    for kind in range(20):
        one.writelines(page(kind, way) for way in "abc")
        two.writelines(page(kind, way) for way in "xy")
PYTHON
mkdir in
cp docs.jsonl more.jsonl in
gzip -kn docs.jsonl

# dedup RANKS ARGUMENT...: its exit code has to be 0; what it says is in log
dedup() {
    local launch=() ranks=$1
    shift
    [ "$ranks" -eq 0 ] || launch=(mpirun -n "$ranks")
    timeout 300 "${launch[@]}" "$neardup" dedup --progress lines "$@" >log 2>&1 </dev/null || fail "dedup $*: $(cat log)"
}

# refused WORDS ARGUMENT...: wrong usage, in one line, and nothing is made
refused() {
    local before
    before=$(ls -R)
    refuses 2 "$1" dedup "${@:2}"
    [ "$before" = "$(ls -R)" ] || fail "it makes something: dedup ${*:2}"
}
touch stdout stderr

# ---- one file
dedup 0 docs.jsonl -o clean.jsonl --dropped dropped.tsv
grep -q '^40 of 60 pages (66.7 %) repeat another; 20 would be kept$' log || fail "no headline: $(cat log)"
grep -q '^next: neardup review clean.h5 -o review.html$' log || fail "no next step: $(cat log)"
partition docs 0 docs.jsonl
same clean docs
"$neardup" filter docs.h5 -o filtered 2>log || fail "$(cat log)"
cmp clean.jsonl filtered/docs.jsonl || fail "the copy is not that of filter"
"$neardup" export docs.h5 --what drop | cmp - dropped.tsv || fail "the list is not that of export"
dedup 0 docs.jsonl.gz -o packed.jsonl.gz --result other.h5
zcat packed.jsonl.gz | cmp - clean.jsonl || fail "of a packed file another copy"
[ -s other.h5 ] || fail "--result is not heeded"

# ---- a folder, and why pages went
for ranks in 1 3; do
    dedup "$ranks" in -o "kept-$ranks" --keep longest --dropped "kept-$ranks.jsonl" --annotate
done
same kept-1 kept-3
diff -r kept-1 kept-3 || fail "another copy on 3 ranks"
cmp kept-1.jsonl kept-3.jsonl || fail "another list on 3 ranks"
! grep -q 'export' log || fail "the next step lists again what is listed: $(cat log)"
"$neardup" filter kept-1.h5 -o away --what drop --annotate --keep longest 2>log || fail "$(cat log)"
python3 - <<'PYTHON' || fail "other pages or reasons: see above"
import json
rows = [json.loads(line) for line in open("kept-1.jsonl")]
assert len(rows) == 60, len(rows)
reasons = {row["id"]: (row["reason"], row["kept_id"]) for row in rows}
for kind in range(20):
    for way, reason, kept in (("a", "near", "c"), ("b", "near", "c"), ("y", "equal-content", "x")):
        assert reasons["%d%s" % (kind, way)] == (reason, "%d%s" % (kind, kept)), reasons
    assert all("exact_of" not in row for row in rows if row["id"][-1] != "b"), rows
    assert rows[0]["kept_url"] == "http://a0.example/0/c", rows[0]
noted = [json.loads(line) for name in ("docs", "more") for line in open("away/%s.jsonl" % name)]
assert {n["id"]: (n["neardup"]["reason"], n["neardup"]["kept_id"]) for n in noted} == reasons, noted
kept = [json.loads(line)["neardup"] for name in ("docs", "more") for line in open("kept-1/%s.jsonl" % name)]
assert len(kept) == 40 and all("reason" not in k for k in kept), kept
listed = [line.rstrip("\n").split("\t") for line in open("dropped.tsv")]
assert listed[0][-1] == "reason" and listed[0][9] == "exact_of", listed[0]
assert {row[1][-1]: row[-1] for row in listed[1:]} == {"a": "near", "b": "near"} or \
    {row[1][-1]: row[-1] for row in listed[1:]} == {"b": "exact", "c": "near"}, listed
PYTHON
dedup 0 in -o alone.h5 # only the result, as before
[ ! -e alone ] || fail "a copy is made beside OUT.h5"
grep -q '^      neardup filter alone.h5 -o DIR$' log || fail "no next step: $(cat log)"

# ---- an input that cannot be used: the copy is made, and the exit code says so
echo 'no JSON' >bad.jsonl
status=0
"$neardup" dedup docs.jsonl bad.jsonl -o some --progress none >log 2>&1 || status=$?
[ "$status" -eq 3 ] || fail "exit code $status for a bad input: $(cat log)"
cmp some/docs.jsonl clean.jsonl || fail "beside a bad input another copy"

# ---- an archive: rows of an index have what the records say, so that each can be read by its row
"$neardup" synthesize -o made --pages 60 --shard-pages 30 --page-bytes 4000 --seed 3 >log 2>&1 || fail "$(cat log)"
dedup 0 made -o archive
"$neardup" export archive.h5 --format cdxj >rows.cdxj 2>log || fail "cdxj: $(cat log)"
python3 - <<'PYTHON' || fail "cdxj rows are not those of the records: see above"
import json
import re
import zlib
rows = [json.loads(line.split(" ", 2)[2]) for line in open("rows.cdxj")]
assert len(rows) == 60, len(rows)
for row in rows:
    data = open(row["filename"], "rb").read()[int(row["offset"]):][:int(row["length"])]
    unpack = zlib.decompressobj(31)
    record = unpack.decompress(data)
    assert unpack.eof and unpack.unused_data == b"", "not one record: %s" % row
    head = record[:record.index(b"\r\n\r\n")].decode()
    assert "WARC-Target-URI: " + row["url"] in head, row
    digest = re.search("WARC-Payload-Digest: *([^\r\n]*)", head)
    assert row.get("digest") == (digest and digest.group(1)), (row, digest)
    assert (row["mime"], row["status"]) == ("text/html", "200"), row
PYTHON
mv made/pages-00001.warc.gz away.gz
status=0
"$neardup" export archive.h5 --format cdxj >fewer.cdxj 2>log || status=$?
[ "$status-$(wc -l <fewer.cdxj)-$(wc -l <log)" = 3-60-1 ] || fail "an archive that is gone: exit code $status: $(cat log)"
[ "$(grep -c '"length"' fewer.cdxj)" -eq 30 ] || fail "an archive that is there is not read"

# ---- refused before any work
refused 'no -o FILE or -o DIR' docs.jsonl
refused 'is one file, and the inputs are 2: name a folder' in -o new.jsonl
refused 'is the input' docs.jsonl -o docs.jsonl
refused 'is the input' docs.jsonl -o ./docs.jsonl --force
refused 'give --force' docs.jsonl -o clean.jsonl
refused 'name it new.jsonl.gz' docs.jsonl.gz -o new.jsonl
refused 'name it new.jsonl' docs.jsonl -o new.jsonl.zst
refused 'the folder is not empty' docs.jsonl -o kept-1
refused 'save it in a file and give that' - -o new
refused 'save it in a file and give that' a=- -o new.jsonl
refused 'a name of its own' docs.jsonl -o .
refused 'lies in the copy' docs.jsonl -o new --result new/out.h5
refused 'lies in the copy' docs.jsonl -o new --work new/work
refused 'is not such a list' docs.jsonl -o new --dropped more.jsonl
refused 'makes a result alone' docs.jsonl -o new.h5 --annotate
refused 'name a folder' docs.jsonl -o new.jsonl --index some.index
refused 'unknown option; did you mean --dropped' docs.jsonl -o new --droped x
echo "a file and a folder, on 0, 1 and 3 ranks: as partition and filter"
