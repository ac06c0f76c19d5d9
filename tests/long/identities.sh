#!/usr/bin/env bash
# One file is one source, whatever it is called, and what export --what drop lists can be deleted by
# id without losing a page that is kept. Called as identities.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3
cd "$folder"

# make_pages FILE FIRST LAST [ID_OF]: pages of texts FIRST to LAST, which share nothing, with their
# numbers as ids, or ID_OF all.
make_pages() {
    python3 - "$@" <<'PYTHON'
import random, sys
path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "w") as out:
    for i in range(first, last + 1):
        r = random.Random(i)
        words = " ".join("".join(r.choice("bcdfgklmnprstvw") + r.choice("aeiou")
                                 for _ in range(4)) for _ in range(60))
        name = sys.argv[4] if len(sys.argv) > 4 else i
        id_field = "" if name == "none" else '"id": "%s", ' % name
        out.write('{%s"url": "http://x/%d", "text": "%s."}\n' % (id_field, i, words))
PYTHON
}

# ids FILE: of a table of pages.
ids() {
    tail -n +2 "$1" | cut -f 2 | sort -u
}

# check_drop NAME DROPPED [SHARED]: so many rows are dropped, so many kept for their ids alone, which
# stderr says; keep and drop are all pages; no id, or place, is both kept and dropped.
check_drop() {
    local kept dropped
    "$neardup" export "$1.h5" --what keep >keep.tsv 2>/dev/null
    "$neardup" export "$1.h5" --what drop >drop.tsv 2>said
    cmp <("$neardup" export "$1.h5" | cut -f 1 | sort) \
        <({ cut -f 1 keep.tsv && tail -n +2 drop.tsv | cut -f 1; } | sort) || fail "$1: not all pages"
    kept=$(tail -n +2 keep.tsv | awk -F '\t' '{ print $2 == "" ? $11 "\t" $12 : $2 }' | sort -u)
    dropped=$(tail -n +2 drop.tsv | awk -F '\t' '{ print $2 == "" ? $11 "\t" $12 : $2 }' | sort -u)
    ! comm -12 <(echo "$kept") <(echo "$dropped") | grep -q . ||
        fail "$1: kept and dropped: $(comm -12 <(echo "$kept") <(echo "$dropped"))"
    [ "$(tail -n +2 drop.tsv | wc -l)" -eq "$2" ] || fail "$1: dropped: $(cat drop.tsv)"
    if [ "${3:-0}" -eq 0 ]; then
        [ ! -s said ] || fail "$1: said: $(cat said)"
    else
        grep -q "^neardup export: $3 more pages are kept" said || fail "$1: said: $(cat said)"
    fi
}

# said NAME COUNT / silent NAME: of repeated ids.
said() {
    grep -q "^neardup: $2 pages have the id of an earlier page" "$folder/$1.log" ||
        fail "$1: $(cat "$folder/$1.log")"
}
silent() {
    ! grep -q "have the id of" "$folder/$1.log" || fail "$1: $(cat "$folder/$1.log")"
}

# pages NAME COUNT
pages() {
    [ "$("$neardup" export "$1.h5" | tail -n +2 | wc -l)" -eq "$2" ] || fail "$1: not $2 pages"
}

# ---- one file under several names
make_pages mini.jsonl 1 5
mkdir sub
ln -s ../mini.jsonl sub/soft.jsonl
ln mini.jsonl sub/hard.jsonl
for ranks in 0 2; do
    partition "one$ranks" "$ranks" mini.jsonl
    for words in "mini.jsonl $PWD/mini.jsonl" "$PWD/mini.jsonl mini.jsonl" "sub/hard.jsonl mini.jsonl" \
        "sub/soft.jsonl sub mini.jsonl" "sub/../mini.jsonl mini.jsonl"; do
        # shellcheck disable=SC2086 # words
        partition several "$ranks" $words
        pages several 5
        grep -q "inputs were given twice" several.log || fail "not said: $words: $(cat several.log)"
        silent several
        check_drop several 0
    done
done
partition first 0 sub/hard.jsonl mini.jsonl
partition second 0 mini.jsonl sub/hard.jsonl
same first second # and named by one path
"$neardup" export first.h5 | grep -q 'hard.jsonl' && fail "not the first path in order"

# ---- in two collections it counts twice, but a page of it is only dropped if no other is kept
partition twice 0 a=mini.jsonl b=sub/hard.jsonl
pages twice 10
silent twice
check_drop twice 0 5
make_pages nameless.jsonl 1 5 none
ln nameless.jsonl sub/nameless2.jsonl
partition nameless 2 b=nameless.jsonl a=sub/nameless2.jsonl
pages nameless 10
check_drop nameless 0 5

# ---- files of equal content, on request
cp mini.jsonl copy.jsonl
make_pages other.jsonl 6 9
partition copies 0 mini.jsonl copy.jsonl other.jsonl
pages copies 14
said copies 5
grep -q "copy.jsonl, byte 0" copies.log || fail "no example: $(cat copies.log)"
check_drop copies 0 5
partition skipped 2 mini.jsonl copy.jsonl other.jsonl --dedup-inputs
pages skipped 9
silent skipped
check_drop skipped 0
partition kept 0 mini.jsonl other.jsonl copy.jsonl --same-content keep
same copies kept
partition skipped_in_one 0 a=mini.jsonl b=copy.jsonl --dedup-inputs
pages skipped_in_one 10

# ---- one id for pages of several texts, on any number of ranks
make_pages same_id.jsonl 1 4 X # four texts, all with the id X
make_pages again.jsonl 1 2 Y   # copies of two of them: dropped, or kept, without loss
for ranks in 1 2 3 5; do
    partition "ids$ranks" "$ranks" same_id.jsonl again.jsonl
    said "ids$ranks" 4
    grep -o 'neardup: 4 pages have.*' "ids$ranks.log" >"ids$ranks.said"
    cmp -s ids1.said "ids$ranks.said" || fail "another example: $(cat "ids$ranks.said")"
    same ids1 "ids$ranks"
done
check_drop ids1 0 2 # again.jsonl comes first: its pages are kept, two of X are copies, two are kept
[ "$(ids keep.tsv | tr '\n' ' ')" = "X Y " ] || fail "kept: $(cat keep.tsv)"

# ---- ids that are not repeated: nothing is said, all other pages are dropped
make_pages fresh.jsonl 1 5
sed 's/"id": "/"id": "n/' fresh.jsonl >renamed.jsonl
partition fresh 2 fresh.jsonl renamed.jsonl
silent fresh
check_drop fresh 5
echo "ok"
