#!/usr/bin/env bash
# neardup overlap: its exact numbers are those of the exported pages, on any number of ranks; it says
# where nothing hangs together, what strong queries miss, and what it refuses; its estimates hold.
# Called as overlap.sh NEARDUP BUILD_DIR.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/support/results.sh
. "$root/tests/support/results.sh"
need python3
cd "$folder"
export PYTHONDONTWRITEBYTECODE=1

# Things in some of four collections, with copies, other URLs and pages without one; and two that
# share nothing with them, nor with each other. Of each thing eight words are its own.
python3 - <<'TEXT'
import json, random
random.seed(4)
common = ["common%s" % chr(97 + i) for i in range(26)]
out = {name: open(name + ".jsonl", "w") for name in ("a", "b", "c", "d", "e", "f")}
def page(name, thing, copy, text):
    row = {"id": "%s%d-%d" % (name, thing, copy), "text": text}
    if thing % 7:
        row["url"] = "http://%s%d.example/" % ("x" if thing % 2 else name, thing)
    out[name].write(json.dumps(row) + "\n")
for thing in range(300):
    own = ["own%s" % "".join(random.choices("bcdfghjk", k=9)) for _ in range(8)]
    text = [random.choice(common) for _ in range(40)] + own + [random.choice(common) for _ in range(12)]
    for name, share in zip("abcd", (.6, .4, .5, .2)):
        if random.random() < share:
            for copy in range(3 if name == "b" and thing % 3 == 0 else 1):
                words = list(text)
                if copy == 2 or (name == "c" and thing % 4 == 0):
                    words[44] = "another" + "".join(random.choices("mnpqrst", k=9))
                page(name, thing, copy, " ".join(words))
for thing in range(20):
    for name in "ef":
        page(name, 1000 + thing, 0, " ".join("".join(random.choices("abcdefg", k=8)) for _ in range(40)))
page("d", 999, 0, "few words only, few words")
TEXT
inputs=(a=a.jsonl b=b.jsonl c=c.jsonl d=d.jsonl)

# ---- the same on any number of ranks
for ranks in 1 2 3 5; do
    partition out "$ranks" "${inputs[@]}" --force
    "$neardup" overlap out.h5 --format json --sample 1000 --queries 40 >"ranks$ranks.json"
    cmp ranks1.json "ranks$ranks.json" || fail "$ranks ranks: another answer"
done
"$neardup" overlap out.h5 --format json --sample 1000 --queries 40 --memory 300K >small.json
cmp ranks1.json small.json || fail 'another answer with little memory'
"$neardup" export out.h5 --format jsonl >pages.jsonl

cat >check.py <<'TEXT'
import json, math
found = json.load(open("ranks1.json"))
pages = [json.loads(line) for line in open("pages.jsonl")]
for p in pages:
    p.setdefault("exact_of", p["page"])
names = found["collections"]
assert names == ["a", "b", "c", "d"], names
for kind, key in ("urls", "url"), ("texts", "exact_of"), ("sets", "set"):
    having, per = {}, {}
    for p in pages:
        value = p.get(key, p["page"])  # a text of its own
        if value != "":
            having.setdefault(value, set()).add(p["collection"])
            per[value, p["collection"]] = per.get((value, p["collection"]), 0) + 1
    both = [[sum(x in h and y in h for h in having.values()) for y in names] for x in names]
    inside = [[sum(n for (k, c), n in per.items() if c == x and y in having[k]) for y in names] for x in names]
    counts = found[kind]
    assert counts["both"] == both and counts["pages_in"] == inside, (kind, counts["both"], both)
    assert counts["all"] == len(having) and counts["alone"] == [sum(h == {x} for h in having.values()) for x in names]
    assert counts["in_exactly"] == [sum(len(h) == n for h in having.values()) for n in range(5)]
    assert counts["venn"] == [sum(h == {names[x] for x in range(4) if m >> x & 1} for h in having.values())
                              for m in range(16)]
assert found["without_url"] == sum(not p["url"] for p in pages) > 0
sizes = [found["sets"]["both"][x][x] for x in range(4)]
# every set is in the samples: they are exact, and so are sizes and shares
by_set = found["samples"]["by_set"]
assert by_set["asked"] == sizes and by_set["found"] == found["sets"]["both"]
for form in "least_squares", "logarithms":
    for x, e in enumerate(by_set[form]):
        assert abs(e["share"]["estimate"] - sizes[x] / found["sets"]["all"]) < 1e-6, (form, e)
        assert abs(e["size"]["estimate"] - sizes[x] / sizes[0]) < 1e-6, (form, e)
        assert e["share"]["lower"] <= e["share"]["estimate"] <= e["share"]["upper"]
