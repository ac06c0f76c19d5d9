#!/usr/bin/env bash
# Presets and the options of content selection and of the guard: a preset is its options; options
# change it wherever they stand; each has an effect; wrong values are refused in one line; and with
# all of them on the result does not depend on ranks and units. Pages are made here; those below the
# folder NEARDUP_GUIDES (Debian's installation guides, unpacked) are taken besides if it is set.
# usage: presets.sh NEARDUP BUILD_DIR
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need mpirun python3

# Sites with a template, navigation and blocks of links around stories. Stories are retold on
# other sites, cut and changed more and more, so that some hang together only through others; there
# are short ones, and sites of few pages.
python3 - "$folder/pages.jsonl" <<'PYTHON'
import json, random, sys
random.seed(20080229)
words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(4000)]

def text(sentences, shortest=5, longest=16):
    return [" ".join(random.choices(words, k=random.randint(shortest, longest))) + "."
            for _ in range(sentences)]

class Site:
    def __init__(self, number):
        self.host = "site%d.example" % number
        self.template = text(random.randint(2, 12))
        self.menu = text(4, 1, 3)
        self.links = text(5, 2, 4)
        self.pages = 0

    def page(self, story, about):
        self.pages += 1
        body = self.template[1:] + ["<p>Visitor %d of %s</p>" % (self.pages * 37, self.host)]
        return {"id": "%s-%d" % (self.host, self.pages),
                "url": "http://%s/%d" % (self.host, self.pages),
                "html": "<title>%s</title><nav>%s</nav>%s%s<ul>%s</ul><footer>%s</footer>" % (
                    self.host, "<br>".join(self.menu),
                    "".join("<p>%s</p>" % s for s in body), "".join("<p>%s</p>" % s for s in story),
                    "".join("<li><a href=x>%s</a></li>" % s for s in self.links + about),
                    self.template[0])}

sites = [Site(i) for i in range(12)]
few = [Site(100 + i) for i in range(6)]
pages = []
for number in range(90):
    story = text(random.choice([1, 1, 2, 3, 8, 20, 40]))
    about = text(2, 3, 6)
    for copy in range(random.choice([1, 2, 2, 3, 6])):
        site = random.choice(sites if random.random() < .9 else few)
        pages.append(site.page(story, about))
        change = random.choice([0, 0, .05, .2, .3]) # adds up from copy to copy
        story = [s if random.random() > change else text(1)[0] for s in story]
        if random.random() < .1:
            about = text(2, 3, 6)
for number in range(8): # chains: each page moves a window along one long story
    story = text(60)
    for step in range(8):
        pages.append(random.choice(sites).page(story[4 * step:4 * step + 20], []))
for site in few:
    shared = text(6)
    for number in range(4):
        pages.append(site.page(shared if number < 2 else text(6), []))
for number in range(6): # pages that only their links show to be the same
    links = text(5, 6, 8)
    for site in random.sample(sites, 2):
        pages.append(site.page(text(1), links))
for number in range(6): # short pages that share 23 of 49 shingles of 5 words
    shared = text(3, 9, 9)
    for site in random.sample(sites, 2):
        pages.append(site.page(shared + text(1, 13, 13), []))
for number in range(6): # pages that say their story beside other asides
    story = text(3, 9, 16)
    for site in random.sample(sites, 2):
        aside = "<aside>%s</aside>" % "<br>".join(text(12))
        pages.append(site.page(story + [aside], []))
for number in range(4): # the same of two things, each named in the beginning and again
    story = text(12)
    for site in random.sample(sites, 2):
        name = random.choice(words) + "thing"
        pages.append(site.page(["All about %s and more of it, as here." % name] + story +
                               ["So %s is %s in the end." % (name, name)], []))
for number in range(4): # sites of three pages, mostly template
    site = Site(200 + number)
    site.template = text(12)
    pages += [site.page(text(4), []) for _ in range(3)]
random.shuffle(pages)
with open(sys.argv[1], "w") as file:
    file.writelines(json.dumps(page) + "\n" for page in pages)
PYTHON

input=$folder/pages.jsonl

