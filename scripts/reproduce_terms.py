#!/usr/bin/env python3
"""How many terms near-duplicate pairs differ by: Henzinger's second criterion (US 2008/0044016).

usage: reproduce_terms.py NEARDUP OUT.h5 PAIRS SEED

Draws up to PAIRS pairs of a result made with --pairs keep, and counts the terms that one page has and the
other has not, with their repeats. Prints JSON: pairs, mean, median, the 90th percentile, the most, and a
histogram whose bins double: 0, 1, 2 to 3, 4 to 7 and so on.
"""
import collections
import json
import random
import subprocess
import sys


def lines_of(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8") as program:
        yield from program.stdout
    if program.returncode != 0:
        raise SystemExit("reproduce_terms.py: failed: " + " ".join(command))


def draw(neardup, result, count, seed):
    """Pairs of ids, each with the same chance, in one pass."""
    drawn, chance = [], random.Random(seed)
    rows = lines_of(neardup, "export", result, "--what", "pairs")
    header = next(rows).rstrip("\n").split("\t")
    columns = header.index("id_a"), header.index("id_b")
    for number, line in enumerate(rows):
        fields = line.rstrip("\n").split("\t")
        place = number if number < count else chance.randrange(number + 1)
        if place < count:
            drawn[place:place + 1] = [tuple(fields[column] for column in columns)]
    return drawn


def differences(a, b):
    return sum((a - b).values()) + sum((b - a).values())


def main(neardup, result, count, seed):
    pairs = draw(neardup, result, int(count), int(seed))
    wanted = {name for pair in pairs for name in pair}
    terms = {}
    for line in lines_of(neardup, "extract", result):
        page = json.loads(line)
        if page["id"] in wanted:
            terms[page["id"]] = collections.Counter(page["text"].split())
    found = sorted(differences(terms[a], terms[b]) for a, b in pairs if a in terms and b in terms)
    bins = collections.Counter(value.bit_length() for value in found)
    print(json.dumps({
        "pairs": len(found),
        "mean": sum(found) / len(found) if found else None,
        "median": found[len(found) // 2] if found else None,
        "ninetieth": found[len(found) * 9 // 10] if found else None,
        "most": found[-1] if found else None,
        "histogram": [{"from": 2 ** i // 2, "pairs": bins[i]} for i in range(max(bins, default=-1) + 1)]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
