#!/usr/bin/env bash
# Builds kernels/image/arrowsort.fatbin and kernels/MANIFEST. Needs Python and a C++ compiler; the CUDA compiler comes
# as Python packages of fixed versions into build/, which git ignores. No GPU and no driver are needed.
#
#   kernels/build.sh            install the compiler if it is not there, and build
#   kernels/build.sh check      fail unless a fresh build has the same bytes as the committed image
#   kernels/build.sh toolkit    install the compiler if it is not there, and say where it is
set -euo pipefail
cd "$(dirname "$0")"

build=$(cd .. && pwd)/build
version=13.0.88
packages="nvidia-cuda-nvcc==$version nvidia-cuda-crt==$version nvidia-nvvm==$version
	nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85"
flags="-fatbin -O3 -std=c++17 -I. --compress-mode=size"
architectures="80 86 89 90 100 120"
for a in $architectures; do flags+=" -gencode arch=compute_$a,code=sm_$a"; done
flags+=" -gencode arch=compute_90,code=compute_90" # for what comes later

install() {
	python3 -m venv "$build/cuda"
	# shellcheck disable=SC2086 # the packages are words
	"$build/cuda/bin/python" -m pip install --quiet --disable-pip-version-check $packages
}

toolkit() { echo "$build"/cuda/lib/python3*/site-packages/nvidia/cu13; }

[ -x "$(toolkit)/bin/nvcc" ] || install >&2

sources() { # of the image, not those of tests
	find . \( -path ./emulation -o -path ./test \) -prune -o \( -name '*.cu' -o -name '*.h' \) -printf '%P\n' |
		LC_ALL=C sort
}

manifest() {
	echo "compiler nvcc $version"
	echo "flags $flags"
	# shellcheck disable=SC2046 # no name has a space
	sha256sum --text $(sources) | sed 's/^/source /'
	sha256sum --text <"$1" | sed 's/ *-$//; s/^/image /'
}

compile() {
	# shellcheck disable=SC2086 # the flags are words
	PATH="$(toolkit)/bin:$PATH" nvcc $flags --threads "${JOBS:-2}" arrowsort.cu -o "$1"
}

case ${1:-} in
"")
	mkdir -p image
	compile image/arrowsort.fatbin
	manifest image/arrowsort.fatbin >MANIFEST
	;;
check)
	fresh=$(mktemp)
	trap 'rm -f "$fresh"' EXIT
	compile "$fresh"
	cmp "$fresh" image/arrowsort.fatbin
	;;
toolkit)
	toolkit
	;;
*)
	echo "usage: kernels/build.sh [check | toolkit]" >&2
	exit 2
	;;
esac
