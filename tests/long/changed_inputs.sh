#!/usr/bin/env bash
# Inputs that change between a stop and --resume, or while a run reads them: a file with other bytes
# is named and refused, whatever its size and times say, and one with the same bytes is not.
# Called as changed_inputs.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"

victim=${inputs[0]} # its first unit is read before the first checkpoint
cp -p "$victim" "$folder/original"

# ---- what is done to the victim

restore() {
    rm -f "$victim"
    cp "$folder/original" "$victim"
}
edit() { # in place, at the same size, and its time put back
    dd if="$folder/original" bs=1 skip=200 count=1 status=none |
        tr '\000-\377' '\001-\377\000' |
        dd of="$victim" bs=1 seek=200 conv=notrunc status=none
    ! cmp -s "$folder/original" "$victim" || fail "the edit changes nothing"
    touch -r "$folder/original" "$victim"
}
replace() { # by another file of that size
    head -c "$(stat -c %s "$victim")" /dev/zero | tr '\0' x >"$folder/other"
    mv "$folder/other" "$victim"
}
cut_short() {
    truncate -s -100 "$victim"
}
copy_back() { # as from a backup: another inode, another time
    cp "$victim" "$folder/copy"
    mv "$folder/copy" "$victim"
}
touch_it() {
    touch "$victim"
    chmod go-r "$victim"
}

# names_it: the last run was refused in one line that names the victim.
names_it() {
    local lines
    lines=$(own_lines "$log" | grep -v '^neardup: skipped: ' || true)
    if [ -z "$lines" ] || [ "$(wc -l <<<"$lines")" -ne 1 ]; then
        fail "not one line: $1"
    fi
    grep -qF "$victim" <<<"$lines" || fail "does not name the input: $1"
    grep -q 'has changed\|has become shorter' <<<"$lines" || fail "does not say what happened: $1"
    [ -z "$(find "$folder" -name 'out.h5*')" ] || fail "a result, or a part of one: $1"
}

# stop_somewhere: after a checkpoint; again if the job was faster.
stop_somewhere() {
    status=0
    while [ "$status" -eq 0 ]; do
        rm -f "$out"
        stop USR1 2 "${kept[@]}"
    done
    [ "$status" -eq 4 ] || fail "exit code $status of a stopped job"
}

check_resume() {
    local change ranks=1
    for change in edit replace cut_short; do
        stop_somewhere
        cp -r "$work" "$folder/before"
        "$change"
        run 1 "$ranks" "${kept[@]}" --resume
        names_it "$change"
        diff -r -x lock "$folder/before" "$work" >/dev/null || fail "changed the work folder"
        rm -r "$folder/before"
        restore
        run 0 "$ranks" "${kept[@]}" --resume
        same plain
        ranks=$((ranks == 1 ? 2 : ranks == 2 ? 3 : 5))
    done
    for change in copy_back touch_it; do
        stop_somewhere
        "$change"
        # a second time: what is kept of the file is that of now
        stop USR1 3 "${kept[@]}" --resume
        [ "$status" -ne 4 ] || run 0 2 "${kept[@]}" --resume
        [ "$status" -eq 0 ] || fail "exit code $status with the same bytes: $change"
        same plain
    done
    # in a later stage, too, the result would hold pages that are not there any more
    start 1 "${kept[@]}" --fault rename:0:1000000
    until grep -q '^ *content ' "$log" || ! kill -0 "$job" 2>/dev/null; do sleep 0.01; done
    signal USR1
    finish
    if [ "$status" -eq 4 ]; then
        edit
        run 1 2 "${kept[@]}" --resume
        names_it "edit, after all was read"
        restore
        run 0 2 "${kept[@]}" --resume
    fi
    same plain
    echo "changed between stop and resume: named, or the same bytes"
}

# meanwhile RANKS CHANGE: once the job has committed a checkpoint.
meanwhile() {
    pause_anew "$1" "${kept[@]}"
    "$2"
    go_on
    finish
}

check_run() {
    local change ranks
    for ranks in 1 3; do
        for change in edit replace cut_short; do
            meanwhile "$ranks" "$change"
            [ "$status" -eq 1 ] || fail "exit code $status: $change on $ranks ranks"
            names_it "$change during a run"
            restore
            rm -rf "$work"
        done
        for change in copy_back touch_it; do
            meanwhile "$ranks" "$change"
            [ "$status" -eq 0 ] || fail "exit code $status: $change on $ranks ranks"
            same plain
        done
    done
    echo "changed during a run: named, or the same bytes"
}

check_resume
check_run
