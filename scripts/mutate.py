#!/usr/bin/env python3
"""Mutation testing: are there tests that fail when the code is wrong?

Changes one comparison, arithmetic operator or constant at a time in a file of src, io or mpi, drawn
at random (the seed is printed, and --seed repeats a run), builds, and runs the tests that belong to
the file until one fails, ten at most: those of its name, then those that include its header (where
it has none: headers of its folder that it includes), then those of files that use it. Files of mpi
have tests on two ranks, and scripts of tests/cli whose name shares a word with the file's. A mutant
that no test notices is a survivor: a line says where it is and what was changed. Works on a copy of the
tree below the build folder, never on the tree itself; a mutant that does not compile is not counted.
Each test passes first as the tree is, or it is left out; ten times as long is as good as a failure.

--again LOG tries the survivors of an earlier run's output once more, by the tests that there are now.
Survivors are to be read, not counted: some change nothing that can be seen (a capacity, a hint).
scripts/mutants_known.tsv names those that were read and why no test can notice them; they are not
counted. Nor is a contract (ND_ASSERT) changed, which nothing breaks."""

import argparse
import functools
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
# As the tests of CMake have it: several ranks on few cores, as root too.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "ASAN_OPTIONS": "detect_leaks=0"}
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")


def places_of(path):
    """Places in a file at which a mutant can be made: (line number, column, old, new)."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    inside = asserted = False
    for number, line in enumerate(lines):
        asserted = asserted or "ND_ASSERT(" in line # what never is broken cannot be noticed
        if asserted:
            asserted = not line.endswith(";")
            continue
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


def test_names(folder):
    """What a folder of tests holds: names, without .c or .sh."""
    return sorted(name.rsplit(".", 1)[0] for name in os.listdir(os.path.join(ROOT, "tests", folder))
                  if name.endswith((".c", ".sh")))


@functools.cache
def users_of(header):
    """Files of its floor that include a header, or whose header does."""
    floor = header.split("/")[0]
    return sorted({re.sub(r"\.h$", ".c", os.path.relpath(os.path.join(folder, name), ROOT))
                   for folder, _, names in os.walk(os.path.join(ROOT, floor)) for name in names
                   if name.endswith((".c", ".h"))
                   and header in includes(os.path.join(folder, name))} - {header[:-1] + "c"})


def tests_of(source, depth=0):
    """Tests that belong to a file, as (folder, name): by its name, by its header, by its users'."""
    header = re.sub(r"\.c$", ".h", source)
    folder, stem = os.path.split(source[:-2])
    own = {header} if os.path.exists(os.path.join(ROOT, header)) else {
        name for name in includes(os.path.join(ROOT, source)) if os.path.dirname(name) == folder}
    named, by_header, jobs = [], [], []
    for kind in ("unit", "property") + (("mpi",) if source.startswith("mpi/") else ()):
        for name in test_names(kind):
            used = includes(os.path.join(ROOT, "tests", kind, name + ".c"))
            if name[2:] == stem or (name[1] == "_" and stem.startswith(name[2:] + "_")):
                named.append((kind, name))
            elif used & own:
                by_header.append((kind, name))
            elif kind == "mpi" and "mpi/run/run.h" in used:
                jobs.append((kind, name))
    found = named + by_header
    if not source.startswith("mpi/"):
        if depth < 4 and len(found) < 2:
            found += [test for user in users_of(header) for test in tests_of(user, depth + 1)]
        if not found and depth == 0: # of the folder, those that are no other file's by name first
            files = {name[:-2] for name in os.listdir(os.path.join(ROOT, folder))}
            found = [("unit", name) for name in test_names("unit") if folder in
                     map(os.path.dirname, includes(os.path.join(ROOT, "tests", "unit", name + ".c")))]
            found.sort(key=lambda test: test[1][2:] in files)
        return list(dict.fromkeys(found))
    words = set(stem.split("_") + [os.path.basename(folder)]) - {"stage", "result", "run", "pairs"}
    scripts = [("cli", name) for name in test_names("cli") if words & set(name.split("_")) or
               words & {word.rstrip("s") for word in name.split("_")}]
    if source.startswith("mpi/cmd/"):
        return list(dict.fromkeys(found + scripts[:3] + [("cli", "look")]))
    whole = [("cli", "look"), ("fault", "f_points")]
    return list(dict.fromkeys(found + jobs[:3] + scripts[:2] + whole))


def run(command, folder):
    """The exit code of a command that says nothing."""
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


