#!/usr/bin/env bash
# neardup evaluate --sample against a second implementation, which reads the results as exported,
# draws the same sets and looks at every page for each of them; intervals by what must hold of any;
# what it prints and refuses.
# usage: evaluate_sample.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

# The second implementation. It knows the generator (SplitMix64) and how sets are drawn: the first
# of the sets in question, in the order of their numbers, changes places with one of them, and so on.
cat >"$folder/score.py" <<'PYTHON'
import json, sys
from fractions import Fraction
from urllib.parse import urlsplit
(evaluated_file, sampled_file, baseline_file, truth_file, loose_file, ambiguous_file, classes_file,
 answer_file) = sys.argv[1:]
def rows(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file if line != "\n"]
def export(path):
    found, host = {}, {}
    for row in rows(path)[1:]:
        name = row[1] or row[2]
        found.setdefault(name, int(row[4]))
        host.setdefault(name, urlsplit(row[2]).hostname)
    return found, host
evaluated, site = export(evaluated_file)
if classes_file != "-":
    site = {row[0]: row[4] for row in rows(classes_file)}
sampled = export(sampled_file)[0]
baseline = export(baseline_file)[0] if baseline_file != "-" else None
cluster = {row[0]: row[1] for row in rows(truth_file)}
loose = {row[0] for row in rows(loose_file)}
ambiguous = {frozenset(row[:2]) for row in rows(ambiguous_file)} if ambiguous_file != "-" else set()
results = [r for r in (evaluated, sampled, baseline) if r is not None]
pages = [p for p in cluster if p not in loose and all(p in r for r in results)]
with open(answer_file) as file:
    answer = json.load(file)["sample"]

members = {}
for p in pages:
    members.setdefault(sampled[p], []).append(p)
eligible = sorted(s for s in members if answer["singletons"] or len(members[s]) > 1)
state, mask = answer["seed"], 2**64 - 1
def below(bound):
    global state
    state = (state + 0x9e3779b97f4a7c15) & mask
    x = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & mask
    return (x ^ x >> 31) % bound
population = len(eligible)
drawn = eligible[:]
for i in range(answer["sets"]):
    other = i + below(population - i)
    drawn[i], drawn[other] = drawn[other], drawn[i]
drawn = drawn[:answer["sets"]]

names = ("precision", "relative_recall", "recall", "baseline_recall")
sums = {scope: dict.fromkeys(names, Fraction(0)) for scope in ("all", "same_site")}
totals = {scope: dict.fromkeys(("pages", "similar_pages", "baseline_similar_pages",
          "similar_pages_anywhere", "alone", "baseline_alone"), 0) for scope in sums}
for s in drawn:
    similar_in_set = lambda p: sum(cluster[q] == cluster[p] for q in members[s])
    page = max(members[s], key=similar_in_set)  # the first in the order of the truth, if several
    for scope, total in totals.items():
        near = [p for p in pages if scope == "all" or site[p] == site[page]]
        in_set = [p for p in near if evaluated[p] == evaluated[page]]
        counted = sum(frozenset((cluster[p], cluster[page])) not in ambiguous for p in in_set)
        similar = sum(cluster[p] == cluster[page] for p in in_set)
        anywhere = sum(cluster[p] == cluster[page] for p in near)
        in_baseline = 0 if baseline is None else sum(
            cluster[p] == cluster[page] and baseline[p] == baseline[page] for p in near)
        for name, count in zip(total, (counted, similar, in_baseline, anywhere, counted == 1,
                                       in_baseline == 1)):
            total[name] += count
        sums[scope]["precision"] += Fraction(similar, counted)
        sums[scope]["recall"] += Fraction(similar, anywhere)
        if baseline is not None:
            sums[scope]["relative_recall"] += Fraction(similar, in_baseline)
            sums[scope]["baseline_recall"] += Fraction(in_baseline, anywhere)

wrong = []
def check(name, got, expected):
    if got is None or abs(got - expected) > 1e-9:
        wrong.append((name, got, float(expected)))
