#!/usr/bin/env bash
# The job script on all nodes of a cluster: the result of a local run, nothing left, exit
# codes passed on. Run by cluster.sh: s_partition.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
nodes=$(sinfo --noheader --Node --format=%N | wc -l)
make_crawl 3
partition_here

# Segments of jobs that were killed: one is stale, one is still mapped, one is too young to know.
# shellcheck disable=SC2016 # the nodes expand it
srun --nodes="$nodes" --ntasks-per-node=1 --mpi=none sh -c '
    touch -d "1 hour ago" "/dev/shm/vader_segment.$(hostname).stale" &&
    touch -d "1 hour" "/dev/shm/vader_segment.$(hostname).young"'
cat >hold.py <<'TEXT'
import mmap, os, time
path = "/dev/shm/vader_segment.node1.mapped"
with open(path, "w+b") as segment:
    segment.truncate(4096)
    kept = mmap.mmap(segment.fileno(), 4096)
os.utime(path, (0, 0))
open("held", "w").close()
time.sleep(600)
TEXT
holder=$(sbatch --parsable --nodelist=node1 --ntasks=1 --output=/dev/null --wrap 'exec python3 hold.py')
wait_until 20 "the segment is mapped" test -e held

# a name that is too long for what Open MPI makes of it
result=$(printf '%240s.h5' '' | tr ' ' x)
submit --nodes="$nodes" --ntasks-per-node=1 --time=30 "$JOB_SCRIPT" crawl.warc.gz -o "$result"
wait_for_end "$job" 120
expect_field "$job" JobState COMPLETED
expect_field "$job" ExitCode 0:0
same_as_here "$result"
expect_line "job $job, start 1: $nodes ranks on node[1-$nodes]; log $log; work folder $PWD/neardup-$job.work"
rm -rf pages hold.py held
left=$(find . -mindepth 1 | LC_ALL=C sort | tr '\n' ' ')
[ "$left" = "./$job.log ./crawl.warc.gz ./here.h5 ./$result " ] || fail "files left: $left"

# What a node's program wrote stands in its own view of /dev/shm.
segments=$(srun --nodes="$nodes" --ntasks-per-node=1 --mpi=none sh -c \
    'cd /dev/shm && ls -A' | LC_ALL=C sort | tr '\n' ' ')
expected=$(for ((i = 1; i <= nodes; i++)); do
    [ "$i" -ne 1 ] || echo vader_segment.node1.mapped
    echo "vader_segment.node$i.young"
done | tr '\n' ' ')
[ "$segments" = "$expected" ] || fail "in /dev/shm of the nodes: $segments, not $expected"
scancel "$holder"

# Exit codes: all jobs first, so that they can run at once.
printf 'WARC/1.0\r\nno header\r\n' >damaged.warc
declare -A jobs
submit_for() {
    local code=$1
    shift
    submit --nodes=2 --ntasks-per-node=1 --time=30 "$JOB_SCRIPT" "$@"
    jobs[$code]=$job
}
submit_for 1 "$PWD/missing.warc.gz" -o failed1.h5
submit_for 2 crawl.warc.gz --threshold 2 -o failed2.h5
submit_for 3 crawl.warc.gz damaged.warc --strict -o strict.h5
for code in 1 2 3; do
    wait_for_end "${jobs[$code]}" 60
    expect_field "${jobs[$code]}" ExitCode "$code:0"
    expect_field "${jobs[$code]}" JobState FAILED
done
left=$(find . -name 'failed*')
[ -z "$left" ] || fail "jobs that failed left $left"
[ -e strict.h5 ] || fail "a job with skipped input left no result"
NEARDUP=$PWD/nothing submit --nodes=1 "$JOB_SCRIPT" crawl.warc.gz -o failed.h5
wait_for_end "$job" 60
expect_field "$job" ExitCode 1:0
expect_line "set NEARDUP to the program's path"
echo "$nodes nodes: as on this machine; exit codes 0 1 2 3; stale segments removed, others not"
