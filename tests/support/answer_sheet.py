"""Answer a page of neardup review --protocol pku by a truth in place of people, as its script saves
answers. Called as answer_sheet.py SHEET.html TRUTH.tsv (id TAB cluster) >ANSWERS.tsv; a page that the
truth lacks is unsure."""
import html.parser
import sys


class Sheet(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.judged = []
        with open(path, encoding="utf-8", newline="") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "article" and "data-a" in attributes:
            self.judged.append([attributes["data-" + name] for name in ("a", "b", "set", "pages")])


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        cluster = dict(line.rstrip("\n").split("\t")[:2] for line in file)
    for a, b, name, pages in Sheet(sys.argv[1]).judged:
        known = a in cluster and b in cluster
        label = "unsure" if not known else "near" if cluster[a] == cluster[b] else "different"
        print(a, b, label, name, pages, sep="\t")


if __name__ == "__main__":
    main()
