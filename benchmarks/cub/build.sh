#!/usr/bin/env bash
# Builds build/cub, the comparison with CUB: the tests of package gpu with the tag cub, which benchmarks/cub makes a
# program of commands, and CUB itself. The compiler comes as in kernels/build.sh; the program needs an NVIDIA GPU.
#
#   benchmarks/cub/build.sh             build/cub
#   benchmarks/cub/build.sh standin     build/cub-standin: the same with the stand-ins for the driver (gpu/test.sh) and
#                                       for CUB, a test of the program that needs no GPU
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
cccl=nvidia-cuda-cccl==13.3.5.0.6 # CUB 3.5.0, besides that of the compiler
tags=cuda,cub
out=$root/build/cub
if [ "${1:-}" = standin ]; then
	tags+=,standin
	out+=-standin
	objects=$out.objects
	mkdir -p "$objects"
	g++ -I../../kernels -std=c++17 -O2 -Wall -Wextra -x c++ -c columns.cu -o "$objects/columns.o"
	g++ -std=c++17 -O2 -Wall -Wextra -c standin/theirs.cc -o "$objects/theirs.o"
else
	toolkit=$("$root/kernels/build.sh" toolkit)
	nvcc() { PATH="$toolkit/bin:$PATH" command nvcc -I"$root/kernels" -O3 -std=c++17 -arch="${ARCH:-sm_90}" "$@"; }
	objects=$out.objects
	mkdir -p "$objects"
	newest=$root/build/cuda/cccl
	[ -d "$newest/nvidia" ] ||
		python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$newest" "$cccl" >&2
	nvcc --extended-lambda -c columns.cu -o "$objects/columns.o"
	nvcc -c theirs.cu -o "$objects/theirs.o"
	theirs() { # name, headers
		nvcc -DCUB_ENTRY="cub_$1" -DCUB_WRAPPED_NAMESPACE="cub_$1_namespace" -I"$2" -c theirs_versions.cu \
			-o "$objects/theirs_$1.o"
	}
	theirs pinned "$toolkit/include/cccl"
	theirs newest "$newest/nvidia/cu13/include/cccl"
	cp "$toolkit/lib/libcudart_static.a" "$objects"
fi
rm -f "$objects/libcomparison.a" "$out" # Go does not see that the library has changed
ar rcs "$objects/libcomparison.a" "$objects"/*.o
cd "$root"
gpu/build.sh go test -c -tags "$tags" -o "$out" ./gpu
echo "$out"
