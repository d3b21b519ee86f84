#!/bin/sh
# Writes the corpus again, all of it: needs Python 3 and Go.
set -eu
cd "$(dirname "$0")"
venv=../../../../build/readers
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
rm -rf ../testdata
for writer in pyarrow polars duckdb datafusion; do
    "$venv/bin/python" -B "make_$writer.py"
done
cd ../../../parquetsort/foreign
go test -count=1 -run TestCorpus . -args -write-corpus
