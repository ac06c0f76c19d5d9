#!/usr/bin/env python3
"""How good are the estimates of neardup overlap? Makes four collections of known sizes, partitions
them once, and estimates their sizes with many seeds: error and coverage of the intervals.

usage: overlap_seeds.py NEARDUP [--things N] [--seeds N] [--sample N] [--queries N] [--small N]
                        [--work DIR] [--least COVERAGE]

Of N made-up things a has half, b a quarter, c two fifths, d 8 %; popular things are in more of
them, which capture and recapture does not know. Every page has edits of its own; c has a fifth of
its things on several mirrors. --small N: N collections of 2 % each in their place. Exit status 1 if the exact sizes are not those that were made, or an
interval of 95 % holds the truth less often than COVERAGE."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

FOUR = {"a": .5, "b": .25, "c": .4, "d": .08}
WORDS, TEXT_WORDS = 30000, 60


def make(folder, things, shares):
    """JSONL files. Returns the sets that each collection has."""
    draw = random.Random(19)
    words = ["".join(draw.choices("bcdfghklmnprst", k=3)) + draw.choice("aeiou") +
             "".join(draw.choices("aeioubdgk", k=2)) for _ in range(WORDS)]
    sizes = dict.fromkeys(shares, 0)
    out = {name: open("%s/%s.jsonl" % (folder, name), "w", encoding="ascii") for name in shares}
    together = 0
    for thing in range(things):
        popular = draw.random()
        text = draw.choices(words, k=TEXT_WORDS)
        having = [name for name in shares if draw.random() < shares[name] * (.5 + popular)]
        together += bool(having)
        for name in having:
            sizes[name] += 1
            copies = draw.randint(2, 8) if name == "c" and thing % 5 == 0 else 1
            for copy in range(copies):
                page = list(text)
                for _ in range(draw.choice((0, 0, 1))):
                    page[draw.randrange(TEXT_WORDS // 2, TEXT_WORDS)] = draw.choice(words)
                page = [word + "." * (i % 10 == 9) for i, word in enumerate(page)]
                url = "http://mirror%d-%d.example/%d" % (copy, thing, thing)
                out[name].write(json.dumps({"url": url, "text": " ".join(page)}) + "\n")
    for file in out.values():
        file.close()
    return list(sizes.values()), together


class Tally:
    """Estimates of one kind over all seeds and collections."""

    def __init__(self):
        self.errors, self.biases, self.held, self.unknown = [], [], 0, 0

    def add(self, estimate, truth):
        if estimate["estimate"] is None or estimate["lower"] is None:
            self.unknown += 1
            return
        self.errors.append(abs(estimate["estimate"] / truth - 1))
        self.biases.append(estimate["estimate"] / truth - 1)
        self.held += estimate["lower"] <= truth <= estimate["upper"]

    def row(self, name):
        count = len(self.errors)
        return "%-44s %6.2f %% %+7.2f %% %7.1f %%%s" % (
            name, 100 * sum(self.errors) / count, 100 * sum(self.biases) / count, 100 * self.held / count,
            ", %d not known" % self.unknown if self.unknown else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("neardup")
    parser.add_argument("--things", type=int, default=20000)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=0)
    parser.add_argument("--small", type=int, default=0)
    parser.add_argument("--work", help="keep the collections and their result here")
    parser.add_argument("--least", type=float, default=0)
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = wish.work or scratch
        shares = {"s%d" % i: .02 for i in range(wish.small)} or FOUR
        made, together = make(folder, wish.things, shares)
        result = os.path.join(folder, "out.h5")
        inputs = ["%s=%s/%s.jsonl" % (name, folder, name) for name in shares]
        subprocess.run([wish.neardup, "partition", *inputs, "-o", result, "--progress", "none"], check=True,
                       stderr=subprocess.DEVNULL)
        tallies, missed = {}, [0, 0]
        for seed in range(1, wish.seeds + 1):
            found = json.loads(subprocess.run(
                [wish.neardup, "overlap", result, "--format", "json", "--seed", str(seed), "--sample",
                 str(wish.sample), "--queries", str(wish.queries)], check=True, stdout=subprocess.PIPE).stdout)
            sets = found["sets"]
            exact = [sets["both"][x][x] for x in range(len(shares))]
            kinds = {"by set": found["samples"]["by_set"], "by page": found["samples"]["by_page"]}
            if wish.queries:
                kinds["by query, its set answers"] = found["strong_queries"]["own_set_answers"]
                kinds["by query, any page answers"] = found["strong_queries"]["any_page_answers"]
                missed[0] += sum(p["has"] - p["found"] for p in found["strong_queries"]["pairs"])
                missed[1] += sum(p["has"] for p in found["strong_queries"]["pairs"])
            for kind, sizes in kinds.items():
                for form in "least_squares", "logarithms":
                    for x, estimate in enumerate(sizes[form]):
                        tallies.setdefault("share, %s, %s" % (kind, form), Tally()).add(
                            estimate["share"], exact[x] / sets["all"])
                for ratio in sizes["ratios"]:
                    tallies.setdefault("ratio of two, " + kind, Tally()).add(
                        ratio["ratio"], exact[ratio["a"]] / exact[ratio["b"]])
        for capture in found["capture_recapture"]:
            tallies.setdefault("capture and recapture", Tally()).add(
                dict(capture, estimate=capture["chapman"]), wish.things)
    print("sets: made %s, together %d; found %s, together %d" % (made, together, exact, sets["all"]))
    print("%-44s %8s %9s %9s" % ("%d seeds, %d collections" % (wish.seeds, len(shares)), "error", "bias", "coverage"))
    for name, tally in tallies.items():
        print(tally.row(name))
    if wish.queries:
        print("strong queries miss %.1f %%" % (100 * missed[0] / missed[1]))
    wrong = max(abs(a / b - 1) for a, b in zip(made + [together], exact + [sets["all"]]))
    low = [name for name, tally in tallies.items()
           if name in ("share, by set, least_squares", "share, by set, logarithms", "ratio of two, by set")
           and tally.held < wish.least * len(tally.errors)]
    if wrong > .005 or low:
        sys.exit("overlap_seeds.py: sizes differ by %.2f %%; intervals hold too little: %s" % (100 * wrong, low))


main()
