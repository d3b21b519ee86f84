#!/usr/bin/env bash
# Proves and times the committed image of the kernels against CUB on the GPU at hand, and writes results.txt. It needs about 12 GiB of
# the GPU's memory for 2^28 rows, and two minutes.
#
#   benchmarks/cub/run.sh [LOG2...]    for 2^LOG2 rows: 28 24 20 16 unless given
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
image=kernels/image/arrowsort.fatbin
cub=$root/build/cub
[ -x "$cub" ] || ./build.sh
sizes=${*:-28 24 20 16}
report() {
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
	date -u +%Y-%m-%d
	grep -E '^(compiler|image) ' "$root/kernels/MANIFEST"
	echo "$(sha256sum <"$root/$image" | cut -d' ' -f1) is what runs"
	"$cub" image "$root/$image" prove 24
	# shellcheck disable=SC2086 # sizes are words
	"$cub" image "$root/$image" table $sizes
	# shellcheck disable=SC2086
	"$cub" image "$root/$image" phases $sizes
}
report | tee results.txt
