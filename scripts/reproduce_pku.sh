#!/usr/bin/env bash
# The tables of Huang, Wang and Li (CIKM 2008) and of Henzinger (SIGIR 2006), remade.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/reproduce_pku.sh [OPTION...]

Makes corpora of which the truth is known (neardup synthesize), partitions them by the methods of
both papers and by the default, and remakes the papers' tables, each figure beside the published one.

  --pages N        pages of a corpus (20000)
  --page-bytes N   mean length of a page's HTML (23000)
  --ranks R        processes of a run (2)
  --seeds "S..."   seeds of the corpora to report on (101 102 103); tuning has its own, 1
  --profile NAME   archive, crawl or both (both)
  --tables LIST    some of pku,stages,henzinger,classes,tuning with commas between (the first four)
  --methods LIST   of simhash-guarded,cosine,cosine-content those to run beside simhash, LCS and the
                   default (all three; none)
  --growth "N..."  other sizes of the first seed's corpora, for the table of growth (3000; none: "")
  --stage-pages N  pages of the sample on which stages one and two are left out (240); time grows
                   with its square
  --labelled       besides: the labelled sets of NEARDUP_DATA/labelled
  --quick          pages of 8000 bytes, seed 101 alone, --stage-pages 120
  -o, --output DIR results, tables and plots go here (build/reproduce)
  --neardup FILE   this program, instead of building build/release
  --help           this text

Runs whose results are in DIR already are not run again: the same command goes on where it was
interrupted, and other seeds, profiles, sizes and tables can be added. In DIR: report.html, one page with
every table and plot, and what follows; tables.md; a CSV per table; SVG plots. NEARDUP_LAUNCHER starts a run where it is not `mpirun -n` (slurm/reproduce_pku.sbatch).
TEXT
}

pages=20000
page_bytes=23000
ranks=2
seeds=(101 102 103)
profile=both
tables=pku,stages,henzinger,classes
methods=simhash-guarded,cosine,cosine-content
stage_pages=240
growth=(3000)
stage_page_bytes=8000
labelled=no
out=
neardup=
while [ $# -gt 0 ]; do
    case $1 in
    --pages | --page-bytes | --ranks | --seeds | --profile | --tables | --methods | \
        --stage-pages | --growth | -o | --output | --neardup)
        if [ $# -lt 2 ]; then
            echo "reproduce_pku.sh: $1 needs a value" >&2
            exit 2
        fi
        case $1 in
        --pages) pages=$2 ;;
        --page-bytes) page_bytes=$2 ;;
        --ranks) ranks=$2 ;;
        --seeds) read -ra seeds <<<"${2//,/ }" ;;
        --profile) profile=$2 ;;
        --tables) tables=$2 ;;
        --methods) methods=$2 ;;
        --stage-pages) stage_pages=$2 ;;
        --growth) read -ra growth <<<"${2//,/ }" ;;
        -o | --output) out=$(realpath -m "$2") ;;
        --neardup) neardup=$(realpath "$2") ;;
        esac
        shift
        ;;
    --labelled) labelled=yes ;;
    --quick)
        page_bytes=8000
        seeds=(101)
        stage_pages=120
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

# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for number in "$pages" "$page_bytes" "$ranks" "$stage_pages" "${growth[@]}" "${seeds[@]}"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || die "$number: pages, bytes, ranks and seeds are whole numbers above 0"
done
[ ${#seeds[@]} -gt 0 ] || die "--seeds: at least one is needed"
case $profile in
both) profiles=(archive crawl) ;;
archive | crawl) profiles=("$profile") ;;
*) die "--profile $profile: must be archive, crawl or both" ;;
esac
for table in ${tables//,/ }; do
    case $table in
    pku | stages | henzinger | classes | tuning) ;;
    *) die "--tables $tables: must be some of pku,stages,henzinger,classes,tuning" ;;
    esac
done
for method in ${methods//,/ }; do
    case $method in
    simhash-guarded | cosine | cosine-content | none) ;;
    *) die "--methods $methods: must be none, or some of simhash-guarded,cosine,cosine-content" ;;
    esac
done
dev_seed=1
# Thresholds are chosen on fewer pages than figures are reported on.
tuning_pages=5000
for seed in "${seeds[@]}"; do
    [ "$seed" != "$dev_seed" ] || die "--seeds $seed: thresholds are tuned on this seed; report on others"
