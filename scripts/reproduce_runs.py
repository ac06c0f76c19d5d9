"""What the runs of scripts/reproduce_pku.sh left, and how tables are written: used by
reproduce_tables.py. A report is one list of texts, tables and plots: tables.md and report.html show the same."""
import csv
import html
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
    for name, pattern in [("pages", r"^pages: (\d+)"), ("compared", r"^pairs: (?:.* )?(\d+) within"),
                          ("sets", r"^sets: (\d+)"), ("largest", r"^sets: .*largest: (\d+)"),
                          ("passed", r"passed over (\d+) meetings"), ("cut", r"struck: (\d+) perhaps-similar"),
                          ("cut_largest", r"were larger \(the largest: (\d+)")]:
        found = re.search(pattern, log, re.M)
        run[name] = int(found.group(1)) if found else None
    return run


class Corpus:
    """The runs on one corpus."""

    def __init__(self, root, name):
        parts = name.split(".")
        self.folder = os.path.join(root, name)
        self.growth = parts[0] == "growth"
        parts = parts[1:] if self.growth else parts
        self.profile, self.seed = parts[0], int(parts[1])
        self.sample = int(parts[2]) if len(parts) > 2 else None

    def run(self, name):
        return read_run(self.folder, name)

    def answer(self, name, kind=""):
        return read_json(os.path.join(self.folder, name + kind + ".json"))


def list_corpora(root):
    names = [name for name in os.listdir(root)
             if re.fullmatch(r"(archive|crawl)\.\d+(\.\d+)?|growth\.(archive|crawl)\.\d+\.\d+", name)]
    order = {"archive": 0, "crawl": 1, "growth": 2}
    return [Corpus(root, name)
            for name in sorted(names, key=lambda n: [order.get(p, p if not p.isdigit() else int(p))
                                                     for p in n.split(".")])]


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


def not_compared(rows):
    """What runs did not look at: meetings in large groups, in the mean, and perhaps-similar sets that were cut."""
    passed, cut = (round(sum(row[name] or 0 for row in rows) / len(rows)) for name in ("passed", "cut"))
    largest = max(row["cut_largest"] or 0 for row in rows)
    parts = ["%s meetings" % show(passed)] if passed else []
    parts += ["%s set%s cut (%s pages)" % (show(cut), "s" if cut > 1 else "", show(largest))] if cut else []
    return ", ".join(parts) or "0"


STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --line: #ccc; --head: #f2f2f2; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e4e4; --back: #181818; --line: #444; --head: #262626; } }
body { font: 16px/1.5 sans-serif; color: var(--text); background: var(--back); max-width: 96rem; margin: 0 auto;
  padding: 1rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0 1rem; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: right; vertical-align: top;
  overflow-wrap: normal; }
td { white-space: nowrap; }
th { background: var(--head); vertical-align: bottom; }
th.words, td.words { text-align: left; white-space: normal; }
td.words { min-width: min(26rem, 70vw); }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 0; max-width: 11rem; position: sticky;
  left: 0; background: var(--back); }
th:first-child { background: var(--head); }
figure { margin: 1rem 0; max-width: 700px; }
figure svg { width: 100%; height: auto; background: #fff; }
@media print { .wide { overflow: visible; } }
"""


def to_html(text):
    """A line of text, in which `code` is marked as in tables.md."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


class Report:
    """tables.md, report.html and the CSV files."""

    def __init__(self, root):
        self.root = root
        self.items = []

    def say(self, *lines):
        self.items += [("text", line) for line in lines]

    def table(self, header, rows):
        self.items.append(("table", header, rows))

    def plot(self, name, caption):
        """An SVG file in the folder, if it was drawn."""
        if os.path.exists(os.path.join(self.root, name)):
            self.items.append(("plot", name, caption))

    def write_csv(self, name, rows):
        """Rows are dictionaries with the same keys."""
        if not rows:
            return
        with open(os.path.join(self.root, name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows([{key: "%.6f" % value if isinstance(value, float) else value
                               for key, value in row.items()} for row in rows])

    def markdown(self):
        def line(cells):
            return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
        lines = []
        for kind, first, *rest in self.items:
            if kind == "text":
                lines.append(first)
            elif kind == "plot":
                lines.append("![%s](%s)" % (rest[0], first))
            else:
                lines += [line(first), line(["---"] * len(first))] + [line(row) for row in rest[0]]
            lines.append("")
        return "\n".join(lines)

    def page(self):
        """One file without links to others: plots stand in it."""
        parts = []
        for kind, first, *rest in self.items:
            if kind == "text":
                level = len(first) - len(first.lstrip("#"))
                parts.append("<h%d>%s</h%d>" % (level, to_html(first[level:].strip()), level) if level
                             else "<p>%s</p>" % to_html(first))
            elif kind == "plot":
                with open(os.path.join(self.root, first), encoding="utf-8") as file:
                    drawn = file.read()
                parts.append("<figure>%s<figcaption>%s</figcaption></figure>" %
                             (drawn[drawn.index("<svg"):], to_html(rest[0])))
            else:
                words = {i for row in rest[0] for i, cell in enumerate(row) if len(str(cell)) > 30}

                def row(cells, tag, words=words):
                    return "<tr>%s</tr>" % "".join(
                        "<%s%s>%s</%s>" % (tag, ' class="words"' if i in words else "", to_html(str(cell)), tag)
                        for i, cell in enumerate(cells))
                parts.append('<div class="wide"><table><thead>%s</thead><tbody>%s</tbody></table></div>' %
                             (row(first, "th"), "".join(row(cells, "td") for cells in rest[0])))
        return ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
                'content="width=device-width, initial-scale=1"><title>The papers\' tables, remade</title>'
                "<style>%s</style></head><body>%s</body></html>\n" % (STYLE, "\n".join(parts)))

    def save(self):
        for name, text in (("tables.md", self.markdown()), ("report.html", self.page())):
            with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
                file.write(text)


def by_profile(rows):
    return {profile: [row for row in rows if row["profile"] == profile]
            for profile in dict.fromkeys(row["profile"] for row in rows)}


def seeds_of(rows):
    return "seed" + ("s " if len({row["seed"] for row in rows}) > 1 else " ") + ", ".join(
        str(seed) for seed in dict.fromkeys(row["seed"] for row in rows))


def average(rows, method, field):
    return mean([row[field] for row in rows if row["method"] == method])
