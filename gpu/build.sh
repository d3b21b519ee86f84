#!/usr/bin/env bash
# Builds the command line with the GPU engine, on any machine with Go and a C compiler: no GPU, no CUDA toolkit. The
# driver's header is taken from CUDA_HOME or installed with pip below build/.
#
#   gpu/build.sh                     build/arrowsort-gpu, or the file named by OUT
#   gpu/build.sh COMMAND...          a command in the same environment: gpu/build.sh go vet -tags cuda ./gpu/...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

headers=nvidia-cuda-runtime-cu12==12.9.79 # any from 12.0 to 13 will do

include=${CUDA_HOME:+$CUDA_HOME/include}
if [ ! -e "${include:-none}/cuda.h" ]; then
	folder=$root/build/cuda/headers12
	include=$folder/nvidia/cuda_runtime/include
	[ -e "$include/cuda.h" ] ||
		python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder" "$headers" >&2
fi

# In front of what cu asks for: the header that CUDA 13 needs, and the empty library that -lcuda finds.
export CGO_ENABLED=1
export CGO_CFLAGS="-O2 -g -I$root/gpu/internal/driver/compat -I$include"
export CGO_LDFLAGS="-O2 -g -L$root/gpu/internal/driver/link"

if [ $# -gt 0 ]; then
	exec "$@"
fi
out=${OUT:-$root/build/arrowsort-gpu}
cd "$root"
go build -tags cuda -trimpath -o "$out" ./arrowsort/cmd/arrowsort
echo "$out"
