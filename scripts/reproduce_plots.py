"""Plots of scripts/reproduce_tables.py: SVG files by gnuplot, from the rows of its tables."""
import os
import statistics
import subprocess

SETTINGS = """set terminal svg noenhanced size 640,440 font 'sans-serif,16' background 'white'
set style fill solid 0.85 noborder
set grid ytics lc rgb '#dddddd'
set key outside below
"""
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#000000",
           "#994455", "#997700", "#6699cc", "#004488", "#eecc66"]


def draw(root, name, lines):
    """Run gnuplot; the file appears when it is complete."""
    partial = os.path.join(root, name + ".partial")
    script = SETTINGS + "set output '%s'\n" % partial.replace("'", "''") + "\n".join(lines) + "\n"
    done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit("gnuplot: %s: %s" % (name, done.stderr.strip().replace("\n", " ")))
    os.replace(partial, os.path.join(root, name))


def block(name, rows):
    """An inline data block; nothing to show is a question mark."""
    def cell(value):
        return "?" if value is None else '"%s"' % value if isinstance(value, str) else repr(value)
    return (["$%s << END" % name] + [" ".join(cell(value) for value in row) for row in rows] +
            ["END", "set datafile missing '?'"])


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def bars(root, name, title, labels, series):
    """Clustered bars: series is a list of (title, values)."""
    rows = [[label] + [values[i] for _, values in series] for i, label in enumerate(labels)]
    plots = ["$bars using %d%s title '%s' lc rgb '%s'" %
             (i + 2, ":xtic(1)" if i == 0 else "", what, COLOURS[i % len(COLOURS)])
             for i, (what, _) in enumerate(series)]
    draw(root, name, block("bars", rows) + [
        "set title '%s'" % title, "set style data histograms", "set style histogram clustered gap 1",
        "set yrange [0:*]", "set xtics rotate by -25", "plot " + ", ".join(plots)])


def profiles_of(rows):
    return list(dict.fromkeys(row["profile"] for row in rows))


def plot_pku(root, rows, paper):
    own = [row for row in rows if row["sampled_from"] == "pku"]
    methods = list(dict.fromkeys(row["method"] for row in own))
    for field, at, name in (("precision", 0, "precision"), ("relative_recall", 1, "recall")):
        series = [("paper", [paper[method][at] if method in paper else None for method in methods])]
        for profile in profiles_of(own):
            series.append((profile, [mean([row[field] for row in own if row["method"] == method and
                                           row["profile"] == profile]) for method in methods]))
        if methods:
            bars(root, "pku_%s.svg" % name, "%s, sampled from the sets of LCS" %
                 field.replace("_", " "), methods, series)


def plot_stages(root, rows):
    timed = [row for row in rows if row["compare_seconds"]]  # 0 has no place on a log axis
    stages = [stage for stage in ("none", "one", "two", "three")
              if any(row["method"] == stage for row in timed)]
    if not stages:
        return
    series = [("%s, %d pages" % (profile, pages),
               [mean([row["compare_seconds"] for row in timed if row["method"] == stage and
                      row["pages"] == pages and row["profile"] == profile]) for stage in stages])
              for profile in profiles_of(timed) for pages in
              sorted({row["pages"] for row in timed if row["profile"] == profile})]
    rows = [[stage] + [values[i] for _, values in series] for i, stage in enumerate(stages)]
    plots = ["$points using 0:%d:xtic(1) with linespoints lw 2 pt 7 lc rgb '%s' title '%s'" %
             (i + 2, COLOURS[i], what) for i, (what, _) in enumerate(series)]
    draw(root, "stages.svg", block("points", rows) + [
        "set title 'seconds of the comparison after each stage (0.01 and more)'", "set logscale y",
        "set xrange [-0.5:%d.5]" % (len(stages) - 1), "plot " + ", ".join(plots)])


def plot_growth(root, rows, field, title):
    rows = [row for row in rows if row[field] is not None]
    if not rows:
        return
    blocks, plots = [], []
    for key in dict.fromkeys((row["method"], row["profile"], row["seed"]) for row in rows):
        name = "g%d" % len(blocks)
        blocks.append(block(name, [[row["pages"], row[field]] for row in rows
                                   if (row["method"], row["profile"], row["seed"]) == key]))
        plots.append("$%s using 1:2 with linespoints pt 7 lw 2 lc rgb '%s' title '%s, %s, seed %d'" %
                     ((name, COLOURS[len(plots) % len(COLOURS)]) + key))
    draw(root, "growth_%s.svg" % field, sum(blocks, []) + [
        "set title '%s'" % title, "set logscale x", "set xlabel 'pages'", "set ylabel '%s'" % title,
        "set yrange [0:*]", "plot " + ", ".join(plots)])


