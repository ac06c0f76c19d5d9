#!/usr/bin/env bash
# What the commands cost that act on a result: a look at a page, report, review and filter.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/after_run.sh --neardup PROGRAM -o FOLDER [--pages N] [--ranks R]

Makes N (1,000,000) small pages in .warc.gz files from seed 7, 90 words of a made-up vocabulary of 20,000
each, in families of 1, 2, 3 or 6 of which up to 20 words differ; partitions them with --pairs keep on R (2)
processes; and prints for each command that acts on the result its seconds of processor time on one
process, its most memory and the size of what it wrote, and beside filter those of zcat and cp on the same
files. Where there are Debian's chromium, chromium-driver and python3-selenium, how long the report takes
to be opened. FOLDER has to be new.
TEXT
}

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
neardup='' folder='' pages=1000000 ranks=2
while [ $# -gt 0 ]; do
    case $1 in
    --neardup) neardup=$(realpath "$2") ;;
    -o) folder=$2 ;;
    --pages) pages=$2 ;;
    --ranks) ranks=$2 ;;
    -h | --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
    esac
    shift 2
done
if [ -z "$neardup" ] || [ -z "$folder" ]; then
    usage >&2
    exit 2
fi
mpi_environment
mkdir "$folder"
cd "$folder"
mkdir made

python3 - "$pages" <<'TEXT'
import random, sys, zlib
pages = int(sys.argv[1])
random.seed(7)
letters = "abcdefghijklmnopqrstuvwxyz"
words = ["w" + "".join(random.choice(letters) for _ in range(random.randint(3, 9))) for _ in range(20000)]
page, out = 0, None
while page < pages:
    story = random.choices(words, k=90)
    for copy in range(random.choices([1, 2, 3, 6], [60, 20, 12, 8])[0]):
        text = list(story)
        for _ in range(random.choice([0, 1, 3, 8, 20]) if copy else 0):
            text[random.randrange(90)] = random.choice(words)
        lines = ". ".join(" ".join(text[i:i + 12]) for i in range(0, 90, 12))
        body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head><title>%s</title></head><body>"
                "<p>%s.</p></body></html>" % (" ".join(text[:4]), lines)).encode()
        head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.s%d.example/p/%d\r\n"
                "WARC-Record-ID: <urn:%d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" %
                (random.randrange(20000), page, page, len(body))).encode()
        if page % 250000 == 0:
            out = open("made/p%d.warc.gz" % (page // 250000), "wb")
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        out.write(packer.compress(head + body + b"\r\n\r\n") + packer.flush())
        page += 1
        if page == pages:
            break
TEXT
mpirun -n "$ranks" "$neardup" partition made -o sets.h5 --pairs keep --progress none </dev/null

# row NAME OUTPUT COMMAND...: its CPU seconds, memory and bytes.
row() {
    local name=$1 output=$2 bytes memory seconds
    shift 2
    measured . -- "$@" >said 2>&1 || die "$name: $(cat said)"
    read -r memory seconds _ <process.0
    bytes=$({ du -sb "$output" 2>/dev/null || true; } | cut -f 1)
    printf '%-12s %8s s %8d MB %14s bytes\n' "$name" "$seconds" $((memory / 1000000)) "${bytes:--}"
}
middle=$((pages / 2))
url=$("$neardup" inspect sets.h5 --page "$middle" --format json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["url"])')
row 'by number' none "$neardup" inspect sets.h5 --page "$middle"
row 'by id' none "$neardup" inspect sets.h5 --page "id:urn:$middle"
row 'by URL' none "$neardup" inspect sets.h5 --page "url:$url"
row report report.html "$neardup" report sets.h5 -o report.html
row review review.html "$neardup" review sets.h5 -o review.html --sample 200
row filter kept "$neardup" filter sets.h5 -o kept
row zcat none bash -c 'zcat made/*.gz >/dev/null'
row cp copy cp -r made copy

python3=/usr/bin/python3 # Debian's, which Debian's selenium is for
if command -v chromium >/dev/null && "$python3" -c 'import selenium' 2>/dev/null; then
    HOME=$PWD "$python3" - <<'TEXT'
import os, time
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
options = webdriver.ChromeOptions()
options.binary_location = "/usr/bin/chromium"
for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--user-data-dir=" + os.path.abspath("profile")):
    options.add_argument(argument)
chromium = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
try:
    seconds = []
    for _ in range(5):
        chromium.get("about:blank")
        start = time.time()
        chromium.get("file://" + os.path.abspath("report.html"))
        chromium.execute_script("return document.body.scrollHeight")
        seconds.append(time.time() - start)
    print("report.html opens in", ", ".join("%.2f" % s for s in seconds), "s")
finally:
    chromium.quit()
TEXT
fi
