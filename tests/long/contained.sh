#!/usr/bin/env bash
# Pages that are contained in others: against all pairs of pages compared exactly, the same on any
# number of ranks, with little memory, and after interruptions; sets stay as they are. The items of
# a test in a crawl, in one run and against an index; copies; what export and explain say of it, and
# what is refused.
# usage: contained.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
truth=$2/tests/contained_truth
need python3

seed=${ND_TEST_SEED:-$RANDOM}
echo "seed $seed (ND_TEST_SEED)"
python3 "$support/contained_pages.py" "$folder" --pages 150 \
    --items 60 --seed "$seed"
# one page twice, and once with another word at its end; an item that is a page
python3 - "$folder" <<'TEXT'
import json, sys
lines = {name: open("%s/%s.jsonl" % (sys.argv[1], name)).read().splitlines() for name in ("crawl", "items")}
planted = open(sys.argv[1] + "/planted.tsv").readline().split("\t")
page = json.loads(next(l for l in lines["crawl"] if json.loads(l)["id"] == planted[1]))
item = json.loads(lines["items"][0])
with open(sys.argv[1] + "/crawl.jsonl", "a") as file:
    file.write(json.dumps(dict(page, id="copy", url="http://copy.example/")) + "\n")
    file.write(json.dumps(dict(page, id="twin", text=page["text"] + " Twin")) + "\n")
    file.write(json.dumps({"id": "item-page", "url": "http://item.example/", "text": item["text"]}) + "\n")
    for number in range(300):  # a sentence that all have: its keys are frequent
        file.write(json.dumps({"id": "hot-%d" % number, "url": "http://hot%d.example/" % number,
            "text": "All rights in this text are reserved by the people who wrote it down here. "
                    + " ".join("h%dx%d" % (number, i) for i in range(30))}) + "\n")
TEXT
inputs=(items="$folder/items.jsonl" crawl="$folder/crawl.jsonl")
# one seed for all runs: which keys of a page are looked for follows from it, and an index has another
hashes=(--hash-seed "$((seed + 1))")
asked=("${inputs[@]}" --contained .8 "${hashes[@]}")

# contained NAME: its rows as ids and shares.
contained() {
    "$neardup" export "$folder/$1.h5" --what contained | awk -F'\t' 'NR > 1 { print $4 "\t" $7 "\t" $3 }' | sort
}

exported without "${inputs[@]}" "${hashes[@]}"
exported with "${asked[@]}"
cmp "$folder/without.tsv" "$folder/with.tsv" || fail "other sets"
cmp <("$neardup" export "$folder/without.h5" --what sets) <("$neardup" export "$folder/with.h5" --what sets) ||
    fail "other sets"
"$neardup" check "$folder/with.h5" >/dev/null || fail "a broken promise"
for ranks in 1 2 3 5; do
    partition ranks "$ranks" "${asked[@]}"
    same with ranks
done
partition small 2 "${asked[@]}" --memory 16M
same with small
kept=("${asked[@]}" --work "$folder/work" --checkpoint 1000)
partition kept 0 "${kept[@]}" --fault count
same with kept
renamings=$(sed -n 's/^passed: rank 0 .* rename \([0-9]*\).*/\1/p' "$folder/kept.log")
stages=
for back in 0 1; do # in the last stages: before and after the relation is in a checkpoint
    "$neardup" partition "${kept[@]}" -o "$folder/resumed.h5" --fault "rename:0:$((renamings - back))" \
        >"$folder/log" 2>&1 && fail "renaming $back before the last did not fail"
    partition resumed 3 "${kept[@]}" --resume
    stages+=$(sed -n 's/^resumed at \([a-z]*\).*/ \1/p' "$folder/resumed.log")
    same with resumed
done
[ "$stages" = " write contain" ] || fail "resumed at$stages"

# All pairs.
line=$("$truth" "$folder/with.h5" "${inputs[@]}" </dev/null | tail -n 1) || fail "$line"
echo "$line"
read -r true _ found _ wrong _ <<<"$line"
[ "$((true > 50 && wrong == 0 && found * 100 >= true * 85))" -eq 1 ] || fail "$line"
grep -Eq '^contained: [0-9]+ of [0-9]+ pairs that were compared; [1-9][0-9]* meetings' \
    "$folder/with.log" || fail "nothing of frequent keys was passed over"

# The items of a test: those that stand as they are in pages are all found, and of those that stand
# nowhere none; the same as in the whole relation, and against an index.
partition items 2 "${asked[@]}" --contained-query items
contained items >"$folder/found.tsv"
contained with | grep '^item-[0-9]' | grep -v $'\titem-[0-9]' >"$folder/expected.tsv"
cmp "$folder/found.tsv" "$folder/expected.tsv" || fail "--contained-query finds others"
awk -F'\t' '$3 == "exact" { print $1 "\t" $2 "\t1" }' "$folder/planted.tsv" | sort -u |
    comm -23 - "$folder/found.tsv" >"$folder/lost.tsv"
[ ! -s "$folder/lost.tsv" ] || fail "not found: $(cat "$folder/lost.tsv")"
awk -F'\t' '{ split($1, id, "-") } id[2] % 4 == 3 { exit 1 }' "$folder/found.tsv" ||
    fail "an item that stands nowhere"
IFS=$'\t' read -r item page _ <"$folder/planted.tsv"
grep -q "^$item	copy	1\$" "$folder/found.tsv" || fail "a copy of a page that contains an item"
grep -q "^item-0	item-page	1\$" "$folder/found.tsv" || fail "a page that is an item"
partition index 0 "${inputs[0]}" "${hashes[@]}" --write-index "$folder/index"
partition against 2 "${inputs[1]}" --index "$folder/index" --contained .8 --contained-query items
contained against | cmp - "$folder/found.tsv" || fail "another relation against an index"

contained with | grep -q "^$page	twin	" && fail "a near-duplicate in the same set"
grep -q "^$item	twin	1\$" "$folder/found.tsv" || fail "an item in a near-duplicate"

# What is said of it.
"$neardup" explain "$folder/with.h5" "id:$page" "id:$item" >"$folder/text"
grep -q 'B is contained in A: 1.0000 of its tokens' "$folder/text" || fail "explain: $(cat "$folder/text")"
"$neardup" explain "$folder/with.h5" "id:$item" id:copy --format json |
    python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["run"]["a_contained"] != 1)' || fail "explain"
"$neardup" export "$folder/with.h5" --what contained --format jsonl |
    python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["id"], row["container_id"], "%.6g" % row["share"], sep="\t")' | sort |
    cmp - <(contained with) || fail "export: JSON"
"$neardup" inspect "$folder/with.h5" | grep -Eq '^contained +[1-9]' || fail "inspect"
{ "$neardup" export "$folder/without.h5" --what contained || true; } 2>&1 | grep -q -- '--contained' ||
    fail "no cure for a result without"
input=$folder/crawl.jsonl
check_refused <<'TEXT'
--contained 1.5
--contained -1
--contained-query items
--contained-query nobody --contained .8
TEXT
[ "$refused" -eq 4 ] || fail "$refused of 4 refused"
