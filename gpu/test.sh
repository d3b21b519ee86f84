#!/usr/bin/env bash
# Tests the GPU engine without a GPU: against a stand-in for the CUDA driver whose kernels are twins of the real ones
# that take one row after another. Needs what build.sh needs, and g++. On a machine with a GPU the same suite runs on it
# with:
#
#   gpu/build.sh go test -tags cuda ./gpu/... ./arrowsort/internal/difftest
#
# Arguments are passed to go test, after its packages: gpu/test.sh -run TestEngine. ARROWSORT_PACKAGES replaces the
# packages: with ./arrowsort/internal/difftest, -run OnGPU are the random tables. ARROWSORT_TAGS adds a build tag. With
# ARROWSORT_STANDIN_EMULATE=1 the kernels' own sources run on the emulated device, under the sanitizer of undefined
# behaviour, which is slow; with ARROWSORT_STANDIN_SEED=2 their threads and blocks take turns in another order.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
driver=build/standin/libcuda.so.1
sources=$(find gpu/standin kernels -name '*.cc' -o -name '*.cu' -o -name '*.h')
# shellcheck disable=SC2086 # names without spaces
if [ ! -e $driver ] || [ -n "$(find $sources -newer $driver)" ]; then
	mkdir -p build/standin
	compile() { # source, flags
		# shellcheck disable=SC2086 # the flags are words
		g++ -std=c++17 -Wall -Wextra -Wno-unknown-pragmas -Wno-missing-field-initializers -Wno-maybe-uninitialized \
			-I kernels -DEXPORTED_KERNELS -fPIC $2 -c "$1" -o "build/standin/$(basename "$1" .cc).o"
	}
	sanitize="-fsanitize=undefined -fno-sanitize-recover=all"
	compile gpu/standin/emulated.cc "-O1 $sanitize" &
	compile gpu/standin/driver.cc -O2
	compile gpu/standin/kernels.cc -O2
	compile kernels/emulation/emulation.cc -O2
	wait $!
	# shellcheck disable=SC2086 # the flags are words
	g++ $sanitize -shared -o $driver build/standin/*.o -lpthread -ldl
fi
packages=${ARROWSORT_PACKAGES:-./gpu/...}
tags=cuda,standin${ARROWSORT_TAGS:+,$ARROWSORT_TAGS}
# shellcheck disable=SC2086 # names without spaces
gpu/build.sh go vet -tags "$tags,devices" $packages ./arrowsort/cmd/... # devices: what run.sh of benchmarks builds
export LD_LIBRARY_PATH=$root/build/standin
# shellcheck disable=SC2086
gpu/build.sh go test -count=1 -tags "$tags" $packages "$@" # the cache does not see the driver
