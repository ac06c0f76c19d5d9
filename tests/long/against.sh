#!/usr/bin/env bash
# Runs across crawls: what an index says of old pages is never changed, new pages join their sets or
# open new ones, about as one run over all makes them; the same on any number of ranks, and after an
# interruption; what does not fit together is refused by name. Called as against.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"

fail() {
    printf 'against.sh: %s\n' "$*" >&2
    tail -n 20 log >&2 2>/dev/null || true
    exit 1
}

python=$(python_with_h5py)
if [ "$python" = none ]; then
    echo "SKIPPED: there is no python3-h5py"
    exit 77
fi

# run STATUS RANKS ARGUMENT...
run() {
    local wanted=$1 launch=() status=0
    [ "$2" -eq 1 ] || launch=(mpirun -n "$2")
    shift 2
    # how certain each member is, is told by index_options.sh: what a site says of its pages grows with the crawls
    timeout 300 "${launch[@]}" "$neardup" partition "$@" --min-confidence 0 --progress none </dev/null >log 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*"
}

# Stories and their copies on sites with templates; a form, of which each crawl has pages; a chain.
"$neardup" synthesize -o made --pages 600 --shard-pages 200 --page-bytes 5000 --seed 11 >log 2>&1
"$python" - <<'TEXT'
import json, random
random.seed(3)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
base = [sentence(12) for _ in range(10)]
for crawl, count in enumerate((20, 20, 5)):
    with open("form%d.jsonl" % crawl, "w") as out:
        for i in range(count):
            text = base[:i % 10] + [sentence(12)] + base[i % 10 + 1:]
            out.write(json.dumps({"id": "form%d-%d" % (crawl, i), "url": "http://form.example/%d-%d" % (crawl, i),
                                  "html": "".join("<p>%s</p>" % s for s in text)}) + "\n")
# a chain, in which neighbours share most: its middle leads, and the next one is like its end alone
pool = [sentence(12) for _ in range(60)]
for crawl, links in enumerate(((0, 1, 2), (3,), ())):
    with open("form%d.jsonl" % crawl, "a") as out:
        for k in links:
            out.write(json.dumps({"id": "chain%d" % k, "url": "http://chain%d.example/" % k,
                                  "html": "".join("<p>%s</p>" % s for s in pool[6 * k:6 * k + 20])}) + "\n")
TEXT
first=(old=made/pages-00000.warc.gz old=form0.jsonl)
second=(new=made/pages-00001.warc.gz old=form1.jsonl)
third=(new=made/pages-00002.warc.gz form2.jsonl)

# ---- three crawls, on any number of ranks

steps() { # RANKS RANKS RANKS NAME
    run 0 "$1" "${first[@]}" -o "$4"1.h5 --write-index "$4"1.index
    run 0 "$2" "${second[@]}" -o "$4"2.h5 --index "$4"1.index --write-index "$4"2.index
    run 0 "$3" "${third[@]}" -o "$4"3.h5 --index "$4"2.index
}
steps 1 1 1 a
steps 2 3 5 b
steps 5 2 3 c
for n in 1 2 3; do
    "$compare" a$n.h5 b$n.h5 || fail "crawl $n on more ranks"
    "$compare" a$n.h5 c$n.h5 || fail "crawl $n on more ranks"
    "$neardup" check a$n.h5 >log || fail "check a$n.h5"
done
for n in 1 2; do
    "$neardup" index check b$n.index >log || fail "index check"
    "$neardup" index info b$n.index >log || fail "index info"
    "$neardup" index info b$n.index --format json >log.json || fail "index info as JSON"
    "$neardup" index check b$n.index --format json >>log.json || fail "index check as JSON"
    python3 - <<'TEXT' || fail "index info says one as text and another as JSON: $(cat log log.json)"
