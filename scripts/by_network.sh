#!/usr/bin/env bash
# What a network between nodes costs: the same job over links as they are, and over slower ones.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/by_network.sh --build FOLDER -o FOLDER [--nodes N] [--rate RATE] [--delay TIME]
                             [--pages N] [--repeat N] [--help] [INPUT...]

Partitions INPUT, or --pages N made-up pages (20000 of 4 kB, seed 1), on --nodes N nodes (4) of a
Slurm that exists only for it (tests/slurm/cluster.sh: root, one process a node, TCP between network
namespaces), in turn over links as they are and over links of --rate RATE (1gbit) each way with
--delay TIME (.1ms) more on each. Prints of each run, stage by stage, MB exchanged, seconds, and the
share of them in which processes wait for each other, and ends with 1 where results differ. A kernel
without netem has no delay: that is said. On a machine with fewer cores than nodes processes wait
for cores too: what counts is the difference between the links.

  -o FOLDER   new: logs are left there as RATE.RUN.log
  --repeat N  runs of each kind (2)
TEXT
}

called_in=$PWD
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$called_in"
build='' folder='' nodes=4 rate=1gbit delay=.1ms pages=20000 repeat=2 inside=
inputs=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage; exit ;;
    --inside) inside=yes; shift; continue ;;
    --build) build=$(realpath -m "${2:-}") ;;
    -o) folder=$(realpath -m "${2:-}") ;;
    --nodes) nodes=${2:-} ;;
    --rate) rate=${2:-} ;;
    --delay) delay=${2:-} ;;
    --pages) pages=${2:-} ;;
    --repeat) repeat=${2:-} ;;
    -*) usage >&2; exit 2 ;;
    *) inputs+=("$1"); shift; continue ;;
    esac
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    shift 2
done
if [ -z "$build" ] || [ -z "$folder" ]; then
    usage >&2
    exit 2
fi
neardup=$build/neardup
[ -x "$neardup" ] || die "$build has no neardup"
mpi_environment

# ---- on the machine

if [ -z "$inside" ]; then
    mkdir "$folder"
    if [ ${#inputs[@]} -eq 0 ]; then
        "$neardup" synthesize -o "$folder/corpus" --pages "$pages" --seed 1 --page-bytes 4000 \
            --progress none
        inputs=("$folder"/corpus/pages-*)
    fi
    exec "$ND_ROOT/tests/slurm/cluster.sh" "$nodes" "$ND_ROOT/scripts/by_network.sh" --inside \
        --build "$build" -o "$folder" --nodes "$nodes" --rate "$rate" --delay "$delay" \
        --repeat "$repeat" "${inputs[@]}"
fi

# ---- inside of the cluster, whose ports lead to the nodes

# each_end COMMAND: both ends of each link: COMMAND gets the device, and how `tc` is called there.
each_end() {
    local i
    for ((i = 1; i <= nodes; i++)); do
        "$1" "port$i" tc
        "$1" eth0 nsenter --net="/run/netns/node$i" tc
    done
}
unshape() { "${@:2}" qdisc del dev "$1" root 2>/dev/null || true; }
shape() {
    if [ "$netem" = yes ]; then # half of the delay at each end
        "${@:2}" qdisc add dev "$1" root netem rate "$rate" delay "$half"
    else
        "${@:2}" qdisc add dev "$1" root tbf rate "$rate" burst 256k latency 50ms
    fi
}
half=$(awk -v delay="$delay" 'BEGIN { print delay / 2 substr(delay, match(delay, /[a-z]/)) }')
netem=yes
tc qdisc add dev port1 root netem delay 1ms 2>/dev/null || netem=no
each_end unshape
[ "$netem" = yes ] || say "this kernel has no netem: links get no delay"

for ((run = 1; run <= repeat; run++)); do
    for link in free "$rate"; do
        each_end unshape
        [ "$link" = free ] || each_end shape
        log=$folder/$link.$run.log
        rm -f "$folder/now.h5"
        timeout 3600 srun --kill-on-bad-exit=1 --nodes="$nodes" --ntasks-per-node=1 "$neardup" partition "${inputs[@]}" \
            -o "$folder/now.h5" --progress lines </dev/null >"$log" 2>&1 ||
            die "partition failed: $(tail -n 3 "$log")"
        say "links: $link, run $run: $(sed -n 's/^time: \([0-9.]* s\).*/\1/p' "$log")"
        sed -n 's/^\([a-z]*\) .* \([0-9.]* s, [0-9]* % waiting, [0-9.]* MB exchanged\),.*/\1\t\2/p' "$log"
        [ -e "$folder/first.h5" ] || cp "$folder/now.h5" "$folder/first.h5"
        "$build/tests/compare_results" "$folder/first.h5" "$folder/now.h5" ||
            die "the results of two runs differ"
    done
done
rm "$folder/now.h5"
