#!/usr/bin/env bash
# neardup plan: curves against published figures; a plan against a run; what --dry-run says, and that it writes nothing; a disk that is too
# small; what is refused.
# usage: plan.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
work=$folder
finish() {
    if mountpoint -q "$work/disk" 2>/dev/null; then
        umount "$work/disk"
    fi
    rm -rf "$work"
}
trap finish EXIT
cd "$work"

refuses 2 "--pages N" plan
refuses 2 "--pages 0" plan --pages 0
refuses 2 "--pages x" plan --pages x
refuses 2 "--pages N" plan --pages 10 input
refuses 2 "--memory 0" plan --pages 10 --memory 0
refuses 2 "--speed -1" plan --pages 10 --speed -1
refuses 2 "--nodes 0" plan --pages 10 --nodes 0
refuses 2 "--checkpoints maybe" plan --pages 10 --checkpoints maybe
refuses 2 "--format xml" plan --pages 10 --format xml
refuses 2 "--svg" plan --pages 10 --svg x.svg
refuses 2 "bands:5" plan --curve bands:5
refuses 2 "sketch:3/2" plan --curve sketch:3/2
refuses 2 "input" plan --curve bands:5x5 input
refuses 2 "--propose 1" plan --propose 1
refuses 2 "--budget 0" plan --propose .5 --budget 0
refuses 2 "--nothing" plan --nothing
refuses 2 "--preset slow" plan --pages 10 --preset slow
refuses 2 "--method none" plan --pages 10 --method none

# ---- curves: figures that were published for the settings
"$neardup" plan --curve bands:20x5 --curve bands:14x8 --curve bands:450x20 --curve sketch:90/100 \
    --curve sketch:160/200 --curve supershingles:6x14:2 --curve buckets:7x3 \
    --curve pieces:12x32:384 --format json --svg curves.svg >curves.json
"$neardup" plan --curve bands:20x5 --curve supershingles:6x14:2 >curves.txt
python3 - <<'PYTHON'
import json, re, xml.dom.minidom
curves = {c["curve"]: c for c in json.load(open("curves.json"))}
known = {  # the notes of Gambosi; FineWeb; Lee et al.; Broder; IIR 19; Henzinger; Huang et al.
    "bands:20x5": {.3: .0475, .5: .470, .6: .802, .7: .975, .75: .9956, .8: .9996},
    "bands:14x8": {.5: .053, .6: .211, .75: .772, .8: .924, .85: .988},
    "bands:450x20": {.6: .016, .7: .302, .75: .761, .8: .995},
    "sketch:90/100": {.75: .0001, .8: .0057, .85: .099, .9: .583, .95: .9885},
    "sketch:160/200": {.7: .0009, .75: .058, .8: .542, .85: .978},
    "supershingles:6x14:2": {.7: .0007, .8: .026, .85: .120, .9: .415, .95: .879},
    "buckets:7x3": {.2: .055, .5: .61, .7: .947, .8: .993},
}
for name, figures in known.items():
    points = {round(s, 2): p for s, p in curves[name]["points"]}
    assert sorted(points) == [round(i / 20, 2) for i in range(21)], name
    for similarity, printed in figures.items():
        digits = len(str(printed).split(".")[1])
        assert abs(points[similarity] - printed) <= .5 * 10**-max(digits, 2) + 1e-9, (
            name, similarity, points[similarity], printed)
assert abs(curves["supershingles:6x14:2"]["half"] - .909) < .001
# 12 pieces of 32 bits: with 19 of 384 bits different (.95) most pairs still have a clean piece
pieces = {round(s, 2): p for s, p in curves["pieces:12x32:384"]["points"]}
assert pieces[1] == 1 and .94 < pieces[.95] < .98 and pieces[.5] < 1e-6
table = open("curves.txt").read().splitlines()
assert table[0].split() == ["similarity", "bands:20x5", "supershingles:6x14:2"]
steps = ["%.2f" % (step / 20) for step in range(21)]
assert [line.split()[0] for line in table[1:]] == [*steps, "half"], table
assert [line.split() for line in table if line.strip().startswith("0.80")] == [
    ["0.80", "0.999644", "0.025776"]], table
svg = xml.dom.minidom.parse("curves.svg")
assert len(svg.getElementsByTagName("polyline")) == 8
assert {t.firstChild.data for t in svg.getElementsByTagName("text")} >= set(curves)
assert not re.search(r"href|script|url\(", open("curves.svg").read())
PYTHON
# datasketch's choice for threshold .5 and 128 minima, with equal weights
"$neardup" plan --propose .5 --budget 128 >proposal
grep -q "bands:25x5 (125 minima" proposal || fail "not 25 x 5: $(head -1 proposal)"

