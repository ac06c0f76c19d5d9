#!/usr/bin/env bash
# A job that meets its time limit stops at a checkpoint, is started again by Slurm, goes on, and ends
# with the result of an undisturbed run. A stop that somebody asked the ranks for ends it for good;
# by hand it goes on, on another number of ranks.
# Run by cluster.sh: s_time_limit.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 3

# The ranks have ten minutes less than the limit; it is made shorter when they run and heed signals, one
# of them stopped, and longer again before the next start. Slurm looks at it every 30 seconds only.
submit --nodes=2 --ntasks-per-node=2 --time=30 --signal=B:USR1@600 "$JOB_SCRIPT" crawl.warc.gz -o limited.h5
stop_rank_of 4
partition_here
scontrol update "JobId=$job" TimeLimit=10
wait_until 60 "the job script has USR1" grep -qsF 'USR1: the time limit is near' "$log"
sleep 0.5 # srun hands the signal on
scontrol update "JobId=$job" TimeLimit=30
go_on
wait_until 30 "the job asked to be started again" grep -qsF 'asking Slurm to start job' "$log"
[ ! -e limited.h5 ] || fail "there is a result before the job is done"
[ -d "neardup-$job.work" ] || fail "the work folder is gone"
wait_for_end "$job" 120
expect_field "$job" JobState COMPLETED
[ "$(job_field "$job" Restarts)" -ge 1 ] || fail "the job was not started again"
expect_line "job $job, start 1:"
expect_line "job $job, start 2:"
same_as_here limited.h5
[ ! -e "neardup-$job.work" ] || fail "the work folder of a job that is done is still there"

# A limit of a minute and the warning that there is by default, ten minutes: not asked to stop at the
# start, and so done at once.
submit --nodes=2 --ntasks-per-node=2 --time=1 "$JOB_SCRIPT" crawl.warc.gz -o short.h5
wait_for_end "$job" 60
expect_field "$job" JobState COMPLETED
expect_field "$job" Restarts 0
same_as_here short.h5

# By hand: TERM to the ranks, code 4, no restart; then a new job with other ranks.
submit --nodes=2 --ntasks-per-node=2 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o byhand.h5 --work kept
stop_rank_of 4
scancel --signal=TERM "$job"
sleep 0.5
go_on
wait_for_end "$job" 60
expect_field "$job" JobState FAILED
expect_field "$job" ExitCode 4:0
expect_field "$job" Restarts 0
[ ! -e byhand.h5 ] || fail "there is a result of a job that was stopped"
resume="NEARDUP_WORK=$PWD/kept sbatch --nodes=2 --ntasks-per-node=2 --time=00:30:00 $JOB_SCRIPT crawl.warc.gz -o byhand.h5 --work kept"
expect_line "neardup: asked to stop: stopping at the next checkpoint"
expect_line "neardup: stopped as asked; unless Slurm starts the job again by itself, what goes on from its checkpoints is: $resume"
NEARDUP_WORK=kept submit --nodes=1 --ntasks-per-node=1 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o byhand.h5
wait_for_end "$job" 60
expect_field "$job" JobState COMPLETED
same_as_here byhand.h5
echo "time limit: stopped, started again, equal; stopped by hand: code 4, resumed on 1 rank, equal"
