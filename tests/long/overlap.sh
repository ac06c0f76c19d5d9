#!/usr/bin/env bash
# neardup overlap on any number of ranks; it says where nothing hangs together, and what it refuses; its
# estimates hold. Its exact numbers are compared with counts in property/p_measure.c; tables and pictures
# are kept in cli/texts. Called as overlap.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

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

# ---- tables and pictures
"$neardup" overlap out.h5 --queries 20 --svg four.svg >text
[ -z "$(awk 'length > 80' text)" ] || fail "wider than 80 columns: $(awk 'length > 80' text)"
grep -q '^     together' text || fail 'no table'
sentences=$("$neardup" overlap out.h5 | sed '/^$/,$d')
[ "$(grep -cE '^[0-9.]+ % of [a-d]'"'"'s sets are also in [a-d] \([0-9.]+ % in reverse\)$' <<<"$sentences")" -eq 6 ] ||
    fail "no sentence for each pair: $sentences"
if "$neardup" overlap out.h5 | grep -q 'samples alone'; then fail 'estimates that nobody asked for'; fi
"$neardup" overlap out.h5 --collections c,a,b --fixed a | grep -q '^  1  c ' || fail 'another order'
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
refuses 2 "no collection 'z'" overlap out.h5 --collections a,z
refuses 2 'named twice' overlap out.h5 --collections a,b,a
refuses 2 'nothing to compare' overlap out.h5 --collections a
refuses 2 '--fixed' overlap out.h5 --fixed z
refuses 2 '--svg' overlap out.h5 --svg a.jsonl
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
