#!/usr/bin/env bash
# Every method and its variants: sets of every kind, and the pairs that are kept, hold what the method
# promises when all pages are compared with all (method_truth), and where the search loses nothing, no
# pair is missing; every option has an effect; wrong values are refused in one line. The pages are
# made here; 1,500 of those below NEARDUP_GUIDES are taken besides. Numbers of ranks: ranks.sh.
# usage: methods.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/generated_pages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/generated_pages.sh"
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
truth=$2/tests/method_truth
need python3

# check_truth NAME [--exact]: what was found is what comparing all pages says.
check_truth() {
    local said
    said=$("$truth" ${2:+"$2"} "$folder/$1.h5" "$input") || fail "$1: $said"
    printf '%s: %s\n' "$1" "$(tail -n 1 <<<"$said")"
}

# Searches that lose nothing: more bands, pieces or fixed blocks than units may differ, or keys for
# all that counts.
exact_searches=(
    "exact"
    "sketch"
    "sketch --minima 200 --threshold .8"
    "sketch --wrap-around on --thinning 4 --shingle-hash rabin"
    "broder"
    "broder --agree 1 --shingle-tokens 5"
    "broder --supershingles 8 --supershingle-minima 5 --agree 3 --wrap-around off"
    "simhash"
    "simhash --distance 6"
    "simhash --shingle-tokens 3 --distance 8 --simhash-blocks 10"
    "charikar --pieces 13"
    "charikar --agree 355 --pieces 30"
    "charikar --bits 192 --shingle-tokens 2"
    "henzinger"
    "broder --shingle-counts on --agree 1 --shingle-tokens 3"
    "henzinger --filter-bits 355"
    "henzinger --filter-tokens 2 --filter-bits 340"
    "henzinger --henzinger site-variant --pieces 13"
    "henzinger --henzinger union --filter-bits 355 --pieces 13"
)
other_searches=(
    "lcs"
    "lsh"
    "lsh --verify off"
    "lsh --bands 50 --rows 3 --threshold .5 --thinning 3 --wrap-around on --shingle-hash rabin"
    "charikar"
    "cosine"
    "cosine --preset pku --sets guarded"
)

# check_components EXACT SEARCH: with all candidates of a key, and without a guard.
check_components() {
    local words
    read -r -a words <<<"$2"
    partition components 0 "$input" --method "${words[@]}" --sets components --group-pairs 4096 \
        --pairs keep
    check_truth components ${1:+--exact} | sed "s/^components/$2/"
}

check_all_components() {
    local search
    for search in "${exact_searches[@]}"; do
        check_components exact "$search"
    done
    for search in "${other_searches[@]}"; do
        check_components "" "$search"
    done
}

# With a guard, and around leaders, in turn: what makes sets does not know of methods.
check_all_kinds() {
    local words search kind=guarded
    for search in "${exact_searches[@]}" "${other_searches[@]}"; do
        read -r -a words <<<"$search"
        if [ "$kind" = guarded ]; then
            partition guarded 0 "$input" --method "${words[@]}" --sets guarded --pairs keep
        else
            partition star 0 "$input" --method "${words[@]}" --sets star
        fi
        check_truth "$kind" >/dev/null
        kind=$([ "$kind" = guarded ] && echo star || echo guarded)
    done
}

input=$folder/pages
make_pages "$input"
check_all_components
check_all_kinds

# ---- a method comes with its own options wherever it stands; the last one counts
partition plain 0 "$input" --method lsh
partition front 0 "$input" --bands 25 --threshold .7 --method lsh --rows 5 --verify on --shingle-tokens 5 \
    --wrap-around off --thinning 1 --shingle-hash xxhash --site-extra 0 --slack .15
partition last 0 "$input" --method broder --method lsh
same plain front
same plain last

# ---- each option has an effect
check_effects "--method sketch" "--threshold .7" "--minima 50" "--shingle-tokens 2" "--thinning 5" "--seed 1" \
    "--shingle-hash rabin" "--wrap-around on" "--bands 5 --threshold .85" "--slack 0 --threshold .6"
check_effects "--method lsh --threshold .5" "--threshold .8" "--bands 6" "--rows 9 --threshold .7" \
    "--shingle-tokens 9" "--thinning 5" "--verify off" "--wrap-around on" \
    "--shingle-counts on --shingle-tokens 1"
check_effects "--method lsh --verify off" "--shingle-hash rabin" "--seed 1"
check_effects "--method broder" "--agree 1" "--supershingles 5" "--supershingle-minima 7" "--shingle-tokens 4" \
    "--thinning 5" "--shingle-hash xxhash" "--seed 1"
