"""Sorts Parquet files of a server of S3 on this machine, versitygw, and the same files by their paths, in turns. It
prints the seconds of both, and the processor time of the command without the server's.

benchmarks/rivals/run.sh objects --help
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import parquet_data

ROOT = Path(__file__).resolve().parents[2]
JOBS = {"w": ["key"], "flights": ["origin", "date", "delay"]}
SERVER = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks/rivals/run.sh objects", description=__doc__)
    parser.add_argument("--flights", type=Path, required=True, help="flights Parquet file")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", default="4GiB", help="of a sort, in memory by default")
    parser.add_argument("--port", type=int, default=7071)
    parser.add_argument("--apart", action="store_true",
                        help="the command on the first two processors, the server on the others")  # fmt: skip
    parser.add_argument("--no-build", action="store_true", help="build/arrowsort-objects is there already")
    args = parser.parse_args()
    command = ROOT / "build/arrowsort-objects"
    if not args.no_build:
        subprocess.run(["go", "build", "-C", ROOT / "arrowsort/blob", "-o", command, "./cmd/arrowsort"], check=True)
    processors = sorted(os.sched_getaffinity(0))
    if args.apart:
        os.sched_setaffinity(0, processors[2:])  # which the server inherits
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        server = start(Path(folder), args.port)
        if args.apart:
            os.sched_setaffinity(0, processors[:2])
        try:
            for job, keys in JOBS.items():
                file = parquet_data.path(ROOT / "build", job, 1, args.flights)
                measure(command, job, keys, file, Path(folder), args)
        finally:
            server.terminate()


def start(folder: Path, port: int) -> subprocess.Popen:
    """Starts the server and waits until it answers; its bucket is a folder."""
    os.environ |= SERVER | {"AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}"}
    script = f". arrowsort/blob/server.sh '{folder}' {port}; echo ready; trap 'kill $!' TERM; wait"
    server = subprocess.Popen(["bash", "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if server.stdout.readline() != "ready\n":
        raise SystemExit("the server does not start; see its log")
    return server


def measure(command: Path, job: str, keys: list[str], file: Path, folder: Path, args: argparse.Namespace) -> None:
    bucket = folder / "data/bucket"
    os.link(file, bucket / f"{job}-input.parquet")
    places = {"path": (file, folder / "sorted.parquet"),
              "object": (f"s3://bucket/{job}-input.parquet", "s3://bucket/sorted.parquet")}  # fmt: skip
    seconds, busy = ({place: [] for place in places} for _ in range(2))
    for run in range(args.runs + 1):
        for place, (source, output) in places.items():
            start, before = time.perf_counter(), processor()
            subprocess.run([command, "sort", "--quiet", "--memory", args.memory, *(f"-k{key}" for key in keys),
                            "-o", output, source], check=True)  # fmt: skip
            if run > 0:  # the first run reads the files into the page cache
                seconds[place].append(time.perf_counter() - start)
                busy[place].append(processor() - before)
    local, remote = (statistics.median(seconds[place]) for place in places)
    busy = [statistics.median(busy[place]) for place in places]
    same = (folder / "sorted.parquet").read_bytes() == (bucket / "sorted.parquet").read_bytes()
    size = file.stat().st_size / 1e6
    print(f"{job}, {size:.0f} MB: paths {local:.3f} s, objects {remote:.3f} s, {remote / local:.2f} x; ", end="")
    print(f"processor time {busy[0]:.3f} s, {busy[1]:.3f} s, {busy[1] / busy[0]:.2f} x; ", end="")
    print("the same bytes" if same else "OTHER BYTES", flush=True)


def processor() -> float:
    """The processor time of the commands that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
