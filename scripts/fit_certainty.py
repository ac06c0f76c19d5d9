#!/usr/bin/env python3
"""Fit what /pages/certainty is made of (src/method/certainty.c) to labelled results, and print it as C.

usage: fit_certainty.py --source KIND RESULT.h5 LABELS ... [--read KIND RESULT.h5 LABELS ...]

RESULT.h5 is what `neardup partition` wrote. LABELS is a folder with clusters.tsv (id, cluster) and, as
far as they are there, loose.tsv (ids not counted) and ambiguous.tsv (two clusters between which pages
are not counted); or a file of lines (id, id, 1 or 0) that says of pairs whether they belong together.
Members of sets are counted whose text is not their representative's, each with its representative, and
copies of one text once. --source is fitted to; --read is only held against it.

Each kind has one weight in all, and in it a set of n members that of root n. Printed are, for each
kind, predicted and found means in tenths: as the result has them, fitted to the other half (of the
hosts, of the sets where there are few hosts), and fitted without the kind. Needs python3-numpy and
python3-h5py.
"""
import argparse
import os
import re
import zlib
from urllib.parse import unquote_to_bytes, urlsplit

import h5py
import numpy as np

UNIT = 10000
FEW_HOSTS = 50
NAMES = [
    "ALWAYS", "SIMILAR", "ONE_SITE_VERSION", "ONE_SITE_NAME", "ONE_SITE_OTHER", "ONE_SITE_ACROSS",
    "ONE_SITE_CROWDED", "ONE_SITE_SITES", "ONE_SITE_NEAR", "SHORT_OF_MANY",
]
MOST_LENGTH, MOST_NAMES, NEAR = 10, 8, 0.9
TEXT = 1  # the subject of a plain text
OTHER, ACROSS, NAME, VERSION = range(4)

# Addresses, as src/text/address.c reads them.
VERSION_WORDS = set(b"c current dev devel head latest main master nightly release releases stable "
                    b"trunk version versions".split())
INDEX_WORDS = set(b"default home index readme".split())
A_LANGUAGE = re.compile(rb"[a-z]{2}([-_.@][a-z0-9]{2,8}){0,2}")
A_VERSION = re.compile(rb"((?<![a-z])v)?\d(\d|[._a-z-](?=\d))*")


def without_version(folder):
    digits = len(re.sub(rb"\D", b"", folder))
    if A_LANGUAGE.fullmatch(folder) or folder in VERSION_WORDS:
        return b""
    if digits > 8 or digits == len(folder) > 2 and not folder.startswith(b"0"):
        return folder
    return A_VERSION.sub(b"", folder).strip(b"-_.+~ ")


def address(url):
    """Last part, folders, last two folders and folders as they are; none for an empty address."""
    if not url:
        return None
    path, mark, asked = re.match(rb"([^?#;]*)(\??)([^#]*)", url).groups()
    found = re.match(rb"[^:]*://[^/]*(.*)", path, re.S)
    parts = [part for part in (found[1] if found else b"").split(b"/") if part.strip()]
    parts = [unquote_to_bytes(part)[:256] for part in parts]
    plain = re.sub(rb"(?s)(.)\.[^.]{0,5}$", rb"\1", parts[-1]) if parts else b""
    if not mark and plain.lower() in INDEX_WORDS and len(parts) > 1 and without_version(parts[-2].lower()):
        del parts[-1]
        plain = re.sub(rb"(?s)(.)\.[^.]{0,5}$", rb"\1", parts[-1])
    raw = [part.lower() for part in parts[:-1]]
    folders = [folder for folder in map(without_version, raw) if folder]
    if mark:
        plain += b"?" + unquote_to_bytes(asked)
    return plain, tuple(folders), tuple(folders[-2:]) if len(folders) > 1 else None, raw


