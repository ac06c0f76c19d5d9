#!/usr/bin/env bash
# From a crawl to a corpus without near-duplicates that somebody has looked at: partition, report,
# review, and, once the review's answers say that the sets are to be trusted, the filtered copy.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: clean_corpus.sh FOLDER INPUT...            sets, report and review into the new folder FOLDER
       clean_corpus.sh FOLDER LABELS.tsv LEAST    the copy, if by the labels that the review's page has
                                                  saved the precision is LEAST or more, as .95
NEARDUP names the program, RANKS the number of processes (2).
TEXT
}

neardup=${NEARDUP:-neardup}
ranks=${RANKS:-2}
[ $# -ge 2 ] || { usage >&2; exit 2; }
folder=$1
shift
if [ ! -f "$folder/sets.h5" ]; then
    mkdir -p "$folder"
    mpirun -n "$ranks" "$neardup" partition --preset safe "$@" -o "$folder/sets.h5"
    "$neardup" report "$folder/sets.h5" -o "$folder/report.html"
    "$neardup" review "$folder/sets.h5" -o "$folder/review.html"
    echo "next: answer in $folder/review.html, save the labels, then: $0 $folder LABELS.tsv LEAST"
    exit
fi
[ $# -eq 2 ] || { usage >&2; exit 2; }
precision=$("$neardup" evaluate "$folder/sets.h5" --truth "$1" --bands |
    sed -n 's/^all, each band by its pairs *\([0-9.]*\) .*/\1/p')
if awk -v is="$precision" -v least="$2" 'BEGIN { exit !(is != "" && is + 0 >= least + 0) }'; then
    mpirun -n "$ranks" "$neardup" filter "$folder/sets.h5" -o "$folder/corpus"
else
    echo "precision ${precision:-unknown} is below $2: nothing is written; see --threshold and --min-confidence" >&2
    exit 1
fi
