#!/usr/bin/env bash
# Tests the C library: the Go tests of the tag capi, and a C program that is linked with the shared and with the static
# library, under the address sanitizer, and under valgrind where that is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/capi

CGO_ENABLED=1 go vet -tags capi ./arrowsort/capi/... ./arrowsort/internal/command ./arrowsort/cmd/arrowsort
CGO_ENABLED=1 go test -tags capi -timeout 5m ./arrowsort/capi/...
OUT=$out arrowsort/capi/build.sh

cc=${CC:-cc}
flags="-std=gnu11 -g -O1 -Wall -Wextra -Werror -I$out arrowsort/capi/test/program.c"
run() { # name, command
	echo "$1"
	shift
	LD_LIBRARY_PATH=$out DYLD_LIBRARY_PATH=$out timeout 120 "$@"
}
ln -sf libarrowsort.so "$out/libarrowsort.so.1"
$cc $flags -o "$out/program" -L"$out" -larrowsort -lpthread
run "the shared library" "$out/program"
$cc $flags -fsanitize=address,undefined -o "$out/program-asan" -L"$out" -larrowsort -lpthread
run "under the address sanitizer" env ASAN_OPTIONS=detect_leaks=1 "$out/program-asan"
if [ -e "$out/libarrowsort.a" ]; then
	$cc $flags -o "$out/program-static" "$out/libarrowsort.a" -lpthread -lm
	run "the static library" "$out/program-static"
fi
if [ "$(uname)" = Linux ]; then # on macOS Go does not support it
	CGO_ENABLED=1 go build -tags capi -trimpath -buildmode=c-shared -o "$out/libsecond.so" ./arrowsort/capi/test/second
	rm -f "$out/libsecond.h"
	$cc ${flags%/*}/two_runtimes.c -o "$out/two-runtimes" -L"$out" -larrowsort -lsecond -lpthread
	run "two libraries with a Go runtime" "$out/two-runtimes"
fi
c++ -std=c++17 -fsyntax-only -Wall -Werror -x c++ "$out/arrowsort.h" && echo "the header is C++ too"
