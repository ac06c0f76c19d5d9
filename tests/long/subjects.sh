#!/usr/bin/env bash
# What addresses name, as src/README.md has it: pages of HTML on one site whose addresses name
# different things have to be more alike than others of it; numbers name nothing, and of texts and of
# two sites it is not asked. Of texts without an address the longer one loses by what it has besides.
# The same on any number of ranks, in explain, and for a stricter threshold. Called as subjects.sh
# NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3

# Of two texts of 20 paragraphs five are exchanged, or one of them, or six are left out; the pairs are
# as alike, by .59, .9 and .69, whatever they are called.
python3 - "$folder/pages.jsonl" <<'PYTHON'
import json, random, sys
random.seed(11)
def paragraph():
    return " ".join("".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(20)) + "."
def row(name, url, paragraphs, html=True):
    text = "".join("<p>%s</p>" % p for p in paragraphs) if html else "\n\n".join(paragraphs)
    page = {"id": name, "html" if html else "text": text}
    return page if url is None else {**page, "url": url}
def pair(name, urls, html=True, exchanged=5, kept=20):
    text = [paragraph() for _ in range(20)]
    other = text[:kept - exchanged] + [paragraph() for _ in range(exchanged)]
    return [row(name + "-1", urls[0], text, html), row(name + "-2", urls[1], other, html)]
pages = []
pages += pair("other", ("http://a.example/api/alpha.html", "http://a.example/api/beta.html"))
pages += pair("version", ("http://b.example/v1/alpha.html", "http://b.example/v2/Alpha.htm?x=y"))
pages += pair("number", ("http://c.example/1.html", "http://c.example/2.html"))
pages += pair("sites", ("http://d.example/alpha.html", "http://e.example/beta.html"))
pages += pair("licence", ("http://f.example/COPYING", "http://f.example/LICENSE"), html=False)
pages += pair("twin", ("http://g.example/alpha.html", "http://g.example/beta.html"), exchanged=1)
pages += pair("longer", (None, None), html=False, exchanged=1, kept=14)
pages += pair("longer-page", (None, None), exchanged=0, kept=14)
pages += pair("exchanged", (None, None), html=False)
with open(sys.argv[1], "w") as file:
    file.writelines(json.dumps(page) + "\n" for page in pages)
PYTHON
input=$folder/pages.jsonl

# together NAME RESULT: do its two pages share a set?
together() {
    [ "$(awk -F '\t' -v a="$1-1" -v b="$1-2" '$2 == a || $2 == b { print $5 }' "$folder/$2.tsv" |
        sort -u | wc -l)" -eq 1 ]
}

exported alone "$input" --pairs keep --min-confidence 0
for name in other longer; do
    ! together "$name" alone || fail "$name: together"
done
for name in version number sites licence twin longer-page exchanged; do
    together "$name" alone || fail "$name: apart"
done

for ranks in 1 2 3 5; do
    partition "on$ranks" "$ranks" "$input" --pairs keep --min-confidence 0
    same alone "on$ranks"
done

explained=$("$neardup" explain "$folder/alone.h5" id:other-1 id:other-2)
grep -q 'their addresses name different things: 0.46 + 0.3 (three times, of one site, --site-extra)' \
    <<<"$explained" || fail "explain does not say what the addresses name: $explained"
grep -q 'they are not similar: 0.[0-9]*, and 0.7600 is asked for' <<<"$explained" ||
    fail "explain has another threshold: $explained"
grep -q '0.3934 of it taken off: whole passages differ' \
    <<<"$("$neardup" explain "$folder/alone.h5" id:longer-1 id:longer-2)" ||
    fail "explain does not say what is taken off where passages differ"

# Without the rule.
exported plain "$input" --site-extra 0 --min-confidence 0
for name in other longer; do
    together "$name" plain || fail "$name: apart with --site-extra 0"
done
echo "subjects: nine pairs, the same on 1, 2, 3 and 5 ranks"
