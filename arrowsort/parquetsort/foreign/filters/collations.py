"""Compares orders of text by a language with those of ICU in DuckDB: python collations.py ARROWSORT [SEED]. Names are
Latin, Cyrillic or of both scripts, but for what docs/ordering.md lists as different."""

import pathlib, random, subprocess, sys, tempfile
import duckdb, pyarrow as pa, pyarrow.parquet as pq

LATIN = "aAbBcCdDeEzZäÄöÖüÜßéÉñÑåÅøØæÆłŁçÇôíıİ"
CYRILLIC = "абвгдеёжзийкАБВЕЁЖЯщъыьэюяіІєЄґҐ"
MARKS = " -'.0129"
LANGUAGES = "de", "sv", "en", "fr", "pl", "es", "ru", "uk"
TABLES, ROWS = 200, 200


def main():
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    ducks = duckdb.connect()
    ducks.execute("LOAD icu")
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder, "in.parquet"), pathlib.Path(folder, "out.parquet")
        for seed in range(first, first + TABLES):
            r, language = random.Random(seed), LANGUAGES[seed % 8]
            scripts = [LATIN, CYRILLIC] if language in ("ru", "uk") else [LATIN, CYRILLIC, LATIN + CYRILLIC]
            letters = r.choice(scripts) + r.choice(["", MARKS])
            texts = ["".join(r.choices(letters, k=r.randint(1, 4))) for _ in range(ROWS)]
            names = pa.table({"name": texts, "row": range(ROWS)})
            pq.write_table(names, path)
            subprocess.run([sys.argv[1], "sort", "-q", "-k", f"name:collate={language}", "-o", out, path], check=True)
            want = ducks.sql(f"select row from names order by name collate {language}, row")
            got = pq.read_table(out)["row"].to_pylist()
            assert got == [row for (row,) in want.fetchall()], f"seed {seed}, {language}"
    print(f"{TABLES} tables of names are in the order of ICU, by {', '.join(LANGUAGES)}")


main()
