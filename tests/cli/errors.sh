#!/usr/bin/env bash
# What goes wrong is said in one line, with the right exit code, and leaves nothing: called
# as errors.sh NEARDUP BUILD_DIR. Of each kind of failure (usage, input, no page, place, disk) one is also
# tried on two ranks, which all have to end.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
clean_up() {
    if mountpoint -q "$folder/disk" 2>/dev/null; then
        umount "$folder/disk"
    fi
    rm -rf "$folder"
}
trap clean_up EXIT

need mpirun
# shellcheck source=tests/support/refusals.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/refusals.sh"

# usage WORD ARGUMENT...: wrong usage of partition, with an input and an output that are fine.
usage() {
    local word=$1
    shift
    alone 2 "$word" partition page.html -o out.h5 "$@"
    nothing_left
}

# nothing_left: no result, no unfinished one.
nothing_left() {
    local left
    left=$(find . -name '*.h5*' -newer page.html)
    if [ -n "$left" ]; then
        wrong "left: $left"
        rm -f out.h5 out.h5.partial
    fi
}

# done_with STATUS PAGES OUTPUT ARGUMENT...: the run ends with that exit code alone and on two ranks, and
# its result, with that many pages, can be exported and inspected; nothing else is left beside it.
done_with() {
    local wanted=$1 pages=$2 out=$3 launch rows status left
    shift 3
    for launch in "" "mpirun -n 2"; do
        cases=$((cases + 1))
        status=0
        # shellcheck disable=SC2086 # words of the launcher
        timeout 900 $launch "$neardup" partition "$@" --progress none -o "$out" \
            >"$folder/stdout" 2>"$folder/stderr" || status=$?
        [ "$status" -eq "$wanted" ] || wrong "exit code $status, not $wanted: $launch partition $*"
        rows=$("$neardup" export "$out" 2>"$folder/stderr" | wc -l) || wrong "export after $*"
        [ "$rows" -eq $((pages + 1)) ] || wrong "$rows rows, not $((pages + 1)): $*"
        "$neardup" inspect "$out" >"$folder/stdout" 2>"$folder/stderr" || wrong "inspect after $*"
        grep -Eq "^pages +$pages\$" "$folder/stdout" || wrong "inspect says other pages: $*"
        "$neardup" inspect "$out" --largest 3 >"$folder/stdout" 2>"$folder/stderr" ||
            wrong "inspect --largest after $*"
        left=$(find "$(dirname "$out")" -maxdepth 1 -name '*.h5*' ! -path "*${out##*/}")
        [ -z "$left" ] || wrong "left beside the result: $left"
        rm -f "$out"
    done
}

cd "$folder"
echo '<html><body><p>One page with a few words.</p></body></html>' >page.html

# ---- wrong usage
alone 2 "no command 'partitoin'" partitoin page.html
alone 2 "-o OUT.h5" partition page.html
alone 2 "INPUT" partition -o out.h5
alone 2 "-o" partition page.html -o
usage "--bogus" --bogus
run 2 "--bogus" partition page.html -o out.h5 --bogus
alone 2 "--threshold" partition page.html -o out.h5 --threshold 2
usage "--bogus=3" --bogus=3
usage "-z" -zo out.h5
usage "--threshold" --threshold
usage "--threshold 0" --threshold 0
usage "--threshold 1.5" --threshold 1.5
usage "--threshold nan" --threshold nan
usage "--threshold high" --threshold high
usage "--buckets 0" --buckets 0
usage "--buckets 100000" --buckets 100000
usage "--buckets 99999999999" --buckets 99999999999
usage "--smallest 0" --smallest 0
usage "--smallest -1" --smallest -1
usage "--sentence-tokens x" --sentence-tokens x
usage "--method nothing" --method nothing
usage "--score nothing" --score nothing
usage "--transitivity some" --transitivity some
usage "--set-cap 1" --set-cap 1
usage "--set-cap 10x" --set-cap 10x
usage "--memory" --memory 1K
usage "--memory lots" --memory lots
usage "--split-size 0" --split-size 0
usage "--split-size 1Q" --split-size 1Q
usage "--max-page -5" --max-page -5
usage "--progress loud" --progress loud
usage "--strict=yes" --strict=yes
usage "--watchdog ten" --watchdog ten
usage "--watchdog-abort -1" --watchdog-abort -1
usage "--fault read:1" --fault read:1
alone 2 "one result file" export
alone 2 "one result file" export a.h5 b.h5
alone 2 "--what all" export a.h5 --what all
alone 2 "--format xml" export a.h5 --format xml
alone 2 "--bogus" export a.h5 --bogus
alone 2 "one result file" inspect
alone 2 "--bogus" inspect a.h5 --bogus

