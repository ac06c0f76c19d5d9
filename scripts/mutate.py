#!/usr/bin/env python3
"""Mutation testing: are there tests that fail when the code is wrong?

Changes one comparison, arithmetic operator or constant at a time in a file of src, io or mpi, drawn
at random (the seed is printed, and --seed repeats a run), builds, and runs the tests that include a
header of the file or have its name, until one fails. A mutant that no test notices is a survivor: a
line says where it is and what was changed. Works on a copy of the tree below the build folder, never
on the tree itself; a mutant that does not compile is not counted, one for which there is no test of
one process neither.

Survivors are to be read, not counted: some change nothing that can be seen (a capacity, a hint)."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Spaces around: what clang-format sets around binary operators, and not around pointers.
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "),
         (" != ", " == "), (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "),
         (" * ", " + "), (" / ", " * "), (" += ", " -= "), (" -= ", " += "), (" << ", " >> "),
         (" >> ", " << "), (" & ", " | "), (" | ", " & ")]
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")


def places_of(path):
    """Places in a file at which a mutant can be made: (line number, column, old, new)."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    inside = False
    for number, line in enumerate(lines):
        code = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' * len(m.group()), line)
        if inside or code.lstrip().startswith(("/*", "*", "#", "static_assert")):
            inside = "*/" not in code and (inside or code.lstrip().startswith("/*"))
            continue
        code = re.sub(r"/\*.*", "", code)
        for old, new in SWAPS:
            for at in (m.start() for m in re.finditer(re.escape(old), code)):
                yield number, at, old, new
        for match in NUMBER.finditer(code):
            yield number, match.start(), match.group(), str(int(match.group()) + 1)


def includes(path):
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r'#include "([^"]+)"', file.read()))


def tests_of(source):
    """Test programs of one process that belong to a file: by its name, then by its header."""
    header = re.sub(r"\.c$", ".h", source)
    stem = os.path.basename(source)[:-2]
    named, others = [], []
    for folder, prefix in (("unit", "t_"), ("property", "p_")):
        for name in sorted(os.listdir(os.path.join(ROOT, "tests", folder))):
            if name[2:-2] == stem or (name.startswith(prefix) and stem.startswith(name[2:-2] + "_")):
                named.append(name[:-2])
            elif header in includes(os.path.join(ROOT, "tests", folder, name)):
                others.append(name[:-2])
    return named + others


def run(command, folder, seconds):
    """The exit code; None after so many seconds."""
    try:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return None


def make_copy(tree):
    """A copy of the tree to build and change."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "build-*"))
    configure = ["cmake", "-S", tree, "-B", tree + "/build", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_C_FLAGS=-O1", "-DBUILD_TESTING=ON", "-DND_WERROR=OFF"]
    if run(configure, tree, 600) != 0:
        raise SystemExit("mutate.py: the copy cannot be configured: " + " ".join(configure))


def try_mutant(tree, source, place, tests, patience):
    """killed, survived or none: it does not compile."""
    number, at, old, new = place
    path = os.path.join(tree, source)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    lines[number] = lines[number][:at] + new + lines[number][at + len(old):]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    try:
        for test in tests:
            if run(["cmake", "--build", "build", "--target", test, "-j2"], tree, 1200) != 0:
                return "none"
            if run([os.path.join(tree, "build", "tests", test)], tree, patience) not in (0, 77):
                return "killed"
        return "survived"
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    parser.add_argument("--test-seconds", type=float, default=120,
                        help="a test that takes longer has noticed the mutant")
    parser.add_argument("--under", default="", help="only files whose path begins so: src/text")
    options = parser.parse_args()
    tree = os.path.join(ROOT, "build", "mutate")
    sources = [os.path.relpath(os.path.join(folder, name), ROOT)
               for part in ("src", "io", "mpi")
               for folder, _, names in os.walk(os.path.join(ROOT, part))
               for name in names if name.endswith(".c") and not name.endswith("_table.c")]
    sources = sorted(source for source in sources if source.startswith(options.under))
    draw = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    make_copy(tree)
    tried = {"killed": 0, "survived": 0, "none": 0, "without tests": 0}
    places = {source: list(places_of(os.path.join(ROOT, source))) for source in sources}
    all_places = [(source, place) for source in sources for place in places[source]]
    end = time.monotonic() + 60 * options.minutes
    while tried["killed"] + tried["survived"] < options.mutants:
        if options.minutes > 0 and time.monotonic() > end:
            break
        source, place = draw.choice(all_places)
        tests = tests_of(source)
        what = "without tests"
        if tests:
            what = try_mutant(tree, source, place, tests[:4], options.test_seconds)
        tried[what] += 1
        if what in ("survived", "killed"):
            print(f"{what}: {source}:{place[0] + 1}: {place[2].strip()} -> {place[3].strip()} "
                  f"({' '.join(tests[:4])})", flush=True)
    print(f"mutants: {tried['killed']} killed of {tried['killed'] + tried['survived']}; "
          f"{tried['none']} did not compile, {tried['without tests']} in files without tests of "
          "one process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
