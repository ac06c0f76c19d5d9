#!/usr/bin/env python3
"""Write src/text/tag_table.c: make_tag_table.py > src/text/tag_table.c

What the extractor must know of each HTML element is listed here. A name is found by the 64-bit
FNV-1a hash of its lower-cased bytes; the hash's basis is searched for so that its low ten bits distinguish
all names apart. A name of at most eight bytes is also found by those bytes as a number, times a
factor that is searched for so that the product's high nine bits distinguish all such names.
"""
ELEMENTS = {
    "FORMAT": "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q"
              " s samp small span strike strong sub sup tt u var wbr",
    "BREAK": "address article aside blockquote body br button caption center col colgroup dd details"
             " dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6"
             " head header hgroup hr html legend li listing main menu nav ol optgroup option p pre"
             " search section select summary table tbody td tfoot th thead title tr ul xmp",
    "TRACKED": "address article aside blockquote body button center details dialog dir div dl"
               " fieldset figure footer form header hgroup main menu nav ol pre search section select"
               " table ul",
    "NAVIGATION": "aside button footer nav select",
    "APART": "dialog search",
    "DROP": "iframe noscript object script style svg template textarea",
    "NOSCRIPT": "noscript",
    "NESTING": "object svg template",
    "RAW": "script style",
    "TITLE": "title",
    "LINK": "a",
    "SCOPE": "table",
    "PAGE": "body html",
    "EXCLUSIVE": "button select",
    "IMAGE": "img",
    "BASE": "base",
    "MAIN": "article main",
    "BESIDE": "form",
}
# What the attribute `role` makes of an element (WAI-ARIA 1.2: landmarks, and windows before the page).
ROLES = {
    "MAIN": "article main",
    "APART": "alertdialog banner complementary contentinfo dialog navigation search",
}
# Words of the attributes `class` and `id` of what stands beside the content, in three sources: Readability.js
# (unlikelyCandidates, byline), Trafilatura (OVERALL_DISCARD_XPATH), and 340 pages of WCXB, on which each was
# measured. By their first eight letters: "breadcru" is breadcrumb and breadcrumbs.
WORDS = "author breadcrumb buttons byline comment comments consent cookie cta dropdown feedback filter footer" \
        " gdpr login modal nav navigation newsletter options pagination popup promo popular" \
        " recommended related reply review reviews share sharing sidebar signup social sponsored subscribe toc"
SLOTS = 1024
SHORT_SLOTS = 512
WORD_SLOTS = 256
MASK = (1 << 64) - 1


def fnv(name, basis):
    for byte in name.encode():
        basis = ((basis ^ byte) * 0x100000001B3) & MASK
    return basis


def word(name):
    """The number whose bytes, the lowest first, are those of a short name; 0 for a longer one."""
    return int.from_bytes(name.encode(), "little") if len(name) <= 8 else 0


def slot(number, factor, slots):
    return (number * factor & MASK) // ((MASK + 1) // slots)


def find_factor(numbers, slots):
    """A factor by which each of the numbers has a slot of its own."""
    factor = 0x9E3779B97F4A7C15
    while len({slot(number, factor, slots) for number in numbers}) < len(numbers):
        factor = (factor * 0xBF58476D1CE4E5B9 + 2) & MASK
    return factor


def print_words():
    """The table of words of attributes: roles as they are, words of classes by their beginnings."""
    rows = {}
    for flag, group in ROLES.items():
        for role in group.split():
            rows.setdefault(word(role[:8]), ["0", "0", role])[0] = f"ND_TAG_{flag}"
    for name in WORDS.split():
        rows.setdefault(word(name[:8]), ["0", "0", name])[1] = "ND_TAG_BESIDE"
    factor = find_factor(rows, WORD_SLOTS)
    table = ["{0,0,0}"] * WORD_SLOTS
    for number, (role, kind, name) in rows.items():
        table[slot(number, factor, WORD_SLOTS)] = f"{{UINT64_C({number:#x}),{role},{kind}}}/*{name}*/"
    print(f"const uint64_t nd_tag_word_factor = UINT64_C({factor:#x});")
    print(f"const nd_tag_word nd_tag_words[ND_TAG_WORD_SLOTS] = {{{','.join(table)}}};")


def main():
    names = sorted({name for group in ELEMENTS.values() for name in group.split()})
    basis = 0xCBF29CE484222325
    while len({fnv(name, basis) % SLOTS for name in names}) < len(names):
        basis = (basis * 0x9E3779B97F4A7C15 + 1) & MASK
    short = [name for name in names if word(name)]
    factor = find_factor([word(name) for name in short], SHORT_SLOTS)
    slots = [0] * SLOTS
    short_rows = ["{0,0,0}"] * SHORT_SLOTS
    rows = ["{0,0}"]
    for number, name in enumerate(names, 1):
        flags = "|".join(f"ND_TAG_{flag}" for flag, group in ELEMENTS.items() if name in group.split())
        slots[fnv(name, basis) % SLOTS] = number
        if word(name):
            short_rows[slot(word(name), factor, SHORT_SLOTS)] = f"{{UINT64_C({word(name):#x}),{flags},{number}}}/*{name}*/"
        rows.append(f"{{UINT64_C({fnv(name, basis):#x}),{flags}}}/*{name}*/")
    print("/* A table generated by scripts/make_tag_table.py, where the elements are listed; do not edit. */")
    print("/* clang-format off */")
    print('#include "src/text/tag.h"')
    print(f"const uint64_t nd_tag_basis = UINT64_C({basis:#x});")
    print(f"const nd_tag nd_tags[{len(rows)}] = {{{','.join(rows)}}};")
    print(f"const uint8_t nd_tag_slots[ND_TAG_SLOTS] = {{{','.join(map(str, slots))}}};")
    print(f"const uint64_t nd_short_tag_factor = UINT64_C({factor:#x});")
    print(f"const nd_short_tag nd_short_tags[ND_TAG_SHORT_SLOTS] = {{{','.join(short_rows)}}};")
    print_words()


if __name__ == "__main__":
    main()
