#!/usr/bin/env bash
# A page of words that were searched until each had the hash of a word of another page: who knows the
# seed of hashes makes it in minutes (build/.../tests/collisions 1 <TEXT made this one). The seed of
# a run follows from the bytes of all its inputs, so the page is like any other there.
# usage: forged.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"
mkdir in
cat >in/a.jsonl <<'JSONL'
{"id": "original", "url": "http://news.example/a", "text": "The council approved a new plan for the harbour on Tuesday night.\nFerries to the outer islands will leave from the northern pier in spring.\nResidents had asked for a wider footpath along the water.\nWork on the quay begins after the winter storms are over."}
JSONL
cat >in/b.jsonl <<'JSONL'
{"id": "forged", "url": "http://spam.example/b", "text": "safedesavoru ronilatavuba cicegarahane tisodupalili kipunuraboja jabunapasefi bafovosarahe safedesavoru labirupadaca cibivipapuno kebatirapalu honuretasake.\nrugutapajone tivuhopatofu safedesavoru jubadepaseca vunicasanugo pasebipapido kihefasajatu refijepapore safedesavoru tuluvapanine soramipanofo kunabosaheli hihogopajija.\njulecevajoni gakucatalige kimatepahagu bafovosarahe tisodupalili wider pilipepararo fukomisakehe safedesavoru pinudipaniga.\njekipepapide cibivipapuno safedesavoru fekevoracano sibevoralobe nofelipamuga safedesavoru hofumopacodo ronijutadosu kagidopabeki fogudupatuhu."}
JSONL

# sets NAME: of each page its id, set, similarity and exact_of.
sets() {
    "$neardup" export "$1.h5" | awk -F '\t' 'NR > 1 { printf "%s %s %s %s;", $2, $5, $6, $10 == "" ? $1 : $10 }'
}

# seed FILE: of hashes, of a result; or of what else says its parameters.
seed() {
    "$neardup" "${2:-inspect}" ${3:+"$3"} "$1" | grep -o '"hash_seed":[0-9]*'
}

for preset in default safe; do
    partition known 0 --preset "$preset" --hash-seed 1 in
    [ "$(sets known)" = "original 0 1 0;forged 0 1 1;" ] || fail "the pages do not collide: $(sets known)"
    partition "$preset" 0 --preset "$preset" in
    [ "$(sets "$preset")" = "original 0 1 0;forged 1 1 1;" ] || fail "$preset: $(sets "$preset")"
done
partition exact 0 --method exact --hash-seed 1 in
[ "$(sets exact)" = "original 0 1 0;forged 1 1 1;" ] || fail "exact: $(sets exact)"

# the seed is that of the bytes, whatever their files' names, order and dates, and the ranks
mkdir other
cp in/a.jsonl other/z.jsonl
cp in/b.jsonl other/y.jsonl
touch -d 2001-01-01 other/z.jsonl
for ranks in 1 2 3 5; do
    partition "ranks$ranks" "$ranks" in
    same default "ranks$ranks"
done
partition other 0 other
[ "$(seed other.h5)" = "$(seed default.h5)" ] || fail "another seed by other names"
printf ' ' >>other/z.jsonl
partition more 0 other
[ "$(seed more.h5)" != "$(seed default.h5)" ] || fail "the seed does not follow from all bytes"

# an index keeps its seed, and who comes against it takes it
partition first 0 --write-index first.index in/a.jsonl
partition second 0 --index first.index in/b.jsonl
seeds=$(seed first.index index info && seed first.h5 && seed second.h5)
[ "$(sort -u <<<"$seeds" | wc -l)" -eq 1 ] || fail "a run against an index has not its seed: $seeds"
[ "$(seed second.h5)" != "$(seed default.h5)" ] || fail "the seeds should differ"
[ "$(sets second)" = "original 0 1 0;forged 1 1 1;" ] || fail "against: $(sets second)"
if "$neardup" partition --hash-seed 2 --index first.index in/b.jsonl -o refused.h5 2>refused.log; then
    fail "another seed than the index's is taken"
fi
grep -q 'hash_seed was [0-9]* and is 2' refused.log || fail "refused with: $(cat refused.log)"

# with the seed of one run over both, two steps are that run
one=$(seed default.h5)
partition step1 0 --hash-seed "${one#*:}" --write-index step.index in/a.jsonl
partition step2 0 --index step.index in/b.jsonl
partition again 0 --reread --index first.index in/b.jsonl
[ "$(seed step2.h5)" = "$one" ] || fail "the steps have not the given seed"
[ "$(seed again.h5)" = "$one" ] || fail "--reread has not the seed of one run"
[ "$("$neardup" export step2.h5)" = "$("$neardup" export default.h5)" ] || fail "two steps are not one"
echo "a forged page is another one"
