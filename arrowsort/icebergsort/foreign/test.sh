#!/usr/bin/env bash
# Tables of pyiceberg and of iceberg-go are rewritten, and read by pyiceberg and DuckDB, in the environment
# build/iceberg.
set -euo pipefail
cd "$(dirname "$0")"

build=$PWD/../../../build venv=$PWD/../../../build/iceberg
if ! cmp -s requirements.txt "$venv/installed.txt"; then
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
	cp requirements.txt "$venv/installed.txt"
fi
(cd .. && go build -o "$build/" ./cmd/arrowsort-iceberg && go build -o "$build/iceberg-demo" ./demo)
exec "$venv/bin/python" -B tables.py "$build/arrowsort-iceberg" "$build/iceberg-demo"
