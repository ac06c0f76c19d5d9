#!/usr/bin/env python3
"""Write src/text/unicode_table.c from Python's unicodedata: make_unicode_table.py > src/text/unicode_table.c
With --vectors, write tests/support/unicode_vectors.c instead: canonical equivalence as Unicode defines it, for a test.

Every code point gets the number of a record (unicode.h). The numbers are cut into blocks of 128, equal blocks are
kept once. Unicode 15's only new ideographs (extension H) are named here, so that Python's older table gives the
same result.

One rule says what letters, digits and marks are compared as, normal_form(): their compatibility decomposition (where
that is letters, digits and marks), in lower case, decimal digits by their value, without what is ignored, composed.
"""
import sys
import unicodedata

BLOCK = 128
OTHER, WORD, SINGLE, MARK, IGNORED, SPACE, STOP, STOP_BEFORE_SPACE, JOINING_MARK, JAMO, MAPPED = range(11)

# Default_Ignorable_Code_Point of DerivedCoreProperties.txt, without the unassigned planes' rest.
IGNORABLE = [(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
             (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
             (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
             (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)]
TATWEEL = 0x640
IDEOGRAPHS = [(0x2F00, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3400, 0x4DBF),
              (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x16FF0, 0x16FF1), (0x20000, 0x2A6DF),
              (0x2A700, 0x2EBEF), (0x2F800, 0x2FA1F), (0x30000, 0x323AF)]
RADICALS = (0x2F00, 0x2FD5)  # symbols to Unicode; texts that were made from PDF have them in place of ideographs
SCRIPTS_WITHOUT_SPACES = ("HIRAGANA ", "KATAKANA", "HALFWIDTH KATAKANA ", "HENTAIGANA ", "THAI ",
                          "LAO ", "KHMER ", "MYANMAR ", "BOPOMOFO ")
# Texts are written with and without these scripts' points (vowels, cantillation), and mostly without.
SCRIPTS_WITH_POINTS = ("HEBREW ", "ARABIC ", "SYRIAC ")
# Sentences end here whatever follows: Chinese and Japanese; Arabic and Urdu; Devanagari and its
# relatives; Armenian, Syriac, Ethiopic, Burmese, Khmer, Canadian, Mongolian, Tibetan, Ol Chiki, Meetei.
STOPS = [0x3002, 0xFF01, 0xFF1F, 0xFF1B, 0xFF61, 0x61F, 0x6D4, 0x964, 0x965, 0x589, 0x700, 0x701,
         0x702, 0x1362, 0x1367, 0x1368, 0x104B, 0x17D4, 0x17D5, 0x166E, 0x1803, 0x1809, 0xF0D,
         0xF0E, 0x1C7E, 0x1C7F, 0xABEB, 0x203C, 0x203D, 0x2047, 0x2048, 0x2049]
STOPS_BEFORE_SPACE = [0x2E, 0x21, 0x3F, 0x2026, 0xFF0E, 0xFE52, 0xFE56, 0xFE57]
# An i has a dot, so that one more is nothing: U+0130 in lower case is i and U+0307 (UAX 15 does not say so).
DOT = 0x307
DOTTED = [ord("i"), 0x12F, 0x1E2D, 0x1ECB]  # i, and its compositions with marks that come before the dot


# Madda and hamza are parts of letters, which are composed with them.
HAMZA_AND_MADDA = (0x653, 0x654, 0x655)
# Vowels and final consonants of Hangul, which a syllable is composed of.
JAMO_THAT_JOIN = [(0x1161, 0x1175), (0x11A8, 0x11C2)]


def inside(code, ranges):
    return any(first <= code <= last for first, last in ranges)


def order(code):
    """Canonical combining class."""
    return unicodedata.combining(chr(code))


def plain_class(code):
    """The class of a character that stands for itself."""
    category = unicodedata.category(chr(code))
    name = unicodedata.name(chr(code), "")
    if code in STOPS:
        return STOP
    if code in STOPS_BEFORE_SPACE:
        return STOP_BEFORE_SPACE
    if inside(code, IGNORABLE) or code == TATWEEL:
        return IGNORED
    if category == "Mn" and name.startswith(SCRIPTS_WITH_POINTS) and code not in HAMZA_AND_MADDA:
        return IGNORED
    if category[0] == "Z" or (category == "Cc" and code != 0x7F):
        return SPACE
    if category[0] == "M" or code in (0xFF9E, 0xFF9F):
        return MARK
    if inside(code, IDEOGRAPHS) and (category[0] in "LN" or inside(code, [RADICALS]) or code >= 0x20000):
        return SINGLE
    if inside(code, JAMO_THAT_JOIN):
        return JAMO
    if category[0] == "L":
        return SINGLE if name.startswith(SCRIPTS_WITHOUT_SPACES) else WORD
    return WORD if category[0] == "N" else OTHER


def is_text(code):
    return plain_class(code) in (WORD, SINGLE, MARK, JAMO)


def lower(code):
    if unicodedata.category(chr(code)) == "Nd":
        return [ord("0") + unicodedata.decimal(chr(code))]
    return [ord(char) for char in chr(code).lower()]


def find_pairs():
    """Canonical compositions of lower-case letters and of marks: (first, second) -> composite."""
    pairs = {(code, DOT): code for code in DOTTED}
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (int(part, 16) for part in parts)
            folded = lower(first) != [first] or unicodedata.normalize("NFKC", chr(first)) != chr(first)
            excluded = unicodedata.normalize("NFC", chr(first) + chr(second)) != chr(code)
            if not folded and not excluded and is_text(first):
                assert lower(code) == [code]
                pairs[first, second] = code
    return pairs


def in_order(codes):
    """Canonical order: each run of marks sorted by class, stable."""
    out, begin = [], 0
    for i in range(len(codes) + 1):
        if i == len(codes) or order(codes[i]) == 0:
            out += sorted(codes[begin:i], key=order) + codes[i:i + 1]
            begin = i + 1
    return out


def compose(codes, pairs):
    """Canonical composition of codes in canonical order."""
    out, starter, last = [], None, 0
    for code in codes:
        joined = None
        if starter is not None and (last < order(code) or starter == len(out) - 1):
            first = out[starter]
            joined = pairs.get((first, code))
            if 0x1100 <= first <= 0x1112 and 0x1161 <= code <= 0x1175:
                joined = 0xAC00 + ((first - 0x1100) * 21 + code - 0x1161) * 28
            elif 0xAC00 <= first <= 0xD7A3 and (first - 0xAC00) % 28 == 0 and 0x11A8 <= code <= 0x11C2:
                joined = first + code - 0x11A7
        if joined is not None:
            out[starter] = joined
            continue
        if order(code) == 0:
            starter = len(out)
        last = order(code)
        out.append(code)
    return out


def normal_form(codes, pairs):
    """What letters, digits and marks are compared as."""
    out = []
    for code in codes:
        parts = [ord(char) for char in unicodedata.normalize("NFKD", chr(code))]
        parts = parts[parts[0] == ord(" "):]  # of a mark with a place of its own only the mark
        if not all(is_text(part) or plain_class(part) == IGNORED for part in parts):
            assert unicodedata.decomposition(chr(code)).startswith("<")
            parts = [code]
        out += [part for whole in parts for part in lower(whole) if plain_class(part) != IGNORED]
    return compose(in_order(out), pairs)


def check_room(code, codes):
    """What a character is folded to takes at most thrice its bytes, and three bytes make two tokens at most: so much
    room src/text/token.c takes."""
    kinds = [plain_class(part) for part in codes]
    tokens = kinds.count(SINGLE) + (WORD in kinds or JAMO in kinds)
    size = len(chr(code).encode())
    assert sum(len(chr(part).encode()) for part in codes) + tokens <= 3 * size
    assert tokens <= 1 or 3 * tokens <= 2 * size


class Table:
    """The records of all code points, and what they point at."""

    def __init__(self):
        self.pairs = find_pairs()
        self.records, self.texts, self.text_begins = {}, [], {}
        self.groups, self.joins, self.parts = {}, [], {}  # joins: by their second code, a group of each
        for second in sorted({second for _, second in self.pairs}):
            begin = len(self.joins)
            self.joins += sorted((pair[0], joined) for pair, joined in self.pairs.items() if pair[1] == second)
            self.groups[second] = (begin, len(self.joins))
        for (first, second), joined in self.pairs.items():
            if order(second) > 0 and joined != first and plain_class(joined) != MARK:
                self.parts[joined] = (first, second)
        assert not self.parts.keys() & self.groups.keys()

    def own_record(self, code, distance):
        """Of a character that is folded to this one, which stands for itself."""
        number = 0
        last = order(code)
        if code in self.groups:
            number = 1 + list(self.groups).index(code)
        elif code in self.parts:
            number = 1 + list(self.parts).index(code)
            last = order(self.parts[code][1])
        kind = plain_class(code)
        if kind == MARK and (number and last or distance):
            assert last > 0
            kind = JOINING_MARK
        return (distance, kind, last, number)

    def record(self, code):
        if not is_text(code):
            return (0, plain_class(code), 0, 0)
        codes = normal_form([code], self.pairs)
        if not codes:
            return (0, IGNORED, 0, 0)
        assert normal_form(codes, self.pairs) == codes
        check_room(code, codes)
        if len(codes) == 1:
            return self.own_record(codes[0], codes[0] - code)
        ordered = [order(part) > 0 for part in codes]
        assert ordered == sorted(ordered)  # a run of such marks at the end, or all
        if tuple(codes) not in self.text_begins:
            self.text_begins[tuple(codes)] = len(self.texts)
            self.texts += codes + [0]
        return (self.text_begins[tuple(codes)], MAPPED, 0, 0)

    def number(self, code):
        return self.records.setdefault(self.record(code), len(self.records))


def print_head(header):
    print(f"/* Generated by scripts/make_unicode_table.py from Unicode {unicodedata.unidata_version}; do not edit. */")
    print("/* clang-format off */")
    print(f'#include "{header}"')


def print_array(kind, name, rows, columns=""):
    """An array of numbers or of rows."""
    body = ("{" + ",".join(map(str, row)) + "}" if isinstance(row, tuple) else str(row) for row in rows)
    print(f"const {kind} {name}[{len(rows)}]{columns} = {{{','.join(body)}}};")


def print_table():
    table, blocks, index = Table(), {}, []
    for start in range(0, 0x110000, BLOCK):
        block = tuple(table.number(code) for code in range(start, start + BLOCK))
        index.append(blocks.setdefault(block, len(blocks)))
    assert len(table.records) <= 65536 and len(blocks) <= 256
    print_head("src/text/unicode.h")
    print_array("nd_unicode_record", "nd_unicode_records", list(table.records))
    print_array("uint8_t", "nd_unicode_index", index)
    print_array("uint16_t", "nd_unicode_blocks", list(blocks), f"[{BLOCK}]")
    print_array("uint32_t", "nd_unicode_texts", table.texts)
    print_array("nd_unicode_group", "nd_unicode_groups", list(table.groups.values()))
    print_array("nd_unicode_pair", "nd_unicode_joins", table.joins)
    print_array("nd_unicode_pair", "nd_unicode_parts", list(table.parts.values()))
    print(f"{len(table.records)} records, {len(blocks)} blocks, {len(table.texts)} of texts, {len(table.joins)} joins"
          f" of {len(table.groups)}, {len(table.parts)} parts", file=sys.stderr)


def print_vectors():
    """Canonical decompositions (of Hangul syllables everybody knows them) and classes, as they are."""
    decompositions, orders = [], []
    for code in range(0x110000):
        parts = tuple(ord(part) for part in unicodedata.normalize("NFD", chr(code)))
        if parts != (code,) and not 0xAC00 <= code <= 0xD7A3:
            decompositions.append((code,) + parts + (0,) * (4 - len(parts)))
        if order(code) > 0:
            orders.append((code, order(code)))
    print_head("tests/support/unicode_vectors.h")
    print(f"const size_t nd_test_decomposition_count = {len(decompositions)};")
    print_array("uint32_t", "nd_test_decompositions", decompositions, "[5]")
    print(f"const size_t nd_test_order_count = {len(orders)};")
    print_array("uint32_t", "nd_test_orders", orders, "[2]")


if __name__ == "__main__":
    print_vectors() if sys.argv[1:] == ["--vectors"] else print_table()
