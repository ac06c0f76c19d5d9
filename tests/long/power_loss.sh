#!/usr/bin/env bash
# A job with a work folder whose machine loses its power: what was promised to be on the disk is there,
# and the job goes on from it to the same result. One run is written down call by call
# (preload/record_disk.c); the folder is then made as a loss at some of these moments would have left
# it (support/power_loss.py). Called as power_loss.sh NEARDUP BUILD_DIR; ND_TEST_MOMENTS moments by
# ND_TEST_SEED.
set -euo pipefail
# shellcheck source=tests/support/kept_jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/kept_jobs.sh"
support=$(dirname "${BASH_SOURCE[0]}")/../support
preload=$2/tests/record_disk.so
moments=${ND_TEST_MOMENTS:-6}
seed=${ND_TEST_SEED:-$(date +%s)}
echo "power_loss: ND_TEST_SEED=$seed"
RANDOM=$seed

disk=$folder/disk
record=$folder/record
work=$disk/work
out=$disk/out.h5
kept=(--work "$work" --checkpoint 0 --memory 16M)
"$make_warc" "$folder/few.warc.gz" 1 "$folder/crawl2" >/dev/null
inputs=("$folder/few.warc.gz" "$folder/4.jsonl")
unit=150000
mkdir "$disk"
run 0 1
mv "$out" "$folder/few.h5"
plain_neardup=$neardup
if ! LD_PRELOAD=$preload true 2>/dev/null || nm -D "$neardup" | grep -q __asan; then
    echo "SKIPPED: no library can be put before this program"
    exit 77
fi

# lose RANKS MOMENTS [ARGUMENT...]: write down a run on that many ranks, and go on from as many losses.
lose() {
    local ranks=$1 count=$2 calls moment has promise some
    shift 2
    rm -f "$record"
    neardup=$folder/recorded
    run 0 "$ranks" "${kept[@]}"
    neardup=$plain_neardup
    same few
    calls=$(python3 "$support/power_loss.py" "$record" "$disk" count 0)
    [ "$calls" -gt 100 ] || fail "only $calls calls are written down"
    for ((some = 0; some < count; some++)); do
        # about as many at the end, where the result is written, as before
        moment=$((RANDOM % 3 == 0 ? calls - RANDOM % 60 : (RANDOM * 32768 + RANDOM) % calls + 1))
        promise=$(python3 "$support/power_loss.py" "$record" "$disk" "$moment" $((seed + some)))
        rm -f "$out".*.locktest.* # Open MPI's own, there for a moment while a file is opened
        has=nothing
        [ ! -e "$work/manifest.json" ] || has=manifest
        if [ -e "$out" ]; then
            has=result
            "$compare" "$folder/few.h5" "$out" >/dev/null ||
                fail "after call $moment of $calls, $ranks ranks: a result that is not whole"
        fi
        case $promise.$has in
        nothing.* | manifest.manifest | *.result) ;;
        *) fail "after call $moment of $calls, $ranks ranks: $promise was promised, there is $has" ;;
        esac
        losses=$((losses + 1))
        run 0 $((some % 5 == 4 ? 2 : 1)) "${kept[@]}" --resume
        same few
        rm -rf "${disk:?}"/*
    done
}

cat >"$folder/recorded" <<END
#!/bin/sh
ND_RECORD_FOLDER=$disk ND_RECORD_TO=$record LD_PRELOAD=$preload exec "$neardup" "\$@"
END
chmod +x "$folder/recorded"
losses=0
lose 1 $((moments / 2))
lose 3 $((moments - moments / 2))
echo "power lost at $losses moments: gone on to the same result"
