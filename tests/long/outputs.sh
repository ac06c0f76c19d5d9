#!/usr/bin/env bash
# Where results and our own files go: nothing that was there is lost, nothing is written through a
# link, and what cannot be written is refused before any work; what is no file is not read. Called as
# outputs.sh NEARDUP BUILD_DIR. What concerns partition runs alone and on two ranks.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun

# shellcheck source=tests/support/refusals.sh
. "$support/refusals.sh"
most_seconds=60

# state: names, kinds, link targets and bytes of all that lies in the place.
state() {
    # of a lock its kind alone: it says who had it last
    find "$folder/place" -name lock -printf '%p %y %l\n'
    find "$folder/place" -mindepth 1 ! -name lock -printf '%p %y %l %s\n' | sort
    find "$folder/place" -type f ! -name lock -exec cksum {} + | sort
}

# fine ARGUMENT...: exit code 0, alone.
fine() {
    cases=$((cases + 1))
    timeout 60 "$neardup" "$@" >"$folder/stdout" 2>"$folder/stderr" || wrong "failed: $*"
}

mkdir "$folder/place"
cd "$folder/place"
for i in 1 2 3; do
    echo "{\"id\": \"$i\", \"text\": \"some words of page number $i\"}"
done >pages.jsonl
"$neardup" partition pages.jsonl --progress none -o result.h5

# ---- an output that would take something away
echo "my notes" >notes.txt
: >nothing
mkdir folder
mkfifo fifo
ln -s notes.txt link
ln -s result.h5 result-link.h5
ln -s missing broken-link
ln pages.jsonl hard.jsonl
ln -s "$PWD" self
run 2 "is empty" partition pages.jsonl -o ''
run 2 "is a folder" partition pages.jsonl -o folder
alone 2 "is a folder" partition pages.jsonl -o folder/ --force
alone 2 "is a FIFO" partition pages.jsonl -o fifo --force
alone 2 "is a symbolic link" partition pages.jsonl -o link --force
alone 2 "is a symbolic link" partition pages.jsonl -o result-link.h5
alone 2 "is a symbolic link" partition pages.jsonl -o broken-link
alone 2 "no file of pages" partition pages.jsonl -o notes.txt
alone 2 "not a result" partition pages.jsonl -o nothing
alone 2 "no file of pages" partition pages.jsonl -o pages.jsonl
run 2 "is the input" partition pages.jsonl -o pages.jsonl --force
alone 2 "is the input" partition pages.jsonl -o hard.jsonl --force
alone 2 "is the input" partition pages.jsonl -o self/pages.jsonl --force
mkdir walked
cp pages.jsonl walked
alone 2 "is the input" partition walked -o "$PWD/walked/pages.jsonl" --force
cp pages.jsonl next.h5.partial
alone 2 "is the input" partition next.h5.partial -o next.h5
rm next.h5.partial

# ---- one that cannot be written
run 1 "none/out.h5" partition pages.jsonl -o none/out.h5
alone 1 "notes.txt/out.h5" partition pages.jsonl -o notes.txt/out.h5
alone 1 "File name too long" partition pages.jsonl -o "$(printf 'x%.0s' {1..250})"
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod 500 closed
    run 1 "closed/out.h5" partition pages.jsonl -o closed/out.h5
fi

# ---- results are replaced, and other files with --force
fine partition pages.jsonl --progress none -o result.h5
cp notes.txt other.txt
fine partition pages.jsonl --progress none -o other.txt --force
fine inspect other.txt
head -c 100 /dev/urandom >stale.h5.partial # of a run that was killed
fine partition pages.jsonl --progress none -o stale.h5
[ ! -e stale.h5.partial ] || wrong "an unfinished result stays"
rm -f other.txt stale.h5

