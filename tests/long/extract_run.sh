#!/usr/bin/env bash
# neardup extract OUT.h5: the text of every page is what the run compared of it. A run over these
# texts, in which nothing is dropped, makes the same sets of the same similarities. Inputs that are
# gone, or others than they were, are named. Called as extract_run.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3 h5dump
# shellcheck source=tests/support/refusals.sh
. "$support/refusals.sh"
most_seconds=60
mkdir "$folder/place"
cd "$folder/place"

partition() {
    "$neardup" partition --progress none "$@" 2>"$folder/stderr" || wrong "partition $*"
}
extract() {
    "$neardup" extract "$@" 2>"$folder/stderr" || wrong "extract $*"
}
content_tokens() {
    h5dump -a /totals "$1" | grep -o 'content_tokens[^,]*'
}

# Two sites with sentences of their own, some in paragraphs with the text, links of the site and of
# the page, pages of hardly any text, a title, and a record that is no page.
python3 - <<'PYTHON'
import gzip, json, os, random
random.seed(21)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
def link(n):
    return "<ul><li><a href=x>%s</a></li></ul>" % sentence(n)
rows = []
for host in "one.example", "two.example":
    common = [sentence(9) for _ in range(6)]
    links = [link(3) for _ in range(4)]
    for family in range(10):
        base = [sentence(12) for _ in range(14 if family < 7 else 3)]
        for copy in range(3):
            edited = list(base)
            edited[copy] = sentence(12)
            html = "<title>%s %d</title><nav>Home</nav><p>%s %s %s</p>%s%s%s" % (
                base[0][:11], copy, common[0], edited[0], common[1],
                "".join("<p>%s</p>" % s for s in common[2:] + edited[1:]), "".join(links), link(4))
            rows.append(("%s-%d-%d" % (host[:3], family, copy), "http://%s/%d/%d" % (host, family, copy), html))
    rows.append((host[:3] + "-bare", "http://%s/bare" % host, "".join("<p>%s</p>" % s for s in common)))
rows.append(("empty", "http://one.example/empty", ""))
lines = [json.dumps({"id": n, "url": u, "html": h}) + "\n" for n, u, h in rows]
open("good.jsonl", "w").write("".join(lines))
lines.insert(5, "no JSON\n")
open("pages.jsonl", "w").write("".join(lines))
open("pages.jsonl.gz", "wb").write(gzip.compress("".join(lines).encode(), mtime=0))
os.mkdir("tree")
for name, url, html in rows[:40]:
    open("tree/%s.html" % name, "w").write(html)
PYTHON

python3 "$support/to_warc.py" good.jsonl pages.warc.gz

# is_as_compared NAME INPUT OPTION...: the run over what is extracted is the run itself, with the same seed, which
# else follows from the inputs.
is_as_compared() {
    local name=$1 input=$2 sure=()
    shift 2
    # of plain texts, as they are extracted, less is asked than of HTML
    [[ " $* " == *' --method '* || " $* " == *' --preset '* ]] || sure=(--min-confidence 0)
    cases=$((cases + 1))
    partition "$input" "$@" "${sure[@]}" --hash-seed 1 -o "$name.h5"
    extract "$name.h5" >"$name.jsonl"
    python3 - "$name.jsonl" >again.jsonl <<'PYTHON' # paragraphs of a text are parted by empty lines
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    page = json.loads(line)
    text = (page["title"] + "\n" + page["text"]).replace("\n", "\n\n")
    print(json.dumps({"id": page["id"], "url": page["url"], "text": text}))
PYTHON
    partition again.jsonl "$@" "${sure[@]}" --templates 0 --navigation keep --links keep --hash-seed 1 -o again.h5
    "$neardup" export "$name.h5" | cut -f 2,3,5-9 >run.tsv
    "$neardup" export again.h5 | cut -f 2,3,5-9 >again.tsv
    cmp -s run.tsv again.tsv || wrong "$name: not what the run compared: $(diff run.tsv again.tsv | head -n 4)"
    [ "$(content_tokens "$name.h5")" = "$(content_tokens again.h5)" ] || wrong "$name: other tokens"
}
is_as_compared jsonl pages.jsonl --index-pages off # what an index page is, links say that are not kept
is_as_compared jsonlgz pages.jsonl.gz --site domain --method lsh
is_as_compared warc pages.warc.gz --index-pages off
is_as_compared whole pages.warc.gz --preset pku --score r --threshold .5
"$neardup" synthesize -o made --pages 300 --seed 5 2>"$folder/stderr"
is_as_compared made made --index-pages off

