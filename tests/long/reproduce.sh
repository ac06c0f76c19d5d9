#!/usr/bin/env bash
# scripts/reproduce_pku.sh on 20,000 small pages: every table and plot is there, figures are numbers and
# shares lie in [0, 1]; what is there is not run again; wrong usage is said in one line.
# usage: reproduce.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/reproduce_pku.sh
need python3 gnuplot mpirun

reproduce() {
    timeout 900 "$script" --quick --stage-pages 60 --profile archive --neardup "$neardup" \
        -o "$folder/out" "$@" >"$folder/log" 2>&1
}

reproduce --pages 20000 || fail "failed: $(tail -n 5 "$folder/log")"
python3 - "$folder/out" "${script%/*}" <<'TEXT' || fail "wrong tables"
import csv, glob, os, re, sys
root = sys.argv[1]
wrong = []

def rows(name):
    path = os.path.join(root, name + ".csv")
    if not os.path.exists(path):
        wrong.append(name + ".csv is missing")
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))

# columns that hold a share, and the rows that there must be
shares = {"pku": ["precision", "precision_lower", "precision_upper", "site_precision", "recall",
                  "baseline_recall"],
          "stages": ["precision", "site_precision", "pairwise_precision", "pairwise_recall"],
          "henzinger": ["precision", "site_precision"],
          "henzinger_similarity": ["precision"], "henzinger_terms": [],
          "absolute": ["pairwise_f1", "b_cubed_f1", "removal_f1", "same_site_f1"],
          "classes": ["mixed_share"], "losses": ["precision", "loss"], "similarity": [], "runs": []}
least = {"pku": 7 + 7 + 3, "stages": 2 * 4 + 3, "henzinger": 5, "henzinger_similarity": 6, "henzinger_terms": 2 * 4,
         "absolute": 14, "classes": 14 * 15, "similarity": 14 * 10, "runs": 14 + 2 * 6,
         "losses": 2}
counts = re.compile(r"pages|pairs|correct|sets|seconds|bytes|processes|compared|largest|undecided")
for name, columns in shares.items():
    found = rows(name)
    if len(found) < least[name]:
        wrong.append("%s.csv: %d rows, not %d" % (name, len(found), least[name]))
    for row in found:
        for column in columns:
            if not 0 <= float(row[column] or "nan") <= 1 and (row[column] or name == "pku"):
                wrong.append("%s.csv: %s is %r in %r" % (name, column, row[column], row))
        for column, value in row.items():
            if counts.search(column) and value and not float(value) >= 0:
                wrong.append("%s.csv: %s is %r" % (name, column, value))
for row in rows("pku"):
    if not float(row["precision_lower"]) <= float(row["precision"]) <= float(row["precision_upper"]):
        wrong.append("pku.csv: %s lies outside its interval" % row["method"])
    if row["method"] == row["baseline"] and float(row["relative_recall"]) != 1:
        wrong.append("pku.csv: %s is not 1 relative to itself" % row["method"])
    # all meet in groups up to 4,096 pages; the default's are smaller, and it says so
    if row["method"] in ("simhash", "default") and (row["method"] == "default") != (int(row["passed"] or 0) > 0):
        wrong.append("pku.csv: %s passed over %r meetings" % (row["method"], row["passed"]))
    if not (float(row["seconds"]) > 0 and int(row["peak_bytes"]) > 1e6 and row["processes"] == "2"):
        wrong.append("pku.csv: time and memory of %s" % row["method"])
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from collections import Counter
from reproduce_tables import power_spread
from reproduce_terms import differences
if differences(Counter("a a b c".split()), Counter("a b b d".split())) != 4:
    wrong.append("terms: a, c on one page, b, d on the other")
line = [{"from": 2 ** i, "pages": 2 ** i * 4 ** (8 - i)} for i in range(6)]
if abs(power_spread(line) - 1) > 1e-9:
    wrong.append("a straight line is said to be none")