# of the pages themselves, b's are inflated: by page its size is too large
page_sizes = found["samples"]["by_page"]
assert page_sizes["asked"] == found["sets"]["pages"] and page_sizes["found"] == found["sets"]["pages_in"]
pair = [c for c in found["capture_recapture"] if (c["a"], c["b"]) == (0, 2)][0]
assert abs(pair["lincoln_petersen"] - sizes[0] * sizes[2] / pair["both"]) < 1e-3
# a query finds a page with all eight words: what c has edited of every fourth thing it misses
queries = found["strong_queries"]
texts = {}
for name in names:
    for line in open(name + ".jsonl"):
        row = json.loads(line)
        texts[row["id"]] = row["text"].replace(",", "").split()
frequency = {}
for words in texts.values():
    for word in set(words):
        frequency[word] = frequency.get(word, 0) + 1
assert queries["too_few_words"][:3] == [0, 0, 0] and queries["too_few_words"][3] <= 1
missed = {(p["of"], p["in"]): p["has"] - p["found"] for p in queries["pairs"]}
edited = sum(missed[x, y] for x, y in missed if 2 in (x, y))
others = sum(missed[x, y] for x, y in missed if 2 not in (x, y) and 1 not in (x, y))
assert edited > 0 and others == 0, missed
assert all(p["only_others"] == 0 for p in queries["pairs"])
TEXT
python3 check.py || fail 'the numbers are not those of the pages'

