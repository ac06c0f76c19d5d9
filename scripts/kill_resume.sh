#!/usr/bin/env bash
# Interrupt jobs in every way there is, resume them, and compare their results.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/kill_resume.sh [--runs N] [--seed S] [--points] [--build DIR] [--help]

Makes a small corpus and its result, without interruption. Then, N times (50): starts the job with
a work folder on 1 to 5 ranks, interrupts it one to three times, mostly with another number of ranks
each time, and resumes it until it is done:
  kill    SIGKILL of one rank, at a random moment
  term    SIGTERM of the whole job, at a random moment
  passing SIGKILL of one rank by itself, at a random guarded call (partition --fault kill)
  fault   an injected failure of a random guarded call (partition --fault)
  disk    the work folder's disk is full, from the start or from a random moment on, with and
          without --no-disk-check, and larger for the next start (root only)
  spill   without a work folder, on pages that outgrow 64 MiB of memory: the disk of the result and
          of what is spilled is of a random size (root only)
  folder  the work folder is taken away at a random moment, and put back for the next start
  input   an input is missing at one start, and back for the next
  change  an input has another byte between stop and resume, at the same size and with its time put
          back, and is restored for the next
  replace an input is replaced at a random moment, and restored for the next start
Every start must end within its time; an interrupted one leaves no result, and the last one the same
/pages and /sets as the run without interruption, to the byte. A start with an input that has
changed is refused and names it, or its result is that of a run with the changed input: never one
of both. No failure but that of an input is reported as a skipped record. --points tries passing and
fault alone, which do not depend on the clock. The seed (--seed) repeats the choices.

The program and tests/make_warc and tests/compare_results are taken from DIR (build/release, built
first). Exit status 0 if all runs were right, 77 if partition knows no --resume.
TEXT
}

runs=50
seed=$RANDOM
points=no
build_folder=
while [ $# -gt 0 ]; do
    case $1 in
    --points) points=yes ;;
    --runs | --seed | --build)
        [ $# -gt 1 ] || { usage >&2 && exit 2; }
        case $1 in
        --runs) runs=$2 ;;
        --seed) seed=$2 ;;
        --build) build_folder=$2 ;;
        esac
        shift
        ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done
case $runs$seed in
*[!0-9]*) usage >&2 && exit 2 ;;
esac

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/support/launched.sh
. "$ND_ROOT/tests/support/launched.sh"

# A start that takes longer hangs.
seconds=120
pages=120
folder=$(mktemp -d)
inputs=("$folder/crawl1.warc.gz" "$folder/crawl2.warc.gz" "$folder/crawl3.warc.gz")
clean_up() {
    if mountpoint -q "$folder/disk" 2>/dev/null; then
        umount "$folder/disk"
    fi
    rm -rf "$folder"
}
trap clean_up EXIT

mpi_environment
if [ -z "$build_folder" ]; then
    build release release all -DBUILD_TESTING=ON
    build_folder=$ND_ROOT/build/release
fi
neardup=$build_folder/neardup
partition_help=$("$neardup" partition --help)
if ! grep -q -e --resume <<<"$partition_help"; then
    echo "SKIPPED: partition knows no --resume"
    exit 77
fi
command -v mpirun >/dev/null || { echo "SKIPPED: there is no mpirun" && exit 77; }

# draw BOUND: $drawn is a number in [0, BOUND). The generator is our own, so that a seed means the
# same everywhere.
state=$seed
draw() {
    local high
    state=$(((state * 1103515245 + 12345) % 2147483648))
    high=$((state / 65536))
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$(((high * 32768 + state / 65536) % $1))
}