# What the site repeats was there, and its links; a page of no text is an empty line of its own.
extract pages.jsonl --links keep >alone.jsonl
python3 - <<'PYTHON' || wrong "templates are not dropped, or too much is"
import json
run, alone = ([json.loads(line) for line in open(name)] for name in ("jsonl.jsonl", "alone.jsonl"))
assert len(run) == len(alone) == 63
for r, a in zip(run, alone):
    assert (r["id"], r["url"], r["title"]) == (a["id"], a["url"], a["title"])
    own = set(r["text"].split("\n"))
    sentences = [s for line in own for s in line.split(". ")]
    assert all(s in a["text"] for s in sentences), r["id"]
    less = len(a["text"]) - len(r["text"])
    assert less == 0 if r["id"] == "empty" else less > 300, (r["id"], less)
assert [len(r["text"]) for r in run if "bare" in r["id"]] == [0, 0]
PYTHON
extract tree --navigation keep >alone.jsonl # a folder's files: of one site, which has no template here
partition tree --navigation keep --templates 0 --link-tokens 0 -o tree.h5
extract tree.h5 >tree.jsonl
[ "$(wc -l <tree.jsonl)" -eq 40 ] || wrong "not a line for each file"
[ "$(cut -d '"' -f 8 tree.jsonl)" = "$(cut -d '"' -f 8 alone.jsonl)" ] || wrong "other files, or another order"

# ---- any number of ranks; where it goes; one page per set
timeout 120 mpirun -n 2 "$neardup" partition pages.warc.gz --index-pages off --progress none -o two.h5 2>"$folder/stderr"
extract two.h5 -o two.jsonl
cmp -s two.jsonl warc.jsonl || wrong "a run on two ranks gives other lines"
extract two.h5 --what keep -o two.jsonl
"$neardup" export two.h5 --what keep | tail -n +2 | cut -f 2 >kept.txt
[ "$(python3 -c 'import json
for line in open("two.jsonl"): print(json.loads(line)["id"])')" = "$(cat kept.txt)" ] || wrong "--what keep"
[ "$(wc -l <kept.txt)" -lt 40 ] || wrong "nothing is left out of --what keep"
extract jsonl.h5 --links keep >links.jsonl
cmp -s links.jsonl jsonl.jsonl && wrong "--links keep changes nothing"

# ---- what is refused, in a line and with nothing written
state() {
    find . -type f -exec cksum {} + | sort
}
alone 2 "goes alone" extract jsonl.h5 pages.jsonl
alone 2 "goes with a result" extract pages.jsonl --what keep
alone 2 "is pages.jsonl, an input" extract jsonl.h5 -o pages.jsonl --force
alone 2 "is the result" extract jsonl.h5 -o jsonl.h5 --force
head -c 5000 jsonl.h5 >cut.h5
alone 1 "cut.h5" extract cut.h5
partition jsonl.jsonl -o of_extract.h5
alone 2 "an input of the run" extract of_extract.h5 -o jsonl.jsonl # though it is an extract
alone 2 "jsonl.h5 says that the run read id" extract jsonl.h5 --jsonl-id url
mv tree/one-2-1.html gone.html
alone 1 "tree/one-2-1.html: " extract tree.h5 -o new.jsonl
grep -qF "page 7 of tree.h5, file://tree/one-2-1.html" "$folder/stderr" || wrong "the page is not named"
mv gone.html tree/one-2-1.html
extract tree.h5 >again.jsonl
cmp -s tree.jsonl again.jsonl || wrong "not the same when the file is back"
# another size; the same size, with another word, under the time of before; a copy, younger
cp -p pages.jsonl kept.jsonl
echo >>pages.jsonl
alone 1 "pages.jsonl: has changed since the run" extract jsonl.h5
cp kept.jsonl pages.jsonl
extract jsonl.h5 >again.jsonl
cmp -s jsonl.jsonl again.jsonl || wrong "the same bytes under another time"
alone 2 "jsonl.h5 says that the run read html" extract jsonl.h5 --jsonl-html url -o new.jsonl
sed '9s/Home/Hone/' kept.jsonl >pages.jsonl
touch -r kept.jsonl pages.jsonl
alone 1 "pages.jsonl: has changed since the run (another record" extract jsonl.h5 -o new.jsonl
sed '1s/"id": "one-0-0"/"id": "one-0-x"/' kept.jsonl >pages.jsonl
touch -r kept.jsonl pages.jsonl
alone 1 "needed for page 0 of jsonl.h5, http://one.example/0/0" extract jsonl.h5
"$neardup" partition - --progress none -o stdin.h5 <kept.jsonl 2>"$folder/stderr"
alone 1 "standard input" extract stdin.h5

[ "$failures" -eq 0 ] || exit 1
echo "$cases cases"
