#!/usr/bin/env bash
# The small figures of scripts/README.md are those that scripts/figures.sh makes today. Called as
# figures.sh NEARDUP BUILD_DIR; labels and review need NEARDUP_DATA and NEARDUP_GUIDES.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
"$root/scripts/figures.sh" --check --only labels,review --work "$folder/figures" --neardup "$neardup" 2>"$folder/said" ||
    fail "$(cat "$folder/said")"
grep SKIPPED "$folder/said" || true
# of a page with one figure changed that one is found, and no other
mkdir -p "$folder/tree/tests"
cp -r "$root/scripts" "$folder/tree/"
cp -r "$root/tests/support" "$folder/tree/tests/"
archive() {
    sed -n '/^<!-- figures: archive/,/^<!-- end/p' "$1/scripts/README.md" | grep '^| archive | default '
}
sed -i '/^<!-- figures: archive/,/^<!-- end/s/^| archive | default | \.[0-9]*/| archive | default | .111/' "$folder/tree/scripts/README.md"
status=0
"$folder/tree/scripts/figures.sh" --check --only archive --work "$folder/figures" --neardup "$neardup" >"$folder/said" 2>&1 || status=$?
[ "$status" -eq 1 ] || fail "exit code $status of a page with another figure: $(cat "$folder/said")"
[ "$(grep '^[<>]' "$folder/said")" = "< $(archive "$folder/tree")
> $(archive "$root")" ] || fail "other figures: $(cat "$folder/said")"
echo "figures.sh: as scripts/README.md has them"
