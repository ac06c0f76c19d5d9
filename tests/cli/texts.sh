#!/usr/bin/env bash
# What commands print for people, word for word, and their pictures: of a small made-up corpus, and of
# lines that are wrong. What is expected lies in texts/, a file for each command; times, memory and
# rates in it are N. After a change that is meant, ND_TEXTS=renew writes them anew, to be read as a
# difference before it is committed; ND_TEXTS=FOLDER leaves them there, compared with nothing. Called as
# texts.sh NEARDUP BUILD_DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/support/results.sh
. "$here/../support/results.sh"
cd "$folder"
mkdir said

# say NAME COMMAND...: what a command prints, at the end of said/NAME, after the command; standard input
# is the file $from.
from=/dev/null
say() {
    local name=$1 status=0
    shift
    {
        printf '$ neardup %s\n' "$*"
        COLUMNS=100 "$neardup" "$@" 2>&1 <"$from" || status=$?
        [ "$status" -eq 0 ] || printf '(exit code %d)\n' "$status"
        echo
    } >>"said/$name"
}

# mask NAME SED...: what depends on the machine.
mask() {
    local name=$1
    shift
    sed -i -E "$@" "said/$name"
}

# body FILE: of a page for a browser, without its styles and scripts.
body() {
    sed -n '/<body/,$p' "$1" | sed '/<script/,/<\/script>/d'
}

# ---- a run

say synthesize synthesize -o made --pages 240 --shard-pages 80 --page-bytes 4000 --seed 14
mask synthesize 's/, [0-9]+\/s, .*/, N/; s/[0-9]+ pages and [0-9.]+ MB per second/N pages and N MB per second/'
gunzip made/*.gz # how much is saved is the library's affair
{
    echo '{"id":"x","text":"one two three four five six seven eight nine"}'
    echo '{"id":"cut'
    echo '{"id":"y","text":"one two three four five six seven eight ten"}'
    echo '{"id":"x","url":"http://site.example/","text":"alone in the world of words, and never seen before"}'
} >odd.jsonl
say partition partition a=made/pages-00000.warc b=made/pages-00001.warc c=made/pages-00002.warc b=odd.jsonl \
    --pairs keep --contained .6 --write-index out.index -o out.h5
say partition partition odd.jsonl missing.jsonl -o none.h5
echo 'no archive' >bad.wacz
say partition partition odd.jsonl bad.wacz --progress none -o bad.h5
say partition inspect bad.h5 --skipped
mask partition 's/, [0-9]+\/s, [0-9.]+ s, .*/, N/; s/^time: .*; result/time: N; result/'

# ---- looking at it

for arguments in '' '--largest 3' '--set 2' '--page 61' '--sources' '--skipped' '--min-confidence' '--set 100000'; do
    # shellcheck disable=SC2086 # words
    say inspect inspect out.h5 $arguments
done
mask inspect 's/^(program_version +).*/\1N/'
say check check out.h5
say check check odd.jsonl
say index index info out.index
say index index check out.index
mask index 's/^([a-z]+\.packed)\t.*/\1 N/; s/^all\t.*/all N/'
say explain explain out.h5 page:0 page:61
say explain explain out.h5 page:1 page:45 --lines 5
say explain explain out.h5 page:3 page:4 --method broder
say explain explain out.h5 page:240 page:241 --threshold .9
for links in 'one two three' 'four'; do # the same content; each page's size is its own
    printf '{"id":"%s","html":"<nav><a href=x>%s</a></nav><p>The quick fox jumps over a lazy dog and runs.</p>"}\n' \
        "$links" "$links"
done >content.jsonl
"$neardup" partition content.jsonl -o content.h5 --progress none
say explain explain content.h5 'one two three' four --lines 1
say export export out.h5
for what in keep drop sets pairs contained; do
    say export export out.h5 --what "$what"
