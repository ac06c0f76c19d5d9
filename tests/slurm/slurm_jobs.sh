# shellcheck shell=bash
# shellcheck disable=SC2034 # the variables are for the tests that source this file
# tests/slurm/slurm_jobs.sh - what the tests in a cluster share: pages, jobs, waiting for them, and
# stopping a rank. To be sourced by a bash script that runs under cluster.sh and has
# `set -euo pipefail`; after it `begin NEARDUP BUILD_DIR`.

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tests/support/generated_pages.sh
. "$TESTS/support/generated_pages.sh"
JOB_SCRIPT=$TESTS/../slurm/neardup.sbatch
SCALING_SCRIPT=$TESTS/../slurm/scaling.sbatch

# begin NEARDUP BUILD_DIR: go to a folder of the cluster's own. NEARDUP, which the job script reads
# too, becomes the program.
begin() {
    export NEARDUP=$1
    compare=$2/tests/compare_results
    make_warc=$2/tests/make_warc
    command -v mpirun >/dev/null || skip "there is no mpirun"
    mkdir "$CLUSTER/files"
    cd "$CLUSTER/files" || exit 1
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

# fail TEXT...: with what the jobs wrote.
fail() {
    tail -n 30 ./*.log >&2 || true
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# make_crawl REPEAT: crawl.warc.gz: an installation guide, or generated pages, and edited copies.
make_crawl() {
    local pages=${NEARDUP_GUIDES:-}/amd64
    if [ ! -d "$pages" ]; then
        pages=$PWD/pages
        make_pages "$pages"
    fi
    "$make_warc" crawl.warc.gz "$1" "$pages"
}

# partition_here: the same on this node without Slurm, as here.h5.
partition_here() {
    timeout 900 mpirun -n 2 "$NEARDUP" partition --progress none crawl.warc.gz -o here.h5
}

# same_as_here RESULT
same_as_here() {
    local difference
    difference=$("$compare" here.h5 "$1") || fail "$1 is not the local result: $difference"
}

# submit SBATCH_ARGUMENT...: sets job and log.
submit() {
    job=$(sbatch --parsable --output="$PWD/%j.log" "$@")
    log=$PWD/$job.log
}

# job_field JOB NAME: as scontrol says it, as JobState or ExitCode.
job_field() {
    scontrol --oneliner show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

# wait_until SECONDS WHAT COMMAND...: until the command succeeds; fails with WHAT after eight times the
# seconds that a quiet machine may take.
wait_until() {
    local seconds=$1 what=$2 end=$((SECONDS + 8 * $1))
    shift 2
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "after $((8 * seconds)) seconds not: $what"
        sleep 0.05
    done
}

# shellcheck disable=SC2317 # wait_until calls it
has_state() {
    [[ $(job_field "$1" JobState) =~ ^($2)$ ]]
}

# idle_nodes COUNT: so many nodes are idle. down_nodes COUNT: so many are down.
# shellcheck disable=SC2317 # wait_until calls it
idle_nodes() {
    [ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" -eq "$1" ]
}
# shellcheck disable=SC2317 # wait_until calls it
down_nodes() {
    [ "$(sinfo --noheader --Node --states=down --format=%N | wc -l)" -eq "$1" ]
}

# wait_for_state JOB STATE SECONDS: STATE may be several, as A|B.
wait_for_state() {
    wait_until "$3" "job $1 $2 (it is $(job_field "$1" JobState))" has_state "$1" "$2"
}

# wait_for_end JOB SECONDS: until it has ended for good.
wait_for_end() {
    wait_for_state "$1" 'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY' "$2"
}

# expect_field JOB NAME VALUE
expect_field() {
    local value
    value=$(job_field "$1" "$2")
    [ "$value" = "$3" ] || fail "job $1 has $2=$value, not $3"
}

# expect_line TEXT: in the job's log.
expect_line() {
    grep -qF -- "$1" "$log" || fail "$log says nothing of: $1"
}

# expect_code JOB: what the job script says last of its exit code is what Slurm knows of it.
expect_code() {
    local code
    code=$(sed -n 's/^neardup.sbatch: .*: exit code //p' "$log" | tail -n 1)
    expect_field "$1" ExitCode "$code:0"
}

# rank_pids: of the ranks on all nodes.
rank_pids() {
    pgrep -x "$(basename "$NEARDUP" | cut -c -15)" || true
}

# catches_usr1 PID: the process has a handler for SIGUSR1, the 10th bit of the mask.
catches_usr1() {
    local mask
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || return 1
    [ -n "$mask" ] && (((16#$mask >> 9) & 1))
}

# shellcheck disable=SC2317 # wait_until calls it
ranks_are_ready() {
    local pids pid
    mapfile -t pids < <(rank_pids)
    [ ${#pids[@]} -eq "$1" ] || return 1
    for pid in "${pids[@]}"; do
        catches_usr1 "$pid" || return 1
    done
}

# shellcheck disable=SC2317 # wait_until calls it
ranks_have_started() {
    [ "$(rank_pids | wc -l)" -eq "$1" ]
}

# stop_rank: stops the last rank, so that the others wait for it; sets stopped.
stop_rank() {
    stopped=$(rank_pids | tail -n 1)
    kill -STOP "$stopped"
}

# stop_rank_of RANKS: as soon as all ranks run and heed signals.
stop_rank_of() {
    wait_until 30 "$1 ranks that catch USR1" ranks_are_ready "$1"
    stop_rank
}

go_on() {
    kill -CONT "$stopped"
}

# nothing_runs: no rank is left on any node.
nothing_runs() {
    wait_until 20 "no process of the program" ranks_have_started 0
}