# make_inputs: three crawls of pages in near copies, on few sites.
make_inputs() {
    local crawl
    for crawl in 1 2 3; do
        mkdir "$folder/pages$crawl"
        awk -v crawl="$crawl" -v pages="$((pages / 3))" -v folder="$folder/pages$crawl" '
            function number(bound) {
                state = (state * 69069 + 1) % 4294967296
                return int(state / 65536) % bound
            }
            # of letters: what differs in numbers alone counts as the same on a site
            function word() {
                return sprintf("%c%c%c", 97 + number(26), 97 + number(26), 97 + number(26))
            }
            BEGIN {
                state = crawl
                for (page = 0; page < pages; page++) {
                    file = folder "/" page ".html"
                    print "<title>page</title><p>One line that all pages of the site share." >file
                    for (p = 10 + number(30); p > 0; p--) {
                        printf "<p>A" >file
                        for (w = 5 + number(25); w > 0; w--)
                            printf " %s", word() >file
                        print "." >file
                    }
                    close(file)
                }
            }'
        "$build_folder/tests/make_warc" "$folder/crawl$crawl.warc.gz" 4 "$folder/pages$crawl" \
            >/dev/null
        rm -r "$folder/pages$crawl"
        cp -p "$folder/crawl$crawl.warc.gz" "$folder/original$crawl.warc.gz"
        change_byte "$folder/crawl$crawl.warc.gz" "$folder/changed$crawl.warc.gz"
    done
}

# change_byte FROM TO: the byte in the middle.
change_byte() {
    local middle
    middle=$(($(stat -c %s "$1") / 2))
    {
        head -c "$middle" "$1"
        dd if="$1" bs=1 skip="$middle" count=1 status=none | tr '\000-\377' '\001-\377\000'
        tail -c "+$((middle + 2))" "$1"
    } >"$2"
}

# ---- one start of the job

output=$folder/out.h5
log=$folder/log
work=
memory=16M
expected=whole # name of the result that this run is to have
may_skip=no  # an input is damaged
whole=$((seconds * 1000)) # ms that a run takes, at least
status=0
history=()

# start RANKS [OPTION...]: the job, in the background as $job. All starts share one place for shared
# memory, which is never cleaned: what a killed job leaves there must disturb no other.
start() {
    local ranks=$1
    shift
    began=$(date +%s%N)
    timeout -k 10 "$seconds" mpirun -n "$ranks" \
        "$neardup" partition "${inputs[@]}" --memory "$memory" --split-size 20000 --work "$work" --resume \
        --progress lines -o "$output" "$@" >"$log" 2>&1 &
    job=$!
}

# finish: wait for the job and, after it, for its ranks: mpirun may be gone before them.
finish() {
    local waited
    status=0
    wait "$job" || status=$?
    took=$((($(date +%s%N) - began) / 1000000))
    if [ "$status" -eq 0 ] && [ "$took" -lt "$whole" ]; then # the machine is not always as quick
        whole=$took
    fi
    [ "$status" -ne 124 ] || wrong "hangs: not done after $seconds s"
    [ "$may_skip" = yes ] || ! grep -q '^neardup: skipped: ' "$log" ||
        wrong "a failure that is not the input's is reported as a skipped record"
    for waited in $(seq 100); do
        [ -n "$(rank_processes "$work")" ] || return 0
        sleep 0.1
    done
    wrong "ranks are left $((waited / 10)) s after the end of the job: $(rank_processes "$work")"
}

# wrong TEXT...: the end of the script, with what led to it.
wrong() {
    printf 'kill_resume.sh: run %s, --seed %s: %s\n' "$run" "$seed" "$*" >&2
    printf '    %s\n' "${history[@]}" >&2
    sed 's/^/    > /' "$log" | tail -n 30 >&2
    exit 1
}

# stage: the last one that the log names.
stage() {
    awk '$2 ~ /^[0-9.]+$/ && $3 == "%" { name = $1 } END { print name == "" ? "start" : name }' "$log"
}

# wait_part: up to the time that a whole run takes, drawn; less if the job ends before.
wait_part() {
    local until
    draw "$whole"
    until=$((began + drawn * 1000000))
    while [ "$(date +%s%N)" -lt "$until" ] && kill -0 "$job" 2>/dev/null; do
        sleep 0.01
    done
}

# ---- interruptions; each starts the job on $1 ranks

