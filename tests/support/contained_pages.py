"""Made-up pages with quotations: contained_pages.py FOLDER [--pages N] [--items N] [--seed S] writes

crawl.jsonl   pages of 70 to 5,200 tokens in words of unequal frequency; a tenth more are parts or
              edited parts of others, or hold such a part
items.jsonl   items of one to three sentences, of 8 to 75 tokens, like those of a test
planted.tsv   item, page and kind, in the order of places: exact, or edited with a tenth or a fifth
              of its words. A quarter of the items stands nowhere."""
import argparse
import itertools
import json
import random

WORDS = ["w%d" % number for number in range(20000)]
WEIGHTS = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(WORDS))))
KINDS = (("exact", 0), ("tenth", .1), ("fifth", .2), (None, 0))


def sentence(draw, least=6):
    count = draw.randint(least, 25)
    return " ".join(draw.choices(WORDS, cum_weights=WEIGHTS, k=count)).capitalize() + "."


def edit(draw, text, rate):
    return " ".join(draw.choice(WORDS) if draw.random() < rate else word for word in text.split(" "))


def page(draw):
    sentences, left = [], draw.choice([100, 300, 600, 1500, 4000]) * draw.uniform(.7, 1.3)
    while left > 0:
        sentences.append(sentence(draw))
        left -= len(sentences[-1].split())
    return sentences


def add_parts(draw, crawl, count):
    parts = []
    for number in range(count):
        source = draw.choice(crawl)
        if number % 3 == 0:  # the first page of a text in several
            parts.append(source[:max(3, len(source) // draw.randint(2, 5))])
        elif number % 3 == 1:  # a part of it, edited
            parts.append([edit(draw, text, .05) for text in source[len(source) // 3:]])
        else:  # quoted
            draw.choice(crawl)[1:1] = source[:draw.randint(3, max(3, len(source)))]
    crawl += parts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--items", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    crawl = [page(draw) for _ in range(asked.pages)]
    add_parts(draw, crawl, asked.pages // 10)
    items, planted = [], []
    for number in range(asked.items):
        items.append(" ".join(sentence(draw, 8) for _ in range(draw.randint(1, 3))))
        kind, rate = KINDS[number % len(KINDS)]
        for _ in range(draw.randint(1, 5) if kind is not None else 0):
            at = draw.randrange(len(crawl))
            crawl[at].insert(draw.randrange(len(crawl[at]) + 1), edit(draw, items[-1], rate))
            planted.append((number, at, kind))
    with open(asked.folder + "/crawl.jsonl", "w", encoding="utf-8") as file:
        for number, text in enumerate(crawl):
            file.write(json.dumps({"id": "page-%d" % number,
                                   "url": "http://site%d.example/%d" % (number % 997, number),
                                   "text": " ".join(text)}) + "\n")
    with open(asked.folder + "/items.jsonl", "w", encoding="utf-8") as file:
        for number, text in enumerate(items):
            file.write(json.dumps({"id": "item-%d" % number, "text": text}) + "\n")
    with open(asked.folder + "/planted.tsv", "w", encoding="utf-8") as file:
        for number, at, kind in planted:
            file.write("item-%d\tpage-%d\t%s\n" % (number, at, kind))


if __name__ == "__main__":
    main()
