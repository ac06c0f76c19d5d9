#!/usr/bin/env bash
# scripts/peers.sh - quality and speed on the documents on which other near-duplicate tools were
# measured: 20,000 texts with known families, and the exact resemblance of all pairs (shingles of 5
# tokens). Pairs are those that share a set. The largest family alone holds most of the true pairs:
# it is left out of the pair figures, and counted in all others.
#
# usage: scripts/peers.sh [--ranks N] [--quick] [--tsv FILE] [NEARDUP]
#   --ranks N    of every run (1)
#   --quick      lsh alone
#   --tsv FILE   the same figures, one a line: row, measure, value
#   NEARDUP      a program that is built already; it is built here otherwise
# Needs NEARDUP_DATA, a folder with peer-bench/docs20k.jsonl.gz, truth20k.tsv.gz, exact20k.tsv.gz.
set -euo pipefail
start=$PWD
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# from_start PATH: as it was meant where the script was called.
from_start() {
    case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "$start/$1" ;;
    esac
}

ranks=1
quick=
tsv=/dev/null
program=
while [ $# -gt 0 ]; do
    case $1 in
    --ranks)
        ranks=${2:?--ranks: how many?}
        shift
        ;;
    --quick) quick=yes ;;
    --tsv)
        tsv=$(from_start "${2:?--tsv: which file?}")
        shift
        ;;
    -h | --help)
        sed -n '2,12s/^# \{0,1\}//p' scripts/peers.sh
        exit
        ;;
    -*) die "$1: unknown option" ;;
    *) program=$(from_start "$1") ;;
    esac
    shift
done
data=${NEARDUP_DATA:-}/peer-bench
for file in docs20k.jsonl.gz truth20k.tsv.gz exact20k.tsv.gz; do
    if [ ! -f "$data/$file" ]; then
        echo "SKIPPED: no peer-bench/$file in NEARDUP_DATA"
        exit 77
    fi
done
if [ -z "$program" ]; then
    build release release neardup
    program=build/release/neardup
fi
mpi_environment
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "$data/docs20k.jsonl.gz" >"$work/docs.jsonl" # a .jsonl.gz is read by one rank
gzip -dc "$data/truth20k.tsv.gz" >"$work/truth.tsv"

cat >"$work/score.py" <<'PYTHON'
import collections, gzip, json, sys
data, work, row, tsv = sys.argv[1:]

def is_cjk(text): # a fifth of the characters: kana or Han
    return 5 * sum("\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" for c in text) >= len(text)

with open(work + "/docs.jsonl", encoding="utf-8") as file:
    cjk = {doc["id"] for doc in map(json.loads, file) if is_cjk(doc["text"])}
with open(work + "/truth.tsv", encoding="utf-8") as file:
    family = dict(line.split("\t")[:2] for line in file)
with open(work + "/pages.tsv", encoding="utf-8", newline="\n") as file:
    next(file)
    set_of = {fields[1]: fields[4] for fields in (line.split("\t") for line in file)}
with gzip.open(data + "/exact20k.tsv.gz", "rt", encoding="utf-8") as file:
    exact = [(a, b, float(j)) for a, b, j in (line.split() for line in file)]
hot = collections.Counter(family.values()).most_common(1)[0][0]

def pairs(labels):
    return sum(n * (n - 1) // 2 for n in collections.Counter(labels).values())

def recall(least, among):
    found = [set_of[a] == set_of[b] for a, b, j in exact if j >= least and a in among and b in among]
    return sum(found) / len(found)

cold = {page for page in set_of if family[page] != hot}
together = pairs(set_of[page] for page in cold)
rightly = pairs((set_of[page], family[page]) for page in cold)
with open(work + "/removal.json", encoding="utf-8") as file:
    removal = json.load(file)["removal"]
figures = {"pair precision": rightly / together if together else 1}
for least in (.5, .7, .8, .9):
    figures["recall %g" % least] = recall(least, cold)
figures["cjk recall 0.7"] = recall(.7, cjk)
figures["removal precision"] = removal["precision"]
figures["removal recall"] = removal["recall"]
figures["largest set"] = max(collections.Counter(set_of.values()).values())
with open(work + "/log", encoding="utf-8") as file:
    for words in (line.split() for line in file):
        if words[:1] == ["pairs:"]:
            figures["candidates"], figures["compared"] = int(words[1]), int(words[3])
        if words[:1] == ["time:"]:
            figures["pages per second"] = float(words[3])
with open(tsv, "a", encoding="utf-8") as file:
    for name, value in figures.items():
        file.write("%s\t%s\t%.6f\n" % (row, name, value))
print("| %s | %.4f | %s | %.3f | %.4f / %.3f | %d | %d, %d | %d |" % (
    row, figures["pair precision"],
    " / ".join("%.3f" % figures["recall %g" % least] for least in (.5, .7, .8, .9)),
    figures["cjk recall 0.7"], figures["removal precision"], figures["removal recall"],
    figures["largest set"], figures["candidates"], figures["compared"],
    figures["pages per second"]), flush=True)
PYTHON

# measure NAME OPTION...: a line of the table. Whole documents are compared, as by other tools: the
# texts are of no sites, so there is no template to be found.
measure() {
    local row=$1
    shift
    timeout 600 mpirun -n "$ranks" "$program" partition "$work/docs.jsonl" --templates 0 \
        --progress lines "$@" -o "$work/out.h5" 2>"$work/log" || {
        tail -n 5 "$work/log" >&2
        die "failed: $*"
    }
    "$program" export "$work/out.h5" >"$work/pages.tsv"
    "$program" evaluate "$work/out.h5" --truth "$work/truth.tsv" --column 2 --format json \
        >"$work/removal.json"
    python3 "$work/score.py" "$data" "$work" "$row" "$tsv"
}

cat <<'TEXT'
| row | pair precision | pair recall, J >= .5 / .7 / .8 / .9 | CJK, J >= .7 | removal P / R | largest set (true 301) | candidates, compared | pages per second |
| --- | --- | --- | --- | --- | --- | --- | --- |
TEXT
measure "lsh, 50 x 4, .5" --method lsh --bands 50 --rows 4 --threshold .5
measure "lsh, 25 x 5, .5" --method lsh --bands 25 --rows 5 --threshold .5
if [ -n "$quick" ]; then
    exit
fi
measure "lsh, 25 x 5, .5, --group-pairs 512" --method lsh --bands 25 --rows 5 --threshold .5 \
    --group-pairs 512
measure "lsh, 14 x 8, .6" --method lsh --bands 14 --rows 8 --threshold .6
measure "lsh, 25 x 5, .5, --verify off" --method lsh --bands 25 --rows 5 --threshold .5 --verify off
for method in lsh lcs exact sketch broder simhash charikar cosine henzinger; do
    measure "$method, as it is" --method "$method"
done
measure "simhash, 6 bits" --method simhash --distance 6
measure "charikar, 355 bits" --method charikar --agree 355 --pieces 30
measure "henzinger, 355 bits" --method henzinger --filter-bits 355
measure "henzinger, union with 355 bits" --method henzinger --henzinger union --filter-bits 355
