#!/usr/bin/env bash
# Pages in other charsets give the same sets as the same pages in UTF-8: a portal's real GBK pages,
# and labelled Chinese pages, as a WARC file whose headers or whose pages say the charset.
# usage: charsets.sh NEARDUP BUILD_DIR
set -euo pipefail
neardup=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for need in "${NEARDUP_DATA:-}/gbk-pages/netease-gbk.tar.gz" \
    "${NEARDUP_DATA:-}/labelled/zh-reprints/pages.jsonl.gz"; do
    if [ ! -f "$need" ]; then
        echo "SKIPPED: no ${need##*/} in NEARDUP_DATA"
        exit 77
    fi
done
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: there is no python3"
    exit 77
fi

# Writes: NAME/gbk and NAME/utf8, files of the GBK pages as they are and converted; and the labelled
# pages as utf8.jsonl (as they are), header.warc (bytes in the page's own charset, given by HTTP) and
# meta.warc (the same, given by the page alone).
python3 - "$NEARDUP_DATA" "$work" <<'PYTHON'
import gzip, json, os, re, sys, tarfile
data, work = sys.argv[1:]

DECLARED = re.compile(r'(<meta\b[^>]*?\bcharset\s*=\s*["\']?)\s*[\w-]+', re.I)

def declare(html, charset):
    """The page with its declaration replaced; with one put in front where it has none."""
    html, count = DECLARED.subn(lambda m: m.group(1) + charset, html)
    return html if count else '<meta charset="%s">' % charset + html

for folder in ("gbk", "utf8"):
    os.mkdir(os.path.join(work, folder))
with tarfile.open(data + "/gbk-pages/netease-gbk.tar.gz") as archive:
    for member in archive:
        if member.isfile():
            page = archive.extractfile(member).read()
            name = os.path.basename(member.name)
            with open(os.path.join(work, "gbk", name), "wb") as file:
                file.write(page)
            with open(os.path.join(work, "utf8", name), "wb") as file:
                file.write(declare(page.decode("gb18030"), "utf-8").encode())

def write_record(file, url, content_type, page):
    body = ("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            % (content_type, len(page))).encode() + page
    file.write(("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
                "WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:x:%s>\r\n"
                "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
                % (url, url, len(body))).encode() + body + b"\r\n\r\n")

with gzip.open(data + "/labelled/zh-reprints/pages.jsonl.gz", "rt", encoding="utf-8") as lines, \
        open(work + "/utf8.jsonl", "w", encoding="utf-8") as plain, \
        open(work + "/header.warc", "wb") as header, open(work + "/meta.warc", "wb") as meta:
    for line in lines:
        page = json.loads(line)
        charset = page["charset"]
        codec = "utf-8" if charset == "utf-8" else "gb18030" # what browsers take GBK labels for
        plain.write(json.dumps({"id": page["id"], "url": page["url"], "html": page["html"]},
                               ensure_ascii=False) + "\n")
        # The header goes before the page: there the page may say anything.
        write_record(header, page["url"], "text/html; charset=" + charset,
                     declare(page["html"], "shift_jis").encode(codec))
        write_record(meta, page["url"], "text/html", declare(page["html"], charset).encode(codec))
PYTHON

# sets_of RESULT: a line per set, its pages' names in order; the lines sorted. Names are
# URLs, those of files without their folder.
sets_of() {
    "$neardup" export "$1" | awk -F '\t' '
        NR > 1 {name = $3; sub("^file://[a-z0-9]*/", "", name); print $5 "\t" name}' |
        LC_ALL=C sort -k1,1n -k2 |
        awk -F '\t' '$1 != set {if (NR > 1) print line; line = ""; set = $1} {line = line " " $2}
                     END {print line}' | LC_ALL=C sort
}

# partition NAME ARGUMENT...: NAME.sets
partition() {
    local name=$1
    shift
    timeout 900 mpirun -n 2 "$neardup" partition --progress none "$@" -o "$work/$name.h5"
    sets_of "$work/$name.h5" >"$work/$name.sets"
}

# same NAME NAME PAGES: equal sets of that many pages, some of them of several.
same() {
    diff "$work/$1.sets" "$work/$2.sets" || { echo "charsets: $1 and $2 differ" >&2; exit 1; }
    [ "$(wc -w <"$work/$1.sets")" -eq "$3" ] ||
        { echo "charsets: $1: $(wc -w <"$work/$1.sets") pages, not $3" >&2; exit 1; }
    [ "$(wc -l <"$work/$1.sets")" -lt "$3" ] ||
        { echo "charsets: $1: no set of two pages: nothing was compared" >&2; exit 1; }
}

# Real near-duplicates are few among the portal's pages: with all its template they are many.
gbk_pages=$(find "$work/gbk" -type f | wc -l)
for preset in default pku; do
    partition "gbk-$preset" --preset "$preset" --threshold .4 --slack 0 "$work/gbk"
    partition "utf8-$preset" --preset "$preset" --threshold .4 --slack 0 "$work/utf8"
done
diff "$work/gbk-default.sets" "$work/utf8-default.sets"
same gbk-pku utf8-pku "$gbk_pages"
partition jsonl "$work/utf8.jsonl"
pages=$(wc -l <"$work/utf8.jsonl")
for kind in header meta; do
    partition "$kind" "$work/$kind.warc"
    same jsonl "$kind" "$pages"
done
echo "charsets: $gbk_pages GBK pages in $(wc -l <"$work/gbk-default.sets") sets (pku: $(wc -l \
    <"$work/gbk-pku.sets")), $pages labelled pages in $(wc -l <"$work/jsonl.sets"), as in UTF-8"
