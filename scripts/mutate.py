#!/usr/bin/env python3
"""Mutation testing: are there tests that fail when the code is wrong?

Changes one comparison, arithmetic operator or constant at a time in a file of src, io or mpi, drawn
at random, from each floor in turn (the seed is printed, and --seed repeats a run), builds, and runs
tests that reach the line until one fails: those of scripts/test.sh before those of its --all, those of
one process first, of each kind those first that take the least time for the part of the file that they
reach, at most --tests of them and some 90 seconds. A mutant that no test notices is a survivor: its line says where it is, what was changed in
which text, and which tests it survived. A mutant that does not compile without warnings is not counted.

Which test reaches which lines is measured once, by gcov, each test alone (those on ranks: on three),
and kept in build/mutate/reached, a file per test; a test that has changed is measured again, all of
them with --afresh, and a file that has changed since counts as reached in all its lines. Left out are
tests under Slurm, tests that fail or are skipped then, and those that take more than --longest seconds.
Works on copies of the tree in build/mutate, never on the tree itself; five times as long as it took is as
good as a failure.

--again LOG tries the survivors of an earlier run's output once more, by the tests that there are now.
Survivors are to be read, not counted: some change nothing that can be seen (a capacity, a hint).
scripts/mutants_known.tsv names those that were read and why no test can notice them; they are not
counted. Nor is a contract (ND_ASSERT) changed, which nothing breaks."""

import argparse
import collections
import functools
import glob
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "mutate")
FLOORS = ("src", "io", "mpi")
COST = 90 # seconds of processor time that a mutant is tried for
# Spaces around: what clang-format sets around binary operators, and not around pointers.
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "),
         (" != ", " == "), (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "),
         (" * ", " + "), (" / ", " * "), (" += ", " -= "), (" -= ", " += "), (" << ", " >> "),
         (" >> ", " << "), (" & ", " | "), (" | ", " & ")]
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")
# A mutant: line counts from 0, at is the column in the stripped text of the line.
Mutant = collections.namedtuple("Mutant", "source line at old new text")
Test = collections.namedtuple("Test", "name command target long environment")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def mutants_of(source):
    """Mutants that can be made of a file."""
    inside = asserted = False
    for number, line in enumerate(read(os.path.join(ROOT, source)).split("\n")):
        asserted = asserted or "ND_ASSERT(" in line # what never is broken cannot be noticed
        if asserted:
            asserted = not line.endswith(";")
            continue
        text = line.strip()
        code = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' * len(m.group()), text)
        if inside or code.startswith(("/*", "*", "#", "static_assert")):
            inside = "*/" not in code and (inside or code.startswith("/*"))
            continue
        code = re.sub(r"/\*.*", "", code)
        for old, new in SWAPS:
            for at in (m.start() for m in re.finditer(re.escape(old), code)):
                yield Mutant(source, number, at, old, new, text)
        for match in NUMBER.finditer(code):
            yield Mutant(source, number, match.start(), match.group(), str(int(match.group()) + 1), text)