def plot_partners(root, corpora):
    blocks, plots = [], []
    for corpus in corpora:
        for method in ("broder", "charikar"):
            answer = corpus.answer(method) if corpus.sample is None else None
            if answer is None or not answer.get("pairs", {}).get("partners", {}).get("histogram"):
                continue
            histogram = answer["pairs"]["partners"]["histogram"]
            # bins double in width: pages for each number of partners
            rows = [[bin_["from"], bin_["pages"] / bin_["from"]] for bin_ in histogram if bin_["pages"]]
            name = "b%d" % len(blocks)
            slope = answer["pairs"]["partners"]["slope_by_likelihood"]
            blocks.append(block(name, rows))
            plots.append("$%s using 1:2 with linespoints pt 7 lw 2 lc rgb '%s' title '%s, %s, seed %d%s'" %
                         (name, COLOURS[len(plots) % len(COLOURS)], method, corpus.profile, corpus.seed,
                          "" if slope is None else ": slope %.2f" % slope))
    if plots:
        draw(root, "partners.svg", sum(blocks, []) + [
            "set title 'near-duplicates per page'", "set logscale xy",
            "set xlabel 'near-duplicates of a page'", "set ylabel 'pages'",
            "plot " + ", ".join(plots)])


def plot_terms(root, corpora):
    blocks, plots = [], []
    for corpus in corpora:
        for method in ("broder", "charikar"):
            answer = corpus.answer(method, ".terms") if corpus.sample is None else None
            if answer is None or not answer["pairs"]:
                continue
            # bins double in width: the share of pairs for each number of terms
            rows = [[max(bin_["from"], .5), bin_["pairs"] / max(bin_["from"], 1) / answer["pairs"]]
                    for bin_ in answer["histogram"] if bin_["pairs"]]
            name = "b%d" % len(blocks)
            blocks.append(block(name, rows))
            plots.append("$%s using 1:2 with linespoints pt 7 lw 2 lc rgb '%s' title '%s, %s, seed %d'" %
                         (name, COLOURS[len(plots) % len(COLOURS)], method, corpus.profile, corpus.seed))
    if plots:
        draw(root, "terms.svg", sum(blocks, []) + [
            "set title 'terms by which a pair differs'", "set logscale xy", "set xlabel 'terms (none: 0.5)'",
            "set ylabel 'share of pairs'", "plot " + ", ".join(plots)])


def plot_henzinger(root, corpora, similar, paper):
    plot_partners(root, corpora)
    plot_terms(root, corpora)
    broder = [row for row in similar if row["method"] == "broder"]
    if not broder:
        return
    series = [("paper", [paper.get(k) for k in range(2, 7)])]
    for profile in profiles_of(broder):
        series.append((profile, [mean([row["precision"] for row in broder if
                                       round(6 * row["from"]) == k and row["profile"] == profile])
                                 for k in range(2, 7)]))
    bars(root, "b_similarity.svg", "precision of pairs by B-similarity",
         [str(k) for k in range(2, 7)], series)


def plot_classes(root, classes, deciles, methods):
    shown = [method for method in methods if method in
             ("simhash", "cosine", "pku", "default", "broder", "charikar")]
    for profile in profiles_of(classes):
        some = [row for row in classes if row["profile"] == profile]
        names = sorted({row["class"] for row in some})
        for kinds, field, file, title in (
                ("OP", "page_recall", "recall_by_class", "recall by edit class"),
                ("N", "mixed_share", "hard_negatives", "hard negatives: share of pages in a false set")):
            labels = [name for name in names if name[0] in kinds]
            bars(root, "%s_%s.svg" % (file, profile), "%s, profile %s" % (title, profile), labels,
                 [(method, [mean([row[field] for row in some if row["method"] == method and
                                  row["class"] == label]) for label in labels]) for method in shown])
        part = [row for row in deciles if row["profile"] == profile]
        starts = sorted({row["from"] for row in part})
        bars(root, "similarity_%s.svg" % profile,
             "precision by similarity to the representative, profile %s" % profile,
             ["%.1f" % start for start in starts],
             [(method, [mean([row["precision"] for row in part if row["method"] == method and
                              row["from"] == start]) for start in starts]) for method in shown])
