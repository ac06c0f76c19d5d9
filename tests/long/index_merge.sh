#!/usr/bin/env bash
# Two indexes merged: what a run of the second's inputs against the first leaves, to the byte where no
# templates are learned, on any number of ranks and without the inputs; what does not fit together is
# refused by name. Called as index_merge.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"

# merge STATUS RANKS FIRST SECOND INDEX
merge() {
    local status=0 launch=()
    [ "$2" -eq 0 ] || launch=(mpirun -n "$2")
    "${launch[@]}" "$neardup" index merge "$3" "$4" -o "$5" </dev/null >log 2>&1 || status=$?
    [ "$status" -eq "$1" ] || fail "exit code $status, not $1, of merging $3 and $4: $(cat log)"
    ! compgen -G '*.work' >/dev/null || fail "left: $(ls)"
}

"$neardup" synthesize -o made --pages 240 --shard-pages 60 --page-bytes 4000 --seed 12 >log 2>&1
pages=(made/pages-0000{0,1,2,3}.warc.gz)
bare=(--templates 0 --hash-seed 1) # what is merged has one
partition a 0 "${bare[@]}" x=made/pages-00000.warc.gz --write-index a.index --index-texts inputs
partition b1 2 "${bare[@]}" y="${pages[1]}" --write-index b1.index
partition b 0 "${bare[@]}" x="${pages[2]}" --index b1.index --write-index b.index --index-texts inputs
partition ab 0 "${bare[@]}" y="${pages[1]}" x="${pages[2]}" --index a.index --write-index ab.index
partition after 0 "${bare[@]}" "${pages[3]}" --index ab.index
for n in 0 2 3 5; do
    merge 0 $n a.index b.index m$n.index
    "$neardup" index check m$n.index >/dev/null || fail "index check m$n.index"
done
grep -q '^m5.index: 180 pages; of those of b.index [1-9]' log || fail "$(cat log)"
mv "${pages[1]}" "${pages[2]}" . # what is merged has its texts in the new index
partition after0 3 "${bare[@]}" "${pages[3]}" --index m0.index
same after after0
partition after5 0 "${bare[@]}" "${pages[3]}" --index m5.index
same after after5
mv pages-0000{1,2}.warc.gz made
echo "merged on 1, 2, 3 and 5 ranks: what a run against the first leaves"

# With templates: of a site that both know the first says what later pages are selected by, the second
# what its own pages are. Of site y a page has the text of one of site x, and another its content alone.
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 4; i++) frame = frame sentence()
    for (i = 0; i < 12; i++) body = body sentence()
    page("x.jsonl", "x", 0, frame body)
    page("y.jsonl", "y", 0, frame body)
    page("y.jsonl", "y", 1, body frame)
    for (k = 2; k < 10; k++) {
        text = frame
        for (i = 0; i < 12; i++) text = text sentence()
        page("y.jsonl", "y", k, text)
    }
}
function page(file, site, number, html) {
    printf "{\"id\":\"%s%d\",\"url\":\"http://%s.example/%d\",\"html\":\"%s\"}\n", site, number, site, number, html >file
}
function sentence(  i, k, words) {
    for (i = 0; i < 12; i++) {
        for (k = 0; k < 5; k++) words = words sprintf("%c", 97 + int(26 * rand()))
        words = words (i < 11 ? " " : ".")
    }
    return "<p>" words "</p>"
}'
partition c 0 --hash-seed 2 x.jsonl "${pages[0]}" --write-index c.index
partition d 2 --hash-seed 2 y.jsonl "${pages[1]}" --write-index d.index --index-texts inputs
merge 0 3 c.index d.index cd.index
"$neardup" index check cd.index >/dev/null || fail "index check cd.index"
partition last 2 "${pages[2]}" --index cd.index
"$neardup" check "$folder/last.h5" >log || fail "check: $(cat log)"
sets() { "$neardup" export "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["set"], $at["id"] }'; }
cmp <(sets c.h5) <(sets last.h5 | head -n 61) || fail "sets of the first have changed"
[ "$(sets last.h5 | grep -E ' (x0|y0|y1)$' | cut -d' ' -f1 | sort -u | wc -l)" -eq 1 ] || fail "a page has left those with its content"
echo "with templates: the first's sets are as they were"

merge 2 0 a.index c.index no.index
grep -qF "templates was 1000 and is 0" log || fail "does not name the option: $(cat log)"
partition e 0 --templates 0 x=made/pages-00000.warc.gz --write-index e.index
merge 2 0 a.index e.index no.index
grep -qF "e.index: its hashes have another seed than those of a.index: make it anew with --hash-seed 1" log ||
    fail "another seed: $(cat log)"
merge 2 0 a.index a.index no.index
grep -qF "a.index: is the same index" log || fail "the same index twice: $(cat log)"
merge 2 0 a.index b.index m0.index
grep -qF "is there already" log || fail "a name that is taken: $(cat log)"
merge 2 2 a.index made no.index
grep -qF "is no index" log || fail "a folder that is no index: $(cat log)"
cp -r b.index bad.index
printf 'x' | dd of="$(find bad.index -name '*-pages-*' | head -n 1)" bs=1 seek=100 conv=notrunc 2>/dev/null
merge 1 0 a.index bad.index no.index
grep -qF "bad.index/" log || fail "does not name the damaged file: $(cat log)"
mv "${pages[0]}" .
merge 1 2 b.index a.index no.index
grep -qF "made/pages-00000.warc.gz" log || fail "does not name the input: $(cat log)"
! compgen -G 'no.index*' >/dev/null || fail "made something"
echo "refused by name"
