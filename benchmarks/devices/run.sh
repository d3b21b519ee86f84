#!/usr/bin/env bash
# Proves and times sorts on several GPUs: random tables against the reference model, the suite of all engines, and the
# table of sorts with the bandwidths that bound them. Writes benchmarks/results/devices-N.txt for N GPUs.
#
#   benchmarks/devices/run.sh 2
#   benchmarks/devices/run.sh 4 -large 160000000000    and a table larger than one GPU, of 160 GB
#   benchmarks/devices/run.sh standin 3                 a dry run on the stand-in, of few rows; writes nothing
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
if [ "${1:-}" = standin ]; then
	devices=$2
	shift 2
	export ARROWSORT_STANDIN_DEVICES=$devices ARROWSORT_PACKAGES=./gpu ARROWSORT_TAGS=devices
	exec gpu/test.sh -v -run TestDevicesTable -gpus="$devices" -bits=14 -runs=2 -piece=100000 -large=4000000 "$@"
fi
devices=$1
shift
report() {
	sed -n 's/^image /image /p' kernels/MANIFEST
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
	nvidia-smi topo -m || true # how the GPUs are connected, where the tool knows
	date -u +%Y-%m-%d
	gpu/build.sh go test -count=1 -tags cuda,devices -timeout 10m -v -run TestDevicesTable ./gpu -gpus="$devices" "$@"
	gpu/build.sh go test -count=1 -tags cuda,devices -short -timeout 10m -run 'OfDevices|RangesAreEqual' ./gpu
	gpu/build.sh go test -count=1 -tags cuda -timeout 10m -v -run RandomTablesOnGPU ./arrowsort/internal/difftest \
		-tables=500 -first=30000 -devices="$devices"
}
report "$@" | tee "benchmarks/results/devices-$devices.txt"
