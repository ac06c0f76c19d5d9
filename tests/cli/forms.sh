#!/usr/bin/env bash
# Form pages of API documentation (NEARDUP_DATA/labelled/api-*): siblings are apart, versions of one
# page together. Below what was measured by as much as one set may differ by chance. With --title-penalty 0,
# which does not ask what pages name, most of what is found of Doxygen's is wrong. Called as
# forms.sh NEARDUP BUILD_DIR.
set -euo pipefail
labelled=${NEARDUP_DATA:-}/labelled
sets=(api-doxygen api-gtkdoc api-haddock api-javadoc api-lohelp api-rustdoc)
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

if [ ! -d "$labelled/${sets[0]}" ]; then
    echo "SKIPPED: no ${sets[0]} in NEARDUP_DATA/labelled"
    exit 77
fi

# evaluate SET NAME OPTION...: precision and recall over pairs as JSON.
evaluate() {
    local set=$labelled/$1 name=$2 ambiguous=()
    shift 2
    [ ! -f "$set/ambiguous.tsv" ] || ambiguous=(--ambiguous "$set/ambiguous.tsv")
    "$neardup" partition "$set/pages.jsonl.gz" -o "$folder/out.h5" --force --progress none "$@"
    "$neardup" evaluate "$folder/out.h5" --truth "$set/clusters.tsv" --column 2 \
        --loose "$set/loose.tsv" "${ambiguous[@]}" --format json >"$folder/$name.json"
}

for set in "${sets[@]}" api-single; do
    evaluate "$set" "$set"
done
# What the titles say alone, before certainty is asked.
evaluate api-doxygen with --min-confidence 0
evaluate api-doxygen without --min-confidence 0 --title-penalty 0
python3 - "$folder" "${sets[@]}" <<'PYTHON'
import json
import sys

folder, sets = sys.argv[1], sys.argv[2:]

def read(name):
    with open(f"{folder}/{name}.json") as file:
        return json.load(file)

precision = sum(read(name)["pairwise"]["precision"] for name in sets) / len(sets)
recall = sum(read(name)["pairwise"]["recall"] for name in sets) / len(sets)
alone = read("api-single")["predicted_pairs"]
doxygen, without = (read(name)["pairwise"]["precision"] for name in ("with", "without"))
print(f"precision {precision:.3f}, recall {recall:.3f}; pairs where there are none: {alone}")
print(f"doxygen: precision {doxygen:.3f}, {without:.3f} with --title-penalty 0")
sys.exit(not (precision >= 0.975 and recall >= 0.95 and alone == 0 and doxygen > without + 0.5))
PYTHON
