#!/usr/bin/env python3
"""Tables of scripts/reproduce_pku.sh: from what its runs left, to report.html, tables.md, a CSV per
table and SVG plots.

usage: reproduce_tables.py FOLDER TABLE,TABLE,... VERSION

FOLDER has a sub-folder PROFILE.SEED for each corpus, PROFILE.SEED.PAGES for each sample on which
stages are left out, and growth.PROFILE.SEED.PAGES for each other size; reproduce_pku.sh says what the
files in them are.
"""
import datetime
import math
import os
import re
import sys

import reproduce_plots
from reproduce_runs import (Report, average, by_profile, list_corpora, mean, not_compared, read_json, seeds_of,
                            share, show)

# Huang, Wang and Li (CIKM 2008), Table 1: precision, recall relative to simhash, the same for pages
# of one site; Table 2: precision; hours.
PAPER = {
    "simhash": (.72, 1.0, .52, 1.0, "94 h"),
    "cosine": (.82, 1.19, .63, 1.0, "68 + 534 h"),
    "pku": (.95, 1.86, .91, 1.03, "118 h"),
}
PAPER_STAGES = {"none": (None, "several years"), "one": (.67, "5700 h"), "two": (None, "118 h"),
                "three": (.95, "118 h")}
# Henzinger (SIGIR 2006): precision of all pairs, of those of one site, of different sites, share of
# pairs on one site, recall beside Broder's.
PAPER_PAIRS = {
    "broder": (.38, .34, .86, .919, 1.0),
    "charikar": (.50, .36, .90, .74, None),
    "combined": (.79, .74, .99, None, .79),
}
PAPER_B_SIMILARITY = {2: .24, 3: .42, 4: .55, 5: .71, 6: .85}

STAGE_REASONS = {
    "none": "a sample, as the paper's years were calculated too",
    "one": "plain transitivity over fingerprints: sets grow with the corpus, and the paper's partial transitivity "
           "is a name only",
    "two": "the slides give no precision here",
    "three": "the published cell reads 0: no time beside stage two's. The trustable score forgives up to half of a "
             "page, so that the bounds rule out fewer pairs than at stage two",
}

TITLES = {
    "simhash": "simhash, 3 bits", "simhash-guarded": "simhash, sets guarded", "cosine": "cosine", "pku": "LCS (`--preset pku`)",
    "default": "`default`", "simhash-content": "simhash on content",
    "cosine-content": "cosine on content", "stage-one": "stage one alone",
    "stage-two": "stages one and two", "broder": "Broder", "charikar": "Charikar",
    "combined": "combined, 355 bits", "site-variant": "combined, site variant",
    "union": "combined, union",
}
METHODS = list(TITLES)
TABLE_ONE = ["simhash", "simhash-guarded", "cosine", "pku", "default", "simhash-content", "cosine-content"]
STAGES = {"none": "no-stage", "one": "stage-one-lcs", "two": "stage-two", "three": "pku"}
LABELLED = ["simhash", "cosine", "pku", "broder", "charikar", "combined", "simhash-content",
            "cosine-content", "default"]


