#!/usr/bin/env bash
# A bare Debian, the README, and nothing else: every command of its three recipes, with the time of each.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/newcomer.sh [--help] [--suite CODENAME] [--keep]

Makes a bare Debian root (debootstrap), puts the committed tree into it, and types what README.md
says: scripts/quickstart.sh as root, then recipes 1 and 2 as a user of its own, command by command
in one shell; recipe 3 on a Slurm cluster of one node (tests/slurm/cluster.sh), with the sizes of
that. Prints the seconds of each command, and ends with the first that fails. Takes root, a network
and some 3 GB in /var/tmp; nothing stays but with --keep.
  --suite CODENAME  another Debian than this one, as trixie
  --keep            leave the root there, and say where
TEXT
}

# ---- inside of the root

# steps HEADING KIND: the commands of blocks ```KIND below a heading, or of all blocks, one a line.
steps() {
    awk -v heading="$1" -v kind="$2" '
        /^## / { here = heading == "" || index($0, heading) == 1 }
        /^```/ { inside = here && $0 == "```" kind; next }
        !inside { next }
        kind == "console" && !/^\$ / { next }
        { sub(/^\$ /, ""); sub(/ +#.*/, ""); print }' README.md
}

# timed FILE: run its lines in this shell, and print the seconds of each.
timed() {
    local line begin status
    while IFS= read -r line; do
        begin=$EPOCHREALTIME
        status=0
        eval "$line" >step.log 2>&1 </dev/null || status=$?
        awk -v from="$begin" -v to="$EPOCHREALTIME" -v line="$line" \
            'BEGIN { printf "%8.1f s  %s\n", to - from, line }'
        if [ "$status" -ne 0 ]; then
            echo "newcomer.sh: exit code $status:" >&2
            tail -n 20 step.log >&2
            exit 1
        fi
    done <"$1"
}

inside() {
    cd "$(dirname "${BASH_SOURCE[0]}")/.."
    case $1 in
    root)
        echo "Install"
        steps '## Install' sh | head -n 1 >install.steps
        timed install.steps
        useradd --create-home newcomer
        chown -R newcomer .
        runuser -u newcomer -- bash "${BASH_SOURCE[0]}" --inside user
        # shellcheck source=scripts/lib.sh
        . scripts/lib.sh
        (install_packages "${ND_SLURM_PACKAGES[@]}") >slurm.log 2>&1
        local status=0
        bash tests/slurm/cluster.sh 1 bash "${BASH_SOURCE[0]}" --inside slurm || status=$?
        [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || exit "$status"
        ;;
    user)
        echo "Recipes 1 and 2"
        steps '' console >recipes.steps
        timed recipes.steps
        ;;
    slurm)
        echo "Recipe 3, on one node of two cores"
        local urls
        export PATH=$PWD/build/release:$PATH
        urls=$(sed -n 2p drop.tsv | cut -f 3,15 | sed "s/[^\t]*/'&'/g; s/\t/ /")
        steps '## Recipe 3' sh | sed "s|-N 10 --ntasks-per-node=16|-N 1 --ntasks-per-node=2|; s|4:00:00|10|
            s|^sbatch|sbatch --wait|; s|/scratch/kept|kept3|; s|URL_A URL_B|$urls|" >slurm.steps
        timed slurm.steps
        ;;
    esac
}

# ---- the root

# What this machine's apt is told, and from where.
make_root() {
    local mirror
    mirror=$(grep -rhsE '^URIs:' /etc/apt/sources.list.d/*.sources | awk '{ print $2 }' | grep '/debian/*$' | head -n 1)
    [ -n "$mirror" ] || mirror=$(awk '/^deb / { print $2; exit }' /etc/apt/sources.list)
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
        { tail -n 3 "$root.log" >&2 && return 1; }
    echo "deb $mirror $suite main" >"$root/etc/apt/sources.list"
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir "$root/neardup"
    git -c safe.directory='*' archive HEAD | tar -x -C "$root/neardup"
}

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
keep=
while [ $# -gt 0 ]; do
    case $1 in
    --inside)
        inside "$2"
        exit 0
        ;;
    --suite)
        suite=$2
        shift
        ;;
    --keep) keep=1 ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "SKIPPED: this takes root and debootstrap"
    exit 77
fi
root=$(mktemp -d /var/tmp/newcomer.XXXXXX)
chmod 755 "$root"
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
make_root
# a mount namespace of its own: the mounts go with it
# shellcheck disable=SC2016 # the other shell expands it
unshare --mount --propagation private bash -c '
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        bash /neardup/scripts/newcomer.sh --inside root' bash "$root"
[ -z "$keep" ] || echo "kept: $root"
