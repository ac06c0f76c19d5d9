#!/usr/bin/env bash
# Files that are small and ask for much: called as bombs.sh NEARDUP BUILD_DIR. Each is read within
# the memory that was given and 150 MB beside it, in seconds; what is refused is counted and named,
# and the pages after it are used.
set -euo pipefail
build=$2
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3

memory=256
beside=150
# All take some 20 s on a quiet machine; sanitizers take several times as much, of memory too.
seconds=120
if grep -q '^CMAKE_C_FLAGS.*-fsanitize=address' "$build/CMakeCache.txt"; then
    seconds=280
    beside=4000
fi

# measured OUTPUT SECONDS COMMAND...: run it; prints its exit code, its largest size in MB and its
# time.
measured() {
    python3 - "$@" <<'END'
import resource, subprocess, sys, time
with open(sys.argv[1], "wb") as output:
    start = time.monotonic()
    try:
        code = subprocess.run(sys.argv[3:], stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                              timeout=float(sys.argv[2])).returncode
    except subprocess.TimeoutExpired:
        code = "timeout"
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
      "%.1f" % (time.monotonic() - start))
END
}

failures=0
# wrong TEXT...: one more failure.
wrong() {
    failures=$((failures + 1))
    printf 'bombs.sh: %s\n' "$*" >&2
}

# All in one process: what one leaves is there when the next is read.
mkdir "$folder/bombs"
python3 "$support/make_bombs.py" "$folder/bombs" >"$folder/list"
out=$folder/out.h5
read -r code peak time < <(measured "$folder/said" "$seconds" "$neardup" partition \
    "$folder"/bombs/* -o "$out" --memory "${memory}M" --no-disk-check --progress none)
echo "bombs.sh: $(wc -l <"$folder/list") bombs: exit code $code, $peak MB, $time s"
if [ "$code" != 3 ]; then # bytes were passed over
    wrong "exit code $code: $(tail -n 3 "$folder/said")"
    exit 1
fi
if [ "$peak" -gt $((memory + beside)) ]; then
    wrong "took $peak MB"
fi
"$neardup" export "$out" --what pages --format jsonl | grep -F '"http://good/"' >"$folder/pages"
"$neardup" inspect "$out" --skipped >"$folder/skipped"
while IFS=$'\t' read -r file reason; do
    if ! grep -qF "/$file\"" "$folder/pages"; then
        wrong "$file: the page beside the bomb is lost"
    fi
    skipped=$(grep -F "/$file"$'\t' "$folder/skipped" || true)
    if [ -n "$reason" ] && ! grep -qF "$reason" <<<"$skipped"; then
        wrong "$file: not skipped with '$reason': $skipped"
    fi
done <"$folder/list"
[ "$failures" -eq 0 ]