def classes_key():
    """What the classes of made-up pages are, by the generator's own table."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "synth", "story.c")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return re.findall(r'\{"(\w+)", "([^"]+)", ND_TRUTH', file.read())


def because(method, rows, absolute):
    """Why a row of Table 1 differs from the published one, with what was measured of it in this run."""
    def figure(field, name=method):
        return show(mean([row[field] for row in absolute if row["method"] == name]))
    if method == "simhash":
        return ("sets are all that hangs together by pairs of at most 3 bits: of all pairs in a set %s are "
                "right. How the paper made sets of pairs is not said." % figure("pairwise_precision"))
    if method == "cosine":
        return ("stage one is the same; the threshold (.9) is ours. A cosine does not see order, so that pages of "
                "one template pass: of all pairs %s are right." % figure("pairwise_precision"))
    if method == "pku":
        return ("a sixth of our pages are made to look alike without being copies, and truth is by construction, "
                "not by people. Recall is relative to what simhash finds here: %s of true pairs, LCS %s, across "
                "sites %s and %s." % (figure("pairwise_recall", "simhash"), figure("pairwise_recall"),
                                      figure("different_sites_recall", "simhash"),
                                      figure("different_sites_recall")))
    return "-"


def methods_of(rows):
    there = {row["method"] for row in rows}
    return [method for method in METHODS if method in there]


# ---- the paper's Table 1

PKU_SAMPLES = [
    ("", "Sampled from the sets of LCS (`--preset pku`), as the paper sampled from its own"),
    (".own", "Sampled from each method's own sets"),
    (".content", "What is compared is the content of pages: sampled from the sets of the default, "
                 "recall relative to simhash on content"),
]


def pku_row(corpus, method, kind):
    answer, run = corpus.answer(method, kind), corpus.run(method)
    if answer is None or "sample" not in answer or run is None:
        return None
    row = {"profile": corpus.profile, "seed": corpus.seed, "method": method,
           "sampled_from": {"": "pku", ".own": method, ".content": "default"}[kind],
           "baseline": "simhash-content" if kind == ".content" else "simhash",
           "sets": answer["sample"]["sets"]}
    for scope, prefix in (("all", ""), ("same_site", "site_")):
        for measure in ("precision", "relative_recall", "recall", "baseline_recall"):
            figure = answer["sample"][scope][measure] or {}
            for part in ("mean", "lower", "upper"):
                name = prefix + measure + ("" if part == "mean" else "_" + part)
                row[name] = figure.get(part)
    for name in ("seconds", "cpu_seconds", "peak_bytes", "processes", "pages", "passed", "cut", "cut_largest"):
        row[name] = run[name]
    return row


def interval(rows, method, field):
    return "%s [%s, %s]" % tuple(show(average(rows, method, field + end))
                                 for end in ("", "_lower", "_upper"))


def pku_lines(rows, absolute):
    lines = []
    for method in methods_of(rows):
        paper = PAPER.get(method, (None,) * 5)
        line = [TITLES[method]]
        for field, published in zip(("precision", "relative_recall", "site_precision",
                                     "site_relative_recall"), paper):
            line += [interval(rows, method, field), show(published, 2)]
        seconds = average(rows, method, "seconds")
        line += [show(average(rows, method, "recall")), show(seconds, 1), paper[4] or "-",
                 show(average(rows, method, "cpu_seconds"), 1),
                 show(average(rows, method, "peak_bytes") / 1e6, 0),
                 show(average(rows, method, "pages") / seconds, 0),
                 not_compared([row for row in rows if row["method"] == method]), because(method, rows, absolute)]
        lines.append(line)
    return lines


def table_pku(report, corpora):
    every = []
    absolute = absolute_rows(corpora)
    report.say("## Table 1 of the paper: precision, relative recall, time")
    report.say("1,000 sets of two pages or more (all if there are fewer); the representative page of a "
               "set is the one with most truly similar pages in it. In brackets 95 % intervals by the "
               "bootstrap over the sampled sets. Recall: of the truly similar pages anywhere. Seconds "
               "as seen from outside; CPU seconds of all processes, which also count waiting for each "
               "other; MB: the most of a process. Not compared: meetings of pages in groups of more than 4,096 with one key "
               "(the default: 16), but for the next by length; pages of different parts, where a perhaps-similar set was above "
               "the cap and cut (in brackets, how many pages the largest has). The paper's hours are of 430 million pages on six servers: 1,270 "
               "pages a second for simhash, 1,010 for LCS. Its cosine cost more than its LCS. Here exact bounds by "
               "histograms come before the cosine, while the trustable score forgives up to half of a page, so that "
               "bounds rule out hardly any pair of a perhaps-similar set.")
    for kind, caption in PKU_SAMPLES:
        rows = [pku_row(corpus, method, kind) for corpus in corpora if corpus.sample is None
                for method in TABLE_ONE]
        rows = [row for row in rows if row is not None]
        every += rows
        for profile, some in by_profile(rows).items():
            report.say("### %s. Profile %s, %s" % (caption, profile, seeds_of(some)))
            report.table(["", "precision", "paper", "relative recall", "paper",
                          "precision, same site", "paper", "relative recall, same site", "paper",
                          "recall", "seconds", "paper", "CPU s", "MB", "pages/s", "not compared", "differs, because"],
                         pku_lines(some, [row for row in absolute if row["profile"] == profile]))
    report.write_csv("pku.csv", every)
    return every


# ---- the paper's Table 2

def stage_row(corpus, stage):
    run = corpus.run(STAGES[stage])
    # what stage one leaves are its sets, not those of the comparison that takes so long without two
    evaluated = corpus.answer("stage-one" if stage == "one" else STAGES[stage], ".own")
    sets = corpus.run("stage-one" if stage == "one" else STAGES[stage])
    full = corpus.sample is None
    if evaluated is None or sets is None or (run is None and not full):
        return None
    timed = run is not None
    return {"profile": corpus.profile, "seed": corpus.seed, "method": stage, "pages": sets["pages"],
            "compared": run["compared"] if timed else None,
            "compare_seconds": run["stages"].get("leaders") if timed else None,
            "seconds": run["seconds"] if timed else None,
            "cpu_seconds": run["cpu_seconds"] if timed else None,
            "precision": evaluated["sample"]["all"]["precision"]["mean"],
            "site_precision": evaluated["sample"]["same_site"]["precision"]["mean"],
            "pairwise_precision": evaluated["pairwise"]["precision"],
            "pairwise_recall": evaluated["pairwise"]["recall"],
            "sets": sets["sets"], "largest": sets["largest"]}


def stage_lines(rows):
    lines = []
    for stage, (precision, hours) in PAPER_STAGES.items():
        some = [row for row in rows if row["method"] == stage]
        if some:
            row = {key: mean([r[key] for r in some]) for key in some[0]
                   if key not in ("profile", "method")}
            whole = {key: None if row[key] is None else round(row[key])
                     for key in ("compared", "sets", "largest")}
            lines.append([stage, show(whole["compared"]), show(row["compare_seconds"], 3), hours,
                          show(row["precision"]), show(precision, 2), show(row["pairwise_precision"]),
                          show(row["pairwise_recall"]), show(whole["sets"]),
                          show(row["pages"] / row["sets"], 1), show(whole["largest"]), STAGE_REASONS[stage]])
    return lines


def growth(rows):
    """How the time without stages grows, and what it would be for all pages of the corpus."""
    lines = []
    for profile, some in by_profile(rows).items():
        sizes = sorted({row["pages"] for row in some})
        if len(sizes) < 3:
            continue
        small, large, full = sizes[0], sizes[1], sizes[-1]
        took = {(row["method"], row["pages"]): row["compare_seconds"] for row in some}
        pairs = {(row["method"], row["pages"]): row["compared"] for row in some}
        if not took.get(("none", small)):
            continue
        factor = took["none", large] / took["none", small]
        each = took["none", large] / pairs["none", large]
        lines.append(
            "Profile %s: twice the pages (%d to %d) take %.1f times as long without stage one, for %.1f "
            "times the pairs; a "
            "comparison takes %.2f ms of one process, so that all pairs of %s pages would take %s "
            "hours (calculated)." %
            (profile, small, large, factor, pairs["none", large] / pairs["none", small], 1000 * each, show(full),
             show(each * full * (full - 1) / 2 / 3600, 1)))
    return lines


def table_stages(report, corpora):
    rows = [stage_row(corpus, stage) for corpus in corpora for stage in STAGES]
    rows = [row for row in rows if row is not None]
    if not any(row["method"] == "one" for row in rows):
        return rows
    report.say("## Table 2 of the paper: what each stage saves")
    report.say("None: every page is compared with every other, by Myers' algorithm on whole pages. One: "
               "inside the perhaps-similar sets, which are evaluated here; the time is that of comparing "
               "without filters. Two: with filters, r >= 0.8. Three: trustable LCS >= 0.8. Samples are "
               "of pages of 8,000 bytes. Seconds of the comparison alone. Precision by 1,000 of the "
               "stage's own sets; pairwise: of all pairs that share a set.")
    header = ["stage", "pairs compared", "seconds", "paper", "precision", "paper",
              "pairwise precision", "pairwise recall", "sets", "pages per set", "largest", "differs, because"]
    for profile, some in by_profile(rows).items():
        for pages in sorted({row["pages"] for row in some}):
            part = [row for row in some if row["pages"] == pages]
            if len({row["method"] for row in part}) > 1:
                report.say("### Profile %s, %s pages, %s" % (profile, show(pages), seeds_of(part)))
                report.table(header, stage_lines(part))
    report.say(*growth(rows))
    report.write_csv("stages.csv", rows)
    return rows


# ---- Henzinger

def pair_row(corpus, method):
    answer = corpus.answer(method)
    if answer is None or "pairs" not in answer:
        return None
    pairs = answer["pairs"]
    row = {"profile": corpus.profile, "seed": corpus.seed, "method": method,
           "pairs": pairs["listed"]}
    for scope, prefix in (("all", ""), ("same_site", "site_"), ("different_sites", "different_")):
        for name in ("correct", "incorrect", "undecided", "precision", "decided_precision"):
            row[prefix + name] = pairs[scope][name]
    partners = pairs["partners"]
    row.update(partnered=partners["pages"], most_partners=partners["most"],
               slope=partners["slope_by_likelihood"],
               least_squares=partners["slope_by_least_squares"], spread=power_spread(partners["histogram"]))
    run = corpus.run(method)
    row.update({name: run[name] for name in ("seconds", "cpu_seconds", "peak_bytes", "passed", "cut", "cut_largest")})
    return row


def pair_lines(rows):
    lines = []
    base = average(rows, "broder", "correct")
    for method in methods_of(rows):
        paper = PAPER_PAIRS.get(method, (None,) * 5)
        pairs, site = (mean([sum(row[prefix + name] for name in ("correct", "incorrect", "undecided"))
                             for row in rows if row["method"] == method]) for prefix in ("", "site_"))
        figures = [average(rows, method, "precision"), average(rows, method, "site_precision"),
                   average(rows, method, "different_precision"), share(site, pairs),
                   share(average(rows, method, "correct"), base)]
        line = [TITLES[method], show(round(average(rows, method, "pairs")))]
        for figure, published in zip(figures, paper):
            line += [show(figure), show(published, 2)]
        lines.append(line + [show(average(rows, method, "decided_precision")),
                             show(share(average(rows, method, "undecided"), pairs)),
                             not_compared([row for row in rows if row["method"] == method]),
                             show(average(rows, method, "seconds"), 1)])
    return lines


def similarity_rows(corpora):
    rows = []
    for corpus in corpora:
        for method in ("broder", "charikar"):
            answer = corpus.answer(method) if corpus.sample is None else None
            if answer is None or "pairs" not in answer:
                continue
            for bin_ in answer["pairs"]["by_similarity"]:
                rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method,
                             "from": bin_["from"], "to": bin_["to"],
                             **{name: bin_["all"][name] for name in
                                ("correct", "incorrect", "undecided", "precision")}})
    return rows


def similarity_lines(rows, method):
    lines = []
    for start in sorted({row["from"] for row in rows if row["method"] == method}):
        some = [row for row in rows if row["method"] == method and row["from"] == start]
        correct, incorrect, undecided = (sum(row[name] for row in some) for name in
                                         ("correct", "incorrect", "undecided"))
        if correct + incorrect + undecided == 0:
            continue
        if method == "broder":
            of_six = round(6 * start)
            name, paper = "B-similarity %d" % of_six, PAPER_B_SIMILARITY.get(of_six)
        else:
            last = some[0]["to"]
            name = "C-similarity %s bits" % (
                "%d" % round(384 * start) if last == start else
                "%.1f to %.1f" % (384 * start, 384 * last))
            paper = None
        lines.append([name, show(correct), show(incorrect), show(undecided),
                      show(share(correct, correct + incorrect + undecided)), show(paper, 2)])
    return lines


def power_spread(histogram):
    """By what factor counts lie beside the straight line on log-log axes: the root mean square over bins."""
    points = [(math.log(bin_["from"]), math.log(bin_["pages"] / bin_["from"])) for bin_ in histogram if bin_["pages"]]
    if len(points) < 3:
        return None
    x, y = (mean([point[axis] for point in points]) for axis in (0, 1))
    slope = (sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points))
    return math.exp(math.sqrt(mean([(b - y - slope * (a - x)) ** 2 for a, b in points])))


def term_rows(corpora):
    rows = []
    for corpus in corpora:
        for method in ("broder", "charikar"):
            answer = corpus.answer(method, ".terms") if corpus.sample is None else None
            for bin_ in (answer or {}).get("histogram", []):
                rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method, "from": bin_["from"],
                             "pairs": bin_["pairs"], **{name: answer[name] for name in
                                                        ("mean", "median", "ninetieth", "most")}})
    return rows


def term_table(report, rows):
    """Shares of the drawn pairs by how many terms they differ by."""
    methods = methods_of(rows)
    if not methods:
        return
    report.say("Terms by which a pair differs, over pairs drawn at random (terms.svg). US 2008/0044016 says without "
               "figures that both distributions are very similar, and that Broder's algorithm returns fewer pairs "
               "with extremely many.")
    starts = sorted({row["from"] for row in rows})
    def share_of(method, least, most):
        of = [row for row in rows if row["method"] == method]
        return show(share(sum(row["pairs"] for row in of if least <= row["from"] < most),
                          sum(row["pairs"] for row in of)))
    lines = [["%d" % start if start < 2 else "%d to %d" % (start, 2 * start - 1)] +
             [share_of(method, start, max(2 * start, 1)) for method in methods] for start in starts]
    for name, title in (("median", "median"), ("mean", "mean"), ("ninetieth", "nine tenths have at most"), ("most", "most")):
        lines.append([title] + [show(round(average([row for row in rows if row["method"] == method], method, name), 1), 1)
                                for method in methods])
    report.table(["terms"] + [TITLES[method] for method in methods], lines)


def table_henzinger(report, corpora):
    rows = [pair_row(corpus, method) for corpus in corpora if corpus.sample is None
            for method in METHODS]
    rows = [row for row in rows if row is not None]
    if not rows:
        return rows, []
    similar = similarity_rows(corpora)
    terms = term_rows(corpora)
    report.say("## Henzinger: precision of pairs")
    report.say("Pairs that the method calls similar, of pages of different text. Undecided pairs (with a "
               "page that is an excerpt, or edited by 10 to 40 %) count against precision, as in the "
               "paper; decided: without them. Recall: correct pairs beside those of Broder. Precision differs, because "
               "the web has far more pages that differ in their main item alone than a made-up corpus; it rises with "
               "the number of supershingles that agree, as hers does.")
    for profile, some in by_profile(rows).items():
        report.say("### Profile %s, %s" % (profile, seeds_of(some)))
        report.table(["", "pairs", "precision", "paper", "same site", "paper", "different sites",
                      "paper", "share on one site", "paper", "recall", "paper", "decided",
                      "undecided", "not compared", "seconds"], pair_lines(some))
        part = [row for row in similar if row["profile"] == profile]
        report.table(["", "correct", "incorrect", "undecided", "precision", "paper"],
                     similarity_lines(part, "broder") + similarity_lines(part, "charikar"))
        report.say("Near-duplicates per page, on log-log axes (partners.svg): " + "; ".join(
            "%s slope %s by likelihood, %s by least squares, beside that line by a factor of %s, most %s" %
            (TITLES[method], show(average(some, method, "slope"), 2),
             show(average(some, method, "least_squares"), 2), show(average(some, method, "spread"), 2),
             show(round(average(some, method, "most_partners"))))
            for method in methods_of(some) if method in ("broder", "charikar")) +
            ". The paper calls both a power law, without a figure, and Broder's the one with more noise.")
        term_table(report, [row for row in terms if row["profile"] == profile])
    report.write_csv("henzinger.csv", rows)
    report.write_csv("henzinger_similarity.csv", similar)
    report.write_csv("henzinger_terms.csv", terms)
    return rows, similar


# ---- absolute measures, classes, similarity

def absolute_row(corpus, method):
    answer = corpus.answer(method)
    if answer is None:
        return None
    row = {"profile": corpus.profile, "seed": corpus.seed, "method": method}
    for name in ("pairwise", "b_cubed", "removal", "same_site", "different_sites"):
        for measure in ("precision", "recall", "f1"):
            row[name + "_" + measure] = answer[name][measure]
    row["adjusted_rand_index"] = answer["adjusted_rand_index"]
    return row


def absolute_rows(corpora):
    rows = [absolute_row(corpus, method) for corpus in corpora if corpus.sample is None for method in METHODS]
    return [row for row in rows if row is not None]


def class_rows(corpora):
    rows = []
    for corpus in corpora:
        for method in METHODS:
            answer = corpus.answer(method) if corpus.sample is None else None
            for c in (answer or {}).get("classes", []):
                rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method,
                             "class": c["class"], "pages": c["pages"],
                             "partnered_pages": c["partnered_pages"],
                             "mixed_pages": c["mixed_pages"],
                             "page_recall": c["page_recall"] if c["partnered_pages"] else None,
                             "mixed_share": share(c["mixed_pages"], c["pages"]),
                             **{name: c["pairs"][name] for name in
                                ("true_pairs", "predicted_pairs", "common_pairs")}})
    return rows


def class_table(report, rows, classes, field):
    methods = methods_of(rows)
    report.table(["class", "pages"] + [TITLES[method] for method in methods],
                 [[name, show(round(mean([row["pages"] for row in rows if row["class"] == name])))] +
                  [show(mean([row[field] for row in rows
                              if row["class"] == name and row["method"] == method]))
                   for method in methods] for name in classes])


def false_lines(rows, classes):
    """Which class is in how many of a method's false pairs; a pair of two classes counts for both."""
    methods = methods_of(rows)
    lines = []
    for name in classes:
        some = [row for row in rows if row["class"] == name]
        lines.append([name] + [show(round(mean([row["predicted_pairs"] - row["common_pairs"]
                                                for row in some if row["method"] == method])))
                               for method in methods])
    return ["class"] + [TITLES[method] for method in methods], lines