done
if [ "$labelled" = yes ] && [ ! -d "${NEARDUP_DATA:-}/labelled" ]; then
    die "--labelled: set NEARDUP_DATA to the folder of labelled data (it has a folder 'labelled')"
fi

make_build_folder
out=${out:-$ND_ROOT/build/reproduce}
read -ra launch <<<"${NEARDUP_LAUNCHER:-mpirun -n}"
alone=()
if [ -n "${NEARDUP_LAUNCHER:-}" ]; then
    alone=("${launch[@]}" 1)
fi
if [ -z "$neardup" ]; then
    neardup=$ND_ROOT/build/release/neardup
    install_packages "${ND_BUILD_PACKAGES[@]}" "${ND_PLOT_PACKAGES[@]}"
    build release release neardup
fi
for program in python3 gnuplot; do
    command -v "$program" >/dev/null || die "needs $program: install ${ND_PLOT_PACKAGES[*]}"
done
mpi_environment

# wants TABLE: is it asked for?
wants() {
    [[ ,$tables, == *,$1,* ]]
}

# keep_settings: what all runs in the folder have in common; another folder is needed for others.
keep_settings() {
    local settings="--pages $pages --page-bytes $page_bytes --stage-pages $stage_pages"
    mkdir -p "$out" 2>/dev/null || die "$out: cannot be made"
    if [ -f "$out/settings" ] && [ "$(cat "$out/settings")" != "$settings" ]; then
        die "$out holds runs of $(cat "$out/settings"), not of $settings: give another -o, or remove it"
    fi
    printf '%s\n' "$settings" >"$out/settings"
}

# ---- corpora and runs

# make_corpus FOLDER PROFILE SEED PAGES BYTES: FOLDER/corpus, which appears when it is complete.
make_corpus() {
    local folder=$1
    if [ ! -d "$folder/corpus" ]; then
        say "corpus: $4 pages of $5 bytes, profile $2, seed $3"
        mkdir -p "$folder"
        rm -rf "$folder/corpus.partial"
        logged reproduce-corpus "${launch[@]}" "$ranks" "$neardup" synthesize --progress none \
            -o "$folder/corpus.partial" --pages "$4" --seed "$3" --profile "$2" --page-bytes "$5"
        mv "$folder/corpus.partial" "$folder/corpus"
    fi
}

# The paper compares whole pages, and so do the methods of its time.
whole=(--navigation keep --links keep --templates 0 --link-tokens 0)
henzinger=("${whole[@]}" --sets components --pairs keep)

# options_of RUN: its partition options, into the array `options`.
options_of() {
    case $1 in
    simhash) options=("${whole[@]}" --method simhash --sets components) ;;
    simhash-guarded) options=("${whole[@]}" --method simhash) ;;
    simhash-[0-9]) options=("${whole[@]}" --method simhash --sets components --distance "${1#*-}") ;;
    cosine) options=(--preset pku --method cosine) ;;
    cosine-.*) options=(--preset pku --method cosine --threshold "${1#*-}") ;;
    pku) options=(--preset pku) ;;
    pku-.*) options=(--preset pku --threshold "${1#*-}") ;;
    default) options=() ;;
    default-.*) options=(--threshold "${1#*-}") ;;
    simhash-content) options=(--method simhash --sets components) ;;
    cosine-content) options=(--method cosine) ;;
    stage-one) options=(--preset pku --verify off) ;;
    stage-two) options=(--preset pku --score r) ;;
    no-stage) options=(--preset pku --score r --filters off --fingerprints off --set-cap 100000) ;;
    stage-one-lcs) options=(--preset pku --score r --filters off) ;;
    broder | charikar) options=("${henzinger[@]}" --method "$1") ;;
    combined) options=("${henzinger[@]}" --method henzinger --filter-bits 355) ;;
    site-variant | union)
        options=("${henzinger[@]}" --method henzinger --henzinger "$1" --filter-bits 355)
        ;;
    *) die "$1: there is no such run" ;;
    esac
}

