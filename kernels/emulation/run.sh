#!/usr/bin/env bash
# Compiles the kernels for the host and tests them on the emulated device, under the sanitizers. Needs a C++ compiler
# with ucontext: Linux. No GPU, no CUDA. JOBS tests are compiled at a time.
set -euo pipefail
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
compiler=${CXX:-g++}
flags="-std=c++17 -O1 -g -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-field-initializers"

build() { # test, flags, program
	# shellcheck disable=SC2086 # the flags are words
	"$compiler" $flags $2 -x c++ "$1.cc" emulation.cc -o "$out/${3:-$1}" -lpthread
}

build columns_test "-fsanitize=address,undefined -fno-sanitize-recover=all"
build value_map_test "-fsanitize=undefined -fno-sanitize-recover=all -ffp-contract=off"
build equalizer_test "-fsanitize=undefined -fno-sanitize-recover=all"
build keys_test "-fsanitize=undefined -fno-sanitize-recover=all"
build bucket_sort_test "-fsanitize=undefined -fno-sanitize-recover=all"
build order_test "-fsanitize=undefined -fno-sanitize-recover=all"
build partition_test "-fsanitize=undefined -fno-sanitize-recover=all"
build ranges_test "-fsanitize=undefined -fno-sanitize-recover=all"
build sample_test "-fsanitize=undefined -fno-sanitize-recover=all"
build sort_test "-fsanitize=undefined -fno-sanitize-recover=all" # switching fibers under the address sanitizer is slow
build sort_test -DSTALLED_TILES=3 stalled_sort_test # tiles that are slow to publish their counts
build select_test "-fsanitize=undefined -fno-sanitize-recover=all"
build select_test -DSTALLED_TILES=3 stalled_select_test
build small_sort_test "-fsanitize=undefined -fno-sanitize-recover=all"
build cooperative_test "-fsanitize=undefined -fno-sanitize-recover=all"
build cooperative_test -DSTALLED_TILES=3 stalled_cooperative_test # blocks that come late
for test in columns_test value_map_test equalizer_test keys_test bucket_sort_test order_test partition_test \
	ranges_test sample_test sort_test stalled_sort_test select_test stalled_select_test small_sort_test \
	cooperative_test stalled_cooperative_test; do
	echo "$test"
	"$out/$test" 2> >(grep -v "ASan doesn't fully support makecontext" >&2)
done