def decile_rows(corpora):
    rows = []
    for corpus in corpora:
        for method in METHODS:
            answer = corpus.answer(method) if corpus.sample is None else None
            for decile in (answer or {}).get("representative_deciles", []):
                rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method,
                             "from": decile["from"], "to": decile["to"], "pages": decile["pairs"],
                             "correct": decile["correct"],
                             "precision": decile["precision"] if decile["pairs"] else None})
    return rows


def table_losses(report, corpora):
    """What the methods of most interest lose, and by which classes, the largest losses first."""
    rows = []
    for corpus in corpora:
        for method in ("pku", "default"):
            answer = corpus.answer(method, ".losses")
            for loss in (answer or {}).get("losses", []):
                rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method,
                             "all_sets": answer["sets"], "precision": answer["precision"], **loss})
    for profile, some in by_profile(rows).items():
        report.say("### What precision is lost by, over all sets. Profile %s, %s" %
                   (profile, seeds_of(some)))
        lines = []
        for method in methods_of(some):
            part = [row for row in some if row["method"] == method]
            seeds = len({row["seed"] for row in part})
            lost = {}
            for row in part:
                loss, sets = lost.get(row["classes"], (0, 0))
                lost[row["classes"]] = (loss + row["loss"] / seeds, sets + row["sets"])
            lines.append([TITLES[method], "all sets: precision %s" % show(average(some, method, "precision")),
                          show(round(average(some, method, "all_sets"))),
                          show(sum(loss for loss, _ in lost.values()), 4)])
            lines += [[TITLES[method], classes, show(sets), show(loss, 4)] for classes, (loss, sets) in
                      sorted(lost.items(), key=lambda item: -item[1][0])[:8]]
        report.table(["", "classes in the set", "sets", "loss"], lines)
    report.write_csv("losses.csv", rows)


