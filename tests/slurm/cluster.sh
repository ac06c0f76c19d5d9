#!/usr/bin/env bash
# A real Slurm on one machine for as long as a command runs.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: cluster.sh NODES COMMAND [ARGUMENT...]

Runs COMMAND on the login node of a Slurm cluster of NODES nodes (1 to 9) of two cores, which exists
only for it: munged, slurmctld and a slurmd per node. Each node has its own network address, host
name, /dev/shm and processes; they share the files of this machine. Ends with COMMAND's exit status.
Without what it takes (root, namespaces, Slurm) it says so in a line that starts with SKIPPED, and
ends with 77.

COMMAND finds in its environment
  SLURM_CONF    so that sbatch, squeue, scontrol ... talk to this cluster
  CLUSTER       a folder that all nodes see and that disappears with the cluster; in it
                log/ (of the daemons) and node1.pid, ...: kill -KILL $(cat node1.pid) is the same as
                taking power off node1

All processes live in a process namespace whose first process ends with the cluster, all files in a
file system in memory that only they see, all network interfaces in network namespaces of their own:
however this ends, by SIGKILL too, the kernel takes all of it away, and any number of clusters can
run side by side.
TEXT
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

die() {
    printf 'cluster.sh: %s\n' "$*" >&2
    exit 1
}

export PATH=$PATH:/usr/sbin:/sbin
commands=(munged slurmctld slurmd sbatch srun scontrol squeue sinfo ip unshare nsenter setpriv
    mountpoint hostname)
# In a chroot the root is no mount point, and its propagation cannot be set.
propagation=private
mountpoint -q / || propagation=unchanged
new_processes=(unshare --pid --fork --kill-child=KILL --mount --propagation "$propagation" --ipc --uts)

# ---- on the machine: the cluster is one process to start and to kill

check_machine() {
    local command
    [ "$(id -u)" -eq 0 ] || skip "a Slurm cluster in namespaces takes root"
    for command in "${commands[@]}"; do
        command -v "$command" >/dev/null || skip "there is no $command here"
    done
    "${new_processes[@]}" --net --mount-proc sh -c \
        'ip link add name bridge0 type bridge && ip link add name port0 type veth' >/dev/null 2>&1 ||
        skip "this machine lets not even root make namespaces with a network"
    [ "$propagation" = private ] || check_mounts_stay_private
}

# Propagation that cannot be set is tried: is a mount of another namespace seen here?
check_mounts_stay_private() {
    local folder seen=no
    folder=$(mktemp -d)
    # shellcheck disable=SC2016 # the other shell expands it
    unshare --mount --propagation "$propagation" sh -c 'mount -t tmpfs probe "$1" && touch "$1/seen"' \
        sh "$folder"
    if [ -e "$folder/seen" ]; then
        seen=yes
        umount "$folder"
    fi
    rmdir "$folder"
    [ "$seen" = no ] || skip "in this chroot mounts are seen by the system around it"
}

# The signal that asks this process to end kills the cluster; if this process is killed itself, the
# kernel kills the next one, and so on.
run_cluster() {
    local code=0 cluster
    setpriv --pdeathsig KILL -- "${new_processes[@]}" --net --mount-proc \
        bash "${BASH_SOURCE[0]}" --login-node "$@" &
    cluster=$!
    trap 'kill -KILL "$cluster"; wait "$cluster" || true; exit 143' INT TERM HUP
    wait "$cluster" || code=$?
    return "$code"
}

# ---- on the login node, which is the first process of the cluster's process namespace

address() {
    printf '10.77.0.%d' "$1"
}

write_configuration() {
    local nodes=$1 i
    printf '127.0.0.1 localhost\n%s login\n' "$(address 254)" >"$CLUSTER/hosts"
    cat >"$SLURM_CONF" <<TEXT
ClusterName=test
SlurmctldHost=login($(address 254))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# cred_expire is also how long a requeued job waits before it starts again
AuthInfo=socket=$CLUSTER/munge/socket,cred_expire=5
CredType=cred/munge
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd-%n.pid
SlurmctldLogFile=$CLUSTER/log/slurmctld.log
SlurmdLogFile=$CLUSTER/log/slurmd-%n.log
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool/%n
TmpFS=$CLUSTER/spool/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$CLUSTER/log/jobs.txt
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000,bf_interval=1
MpiDefault=pmix
ReturnToService=2
KillWait=10
# a node that does not answer for so many seconds has failed; a busy machine makes it wait, too
SlurmdTimeout=60
SlurmdParameters=config_overrides
TEXT
    for ((i = 1; i <= nodes; i++)); do
        printf '%s node%d\n' "$(address "$i")" "$i" >>"$CLUSTER/hosts"
        printf 'NodeName=node%d NodeAddr=%s CPUs=2 RealMemory=4000 State=UNKNOWN\n' \
            "$i" "$(address "$i")" >>"$SLURM_CONF"
    done
    printf 'PartitionName=main Nodes=node[1-%d] Default=YES State=UP\n' "$nodes" >>"$SLURM_CONF"
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"${SLURM_CONF%/*}/cgroup.conf"
}

