#!/usr/bin/env bash
# Commands beside partition, and dedup, which is partition and filter, with an injected fault: each guarded call of a kind fails once, the first,
# the last and one other, on each rank in turn. All ranks leave with exit code 1, one line says the
# cause, there is nothing under the output's name that is not whole, and what was there stays as it
# was. Called as commands.sh NEARDUP BUILD_DIR; ND_TEST_SEED repeats the choice of faults.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
seed=${ND_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "commands.sh: ND_TEST_SEED=$seed"
cd "$folder"

"$neardup" synthesize -o made --pages 40 --shard-pages 20 --page-bytes 4000 --seed 5 >log 2>&1
mkdir in
mv made/*.warc.gz in/
"$neardup" partition one=in/pages-00000.warc.gz two=in/pages-00001.warc.gz --pairs keep -o run.h5 --progress none 2>log
"$neardup" partition in/pages-00000.warc.gz -o a.h5 --write-index a.index --progress none 2>log
"$neardup" extract in/pages-00001.warc.gz -o all.jsonl 2>log
head -n 3 all.jsonl >lines.jsonl

sums() { find in a.index run.h5 -type f -exec sha256sum {} + | sort; }
before=$(sums)
cases=0
passed_over=0

# go FAULT: the command, under $ranks ranks; $status is its exit code.
go() {
    local launch=()
    [ "$ranks" -eq 1 ] || launch=(mpirun -n "$ranks")
    rm -rf out out.* beside*
    status=0
    NEARDUP_FAULT=$1 timeout 600 "${launch[@]}" "$neardup" "${words[@]}" <lines.jsonl >said 2>log ||
        status=$?
}

# is_whole: is the one file that is there what it has to be?
is_whole() {
    local file
    file=$(ls -d out*)
    case $file in
    *.h5) "$compare" "$file" "whole/$file" >/dev/null ;;
    *) cmp -s "$file" "whole/$file" ;;
    esac
}

# fails RANKS ARGUMENT...: a command that writes to out or to out.h5 or to stdout.
fails() {
    local point turn count at rank lines
    ranks=$1
    shift
    words=("$@")
    go count
    [ "$status" -eq 0 ] || fail "exit code $status: $*: $(cat log)"
    grep '^passed: ' log >counts
    rm -rf whole
    mkdir whole
    ! compgen -G 'out*' >/dev/null || cp -r out* whole/
    ! compgen -G 'beside*' >/dev/null || cp beside* whole/
    for point in memory exchange open read write sync rename; do
        for turn in first last other; do
            rank=$((RANDOM % ranks))
            count=$(sed -n "s/^passed: rank $rank .* $point \([0-9]*\).*/\1/p" counts | tail -n 1)
            if [ "$count" -eq 0 ]; then
                rank=0
                count=$(sed -n "s/^passed: rank 0 .* $point \([0-9]*\).*/\1/p" counts | tail -n 1)
            fi
            [ "$count" -gt 0 ] || break
            case $turn in
            first) at=1 ;;
            last) at=$count ;;
            other) at=$((RANDOM % count + 1)) ;;
            esac
            go "$point:$rank:$at"
            cases=$((cases + 1))
            if [ "$status" -eq 0 ] && [ -d out ] && diff -r out whole/out >/dev/null; then
                passed_over=$((passed_over + 1)) # what else is to be removed stays, once all is in place
                continue
            fi
            [ "$status" -eq 1 ] || fail "exit code $status, not 1: $point:$rank:$at: $*: $(cat log)"
            lines=$(grep -c '^neardup' log || true)
            [ "$lines" -eq 1 ] || fail "$lines lines: $point:$rank:$at: $*: $(cat log)"
            grep -q "injected fault: $point\|out of memory" log || fail "no cause: $point:$rank:$at: $*: $(cat log)"
            if compgen -G 'out.*' >/dev/null && [ "$point" = sync ] && is_whole; then
                continue # it has its name, and the disk may not know it yet
            fi
            if [ "$point" = memory ]; then # the process ends there: what is unfinished is left, under other names
                rm -rf out.*.*
                [ ! -d out ] || find out -name '*.partial' -delete
            fi
            if compgen -G 'out*' >/dev/null; then # a folder with files, each of which is whole
                [ -d out ] || fail "left: $(ls -d out*): $point:$rank:$at: $*"
                [ -z "$(find out -name '*.partial')" ] || fail "left: $(find out): $point:$rank:$at: $*"
                while read -r path; do
                    cmp -s "out/$path" "whole/out/$path" || fail "not whole: out/$path: $point:$rank:$at: $*"
                done < <(find out -type f -printf '%P\n')
            fi
            for path in beside*; do # the result that a copy is made by, and its list: whole, or not there
                case $path in
                'beside*' | *.lock) ;;
                *.h5) "$compare" "$path" "whole/$path" >/dev/null || fail "not whole: $path: $point:$rank:$at: $*" ;;
                *.tsv) cmp -s "$path" "whole/$path" || fail "not whole: $path: $point:$rank:$at: $*" ;;
                *) [ "$point" = memory ] || fail "left: $path: $point:$rank:$at: $*" ;;
                esac
            done
            [ "$(sums)" = "$before" ] || fail "has changed what was there: $point:$rank:$at: $*"
        done
    done
}

fails 1 filter run.h5 -o out
fails 3 filter run.h5 -o out --annotate
fails 1 dedup in/pages-00000.warc.gz -o out --result beside.h5 --dropped beside.tsv --progress none
fails 2 dedup in/pages-00000.warc.gz in/pages-00001.warc.gz -o out --result beside.h5 --progress none
fails 1 index check a.index
fails 1 query a.index
fails 1 extract run.h5 -o out.jsonl
fails 1 review run.h5 -o out.html
fails 1 report run.h5 -o out.html
fails 1 overlap run.h5
fails 1 export run.h5 --what sets
fails 1 check run.h5
[ "$passed_over" -le $((cases / 20)) ] || fail "$passed_over of $cases faults do nothing"
echo "$cases faults: all ranks leave, one line each; $passed_over after all was done"
