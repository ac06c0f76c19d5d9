#!/usr/bin/env bash
# An index without texts: later runs read the old pages that they compare again from the inputs, and
# give what they give with an index that has them, on any number of ranks; an input that is gone or
# has changed is named before any work. Called as index_texts.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
cd "$folder"

# Of many sites the first crawls have too few pages to learn of them what later ones learn; an input
# that is read from its beginning alone, and pages that are files.
"$neardup" synthesize -o made --pages 240 --shard-pages 60 --page-bytes 4000 --seed 12 >log 2>&1
"$neardup" synthesize -o lines --pages 120 --shard-pages 60 --page-bytes 4000 --seed 12 --format jsonl >log 2>&1
gzip lines/pages-00001.jsonl
mkdir files
for i in 1 2 3; do
    printf '<title>Of %s</title><p>%s</p>' "$i" "$(sed -n "$i"p lines/pages-00000.jsonl | cut -c1-3000)" >files/page$i.html
    cp files/page$i.html files/copy$i.html
done
# One site whose template is learned from the second crawl, while a page of the first has it as text.
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 4; i++) frame = frame "<p>" sentence() "</p>"
    for (page = 0; page < 10; page++) {
        text = frame
        for (i = 0; i < 12; i++) text = text "<p>" sentence() "</p>"
        file = page == 0 ? "site0.jsonl" : page < 9 ? "site1.jsonl" : "site2.jsonl"
        if (page == 0) first = text
        if (page == 9) text = first "<p>" sentence() "</p>"
        printf "{\"id\":\"%d\",\"url\":\"http://site.example/%d\",\"html\":\"%s\"}\n", page, page, text >file
    }
}
function sentence(  i, k, words) {
    for (i = 0; i < 12; i++) {
        for (k = 0; k < 5; k++) words = words sprintf("%c", 97 + int(26 * rand()))
        words = words (i < 11 ? " " : ".")
    }
    return words
}'
crawls=('made/pages-00000.warc.gz files site0.jsonl' 'made/pages-00001.warc.gz lines/pages-00001.jsonl.gz site1.jsonl'
    'made/pages-00002.warc.gz site2.jsonl' 'made/pages-00003.warc.gz lines/pages-00000.jsonl')

# steps NAME RANKS TEXTS RANKS TEXTS RANKS TEXTS RANKS: one crawl after the other
steps() {
    local name=$1 words before=()
    shift
    for n in 0 1 2 3; do
        local keeps=()
        read -r -a words <<<"${crawls[n]}"
        [ "$n" -eq 3 ] || keeps=(--write-index "$name$n.index" --index-texts "$2")
        partition "$name$n" "$1" "${words[@]}" "${before[@]}" "${keeps[@]}"
        before=(--index "$name$n.index")
        [ "$n" -eq 3 ] || shift 2
    done
}
steps a 0 inside 0 inside 0 inside 0
steps b 1 inputs 2 inputs 3 inputs 5
steps c 3 inputs 5 inside 2 inputs 1
for n in 0 1 2 3; do
    same a$n b$n
    same a$n c$n
done
for name in a b c; do
    "$neardup" index check "${name}2.index" >/dev/null || fail "index check $name"
done
bytes() { "$neardup" index info "$1" | sed -n 's/^all\t[^\t]*\t\(.*\) a page.*/\1/p'; }
[ "$(bytes b2.index | cut -d. -f1)" -lt 700 ] || fail "without texts $(bytes b2.index) bytes a page"
echo "texts in the index, in the inputs, in both: the same on 1, 2, 3 and 5 ranks; $(bytes a2.index) and $(bytes b2.index) bytes a page"

read -r -a last <<<"${crawls[3]}"
partition anew 0 "${last[@]}" --index a2.index --recluster
partition again 2 "${last[@]}" --index b2.index --recluster
same anew again
"$neardup" query a2.index <lines/pages-00000.jsonl >answers
"$neardup" query b2.index <lines/pages-00000.jsonl >others
cmp answers others || fail "query"
grep -q '"set":[0-9]' answers || fail "query finds nothing"
echo "--recluster and query: the same"

# From another folder the inputs are found beside the index; a run that is stopped goes on.
mkdir away
(
    cd away
    "$neardup" partition ../made/pages-00003.warc.gz --index ../b2.index -o moved.h5 --progress none >log 2>&1
) || fail "from another folder: $(cat away/log)"
partition here 0 made/pages-00003.warc.gz --index a2.index
cmp <("$neardup" export here.h5 | cut -f1-4) <("$neardup" export away/moved.h5 | cut -f1-4) || fail "from another folder"
stopped=0
for n in 14 22; do
    status=0
    mpirun -n 2 "$neardup" partition "${last[@]}" --index b2.index -o out.h5 --work w --progress none \
        --fault "rename:0:$n" >log 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || stopped=$((stopped + 1))
    partition out 3 "${last[@]}" --index b2.index --work w --resume
    same a3 out
    rm -rf w
done
[ "$stopped" -ge 1 ] || fail "nothing was stopped"
echo "from another folder, and after an interruption: the same"

# refused STATUS INDEX WORD...: one line that has the words, and nothing made
refused() {
    local wanted=$1 index=$2 status=0 word
    shift 2
    rm -rf no.h5*
    "$neardup" partition "${last[@]}" --index "$index" -o no.h5 --progress none >log 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*"
    [ "$(wc -l <log)" -eq 1 ] || fail "not one line: $(cat log)"
    for word; do
        grep -qF -e "$word" log || fail "does not name $word: $(cat log)"
    done
    ! compgen -G 'no.*' >/dev/null || fail "made something: $*"
}
mv made/pages-00001.warc.gz kept
refused 1 b2.index made/pages-00001.warc.gz "No such file" "needed for page" "of b2.index"
partition gone 0 "${last[@]}" --index a2.index
same a3 gone # an index with texts needs no input
head -c -1 kept >made/pages-00001.warc.gz
refused 1 b2.index made/pages-00001.warc.gz "has changed since the run"
mv kept made/pages-00001.warc.gz
status=0
"$neardup" query b2.index <lines/pages-00000.jsonl >others 2>log || status=$?
[ "$status" -eq 0 ] || fail "query when the input is back: $(cat log)"
# of equal length: it is met when the page is read
for file in files/page*.html files/copy*.html; do
    sed -i 's/Of /Or /' "$file"
done
status=0
"$neardup" partition files --index b2.index -o no.h5 --progress none >log 2>&1 || status=$?
[ "$status" -ne 0 ] || fail "another text in the place of the old one passes"
grep -qF "files/" log || fail "does not name the changed file: $(cat log)"
[ ! -e no.h5 ] || fail "a result of a changed input"
status=0
"$neardup" partition - --write-index no.index --index-texts inputs -o no.h5 <lines/pages-00000.jsonl >log 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "standard input: $status"
grep -qF "standard input" log || fail "does not name standard input: $(cat log)"
echo "inputs that are gone or have changed are named"
