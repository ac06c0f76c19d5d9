#!/usr/bin/env bash
# An input that gives no page is never passed over in silence: no page at all is exit code 1 with
# advice, and nothing under the result's name is touched; an input among others that gave nothing is
# named, exit code 3. The same words on 1, 2 and 3 ranks. What the advice says to type works.
# usage: no_pages.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
# shellcheck source=tests/support/launched.sh
. "$support/launched.sh"
need mpirun
clean_up() {
    if mountpoint -q "$folder/disk" 2>/dev/null; then
        umount "$folder/disk"
    fi
    rm -rf "$folder"
}
trap clean_up EXIT
cd "$folder"
cases=0

wrong() {
    sed 's/^/    /' said >&2
    fail "$*"
}

# partition STATUS ARGUMENT...: on 1, 2 and 3 ranks; what was said is in `said`, the same on each
# number of ranks but for the order of the lines.
partition() {
    on_ranks "1 2 3" "$@"
}

# on_ranks NUMBERS STATUS ARGUMENT...
on_ranks() {
    local numbers=$1 wanted=$2 ranks status
    shift 2
    for ranks in $numbers; do
        status=0
        cases=$((cases + 1))
        timeout 120 mpirun -n "$ranks" "$neardup" partition "$@" --progress none -o out.h5 \
            >stdout 2>stderr </dev/null || status=$?
        own_lines stderr | LC_ALL=C sort >said
        [ "$ranks" != "${numbers%% *}" ] || cp said said1
        [ "$status" -eq "$wanted" ] || wrong "exit code $status, not $wanted: $ranks ranks, $*"
        cmp -s said said1 || wrong "other words on $ranks ranks: $*"
    done
}

# says LINE: that very line.
says() {
    grep -qxF -e "neardup: $1" said || wrong "does not say: $1"
}

# nothing WORDS ARGUMENT...: no page: exit code 1 and these words; an earlier result stays.
nothing() {
    local text=$1
    shift
    cp earlier.h5 out.h5
    partition 1 "$@"
    says "$text"
    cmp -s earlier.h5 out.h5 || wrong "the earlier result was touched: $*"
    rm -f out.h5
    [ -z "$(find . -maxdepth 1 -name 'out.h5*')" ] || wrong "left: $(echo out.h5*)"
    status=0
    "$neardup" partition "$@" --progress none -o new.h5 >stdout 2>said || status=$?
    if [ "$status" -ne 1 ] || [ -e new.h5 ]; then
        wrong "a result without a page: $*"
    fi
}

# something PAGES ARGUMENT...: exit code 0, nothing said, and so many pages.
something() {
    local pages=$1 rows
    shift
    on_ranks 2 0 "$@"
    [ ! -s said ] || wrong "something to say: $*"
    rows=$("$neardup" export out.h5 | tail -n +2 | wc -l)
    [ "$rows" -eq "$pages" ] || wrong "$rows pages, not $pages: $*"
    rm -f out.h5
}

echo '<html><body><p>One page with a few words.</p></body></html>' >page.html
printf '{"id": %d, "text": "text number %d"}\n' 1 1 2 2 3 3 >good.jsonl
"$neardup" partition page.html --progress none -o earlier.h5

# ---- JSONL whose text has another name: the advice works
printf '{"id": %d, "raw_content": "some words, and %d", "lang": "en"}\n' 1 1 2 2 >raw.jsonl
nothing 'no page in 1 input: raw.jsonl: give --jsonl-text raw_content: no text in a field "text" or "html"; fields here: id, raw_content, lang' raw.jsonl
something 2 raw.jsonl --jsonl-text raw_content
printf '{"id": %d, "doc": {"main text": "<html><p>words %d", "n": [1]}}\n' 1 1 2 2 >deep.jsonl
something 2 deep.jsonl --jsonl-html '/doc/main text'
gzip -c raw.jsonl >raw.jsonl.gz
nothing 'no page in 2 inputs: raw.jsonl: give --jsonl-text raw_content: no text in a field "text" or "html"; fields here: id, raw_content, lang' raw.jsonl.gz raw.jsonl

# ---- what is not read is named, and the command turns it into something that is
: >empty.html
nothing 'no page in 1 input: empty.html: empty' empty.html