import json
lines = [line.rstrip("\n").split("\t", 1) for line in open("log")]
text = dict(lines[:3])
info, check = (json.loads(line) for line in open("log.json"))
assert info["pages"] == check["pages"] == int(text["pages"]), info
assert info["files"] == check["files"], check
assert info["additions_begin"] == json.loads(text["additions_begin"]), info
assert info["parameters"] == json.loads(text["parameters"]), info
sizes = {name: "%d bytes" % array["bytes"] for name, array in info["arrays"].items()}
sizes["all"] = "%d bytes" % info["bytes"]
assert sizes == {name: line.split("\t")[0] for name, line in lines[3:]}, info
TEXT
done
[ "$(find . -name '*.partial' -o -name '*.work' -o -name '*.spill' | wc -l)" -eq 0 ] || fail "left: $(ls)"
grep -q $'^additions_begin\t\[0,223\]$' log || fail "additions"
run 0 1 "${first[@]}" -o plain.h5
"$compare" plain.h5 a1.h5 || fail "a first run with an index is not what it is without"
echo "three crawls: equal on 1, 2, 3 and 5 ranks"

# ---- an addition within a bound of memory

"$neardup" synthesize -o large --pages 6000 --shard-pages 3000 --page-bytes 8000 --seed 3 >log 2>&1
run 0 2 large/pages-00000.warc.gz -o large1.h5 --write-index large.index
run 0 1 large/pages-00001.warc.gz -o large2.h5 --index large.index
run 0 1 large/pages-00001.warc.gz -o bounded.h5 --index large.index --memory 16M
"$compare" large2.h5 bounded.h5 || fail "another result within 16 MB"
"$python" - <<'TEXT' >log || fail "--memory 16M: not less memory than without"
import h5py, sys
most = [int(max(h5py.File(name)["stages/peak_memory"][:])) for name in ("large2.h5", "bounded.h5")]
print(*most)
sys.exit(most[1] + 8000000 > most[0])
TEXT
echo "within 16 MB: the same, with $(cat log) bytes of memory without the bound and with it"
rm -r large large1.h5 large2.h5 bounded.h5 large.index

# ---- against one run over all, and what is never changed

run 0 1 "${first[@]}" "${second[@]}" "${third[@]}" -o all.h5
for n in 2 3; do
    "$neardup" export a$n.h5 --what drop --keep longest >drop$n
    "$neardup" export a$n.h5 --what keep --keep longest >keep$n
done
"$python" - <<'TEXT' >log || fail "sets"
import collections, csv, itertools, sys
import h5py, numpy
def read(name):
    with h5py.File(name) as f:
        ids, ends = f["pages/id_bytes"][:].tobytes(), f["pages/id_offset"][:]
        return {"id": [ids[a:b].decode() for a, b in zip(ends, ends[1:])],
                **{key: f["pages/" + key][:] for key in ("set", "link", "similarity", "link_similarity", "form", "tokens", "exact_of")}}
def pairs(r, wanted):
    sets = collections.defaultdict(list)
    for page, number in zip(r["id"], r["set"]):
        if page.startswith(("form", "chain")) == wanted:
            sets[number].append(page)
    return {frozenset(p) for s in sets.values() for p in itertools.combinations(s, 2)}
ok = True
def expect(what, true):
    global ok
    ok = ok and true
    print(what, "is so" if true else "IS NOT SO")
runs = [read("a%d.h5" % n) for n in (1, 2, 3)]
whole = read("all.h5")
for before, after in zip(runs, runs[1:]):
    count = len(before["id"])
    for key in before:
        expect(key, list(before[key]) == list(after[key][:count]))
one, steps = pairs(whole, False), pairs(runs[2], False)
print(len(one), len(one - steps), len(steps - one))
expect("about one run's pairs", len(one) > 300 and len(one ^ steps) < len(one) / 5)
chained = {frozenset(("chain%d" % a, "chain%d" % b)) for a, b in ((0, 1), (0, 2), (1, 2))}
expect("a form stays apart, and what is not like the leader", pairs(runs[2], True) == chained)
for n, before in ((2, 223), (3, 444)):
    ids = runs[n - 1]["id"]
    drop = list(csv.DictReader(open("drop%d" % n), delimiter="\t", quoting=csv.QUOTE_NONE))
    keep = [int(row["page"]) for row in csv.DictReader(open("keep%d" % n), delimiter="\t", quoting=csv.QUOTE_NONE)]
    gone = [int(row["page"]) for row in drop]
    expect("drop has new pages alone", len(drop) > 50 and min(gone) >= before)
    expect("keep and drop are all", sorted(keep + gone) == list(range(len(ids))))
    numbers = runs[n - 1]["set"]
    old = set(numbers[:before])
    for row in drop:
        kept = int(row["kept"])
        if numbers[int(row["page"])] in old and not (kept < before and ids[kept] == row["kept_id"]):
            expect("an old page is kept for %s" % row["id"], False)
    # of the third crawl's matches, the page that was kept after the second
    if n == 3:
        dropped = {row["id"] for row in csv.DictReader(open("drop2"), delimiter="\t", quoting=csv.QUOTE_NONE)}
        expect("what is kept was not dropped before", not dropped & {row["kept_id"] for row in drop})
