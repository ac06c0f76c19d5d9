#!/usr/bin/env bash
# The papers' tables by a job: its runs are steps on all ranks of the job, and a job that is submitted
# again runs nothing again.
# Run by cluster.sh: s_reproduce.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/slurm/slurm_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm_jobs.sh"
begin "$@"
for program in python3 gnuplot; do
    command -v "$program" >/dev/null || skip "there is no $program"
done
job_script=$TESTS/../slurm/reproduce_pku.sbatch
arguments=(--quick --pages 300 --profile crawl --tables pku -o "$PWD/out")
export NEARDUP_SCRIPTS=$TESTS/../scripts

submit --nodes=2 --ntasks-per-node=1 "$job_script" "${arguments[@]}"
wait_for_end "$job" 200
expect_field "$job" JobState COMPLETED
expect_line "the tables are in $PWD/out/tables.md"
awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["processes"] != 2 { bad = $0 }
    END { if (NR != 7 + 7 + 3 + 1 || bad != "") { print NR " lines; not on 2 ranks: " bad; exit 1 } }
    ' out/pku.csv || fail "wrong table"

cp out/pku.csv before.csv
submit --nodes=1 --ntasks-per-node=1 "$job_script" "${arguments[@]}"
wait_for_end "$job" 200
expect_field "$job" JobState COMPLETED
if grep -q '== run:' "$log"; then
    fail "what was there was run again"
fi
cmp before.csv out/pku.csv || fail "another table"

NEARDUP=$PWD/missing submit --nodes=1 --ntasks-per-node=1 "$job_script" "${arguments[@]}"
wait_for_end "$job" 60
expect_field "$job" JobState FAILED
expect_line "set NEARDUP"
echo "reproduce: the tables on 2 nodes, not made twice"
