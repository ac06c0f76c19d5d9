#!/usr/bin/env bash
# neardup check, and what every command that opens a result does with one that is damaged, cut short
# or made by hand: one line and exit code 1, or an answer that does not touch the damage; never a
# signal, never a hang. Handmade columns, and more damage: unit/t_result_check.c. ND_TEST_SEED repeats a run.
# usage: check.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
damage=$2/tests/damage
seed=${ND_TEST_SEED:-$(date +%s)}
echo "check.sh: ND_TEST_SEED=$seed"

"$neardup" synthesize -o "$folder/corpus" --pages 400 --seed 5 >"$folder/log" 2>&1
truth=$folder/corpus/clusters.tsv
read -r -d '' first second < <(cut -f1 "$truth" | head -n 2; printf '\0') || true
[ -n "$second" ] || { second=${first#*$'\n'}; first=${first%%$'\n'*}; }

# ends NAME STATUS ARGUMENT...: the command ends with one of these exit codes ("0 1"); if it fails it
# says why in one line.
ends() {
    local name=$1 wanted=$2 status=0
    shift 2
    timeout 60 "$neardup" "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null || status=$?
    case " $wanted " in
    *" $status "*) ;;
    *) fail "$name: $1: status $status, not $wanted: $* $(head -n 3 "$folder/stderr")" ;;
    esac
    if [ "$status" -eq 1 ] && [ "$1" != check ]; then
        [ "$(wc -l <"$folder/stderr")" -eq 1 ] || fail "$name: $*: not one line"
    fi
}

# every NAME STATUS FILE: all commands but check.
every() {
    local name=$1 wanted=$2 file=$3 what
    for what in pages sets keep drop pairs; do
        ends "$name" "$wanted" export "$file" --what "$what"
    done
    ends "$name" "$wanted" export "$file" --format jsonl
    ends "$name" "$wanted" inspect "$file"
    ends "$name" "$wanted" inspect "$file" --sources
    ends "$name" "$wanted" inspect "$file" --skipped
    ends "$name" "$wanted" inspect "$file" --largest 18446744073709551615
    ends "$name" "$wanted 2" inspect "$file" --set 3
    ends "$name" "$wanted 2" inspect "$file" --url "$first"
    ends "$name" "$wanted 2" explain "$file" "$first" "$second"
    ends "$name" "$wanted" evaluate "$file" --truth "$truth"
}

# ---- whole results, with and without what may be there
partition whole 0 "$folder/corpus" --pairs keep
partition three 3 "$folder/corpus"
for name in whole three; do
    ends "$name" 0 check "$folder/$name.h5"
    grep -qxF "$folder/$name.h5: 400 pages in $("$neardup" export "$folder/$name.h5" --what keep |
        sed 1d | wc -l) sets, every promise holds" "$folder/stdout" || fail "$name: $(cat "$folder/stdout")"
done
every whole 0 "$folder/whole.h5"
partition single 0 "$folder/corpus" --method exact
ends single 0 check "$folder/single.h5"

# A result of which HDF5 has another copy has no seal: it can be read, and check says so.
if command -v h5repack >/dev/null; then
    h5repack "$folder/whole.h5" "$folder/repacked.h5"
    dd if="$folder/repacked.h5" of="$folder/plain.h5" bs=512 skip="$(
        cmp -s -n 8 <(printf '\211HDF\r\n\032\n') "$folder/repacked.h5" && echo 0 || echo 1)" 2>/dev/null
    ends plain 0 check "$folder/plain.h5"
    grep -q "has no checksums" "$folder/stdout" || fail "no word about checksums"
    every plain 0 "$folder/plain.h5"
fi

# ---- what is no result
mkfifo "$folder/pipe"
: >"$folder/empty"
head -c 600 /dev/zero >"$folder/zeros"
for name in pipe empty zeros none .; do
    ends "$name" 1 check "$folder/$name"
    ends "$name" 1 inspect "$folder/$name"
    ends "$name" 1 export "$folder/$name"
done

# ---- damage: none passes check unseen
for how in flip cut; do # 200 of each: unit/t_result_check.c
    for ((i = 0; i < 10; i++)); do
        place=$("$damage" "$folder/whole.h5" "$folder/damaged.h5" $((seed + i)) "$how")
        ends "$place" 1 check "$folder/damaged.h5"
        if ((i == 0)); then
            every "$place" "0 1" "$folder/damaged.h5"
        fi
    done
done

# ---- results that others made by hand
hostile=${NEARDUP_DATA:-}/hostile
if [ -z "${NEARDUP_DATA:-}" ] || [ ! -d "$hostile" ]; then
    echo "SKIPPED in part: there is no hostile/ in NEARDUP_DATA"
    exit 0
fi
for packed in "$hostile"/*.h5.gz; do
    name=$(basename "$packed" .gz)
    gzip -dc "$packed" >"$folder/hostile.h5"
    ends "$name" 1 check "$folder/hostile.h5"
    every "$name" "0 1" "$folder/hostile.h5"
done
