#!/usr/bin/env bash
# Builds build/cub: our kernels and CUB in one program. The compiler comes as in kernels/build.sh; the program needs an
# NVIDIA GPU.
#
#   benchmarks/cub/build.sh
#   build/cub prove 26 && build/cub time 28 24 20 16
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
toolkit=$("$root/kernels/build.sh" toolkit)
nvcc() { PATH="$toolkit/bin:$PATH" command nvcc -O3 -std=c++17 -arch="${ARCH:-sm_90}" "$@"; }

mkdir -p "$root/build"
nvcc -I"$toolkit/include/cccl" -c theirs.cu -o "$root/build/theirs.o"
nvcc -L"$toolkit/lib" -cudart static main.cu "$root/build/theirs.o" -o "$root/build/cub"
