#!/usr/bin/env bash
# An installed neardup runs: called as install.sh NEARDUP BUILD_DIR.
set -euo pipefail
build=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$build" --prefix "$prefix" >/dev/null
version=$("$prefix/bin/neardup" --version)
echo "installed: $version"
if [[ ! $version =~ ^neardup\ [0-9]+\.[0-9]+\.[0-9]+ ]]; then
    echo "install.sh: '$version' is not 'neardup' and a version" >&2
    exit 1
fi
