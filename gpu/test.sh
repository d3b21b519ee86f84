#!/usr/bin/env bash
# Tests the GPU engine without a GPU: against a stand-in for the CUDA driver whose kernels are the plain twins of the real ones. Needs what
# build.sh needs, and g++. On a machine with a GPU the same suite runs on it with:
#
#   gpu/build.sh go test -tags cuda ./gpu/...
#
# Arguments go to go test: gpu/test.sh -short.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
mkdir -p build/standin
g++ -std=c++17 -O2 -Wall -Wextra -Wno-unknown-pragmas -Wno-missing-field-initializers -Wno-maybe-uninitialized -DEXPORTED_KERNELS -shared -fPIC -o build/standin/libcuda.so.1 \
	gpu/standin/*.cc kernels/emulation/emulation.cc -lpthread -ldl
gpu/build.sh go vet -tags cuda,standin ./gpu/... ./arrowsort/cmd/...
LD_LIBRARY_PATH=$root/build/standin gpu/build.sh go test -tags cuda,standin "$@" ./gpu/...