# turned FILE TOOL PAGES: the command of the advice makes of FILE an input with so many pages.
turned() {
    local file=$1 tool=$2 pages=$3 command output
    on_ranks 1 1 "$file"
    command=$(sed -n 's/.*which is not read: //p' said)
    output=$(sed -n 's/.* > //p' <<<"$command")
    [ -n "$output" ] || wrong "no command: $file"
    if command -v "$tool" >/dev/null; then
        bash -c "$command" 2>said || wrong "failed: $command"
        something "$pages" "$output"
        rm -f "$output"
    else
        echo "skipped in part: no $tool to try the advice with"
    fi
}
{
    echo '['
    paste -sd, good.jsonl
    echo ']'
} >array.json
printf '{\n "id": 1,\n "text": "a"\n}\n{\n "id": 2,\n "text": "b"\n}\n' >indented.json
printf '\xef\xbb\xbfid,text\r\n1,"a ""quoted"" text,\nof two lines"\r\n2,another\r\n' >table.csv
printf 'id\ttext\n1\tone\n2\ttwo\n3\tthree\n' >table.tsv
gzip -c array.json >packed.json.gz
turned array.json jq 3
turned indented.json jq 2
turned packed.json.gz jq 3
turned table.csv python3 2
turned table.tsv python3 3
if command -v xz >/dev/null; then
    xz -c good.jsonl >pages.jsonl.xz
    turned pages.jsonl.xz xz 3
fi
if command -v bzip2 >/dev/null; then
    bzip2 -c good.jsonl >pages.jsonl.bz2
    turned pages.jsonl.bz2 bzip2 3
fi
printf 'PAR1\x15\x04\x00\x00PAR1' >pages.parquet
nothing "no page in 1 input: pages.parquet: Parquet, which is not read: duckdb -c \"COPY (SELECT * FROM read_parquet('pages.parquet')) TO 'pages.jsonl' (FORMAT json)\"" pages.parquet

# ---- among others they are named, and the exit code is 3, with --strict and without
for strict in "" --strict; do
    # shellcheck disable=SC2086 # a word or none
    partition 3 page.html empty.html pages.parquet good.jsonl raw.jsonl $strict
    says 'unused input: empty.html: empty'
    says 'unused input: raw.jsonl: give --jsonl-text raw_content: no text in a field "text" or "html"; fields here: id, raw_content, lang'
    grep -q 'unused input: pages.parquet: Parquet' said || wrong "Parquet is not named"
    says 'exit code 3: 3 of 5 inputs gave nothing, or could not be read to the end'
    [ "$("$neardup" export out.h5 | wc -l)" -eq 5 ] || wrong "not four pages"
done
mkdir many
for i in $(seq -w 12); do : >"many/$i.html"; done
cp page.html many/page.html
ln -s nowhere many/zz.html
partition 3 many
[ "$(grep -c 'unused input: ' said)" -eq 10 ] || wrong "not ten are named"
says "and 3 more unused inputs (the result's /sources has all)"
rm many/0?.html many/1?.html
partition 3 many
says 'exit code 3: 1 of 2 inputs gave nothing, or could not be read to the end'
rm many/zz.html

# ---- other records are no pages, but are used as they should be; a style sheet likewise
printf 'WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: 4\r\n\r\nGET \r\n\r\n' >other.warc
something 1 page.html other.warc
nothing 'no page in 1 input: other.warc: 1 records, none of them a page: 1 request, metadata or warcinfo' other.warc
echo 'p { color: red }' >style.css
something 1 page.html style.css

# ---- the work folder of a run without a page is no hindrance to the next
partition 1 raw.jsonl --work work
[ ! -e work ] || wrong "the work folder is left"
something 2 raw.jsonl --work work --jsonl-text raw_content

# ---- JSON in folders, with a byte order mark
mkdir json
printf '\xef\xbb\xbf{"text": "one"}\n{"text": "two"}\n' >json/a.json
gzip -c json/a.json >json/b.json.gz
cp good.jsonl json/c.ndjson
something 7 json

