"""Write hostile.jsonl: families of pages whose ids, URLs and texts try to be more than text. Called
with "seen", ids hold nothing that cannot be seen."""
import json
import random
import sys

random.seed(3)
nasty = ["<script>window.hacked = 1</script>", "</script><script>window.hacked = 2</script>",
         "\"><img src=x onerror=window.hacked=3>", "' onmouseover='window.hacked=4", "<!-- --> ]]>",
         "\u202eright to left\u202c", "\u2028line\u2029", "\u200bunseen", "\x1b[31mred",
         "</style></article></main>", "&lt;b&gt; &amp;", "javascript:window.hacked=5"]


def sentence(count):
    return " ".join("".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(count)).capitalize() + "."


with open("hostile.jsonl", "w", encoding="utf-8") as out:
    for family in range(30):
        base = [sentence(12) for _ in range(20)]
        for copy in range(3):
            edited = list(base)
            for place in range((family % 9) * copy):
                edited[3 * place % 20] = sentence(12)
            bad = nasty[family % len(nasty)]
            edited[1] += " Between " + bad + " and more words of it."
            out.write(json.dumps({
    "id" : "%d-%d%s" % (family, copy, bad if bad.isprintable() or len(sys.argv) < 2 else ""),
        "url" : "http://h%d.example/%d/%s" % (3 * family + copy, copy, bad),
        "text" : " ".join(edited)}) + "\n")
