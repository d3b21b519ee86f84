#!/usr/bin/env bash
# Rewrites a table of Iceberg in a sorted order, with arrowsort-iceberg and with pyiceberg, and prints seconds and peak
# memory of each: benchmarks/iceberg/run.sh --help
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../.. venv=$here/../../build/iceberg
pinned=$root/arrowsort/icebergsort/foreign/requirements.txt

if ! cmp -s "$pinned" "$venv/installed.txt"; then
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$pinned"
	cp "$pinned" "$venv/installed.txt"
fi
(cd "$root/arrowsort/icebergsort" && go build -o "$root/build/" ./cmd/arrowsort-iceberg)
exec "$venv/bin/python" -B "$here/compare.py" --command "$root/build/arrowsort-iceberg" "$@"
