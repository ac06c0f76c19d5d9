#!/usr/bin/env bash
# A chain of pages: each is similar to the next, and has no word in common with the tenth after it. No
# page is in a set with a representative to which it is not similar, so `drop` lists no page that has
# no similar page among those kept; on any number of ranks, and whether one rank could work on the
# chain within its memory or not. And what many hosts say joins no two of them.
# usage: chains.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun
pages=700

# make_chain PAGES: ten sentences of ten words that occur nowhere else, moved by a sentence from page
# to page; and copies of every 50th page
make_chain() {
    awk -v pages="$1" 'BEGIN {
        for (page = 0; page < pages; page++) {
            text = ""
            for (s = page; s < page + 10; s++) {
                for (word = 0; word < 10; word++) text = text sprintf("w%dx%d%s", s, word, word < 9 ? " " : ". ")
            }
            for (copy = 0; copy <= (page % 50 == 0); copy++)
                printf "{\"id\": \"%d\", \"url\": \"http://site%d.example/%d\", \"text\": \"%s\"}\n", page, page, copy, text
        }
    }'
}

# check_sets NAME LEAST: every similarity to the representative is at least so much; representatives
# are less than ten pages away; copies share a set; and some pages do share sets
check_sets() {
    "$neardup" export "$folder/$1.h5" >"$folder/$1.tsv"
    awk -F '\t' -v least="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        {
            id[$column["page"]] = $column["id"]
            representative[$column["page"]] = $column["representative"]
            wrong += $column["similarity"] < least
            if ($column["id"] in set && set[$column["id"]] != $column["set"]) apart++
            set[$column["id"]] = $column["set"]
            sets[$column["set"]]
        }
        END {
            for (page in id) {
                d = id[page] - id[representative[page]]
                wrong += d >= 10 || d <= -10
            }
            printf "%d pages, %d sets\n", NR - 1, length(sets)
            if (wrong + apart > 0 || NR < 2 || length(sets) > (NR - 1) / 3) {
                printf "%d pages not similar to their representative, %d copies apart\n", wrong, apart
                exit 1
            }
        }' "$folder/$1.tsv" || fail "$1: see above"
}

make_chain "$pages" >"$folder/chain.jsonl"
chain=("$folder/chain.jsonl" --templates 0 --threshold 0.46 --slack 0.15)
partition whole 0 "${chain[@]}"
check_sets whole 0.31
for ranks in 1 2 3 5; do
    partition "rounds$ranks" "$ranks" "${chain[@]}" --memory 16M
    same whole "rounds$ranks"
done

# what is dropped is similar to something that is kept
"$neardup" export --what keep "$folder/whole.h5" >"$folder/keep"
"$neardup" export --what drop "$folder/whole.h5" >"$folder/drop"
[ "$(wc -l <"$folder/keep")" -ge $((pages / 10)) ] || fail "kept: $(wc -l <"$folder/keep") of $pages pages"
[ -s "$folder/drop" ] || fail "nothing is dropped"

# What a server says on twelve hosts, among other words of each, joins no two of them; on six hosts it
# does, and so do pages that are all but the same. make_servers NAME HOSTS OWN: 60 common words of all
make_servers() {
    awk -v name="$1" -v hosts="$2" -v own="$3" 'BEGIN {
        for (host = 0; host < hosts; host++) {
            text = ""
            for (word = 0; word < 60; word++) text = text name word (word % 10 == 9 ? ". " : " ")
            for (word = 0; word < own; word++) text = text sprintf("h%dx%s%d ", host, name, word)
            printf "{\"id\": \"%s%d\", \"url\": \"http://%s%d.example/\", \"text\": \"%s\"}\n", name, host, name, host, text
        }
    }'
}
{ make_servers many 12 12 && make_servers few 6 12 && make_servers same 12 2; } >"$folder/servers.jsonl"
for ranks in 0 3; do
    partition "servers$ranks" "$ranks" "$folder/servers.jsonl" --write-index "$folder/servers$ranks.index"
    sizes=$("$neardup" export "$folder/servers$ranks.h5" | awk -F '\t' 'NR > 1 { sub("[0-9]+", "", $2); n[$2 " " $5]++ }
        END { for (set in n) { split(set, name, " "); print name[1], n[set] } }' | sort | uniq -c | tr -s '\n ' ' ')
    [ "$sizes" = " 1 few 6 12 many 1 1 same 12 " ] || fail "servers on $ranks ranks:$sizes"
done
same servers0 servers3
said=$("$neardup" explain "$folder/servers0.h5" many3 many7)
case $said in
*"short pages of two sites, and of such 0.76 is asked"*) ;;
*) fail "explain: $said" ;;
esac
{ make_servers many 13 12 && make_servers few 7 12; } | sed -n '13p;20p' >"$folder/asked.jsonl"
# A page of which a query is not sure joins no set; what was found is said all the same.
partition unsure 0 "$folder/servers.jsonl" --min-confidence 1 --write-index "$folder/unsure.index"
asked() {
    "$neardup" query "$folder/$1.index" <"$folder/asked.jsonl" |
        sed -E 's/.*"set":([^,}]*).*"confidence":(0\.[0-9]).*"page_id":"([a-z]*).*/\1 \2 \3/; s/.*"set":null}$/null/' | tr '\n' ' '
}
[ "$(asked servers0)" = 'null 12 0.9 few ' ] || fail "query: $(asked servers0)"
[ "$(asked unsure)" = 'null null 0.9 few ' ] || fail "query: $(asked unsure)"
