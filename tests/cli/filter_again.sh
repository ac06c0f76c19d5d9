#!/usr/bin/env bash
# What filter keeps, partitioned again: no pair above the threshold comes back that the first run had
# verified, where sets are components of such pairs; otherwise only pairs whose pages the first run has
# put into two sets. Called as filter_again.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"
"$neardup" synthesize -o made --pages 3000 --seed 4242 --progress none >/dev/null 2>&1

# again NAME OPTION...: NAME.1 of all, NAME.2 of what is kept; pairs of both and pages of the first
again() {
    local name=$1
    shift
    partition "$name.1" 0 made --pairs keep "$@"
    "$neardup" filter "$name.1.h5" -o "$name" 2>log || fail "$name: $(cat log)"
    partition "$name.2" 0 "$name" --pairs keep "$@"
    "$neardup" export "$name.1.h5" --format jsonl >"$name.pages"
    for run in 1 2; do
        "$neardup" export "$name.$run.h5" --what pairs --format jsonl >"$name.$run.pairs"
    done
    python3 - "$name" <<'TEXT' || fail "$name: see above"
import json
import sys

name = sys.argv[1]
rows = [json.loads(line) for line in open(name + ".pages")]
sets = {row["id"]: row["set"] for row in rows}
first, second = ({frozenset((row["id_a"], row["id_b"])) for row in map(json.loads, open(f"{name}.{run}.pairs"))}
                 for run in (1, 2))
back = first & second
print(f"{name}: {len(first)} pairs, of what is kept {len(second)}, of these verified before {len(back)}")
assert len(first) > 1000 and len(sets) == 3000, "the test shows nothing"
assert all(len({sets[page] for page in pair}) == 2 for pair in back), "a pair of one set is back"
assert not back or name != "components", "a verified pair is back"
TEXT
}
again components --sets components --record-pages join --min-confidence 0
again guarded
echo "filter_again.sh: passed"
