#!/usr/bin/env bash
# Proves and times the committed image of the kernels against CUB on the GPU at hand, and writes results.txt and the
# table of docs/gpu-measured.md. It needs about 32 GiB of the GPU's memory for 2^28 rows, and six minutes.
#
#   benchmarks/cub/run.sh [LOG2...]    for 2^LOG2 rows: 28 24 20 16 unless given
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
kernels=${KERNELS:-$root/kernels} # where MANIFEST and the image are
cub=${CUB:-$root/build/cub}
image=$kernels/image/arrowsort.fatbin
sha256sum --status -c <<<"$(sed -n 's/^image //p' "$kernels/MANIFEST")  $image" || {
	echo "$image is not the image of MANIFEST: run make kernels" >&2
	exit 1
}
[ -x "$cub" ] || ./build.sh
sizes=${*:-28 24 20 16}
report() {
	grep -E '^(compiler|image) ' "$kernels/MANIFEST"
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
	date -u +%Y-%m-%d
	"$cub" image "$image" prove 24
	# shellcheck disable=SC2086 # sizes are words
	"$cub" image "$image" table $sizes
	# shellcheck disable=SC2086
	"$cub" image "$image" phases $sizes
	for search in "20 20" "24 40" "27 60"; do
		# shellcheck disable=SC2086
		"$cub" image "$image" search $search
	done
}
report | tee results.txt
./docs.sh
