#!/usr/bin/env bash
# Stricter sets of a result are those of a run by that threshold, to the byte; and what cannot be
# known is refused. Called as rethreshold.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"

# Families of edited pages on sites with a template, with copies of texts and of contents; chains, in
# which neighbours share most; a file of its own and a text; and a pair that is just at .75.
"$neardup" synthesize -o made --pages 300 --seed 3 --profile archive >log 2>&1 || fail "$(cat log)"
mkdir files
python3 - <<'TEXT'
import json, random
random.seed(8)
def sentence(n):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(n)).capitalize() + "."
rows = []
for site in range(4):
    common = [sentence(10) for _ in range(4)]
    for family in range(6):
        base = [sentence(10) for _ in range(24)]
        for copy in range(5):
            edited = list(base)
            for place in random.sample(range(24), (family + 1) * copy // 2):
                edited[place] = sentence(10)
            # a menu of its own: the content of copy 3 is that of copy 0, its text is not
            edited = base if copy == 3 else edited
            html = "<body><nav>%s</nav>%s" % (sentence(6), "".join("<p>%s</p>" % s for s in common + edited))
            rows.append(("s%d" % site if family % 2 else "f%d-%d" % (site, copy), html))
    rows.append(("elsewhere%d" % site, rows[-3][1]))
for chain in range(4):
    pool = [sentence(9) for _ in range(90)]
    for page in range(14):
        text = pool[4 * page:4 * page + 20 + page % 3]
        rows.append(("c%d-%d" % (chain, page), "".join("<p>%s</p>" % s for s in text)))
# forms: pages of one site that share all but one of ten sentences; two are twins, and one is copied
# elsewhere. To the second is similar what stands elsewhere: by a low threshold it is no form.
for form in range(2):
    base = [sentence(12) for _ in range(10)]
    texts = [base[:n % 10] + [sentence(12)] + base[n % 10 + 1:] for n in range(14)]
    texts += [texts[3] + [sentence(2)], texts[3], texts[4][:6] + [sentence(14), sentence(14)] + texts[4][8:]]
    for i, text in enumerate(texts[:16 + form]):
        rows.append(("form%d%s" % (form, "else" if i == 15 + form else ""), "".join("<p>%s</p>" % s for s in text)))
with open("own.jsonl", "w") as out:
    for i, (host, html) in enumerate(rows):
        out.write(json.dumps({"id": str(i), "url": "http://%s.example/%d" % (host, i), "html": html}) + "\n")
base = [sentence(12) for _ in range(20)]
for i in range(3):
    open("files/%d.html" % i, "w").write("".join("<p>%s</p>" % s for s in base[i:i + 18]))
    open("files/%d.txt" % i, "w").write("\n\n".join(base[2 * i:2 * i + 16]))
TEXT
inputs=(made own.jsonl news=files)

compared=0
# same T ARGUMENT...: of a run with these options, and by the threshold T.
same() {
    local threshold=$1
    shift
    "$neardup" partition "${inputs[@]}" "$@" --threshold "$threshold" --pairs keep --progress lines \
        -o direct.h5 2>log || fail "$(cat log)"
    "$neardup" rethreshold out.h5 --threshold "$threshold" -o strict.h5 2>said || fail "$*: $(cat said)"
    "$neardup" check strict.h5 >checked || fail "$*: $(cat checked)"
    compared=$((compared + $(sed -n 's/.* and \([0-9]*\) pairs compared$/\1/p' said)))
    "$compare" direct.h5 strict.h5 || fail "other sets by --threshold $threshold $*: $(cat said)"
    sets=$(sed -n 's/.*strict.h5: \([0-9]*\) sets.*/\1/p' said)
}
# run ARGUMENT...
run() {
    "$neardup" partition "${inputs[@]}" "$@" --pairs keep --progress lines -o out.h5 2>log || fail "$(cat log)"
}
run
before=0
for threshold in .46 .75 .9; do
    same "$threshold"
    [ "$sets" -ge "$before" ] || fail "fewer sets by $threshold"
    before=$sets
done
[ "$("$neardup" export direct.h5 --what keep | wc -l)" -eq $((sets + 1)) ] || fail 'not the number of sets that is said'

for options in "--slack 0 --site domain --templates 0 --record-pages join" \
    "--slack .02 --score jaccard --site-extra 0" "--method lsh"; do
    # shellcheck disable=SC2086 # words
    run $options
    # shellcheck disable=SC2086
    same .8 $options
done

# forms N: of the last run of partition.
forms() { grep -q "^forms: $1 sets" log || fail "not $1 forms: $(grep '^forms' log)"; }
alike=(--templates 0 --site-extra 0)
run "${alike[@]}"
forms 1
same .6 "${alike[@]}"
forms 2
"$neardup" explain strict.h5 http://form1.example/{200,201} | grep -q 'similar, but forms' || fail 'no word of a form'

[ "$compared" -gt 0 ] || fail 'no pair had to be compared again: the test asks for nothing'

# A stricter guard and pages that leave, of a result that is stricter than the first already.
run
"$neardup" partition "${inputs[@]}" --threshold .6 --slack .05 --min-confidence .9 --pairs keep --progress none -o direct.h5 2>log
"$neardup" rethreshold out.h5 --threshold .5 -o between.h5 2>log
"$neardup" rethreshold between.h5 --threshold .6 --slack .05 -o strict.h5 2>log || fail "$(cat log)"
"$compare" direct.h5 strict.h5 >/dev/null && fail 'nobody leaves: the test asks for nothing'
"$neardup" rethreshold between.h5 --threshold .6 --slack .05 --min-confidence .9 -o strict.h5 2>log || fail "$(cat log)"
"$compare" direct.h5 strict.h5 || fail 'other sets in two steps, with --slack and --min-confidence'

# wrong STATUS WORD ARGUMENT...
wrong() {
    local wanted=$1 word=$2 status=0
    shift 2
    "$neardup" rethreshold "$@" >said 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit code $status, not $wanted: $*: $(cat said)"
    [ "$(wc -l <said)" -eq 1 ] || fail "not one line: $*: $(cat said)"
    grep -qF -- "$word" said || fail "$*: no '$word' in: $(cat said)"
}
wrong 2 "below the run's" out.h5 --threshold .4 -o new.h5
wrong 2 '--threshold' out.h5 --threshold 1.5 -o new.h5
wrong 2 'needs --threshold' out.h5 -o new.h5
wrong 2 'needs --threshold' out.h5 --threshold .6
wrong 2 'another name' out.h5 --threshold .6 -o out.h5
"$neardup" partition own.jsonl --progress none -o bare.h5 2>log
wrong 2 '--pairs keep' bare.h5 --threshold .6 -o new.h5
wrong 2 '--min-confidence 0' direct.h5 --threshold .6 -o new.h5
"$neardup" partition own.jsonl --method simhash --pairs keep --progress none -o bits.h5 2>log
wrong 2 'simhash' bits.h5 --threshold .9 -o new.h5
echo mine >mine.txt
wrong 2 'mine.txt' out.h5 --threshold .6 -o mine.txt
mv own.jsonl gone.jsonl
wrong 1 'own.jsonl' out.h5 --threshold .75 -o new.h5
[ ! -e new.h5 ] || fail 'a result was written although something failed'
[ -z "$(find . -name '*.partial')" ] || fail 'something unfinished is left behind'
echo "rethreshold.sh: stricter sets are those of a run, to the byte"
