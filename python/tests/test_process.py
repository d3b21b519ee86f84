"""Threads, Ctrl-C, fork, and the command."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import arrowsort
from arrowsort import _calls, _library

LARGE = pa.table({"a": np.random.default_rng(1).integers(0, 1 << 60, 1_000_000)})


def test_threads():
    want = arrowsort.sort(LARGE, "a")
    with ThreadPoolExecutor(8) as pool:
        assert all(result.equals(want) for result in pool.map(lambda _: arrowsort.sort(LARGE, "a"), range(16)))


def test_threads_go_on_during_a_call():
    """The library's call does not hold the lock of the interpreter."""
    ticks, stop = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not stop.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    real, during = _library.sort, []

    def sort(*arguments):
        before = ticks
        code = real(*arguments)
        during.append(ticks - before)
        return code

    _library.sort = sort
    try:
        for _ in range(20):
            arrowsort.sort(LARGE, "a")
    finally:
        _library.sort = real
        stop.set()
        thread.join()
    assert sum(during) > 0


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np, pyarrow as pa
import arrowsort
from arrowsort import _library

def interrupted(call):  # the code of the library's last call, while a signal comes
    codes = []
    def record(real):
        def function(*arguments):
            codes.append(real(*arguments))
            return codes[-1]
        return function
    for name in ("sort", "files", "import_stream"):
        setattr(_library, name, record(real[name]))
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        call()
        timer.join()
        threading.Event().wait(5)  # for the signal
        return 0
    except KeyboardInterrupt:
        return codes[-1] if codes else 0

real = {name: getattr(_library, name) for name in ("sort", "files", "import_stream")}
table = pa.table({"a": np.random.default_rng(1).integers(0, 1 << 60, 20_000_000)})
CALL
for attempt in range(5):  # a call that ended before the signal is tried again
    code = interrupted(call)
    if code:
        break
assert code == CODE, code
assert arrowsort.sort(table.slice(0, 1000), "a").num_rows == 1000
"""


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ('call = lambda: arrowsort.sort(table, "a")', 15),
        (
            """
import tempfile, pyarrow.feather
folder = tempfile.TemporaryDirectory()
pyarrow.feather.write_feather(table, folder.name + "/in.arrow", "uncompressed")
call = lambda: arrowsort.sort_file(folder.name + "/in.arrow", folder.name + "/out.arrow", "a")
""",
            15,
        ),
        (
            """
batch = table.slice(0, 1000).to_batches()[0]
call = lambda: arrowsort.sort(pa.RecordBatchReader.from_batches(table.schema, iter(lambda: batch, None)), "a")
""",
            17,
        ),
    ],
    ids=["sort", "file", "endless stream"],
)
def test_interrupt(call, code):
    program = INTERRUPTED.replace("CALL", call).replace("CODE", str(code))
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)


def test_interrupt_before_the_call_begins():
    """A signal handler may raise at any place: here when the thread has been started."""

    def work(call):
        signal.raise_signal(signal.SIGUSR1)  # the handler runs in the main thread
        codes.append(code := _library.sort(*head, options, ctypes.byref(out.number), None))
        return code

    def handler(*_):
        raise RuntimeError("from the handler")

    codes, options, out, head = [], None, _calls.Handle(), (0, None, 0)
    old = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(RuntimeError, match="from the handler"):
            _calls.interruptible(work)
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert codes == [20]  # the call has ended, here with the error of a handle


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    table = pa.table({"a": [2, 1]})
    kept = arrowsort.Data(arrowsort._data.from_arrow(table))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            arrowsort.sort(table, "a")
        except arrowsort.ForkedError as error:
            status = 0 if "spawn" in str(error) else 2
        del kept
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert pa.table(kept) == table


SPAWNED = """
import multiprocessing, pyarrow as pa, arrowsort

def work(n):
    return arrowsort.sort(pa.array([n, 0])).to_pylist()

if __name__ == "__main__":
    arrowsort.sort(pa.array([1]))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(work, [1, 2]) == [[0, 1], [0, 2]]
"""


def test_spawn(tmp_path):
    (tmp_path / "program.py").write_text(SPAWNED)
    subprocess.run([sys.executable, str(tmp_path / "program.py")], check=True, timeout=100)


SCRIPT = Path(sys.executable).with_name("arrowsort")


@pytest.mark.parametrize("command", [[sys.executable, "-m", "arrowsort"], [SCRIPT]], ids=["module", "script"])
def test_command(command, tmp_path):
    (tmp_path / "in.csv").write_text("a\n2\n1\n")
    sort = [*command, "sort", "-q", "--output-format", "csv", "-o", "-", "in.csv", "-k"]
    done = subprocess.run([*sort, "a"], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"a\n1\n2\n"), done.stderr
    failed = subprocess.run([*sort, "b"], cwd=tmp_path, capture_output=True)
    assert failed.returncode == 2
    assert b'"b"' in failed.stderr


def test_no_library_is_imported():
    """Arrowsort has no dependency: it imports no library of data."""
    program = "import sys, arrowsort; assert not {'numpy', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