def relation(a, b):
    if a is None or b is None:
        return OTHER
    if a[0] != b[0]:
        return ACROSS if a[1] == b[1] and a[3] != b[3] else OTHER
    return VERSION if a[1] == b[1] or a[2] is not None and a[2] == b[2] else NAME


def log2(numbers, most):
    """Of whole numbers from 1 on, linear between powers of two, as the program has it."""
    numbers = np.clip(numbers, 1, 2**most)
    power = np.floor(np.log2(numbers))
    return power + numbers / 2**power - 1


class Result:
    """The columns of a result, and what the program knows of each member when it is written."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            pages = file["pages"]
            self.set, self.first = (pages[name][:].astype(int) for name in ("set", "exact_of"))
            self.similarity, self.certainty = pages["similarity"][:], pages["certainty"][:]
            self.tokens = pages["tokens"][:].astype(float)
            self.text = pages["subject"][:] == TEXT
            leaders = file["sets/member"][:][file["sets/offset"][:-1].astype(int)]
            self.leader = leaders[self.set].astype(int)
            self.ids, urls = (self.texts(pages, name) for name in ("id", "url"))
        self.hosts = [urlsplit(url).netloc.lower() for url in urls]
        names = {host: number for number, host in enumerate(sorted({""} | set(self.hosts)))}
        self.site = np.array([names[host] for host in self.hosts])  # 0: none
        self.address = [address(url.encode("utf-8", "surrogateescape")) for url in urls]
        numbers = {}
        self.name = np.array([
            numbers.setdefault(page if found is None else found[:2], len(numbers))
            for page, found in enumerate(self.address)])

    @staticmethod
    def texts(pages, name):
        offsets, data = pages[name + "_offset"][:], pages[name + "_bytes"][:].tobytes()
        return [data[a:b].decode("utf-8", "surrogateescape") for a, b in zip(offsets[:-1], offsets[1:])]

    def facts(self):
        """Members, and a row of NAMES of each."""
        def runs(*columns):
            found, of, size = np.unique(np.stack(columns), axis=1, return_inverse=True, return_counts=True)
            return found, of.ravel(), size

        texts = np.flatnonzero(self.first == np.arange(len(self.set)))
        names = np.bincount(runs(self.set[texts], self.name[texts])[0][0], minlength=self.set.max() + 1)
        _, group, size = runs(self.set[texts], self.site[texts])
        _, named, same = runs(self.set[texts], self.site[texts], self.name[texts])
        crowded = np.bincount(self.site[texts], size[group] > same[named], self.site.max() + 1)
        share = crowded / np.maximum(1, np.bincount(self.site[texts], minlength=len(crowded)))
        sites = np.bincount(runs(self.set, self.site)[0][0])
        members = texts[self.first[self.leader[texts]] != texts]
        leaders = self.leader[members]
        a, b = self.site[members], self.site[leaders]
        html = ~(self.text[members] & self.text[leaders])
        one = ((a == b) | (a == 0) | (b == 0)) & html
        related = np.array([relation(self.address[i], self.address[k]) for i, k in zip(members, leaders)])
        version, across = one & (related == VERSION), one & (related == ACROSS)
        other = across | one & (related == OTHER)
        short = MOST_LENGTH - log2(self.tokens[members], MOST_LENGTH)
        near = np.maximum(0, self.similarity[members] - NEAR) / (1 - NEAR)
        return members, np.stack([
            np.ones(len(members)), self.similarity[members], version, one & (related == NAME), other,
            across, other * share[a], one * log2(sites[self.set[members]], MOST_NAMES),
            (one & ~version) * near, html * short * log2(names[self.set[members]], MOST_NAMES),
        ], 1)


def lines(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def truth(path):
    """A function of two ids: whether they belong together; None: it is not said."""
    if os.path.isfile(path):
        pairs = {(a, b): int(says) for a, b, says, *_ in lines(*os.path.split(path))}
        return lambda a, b: pairs.get((a, b))
    cluster = {row[0]: row[1] for row in lines(path, "clusters.tsv")}
    for row in lines(path, "loose.tsv"):
        cluster.pop(row[0], None)
    ambiguous = {frozenset(row[:2]) for row in lines(path, "ambiguous.tsv")}

    def says(a, b):
        both = frozenset((cluster.get(a), cluster.get(b)))
        return None if None in both or both in ambiguous else int(len(both) == 1)

    return says


def read(kind, path, labels):
    """(facts, found, certainty in the result, weight, half) of the members that are labelled."""
    result, says = Result(path), truth(labels)
    members, facts = result.facts()
    found = [says(result.ids[i], result.ids[result.leader[i]]) for i in members]
    known = np.array([answer is not None for answer in found], bool)
    members, facts = members[known], facts[known]
    found = np.array([answer for answer in found if answer is not None], float)
    size = np.bincount(result.set[members], minlength=result.set.max() + 1)
    hosts = len(set(result.hosts)) >= FEW_HOSTS
    half = [
        zlib.crc32((result.hosts[result.leader[i]] if hosts else str(result.set[i])).encode()) % 2
        for i in members
    ]
    print(f"{kind}: {path}: {len(members)} members, {int(found.sum())} right")
    return facts, found, result.certainty[members], 1 / np.sqrt(size[result.set[members]]), np.array(half)


def fit(sources, chosen):
    """Weights by maximum likelihood, by Newton's method. \\param chosen  which rows, by kind"""
    facts, found, weight = [], [], []
    for kind, (x, y, _, w, _) in sources.items():
        rows = chosen(kind)
        if rows is not None and w[rows].sum() > 0:
            facts.append(x[rows])
            found.append(y[rows])
            weight.append(w[rows] / w[rows].sum() * 1000)
    x, y, w = np.concatenate(facts), np.concatenate(found), np.concatenate(weight)
    beta = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ beta))
        step = np.linalg.solve((x.T * (w * p * (1 - p))) @ x + 0.05 * np.eye(len(beta)),
                               x.T @ (w * (y - p)) - 0.05 * beta)
        beta += step
        if np.abs(step).max() < 1e-9:
            break
    return beta


