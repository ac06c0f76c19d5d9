#!/usr/bin/env bash
# Archives that are torn in every way that a reader mends: all pages are read, on any number of ranks,
# what is wrong is told with exit code 3, and each page can be extracted, explained and filtered, so that
# every byte is in what is kept or in what is dropped. Called as torn.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Ten sources of six pages, of which every second is a near-duplicate of the one before.
python3 - <<'TEXT'
import gzip
import os
import random

random.seed(11)
os.mkdir("in")
count = 0

def words(n):
    return " ".join("".join(random.choice("bcdfghklmnprst") for _ in range(6)) for _ in range(n))

def records(arc=False):
    global count
    made = []
    for i in range(6):
        text = words(90) if i % 2 == 0 else text + " " + words(2)
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + text.encode()
        url = "http://h%d.example/%d" % (count // 6, count)
        if arc:
            head = "%s 1.2.3.4 20240506070809 text/html %d\n" % (url, len(block))
            made.append([head.encode(), block, b"\n"])
        else:
            head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Target-URI: %s\r\n" % (count, url)
            head += "WARC-Date: 2024-05-06T07:08:09Z\r\nContent-Length: %d\r\n\r\n" % len(block)
            made.append([head.encode(), block, b"\r\n\r\n"])
        count += 1
    return made

def longer(record, by):
    size = len(record[1])
    record[0] = record[0].replace(b"%d" % size, b"%d" % (size + by))

def write(name, content):
    with open("in/" + name, "wb") as file:
        file.write(content)

def joined(made):
    return b"".join(b"".join(record) for record in made)

bytes_between = records()
for record in bytes_between:
    record[2] = b"\0" + record[2]
write("01.warc", joined(bytes_between))
short = records()
longer(short[1], -1)
write("02.warc.gz", gzip.compress(joined(short)))
long = records()
for record in long[1:5]:
    longer(record, 30)
write("03.warc.gz", gzip.compress(joined(long)))
arc = records(True)
longer(arc[2], 500)
arc[4][2] += b"abc"
write("04.arc.gz", gzip.compress(joined(arc)))
arc = records(True)
arc[0][0] = b"junk " + arc[0][0]
write("05.arc", joined(arc))
write("06.warc.gz", gzip.compress(joined(records()))[:-300])
cut = [gzip.compress(b"".join(record)) for record in records()]
write("07.warc.gz", b"".join(cut)[:-200])
damaged = [gzip.compress(b"".join(record)) for record in records()]
damaged[2] = damaged[2][:60] + b"x" + damaged[2][61:]
damaged[3] = b"\1" + damaged[3]
write("08.warc.gz", b"".join(damaged))
two = records()
damaged = [gzip.compress(joined(two[i:i + 2])) for i in (0, 2, 4)]
damaged[1] = damaged[1][:-4]
write("09.warc.gz", b"".join(damaged))
close = records()
for record in close[1:4]:
    record[2] = b""
write("10.warc", joined(close))
TEXT

# urls CODE INPUT: of the pages that extract prints, with that exit code
urls() {
    local status=0
    "$neardup" extract "$2" >lines 2>log || status=$?
    [ "$status" -eq "$1" ] || fail "extract $2: exit code $status: $(tail -n 1 log)"
    python3 -c 'import json, sys
print("\n".join(sorted(json.loads(line)["url"] for line in sys.stdin)))' <lines
}

# torn NAME COMMAND...: the sources partitioned by it
torn() {
    local name=$1 status=0
    shift
    "$@" --progress lines in -o "$name.h5" >"$name.log" 2>&1 </dev/null || status=$?
    [ "$status" -eq 3 ] || fail "$name: exit code $status: $(tail -n 3 "$name.log")"
    grep -qF 'exit code 3: in 9 of 10 inputs bytes were passed over, or a record is cut off' "$name.log" ||
        fail "$name: $(tail -n 3 "$name.log")"
}
torn one timeout 100 "$neardup" partition
torn three timeout 100 mpirun -n 3 "$neardup" partition --unit 1500
same one three

"$neardup" export one.h5 --what pages | cut -f 3 | tail -n +2 | sort >all
[ "$(grep -c . all)" -ge 58 ] || fail "of 60 pages $(grep -c . all) are left"
urls 0 one.h5 | cmp - all || fail "extract: $(cat log)"
"$neardup" explain one.h5 url:http://h2.example/15 url:http://h5.example/33 >log 2>&1 || fail "$(cat log)"
"$neardup" explain one.h5 url:http://h6.example/41 url:http://h8.example/53 >log 2>&1 || fail "$(cat log)"

for what in keep drop; do
    "$neardup" filter one.h5 -o $what --what $what 2>$what.log || fail "filter: $(cat $what.log)"
    "$neardup" export one.h5 --what $what --format jsonl | python3 -c 'import json, sys
print("\n".join(sorted(json.loads(line)["url"] for line in sys.stdin)))' >$what.urls
    urls 3 $what | cmp - $what.urls || fail "$what is another"
done
grep -qF '06.warc.gz: compressed data are damaged or cut off: what cannot be unpacked' keep.log || fail "$(cat keep.log)"
for file in 01.warc 05.arc 07.warc.gz 08.warc.gz 10.warc; do
    python3 - in/$file keep/$file drop/$file <<'TEXT' || fail "$file: bytes of it are in neither part, or in both"
import collections
import sys

parts = [open(name, "rb").read() for name in sys.argv[1:]]
sys.exit(collections.Counter(parts[0]) != collections.Counter(parts[1]) + collections.Counter(parts[2]))
TEXT
done
echo "$(grep -c . all) pages"