done
awk 'NR % 7 == 1 || /^[$(]/ || NF == 0' said/export >some && mv some said/export
say overlap overlap out.h5 --sample 1000 --queries 20 --svg three.svg
say overlap overlap out.h5 --collections c,a --svg two.svg --sample 10 --fixed a
"$neardup" partition {a,d}=made/pages-00000.warc {b,d}=made/pages-00001.warc c=made/pages-00002.warc \
    e=content.jsonl --progress none -o collections.h5 2>log || fail "$(cat log)"
"$neardup" overlap collections.h5 --svg more.svg >log 2>&1 || fail "$(cat log)"
say json overlap out.h5 --queries 20 --format json
say json explain out.h5 page:0 page:61 --format json
say json index info out.index --format json
say json evaluate out.h5 --truth made/clusters.tsv --sample 20 --resamples 100 --format json
mask json 's/"(bytes|bytes_a_page)":[0-9.]+/"\1":N/g'
cat two.svg three.svg more.svg >said/pictures
say partition partition made odd.jsonl --progress none --pairs keep -o plain.h5
say partition partition made odd.jsonl --progress none --threshold .8 -o strict.h5
"$neardup" partition made odd.jsonl --progress none --threshold .2 --min-confidence 0 --pairs keep -o loose.h5 2>log || [ $? -eq 3 ] || fail "$(cat log)"
"$neardup" partition made/pages-0000[01].warc --progress none --method simhash -o part.h5 2>log || fail "$(cat log)"
awk -F '\t' -v OFS='\t' '{ print $1, $2 "." NR % 3 }' made/clusters.tsv >split.tsv # so that sets mix clusters
awk -F '\t' '{ if ($2 ~ /0$/) print $2 "\t" substr($2, 1, length($2) - 1) "1" }' split.tsv | sort -u >ambiguous.tsv
sample=(--truth split.tsv --loose made/loose.tsv --resamples 100 --format json --sample)
say json evaluate loose.h5 "${sample[@]}" 30 --baseline strict.h5 --ambiguous ambiguous.tsv
say json evaluate out.h5 "${sample[@]}" 20 --baseline part.h5 --sample-from loose.h5 --seed 4
say json evaluate loose.h5 "${sample[@]}" 40 --singletons --classes made/classes.tsv --seed 18446744073709551615
say json evaluate strict.h5 "${sample[@]}" 1 --seed 6
{
    awk 'NR % 7 != 3' made/classes.tsv
    head -n 1 made/classes.tsv
} | sed '5s/\t[^\t]*\t[^\t]*$/\tnone\t7/' >classes.tsv # some pages are of no class, and two lines are of no use
say json evaluate loose.h5 --truth split.tsv --loose made/loose.tsv --ambiguous ambiguous.tsv --classes classes.tsv \
    --format json
say json evaluate part.h5 --truth split.tsv --format json
say extract extract out.h5 --what keep
sed -i -n '1p;2~20p' said/extract
say extract extract odd.jsonl
say extract extract odd.jsonl missing.jsonl
say filter filter out.h5 -o filtered
mask filter 's/[0-9.]+ s(,|$)/N s\1/; s/[0-9.]+ MB\/s/N MB\/s/; s/[0-9.]+ MB per second/N MB per second/'
"$neardup" filter out.h5 -o noted --annotate >log 2>&1 || fail "filter --annotate: $(cat log)"
tr -d '\r' <noted/a/pages-00000.warc | grep -aE -A 14 '^WARC-Type: metadata' | sed -n '1,32{/^WARC-Date/d;p}' >>said/filter
cat noted/b/odd.jsonl >>said/filter
say report report out.h5 -o report.html
body report.html >>said/report
# of ten sets three, of many pairs one; of stages no times
awk '/<h2>/ { h2 = $0; h3 = 0 }
    /<h3>|^<details><summary>similarity/ { h3++ }
    h2 ~ /largest/ && h3 > 3 || h2 ~ /least similar/ && h3 > 1 || /class="bar".* height="0.0"/ { next }
    h2 ~ /Time/ && /^(<rect|<text|<path)/ { next }
    h2 ~ /Time/ && /^<tr><td/ { gsub(/<td>[0-9]+\.[0-9]+/, "<td>N") }
    { print }' said/report >some && mv some said/report
