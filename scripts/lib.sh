# shellcheck shell=bash
# shellcheck disable=SC2034 # the lists are for the scripts that source this file
# scripts/lib.sh - what the scripts share: installing packages, building, fetching the guides, the
# environment of mpirun. To be sourced by a bash script that has `set -euo pipefail`; it changes to
# the root of the repository. It runs nothing by itself.

ND_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ND_ROOT" || exit 1

# What building needs. libc6-dev is only recommended by gcc. ND_WERROR=ON in the environment makes
# warnings errors, as continuous integration has them.
ND_BUILD_PACKAGES=(
    gcc libc6-dev make cmake pkg-config openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
    libxxhash-dev libdeflate-dev zlib1g-dev libzstd-dev libbrotli-dev libuchardet-dev
    libjson-c-dev libpsl-dev
)
# What the tests need besides.
ND_TEST_PACKAGES=(libcunit1-dev libxml2-dev hdf5-tools python3 python3-numpy python3-h5py)
# What the tests of scripts/test.sh --all need besides (and what tables and plots need, below): for
# benchmarks, a Debian package.
ND_LONG_PACKAGES=(libssl-dev clang clang-format shellcheck dpkg-dev file)
# What sanitizers, static checks, fuzzing and figures of coverage need; without them these are left out.
ND_CHECK_PACKAGES=(clang clang-format clang-tidy cppcheck shellcheck)
ND_COVERAGE_PACKAGES=(gcovr)
# What tables and plots need.
ND_PLOT_PACKAGES=(python3 gnuplot-nox)
# What the tests need that start a Slurm of their own, which only root can.
ND_SLURM_PACKAGES=(
    slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2 util-linux mount hostname
    procps
)
# What a build with MPICH needs, beside Open MPI's packages, whose commands stay the system's.
ND_MPICH_PACKAGES=(mpich libmpich-dev libhdf5-mpich-dev)
# What a build for arm64 needs elsewhere, and what runs its tests; then its libraries (arm64_root).
ND_ARM64_PACKAGES=(gcc-aarch64-linux-gnu qemu-user)
ND_ARM64_LIBRARIES=(
    libc6-dev libopenmpi-dev libhdf5-openmpi-dev libxxhash-dev libdeflate-dev zlib1g-dev libzstd-dev
    libbrotli-dev libuchardet-dev libjson-c-dev libpsl-dev libcunit1-dev libxml2-dev libssl-dev
)
# What the benchmarks compare the program with; without them a column says "not built".
ND_BENCH_PACKAGES=(libgit2-dev)
ND_GUIDES=$ND_ROOT/build/guides

# say TEXT...: one line for the person who looks on.
say() {
    printf '== %s\n' "$*"
}

# die TEXT...: why the script cannot go on, and its end.
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# make_build_folder: build/, which holds everything that the scripts make.
make_build_folder() {
    mkdir -p build/logs 2>/dev/null || true
    if [ ! -w build ] || [ ! -w build/logs ]; then
        die "build/ cannot be written by $(id -un): remove it, or run this as the user who made it"
    fi
}

# logged NAME COMMAND...: run it with its output in build/logs/NAME.log; show the end of that and
# leave if it fails.
logged() {
    local log=build/logs/$1.log
    shift
    make_build_folder
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        die "failed: $* (all of its output is in $log)"
    fi
}

# as_root COMMAND...: run it as root.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        printf '%s is not root and there is no sudo: run this as root, or install sudo\n' \
            "$(id -un)" >&2
        return 1
    fi
}

# update_package_lists: learn what the package archive holds now.
update_package_lists() {
    say "packages: updating apt's lists"
    logged apt-update as_root apt-get update
}

# missing_packages NAME...: those that are not installed, one per line.
missing_packages() {
    local package
    for package in "$@"; do
        if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
            printf '%s\n' "$package"
        fi
    done
}

# apt_install NAME...: by root. Services that come with a package are not started: the tests start
# their own, and where there is no init to start them (containers) the installation could fail.
# shellcheck disable=SC2317 # install_packages hands it to a shell of root's
apt_install() {
    local policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        # shellcheck disable=SC2064 # the path as it is now
        trap "rm -f $policy" EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}

