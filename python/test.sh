#!/usr/bin/env bash
# Tests the Python package: builds the wheel, installs it with pyarrow, Polars, DuckDB and pandas into the environment
# build/python, and runs its tests there. Arguments are those of pytest.
set -euo pipefail
cd "$(dirname "$0")"

venv=$PWD/../build/python pip="../build/python/bin/pip --quiet --disable-pip-version-check"
if ! cmp -s tests/requirements.txt "$venv/installed.txt"; then
	python3 -m venv --clear "$venv"
	$pip install --no-compile -r tests/requirements.txt
	cp tests/requirements.txt "$venv/installed.txt"
fi
./wheel.sh
$pip install --no-deps --force-reinstall ../build/wheel/*.whl
"$venv/bin/ruff" check --no-cache . && "$venv/bin/ruff" format --no-cache --diff .
"$venv/bin/mypy" --cache-dir=/dev/null arrowsort
cd tests # so that the installed package is tested; gpu needs a driver, see test_gpu.sh
exec "$venv/bin/python" -B -m pytest -q --ignore=gpu --hypothesis-seed="${ARROWSORT_SEED:-0}" "$@"
