# shellcheck shell=bash
# tests/support/kept_jobs.sh - jobs with a work folder, for the scripts of cli/ that interrupt them:
# starting and stopping them, comparing their results, the inputs. To be sourced by a bash script
# with `set -euo pipefail` that was called as SCRIPT NEARDUP BUILD_DIR; it makes a temporary folder,
# which goes at the end of the script.

# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/generated_pages.sh"
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/launched.sh"
neardup=$1
compare=$2/tests/compare_results
make_warc=$2/tests/make_warc
folder=$(mktemp -d)
work=$folder/work
out=$folder/out.h5
log=$folder/log
unit=60000

if ! command -v mpirun >/dev/null; then
    echo "SKIPPED: there is no mpirun"
    exit 77
fi

# clean_up: a failure may leave a stopped job.
clean_up() {
    rank_processes "$work" | xargs -r kill -KILL 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT

# fail TEXT...: the end of the test, with what the job said last.
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    sed 's/^/    > /' "$log" 2>/dev/null | tail -n 20 >&2
    exit 1
}

# ---- the job

# start RANKS ARGUMENT...: in the background, as $job; with arguments of its own, which come last.
# Alone without mpirun, which takes longer. All jobs share one place for shared memory.
start() {
    local ranks=$1 launch=()
    shift
    if [ "$ranks" -gt 1 ]; then
        launch=(mpirun -n "$ranks")
    fi
    : >"$log" # now: whoever waits for a line must not find that of the job before
    timeout 900 "${launch[@]}" "$neardup" partition "${inputs[@]}" --split-size "$unit" \
        --progress lines -o "$out" "$@" >"$log" 2>&1 &
    job=$!
}

# finish: wait for the job; $status is its exit code.
finish() {
    status=0
    wait "$job" || status=$?
    [ "$status" -ne 124 ] || fail "hangs"
}

# run STATUS RANKS ARGUMENT...: to that exit code.
run() {
    local wanted=$1
    shift
    start "$@"
    finish
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*"
}

# kept: the arguments of a job with the work folder, a checkpoint after every piece of work, and as
# little memory as can be, so that there are many pieces.
# shellcheck disable=SC2034 # for the scripts that source this file
kept=(--work "$work" --checkpoint 0 --memory 16M)

# same NAME: the result is equal to that of the file, to the byte, and nothing else is left.
same() {
    local difference left
    difference=$("$compare" "$folder/$1.h5" "$out") || fail "not the result of $1: $difference"
    left=$(find "$folder" -path "$out?*" -o -path "$work*")
    [ -z "$left" ] || fail "left: $left"
    rm "$out"
}

# can_go_on: no result, under whatever name, and a state in the work folder. A killed job leaves its lock,
# which locks nothing.
can_go_on() {
    [ -z "$(find "$folder" -name 'out.h5*' ! -name out.h5.lock)" ] || fail "a result of a job that did not end"
    [ -e "$work/manifest.json" ] || fail "there is nothing in the work folder"
}

# wait_checkpoint: until the job has committed one, after the present one.
wait_checkpoint() {
    local before='' now=''
    { read -r -d '' before <"$work/manifest.json"; } 2>/dev/null || true
    while kill -0 "$job" 2>/dev/null; do
        { read -r -d '' now <"$work/manifest.json"; } 2>/dev/null || true
        [ "$now" = "$before" ] || return 0
        sleep 0.01
    done
}

# signal NAME: to one of the job's ranks.
signal() {
    local process
    process=$(rank_processes "$work" | tail -n 1)
    # it may be over already
    [ -z "$process" ] || kill "-$1" "$process" 2>/dev/null || true
}

# pause RANKS ARGUMENT...: start a job, and stop all its ranks as soon as it has committed a
# checkpoint. They are looked up before, since a small job is over in less time than that takes;
# false if it ended all the same.
pause() {
    local ranks=$1
    start "$@"
    processes=()
    while [ "${#processes[@]}" -lt "$ranks" ] && kill -0 "$job" 2>/dev/null; do
        mapfile -t processes < <(rank_processes "$work")
    done
    wait_checkpoint
    kill -STOP "${processes[@]}" 2>/dev/null && return
    kill -CONT "${processes[@]}" 2>/dev/null || true # one may have been the slower
    return 1
}

# pause_anew RANKS ARGUMENT...: the same in a new work folder; a job that ended all the same is started
# again.
pause_anew() {
    for _ in $(seq 20); do
        rm -rf "$work" "$out"
        ! pause "$@" || return 0
        finish
    done
    fail "no job of 20 could be stopped"
}

# go_on: the job that was stopped.
go_on() {
    kill -CONT "${processes[@]}"
}

# stop SIGNAL RANKS ARGUMENT...: a job that has committed a checkpoint, and gets the signal at one of
# its ranks while all of them stand still: however slow the machine is, it does not get away
# meanwhile. $status is its exit code; 0 if it came to its end all the same.
stop() {
    local name=$1
    shift
    if pause "$@"; then
        kill "-$name" "${processes[-1]}"
        go_on
    fi
    finish
}

# passed POINT: how often rank 0 passed it in the last run, which counted.
passed() {
    sed -n "s/^passed: rank 0 .*\b$1 \([0-9]*\).*$/\1/p" "$log"
}

# ---- inputs: three crawls, records of which one is damaged, others that are no pages

mkdir "$folder/shm"
shared_memory_in "$folder/shm"
make_pages "$folder/pages"
pages=("$folder"/pages/*.html)
inputs=()
for crawl in 1 2 3; do
    mkdir "$folder/crawl$crawl"
    for ((page = crawl - 1; page < ${#pages[@]}; page += 3)); do
        printf '%s\0' "${pages[page]}"
    done | xargs -0 mv -t "$folder/crawl$crawl"
    "$make_warc" "$folder/$crawl.warc.gz" 1 "$folder/crawl$crawl" >/dev/null
    inputs+=("$folder/$crawl.warc.gz")
done
cat >"$folder/4.jsonl" <<'END'
{"id": "1", "text": "a first text"}
{"id": "2", "text": "a text that is cut
{"id": "3", "text": "a third text"}
END
# short pages of many sites that share but one sentence
for page in $(seq 20); do
    printf '{"id": "e%d", "url": "http://e%d.test/", "text": "The page that you asked for is not on this server. It has number %d."}\n' \
        "$page" "$page" "$page"
done >>"$folder/4.jsonl"
make_others "$folder/5.warc" 300
inputs+=("$folder/4.jsonl" "$folder/5.warc")

# what all others are compared with
run 0 2
mv "$out" "$folder/plain.h5"
