#!/usr/bin/env bash
# A corpus is made, read and evaluated: the files are the same on any number of ranks, `partition` sees
# every page once, `evaluate` takes the labels, and what is found is what can be found.
# usage: synthesize.sh NEARDUP BUILD_DIR
set -euo pipefail
neardup=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# refused TEXT ARGUMENT...: exit code 2 and one line that has TEXT in it.
refused() {
    local text=$1 code=0
    shift
    "$neardup" synthesize "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq 2 ] || fail "exit code $code, not 2: $*"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
    grep -qF -- "$text" "$work/err" || fail "no '$text' in: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "something on stdout: $*"
}

new=$work/new
refused "no -o" --pages 10 --seed 1
refused "no --pages" -o "$new" --seed 1
refused "no --pages" -o "$new" --pages 0 --seed 1
refused "no --seed" -o "$new" --pages 10
refused "--pages x" -o "$new" --pages x --seed 1
refused "--seed -1" -o "$new" --pages 10 --seed -1
refused "--profile web" -o "$new" --pages 10 --seed 1 --profile web
refused "--format html" -o "$new" --pages 10 --seed 1 --format html
refused "--page-bytes 10" -o "$new" --pages 10 --seed 1 --page-bytes 10
for percent in 0 4.9 37 200 -20; do
    refused "--text $percent: must be from 5 to 36 percent" -o "$new" --pages 10 --seed 1 \
        --text "$percent"
done
refused "--text nan: must be a number" -o "$new" --pages 10 --seed 1 --text nan
refused "--text half" -o "$new" --pages 10 --seed 1 --text half
refused "--text 5: of pages of 23000 bytes that leaves too little" -o "$new" --pages 10 --seed 1 --text 5
refused "--sites 0" -o "$new" --pages 10 --seed 1 --sites 0
refused "--sites 11" -o "$new" --pages 10 --seed 1 --sites 11
refused "--skew 2" -o "$new" --pages 10 --seed 1 --skew 2
refused "--hot-key nan" -o "$new" --pages 10 --seed 1 --hot-key nan
refused "--shard-pages 0" -o "$new" --pages 10 --seed 1 --shard-pages 0
refused "--rows" -o "$new" --pages 10 --seed 1 --rows 5
refused "more" -o "$new" --pages 10 --seed 1 more
[ ! -e "$new" ] || fail "a refused command made the folder"
mkdir "$work/full"
touch "$work/full/file"
refused "not empty" -o "$work/full" --pages 10 --seed 1
grep -q -- "--hot-key" <<<"$("$neardup" synthesize --help all)" || fail "no help"

# make FOLDER RANKS OPTION...: a corpus of 3,000 small pages.
make() {
    timeout 900 mpirun -n "$2" "$neardup" synthesize -o "$work/$1" --pages 3000 --seed 4 \
        --page-bytes 8000 --shard-pages 400 --progress none "${@:3}"
}

make archive 1
make archive3 3
diff -r "$work/archive" "$work/archive3"
make marked 1 --pages 600 --page-bytes 23000 --text 20.5
make marked3 3 --pages 600 --page-bytes 23000 --text 20.5
diff -r "$work/marked" "$work/marked3"
make crawl 2 --profile crawl --format jsonl --skew .2 --hot-key .1

for corpus in archive crawl; do
    folder=$work/$corpus
    timeout 900 mpirun -n 2 "$neardup" partition "$folder" -o "$work/$corpus.h5" --strict \
        --progress none 2>"$work/err" || fail "$corpus: partition: $(cat "$work/err")"
    "$neardup" export "$work/$corpus.h5" | awk -F '\t' 'NR > 1 {print $2}' >"$work/ids"
    cut -f 1 "$folder/clusters.tsv" | cmp - "$work/ids" || fail "$corpus: other pages, or another order"
    "$neardup" export "$work/$corpus.h5" | awk -F '\t' 'NR > 1 {print $3}' | LC_ALL=C sort -u |
        wc -l | grep -qx 3000 || fail "$corpus: two pages have one URL"
    "$neardup" evaluate "$work/$corpus.h5" --truth "$folder/clusters.tsv" \
        --loose "$folder/loose.tsv" --format json >"$work/$corpus.json"
    # classes.tsv says the same, column by column
    cut -f 1,2 "$folder/classes.tsv" | cmp - "$folder/clusters.tsv"
    awk -F '\t' '$3 ~ /^U/ {print $1}' "$folder/classes.tsv" | cmp - "$folder/loose.tsv"
    awk -F '\t' 'NF != 7 || $6 < 0 || $6 > 1 {print "bad line: " $0; bad = 1} END {exit bad}' \
        "$folder/classes.tsv"
    # Not how good the program is, but that truth and pages belong together.
    python3 - "$work/$corpus.json" <<'PYTHON' || fail "$corpus: the labels do not fit the pages"
import json, sys
answer = json.load(open(sys.argv[1]))
print(answer)
many = answer["true_pairs"] > 300 and answer["common_pairs"] > answer["true_pairs"] / 3
sys.exit(not (many and answer["b_cubed"]["f1"] > 0.8))
PYTHON
done

# One site has its share.
pages=$(awk -F '\t' '$5 == 0' "$work/crawl/classes.tsv" | wc -l)
if [ "$pages" -lt 450 ] || [ "$pages" -gt 750 ]; then
    fail "$pages of 3000 pages on the site that should have .2"
fi
