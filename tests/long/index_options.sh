#!/usr/bin/env bash
# Runs across crawls that keep pairs, or take out uncertain pages: the same on any number of ranks;
# old pages stay where they were; with --recluster what one run over all gives, to the byte. Called as
# index_options.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"

"$neardup" synthesize -o made --pages 360 --shard-pages 120 --page-bytes 4000 --seed 12 >log 2>&1
pages=(made/pages-0000{0,1,2}.warc.gz)
options=(--templates 0 --group-pairs 64 --hash-seed 1 --pairs keep --min-confidence .9)
steps() { # NAME RANKS RANKS RANKS
    partition "${1}0" "$2" "${options[@]}" "${pages[0]}" --write-index "$1"0.index
    partition "${1}1" "$3" "${options[@]}" "${pages[1]}" --index "$1"0.index --write-index "$1"1.index
    partition "${1}2" "$4" "${options[@]}" "${pages[2]}" --index "$1"1.index
    partition "${1}all" "$4" "${options[@]}" "${pages[2]}" --index "$1"1.index --recluster
}
steps a 0 0 0
steps b 2 3 5
for n in 0 1 2 all; do
    same a$n b$n
    "$neardup" check a$n.h5 >log || fail "check a$n.h5: $(cat log)"
done
partition whole 2 "${options[@]}" "${pages[@]}"
same whole aall
cmp <("$neardup" export whole.h5 --what pairs) <("$neardup" export a2.h5 --what pairs) ||
    fail "other pairs than those of one run"
[ "$("$neardup" export a2.h5 --what pairs | wc -l)" -gt 100 ] || fail "hardly any pairs"
sets() { "$neardup" export "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["set"], $at["id"] }'; }
cmp <(sets a1.h5) <(sets a2.h5 | head -n "$(sets a1.h5 | wc -l)") || fail "sets of old pages have changed"
echo "--pairs keep and --min-confidence: the same on 1, 2, 3 and 5 ranks; with --recluster one run over all"

options=(--templates 0 --group-pairs 64 --hash-seed 1 --pairs keep)
steps c 0 2 3
count() { sets "$1" | cut -d' ' -f1 | sort -u | wc -l; }
[ "$(count c2.h5)" -lt "$(count a2.h5)" ] || fail "nobody has left a set"
echo "uncertain pages leave"