# `ip -n` would do as well, but not in a chroot.
ip_of() {
    local name=$1
    shift
    nsenter --net="/run/netns/$name" ip "$@"
}

make_network() {
    local nodes=$1 i
    ip link set lo up
    ip link add bridge0 type bridge
    ip address add "$(address 254)/24" dev bridge0
    ip link set bridge0 up
    for ((i = 1; i <= nodes; i++)); do
        ip netns add "node$i"
        ip link add "port$i" type veth peer name eth0 netns "node$i"
        ip link set "port$i" master bridge0 up
        ip_of "node$i" link set lo up
        ip_of "node$i" address add "$(address "$i")/24" dev eth0
        ip_of "node$i" link set eth0 up
    done
}

start_munge() {
    head -c 1024 /dev/urandom >"$CLUSTER/munge/key"
    chmod 600 "$CLUSTER/munge/key"
    munged --key-file="$CLUSTER/munge/key" --socket="$CLUSTER/munge/socket" \
        --pid-file="$CLUSTER/munge/pid" --seed-file="$CLUSTER/munge/seed" \
        --log-file="$CLUSTER/log/munged.log" --num-threads=2 2>"$CLUSTER/log/munged.err" ||
        die "munged does not start: $(cat "$CLUSTER/log/munged.err" "$CLUSTER/log/munged.log")"
}

start_nodes() {
    local nodes=$1 i
    for ((i = 1; i <= nodes; i++)); do
        mkdir -p "$CLUSTER/spool/node$i"
        nsenter --net="/run/netns/node$i" "${new_processes[@]}" --mount-proc \
            bash "${BASH_SOURCE[0]}" --node "node$i" </dev/null >>"$CLUSTER/log/node$i.out" 2>&1 &
        echo $! >"$CLUSTER/node$i.pid"
    done
}

wait_for_nodes() {
    local nodes=$1 end=$((SECONDS + 240))
    while [ "$SECONDS" -lt "$end" ]; do
        if [ "$(sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | wc -l)" -eq "$nodes" ]; then
            return
        fi
        sleep 0.05
    done
    show_logs
    die "the $nodes nodes are not ready after 240 seconds"
}

show_logs() {
    tail -n 25 "$CLUSTER"/log/slurm*.log >&2
}

# /run is the cluster's own from here on: its files, the names of its network namespaces.
login_node() {
    local nodes=$1 code=0
    shift
    mount -t tmpfs -o mode=755 cluster /run
    mount -t tmpfs -o mode=1777 cluster /dev/shm
    export CLUSTER=/run/cluster SLURM_CONF=/run/cluster/etc/slurm.conf TMPDIR=/run/cluster/tmp
    # The nodes share this machine's cores, which no rank can see.
    export OMPI_MCA_mpi_yield_when_idle=1
    mkdir -p "$CLUSTER"/{etc,log,munge,spool,state,tmp}
    hostname login
    write_configuration "$nodes"
    mount --bind "$CLUSTER/hosts" /etc/hosts
    make_network "$nodes"
    start_munge
    slurmctld -D </dev/null >"$CLUSTER/log/slurmctld.out" 2>&1 &
    start_nodes "$nodes"
    disown -a # a node that is killed is no news
    wait_for_nodes "$nodes"
    "$@" || code=$?
    if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
        show_logs
    fi
    exit "$code"
}

# ---- on a node, of which this is the first process; it stays, so that orphans have a parent

node() {
    local name=$1
    mount -t tmpfs -o mode=1777 shm /dev/shm
    hostname "$name"
    slurmd -D -N "$name"
}

case ${1:-} in
--login-node)
    shift
    login_node "$@"
    ;;
--node)
    node "$2"
    ;;
[1-9])
    [ $# -ge 2 ] || { usage >&2 && exit 2; }
    check_machine
    run_cluster "$@"
    ;;
-h | --help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
