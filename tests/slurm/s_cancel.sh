#!/usr/bin/env bash
# scancel while all ranks are at work: no result under its final name, no process, no second start.
# Run by cluster.sh: s_cancel.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 3

submit --nodes=2 --ntasks-per-node=2 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o cancelled.h5
wait_until 30 "4 ranks" ranks_have_started 4
stop_rank
scancel "$job"
wait_for_end "$job" 30
expect_field "$job" JobState CANCELLED
nothing_runs
expect_line "what goes on from its checkpoints is: NEARDUP_WORK=$PWD/neardup-$job.work sbatch --nodes=2"
wait_until 30 "all nodes are idle" idle_nodes 2
expect_field "$job" JobState CANCELLED
expect_field "$job" Restarts 0
expect_code "$job"
! grep -q ': exit code 0' "$log" || fail "a cancelled job says that it is done"
[ ! -e cancelled.h5 ] || fail "there is a result of a job that was cancelled"

# The same for a job that has not started yet: it leaves no file at all.
submit --nodes=2 --hold "$JOB_SCRIPT" crawl.warc.gz -o held.h5
scancel "$job"
wait_for_end "$job" 10
expect_field "$job" JobState CANCELLED
rm -rf ./neardup-*.work pages
left=$(find . -mindepth 1 ! -name '*.log' | LC_ALL=C sort | tr '\n' ' ')
[ "$left" = "./crawl.warc.gz " ] || fail "files left: $left"
echo "cancelled: no result, no process, no other file than the log and the work folder"
