#!/usr/bin/env bash
# Proves and times sorts on several GPUs: the table of sorts with the bandwidths that bound them, on 1, 2, 4 GPUs and so
# on; the suite of all engines; 500 random tables against the reference model; and a table larger than the memory of one
# GPU, or as large as the host's memory allows. Writes benchmarks/results/devices-N.txt for N GPUs.
#
#   benchmarks/devices/run.sh 2                    on 2 GPUs: 24 GB of memory of the host, for the large table more
#   benchmarks/devices/run.sh 8 -large 160000000000    only a large table, of 160 GB: -large needs 2.2 times as much
#                                                  memory of the host, 352 GB, which is checked before it is taken
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
	exec gpu/test.sh -v -run 'TestDevices(Table|Large)' -gpus="$devices" -bits=14 -runs=2 -piece=100000 \
		-large=4000000 "$@"
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
	test_gpu -test.run 'TestEngineOfDevices|TestRangesAreEqual|TestUniformKeysArePartitionedOnce'
	# In a short run the test takes a fifth of the tables.
	(cd arrowsort/internal/difftest && ARROWSORT_LONG=1 "$programs/difftest.test" -test.v -test.timeout 10m \
		-test.run RandomTablesOnGPU -tables 500 -first 30000 -devices "$devices")
	test_gpu -test.run TestDevicesLarge "$@"
}
name=devices-$devices
[ "${1:-}" != -large ] || name+=-large
report "$@" | tee "benchmarks/results/$name.txt"
