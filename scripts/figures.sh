#!/usr/bin/env bash
# The figures of scripts/README.md that one machine makes in minutes, each with what it was made by.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/figures.sh [--only LIST] [--check | --update | -o FILE] [--work FOLDER]
                          [--neardup FILE] [--help]

Makes figures, and prints them as they stand in scripts/README.md: a line with version, date, seed,
profile and machine, then a table.

  --only LIST     some of archive,labels,review,plan, with commas between (all)
  --check         print nothing: compare the tables with those of scripts/README.md. Not for plan,
                  which depends on the machine
  --update        put them into scripts/README.md
  -o FILE         write them there
  --work FOLDER   corpora and results go here (build/figures); corpora that are there are used
  --neardup FILE  this program, instead of building build/release

labels needs NEARDUP_DATA, the folder of labelled pages. review needs NEARDUP_GUIDES, a folder with
unpacked installation guides (build/guides after scripts/quickstart.sh). Without them they are left
out, and said.
TEXT
}

only=archive,labels,review,plan
does=print
out=
work=build/figures
neardup=
while [ $# -gt 0 ]; do
    case $1 in
    --only | -o | --work | --neardup)
        if [ $# -lt 2 ]; then
            echo "figures.sh: $1 needs a value" >&2
            exit 2
        fi
        case $1 in
        --only) only=$2 ;;
        -o) out=$(realpath -m "$2") ;;
        --work) work=$(realpath -m "$2") ;;
        --neardup) neardup=$(realpath "$2") ;;
        esac
        shift
        ;;
    --check) does=check ;;
    --update) does=update ;;
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
# shellcheck source=tests/support/guide_pages.sh
. tests/support/guide_pages.sh

if [ -z "$neardup" ]; then
    make_build_folder
    neardup=build/release/neardup
    install_packages "${ND_BUILD_PACKAGES[@]}" python3
    build release release neardup
fi
command -v python3 >/dev/null || die "needs python3"
mpi_environment
mkdir -p "$work"

seed=314159
pages=10000
plan_pages=100000

# partition RESULT ARGUMENT...: a run on one process, quietly.
partition() {
    local result=$1
    shift
    "$neardup" partition "$@" -o "$result" --progress none 2>"$work/log" || die "partition $*: $(cat "$work/log")"
}

# made PROFILE: a made-up corpus, once.
made() {
    local folder=$work/$1-$pages-$seed
    if [ ! -e "$folder/clusters.tsv" ]; then
        rm -rf "$folder" "$folder.unfinished"
        "$neardup" synthesize -o "$folder.unfinished" --pages $pages --seed $seed --page-bytes 8000 --profile "$1" \
            --progress none
        mv "$folder.unfinished" "$folder"
    fi
    echo "$folder"
}

# heading NAME WHAT: where a table comes from.
heading() {
    local machine
    machine=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
    printf '%s: %s, %s, %s; %s, %s cores.\n\n' "\`scripts/figures.sh --only $1\`" \
        "$("$neardup" --version | head -n 1)" "$(LC_ALL=C date -u '+%-d %B %Y')" "$2" "${machine:-$(uname -m)}" "$(nproc)"
}

# share NAME.JSON FIELD...: numbers of an evaluation, as .987, separated by " / ".
share() {
    python3 - "$@" <<'PYTHON'
import json, sys
answer = json.load(open(sys.argv[1]))
def field(name):
    value = answer
    for part in name.split("."):
        value = value[part]
    return "%.3f" % value
print(" / ".join(field(name) for name in sys.argv[2:]).replace("0.", "."))
PYTHON
}

configs=(default safe pku lsh)
options_of() {
    case $1 in
    default) echo ;;
    safe | pku) echo --preset "$1" ;;
    *) echo --method "$1" ;;
    esac
}

# ---- the figures

