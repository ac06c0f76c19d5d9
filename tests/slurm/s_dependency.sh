#!/usr/bin/env bash
# Jobs that wait for a partition (afterok): an export of its result; nothing if it failed.
# Run by cluster.sh: s_dependency.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 3
partition_here
"$NEARDUP" export here.h5 --what drop >here.tsv

submit --nodes=2 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o slurm.h5
# shellcheck disable=SC2016 # the job expands it
submit --dependency="afterok:$job" --wrap '"$NEARDUP" export slurm.h5 --what drop >slurm.tsv'
export_job=$job
submit --nodes=2 --time=30 "$JOB_SCRIPT" missing.warc.gz -o failed.h5
submit --dependency="afterok:$job" --kill-on-invalid-dep=yes --wrap 'touch ran-after-failure'
never_job=$job

wait_for_end "$export_job" 60
expect_field "$export_job" JobState COMPLETED
cmp here.tsv slurm.tsv
[ "$(wc -l <slurm.tsv)" -gt 1 ] || fail "the export is empty"
wait_for_end "$never_job" 60
expect_field "$never_job" JobState CANCELLED
[ ! -e ran-after-failure ] || fail "the job after a failed one ran"
echo "afterok: the export ran after the partition, and not after one that failed"
