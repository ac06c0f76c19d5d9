#!/usr/bin/env bash
# Verified pairs that a result keeps: what export, inspect and evaluate print of them, and that they are
# the pairs that made the sets. That they are the pairs of the method is tested in methods.sh, that they
# are the same on any number of ranks in ranks.sh, and that they outlive interruptions in
# kill_checkpoints.sh.
# usage: pairs.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3

"$neardup" synthesize -o "$folder/corpus" --pages 3000 --seed 11 >"$folder/log" 2>&1
awk 'NR % 50 != 7' "$folder/corpus/clusters.tsv" >"$folder/clusters.tsv" # some pages are not labelled

# look NAME METHOD...: pairs of a run, exported.
look() {
    local name=$1
    shift
    partition "$name" 0 "$folder/corpus" --method "$@" --sets components --pairs keep
    "$neardup" export "$folder/$name.h5" >"$folder/pages.tsv"
    "$neardup" export "$folder/$name.h5" --what pairs >"$folder/pairs.tsv"
    "$neardup" export "$folder/$name.h5" --what pairs --format jsonl >"$folder/pairs.jsonl"
    python3 - "$folder" <<'TEXT'
import json, sys
folder = sys.argv[1]
def rows(name):
    with open("%s/%s" % (folder, name), encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file]
pages = rows("pages.tsv")[1:]
header, *pairs = rows("pairs.tsv")
assert header == "a b similarity id_a url_a id_b url_b".split(), header
assert pairs, "no pairs: nothing is tested"
numbers = [(int(p[0]), int(p[1])) for p in pairs]
assert all(a < b for a, b in numbers) and numbers == sorted(set(numbers)), "not in order"
for (a, b), pair in zip(numbers, pairs):
    assert pair[3:] == pages[a][1:3] + pages[b][1:3], pair
    assert pages[a][4] == pages[b][4], "a pair in two components: %s" % pair
with open(folder + "/pairs.jsonl", encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
assert [list(line) for line in lines] == [header] * len(pairs)
for line, pair in zip(lines, pairs):
    assert [str(line[n]) for n in header if n != "similarity"] == pair[:2] + pair[3:], line
    assert line["similarity"] == float(pair[2]), line
# by their pairs alone, pages that are no copies make up the components
of = list(range(len(pages)))
def root(page):
    while of[page] != page:
        page = of[page]
    return page
for a, b in numbers:
    of[root(a)] = root(b)
joined = {p for pair in numbers for p in pair}
sets = {}
for page in joined:
    sets.setdefault(pages[page][4], set()).add(root(page))
assert all(len(roots) == 1 for roots in sets.values()), "a set that its pairs do not join"
TEXT
    grep -Eq "^pairs +$(($(wc -l <"$folder/pairs.tsv") - 1)) " <("$neardup" inspect "$folder/$name.h5") ||
        fail "$name: inspect says another number of pairs"
}

look jaccard lcs --group-pairs 4096 --threshold .3 --min-confidence 0
look broder broder --group-pairs 4096
look charikar charikar --agree 350 --pieces 35

# The text says the same numbers, in tables.
"$neardup" evaluate "$folder/broder.h5" --truth "$folder/clusters.tsv" >"$folder/text" 2>"$folder/log"
grep -q "^verified pairs: $(($("$neardup" export "$folder/broder.h5" --what pairs | wc -l) - 1)), [1-9]" \
    "$folder/text" || fail "the text does not say the pairs"
[ "$(grep -cE '^(0\.3333|0\.5000|0\.6667|0\.8333|1\.0000) ' "$folder/text")" -eq 5 ] ||
    fail "the text has no row for each number of agreeing supershingles"

# Without pairs nothing is said of them, and export says how to keep them.
partition plain 0 "$folder/corpus"
if "$neardup" export "$folder/plain.h5" --what pairs >"$folder/text" 2>"$folder/log"; then
    fail "export of pairs that are not there"
fi
[ "$(wc -l <"$folder/log")" -eq 1 ] || fail "not one line: $(cat "$folder/log")"
grep -qF -e "--pairs keep" "$folder/log" || fail "does not say how to keep pairs"
"$neardup" evaluate "$folder/plain.h5" --truth "$folder/corpus/clusters.tsv" --format json 2>"$folder/log" |
    python3 -c 'import json, sys; sys.exit("pairs" in json.load(sys.stdin))' || fail "pairs of nothing"
if "$neardup" inspect "$folder/plain.h5" | grep -q '^pairs'; then
    fail "inspect shows pairs that are not there"
fi
