#!/usr/bin/env bash
# An installed neardup runs and has all that goes with it; so does the Debian package. Called as
# install.sh NEARDUP BUILD_DIR.
set -euo pipefail
build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# check PREFIX: is everything there?
check() {
    local version file names
    version=$("$1/bin/neardup" --version)
    [[ $version =~ ^neardup\ [0-9]+\.[0-9]+\.[0-9]+ ]] || fail "'$version' is not 'neardup' and a version"
    for file in bash-completion/completions/neardup doc/neardup/{README.md,README.slurm.md,copyright} \
        doc/neardup/examples/review-labels.tsv; do
        [ -s "$1/share/$file" ] || fail "no share/$file"
    done
    for file in neardup/slurm/{neardup,scaling}.sbatch doc/neardup/examples/clean_corpus.sh; do
        [ -x "$1/share/$file" ] || fail "share/$file cannot be started"
        bash -n "$1/share/$file" || fail "share/$file is no script"
    done
    mapfile -t names < <("$neardup" --help names)
    for file in neardup "${names[@]/#/neardup-}"; do
        gzip -dc "$1/share/man/man1/$file.1.gz" | grep -q '^\.TH' || fail "no man page of $file"
    done
}
neardup=$1
cmake --install "$build" --prefix "$folder/installed" >/dev/null
check "$folder/installed"
echo "installed: $("$folder/installed/bin/neardup" --version)"

for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    if ! command -v $tool >/dev/null; then
        echo "the package is not made: there is no $tool"
        exit
    fi
done
# By Ninja's rules cpack does not call make first, which would build beside other tests.
(cd "$build" && cpack -G DEB -B "$folder/package" -D CPACK_CMAKE_GENERATOR=Ninja >"$folder/log" 2>&1) ||
    fail "cpack: $(tail -n 5 "$folder/log")"
package=$(ls "$folder"/package/*.deb)
dpkg-deb -x "$package" "$folder/unpacked"
check "$folder/unpacked/usr"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libhdf5-openmpi libopenmpi libdeflate libxxhash libuchardet libpsl libjson-c openmpi-bin; do
    [[ $depends == *"$library"* ]] || fail "the package does not need $library: $depends"
done
[ -z "$(dpkg-deb -c "$package" | awk '$2 != "root/root"')" ] || fail "files of others: $(dpkg-deb -c "$package")"
if command -v lintian >/dev/null; then
    # who packs it says who they are: -D CPACK_PACKAGE_CONTACT='NAME <ADDRESS>'
    lintian --fail-on error --suppress-tags no-changelog,bogus-mail-host "$package" >"$folder/log" || fail "$(cat "$folder/log")"
fi
echo "package: $(basename "$package"), needs $depends"
