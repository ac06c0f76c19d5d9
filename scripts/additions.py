#!/usr/bin/env python3
"""What a crawl costs and finds that comes in additions, against one run over all of it. Makes a corpus
of known truth, partitions it at once, then part after part with --against and --keep-index.

usage: additions.py NEARDUP [--pages N] [--additions K] [--seed S] [--work DIR] [--least RECALL]
                    [OPTION of neardup partition]...

Prints processor time and memory of each addition, the index's bytes a page, precision and recall of one
run, of the additions, and of the last of them with --rejoin; and the pairs of pages in one set by why
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
    """Of each id the set, and of each set the pages, in their order."""
    rows = list(csv.DictReader(answer(neardup, "export", result).splitlines(), delimiter="\t",
                               quoting=csv.QUOTE_NONE))
    members = collections.defaultdict(list)
    for row in rows:
        members[row["set"]].append(row["id"])
    return {row["id"]: row["set"] for row in rows}, members


def pairs_of(members):
    return {(a, b) for pages in members.values() for i, a in enumerate(pages) for b in pages[i + 1:]}


def print_differences(name, addition, whole, steps):
    """A pair of one run that is missing: its later page has joined a set that was there, or has opened
    one with what came with it."""
    one, several = pairs_of(whole[1]), pairs_of(steps[1])
    joined = 0
    for a, b in one - several:
        later = max(a, b, key=addition.get)
        first = min(addition[page] for page in steps[1][steps[0][later]])
        joined += first < addition[later]
    missing = len(one - several)
    print("| %s | %d | %d | %d | %d | %d |" % (name, len(one), missing, missing - joined, joined, len(several - one)))


def main():
    asked, options = parse()
    with tempfile.TemporaryDirectory() as temporary:
        work = asked.work or temporary
        neardup = os.path.abspath(asked.neardup)
        os.makedirs(work, exist_ok=True)
        os.chdir(work)
        part = asked.pages // asked.additions
        run(neardup, "synthesize", "-o", "made", "--pages", str(part * asked.additions), "--seed", str(asked.seed),
            "--shard-pages", str(part))
        shards = sorted("made/" + name for name in os.listdir("made") if name.startswith("pages"))
        used = [run(neardup, "partition", *shards, "-o", "one.h5", *options)]
        for n, shard in enumerate(shards):
            before = ["--against", "%d.index" % (n - 1)] if n > 0 else []
            used.append(run(neardup, "partition", shard, "-o", "%d.h5" % n, "--keep-index", "%d.index" % n,
                            *before, *options))
        last = len(shards) - 1
        run(neardup, "partition", shards[last], "-o", "rejoin.h5", "--against", "%d.index" % (last - 1), "--rejoin",
            *options)
        print("CPU seconds of one run %.1f, of the additions %s" %
              (used[0][0], ", ".join("%.1f" % seconds for seconds, _ in used[1:])))
        print("memory: one run %.0f MB, at most %.0f MB an addition" %
              (used[0][1] / 1e6, max(memory for _, memory in used[1:]) / 1e6))
        for line in answer(neardup, "index", "info", "%d.index" % last).splitlines():
            if line.startswith(("all\t", "text.packed\t")):
                print("index: " + line.replace("\t", ", "))
        print("\n| | sets | pairwise precision / recall | B-cubed | removal |\n| --- | --- | --- | --- | --- |")
        recall = []
        results = [("one run", "one.h5"), ("additions", "%d.h5" % last), ("the last with --rejoin", "rejoin.h5")]
        for name, result in results:
            values = json.loads(answer(neardup, "evaluate", result, "--truth", "made/clusters.tsv", "--loose",
                                       "made/loose.tsv", "--format", "json"))
            print("| %s | %d | %s |" % (name, len(sets_of(neardup, result)[1]), " | ".join(
                "%.3f / %.3f" % (values[kind]["precision"], values[kind]["recall"])
                for kind in ("pairwise", "b_cubed", "removal"))))
            recall.append(values["pairwise"]["recall"])
        addition = {}
        for n in range(last, -1, -1):
            addition.update(dict.fromkeys(sets_of(neardup, "%d.h5" % n)[0], n))
        print("\n| | in one run | missing | of these, sets that began apart | a page that joined another | more |\n"
              "| --- | --- | --- | --- | --- | --- |")
        whole = sets_of(neardup, "one.h5")
        for name, result in results[1:]:
            print_differences(name, addition, whole, sets_of(neardup, result))
        sys.exit(recall[1] < asked.least * recall[0])


main()