line[2]["pages"] *= 8
if not 1.5 < power_spread(line) < 8:
    wrong.append("a bin that is off counts for nothing")
drawn = {}
for row in rows("henzinger_terms"):
    drawn[row["method"]] = drawn.get(row["method"], 0) + int(row["pairs"])
    if not float(row["median"]) <= float(row["ninetieth"]) <= float(row["most"]):
        wrong.append("henzinger_terms.csv: %r" % row)
for row in rows("henzinger"):
    if not float(row["spread"]) >= 1:
        wrong.append("henzinger.csv: spread %r" % row["spread"])
    if row["method"] in drawn and not 0 < drawn[row["method"]] <= 5000:
        wrong.append("henzinger_terms.csv: %d pairs of %s" % (drawn[row["method"]], row["method"]))
compared = {(row["pages"], row["method"]): int(row["compared"]) for row in rows("stages")
            if row["compared"]}
for pages in {pages for pages, stage in compared if stage == "none"}:
    if not compared[pages, "none"] > compared[pages, "one"] > compared[pages, "two"]:
        wrong.append("stages.csv: the stages save nothing on %s pages" % pages)
with open(os.path.join(root, "tables.md")) as file:
    text = file.read()
with open(os.path.join(root, "report.html")) as file:
    page = file.read()
for part, least in (("<svg", len(glob.glob(os.path.join(root, "*.svg")))), ("<table>", text.count("\n| --- |")),
                    ("differs, because", 4), ("Growth with the corpus", 1), ("What follows", 1)):
    if page.count(part) < least:
        wrong.append("report.html: %d times %s, not %d" % (page.count(part), part, least))
if "<script" in page or "<link" in page or "src=" in page:
    wrong.append("report.html: needs other files")
for published in (".72", "1.86", "68 + 534 h", "5700 h", "several years", ".38", ".85"):
    if "| %s |" % published not in text:
        wrong.append("tables.md: %s is not there" % published)
for line in text.splitlines():
    if line.startswith("|") and re.search(r"\b(nan|None|inf)\b", line):
        wrong.append("tables.md: " + line)
plots = glob.glob(os.path.join(root, "*.svg"))
wanted = {name + ".svg" for name in (
    "pku_precision pku_recall stages growth_precision growth_relative_recall growth_pages_per_second b_similarity "
    "curves partners terms recall_by_class_archive hard_negatives_archive similarity_archive").split()}
for plot in sorted(wanted ^ {os.path.basename(plot) for plot in plots}):
    wrong.append("%s is %s" % (plot, "missing" if plot in wanted else "not one of the plots"))
for plot in plots:
    with open(plot) as file:
        drawn = file.read()
    if "</svg>" not in drawn or drawn.count("<path") < 4:
        wrong.append(plot + " is empty")
print("\n".join(wrong[:20]) or "%d plots, %d rows" % (len(plots), sum(len(rows(n)) for n in shares)))
sys.exit(bool(wrong))
TEXT

before=$(cksum "$folder/out/pku.csv")
reproduce --pages 20000 || fail "failed again: $(tail -n 5 "$folder/log")"
if grep -E '^== (run|corpus):' "$folder/log"; then
    fail "what was there was run again"
fi
[ "$before" = "$(cksum "$folder/out/pku.csv")" ] || fail "the same runs gave another table"

# refused WORD ARGUMENT...: one line that holds the word
refused() {
    local word=$1
    shift
    if reproduce "$@"; then
        fail "taken: $*"
    fi
    if [ "$(wc -l <"$folder/log")" -ne 1 ] || ! grep -q -- "$word" "$folder/log"; then
        fail "$*: not one line with $word: $(cat "$folder/log")"
    fi
}
refused "give another -o" --pages 3000
refused "--profile web" --profile web
refused "--methods broder" --methods broder
refused "--tables pku,times" --tables pku,times
refused "--seeds 1" --seeds "101 1"
refused "-5" --pages -5
