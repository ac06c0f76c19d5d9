#!/usr/bin/env bash
# Help, man pages and completion are made from the tables of options: within 80 columns, with three
# examples, the long form with every option; of several ranks one prints; completion knows commands,
# options and their words. Called as help.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"

commands=(dedup partition export inspect explain review report overlap check extract evaluate synthesize plan)
"$neardup" --help completion >"$folder/completion"
for command in "${commands[@]}"; do
    "$neardup" "$command" --help >"$folder/short"
    "$neardup" "$command" --help all >"$folder/all"
    "$neardup" "$command" --help man >"$folder/man"
    wide=$(awk 'length > 80' "$folder/short" "$folder/all")
    [[ ! $command =~ ^(dedup|partition)$ ]] || [ "$(wc -l <"$folder/short")" -le 40 ] || fail "$command: the short help fills more than a screen"
    [ -z "$wide" ] || fail "$command: wider than 80 columns: $wide"
    for form in short all; do
        examples=$(sed -n '/^Examples$/,/^$/p' "$folder/$form" | grep -c "neardup $command")
        [ "$examples" -eq 3 ] || fail "$command: $examples examples in the $form help"
    done
    options=$(sed -nE 's/^  .{4}--([a-z-]+).*/\1/p' "$folder/all" | sort)
    [ "$command" = check ] || [ -n "$options" ] || fail "$command: no options"
    [ "$options" = "$(sort -u <<<"$options")" ] || fail "$command: an option twice"
    lacking=$(comm -23 - <(grep -oE -- '--[a-z-]+' "$folder/completion" | cut -c 3- | sort -u) <<<"$options")
    [ -z "$lacking" ] || fail "$command: not completed: $lacking"
    lacking=$(comm -23 - <(tr -d '\134' <"$folder/man" | grep -oE -- '--[a-z-]+fR' | sed 's/^--//; s/fR$//' | sort -u) \
        <<<"$options")
    [ -z "$lacking" ] || fail "$command: not in the man page: $lacking"
    if command -v groff >/dev/null; then
        warnings=$(groff -man -Tutf8 -ww "$folder/man" 2>&1 >/dev/null)
        [ -z "$warnings" ] || fail "$command: its man page: $warnings"
    fi
done

"$neardup" --help man >"$folder/man"
[ "$(grep -c '^\\fBneardup' "$folder/man")" -eq "$("$neardup" --help names | wc -l)" ] ||
    fail "the program's man page has not every command"

# Plain English: what the topics and READMEs are held to.
if command -v python3 >/dev/null; then
    "$root/scripts/prose.py" --program "$neardup" >"$folder/prose" || fail "the texts are not as plain as they are to be: $(cat "$folder/prose")"
fi

# Topics: within 80 columns too, man pages without warnings, and every option that one names is there.
topics=$("$neardup" help topics)
for topic in $topics; do
    "$neardup" help "$topic" >"$folder/topic"
    wide=$(awk 'length > 80' "$folder/topic")
    [ -z "$wide" ] || fail "topic $topic: wider than 80 columns: $wide"
    lacking=$(grep -oE -- '--[a-z][a-z-]+' "$folder/topic" | sort -u |
        comm -23 - <(grep -oE -- '--[a-z-]+' "$folder/completion" | sort -u) | grep -v ntasks-per-node || true)
    [ -z "$lacking" ] || fail "topic $topic: there is no $lacking"
    "$neardup" help "$topic" man >"$folder/man"
    if command -v groff >/dev/null; then
        warnings=$(groff -man -Tutf8 -ww "$folder/man" 2>&1 >/dev/null)
        [ -z "$warnings" ] || fail "topic $topic: its man page: $warnings"
    fi
done
[ "$("$neardup" help check)" = "$("$neardup" check --help)" ] || fail "help COMMAND is not COMMAND --help"
[ "$("$neardup" help | grep -c '^  ')" -eq "$(($("$neardup" --help names | wc -l) + $(wc -w <<<"$topics")))" ] ||
    fail "help lists not every command and topic"
status=0
"$neardup" help nothing 2>"$folder/nothing" || status=$?
[ "$status" -eq 2 ] || fail "help nothing: $status"
grep -q "no command or topic 'nothing'" "$folder/nothing" || fail "$(cat "$folder/nothing")"

# Wherever it stands, and once.
"$neardup" partition -o x --method nothing --help >/dev/null || fail "--help after a wrong option"
if command -v mpirun >/dev/null; then
    lines=$(timeout 60 mpirun -n 3 "$neardup" partition --help </dev/null | grep -c '^usage:')
    [ "$lines" -eq 1 ] || fail "$lines ranks print the help"
fi

# complete WORD...: what is offered for the last one.
complete_words() {
    bash -c 'complete() { :; }
        . "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _neardup
        echo "${COMPREPLY[*]}"' bash "$folder/completion" "$@"
}

# offers EXPECTED WORD...
offers() {
    local expected=$1 offered
    shift
    offered=$(complete_words "$@")
    [ "$offered" = "$expected" ] || fail "completion of '$*': '$offered', not '$expected'"
}
offers "export explain" neardup exp
offers "--slack" neardup partition --slack
offers "drop" neardup partition --navigation dr
offers "--checkpoints" neardup plan --check
offers "default safe pku" neardup partition --preset ''
offers "lsh" neardup dedup --method ls
offers "longest" neardup filter --keep lon
offers "trustable" neardup partition --score tru
offers "trust" neardup help tru

# Former names of options are taken, and shown nowhere: the same run by either.
printf '{"text":"one two three"}\n' >"$folder/page.jsonl"
"$neardup" partition "$folder/page.jsonl" -o "$folder/new.h5" --progress none --slack .1 --record-pages join \
    --min-confidence .3 --title-penalty 2 --index-pages off --split-size 1M --dedup-inputs --no-disk-check
"$neardup" partition "$folder/page.jsonl" -o "$folder/old.h5" --progress none --guard .1 --forms together \
    --certain .3 --names 2 --lists off --unit 1M --same-content skip --space ignore
for name in new old; do
    "$neardup" inspect "$folder/$name.h5" | grep '^parameters' >"$folder/$name"
done
grep -q '"slack":0.1,.*"record_pages":"join",.*"min_confidence":0.3' "$folder/new" || fail "$(cat "$folder/new")"
cmp "$folder/new" "$folder/old" || fail "former names of options mean something else"
shown=$("$neardup" partition --help all | grep -E -- '--(against|keep-index|rejoin|guard|forms|certain|space|unit) ' || true)
[ -z "$shown" ] || fail "former names are shown: $shown"
echo "${#commands[@]} commands"