interrupt_kill() {
    local processes
    start "$1"
    wait_part
    mapfile -t processes < <(rank_processes "$work")
    if [ ${#processes[@]} -gt 0 ]; then
        draw "${#processes[@]}"
        kill -KILL "${processes[$drawn]}" 2>/dev/null || true
    fi
    finish
}

interrupt_term() {
    start "$1"
    wait_part
    pkill -TERM -P "$job" 2>/dev/null || true # of timeout: mpirun
    finish
}

# armed RANKS FAULT BOUND: with a fault at one of the first BOUND passings, on a rank drawn.
armed() {
    local ranks=$1 what=$2 bound=$3 rank
    draw "$ranks"
    rank=$drawn
    draw "$bound"
    start "$ranks" --fault "$what:$rank:$((drawn + 1))"
    what="$what:$rank:$((drawn + 1))"
    finish
    detail=$what
}

interrupt_passing() {
    armed "$1" kill "$(passings any)"
}

# Not those of inputs: what cannot be read of them is skipped, and the result is another.
interrupt_fault() {
    local names=() point
    for point in memory open read write sync rename exchange result; do
        if [ "$(passings "$point")" -gt 0 ]; then
            names+=("$point")
        fi
    done
    draw "${#names[@]}"
    point=${names[$drawn]}
    armed "$1" "$point" "$(passings "$point")"
}

# resize BYTES: the disk, as far as what is on it allows.
resize() {
    mount -o "remount,size=$1" "$folder/disk" 2>/dev/null || true
}

interrupt_disk() {
    local space=() blocks
    draw 2
    [ "$drawn" -eq 0 ] || space=(--no-disk-check)
    draw 2
    [ "$drawn" -eq 0 ] || memory=64M
    draw 2
    if [ "$drawn" -eq 0 ]; then
        draw "$((peak_blocks * 9 / 10 + 1))"
        detail="$((drawn + 2)) of $peak_blocks blocks"
        resize $(((drawn + 2) * 4096))
        start "$1" "${space[@]}"
    else
        start "$1" "${space[@]}"
        wait_part
        blocks=$(du -s -B 4096 "$folder/disk" | cut -f 1) || true
        detail="full at block ${blocks:-0}"
        resize "$((${blocks:-0} * 4096 + 4096))"
    fi
    detail+=", ${memory}${space[*]:+ ${space[*]}}"
    finish
    memory=16M
    resize 1g
}

# spill_run: without a work folder what outgrows memory lies beside the result, on the same disk.
# Nothing is left for a later start: there is the whole result, or none.
spill_run() {
    local space=() ranks
    draw 2
    [ "$drawn" -eq 0 ] || space=(--no-disk-check)
    draw 3
    ranks=$((drawn + 1))
    draw 3 # of a size for some of what is spilled, or for some of the result
    draw "$((drawn > 0 ? spill_bytes * 11 / 40960 : 60))"
    resize "$((drawn * 4096 + 16384))"
    work=$folder/disk/spilled.h5 # by which the ranks are found
    began=$(date +%s%N)
    timeout -k 10 "$seconds" mpirun -n "$ranks" \
        "$neardup" partition "$folder"/large/*.warc.gz --memory 64M --progress none -o "$work" \
        "${space[@]}" >"$log" 2>&1 &
    job=$!
    detail="disk of $((drawn + 4)) blocks, $ranks ranks${space[*]:+, ${space[*]}}"
    finish
    history+=("spill ($detail): exit code $status")
    if [ "$status" -eq 0 ]; then
        "$build_folder/tests/compare_results" "$folder/large.h5" "$work" >>"$log" ||
            wrong "another result than that of the run with a large disk"
        rm "$work"
    else
        [ "$status" -eq 1 ] || wrong "exit code $status with a full disk"
        struck=$((struck + 1))
    fi
    [ -z "$(ls "$folder/disk")" ] || wrong "left on the full disk: $(ls "$folder/disk")"
    resize 1g
    work=
}

interrupt_folder() {
    start "$1"
    wait_part
    mv "$work" "$work.away" 2>/dev/null || true # it may not be there yet, or not any more
    finish
    if [ "$status" -ne 0 ] && [ -e "$work.away" ]; then
        rm -rf "$work" # a new one, which has the rest of what was spilled
        mv "$work.away" "$work"
    fi
    rm -rf "$work.away"
}

interrupt_input() {
    local missing
    draw "${#inputs[@]}"
    missing=${inputs[$drawn]}
    mv "$missing" "$missing.away"
    start "$1"
    finish
    mv "$missing.away" "$missing"
    if [ "$status" -ne 0 ] && ! grep -q "^neardup: .*${missing##*/}" "$log"; then
        wrong "the missing input is not named"
    fi
}

# names CRAWL: the failure of the last start does.
names() {
    grep -q "^neardup: .*/crawl$1\.warc\.gz.* has \(changed\|become shorter\)" "$log"
}

interrupt_change() {
    local crawl
    draw 3
    crawl=$((drawn + 1))
    interrupt_term "$1"
    if [ "$status" -eq 0 ] || [ -e "$output" ]; then
        return
    fi
    cat "$folder/changed$crawl.warc.gz" >"$folder/crawl$crawl.warc.gz"
    touch -r "$folder/original$crawl.warc.gz" "$folder/crawl$crawl.warc.gz"
    may_skip=yes
    draw 5
    start $((drawn + 1))
    finish
    may_skip=no
    cp -p "$folder/original$crawl.warc.gz" "$folder/crawl$crawl.warc.gz"
    case $status in
    0) expected=changed$crawl ;; # nothing of it had been read
    1) names "$crawl" || wrong "the changed input $crawl is not named" ;;
    *) wrong "exit code $status with a changed input" ;;
    esac
    detail="crawl $crawl: exit code $status"
}

