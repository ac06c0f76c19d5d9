#!/usr/bin/env bash
# How sure each member is: /pages/certainty is the same on any number of ranks and after a
# checkpoint, 1 for representatives and copies, unknown where another score compared; pages below
# --min-confidence leave their sets; --preset safe leaves thin pages alone; and fit_certainty.py reads facts
# from a result as the program has them. Called as certainty.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3 h5dump

# Stories told on two sites and twice on one, edited more and more; copies; frames.
python3 - "$folder/pages.jsonl" <<'PYTHON'
import json, random, sys
random.seed(17)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(3000)]
pages = []
def add(site, sentences):
    pages.append({"id": "p%d" % len(pages), "url": "http://%s.example/%d" % (site, len(pages)),
                  "html": "".join("<p>%s</p>" % s for s in sentences)})
for number in range(40):
    story = [" ".join(random.choices(words, k=12)) + "." for _ in range(20)]
    for copy in range(4):
        changed = [s if random.random() > .06 * copy else " ".join(random.choices(words, k=12)) + "."
                   for s in story]
        add("ab"[copy % 2] if number % 2 else "abcd"[copy], changed)
    add("e", story)
for number in range(10):
    add("f", ["Loading"])
with open(sys.argv[1], "w") as file:
    file.writelines(json.dumps(page) + "\n" for page in pages)
PYTHON
input=$folder/pages.jsonl

certainties() {
    h5dump -d /pages/certainty -y -w 1 "$folder/$1.h5" | grep -E '^ +[0-9.e-]+,?$' | tr -d ' ,'
}
# expect NAME PROGRAM: a Python expression of members, as (certainty, similarity, representative,
# page, copy of its text)
expect() {
    certainties "$1" >"$folder/certainties"
    "$neardup" export "$folder/$1.h5" | python3 -c '
import sys
certain = [float(line) for line in open(sys.argv[1])]
rows = [line.rstrip("\n").split("\t") for line in sys.stdin][1:]
assert len(rows) == len(certain) > 0, (len(rows), len(certain))
first = [r[9] or r[0] for r in rows]
members = [(c, float(r[5]), int(r[6]), int(r[0]), first[i] == first[int(r[6])])
           for i, (c, r) in enumerate(zip(certain, rows))]
assert eval(sys.argv[2]), (sys.argv[2], members)
' "$folder/certainties" "$2" || fail "$1: $2"
}

partition certain-1 1 "$input"
for ranks in 2 3 5; do
    partition "certain-$ranks" "$ranks" "$input"
    cmp <(certainties certain-1) <(certainties "certain-$ranks") || fail "other on $ranks ranks"
done
timeout 120 "$neardup" partition "$input" -o "$folder/resumed.h5" --work "$folder/work" \
    --fault result:0:1 --progress none 2>/dev/null && fail 'did not fail'
partition resumed 3 "$input" --work "$folder/work" --resume
cmp <(certainties certain-1) <(certainties resumed) || fail 'other after a checkpoint'

expect certain-1 'all((c == 1) == same for c, s, r, p, same in members)'
expect certain-1 'sum(0 < c < 1 for c, *_ in members) > 20'
expect certain-1 'any(same and r != p for c, s, r, p, same in members)'
partition other 2 "$input" --score r --threshold .5
expect other 'all(c == (1 if same else 0) for c, s, r, p, same in members)'

# ---- those that are not certain enough leave, with the copies of their texts
partition sure-1 1 "$input" --min-confidence .9
for ranks in 2 3 5; do
    partition "sure-$ranks" "$ranks" "$input" --min-confidence .9
    same sure-1 "sure-$ranks"
done
"$neardup" check "$folder/sure-1.h5" >/dev/null || fail 'check of sure-1'
expect sure-1 'all(c == 1 if r == p else c >= .9 for c, s, r, p, same in members)'
certainties certain-1 >"$folder/before"
expect sure-1 'all(r == p or c == float(b) for (c, s, r, p, same), b in zip(members,
    open(sys.argv[1].replace("certainties", "before"))))'
expect certain-1 'sum(c < .9 for c, *_ in members) > 10'
# whoever was sure enough and whose representative is there as before is where it was
"$neardup" export "$folder/certain-1.h5" | cut -f1,7 >"$folder/leaders"
expect sure-1 'all((r == p) == (float(b) < .9 or b.strip() == "1" and int(l.split()[1]) == p)
    for (c, s, r, p, same), b, l in zip(members,
        open(sys.argv[1].replace("certainties", "before")),
        open(sys.argv[1].replace("certainties", "leaders")).readlines()[1:]))'
