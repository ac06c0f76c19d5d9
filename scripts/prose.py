#!/usr/bin/env python3
"""How plain the English is that users read: bytes, share of "of", longest sentence."""

import argparse
import glob
import os
import re
import subprocess
import sys

USAGE = """README.md, the topics of the help, the READMEs of the floors and, with --program, the help of every
command: words, the share of "of" among them, sentences of more than 30 words, and the longest. Code, tables and
headings are left out; what stands in `...` is one word. Exit status 1 if README.md has more than 8,192 bytes, a
text among those of --hold more than 2.5 % "of", or a sentence of more than 30 words."""
MOST_BYTES, MOST_OF, MOST_WORDS = 8192, 2.5, 30
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FLOORS = ["src", "io", "mpi", "scripts", "tests", "slurm"]


def markdown(text):
    """Paragraphs and list items, without code, tables and headings."""
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    lines = []
    for line in text.split("\n"):
        if re.match(r"\s*\||\s*#", line):
            line = ""
        if re.match(r"\s*([-*]|\d+\.) ", line):
            lines.append("")
            line = re.sub(r"^\s*([-*]|\d+\.) ", "", line)
        lines.append(line)
    return re.split(r"\n\s*\n", "\n".join(lines))


def topic(text):
    """Paragraphs: lines of columns are tables, capitals a heading."""
    lines = ["" if re.match(r" ", line) or re.search(r"\S  +\S", line) or line.upper() == line else line
             for line in text.split("\n")]
    return re.split(r"\n\s*\n", re.sub(r'"neardup[^"]*"', "CODE", "\n".join(lines)))


def help_of(text):
    """What stands beside options, and the paragraphs."""
    parts, inside = [], False
    for line in text.split("\n"):
        if re.match(r"usage:|Examples$|  neardup |  mpirun |   {4}neardup", line):
            inside = True
        elif not line.strip():
            inside = False
        if re.match(r"  .{4}--| {27}\S|\S", line) and not inside:
            begins = not line.startswith(" " * 27)
            text_of = line if not line.startswith(" ") else line[27:] if line[25:27] == "  " else ""
            parts.append(("\n\n" if begins and line.startswith(" ") else "\n") + text_of)
        else:
            parts.append("\n\n")
    return re.split(r"\n\s*\n", "".join(parts))


def sentences(paragraphs, begin):
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+(?=%s)" % begin, text):
            words = re.findall(r"[A-Za-z0-9][\w'./%-]*", sentence)
            if words:
                yield words, sentence


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def texts(program):
    yield "README.md", markdown(read("README.md"))
    for path in sorted(glob.glob(os.path.join(ROOT, "mpi/cmd/topics/*.txt"))):
        yield os.path.relpath(path, ROOT), topic(read(path))
    for floor in FLOORS:
        yield floor + "/README.md", markdown(read(floor + "/README.md"))
    if program:
        names = subprocess.run([program, "--help", "names"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        for name in names:
            text = subprocess.run([program, name, "--help", "all"], stdout=subprocess.PIPE, check=True).stdout.decode()
            yield "neardup %s --help all" % name, help_of(text)


def main():
    parser = argparse.ArgumentParser(description=USAGE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", metavar="NEARDUP", help="count its help as well")
    parser.add_argument("--long", action="store_true", help="print every sentence of more than 30 words")
    parser.add_argument("--hold", metavar="TEXT", action="append",
                        help="hold to the goals the texts whose names begin so (all READMEs, the topics "
                             "and the help)")
    options = parser.parse_args()
    held = tuple(options.hold or ["README.md", "mpi/", "src/", "io/", "tests/", "slurm/", "scripts/", "neardup "])
    size = len(read("README.md").encode())
    failed = size > MOST_BYTES
    print("README.md: %d bytes" % size)
    print("%-40s %7s %6s %9s %7s" % ("text", "words", "of, %", "sentences", "longest"))
    for name, paragraphs in texts(options.program):
        words = of = count = longest = 0
        long = []
        # in the help of options a sentence may begin with a word to type
        for found, sentence in sentences(paragraphs, r"\S" if name.endswith("--help all") else r"[\"'(`A-Z0-9-]"):
            words += len(found)
            of += sum(word.lower() == "of" for word in found)
            count += 1
            longest = max(longest, len(found))
            if len(found) > MOST_WORDS:
                long.append((len(found), sentence))
        share = 100 * of / max(words, 1)
        wrong = share >= MOST_OF or longest > MOST_WORDS
        failed = failed or (wrong and name.startswith(held))
        print("%-40s %7d %6.1f %9d %7d%s" % (name, words, share, count, longest,
                                             "  %d of more than %d words" % (len(long), MOST_WORDS) if long else ""))
        if options.long:
            for number, sentence in long:
                print("    %d: %s" % (number, sentence))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(1)
