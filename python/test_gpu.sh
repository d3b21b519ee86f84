#!/usr/bin/env bash
# Tests arrowsort.gpu without a GPU: the library with the GPU engine, on the stand-in for the CUDA driver that
# gpu/test.sh builds. It needs what these need. Arguments are those of pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/python pinned=python/tests/requirements.txt
if ! cmp -s "$pinned" "$venv/installed.txt"; then
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" --quiet --disable-pip-version-check install --no-compile -r "$pinned"
	cp "$pinned" "$venv/installed.txt"
fi
package=$PWD/build/python-gpu
rm -rf "$package" && mkdir -p "$package/arrowsort-0.0.0.dist-info"
cp -r python/arrowsort "$package"
printf 'Metadata-Version: 2.4\nName: arrowsort\nVersion: 0.0.0\n' >"$package/arrowsort-0.0.0.dist-info/METADATA"
TAGS=cuda MODES=shared OUT=build/capi-gpu gpu/build.sh arrowsort/capi/build.sh
cp build/capi-gpu/libarrowsort.so "$package/arrowsort"
export LD_LIBRARY_PATH=$PWD/build/standin PYTHONPATH=$package
cd python/tests
exec ../../"$venv"/bin/python -B -m pytest -q --hypothesis-seed="${ARROWSORT_SEED:-0}" gpu "$@"
