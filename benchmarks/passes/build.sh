#!/usr/bin/env bash
# Builds build/passes, which measures the passes of a partition by chains of pages. It needs no GPU; the compiler comes
# as in kernels/build.sh.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
toolkit=$("$root/kernels/build.sh" toolkit)
mkdir -p "$root/build"
PATH="$toolkit/bin:$PATH" nvcc -O3 -std=c++17 -arch="${ARCH:-sm_90}" --extended-lambda \
	-o "$root/build/passes" passes.cu -L"$toolkit/lib"
echo "$root/build/passes"
