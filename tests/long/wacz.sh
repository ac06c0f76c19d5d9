#!/usr/bin/env bash
# The WARCs in a WACZ are read in place, as they would be by themselves: by any number of ranks, and
# again after the run; those of an archive that cannot be trusted are not. Called as wacz.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3 mpirun
cd "$folder"
for seed in 1 2; do
    "$neardup" synthesize -o "made-$seed" --pages 250 --page-bytes 4000 --seed $seed 2>log >&2 || fail "$(cat log)"
done
mkdir crawl
mv made-1/*.warc.gz crawl/first.warc.gz
mv made-2/*.warc.gz crawl/second.warc.gz

# good.wacz, and others by what is wrong with them
python3 - <<'TEXT'
import struct, zipfile

def entry(name, data, at, flag, wide):
    """The local header, or, of the same words, a row of the directory."""
    size = len(data)
    extra = struct.pack("<HHQQQ", 1, 24, size, size, at) if wide else b""
    short = 0xFFFFFFFF if wide else size
    words = struct.pack("<HHHHHIII", 45 if wide else 20, flag, 0, 0, 0x21, 0, short, short)
    local = b"PK\3\4" + words + struct.pack("<HH", len(name), 0) + name
    if wide:  # a local header has both sizes, no offset
        local = (b"PK\3\4" + words + struct.pack("<HH", len(name), 20) + name +
                 struct.pack("<HHQQ", 1, 16, size, size))
    row = (b"PK\1\2" + struct.pack("<H", 45) + words +
           struct.pack("<HHHHHII", len(name), len(extra), 0, 0, 0, 0,
                       0xFFFFFFFF if wide else at) + name + extra)
    return local, row

def write(path, parts, wide=False, count=None, before=b"", flag=0):
    """parts: names and data. count: rows that are said."""
    body, rows = b"", b""
    for name, data in parts:
        local, row = entry(name, data, len(body), flag, wide)
        body += local + data
        rows += row
    number = len(parts) if count is None else count
    end = b""
    if wide:
        end = (b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, number, number, len(rows), len(body)) +
               b"PK\6\7" + struct.pack("<IQI", 0, len(body) + len(rows), 1))
    least = min(number, 0xFFFF)
    end += b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF if wide else least, 0xFFFF if wide else least,
                                   0xFFFFFFFF if wide else len(rows), 0xFFFFFFFF if wide else len(body), 0)
    open(path, "wb").write(before + body + rows + end)

first, second = (open("crawl/%s.warc.gz" % n, "rb").read() for n in ("first", "second"))
good = [(b"datapackage.json", b"{}"), (b"archive/first.warc.gz", first), (b"pages/pages.jsonl", b"{}\n"),
        (b"archive/second.warc.gz", second), (b"archive/notes.txt", b"no crawl"), (b"archive/", b"")]
with zipfile.ZipFile("good.wacz", "w", zipfile.ZIP_STORED) as archive:
    for name, data in good:
        archive.writestr(name.decode(), data, zipfile.ZIP_DEFLATED if b"pages" in name else None)
write("wide.wacz", good, wide=True)
write("before.wacz", good, before=b"#!/bin/sh\n")
whole = open("good.wacz", "rb").read()
open("cut.wacz", "wb").write(whole[:-30])
write("more.wacz", good, count=9)
write("zero.wacz", [(b"archive/first.warc\0.gz", first)])
with zipfile.ZipFile("many.wacz", "w") as archive:
    archive.writestr("archive/first.warc.gz", first)
    for i in range(1 << 12):
        archive.writestr("archive/%d.warc" % i, b"")
write("secret.wacz", good, flag=1)
with zipfile.ZipFile("packed.wacz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("archive/first.warc.gz", first)
    archive.writestr("archive/second.warc.gz", second, zipfile.ZIP_STORED)
write("names.wacz", [(b"archive/../../up.warc.gz", first), (b"archive/\x1b[31m#.wacz#red.warc.gz", second)])
TEXT

# ---- the same as of the files themselves, on any number of ranks and by small ranges
# pages RESULT: what is said of the pages, without the names of sources
pages() {
    "$neardup" export "$1.h5" | sed -E 's/(good|wide|names)\.wacz#archive/crawl/;s/\t0\tcrawl/\tcrawl/'
}
partition files 0 crawl
pages files >files.tsv
for ranks in 1 2 3 5; do
    partition "good-$ranks" "$ranks" good.wacz --split-size 64K
    same good-1 "good-$ranks"
done
for name in good wide; do
    partition "$name" 0 "$name.wacz"
    pages "$name" | cmp - files.tsv || fail "$name.wacz: other pages than of its WARCs"
done
same good good-1
"$neardup" export good.h5 --format jsonl >good.jsonl
python3 - <<'TEXT' || fail 'a place is not where the page is'
import json, zipfile, zlib
archive = zipfile.ZipFile("good.wacz")
rows = [json.loads(line) for line in open("good.jsonl", encoding="utf-8")]
assert len(rows) == 500 and len({row["source"] for row in rows}) == 2
for row in rows:
    file, part = row["source"].split("#")
    record = zlib.decompressobj(31).decompress(archive.read(part)[row["offset"]:])
    assert file == "good.wacz" and b"WARC-Target-URI: " + row["url"].encode() in record, row
TEXT

# ---- read again after the run
for name in files good; do
    "$neardup" extract $name.h5 -o $name.texts 2>log || fail "$(cat log)"
    "$neardup" inspect $name.h5 --page 300 --text >$name.page 2>log || fail "$(cat log)"
    "$neardup" filter $name.h5 -o kept-$name 2>log || fail "$(cat log)"
done
cmp files.texts good.texts || fail 'extract of the result: other texts'
diff <(grep -v '^source ' files.page) <(grep -v '^source ' good.page) || fail 'inspect: another page'
diff -r kept-files kept-good || fail 'filter: other files'
"$neardup" review good.h5 -o review.html --sample 20 2>log || fail "$(cat log)"
grep -q '; 0 texts could not be read' log || fail "review: $(cat log)"
"$neardup" extract good.wacz 2>log | cmp - <("$neardup" extract crawl 2>log) || fail "extract: $(cat log)"

# ---- one file under two names is read once; a walk finds it
mkdir walk
ln good.wacz walk/b.WACZ
partition twice 0 good.wacz walk
grep -q '^neardup: 2 inputs were given twice' twice.log || fail "$(cat twice.log)"
same twice good

# ---- archives that cannot be used are named, alone and beside others
# (names, places and sizes that cannot be: unit/t_own_file.c)
while read -r name words; do
    refuses 1 "$words" partition "$name.wacz" --progress none -o refused.h5
    grep -qF "$name.wacz" stderr || fail "$name.wacz is not named: $(cat stderr)"
    [ ! -e refused.h5 ] || fail "$name.wacz: left a result"
done <<'TEXT'
cut no directory of a zip archive
more directory is damaged
zero too long
many more than 4096 WARCs
before does not lie where
secret is packed in its archive
none no such input
TEXT
status=0
mpirun -n 3 "$neardup" partition cut.wacz packed.wacz crawl/first.warc.gz --progress none -o some.h5 2>said </dev/null || status=$?
[ "$status" -eq 3 ] || fail "exit code $status beside good ones: $(cat said)"
grep -q 'packed.wacz#archive/first.warc.gz: is packed in its archive' said || fail "not named: $(cat said)"
"$neardup" inspect some.h5 --sources >sources
grep -qP '^\d+\t0\t0\t0\t1\tcut.wacz#archive/$' sources || fail "$(cat sources)"
grep -qP '^\d+\t251\t250\t1\t0\tpacked.wacz#archive/second.warc.gz$' sources || fail "$(cat sources)"

# ---- names that would lead elsewhere, or say things to a terminal
partition names 0 names.wacz
pages names | cut -f 3 | sort | cmp - <(cut -f 3 files.tsv | sort) || fail 'names.wacz: other pages'
mkdir inside
"$neardup" filter names.h5 -o inside/kept 2>log || fail "$(cat log)"
[ "$(find . -name '*up.warc.gz' -o -name '*red.warc.gz' | grep -c '^./inside/kept/')" -eq 2 ] || fail "$(find .)"
grep -qP '\x1b' log && fail 'an escape sequence of a name was printed'
"$neardup" inspect names.h5 --sources | grep -qP '\x1b' && fail 'an escape sequence of a name was printed'

# ---- a part that changes is noticed; the same parts at other places are what they were
cp good.wacz changed.wacz
partition changed 0 changed.wacz
"$neardup" extract changed.h5 >texts 2>log || fail "$(cat log)"
cp wide.wacz changed.wacz
"$neardup" extract changed.h5 2>log | cmp - texts || fail "the same parts: $(cat log)"
python3 - <<'PYTHON'
with open("changed.wacz", "r+b") as file:
    size = file.seek(0, 2)
    file.seek(size // 2)
    byte = file.read(1)[0]
    file.seek(size // 2)
    file.write(bytes([byte ^ 1]))
PYTHON
status=0
"$neardup" extract changed.h5 >texts 2>log || status=$?
[ "$status" -eq 1 ] || fail "a changed WACZ: exit code $status"
grep -q 'changed.wacz#archive/.*needed for page' log || fail "a changed WACZ: $(cat log)"
echo "wacz.sh: as the WARCs by themselves; 7 archives refused"
