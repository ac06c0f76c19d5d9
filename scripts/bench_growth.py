"""What a corpus of any size will take, from runs on corpora of several sizes.

bench_growth.py PAGES KILOBYTES, with a line "pages kilobytes-a-page ranks stage seconds" per run and
stage on standard input. A stage's core-seconds per page grow as pages^e; e is the least-squares slope
on log-log axes of the medians, and no smaller than 0: a stage is not expected to become cheaper than
it was. Runs measure hundredths of a second, so that a median under a tenth says nothing of growth; with
fewer than two others e is shown as '-' and taken as 0. The first stage reads bytes, so it is taken per
byte; the others per page."""

import collections
import math
import statistics
import sys

LEAST_SECONDS = 0.1


def slope(points):
    """Least-squares slope of the logarithms of (pages, cost)."""
    x = [math.log(pages) for pages, _ in points]
    y = [math.log(cost) for _, cost in points]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / spread if spread else 0.0


def read(lines):
    """stage -> [(pages, core-microseconds per page, seconds)], and kilobytes a page of the last run"""
    costs = collections.defaultdict(lambda: collections.defaultdict(list))
    kilobytes = 0.0
    for line in lines:
        pages, size, ranks, stage, seconds = line.split()
        kilobytes = float(size)
        costs[stage][int(pages)].append((1e6 * float(ranks) * float(seconds) / int(pages),
                                         float(seconds)))
    return {stage: sorted((pages, *sorted(of)[len(of) // 2]) for pages, of in by.items())
            for stage, by in costs.items()}, kilobytes


def main():
    target, target_kilobytes = int(sys.argv[1]), float(sys.argv[2])
    costs, kilobytes = read(sys.stdin)
    sizes = [pages for pages, _, _ in next(iter(costs.values()))]
    print(f"{'core-us per page':<16}" + "".join(f"{n:>12,}" for n in sizes)
          + f"{'e':>7}{target:>14,}")
    sums = [0.0] * (len(sizes) + 1)
    for number, (stage, points) in enumerate(costs.items()):
        sure = [(pages, cost) for pages, cost, seconds in points if seconds >= LEAST_SECONDS]
        exponent = max(slope(sure), 0.0) if len(sure) > 1 else 0.0
        shown = f"{exponent:7.3f}" if len(sure) > 1 else f"{'-':>7}"
        largest, cost, _ = points[-1]
        bytes_ratio = target_kilobytes / kilobytes if number == 0 else 1.0
        projected = cost * bytes_ratio * (target / largest) ** exponent
        row = [cost for _, cost, _ in points] + [projected]
        sums = [x + y for x, y in zip(sums, row)]
        print(f"{stage:<16}" + "".join(f"{c:12.1f}" for c in row[:-1])
              + f"{shown}{projected:14.1f}")
    print(f"{'all':<16}" + "".join(f"{c:12.1f}" for c in sums[:-1]) + f"{'':7}{sums[-1]:14.1f}")
    print(f"{target:,} pages of {target_kilobytes:g} kB: {sums[-1] * target / 3.6e9:.1f} core-hours")


main()