archive() {
    local profile config folder options
    heading archive "$pages pages of 8 kB, seed $seed, profiles archive and crawl"
    echo '| profile | | pairwise P / R | B-cubed P / R | removal P / R |'
    echo '| --- | --- | --- | --- | --- |'
    for profile in archive crawl; do
        folder=$(made $profile)
        for config in "${configs[@]}"; do
            read -ra options <<<"$(options_of "$config")"
            partition "$work/run.h5" "$folder"/*.warc.gz "${options[@]}"
            "$neardup" evaluate "$work/run.h5" --truth "$folder/clusters.tsv" --loose "$folder/loose.tsv" --format json \
                >"$work/run.json"
            options=("$(options_of "$config")")
            printf '| %s | %s | %s | %s | %s |\n' $profile "${options:+\`${options[*]}\`}" \
                "$(share "$work/run.json" pairwise.precision pairwise.recall)" \
                "$(share "$work/run.json" b_cubed.precision b_cubed.recall)" \
                "$(share "$work/run.json" removal.precision removal.recall)"
        done
    done | sed 's/ |  | / | default | /'
}

labels() {
    local config set options
    heading labels 'the labelled sets of NEARDUP_DATA, hash seed 0'
    echo "| set | default: P / R / F1 | B-cubed F1 | \`--preset pku\`: P / R / F1 | B-cubed F1 |"
    echo '| --- | --- | --- | --- | --- |'
    for set in "$NEARDUP_DATA"/labelled/*/; do
        if [ ! -e "$set/pages.jsonl.gz" ] || [ ! -e "$set/clusters.tsv" ]; then
            continue
        fi
        printf '| %s |' "$(basename "$set")"
        for config in default pku; do
            read -ra options <<<"$(options_of $config)"
            partition "$work/run.h5" "$set/pages.jsonl.gz" "${options[@]}"
            options=()
            [ ! -e "$set/loose.tsv" ] || options+=(--loose "$set/loose.tsv")
            [ ! -e "$set/ambiguous.tsv" ] || options+=(--ambiguous "$set/ambiguous.tsv")
            "$neardup" evaluate "$work/run.h5" --truth "$set/clusters.tsv" "${options[@]}" --format json >"$work/run.json" \
                2>/dev/null
            printf ' %s | %s |' "$(share "$work/run.json" pairwise.precision pairwise.recall pairwise.f1)" \
                "$(share "$work/run.json" b_cubed.f1)"
        done
        echo
    done
}

# The protocol of the paper with a truth in the place of people: pages of the guides are similar if
# they are one chapter in one language, whatever the architecture.
review() {
    local config options guides
    choose_guides 3 # of more, which scripts/test.sh --all downloads, figures are others
    list_pages "${guides[@]/#/$NEARDUP_GUIDES/}" >"$work/guides.list"
    heading review "$(wc -l <"$work/guides.list") pages of $(cut -d= -f1 "$work/guides.list" | sort -u | wc -l) installation guides, 100 sets of each result, seed 1"
    partition "$work/simhash.h5" "@$work/guides.list" --method simhash
    echo '| sets from | sets, pages judged | precision | same site | relative recall to simhash | same site |'
    echo '| --- | --- | --- | --- | --- | --- |'
    for config in default pku; do
        read -ra options <<<"$(options_of $config)"
        partition "$work/run.h5" "@$work/guides.list" "${options[@]}"
        "$neardup" export "$work/run.h5" | sed -E '1d; s|^[^\t]*\t[^\t]*\t([^\t]*/([^/\t]*/[^/\t]*))\t.*|\1\t\2|' >"$work/chapters.tsv"
        "$neardup" review "$work/run.h5" --protocol pku --baseline "$work/simhash.h5" --sample 100 -o "$work/sheet.html" \
            --force 2>"$work/log" || die "review: $(cat "$work/log")"
        python3 tests/support/answer_sheet.py "$work/sheet.html" "$work/chapters.tsv" >"$work/answers.tsv"
        "$neardup" evaluate "$work/run.h5" --protocol pku --truth "$work/answers.tsv" --baseline "$work/simhash.h5" \
            --format json >"$work/run.json"
        python3 - "$work/run.json" "$config" "$(wc -l <"$work/answers.tsv")" <<'PYTHON'
import json, sys
sample = json.load(open(sys.argv[1]))["sample"]
def cell(scope, name):
    e = sample[scope][name]
    return ("%.3f [%.3f, %.3f]" % (e["mean"], e["lower"], e["upper"])).replace("0.", ".")
print("| `%s` | %d, %s | %s |" % (sys.argv[2], sample["sets"], sys.argv[3], " | ".join(
    cell(scope, name) for name in ("precision", "relative_recall") for scope in ("all", "same_site"))))
PYTHON
    done
}

