#!/usr/bin/env bash
# Compiles the kernels for the host and tests single ones, and their parts, on the emulated device under the sanitizers.
# Whole sorts are tested by package gpu (gpu/test.sh). Needs a C++ compiler with ucontext: Linux. No GPU, no CUDA.
set -euo pipefail
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
compiler=${CXX:-g++}
flags="-I.. -std=c++17 -O1 -g -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-field-initializers"
undefined="-fsanitize=undefined -fno-sanitize-recover=all"
address="-fsanitize=address $undefined" # slow where fibers switch often

# shellcheck disable=SC2086 # the flags are words
build() { # test, flags
	"$compiler" $flags $2 -x c++ "$1.cc" -x none "$out/${3:-plain}.o" -o "$out/$1" -lpthread
}

# shellcheck disable=SC2086
"$compiler" $flags -O2 -c emulation.cc -o "$out/plain.o"
# shellcheck disable=SC2086
"$compiler" $flags $address -c emulation.cc -o "$out/address.o"
build columns_test "$address" address
build value_map_test "$undefined -ffp-contract=off"
tests="equalizer_test fixed_point_test keys_test text_keys_test bucket_sort_test pages_test sample_test select_test
	cluster_test cooperative_test"
for test in $tests; do
	build "$test" "$undefined"
done
for test in columns_test value_map_test $tests; do
	echo "$test"
	"$out/$test" 2> >(grep -v "ASan doesn't fully support makecontext" >&2)
done