# ---- what other programs take: a file of pages as the output, threads
for name in out.jsonl out.jsonl.gz out.parquet out.CSV out.warc.gz out.tsv out.zst; do
    alone 2 "neardup filter OUT.h5 -o DIR" partition page.html -o "$name"
    [ ! -e "$name" ] || wrong "$name is there"
done
for words in "-j 4" "-j4" "--threads=4" "--jobs 4" "-n 4"; do
    # shellcheck disable=SC2086 # words of the command line
    alone 2 "mpirun -n N neardup partition" partition page.html -o out.h5 $words
done
for words in help version -V "help partition" "dedup --help" "plan --pages 400M" "plan --pages 4e8" "plan --pages 1.5M --disk 2.5G"; do
    # shellcheck disable=SC2086 # words of the command line
    "$neardup" $words >stdout 2>stderr || wrong "exit code $?: $words"
    if [ ! -s stdout ] || [ -s stderr ]; then
        wrong "$words"
    fi
done
"$neardup" version | diff - <("$neardup" --version) >/dev/null || wrong "version is not --version"
"$neardup" help filter | diff - <("$neardup" filter --help) >/dev/null || wrong "help filter is not filter --help"

# ---- input that is not there, results that are none
alone 1 "none.html" partition none.html -o out.h5
run 1 "none.html" partition page.html none.html -o out.h5
alone 1 "none*.warc" partition 'none*.warc' -o out.h5
alone 1 "none.txt" partition @none.txt -o out.h5
mkdir empty
alone 1 "empty" partition empty -o out.h5
nothing_left
alone 1 "none.h5" export none.h5
alone 1 "page.html" export page.html
alone 1 "none.h5" inspect none.h5
alone 1 "page.html" inspect page.html

# ---- pages that are not there
# name SIZE: of a result, of so many bytes; 247 are the most that leave room for .partial.
name() {
    printf "%$(($1 - 3))s.h5" '' | tr ' ' x
}
# Open MPI makes other names of it, for which there is less room.
done_with 0 1 "$(name 247)" page.html
alone 1 "too long" partition page.html -o "$(name 248)"
: >empty.html
run 1 "no page in 1 input: empty.html: empty" partition empty.html --progress none -o out.h5
nothing_left
"$neardup" partition page.html --progress none -o one.h5
alone 2 "7" inspect one.h5 --set 7
alone 2 "--set x" inspect one.h5 --set x
alone 2 "--largest -1" inspect one.h5 --largest -1
alone 2 "http://nowhere/" inspect one.h5 --url http://nowhere/
rm one.h5

# ---- damaged input: said and skipped, the rest is used; --strict says by its exit code
mkdir damaged
cp page.html damaged/a.html
head -c 5000 /dev/urandom | sed 's/^/\x00\xff/' >damaged/b.html
{
    echo '{"id": "1", "text": "a first text"}'
    echo '{"id": "2", "text": "a text that is cut'
    echo '{"id": "3", "text": "a third text"}'
} >damaged/c.jsonl
done_with 3 3 "$(name 235)" damaged
deep=$(printf '%200s/' '' '' '' '' '' '' | tr ' ' d)
mkdir -p "$deep"
done_with 0 2 "$deep/out.h5" damaged/c.jsonl

