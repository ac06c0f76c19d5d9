#!/usr/bin/env bash
# Looks for forged pages that get into the set of another text. Each round makes a text up, and pages
# of words that collide with its words by a seed that a stranger may know or guess: none (plain XXH3),
# 1, that of the text alone, that of the crawl before the page came, of the forged pages alone. By its
# seed a page has to join the text's set, or the round shows nothing; in a run that has the text, the
# pages and a crawl, none may. ND_FORGE_SECONDS says how long it looks at least (60), and it looks until a
# round has shown something, of which there are five at most; ND_TEST_SEED begins.
# usage: forged.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
collisions=$2/tests/collisions
cd "$folder"
seconds=${ND_FORGE_SECONDS:-60}
search=12 # billions of words for each page: nine words in ten then have another of the same hash
seed=${ND_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "forged.sh: ND_TEST_SEED=$seed"
"$neardup" synthesize -o made --pages 60 --shard-pages 60 --page-bytes 4000 --seed 9 --format jsonl >log 2>&1
mkdir crawl forged
mv made/*.jsonl crawl/

# write_text NUMBER: a text of its own words.
write_text() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        for (k = 0; k < 24; k++) words[k] = word()
        for (line = 0; line < 3; line++) {
            for (i = 0; i < 12; i++) printf "%s%s", words[int(24 * rand())], i < 11 ? " " : ".\n"
        }
    }
    function word(  i, text) {
        text = ""
        for (i = 0; i < 7; i++) text = text sprintf("%c", 97 + int(26 * rand()))
        return text
    }'
}

# page ID FILE: a text as a line of JSONL.
page() {
    printf '{"id":"%s","url":"http://%s.example/","text":"%s"}\n' "$1" "$1" "$(sed -z 's/\n/\\n/g' "$2")"
}

seed_of() { "$neardup" inspect "$1" | sed -n 's/.*"hash_seed":\([0-9]*\).*/\1/p'; }
set_of() { "$neardup" export "$1.h5" | awk -F '\t' -v id="$2" '$2 == id { print $5 }'; }

rounds=0 pages=0 joined=0
until [ "$SECONDS" -ge "$seconds" ] && { [ "$joined" -gt 0 ] || [ "$rounds" -ge 5 ]; }; do
    write_text "$RANDOM" >text
    rm -f forged/* crawl/own.jsonl
    page own text >crawl/own.jsonl
    partition alone 0 crawl/own.jsonl
    partition before 0 crawl
    guesses="1 $(seed_of alone.h5) $(seed_of before.h5)"
    [ "$rounds" -eq 0 ] || guesses="$guesses $last"
    for seed in $guesses; do
        "$collisions" "$seed" "$search" <text >words 2>>log
        page "forged$seed" words >"forged/$seed.jsonl"
        partition known 0 --hash-seed "$seed" crawl/own.jsonl "forged/$seed.jsonl"
        [ "$(set_of known own)" != "$(set_of known "forged$seed")" ] || joined=$((joined + 1))
    done
    partition forged 0 forged
    last=$(seed_of forged.h5) # that a later page may be made for
    for preset in default safe; do
        partition run 0 --preset "$preset" crawl forged
        for seed in $guesses; do
            [ "$(set_of run own)" != "$(set_of run "forged$seed")" ] ||
                fail "$preset: a page forged for seed $seed is in the set of $(cat text): $(cat "forged/$seed.jsonl")"
            pages=$((pages + 1))
        done
    done
    rounds=$((rounds + 1))
    echo "$SECONDS s: $rounds rounds; $joined pages join by their own seed, none of $pages by a run's"
done
[ "$joined" -gt 0 ] || fail "no page collides even by its own seed"
echo "no forged page is in the set of another text"
