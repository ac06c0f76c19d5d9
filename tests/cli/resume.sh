#!/usr/bin/env bash
# A job that is killed, and one that is stopped by a signal, goes on with another number of ranks to the
# result of one that was left alone. Called as resume.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

# A second job with the same result is refused while the first lives, and leaves it alone.
pause_anew 3 "${kept[@]}"
second=0
"$neardup" partition "${inputs[@]}" --progress none -o "$out" 2>"$folder/second" || second=$?
if [ "$second" -ne 1 ] || ! grep -q -- "-o $out: in use by a neardup run on host .*: wait for its end" "$folder/second"; then
    fail "a second job for the same result: exit code $second, $(cat "$folder/second")"
fi
kill -KILL "${processes[@]}"
finish
[ "$status" -ne 0 ] || fail "a killed job ends with exit code 0"
can_go_on

# A file with another byte is found where that is first read, long after the start: by one rank of three.
# refuses FILE PLACE: a resumed job, with another byte at that place of the file; the folder is then as it was.
refuses() {
    local file=$1 byte lines
    cp -a "$work" "$folder/whole"
    byte=$(od -An -tu1 -j "$2" -N 1 "$file")
    printf '%b' "\\x$(printf %x $(((byte + 1) % 256)))" | dd of="$file" bs=1 seek="$2" conv=notrunc status=none
    run 1 3 "${kept[@]}" --resume --progress none
    lines=$(own_lines "$log" | grep -v 'skipped: ')
    if [ "$lines" != "neardup: $file: damaged: its checksum does not match: remove the work folder and start anew" ] &&
        ! [[ $lines =~ ^"neardup: rank "[0-9]+": $file: damaged: its checksum does not match: remove" ]]; then
        fail "a damaged file: $lines"
    fi
    can_go_on
    rm -r "$work"
    mv "$folder/whole" "$work"
}
for array in names text; do
    file=$(find "$work" -name "checkpoint-*-ingest.$array-*" | sort | head -n 1)
    [ -n "$file" ] || fail "no $array in the work folder"
    refuses "$file" 0
    refuses "$file" $(($(stat -c %s "$file") / 2))
    refuses "$file" $(($(stat -c %s "$file") - 1)) # of the checksums
done
run 0 2 "${kept[@]}" --resume
same plain

pause_anew 2 "${kept[@]}"
kill -USR1 "${processes[1]}"
go_on
finish
[ "$status" -eq 4 ] || fail "exit code $status, not 4, of a job that was told to stop"
can_go_on
run 0 5 "${kept[@]}" --resume
same plain
echo "killed on 3 ranks, stopped on 2: equal after --resume on 2 and 5"