def absolute_lines(rows):
    lines = []
    for method in methods_of(rows):
        def figure(field, method=method):
            return show(average(rows, method, field))
        lines.append([TITLES[method]] + [
            " / ".join(figure(name + "_" + measure) for measure in ("precision", "recall", "f1"))
            for name in ("pairwise", "same_site", "different_sites", "b_cubed", "removal")] +
            [figure("adjusted_rand_index")])
    return lines


def table_classes(report, corpora):
    rows = absolute_rows(corpora)
    classes, deciles = class_rows(corpora), decile_rows(corpora)
    report.say("## Against all that is true")
    report.say("Precision / recall / F1 over all pairs, not a sample: pairs, those of one site, those of "
               "different sites, B-cubed, of a deletion of all pages of a set but one; the adjusted Rand "
               "index.")
    for profile, some in by_profile(rows).items():
        report.say("### Profile %s, %s" % (profile, seeds_of(some)))
        report.table(["", "pairwise", "same site", "different sites", "B-cubed", "removal", "ARI"],
                     absolute_lines(some))
    for profile, some in by_profile(classes).items():
        names = sorted({row["class"] for row in some})
        kept = [name for name in names if name[0] in "OP"]
        negative = [name for name in names if name[0] == "N"]
        report.say("### Recall by edit class: mean over the pages of a class. Profile %s, %s" %
                   (profile, seeds_of(some)))
        class_table(report, some, kept, "page_recall")
        report.say("### Hard negatives: share of a class's pages that share a set with another "
                   "cluster's. Profile %s, %s" % (profile, seeds_of(some)))
        class_table(report, some, negative, "mixed_share")
        report.say("### False pairs with a page of the class. Profile %s, %s" %
                   (profile, seeds_of(some)))
        report.table(*false_lines(some, kept + negative))
    table_losses(report, corpora)
    report.write_csv("absolute.csv", rows)
    report.write_csv("classes.csv", classes)
    report.write_csv("similarity.csv", deciles)
    return classes, deciles


