#!/usr/bin/env bash
# Packs the C library as it is released: build/capi-release/arrowsort-c_OS_ARCH.tar.gz with lib, include and the file of
# pkg-config. On Linux for amd64 and arm64, linked with glibc 2.28 by the C compiler of zig, which pip installs; on
# macOS for the machine's processor, by its own compiler.
#
#   arrowsort/capi/release.sh            all of this system
#   arrowsort/capi/release.sh amd64      one of them
set -euo pipefail
cd "$(dirname "$0")/../.."

zig=ziglang==0.17.1
glibc=2.28 # of the oldest systems that get updates, as manylinux_2_28

version=$(git describe --tags --match 'v*' 2>/dev/null || echo v0.0.0)
system=$(go env GOOS)
case $system in
linux) processors=${*:-amd64 arm64} ;;
darwin) processors=${*:-$(go env GOARCH)} ;;
*) echo "the C library is released for Linux and macOS" >&2 && exit 1 ;;
esac

tools=$PWD/build/release-tools
for processor in $processors; do
	name=arrowsort-c_${system}_$processor
	folder=$PWD/build/capi-release/$name
	rm -rf "$folder" && mkdir -p "$folder/lib/pkgconfig" "$folder/include"
	if [ "$system" = linux ]; then
		[ -d "$tools/ziglang" ] ||
			python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$tools" "$zig" >&2
		case $processor in
		amd64) target=x86_64 ;;
		arm64) target=aarch64 ;;
		esac
		export CC="$tools/ziglang/zig cc -target $target-linux-gnu.$glibc"
	fi
	GOARCH=$processor OUT=$folder VERSION=$version arrowsort/capi/build.sh >&2
	mv "$folder"/libarrowsort.* "$folder/lib"
	mv "$folder/arrowsort.pc" "$folder/lib/pkgconfig"
	mv "$folder/arrowsort.h" "$folder/include"
	[ "$system" != linux ] || ln -s libarrowsort.so "$folder/lib/libarrowsort.so.1"
	cp LICENSE docs/c.md "$folder"
	tar -C build/capi-release -czf "build/capi-release/$name.tar.gz" "$name"
	echo "build/capi-release/$name.tar.gz"
done
