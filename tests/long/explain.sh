#!/usr/bin/env bash
# What explain says of two pages: the worked examples of the literature, equal pages, pages read
# again from every kind of input, the same similarity as in the run, and what goes wrong in one
# line. Called as explain.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3 mpirun h5dump
cd "$folder"

# has TEXT ARGUMENT...: explain says so, in a line of its own but for blanks.
has() {
    local text=$1
    shift
    "$neardup" explain "$@" >said || fail "failed: $*"
    tr -s ' ' <said | grep -qF -- "$text" || fail "$*: no '$text' in: $(cat said)"
}

# is EXPRESSION ARGUMENT...: true of the JSON, which Python knows as x and its methods as m.
is() {
    local expression=$1
    shift
    "$neardup" explain --format json "$@" >said.json || fail "failed: $*"
    python3 -c 'import json, sys
x = json.load(open("said.json"))
m = {row["method"]: row for row in x["methods"]}
sys.exit(0 if eval("(" + sys.argv[1] + ")") else 1)' "$expression" || fail "$*: not $expression: $(cat said.json)"
}

# ---- worked examples: Myers 1986 (LCS of 4, r = 4/9); the bigrams of lecture notes (3/8)
echo 'a b c a b b a' >a.txt
echo 'c b a b a c' >b.txt
has ' r 0.4444 4 / 9 ' a.txt b.txt
is 'x["measures"]["r"] == {"value": 0.444444, "common": 4, "of": 9}' b.txt a.txt
echo 'Jack London traveled to Oakland' >oakland.txt
echo 'Jack London traveled to the city of Oakland' >city.txt
echo 'Jack traveled from Oakland to London' >london.txt
has ' resemblance 0.3750 3 / 8 distinct shingles of 2 tokens' --shingle-tokens 2 oakland.txt city.txt
has ' resemblance 0.0000 0 / 9 ' --shingle-tokens 2 oakland.txt london.txt
is 'x["measures"]["sketch_estimate"]["low"] < 3 / 8 < x["measures"]["sketch_estimate"]["high"]' \
    --shingle-tokens 2 --minima 4000 oakland.txt city.txt
has ' similarity 1.0000 >= 1.0000, ' --method lcs --threshold 1 a.txt a.txt
# ---- pages with navigation, links and a site's common parts, as files, JSONL and WARC
python3 - <<'TEXT'
import gzip, json, os, random
random.seed(11)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
def page(sentences):
    return ("<html><head><title>A page</title></head><body><nav>Home News Contact</nav>"
            "<p><a href='/x'>Read more here</a></p>" +
            "".join("<p>%s</p>\n" % s for s in sentences) + "</body></html>")
rows = []
for family in range(6):
    base = [sentence(12) for _ in range(30)]
    for copy in range(4):
        edited = list(base)
        for place in range(3 * copy):
            edited[7 * place % 30] = sentence(12)
        host = "h%d.example" % (family if family % 2 else 10 * family + copy)
        rows.append(("%d-%d" % (family, copy), "http://%s/%d/%d" % (host, family, copy), page(edited)))
os.mkdir("tree")
for name, url, html in rows:
    with open("tree/%s.html" % name, "w") as file:
        file.write(html)
lines = "".join(json.dumps({"id": n, "url": u, "html": h}) + "\n" for n, u, h in rows)
open("pages.jsonl", "w").write(lines)
with open("pages.jsonl.gz", "wb") as file:
    file.write(gzip.compress(lines.encode(), mtime=0))
TEXT
python3 "$support/to_warc.py" pages.jsonl pages.warc.gz

