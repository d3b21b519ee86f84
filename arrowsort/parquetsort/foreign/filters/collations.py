"""Compares orders of text by a language with those of ICU in DuckDB: python collations.py ARROWSORT [SEED]. Texts are
of the letters of letters.py, and for some languages of other scripts as well; docs/ordering.md lists what differs."""

import pathlib, random, subprocess, sys, tempfile
import duckdb, pyarrow as pa, pyarrow.parquet as pq
from letters import DIFFERENT, LETTERS

LATIN = "aAbBcCdDeEzZäÄöÖüÜßéÉñÑåÅøØæÆłŁçÇôíıİ"
CYRILLIC = "абвгдеёжзийкАБВЕЁЖЯщъыьэюяіІєЄґҐ"
MARKS = " -'.0129"
MIXED = "de", "sv", "en", "fr", "pl", "es", "ru", "uk"
ROUNDS, ROWS = 2, 200


class Sorters:
    """Sorts texts by arrowsort and by DuckDB."""

    def __init__(self, program, folder):
        self.program = program
        self.path, self.out = pathlib.Path(folder, "in.parquet"), pathlib.Path(folder, "out.parquet")
        self.ducks = duckdb.connect()
        self.ducks.execute("LOAD icu")

    def orders(self, tag, texts):
        """Returns the row numbers of texts in the order here and in that of ICU."""
        names = pa.table({"name": texts, "row": range(len(texts))})
        pq.write_table(names, self.path)
        subprocess.run([self.program, "sort", "-q", "-k", f"name:collate={tag}", "-o", self.out, self.path], check=True)
        icu = self.ducks.sql(f"""select row from names order by name collate "{tag.split('-')[0]}", row""")
        return pq.read_table(self.out)["row"].to_pylist(), [row for (row,) in icu.fetchall()]


def alphabets(seed):
    """Yields languages with letters: those of each language, and of several scripts."""
    r = random.Random(seed)
    for tag, letters in LETTERS.items():
        yield tag, letters
    for tag in MIXED * 5:
        scripts = [LATIN, CYRILLIC] if tag in ("ru", "uk") else [LATIN, CYRILLIC, LATIN + CYRILLIC]
        yield tag, r.choice(scripts)


def main():
    first, tables = int(sys.argv[2]) if len(sys.argv) > 2 else 0, 0
    with tempfile.TemporaryDirectory() as folder:
        sorters = Sorters(sys.argv[1], folder)
        for seed in range(first, first + ROUNDS):
            for number, (tag, letters) in enumerate(alphabets(seed)):
                r = random.Random(f"{seed} {number}")
                letters += "" if tag == "th" else r.choice(["", MARKS])
                texts = ["".join(r.choices(letters, k=r.randint(1, 4))) for _ in range(ROWS)]
                here, icu = sorters.orders(tag, texts)
                wrong = [(texts[a], texts[b]) for a, b in zip(here, icu) if a != b]
                assert not wrong, f"seed {seed}, {tag}: {wrong[0][0]!r} is where ICU has {wrong[0][1]!r}"
                tables += 1
        for tag, pairs in DIFFERENT.items():
            for pair in pairs.split(", "):
                assert sorters.orders(tag, pair.split()) == ([0, 1], [1, 0]), f"{tag}: {pair} is the same in ICU"
    print(f"{tables} tables of texts are in the order of ICU, by {len(LETTERS)} languages")


main()
