"""A second implementation of neardup evaluate that looks at every pair of pages and takes no
shortcut: holds every number of the JSON against its own.
usage: score_pages.py PAGES TRUTH COLUMN LOOSE AMBIGUOUS CLASSES ANSWER CERTAINTIES
PAGES is what neardup export prints, CERTAINTIES /pages/certainty, a number a line; LOOSE, AMBIGUOUS and CLASSES may be - for none."""
import json
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from urllib.parse import urlsplit

KINDS = ("true_pairs", "predicted_pairs", "common_pairs", "skipped_pairs")


def rows(path):
    if path == "-":
        return []
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file if line != "\n"]


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(1)


def mean(values):
    return sum(values, Fraction(0)) / len(values) if values else Fraction(1)


def measure(precision, recall):
    both = precision + recall
    return {"precision": precision, "recall": recall,
            "f1": 2 * precision * recall / both if both else Fraction(0)}


class Page:
    """A page that is evaluated."""

    def __init__(self, name, cluster, row):
        self.name, self.cluster = name, cluster
        self.number, self.set, self.similarity = row[0], row[4], Decimal(row[5])
        self.leader = row[6]
        self.site = urlsplit(row[2] or row[1]).hostname
        self.kind = self.original_similarity = None
        self.partners = self.found = self.company = 0  # of its cluster; in its set; evaluated in it


def read_pages(result, truth, column, loose_file, classes):
    """The evaluated pages, and how many ids there are, are missing, are loose."""
    found, listed = {}, {}
    for row in rows(result)[1:]:
        found.setdefault(row[1] or row[2], row)
    for row in rows(truth):
        listed.setdefault(row[0], row[column - 1])
    loose = {row[0] for row in rows(loose_file)}
    pages = [Page(p, c, found[p]) for p, c in listed.items() if p in found and p not in loose]
    made = {row[0]: row for row in rows(classes)}
    for page in pages if made else []:
        page.site = None
        if page.name in made:
            page.kind, page.site = made[page.name][2], made[page.name][4]
            page.original_similarity = Decimal(made[page.name][5])
    missing = sum(p not in found for p in listed)
    return pages, {"truth_pages": len(listed), "missing_pages": missing,
                   "loose_pages": len(listed) - missing - len(pages), "pages": len(pages)}


def on_one_site(p, q):
    return p.site is not None and p.site == q.site


def count_pairs(pages, apart):
    """Pairs by (group, where, kind of pair); a group is a class, or all pages."""
    counts = Counter()
    for p, q in combinations(pages, 2):
        same_set, same_cluster = p.set == q.set, p.cluster == q.cluster
        evaluated = frozenset((p.cluster, q.cluster)) not in apart
        counts["evaluated"] += evaluated
        if not same_set and not same_cluster:
            continue
        for page in p, q:
            page.partners += same_cluster
            page.found += same_cluster and same_set
            page.company += evaluated and same_set
        kinds = (same_cluster, same_set and evaluated, same_set and same_cluster,
                 same_set and not evaluated)
        where = "same_site" if on_one_site(p, q) else "different_sites"
        for group in {"all", ("class", p.kind), ("class", q.kind)}:
            for kind, does in zip(KINDS, kinds):
                counts[group, "pairs", kind] += does
                counts[group, where, kind] += does
    return counts


def pair_measures(counts, group, where):
    n = {kind: counts[group, where, kind] for kind in KINDS}
    return {**n, **measure(share(n["common_pairs"], n["predicted_pairs"]),
                           share(n["common_pairs"], n["true_pairs"]))}


def rand_index(counts):
    """The adjusted Rand index as Cohen's kappa of the pairs (Warrens, 2008)."""
    both = counts["all", "pairs", "common_pairs"]
    missed = counts["all", "pairs", "true_pairs"] - both
    wrong = counts["all", "pairs", "predicted_pairs"] - both
    neither = counts["evaluated"] - both - missed - wrong
    if missed == wrong == 0:
        return Fraction(1)
    return Fraction(2 * (both * neither - missed * wrong),
                    (both + missed) * (missed + neither) + (both + wrong) * (wrong + neither))


def removal(pages):
    """The first page of a set stays, a later one goes, rightly if an earlier one of the set has its
    cluster."""
    gone = right = possible = 0
    sets, clusters, cells = set(), set(), set()
    for p in pages:
        gone += p.set in sets
        possible += p.cluster in clusters
        right += (p.set, p.cluster) in cells
        sets.add(p.set), clusters.add(p.cluster), cells.add((p.set, p.cluster))
    return measure(share(right, gone), share(right, possible))


def deciles(pairs, number, name):
    """pairs: (similarity, whether on one site, whether they agree)."""
    def say(some):
        agreeing = sum(agrees for _, _, agrees in some)
        return {"pairs": len(some), number: agreeing, name: share(agreeing, len(some))}

    table = []
    for decile in range(11):
        inside = [p for p in pairs if int(p[0] * 10) == decile]
        table.append({"from": Fraction(decile, 10), "to": Fraction(min(decile + 1, 10), 10),
                      **say(inside), "same_site": say([p for p in inside if p[1]]),
                      "different_sites": say([p for p in inside if not p[1]])})
    return table


