#!/usr/bin/env bash
# An index in pages, one a letter, beside the index of all letters: nothing but links tells a letter
# from the next, and each link stands on two pages. Every page is a set of its own.
# usage: letters.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
letters=(a b c d e f g h i j)
entries=(bo ca de fu gi ho ja ke lu mo na pe) # words without digits: a template may differ in them

# framed FILE TITLE: standard input in the frame of the site.
framed() {
    {
        echo "<h1>$2</h1>"
        cat
        echo "<p>This manual is published under a free licence; see the history and licence of this
            manual for details and for a full list of all those who wrote it over the years.</p>"
    } >"$folder/manual/$1.html"
}

# index_page NAME LETTER...: the entries of the letters.
index_page() {
    local letter entry
    for letter in "${@:2}"; do
        for entry in "${entries[@]}"; do
            echo "<li><a href=\"x.html#$letter$entry\">$letter$entry (class in module of$entry)</a></li>"
        done
    done | framed "index-$1" "Index - $1"
}

# on_page NAME SENTENCE: what only this page says.
on_page() {
    printf '<p>%s</p>\n' "$2" >>"$folder/manual/index-$1.html"
}

mkdir "$folder/manual"
for letter in "${letters[@]}"; do
    index_page "$letter" "$letter"
    on_page "$letter" "Classes and functions whose names begin with this letter, each with the module that has it."
done
index_page all "${letters[@]}"
on_page all "All names of this manual on one page, which takes a while to load on a slow line; see the letters."
for chapter in "${letters[@]:0:8}"; do
    printf "<p>$chapter%s</p>\n" "${entries[@]}" "${entries[@]/#/x}" | framed "chapter-$chapter" "On $chapter"
done
for ranks in 1 2; do
    partition "letters$ranks" "$ranks" "$folder/manual"
done
same letters1 letters2
sets=$("$neardup" export "$folder/letters1.h5" --what keep | tail -n +2 | wc -l)
pages=$("$neardup" export "$folder/letters1.h5" | tail -n +2 | wc -l)
[ "$pages" -eq 19 ] || fail "$pages pages, not 19"
[ "$sets" -eq 19 ] || fail "$sets sets of 19 pages: $("$neardup" inspect "$folder/letters1.h5" --largest 1)"