def run(command, environment=None, output=subprocess.DEVNULL):
    """Exit code and processor time of a command that says nothing; none of its processes outlives it."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                          env=environment, start_new_session=True) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=False)
    return process.returncode, used.ru_utime + used.ru_stime


class Copy:
    """A copy of the tree with a build of its own, and the tests of that."""

    def __init__(self, name, flags, *options):
        self.tree = os.path.join(WORK, name)
        self.build = os.path.join(self.tree, "build")
        for entry in set(os.listdir(self.tree) if os.path.isdir(self.tree) else ()) - {"build"}:
            path = os.path.join(self.tree, entry)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        shutil.copytree(ROOT, self.tree, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns(".git", "build", "build-*"))
        self.make("cmake", "-S", self.tree, "-B", self.build, "-DCMAKE_BUILD_TYPE=Debug",
                  "-DBUILD_TESTING=ON", f"-DCMAKE_C_FLAGS_DEBUG={flags}", *options,
                  *(("-G", "Ninja") if shutil.which("ninja") else ()))
        self.make("cmake", "--build", self.build, "-j2")

    def make(self, *command):
        log = os.path.join(WORK, "build.log")
        with open(log, "w", encoding="utf-8") as output:
            if run(command, output=output)[0] != 0:
                raise SystemExit(f"mutate.py: a copy cannot be built: see {log}")

    def tests(self):
        """Those of CTest, scripts last; of those on ranks, each suite on three."""
        listed = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True,
                                stdout=subprocess.PIPE).stdout
        found = []
        for test in json.loads(listed)["tests"]:
            name = test["name"]
            properties = {entry["name"]: entry["value"] for entry in test["properties"]}
            environment = dict(variable.split("=", 1) for variable in properties.get("ENVIRONMENT", ()))
            if name.startswith("slurm_") or re.search(r"\.ranks[^3]$", name):
                continue
            command = test["command"]
            programs = [os.path.basename(word) for word in command if not word.endswith(".sh")
                        and word.startswith(self.build) and os.path.isfile(word)]
            is_long = "long" in properties.get("LABELS", ())
            if name.endswith(".ranks3"):
                first = next(i for i, word in enumerate(command) if word.endswith("mpi_tests")) + 1
                found += [Test(suite + ".ranks3", [*command[:first], suite], programs[0], is_long, environment)
                          for suite in command[first:]]
            else:
                found.append(Test(name, command, programs[0], is_long, environment))
        return sorted(found, key=lambda test: test.target == "neardup")

    def try_test(self, test, limit, **environment):
        """What run() has of a test that is given so many seconds."""
        with tempfile.TemporaryDirectory(prefix="mutate-", ignore_cleanup_errors=True) as folder:
            return run(["timeout", "--kill-after=10", str(limit), *test.command],
                       {**os.environ, **test.environment, "TMPDIR": folder, **environment})


class Reached:
    """Which lines each test reaches, and in how many seconds."""

    def __init__(self, options):
        self.folder = os.path.join(WORK, "reached")
        if options.afresh:
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.rmtree(os.path.join(WORK, "reach"), ignore_errors=True)
        os.makedirs(self.folder, exist_ok=True)
        launcher = os.environ.pop("CMAKE_C_COMPILER_LAUNCHER", None) # it may not keep what gcov needs
        self.copy = Copy("reach", "-O1 --coverage")
        if launcher:
            os.environ["CMAKE_C_COMPILER_LAUNCHER"] = launcher
        tests = [test for test in self.copy.tests()
                 if not options.sanitize or test.name.startswith(("t_", "p_", "fuzz_"))]
        self.long = {test.name for test in tests if test.long}
        with ThreadPoolExecutor(options.jobs) as pool:
            known = list(pool.map(lambda test: (test.name, self.look_up(test, options.longest)), tests))
        self.of = {name: entry for name, entry in known if entry["passed"]}
        self.code = collections.defaultdict(set) # lines that have code, per file
        for entry in self.of.values():
            for source, found in entry["files"].items():
                if self.is_as_measured(source, found):
                    self.code[source].update(found["code"])

    @staticmethod
    def is_as_measured(source, found):
        return found["digest"] == digest(os.path.join(ROOT, source))

    def look_up(self, test, longest):
        path = os.path.join(self.folder, test.name + ".json")
        own = [word for word in test.command if word.endswith(".sh")] + glob.glob(
            os.path.join(self.copy.tree, "tests", "*", re.sub("^fuzz_", "z_", test.name.split(".")[0]) + ".c"))
        text = digest(own[-1])
        if os.path.exists(path):
            entry = json.loads(read(path))
            if entry["text"] == text:
                return entry
        entry = {"text": text, **self.measure(test, longest)}
        write(path + ".part", json.dumps(entry))
        os.replace(path + ".part", path)
        print(f"{'measured' if entry['passed'] else 'left out'}\t{test.name}\t{entry['seconds']:.1f} s",
              flush=True)
        return entry

    def measure(self, test, longest):
        """What one test reaches; what it starts writes there too, as far as it ends by itself."""
        with tempfile.TemporaryDirectory(prefix="reach-") as prefix:
            begin = time.monotonic()
            code, cost = self.copy.try_test(test, longest, GCOV_PREFIX=prefix)
            seconds = time.monotonic() - begin
            files = {}
            counted = glob.glob(prefix + self.copy.build + "/CMakeFiles/**/*.gcda", recursive=True)
            for path in counted: # gcov wants both kinds of files in one folder
                os.symlink(path[len(prefix):-2] + "no", path[:-2] + "no")
            for many in (counted[i:i + 100] for i in range(0, len(counted), 100)):
                printed = subprocess.run(["gcov", "--json-format", "--stdout", *many], check=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
                for unit in map(json.loads, printed.splitlines()):
                    for file in unit["files"]:
                        source = os.path.relpath(os.path.join(unit["current_working_directory"],
                                                              file["file"]), self.copy.tree)
                        if source.startswith(FLOORS) and source.endswith(".c"):
                            add_lines(files, source, file["lines"], self.copy.tree)
        return {"passed": code == 0, "seconds": seconds, "cost": cost, "files": files}

    def choose(self, mutant, most):
        """Names of tests that reach a mutant, in the order in which they are to be tried."""
        line = mutant.line + 1
        code = self.code[mutant.source]
        text = read(os.path.join(ROOT, mutant.source)).split("\n")
        while line > 0 and line not in code: # a line of a statement that began before
            line = 0 if text[line - 1].startswith("}") else line - 1
        costs = [] # fuzz targets, which ask for little, are the last
        for name, entry in self.of.items():
            found = entry["files"].get(mutant.source)
            # Outside of functions any line will do; so it will of a file that was another one.
            if found and found["lines"] and (line == 0 or line in found["lines"] or
                                             not self.is_as_measured(mutant.source, found)):
                costs.append((name in self.long, not name.startswith(("t_", "p_")), name.startswith("fuzz_"),
                              entry["cost"] * len(found["code"]) / len(found["lines"]), name))
        names = [name for *_, name in sorted(costs)[:most]]
        spent = itertools.accumulate([self.of[name]["cost"] for name in names], initial=0)
        return [name for name, before in zip(names, spent) if before < COST]


@functools.cache
def digest(path):
    return hashlib.md5(read(path).encode()).hexdigest()


def add_lines(files, source, lines, tree):
    found = files.setdefault(source, {"digest": digest(os.path.join(tree, source)), "lines": [],
                                      "code": []})
    found["code"] = sorted({line["line_number"] for line in lines})
    found["lines"] = sorted({line["line_number"] for line in lines if line["count"] > 0})


def try_mutant(copy, tests, reached, mutant, names):
    """killed and the test that did, survived and all of them, or none: it does not compile."""
    path = os.path.join(copy.tree, mutant.source)
    whole = read(path)
    lines = whole.split("\n")
    at = lines[mutant.line].index(mutant.text) + mutant.at
    lines[mutant.line] = lines[mutant.line][:at] + mutant.new + lines[mutant.line][at + len(mutant.old):]
    write(path, "\n".join(lines))
    try:
        for name in names:
            if run(["cmake", "--build", copy.build, "-j2", "--target", tests[name].target])[0] != 0:
                return "none", ""
            limit = 10 + int(5 * reached.of[name]["seconds"])
            if copy.try_test(tests[name], limit)[0] not in (0, 77):
                return "killed", name
        return "survived", " ".join(sorted(names))
    finally:
        write(path, whole)


def read_known():
    """Mutants that change nothing that can be noticed: (file, line of code, old, new)."""
    rows = read(os.path.join(ROOT, "scripts", "mutants_known.tsv")).split("\n")
    return {tuple(row.split("\t")[:4]) for row in rows if not row.startswith("#")}


def draws(options, sources):
    """Mutants to try: random ones, from each floor in turn, or the survivors of a log."""
    if options.again:
        for where, change, text in re.findall(r"^survived\t(\S+)\t([^\t]*)\t([^\t]*)", read(options.again),
                                              re.M):
            source, line, at = where.split(":")
            alike = [mutant for mutant in mutants_of(source) if mutant.text == text and
                     (str(mutant.at), change) == (at, change_of(mutant))]
            yield from sorted(alike, key=lambda mutant: abs(mutant.line + 1 - int(line)))[:1]
        return
    orders = []
    for floor in FLOORS:
        orders.append([mutant for source in sources if source.startswith(floor + "/")
                       for mutant in mutants_of(source)])
        random.Random(f"{floor} {options.seed}").shuffle(orders[-1])
    for several in itertools.zip_longest(*orders):
        yield from filter(None, several)


def change_of(mutant):
    return f"{mutant.old.strip()} -> {mutant.new.strip()}"


class Drawn:
    """Mutants to try, handed out one at a time, and what came of them, for several workers."""

    def __init__(self, options, sources):
        self.most = options.mutants
        self.end = time.monotonic() + 60 * options.minutes if options.minutes > 0 else float("inf")
        self.mutants = draws(options, sources)
        self.known = read_known()
        self.lock = threading.Lock()
        self.tried = collections.Counter()

    def take(self):
        """The next one, or none when enough are tried or being tried."""
        with self.lock:
            if sum(self.tried[f, what] for f in FLOORS for what in ("killed", "survived", "begun")) >= \
                    self.most or time.monotonic() > self.end:
                return None
            for mutant in self.mutants:
                known = (mutant.source, mutant.text, mutant.old.strip(), mutant.new.strip()) in self.known
                self.tried[floor_of(mutant), "known" if known else "begun"] += 1
                if not known:
                    return mutant
            return None

    def put(self, mutant, what, by):
        with self.lock:
            self.tried[floor_of(mutant), "begun"] -= 1
            self.tried[floor_of(mutant), what] += 1
            if what != "none":
                print(f"{what}\t{mutant.source}:{mutant.line + 1}:{mutant.at}\t{change_of(mutant)}\t"
                      f"{mutant.text}\t{by}", flush=True)


def floor_of(mutant):
    return mutant.source.split("/")[0]


def try_mutants(options, drawn, reached, copy):
    tests = {test.name: test for test in copy.tests()}
    while mutant := drawn.take():
        names = [name for name in reached.choose(mutant, options.tests) if name in tests]
        drawn.put(mutant, *(try_mutant(copy, tests, reached, mutant, names) if names else
                            ("survived", "not reached")))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    parser.add_argument("--under", nargs="+", default=[""], metavar="PATH",
                        help="only files whose path begins so: src io/store")
    parser.add_argument("--again", metavar="LOG", help="try the survivors that this names again")
    parser.add_argument("--tests", type=int, default=12, help="to try a mutant by, at most")
    parser.add_argument("--longest", type=int, default=60, help="seconds of a test, at most")
    parser.add_argument("--jobs", type=int, default=1, help="tests at a time, and mutants, each in a build of its own")
    parser.add_argument("--afresh", action="store_true", help="measure anew what tests reach")
    parser.add_argument("--sanitize", action="store_true",
                        help="build with the sanitizers; only tests of one process, as CI does then")
    options = parser.parse_args()
    sources = sorted(os.path.relpath(path, ROOT) for floor in FLOORS
                     for path in glob.glob(f"{ROOT}/{floor}/**/*.c", recursive=True)
                     if not path.endswith("_table.c"))
    sources = [source for source in sources if source.startswith(tuple(options.under))]
    print(f"seed {options.seed}", flush=True)
    os.environ.setdefault("NEARDUP_GUIDES", os.path.join(ROOT, "build", "guides"))
    reached = Reached(options)
    drawn = Drawn(options, sources)
    with tempfile.TemporaryDirectory(prefix="tree-", dir=WORK, ignore_cleanup_errors=True) as folder, \
            ThreadPoolExecutor(options.jobs) as pool:
        copies = [Copy(os.path.join(folder, str(i)), "-O1 -Wtype-limits -Wno-format-truncation",
                       f"-DND_SANITIZE={'ON' if options.sanitize else 'OFF'}") for i in range(options.jobs)]
        for worker in [pool.submit(try_mutants, options, drawn, reached, copy) for copy in copies]:
            worker.result()
    for floor in FLOORS:
        tried = {what: drawn.tried[floor, what] for what in ("killed", "survived", "known", "none")}
        print(f"{floor}: {tried['killed']} killed of {tried['killed'] + tried['survived']}; {tried['known']} "
              f"more are known to change nothing, {tried['none']} did not compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