def representatives(pages, apart, value):
    by_number = {p.number: p for p in pages}
    pairs = []
    for p in pages:
        leader = by_number.get(p.leader)
        if leader not in (None, p) and frozenset((p.cluster, leader.cluster)) not in apart:
            pairs.append((value(p), on_one_site(p, leader), p.cluster == leader.cluster))
    return pairs


def originals(pages):
    leaders = {p.cluster: p for p in pages if p.kind == "O"}
    return [(p.original_similarity, on_one_site(p, leaders[p.cluster]),
             p.set == leaders[p.cluster].set)
            for p in pages if p.kind not in (None, "O") and p.cluster in leaders]


def describe_class(kind, pages, counts):
    own = [p for p in pages if p.kind == kind]
    partnered = [p for p in own if p.partners]
    return {"class": kind, "pages": len(own), "mixed_pages": sum(p.company > p.found for p in own),
            "partnered_pages": len(partnered),
            "page_recall": mean([Fraction(p.found, p.partners) for p in partnered]),
            **{where: pair_measures(counts, ("class", kind), where)
               for where in ("pairs", "same_site", "different_sites")}}


def expect(pages, tally, apart, kinds, certainties):
    counts = count_pairs(pages, apart)
    everything = pair_measures(counts, "all", "pairs")
    answer = {**tally, **{kind: everything[kind] for kind in KINDS},
              "clusters": len({p.cluster for p in pages}), "sets": len({p.set for p in pages}),
              "judged_pairs": counts["evaluated"],
              "pairwise": {k: everything[k] for k in ("precision", "recall", "f1")},
              "precision_by_definition": not everything["predicted_pairs"],
              "recall_by_definition": not everything["true_pairs"],
              "b_cubed": measure(mean([Fraction(p.found + 1, p.company + 1) for p in pages]),
                                 mean([Fraction(p.found + 1, p.partners + 1) for p in pages])),
              "removal": removal(pages), "adjusted_rand_index": rand_index(counts),
              "pages_without_site": sum(p.site is None for p in pages),
              "same_site": pair_measures(counts, "all", "same_site"),
              "different_sites": pair_measures(counts, "all", "different_sites"),
              "representative_deciles": deciles(
                  representatives(pages, apart, lambda p: p.similarity), "correct", "precision"),
              "certainty_deciles": deciles(
                  representatives(pages, apart, lambda p: certainties[int(p.number)]), "correct",
                  "precision")}
    if kinds:
        answer["pages_without_class"] = sum(p.kind is None for p in pages)
        answer["original_deciles"] = deciles(originals(pages), "found", "recall")
        answer["classes"] = [describe_class(kind, pages, counts) for kind in kinds]
    return answer


def differences(path, expected, said):
    if isinstance(expected, dict) and isinstance(said, dict):
        return [d for key in sorted(expected.keys() | said.keys())
                for d in differences(path + "/" + key, expected.get(key), said.get(key))]
    if isinstance(expected, list) and isinstance(said, list) and len(expected) == len(said):
        return [d for i, (e, t) in enumerate(zip(expected, said))
                for d in differences("%s/%d" % (path, i), e, t)]
    if isinstance(expected, Fraction) and isinstance(said, (int, float)):
        return [] if abs(expected - Fraction(said)) < Fraction(1, 10**9) else \
            ["%s: %s, not %s" % (path, said, float(expected))]
    return [] if expected == said and type(expected) is type(said) else \
        ["%s: %s, not %s" % (path, said, expected)]


def numbers(value):
    if isinstance(value, (dict, list)):
        return sum(map(numbers, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, str)


def main():
    result, truth, column, loose, ambiguous, classes, answer, certainties = sys.argv[1:]
    with open(answer, encoding="utf-8") as file:
        said = json.load(file)
    for name in "result", "truth", "bad_lines":
        said.pop(name)
    pages, tally = read_pages(result, truth, int(column), loose, classes)
    apart = {frozenset(row[:2]) for row in rows(ambiguous) if row[0] != row[1]}
    ids = {row[0] for row in rows(truth)}
    kinds = sorted({row[2] for row in rows(classes) if row[0] in ids})
    members = [Decimal(row[0]) for row in rows(certainties)]
    wrong = differences("", expect(pages, tally, apart, kinds, members), said)
    if wrong:
        sys.exit("evaluate differs from the count over all pairs:\n" + "\n".join(wrong[:20]))
    print("evaluate: %d pages, %d of %d pairs found, %d of %d right; %d numbers as counted over "
          "all pairs" % (said["pages"], said["common_pairs"], said["true_pairs"],
                         said["common_pairs"], said["predicted_pairs"], numbers(said)))


main()
