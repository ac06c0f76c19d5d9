#!/usr/bin/env bash
# A rank is killed as soon as it is there, maybe before it knows the others, which then wait for it: the
# job ends its ranks and starts them once more. Killed a second time, it fails.
# Run by cluster.sh: s_dead_rank.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 3
partition_here
export NEARDUP_SRUN=--wait=8

# kill_rank: one of two, as soon as both are there.
kill_rank() {
    wait_until 60 "2 ranks" ranks_have_started 2
    killed=$(rank_pids | tail -n 1)
    kill -KILL "$killed"
    wait_until 60 "the rank that was killed is gone" test ! -e "/proc/$killed"
}

submit --nodes=2 --ntasks-per-node=1 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o once.h5
kill_rank
wait_for_end "$job" 120
expect_line "starting all of them once more"
expect_field "$job" JobState COMPLETED
expect_field "$job" Restarts 0
same_as_here once.h5

submit --nodes=2 --ntasks-per-node=1 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o twice.h5
kill_rank
# the other one ends, after which there are two again
wait_until 60 "the ranks have ended" grep -qF "starting all of them once more" "$log"
kill_rank
wait_for_end "$job" 120
expect_field "$job" JobState FAILED
expect_line "exit code 137"
nothing_runs
[ ! -e twice.h5 ] || fail "there is a result of a job of which a rank was killed twice"
echo "a dead rank: all started once more, equal; of one that dies again the job fails"
