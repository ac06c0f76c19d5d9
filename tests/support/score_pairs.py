"""A second implementation of what neardup evaluate says of verified pairs: from the exported pages
and pairs alone, a pair at a time. Holds the member "pairs" of the JSON against its own.
usage: score_pairs.py PAGES PAIRS SIMILARITIES TRUTH LOOSE AMBIGUOUS LOWEST ANSWER
PAGES and PAIRS are what neardup export prints, SIMILARITIES those of the pairs with all digits;
LOWEST is the threshold of the run."""
import json
import sys
from collections import Counter
from math import isclose, log
from urllib.parse import urlsplit

VERDICTS = ("correct", "incorrect", "undecided")


def rows(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file if line != "\n"]


def share(part, whole):
    return part / whole if whole else None


def said(counts):
    """Counter of labels, as in the JSON."""
    right, wrong, open_ = (counts[v] for v in VERDICTS)
    return {"correct": right, "incorrect": wrong, "undecided": open_,
            "precision": share(right, right + wrong + open_),
            "decided_precision": share(right, right + wrong)}


def by_site(evaluated):
    """Of a list of (similarity, label, same site)."""
    return {"all": said(Counter(v for _, v, _ in evaluated)),
            "same_site": said(Counter(v for _, v, same in evaluated if same)),
            "different_sites": said(Counter(v for _, v, same in evaluated if not same))}


def by_similarity(evaluated, lowest):
    values = sorted({s for s, _, _ in evaluated})
    if len(values) <= 16:
        return [dict(by_site([j for j in evaluated if j[0] == v]), **{"from": v, "to": v})
                for v in values]
    bins = [[] for _ in range(10)]
    for j in evaluated:
        bins[min(9, max(0, int((j[0] - lowest) / (1 - lowest) * 10)))].append(j)
    edges = [lowest + i * (1 - lowest) / 10 for i in range(11)]
    return [dict(by_site(b), **{"from": edges[i], "to": edges[i + 1]}) for i, b in enumerate(bins)]


def slope_by_squares(values):
    points = []
    for power in range(64):
        low, high = 2 ** power, 2 ** (power + 1) - 1
        inside = sum(low <= v <= high for v in values)
        if inside:
            points.append((log((low * high) ** .5), log(inside / (high - low + 1))))
    if len(points) < 2:
        return None
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return (sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points))


def slope_by_likelihood(values):
    """Where the derivative of the likelihood is 0: the mean of the logarithms is the expected one."""
    if not values or max(values) == 1:
        return None
    mean = sum(map(log, values)) / len(values)
    terms = 20000

    def expected(a):
        zeta = sum(k ** -a for k in range(1, terms)) + terms ** (1 - a) / (a - 1)
        logs = sum(log(k) * k ** -a for k in range(1, terms)) + terms ** (1 - a) * (
            log(terms) / (a - 1) + 1 / (a - 1) ** 2)
        return logs / zeta
    low, high = 1.001, 50.
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) > mean else (low, middle)
    return -low


def compare(expected, answer, where="pairs"):
    if isinstance(expected, dict):
        assert isinstance(answer, dict) and set(expected) == set(answer), (where, expected, answer)
        for name in expected:
            compare(expected[name], answer[name], where + "." + name)
    elif isinstance(expected, list):
        assert len(expected) == len(answer), (where, len(expected), len(answer))
        for number, (one, other) in enumerate(zip(expected, answer)):
            compare(one, other, "%s[%d]" % (where, number))
    elif isinstance(expected, float):
        slack = 2e-4 if where.endswith("slope_by_likelihood") else 1e-9
        assert answer is not None and isclose(expected, answer, rel_tol=1e-9, abs_tol=slack), (
            where, expected, answer)
    else:
        assert expected == answer, (where, expected, answer)


def main():
    pages_file, pairs_file, exact_file, truth, loose_file, apart_file, lowest, answer = sys.argv[1:]
    pages = rows(pages_file)[1:]
    pairs = [(int(r[0]), int(r[1])) for r in rows(pairs_file)[1:]]
    with open(exact_file, encoding="ascii") as file:
        similarities = [float(word) for word in file.read().replace(",", " ").split()]
    assert len(pairs) == len(similarities)
    cluster = {row[0]: row[1] for row in rows(truth)}
    loose = {row[0] for row in rows(loose_file)}
    apart = {frozenset(row[:2]) for row in rows(apart_file)}
    partners, evaluated, unlabelled = Counter(), [], 0
    for (a, b), similarity in zip(pairs, similarities):
        partners.update((a, b))
        ids = [pages[p][1] or pages[p][2] for p in (a, b)]
        hosts = {urlsplit(pages[p][2]).hostname for p in (a, b)}
        of = [cluster.get(i) for i in ids]
        if None in of:
            unlabelled += 1
            continue
        label = ("undecided" if loose & set(ids) or frozenset(of) in apart
                   else "correct" if of[0] == of[1] else "incorrect")
        evaluated.append((similarity, label, len(hosts) == 1))
    values = list(partners.values())
    bins = Counter(v.bit_length() - 1 for v in values)
    expected = dict(by_site(evaluated), listed=len(pairs), unlabelled=unlabelled)
    expected["by_similarity"] = by_similarity(evaluated, float(lowest))
    expected["partners"] = {
        "pages": len(values), "most": max(values, default=0),
        "slope_by_least_squares": slope_by_squares(values),
        "slope_by_likelihood": slope_by_likelihood(values),
        "histogram": [{"from": 2 ** i, "pages": bins[i]} for i in range(max(bins, default=-1) + 1)]}
    with open(answer, encoding="utf-8") as file:
        compare(expected, json.load(file)["pairs"])
    print("%d pairs (%s), %d rows by similarity, %d pages with partners: as counted one by one" % (
        len(pairs), ", ".join("%d %s" % (expected["all"][v], v) for v in VERDICTS),
        len(expected["by_similarity"]), len(values)))


main()