refused() { refuses 2 --min-confidence partition "$input" -o "$folder/refused.h5" "$@"; }
refused --min-confidence 1.5
refused --min-confidence .5 --score r
partition other-safe 1 "$input" --preset safe --score r

# ---- three texts whose name the representative lacks: they make a set of their own, not one each
python3 - "$folder/names.jsonl" <<'PYTHON'
import json, random, sys
random.seed(3)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(400)]
base = words[:160]
base[2] = base[155] # the word in the first name's place stands elsewhere too
def text(name, edits, more):
    words_of = list(base)
    for at in edits:
        words_of[at] = words[200 + at]
    words_of[2::16] = [name] * len(words_of[2::16])
    return words_of + words[400 - more:]
texts = [text(*t) for t in (("zap", [20, 45], 8), ("zap", [20], 0), ("zap", [33], 0), ("zap", [64], 0),
                            ("zip", [20], 0), ("zip", [77], 0), ("zip", [101], 0))]
texts.append(base[:80] + ["zap"] + base[81:90] + ["zip"] + base[91:]) # has a link to all others
with open(sys.argv[1], "w") as file:
    for number, words_of in enumerate(texts):
        sentences = " ".join(w + "." if i % 8 == 7 else w for i, w in enumerate(words_of))
        file.write(json.dumps({"id": "p%d" % number, "text": sentences}) + "\n")
PYTHON
representatives() {
    "$neardup" export "$folder/$1.h5" | cut -f7 | tail -n +2 | tr '\n' ' '
}
partition chained 2 "$folder/names.jsonl" --min-confidence 0
[ "$(representatives chained)" = '2 2 2 2 2 2 2 2 ' ] || fail "$(representatives chained)"
for ranks in 1 2 3 5; do
    partition "named-$ranks" "$ranks" "$folder/names.jsonl"
    [ "$(representatives "named-$ranks")" = '2 2 2 2 4 4 4 2 ' ] || fail "$(representatives "named-$ranks")"
done

# ---- thin pages: one set by default, ten with --preset safe
partition safe 2 "$input" --preset safe
partition safe-5 5 "$input" --preset safe
same safe safe-5
expect certain-1 'len({r for c, s, r, p, same in members if p >= 200}) == 1'
expect safe 'len({r for c, s, r, p, same in members if p >= 200}) == 10'
"$neardup" check "$folder/safe.h5" >/dev/null || fail 'check of safe'
"$neardup" inspect "$folder/certain-1.h5" --largest 1 | grep -q 'certain' || fail 'inspect'

# ---- the script that fits sees of a result what the program saw, and its weights are the program's
python=$(python_with_h5py)
if [ "$python" = none ]; then
    echo "SKIPPED: scripts/fit_certainty.py: no python3-h5py with python3-numpy"
else
    "$python" - "$root" "$folder/certain-1.h5" <<'PYTHON' || fail 'other facts'
import re, sys
sys.path.insert(0, sys.argv[1] + "/scripts")
import numpy as np
import fit_certainty as fit
source = open(sys.argv[1] + "/src/method/certainty.c").read()
weights = [int(re.search(r"\b%s = (-?\d+)" % name, source)[1]) for name in fit.NAMES]
result = fit.Result(sys.argv[2])
members, facts = result.facts()
found = fit.predict(facts, np.array(weights) / fit.UNIT)
assert len(members) > 20 and (facts[:, fit.NAMES.index("ONE_SITE_CROWDED")] > 0).any()
# the program's logistic is linear between whole numbers
assert np.abs(found - result.certainty[members]).max() < .02, found - result.certainty[members]
PYTHON
    "$neardup" export "$folder/certain-1.h5" | awk -F'\t' 'NR > 1 { print "p" $1 "\t" int($1 / 5) }' \
        >"$folder/clusters.tsv"
    "$python" "$root/scripts/fit_certainty.py" --source made-up "$folder/certain-1.h5" "$folder" \
        >"$folder/fitted" || fail 'fit_certainty.py'
    grep -qE '^ +SIMILAR = -?[0-9]+,' "$folder/fitted" || fail "no table: $(cat "$folder/fitted")"
fi
echo "certainty.sh: all as it should be"