# ---- a plan of a cluster
"$neardup" plan --pages 430000000 >cluster
[ "$(grep -cE '^ +(1|10) +(2|8|160) ' cluster)" -eq 3 ] || fail "not three machines: $(cat cluster)"
"$neardup" plan --pages 430000000 --nodes 10 --ranks-per-node 16 --memory 4G >cluster
grep -q '^runs     yes, if .* are free for the work folder$' cluster || fail "it does not say that it will go: $(cat cluster)"
grep -q "(as --memory says);" cluster || fail "it does not say whose memory: $(cat cluster)"
for stage in ingest content sign block verify join write all; do
    grep -q "^$stage " cluster || fail "no row $stage: $(cat cluster)"
done
"$neardup" plan --pages 430000000 --nodes 1 --ranks-per-node 2 --memory 4G >cluster
grep -q "^runs     no: 4096M is too little for a rank" cluster || fail "215 million pages in 4 GiB: $(cat cluster)"

# ---- what a plan says of a run over an archive, as its rates are of one: how well texts pack depends
# on what they repeat, which no sample shows. A crawl's stories are small.
synthesize() {
    "$neardup" synthesize -o "$1" --pages "$2" --seed 7 --page-bytes 8K --profile "$3" \
        --progress none
}
partition() {
    local ranks=$1
    shift
    mpirun -n "$ranks" "$neardup" partition --progress none "$@" 2>err || fail "$(cat err)"
}
synthesize small 1000 crawl
synthesize large 4000 archive
partition 3 'large/*.gz' -o large.h5 --memory 160M --work large.work
"$neardup" plan 'large/*.gz' --nodes 1 --ranks-per-node 3 \
    --memory 160M --format json >plan.json
python3 - "$work" <<'PYTHON'
import json, re, subprocess
def column(name):
    out = subprocess.run(["h5dump", "-y", "-w", "0", "-d", name, "large.h5"], text=True,
                         capture_output=True, check=True).stdout
    return [float(x) for x in re.search(r"DATA \{(.*?)\}", out, re.S).group(1).split(",")]
answer = json.load(open("plan.json"))
plan, = answer["plans"]
assert abs(answer["inputs"]["pages"] / 4000 - 1) < .05, answer["inputs"]
totals = {}
# the corpora differ, and the larger has more partners for a page; what is sent and kept follows
for name, planned, most in (("bytes_exchanged", "bytes_sent_per_rank", 1.4),
                            ("bytes_written", "bytes_written_per_rank", 1.4),
                            ("bytes_read", "bytes_read_per_rank", 1.5)):
    real = sum(column("/stages/" + name))
    said = 3 * sum(stage[planned] for stage in plan["stages"])
    print("plan: %s: %.2f MB said, %.2f MB real" % (name, said / 1e6, real / 1e6))
    assert 1 / most < said / real < most, (name, said, real)
real = max(column("/stages/peak_memory"))
assert .6 < plan["memory_per_rank"] / real < 1.7, (plan["memory_per_rank"], real)
PYTHON

# ---- pages inside of others: planned only where they are asked for
partition 2 'small/*.gz' -o contained.h5 --contained .8
"$neardup" plan 'small/*.gz' --nodes 1 --ranks-per-node 2 --contained yes --format json >plan.json
python3 - <<'PYTHON'
import json, re, subprocess
out = subprocess.run(["h5dump", "-y", "-w", "0", "-d", "/stages/bytes_exchanged", "contained.h5"], text=True,
                     capture_output=True, check=True).stdout
real = float(re.search(r"DATA \{(.*?)\}", out, re.S).group(1).split(",")[-2]) # before write
said = 2 * next(s for s in json.load(open("plan.json"))["plans"][0]["stages"] if s["name"] == "contain")[
    "bytes_sent_per_rank"]
print("plan: contain: %.2f MB said, %.2f MB real" % (said / 1e6, real / 1e6))
assert .4 < said / real < 2.5, (said, real)
PYTHON
"$neardup" plan 'small/*.gz' --nodes 1 --ranks-per-node 2 --contained yes >with
"$neardup" plan 'small/*.gz' --nodes 1 --ranks-per-node 2 >without
grep -q '^contain ' with || fail "no row contain: $(cat with)"
grep -q '^contain ' without && fail "a row contain without --contained: $(cat without)"
"$neardup" partition --dry-run 'small/*.gz' --contained .8 >asked 2>err || fail "$(cat err)"
grep -q '^contain ' asked || fail "--dry-run does not count --contained: $(cat asked)"