# ---- a preset is its options
pku=(--threshold .8 --score trustable --buckets 7 --smallest 3 --sentence-tokens 1
    --site-extra 0 --title-penalty 0 --index-pages off --navigation keep --links keep --templates 0 --link-tokens 0
    --transitivity full --slack 0 --chunk-sentences 0 --site host --image-terms off
    --group-pairs 16)
defaults=(--threshold .46 --score mixed --buckets 14 --smallest 2 --sentence-tokens 8
    --site-extra .1 --title-penalty 2 --index-pages on --navigation drop --links drop --templates 1000
    --link-tokens 200 --small-site 8 --transitivity verified --slack .15 --chunk-sentences 10000
    --site host --image-terms off --group-pairs 16 --min-confidence .5)
partition default 0 "$input"
partition default-named 0 "$input" --preset default
partition default-listed 0 "$input" "${defaults[@]}"
partition pku 0 "$input" --preset pku
partition pku-listed 0 "$input" "${pku[@]}"
same default default-named
same default default-listed
same pku pku-listed
differ default pku
partition pku-to-default 0 "$input" "${defaults[@]}" --preset pku
same default pku-to-default
partition default-to-pku 0 "$input" --preset default "${pku[@]}"
same pku default-to-pku

safe=(--thin apart --min-confidence .99)
partition safe 0 "$input" --preset safe
partition safe-listed 0 "$input" "${safe[@]}"
same safe safe-listed
differ default safe
partition safe-to-default 0 "$input" --preset safe --min-confidence .5 --thin copies
same default safe-to-default

# ---- options change a preset, before it and after it
partition before 0 "$input" --threshold .5 --transitivity verified --preset pku
partition after 0 "$input" --preset pku --threshold .5 --transitivity verified
same before after
differ before pku

# ---- each option has an effect; those of chance where there are few fingerprints
check_effects "" "--navigation keep" "--links keep" "--templates 0" "--templates 5" \
    "--link-tokens 0" "--small-site 0" "--slack 0" "--site-extra .4" "--title-penalty 0" \
    "--score r" "--score jaccard" "--threshold .6" "--buckets 2"
check_effects "--buckets 2" "--seed 1" "--smallest 5" "--sentence-tokens 1"

# ---- wrong values are refused, in one line that names them
check_refused <<'TEXT'
--preset
--preset PKU
--preset SAFE
--thin yes
--preset paper
--navigation yes
--links dropped
--templates many
--link-tokens x
--slack nan
--slack high
--slack .8 --preset pku --transitivity verified
--site-extra nan
--site-extra much
--title-penalty nan
--index-pages yes
--seed x
--seed 99999999999999999999999
TEXT

# ---- the same on any number of ranks, with any units
all=(--preset pku --navigation drop --links drop --templates 1000 --link-tokens 200 --set-cap 50)
# check_ranks NAME RANKS... -- ARGUMENT...
check_ranks() {
    local kind=$1 ranks=() count
    shift
    while [ "$1" != -- ]; do
        ranks+=("$1")
        shift
    done
    shift
    for count in "${ranks[@]}"; do
        partition "$kind-$count" "$count" "$input" "$@"
        same "$kind-${ranks[0]}" "$kind-$count"
        partition "$kind-units" "$count" "$input" "$@" --split-size $((7777 * count * count)) --memory 16M
        same "$kind-${ranks[0]}" "$kind-units"
    done
    echo "$kind: equal on ${ranks[*]} ranks, with small units too"
}
check_ranks default 1 2 3 5 --
check_ranks safe 1 3 -- --preset safe
check_ranks pku 1 2 3 5 -- --preset pku
check_ranks pku-content 1 2 3 5 -- "${all[@]}"
if [ -n "${NEARDUP_GUIDES:-}" ]; then
    [ -d "$NEARDUP_GUIDES" ] || fail "NEARDUP_GUIDES: $NEARDUP_GUIDES is no folder"
    input=$NEARDUP_GUIDES
    partition guides-1 1 "$input"
    partition guides-3 3 "$input" --split-size 1M
    same guides-1 guides-3
    echo "guides: equal on 1 and 3 ranks"
fi
echo "presets: $effects options have an effect, $refused wrong values are refused"
