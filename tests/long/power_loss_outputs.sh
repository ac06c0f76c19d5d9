#!/usr/bin/env bash
# Commands that write files of their own, on a machine that loses its power: a file that has its name is
# whole, and once the command has said that it is done all of them are there, so that who deletes the
# inputs then loses nothing. Each command is written down call by call (preload/record_disk.c), and its
# folder made as a loss at the end, and at some moments before, would have left it
# (support/power_loss.py). Called as power_loss_outputs.sh NEARDUP BUILD_DIR; ND_TEST_MOMENTS moments of
# each by ND_TEST_SEED.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3
preload=$2/tests/record_disk.so
moments=${ND_TEST_MOMENTS:-4}
seed=${ND_TEST_SEED:-$(date +%s)}
echo "power_loss_outputs: ND_TEST_SEED=$seed"
RANDOM=$seed
if ! LD_PRELOAD=$preload true 2>/dev/null || nm -D "$neardup" | grep -q __asan; then
    echo "SKIPPED: no library can be put before this program"
    exit 77
fi
cd "$folder"

# An archive, a file packed as a whole, and pages in folders: all kinds of files that filter writes. There are
# more pages than it brings to the disk one by one, with three ranks too.
"$neardup" synthesize -o made --pages 60 --shard-pages 20 --page-bytes 4000 --seed 7 >log 2>&1
mkdir -p in/pages/a in/pages/b
mv made/pages-0000[01].warc.gz in/
zcat made/pages-00002.warc.gz | gzip >in/whole.warc.gz
for i in $(seq 30); do
    printf '<p>%s page.</p>' "$(seq 100 | tr '\n' ' ') number $((i / 2))" >"in/pages/a/$i.html"
    printf '<p>%s page.</p>' "$(seq 200 300 | tr '\n' ' ') letter $i" >"in/pages/b/$i.html"
done
"$neardup" partition in --pairs keep -o run.h5 --progress none 2>log
"$neardup" partition in/pages-00000.warc.gz -o first.h5 --write-index first.index --progress none 2>log

# equal LEFT WHOLE: is what lies under its name what it has to be?
equal() {
    case $2 in
    *.h5) "$compare" "$2" "$1" >/dev/null ;;
    *) cmp -s "$1" "$2" ;;
    esac
}

# left MOMENT SEED END: the folder as a loss then leaves it; END: all has to be there. What has an unfinished
# name, and a work folder, may be there in any state.
left() {
    local path index
    python3 "$support/power_loss.py" record disk "$1" "$2" >log
    (cd disk && find . -type f -printf '%P\n' | sort) | grep -vE '[.](partial|work|spill|lock)' >there || true
    while read -r path; do
        [ "${path#*.index/}" != "$path" ] || equal "disk/$path" "whole/$path" ||
            fail "$name: after call $1 of $calls: disk/$path is not whole"
    done <there
    for index in disk/*.index; do
        [ ! -e "$index" ] || "$neardup" index check "$index" >log 2>&1 ||
            fail "$name: after call $1 of $calls: $(cat log)"
    done
    [ "$3" = no ] || comm -23 all there | diff - /dev/null >log || fail "$name: is done, and not there: $(cat log)"
    losses=$((losses + 1))
}

# lose NAME RANKS ARGUMENT...: a command that writes below disk/, and what losses leave of that.
lose() {
    local name=$1 ranks=$2 launch=() i calls
    shift 2
    [ "$ranks" -eq 1 ] || launch=(mpirun -n "$ranks")
    rm -rf disk whole record
    mkdir disk
    timeout 900 "${launch[@]}" env "ND_RECORD_FOLDER=$folder/disk" "ND_RECORD_TO=$folder/record" \
        "LD_PRELOAD=$preload" "$neardup" "$@" >log 2>&1 </dev/null || fail "$name: $(cat log)"
    cp -r disk whole
    (cd whole && find . -type f -printf '%P\n' | sort) | grep -v locktest >all
    [ -s all ] || fail "$name: writes nothing"
    calls=$(python3 "$support/power_loss.py" record disk count 0)
    [ "$calls" -ge 5 ] || fail "$name: only $calls calls are written down"
    for ((i = 0; i < moments; i++)); do
        left "$calls" $((seed + i)) yes
        left $((RANDOM % calls + 1)) $((seed + i)) no
    done
}

losses=0
lose filter 1 filter run.h5 -o disk/kept
lose "filter, 3 ranks" 3 filter run.h5 -o disk/kept
lose "filter, annotated" 1 filter run.h5 -o disk/kept --annotate
lose "filter, dropped" 1 filter run.h5 -o disk/dropped --what drop
lose extract 1 extract run.h5 -o disk/text.jsonl
lose synthesize 3 synthesize -o disk/made --pages 60 --shard-pages 20 --page-bytes 4000 --seed 3
lose review 1 review run.h5 -o disk/review.html
lose report 1 report run.h5 -o disk/report.html
lose "an index" 1 partition in/pages-00001.warc.gz -o disk/next.h5 --index first.index --write-index disk/next.index \
    --progress none
lose "an index, 3 ranks" 3 partition in/pages-00001.warc.gz -o disk/next.h5 --write-index disk/next.index --progress none
echo "power lost at $losses moments: what has its name is whole, and what is done is there"
