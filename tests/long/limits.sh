#!/usr/bin/env bash
# From where to where the numbers of partition's options go: each one's last value that is taken and
# first that is refused, with the words of the refusal, as in limits.txt beside this file. After a
# change that is meant, ND_TEXTS=renew writes that file anew. Called as limits.sh NEARDUP BUILD_DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/results.sh
. "$here/../support/results.sh"
cd "$folder"
echo '{"id":"x","text":"one two three four five six seven eight nine"}' >odd.jsonl

while read -r method option values; do
    for value in $values; do
        IFS="|" read -r -a words <<<"${option//V/$value}"
        if "$neardup" partition odd.jsonl --method "$method" "${words[@]}" --dry-run >out 2>log; then
            echo "$method ${words[*]}: taken"
        else
            printf '%s ' "$method"
            cat log
        fi
    done
done >limits <<'TEXT'
lcs --threshold=V 0 1e-9 1 1.001
lcs --site-extra=V -.1 0 1 1.1
lcs --title-penalty=V -1 0 100 101
lcs --buckets=V 0 1 64 65
lcs --smallest=V 0 1 16 17
lcs --sentence-tokens=V 0 4294967295 4294967296
lcs --slack=V -.1 0 .459 .46
lcs --min-confidence=V -.1 0 1 1.1
lcs --contained=V -.1 0 1 1.1
lcs --set-cap=V 1 2
lcs --group-pairs=V 1 2 4096 4097
lcs --memory=V 16777215 16777216
lcs --checkpoint=V -1 0 .5
lcs --split-size=V 0 1 1K
lsh --bands=V 0 1 1000 1001
lsh --rows=V 0 1 1001
lsh --bands=V|--rows=1 1000
lsh --bands=1|--rows=V 1000
lsh --shingle-tokens=V 0 1 1000 1001
simhash --distance=V 0 1 8 9
simhash --distance=3|--simhash-blocks=V 3 4 15 16
charikar --bits=V 15 16 512 513
charikar --pieces=V 7 8 384 385
henzinger --charikar-bits=V 192 193 384 385
henzinger --filter-bits=V 192 193 384 385
broder --supershingles=V|--supershingle-minima=2 0 1 32 33
broder --supershingle-minima=V 0 1 14 15
broder --supershingle-minima=V|--supershingles=1|--minima=10000|--agree=1 10000 10001
broder --agree=V 0 1 6 7
sketch --minima=V 0 1 10000 10001
sketch --thinning=V 0 1 1000000 1000001
TEXT

sed -i "/^neardup: one process works on one core of /d" limits # where there are several
[ "${ND_TEXTS:-}" != renew ] || cp limits "$here/limits.txt"
diff -u "$here/limits.txt" limits || fail "other limits than expected (see ND_TEXTS above)"
echo "$(wc -l <limits) values"