check("population", answer["population"], population)
missing = sum(p in evaluated and p not in loose and any(p not in r for r in results) for p in cluster)
check("missing_pages", answer["missing_pages"], missing)
for scope, measures in sums.items():
    for name, count in totals[scope].items():
        check((scope, name), answer[scope][name], count)
    for name, total in measures.items():
        estimate = answer[scope][name]
        if baseline is None and name in ("relative_recall", "baseline_recall"):
            if estimate is not None:
                wrong.append((scope, name, "without a baseline"))
            continue
        check((scope, name), estimate["mean"], total / len(drawn))
        if not estimate["lower"] <= estimate["mean"] <= estimate["upper"]:
            wrong.append((scope, name, estimate))
        if len(drawn) == 1 and not estimate["lower"] == estimate["mean"] == estimate["upper"]:
            wrong.append((scope, name, "one set, no point", estimate))
if wrong:
    sys.exit("evaluate_sample differs from the count over all pages: %s" % wrong)
print("evaluate_sample: %d of %d sets, %d pages, %d similar: as counted over all pages" % (
    len(drawn), population, totals["all"]["pages"], totals["all"]["similar_pages"]))
PYTHON

corpus=$folder/corpus
timeout 900 "$neardup" synthesize -o "$corpus" --pages 3000 --shard-pages 2000 --seed 8 --page-bytes 4000 \
    --progress none 2>"$folder/errors"
exported lcs "$corpus"
exported simhash --method simhash "$corpus"
exported cosine --method cosine "$corpus"
exported part --method simhash "$corpus/pages-00000.warc.gz"

# Clusters that share a set: every second pair is ambiguous.
awk -F '\t' 'NR == FNR {cluster[$1] = $2; next}
    FNR > 1 {c = cluster[$2]
        for (i = 0; i < n[$5]; i++) if (seen[$5, i] != c && !said[seen[$5, i], c]++ && k++ % 2)
            print seen[$5, i] "\t" c
        seen[$5, n[$5]++] = c}' "$corpus/clusters.tsv" "$folder/lcs.tsv" >"$folder/ambiguous.tsv"
[ -s "$folder/ambiguous.tsv" ] || fail "no two clusters share a set: nothing is ambiguous"

# score NAME SAMPLED BASELINE AMBIGUOUS OPTION...: both implementations; SAMPLED may be NAME,
# BASELINE and AMBIGUOUS may be - for none. With --classes sites are those of its file.
score() {
    local name=$1 sampled=$2 baseline=$3 ambiguous=$4
    shift 4
    local classes=-
    [ "$1" != --classes ] || classes=$2
    local options=("$@" --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv")
    local baseline_tsv=-
    [ "$sampled" = "$name" ] || options+=(--sample-from "$folder/$sampled.h5")
    [ "$ambiguous" = - ] || options+=(--ambiguous "$ambiguous")
    if [ "$baseline" != - ]; then
        options+=(--baseline "$folder/$baseline.h5")
        baseline_tsv=$folder/$baseline.tsv
    fi
    "$neardup" evaluate "$folder/$name.h5" --format json "${options[@]}" \
        >"$folder/answer.json" 2>"$folder/errors"
    python3 "$folder/score.py" "$folder/$name.tsv" "$folder/$sampled.tsv" "$baseline_tsv" \
        "$corpus/clusters.tsv" "$corpus/loose.tsv" "$ambiguous" "$classes" \
        "$folder/answer.json"
}
score lcs lcs simhash - --sample 100000
score lcs lcs simhash - --sample 200 --seed 3
score simhash lcs simhash - --sample 200 --seed 3
score cosine lcs simhash "$folder/ambiguous.tsv" --sample 300 --seed 18446744073709551615
score lcs lcs simhash "$folder/ambiguous.tsv" --sample 300 --singletons
awk -F '\t' -v OFS='\t' '{$5 = $5 % 3} 1' "$corpus/classes.tsv" >"$folder/classes.tsv"
score lcs lcs simhash - --classes "$folder/classes.tsv" --sample 300 --seed 2
score lcs cosine part - --sample 150 --seed 4
grep -q '"missing_pages":[1-9]' "$folder/answer.json" || fail "no page is missing in the smaller result"
score lcs lcs - - --sample 100 --singletons --seed 5
score lcs lcs simhash - --sample 1 --seed 6

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
