#!/usr/bin/env bash
# The scaling script: a row for each number of nodes, and the check of the results.
# Run by cluster.sh: s_scaling.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
make_crawl 1
pages=$("$NEARDUP" partition --progress none crawl.warc.gz -o here.h5 &&
    "$NEARDUP" inspect here.h5 | sed -n 's/^pages *//p')

NEARDUP_REPEATS=2 submit --nodes=3 --ntasks-per-node=1 "$SCALING_SCRIPT" crawl.warc.gz
wait_for_end "$job" 120
expect_field "$job" JobState COMPLETED
expect_line "all numbers of nodes gave the same partition"
folder=neardup-scaling-$job
for result in "$folder"/*.h5; do
    same_as_here "$result"
done
# nodes, ranks, and what seconds, pages per second and the rest must be to each other
awk -v pages="$pages" '
    $1 == "nodes" { table = NF - 5; next } # without the note at the end of the line
    table && NF == table {
        rows++
        nodes = nodes " " $1
        if ($1 != $2) bad = "ranks of " $1 " nodes: " $2
        if ($3 <= 0) bad = "no seconds"
        if (($4 - pages / $3) ^ 2 > (0.02 * $4 + 1) ^ 2) bad = $4 " pages per second"
        if (rows == 1) first = $3
        if (($5 - first / $3) ^ 2 > 0.01) bad = "speed-up " $5
        if ((100 * first / $3 / $1 - $6) ^ 2 > 4) bad = "efficiency " $6
        for (i = 7; i <= NF; i++) stages[rows] += $i
        if (stages[rows] > $3 + 0.2) bad = "the stages took " stages[rows] " of " $3 " seconds"
    }
    END {
        if (nodes != " 1 2 3") bad = "rows for nodes" nodes
        if (bad != "") { print "the table of the scaling job: " bad; exit 1 }
    }' "$log" || fail "wrong table"

# One of two results is another: the script must see it. The program is given another threshold on
# two nodes.
cat >other.sh <<'TEXT'
#!/bin/sh
if [ "$SLURM_STEP_NUM_NODES" = 2 ] && [ "$1" = partition ]; then
    set -- "$@" --threshold 0.99
fi
exec "$NEARDUP_TRUE" "$@"
TEXT
chmod +x other.sh
export NEARDUP_TRUE=$NEARDUP
NEARDUP=$PWD/other.sh NEARDUP_REPEATS=1 submit --nodes=2 --ntasks-per-node=1 "$SCALING_SCRIPT" crawl.warc.gz
wait_for_end "$job" 120
expect_field "$job" JobState FAILED
expect_line "2 nodes gave another result than 1"

# A rank that dies: once is not the end, twice is.
cat >dies.sh <<'TEXT'
#!/bin/sh
if [ "$1" = partition ] && mkdir "died$NEARDUP_DEATHS" 2>/dev/null; then
    kill -SEGV $$
fi
if [ "$1" = partition ] && [ "$NEARDUP_DEATHS" = 2 ] && mkdir died 2>/dev/null; then
    kill -SEGV $$
fi
exec "$NEARDUP_TRUE" "$@"
TEXT
chmod +x dies.sh
for deaths in 1 2; do
    NEARDUP_DEATHS=$deaths NEARDUP=$PWD/dies.sh NEARDUP_REPEATS=1 \
        submit --nodes=1 --ntasks-per-node=1 "$SCALING_SCRIPT" crawl.warc.gz
    wait_for_end "$job" 120
    expect_line "a rank has died on 1 nodes (exit code 139): this run once more"
    [ "$deaths" -eq 1 ] || expect_line "failed on 1 nodes (exit code 139)"
    expect_field "$job" JobState "$([ "$deaths" -eq 1 ] && echo COMPLETED || echo FAILED)"
done
echo "scaling: 1, 2 and 3 nodes; another result is seen; a rank that died was started once more"
