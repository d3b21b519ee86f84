"""What the figures depend on: machine, versions, commit, date."""

import ctypes
import datetime
import importlib.metadata
import mmap
import os
import platform
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def describe() -> dict:
    versions = {name: _version(name) for name in ("polars", "duckdb", "datafusion", "pyarrow")}
    versions["go"] = _output("go", "env", "GOVERSION")
    versions["python"] = platform.python_version()
    versions["arrowsort"] = _output("git", "describe", "--always", "--dirty", "--tags")
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "huge_pages": _huge_pages(),
        "versions": versions,
    }


def without_huge_pages() -> None:
    """This process and those that it starts get no huge pages."""
    PR_SET_THP_DISABLE = 41
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0):
        raise SystemExit(f"--no-huge-pages needs Linux: {os.strerror(ctypes.get_errno())}")


def touch_memory(share: float = 0.8, most: int = 16 << 30) -> None:
    """Writes to most of the free memory once, and gives it back: on a virtual machine the host may back a page only
    when it is first written to, and whoever came first would pay for that.
    """
    free = min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"), most)
    step = 1 << 26
    held = []
    for _ in range(int(free * share) // step):
        block = mmap.mmap(-1, step)
        for at in range(0, step, 4096):
            block[at] = 1
        held.append(block)
    for block in held:
        block.close()


def _cpu() -> str:
    """The model name, with family and model number where the name alone says little."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return platform.processor()
    fields = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    wide = " with AVX-512" if "avx512f" in fields.get("flags", "") else ""
    name = fields.get("model name", platform.machine())
    return f"{name}, family {fields.get('cpu family')} model {fields.get('model')}{wide}"


def _huge_pages() -> str:
    try:
        text = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return "unknown"
    return text.split("[")[1].split("]")[0]


def _version(package: str) -> str:
    """Empty where the package is not installed: its engine is left out with --only."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _output(*command: str) -> str:
    """Empty where the command is missing or fails, as on a machine that the programs were copied to."""
    try:
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
