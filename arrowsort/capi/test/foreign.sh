#!/usr/bin/env bash
# Tests the C library with the libraries of others: a C++ program with nanoarrow under the address sanitizer, and a Rust
# program with the crate arrow. Needs Python, a C++ compiler, Rust and a network. What is fetched lies below build/.
#
#   arrowsort/capi/test/foreign.sh       both
#   arrowsort/capi/test/foreign.sh rust       one of them: nanoarrow or rust
set -euo pipefail
cd "$(dirname "$0")/../../.."

nanoarrow=0.9.0
tools="meson-python==0.22.1 meson==1.12.1 ninja==1.13.2 cython==3.3.1"

library=$PWD/build/capi
MODES=shared arrowsort/capi/build.sh
ln -sf libarrowsort.so "$library/libarrowsort.so.1"
export LD_LIBRARY_PATH=$library DYLD_LIBRARY_PATH=$library

# The sources of nanoarrow, put together by its own script.
test_nanoarrow() {
	local folder=$PWD/build/nanoarrow-$nanoarrow
	if [ ! -e "$folder/nanoarrow.c" ]; then
		mkdir -p "$folder"
		python3 -m venv "$folder/venv"
		# shellcheck disable=SC2086 # several words
		"$folder/venv/bin/pip" install --quiet --disable-pip-version-check $tools
		PATH=$folder/venv/bin:$PATH "$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps \
			--no-build-isolation --no-binary nanoarrow --dest "$folder" "nanoarrow==$nanoarrow"
		tar -C "$folder" -xzf "$folder/nanoarrow-$nanoarrow.tar.gz"
		python3 "$folder/nanoarrow-$nanoarrow/subprojects/arrow-nanoarrow/ci/scripts/bundle.py" \
			--source-output-dir="$folder" --include-output-dir="$folder"
	fi
	local flags="-g -O1 -fsanitize=address,undefined -I$folder -I$library"
	${CC:-cc} $flags -c "$folder/nanoarrow.c" -o "$folder/nanoarrow.o"
	${CXX:-c++} $flags -std=c++17 -Wall -Wextra -Werror arrowsort/capi/test/nanoarrow.cc "$folder/nanoarrow.o" \
		-L"$library" -larrowsort -o "$folder/program"
	timeout 120 "$folder/program"
	echo "nanoarrow: ok"
}

test_rust() {
	LIBRARY_PATH=$library CARGO_TARGET_DIR=$PWD/build/capi-rust timeout 900 \
		cargo run --quiet --manifest-path arrowsort/capi/test/rust/Cargo.toml
	echo "rust: ok"
}

for test in ${*:-nanoarrow rust}; do
	"test_$test"
done
