#!/usr/bin/env bash
# How good the partitions are, on pages labelled by people or by construction.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/quality.sh [OPTION...] [-- PARTITION OPTION...]

Partitions each labelled set of NEARDUP_DATA/labelled with two processes, holds the result against
the labels (neardup evaluate) and prints tables: precision, recall, F1 over pairs, B-cubed F1, and F1
on the raw labels of all pages; a row per set, and the mean over the sets. Configurations stand side
by side: `default`; `pku`, the paper; and `given`, the options after --.

  --seeds N       runs with hash seeds 1 to N; tables show means, and how macro F1 varies (1)
  --set NAME      only this set; may be repeated
  --config NAME   only this configuration; may be repeated
  --curve         instead: F1 at the thresholds .4, .45, ... .95, with the options after --
  --losses        besides: true pairs that each configuration separates, by cause (first seed)
  --negatives     besides: what is predicted in collections without near-duplicates
  --peer-bench    besides: 20,000 texts with known families, measured as other programs are
  --neardup FILE  this program, instead of building build/release
  --help          this text

What is not there is skipped, and said. The tables are also in build/quality/*.tsv, the results below
build/quality/runs.
TEXT
}

labelled_sets=(zh-reprints linux-docs-zh ota-dating ota-genai debian-ig-arch llvm-docs-versions
    scancode-licences)
# The raw labels of this set overlap: any method looks wrong by them.
set_without_raw_labels=scancode-licences
thresholds=(.40 .45 .50 .55 .60 .65 .70 .75 .80 .85 .90 .95)
# The paper's parameters, for a program that has no preset of that name.
pku_options=(--buckets 7 --smallest 3 --sentence-tokens 1 --threshold .8 --transitivity full)
# Seconds that one run may take before it counts as hanging.
most_seconds=600

seeds=1
sets=()
configs=()
curve=no
losses=no
negatives=no
peer_bench=no
neardup=
given=()
while [ $# -gt 0 ]; do
    case $1 in
    --seeds | --set | --config | --neardup)
        if [ $# -lt 2 ]; then
            echo "quality.sh: $1 needs a value" >&2
            exit 2
        fi
        case $1 in
        --seeds) seeds=$2 ;;
        --set) sets+=("$2") ;;
        --config) configs+=("$2") ;;
        --neardup) neardup=$(realpath "$2") ;;
        esac
        shift
        ;;
    --curve) curve=yes ;;
    --losses) losses=yes ;;
    --negatives) negatives=yes ;;
    --peer-bench) peer_bench=yes ;;
    --)
        shift
        given=("$@")
        break
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

case $seeds in
'' | *[!0-9]* | 0) die "--seeds $seeds: must be a whole number above 0" ;;
esac
if [ -z "${NEARDUP_DATA:-}" ] || [ ! -d "$NEARDUP_DATA" ]; then
    die "set NEARDUP_DATA to the folder of labelled data (it has a folder 'labelled')"
fi
if ! command -v python3 >/dev/null; then
    die "needs python3 for the tables"
fi
labelled=$NEARDUP_DATA/labelled
out=build/quality
manifest=$out/runs.tsv
make_build_folder
mkdir -p "$out/runs"

# The losses are found by a program of the tests.
losses_tool=build/release/tests/losses
if [ -z "$neardup" ]; then
    neardup=build/release/neardup
    install_packages "${ND_BUILD_PACKAGES[@]}"
    if [ "$losses" = yes ]; then
        install_packages "${ND_TEST_PACKAGES[@]}"
        build release release losses -DBUILD_TESTING=ON
    fi
    build release release neardup
elif [ "$losses" = yes ]; then
    losses_tool=$(dirname "$neardup")/tests/losses
    [ -x "$losses_tool" ] || die "--losses: there is no $losses_tool"
fi
mpi_environment

# ---- what this program can do, what there is

partition_help=$("$neardup" partition --help)

# has_option NAME: whether partition knows it.
has_option() {
    grep -qE "(^|[ ,])$1([ =,]|\$)" <<<"$partition_help"
}

if [ "$seeds" -gt 1 ] && ! has_option --seed; then
    say "SKIPPED: seeds: this program has no --seed; one run each"
    seeds=1
fi
if has_option --preset; then
    pku_options=(--preset pku)
fi

# options_of CONFIG: the partition options of a configuration, into the array `options`.
options_of() {
    case $1 in
    default) options=() ;;
    pku) options=("${pku_options[@]}") ;;
    given) options=("${given[@]}") ;;
    t.*) options=("${given[@]}" --threshold "${1#t}") ;;
    *) die "--config $1: must be default, pku or given" ;;
    esac
}

if [ "$curve" = yes ]; then
    configs=("${thresholds[@]/#/t}")
elif [ ${#configs[@]} -eq 0 ]; then
    configs=(default pku)
    if [ ${#given[@]} -gt 0 ]; then
        configs+=(given)
    fi
fi
for config in "${configs[@]}"; do
    options_of "$config"
    say "configuration $config: ${options[*]:-(no options)}"
done

wanted=("${sets[@]}")
if [ ${#wanted[@]} -eq 0 ]; then
    wanted=("${labelled_sets[@]}")
fi
sets=()
for set in "${wanted[@]}"; do
    if [ -f "$labelled/$set/clusters.tsv" ] && [ -f "$labelled/$set/pages.jsonl.gz" ]; then
        sets+=("$set")
    else
        say "SKIPPED: set $set: no clusters.tsv or pages.jsonl.gz in $labelled/$set"
    fi
done

# ---- runs

# run_partition CONFIG SEED NAME INPUT...: build/quality/runs/CONFIG.SEED.NAME.h5, path in `result`.
run_partition() {
    local config=$1 seed=$2 name=$3 seeded=() options
    shift 3
    options_of "$config"
    if [ "$seeds" -gt 1 ]; then
        seeded=(--seed "$seed")
    fi
    result=$out/runs/$config.$seed.$name.h5
    rm -f "$result"
    logged "quality-$config-$name" timeout "$most_seconds" mpirun -n 2 "$neardup" partition \
        --progress none "${options[@]}" "${seeded[@]}" "$@" -o "$result"
}

# evaluate ANSWER TRUTH OPTION...: hold `result` against labels, the JSON into build/quality/runs.
evaluate() {
    local answer=$1
    shift
    "$neardup" evaluate "$result" --format json --truth "$@" >"$answer.partial"
    mv "$answer.partial" "$answer"
}

evaluate_set() {
    local config=$1 seed=$2 set=$3 folder=$labelled/$3 evaluated raw=-
    run_partition "$config" "$seed" "$set" "$folder/pages.jsonl.gz"
    evaluated=${result%.h5}.json
    evaluate "$evaluated" "$folder/clusters.tsv" --loose "$folder/loose.tsv" \
        --ambiguous "$folder/ambiguous.tsv"
    if [ "$set" != "$set_without_raw_labels" ]; then
        raw=${result%.h5}.raw.json
        evaluate "$raw" "$folder/notes.tsv" --column 2
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$config" "$seed" "$set" "$evaluated" "$raw" >>"$manifest"
}

run_sets() {
    local config seed set
    : >"$manifest"
    for config in "${configs[@]}"; do
        for seed in $(seq "$seeds"); do
            for set in "${sets[@]}"; do
                evaluate_set "$config" "$seed" "$set"
            done
        done
    done
    if [ "$curve" = yes ]; then
        python3 scripts/quality_tables.py curve "$manifest" "$out/curve.tsv"
    else
        python3 scripts/quality_tables.py sets "$manifest" "$out/sets.tsv"
    fi
}

# ---- losses

run_losses() {
    local config set folder
    : >"$out/losses.partial"
    for config in "${configs[@]}"; do
        for set in "${sets[@]}"; do
            folder=$labelled/$set
            if "$losses_tool" "$out/runs/$config.1.$set.h5" "$folder/pages.jsonl.gz" \
                "$folder/clusters.tsv" "$folder/loose.tsv" >"$out/losses.one"; then
                sed "s/^/$config\t$set\t/" "$out/losses.one" >>"$out/losses.partial"
            else
                say "SKIPPED: losses: $config, $set"
            fi
        done
    done
    rm -f "$out/losses.one"
    python3 scripts/quality_tables.py losses "$out/losses.partial" "$out/losses.tsv"
    rm -f "$out/losses.partial"
}

# ---- collections without near-duplicates

# negative NAME INPUT...: partition it by each configuration, add what is predicted to the manifest.
negative() {
    local name=$1 config
    shift
    for config in "${configs[@]}"; do
        run_partition "$config" 1 "$name" "$@"
        "$neardup" export "$result" >"${result%.h5}.tsv"
        printf '%s\t%s\t%s\n' "$config" "$name" "${result%.h5}.tsv" >>"$out/negatives.partial"
    done
}

run_negatives() {
    local name file folder list=$out/runs/python3.11-doc.list
    : >"$out/negatives.partial"
    for name in aeb readability; do
        # Some 27 pages of readability are test cases with one filler text: real copies.
        file=$NEARDUP_DATA/main-content/$name.jsonl.gz
        if [ -f "$file" ]; then
            negative "$name" "$file"
        else
            say "SKIPPED: negatives: no $file"
        fi
    done
    # Only the HTML pages: the folder also has the source text of each.
    for folder in build/packages/python3.11-doc/usr /usr; do
        find "$folder/share/doc/python3.11/html" -name '*.html' -type f 2>/dev/null || true
    done >"$list"
    if [ -s "$list" ]; then
        negative python3.11-doc "@$list"
    else
        say "SKIPPED: negatives: python3.11-doc is neither in build/packages nor installed"
    fi
    python3 scripts/quality_tables.py negatives "$out/negatives.partial" "$out/negatives.tsv"
    rm -f "$out/negatives.partial"
}

# ---- texts with known families

run_peer_bench() {
    local bench=$NEARDUP_DATA/peer-bench config base=$out/runs/peer-bench
    if [ ! -f "$bench/docs20k.jsonl.gz" ]; then
        say "SKIPPED: peer-bench: no $bench/docs20k.jsonl.gz"
        return
    fi
    # One family holds most of the true pairs: its pages are loose where pairs are counted.
    python3 scripts/quality_tables.py hot-family "$bench/truth20k.tsv.gz" "$base.hot"
    # Every pair above the lowest bound, labelled by the highest bound that it reaches.
    zcat "$bench/exact20k.tsv.gz" | awk -F '\t' -v OFS='\t' '
        $3 >= .7 {print $1, $2, ($3 >= .9 ? "j90" : $3 >= .8 ? "j80" : "j70")}' >"$base.pairs"
    : >"$out/peer-bench.partial"
    for config in "${configs[@]}"; do
        run_partition "$config" 1 peer-bench "$bench/docs20k.jsonl.gz"
        evaluate "${result%.h5}.all.json" "$bench/truth20k.tsv.gz" --column 2
        evaluate "${result%.h5}.cold.json" "$bench/truth20k.tsv.gz" --column 2 --loose "$base.hot"
        evaluate "${result%.h5}.pairs.json" "$base.pairs" --similar j70,j80,j90 --loose "$base.hot"
        printf '%s\t%s\n' "$config" "${result%.h5}" >>"$out/peer-bench.partial"
    done
    python3 scripts/quality_tables.py peer-bench "$out/peer-bench.partial" "$out/peer-bench.tsv"
    rm -f "$out/peer-bench.partial"
}

if [ ${#sets[@]} -gt 0 ]; then
    run_sets
    if [ "$losses" = yes ]; then
        run_losses
    fi
fi
if [ "$negatives" = yes ]; then
    run_negatives
fi
if [ "$peer_bench" = yes ]; then
    run_peer_bench
fi
say "the tables are in $out/*.tsv; took $SECONDS s"
