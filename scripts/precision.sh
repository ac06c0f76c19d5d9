#!/usr/bin/env bash
# What the program puts together in collections that have few near-duplicates, and how alike it is.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/precision.sh [--config OPTIONS]... [--list] [--neardup FILE] [--help]

Partitions collections of form pages, which look alike without being near-duplicates, each alone, and
prints how many pairs of pages end in one set, by the Jaccard coefficient of their distinct 4-token
shingles: at least .5, .3 to .5, below .3. The coefficient is of what was compared of the pages, after
content selection; besides, the share of pairs that reach .5 by their whole texts.

  libreoffice-help-zh-cn, -zh-tw  2,561 pages each; goal: .95 of the pairs reach .5
  python3.11-doc                  530 pages; goal: 2 pairs at most
  aeb, readability                main-content of NEARDUP_DATA; goal: 2 pairs at most. readability has
                                  test cases with one filler text, which are real copies

  --config OPTIONS  partition options in one word, as '--threshold .5 --slack .1'; may be repeated;
                    '' are the defaults. Without it: the defaults and what lies around them
  --list            also the pairs of the collections that should have none, by URL, and the least
                    alike of the others
  --neardup FILE    this program instead of build/release/neardup; tests/shingle_jaccard lies beside it

The packages are downloaded into build/packages. The table is also in build/precision/table.tsv, the
pairs of each run in build/precision/*.pairs.
TEXT
}

configs=()
list=no
neardup=
while [ $# -gt 0 ]; do
    case $1 in
    --config | --neardup)
        if [ $# -lt 2 ]; then
            echo "precision.sh: $1 needs a value" >&2
            exit 2
        fi
        case $1 in
        --config) configs+=("$2") ;;
        --neardup) neardup=$(realpath "$2") ;;
        esac
        shift
        ;;
    --list) list=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done
if [ ${#configs[@]} -eq 0 ]; then
    configs=('')
    for threshold in .4 .45 .5 .55 .6 .65 .7; do
        configs+=("--threshold $threshold")
    done
    for guard in 0 .05 .1 .15; do
        configs+=("--slack $guard")
    done
    for extra in 0 .05 .15; do
        configs+=("--site-extra $extra")
    done
    for score in jaccard runs r; do
        for threshold in .5 .55 .6; do
            configs+=("--score $score --threshold $threshold")
        done
    done
fi

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/support/guide_pages.sh
. tests/support/guide_pages.sh

# Pairs shown of a collection.
most_shown=20
out=build/precision
make_build_folder
mkdir -p "$out"
if [ -z "$neardup" ]; then
    neardup=build/release/neardup
    install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_TEST_PACKAGES[@]}"
    build release release neardup -DBUILD_TESTING=ON
    logged build-shingle_jaccard cmake --build build/release --target shingle_jaccard
fi
score_program=$(dirname "$neardup")/tests/shingle_jaccard
[ -x "$score_program" ] || die "there is no $score_program: build the target shingle_jaccard"
mpi_environment

# Collections by name; what is partitioned of each.
names=()
declare -A inputs
for package in libreoffice-help-zh-cn libreoffice-help-zh-tw python3.11-doc; do
    fetch_package "$package"
    names+=("$package")
    inputs[$package]=$package=build/packages/$package
done
# Only the HTML pages: the folder also has the source text of each.
list_pages build/packages/python3.11-doc >"$out/python3.11-doc.list"
inputs[python3.11-doc]=@$out/python3.11-doc.list
for name in aeb readability; do
    file=${NEARDUP_DATA:-}/main-content/$name.jsonl.gz
    if [ -f "$file" ]; then
        names+=("$name")
        inputs[$name]=$file
    else
        say "SKIPPED: $name: no main-content/$name.jsonl.gz in NEARDUP_DATA"
    fi
done

# count_pairs PAIRS: pairs, of these with J >= .5, .3 to .5, < .3, and >= .5 by the whole texts.
count_pairs() {
    awk -F '\t' -v OFS='\t' '
        $5 >= .5 {high++} $5 >= .3 && $5 < .5 {middle++} $5 < .3 {low++} $6 >= .5 {text++}
        END {print NR, high + 0, middle + 0, low + 0, text + 0}' "$1"
}

# show_pairs NAME PAIRS: those that should not be there.
show_pairs() {
    local most=1
    case $1 in libreoffice-*) most=.5 ;; esac
    sort -t "$(printf '\t')" -k 5,5n "$2" | awk -F '\t' -v most="$most" -v shown="$most_shown" '
        $5 <= most && shown-- > 0 {
            printf "    J %.2f (text %.2f), %d and %d tokens: %s  %s\n", $5, $6, $3, $4, $7, $8
        }'
}

printf 'options\tcollection\tpages\tpairs\t>=.5\t.3-.5\t<.3\tshare\tshare by text\n' >"$out/table.tsv"
column='%-38s %-23s %6s %6s %6s %6s %6s %6s %7s\n'
# shellcheck disable=SC2059 # the format is the table's
printf "$column" options collection pages pairs '>=.5' '.3-.5' '<.3' share 'by text'
for config in "${configs[@]}"; do
    read -ra options <<<"$config"
    title=${config:-(defaults)}
    run=$(tr -c 'A-Za-z0-9\n' _ <<<"$title")
    for name in "${names[@]}"; do
        result=$out/$name.$run.h5
        pairs=$out/$name.$run.pairs
        logged "precision-$name" mpirun -n 2 "$neardup" partition --progress lines "${options[@]}" \
            "${inputs[$name]}" -o "$result"
        pages=$(sed -n 's/^pages: \([0-9]*\) .*/\1/p' "build/logs/precision-$name.log")
        "$score_program" "$result" "${inputs[$name]}" >"$pairs" 2>build/logs/precision-score_program.log ||
            die "$(cat build/logs/precision-score_program.log)"
        rm -f "$result"
        count_pairs "$pairs" | awk -F '\t' -v OFS='\t' -v title="$title" -v name="$name" \
            -v pages="$pages" '{
                print title, name, pages, $0, ($1 ? $2 / $1 : "-"), ($1 ? $5 / $1 : "-")
            }' | cut -f 1-7,9- >>"$out/table.tsv"
        # shellcheck disable=SC2059
        tail -n 1 "$out/table.tsv" | awk -F '\t' -v column="${column}" '{
            printf column, $1, $2, $3, $4, $5, $6, $7, $8 == "-" ? $8 : sprintf("%.3f", $8),
                $9 == "-" ? $9 : sprintf("%.3f", $9)
        }'
        if [ "$list" = yes ]; then
            show_pairs "$name" "$pairs"
        fi
    done
done
say "the table is in $out/table.tsv; took $SECONDS s"
