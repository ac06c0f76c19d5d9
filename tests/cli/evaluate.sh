#!/usr/bin/env bash
# neardup evaluate: a made-up collection of which pages are named by ids and by URLs, listed pairs, what
# it prints and refuses; on two labelled sets, where there is labelled data, every lost pair has a cause.
# Its numbers are compared with counts over all pairs in property/p_measure.c, and kept in texts/.
# usage: evaluate.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
losses=$2/tests/losses
work=$folder

# evaluated RESULT FOLDER COLUMN FILE: answer.json, with the folder's loose and ambiguous.
evaluated() {
    "$neardup" evaluate "$1" --truth "$2/$4" --column "$3" --loose "$2/loose.tsv" \
        --ambiguous "$2/ambiguous.tsv" --format json >"$work/answer.json" 2>"$work/errors"
}

# A collection of some 400 pages on five sites: 40 stories, most retold with few or many words
# changed, some stories close to another. Every third page has no id, only a URL; some have a URL
# without a host.
mkdir "$work/made"
python3 - "$work/made" <<'PYTHON'
import json, random, sys
random.seed(20)
folder = sys.argv[1]
words = ["word%d" % i for i in range(3000)]
pages, truth, loose, ambiguous = [], [], [], []
stories = []
for s in range(40):
    if s % 8 == 7:
        stories.append([w if random.random() < .93 else random.choice(words) for w in stories[-1]])
        ambiguous.append("story%d\tstory%d\t0.9" % ((s, s - 1) if s % 16 == 7 else (s - 1, s)))
    else:
        stories.append([random.choice(words) for _ in range(120)])
for s, story in enumerate(stories):
    for copy in range(1 + s % 20):
        change = random.choice([0, .01, .03, .1, .2])
        text = [w if random.random() > change else random.choice(words) for w in story]
        text = " ".join(w + "." if i % 12 == 11 else w for i, w in enumerate(text))
        name = "page-%d-%d" % (s, copy)
        host = random.choice(["a.example", "B.example:80", "c.example", "d.example", ""])
        page = {"url": ("http://" + host if host else "") + "/" + name, "text": text}
        if copy % 3 != 2:
            page["id"] = name
        pages.append(page)
        truth.append("%s\tx\tstory%d\tmore" % (page.get("id", page["url"]), s))
        if random.random() < .1:
            loose.append(page.get("id", page["url"]) + "\tstory%d" % s)
truth += ["absent-%d\tx\tstory%d" % (i, i) for i in range(5)]
ambiguous.append("story0\tno-such-story\t0.5")
def write(name, lines):
    with open("%s/%s" % (folder, name), "w") as file:
        file.writelines(line + "\n" for line in lines)
random.shuffle(pages)
write("pages.jsonl", map(json.dumps, pages))
write("clusters.tsv", truth)
write("loose.tsv", loose)
write("ambiguous.tsv", ambiguous)
PYTHON
timeout 900 "$neardup" partition --progress none "$work/made/pages.jsonl" -o "$work/made.h5" 2>"$work/errors"
"$neardup" export "$work/made.h5" >"$work/pages.tsv"
evaluated "$work/made.h5" "$work/made" 3 clusters.tsv
grep -q '^neardup evaluate: 5 of the .* are not in the result' "$work/errors" ||
    fail "the pages that are not in the result are not said"
grep -q '"skipped_pairs":[1-9]' "$work/answer.json" || fail "no ambiguous pair in the made-up pages"
grep -q '"pages_without_site":[1-9]' "$work/answer.json" || fail "no page without a host"

# Pairs, and the text.
printf '%s\n' $'page-19-0\tpage-19-1\tnear\t1' $'page-19-0\tpage-1-0\tdifferent\t0' \
    $'page-19-0\tabsent\tnear\t1' $'page-5-0\tpage-5-1\tcopied\t1' >"$work/pairs.tsv"
"$neardup" export "$work/made.h5" | awk -F '\t' '$2 == "page-19-0" {a = $5} $2 == "page-19-1" {b = $5}
    END {printf "%.4f\n", a == b}' >"$work/together"
"$neardup" evaluate "$work/made.h5" --truth "$work/pairs.tsv" >"$work/text" 2>"$work/errors"
grep -qx "listed     4 pairs, 1 not evaluated" "$work/text" || fail "wrong count of listed pairs"
[ "$(awk '$1 == "pairwise" {print $3}' "$work/text")" = "$(cat "$work/together")" ] ||
    fail "wrong recall of listed pairs"
echo page-1-0 >"$work/loose.tsv"
"$neardup" evaluate "$work/made.h5" --truth "$work/pairs.tsv" --similar copied,different \
    --loose "$work/loose.tsv" >"$work/text" 2>"$work/errors"
