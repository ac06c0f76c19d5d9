#!/usr/bin/env bash
# neardup filter on every container: what is written is, to the byte, what Python makes of the same
# records and of the list of dropped pages; on any number of ranks; annotated; and inputs that have
# changed, or folders that are not empty, are refused. Called as filter.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"
python3 -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>/dev/null ||
    { echo "SKIPPED: Python cannot load libzstd"; exit 77; }

# containers.py: all inputs as lists of records (bytes as they lie in the file, the page that they
# are of: its number, None for what is of no page, "info" for what is of the file), and packing.
cat >containers.py <<'TEXT'
import ctypes
import json
import random
import zlib

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_compress.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t

def frame(data):
    out = ctypes.create_string_buffer(len(data) + 1000)
    size = zstd.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), 3)
    return out.raw[:size]

def unframe(data):
    out = ctypes.create_string_buffer(1 << 22)
    size = zstd.ZSTD_decompress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)))
    assert size <= 1 << 22, "no frames"
    return out.raw[:size]

def member(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()

def unmember(data):
    content = b""
    while data:
        unpacker = zlib.decompressobj(31)
        content += unpacker.decompress(data) + unpacker.flush()
        data = unpacker.unused_data
    return content

def warc(kind, name, url, block, more=""):
    head = "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\n" % (kind, name)
    head += "WARC-Target-URI: %s\r\n" % url if url else ""
    head += "WARC-Date: 2024-05-06T07:08:09Z\r\n%sContent-Length: %d\r\n\r\n" % (more, len(block))
    return head.encode() + block + b"\r\n\r\n"

def http(body, kind="text/html", status=200):
    return b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\n\r\n" % (status, kind.encode()) + body

random.seed(3)
FAMILIES, COPIES = 70, 4

def word():
    return "".join(random.choice("bcdfghjklmnp") for _ in range(6))

texts = []
for family in range(FAMILIES):
    base = [word() for _ in range(80)]
    for copy in range(COPIES):
        texts.append("<html><p>%s</p></html>" % " ".join(base + [word() for _ in range(copy)]))
random.shuffle(texts)
texts = [text.encode() for text in texts]
count = len(texts)
urls = ["http://h%d.example/p" % (n % 9) + "?%d" % n for n in range(count)]
info = (warc("warcinfo", "info", "", b"software: test\r\n"), "info")
request = b"GET / HTTP/1.1\r\n\r\n"

def commoncrawl(n):  # the response names the request, the metadata the response
    yield warc("request", "q%d" % n, urls[n], request), n
    yield warc("response", "r%d" % n, urls[n], http(texts[n]), "WARC-Concurrent-To: <urn:q%d>\r\n" % n), n
    yield warc("metadata", "m%d" % n, urls[n], b"fetch: 1\r\n", "WARC-Concurrent-To: <urn:r%d>\r\n" % n), n
    yield warc("revisit", "w%d" % n, urls[n], b"", "WARC-Refers-To: <urn:r%d>\r\n" % n), REVISIT + n

REVISIT = 10 ** 6  # + n: a page of its own

def revisit(n):  # of a page of this file, of another by id, by URL and date, of none; of which
    at = "WARC-Refers-To-Target-URI: %s\r\nWARC-Refers-To-Date: %s\r\n"
    return [("WARC-Refers-To: <urn:r%d>\r\n" % n, n),
            ("WARC-Refers-To: <urn:r%d>\r\n" % (n - 1), n - 1),
            ("WARC-Refers-To: <urn:away>\r\n" + at % (urls[n - 1], "2024-05-06T07:08:09Z"), n - 1),
            (at % (urls[n - 1], "2024-05-06T07:08:10Z"), None),
            ("WARC-Refers-To: <urn:away>\r\n", None)][n // 2 % 5]

def heritrix(n):  # both name the response; the same URL again, which only the names can part
    yield warc("response", "r%d" % n, "http://same.example/", http(texts[n])), n
    yield warc("request", "q%d" % n, "http://same.example/", request, "WARC-Concurrent-To: <urn:r%d>\r\n" % n), n
    yield warc("metadata", "m%d" % n, "http://same.example/", b"x: 1\r\n", "WARC-Refers-To: <urn:r%d>\r\n" % n), n
    if n % 3 == 0:
        yield warc("response", "i%d" % n, urls[n] + "/i", http(b"\x89PNG", "image/png")), None
        yield warc("request", "iq%d" % n, urls[n] + "/i", request), None
    if n % 4 == 0:
        yield warc("response", "e%d" % n, urls[n] + "/e", http(b"gone", status=404)), None
    if n % 2 == 0:
        refers = revisit(n)[0]
        yield warc("revisit", "v%d" % n, urls[n] + "/v", b"", refers), REVISIT + n

def by_url(n):  # nothing is named: what stands beside it and has its URL
    if n % 2 == 0:
        yield warc("request", "q%d" % n, urls[n], request), n
    yield warc("response", "r%d" % n, urls[n], http(texts[n])), n
    yield warc("metadata", "m%d" % n, urls[n], b"x: 1\r\n"), n
    yield warc("metadata", "o%d" % n, "urn:of-nothing", b"x: 1\r\n"), None

def arc(n):
    block = http(texts[n])
    yield b"%s 1.2.3.4 20240506070809 text/html %d\n" % (urls[n].encode(), len(block)) + block + b"\n", n
    if n % 3 == 0:
        yield b"http://image.example/ 1.2.3.4 20240506070809 image/png 16\nHTTP/1.0 200 OK\n\n", None

def line(n):
    row = {"id": n, "url": urls[n], "text": texts[n][9:-11].decode(), "odd": {"a": [1, "}"]}}
    yield json.dumps(row, indent=None if n % 2 else 0).replace("\n", " ").encode() + (b" \r\n" if n % 3 else b"\n"), n
    if n % 5 == 0:
        yield b"\n" if n % 2 else b"{\"no\": \"page\"}\n", None

arc_info = (b"filedesc://x.arc 0.0.0.0 20240506070809 text/plain 77\n1 0 t\n" +
            b"URL IP-address Archive-date Content-type Archive-length\n".ljust(71, b" ") + b"\n", "info")
# path: (records of a page, what stands first, packing of a record, packing of the file)
same = lambda data: data
kinds = {
    "in/cc.warc.gz": (commoncrawl, [info], member, same),
    "in/sub/heritrix.warc.gz": (heritrix, [info], member, same),
    "in/plain.warc": (by_url, [info], same, same),
    "in/frames.warc.zst": (commoncrawl, [info], frame, same),
    "in/whole.warc.gz": (commoncrawl, [info], same, member),
    "in/old.arc": (arc, [arc_info], same, same),
    "in/old.arc.gz": (arc, [arc_info], member, same),
    "in/lines.jsonl": (line, [], same, same),
    "in/lines.jsonl.gz": (line, [], same, member),
    "in/lines.jsonl.zst": (line, [], same, frame),
}
files = {}
for i, (path, (make, first, pack_record, pack_file)) in enumerate(kinds.items()):
    records = [(pack_record(data), of) for data, of in first]
    for n in range(i, count, len(kinds) + 1):
        records += [(pack_record(data), of) for data, of in make(n)]
    files[path] = (records, pack_file)
for n in range(len(kinds), count, len(kinds) + 1):  # the rest: a file each
    files["in/html/%d/p%d.html" % (n % 3, n)] = ([(texts[n], n)], same)
files["in/html/style.css"] = ([(b"p { margin: 0 }\n", None)], same)

def unpack(path, data):
    whole = files[path][1]
    return unmember(data) if whole is member else unframe(data) if whole is frame else data
TEXT

python3 - <<'TEXT'
import os
from containers import files

for path, (records, pack) in files.items():
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(pack(b"".join(data for data, _ in records)))
TEXT

"$neardup" partition in in/html/style.css extra=in/html --same-content keep --progress none -o out.h5 2>run.log ||
    [ $? -eq 3 ] || fail "partition: $(cat run.log)"
for ranks in 2 3 5; do
    timeout 120 mpirun -n "$ranks" "$neardup" partition in in/html/style.css extra=in/html \
        --same-content keep --split-size 3000 --progress none -o ranks.h5 2>log </dev/null || [ $? -eq 3 ] ||
        fail "partition on $ranks ranks: $(cat log)"
    "$2/tests/compare_results" out.h5 ranks.h5 || fail "another result on $ranks ranks"
    cmp <(grep '^revisits: ' log) <(grep '^revisits: ' run.log) || fail "other revisits on $ranks ranks"
done
h5dump -d /pages/checksum out.h5 2>/dev/null | grep -q ' 0,' && fail "a page has no checksum"
# what the revisits are of
python3 - "$neardup" <<'TEXT' || fail "see above"
import json
import subprocess
import sys
from containers import REVISIT, files, revisit

run = subprocess.run([sys.argv[1], "export", "out.h5", "--format", "jsonl"], stdout=subprocess.PIPE, check=True)
pages = [json.loads(row) for row in run.stdout.decode("utf-8").splitlines()]
page_of = {row["id"]: row for row in pages}
alone = 0
for path, (records, _) in files.items():
    for n in [of - REVISIT for _, of in records if isinstance(of, int) and of >= REVISIT]:
        named = "heritrix" not in path
        row = page_of["urn:%s%d" % ("w" if named else "v", n)]
        of = n if named else revisit(n)[1]
        alone += of is None
        assert row["revisit_of"] == (row if of is None else page_of["urn:r%d" % of])["page"], (row, of)
assert alone, "all are found"
TEXT
for what in keep drop; do
    "$neardup" filter out.h5 -o "$what" --what "$what" 2>"$what.log" || fail "$(cat "$what.log")"
    python3 - "$what" "$what.log" <<'TEXT' || fail "totals: $(cat "$what.log")"
import glob, os, re, sys
written = [name for name in glob.glob(sys.argv[1] + "/**", recursive=True) if os.path.isfile(name)]
said, files, size, seconds, rate, ranks = re.search(r"^(dropped|kept): .* in (\d+) files, ([\d.]+) MB; ([\d.]+) s, "
                                                    r"(\d+) MB per second on (\d+) ranks$", open(sys.argv[2]).read(), re.M).groups()
assert said == {"keep": "kept", "drop": "dropped"}[sys.argv[1]] and ranks == "1" and int(files) == len(written), written
assert abs(float(size) - sum(map(os.path.getsize, written)) / 1e6) < .06, (size, written)
TEXT
    for ranks in 2 3 5; do
        mpirun -n "$ranks" "$neardup" filter out.h5 -o "$what$ranks" --what "$what" \
            2>"$what.log" </dev/null || fail "$what on $ranks ranks: $(cat "$what.log")"
        diff -r "$what" "$what$ranks" || fail "$what: other files on $ranks ranks"
    done
done
"$neardup" filter out.h5 -o all --protect ",extra" 2>log || fail "$(cat log)"
diff -r in/sub all/sub || fail "what is kept as a whole has other bytes"
"$neardup" filter out.h5 -o noted --annotate 2>noted.log || fail "$(cat noted.log)"
"$neardup" filter out.h5 -o dropped --annotate --what drop 2>noted.log || fail "$(cat noted.log)"
"$neardup" filter out.h5 -o chosen --keep longest --protect extra 2>log || fail "$(cat log)"

# check.py WRITTEN WHAT [OPTIONS]: the files of a folder against what went in.
cat >check.py <<'TEXT'
import collections
import json
import os
import subprocess
import sys
from containers import COPIES, count, files, unmember, unpack

neardup, folder, what = sys.argv[1:4]
annotated = folder in ("noted", "dropped")

wish = sys.argv[4:] or ["--keep", "representative"]
run = subprocess.run([neardup, "export", "out.h5", "--format", "jsonl"] + wish, stdout=subprocess.PIPE,
                     check=True)
pages = [json.loads(row) for row in run.stdout.decode("utf-8").splitlines()]
gone = {row["page"] for row in pages if row["kept"] != row["page"]}
sizes = collections.Counter(row["set"] for row in pages)
left = {}  # (source, page of the file) of pages in the order of their places
for row in pages:
    left.setdefault((row["collection"], row["source"]), []).append(row)

def expected(collection, path, records):
    of_pages = []
    for _, of in records:
        if isinstance(of, int) and of not in of_pages:
            of_pages.append(of)
    rows = dict(zip(of_pages, left.get((collection, path), [])))
    assert len(rows) == len(of_pages) == len(left.get((collection, path), [])), path
    dropped = {of for of in rows if rows[of]["page"] in gone}
    if what == "keep":
        wanted = [data for data, of in records if of not in dropped]
    else:
        wanted = [data for data, of in records if of in dropped or of == "info"] if dropped else []
    if path.endswith(".html"):  # of a file there is all or nothing
        return wanted or None, rows
    return None if what == "drop" and not dropped else wanted, rows

def without_notes(path, data, rows):
    notes = {}
    if "jsonl" in path:
        lines = []
        for text in data.split(b"\n"):
            at = text.rfind(b",\"neardup\":")
            if at >= 0:
                row = json.loads(text)
                notes[row["neardup"]["page"]] = row["neardup"]
                end = text.rstrip()
                assert end.endswith(b"}}"), text
                text = text[:at] + text[len(end) - 1:]
            lines.append(text)
        return b"\n".join(lines), notes
    if "warc" not in path:
        return data, None
    # records of ours are members, frames or bytes of their own: they begin with their version
    content = b""
    parts = []
    if path.endswith(".gz") and "whole" not in path:
        import zlib
        while data:
            unpacker = zlib.decompressobj(31)
            text = unpacker.decompress(data) + unpacker.flush()
            parts.append((data[:len(data) - len(unpacker.unused_data)], text))
            data = unpacker.unused_data
    elif path.endswith(".zst"):
        from containers import frame, unframe
        pieces = data.split(b"\x28\xb5\x2f\xfd")[1:]
        parts = [(b"\x28\xb5\x2f\xfd" + p, unframe(b"\x28\xb5\x2f\xfd" + p)) for p in pieces]
    else:
        pieces = data.split(b"WARC/1.")[1:]
        parts = [(b"WARC/1." + p, b"WARC/1." + p) for p in pieces]
    for raw, text in parts:
        if b"neardup-set: " not in text:
            content += raw
            continue
        head, block, end = text.split(b"\r\n\r\n")
        fields = dict(f.split(": ", 1) for f in (head + b"\r\n" + block).decode().split("\r\n")[1:] if f)
        assert fields["WARC-Type"] == "metadata", fields
        assert int(fields["Content-Length"]) == len(block) + 2, fields
        notes[int(fields["neardup-page"])] = {
            "page": int(fields["neardup-page"]), "set": int(fields["neardup-set"]),
            "set_size": int(fields["neardup-set-size"]), "similarity": float(fields["neardup-similarity"]),
            "kept": int(fields["neardup-kept-page"]), "kept_id": fields["neardup-kept-id"],
            "kept_url": fields["neardup-kept-uri"], "of": fields["WARC-Concurrent-To"].strip("<>")}
    return content, notes

written = {os.path.join(at, name) for at, _, names in os.walk(folder) for name in names}
seen = 0
for path, (records, _) in files.items():
    for collection in ("", "extra"):
        below = path[len("in/"):] if collection == "" else "extra/" + path[len("in/html/"):]
        if collection == "extra" and not path.endswith(".html"):
            continue
        to = os.path.join(folder, below)
        wanted, rows = expected(collection, path, records)
        if wanted is None:
            assert to not in written, to
            continue
        written.discard(to)
        with open(to, "rb") as file:
            data = file.read()
        content = unpack(path, data)
        if annotated:
            content, notes = without_notes(path, content, rows)
            if notes is not None:
                there = {r["page"] for r in rows.values() if (r["page"] in gone) == (what == "drop")}
                assert set(notes) == there, (path, set(notes) ^ there)
                for number, note in notes.items():
                    row = pages[number]
                    kept = pages[row["representative"]]
                    assert (note["set"], note["set_size"]) == (row["set"], sizes[row["set"]]), note
                    assert abs(note["similarity"] - row["similarity"]) < 1e-6, note
                    assert (note["kept"], note["kept_id"], note["kept_url"]) == \
                        (kept["page"], kept["id"], kept["url"]), (note, kept)
                    assert note.get("of", row["id"]) == row["id"], note
                    seen += 1
        assert content == b"".join(wanted), "%s: other bytes than expected" % to
        if "lines.jsonl" != path[3:] and content is data and "html" not in path:
            assert len(data) < sum(len(d) for d, _ in records), path
assert not written, written
assert seen > 30 or not annotated, seen
assert len(gone) > count / 2, len(gone)
print("filter.sh: %s: %d pages dropped" % (folder, len(gone)))
TEXT
python3 check.py "$neardup" keep keep || fail "keep"
python3 check.py "$neardup" drop drop || fail "drop"
python3 check.py "$neardup" noted keep || fail "noted"
python3 check.py "$neardup" dropped drop || fail "dropped"
python3 check.py "$neardup" chosen keep --keep longest --protect extra || fail "chosen"
[ -z "$(find keep* drop* noted chosen -type d -empty)" ] || fail "empty folders are made"

# ---- what is written is read again: no two pages are left of what was one set
"$neardup" partition in=keep/cc.warc.gz keep/lines.jsonl.gz keep/frames.warc.zst keep/whole.warc.gz \
    keep/sub --progress none -o again.h5 2>log || [ $? -eq 3 ] || fail "$(cat log)"
names() { "$neardup" export "$1" | awk -F '\t' -v of="$2" 'NR > 1 { print $2 "\t" $3 "\t" $of }' | sort; }
join -t '	' -j 1 -o 1.1,1.3 <(names out.h5 5) <(names again.h5 5) >sets_before
[ "$(wc -l <sets_before)" -gt 20 ] || fail "few pages are left: $(cat sets_before)"
[ -z "$(cut -f 2 sets_before | sort | uniq -d)" ] || fail "two pages are left of one set"

# ---- what is refused, with nothing under the name of a file
# refused CODE TEXT COMMAND...
refused() {
    local code=0 expected=$1 says=$2
    shift 2
    "$neardup" filter "$@" 2>log || code=$?
    [ "$code" -eq "$expected" ] || fail "$*: exit code $code: $(cat log)"
    grep -qF -e "$says" log || fail "$*: $(cat log)"
    [ -z "$(find bad -name '*.partial' 2>/dev/null)" ] || fail "$*: leaves $(find bad)"
    rm -rf bad
}
refused 2 'needs -o DIR' out.h5
refused 2 'the folder is not empty (it holds ' out.h5 -o in
refused 2 "there is no rule 'best'" out.h5 -o bad --keep best
cp in/plain.warc saved
sed 's/urn:r2>/urn:rX>/' saved >in/plain.warc # of the same length
refused 1 'in/plain.warc: has changed since the run' out.h5 -o bad
echo >>in/plain.warc
refused 1 'in/plain.warc: has changed since the run (' out.h5 -o bad
mv in/plain.warc away
refused 1 'in/plain.warc' out.h5 -o bad
for ranks in 2 3; do
    code=0
    mpirun -n "$ranks" "$neardup" filter out.h5 -o "bad$ranks" 2>log </dev/null || code=$?
    [ "$code" -eq 1 ] || fail "$ranks ranks: exit code $code"
    grep -q 'in/plain.warc' log || fail "$ranks ranks: $(cat log)"
done
cp saved in/plain.warc
cp in/lines.jsonl saved
python3 - <<'TEXT'
import re
with open("in/lines.jsonl", "rb") as file:
    data = file.read()
with open("in/lines.jsonl", "wb") as file:
    file.write(re.sub(rb'"id": (\d)', lambda m: b'"id": %d' % ((int(m[1]) + 1) % 10), data))
TEXT
refused 1 'in/lines.jsonl: has changed since the run' out.h5 -o bad
cp saved in/lines.jsonl

# a page of each kind of file is edited, to the same length, under the time of before: all who read
# it again say so; what is no page: filter, which copies it, does
cat >edit.py <<'TEXT'
import os
import re
import sys
from containers import REVISIT, files, frame, kinds, member, same, unframe, unmember

path, what = sys.argv[1:]
records, pack_file = files[path]
pack = kinds[path][2] if path in kinds else same
undo = {member: unmember, frame: unframe}.get(pack, same)
times = os.stat(path)
with open(path, "rb") as file:
    old = file.read()

def edits():
    raws = [undo(data) for data, _ in records]
    for i, (_, of) in enumerate(records):
        found = re.search(rb'<p>|"text": "', raws[i])
        is_page = isinstance(of, int) and (found or of >= REVISIT)
        if what == "page" and is_page and found:
            at, letters, alike = found.end(), b"bcdfghjklmnp", {i}
        elif what == "other" and not is_page:  # the last letter of all that end alike, to be packed alike
            at, letters = re.search(rb"(?s).*(?=[a-z0-9])", raws[i]).end(), b"stuvwxyz56789"
            alike = {n for n, raw in enumerate(raws) if raw.endswith(raws[i][at - 3:])} if pack is same else {i}
        else:
            continue
        for letter in letters:
            new = [data for data, _ in records]
            for n in alike:
                place = at + len(raws[n]) - len(raws[i])
                new[n] = pack(raws[n][:place] + bytes([letter]) + raws[n][place + 1:])
            yield pack_file(b"".join(new))

with open(path, "wb") as file:
    file.write(next(new for new in edits() if new != old and len(new) == len(old)))
os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
TEXT
for file in in/*.* in/sub/* in/html/style.css "$(find in/html -name '*.html' | LC_ALL=C sort | tail -n 1)"; do
    cp -p "$file" saved
    if [[ $file != *.html ]]; then
        python3 edit.py "$file" other || fail "$file: what is no page cannot be edited"
        refused 1 "$file: has changed since the run: its pages are as they were, other bytes are not" out.h5 -o bad
        cp -p saved "$file"
    fi
    [[ $file != *.css ]] || continue
    python3 edit.py "$file" page || fail "$file: cannot be edited"
    refused 1 "$file: has changed since the run (another record is at byte" out.h5 -o bad
    page=$(sed 's/.*; needed for page \([0-9]*\) of out.h5, .*/\1/' log)
    for command in "extract out.h5 -o bad" "inspect out.h5 --page $page --text"; do
        # shellcheck disable=SC2086
        "$neardup" $command >/dev/null 2>log && [ "${command%% *}" != inspect ] && fail "$command: $file"
        grep -q "$file: has changed since the run (another.* page $page of out.h5" log ||
            fail "$command: $file: $(cat log)"
    done
    cp -p saved "$file"
done
head -c 30000 in/lines.jsonl | "$neardup" partition - --progress none -o stdin.h5 2>/dev/null || [ $? -eq 3 ]
refused 1 'was standard input, which cannot be read again' stdin.h5 -o bad
"$neardup" filter out.h5 -o good 2>log || fail "$(cat log)"
diff -r keep good || fail "another folder the second time"

# ---- records that go over the ends of members: what lies between two records that begin one is parted
# from nothing, but all is read again
python3 - <<'TEXT'
import os
from containers import http, member, texts, warc

os.mkdir("cut")
records = [warc("response", "c%d" % n, "http://cut.example/%d" % n, http(texts[n // 2])) for n in range(24)]
middle = b"".join(records[8:16])
pieces = [middle[at:at + 500] for at in range(0, len(middle), 500)]
members = [member(part) for part in records[:8] + pieces + records[16:]]
kept = members[:8:2] + members[8:8 + len(pieces)] + members[8 + len(pieces)::2]
with open("cut/in.warc.gz", "wb") as file:
    file.write(b"".join(members))
with open("cut.kept", "wb") as file:
    file.write(b"".join(kept))
TEXT
for ranks in 1 2 3 5; do
    mpirun -n "$ranks" "$neardup" partition cut --split-size 400 --progress none -o "cut$ranks.h5" 2>log </dev/null ||
        fail "cut, $ranks ranks: $(cat log)"
    "$2/tests/compare_results" cut1.h5 "cut$ranks.h5" || fail "cut: another result on $ranks ranks"
done
for page in 3 9 13 15 20; do
    "$neardup" inspect cut1.h5 --page "$page" --text >said 2>&1 || fail "cut: $(cat said)"
    grep -q "^--- page $page: 8[0-9] tokens" said || fail "cut: $(cat said)"
done
"$neardup" filter cut1.h5 -o cut.keep 2>log || fail "cut: $(cat log)"
grep -q '4 pages to be dropped are kept: what is kept is in the same compressed members; pack' log || fail "cut: $(cat log)"
cmp cut.kept cut.keep/in.warc.gz || fail "cut: what is kept has other bytes"
"$neardup" filter cut1.h5 -o cut.drop --what drop 2>log || fail "cut: $(cat log)"
grep -q '^dropped: 8 pages' log || fail "cut: $(cat log)"

# ---- real archives, some of them malformed: each page is in one of the two, and in no other file
if [ -d "${NEARDUP_DATA:-}/crawl" ]; then
    find "$NEARDUP_DATA/crawl" -type f ! -name 'README*' ! -name INDEX.tsv | LC_ALL=C sort >list
    "$neardup" partition @list --progress none -o crawl.h5 2>log || [ $? -eq 3 ] || fail "$(cat log)"
    for what in keep drop; do
        "$neardup" filter crawl.h5 -o "crawl.$what" --what "$what" 2>log || fail "crawl: $(cat log)"
        find "crawl.$what" -type f | LC_ALL=C sort >list
        "$neardup" partition @list --progress none -o "crawl.$what.h5" 2>log || [ $? -eq 3 ] ||
            fail "crawl, $what: $(cat log)"
    done
    # files of their own have another folder's name in their URL
    places() { "$neardup" export "$1" | awk -F '\t' 'NR > 1 && $3 ~ /^http/ { print $2 "\t" $3 }'; }
    cmp <(places crawl.h5 | sort) <({ places crawl.keep.h5 && places crawl.drop.h5; } | sort) ||
        fail "crawl: other pages than before"
    [ "$(places crawl.keep.h5 | wc -l)" -gt 80 ] || fail "crawl: few pages are kept"
fi

# ---- the rate that is said: of enough bytes that a wrong one shows
awk 'BEGIN { for (p = 0; p < 20000; p++) { printf "{\"text\":\"page %d", p
    for (w = 0; w < 20; w++) printf " w%d", (p * 7919 + w * 104729) % 99991
    print "\"}" } }' >rate.jsonl
"$neardup" partition rate.jsonl --progress none -o rate.h5 2>log || fail "rate: $(cat log)"
"$neardup" filter rate.h5 -o rate 2>log || fail "rate: $(cat log)"
python3 - log <<'TEXT' || fail "rate: $(cat log)"
import re, sys
size, seconds, rate = map(float, re.search(r"([\d.]+) MB; ([\d.]+) s, (\d+) MB per second", open(sys.argv[1]).read()).groups())
assert size > 2
assert (rate - .5) * (seconds - .005) <= size + .06 and (rate + .5) * (seconds + .005) >= size - .06
TEXT
echo "filter.sh: passed"
