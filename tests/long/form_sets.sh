#!/usr/bin/env bash
# A form filled with other data, and a story edited again and again: on one site, pages of either are
# about as alike. The story's editions come in twins, the form's do not: they are apart, the same on
# any number of ranks and after a stop; explain says why; over two sites nothing is a form; copies
# follow the page that they are copies of. Pages of HTML whose addresses name different things are no
# twins, however alike.
# usage: form_sets.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun

# page ID HOST KIND NUMBER TWIN: 100 words of KIND, of which a sixth part is NUMBER's own, and two words
# TWIN's; with no HOST, without a URL.
page() {
    awk -v id="$1" -v host="$2" -v kind="$3" -v number="$4" -v twin="$5" 'BEGIN {
        letters = "abcdefghijklmnopqrstuvwxyz"
        text = "about " kind " things"
        for (s = 0; s < 10; s++) {
            for (w = 0; w < 10; w++)
                text = text " " (s == number % 10 ? substr(letters, number + 1, 1) "x" : kind) \
                    substr(letters, s + 1, 1) substr(letters, w + 1, 1)
            text = text (s == 5 ? " " twin : "") "."
        }
        url = host == "" ? "" : "\"url\": \"http://" host ".example/" id "\", "
        printf "{\"id\": \"%s\", %s\"text\": \"%s\"}\n", id, url, text
    }'
}

for n in {0..13}; do page "form$n" one form "$n" ""; done >"$folder/pages.jsonl"
page copy3 two form 3 "" >>"$folder/pages.jsonl"                    # of form3, to the byte
page twin3 one form 3 almost >>"$folder/pages.jsonl"                 # all but the same
for n in {0..6}; do
    page "story$n" one story "$n" "" >>"$folder/pages.jsonl"
    page "again$n" one story "$n" said >>"$folder/pages.jsonl"
done
for n in {0..13}; do
    page "wide$n" "host$((n % 2))" wide "$n" ""
    page "lone$n" "" lone "$n" ""
    page "some$n" "$([ "$n" -eq 5 ] || echo some)" some "$n" ""
done >>"$folder/pages.jsonl"
# html ID NAME KIND NUMBER: 100 words of KIND, of which two at the end are NUMBER's own.
html() {
    awk -v id="$1" -v name="$2" -v kind="$3" -v number="$4" 'BEGIN {
        letters = "abcdefghijklmnopqrstuvwxyz"
        for (s = 0; s < 10; s++) {
            text = text "<p>"
            for (w = 0; w < 10; w++)
                text = text " " (s == 9 && w > 7 ? substr(letters, number + 1, 1) "x" : kind) \
                    substr(letters, s + 1, 1) substr(letters, w + 1, 1)
        }
        printf "{\"id\": \"%s\", \"url\": \"http://one.example/%s.html\", \"html\": \"%s\"}\n",
            id, name, text
    }'
}
letters=(a b c d e f g h i j k l m n)
for n in {0..13}; do
    html "member$n" "class-${letters[n]}" member "$n"
    html "edition$n" "edition-$n" edition "$n"
done >>"$folder/pages.jsonl"
# what certainty takes out (certainty.sh) stays: the forms alone are looked at
run=("$folder/pages.jsonl" --templates 0 --site-extra 0 --min-confidence 0)

# set_of NAME ID: of a page of NAME.tsv.
set_of() { awk -F '\t' -v id="$2" '$2 == id { print $5 }' "$folder/$1.tsv"; }
# sets_of NAME PATTERN: how many sets the pages are in whose ids match.
sets_of() { awk -F '\t' -v id="^$2[0-9]+$" '$2 ~ id { print $5 }' "$folder/$1.tsv" | sort -u | wc -l; }

for ranks in 1 2 3 5; do
    partition "apart$ranks" "$ranks" "${run[@]}"
    same apart1 "apart$ranks"
done
"$neardup" export "$folder/apart1.h5" >"$folder/apart1.tsv"
[ "$(sets_of apart1 form)" -eq 14 ] || fail "forms are in $(sets_of apart1 form) sets, not 14"
[ "$(sets_of apart1 'story|again')" -ne 1 ] && fail "a story is parted"
[ "$(sets_of apart1 wide)" -eq 1 ] || fail "pages of two sites are parted"
[ "$(sets_of apart1 lone)" -eq 14 ] || fail "forms of no site are in $(sets_of apart1 lone) sets, not 14"
[ "$(sets_of apart1 some)" -eq 1 ] || fail "pages of a site and one of none are parted"
[ "$(set_of apart1 copy3)" = "$(set_of apart1 form3)" ] || fail "a copy is apart"
[ "$(set_of apart1 twin3)" = "$(set_of apart1 form3)" ] || fail "a twin is apart"
[ "$(sets_of apart1 member)" -eq 14 ] || fail "members are in $(sets_of apart1 member) sets, not 14"
[ "$(sets_of apart1 edition)" -eq 1 ] || fail "editions are in $(sets_of apart1 edition) sets, not 1"
grep -q '^forms: 3 sets of 43 pages' "$folder/apart1.log" || fail "no word of the form: $(grep forms "$folder/apart1.log")"
"$neardup" check "$folder/apart1.h5" >/dev/null || fail "check"
"$neardup" explain "$folder/apart1.h5" http://one.example/form1 http://one.example/form2 >"$folder/why"
grep -q 'similar, but forms filled with other data' "$folder/why" || fail "explain: $(grep 'sets\|similar' "$folder/why")"

partition together 2 "${run[@]}" --record-pages join
"$neardup" export "$folder/together.h5" >"$folder/together.tsv"
[ "$(sets_of together form)" -eq 1 ] || fail "--record-pages join: $(sets_of together form) sets"

# stopped after the join, and resumed on another number of ranks
if mpirun -n 2 "$neardup" partition "${run[@]}" --work "$folder/work" -o "$folder/resumed.h5" \
    --fault result:0:1 --progress none >/dev/null 2>&1 </dev/null; then
    fail "the fault did not strike"
fi
[ -n "$(ls "$folder/work")" ] || fail "nothing was kept"
partition resumed 3 "${run[@]}" --work "$folder/work" --resume
same apart1 resumed