def predict(x, beta):
    return 1 / (1 + np.exp(-x @ beta))


def show(name, p, found):
    tenths = []
    for tenth in range(10):
        rows = (p >= tenth / 10) & (p < (tenth + 1) / 10 + (tenth == 9))
        tenths.append(f"{p[rows].mean():.2f}/{found[rows].mean():.2f} ({rows.sum()})"
                      if rows.any() else "-")
    print(f"  {name:16} Brier {((p - found) ** 2).mean():.4f}  " + "  ".join(tenths))


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    for option in ("--source", "--read"):
        parser.add_argument(option, nargs=3, action="append", default=[])
    arguments = parser.parse_args()
    sources, held_out = {}, {}
    for to, given in ((sources, arguments.source), (held_out, arguments.read)):
        for kind, path, labels in given:
            rows = read(kind, path, labels)
            to[kind] = tuple(map(np.concatenate, zip(to[kind], rows))) if kind in to else rows
    whole = fit(sources, lambda kind: slice(None))
    halves = [fit(sources, lambda kind: sources[kind][4] != half) for half in (0, 1)]
    print("predicted/found (members), by tenths of what is predicted")
    for kind, (x, y, before, _, half) in sources.items():
        print(kind)
        show("in the result", before, y)
        show("the other half", np.where(half == 0, predict(x, halves[0]), predict(x, halves[1])), y)
        if len(sources) > 1:
            show("without the kind", predict(x, fit(sources, lambda k: None if k == kind else slice(None))), y)
    for kind, (x, y, before, _, _) in held_out.items():
        print(f"{kind} (read)")
        show("in the result", before, y)
        show("fitted", predict(x, whole), y)
    for name, weight in zip(NAMES, whole):
        print(f"    {name} = {round(weight * UNIT)},")


if __name__ == "__main__":
    main()
