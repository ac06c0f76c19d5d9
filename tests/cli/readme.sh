#!/usr/bin/env bash
# README.md's recipes do what README says: the commands of its console blocks, in order, in one
# folder, with what they print compared to what stands there. Called as readme.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
# shellcheck source=tests/support/launched.sh
. "$root/tests/support/launched.sh"
need python3
guides=${NEARDUP_GUIDES:-/none}
pages=$(find "$guides"/{amd64,arm64,i386}/ -name '*.html' 2>/dev/null | wc -l || true)
if [ "$pages" -ne 4750 ]; then
    echo "SKIPPED: NEARDUP_GUIDES has no guides of amd64, arm64 and i386 with the 4750 pages of README"
    exit 77
fi
mkdir -p "$folder/build/release"
cd "$folder"
mkdir build/guides && ln -s "$guides"/{amd64,arm64,i386} build/guides/
ln -s "$neardup" build/release/neardup
ln -s "$root/scripts" scripts

# In a console block a line "$ COMMAND" is a command, which a \ at its end goes on; what follows is
# what it prints. To step.N, with the command first, and expected.N.
steps=$(python3 - "$root/README.md" <<'TEXT'
import re, sys
step = 0
for block in re.findall(r"^```console\n(.*?)^```$", open(sys.argv[1]).read(), re.M | re.S):
    for command, printed in re.findall(r"^\$ (.*(?:(?<=\\)\n.*)*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        open(f"step.{step}", "w").write(command + "\n")
        open(f"expected.{step}", "w").write(printed)
        step += 1
print(step)
TEXT
)
[ "$steps" -ge 8 ] || fail "README has no walk: $steps commands"
for ((step = 0; step < steps; step++)); do
    # one shell for all of them, as README has it
    status=0
    # shellcheck disable=SC1090 # the commands of README
    . "./step.$step" >said 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || fail "exit code $status: $(cat "step.$step" said)"
    own_lines said >"said.$step"
    python3 - "$step" <<'TEXT' || fail "README says of this something else: $(cat "step.$step" "said.$step")"
import re, sys
step = sys.argv[1]
lines = open(f"expected.{step}").read().splitlines(keepends=True)
# "..." as a line: any lines; in a line: any text
pattern = "".join(r"(?:.*\n)*" if line == "...\n" else re.escape(line).replace(r"\.\.\.", ".*")
                  for line in lines)
sys.exit(re.fullmatch(pattern, open(f"said.{step}").read()) is None)
TEXT
done
[ "$(wc -c <"$root/README.md")" -le 8192 ] || fail 'README is longer than 8 kB'
echo "readme.sh: $steps commands print what README says"
