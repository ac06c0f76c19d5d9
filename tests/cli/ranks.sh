#!/usr/bin/env bash
# The same result to the byte on 1, 2, 3 and 5 ranks, however the file that they share is cut: by the
# default, by the paper's preset, and in two steps by an index. Called as ranks.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
make_warc=$2/tests/make_warc
need mpirun

make_pages "$folder/pages"
mkdir "$folder/old" "$folder/new"
find "$folder/pages" -name '*[02468].html' -exec mv -t "$folder/old" {} +
find "$folder/pages" -name '*.html' -exec mv -t "$folder/new" {} +
for crawl in old new; do
    "$make_warc" "$folder/$crawl.warc.gz" 1 "$folder/$crawl" >/dev/null
done

make_others "$folder/old.warc" 300
make_others "$folder/new.warc" 201
# said NAME COUNT...: how many of each other record NAME has met.
said() {
    local wanted="$2 request, metadata or warcinfo, $3 HTTP status other than 2xx or 3xx"
    wanted="$wanted, $4 content type of images, $5 binary data under a type of text, or without one"
    grep -qxF "other records: $wanted" "$folder/$1.log" ||
        fail "$1: not $wanted but $(grep 'other records:' "$folder/$1.log")"
}

while read -r ranks unit; do
    partition "default-$ranks" "$ranks" "$folder"/{old,new}.warc{,.gz} --split-size "$unit"
    partition "pku-$ranks" "$ranks" "$folder"/{old,new}.warc{,.gz} --split-size "$unit" --preset pku
    partition "old-$ranks" "$ranks" "$folder"/old.warc{,.gz} --split-size "$unit" --write-index "$folder/$ranks.index"
    partition "new-$ranks" "$ranks" "$folder"/new.warc{,.gz} --split-size "$unit" --index "$folder/$ranks.index"
    said "default-$ranks" 126 125 125 125
    said "old-$ranks" 75 75 75 75
    said "new-$ranks" 126 125 125 125
    for name in default pku old new; do
        same "$name-1" "$name-$ranks"
    done
done <<'TEXT'
1 100M
2 155555
3 30K
5 155555
TEXT
differ default-1 pku-1

# Every page of the index is in the second step's result, before the new ones.
pages() {
    "$neardup" export "$folder/$1.h5" | awk -F '\t' 'NR > 1 { print $3 }'
}
[ "$(pages old-1)" = "$(pages new-1 | head -n "$(pages old-1 | wc -l)")" ] || fail "pages of the index are gone"
"$neardup" index check "$folder/3.index" >/dev/null || fail "index check"
echo "equal on 1, 2, 3, 5 ranks: $(grep '^sets:' "$folder/default-1.log")"
