#!/usr/bin/env python3
"""Write the pages of a result as Parquet, with pyarrow or DuckDB, whichever is there.

usage: scripts/to_parquet.py OUT.h5 -o PAGES.parquet [--neardup PROGRAM] [--group BYTES]

The rows and columns are those of `neardup export OUT.h5 --what pages`, which this starts and reads:
numbers as uint64, similarities as float32, texts as UTF-8, and null where a row has no such value
(exact_of). With pyarrow a row group is made of BYTES (default 32 MiB: some 80,000 pages) of the
export, and no more than one is in memory, as objects of Python in about six times BYTES. DuckDB (1
GB at most) reads the export from a file in a folder beside PAGES.parquet that is removed at the
end. PAGES.parquet appears when it is whole; one that is there is not replaced.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

NUMBERS = {"page", "set", "representative", "link", "exact_of", "offset"}
SIMILARITIES = {"similarity", "link_similarity"}
COLUMNS = [
    "page", "id", "url", "collection", "set", "similarity", "representative", "link",
    "link_similarity", "exact_of", "source", "offset",
]
MADE = "pages.parquet"  # in the folder that goes at the end


def types(number, similarity, text):
    """The type of each column, of these three."""
    return {
        name: number if name in NUMBERS else similarity if name in SIMILARITIES else text
        for name in COLUMNS
    }


def write_by_pyarrow(export, group):
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema(
        list(types(pyarrow.uint64(), pyarrow.float32(), pyarrow.string()).items())
    )
    with pyarrow.parquet.ParquetWriter(MADE, schema) as writer:
        while lines := export.readlines(group):
            rows = [json.loads(line) for line in lines]
            columns = {name: [row.get(name) for row in rows] for name in COLUMNS}
            writer.write_table(pyarrow.Table.from_pydict(columns, schema=schema))


def write_by_duckdb(export, _):
    import duckdb

    with open("pages.jsonl", "wb") as file:  # DuckDB for Python reads nothing from some pipes
        shutil.copyfileobj(export, file)
    try:
        with duckdb.connect(config={"memory_limit": "1GB"}) as database:
            database.execute(
                "COPY (SELECT * FROM read_json('pages.jsonl', format='newline_delimited', "
                f"columns={types('UBIGINT', 'FLOAT', 'VARCHAR')})) TO '{MADE}' (FORMAT PARQUET)"
            )
    except duckdb.Error as error:
        raise ValueError(error) from error


def find_writer():
    for module, write in (("pyarrow.parquet", write_by_pyarrow), ("duckdb", write_by_duckdb)):
        try:
            __import__(module)
            return write
        except ImportError:
            pass
    sys.exit(
        "to_parquet.py: there is neither pyarrow nor duckdb for this Python: install one of them"
        " (python3 -m venv V && V/bin/pip install pyarrow), and start this by V/bin/python"
    )


def find_program(name):
    built = os.path.join(os.path.dirname(__file__), "../build/release/neardup")
    program = shutil.which(name or "neardup") or (None if name else shutil.which(built))
    if program is None:
        sys.exit(f"to_parquet.py: there is no {name or 'neardup'}: name it with --neardup PROGRAM")
    return os.path.abspath(program)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=argparse.SUPPRESS,
    )
    parser.add_argument("result", help=argparse.SUPPRESS)
    parser.add_argument("-o", dest="output", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--neardup", help=argparse.SUPPRESS)
    parser.add_argument("--group", type=int, default=32 << 20, help=argparse.SUPPRESS)
    options = parser.parse_args()
    write = find_writer()
    command = [find_program(options.neardup), "export", os.path.abspath(options.result)]
    command += ["--what", "pages", "--format", "jsonl"]
    output = os.path.abspath(options.output)
    if os.path.lexists(output):
        sys.exit(f"to_parquet.py: {options.output}: is there: remove it, or take another name")
    beside = {"prefix": ".to_parquet.", "dir": os.path.dirname(output)}
    try:
        with tempfile.TemporaryDirectory(**beside) as folder:
            os.chdir(folder)  # so that no name is part of a query
            with subprocess.Popen(command, stdout=subprocess.PIPE) as export:
                write(export.stdout, options.group)
            if export.returncode < 0:
                sys.exit(f"to_parquet.py: signal {-export.returncode} ended neardup export")
            if export.returncode > 0:
                sys.exit(1)  # it has said why
            os.rename(MADE, output)
    except (OSError, ValueError) as error:
        sys.exit(f"to_parquet.py: {error}")


if __name__ == "__main__":
    main()
