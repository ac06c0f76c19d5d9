#!/usr/bin/env bash
# A result is what io/README.md says of it: it names the datasets that there are and no others, its
# lines of Python print what export does, and to_parquet.py writes the rows of export. Called as
# reading.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3 h5ls

# Twelve texts three times, the last copy longer and so the representative; one alone; names of any kind.
python3 - >"$folder/input.jsonl" <<'PYTHON'
import json, random
random.seed(6)
def sentence():
    return " ".join("".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(11)) + ". "
texts = ["".join(sentence() for _ in range(20)) for _ in range(13)]
for number, text in enumerate(texts):
    for copy in range(3 if number < 12 else 1):
        print(json.dumps({"id": "%d\t%d" % (number, copy), "text": text + sentence() * copy,
                          "url": "http://h%d.example/\u00e9\\%d" % (number, copy)}))
PYTHON
exported sets "$folder/input.jsonl" --pairs keep --contained .8
for what in pages drop; do
    "$neardup" export "$folder/sets.h5" --what "$what" --format jsonl >"$folder/$what.jsonl"
done
[ "$(wc -l <"$folder/drop.jsonl")" -eq 24 ] || fail 'other sets than were made'

# ---- names: in the list of README, "/pages/a, b" is /pages/a and /pages/b
awk '/^```/ { inside = !inside } inside && /^\/[a-z]/ {
    sub(/   *.*/, "")
    count = split($0, names, ", ")
    group = names[1]
    sub(/[^\/]*$/, "", group)
    for (i = 1; i <= count; i++)
        print (i == 1 ? "" : group) names[i]
}' "$root/io/README.md" | grep -vx /pages/revisit_of | sort >"$folder/named" # there are no revisits
h5ls -r "$folder/sets.h5" | awk '$2 == "Dataset" { print $1 }' | sort >"$folder/there"
diff "$folder/named" "$folder/there" >"$folder/difference" ||
    fail "io/README.md (<) and a result (>) differ: $(grep '^[<>]' "$folder/difference" | tr '\n' ' ')"

# ---- to_parquet.py writes the rows of export, in several row groups; without a library it says so
python3 - "$root" "$folder/sets.tsv" <<'PYTHON' || fail 'to_parquet.py has other columns than export'
import sys
sys.path.insert(0, sys.argv[1] + "/scripts")
import to_parquet
assert open(sys.argv[2], encoding="utf-8").readline().rstrip("\n").split("\t") == to_parquet.COLUMNS
PYTHON
to_parquet() {
    python3 "$root/scripts/to_parquet.py" "$@" --neardup "$neardup" --group 4000 2>"$folder/said"
}
refused() {
    ! to_parquet "$@" || fail "took $*"
    [ "$(wc -l <"$folder/said")" -eq 1 ] || fail "not one line: $(cat "$folder/said")"
    [ -z "$(find "$folder" -name none.parquet -o -name '.to_parquet*')" ] || fail 'left something'
}
library='a library'
if ! python3 -c 'import pyarrow.parquet' 2>/dev/null && ! python3 -c 'import duckdb' 2>/dev/null; then
    refused "$folder/sets.h5" -o "$folder/none.parquet"
    grep -q 'neither pyarrow nor duckdb' "$folder/said" || fail "$(cat "$folder/said")"
    # What is left to check is all but the format: a stand-in for pyarrow writes a line a row group.
    library='a stand-in for pyarrow'
    mkdir -p "$folder/modules/pyarrow"
    cat >"$folder/modules/pyarrow/__init__.py" <<'PYTHON'
uint64, float32, string, schema = int, float, str, dict
class Table:
    def from_pydict(columns, schema):
        values = [[None if v is None else type(of)(v) for v in columns[name]] for name, of in schema.items()]
        return [dict(zip(schema, row)) for row in zip(*values)]
PYTHON
    cat >"$folder/modules/pyarrow/parquet.py" <<'PYTHON'
import contextlib, json
@contextlib.contextmanager
def ParquetWriter(path, schema):
    with open(path, "w") as file:
        file.write_table = lambda table: print(json.dumps(table), file=file)
        yield file
class ParquetFile:
    def __init__(self, path):
        self.groups = [json.loads(line) for line in open(path)]
        self.num_row_groups = len(self.groups)
    def read(self):
        return self
    def to_pylist(self):
        return sum(self.groups, [])
PYTHON
    export PYTHONPATH=$folder/modules
fi
to_parquet "$folder/sets.h5" -o "$folder/pages.parquet" || fail "$(cat "$folder/said")"
python3 - "$folder" <<'PYTHON' || fail 'Parquet has other rows than export'
import json, sys
path = sys.argv[1] + "/pages.parquet"
try:
    import pyarrow.parquet
    file = pyarrow.parquet.ParquetFile(path)
    assert file.num_row_groups > 1
    rows = file.read().to_pylist()
except ImportError:
    import duckdb
    found = duckdb.connect().execute("SELECT * FROM '%s'" % path)
    names = [column[0] for column in found.description]
    rows = [dict(zip(names, row)) for row in found.fetchall()]
expected = [json.loads(line) for line in open(sys.argv[1] + "/pages.jsonl", encoding="utf-8")]
for row in rows + expected:
    row.setdefault("exact_of", None)
    for name in ("similarity", "link_similarity"):
        row[name] = round(row[name], 5)
    row.setdefault("exact_of", None)  # of a text that no earlier page has
assert rows == expected
PYTHON
cp "$folder/pages.parquet" "$folder/before"
refused "$folder/sets.h5" -o "$folder/pages.parquet"
cmp "$folder/pages.parquet" "$folder/before" || fail 'changed a file that was there'
refused "$folder/input.jsonl" -o "$folder/none.parquet"
unset PYTHONPATH

# ---- the lines of README
python=$(python_with_h5py)
if [ "$python" = none ]; then
    echo "SKIPPED: the lines of io/README.md: no python3-h5py"
    exit 77
fi
awk '/^```/ { inside = $0 == "```python"; next } inside' "$root/io/README.md" >"$folder/lines.py"
[ "$(wc -l <"$folder/lines.py")" -eq 10 ] || fail 'README has not ten lines of Python'
(cd "$folder" && "$python" lines.py >printed) || fail 'the lines of README do not run'
(cd "$folder" && "$python" - <<'PYTHON') || fail 'the lines of README print other than export'
import contextlib, io, json
def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]
drop = rows("drop.jsonl")
printed = [line.rstrip("\n").split("\t") for line in open("printed", encoding="utf-8")]
assert [[int(a), u, int(b), v] for a, u, b, v, _ in printed] == [
    [row["page"], row["url"], row["kept"], row["kept_url"]] for row in drop]
assert all(abs(float(p[4]) - row["similarity"]) < 1e-6 for p, row in zip(printed, drop))
found = {}
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("lines.py").read(), found)
pages = rows("pages.jsonl")
assert found["urls"] == [row["url"] for row in pages]
assert found["kept"].tolist() == [row["representative"] for row in pages]
for number, members in enumerate(found["of_set"]):
    assert members[0] == found["kept"][members[0]]
    assert sorted(members) == [row["page"] for row in pages if row["set"] == number]
PYTHON
echo "the names, the lines and the Parquet (by $library) are those of a result"
