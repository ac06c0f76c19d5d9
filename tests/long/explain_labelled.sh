#!/usr/bin/env bash
# On real pages with templates and repeated links explain compares what the run compared: pairs that
# the run kept, links, and pages that it left apart, drawn from labelled sets. Called as
# explain_labelled.sh NEARDUP BUILD_DIR; needs NEARDUP_DATA.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3 mpirun
sets=(zh-reprints api-doxygen ota-genai)
for name in "${sets[@]}"; do
    if [ ! -f "${NEARDUP_DATA:-}/labelled/$name/pages.jsonl.gz" ]; then
        echo "SKIPPED: no labelled/$name in NEARDUP_DATA"
        exit 77
    fi
done

cat >"$folder/agree.py" <<'PYTHON'
import json, random, subprocess, sys
neardup, result = sys.argv[1:]
random.seed(7)
DRAWN = 10

def lines(*arguments):
    return subprocess.run([neardup, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()

rows = [json.loads(line) for line in lines("export", result, "--format", "jsonl")]
pairs = [line.split("\t") for line in lines("export", result, "--what", "pairs")[1:]]
links = [row for row in rows if row["link"] != row["page"]]
drawn = [(int(p[0]), int(p[1]), float(p[2])) for p in random.sample(pairs, min(DRAWN, len(pairs)))]
drawn += [(r["page"], r["link"], r["link_similarity"]) for r in random.sample(links, min(DRAWN, len(links)))]
apart = 0
while apart < DRAWN:
    a, b = random.sample(rows, 2)
    if a["set"] != b["set"]:
        drawn.append((a["page"], b["page"], None))
        apart += 1
wrong = 0
for a, b, similarity in drawn:
    x = json.loads("".join(lines("explain", result, rows[a]["id"], rows[b]["id"], "--format", "json", "--lines", "1")))
    used = x["methods"][0]
    right = x["content"] == "as in the run" and x["run"]["one_set"] == (rows[a]["set"] == rows[b]["set"])
    if similarity is None: # apart because they do not meet, are not similar, or by what is said of representatives
        right = right and (not (used["similar"] and used["meet"]) or len(x["run"]["representatives"]) == 2)
    else:
        right = right and abs(used["similarity"] - similarity) < 2e-6 and used["similar"]
    if not right:
        wrong += 1
        print("%s: %s and %s: %s in the run, %s here: %s" % (result, rows[a]["id"], rows[b]["id"], similarity,
              used["similarity"], x["run"]), file=sys.stderr)
sys.exit(wrong > 0)
PYTHON

for name in "${sets[@]}"; do
    partition run 2 "$NEARDUP_DATA/labelled/$name/pages.jsonl.gz" --pairs keep
    python3 "$folder/agree.py" "$neardup" "$folder/run.h5" || fail "$name: explain shows another decision"
    echo "$name: pairs, links and pages apart are as in the run"
done
