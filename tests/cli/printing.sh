#!/usr/bin/env bash
# URLs, ids, texts and file names that hold line breaks, terminal escapes, characters that turn the
# direction of writing, and bytes that are not UTF-8: no command prints any of them as they are, on
# stdout or stderr, and no row can be forged.
# usage: printing.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

need python3 iconv

# C0 but tab and line break, DEL, C1, what turns the direction, what has no width
raw='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xd8\x9c|\xef\xbb\xbf'

# check STATUS LINES COMMAND...: it ends with that exit code; of its output nothing is raw, all is
# UTF-8, and stdout and stderr together have that many lines (-: any number)
check() {
    local wanted=$1 lines=$2 status=0
    shift 2
    timeout 900 "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*: $(cat -v "$folder/stderr")"
    for stream in stdout stderr; do
        if LC_ALL=C grep -aqP "$raw" "$folder/$stream"; then
            fail "raw characters: $*: $(LC_ALL=C grep -aP "$raw" "$folder/$stream" | head -n 1 | cat -v)"
        fi
        iconv -f UTF-8 -t UTF-8 "$folder/$stream" >/dev/null || fail "not UTF-8: $*"
        if grep -q '^forged' "$folder/$stream"; then
            fail "a forged row: $*"
        fi
    done
    [ "$lines" = - ] || [ "$(cat "$folder/stdout" "$folder/stderr" | wc -l)" -eq "$lines" ] ||
        fail "not $lines lines: $*: $(cat -v "$folder/stdout" "$folder/stderr")"
}

evil=$'a\nforged: \e[2J\e]0;x\a\r\t\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xef\xbb\xbf\xff\\n'
json='a\nforged: \u001b[2J\u001b]0;x\u0007\r\t\u007f\u009b\u202e\u2066\u2028\ufeff\\n'
input=$folder/$evil.jsonl
text='One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen.'
{
    printf '{"id": "%s", "url": "http://%s/", "text": "%s \\u001b[31m"}\n' "$json" "$json" "$text"
    printf '{"id": "%s2", "url": "http://%s/2", "text": "%s \\u202e"}\n' "$json" "$json" "$text"
    printf '{"id": "cut\n'
} >"$input"
result=$folder/$evil.h5
url=$'http://a\nforged: \e[2J\e]0;x\a\r\t\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xef\xbb\xbf\\n/'

check 0 - "$neardup" partition --progress lines "$input" -o "$result"
grep -qF 'skipped: ' "$folder/stderr" || fail "no record was skipped"
for what in pages keep drop sets; do
    for format in tsv jsonl; do
        lines=$([ "$what" = pages ] && echo 3 || echo 2)
        check 0 "$([ "$format" = tsv ] && echo "$lines" || echo $((lines - 1)))" \
            "$neardup" export "$result" --what "$what" --format "$format"
        if [ "$format" = jsonl ]; then
            python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <"$folder/stdout" ||
                fail "not JSON: export --what $what"
        fi
    done
done

# a field of the table can be undone
"$neardup" export "$result" | python3 -c '
import re, sys
def undo(m):
    c = m.group(1)
    return {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}.get(c) or chr(int(c[1:], 16))
row = sys.stdin.read().split("\n")[1].split("\t")
url = re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", undo, row[2])
sys.exit(url != sys.argv[1])' "$url" || fail "the URL cannot be read back from a row"

check 0 - "$neardup" inspect "$result"
check 0 2 "$neardup" inspect --sources "$result"
check 0 2 "$neardup" inspect --skipped "$result"
check 0 - "$neardup" inspect --largest 1 "$result"
check 0 - "$neardup" inspect --url "$url" "$result"
check 0 - "$neardup" explain "$result" "$url" "${url}2"
grep -qF 'forged' "$folder/stdout" || fail "explain does not name the pages"
check 0 1 "$neardup" explain --format json "$result" "$url" "${url}2"
python3 -m json.tool <"$folder/stdout" >/dev/null || fail "not JSON: explain"
printf '<p>%s\033[31m</p>' "$text" >"$folder/$evil.html"
check 0 - "$neardup" explain "$folder/$evil.html" "$folder/$evil.html"

# labels and names of an evaluation
printf 'http://%s\tc1\n' "$evil" | head -n 1 >"$folder/$evil.tsv"
"$neardup" export "$result" --format jsonl | python3 -c '
import json, sys
for line in sys.stdin: print("c", json.loads(line)["id"].replace("\t", " ").split("\n")[0], sep="\t")' >>"$folder/$evil.tsv"
"$neardup" evaluate "$result" --truth "$folder/$evil.tsv" >"$folder/stdout" 2>&1 || true
check "$("$neardup" evaluate "$result" --truth "$folder/$evil.tsv" >/dev/null 2>&1 && echo 0 || echo 1)" - \
    "$neardup" evaluate "$result" --truth "$folder/$evil.tsv"

# what cannot be: one line each
check 2 1 "$neardup" "$evil"
check 2 1 "$neardup" partition "--$evil"
check 2 1 "$neardup" partition "$input" -o "$folder/o.h5" --method "$evil"
check 2 1 "$neardup" export --what "$evil" "$result"
check 2 1 "$neardup" inspect --set "$evil" "$result"
check 2 1 "$neardup" inspect --url "$evil-" "$result"
check 1 1 "$neardup" export "$folder/no $evil"
check 1 1 "$neardup" inspect "$input"
check 1 1 "$neardup" plan "$folder/no $evil"
check 1 1 "$neardup" partition "$folder/no $evil" -o "$folder/o.h5"
