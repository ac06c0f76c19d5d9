#!/usr/bin/env python3
"""Static checks of the code: gcc's analyzer and clang-tidy on src and io, cppcheck on src, io and mpi.

Files are compiled as compile_commands.json of a build folder says (build/release: made by
scripts/test.sh). A finding that stands in scripts/static_known.tsv (tool, file, check, reason) is
passed over; any other one is printed, and so is a row of that list that nothing matches any more.
Exit status 1 if there is one. A tool that is not here is named and left out."""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KNOWN = os.path.join(ROOT, "scripts", "static_known.tsv")
FINDING = re.compile(r"^(?P<file>[^:\s]+):(?P<line>\d+)(?::\d+)?: (?:warning|error|performance|"
                     r"portability): (?P<text>.*?)(?: \[CWE-\d+\])? \[(?P<check>[^\[\]]+)\]$")


def compile_commands(folder):
    """The compiler's arguments of each file of src and io, without what is written where and its
    warnings."""
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            path = os.path.relpath(entry["file"], ROOT)
            if path.startswith(("src/", "io/")):
                words = shlex.split(entry["command"])
                words = words[1 + (os.path.basename(words[0]) == "ccache"):]
                at = words.index("-o")
                words = words[:at] + words[at + 2:]
                yield path, [w for w in words if not w.startswith("-W") and
                             w not in ("-c", entry["file"])]


def run(command):
    """What a tool says of the code; its end if it could not look at it."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode != 0 and not FINDING.search(text.replace("\n", " ")) and done.stderr:
        raise SystemExit(f"static.py: {' '.join(command)}:\n{text}")
    return text


def analyze(job):
    """gcc's own analysis. -O1: its findings are of the code as written, and it takes half the time."""
    path, words = job
    return run(["gcc", *words, "-O1", "-fanalyzer", "-c", path, "-o", "/dev/null"])


def tidy(job):
    path, folder = job
    return run(["clang-tidy", "--quiet", "-p", folder, path])


def check_all(folder):
    """(tool, text) of each tool that is here."""
    jobs = sorted(compile_commands(folder))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if shutil.which("gcc"):
            yield "gcc", "".join(pool.map(analyze, jobs))
        if shutil.which("cppcheck"):
            yield "cppcheck", run(
                ["cppcheck", f"-j{os.cpu_count()}", "--std=c11", "--quiet", "-I.", "-DND_SIMD=1",
                 "--enable=warning,performance,portability", "-D__x86_64__", "-D_DEFAULT_SOURCE",
                 '-DND_VERSION="0"', "--template={file}:{line}: {severity}: {message} [{id}]",
                 "src", "io", "mpi"])
        if shutil.which("clang-tidy"):
            yield "clang-tidy", "".join(pool.map(tidy, ((path, folder) for path, _ in jobs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="build/release")
    folder = os.path.join(ROOT, parser.parse_args().folder)
    with open(KNOWN, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    known = {tuple(row[:3]): False for row in rows}
    findings = []
    tools = []
    for tool, text in check_all(folder):
        tools.append(tool)
        for line in sorted(set(text.splitlines())):
            match = FINDING.match(line)
            if match is None:
                continue
            path = os.path.relpath(os.path.join(ROOT, match["file"]), ROOT)
            check = match["check"]
            if (tool, path, check) in known:
                known[(tool, path, check)] = True
            else:
                findings.append(f"{path}:{match['line']}: {tool}: {match['text']} [{check}]")
    for key, met in known.items():
        if not met and key[0] in tools:
            findings.append("scripts/static_known.tsv: nothing matches " + " ".join(key))
    print(*findings, sep="\n", end="\n" if findings else "")
    for tool in {"gcc", "cppcheck", "clang-tidy"} - set(tools):
        print(f"SKIPPED: there is no {tool} here", file=sys.stderr)
    print(f"static.py: {', '.join(tools)}: {len(findings)} findings, {len(known)} known")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