# ---- tuning, labelled sets, times

def table_tuning(report, corpora):
    rows = []
    for corpus in corpora:
        if corpus.sample is not None or corpus.seed != 1:
            continue
        names = [name[:-5] for name in sorted(os.listdir(corpus.folder)) if name.endswith(".json")]
        for name in names:
            answer = corpus.answer(name)
            sample = answer["sample"]["all"]
            rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": name,
                         **{"pairwise_" + m: answer["pairwise"][m]
                            for m in ("precision", "recall", "f1")},
                         "b_cubed_f1": answer["b_cubed"]["f1"],
                         "precision": sample["precision"]["mean"],
                         "relative_recall": sample["relative_recall"]["mean"]})
    if not rows:
        return
    report.say("## Thresholds, on the corpus for tuning")
    report.say("Name-value: distance in bits of simhash, threshold of the others. Nothing here is "
               "reported elsewhere.")
    for profile, some in by_profile(rows).items():
        report.say("### Profile %s, %s" % (profile, seeds_of(some)))
        report.table(["", "pairwise P / R / F1", "B-cubed F1", "precision", "relative recall"],
                     [["`%s`" % row["method"],
                       " / ".join(show(row["pairwise_" + m]) for m in ("precision", "recall", "f1")),
                       show(row["b_cubed_f1"]), show(row["precision"]), show(row["relative_recall"])]
                      for row in some])
    report.write_csv("tuning.csv", rows)


