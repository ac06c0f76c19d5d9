#!/usr/bin/env bash
# From a bare Debian system to the near-duplicate sets of some 4,700 real pages.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/quickstart.sh [--help]

Installs what is missing (apt), builds neardup in build/release, downloads Debian's installation
guides for three architectures (19 languages each) into build/guides, partitions their pages into
sets of near-duplicates with two processes, and shows two of the sets. The result stays in
build/quickstart.h5. Needs root, or a user with sudo, only to install packages. Can be run again:
what is there already is not made again.
TEXT
}

case ${1:-} in
'') ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

neardup=build/release/neardup
result=build/quickstart.h5

# A folder that test.sh configured keeps its tests; a new one does not need them.
options=()
if [ ! -f build/release/CMakeCache.txt ]; then
    options=(-DBUILD_TESTING=OFF)
fi

make_build_folder
install_packages "${ND_BUILD_PACKAGES[@]}"
build release release documents "${options[@]}" # the program, and the man pages that it prints
choose_guides 3
fetch_guides "${guides[@]}"
mpi_environment

inputs=()
for arch in "${guides[@]}"; do
    inputs+=("$arch=$(guide_folder "$arch")")
done

say "partition: mpirun -n 2 $neardup partition ${inputs[*]} -o $result"
mpirun -n 2 "$neardup" partition "${inputs[@]}" -o "$result"
say "the result: $neardup inspect $result"
"$neardup" inspect "$result"
say "two of its sets: $neardup inspect $result --largest 2"
"$neardup" inspect "$result" --largest 2
say "done: the partition is in $result (try: $neardup export $result --what sets)"
say "to run mpirun as here, also as root and on more processes than cores:" \
    "export $(mpi_settings | paste -sd ' ')"