sys.exit(not ok)
TEXT
echo "old sets are as they were; pairs of one run, missing, more: $(sed -n 's/^\([0-9]\)/\1/p' log)"

# ---- all sets made anew: to the byte one run over all, where neither templates nor the neighbours in a
# large group depend on what came together

shards=(made/pages-0000{0,1,2}.warc.gz)
whole=(--templates 0 --group-pairs 64 --hash-seed 1) # else it would be that of other inputs
run 0 1 "${shards[@]}" -o whole.h5 "${whole[@]}"
run 0 3 "${shards[0]}" -o r1.h5 --write-index r1.index "${whole[@]}"
run 0 2 "${shards[1]}" -o r2.h5 --index r1.index --write-index r2.index "${whole[@]}"
run 0 5 "${shards[2]}" -o r3.h5 --index r2.index --recluster "${whole[@]}"
"$compare" whole.h5 r3.h5 || fail "--recluster is not one run over all"
run 0 1 "${shards[1]}" -o r2.h5 --index r1.index --recluster --write-index r2anew.index "${whole[@]}"
"$neardup" index check r2anew.index >log || fail "index check after --recluster"
run 0 2 "${shards[2]}" -o r3.h5 --index r2anew.index --recluster "${whole[@]}"
"$compare" whole.h5 r3.h5 || fail "--recluster after --recluster is not one run over all"
run 2 1 "${shards[0]}" -o r3.h5 --recluster
grep -qF -e "--index INDEX" log || fail "--recluster without an index"
echo "--recluster: one run over all, to the byte"

# ---- the inputs of earlier runs read again: to the byte one run over all, whatever was learned meanwhile

run 0 1 "${shards[@]}" -o whole.h5
run 0 1 "${shards[0]}" -o s1.h5 --write-index s1.index
run 0 2 "${shards[1]}" -o s2.h5 --index s1.index --write-index s2.index
for ranks in 1 2 3 5; do
    rm -rf s3.h5 s3.index
    run 0 "$ranks" "${shards[2]}" -o s3.h5 --index s2.index --reread --write-index s3.index
    "$compare" whole.h5 s3.h5 || fail "--reread on $ranks ranks is not one run over all"