class Tests:
    """The tests of a tree, each of which passes as the tree is, and how long it took then."""

    def __init__(self, tree):
        self.tree = tree
        self.seconds = {}

    def build(self, test):
        kind, name = test
        target = "neardup" if kind == "cli" else name
        return run(["cmake", "--build", "build", "--target", target, "-j2"], self.tree) == 0

    def passes(self, test, patience):
        kind, name = test
        program = os.path.join(self.tree, "build", "tests", name)
        command = [program]
        if kind in ("mpi", "fault"):
            command = ["mpirun", "-n", "2", program]
        elif kind == "cli":
            command = ["bash", os.path.join(self.tree, "tests", "cli", name + ".sh"),
                       os.path.join(self.tree, "build", "neardup"), os.path.join(self.tree, "build")]
        limit = ["bash", os.path.join(ROOT, "tests", "support", "patience.sh"), str(patience)]
        return run(limit + command, self.tree) in (0, 77)

    def usable(self, test):
        if test not in self.seconds:
            built = self.build(test)
            begin = time.monotonic()
            passed = built and self.passes(test, 300)
            self.seconds[test] = time.monotonic() - begin if passed else None
            if not passed:
                print(f"left out: {test[0]}/{test[1]} does not pass as the tree is", flush=True)
        return self.seconds[test] is not None


def make_copy(tree, sanitize, whole):
    """A copy of the tree to build and change; built if scripts of tests/cli are to use its tools."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "build-*"))
    configure = ["cmake", "-S", tree, "-B", tree + "/build", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_C_FLAGS=-O1", "-DBUILD_TESTING=ON", "-DND_WERROR=OFF",
                 f"-DND_SANITIZE={'ON' if sanitize else 'OFF'}"]
    if run(configure, tree) != 0 or (
            whole and run(["cmake", "--build", "build", "-j2"], tree) != 0):
        raise SystemExit("mutate.py: the copy cannot be built: " + " ".join(configure))


def try_mutant(tests, source, place, names):
    """killed, survived or none: it does not compile."""
    number, at, old, new = place
    path = os.path.join(tests.tree, source)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    lines[number] = lines[number][:at] + new + lines[number][at + len(old):]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    try:
        for test in names:
            if not tests.build(test):
                return "none"
            if not tests.passes(test, max(10, int(10 * tests.seconds[test]))):
                return "killed"
        return "survived"
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def read_known():
    """Mutants that change nothing that can be noticed: (file, line of code, old, new)."""
    with open(os.path.join(ROOT, "scripts", "mutants_known.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {tuple(row[:4]) for row in rows}


def is_known(known, source, place):
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        line = file.read().split("\n")[place[0]].strip()
    return (source, line, place[2].strip(), place[3].strip()) in known


def draws(options, sources):
    """Mutants to try: random ones without end, or the survivors of a log."""
    places = {source: list(places_of(os.path.join(ROOT, source))) for source in sources}
    if options.again:
        with open(options.again, encoding="utf-8") as file:
            found = re.findall(r"^survived: (\S+):(\d+):(\d+): (\S+) -> (\S+)", file.read(), re.M)
        for source, line, column, old, new in found:
            for place in places[source]:
                if (place[0] + 1, place[1] + 1, place[2].strip(), place[3].strip()) == \
                        (int(line), int(column), old, new):
                    yield source, place
        return
    every = [(source, place) for source in sources for place in places[source]]
    draw = random.Random(options.seed)
    tried = set()
    while len(tried) < len(every):
        chosen = draw.choice(every)
        if chosen not in tried:
            tried.add(chosen)
            yield chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    parser.add_argument("--under", nargs="+", default=[""], metavar="PATH",
                        help="only files whose path begins so: src io/store")
    parser.add_argument("--again", metavar="LOG", help="try the survivors that this names again")
    parser.add_argument("--sanitize", action="store_true",
                        help="build with the sanitizers, as CI runs the tests of one process")
    options = parser.parse_args()
    sources = [os.path.relpath(os.path.join(folder, name), ROOT)
               for part in ("src", "io", "mpi")
               for folder, _, names in os.walk(os.path.join(ROOT, part))
               for name in names if name.endswith(".c") and not name.endswith("_table.c")]
    sources = sorted(source for source in sources if source.startswith(tuple(options.under)))
    print(f"seed {options.seed}", flush=True)
    os.environ.update(ENVIRONMENT)
    tests = Tests(os.path.join(ROOT, "build", "mutate"))
    make_copy(tests.tree, options.sanitize, any(source.startswith("mpi/") for source in sources))
    tried = {"killed": 0, "survived": 0, "none": 0, "without tests": 0, "known": 0}
    known = read_known()
    end = time.monotonic() + 60 * options.minutes
    for source, place in draws(options, sources):
        if tried["killed"] + tried["survived"] >= options.mutants or \
                (options.minutes > 0 and time.monotonic() > end):
            break
        if is_known(known, source, place):
            tried["known"] += 1
            continue
        names = [test for test in tests_of(source)[:10] if tests.usable(test)]
        names.sort(key=lambda test: tests.seconds[test] > 10) # the slow ones last
        what = try_mutant(tests, source, place, names) if names else "without tests"
        tried[what] += 1
        if what in ("survived", "killed"):
            print(f"{what}: {source}:{place[0] + 1}:{place[1] + 1}: {place[2].strip()} -> "
                  f"{place[3].strip()} ({' '.join(name for _, name in names)})", flush=True)
    print(f"mutants: {tried['killed']} killed of {tried['killed'] + tried['survived']}; "
          f"{tried['known']} more are known to change nothing, {tried['none']} did not compile, "
          f"{tried['without tests']} are in files without tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
