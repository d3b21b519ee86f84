#!/bin/sh
# Runs arrowsort and its rivals on the same data and prints one table:
# benchmarks/rivals/run.sh [parquet|partitions|objects] --help
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
venv=$(dirname -- "$here")/.venv
stamp=$venv/.requirements

if [ ! -x "$venv/bin/python" ] || ! cmp -s "$here/requirements.txt" "$stamp"; then
    echo "installing the rivals into benchmarks/.venv" >&2
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$stamp"
fi

driver=compare.py
if [ "${1:-}" = parquet ]; then
    driver=parquet_compare.py
    shift
fi
case ${1:-} in
partitions | objects)
    driver=$1.py
    shift
    ;;
esac
exec "$venv/bin/python" -B "$here/$driver" "$@"