# ---- tables and pictures
"$neardup" overlap out.h5 --queries 20 --svg four.svg >text
[ -z "$(awk 'length > 80' text)" ] || fail "wider than 80 columns: $(awk 'length > 80' text)"
grep -q '^     together' text || fail 'no table'
sentences=$("$neardup" overlap out.h5 | sed '/^$/,$d')
[ "$(grep -cE '^[0-9.]+ % of [a-d]'"'"'s sets are also in [a-d] \([0-9.]+ % in reverse\)$' <<<"$sentences")" -eq 6 ] ||
    fail "no sentence for each pair: $sentences"
if "$neardup" overlap out.h5 | grep -q 'samples alone'; then fail 'estimates that nobody asked for'; fi
"$neardup" overlap out.h5 --collections c,a,b --svg three.svg --fixed a | grep -q '^  1  c ' || fail 'another order'
"$neardup" overlap out.h5 --collections d,b --svg two.svg >/dev/null
for pictured in four=a,b,c,d three=c,a,b two=d,b; do
    "$neardup" overlap out.h5 --collections "${pictured#*=}" --format json >"${pictured%=*}.json"
done
cat >pictures.py <<'TEXT'
import json, math, sys, xml.dom.minidom
for name in sys.argv[1:]:
    root = xml.dom.minidom.parse(name + ".svg").documentElement
    found = json.load(open(name + ".json"))
    counts, names = found["sets"], found["collections"]
    width, height = map(float, root.getAttribute("viewBox").split()[2:])
    def numbers(element, *attributes):
        return [float(element.getAttribute(a)) for a in attributes]
    def said(element):
        return (*numbers(element, "x", "y"), element.firstChild.data)
    circles = [numbers(c, "cx", "cy", "r") for c in root.getElementsByTagName("circle")]
    assert len(circles) == (len(names) if len(names) < 4 else 0)
    groups = root.getElementsByTagName("g")
    if circles:
        inside = lambda x, y: [math.hypot(x - c[0], y - c[1]) - c[2] for c in circles]
        texts = groups[0].getElementsByTagName("text")
        # each name stands outside, next to its circle
        labels = [said(t) for t in texts if t.getAttribute("font-weight")]
        assert [label[2] for label in labels] == names
        for i, (x, y, _) in enumerate(labels):
            distances = inside(x, y)
            assert min(distances) == distances[i] and 0 < distances[i] < 70 and 0 < x < width, labels
        # each number, and its share below it, stands in the circles of which it is
        numbered = [said(t) for t in texts if not t.getAttribute("font-weight")]
        assert len(numbered) == 2 * (len(counts["venn"]) - 1)
        for mask in range(1, len(counts["venn"])):
            (x, y, count), (below_x, below, share) = numbered[2 * mask - 2:2 * mask]
            of = [bool(mask >> i & 1) for i in range(len(circles))]
            assert [d < 0 for d in inside(x, y)] == of == [d < 0 for d in inside(x, below)], (mask, numbered)
            assert (count, share) == (str(counts["venn"][mask]), "%.1f %%" % (100 * counts["venn"][mask] / counts["all"]))
            assert (below_x, below) == (x, y + 14)
        # and the two circles beside each other have theirs as in a mirror
        middle = circles[0][0] + circles[1][0]
        places = {(x, y) for x, y, _ in labels[:2] + numbered}
        assert places == {(middle - x, y) for x, y in places}, places
    shift = 400 if circles else 0
    assert groups[-1].getAttribute("transform") == "translate(0 %d)" % shift
    cells = groups[-1].getElementsByTagName("rect")
    texts = [t for t in groups[-1].getElementsByTagName("text")]
    shares = [said(t) + (t.getAttribute("fill"),) for t in texts if t.getAttribute("fill")]
    x0, y0, side, _ = numbers(cells[0], "x", "y", "width", "height")
    assert len(cells) == len(names) ** 2 == len(shares)
    for at, (cell, (x, y, share, colour)) in enumerate(zip(cells, shares)):
        row, column = divmod(at, len(names))
        both = counts["both"][row][column]
        part = both / counts["both"][row][row]
        assert numbers(cell, "x", "y", "width", "height") == [x0 + column * side, y0 + row * side, side, side]
        assert cell.firstChild.firstChild.data == "%d sets, %.2f %%" % (both, 100 * part), (at, both, part)
        assert cell.getAttribute("fill-opacity") == "%.3f" % part and share == "%.1f" % (100 * part)
        assert colour == ("#fff" if part > .6 else "#000")
        assert (x, y) == (x0 + column * side + side / 2, y0 + row * side + side / 2 + 4)
    for i, name in enumerate(names):
        above, beside = [said(t) for t in texts if t.firstChild.data == name]
        assert above[:2] == (x0 + i * side + side / 2, y0 - 6), above
        assert beside[:2] == (x0 - 6, y0 + i * side + side / 2 + 4), beside
    end = said(texts[-1])
    assert end[2].endswith("not to scale") == bool(circles) and y0 + len(names) * side < end[1] < height - shift
    assert x0 + len(names) * side < width
TEXT
python3 pictures.py four three two || fail 'the pictures are not as they should be'
"$neardup" overlap out.h5 --svg four.svg >/dev/null || fail 'does not replace its own picture'

# ---- nothing hangs together
partition apart 0 a=a.jsonl b=b.jsonl e=e.jsonl f=f.jsonl
"$neardup" overlap apart.h5 --sample 1000 >text
grep -q 'do not hang together: there are 3 groups' text || fail 'collections apart are not named'
[ "$(grep -c 'it shares nothing: no estimate' text)" -eq 2 ] || fail 'a collection that shares nothing is estimated'
if grep -q '100\.00, 100\.00' text; then fail 'a collection that shares nothing is all there is'; fi
grep -q 'no overlap: nothing follows' text || fail 'capture and recapture of nothing'
if grep -qiE '(^| )-?(nan|inf)( |$)' text; then fail 'divided by nothing'; fi
"$neardup" overlap apart.h5 --sample 1000 --format json | python3 -c 'import json, sys
e = json.load(sys.stdin)["samples"]["by_set"]
assert e["group"] == [0, 0, 2, 3] and e["groups"] == 3, e["group"]
assert [r["ratio"]["estimate"] for r in e["ratios"]].count(None) == 5' || fail 'groups'

# ---- where overlaps are small, least squares go wrong, and that is said
python3 - <<'TEXT'
import json, random
random.seed(2)
for name in range(16):
    with open("small%d.jsonl" % name, "w") as out:
        for thing in random.sample(range(4000), 80):
            words = random.Random(thing)
            text = " ".join("".join(words.choices("abcdefghij", k=6)) for _ in range(30))
            out.write(json.dumps({"url": "http://h%d.example/" % thing, "text": text}) + "\n")
TEXT
small=()
for i in {0..15}; do
    small+=("s$i=small$i.jsonl")
done
partition small 0 "${small[@]}"
"$neardup" overlap small.h5 --sample 60 --resamples 400 >text
grep -q '^The two disagree on' text || fail 'least squares that go wrong are not named'
grep -q '^the first 28 of 120 pairs' text || fail 'pairs that are left out are not counted'
[ -z "$(awk 'length > 80' text)" ] || fail "wider than 80 columns: $(awk 'length > 80' text)"

# ---- refused in one line
refuses() {
    local expected=$1 status=0
    shift
    "$neardup" overlap "$@" >stdout 2>stderr || status=$?
    if [ "$status" -ne 2 ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -qF -- "$expected" stderr; then
        fail "overlap $*: status $status: $(cat stderr)"
    fi
}
refuses "no collection 'z'" out.h5 --collections a,z
refuses 'named twice' out.h5 --collections a,b,a
refuses 'nothing to compare' out.h5 --collections a
refuses '--fixed' out.h5 --fixed z
refuses '--svg' out.h5 --svg a.jsonl
echo >>b.jsonl
status=0
"$neardup" overlap out.h5 --queries 5 >stdout 2>stderr || status=$?
if [ "$status" -ne 1 ] || ! grep -q 'b.jsonl: has changed since the run' stderr; then
    fail "a changed input: $(cat stderr)"
fi

# ---- estimates against known sizes
python3 "$root/scripts/overlap_seeds.py" "$neardup" --things 1500 --seeds 12 --sample 200 --least .85 >seeds ||
    fail "$(cat seeds)"
sed -n 3,5p seeds