# ---- a plan has the stages that the run has, whatever the job, and the rates of that job
# rows FILE: the stages of a printed plan, a line for each.
rows() {
    sed -n '/^stage /,/^all /p' "$1" | sed '1d;$d' | cut -d ' ' -f 1
}
planned() {
    local rates=$1
    shift
    "$neardup" partition --dry-run 'small/*.gz' "$@" >said 2>err || fail "$*: $(cat err)"
    partition 2 'small/*.gz' -o real.h5 "$@"
    rows said >said.stages
    python3 - <<'PYTHON' >real.stages
import re, subprocess
def column(name):
    out = subprocess.run(["h5dump", "-y", "-w", "0", "-d", "/stages/" + name, "real.h5"], text=True,
                         capture_output=True, check=True).stdout
    return [int(x) for x in re.search(r"DATA \{(.*?)\}", out, re.S).group(1).split(",")]
offsets, text = column("name_offset"), bytes(column("name_bytes")).decode()
for begin, end in zip(offsets, offsets[1:]):
    print(text[begin:end])
PYTHON
    cmp -s said.stages real.stages || fail "$*: $(paste -sd ' ' said.stages) planned, $(paste -sd ' ' real.stages) run"
    grep -q "^rates    $rates" said || fail "$*: not with its rates: $(cat said)"
}
for method in exact sketch lsh broder simhash charikar cosine henzinger; do
    planned "--method $method, as" --method $method
    "$neardup" plan --pages 10000 --nodes 1 --method $method >out 2>err || fail "$(cat err)"
    [ "$(rows out)" = "$(cat real.stages)" ] || fail "plan --method $method: $(rows out)"
done
planned "--preset default, as" --preset safe
planned "--preset pku, as" --preset pku --contained .8
planned "--sets star, as" --sets star
planned "--method simhash, as" --preset pku --method simhash
"$neardup" plan --pages 430M --nodes 10 --ranks-per-node 16 --preset pku --memory 4G >out 2>err || fail "$(cat err)"
[ "$(rows out | paste -sd ' ')" = "ingest content sign block leaders write" ] || fail "the paper's own job: $(cat out)"
"$neardup" partition --dry-run 'small/*.gz' --write-index index -o x.h5 | grep -q '^index ' ||
    fail "an index is not said to be more"

# ---- --dry-run: the machine it was started on, and nothing written
mkdir dry
before=$(find . | LC_ALL=C sort)
mpirun -n 3 "$neardup" partition --dry-run 'large/*.gz' --work dry/work -o dry/out.h5 --memory 160M \
    >../dry-"$$" 2>err || fail "$(cat err)"
mv ../dry-"$$" dry-run
[ "$before" = "$(find . ! -name dry-run | LC_ALL=C sort)" ] || fail "a dry run writes something"
grep -q "on 1 nodes, 3 ranks with 168 MB each, with checkpoints" dry-run || fail "$(cat dry-run)"
if "$neardup" partition --dry-run missing.warc >out 2>err; then
    fail "a dry run of nothing"
fi
grep -q "missing.warc" err || fail "not named: $(cat err)"

# ---- a disk that is too small, or may be
mkdir disk
if mount -t tmpfs -o size=2m tmpfs disk 2>/dev/null; then
    for ranks in 1 2; do
        code=0
        mpirun -n $ranks "$neardup" partition 'large/*.gz' --work disk/work -o out.h5 --progress none \
            >out 2>err || code=$?
        [ "$code" -eq 1 ] || fail "exit code $code on a disk of 2 MB, $ranks ranks"
        [ "$(grep -c '^neardup: .*disk/work: too little space: .* GB, .* GB are free' err)" -eq 1 ] ||
            fail "not said on $ranks ranks: $(cat err)"
        [ ! -e out.h5 ] || fail "a result without space on $ranks ranks"
        rm -rf disk/work
    done
    "$neardup" plan 'large/*.gz' --nodes 1 --ranks-per-node 2 --format json >plan.json
    size=$(python3 -c 'import json
plan, = json.load(open("plan.json"))["plans"]
print(int(max(plan["disk_bytes"], plan["stages"][-1]["disk_bytes"] + plan["result_bytes"]) * 1.2))')
    mount -o remount,size="$size" disk
    mpirun -n 2 "$neardup" partition 'large/*.gz' --work disk/work -o out.h5 --progress none \
        >out 2>err || true
    grep -q "warning: disk/work: space may become short" err || fail "no warning: $(cat err)"
    umount disk
else
    echo "skipped in part: no tmpfs can be mounted here, so no disk is too small"
fi
