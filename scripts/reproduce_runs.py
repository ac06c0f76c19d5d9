"""What the runs of scripts/reproduce_pku.sh left, and how tables are written: used by
reproduce_tables.py."""
import csv
import json
import os
import re
import statistics


# ---- reading

def read_json(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_run(folder, name):
    """What a run took, and what it says of itself; None if it is not there."""
    path = os.path.join(folder, name + ".run")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        seconds, cpu, memory, processes = file.read().split()
    run = {"seconds": float(seconds), "cpu_seconds": float(cpu), "peak_bytes": int(memory),
           "processes": int(processes), "stages": {}}
    with open(os.path.join(folder, name + ".log"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    for stage, took in re.findall(r"^(\w+) +100\.0 %.* ([0-9.]+) s, .*peak$", log, re.M):
        run["stages"][stage] = float(took)
    for name, pattern in [("pages", r"^pages: (\d+)"), ("compared", r"^pairs: .* (\d+) within"),
                          ("sets", r"^sets: (\d+)"), ("largest", r"^sets: .*largest: (\d+)")]:
        found = re.search(pattern, log, re.M)
        run[name] = int(found.group(1)) if found else None
    return run


class Corpus:
    """The runs on one corpus."""

    def __init__(self, root, name):
        parts = name.split(".")
        self.folder = os.path.join(root, name)
        self.profile, self.seed = parts[0], int(parts[1])
        self.sample = int(parts[2]) if len(parts) > 2 else None

    def run(self, name):
        return read_run(self.folder, name)

    def answer(self, name, kind=""):
        return read_json(os.path.join(self.folder, name + kind + ".json"))


def list_corpora(root):
    names = [name for name in os.listdir(root)
             if re.fullmatch(r"(archive|crawl)\.\d+(\.\d+)?", name)]
    return [Corpus(root, name)
            for name in sorted(names, key=lambda n: [int(p) if p.isdigit() else 0 if p == "archive"
                                                     else 1 for p in n.split(".")])]


# ---- figures

def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def show(value, digits=3):
    """A figure as people read it: shares without their 0, nothing as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        text = "%.*f" % (digits, value)
        return text[1:] if text.startswith("0.") else text
    return f"{value:,}" if isinstance(value, int) else str(value)


def share(part, whole):
    return part / whole if whole else None


class Report:
    """tables.md and the CSV files."""

    def __init__(self, root):
        self.root = root
        self.lines = []

    def say(self, *lines):
        self.lines += list(lines) + [""]

    def table(self, header, rows):
        def line(cells):
            return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
        self.lines += [line(header), line(["---"] * len(header))] + [line(row) for row in rows] + [""]

    def write_csv(self, name, rows):
        """Rows are dictionaries with the same keys."""
        if not rows:
            return
        with open(os.path.join(self.root, name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows([{key: "%.6f" % value if isinstance(value, float) else value
                               for key, value in row.items()} for row in rows])

    def save(self):
        with open(os.path.join(self.root, "tables.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines))


def by_profile(rows):
    return {profile: [row for row in rows if row["profile"] == profile]
            for profile in dict.fromkeys(row["profile"] for row in rows)}


def seeds_of(rows):
    return "seed" + ("s " if len({row["seed"] for row in rows}) > 1 else " ") + ", ".join(
        str(seed) for seed in dict.fromkeys(row["seed"] for row in rows))


def average(rows, method, field):
    return mean([row[field] for row in rows if row["method"] == method])