# install_packages NAME...: install those Debian packages that are missing.
install_packages() {
    local missing
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        die "this is not a Debian system. Install what these packages hold, then build with" \
            "'cmake --preset release && cmake --build --preset release': $*"
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages: all $# are installed"
        return
    fi
    update_package_lists
    say "packages: installing ${missing[*]}"
    logged apt-install as_root bash -c "$(declare -f apt_install); apt_install \"\$@\"" apt_install \
        "${missing[@]}"
}

# install_checks: the tools of static checks and sanitizers; clang's runtime has its version in its name.
install_checks() {
    install_packages "${ND_CHECK_PACKAGES[@]}"
    install_packages "libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev"
}

# build FOLDER PRESET TARGET [CMAKE OPTION...]: configure the preset in build/FOLDER, build the
# target. A second run compiles only what changed.
build() {
    local folder=$1 preset=$2 target=$3
    shift 3
    [ -z "${ND_WERROR:-}" ] || set -- "-DND_WERROR=$ND_WERROR" "$@"
    say "build/$folder: configuring (cmake --preset $preset${*:+ $*})"
    logged "configure-$folder" cmake --preset "$preset" -B "build/$folder" "$@"
    say "build/$folder: building $target, $(nproc) files at a time"
    logged "build-$folder" cmake --build "build/$folder" --target "$target" --parallel "$(nproc)"
}

# fuzzer_is_here: can clang link a program of its fuzzer?
fuzzer_is_here() {
    clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null \
        <<<'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }'
}

# count_pages FOLDER: how many HTML pages there are below it; 0 if it does not exist.
count_pages() {
    find "$1" -name '*.html' -type f 2>/dev/null | wc -l
}

# guide_is_complete ARCH: the guide is unpacked and has as many pages as it had then.
guide_is_complete() {
    local stamp=$ND_GUIDES/deb/$1.pages
    [ -f "$stamp" ] && [ "$(cat "$stamp")" -eq "$(count_pages "$ND_GUIDES/$1")" ]
}

# download_packages NAME...: into build/guides/deb. apt's own user may not write there, so root
# stays root.
download_packages() {
    local sandbox=()
    if [ "$(id -u)" -eq 0 ]; then
        sandbox=(-o APT::Sandbox::User=root)
    fi
    (cd "$ND_GUIDES/deb" && apt-get download "${sandbox[@]}" "$@")
}

# unpack_guide ARCH: from build/guides/deb to build/guides/ARCH, which appears only when complete.
unpack_guide() {
    local target=$ND_GUIDES/$1
    rm -rf "$target" "$target.partial"
    dpkg -x "$ND_GUIDES/deb/installation-guide-$1"_*.deb "$target.partial"
    mv "$target.partial" "$target"
    count_pages "$target" >"$ND_GUIDES/deb/$1.pages"
}

# has_guide ARCH: it is here, or the package archive has it (Debian 13 has none of i386).
has_guide() {
    guide_is_complete "$1" || apt-cache show "installation-guide-$1" >/dev/null 2>&1
}