# ---- names of ours that someone else has used
ln -s notes.txt out.h5.partial
run 2 "out.h5.partial" partition pages.jsonl -o out.h5
alone 2 "out.h5.partial" partition pages.jsonl -o out.h5 --force
rm out.h5.partial
mkfifo out.h5.partial
run 2 "out.h5.partial" partition pages.jsonl -o out.h5
rm out.h5.partial
ln -s folder out.h5.spill
alone 2 "out.h5.spill" partition pages.jsonl -o out.h5
rm out.h5.spill
mkdir out.h5.spill
echo mine >out.h5.spill/notes
alone 2 "out.h5.spill" partition pages.jsonl -o out.h5
rm out.h5.spill/notes
cp pages.jsonl out.h5.spill/spill-0-0
alone 2 "spill-0-0" partition out.h5.spill/spill-0-0 -o out.h5
fine partition pages.jsonl --progress none -o out.h5 # takes the left spill file away
[ ! -e out.h5.spill ] || wrong "a spill folder stays"
rm -f out.h5

# ---- the work folder
mkdir work
alone 2 "work folder" partition pages.jsonl --work work -o work/lock
alone 2 "work folder" partition pages.jsonl --work self/work -o work/checkpoint-1-pages-0-0
alone 2 "work folder" partition pages.jsonl --work new -o self/new
ln -s ../notes.txt work/lock
run 1 "work/lock" partition pages.jsonl --progress none --work work -o out.h5
rm work/lock
: >empty-file
ln empty-file work/lock
alone 1 "work/lock" partition pages.jsonl --progress none --work work -o out.h5
rm work/lock
mkfifo work/lock
alone 1 "work/lock" partition pages.jsonl --progress none --work work -o out.h5
rm work/lock
echo "neardup run on host none" >work/lock
ln -s ../notes.txt work/manifest.json
alone 1 "manifest.json" partition pages.jsonl --progress none --work work -o out.h5
rm -f work/manifest.json
mkfifo work/manifest.json
alone 1 "manifest.json" partition pages.jsonl --progress none --work work -o out.h5
rm -rf work
umask 022
"$neardup" partition pages.jsonl --progress none --work work -o out.h5 --fault result:0:3 \
    2>"$folder/stderr" || true
[ "$(stat -c %a work)" = 700 ] || wrong "the work folder is open to others: $(stat -c %a work)"
rm -rf work out.h5

# ---- the other commands that write
alone 2 "-o DIR" synthesize --pages 10 --seed 1 -o ''
alone 1 "notes.txt" synthesize --pages 10 --seed 1 -o notes.txt
alone 1 "fifo" synthesize --pages 10 --seed 1 -o fifo
alone 2 "not empty" synthesize --pages 10 --seed 1 -o .
alone 2 "not a plot" plan --curve bands:25x5 --svg notes.txt
alone 2 "is a symbolic link" plan --curve bands:25x5 --svg broken-link
alone 1 "none/plot" plan --curve bands:25x5 --svg none/plot
fine synthesize --pages 300 --seed 1 -o corpus --progress none
for i in 1 2; do # the second time over their own
    fine plan --curve bands:25x5 --svg plot.svg
done
rm -f plot.svg

# ---- what is no file is not waited for
alone 1 "is a FIFO" partition fifo -o out.h5
alone 1 "is a FIFO" partition @fifo -o out.h5
alone 1 "is a FIFO" inspect fifo
alone 1 "is a FIFO" export fifo
alone 1 "is a FIFO" explain fifo http://a http://b
echo "<p>some words</p>" >page.html
alone 1 "is a FIFO" explain page.html fifo
printf "1\ta\n2\ta\n" >truth.tsv
alone 1 "is a FIFO" evaluate fifo --truth truth.tsv
alone 1 "is a FIFO" evaluate result.h5 --truth fifo
alone 1 "is a FIFO" plan fifo
alone 1 "is a folder" inspect folder
alone 1 "is a folder" partition @folder -o out.h5

echo "$cases cases, $failures wrong"
[ "$failures" -eq 0 ]
