#!/usr/bin/env python3
"""What a crawl costs and finds that comes in additions, against one run over all of it. Makes a corpus
of known truth, partitions it at once, then part after part with --index and --write-index.

usage: additions.py NEARDUP [--pages N] [--additions K] [--seed S] [--corpus DIR] [--work DIR]
                    [--least RECALL] [--input NAME=INPUT]... [OPTION of neardup partition]...

--corpus is a folder that neardup synthesize made: that is taken in place of a new one. With --input each of
these is an addition, of which nothing true is known: as releases of a documentation, of which it is said how
many pages share a set with the page of the same id, or path, in another release.

Prints processor time and memory of each addition, the index's bytes a page, precision and recall of one
run, of the additions, and of the last of them with --recluster; and the pairs of pages in one set by why
they differ. Exit status 1 if the additions' pairwise recall is below RECALL times that of one run."""
import argparse
import collections
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0],
                                     description=__doc__.split("\n\n")[0])
    parser.add_argument("neardup")
    parser.add_argument("--pages", type=int, default=20000)
    parser.add_argument("--additions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--corpus")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--work", help="a folder for all files, which stay there")
    parser.add_argument("--least", type=float, default=0)
    asked, options = parser.parse_known_args()
    return asked, options


def run(neardup, *words):
    """Seconds of processor time and bytes of memory of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([neardup, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s: exit code %d\n%s" % (" ".join(words), process.returncode, said))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used.ru_maxrss * 1024


def answer(neardup, *words):
    return subprocess.run([neardup, *words], check=True, stdout=subprocess.PIPE).stdout.decode()


def sets_of(neardup, result):
    """Of each page, by collection and name (the id, or the path of the URL), the set, in the order of the
    pages."""
    with subprocess.Popen([neardup, "export", result], stdout=subprocess.PIPE, text=True) as process:
        rows = csv.reader(process.stdout, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = next(rows)
        where, page, url, its = (names.index(name) for name in ("collection", "id", "url", "set"))
        return {(row[where], row[page] or row[url].split("://")[-1].partition("/")[2]): int(row[its]) for row in rows}


def versions_of(sets):
    """Names that several collections have, and of how many all pages are in one set."""
    of_name = collections.defaultdict(list)
    for (_, name), its in sets.items():
        of_name[name].append(its)
    several = [found for found in of_name.values() if len(found) > 1]
    return len(several), sum(len(set(found)) == 1 for found in several)


def print_differences(name, addition, whole, steps):
    """A pair of one run that is missing: its later page (of two of an addition, the second) has joined a
    set that was there, or has opened one with what came with it."""
    members = collections.defaultdict(list)
    began = {} # the addition of a set's first page
    for page, its in whole.items():
        members[its].append(page)
    for page, its in steps.items():
        began[its] = min(began.get(its, addition[page]), addition[page])
    one = common = joined = 0
    for pages in members.values():
        one += len(pages) * (len(pages) - 1) // 2
        before = collections.Counter()
        for n, page in enumerate(sorted(pages, key=addition.get)):
            together = before[steps[page]]
            common += together
            joined += n - together if began[steps[page]] < addition[page] else 0
            before[steps[page]] += 1
    several = sum(n * (n - 1) // 2 for n in collections.Counter(steps.values()).values())
    missing = one - common
    print("| %s | %d | %d | %d | %d | %d |" % (name, one, missing, missing - joined, joined, several - common))


def main():
    asked, options = parse()
    with tempfile.TemporaryDirectory() as temporary:
        work = asked.work or temporary
        neardup = os.path.abspath(asked.neardup)
        corpus = asked.corpus and os.path.abspath(asked.corpus)
        start = os.getcwd()
        os.makedirs(work, exist_ok=True)
        os.chdir(work)
        parts = [[name + "=" + os.path.abspath(os.path.join(start, path))]
                 for name, _, path in (part.partition("=") for part in asked.input)]
        if not parts and corpus is None:
            corpus = "made"
            part = asked.pages // asked.additions
            run(neardup, "synthesize", "-o", corpus, "--pages", str(part * asked.additions), "--seed", str(asked.seed),
                "--shard-pages", str(part))
        if not parts:
            shards = sorted(os.path.join(corpus, name) for name in os.listdir(corpus) if name.startswith("pages"))
            ends = [len(shards) * n // asked.additions for n in range(asked.additions + 1)]
            parts = [shards[begin:end] for begin, end in zip(ends, ends[1:])]
        used = [run(neardup, "partition", *sum(parts, []), "-o", "one.h5", *options)]
        for n, part in enumerate(parts):
            before = ["--index", "%d.index" % (n - 1)] if n > 0 else []
            used.append(run(neardup, "partition", *part, "-o", "%d.h5" % n, "--write-index", "%d.index" % n, *before,
                            *options))
        last = len(parts) - 1
        run(neardup, "partition", *parts[last], "-o", "rejoin.h5", "--index", "%d.index" % (last - 1), "--recluster",
            *options)
        print("CPU seconds of one run %.1f, of the additions %s" %
              (used[0][0], ", ".join("%.1f" % seconds for seconds, _ in used[1:])))
        print("memory: one run %.0f MB, at most %.0f MB an addition" %
              (used[0][1] / 1e6, max(memory for _, memory in used[1:]) / 1e6))
        for line in answer(neardup, "index", "info", "%d.index" % last).splitlines():
            if line.startswith(("all\t", "text.packed\t")):
                print("index: " + line.replace("\t", ", "))
        print("\n| | sets | names in several | of these, in one set |\n| --- | --- | --- | --- |" if asked.input else
              "\n| | sets | pairwise precision / recall | B-cubed | removal |\n| --- | --- | --- | --- | --- |")
        recall = []
        results = [("one run", "one.h5"), ("additions", "%d.h5" % last), ("the last with --recluster", "rejoin.h5")]
        sets = {}
        for name, result in results:
            sets[name] = sets_of(neardup, result)
            if asked.input:
                print("| %s | %d | %d | %d |" % (name, len(set(sets[name].values())), *versions_of(sets[name])))
                continue
            values = json.loads(answer(neardup, "evaluate", result, "--truth", corpus + "/clusters.tsv", "--loose",
                                       corpus + "/loose.tsv", "--format", "json"))
            print("| %s | %d | %s |" % (name, len(set(sets[name].values())), " | ".join(
                "%.3f / %.3f" % (values[kind]["precision"], values[kind]["recall"])
                for kind in ("pairwise", "b_cubed", "removal"))))
            recall.append(values["pairwise"]["recall"])
        addition = {}
        for n in range(last, -1, -1):
            addition.update(dict.fromkeys(sets_of(neardup, "%d.h5" % n), n))
        print("\n| | in one run | missing | of these, sets that began apart | a page that joined another | more |\n"
              "| --- | --- | --- | --- | --- | --- |")
        for name, _ in results[1:]:
            print_differences(name, addition, sets["one run"], sets[name])
        sys.exit(not asked.input and recall[1] < asked.least * recall[0])


main()