def table_labelled(report, root):
    rows = []
    for folder in sorted(name for name in os.listdir(root) if name.startswith("labelled.")):
        for method in LABELLED:
            answer = read_json(os.path.join(root, folder, method + ".json"))
            if answer is not None:
                rows.append({"set": folder.split(".", 1)[1], "method": method,
                             **{m: answer["pairwise"][m] for m in ("precision", "recall", "f1")},
                             "b_cubed_f1": answer["b_cubed"]["f1"],
                             "adjusted_rand_index": answer["adjusted_rand_index"]})
    if not rows:
        return
    methods = [method for method in LABELLED if any(row["method"] == method for row in rows)]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    report.say("## Labelled sets", "Pairwise F1. The default was chosen on these pages.")

    def f1(method, name):
        return mean([row["f1"] for row in rows if row["method"] == method and
                     (name is None or row["set"] == name)])
    report.table(["set"] + [TITLES[method] for method in methods],
                 [[name or "mean"] + [show(f1(method, name)) for method in methods]
                  for name in sets + [None]])
    report.write_csv("labelled.csv", rows)


# ---- growth, what was run, what follows

def table_growth(report, corpora):
    rows = []
    for corpus in corpora:
        for method in ("simhash", "pku", "default"):
            answer, run = corpus.answer(method, ".own"), corpus.run(method)
            if answer is None or run is None or (corpus.sample is not None and not corpus.growth):
                continue
            relative = corpus.answer(method)["sample"]["all"]["relative_recall"] or {}
            rows.append({"profile": corpus.profile, "seed": corpus.seed, "method": method,
                         "pages": run["pages"],
                         "precision": answer["sample"]["all"]["precision"]["mean"],
                         "relative_recall": relative.get("mean"),
                         "recall": answer["pairwise"]["recall"],
                         "pairwise_precision": answer["pairwise"]["precision"],
                         "largest": run["largest"], "seconds": run["seconds"],
                         "pages_per_second": run["pages"] / run["seconds"]})
    rows = [row for row in rows if any(other["pages"] != row["pages"] and other["seed"] == row["seed"] and
                                       other["profile"] == row["profile"] for other in rows)]
    if not rows:
        return rows
    rows.sort(key=lambda row: (row["profile"], row["seed"], METHODS.index(row["method"]), row["pages"]))
    report.say("## Growth with the corpus", "Precision by 1,000 of a method's own sets; recall relative to simhash on the "
               "sets of LCS; of all pairs. The paper reports one size: 430 million pages, simhash at 1,270 pages a "
               "second, LCS at 1,010, on six servers.")
    for profile, some in by_profile(rows).items():
        report.say("### Profile %s, %s" % (profile, seeds_of(some)))
        report.table(["", "pages", "precision", "relative recall", "precision, all pairs", "recall, all pairs",
                      "largest set", "pages/s"],
                     [[TITLES[row["method"]]] +
                      [show(row[name], digits) for name, digits in
                       (("pages", 0), ("precision", 3), ("relative_recall", 2), ("pairwise_precision", 3),
                        ("recall", 3), ("largest", 0), ("pages_per_second", 0))] for row in some])
    report.write_csv("growth.csv", rows)
    return rows


