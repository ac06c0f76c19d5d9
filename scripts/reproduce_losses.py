#!/usr/bin/env python3
"""Which classes of pages share false sets: the loss of precision of scripts/reproduce_pku.sh.

usage: neardup export OUT.h5 | reproduce_losses.py CORPUS

The precision of a set of two evaluated pages or more is the share of its largest cluster, as in the
paper's protocol but over all sets. Prints JSON: sets, precision, and for each combination of classes
(originals and copies are "story") how many sets it is in and what of the mean precision they lose.
"""
import collections
import json
import os
import sys


def first_fields(path, fields):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")[:fields]


def evaluated_sets(export, loose):
    header = export.readline().rstrip("\n").split("\t")
    of_id, of_set = header.index("id"), header.index("set")
    sets = collections.defaultdict(list)
    for line in export:
        fields = line.rstrip("\n").split("\t")
        if fields[of_id] not in loose:
            sets[fields[of_set]].append(fields[of_id])
    return [pages for pages in sets.values() if len(pages) > 1]


def main(corpus):
    loose = {fields[0] for fields in first_fields(os.path.join(corpus, "loose.tsv"), 1)}
    page = {id_: (cluster, "story" if kind[0] in "OP" else kind) for id_, cluster, kind in
            first_fields(os.path.join(corpus, "classes.tsv"), 3)}
    sets = evaluated_sets(sys.stdin, loose)
    lost, count = collections.Counter(), collections.Counter()
    for pages in sets:
        clusters = collections.Counter(page[id_][0] for id_ in pages)
        loss = 1 - max(clusters.values()) / len(pages)
        if loss > 0:
            classes = " ".join(sorted({page[id_][1] for id_ in pages}))
            lost[classes] += loss
            count[classes] += 1
    print(json.dumps({"sets": len(sets),
                      "precision": 1 - sum(lost.values()) / len(sets) if sets else None,
                      "losses": [{"classes": classes, "sets": count[classes],
                                  "loss": loss / len(sets)} for classes, loss in
                                 lost.most_common()]}))


if __name__ == "__main__":
    main(sys.argv[1])