# What a plan says over what one run took, on one process: with a work folder, and in memory.
plan() {
    local folder=$work/plan-$plan_pages-$seed config options
    if [ ! -e "$folder/clusters.tsv" ]; then
        rm -rf "$folder" "$folder.unfinished"
        "$neardup" synthesize -o "$folder.unfinished" --pages $plan_pages --seed $seed --text 20 --progress none
        mv "$folder.unfinished" "$folder"
    fi
    heading plan "$plan_pages pages of 24 kB (--text 20), seed $seed, one process"
    echo '| | with --work --memory 300M: CPU seconds | memory | work folder | in memory: CPU seconds | memory |'
    echo '| --- | --- | --- | --- | --- | --- |'
    for config in default pku exact sketch lsh broder simhash charikar cosine henzinger; do
        read -ra options <<<"$(options_of $config)"
        python3 - "$neardup" "$folder" "$work" "$config" "${options[@]}" <<'PYTHON'
import glob, json, os, resource, shutil, subprocess, sys, threading
neardup, folder, work, config, *options = sys.argv[1:]
files = sorted(glob.glob(folder + "/*.warc.gz"))

def folder_size(path):
    size = 0
    for root, _, names in os.walk(path):
        for name in names:
            try:
                size += os.stat(os.path.join(root, name)).st_size
            except OSError:
                pass
    return size

def run(more):
    """Seconds of the processor, most memory, most bytes in the work folder."""
    most, done, path = [0], threading.Event(), work + "/run.work"
    shutil.rmtree(path, ignore_errors=True)
    def watch():
        while not done.wait(.05):
            most[0] = max(most[0], folder_size(path))
    thread = threading.Thread(target=watch)
    thread.start()
    process = subprocess.Popen([neardup, "partition", *files, *options, *more, "-o", work + "/run.h5", "--progress",
                                "none"], stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    done.set()
    thread.join()
    if status != 0:
        sys.exit("partition failed: %s" % config)
    return used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss, most[0]

def plan(more):
    said = json.loads(subprocess.run([neardup, "plan", *files, "--nodes", "1", "--ranks-per-node", "1", "--format", "json",
                                      *options, *more], check=True, stdout=subprocess.PIPE).stdout)["plans"][0]
    return sum(stage["cpu_seconds"] for stage in said["stages"]), said["memory_per_rank"], said["disk_bytes"]

def cells(said, real, count):
    return ["%.0f / %.0f = %.2f" % (said[0], real[0], said[0] / real[0])] + [
        "%.0f / %.0f MB = %.2f" % (said[i] / 1e6, real[i] / 1e6, said[i] / real[i]) for i in range(1, count)]

kept = cells(plan(["--memory", "300M"]), run(["--memory", "300M", "--work", work + "/run.work"]), 3)
free = cells(plan(["--checkpoints", "no"]), run([]), 2)
print("| `%s` | %s |" % (config, " | ".join(kept + free)))
PYTHON
    done
}

# ---- what becomes of them

readme=scripts/README.md
failed=0
: >"$work/figures.md"
for name in ${only//,/ }; do
    case $name in
    archive | plan) ;;
    labels)
        if [ ! -d "${NEARDUP_DATA:-}/labelled" ]; then
            say "SKIPPED: labels: NEARDUP_DATA has no folder labelled" >&2
            continue
        fi
        ;;
    review)
        if [ -z "$(find "${NEARDUP_GUIDES:-/nonexistent}" -name '*.html' -print -quit 2>/dev/null)" ]; then
            say "SKIPPED: review: NEARDUP_GUIDES is no folder of guides" >&2
            continue
        fi
        ;;
    *) die "--only $only: must be some of archive,labels,review,plan" ;;
    esac
    say "$name" >&2
    case $name in
    archive) archive ;;
    labels) labels ;;
    review) review ;;
    plan) plan ;;
    esac >"$work/$name.md"
    cat "$work/$name.md" >>"$work/figures.md"
    sed -n "/^<!-- figures: $name -->/,/^<!-- end -->/p" $readme | sed '1d;$d' >"$work/$name.readme"
    case $does in
    check)
        [ "$name" != plan ] || continue
        if ! diff <(grep '^|' "$work/$name.readme") <(grep '^|' "$work/$name.md") >&2; then
            say "$name: other figures than $readme has" >&2
            failed=1
        fi
        ;;
    update)
        grep -q "^<!-- figures: $name -->" $readme || die "$readme has no place for $name"
        sed -i -e "/^<!-- figures: $name -->/,/^<!-- end -->/{ /^<!-- /!d; /^<!-- figures/r $work/$name.md
        }" $readme
        ;;
    esac
done
if [ -n "$out" ]; then
    cp "$work/figures.md" "$out"
elif [ $does = print ]; then
    cat "$work/figures.md"
fi
exit $failed