# Equal pages: 1 everywhere, all keys shared, similar by every method.
everywhere='all(x["measures"][k]["value"] == 1 for k in ("resemblance", "r", "jaccard"))
    and x["measures"]["sketch_estimate"]["value"] == x["measures"]["cosine"] == x["measures"]["trustable"] == 1
    and x["measures"]["supershingles_agree"] == 6 and x["measures"]["simhash_distance"] == 0
    and x["measures"]["charikar_agree"] == 384 and len(m) == 9
    and all(r["similarity"] == 1 and r["similar"] and r["meet"] for r in m.values())
    and all(r["shared"] == r["keys_a"] == r["keys_b"] == len(r["shared_keys"]) for r in m.values())
    and x["sentences"]["only_a"]["sentences"] == x["sentences"]["only_b"]["sentences"] == 0'
cp tree/1-0.html copy.html
is "$everywhere" tree/1-0.html copy.html
is 'not any(r["similar"] for r in m.values())' tree/1-0.html tree/2-0.html

# Page, template and links; what is dropped is said, and that it may come back.
has 'both navigation home news contact' tree/1-0.html tree/1-1.html
has 'both links read more here' tree/1-0.html tree/1-1.html
has 'content by the page alone' tree/1-0.html tree/1-1.html
has 'shared, in one order: 28 (326 tokens); only A: 3 (36); only B: 3 (36)' tree/1-0.html tree/1-1.html
is 'x["a"]["dropped"] == {"sentences": 2, "tokens": 6}' tree/1-0.html tree/1-1.html
is 'x["a"]["dropped"]["tokens"] == 0 and x["sentences"]["shared"]["sentences"] == 30' \
    --navigation keep --links keep tree/1-0.html tree/1-1.html
is 'len(x["sentences"]["rows"]) == 5 and x["sentences"]["row_count"] > 30' --lines 5 \
    tree/1-0.html tree/1-1.html
is 'len(x["sentences"]["rows"]) == x["sentences"]["row_count"]' --lines 0 tree/1-0.html tree/1-1.html

# The threshold and its rules.
has '>= 0.5600, they may be of one site: 0.46 + 0.1 (--site-extra)' tree/1-0.html tree/1-1.html
has ' may be one site: a page has no URL; shared keys' tree/1-0.html tree/1-1.html # files are of no site
is 'not m["lcs"]["same_site"] and m["lcs"]["may_be_same_site"]' tree/1-0.html tree/1-1.html
has '< 1.0000, they may be of one site: 0.99 + 0.1' --threshold .99 tree/1-0.html tree/1-1.html
is 'x["methods"][0]["method"] == "cosine" and x["methods"][0]["used"]' --method cosine a.txt b.txt

# A name that one page repeats and the other never says.
python3 - <<'TEXT'
words = ["w%d" % i for i in range(100)]
open("named.txt", "w").write(" ".join(words))
words[2] = words[60] = words[90] = "other"
open("renamed.txt", "w").write(" ".join(words))
TEXT
has ' 0.4000 of it taken off: one repeats a word of its beginning 2 times' named.txt renamed.txt
is 'm["lcs"]["names"] == 2 and m["lcs"]["names_discount"] == 0.4 and not m["lcs"]["similar"]' named.txt renamed.txt

