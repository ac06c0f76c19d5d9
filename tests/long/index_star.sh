#!/usr/bin/env bash
# --preset safe and --sets star across crawls, whose sets are the leader loop's: old pages stay where they were, new
# ones join the sets whose leaders they are similar to; the same on any number of ranks; with --recluster
# one run over all, to the byte. Called as index_star.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"

"$neardup" synthesize -o made --pages 450 --shard-pages 150 --page-bytes 4000 --seed 14 >log 2>&1
pages=(made/pages-0000{0,1,2}.warc.gz)
kinds=("--preset safe --sets star" "--sets star --threshold .8 --thin apart --min-confidence 0")
steps() { # NAME RANKS RANKS RANKS
    partition "${1}0" "$2" "${options[@]}" "${pages[0]}" --write-index "$1"0.index
    partition "${1}1" "$3" "${options[@]}" "${pages[1]}" --index "$1"0.index --write-index "$1"1.index
    partition "${1}2" "$4" "${options[@]}" "${pages[2]}" --index "$1"1.index
}
# sets FILE [ROWS]: the set of each page
sets() { "$neardup" export "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["set"], $at["id"] }'; }

# ---- any number of ranks; old pages as they were

for kind in "${kinds[@]}"; do
    read -r -a options <<<"$kind --templates 0 --hash-seed 1"
    rm -rf ./*.index
    steps a 0 0 0
    steps b 2 3 5
    for n in 0 1 2; do
        same a$n b$n
        "$neardup" check a$n.h5 >log || fail "check a$n.h5: $(cat log)"
    done
    for n in 0 1; do
        cmp <(sets a$n.h5) <(sets a$((n + 1)).h5 | head -n "$(sets a$n.h5 | wc -l)") || fail "sets of old pages have changed"
    done
    echo "$kind: the same on 1, 2, 3 and 5 ranks; old pages as they were"
done

# ---- against one run over all: pairs of new and old pages, and sets made anew

partition whole 3 "${options[@]}" "${pages[@]}"
cmp <(sets whole.h5 | wc -l) <(sets a2.h5 | wc -l) || fail "other pages"
pairs_of() { # NAME: pairs of pages in one set
    sets "$1.h5" | sort -k1,1n -k2,2 | awk '$1 != set { set = $1; n = 0 }
        { for (i = 0; i < n; i++) print seen[i], $2; seen[n++] = $2 }' | sort >"$1.pairs"
}
pairs_of whole
pairs_of a2
all=$(wc -l <whole.pairs)
missing=$(comm -23 whole.pairs a2.pairs | wc -l)
added=$(comm -13 whole.pairs a2.pairs | wc -l)
echo "pairs of one run $all, missing in additions $missing, more $added"
[ "$all" -gt 100 ] || fail "hardly any pairs: $all"
[ $((10 * (missing + added))) -lt "$all" ] || fail "additions: $missing missing, $added more, of $all pairs"
partition anew 3 "${options[@]}" "${pages[2]}" --index a1.index --recluster
same whole anew
partition anew1 2 "${options[@]}" "${pages[1]}" --index a0.index --recluster --write-index anew1.index
partition anew2 5 "${options[@]}" "${pages[2]}" --index anew1.index --recluster
same whole anew2
echo "--recluster: one run over all, to the byte"

# ---- single pages

"$neardup" synthesize -o lines --pages 450 --shard-pages 150 --page-bytes 4000 --seed 14 --format jsonl >log 2>&1
"$neardup" query a0.index <lines/pages-00001.jsonl >answers 2>log || fail "query: $(cat log)"
sets a1.h5 | awk 'NR == FNR { if (match($0, /"id":"[^"]*"/)) id = substr($0, RSTART + 6, RLENGTH - 7)
        set[id] = match($0, /"set":[0-9]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : "none"; next }
    FNR <= old { there[$1]; next }
    { joined += $1 in there; right += ($1 in there ? $1 : "none") == set[$2] }
    END { print joined, right; exit joined < 20 || right < 145 }' old="$(sets a0.h5 | wc -l)" answers - ||
    fail "query names other sets than the run"
status=0
"$neardup" partition "${pages[1]}" --index a0.index -o no.h5 >log 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "exit code $status of other options than the index's"
grep -qF 'threshold was 0.8 and is 0.46' log || fail "other options are not named: $(cat log)"
echo "asked for single pages, refused"
