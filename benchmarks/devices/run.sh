#!/usr/bin/env bash
# Proves and times sorts on several GPUs: the table of sorts with the bandwidths that bound them, the suite of all
# engines, and random tables against the reference model. Writes benchmarks/results/devices-N.txt for N GPUs.
#
#   benchmarks/devices/run.sh 2                    on 2 GPUs: 16 GB of memory of the host
#   benchmarks/devices/run.sh 4 -large 160000000000    only a table of 160 GB, larger than one GPU: 352 GB of memory
#   benchmarks/devices/run.sh build                the test programs in build/devices, for a machine without Go
#   benchmarks/devices/run.sh standin 3            a dry run on the stand-in, of few rows; writes nothing
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
programs=$root/build/devices
build() {
	mkdir -p "$programs"
	gpu/build.sh go test -c -tags cuda,devices -o "$programs/gpu.test" ./gpu
	gpu/build.sh go test -c -tags cuda -o "$programs/difftest.test" ./arrowsort/internal/difftest
}
case ${1:-} in
build)
	build
	exit
	;;
standin)
	devices=$2
	shift 2
	export ARROWSORT_STANDIN_DEVICES=$devices ARROWSORT_PACKAGES=./gpu ARROWSORT_TAGS=devices
	exec gpu/test.sh -v -run 'TestDevices(Table|Large)' -gpus="$devices" -bits=14 -runs=2 -piece=100000 "$@"
	;;
esac
devices=$1
shift
[ -x "$programs/gpu.test" ] || build
test_gpu() { (cd gpu && "$programs/gpu.test" -test.v -test.timeout 10m -gpus "$devices" "$@"); }
report() {
	sed -n 's/^image /image /p' kernels/MANIFEST
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
	nvidia-smi topo -m || true # how the GPUs are connected, where the tool reports it
	date -u +%Y-%m-%d
	if [ "${1:-}" = -large ]; then
		test_gpu -test.run TestDevicesLarge "$@"
		return
	fi
	test_gpu -test.run TestDevicesTable "$@"
	test_gpu -test.short -test.run 'TestEngineOfDevices|TestRangesAreEqual'
	(cd arrowsort/internal/difftest && "$programs/difftest.test" -test.v -test.timeout 10m \
		-test.run RandomTablesOnGPU -tables 500 -first 30000 -devices "$devices")
}
name=devices-$devices
[ "${1:-}" != -large ] || name+=-large
report "$@" | tee "benchmarks/results/$name.txt"