interrupt_replace() {
    local crawl how="in place"
    draw 3
    crawl=$((drawn + 1))
    may_skip=yes
    start "$1"
    wait_part
    draw 2
    if [ "$drawn" -eq 0 ]; then
        cat "$folder/changed$crawl.warc.gz" >"$folder/crawl$crawl.warc.gz"
    else
        how="another file"
        cp -p "$folder/changed$crawl.warc.gz" "$folder/other"
        mv "$folder/other" "$folder/crawl$crawl.warc.gz"
    fi
    finish
    may_skip=no
    cp -p "$folder/original$crawl.warc.gz" "$folder/crawl$crawl.warc.gz"
    detail="crawl $crawl, $how"
    case $status in
    0) # as it was or as it is now, but not of both
        if "$build_folder/tests/compare_results" "$folder/changed$crawl.h5" "$output" >/dev/null; then
            expected=changed$crawl
        fi
        ;;
    1)
        names "$crawl" || wrong "the replaced input $crawl is not named"
        start 2 # what was read of the other one is not taken
        finish
        if [ "$status" -eq 1 ]; then
            names "$crawl" || wrong "the restored input $crawl is not named"
            history+=("  checkpoints of the replaced one are refused")
            fresh_work work
        fi
        ;;
    *) wrong "exit code $status with a replaced input" ;;
    esac
}

# passings POINT: of rank 0 in the run that was counted.
passings() {
    sed -n "s/^passed: rank 0 .*\b$1 \([0-9]*\).*$/\1/p" "$folder/counts"
}

# ---- one run

fresh_work() {
    if [ -n "$work" ]; then
        rm -rf "$work"
    fi
    work=$folder/$1
    rm -rf "$work" "$output"
}

# resume: to the end.
resume() {
    draw 5
    start $((drawn + 1))
    finish
    history+=("resumed on $((drawn + 1)) ranks")
    [ "$status" -eq 0 ] || wrong "exit code $status of a resumed job that nothing disturbs"
}

check_result() {
    "$build_folder/tests/compare_results" "$folder/$expected.h5" "$output" >>"$log" ||
        wrong "another result than that of the run without interruption ($expected)"
    [ ! -e "$output.partial" ] || wrong "left: $output.partial"
}

