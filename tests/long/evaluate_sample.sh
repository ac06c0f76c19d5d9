#!/usr/bin/env bash
# neardup evaluate --sample: seeds and resamples, the same as text and as JSON, what it prints and
# refuses. The numbers are compared with counts in property/p_measure.c, and kept in cli/texts.
# usage: evaluate_sample.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

corpus=$folder/corpus
timeout 900 "$neardup" synthesize -o "$corpus" --pages 3000 --shard-pages 2000 --seed 8 --page-bytes 4000 \
    --progress none 2>"$folder/errors"
exported lcs "$corpus"
exported simhash --method simhash "$corpus"

# The same seed gives the same answer, another one another sample and other intervals.
evaluate=("$neardup" evaluate "$folder/lcs.h5" --truth "$corpus/clusters.tsv" --sample 100
    --baseline "$folder/simhash.h5")
for seed in 1 1 2; do
    "${evaluate[@]}" --seed "$seed" --format json
done >"$folder/answers"
[ "$(sort -u "$folder/answers" | wc -l)" -eq 2 ] || fail "seeds do not do what they should"
for resamples in 400 4000; do
    "${evaluate[@]}" --resamples "$resamples" --format json
done | sed 's/"resamples":[0-9]*//' | sort -u >"$folder/answers"
[ "$(wc -l <"$folder/answers")" -eq 2 ] || fail "--resamples is not heeded"

# The text says the same as the JSON.
"${evaluate[@]}" --format json >"$folder/answer.json"
"${evaluate[@]}" >"$folder/text"
python3 - "$folder/answer.json" "$folder/text" <<'PYTHON'
import json, re, sys
with open(sys.argv[1]) as file:
    answer = json.load(file)["sample"]
with open(sys.argv[2]) as file:
    text = file.read()
for name in ("precision", "relative recall", "recall", "baseline recall"):
    numbers = re.search("^%s  +([0-9].*)$" % name, text, re.M).group(1)
    said = [float(n) for n in re.findall("[0-9.]+", numbers)]
    known = [answer[scope][name.replace(" ", "_")][part] for scope in ("all", "same_site")
             for part in ("mean", "lower", "upper")]
    if len(said) != 6 or any(abs(t - k) > .5001e-4 for t, k in zip(said, known)):
        sys.exit("evaluate_sample: %s: %s in the text, %s in JSON" % (name, said, known))
PYTHON
grep -q '^sample     100 of the [0-9]* sets of two or more evaluated pages of .*lcs.h5; seed 0, ' "$folder/text" ||
    fail "the text does not say what is sampled"

# Nothing to sample: said, not an error.
head -n 2 "$corpus/clusters.tsv" | awk -F '\t' '{print $1 "\t" NR}' >"$folder/two.tsv"
"$neardup" evaluate "$folder/simhash.h5" --truth "$folder/two.tsv" --loose "$folder/two.tsv" --sample 5 \
    >"$folder/text"
grep -qx "no set can be sampled" "$folder/text" || fail "an empty sample is not said"
"$neardup" evaluate "$folder/simhash.h5" --truth "$folder/two.tsv" --loose "$folder/two.tsv" --sample 5 \
    --format json | grep -q '"sets":0,.*"precision":null' || fail "an empty sample has a precision"

refuse() {
    refuses "$1" "$2" evaluate "$folder/lcs.h5" --truth "$corpus/clusters.tsv" "${@:3}"
}
head -n 2 "$corpus/clusters.tsv" | cut -f 1 | paste -s | sed 's/$/\tnear/' >"$folder/pairs.tsv"
refuse 2 "--sample 0" --sample 0
refuse 2 "--sample many" --sample many
refuse 2 "--resamples 0" --sample 5 --resamples 0
refuse 2 "--seed x" --sample 5 --seed x
refuse 2 "--baseline" --baseline "$folder/simhash.h5"
refuse 2 "--singletons" --singletons
refuse 2 "--sample:" --sample 5 --truth "$folder/pairs.tsv" --similar near
refuse 1 "none.h5" --sample 5 --baseline "$folder/none.h5"
refuse 1 "clusters.tsv" --sample 5 --sample-from "$corpus/clusters.tsv"
