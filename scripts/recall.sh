#!/usr/bin/env bash
# How many of the pairs of similar pages the program finds, against all pairs of real pages.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/recall.sh [--packages] [--help]

Installs what is missing (apt), builds neardup and tests/tools/all_pairs in build/release, partitions
the HTML pages of Debian's nine installation guides (13,889 pages) with two processes, finds every
pair of distinct pages with r >= 0.8 by comparing every page with every other, and prints: recall after
blocking and inside the final sets, for several fingerprint options; the pairs in sets that are not
similar themselves (chains); the largest set by verified pairs, by bound-passing pairs and by shared
fingerprints.
The guides are downloaded into build/guides; NEARDUP_GUIDES, if set, is a folder that holds them
unpacked, one sub-folder each. The figures are kept in build/recall.tsv (subject, measure, value).

--packages  adds 18,800 pages of seven other documentation packages, downloaded into build/packages
TEXT
}

packages=()
case ${1:-} in
'') ;;
--packages)
    packages=(llvm-14-doc llvm-15-doc llvm-16-doc python3.11-doc postgresql-doc-15
        libstdc++-12-doc openjdk-17-doc)
    ;;
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
# shellcheck source=tests/support/guide_pages.sh
. tests/support/guide_pages.sh

architectures=(amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x)
# Whole texts compared by r, which the exact join decides; the first fingerprints are the paper's.
plain=(--preset pku --score r --transitivity verified --hash-seed 1)
fingerprints=(7x3/1 7x3/3 7x3/6 14x2/1 14x2/3 14x2/6)
neardup=build/release/neardup
result=build/recall.h5
options=(--result "$result")
list=build/recall.txt

make_build_folder
install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}"
build release release neardup -DBUILD_TESTING=ON
logged build-all_pairs cmake --build build/release --target all_pairs
mpi_environment

if [ -z "${NEARDUP_GUIDES:-}" ]; then
    fetch_guides "${architectures[@]}"
fi
list_guide_pages "${NEARDUP_GUIDES:-$ND_GUIDES}" >"$list"
for package in "${packages[@]}"; do
    fetch_package "$package"
    list_pages "build/packages/$package" >>"$list"
done

say "partition: mpirun -n 2 $neardup partition @$list -o $result ${plain[*]}"
mpirun -n 2 "$neardup" partition "@$list" -o "$result" "${plain[@]}" --progress lines
say "recall against all pairs (fingerprints: BUCKETSxSMALLEST/least tokens of a sentence)"
for variant in "${fingerprints[@]}"; do
    options+=(--fingerprints "$variant")
done
build/release/tests/all_pairs "${options[@]}" "@$list" | tee build/recall.tsv
