#!/usr/bin/env bash
# cluster.sh leaves nothing, however it ends: processes, mounts, network interfaces, files.
# Two clusters run side by side. usage: teardown.sh
set -euo pipefail
cluster=$(dirname "${BASH_SOURCE[0]}")/cluster.sh
folder=$(mktemp -d)

fail() {
    cat "$folder"/*.out >&2
    printf 'teardown.sh: %s\n' "$*" >&2
    exit 1
}

# A cluster's processes inherit this variable, in whatever namespace they are.
mark=NEARDUP_TEST_MARK=$$-$RANDOM

# marked: the processes of our clusters. One that ends while grep looks is none.
marked() {
    { grep -lszx "$mark" /proc/[0-9]*/environ || true; } | cut -d / -f 3
}

clean_up() {
    local pids
    mapfile -t pids < <(marked)
    if [ ${#pids[@]} -gt 0 ]; then
        kill -KILL "${pids[@]}" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap clean_up EXIT

# traces: what else a cluster could leave on the machine.
traces() {
    local path
    grep -E '/run/cluster|/run/netns/node| cluster ' /proc/self/mountinfo || true
    ip -oneline link | grep -oE '(bridge0|port[0-9]+|eth0@port[0-9]+)' || true
    for path in /run/cluster /run/netns/node* /dev/shm/vader_segment.node* /tmp/spmix_appdir* \
        /tmp/ompi.node* /tmp/ompi.login*; do
        if [ -e "$path" ]; then
            echo "$path"
        fi
    done
}
before=$(traces)

# expect_nothing_left WHEN
expect_nothing_left() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        if [ -z "$(marked)" ] && [ "$(traces)" = "$before" ]; then
            return
        fi
        sleep 0.1
    done
    fail "$1: left processes $(marked | tr '\n' ' '), $(traces)"
}

# run_in_cluster NAME COMMAND: in the background; sets pid.
run_in_cluster() {
    env "$mark" bash "$cluster" 2 bash -c "$2" >"$folder/$1.out" 2>&1 &
    pid=$!
}

# wait_for NAME TEXT: in what the cluster says.
wait_for() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        if grep -q "$2" "$folder/$1.out"; then
            return
        fi
        if [ "$1" = one ] && grep '^SKIPPED' "$folder/$1.out"; then
            exit 77
        fi
        sleep 0.1
    done
    fail "$1: no $2"
}

# The end of what it runs, of two at once, and its exit status.
# shellcheck disable=SC2016 # the nodes expand it
busy='srun --nodes=2 --mpi=none sh -c "echo \$(hostname) works; sleep 600" & '
run_in_cluster one "$busy wait"
one=$pid
wait_for one 'node1 works'
run_in_cluster two "$busy sleep 2; exit 7"
two=$pid
wait_for two 'node1 works'
[ "$(marked | wc -l)" -gt 10 ] || fail "the clusters' processes are not seen"
code=0
wait "$two" || code=$?
[ "$code" -eq 7 ] || fail "exit status $code, not that of the command"
kill -0 "$one" || fail "the end of one cluster ended the other"
kill -TERM "$one"
wait "$one" || code=$?
[ "$code" -eq 143 ] || fail "exit status $code after TERM"
expect_nothing_left "the end of the command, and TERM"

# SIGKILL, as CTest sends it after a timeout, and the interrupt key, which the whole group gets.
run_in_cluster killed "$busy wait"
wait_for killed 'node2 works'
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
expect_nothing_left "KILL"
run_in_cluster starting "$busy wait"
sleep 0.3
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
expect_nothing_left "KILL while it started"
# A shell has background jobs ignore INT, so it is set back.
env --default-signal=INT "$mark" setsid bash "$cluster" 2 bash -c "$busy wait" >"$folder/interrupted.out" 2>&1 &
wait_for interrupted 'node2 works'
group=$(ps -o pgid= -p "$(marked | sort -n | head -n 1)" | tr -d ' ')
kill -INT -- "-$group"
expect_nothing_left "INT to the group"
echo "teardown: command done, TERM, KILL, INT: no process, mount, interface or file is left"