# ---- looks at inputs without a page say the same
for command in "plan raw.jsonl" "partition raw.jsonl --dry-run"; do
    status=0
    # shellcheck disable=SC2086 # words of the command
    "$neardup" $command >stdout 2>said || status=$?
    [ "$status" -eq 1 ] || wrong "exit code $status: $command"
    grep -qF 'give --jsonl-text raw_content: no text in a field' said ||
        wrong "no advice: $command"
    # shellcheck disable=SC2086 # words of the command
    "$neardup" $command --jsonl-text raw_content >stdout 2>said || wrong "the advice fails: $command"
done

# ---- standard input is read once, by one rank, and nothing is left of it

# pages_of RESULT: without the place they came from.
pages_of() {
    "$neardup" export "$1" | cut -f 1-10
}

# piped FILE STATUS ARGUMENT...: on 1, 2 and 3 ranks, with the file sent through a pipe. Open MPI 4's mpirun
# crashes now and then while it forwards standard input (open-mpi/ompi, issue 7483): such a run says
# nothing of neardup, and is made again.
piped() {
    local file=$1 wanted=$2 ranks status tries
    shift 2
    for ranks in 1 2 3; do
        cases=$((cases + 1))
        for tries in 1 2 3 4; do
            status=0
            # shellcheck disable=SC2002 # a pipe is what is tested
            cat "$file" | timeout 120 mpirun -n "$ranks" "$neardup" partition "$@" --progress none \
                -o piped.h5 >stdout 2>stderr || status=$?
            if [ "$status" -ne 139 ] || ! grep -q orte_iof_hnp_read_local_handler stderr; then
                break
            fi
            echo "mpirun crashed, try $tries"
            rm -rf piped.h5*
        done
        own_lines stderr >said
        [ "$status" -eq "$wanted" ] || wrong "exit code $status, not $wanted: $ranks ranks, $*"
        [ ! -e piped.h5.spill ] || wrong "the copy is left: $ranks ranks, $*"
        [ "$wanted" -ne 0 ] || pages_of piped.h5 >"piped.$ranks"
        rm -f piped.h5
    done
}
awk 'BEGIN {for (i = 0; i < 40000; i++) printf "{\"id\": %d, \"text\": \"words %d of %d\"}\n", i, i, i * 7}' >long.jsonl
gzip -c long.jsonl >long.jsonl.gz
"$neardup" partition long.jsonl --progress none -o file.h5
pages_of file.h5 >from_file
for file in long.jsonl long.jsonl.gz; do
    piped "$file" 0 - --split-size 300K
    for ranks in 1 2 3; do
        cmp -s from_file "piped.$ranks" || wrong "other pages from standard input: $file, $ranks ranks"
    done
done
piped page.html 0 new=- good.jsonl
[ "$(cut -f1-3 piped.1 | grep -c 'file://new/-')" -eq 1 ] || wrong "the piped page has another URL"
piped pages.parquet 1 -
says "no page in 1 input: -: Parquet, which is not read: duckdb -c \"COPY (SELECT * FROM read_parquet('FILE')) TO 'FILE.jsonl' (FORMAT json)\""
piped page.html 2 - a=-
says 'rank 0: -: standard input can be read only once'
piped page.html 2 - --dry-run
echo good.jsonl >list
piped list 0 @- page.html

# a run that goes on does not read it again
if timeout 300 "$neardup" partition - --fault rename:0:15 --work kept --progress none -o piped.h5 \
    <long.jsonl 2>said; then
    wrong "the injected failure is passed over"
fi
[ -e kept/standard-input-copy ] || wrong "the work folder has no copy of standard input"
"$neardup" partition - --work kept --resume --progress none -o piped.h5 </dev/null 2>said ||
    wrong "a job with standard input does not go on"
pages_of piped.h5 | cmp -s - from_file || wrong "another result after going on"
[ ! -e kept ] || wrong "the work folder is left"
rm -f piped.h5

# a full disk is no skipped input
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k tmpfs disk 2>/dev/null; then
    status=0
    "$neardup" partition - --progress none -o disk/o.h5 <long.jsonl >stdout 2>said || status=$?
    left=$(ls disk)
    umount disk
    [ "$status" -eq 1 ] || wrong "exit code $status on a full disk"
    grep -q 'standard-input' said || wrong "the full disk is not named"
    [ -z "$left" ] || wrong "left on the full disk: $left"
else
    echo "skipped in part: no tmpfs can be mounted here, so no disk is full"
fi

echo "$cases runs, none wrong"
