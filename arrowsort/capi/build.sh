#!/usr/bin/env bash
# Builds the C library from the program arrowsort, on a machine with Go and a C compiler: libarrowsort.so (.dylib on
# macOS), libarrowsort.a, arrowsort.h and arrowsort.pc.
#
#   arrowsort/capi/build.sh            into build/capi, or the folder named by OUT
#   MODES=shared arrowsort/capi/build.sh       without the static library
#   TAGS=cuda gpu/build.sh arrowsort/capi/build.sh       with the GPU engine
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${OUT:-$root/build/capi}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"

abi=$(sed -n 's/^#define ARROWSORT_ABI //p' arrowsort/capi/arrowsort.h)
tags=capi,netgo,osusergo${TAGS:+,$TAGS} # names of hosts and users are not looked up
export CGO_ENABLED=1
case $(go env GOOS) in
darwin)
	library=libarrowsort.dylib
	flags="-Wl,-install_name,@rpath/libarrowsort.dylib -Wl,-exported_symbol,_arrowsort_*"
	;;
*)
	library=libarrowsort.so
	flags="-Wl,-soname,libarrowsort.so.$abi -Wl,--version-script=$root/arrowsort/capi/arrowsort.map"
	;;
esac

for mode in ${MODES:-shared archive}; do
	file=$library
	[ "$mode" = shared ] || file=libarrowsort.a
	go build -tags "$tags" -trimpath -buildmode="c-$mode" -ldflags "-s -w -extldflags '$flags'" -o "$out/$file" \
		./arrowsort/cmd/arrowsort
	echo "$out/$file"
done
rm -f "$out/libarrowsort.h" # what Go makes; arrowsort.h is for users
cp arrowsort/capi/arrowsort.h "$out"
version=${VERSION:-0.0.0}
sed "s|@VERSION@|${version#v}|" arrowsort/capi/arrowsort.pc.in >"$out/arrowsort.pc"
