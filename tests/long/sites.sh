#!/usr/bin/env bash
# What a run learns of sites and makes of pages that have none: pages without a host are of no site,
# thin pages are marked and joined by equal texts alone, and /sites is the same on any number of
# ranks and after a checkpoint. Called as sites.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3 h5dump

python3 - "$folder" <<'PYTHON'
import json, os, random, sys
folder = sys.argv[1]
random.seed(3)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
def write(name, rows):
    with open("%s/%s.jsonl" % (folder, name), "w") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))

# Texts in pairs that share half of their sentences: similar between sites, not on one site.
common = [sentence(9) for _ in range(4)]
texts = []
for pair in range(12):
    shared = [sentence(12) for _ in range(16)]
    for side in range(2):
        texts.append("\n".join(common + shared + [sentence(12) for _ in range(7)]))
write("homeless", [{"id": "t%d" % i, "text": t} for i, t in enumerate(texts)])
write("housed", [{"id": "t%d" % i, "url": "http://a.example/%d" % i, "text": t} for i, t in enumerate(texts)])
os.mkdir(folder + "/texts")
for i, text in enumerate(texts):
    with open("%s/texts/t%02d.txt" % (folder, i), "w") as file:
        file.write(text)

# A site with a template: stories, frames that say one thing, redirects that each say another, and
# copies of a frame and of a story on another site.
rows = []
def page(host, name, body):
    rows.append({"id": name, "url": "http://%s/%s" % (host, name), "html": "<html><body>%s</body></html>" % body})
head = "".join("<p>%s</p>" % s for s in common)
for i in range(20):
    page("b.example", "story%d" % i, head + "".join("<p>%s</p>" % sentence(12) for _ in range(10)))
for i in range(30):
    page("b.example", "frame%d" % i, "<p>Loading...</p>")
for i in range(10):
    page("b.example", "moved%d" % i, head + "<p>Moved to %s</p>" % sentence(1))
page("c.example", "frame", "<p>Loading...</p>")
random.shuffle(rows)
write("site", rows)
PYTHON

# values NAME COLUMN: one a line.
values() {
    h5dump -y -w 1 -d "$2" "$folder/$1.h5" | sed -n 's/^ *\([0-9][0-9]*\),*$/\1/p'
}

# count VALUE NAME COLUMN: how often it stands there; rows NAME COLUMN: how many values there are.
count() {
    values "$2" "$3" | grep -cx "$1" || true
}
rows() {
    values "$1" "$2" | wc -l
}

# sets NAME ID...: how many sets these pages are in, counting each once.
sets() {
    local name=$1
    shift
    "$neardup" export "$folder/$name.h5" | awk -F '\t' -v ids=" $* " 'index(ids, " " $2 " ") { print $5 }' |
        sort -u | wc -l
}

# is WANTED WHAT COMMAND...
is() {
    local wanted=$1 what=$2 found
    shift 2
    found=$("$@")
    [ "$found" = "$wanted" ] || fail "$what: $found, not $wanted"
}

for name in homeless site; do
    for ranks in 1 2 3 5; do
        partition "$name-$ranks" "$ranks" "$folder/$name.jsonl"
        same "$name-1" "$name-$ranks"
        "$neardup" check "$folder/$name-$ranks.h5" >"$folder/said" || fail "$(cat "$folder/said")"
    done
done
partition site-small 3 "$folder/site.jsonl" --memory 16M --split-size 1K
same site-1 site-small

# Writing the result fails; what was learned of sites is in the work folder, for any number of ranks.
for ranks in 1 2 3 5; do
    ! timeout 900 mpirun -n 2 "$neardup" partition "$folder/site.jsonl" \
        --work "$folder/work" --fault result:0:1 -o "$folder/resumed.h5" >"$folder/said" 2>&1 || fail 'did not fail'
    [ -e "$folder/work/manifest.json" ] || fail 'nothing is in the work folder'
    partition resumed "$ranks" "$folder/site.jsonl" --work "$folder/work" --resume
    same site-1 resumed
done

# ---- no URL, no site; a text of a folder has a URL that neardup made
partition housed 2 "$folder/housed.jsonl"
partition texts 2 "$folder/texts"
for name in homeless-1 texts; do
    is 0 "templates of $name" rows "$name" /sites/template
    grep -q '^sets: 12 ' "$folder/$name.log" || fail "$name: $(grep '^sets:' "$folder/$name.log")"
done
grep -q '^sets: 24 ' "$folder/housed.log" || fail "one site: $(grep '^sets:' "$folder/housed.log")"
"$neardup" explain "$folder/homeless-1.h5" t0 t1 >"$folder/said"
grep -q '^  may be one site: a page has no URL; ' "$folder/said" || fail "$(cat "$folder/said")"
"$neardup" explain "$folder/housed.h5" t0 t1 >"$folder/said"
grep -q '^  one site; ' "$folder/said" || fail "$(cat "$folder/said")"

# ---- sites: the one with a template is listed, with the sentences that stand on every story
is 4 'sentences of the template' rows site-1 /sites/template
site_names() {
    values "$1" /sites/name_bytes | awk '{ printf "%c", $1 }'
}
is b.example 'names of sites' site_names site-1

# ---- thin pages: 31 frames and 10 redirects; equal texts are one set, what is left joins nobody
is 41 'thin pages' count 1 site-1 /pages/thin
is 1 'sets of frames' sets site-1 frame $(seq -f 'frame%g' 0 29)
is 10 'sets of redirects' sets site-1 $(seq -f 'moved%g' 0 9)
"$neardup" explain "$folder/site-1.h5" moved0 moved1 >"$folder/said"
grep -q 'A is thin, 3 tokens of its own' "$folder/said" || fail "$(cat "$folder/said")"
# Other methods join by what is left, as ever, and mark.
partition simhash 2 "$folder/site.jsonl" --method simhash
is 41 'thin pages by simhash' count 1 simhash /pages/thin
echo "sites.sh: all as it should be"