# Of many records that cannot be used the first 20 are named, then it is said that more follow.
for count in 20 22; do
    echo '{"id": "one", "text": "a page"}' >unused.jsonl
    seq -f 'no JSON %g' "$count" >>unused.jsonl
    status=0
    "$neardup" partition unused.jsonl --progress none -o out.h5 2>stderr || status=$?
    named=$(grep -c '^neardup: skipped: unused.jsonl, byte [0-9]*: line is not JSON$' stderr || true)
    listed=$(grep -c 'more skipped records are only counted' stderr || true)
    [ "$status $named $listed" = "0 20 $((count > 20))" ] || wrong "of $count: $status $named $listed: $(cat stderr)"
    rm out.h5 unused.jsonl
done
alone 3 "c.jsonl" partition damaged/c.jsonl --strict --progress none -o out.h5
rm -f out.h5
cases=$((cases + 1))
"$neardup" partition page.html --strict --progress none -o out.h5 2>"$folder/stderr" ||
    wrong "--strict fails without a reason"
rm -f out.h5

# ---- places that cannot be written
run 1 "none/out.h5" partition page.html --progress none -o none/out.h5
alone 1 "page.html/out.h5" partition page.html --progress none -o page.html/out.h5
alone 2 "empty" partition page.html --progress none -o empty
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod 500 closed
    alone 1 "closed/out.h5" partition page.html --progress none -o closed/out.h5
fi
nothing_left

# ---- the launcher of another MPI: each process takes itself for the whole job
apart="4 processes were started and do not see each other: launcher and MPI library differ"
for names in OMPI_COMM_WORLD_RANK,OMPI_COMM_WORLD_SIZE PMI_RANK,PMI_SIZE SLURM_PROCID,SLURM_STEP_NUM_TASKS; do
    run_once 1 "$apart" env "${names%,*}=0" "${names#*,}=4" "$neardup" partition page.html -o out.h5
done
nothing_left
# a batch script is one process of a job of several; mpirun's daemons are started by srun
env SLURM_PROCID=0 SLURM_NTASKS=4 "$neardup" partition page.html --progress none -o out.h5 2>"$folder/stderr" ||
    wrong "a plain run in a batch script"
rm -f out.h5
env SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=8 timeout 900 mpirun -n 2 "$neardup" partition page.html \
    --progress none -o out.h5 2>"$folder/stderr" || wrong "mpirun in a job of more nodes than ranks"
rm -f out.h5

# ---- a full disk: URLs that hardly compress, on a disk of 256 KiB
mkdir disk
if mount -t tmpfs -o size=256k tmpfs disk 2>"$folder/stderr"; then
    awk 'BEGIN {
        for (i = 0; i < 30000; i++) {
            a = (a * 69069 + 1) % 4294967296
            b = (b * 1103515245 + 12345) % 2147483648
            printf "{\"url\": \"http://%d/%d\", \"text\": \"w%d w%d\"}\n", a, b, i, i * 3
        }
    }' >many.jsonl
    for ranks in 2 ${ND_TEST_THOROUGH:+1 3 5}; do
        run_once 1 "disk/out.h5" mpirun -n "$ranks" \
            "$neardup" partition many.jsonl --progress none --no-disk-check -o disk/out.h5
        if [ -n "$(ls disk)" ]; then
            wrong "left on the full disk by $ranks ranks: $(ls disk)"
            rm -f disk/*
        fi
    done
    run_once 1 "disk/out.h5" "$neardup" partition many.jsonl --progress none --no-disk-check -o disk/out.h5
else
    echo "skipped in part: no tmpfs can be mounted here, so no disk is full"
fi

# ---- stdout on a full disk
if [ -w /dev/full ]; then
    "$neardup" partition page.html --progress none -o out.h5
    for command in "export out.h5" "inspect out.h5" "explain page.html page.html" \
        "plan --pages 1000" "partition --help" --help --version; do
        cases=$((cases + 1))
        status=0
        # shellcheck disable=SC2086 # words
        "$neardup" $command >/dev/full 2>"$folder/stderr" || status=$?
        if [ "$status" -ne 1 ] || [ "$(grep -c stdout "$folder/stderr")" -ne 1 ]; then
            wrong "$command to a full disk: exit code $status"
        fi
    done
fi

echo "$cases cases, $failures wrong"
[ "$failures" -eq 0 ]