check_effects "--method simhash" "--distance 7" "--shingle-tokens 2" "--seed 1"
check_effects "--method charikar" "--agree 340 --pieces 40" "--bits 256" "--shingle-tokens 2" "--seed 1"
check_effects "--method cosine" "--threshold .7" "--threshold .98" "--buckets 1" "--sets star"
check_effects "--method henzinger" "--filter-bits 380" "--filter-tokens 3" "--henzinger union --pieces 20" \
    "--agree 1 --filter-bits 350"
check_effects "--method henzinger --henzinger union --filter-bits 355 --charikar-bits 356 --pieces 30" \
    "--charikar-bits 384"
"$neardup" synthesize -o "$folder/sites" --pages 400 --seed 3 >"$folder/log" 2>&1
input=$folder/sites
check_effects "--method henzinger" "--henzinger site-variant" # what is between sites

# Two pages that differ in an image alone; a page mirrored with its image, and the same with none.
python3 - "$folder/images.jsonl" <<'PYTHON'
import json, random, sys
random.seed(372)
text = " ".join("".join(random.choices("abcdefghij", k=5)) for _ in range(30))
with open(sys.argv[1], "w") as file:
    for number, (host, image) in enumerate([
            ("a.example", "/one.png"), ("a.example", "/two.png"), ("b.example", "/one.png"),
            ("c.example", "http://a.example/one.png"), ("d.example", "http://a.example/one.png")]):
        file.write(json.dumps({"id": str(number), "url": "http://%s/" % host,
                               "html": "<p>%s</p><img src='%s'>" % (text, image)}) + "\n")
PYTHON
input=$folder/images.jsonl
sets_of_images() {
    partition images 0 "$input" --method exact "$@"
    "$neardup" export "$folder/images.h5" | awk -F '\t' 'NR > 1 { printf "%s", $5 }'
}
[ "$(sets_of_images --image-terms on)" = 01022 ] || fail "--image-terms on: $(sets_of_images --image-terms on)"
[ "$(sets_of_images)" = 00000 ] || fail "images count without being asked for"
partition with 0 "$input" --method charikar
partition without 0 "$input" --method charikar --image-terms off
differ with without
python3 - "$folder/urls.jsonl" <<'PYTHON'
import json, sys
words = " ".join("word%d" % i for i in range(30))
with open(sys.argv[1], "w") as file:
    for number, url in enumerate(["http://a.example/x", "http://a.example/x", "http://a.example/y", "http a example x"]):
        file.write(json.dumps({"id": str(number), "text": "%s See %s." % (words, url)}) + "\n")
PYTHON
sets_of_urls() {
    partition urls 0 "$folder/urls.jsonl" --method exact "$@"
    "$neardup" export "$folder/urls.h5" | awk -F '\t' 'NR > 1 { printf "%s", $5 }'
}
[ "$(sets_of_urls)" = 0010 ] || fail "URLs are words: $(sets_of_urls)"
[ "$(sets_of_urls --text-urls term)" = 0012 ] || fail "--text-urls term: $(sets_of_urls --text-urls term)"
[ "$(sets_of_urls --text-urls none)" = 0001 ] || fail "--text-urls none: $(sets_of_urls --text-urls none)"
echo "options: $effects have an effect"

# ---- wrong values are refused, in one line that names them (numbers beyond their limits: limits.sh)
check_refused <<'TEXT'
--method minhash
--bands 20
--score r --method lsh
--threshold .5 --method simhash
--threshold 0 --method cosine
--agree 2 --method sketch
--rows 25 --threshold .5 --method lsh
--bands 2 --threshold .5 --method lsh
--bands 1 --method sketch
--wrap-around yes --method lsh
--verify maybe --method lsh
--shingle-hash md5 --method lsh
--agree 385 --method charikar
--agree 300 --method charikar
--henzinger both --method henzinger
--charikar-bits 360 --henzinger union --method henzinger
--pieces 1 --henzinger union --method henzinger
--image-terms yes
--text-urls on
--sets stars
--pairs yes
--pairs keep --sets star
--pairs keep --preset pku
--slack .96 --method simhash
TEXT
echo "values: $refused wrong ones are refused"
# a search in which few of the pairs meet is refused above, but not where both of its figures are named
partition rare 0 "$input" --bands 5 --rows 25 --threshold .5 --method lsh

if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    find "$NEARDUP_GUIDES" -name '*.html' | LC_ALL=C sort |
        awk 'NR % 7 == 1 && n++ < 1500' >"$folder/list"
    input=@$folder/list
    echo "pages of the guides:"
    check_all_components
fi
