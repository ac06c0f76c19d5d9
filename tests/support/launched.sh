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

# shared_memory_in FOLDER: where ranks of Open MPI 4 and 5 have theirs from now on, in place of /dev/shm.
shared_memory_in() {
    export OMPI_MCA_btl_vader_backing_directory=$1 OMPI_MCA_btl_sm_backing_directory=$1
}

# own_lines FILE: the lines of stderr without what mpirun and the MPI library add on their own: blocks of
# Open MPI's between two lines of dashes, of MPICH's launcher from a line of = to the end, and of either
# single lines, as those of Open MPI's event library ("[warn] Epoll MOD(1) on fd 26 failed", now and then
# while it ends). Open MPI 5's end in a NUL.
own_lines() {
    tr -d '\0' <"$1" | sed -E -e '/^-{60,}$/,/^-{60,}$/d' -e '/^={60,}$/,$d' -e '/^$/d' |
        grep -v -E -e '^\[warn\] Epoll ' -e '^mca_|^vulcan_write_all|ORTE_ERROR_LOG|PMIX ERROR' \
            -e '^\[.*\] [0-9]+ more process' -e '^(Abort\(|application called MPI_Abort|\[proxy:|\[mpiexec@)' || true
}
