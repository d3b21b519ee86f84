"""Builds the wheel (PEP 517), for `pip install ./python`, with nothing but Python, Go and a C compiler.

The wheel has the modules, the C library, which arrowsort/capi/build.sh builds in the checkout around this folder, and
the script `arrowsort`. VERSION is its version, 0.0.0 by default; TAGS are passed on to the build of the library.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

_here = Path(__file__).parent
_root = _here.parent
_version = os.environ.get("VERSION", "0.0.0").removeprefix("v")

_metadata = f"""\
Metadata-Version: 2.4
Name: arrowsort
Version: {_version}
Summary: Sorts Apache Arrow data: pyarrow, Polars, pandas, DuckDB, and files of any size
Requires-Python: >=3.10
License-Expression: Apache-2.0
License-File: LICENSE
Description-Content-Type: text/markdown

"""

_scripts = "[console_scripts]\narrowsort = arrowsort.__main__:main\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = f"py3-none-{_platform()}"
    info = f"arrowsort-{_version}.dist-info"
    files = {f"arrowsort/{path.name}": path.read_bytes() for path in sorted((_here / "arrowsort").glob("*.py"))}
    files["arrowsort/py.typed"] = b""
    with tempfile.TemporaryDirectory() as folder:
        library = _build_library(Path(folder))
        files[f"arrowsort/{library.name}"] = library.read_bytes()
    files[f"{info}/METADATA"] = (_metadata + (_here / "README.md").read_text(encoding="utf-8")).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: arrowsort\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = _scripts.encode()
    files[f"{info}/licenses/LICENSE"] = (_root / "LICENSE").read_bytes()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    name = f"arrowsort-{_version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # dated 1980, so that the same files are the same wheel
            entry.external_attr = (0o755 if path.endswith((".so", ".dylib")) else 0o644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("the C library is built from a checkout of arrowsort: build a wheel there, by `make wheel`")


def _platform():
    if sys.platform == "darwin":
        return f"macosx_12_0_{platform.machine()}"  # the oldest version that Go's programs run on
    if not sys.platform.startswith("linux"):
        raise RuntimeError(f"there is no C library of arrowsort for {sys.platform}: build on Linux or macOS")
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _build_library(folder):
    script = _root / "arrowsort" / "capi" / "build.sh"
    if not script.exists():
        raise RuntimeError(f"{script} is missing: install from the folder python of a checkout of arrowsort")
    for program, what in (("go", "Go, of the version in go.mod"), (os.environ.get("CC", "cc"), "a C compiler")):
        if not shutil.which(program):
            raise RuntimeError(f"{program} is not installed: the library needs {what}")
    environment = os.environ | {"OUT": str(folder), "MODES": "shared", "VERSION": _version}
    subprocess.run(["bash", str(script)], check=True, env=environment)
    (library,) = (path for path in folder.iterdir() if path.suffix in (".so", ".dylib"))
    return library


def _record(files, own):
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()
