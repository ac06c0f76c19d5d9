#!/usr/bin/env bash
# The node on which the job script runs loses its power after a checkpoint: Slurm starts the job
# again on the nodes that are left, and it ends with the result of an undisturbed run.
# Run by cluster.sh: s_node_failure.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 3

submit --nodes=2 --ntasks-per-node=2 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o failed.h5
stop_rank_of 4
# Step by step, so that the job cannot be done before it is seen that its first stage is. The line of
# the second stage means that the checkpoint of the first is in place.
step_to_checkpoint() {
    go_on
    sleep 0.02
    kill -STOP "$stopped" || fail "the job was done before its node could fail"
    grep -q '^content ' "$log"
}
wait_until 60 "the second stage is done" step_to_checkpoint
[ "$(job_field "$job" BatchHost)" = node1 ] || fail "the job script is not on node1"
# Only now is it time to miss a node soon.
sed -i 's/^SlurmdTimeout=.*/SlurmdTimeout=10/' "$SLURM_CONF"
scontrol reconfigure
kill -KILL "$(cat "$CLUSTER/node1.pid")"
partition_here
wait_until 60 "node1 is down" down_nodes 1
wait_for_end "$job" 120
expect_field "$job" JobState COMPLETED
expect_field "$job" Restarts 1
[ "$(job_field "$job" BatchHost)" != node1 ] || fail "started again on the node that failed"
[ "$(grep -c '^ingest  *100' "$log")" -eq 1 ] || fail "the input was read again"
same_as_here failed.h5
[ ! -e "neardup-$job.work" ] || fail "the work folder of a job that is done is still there"
echo "node failure: started again on the nodes that are left, equal"
