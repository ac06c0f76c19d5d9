"""A page for a browser made by neardup, read as a browser reads it, and checked: nothing on it but
what the program writes itself, whatever its texts are."""
import base64
import hashlib
import html.parser
import re

# What cannot be seen, but for line breaks.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
TAGS = set("html head meta title style body header h1 h2 h3 p b i del ins span small div details summary dl dt dd kbd "
           "table thead tbody tr th td main article footer button noscript script figure figcaption svg "
           "rect text path".split())
ATTRIBUTES = set("charset http-equiv content name lang class id role title hidden aria-label viewbox x y "
                 "width height d transform open data-a data-b data-band data-pairs data-set data-pages data-key data-move data-answer".split())


def checksum(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class SafePage(html.parser.HTMLParser):
    def __init__(self, name, script):
        super().__init__(convert_charrefs=True)
        with open(name, encoding="utf-8", newline="") as file:
            self.text = file.read()
        self.tags, self.data, self.raw = [], [], {}
        self.inside = None
        self.feed(self.text)
        tags = [tag for tag, _ in self.tags]
        assert set(tags) <= TAGS, set(tags) - TAGS
        for tag, attributes in self.tags:
            assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        assert tags.count("style") == 1 and tags.count("script") == int(script)
        assert not HIDDEN.search(self.text), HIDDEN.search(self.text)
        # the policy: this style and this script, and nothing else from anywhere
        policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + checksum(self.raw["style"])
        policy += "; script-src " + checksum(self.raw["script"]) if script else ""
        said = [a["content"] for _, a in self.tags if a.get("http-equiv") == "Content-Security-Policy"]
        assert said == [policy], said

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag if tag in ("style", "script") else None

    def handle_data(self, data):
        if self.inside:
            self.raw[self.inside] = self.raw.get(self.inside, "") + data
        else:
            self.data.append(data)

    def handle_endtag(self, tag):
        self.inside = None