# fetch_guides ARCH...: Debian's installation guides for these architectures, unpacked into
# build/guides/ARCH, from the package archive that apt uses.
fetch_guides() {
    local arch pages=0 wanted=() packages=()
    make_build_folder
    mkdir -p "$ND_GUIDES/deb"
    for arch in "$@"; do
        if ! guide_is_complete "$arch"; then
            wanted+=("$arch")
            packages+=("installation-guide-$arch")
            rm -f "$ND_GUIDES/deb/$arch.pages" "$ND_GUIDES/deb/installation-guide-$arch"_*.deb
        fi
    done
    if [ ${#wanted[@]} -gt 0 ]; then
        say "guides: downloading ${packages[*]}"
        if ! download_packages "${packages[@]}" >build/logs/download.log 2>&1; then
            update_package_lists
            logged download download_packages "${packages[@]}"
        fi
        for arch in "${wanted[@]}"; do
            unpack_guide "$arch"
        done
    fi
    for arch in "$@"; do
        pages=$((pages + $(cat "$ND_GUIDES/deb/$arch.pages")))
    done
    say "guides: $pages HTML pages of $# guides are in build/guides"
}

# fetch_package NAME: unpack a Debian package into build/packages/NAME, which appears only when
# complete.
fetch_package() {
    local target=build/packages/$1
    if [ ! -d "$target" ]; then
        mkdir -p build/packages "$ND_GUIDES/deb"
        rm -rf "$target.partial" "$ND_GUIDES/deb/$1"_*.deb
        say "packages: downloading $1"
        if ! download_packages "$1" >build/logs/download.log 2>&1; then
            update_package_lists
            logged download download_packages "$1"
        fi
        dpkg -x "$ND_GUIDES/deb/$1"_*.deb "$target.partial"
        mv "$target.partial" "$target"
    fi
}

# arm64_root: the libraries of arm64, unpacked into build/arm64-root, which appears only when complete. The
# system has none of them installed: apt keeps a state of its own in build/arm64-apt for them.
arm64_root() {
    local apt=$ND_ROOT/build/arm64-apt target=build/arm64-root folder package
    if [ -d "$target" ]; then
        return
    fi
    make_build_folder
    rm -rf "$target.partial"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$target.partial"
    : >"$apt/status"
    printf '%s;\n' "Dir::State::lists \"$apt/lists\"" "Dir::State::status \"$apt/status\"" \
        "Dir::Cache \"$apt/cache\"" 'APT::Architecture "arm64"' 'APT::Architectures {"arm64";}' \
        "APT::Sandbox::User \"$(id -un)\"" 'Debug::NoLocking "true"' >"$apt/conf"
    say "arm64: downloading its libraries"
    logged arm64-update env "APT_CONFIG=$apt/conf" apt-get update
    logged arm64-libraries env "APT_CONFIG=$apt/conf" apt-get install -y --download-only \
        --no-install-recommends "${ND_ARM64_LIBRARIES[@]}"
    for folder in bin lib sbin; do
        mkdir -p "$target.partial/usr/$folder"
        ln -s "usr/$folder" "$target.partial/$folder"
    done
    for package in "$apt"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -x --no-same-owner --keep-directory-symlink --exclude './dev/*' -C "$target.partial"
    done
    mv "$target.partial" "$target"
}

# choose_guides MOST: as the array `guides` so many architectures that this Debian has guides of.
choose_guides() {
    local arch
    guides=()
    has_guide amd64 || update_package_lists # every release has that one
    for arch in amd64 arm64 i386 armhf armel mips64el mipsel ppc64el riscv64 s390x; do
        if [ "${#guides[@]}" -lt "$1" ] && has_guide "$arch"; then
            guides+=("$arch")
        fi
    done
}

# guide_folder ARCH: the folder with the guide's pages, relative to the root of the repository.
guide_folder() {
    printf '%s' "build/guides/$1/usr/share/doc/installation-guide-$1"
}

# mpi_settings: what lets mpirun start more ranks than there are cores (Open MPI 4, and 5), and start at
# all as root, one NAME=VALUE per line. Others' libraries take no notice.
mpi_settings() {
    printf '%s\n' OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    if [ "$(id -u)" -eq 0 ]; then
        printf '%s\n' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
}

# mpi_environment: these for the script itself.
mpi_environment() {
    local setting
    for setting in $(mpi_settings); do
        export "${setting?}"
    done
}

# Runs a command, and leaves in FOLDER/process.RANK the peak of its resident memory in bytes, the
# seconds of processor time that it took, and those of them in the program itself.
ND_MEASURE_PROCESS='
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
ranks = [os.environ[name] for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
         if name in os.environ]
with open(os.path.join(sys.argv[1], "process." + (ranks + ["0"])[0]), "w") as out:
    out.write("%d\t%.3f\t%.3f\n" % (1024 * used.ru_maxrss, used.ru_utime + used.ru_stime,
                                  used.ru_utime))
sys.exit(code)'

# measured FOLDER LAUNCHER... -- COMMAND...: start the command by the launcher (mpirun -n 2) and
# measure each of its processes.
measured() {
    local folder=$1 launcher=()
    shift
    while [ "$1" != -- ]; do
        launcher+=("$1")
        shift
    done
    shift
    "${launcher[@]}" python3 -c "$ND_MEASURE_PROCESS" "$folder" "$@"
}