def machine():
    """What the runs were made on, as far as the system says it."""
    model, memory = "unknown processor", 0
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
        with open("/proc/meminfo", encoding="utf-8") as file:
            memory = int(file.readline().split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return "%s, %d processors, %.0f GB" % (model, os.cpu_count() or 1, memory / 1e9)


def say_what_was_run(report, corpora, version):
    with open(os.path.join(report.root, "settings"), encoding="utf-8") as file:
        settings = file.read().strip()
    names = ["%s, seed %d" % (corpus.profile, corpus.seed) for corpus in corpora if corpus.sample is None]
    report.say("# The papers' tables, remade",
               "Huang, Wang and Li (CIKM 2008) and Henzinger (SIGIR 2006), each figure beside the published one; a dash "
               "where nothing was published or nothing was run.")
    report.table(["what was run", ""],
                 [["program", version], ["settings", "`%s`" % settings],
                  ["pages", "made up (`neardup synthesize`): truth is known by construction"],
                  ["corpora", "; ".join(names)], ["tables made", datetime.date.today().isoformat()],
                  ["on", machine()]])


def say_what_follows(report, pku, absolute):
    """What can be concluded, from the figures of this run."""
    report.say("## What follows, and what does not")
    own = [row for row in pku if row["sampled_from"] == "pku"]
    for profile, some in by_profile(own).items():
        order = sorted((method for method in ("simhash", "cosine", "pku") if method in methods_of(some)),
                       key=lambda method, some=some: average(some, method, "precision"))
        part = [row for row in absolute if row["profile"] == profile]
        report.say("Profile %s: precision rises in the order %s (paper: simhash, cosine, LCS). Recall relative to simhash: "
                   "LCS %s (paper 1.86), cosine %s (1.19). Of all true pairs simhash finds %s, LCS %s, the default %s." %
                   ((profile, ", ".join({"pku": "LCS"}.get(name, name) for name in order)) +
                    tuple(show(average(some, name, "relative_recall"), 2) if name in methods_of(some) else "-"
                          for name in ("pku", "cosine")) +
                    tuple(show(mean([row["pairwise_recall"] for row in part if row["method"] == name]))
                          for name in ("simhash", "pku", "default"))))
    report.say("The pages are made up: classes, sizes of stories and templates are those of the generator, not of an archive, "
               "and nobody judged them. So the orders and the ratios of one run can be compared with the paper's; single "
               "figures cannot. Real pages with labels by people stand in the last table, if `--labelled` was given: where "
               "stories are reprinted in other sites' templates, whole pages are compared by the three methods of the "
               "paper, and contents by the rest.")


def write_runs(report, corpora):
    rows = []
    for corpus in corpora:
        names = sorted(name[:-4] for name in os.listdir(corpus.folder) if name.endswith(".run"))
        for name in names:
            run = corpus.run(name)
            rows.append({"profile": corpus.profile, "seed": corpus.seed, "run": name,
                         **{key: run[key] for key in ("pages", "processes", "seconds", "cpu_seconds", "peak_bytes",
                                                      "compared", "sets", "largest", "passed", "cut")}})
    report.write_csv("runs.csv", rows)


def main(root, tables, version):
    corpora = list_corpora(root)
    reported = [corpus for corpus in corpora if corpus.seed != 1]
    whole = [corpus for corpus in reported if not corpus.growth]
    report = Report(root)
    say_what_was_run(report, whole, version)
    pku = []
    if "pku" in tables:
        pku = table_pku(report, whole)
        reproduce_plots.plot_pku(root, pku, PAPER)
        report.plot("pku_precision.svg", "Precision beside the paper's")
        report.plot("pku_recall.svg", "Recall relative to simhash, beside the paper's")
    if "stages" in tables:
        reproduce_plots.plot_stages(root, table_stages(report, whole))
        report.plot("stages.svg", "Seconds of the comparison after each stage")
    growth = table_growth(report, reported)
    for field, title in (("precision", "precision, 1,000 sets of its own"),
                         ("relative_recall", "recall relative to simhash"), ("pages_per_second", "pages a second")):
        reproduce_plots.plot_growth(root, growth, field, title)
        report.plot("growth_%s.svg" % field, "By the size of the corpus: " + title)
    report.plot("curves.svg", "How likely two pages meet, by the share that they have in common: of sentences (7 buckets with "
                "3, LCS), of shingles (2 of 6 supershingles, Broder), of bits (one of 12 pieces, Charikar)")
    if "henzinger" in tables:
        _, similar = table_henzinger(report, whole)
        reproduce_plots.plot_henzinger(root, whole, similar, PAPER_B_SIMILARITY)
        report.plot("b_similarity.svg", "Precision by supershingles that agree, beside the paper's")
        report.plot("partners.svg", "Near-duplicates of a page")
        report.plot("terms.svg", "Terms by which a pair differs")
    if "classes" in tables:
        classes, deciles = table_classes(report, whole)
        report.table(["class", "what its pages are"], classes_key())
        reproduce_plots.plot_classes(root, classes, deciles, METHODS)
        for profile in by_profile(classes):
            for name, caption in (("recall_by_class", "Recall by edit class"),
                                  ("hard_negatives", "Hard negatives in false sets"),
                                  ("similarity", "Precision by similarity to the representative")):
                report.plot("%s_%s.svg" % (name, profile), "%s, profile %s" % (caption, profile))
    if "tuning" in tables:
        table_tuning(report, corpora)
    if pku:
        say_what_follows(report, pku, absolute_rows(whole))
    table_labelled(report, root)
    write_runs(report, corpora)
    report.save()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(","), sys.argv[3])
