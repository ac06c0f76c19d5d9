#!/usr/bin/env python3
"""Count how finely the code is cut: static functions, those used in one place, and the short ones.

usage: scripts/count_functions.py [--list] [--most SHARE SHORT LINES] [FOLDER...]

Of the C sources below FOLDER (default: src io mpi) prints, per folder and in all:
  lines     of the C files, headers included
  static    static functions
  one       of them, in percent, used in one place of their file (called or put into a table)
  short     of all static functions, in percent, those used in one place whose body has at most 8
            lines: candidates to be written where they are used
  longest   lines of the longest function
--list names the short ones. With --most the exit status is 1 if a share or a length is above.
"""
import os
import re
import sys

SHORT_BODY = 8
FUNCTION = re.compile(r"^(static )?[^;{}=\n#/*]*?\b(\w+)\([^;{}]*?\)\s*\{\n(.*?)^\}", re.M | re.S)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.join(root, name)


def count(path, totals, short_ones):
    text = read(path)
    totals["lines"] += text.count("\n")
    if not path.endswith(".c"):
        return
    for match in FUNCTION.finditer(text):
        name, body = match.group(2), match.group(3)
        totals["longest"] = max(totals["longest"], match.group(0).count("\n") + 1)
        if not match.group(1):
            continue
        totals["static"] += 1
        if len(re.findall(r"\b%s\b" % name, text)) == 2:
            totals["one"] += 1
            if body.count("\n") <= SHORT_BODY:
                totals["short"] += 1
                line = text.count("\n", 0, match.start()) + 1
                short_ones.append("%s:%d: %s" % (path, line, name))


def new_totals():
    return {"lines": 0, "static": 0, "one": 0, "short": 0, "longest": 0}


def shares(totals):
    static = max(totals["static"], 1)
    return 100 * totals["one"] / static, 100 * totals["short"] / static


def main(words):
    wants_list = "--list" in words
    words = [word for word in words if word != "--list"]
    most = None
    if words[:1] == ["--most"] and len(words) >= 4:
        most = [float(word) for word in words[1:4]]
        words = words[4:]
    if any(word.startswith("-") for word in words):
        print(__doc__.strip(), file=sys.stdout if "--help" in words else sys.stderr)
        return 0 if "--help" in words else 2
    all_totals, short_ones, rows = new_totals(), [], {}
    for folder in words or ["src", "io", "mpi"]:
        for path in sources(folder):
            totals = rows.setdefault(os.path.dirname(path), new_totals())
            count(path, totals, short_ones)
    for totals in rows.values():
        for key, value in totals.items():
            joined = max if key == "longest" else lambda a, b: a + b
            all_totals[key] = joined(all_totals[key], value)
    rows["all"] = all_totals
    print("%-24s %7s %7s %6s %6s %8s" % ("folder", "lines", "static", "one", "short", "longest"))
    for folder, totals in rows.items():
        print("%-24s %7d %7d %5.1f%% %5.1f%% %8d" % (
            (folder, totals["lines"], totals["static"]) + shares(totals) + (totals["longest"],)))
    if wants_list:
        print("\n".join(short_ones))
    figures = shares(all_totals) + (all_totals["longest"],)
    return 1 if most and any(figure > bound for figure, bound in zip(figures, most)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