mask report 's/(program_version<td[^>]*>).*</\1N</'
say review review out.h5 -o review.html --sample 2 --least-similar
body review.html >>said/review

{
    echo '{"id":"q","text":"alone in the world of words, and never seen before"}'
    echo '{"text":"one two three"}'
    echo '{"id":1'
    "$neardup" extract made/pages-00000.warc 2>log | sed -n '3p;4p'
} >asked.jsonl
from=asked.jsonl say query query out.index

# ---- other methods and options: how many pairs and sets

"$neardup" synthesize -o more --pages 1200 --page-bytes 4000 --seed 15 >log 2>&1
while read -r -a words; do
    printf '%s\n' "${words[*]}"
    "$neardup" partition more/*.gz "${words[@]}" -o other.h5 --force --progress lines >log 2>&1 || fail "$(cat log)"
    grep -E '^(pages|pairs|perhaps-similar sets|contained|forms|sets|neardup): ' log
    "$neardup" export other.h5 | awk -F '\t' 'NR > 1 { sum += $6; links += $9; moved += $7 != $1 }
        END { printf "similarities %.5f, of links %.5f; %d pages are not their own representative\n", sum, links, moved }'
done >said/methods <<'TEXT'
--method lcs --score r --transitivity full
--method lcs --score jaccard --navigation keep --links keep
--method lcs --templates 0 --title-penalty 0 --site-extra 0
--method lcs --image-terms on --index-pages off --record-pages join
--method lcs --site domain --thin apart --min-confidence .9
--method lcs --set-cap 2 --group-pairs 2 --transitivity bounded
--method lcs --fingerprints off
--method lcs --chunk-sentences 1
--method lcs --templates 1
--method lcs --templates 1 --link-tokens 0
--method lcs --seed 7 --slack 0 --contained .9
--preset safe
--preset pku
--method cosine
--method exact
--method sketch
--method lsh
--method simhash
--method broder
--method charikar
--method henzinger
--method henzinger --seed 3
TEXT

# ---- against labels

say evaluate evaluate out.h5 --truth made/clusters.tsv --loose made/loose.tsv --classes made/classes.tsv
say evaluate evaluate out.h5 --truth made/clusters.tsv --sample 20 --baseline strict.h5 --resamples 100

# ---- before a run

say plan plan --pages 1000000 --page-bytes 20000 --memory 2G --nodes 2 --ranks-per-node 4
say plan plan --pages 430000000 --memory 2G --contained yes
say plan plan --pages 430M --preset pku --nodes 10 --ranks-per-node 16 --memory 4G
say plan plan --pages 20000 --memory 1G --checkpoints no --format json
say plan plan --curve bands:25x5 --curve buckets:14x2 --curve sketch:90/100 --curve supershingles:6x14:2 --svg curve.svg
say plan plan --propose .8 --budget 100
cat curve.svg >>said/pictures

# ---- options: what they are by default

say help partition --help all
say help help plan

# ---- what is expected

sed -i -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/N/g' said/* # when it was run
sed -i "/^neardup: one process works on one core of /d" said/* # where there are several
if [ "${ND_TEXTS:-}" = renew ]; then
    for name in said/*; do
        cp "$name" "$here/texts/${name##*/}.txt"
    done
elif [ -n "${ND_TEXTS:-}" ]; then
    cp said/* "$ND_TEXTS"
    exit 0
fi
count=0
for name in said/*; do
    diff -u "$here/texts/${name##*/}.txt" "$name" || fail "${name##*/}: other words than expected (see ND_TEXTS above)"
    count=$((count + 1))
done
[ "$(find "$here/texts" -type f | wc -l)" -eq "$count" ] || fail "texts/ has files that nothing is compared with"
echo "$count commands: word for word"
