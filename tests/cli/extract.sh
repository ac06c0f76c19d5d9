#!/usr/bin/env bash
# neardup extract: what is kept of each page, from every kind of input, in their order; damaged
# records, inputs that give nothing, outputs; one process alone. Called as extract.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/launched.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/launched.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3
# shellcheck source=tests/support/refusals.sh
. "$support/refusals.sh"
most_seconds=60
mkdir "$folder/place"
cd "$folder/place"

# is STATUS EXPECTED ARGUMENT...: that exit code, and these lines on stdout.
is() {
    local wanted=$1 expected=$2 status=0
    shift 2
    cases=$((cases + 1))
    timeout 60 "$neardup" extract "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || wrong "exit code $status, not $wanted: $*"
    [ "$(cat "$folder/stdout")" = "$expected" ] || wrong "other lines: $*: $(cat "$folder/stdout")"
}

says() {
    grep -qF -e "$1" "$folder/stderr" || wrong "does not say: $1"
}

text=$(printf 'word %.0s' {1..210})
cat >page.html <<HTML
<title>A &amp; B</title><nav>Home</nav><div role=search>Find</div><h1>The <b>Head</b></h1>
<p>One "two". Three!</p><ul><li><a href=x>a link</a></ul><div class="social-share">tell</div>
<p>$text</p>
HTML
kept='The Head\nOne \"two\". Three!\n'${text% }
line() {
    printf '{"id":"","url":"file://place/page.html","title":"A & B","text":"%s"}' "$1"
}
is 0 "$(line "$kept")" page.html
says "pages: 1 of 1 records"
is 0 "$(line "${kept/Three!/Three!\\na link}")" page.html --links keep
is 0 "$(line "Home\\nFind\\n${kept/Three!/Three!\\ntell}")" page.html --navigation keep
sed 's/<p>word.*//' page.html >short.html # of a page of few tokens the links are its own
is 0 '{"id":"","url":"file://place/short.html","title":"A & B","text":"The Head\nOne \"two\". Three!\na link"}' short.html
is 0 '{"id":"","url":"file://place/short.html","title":"A & B","text":"The Head\nOne \"two\". Three!"}' short.html --link-tokens 0
rm short.html

# ---- lines, in the order of the inputs; what cannot be used is named and counted
{
    printf '%s\n' '{"id": "1", "url": "http://a/", "text": "First\tone.\n\nNew\u202e"}' 'no JSON'
    printf '%s\n' '{"id": "2", "html": "<p>Second page<p><form>Sign up</form>"}'
} >a.jsonl
two='{"id":"1","url":"http://a/","title":"","text":"First one.\nNew\u202e"}
{"id":"2","url":"","title":"","text":"Second page"}'
is 0 "$two" a.jsonl
says "neardup: skipped: a.jsonl, byte 68: "
says "pages: 2 of 3 records in 1 sources; 0 other records, 1 skipped"
is 3 "$two" a.jsonl --strict
gzip -k a.jsonl
is 0 "$two
$two" NAME=a.jsonl.gz a.jsonl
echo a.jsonl >list.txt
is 0 "$two" --jsonl-url url @list.txt
: >empty.jsonl
is 3 "$two" empty.jsonl a.jsonl
says "neardup: unused input: empty.jsonl: empty"
alone 1 "no page in 1 input: empty.jsonl: empty" extract empty.jsonl
alone 2 "no INPUT" extract
alone 1 "missing" extract missing
alone 2 "--max-page" extract a.jsonl --max-page 0
is 0 "$("$neardup" extract a.jsonl 2>"$folder/stderr")" a.jsonl.gz
rm a.jsonl.gz empty.jsonl

# ---- the same records as partition reads
"$neardup" synthesize -o made --pages 300 --seed 3 --shard-pages 100 2>"$folder/stderr"
"$neardup" partition made -o made.h5 --progress none 2>"$folder/stderr"
"$neardup" extract made -o made.jsonl 2>"$folder/stderr"
"$neardup" export made.h5 >made.tsv
python3 - <<'PYTHON' || wrong "not the pages of partition, or not in its order"
import json
rows = [line.split("\t")[1:3] for line in open("made.tsv", encoding="utf-8")][1:]
pages = [json.loads(line) for line in open("made.jsonl", encoding="utf-8")]
assert [[p["id"], p["url"]] for p in pages] == rows and len(rows) == 300
assert all(set(p) == {"id", "url", "title", "text"} for p in pages)
PYTHON
"$neardup" extract made.jsonl -o again.jsonl 2>"$folder/stderr" # what is kept has blocks of its own
[ "$(wc -l <again.jsonl)" -eq 300 ] || wrong "an extract is not read again"

# ---- where it goes
state() {
    find . -printf '%p %y %s\n' | sort
    find . -type f -exec cksum {} + | sort
}
echo "my notes" >notes.txt
alone 2 "is there already" extract page.html -o notes.txt
alone 2 "is the input" extract a.jsonl -o a.jsonl --force
alone 2 "is the input" extract made.jsonl -o made.jsonl
alone 2 "is a folder" extract page.html -o made
alone 1 "none/x" extract page.html -o none/x
alone 2 "give -o" extract -
run_once 2 "works on one" mpirun -n 2 "$neardup" extract page.html -o new.jsonl
"$neardup" extract - -o made.jsonl <a.jsonl 2>"$folder/stderr" || wrong "standard input"
[ "$(cat made.jsonl)" = "$two" ] || wrong "of standard input other lines, or an extract is not replaced"
[ ! -e made.jsonl.spill ] || wrong "the copy of standard input is left"
"$neardup" extract page.html -o notes.txt --force 2>"$folder/stderr"
[ "$(cat notes.txt)" = "$(line "$kept")" ] || wrong "--force"
if [ -w /dev/full ]; then
    status=0
    "$neardup" extract made >/dev/full 2>"$folder/stderr" || status=$?
    [ "$status" -eq 1 ] || wrong "exit code $status on a full disk"
    says "stdout"
fi

[ "$failures" -eq 0 ] || exit 1
echo "$cases cases"
