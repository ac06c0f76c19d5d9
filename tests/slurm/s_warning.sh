#!/usr/bin/env bash
# The job script's own watch on the time limit, in an array of three jobs: where squeue fails once, where it
# fails always, and in the last task, which has the number of the whole array. Each stops at a
# checkpoint, is started again alone, and ends with its result. A job whose ranks do not stop in time
# ends as killed. Run by cluster.sh: s_warning.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 1
partition_here
# ranks that do not heed TERM are killed after so many seconds
sed -i 's/^KillWait=.*/KillWait=3/' "$SLURM_CONF"
scontrol reconfigure

# A program that goes on until it gets the signal $STOPS_AT, and after another start is the true one.
cat >waits.sh <<'TEXT'
#!/bin/bash
[ "$1" = partition ] && [ "$2" != --help ] && [ -z "${SLURM_RESTART_COUNT:-}" ] ||
    exec "$NEARDUP_TRUE" "$@"
trap : USR1 TERM
trap 'exit 4' "$STOPS_AT"
echo "rank $SLURM_PROCID runs"
while :; do
    sleep 0.1
done
TEXT
# What a task's squeue does: fail once, fail always, or nothing else than it should.
mkdir fake
cat >fake/squeue <<'TEXT'
#!/bin/bash
echo "$SLURM_ARRAY_TASK_ID" >>squeue-calls
case $SLURM_ARRAY_TASK_ID in
1) mkdir squeue-failed 2>/dev/null && exit 1 ;;
2) exit 1 ;;
esac
exec "$SQUEUE_TRUE" "$@"
TEXT
cat >task.sh <<'TEXT'
#!/bin/bash
# Slurm 23.02 and later set it themselves
[ "$SLURM_ARRAY_TASK_ID" != 2 ] || export SLURM_JOB_END_TIME=$(($(date +%s) + 40))
PATH=$PWD/fake:$PATH exec bash "$JOB_SCRIPT" crawl.warc.gz -o "task$SLURM_ARRAY_TASK_ID.h5"
TEXT
chmod +x waits.sh fake/squeue task.sh
SQUEUE_TRUE=$(command -v squeue)
export STOPS_AT=USR1 JOB_SCRIPT SQUEUE_TRUE NEARDUP_TRUE=$NEARDUP NEARDUP=$PWD/waits.sh

submit --array=1-3 --nodes=1 --ntasks=1 --time=1 --output="$PWD/task%a.log" --open-mode=append task.sh
array=$job
for task in 1 2 3; do
    log=$PWD/task$task.log
    wait_for_end "${array}_$task" 120
    expect_field "${array}_$task" JobState COMPLETED
    expect_field "${array}_$task" Restarts 1
    expect_line "job ${array}_$task, start 1:"
    expect_line "USR1: the time limit is near"
    expect_line "asking Slurm to start job ${array}_$task again"
    expect_line "job ${array}_$task, start 2:"
    expect_code "${array}_$task"
    same_as_here "task$task.h5"
done
for task in 1 2 3; do
    [ "$(grep -cx "$task" squeue-calls)" -ge 2 ] || fail "task $task asked squeue less than twice"
done

# No warning reaches the ranks of one job, which TERM stops at a checkpoint: started again if it is for the
# time limit. Those of two others do not stop for TERM either, at the limit and where it is cancelled;
# there is an older result of one.
cat >deaf.sh <<'TEXT'
#!/bin/bash
[ "$1" = partition ] && [ "$2" != --help ] || exec "$NEARDUP_TRUE" "$@"
trap : TERM USR1
echo "rank $SLURM_PROCID runs"
while :; do
    sleep 0.1
done
TEXT
chmod +x deaf.sh
cp here.h5 old.h5
spread=(--nodes=2 --ntasks-per-node=1 --time=1)
STOPS_AT=TERM submit "${spread[@]}" "$JOB_SCRIPT" crawl.warc.gz -o stopped.h5
stopped_job=$job
NEARDUP=$PWD/deaf.sh submit "${spread[@]}" "$JOB_SCRIPT" crawl.warc.gz -o old.h5
limited_job=$job
# shellcheck disable=SC2317 # wait_until calls it
two_ranks_run() {
    [ "$(grep -sc '^rank . runs' "$log")" = 2 ]
}
wait_until 30 "2 ranks" two_ranks_run

# expect_killed JOB STATE: Slurm kills the script too, soon after the ranks, at times before its last line.
expect_killed() {
    log=$PWD/$1.log
    wait_for_end "$1" 120
    expect_field "$1" JobState "$2"
    expect_line "TERM: Slurm ends the job; unless Slurm starts the job again by itself"
    [ "$(job_field "$1" ExitCode)" != 0:0 ] || fail "job $1 was killed, and has exit code 0"
    if grep -qF ": exit code " "$log"; then
        expect_line "the ranks were killed before there was a result"
        expect_line ": exit code 143"
        expect_code "$1"
    fi
}

expect_killed "$limited_job" TIMEOUT
log=$PWD/$stopped_job.log
wait_for_state "$stopped_job" COMPLETED 120
expect_field "$stopped_job" Restarts 1
expect_line "asking Slurm to start job $stopped_job again"
same_as_here stopped.h5
NEARDUP=$PWD/deaf.sh submit "${spread[@]}" "$JOB_SCRIPT" crawl.warc.gz -o cancelled.h5
wait_until 30 "2 ranks" two_ranks_run
scancel "$job"
expect_killed "$job" CANCELLED

# A stop that is asked for before the ranks can listen kills them: the job is started again.
cat >starting.sh <<'TEXT'
#!/bin/bash
[ "$1" = partition ] && [ "$2" != --help ] && [ -z "${SLURM_RESTART_COUNT:-}" ] ||
    exec "$NEARDUP_TRUE" "$@"
echo "rank $SLURM_PROCID runs"
while :; do
    sleep 0.1
done
TEXT
chmod +x starting.sh
NEARDUP=$PWD/starting.sh submit "${spread[@]}" "$JOB_SCRIPT" crawl.warc.gz -o early.h5
wait_until 30 "2 ranks" two_ranks_run
scancel --batch --signal=USR1 "$job"
wait_for_state "$job" COMPLETED 120
expect_field "$job" Restarts 1
expect_line "the ranks were asked before they could listen"
same_as_here early.h5

# Ranks that stop at a checkpoint of a job that is cancelled: no other start.
STOPS_AT=TERM submit "${spread[@]}" "$JOB_SCRIPT" crawl.warc.gz -o cancelled.h5
wait_until 30 "2 ranks" two_ranks_run
scancel "$job"
wait_for_end "$job" 60
wait_until 30 "the job script's last line" grep -q ': exit code ' "$log"
expect_line ": exit code 4"
expect_code "$job"
expect_field "$job" JobState CANCELLED
echo "the limit is watched: array, squeue that fails; ranks that do not stop are told as killed"
