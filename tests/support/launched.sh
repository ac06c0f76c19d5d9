# shellcheck shell=bash
# tests/support/launched.sh - jobs that mpirun has started: their processes, and what they said
# themselves. To be sourced.

# rank_processes FOLDER: the processes of the ranks of the job whose command line has that folder as
# a word.
rank_processes() {
    local process word
    for process in $(pgrep -x neardup || true); do
        while read -r -d '' word; do
            if [ "$word" = "$1" ]; then
                echo "$process"
                break
            fi
        done 2>/dev/null <"/proc/$process/cmdline" || true # it may have ended meanwhile
    done
}

# own_lines FILE: the lines of stderr without what mpirun, its event library ("[warn] Epoll MOD(1) on fd
# 26 failed", now and then while it ends) and the MPI library add on their own.
own_lines() {
    grep -v -E -e '^(-*| *Process name:.*| *Exit code:.*)$' \
        -e '^(Primary job|a non-zero exit code|mpirun detected|the job to be terminated)' \
        -e '^(MPI_ABORT was invoked|with errorcode|NOTE: invoking|You may or may not|exactly when)' \
        -e '^\[warn\] Epoll ' -e '^mca_|^vulcan_write_all|ORTE_ERROR_LOG|^\[.*\] [0-9]+ more process' \
        "$1" || true
}
