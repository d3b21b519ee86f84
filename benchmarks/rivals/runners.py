"""Processes that carry out runs: workers with their data in memory, and commands that start afresh for every run."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import parquet_sort

HERE = Path(__file__).resolve().parent
BIN = HERE.parent / ".bin"


def build(package: str) -> None:
    """Builds a command of this repository into BIN."""
    BIN.mkdir(exist_ok=True)
    if subprocess.run(["go", "build", "-o", f"{BIN}/", f"./{package}"], cwd=HERE.parent.parent, check=False).returncode:
        raise SystemExit(f"cannot build {package}")


class Failed(Exception):
    """A worker or command that gave an error instead of a result."""


@dataclass
class Run:
    """What one run gave. Fields that a job does not measure are 0."""

    seconds: float
    bytes: int = 0  # temp memory
    peak: int = 0  # resident bytes of the process at most
    cpu: float = 0.0  # processor seconds of the process, all threads
    inner: float = 0.0  # wall-clock seconds without the start of the process
    size: int = 0  # bytes of the file written


@dataclass
class Settings:
    threads: int
    profiles: Path | None = None
    environment: dict = field(init=False)

    def __post_init__(self):
        n = str(self.threads)
        self.environment = os.environ | {
            "GOMAXPROCS": n,
            "POLARS_MAX_THREADS": n,
            "OMP_NUM_THREADS": n,
            "RAYON_NUM_THREADS": n,
        }


class Worker:
    """One engine in a separate process, the data of one job in its memory; it answers a line of JSON to every
    command.
    """

    def __init__(self, engine: str, job, path: Path, settings: Settings):
        self.engine = engine
        keys = ",".join(job.keys)
        if engine == "arrowsort":
            command = [str(BIN / "rivalbench"), "-file", str(path), "-mode", job.mode, "-keys", keys]
            command += ["-threads", str(settings.threads), "-rows", str(job.rows)]
            if settings.profiles:
                command += ["-cpuprofile", str(settings.profiles / f"{job.name}.pprof")]
        else:
            command = [
                sys.executable,
                str(HERE / "worker.py"),
                engine,
                job.mode,
                str(path),
                keys,
                str(settings.threads),
            ]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings.environment
        )
        ready = self._reply()
        self.variants, self.rows = ready["variants"], ready["rows"]

    def run(self, variant: str) -> Run:
        return Run(**self._ask(f"run {variant}"))

    def save(self, variant: str, path: Path) -> bool:
        """Writes the result of a run to a file, unless the variant has none to show."""
        return self._ask(f"save {variant} {path}")["saved"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _ask(self, command: str) -> dict:
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed("the process ended") from None
        return self._reply()

    def _reply(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"the process ended with {self.process.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise Failed(reply["error"])
        return reply


def launch(
    command: list[str], environment: dict | None = None, before: tuple[str, ...] = ()
) -> tuple[dict, str]:
    """Runs a command in a fresh process, which the words before start: its seconds, processor seconds and peak memory,
    and the first line that it prints.
    """
    launcher = [*before, sys.executable, "-I", "-S", str(HERE / "launch.py"), *command]
    done = subprocess.run(launcher, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]), lines[0]


class Command:
    """One engine's Parquet to Parquet, a fresh process for every run."""

    variants, rows = ("parquet",), None

    def __init__(self, engine: str, job, path: Path, settings: Settings, target: Path):
        self.engine, self.settings, self.target = engine, settings, target
        if engine == "arrowsort":
            self.command = [str(BIN / "arrowsort"), "sort", "--quiet", "-k", job.keys[0], "-o", str(target), str(path)]
        else:
            self.command = parquet_sort.command(engine, path, target, job.keys[:1], settings.threads)

    def run(self, variant: str) -> Run:
        self.target.unlink(missing_ok=True)
        figures, printed = launch(self.command, self.settings.environment)
        inner = figures["seconds"] if self.engine == "arrowsort" else float(printed)
        return Run(**figures, inner=inner, size=self.target.stat().st_size)

    def save(self, variant: str, path: Path) -> bool:
        self.run(variant)
        os.replace(self.target, path)
        return True

    def close(self) -> None:
        self.target.unlink(missing_ok=True)
