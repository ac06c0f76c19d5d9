#!/usr/bin/env bash
# Index pages, as README and src/README.md have them: windows on one list of a site are apart unless
# they are equal, two editions of a table of contents are not, and an index page gets back its links;
# --index-pages off knows no index pages. Called as lists.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Windows of 60 of one list's entries, 5 further on, of one site and of two; editions of a table,
# in which every twelfth entry is another, all of these in one long paragraph of links, which is text;
# and a page of text with a list of links, which are dropped but for what it gets back: there are other
# pages of its site, without which nobody knows which links that repeats.
python3 - <<'PYTHON'
import json, random
random.seed(5)
def words(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n))
def entries(titles):
    return "<ul>%s</ul>" % "".join("<li><a href=x>%s</a></li>" % title for title in titles)
def paragraph(titles):
    return "<p>%s</p>" % ". ".join("<a href=x>%s</a>" % title for title in titles)
news = [words(6) for _ in range(65)]
other = [words(6) for _ in range(65)]
table = [words(6) for _ in range(60)]
edited = [words(6) if i % 12 == 5 else title for i, title in enumerate(table)]
text = "".join("<p>%s.</p>" % words(12) for _ in range(20))
rows = [("window-0", "http://a.example/0", paragraph(news[:60])),
        ("window-1", "http://a.example/1", paragraph(news[5:65])),
        ("window-again", "http://a.example/again", paragraph(news[:60])),
        ("here", "http://here.example/", paragraph(other[:60])),
        ("there", "http://there.example/", paragraph(other[5:65])),
        ("table", "http://c.example/", paragraph(table)),
        ("table-2", "http://c.example/2", paragraph(edited)),
        ("digest", "http://d.example/", text + entries(words(5) for _ in range(60)))]
rows += [("d-%d" % i, "http://d.example/other/%d" % i,
          "".join("<p>%s.</p>" % words(12) for _ in range(5))) for i in range(6)]
none = [rows[0], ("nowhere", "", paragraph(news[5:65]))]
for name, pages in ("site", rows), ("none", none):
    with open(name + ".jsonl", "w") as file:
        for page, url, html in pages:
            file.write(json.dumps({"id": page, "url": url, "html": html}) + "\n")
PYTHON

# sets NAME LISTS: the sets of the run of NAME.jsonl, ids in order, a line each.
sets() {
    "$neardup" partition "$1.jsonl" --index-pages "$2" --min-confidence 0 --progress none -o "$1-$2.h5" 2>log || cat log >&2
    "$neardup" export "$1-$2.h5" | tail -n +2 | awk -F '\t' '
        $3 ~ "/other/" { next }
        { ids[$5] = ids[$5] " " $2; order[$5] = order[$5] == "" ? NR : order[$5] }
        END { for (s in ids) print order[s] ids[s] }' | sort -n | cut -d ' ' -f 2-
}
is() {
    if [ "$2" != "$3" ]; then
        printf 'lists.sh: %s: %s\n' "$1" "$2" >&2
        exit 1
    fi
}
is "on" "$(sets site on)" "window-0 window-again
window-1
here there
table table-2
digest"
is "off" "$(sets site off)" "window-0 window-1 window-again
here there
table table-2
digest"
is "no site" "$(sets none on)" "window-0
nowhere"
is "no site, off" "$(sets none off)" "window-0 nowhere"

# Why, and the links of the page of text.
rule=$("$neardup" explain site-on.h5 window-0 window-1 --format json |
    python3 -c 'import json, sys
x = json.load(sys.stdin)
m = x["methods"][0]
print(x["a"]["index_page"], m["threshold"], m["similarity"] > 0.56, "parts of one list" in m["rule"])')
is "the rule" "$rule" "True 1 True True"
lines() {
    "$neardup" extract "site-$1.h5" 2>log | python3 -c 'import json, sys
print([len(page["text"].split("\n")) for page in map(json.loads, sys.stdin) if page["id"] == "digest"])'
}
is "links of an index page" "$(lines on) $(lines off)" "[80] [20]"
echo "6 cases"