grep -qx "listed     4 pairs, 2 not evaluated" "$work/text" || fail "a loose page is evaluated in a pair"
grep -qE '^copied +yes +1 ' "$work/text" || fail "--similar is not heeded"

# Listed pairs of one site and of others make up all of them.
"$neardup" evaluate "$work/made.h5" --truth "$work/pairs.tsv" --similar near,copied --format json \
    >"$work/answer.json" 2>"$work/errors"
python3 - "$work/answer.json" "$work/pages.tsv" <<'PYTHON' || fail "listed pairs are not split by site"
import json, sys
from urllib.parse import urlsplit
said = json.load(open(sys.argv[1]))
rows = [line.split("\t") for line in open(sys.argv[2])]
site = {row[1]: urlsplit(row[2]).hostname for row in rows}
similar = [("page-19-0", "page-19-1"), ("page-5-0", "page-5-1")]
same = sum(site[p] is not None and site[p] == site[q] for p, q in similar)
assert said["same_site"]["true_pairs"] == same
assert said["different_sites"]["true_pairs"] == 2 - same
for kind in "predicted_pairs", "common_pairs":
    assert said[kind] == said["same_site"][kind] + said["different_sites"][kind], kind
PYTHON

# Nothing predicted: precision is 1 by definition, and said.
printf 'page-1-0\ta\npage-4-0\ta\n' >"$work/apart.tsv"
"$neardup" evaluate "$work/made.h5" --truth "$work/apart.tsv" >"$work/text"
grep -q '^no pair is predicted: pairwise precision is 1 by definition' "$work/text" ||
    fail "precision by definition is not said"
grep -qE '^pairwise +1\.0000 +0\.0000 +0\.0000$' "$work/text" || fail "not 1, 0, 0"

refuse() {
    refuses "$1" "$2" evaluate "${@:3}"
}
printf 'x\ty\n' >"$work/others.tsv"
: >"$work/empty.tsv"
refuse 2 "needs one result file"
refuse 2 "--truth" "$work/made.h5"
refuse 2 "--column 1" "$work/made.h5" --truth "$work/apart.tsv" --column 1
refuse 2 "--format yaml" "$work/made.h5" --truth "$work/apart.tsv" --format yaml
refuse 2 "--nonsense" "$work/made.h5" --nonsense
refuse 2 "--ambiguous" "$work/made.h5" --truth "$work/pairs.tsv" --ambiguous "$work/apart.tsv"
refuse 2 "--similar" "$work/made.h5" --truth "$work/made/clusters.tsv"
refuse 2 "--classes" "$work/made.h5" --truth "$work/pairs.tsv" --classes "$work/apart.tsv"
refuse 1 "others.tsv: no class of any" "$work/made.h5" --truth "$work/apart.tsv" --classes "$work/others.tsv"
refuse 1 "missing.tsv" "$work/made.h5" --truth "$work/missing.tsv"
refuse 1 "empty.tsv" "$work/made.h5" --truth "$work/empty.tsv"
refuse 1 "others.tsv" "$work/made.h5" --truth "$work/others.tsv"
refuse 1 "others.tsv" "$work/others.tsv" --truth "$work/apart.tsv"

if [ -z "${NEARDUP_DATA:-}" ] || [ ! -d "$NEARDUP_DATA/labelled" ]; then
    echo "evaluate: no folder labelled in NEARDUP_DATA: only made-up pages were evaluated"
    exit 0
fi
for set in linux-docs-zh scancode-licences; do
    data=$NEARDUP_DATA/labelled/$set
    if [ ! -d "$data" ]; then
        echo "evaluate: no folder labelled/$set in NEARDUP_DATA: not evaluated"
        continue
    fi
    timeout 900 mpirun -n 2 "$neardup" partition --progress none --threshold .5 --slack 0 --min-confidence 0 \
        "$data/pages.jsonl.gz" -o "$work/$set.h5" 2>"$work/errors"
    evaluated "$work/$set.h5" "$data" 2 clusters.tsv
    # Every lost pair has a cause; sets of verified pairs never separate one that is similar.
    "$losses" "$work/$set.h5" "$data/pages.jsonl.gz" "$data/clusters.tsv" "$data/loose.tsv" \
        >"$work/losses"
    separated=$(awk -F '\t' '$1 == "separated" {print $2}' "$work/losses")
    lost=$(python3 -c 'import json, sys; a = json.load(open(sys.argv[1]))
print(a["true_pairs"] - a["common_pairs"])' "$work/answer.json")
    [ "$separated" -eq "$lost" ] || fail "$set: $separated pairs have a cause, $lost are lost"
    grep -qx $'splitting\t0' "$work/losses" || fail "$set: similar pages were paired and separated"
done