interrupted_run() {
    local turns turn kind ranks
    history=()
    expected=whole
    fresh_work work
    draw 3
    turns=$((drawn + 1))
    status=1
    for turn in $(seq "$turns"); do
        draw "${#kinds[@]}"
        kind=${kinds[$drawn]}
        [ "$kind" != disk ] || [ "$turn" -eq 1 ] || kind="kill" # the work folder is elsewhere
        [ "$kind" != disk ] || fresh_work disk/work
        draw 5
        ranks=$((drawn + 1))
        detail=
        "interrupt_$kind" "$ranks"
        history+=("$kind on $ranks ranks${detail:+ ($detail)} in stage $(stage): exit code $status")
        if [ "$status" -eq 0 ]; then # it was faster
            break
        fi
        struck=$((struck + 1))
        if [ -e "$output" ]; then # struck after all was done: the result has to be whole
            case $kind in
            kill | term | passing | change) status=0 && break ;;
            *) wrong "a result of a job that failed" ;;
            esac
        fi
    done
    [ "$status" -eq 0 ] || resume
    check_result
    printf 'run %d: %s\n' "$run" "$(printf '%s; ' "${history[@]}")"
}

# ---- what all runs are compared with, and how long they take

# measure_spill: the result of the large crawl, and the bytes on the disk meanwhile, at most.
measure_spill() {
    local bytes
    "$neardup" synthesize -o "$folder/large" --pages 2000 --seed 7 >/dev/null 2>&1
    "$neardup" partition "$folder"/large/*.warc.gz --memory 64M --progress none \
        -o "$folder/disk/large.h5" &
    while kill -0 $! 2>/dev/null; do
        bytes=$(du -s -B 1 "$folder/disk" 2>/dev/null | cut -f 1) || true
        [ "${bytes:-0}" -le "$spill_bytes" ] || spill_bytes=$bytes
        sleep 0.01
    done
    wait $! || die "the job on a large disk fails"
    mv "$folder/disk/large.h5" "$folder/large.h5"
    say "64 MiB of memory: $spill_bytes bytes on the disk of the result"
}

run=0
say "kill_resume.sh: $runs runs, --seed $seed"
mkdir "$folder/shm" "$folder/disk"
shared_memory_in "$folder/shm"
make_inputs
"$neardup" partition "${inputs[@]}" --progress none -o "$folder/whole.h5"
for crawl in 1 2 3; do
    cp "$folder/changed$crawl.warc.gz" "$folder/crawl$crawl.warc.gz"
    "$neardup" partition "${inputs[@]}" --progress none -o "$folder/changed$crawl.h5" 2>"$log" ||
        [ $? -eq 3 ] || # of some bytes are passed over
        die "the changed crawl $crawl cannot be read"
    cp -p "$folder/original$crawl.warc.gz" "$folder/crawl$crawl.warc.gz"
done
fresh_work work
start 3 --fault count
peak_blocks=1
while kill -0 "$job" 2>/dev/null; do
    blocks=$(du -s -B 4096 "$work" 2>/dev/null | cut -f 1) || true
    [ "${blocks:-0}" -le "$peak_blocks" ] || peak_blocks=$blocks
    sleep 0.01
done
finish
[ "$status" -eq 0 ] || wrong "the job fails without an interruption"
grep '^passed: ' "$log" >"$folder/counts"
say "a whole run: $whole ms, $(passings any) passings on rank 0, work folder of $peak_blocks blocks"

spill_bytes=0
kinds=(kill term passing fault input folder change replace)
if [ "$points" = yes ]; then
    kinds=(passing fault)
elif [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1g tmpfs "$folder/disk" 2>/dev/null; then
    kinds+=(disk disk)
    measure_spill
else
    say "no tmpfs can be mounted here: no disk is full"
fi
struck=0
for run in $(seq "$runs"); do
    interrupted_run
    if [ "$spill_bytes" -gt 0 ]; then
        history=()
        spill_run
        printf 'run %d: %s\n' "$run" "${history[@]}"
    fi
done
say "$runs runs, $struck interruptions: all results equal"
[ "$struck" -gt 0 ] || die "no interruption struck"
