#!/usr/bin/env python3
"""Tables of scripts/quality.sh: from what its runs left, to text on stdout and a TSV.

usage: quality_tables.py sets|curve|losses|negatives|peer-bench MANIFEST TABLE.tsv
       quality_tables.py hot-family TRUTH.tsv.gz IDS

A manifest names the runs, a line each; quality.sh says what its columns are.
"""
import collections
import gzip
import json
import statistics
import sys


def rows_of(path):
    """The fields of each line."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def show(value):
    """A figure as the tables print it: shares without their 0, nothing as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return "%.3f" % value
    return str(value)


def print_table(header, rows):
    """Aligned: the first column to the left, the others to the right."""
    lines = [header] + [[show(value) for value in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        print("  ".join([line[0].ljust(widths[0])] +
                        [field.rjust(width) for field, width in zip(line[1:], widths[1:])]))
    print()


def write_tsv(path, header, rows):
    with open(path, "w", encoding="utf-8") as file:
        for line in [header] + rows:
            file.write("\t".join("" if v is None else "%.6f" % v if isinstance(v, float) else str(v)
                                 for v in line) + "\n")


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def unique(values):
    return list(dict.fromkeys(values))


# ---- labelled sets

FIGURES = ["P", "R", "F1", "B3 P", "B3 R", "B3 F1", "raw F1"]
COUNTS = ["pages", "clusters", "sets", "true_pairs", "predicted_pairs", "common_pairs",
          "skipped_pairs"]


def read_run(evaluated, raw):
    """The figures and counts of one run on one set."""
    answer = read_json(evaluated)
    pair, cubed = answer["pairwise"], answer["b_cubed"]
    run = dict(zip(FIGURES, [pair["precision"], pair["recall"], pair["f1"], cubed["precision"],
                             cubed["recall"], cubed["f1"],
                             None if raw == "-" else read_json(raw)["pairwise"]["f1"]]))
    run.update((count, answer[count]) for count in COUNTS)
    return run


def read_runs(manifest):
    """runs[config][set] = a list with a run per seed; and the rows of the TSV."""
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    table = []
    for config, seed, name, evaluated, raw in rows_of(manifest):
        run = read_run(evaluated, raw)
        runs[config][name].append(run)
        table.append([config, seed, name] + [run[key] for key in FIGURES + COUNTS])
    return runs, table


def macro(by_set, figure):
    """A figure's mean over the sets, for each seed."""
    return [mean(figures) for figures in zip(*([run[figure] for run in seeds]
                                               for seeds in by_set.values()))]


def print_sets(config, by_set):
    shown = ["P", "R", "F1", "B3 F1", "raw F1"]
    rows = []
    for name, seeds in by_set.items():
        rows.append([name] + [mean(run[key] for run in seeds) for key in shown] +
                    [round(mean(run[key] for run in seeds)) for key in COUNTS])
    rows.append(["mean"] + [mean(macro(by_set, key)) for key in shown] + [None] * len(COUNTS))
    seeds = len(next(iter(by_set.values())))
    print("%s, %d run%s" % (config, seeds, "" if seeds == 1 else "s"))
    print_table(["set"] + shown + [key.replace("_pairs", "") for key in COUNTS], rows)


def print_summary(first, runs):
    """A row per configuration: macro figures, and F1 of each set."""
    names = unique(name for by_set in runs.values() for name in by_set)
    shown = ["P", "R", "F1", "B3 F1", "raw F1"]
    rows = []
    for config, by_set in runs.items():
        f1 = macro(by_set, "F1")
        rows.append([config] + [mean(macro(by_set, key)) for key in shown] +
                    [statistics.stdev(f1) if len(f1) > 1 else None] +
                    [mean(run["F1"] for run in by_set[name]) for name in names])
    print_table([first] + shown + ["sd F1"] + names, rows)


def sets(manifest, table_path):
    runs, table = read_runs(manifest)
    for config, by_set in runs.items():
        print_sets(config, by_set)
    print("macro means over the sets (raw F1: over those with raw labels), and F1 of each")
    print_summary("configuration", runs)
    write_tsv(table_path, ["config", "seed", "set"] + FIGURES + COUNTS, table)


def curve(manifest, table_path):
    runs, table = read_runs(manifest)
    print("macro means over the sets by threshold, and F1 of each set")
    print_summary("threshold", {config[1:]: by_set for config, by_set in runs.items()})
    write_tsv(table_path, ["threshold", "seed", "set"] + FIGURES + COUNTS,
              [[row[0][1:]] + row[1:] for row in table])


# ---- losses: config, set, cause, pairs

def losses(manifest, table_path):
    counts = rows_of(manifest)
    causes = unique(row[2] for row in counts)
    by_run = collections.defaultdict(dict)
    for config, name, cause, pairs in counts:
        by_run[config, name][cause] = int(pairs)
    rows = []
    for config in unique(config for config, _ in by_run):
        mine = {name: found for (other, name), found in by_run.items() if other == config}
        rows += [[config, name] + [found[cause] for cause in causes]
                 for name, found in mine.items()]
        rows.append([config, "all"] + [sum(found[cause] for found in mine.values())
                                       for cause in causes])
    print("true pairs that the result separates, by cause (the first that applies)")
    print_table(["config", "set"] + causes, rows)
    write_tsv(table_path, ["config", "set"] + causes, rows)


# ---- collections without near-duplicates: config, collection, exported pages

def pairs_of(count):
    return count * (count - 1) // 2


def negatives(manifest, table_path):
    header = ["collection", "config", "pages", "sets of 2+", "largest", "pairs",
              "pairs, copies apart"]
    rows = []
    for config, name, pages in rows_of(manifest):
        members, different = collections.Counter(), collections.Counter()
        for row in rows_of(pages)[1:]:
            members[row[4]] += 1
            different[row[4]] += not row[9]  # the first page with its text
        rows.append([name, config, sum(members.values()),
                     sum(count > 1 for count in members.values()), max(members.values(), default=0),
                     sum(map(pairs_of, members.values())), sum(map(pairs_of, different.values()))])
    rows.sort(key=lambda row: row[0])
    print("predicted pairs where there should be none (but in readability: some 27 of its pages are "
          "test cases with one filler text)")
    print_table(header, rows)
    write_tsv(table_path, header, rows)


# ---- families: config, path of its answers

def share(together, pairs):
    return together / pairs if pairs else None


def peer_bench(manifest, table_path):
    header = ["config", "pair P (family)", "pair R (family)", "R J>=.7", "R J>=.8", "R J>=.9",
              "removal P", "removal R", "sets"]
    rows = []
    for config, path in rows_of(manifest):
        everything, cold, pairs = (read_json("%s.%s.json" % (path, kind))
                                   for kind in ("all", "cold", "pairs"))
        bands = {row["label"]: row for row in pairs["labels"]}
        recalls = []
        for lowest in ("j70", "j80", "j90"):
            above = [row for label, row in bands.items() if label >= lowest]
            recalls.append(share(sum(row["together"] for row in above),
                                 sum(row["pairs"] for row in above)))
        rows.append([config, cold["pairwise"]["precision"], cold["pairwise"]["recall"]] + recalls +
                    [everything["removal"]["precision"], everything["removal"]["recall"],
                     everything["sets"]])
    print("peer-bench: pairs without the largest family, removals over everything")
    print_table(header, rows)
    write_tsv(table_path, header, rows)


def hot_family(truth, ids):
    """The ids of the largest family."""
    with gzip.open(truth, "rt", encoding="utf-8") as file:
        family = dict(line.rstrip("\n").split("\t")[:2] for line in file)
    (largest, _), = collections.Counter(family.values()).most_common(1)
    with open(ids, "w", encoding="utf-8") as file:
        file.writelines(page + "\n" for page, name in family.items() if name == largest)


COMMANDS = {"sets": sets, "curve": curve, "losses": losses, "negatives": negatives,
            "peer-bench": peer_bench, "hot-family": hot_family}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](sys.argv[2], sys.argv[3])


main()