done
"$neardup" index check s3.index >log || fail "index check after --reread"
"$neardup" index info s3.index | grep -qF $'additions_begin\t[0,200,400]' || fail "--reread: other additions"
"$neardup" export s3.h5 --what drop | awk 'NR > 1 && $1 < 400 { exit 1 }' || fail "--reread: old pages are dropped"
run 1 2 "${shards[2]}" -o s4.h5 --index s2.index --reread --work w --fault rename:0:6
run 0 3 "${shards[2]}" -o s4.h5 --index s2.index --reread --work w --resume
"$compare" whole.h5 s4.h5 || fail "--reread after an interruption"
mkdir moved
cp -r s2.index moved
(cd moved && mkdir made && cp ../made/*.gz made)
cp "${shards[2]}" third.warc.gz
(cd / && timeout 300 "$neardup" partition "$folder/third.warc.gz" -o "$folder/s5.h5" --index "$folder/moved/s2.index" \
    --reread --min-confidence 0 --progress none) >log 2>&1 || fail "--reread of inputs beside a moved index"
run 2 1 "${shards[2]}" -o no.h5 --index s2.index --reread --recluster
run 2 1 "${shards[2]}" -o no.h5 --reread
head -c -1 moved/made/pages-00001.warc.gz >short.gz && mv short.gz moved/made/pages-00001.warc.gz
(cd moved && ! "$neardup" partition ../third.warc.gz -o no.h5 --index s2.index --reread --min-confidence 0 --progress none 2>../log) ||
    fail "--reread of an input that has changed"
grep -qF 'made/pages-00001.warc.gz: has changed' log || fail "--reread does not name the input that has changed"
printf '{"id":"%d","text":"some words","html":"<p>other words</p>"}\n' 1 2 >both.jsonl
printf '{"id":"3","more":"a line that is no page"}\n' >>both.jsonl
run 0 1 both.jsonl -o s6.h5 --write-index s6.index
cp both.jsonl kept.jsonl # an index knows an input's size: these changes leave it as it was
sed -i 's/other words/their words/' both.jsonl
run 1 2 "${shards[2]}" -o no.h5 --index s6.index --reread
grep -qF 'both.jsonl: its pages are not those of the index' log || fail "--reread of other texts"
sed 's/"more"/"text"/' kept.jsonl >both.jsonl
run 1 2 "${shards[2]}" -o no.h5 --index s6.index --reread
grep -qF 's6.index: its inputs have 3 pages now, and had 2' log || fail "--reread of more pages"
echo "--reread: one run over all, to the byte; what has changed is named"

# ---- single pages

"$neardup" synthesize -o lines --pages 600 --shard-pages 200 --page-bytes 5000 --seed 11 --format jsonl >log 2>&1
"$neardup" query b1.index <lines/pages-00001.jsonl >answers 2>log || fail "query"
"$python" - <<'TEXT' >log || fail "query: other sets than the run"
import json, sys
import h5py
answers = [json.loads(line) for line in open("answers")]
with h5py.File("a2.h5") as f:
    ids, ends = f["pages/id_bytes"][:].tobytes(), f["pages/id_offset"][:]
    numbers = {ids[a:b].decode(): int(s) for a, b, s in zip(ends, ends[1:], f["pages/set"][:])}
    names = {i: n for n, i in enumerate(numbers)}
    old = set(f["pages/set"][:223].tolist())
same = sum(a["set"] == (numbers[a["id"]] if numbers[a["id"]] in old else None) for a in answers)
other = sum(a["set"] is not None and a["set"] != numbers[a["id"]] for a in answers)
wrong = sum(a["set"] is not None and names[a["page_id"]] != a["page"] for a in answers)
print(len(answers), same, other, wrong)
sys.exit(len(answers) != 200 or same < 190 or other > 2 or wrong > 0 or not any(a["set"] is not None for a in answers))
TEXT
# what is similar to a page of a set, and not to its representative, is of no set (an index may have a name of one letter)
"$python" - <<'TEXT'
import json, random
random.seed(3)
words = ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(200)]
first = words[:120]
last = words[140:160] + first[20:]
def put(name, pages):
    with open(name, "w") as out:
        for page in pages:
            lines = (" ".join(page[i:i + 10]).capitalize() + "." for i in range(0, len(page), 10))
            out.write(json.dumps({"text": " ".join(lines)}) + "\n")
put("chain.jsonl", [first, first[:50] + words[120:121] + first[51:], first[:70] + words[121:122] + first[71:], last])
put("beyond.jsonl", [last, last[:100] + words[180:]])
TEXT
"$neardup" partition chain.jsonl -o chain.h5 --write-index c --score r --threshold .6 --slack .05 --progress none
"$neardup" query c <beyond.jsonl >chained 2>log || fail "query of a chain: $(cat log)"
[ "$(grep -c '"set":0,.*"representative":0,' chained)$(grep -c '"set":null' chained)" = 11 ] ||
    fail "query takes a page into a set whose representative is another: $(cat chained)"
# the lines of the topic "indexes" ask page by page
"$neardup" help indexes | sed -n '/^    import json/,/^    query\.communicate/s/^    //p' >ask.py
[ "$(wc -l <ask.py)" -eq 12 ] || fail 'the topic "indexes" has not twelve lines of Python'
ln -s b1.index march.index
ln -s lines/pages-00001.jsonl april.jsonl
PATH=${neardup%/*}:$PATH timeout 120 python3 ask.py >asked 2>log || fail "the topic's lines of Python do not run"
python3 - <<'TEXT' | cmp - asked || fail "the topic's lines of Python print other answers"
import json
for row in map(json.loads, open("answers")):
    print(row["url"], row["set"], row.get("page_url"), row.get("similarity"), sep="\t")
TEXT
status=0
printf '%s\n' 'no page' '{"text":"short"}' | "$neardup" query b1.index >answers 2>log || status=$?
[ "$status" -eq 3 ] || fail "exit code $status of a line that is no page"
grep -q '"error":"line is not JSON"' answers || fail "a line that is no page is not named"
grep -q '"set":null,"too_short":true' answers || fail "a short page"
"$neardup" query made </dev/null >answers 2>log && fail "a folder that is no index"
[ "$(wc -l <log)" -eq 1 ] || fail "not one line: query of a folder that is no index"
echo "single pages: the sets of the run"

# ---- interrupted

sum_of() { (cd "$1" && find . -type f -exec sha256sum {} + | sort); }
before=$(sum_of a1.index)
stops=0
for n in 8 16 28; do
    rm -rf out.h5 out.index w
    status=0
    timeout 300 "$neardup" partition "${second[@]}" --index a1.index --min-confidence 0 --write-index out.index -o out.h5 \
        --work w --checkpoint 0 --split-size 60000 --progress none --fault "rename:0:$n" >log 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        [ "$status" -eq 1 ] || fail "exit code $status of a fault"
        [ ! -e out.index ] || fail "half an index under its name"
        stops=$((stops + 1))
        run 0 $((n % 3 + 1)) "${second[@]}" --index a1.index --write-index out.index -o out.h5 --work w \
            --split-size 60000 --resume
    fi
    "$compare" a2.h5 out.h5 || fail "not the same after an interruption at $n"
    "$neardup" index check out.index >log || fail "index check after an interruption at $n"
    rm -f third.h5
    run 0 1 "${third[@]}" --index out.index -o third.h5
    "$compare" a3.h5 third.h5 || fail "not the same against an index after an interruption at $n"
    [ "$(sum_of a1.index)" = "$before" ] || fail "the old index has changed"
done
[ "$stops" -ge 2 ] || fail "only $stops interruptions"
echo "interrupted $stops times: the same, and the old index untouched"

# ---- refusals

# refused STATUS WORD ARGUMENT...: a line that says it, and nothing made.
refused() {
    local wanted=$1 word=$2
    shift 2
    run "$wanted" 1 "$@" -o no.h5
    [ "$(wc -l <log)" -eq 1 ] || fail "not one line: $*"
    grep -qF -e "$word" log || fail "does not name '$word': $*"
    ! compgen -G 'no.*' >/dev/null || fail "made something: $*"
}
refused 2 "threshold was 0.46 and is 0.5" "${second[@]}" --index a1.index --threshold .5
refused 2 "templates was 1000 and is 0" "${second[@]}" --index a1.index --templates 0
refused 2 "method was \"lcs\" and is \"simhash\"" "${second[@]}" --index a1.index --method simhash
refused 2 "pairs was \"drop\" and is \"keep\"" "${second[@]}" --index a1.index --pairs keep
refused 2 "--preset pku" "${second[@]}" --write-index no.index --preset pku
refused 2 "is there already" "${second[@]}" --write-index a1.index
refused 2 "cannot be made in" "${second[@]}" --write-index nowhere/no.index
refused 2 "is no index" "${second[@]}" --index made
refused 1 "no page in 1 input" --index a1.index new=a1.h5
cp -r a1.index bad.index
printf 'x' | dd of="$(ls bad.index/*-text.packed-*)" bs=1 seek=1000 conv=notrunc 2>/dev/null
refused 1 "$(ls bad.index/*-text.packed-*)" "${second[@]}" --index bad.index
"$neardup" index check bad.index >log 2>&1 && fail "index check passes over damage"
grep -qF "$(ls bad.index/*-text.packed-*)" log || fail "index check does not name the file"
truncate -s -1 bad.index/*-members-*
refused 1 "$(ls bad.index/*-members-*)" "${second[@]}" --index bad.index
sed -i 's/"pages"/"gapes"/' bad.index/manifest.json
refused 1 "bad.index/manifest.json: damaged" "${second[@]}" --index bad.index
# another index under the name that a stopped run has read
cp -r a1.index swapped.index
timeout 300 "$neardup" partition "${second[@]}" --index swapped.index --min-confidence 0 -o out.h5 --work w2 --progress none \
    --fault rename:0:12 >log 2>&1 && fail "no fault"
rm -r swapped.index
cp -r c2.index swapped.index
run 2 1 "${second[@]}" --index swapped.index -o out.h5 --work w2 --resume
grep -qF "w2 holds a run" log || fail "another index on --resume"
echo "refused by name: other options, other folders, damage"