# run NAME FOLDER INPUT...: FOLDER/NAME.h5, .log, and .run: seconds as seen from outside, seconds of
# all processors, most memory of a process in bytes, processes.
run() {
    local name=$1 folder=$2 options begin end partial=$2/partial
    shift 2
    if [ -f "$folder/$name.run" ] && [ -f "$folder/$name.h5" ]; then
        return
    fi
    options_of "$name"
    rm -rf "$partial"
    mkdir -p "$partial"
    begin=$(date +%s.%N)
    if ! measured "$partial" "${launch[@]}" "$ranks" -- "$neardup" partition --progress lines \
        "${options[@]}" "$@" -o "$partial/out.h5" >"$partial/log" 2>&1 </dev/null; then
        tail -n 20 "$partial/log" >&2
        die "failed: ${name} (neardup partition ${options[*]} $*)"
    fi
    end=$(date +%s.%N)
    mv "$partial/log" "$folder/$name.log"
    mv "$partial/out.h5" "$folder/$name.h5"
    cat "$partial"/process.* | awk -v t="$begin" -v u="$end" '
        { memory = $1 > memory ? $1 : memory; cpu += $2 }
        END { printf "%.3f\t%.3f\t%.0f\t%d\n", u - t, cpu, memory, NR }' >"$folder/$name.run"
    rm -rf "$partial"
    say "run: ${folder##*/} $name: $(awk '{ printf "%.1f s, %.0f MB", $1, $3 / 1e6 }' "$folder/$name.run")"
}

# evaluate NAME FOLDER ANSWER OPTION...: FOLDER/ANSWER.json
evaluate() {
    local name=$1 folder=$2 answer=$2/$3.json corpus=$2/corpus
    shift 3
    if [ ! -f "$answer" ]; then
        "${alone[@]}" "$neardup" evaluate "$folder/$name.h5" --format json "$@" \
            --truth "$corpus/clusters.tsv" --loose "$corpus/loose.tsv" \
            --classes "$corpus/classes.tsv" >"$answer.partial" ||
            die "failed: neardup evaluate $folder/$name.h5"
        mv "$answer.partial" "$answer"
    fi
}

# evaluate_all FOLDER SEED RUN...: each on 1,000 sets of the paper's algorithm, on as many of its own,
# and those of the content on as many of the default.
evaluate_all() {
    local folder=$1 seed=$2 name sample
    shift 2
    sample=(--sample 1000 --seed "$seed")
    for name in "$@"; do
        [ -f "$folder/$name.own.json" ] || say "evaluate: ${folder##*/} $name"
        evaluate "$name" "$folder" "$name" "${sample[@]}" --baseline "$folder/simhash.h5" \
            --sample-from "$folder/pku.h5"
        evaluate "$name" "$folder" "$name.own" "${sample[@]}" --baseline "$folder/simhash.h5"
        case $name in
        *-content | default)
            evaluate "$name" "$folder" "$name.content" "${sample[@]}" \
                --baseline "$folder/simhash-content.h5" --sample-from "$folder/default.h5"
            ;;
        esac
    done
}

# tell_losses FOLDER RUN...: which classes its false sets hold
tell_losses() {
    local folder=$1 name
    shift
    for name in "$@"; do
        if [ ! -f "$folder/$name.losses.json" ]; then
            "${alone[@]}" "$neardup" export "$folder/$name.h5" |
                python3 scripts/reproduce_losses.py "$folder/corpus" >"$folder/losses.partial" ||
                die "failed: neardup export $folder/$name.h5"
            mv "$folder/losses.partial" "$folder/$name.losses.json"
        fi
    done
}

# tell_terms FOLDER SEED RUN...: by how many terms its pairs differ
tell_terms() {
    local folder=$1 seed=$2 name
    shift 2
    for name in "$@"; do
        if [ -f "$folder/$name.h5" ] && [ ! -f "$folder/$name.terms.json" ]; then
            "${alone[@]}" python3 scripts/reproduce_terms.py "$neardup" "$folder/$name.h5" 5000 "$seed" \
                >"$folder/terms.partial" || die "failed: the terms of $folder/$name.h5"
            mv "$folder/terms.partial" "$folder/$name.terms.json"
        fi
    done
}

