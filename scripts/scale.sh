#!/usr/bin/env bash
# How sets, work and traffic grow with the number of real pages.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/scale.sh [--work FOLDER] [--sample N]... [--config OPTIONS]... [--seed N]
                        [--package NAME]... [--neardup FILE] [--help]

Downloads 26 Debian documentation packages (some 61,000 HTML pages; 350 MB packed, 2 GB unpacked),
partitions nested samples of their pages with two processes, each package a site of its own, and
prints how the work and the largest sets grow: beside it, what a prototype of the same design found
on 63,752 pages of 40 such packages.

  --work FOLDER     lists and results go here (build/scale); the packages to build/packages
  --sample N        pages of a sample, 0 for all; may be repeated (5000, 20000, 0)
  --config OPTIONS  partition options in one word, as '--score r --threshold .55'; may be repeated;
                    '' are the defaults ('', '--score r --threshold .55')
  --seed N          of the shuffle that the samples begin (1)
  --package NAME    one more package of Debian's; may be repeated
  --neardup FILE    this program, instead of building build/release

The guides are taken from NEARDUP_GUIDES, if set: a folder that holds them unpacked, one sub-folder
each. The table is also in FOLDER/table.tsv.
TEXT
}

work=build/scale
samples=()
configs=()
seed=1
neardup=
more=()
while [ $# -gt 0 ]; do
    case $1 in
    --work | --sample | --config | --seed | --package | --neardup)
        if [ $# -lt 2 ]; then
            echo "scale.sh: $1 needs a value" >&2
            exit 2
        fi
        case $1 in
        --work) work=$(realpath -m "$2") ;;
        --sample) samples+=("$2") ;;
        --config) configs+=("$2") ;;
        --seed) seed=$2 ;;
        --package) more+=("$2") ;;
        --neardup) neardup=$(realpath "$2") ;;
        esac
        shift
        ;;
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
if [ ${#samples[@]} -eq 0 ]; then
    samples=(5000 20000 0)
fi
if [ ${#configs[@]} -eq 0 ]; then
    configs=('' '--score r --threshold .55')
fi

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/support/guide_pages.sh
. tests/support/guide_pages.sh

for number in "$seed" "${samples[@]}"; do
    case $number in
    '' | *[!0-9]*) die "$number: --seed and --sample must be whole numbers" ;;
    esac
done

architectures=(amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x)
# Families of near-duplicates (versions), of form pages (openjdk, LibreOffice), of translations.
packages=(debian-handbook libboost1.74-doc libboost1.81-doc libreoffice-help-zh-cn
    libreoffice-help-zh-tw libstdc++-11-doc libstdc++-12-doc linux-doc-6.1 linux-doc-6.12 llvm-13-doc
    llvm-14-doc llvm-15-doc llvm-16-doc llvm-19-doc openjdk-17-doc postgresql-doc-15 python3.11-doc
    "${more[@]}")

make_build_folder
mkdir -p "$work"
if [ -z "$neardup" ]; then
    neardup=build/release/neardup
    install_packages "${ND_BUILD_PACKAGES[@]}"
    build release release neardup
fi
command -v python3 >/dev/null || die "needs python3 to shuffle the pages"
mpi_environment

# ---- pages

if [ -z "${NEARDUP_GUIDES:-}" ]; then
    fetch_guides "${architectures[@]}"
fi
for package in "${packages[@]}"; do
    fetch_package "$package"
done
{
    list_guide_pages "${NEARDUP_GUIDES:-$ND_GUIDES}"
    list_pages "${packages[@]/#/build/packages/}"
} >"$work/all.list"
# shuffle SEED: lines in another order, the same on every machine.
shuffle() {
    python3 -c 'import random, sys
lines = sys.stdin.readlines()
random.Random(int(sys.argv[1])).shuffle(lines)
sys.stdout.writelines(lines)' "$1"
}
shuffle "$seed" <"$work/all.list" >"$work/shuffled.list"
all=$(wc -l <"$work/all.list")
say "$all pages of $((${#architectures[@]} + ${#packages[@]})) sites"
if [ "$all" -lt 60000 ]; then
    say "fewer than 60,000 pages: these packages have changed"
fi

# ---- runs

# partition LOG OPTION...: the sample in $list to $work/result.h5.
partition() {
    local log=$1
    shift
    logged "$log" mpirun -n 2 "$neardup" partition --progress lines "$@" "@$list" \
        -o "$work/result.h5"
}

# from_log LOG: exact copies, candidates, pairs within the bounds, similar pairs, verify's bytes per
# page, seconds, MB of the larger rank.
from_log() {
    awk -v OFS='\t' '
        function before(word, i) {
            for (i = 1; i < NF; i++) if (index($(i + 1), word) == 1) return $i
        }
        / MB exchanged, .* MB peak$/ {peak = $(NF - 2) > peak ? $(NF - 2) : peak}
        /^verify .*MB exchanged/ {sent = $0; sub(/ MB exchanged.*/, "", sent); sub(/.* /, "", sent)}
        /^pages: / {pages = $2; exact = $3; sub(/\(/, "", exact)}
        /^pairs: / {candidates = $2; pairs = before("within"); similar = before("similar")}
        /^time: / {seconds = $2}
        END {print exact, candidates, pairs, similar, 1e6 * sent / pages, seconds, peak}
    ' "build/logs/$1.log"
}

# sent_by_block LOG: bytes per page that all processes exchange to find pairs.
sent_by_block() {
    awk '
        /^block .*MB exchanged/ {sub(/ MB exchanged.*/, ""); sub(/.* /, ""); sent = $0}
        /^pages: / {print 1e6 * sent / $2}
    ' "build/logs/$1.log"
}

# sizes: of the largest set in $work/result.h5, in pages and in distinct contents (a page whose link
# has similarity 1 is a copy of that content); pages in sets of more than 100; copies of contents.
sizes() {
    "$neardup" export "$work/result.h5" | awk -F '\t' -v OFS='\t' '
        NR > 1 {pages[$5]++; if ($8 != $1 && $9 == 1) copies++; else contents[$5]++}
        END {
            for (set in pages) {
                if (pages[set] > most) most = pages[set]
                if (contents[set] > distinct) distinct = contents[set]
                if (pages[set] > 100) large += pages[set]
            }
            print most + 0, distinct + 0, large + 0, copies + 0
        }'
}

# measure OPTIONS PAGES: a row of the table.
measure() {
    local title=$1 pages=$2 options figures sent sets components
    read -ra options <<<"$title"
    list=$work/$pages.list
    head -n "$pages" "$work/shuffled.list" >"$list"
    partition scale-guard "${options[@]}"
    figures=$(from_log scale-guard)
    sent=$(sent_by_block scale-guard)
    sets=$(sizes)
    partition scale-no-guard "${options[@]}" --slack 0
    components=$(sizes)
    rm -f "$work/result.h5" "$list"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${title:-(defaults)}" "$pages" "$figures" "$sets" "$components" \
        "$sent"
}

# The columns of `rows` as a table for people.
show() {
    awk -F '\t' '
        function thousand(number) {
            if (number >= 1000000) return sprintf("%.2f M", number / 1e6)
            return number >= 10000 ? sprintf("%.1f k", number / 1e3) : number
        }
        {
            if ($1 != options) {
                options = $1
                printf "\n%s\n%7s %7s %7s %8s %8s %8s %6s %7s %11s %11s %7s %7s %6s %7s\n", options,
                    "pages", "exact", "content", "candi-", "within", "similar", "scores", "bytes",
                    "component", "final set", "in sets", "seconds", "MB", "to find"
                printf "%7s %7s %7s %8s %8s %8s %6s %7s %11s %11s %7s %7s %6s %7s\n", "", "copies",
                    "copies", "dates", "bounds", "pairs", "/page", "/page", "all/dist.",
                    "all/dist.", "> 100", "", "peak", "/page"
            }
            printf "%7d %7d %7d %8s %8s %8s %6.2f %7.0f %11s %11s %6.1f%% %7.1f %6d %7.0f\n", $2, $3,
                $13, thousand($4), thousand($5), thousand($6), $5 / $2, $7, $14 "/" $15, $10 "/" $11,
                100 * $12 / $2, $8, $9, $18
        }' "$1"
}

rows=$work/table.tsv
: >"$rows"
for config in "${configs[@]}"; do
    for sample in "${samples[@]}"; do
        if [ "$sample" -eq 0 ] || [ "$sample" -gt "$all" ]; then
            sample=$all
        fi
        say "partition: ${config:-(defaults)}, $sample pages"
        measure "$config" "$sample" >>"$rows"
    done
done
show "$rows"
cat <<'TEXT'

component: the largest of verified pairs (--slack 0); final set: the largest with the guard; each in
pages / in distinct contents. scores: comparisons of pairs within the bounds; bytes: exchanged in
verify by two processes; to find: those exchanged in block. A prototype on 63,752 pages of 40 packages, threshold .5 on common runs:

  pages   content  candi-   within  similar  scores  component   final set
          copies   dates    bounds  pairs    /page   all/dist.   all/dist.
   5,000       -        -        -        -      -      24/7        24/7
  20,000       -        -        -        -      -     260/30      152/28
  63,752  20,049   157.8 k   64.0 k   44.0 k   1.00   1,211/110    482/109
TEXT
sed -i '1i options\tpages\texact copies\tcandidates\twithin bounds\tsimilar\tverify bytes per page\tseconds\tpeak MB\tlargest set\tin contents\tpages in sets > 100\tcontent copies\tlargest component\tin contents\tpages in components > 100\tcontent copies without guard\tblock bytes per page' "$rows"
say "the table is in $rows; took $SECONDS s"