# ---- with a result: whatever the input is, each page and its link are as similar as in the run.
# check_run NAME ARGUMENT...
check_run() {
    local name=$1 pairs=0 page url link similarity
    shift
    "$neardup" partition "$@" --progress none -o "$name.h5" 2>log || fail "$(cat log)"
    "$neardup" export "$name.h5" --format jsonl >rows.jsonl
    while IFS=$'\t' read -r page url link similarity; do
        is "x['methods'][0]['used'] and abs(x['methods'][0]['similarity'] - $similarity) < 1e-5
            and x['methods'][0]['meet'] and x['methods'][0]['similar']
            and x['a']['result']['page'] == $page and x['a']['result']['link'] == x['b']['result']['page']
            and x['a']['result']['set'] == x['b']['result']['set']" "$name.h5" "$url" "$link"
        pairs=$((pairs + 1))
    done < <(python3 -c 'import json
rows = [json.loads(line) for line in open("rows.jsonl")]
for row in rows:
    if row["link"] != row["page"]:
        print(row["page"], row["url"], rows[row["link"]]["url"], row["link_similarity"], sep="\t")')
    [ "$pairs" -ge 4 ] || fail "$name: only $pairs links"
    echo "$name: $pairs links are as in the run"
}
check_run tree tree
check_run jsonl pages.jsonl --templates 0
check_run jsonlgz pages.jsonl.gz
check_run warc pages.warc.gz
check_run warc pages.warc.gz --templates 0 --method simhash --distance 8
check_run pku pages.jsonl --preset pku --threshold .6 --sets components
check_run lsh pages.warc.gz --method lsh --threshold .3 --bands 50 --rows 2

has ' URL http://h1.example/1/1' jsonl.h5 1-0 1-1
has 'one joined by its link to the other, of similarity ' jsonl.h5 1-0 1-1
has 'both pages are in one set' jsonl.h5 http://h1.example/1/0 http://h1.example/1/1
has 'the pages are in different sets' jsonl.h5 1-0 2-0
has '>= 0.5600, both are of one site: 0.46 + 0.1 (--site-extra)' jsonl.h5 1-0 1-1
has '< 1.0000, both are of one site' --threshold .99 jsonl.h5 1-0 1-1
has ' one site; shared keys' jsonl.h5 1-0 1-1
is 'm["lcs"]["same_site"] and m["lcs"]["may_be_same_site"]' jsonl.h5 1-0 1-1
has ' different sites; shared keys' jsonl.h5 2-0 2-1
is 'not m["lcs"]["same_site"] and not m["lcs"]["may_be_same_site"]' jsonl.h5 2-0 2-1
has '>= 0.4600, the threshold of all pages' jsonl.h5 2-0 2-1

# ---- a site with a template: explain compares what the run compared, whatever the site repeats, and
# says why pages are apart or together. Families are edited copies, the site's own sentences stand on
# every page, two pages say nothing else, and one page has the text of another on another site.
python3 - <<'TEXT'
import json, random
random.seed(12)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
common = [sentence(9) for _ in range(6)]
links = ["<ul><li><a href=x>%s</a></li></ul>" % sentence(3) for _ in range(5)]
def page(sentences, own):
    body = "".join("<p>%s</p>\n" % s for s in common + sentences)
    return "<html><body>%s%s<ul><li><a href=x>%s</a></li></ul></body></html>" % (body, "".join(links), own)
rows = []
for family in range(12):
    base = [sentence(12) for _ in range(14 if family < 8 else 3)]
    for copy in range(3):
        edited = list(base)
        edited[copy] = sentence(12)
        rows.append(("%d-%d" % (family, copy), "shop.example", page(edited, sentence(4))))
rows += [("bare-0", "shop.example", page([], links[0])), ("bare-1", "shop.example", page([], links[1]))]
rows += [("copy", "other.example", rows[0][2])]
with open("site.jsonl", "w") as file:
    for name, host, html in rows:
        file.write(json.dumps({"id": name, "url": "http://%s/%s" % (host, name), "html": html}) + "\n")
TEXT
for ranks in 1 3; do
    timeout 120 mpirun -n "$ranks" "$neardup" partition site.jsonl --pairs keep --progress none \
        -o "site-$ranks.h5" 2>log || fail "$(cat log)"
done
cmp <(h5dump -g /sites site-1.h5 | tail -n +2) <(h5dump -g /sites site-3.h5 | tail -n +2) ||
    fail "the sites of 1 and 3 ranks differ"
pairs=0
while IFS=$'\t' read -r similarity a b; do
    is "x['content'] == 'as in the run' and x['run']['pair'] and x['methods'][0]['similar']
        and abs(x['methods'][0]['similarity'] - $similarity) < 1e-5
        and abs(x['run']['pair_similarity'] - $similarity) < 1e-5" site-1.h5 "$a" "$b"
    pairs=$((pairs + 1))
done < <("$neardup" export site-1.h5 --what pairs | tail -n +2 | cut -f 3,4,6)
[ "$pairs" -ge 20 ] || fail "only $pairs pairs on the site"
has 'both template' site-1.h5 0-1 1-1
is 'x["a"]["dropped"]["tokens"] >= 54 and not x["run"]["one_set"]
    and x["run"]["reason"].startswith("they are not similar")' site-1.h5 0-1 1-1
is 'x["run"]["one_set"] and len(x["run"]["links"]) >= 1' site-1.h5 0-1 0-2
# The text of 0-0 is compared as a page of its site, in the place of its copy on another one.
is 'x["run"]["reason"] == "their texts are equal" and x["b"]["result"]["compared"] == 0
    and x["a"]["compared"] == x["b"]["compared"]' site-1.h5 0-0 copy
is 'x["content"] == "by the page alone" and "reason" not in x["run"]' --links keep site-1.h5 0-1 0-2
has 'A is thin, 0 tokens of its own' site-1.h5 bare-0 0-1
is 'x["a"]["thin"] and not x["b"]["thin"] and not x["run"]["one_set"]' site-1.h5 bare-0 0-1
"$neardup" inspect site-1.h5 --url bare-0 | grep -q ' thin  http://shop.example/bare-0' || fail 'inspect: bare-0 is not thin'
is 'x["run"] is None and x["site_templates"] == "not known"' tree/1-0.html tree/1-1.html

# The same name twice: two pages of it.
cat pages.jsonl pages.jsonl >twice.jsonl
"$neardup" partition twice.jsonl --progress none -o twice.h5 2>log || fail "$(cat log)"
is 'x["a"]["result"]["page"] == 4 and x["b"]["result"]["page"] == 28 == x["b"]["result"]["exact_of"] + 24' \
    twice.h5 1-0 1-0

# ---- what goes wrong: one line that names the thing
printf '\0\1\2' >binary
: >empty.txt
echo '<html><body></body></html>' >empty.html
has 'none: a page without tokens is similar to no page' a.txt empty.html
is 'x["measures"] is None and not any(r["similar"] or r["meet"] for r in m.values())' empty.html empty.html
refuses 1 'nothing.txt' explain a.txt nothing.txt
refuses 1 'binary' explain a.txt binary
refuses 2 'empty.txt' explain a.txt empty.txt
refuses 2 'pages.warc.gz' explain a.txt pages.warc.gz
refuses 2 'http://nowhere.example/' explain jsonl.h5 1-0 http://nowhere.example/
refuses 2 'no page has the URL' explain jsonl.h5 1-0 ''
refuses 2 'only one page' explain jsonl.h5 1-0 1-0
refuses 1 'nothing.h5' explain nothing.h5 1-0 1-1
refuses 1 'a.txt' explain a.txt 1-0 1-1
refuses 2 'got 1 words' explain a.txt
refuses 2 '--format' explain --format xml a.txt b.txt
refuses 2 '--lines' explain --lines many a.txt b.txt
refuses 2 '--method' explain --method best a.txt b.txt
refuses 2 '--threshold' explain --threshold .5 --method simhash a.txt b.txt
refuses 2 '--threshold' explain --threshold 2 a.txt b.txt
refuses 2 '--shingle-tokens' explain --shingle-tokens 0 a.txt b.txt
refuses 2 '--minima' explain --minima 0 a.txt b.txt
refuses 2 '--navigation' explain --navigation away a.txt b.txt
refuses 2 '--unknown' explain --unknown a.txt b.txt
mv pages.jsonl gone.jsonl
refuses 1 'pages.jsonl' explain jsonl.h5 1-0 1-1
sed 's/<p>/<p>More of it. /' gone.jsonl >pages.jsonl
refuses 1 'pages.jsonl' explain jsonl.h5 1-1 2-1
echo "explain.sh: all as it should be"