# the runs of the tables that are asked for; those that others are held against come first
list_runs() {
    runs=(simhash pku default)
    if wants pku || wants classes; then
        runs+=(simhash-content)
        for name in ${methods//,/ }; do
            [ "$name" = none ] || runs+=("$name")
        done
    fi
    if wants stages; then
        runs+=(stage-one stage-two)
    fi
    if wants henzinger || wants classes; then
        runs+=(broder charikar combined site-variant union)
    fi
}

run_profile() {
    local seed folder name runs
    list_runs
    for seed in "${seeds[@]}"; do
        folder=$out/$1.$seed
        make_corpus "$folder" "$1" "$seed" "$pages" "$page_bytes"
        for name in simhash-content "${runs[@]}"; do
            run "$name" "$folder" "$folder/corpus"/*.warc.gz
        done
        evaluate_all "$folder" "$seed" "${runs[@]}"
        tell_losses "$folder" pku default
        if wants henzinger; then
            tell_terms "$folder" "$seed" broder charikar
        fi
    done
}

# Stages are left out on samples: comparing all pages takes as long as the paper says.
run_stages() {
    local count seed=${seeds[0]} folder name
    for count in $((stage_pages / 2)) "$stage_pages"; do
        folder=$out/$1.$seed.$count
        make_corpus "$folder" "$1" "$seed" "$count" "$stage_page_bytes"
        for name in simhash no-stage stage-one stage-one-lcs stage-two pku; do
            run "$name" "$folder" "$folder/corpus"/*.warc.gz
        done
        evaluate_all "$folder" "$seed" no-stage stage-one stage-one-lcs stage-two pku
    done
}

# run_growth PROFILE: the methods of most interest on corpora of other sizes.
run_growth() {
    local count folder seed=${seeds[0]} name
    for count in "${growth[@]}"; do
        folder=$out/growth.$1.$seed.$count
        make_corpus "$folder" "$1" "$seed" "$count" "$page_bytes"
        for name in simhash simhash-content pku default; do
            run "$name" "$folder" "$folder/corpus"/*.warc.gz
        done
        evaluate_all "$folder" "$seed" simhash pku default
    done
}

run_tuning() {
    local folder=$out/$1.$dev_seed name count=$((pages < tuning_pages ? pages : tuning_pages))
    local names=(simhash pku simhash-4 simhash-6 simhash-8 cosine-.7 cosine-.8 cosine-.9 cosine-.95
        pku-.6 pku-.7 pku-.9 default-.4 default-.46 default-.5 default-.6)
    make_corpus "$folder" "$1" "$dev_seed" "$count" "$page_bytes"
    for name in simhash-content "${names[@]}"; do
        run "$name" "$folder" "$folder/corpus"/*.warc.gz
    done
    for name in "${names[@]}"; do
        say "evaluate: ${folder##*/} $name"
        evaluate "$name" "$folder" "$name" --sample 1000 --seed "$dev_seed" \
            --baseline "$folder/simhash.h5" --sample-from "$folder/pku.h5"
    done
}

run_labelled() {
    local set folder name
    for folder in "$NEARDUP_DATA/labelled"/*/; do
        set=$(basename "$folder")
        if [ ! -f "$folder/clusters.tsv" ] || [ ! -f "$folder/pages.jsonl.gz" ]; then
            say "SKIPPED: labelled set $set: no clusters.tsv or pages.jsonl.gz"
            continue
        fi
        for name in simhash cosine pku broder charikar combined simhash-content cosine-content default; do
            run "$name" "$out/labelled.$set" "$folder/pages.jsonl.gz"
            "${alone[@]}" "$neardup" evaluate "$out/labelled.$set/$name.h5" --format json \
                --truth "$folder/clusters.tsv" --loose "$folder/loose.tsv" \
                --ambiguous "$folder/ambiguous.tsv" >"$out/labelled.$set/$name.json"
        done
    done
}

keep_settings
for profile in "${profiles[@]}"; do
    run_profile "$profile"
    if wants stages; then
        run_stages "$profile"
    fi
    run_growth "$profile"
    if wants tuning; then
        run_tuning "$profile"
    fi
done
if [ "$labelled" = yes ]; then
    mkdir -p "$out"
    run_labelled
fi
"${alone[@]}" "$neardup" plan --curve buckets:7x3 --curve supershingles:6x14:2 --curve pieces:12x32:384 \
    --svg "$out/curves.svg" --force >/dev/null || die "neardup plan --curve failed"
python3 scripts/reproduce_tables.py "$out" "$tables" "$("$neardup" --version)" || die "the tables cannot be made from $out"
say "the tables are in $out/tables.md and $out/report.html; took $SECONDS s"
