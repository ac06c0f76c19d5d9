#!/usr/bin/env bash
# The page of neardup review in a browser: keys, buttons, answers that stay, and labels that evaluate
# counts as the page does. It and the page of report, wide and narrow, light, dark and on paper. Called as review_browser.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
cd "$folder"

python=/usr/bin/python3 # Debian's, which Debian's selenium is for
if [ ! -x "$python" ]; then
    echo "SKIPPED: there is no $python"
    exit 77
fi
"$python" "$support/hostile_pages.py" seen
"$neardup" partition hostile.jsonl --progress none -o out.h5 2>log || fail "$(cat log)"
"$neardup" review out.h5 -o review.html --sample 25 2>log || fail "$(cat log)"
status=0
HOME=$folder timeout 200 "$python" "$support/review_browser.py" review.html . >said 2>errors || status=$?
if [ "$status" -eq 77 ]; then
    cat said
    exit 77
fi
[ "$status" -eq 0 ] || fail "$(cat said errors)"
"$neardup" report out.h5 -o report.html 2>log || fail "$(cat log)"
HOME=$folder timeout 200 "$python" "$support/page_browser.py" report.html review.html . ${ND_SCREENSHOTS:+"$ND_SCREENSHOTS"} \
    >looked 2>errors || fail "$(cat looked errors)"
"$neardup" evaluate out.h5 --truth review-labels.tsv --bands --format json >evaluation.json ||
    fail 'its labels cannot be evaluated'
"$python" - <<'TEXT' || fail "$(cat said evaluation.json)"
import json, re
x = json.load(open("evaluation.json"))
lines = [line.rstrip("\n").split("\t") for line in open("review-labels.tsv", encoding="utf-8")]
labels = [line[2] for line in lines]
assert x["missing_pages"] == 0 and x["bad_lines"] == 0 and x["truth_pairs"] == len(lines) == 23, x
assert [labels.count(label) for label in ("unsure", "different", "near")] == [1, 2, 20], labels
said = [float(number) for number in re.findall(r"\d\.\d{4}", open("said").read())]
expected = [x["all_bands"][name] for name in ("precision", "lower", "upper")]
assert len(said) == 3 and all(abs(a - b) < 1e-4 for a, b in zip(said, expected)), (said, expected)
TEXT
echo "review_browser.sh: $(cat said looked)"
